//! Each limit of a path, by itself.

use super::super::timeouts::TIMEOUTS_RULE;
use super::super::{Context, ROADS};
use super::conditions::Conditions;
use crate::algorithms::{Selected, timeouts};
use crate::analysis::sawtooth::{Bottleneck, Sawtooth, sawtooth};
use crate::error::{Error, Result};
use crate::model::{LossModel, Path, ResponseFunction, WindowLaw};
use crate::units::{Seconds, significant};
use serde::Serialize;

/// Loss rate above which the formula with timeouts limits too.
pub const TIMEOUTS_LIMIT: f64 = 0.05;
/// How a window with a queue in it is counted.
const QUEUED: &str = "the window is the sawtooth's: packets over round trips, its queue included";
/// Rates that differ by less than this share are the same limit.
const SAME: f64 = 1e-13;

/// One limit. What has no value is `None`, and `reason` says why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// `link`, `receive_window`, `loss`, `timeout`, `buffer` or `recovery`.
    pub name: &'static str,
    /// Whether it takes part in the search for the smallest.
    pub applies: bool,
    /// All streams together, on the wire.
    pub rate_bps: Option<f64>,
    /// All streams together, payload.
    pub goodput_bps: Option<f64>,
    /// One stream, on the wire.
    pub stream_rate_bps: Option<f64>,
    /// One stream, payload.
    pub stream_goodput_bps: Option<f64>,
    /// Packets per round trip of one stream; where a sawtooth keeps a queue, the packets of one over its round trips.
    pub window_pkt: Option<f64>,
    /// Share of the link that the sawtooth uses.
    pub utilisation: Option<f64>,
    /// Mean queueing delay, seconds.
    pub queue_mean_s: Option<f64>,
    /// Round trips until the window is back after one loss.
    pub recovery_rounds: Option<f64>,
    /// Seconds until the window is back after one loss.
    pub recovery_s: Option<f64>,
    /// Closed form.
    pub form: Option<&'static str>,
    /// Loss model of the closed form.
    pub loss_model: Option<&'static str>,
    /// Reference key and equation.
    pub source: Option<String>,
    /// What a careful reader should know.
    pub note: Option<String>,
    /// Why something has no value, or why the limit does not apply.
    pub reason: Option<String>,
}

impl Limit {
    fn none(name: &'static str, reason: impl Into<String>) -> Self {
        Self {
            name,
            applies: false,
            rate_bps: None,
            goodput_bps: None,
            stream_rate_bps: None,
            stream_goodput_bps: None,
            window_pkt: None,
            utilisation: None,
            queue_mean_s: None,
            recovery_rounds: None,
            recovery_s: None,
            form: None,
            loss_model: None,
            source: None,
            note: None,
            reason: Some(reason.into()),
        }
    }

    /// A limit of this many packets per round trip for each stream.
    fn window(name: &'static str, window: f64, at: &Conditions) -> Result<Self> {
        let bits = 8.0 * window / at.rtt_s()?;
        let (wire, payload) = (at.size.packet.value() * bits, at.size.mss.value() * bits);
        if !(wire > 0.0 && (at.streams * wire).is_finite()) {
            return Ok(Self::none(
                name,
                "the number is outside what double precision carries",
            ));
        }
        Ok(Self {
            applies: true,
            rate_bps: Some(at.streams * wire),
            goodput_bps: Some(at.streams * payload),
            stream_rate_bps: Some(wire),
            stream_goodput_bps: Some(payload),
            window_pkt: Some(window),
            reason: None,
            ..Self::none(name, "")
        })
    }

    /// A limit of this rate on the wire for all streams together.
    fn wire(name: &'static str, rate: f64, at: &Conditions) -> Result<Self> {
        let window = rate * at.rtt_s()? / (8.0 * at.size.packet.value() * at.streams);
        let mut out = Self::window(name, window, at)?;
        if out.applies {
            // The number that was given, not through a window and back.
            out.rate_bps = Some(rate);
        }
        Ok(out)
    }
}

/// Why a value is missing, from an error that is no refusal of the question.
fn reason(error: Error) -> Result<String> {
    super::super::reason_of(error)
}

/// A law with what it says about limits.
pub(super) struct Model {
    response: std::result::Result<Box<dyn ResponseFunction>, String>,
    timeouts: Option<Box<dyn ResponseFunction>>,
    verbs: Option<Box<dyn WindowLaw>>,
}

impl Model {
    pub(super) fn new(law: &Selected, rto: Option<Seconds>, context: &Context) -> Result<Self> {
        let none = || Err("no form".to_owned());
        let closed = ROADS.first().map(|road| road.functions(law, context));
        let response = closed
            .transpose()?
            .and_then(|found| found.into_iter().next())
            .map_or_else(none, |chosen| chosen.function);
        let verbs = law.algorithm.law(&law.setting);
        let ack_every = verbs.as_ref().map_or(1.0, |law| law.ack_every());
        Ok(Self {
            response,
            timeouts: timeouts(rto, ack_every),
            verbs,
        })
    }

