//! Measured samples of loss and window: c and d of c/p^d by least squares in logarithms, and the nearest registered law.

use super::{Envelope, reason_of};
use crate::algorithms::{Selected, all};
use crate::error::{Error, Result};
use crate::model::{Entry, LossModel, Path, ResponseFunction, Setting};
use crate::numeric::statistics::{Line, line, t_quantile};
use crate::responses::ack::{Ack, Effort};
use crate::responses::epoch::Epoch;
use crate::units::{LossRate, Seconds, significant};
use serde::Serialize;

/// One measured sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Loss events per packet.
    pub loss: LossRate,
    /// Packets per round trip.
    pub window: f64,
    /// The path it was measured on.
    pub path: Path,
}

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct FitQuery {
    /// `fit`.
    pub verb: &'static str,
    /// What the samples call themselves.
    pub label: Option<String>,
    /// Number of samples.
    pub samples: usize,
}

/// A law and form, and how far the samples lie from it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Name of the algorithm.
    pub law: &'static str,
    /// Name of the preset.
    pub preset: &'static str,
    /// The road by which it answers: `closed`, or without a closed form that is nearer the law itself.
    pub road: &'static str,
    /// Closed form, or the law itself.
    pub form: &'static str,
    /// Its loss model.
    pub loss_model: &'static str,
    /// Root mean square of ln(measured/formula).
    pub rms_log: f64,
    /// Mean of ln(measured/formula): positive if the samples lie above.
    pub mean_log: f64,
}

/// The answer. What has no value is `None`, and `reason` says why.
#[derive(Debug, Clone, Serialize)]
pub struct FitAnswer {
    /// Factor of c/p^d.
    pub c: Option<f64>,
    /// Lower end of its 95 % confidence interval.
    pub c_low: Option<f64>,
    /// Upper end of its 95 % confidence interval.
    pub c_high: Option<f64>,
    /// Exponent of c/p^d.
    pub d: Option<f64>,
    /// Lower end of its 95 % confidence interval.
    pub d_low: Option<f64>,
    /// Upper end of its 95 % confidence interval.
    pub d_high: Option<f64>,
    /// Root mean square of ln(measured/fitted).
    pub rms_log: Option<f64>,
    /// The nearest laws, one entry for each algorithm, the nearest first.
    pub nearest: Vec<Candidate>,
    /// Lost packets in each loss event that would explain the samples, if that is what their loss looks like.
    pub packets_per_event: Option<f64>,
    /// What a careful reader should know.
    pub note: Option<String>,
    /// Why something has no value.
    pub reason: Option<String>,
}

/// Laws that an answer lists.
const LISTED: usize = 5;
/// Distance from the nearest law, as a root mean square of logarithms, up to which it explains the samples.
const EXPLAINED: f64 = 0.1;
/// Distance below which laws are not told apart.
const TOLD_APART: f64 = 0.02;
/// Lost packets in an event from which on they count as many.
const MANY: f64 = 1.5;

/// Why there is no number of lost packets in an event.
const EVENTS: &str = "the loss does not look like several lost packets an event";

/// Fits samples.
///
/// Fewer than three samples have no line with intervals; the nearest law is told all the same.
///
/// # Errors
/// [`Error::Arguments`] for no sample or a window that is not positive.
pub fn fit(label: Option<String>, samples: &[Sample]) -> Result<Envelope<FitQuery, FitAnswer>> {
    if samples.is_empty() {
        return Err(Error::Arguments("there are no samples to fit".into()));
    }
    let points: Vec<(f64, f64)> = samples
        .iter()
        .map(|s| (s.loss.value().ln(), s.window.ln()))
        .collect();
    if points.iter().any(|(_, y)| !y.is_finite()) {
        return Err(Error::Arguments(
            "a window or rate among the samples is not positive: a logarithm needs it to be".into(),
        ));
    }
    let mut answer = FitAnswer {
        c: None,
        c_low: None,
        c_high: None,
        d: None,
        d_low: None,
        d_high: None,
        rms_log: None,
        nearest: Vec::new(),
        packets_per_event: None,
        note: None,
        reason: None,
    };
    match line(&points) {
        _ if samples.len() < 3 => {
            answer.reason = Some(format!(
                "a fit with confidence intervals needs at least three samples: here {}",
                if samples.len() == 1 { "is 1" } else { "are 2" }
            ));
        }
        Some(found) => power_law(&mut answer, &found, samples.len())?,
        None => answer.reason = Some("all samples have one loss rate: no exponent".into()),
    }
    let mut all = candidates(samples, 1.0)?;
    let explained = all.iter().any(|candidate| candidate.rms_log <= EXPLAINED);
    all.extend(laws(samples, explained)?);
    // Formulas that are the same but for rounding stay in the order of the list.
    let rounded = |candidate: &Candidate| (candidate.rms_log * 1e9).round();
    all.sort_by(|a, b| rounded(a).total_cmp(&rounded(b)));
    let mut seen: Vec<&str> = Vec::new();
    for candidate in all {
        if !seen.contains(&candidate.law) {
            seen.push(candidate.law);
            answer.nearest.push(candidate);
        }
    }
    let apart = apart(&answer.nearest);
    let all = std::mem::take(&mut answer.nearest);
    answer.nearest = all.iter().take(LISTED).cloned().collect();
    burst(&mut answer, samples)?;
    if answer.note.is_none() {
        answer.note = apart;
    }
    if let Some(label) = &label
        && let Some(other) = passed_over(label, &all, answer.note.as_deref(), samples)
    {
        let note = answer.note.take().map(|note| note + "; ");
        answer.note = Some(note.unwrap_or_default() + &other);
    }
    if answer.packets_per_event.is_none() {
        let missing = answer.reason.into_iter().chain([EVENTS.to_owned()]);
        answer.reason = Some(missing.collect::<Vec<_>>().join("; "));
    }
    let query = FitQuery {
        verb: "fit",
        label,
        samples: samples.len(),
    };
    Ok(Envelope::new(query, vec![answer]))
}

