//! What every road answers: a window for a loss rate, with its loss model, regime and source.

use super::{Feedback, STANDARD_TCP, WindowLaw};
use crate::error::{Error, Result};
use crate::numeric::root;
use crate::units::{LossRate, Packets, Seconds, significant};
use serde::Serialize;
use std::borrow::Cow;

/// How losses arrive. Constants differ between these models, and each is right under its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LossModel {
    /// One loss event every 1/p packets exactly.
    Periodic,
    /// Every packet is lost with probability p, independently.
    Random,
    /// Losses as a continuous stream that acts on the mean window.
    #[serde(rename = "mean-field")]
    MeanField,
    /// Losses of one round are one event (PFTK).
    Correlated,
    /// The law's parameters frozen at the mean window (RFC 3649's line).
    Frozen,
    /// All flows lose at the same moments.
    Synchronized,
}

impl LossModel {
    /// The word used on the command line and in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Periodic => "periodic",
            Self::Random => "random",
            Self::MeanField => "mean-field",
            Self::Correlated => "correlated",
            Self::Frozen => "frozen",
            Self::Synchronized => "synchronized",
        }
    }
}

/// What an algorithm answers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Price {
    /// Lost packets.
    Loss,
    /// Marked packets.
    Mark,
    /// Queueing delay.
    Delay,
    /// A router's explicit feedback.
    Explicit,
}

impl Price {
    /// What it is, in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Mark => "marks",
            Self::Delay => "delay",
            Self::Explicit => "a router's explicit feedback",
        }
    }

    /// Refuses a question about the response to a loss rate for what does not answer to loss.
    ///
    /// # Errors
    /// [`Error::NoAnswer`], saying what it answers to instead.
    pub fn must_be_loss(self) -> Result<()> {
        if self == Self::Loss {
            Ok(())
        } else {
            Err(Error::NoAnswer(format!(
                "answers to {}, not to loss: it has no response to p",
                self.name()
            )))
        }
    }
}

/// The path a response function is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Path {
    /// Round trip, queues included; `None` if the question has none.
    pub rtt: Option<Seconds>,
    /// Round trip without queues; `None` means equal to `rtt`.
    pub base_rtt: Option<Seconds>,
}

impl Path {
    /// A path with this round trip and no queue.
    #[must_use]
    pub const fn with_rtt(rtt: Seconds) -> Self {
        Self {
            rtt: Some(rtt),
            base_rtt: None,
        }
    }

    /// The round trip in seconds, for a formula that cannot do without.
    ///
    /// # Errors
    /// [`Error::Arguments`] if the path has none.
    pub fn rtt_seconds(&self) -> Result<f64> {
        self.rtt.map(Seconds::value).ok_or_else(|| {
            Error::Arguments("this law's window depends on the round trip: give one with --rtt, such as --rtt 100ms".into())
        })
    }

    /// What a sender on this path sees; a law that does not count seconds may go without a round trip.
    ///
    /// # Errors
    /// [`Error::Arguments`] if the law needs a round trip and the path has none.
    pub fn feedback(&self, law: &dyn WindowLaw) -> Result<Feedback> {
        let rtt = if law.needs_rtt() {
            self.rtt_seconds()?
        } else {
            self.rtt.map_or(1.0, Seconds::value)
        };
        let base_rtt = self.base_rtt.map_or(rtt, Seconds::value);
        Ok(Feedback {
            base_rtt,
            ..Feedback::quiet(rtt)
        })
    }
}

/// One road's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// Packets per round trip, averaged over rounds: (1/p)/N for an epoch of N rounds.
    pub window: Packets,
    /// The window just before a loss, where the loss model has one.
    pub peak: Option<Packets>,
    /// d = −∂ ln window/∂ ln p.
    pub slope: Option<f64>,
    /// e = ∂ ln window/∂ ln RTT.
    pub rtt_exponent: Option<f64>,
    /// Half-width of the 95 % confidence interval of the window, for an estimate.
    pub ci: Option<Packets>,
    /// The part of the formula or the phases of the law that the answer lies in.
    pub regime: Cow<'static, str>,
    /// Reference key and equation.
    pub source: Cow<'static, str>,
    /// What a careful reader should know about this number.
    pub note: Option<Cow<'static, str>>,
}

impl Response {
    /// A closed form's answer: exact slope and RTT exponent, no interval, no peak and no note.
    #[must_use]
    pub fn closed(
        window: f64,
        slope: f64,
        rtt_exponent: f64,
        regime: &'static str,
        source: &'static str,
    ) -> Self {
        Self {
            window: Packets::new(window),
            peak: None,
            slope: Some(slope),
            rtt_exponent: Some(rtt_exponent),
            ci: None,
            regime: regime.into(),
            source: source.into(),
            note: None,
        }
    }

    /// The same with the window just before a loss.
    #[must_use]
    pub fn with_peak(mut self, peak: f64) -> Self {
        self.peak = Some(Packets::new(peak));
        self
    }

    /// The same with a remark.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// What every road to a response implements.
pub trait ResponseFunction: Send + Sync {
    /// Name of the form; a law may have several closed forms.
    fn form(&self) -> &'static str;

