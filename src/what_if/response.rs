//! What does a law get at a loss rate?

use super::{Context, Envelope, LawName, reason_of};
use crate::algorithms::Selected;
use crate::error::Result;
use crate::model::{LossModel, Response};
use crate::units::{LossRate, Packets};
use serde::Serialize;

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct ResponseQuery {
    /// `response`.
    pub verb: &'static str,
    /// The law.
    #[serde(flatten)]
    pub law: LawName,
    /// Loss events per packet.
    pub loss: f64,
    /// Round trip, seconds.
    pub rtt_s: Option<f64>,
    /// Round trip without queues, seconds.
    pub base_rtt_s: Option<f64>,
    /// Packet on the wire, bytes.
    pub packet_bytes: f64,
    /// Payload of a packet, bytes.
    pub mss_bytes: f64,
}

/// One road's answer. What has no value is `None`, and `reason` says why.
#[derive(Debug, Clone, Serialize)]
pub struct ResponseAnswer {
    /// The road.
    pub road: &'static str,
    /// The form.
    pub form: Option<&'static str>,
    /// The loss model.
    pub loss_model: Option<&'static str>,
    /// Packets per round trip, averaged over rounds.
    pub window_pkt: Option<f64>,
    /// Window just before a loss.
    pub peak_pkt: Option<f64>,
    /// Packets per second.
    pub rate_pps: Option<f64>,
    /// Bits per second on the wire.
    pub rate_bps: Option<f64>,
    /// Payload bits per second.
    pub goodput_bps: Option<f64>,
    /// −∂ ln window/∂ ln p.
    pub slope: Option<f64>,
    /// ∂ ln window/∂ ln RTT.
    pub rtt_exponent: Option<f64>,
    /// Half-width of the 95 % interval of the window, packets.
    pub ci: Option<f64>,
    /// Part of the formula, or phases of the law.
    pub regime: Option<String>,
    /// Reference key and equation.
    pub source: Option<String>,
    /// What a careful reader should know.
    pub note: Option<String>,
    /// Why something has no value.
    pub reason: Option<String>,
}

/// Asks every road of the context about one law at one loss rate.
///
/// # Errors
/// A question that is wrong for this law: an unknown form, a missing round trip. A road without an answer is no error.
///
/// ```
/// use cwnd::{algorithms::Selected, units::LossRate, what_if::{response, Context}};
/// let reply = response(&Selected::parse("reno")?, LossRate::new(1e-4)?, &Context::default())?;
/// assert_eq!(reply.answers.len(), 2);
/// assert!((reply.answers[0].window_pkt.unwrap() - 122.474487).abs() < 1e-6);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn response(
    law: &Selected,
    loss: LossRate,
    context: &Context,
) -> Result<Envelope<ResponseQuery, ResponseAnswer>> {
    let mut answers = Vec::new();
    for road in &context.roads {
        for chosen in road.functions(law, context)? {
            let blank = blank(road.name, chosen.form);
            answers.push(match chosen.function {
                Err(reason) => ResponseAnswer {
                    reason: Some(reason),
                    ..blank
                },
                Ok(function) => {
                    let blank = ResponseAnswer {
                        loss_model: Some(function.loss_model().name()),
                        ..blank
                    };
                    match function.respond(loss, &context.path) {
                        Ok(found)
                            if !(found.window.value().is_finite()
                                && found.window.value() > 0.0) =>
                        {
                            ResponseAnswer {
                                reason: Some(OVERFLOW.into()),
                                ..blank
                            }
                        }
                        Ok(found) => fill(blank, &found, context),
                        Err(error) => ResponseAnswer {
                            reason: Some(reason_of(error)?),
                            ..blank
                        },
                    }
                }
            });
        }
    }
    let mut notes = Vec::new();
    let without_timeouts = |answer: &ResponseAnswer| {
        answer.window_pkt.is_some() && answer.loss_model != Some(LossModel::Correlated.name())
    };
    if loss.value() > TIMEOUTS_RULE && answers.iter().any(without_timeouts) {
        notes.push(format!("above p = {TIMEOUTS_RULE} retransmission timeouts rule; answers under periodic, random, mean-field or frozen losses leave them out and are too high"));
    }
    let query = ResponseQuery {
        verb: "response",
        law: law.into(),
        loss: loss.value(),
        rtt_s: context.rtt_s(),
        base_rtt_s: context.base_rtt_s(),
        packet_bytes: context.size.packet.value(),
        mss_bytes: context.size.mss.value(),
    };
    Ok(Envelope {
        notes,
        ..Envelope::new(query, answers)
    })
}

/// Loss rate above which a window law without timeouts is no longer a rate (RFC 3649 section 5 stops there).
const TIMEOUTS_RULE: f64 = 0.01;

/// Why a number has no value although the formula has one.
const OVERFLOW: &str = "the number is outside what double precision carries";

fn blank(road: &'static str, form: Option<&'static str>) -> ResponseAnswer {
    ResponseAnswer {
        road,
        form,
        loss_model: None,
        window_pkt: None,
        peak_pkt: None,
        rate_pps: None,
        rate_bps: None,
        goodput_bps: None,
        slope: None,
        rtt_exponent: None,
        ci: None,
        regime: None,
        source: None,
        note: None,
        reason: None,
    }
}

fn fill(mut answer: ResponseAnswer, found: &Response, context: &Context) -> ResponseAnswer {
    let window = found.window.value();
    let finite = |x: f64| x.is_finite().then_some(x);
    let rate = context.rtt_s().and_then(|rtt| finite(window / rtt));
    let bits = |bytes: f64| rate.and_then(|rate| finite(rate * bytes * 8.0));
    let mut missing = Vec::new();
    if context.rtt_s().is_none() {
        missing.push("no round trip given, so no rate");
    } else if bits(context.size.packet.value()).is_none() {
        missing.push(OVERFLOW);
    }
    if found.peak.is_none() {
        missing.push("the loss model has no single window before a loss");
    }
    if found.slope.is_none() {
        missing.push("slope and RTT exponent are not estimated on this road");
    }
    answer.window_pkt = Some(window);
    answer.peak_pkt = found.peak.map(Packets::value).and_then(finite);
    answer.rate_pps = rate;
    answer.rate_bps = bits(context.size.packet.value());
    answer.goodput_bps = bits(context.size.mss.value());
    answer.slope = found.slope;
    answer.rtt_exponent = found.rtt_exponent;
    answer.ci = found.ci.map(Packets::value);
    answer.regime = Some(found.regime.to_string());
    answer.source = Some(found.source.to_string());
    answer.note = found.note.as_ref().map(ToString::to_string);
    answer.reason = (!missing.is_empty()).then(|| missing.join("; "));
    answer
}