    /// Every limit, in the order of the answer. `all` adds recovery, which is no rate, where it costs an integration.
    pub(super) fn limits(&self, at: &Conditions, all: bool) -> Result<Vec<Limit>> {
        at.rtt_s()?;
        let tooth = (all || at.buffer.is_some()).then(|| self.tooth(at));
        let link = Self::link(at, tooth.as_ref())?;
        let receive_window = match at.receive_window {
            Some(bytes) => {
                Limit::window("receive_window", bytes.value() / at.size.mss.value(), at)?
            }
            None => Limit::none("receive_window", "no --receive-window given"),
        };
        let mut out = vec![link, receive_window, self.loss(at)?, self.timeout(at)?];
        out.push(Self::buffer(at, tooth.as_ref())?);
        if all {
            out.push(Self::recovery(at, tooth)?);
        }
        Ok(out)
    }

    /// The link by itself. Where its buffer keeps it busy the window holds a queue too.
    fn link(at: &Conditions, tooth: Option<&Result<Sawtooth>>) -> Result<Limit> {
        let Some(link) = at.link else {
            return Ok(Limit::none("link", "no --link given"));
        };
        let mut out = Limit::wire("link", link.value(), at)?;
        if at.buffer.is_none() || !out.applies {
            return Ok(out);
        }
        match (at.spared()?, tooth) {
            (Some((window, pipe)), _) if window > pipe => {
                out.window_pkt = Some(window);
                out.note = Some("the receiver's window keeps a queue that stands".into());
            }
            (None, Some(Ok(tooth))) if at.together && tooth.utilisation >= 1.0 => {
                out.window_pkt = Some(tooth.window());
                out.note = Some(QUEUED.into());
            }
            _ => {}
        }
        Ok(out)
    }

    fn responded(
        name: &'static str,
        function: &dyn ResponseFunction,
        at: &Conditions,
    ) -> Result<Limit> {
        let Some(loss) = at.loss else {
            return Ok(Limit::none(name, "no --loss given"));
        };
        let path = Path {
            rtt: at.rtt,
            base_rtt: at.base_rtt,
        };
        let found = match function.respond(loss, &path) {
            Ok(found) => found,
            Err(error) => return Ok(Limit::none(name, reason(error)?)),
        };
        Ok(Limit {
            form: Some(function.form()),
            loss_model: Some(function.loss_model().name()),
            source: Some(found.source.to_string()),
            note: found.note.as_ref().map(ToString::to_string),
            ..Limit::window(name, found.window.value(), at)?
        })
    }

    fn loss(&self, at: &Conditions) -> Result<Limit> {
        let function = match &self.response {
            Ok(function) => function.as_ref(),
            Err(reason) => return Ok(Limit::none("loss", reason.clone())),
        };
        let mut out = Self::responded("loss", function, at)?;
        if out.applies
            && function.loss_model() != LossModel::Correlated
            && at.loss.is_some_and(|p| p.value() > TIMEOUTS_RULE)
        {
            let range = format!(
                "out of range: above p = {TIMEOUTS_RULE} timeouts matter and this formula, which has none, is too high"
            );
            out.note = Some(
                out.note
                    .map_or(range.clone(), |note| format!("{note}; {range}")),
            );
        }
        Ok(out)
    }

    fn timeout(&self, at: &Conditions) -> Result<Limit> {
        let Some(function) = &self.timeouts else {
            return Ok(Limit::none(
                "timeout",
                "no formula with timeouts is registered",
            ));
        };
        let mut out = Self::responded("timeout", function.as_ref(), at)?;
        if !out.applies {
            return Ok(out);
        }
        if self
            .response
            .as_ref()
            .is_ok_and(|f| f.loss_model() == LossModel::Correlated)
        {
            out.applies = false;
            out.reason = Some("the formula of the limit `loss` has timeouts in it".into());
        } else if at.loss.is_some_and(|p| p.value() <= TIMEOUTS_LIMIT) {
            out.applies = false;
            out.reason = Some(format!(
                "up to p = {TIMEOUTS_LIMIT} the law's own response is taken as the limit"
            ));
        } else {
            out.note = Some("counts packets sent, those that are lost again included".into());
        }
        Ok(out)
    }