    /// The loss model under which the answer holds.
    fn loss_model(&self) -> LossModel;

    /// The window at loss rate `p`.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] where the form does not hold, [`Error::Arguments`] if the path lacks a round trip that
    /// the law needs.
    fn respond(&self, p: LossRate, path: &Path) -> Result<Response>;

    /// The loss rate at which the mean window is `window`.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] if no loss rate gives that window, and whatever [`ResponseFunction::respond`] says.
    fn loss_for(&self, window: Packets, path: &Path) -> Result<LossRate> {
        invert(|p| self.respond(p, path).map(|r| r.window.value()), window)
    }
}

/// The larger of a law's own response and standard TCP's: how a response joins TCP at the crossing, so that it is
/// continuous and invertible. `low_window` is where the law itself turns to standard TCP; a note says when the answer's
/// peak lies on the other side of it.
#[must_use]
pub fn join(own: Response, p: f64, low_window: f64) -> Response {
    let standard = STANDARD_TCP.window(p);
    let ahead = (own.window.value() / standard).ln();
    let joined = if ahead >= 0.0 {
        own
    } else {
        Response::closed(standard, 0.5, 0.0, "standard TCP", "rfc5681 section 3.1")
            .with_peak(STANDARD_TCP.peak(p))
    };
    let peak = joined.peak.map_or(low_window, Packets::value);
    if ahead.abs() < 1e-9 {
        joined.with_note(
            "the law's response meets standard TCP's here: slope towards smaller loss rates",
        )
    } else if ahead < 0.0 && low_window > 0.0 && peak > low_window {
        joined.with_note(format!("joined with standard TCP at the crossing; the law itself leaves it at a window of {low_window} packets: see the road `epoch`"))
    } else if ahead > 0.0 && peak < low_window {
        joined.with_note(format!("below a window of {low_window} packets the law itself is standard TCP: see the road `epoch`"))
    } else {
        joined
    }
}

/// Smallest loss rate that an inverse looks at.
const LEAST_LOSS: f64 = 1e-40;
/// Largest loss rate that an inverse looks at.
const MOST_LOSS: f64 = 1.0 - 1e-9;

/// Inverts a response that falls with the loss rate, by bracketing and Brent's method in ln p.
///
/// # Errors
/// [`Error::NoAnswer`] if the window is not reached or is jumped over; errors of `window_at` pass through.
pub fn invert(window_at: impl Fn(LossRate) -> Result<f64>, window: Packets) -> Result<LossRate> {
    let target = window.value();
    if !(target > 0.0 && target.is_finite()) {
        return Err(Error::out_of_range(
            "the window",
            target,
            "more than 0 packets",
        ));
    }
    let excess =
        |ln_p: f64| -> Result<f64> { Ok((window_at(LossRate::new(ln_p.exp())?)? / target).ln()) };
    let (floor, ceiling) = (LEAST_LOSS.ln(), MOST_LOSS.ln());
    // Every response lies between 1/p^0.4 and 1/p; start from 1.5/W² and widen. A form may end before it falls to
    // this window, so a step out of its range is taken back and shortened.
    let mut start = (1.5f64.ln() - 2.0 * target.ln()).clamp(floor, ceiling);
    if matches!(excess(start), Err(Error::NoAnswer(_))) {
        // On the side of the gap on which the window is.
        let answered = |step: f64| {
            let places = (1..100).map(|k| f64::from(k).mul_add(step, start));
            let mut inside = places.take_while(|at| (floor..=ceiling).contains(at));
            inside.find_map(|at| excess(at).ok().map(|excess| (at, excess)))
        };
        start = match (answered(-1.0), answered(0.25)) {
            (_, Some((above, excess))) if excess >= 0.0 => above,
            (Some((below, _)), _) => below,
            _ => floor,
        };
    }
    let (mut low, mut high) = (start, start);
    let mut reach = 1.0;
    while low > floor && excess(low)? < 0.0 {
        (low, reach) = ((low - reach).max(floor), reach * 2.0);
    }
    let (mut reach, mut growth) = (1.0, 2.0);
    while high < ceiling && reach > 1e-9 && excess(high)? > 0.0 {
        let next = (high + reach).min(ceiling);
        match excess(next) {
            Ok(_) => (high, reach) = (next, reach * growth),
            Err(Error::NoAnswer(_)) => (reach, growth) = (reach / 4.0, 1.0),
            Err(other) => return Err(other),
        }
    }
    let nothing = || {
        Error::NoAnswer(format!(
            "no loss rate between {LEAST_LOSS:e} and 1 gives a window of {} packets",
            significant(target, 6)
        ))
    };
    if excess(low)? < 0.0 || excess(high)? > 0.0 {
        return Err(nothing());
    }
    let ln_p = root::brent(&excess, low, high, 0.0)?;
    if excess(ln_p)?.abs() > 1e-9 {
        return Err(Error::NoAnswer(format!(
            "no loss rate gives a window of {} packets: the response jumps over it at p = {:.6e}",
            significant(target, 6),
            ln_p.exp()
        )));
    }
    LossRate::new(ln_p.exp())
}