fn power_law(answer: &mut FitAnswer, found: &Line, n: usize) -> Result<()> {
    let t = t_quantile(0.975, (n - 2) as f64)?;
    let (wide_c, wide_d) = (t * found.intercept_error, t * found.slope_error);
    let [c, low, high] = [0.0, -wide_c, wide_c].map(|off| {
        let x = (found.intercept + off).exp();
        (x.is_finite() && x > 0.0).then_some(x)
    });
    (answer.c, answer.c_low, answer.c_high) = (c, low, high);
    if [c, low, high].contains(&None) {
        answer.reason = Some("c or an end of its interval is beyond what a number holds".into());
    }
    answer.d = Some(-found.slope);
    answer.d_low = Some(-found.slope - wide_d);
    answer.d_high = Some(-found.slope + wide_d);
    answer.rms_log = Some(found.rms);
    Ok(())
}

/// Every preset and closed form that has an answer for all samples, with their loss rates divided by `packets` an event.
fn candidates(samples: &[Sample], packets: f64) -> Result<Vec<Candidate>> {
    let mut out = Vec::new();
    for algorithm in all() {
        for preset in algorithm.presets() {
            let law = Selected {
                algorithm,
                setting: Setting::of(algorithm.parameters(), preset),
            };
            for form in algorithm.closed(&law.setting) {
                if let Some((rms_log, mean_log)) = distance(form.as_ref(), samples, packets)? {
                    out.push(Candidate {
                        law: algorithm.name(),
                        preset: preset.name,
                        road: "closed",
                        form: form.form(),
                        loss_model: form.loss_model().name(),
                        rms_log,
                        mean_log,
                    });
                }
            }
        }
    }
    Ok(out)
}

/// Samples by which the laws themselves are compared: evenly many of them in order of loss.
const COMPARED: usize = 24;
/// Acknowledgements for one sample of a law of whole packets.
const BUDGET: u64 = 20_000_000;

/// The laws themselves: each preset's exact epoch, or where it has none (rules for each acknowledgement) its periodic run. One
/// that has no answer for a sample is no candidate. Where a closed form explains the samples, only of algorithms without one.
fn laws(samples: &[Sample], explained: bool) -> Result<Vec<Candidate>> {
    let mut sorted: Vec<Sample> = samples.to_vec();
    sorted.sort_by(|a, b| a.loss.value().total_cmp(&b.loss.value()));
    let n = sorted.len();
    let some: Vec<Sample> = (0..n.min(COMPARED))
        .map(|i| sorted[i * n / n.min(COMPARED)])
        .collect();
    let mut out = Vec::new();
    let asked = |algorithm: &&'static dyn Entry| !explained || algorithm.forms().is_empty();
    for algorithm in all().into_iter().filter(asked) {
        for preset in algorithm.presets() {
            let setting = Setting::of(algorithm.parameters(), preset);
            let Some(law) = algorithm.law(&setting) else {
                continue;
            };
            let (road, function): (_, Box<dyn ResponseFunction>) = if law.unsettled().is_none() {
                ("epoch", Box::new(Epoch::new(law)))
            } else {
                let effort = Effort {
                    budget: BUDGET,
                    ..Effort::default()
                };
                ("ack", Box::new(Ack::new(law, LossModel::Periodic, effort)))
            };
            if let Some((rms_log, mean_log)) = distance(function.as_ref(), &some, 1.0)? {
                out.push(Candidate {
                    law: algorithm.name(),
                    preset: preset.name,
                    road,
                    form: function.form(),
                    loss_model: function.loss_model().name(),
                    rms_log,
                    mean_log,
                });
            }
        }
    }
    Ok(out)
}

