//! Which loss rate can a law bear at a given rate or window?

use super::timeouts::{TOO_HIGH, timeouts_note};
use super::{Context, Envelope, LawName, reason_of};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::units::{Packets, Rate};
use serde::Serialize;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// A rate on the wire.
    Rate(Rate),
    /// A rate of payload.
    Goodput(Rate),
    /// A mean window.
    Window(Packets),
}

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct LossQuery {
    /// `loss`.
    pub verb: &'static str,
    /// The law.
    #[serde(flatten)]
    pub law: LawName,
    /// Mean window asked for, packets.
    pub window_pkt: f64,
    /// Rate on the wire that it is, bits per second.
    pub rate_bps: Option<f64>,
    /// Rate of payload that it is, bits per second.
    pub goodput_bps: Option<f64>,
    /// Round trip, seconds.
    pub rtt_s: Option<f64>,
    /// Round trip without queues, seconds.
    pub base_rtt_s: Option<f64>,
    /// Packet on the wire, bytes.
    pub packet_bytes: f64,
    /// Payload of a packet, bytes.
    pub mss_bytes: f64,
}

/// One road's answer.
#[derive(Debug, Clone, Serialize)]
pub struct LossAnswer {
    /// The road.
    pub road: &'static str,
    /// The form.
    pub form: Option<&'static str>,
    /// The loss model.
    pub loss_model: Option<&'static str>,
    /// Loss events per packet.
    pub loss: Option<f64>,
    /// Rate of independent bit errors that loses as many packets, one to an event.
    pub bit_error_rate: Option<f64>,
    /// Mean window at that loss rate, packets.
    pub window_pkt: Option<f64>,
    /// 1/loss.
    pub packets_between_losses: Option<f64>,
    /// Seconds between loss events.
    pub seconds_between_losses: Option<f64>,
    /// Part of the formula, or phases of the law.
    pub regime: Option<String>,
    /// Reference key and equation.
    pub source: Option<String>,
    /// What a careful reader should know.
    pub note: Option<String>,
    /// Why something has no value.
    pub reason: Option<String>,
}

/// Asks every road of the context which loss rate gives a law the target.
///
/// # Errors
/// As [`super::response`], and [`Error::Arguments`] for a rate without a round trip.
pub fn loss(
    law: &Selected,
    target: Target,
    context: &Context,
) -> Result<Envelope<LossQuery, LossAnswer>> {
    let rtt = context.rtt_s();
    let window = match target {
        Target::Window(window) => window.value(),
        Target::Rate(rate) | Target::Goodput(rate) => {
            let Some(rtt) = rtt else {
                return Err(Error::Arguments("a rate needs a round trip to become a window: give one with --rtt, such as --rtt 100ms".into()));
            };
            let bytes = if matches!(target, Target::Rate(_)) {
                context.size.packet
            } else {
                context.size.mss
            };
            rate.packets_per_second(bytes).value() * rtt
        }
    };
    let mut answers = Vec::new();
    for road in &context.roads {
        for chosen in road.functions(law, context)? {
            let blank = LossAnswer {
                road: road.name,
                form: chosen.form,
                loss_model: None,
                loss: None,
                bit_error_rate: None,
                window_pkt: None,
                packets_between_losses: None,
                seconds_between_losses: None,
                regime: None,
                source: None,
                note: None,
                reason: None,
            };
            answers.push(match chosen.function {
                Err(reason) => LossAnswer {
                    reason: Some(reason),
                    ..blank
                },
                Ok(function) => {
                    let blank = LossAnswer {
                        loss_model: Some(function.loss_model().name()),
                        ..blank
                    };
                    let found = function
                        .loss_for(Packets::new(window), &context.path)
                        .and_then(|p| {
                            function
                                .respond(p, &context.path)
                                .map(|response| (p, response))
                        });
                    match found {
                        Ok((p, response)) => LossAnswer {
                            loss: Some(p.value()),
                            bit_error_rate: Some(p.bit_errors(context.size.packet)),
                            window_pkt: Some(response.window.value()),
                            packets_between_losses: Some(1.0 / p.value()),
                            seconds_between_losses: rtt
                                .map(|rtt| rtt / (p.value() * response.window.value())),
                            regime: Some(response.regime.to_string()),
                            source: Some(response.source.to_string()),
                            note: response.note.as_ref().map(ToString::to_string),
                            reason: rtt
                                .is_none()
                                .then(|| "no round trip given, so no time".into()),
                            ..blank
                        },
                        Err(error) => LossAnswer {
                            reason: Some(reason_of(error)?),
                            ..blank
                        },
                    }
                }
            });
        }
    }
    let bits = |bytes: f64| rtt.map(|rtt| window / rtt * bytes * 8.0);
    let query = LossQuery {
        verb: "loss",
        law: law.into(),
        window_pkt: window,
        rate_bps: bits(context.size.packet.value()),
        goodput_bps: bits(context.size.mss.value()),
        rtt_s: rtt,
        base_rtt_s: context.base_rtt_s(),
        packet_bytes: context.size.packet.value(),
        mss_bytes: context.size.mss.value(),
    };
    let borne = answers
        .iter()
        .filter_map(|a| Some((a.loss?, a.loss_model?)));
    let notes = timeouts_note(borne, TOO_HIGH).into_iter().collect();
    Ok(Envelope {
        notes,
        ..Envelope::new(query, answers)
    })
}
