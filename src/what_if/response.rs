//! What does a law get at a loss rate?

use super::timeouts::{TOO_HIGH, timeouts_note};
use super::{Chosen, Context, Envelope, LawName, PacketSize, Road, reason_of};
use crate::algorithms::Selected;
use crate::error::Result;
use crate::model::{Path, Response};
use crate::units::{LossRate, Packets, Seconds};
use serde::Serialize;
use std::borrow::Cow;

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
    pub regime: Option<Cow<'static, str>>,
    /// Reference key and equation.
    pub source: Option<Cow<'static, str>>,
    /// What a careful reader should know.
    pub note: Option<Cow<'static, str>>,
    /// Why something has no value.
    pub reason: Option<Cow<'static, str>>,
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
    Prepared::new(law, context)?.answer(loss, &context.path, &|_, ask| ask(), |answer| {
        answers.push(answer);
    })?;
    let answered = answers.iter().filter(|answer| answer.window_pkt.is_some());
    let models = answered.filter_map(|answer| answer.loss_model);
    let note = timeouts_note(models.map(|model| (loss.value(), model)), TOO_HIGH);
    let notes = note.into_iter().collect();
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

/// A law with its roads built, for many loss rates and paths: the answers are those of [`response`].
pub struct Prepared {
    chosen: Vec<(&'static Road, Chosen)>,
    size: PacketSize,
}

/// Whoever remembers answers of costly roads: gets the place of the road's function and how to ask it.
pub type Remember<'a> = dyn Fn(usize, &dyn Fn() -> Result<Response>) -> Result<Response> + 'a;

impl Prepared {
    /// Builds the roads of the context.
    ///
    /// # Errors
    /// An unknown form.
    pub fn new(law: &Selected, context: &Context) -> Result<Self> {
        let mut chosen = Vec::new();
        for road in &context.roads {
            chosen.extend(
                road.functions(law, context)?
                    .into_iter()
                    .map(|one| (*road, one)),
            );
        }
        Ok(Self {
            chosen,
            size: context.size,
        })
    }

    /// How many answers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether there is no road.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// Every answer in order; those of costly roads go through `remember`.
    ///
    /// # Errors
    /// A question that is wrong for this law, such as a missing round trip.
    pub fn answer(
        &self,
        loss: LossRate,
        path: &Path,
        remember: &Remember<'_>,
        mut each: impl FnMut(ResponseAnswer),
    ) -> Result<()> {
        for (at, (road, chosen)) in self.chosen.iter().enumerate() {
            let blank = blank(road.name, chosen.form);
            each(match &chosen.function {
                Err(reason) => ResponseAnswer {
                    reason: Some(reason.clone().into()),
                    ..blank
                },
                Ok(function) => {
                    let blank = ResponseAnswer {
                        loss_model: Some(function.loss_model().name()),
                        ..blank
                    };
                    let ask = || function.respond(loss, path);
                    let found = if road.costly {
                        remember(at, &ask)
                    } else {
                        ask()
                    };
                    match found {
                        Ok(found)
                            if !(found.window.value().is_finite()
                                && found.window.value() > 0.0) =>
                        {
                            ResponseAnswer {
                                reason: Some(OVERFLOW.into()),
                                ..blank
                            }
                        }
                        Ok(found) => fill(blank, found, path, self.size),
                        Err(error) => ResponseAnswer {
                            reason: Some(reason_of(error)?.into()),
                            ..blank
                        },
                    }
                }
            });
        }
        Ok(())
    }
}

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

fn fill(
    mut answer: ResponseAnswer,
    found: Response,
    path: &Path,
    size: PacketSize,
) -> ResponseAnswer {
    let window = found.window.value();
    let finite = |x: f64| x.is_finite().then_some(x);
    let rtt = path.rtt.map(Seconds::value);
    let rate = rtt.and_then(|rtt| finite(window / rtt));
    let bits = |bytes: f64| rate.and_then(|rate| finite(rate * bytes * 8.0));
    let mut missing = [None; 3];
    if rtt.is_none() {
        missing[0] = Some("no round trip given, so no rate");
    } else if bits(size.packet.value()).is_none() {
        missing[0] = Some(OVERFLOW);
    }
    if found.peak.is_none() {
        missing[1] = Some("the loss model has no single window before a loss");
    }
    if found.slope.is_none() {
        missing[2] = Some("slope and RTT exponent are not estimated on this road");
    }
    answer.window_pkt = Some(window);
    answer.peak_pkt = found.peak.map(Packets::value).and_then(finite);
    answer.rate_pps = rate;
    answer.rate_bps = bits(size.packet.value());
    answer.goodput_bps = bits(size.mss.value());
    answer.slope = found.slope;
    answer.rtt_exponent = found.rtt_exponent;
    answer.ci = found.ci.map(Packets::value);
    answer.regime = Some(found.regime);
    answer.source = Some(found.source);
    answer.note = found.note;
    answer.reason = missing.into_iter().flatten().fold(None, |all, one| {
        Some(all.map_or(Cow::Borrowed(one), |all| {
            Cow::Owned(format!("{all}; {one}"))
        }))
    });
    answer
}