    /// The sawtooth of one stream at its share of link and buffer, or at the receiver's window where that is not more; without a link
    /// at the receiver's window or the loss's peak.
    fn tooth(&self, at: &Conditions) -> Result<Sawtooth> {
        let none = |reason: &str| Err(Error::NoAnswer(reason.to_owned()));
        let Some(verbs) = &self.verbs else {
            return none("a formula, not a law: it has no sawtooth");
        };
        verbs.price().must_be_loss()?;
        let base = at.base_s()?;
        let (pipe, buffer) = match (at.held()?, at.receive_window, at.loss, &self.response) {
            // No more is ever outstanding than the receiver allows.
            (Some((pipe, buffer)), ..) => match at.spared()? {
                Some((window, _)) => (window.min(pipe), (window - pipe).max(0.0)),
                None => (pipe, buffer),
            },
            (None, Some(window), ..) => (window.value() / at.size.mss.value(), 0.0),
            (None, None, Some(loss), Ok(function)) => {
                let path = Path {
                    rtt: at.rtt,
                    base_rtt: at.base_rtt,
                };
                match function.respond(loss, &path)?.peak {
                    Some(peak) => (peak.value(), 0.0),
                    None => return none("the loss model has no single window before a loss"),
                }
            }
            _ => return none("no window to recover: give --link, --receive-window or --loss"),
        };
        sawtooth(
            verbs.as_ref(),
            Bottleneck {
                pipe,
                buffer,
                base_rtt: base,
            },
        )
    }

    fn buffer(at: &Conditions, tooth: Option<&Result<Sawtooth>>) -> Result<Limit> {
        let name = "buffer";
        let (Some(link), Some(bytes), Some(tooth)) = (at.link, at.buffer_bytes()?, tooth) else {
            return Ok(Limit::none(name, "no --buffer given"));
        };
        if let Some((window, pipe)) = at.spared()? {
            return Ok(Limit::none(
                name,
                format!(
                    "it never overflows: the receiver's window is {} packets, and a stream's share of pipe and buffer holds {}",
                    significant(window, 6),
                    significant(pipe + at.held()?.map_or(0.0, |(_, buffer)| buffer), 6)
                ),
            ));
        }
        let tooth = match tooth {
            Ok(tooth) => tooth,
            Err(error) => return Ok(Limit::none(name, reason(error.clone())?)),
        };
        let utilisation = if at.together || at.streams <= 1.0 {
            Ok(tooth.utilisation)
        } else if bytes > 0.0 {
            Err(Error::NoAnswer("losses one stream at a time have a formula for a link without buffer only: --sync all, or --buffer 0B".into()))
        } else {
            tooth.one_at_a_time(at.streams)
        };
        let utilisation = match utilisation {
            Ok(share) => share,
            Err(error) => return Ok(Limit::none(name, reason(error)?)),
        };
        let queue = at.streams * tooth.queue * 8.0 * at.size.packet.value() / link.value();
        let wire = Limit::wire(name, utilisation * link.value(), at)?;
        let without = "--rtt is taken without queues, since no --base-rtt is given";
        let note = match (at.base_rtt, at.together && bytes > 0.0) {
            (None, true) => Some(format!("{without}; {QUEUED}")),
            (Some(_), true) => Some(QUEUED.into()),
            _ => None,
        };
        Ok(Limit {
            utilisation: Some(utilisation),
            queue_mean_s: at.together.then_some(queue),
            // One at a time there is no buffer, so no queue.
            window_pkt: wire
                .window_pkt
                .map(|plain| if at.together { tooth.window() } else { plain }),
            note,
            source: Some("derived: the law's two verbs over a drop-tail buffer".into()),
            ..wire
        })
    }

    fn recovery(at: &Conditions, tooth: Option<Result<Sawtooth>>) -> Result<Limit> {
        let name = "recovery";
        let tooth = match tooth {
            Some(Ok(tooth)) => tooth,
            Some(Err(error)) => return Ok(Limit::none(name, reason(error)?)),
            None => return Ok(Limit::none(name, "not asked for")),
        };
        let received = match at.link {
            Some(_) => at.spared()?.is_some(),
            None => at.receive_window.is_some(),
        };
        let place = if at.link.is_some() && !received {
            "pipe and buffer full"
        } else if received {
            "the receiver's window"
        } else {
            "the window before a loss at this loss rate"
        };
        Ok(Limit {
            window_pkt: Some(tooth.peak),
            recovery_rounds: Some(tooth.rounds),
            recovery_s: Some(tooth.seconds),
            note: Some(format!("back to {place}")),
            ..Limit::none(name, "a time, not a rate")
        })
    }
}

/// The smallest rate that applies; of equal ones the first.
pub(super) fn active(limits: &[Limit]) -> Option<&Limit> {
    let mut out: Option<(&Limit, f64)> = None;
    for limit in limits.iter().filter(|limit| limit.applies) {
        if let Some(rate) = limit.rate_bps
            && out.is_none_or(|(_, least)| rate < least * (1.0 - SAME))
        {
            out = Some((limit, rate));
        }
    }
    out.map(|(limit, _)| limit)
}