fn distance(
    form: &dyn ResponseFunction,
    samples: &[Sample],
    packets: f64,
) -> Result<Option<(f64, f64)>> {
    let (mut squares, mut sum) = (0.0, 0.0);
    for sample in samples {
        let found = LossRate::new(sample.loss.value() / packets)
            .and_then(|loss| form.respond(loss, &sample.path));
        let window = match found {
            Ok(found) => found.window.value(),
            // A law that needs a round trip which the samples do not have is no candidate.
            Err(Error::Arguments(_)) => return Ok(None),
            Err(error) => return reason_of(error).map(|_| None),
        };
        let log = (sample.window / window).ln();
        if !log.is_finite() {
            return Ok(None);
        }
        squares += log * log;
        sum += log;
    }
    let n = samples.len() as f64;
    Ok(Some(((squares / n).sqrt(), sum / n)))
}

/// What speaks against taking the nearest law for the one that was measured.
fn apart(nearest: &[Candidate]) -> Option<String> {
    let first = nearest.first()?;
    if first.rms_log > EXPLAINED {
        return Some(format!(
            "no registered law is within {EXPLAINED} of the samples: the nearest, {}, is {} off and need not be the one measured",
            first.law,
            significant(first.rms_log, 2)
        ));
    }
    let reach = TOLD_APART.max(2.0 * first.rms_log);
    let near = nearest.iter().filter(|c| c.rms_log <= reach).map(|c| c.law);
    let near: Vec<&str> = near.collect();
    (near.len() > 1).then(|| {
        format!("these samples do not tell apart {}: each is within twice the nearest's distance, or {TOLD_APART}", near.join(", "))
    })
}

/// Why the law by whose name the samples go is neither the nearest nor among those that are not told apart from it.
fn passed_over(
    label: &str,
    nearest: &[Candidate],
    note: Option<&str>,
    samples: &[Sample],
) -> Option<String> {
    let algorithm = all().into_iter().find(|known| known.name() == label)?;
    let is_named = nearest.first().is_some_and(|first| first.law == label)
        || note.is_some_and(|note| note.split([' ', ',', ':']).any(|word| word == label));
    if is_named {
        return None;
    }
    let distance = nearest.iter().find(|candidate| candidate.law == label);
    let distance = distance.map_or_else(
        || "has no answer for them".to_owned(),
        |own| format!("is {} off", significant(own.rms_log, 2)),
    );
    let why = if samples.iter().all(|sample| sample.path.base_rtt.is_none())
        && samples
            .iter()
            .any(|sample| goes_by_delay(algorithm, sample))
    {
        ": it goes by the queueing delay, which these samples do not have, so none was assumed"
    } else {
        ""
    };
    Some(format!(
        "{label}, as the samples call themselves, {distance}{why}"
    ))
}

/// Whether a queue on this sample's path, half of the round trip long, changes what the law answers to its loss rate.
fn goes_by_delay(algorithm: &dyn Entry, sample: &Sample) -> bool {
    let Some(rtt) = sample.path.rtt else {
        return false;
    };
    let setting = Setting::of(algorithm.parameters(), &algorithm.presets()[0]);
    let law = || -> Option<Box<dyn ResponseFunction>> {
        Some(Box::new(Epoch::new(algorithm.law(&setting)?)))
    };
    let Some(function) = algorithm.closed(&setting).into_iter().next().or_else(law) else {
        return false;
    };
    let window = |base: f64| {
        let path = Path {
            base_rtt: Some(Seconds::new(base * rtt.value())),
            ..sample.path
        };
        function
            .respond(sample.loss, &path)
            .map(|found| found.window.value())
    };
    match (window(1.0), window(0.5)) {
        (Ok(without), Ok(with)) => (with / without - 1.0).abs() > 1e-6,
        _ => false,
    }
}

/// Lost packets given for loss events: no law explains the samples as they are, but one does if every event is taken to have
/// lost the same number of packets, at least 1.5, and that brings it at least twice as near.
fn burst(answer: &mut FitAnswer, samples: &[Sample]) -> Result<()> {
    let Some(now) = answer.nearest.first().map(|nearest| nearest.rms_log) else {
        return Ok(());
    };
    if now <= EXPLAINED {
        return Ok(());
    }
    let mut best: Option<(f64, Candidate)> = None;
    for step in 0..=80 {
        let packets = MANY * 1.05f64.powi(step);
        for candidate in candidates(samples, packets)? {
            if best
                .as_ref()
                .is_none_or(|(_, b)| candidate.rms_log < b.rms_log)
            {
                best = Some((packets, candidate));
            }
        }
    }
    if let Some((packets, candidate)) = best
        && candidate.rms_log <= EXPLAINED.min(0.5 * now)
    {
        answer.packets_per_event = Some(packets);
        answer.note = Some(format!(
            "the loss looks like lost packets, not loss events: with about {} lost packets in each event {} (form {}) is within {} of the samples, without that no law is within {}",
            significant(packets, 2),
            candidate.law,
            candidate.form,
            significant(candidate.rms_log, 2),
            significant(now, 2)
        ));
    }
    Ok(())
}
