//! Epochs along a short way in ln W as polynomials. Where no rule of the law comes in or drops out on the way, packets,
//! rounds and regimes are smooth in the peak W, and a few epochs, integrated at Chebyshev's points, give all in between to
//! the digits of the integration. A way on which a regime changes is cut where it changes; a way that stays rough down to
//! [`NARROWEST`] is left to shooting. What a piece is depends on its ends alone, never on what was asked before.

use super::{Cycle, Epoch};
use crate::error::{Error, Result};
use crate::model::Feedback;
use crate::numeric::chebyshev::{Series, points};
use crate::numeric::root;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Degrees tried, one after the other.
const DEGREES: [usize; 2] = [8, 16];
/// Size of what a polynomial may leave out of ln Y and ln N.
const CLOSE: f64 = 2e-13;
/// What it may leave out besides, in units of the epochs' blur: their own noise.
const BLURS: f64 = 4.0;
/// The same as [`CLOSE`] for their derivatives with respect to ln RTT, which are difference quotients.
const CLOSE_BY_RTT: f64 = 1e-8;
/// A rough way shorter than this in ln W is not divided further.
const NARROWEST: f64 = 2e-4;
/// Distance in ln W to which a change of regime is found.
const CUT: f64 = 1e-12;
/// Distance in ln W to which the largest peak that can be followed is found: every trial costs all steps.
const NEARLY: f64 = 1e-3;
/// Relative step of the difference quotients in the round trip.
const NUDGE: f64 = 1e-4;
/// d ln Y/d ln W from which on a way is taken to rise without a turn; 1 where rounds do not depend on the window, more else.
const STEEP: f64 = 0.9;
/// Places at which a polynomial's slope is looked at for turns.
const LOOKS: usize = 32;
/// An epoch's packets against those asked for: farther apart, Y(W) jumps and there is no solution.
const JUMPS: f64 = 1e-6;

/// The epoch at one peak.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// ln Y.
    pub packets: f64,
    /// ln N.
    rounds: f64,
    blur: f64,
    regimes: Vec<&'static str>,
}

impl From<Cycle> for Sample {
    fn from(cycle: Cycle) -> Self {
        Self {
            packets: cycle.packets.ln(),
            rounds: cycle.rounds.ln(),
            blur: cycle.blur,
            regimes: cycle.regimes,
        }
    }
}

/// A peak, with what is known about its epoch.
#[derive(Debug)]
pub(super) struct Point {
    pub ln_peak: f64,
    sample: OnceLock<Result<Sample>>,
    by_rtt: OnceLock<Result<(f64, f64)>>,
}

/// A law on a path, where all that follows is asked.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub epoch: &'a Epoch,
    pub seen: &'a Feedback,
}

/// One periodic solution.
pub(super) struct Solution {
    pub peak: f64,
    pub rounds: f64,
    /// d ln N/d ln Y.
    pub rounds_slope: f64,
    /// ∂ ln(Y/N)/∂ ln RTT at the same Y.
    pub rtt_exponent: f64,
    pub regime: Cow<'static, str>,
}

/// What is between two points.
#[derive(Debug)]
pub(super) enum Piece {
    Smooth(Smooth),
    /// Inner points, and the pieces between them and the ends.
    Cut(Vec<Point>, Vec<OnceLock<Piece>>),
    /// For shooting.
    Rough,
}

#[derive(Debug)]
pub(super) struct Smooth {
    packets: Series,
    rounds: Series,
    by_rtt: Option<(Series, Series)>,
    regime: Cow<'static, str>,
    /// Inner places on [−1, 1] where Y turns.
    turns: Vec<f64>,
}

impl Point {
    pub const fn new(ln_peak: f64) -> Self {
        Self {
            ln_peak,
            sample: OnceLock::new(),
            by_rtt: OnceLock::new(),
        }
    }

    pub fn sample(&self, at: Site<'_>) -> Result<&Sample> {
        let sample = self.sample.get_or_init(|| at.sample(self.ln_peak));
        sample.as_ref().map_err(Clone::clone)
    }

    fn by_rtt(&self, at: Site<'_>) -> Result<(f64, f64)> {
        let by_rtt = self.by_rtt.get_or_init(|| {
            let sample = self.sample(at)?;
            at.by_rtt(self.ln_peak, sample, true)
        });
        by_rtt.clone()
    }
}

fn regime(regimes: &[&'static str]) -> Cow<'static, str> {
    match regimes {
        [one] => (*one).into(),
        several => several.join(", then ").into(),
    }
}

impl Site<'_> {
    fn cycle(self, ln_peak: f64) -> Result<Cycle> {
        self.epoch.cycle(ln_peak.exp(), self.seen)
    }

    fn sample(self, ln_peak: f64) -> Result<Sample> {
        self.cycle(ln_peak).map(Sample::from)
    }

    /// ∂ ln Y/∂ ln RTT and ∂ ln N/∂ ln RTT at the same peak; within the same regimes if `within`, so one-sided beside a
    /// round trip at which they change.
    fn by_rtt(self, ln_peak: f64, here: &Sample, within: bool) -> Result<(f64, f64)> {
        if !self.epoch.law.needs_rtt() {
            return Ok((0.0, 0.0));
        }
        let at = |steps: f64| {
            let factor = (steps * NUDGE).exp();
            let seen = Feedback {
                rtt: self.seen.rtt * factor,
                base_rtt: self.seen.base_rtt * factor,
                ..*self.seen
            };
            let near = Site {
                seen: &seen,
                ..self
            };
            near.sample(ln_peak)
        };
        let like = |there: &Sample| !within || there.regimes == here.regimes;
        let (above, below) = (at(1.0)?, at(-1.0)?);
        let (sides, far) = match (like(&above), like(&below)) {
            (true, true) => {
                let slope = |f: fn(&Sample) -> f64| (f(&above) - f(&below)) / (2.0 * NUDGE);
                return Ok((slope(|s| s.packets), slope(|s| s.rounds)));
            }
            (true, false) => (1.0, above),
            (false, true) => (-1.0, below),
            (false, false) => {
                return Err(Error::NoAnswer(
                    "the law's regimes change with the round trip here".into(),
                ));
            }
        };
        let farther = at(2.0 * sides)?;
        let slope = |f: fn(&Sample) -> f64| {
            (4.0 * (f(&far) - f(here)) - (f(&farther) - f(here))) / (2.0 * sides * NUDGE)
        };
        Ok((slope(|s| s.packets), slope(|s| s.rounds)))
    }

    /// What lies between two peaks.
    fn piece(self, low: &Point, high: &Point) -> Piece {
        let way = high.ln_peak - low.ln_peak;
        let rough = |inner: Vec<Point>| {
            if way < NARROWEST || inner.is_empty() {
                return Piece::Rough;
            }
            let pieces = (0..=inner.len()).map(|_| OnceLock::new()).collect();
            Piece::Cut(inner, pieces)
        };
        let halves = || vec![Point::new(f64::midpoint(low.ln_peak, high.ln_peak))];
        let mut nodes: Vec<Point> = Vec::new();
        for degree in DEGREES {
            // The nodes so far are every other one of the new ones; the two ends stand outside the list.
            let mut old = std::mem::take(&mut nodes).into_iter();
            nodes.extend(
                points(degree)
                    .enumerate()
                    .skip(1)
                    .take(degree - 1)
                    .map(|(number, t)| {
                        let known = (number % 2 == 0).then(|| old.next()).flatten();
                        known.unwrap_or_else(|| Point::new(low.ln_peak + 0.5 * (1.0 + t) * way))
                    }),
            );
            let all = || {
                std::iter::once(high)
                    .chain(&nodes)
                    .chain(std::iter::once(low))
            };
            let samples: Result<Vec<&Sample>> = all().map(|point| point.sample(self)).collect();
            let Ok(samples) = samples else {
                return rough(halves());
            };
            let change = samples
                .windows(2)
                .position(|pair| pair[0].regimes != pair[1].regimes);
            if let Some(place) = change {
                let mut pair = all().skip(place);
                let ends = pair.next().zip(pair.next());
                return rough(ends.map_or_else(Vec::new, |(above, below)| self.cut(below, above)));
            }
            let values = |f: fn(&Sample) -> f64| {
                Series::through(&samples.iter().map(|s| f(s)).collect::<Vec<_>>())
            };
            let (packets, rounds) = (values(|s| s.packets), values(|s| s.rounds));
            let blur = samples.iter().map(|s| s.blur).fold(0.0, f64::max);
            if packets.tail().max(rounds.tail()) > CLOSE + BLURS * blur {
                continue;
            }
            let mut by_rtt = None;
            if self.epoch.law.needs_rtt() {
                let slopes: Result<Vec<_>> = all().map(|point| point.by_rtt(self)).collect();
                let Ok(slopes) = slopes else {
                    return rough(halves());
                };
                let series = |f: fn(&(f64, f64)) -> f64| {
                    Series::through(&slopes.iter().map(f).collect::<Vec<_>>())
                };
                let pair = (series(|s| s.0), series(|s| s.1));
                if pair.0.tail().max(pair.1.tail()) > CLOSE_BY_RTT {
                    continue;
                }
                by_rtt = Some(pair);
            }
            return Piece::Smooth(Smooth {
                turns: turns(&packets),
                packets,
                rounds,
                by_rtt,
                regime: regime(&samples[0].regimes),
            });
        }
        rough(halves())
    }

    /// The two peaks between which the regimes change.
    fn cut(self, below: &Point, above: &Point) -> Vec<Point> {
        let (mut low, mut high) = (below.ln_peak, above.ln_peak);
        let Ok(like) = below.sample(self) else {
            return Vec::new();
        };
        while high - low > CUT {
            let middle = f64::midpoint(low, high);
            match self.sample(middle) {
                Ok(sample) if sample.regimes == like.regimes => low = middle,
                Ok(_) => high = middle,
                Err(_) => return Vec::new(),
            }
        }
        vec![Point::new(low), Point::new(high)]
    }

    /// The smallest peak that has an epoch, between one that has none and one that has.
    pub fn edge(self, without: &Point, with: &Point) -> Point {
        let (mut low, mut high) = (without.ln_peak, with.ln_peak);
        while high - low > CUT {
            let middle = f64::midpoint(low, high);
            if self.sample(middle).is_ok() {
                high = middle;
            } else {
                low = middle;
            }
        }
        Point::new(high)
    }

    /// The largest peak, nearly, whose epoch can be followed to its end, between one whose can and one whose cannot.
    pub fn last(self, with: &Point, without: &Point) -> Point {
        let (mut low, mut high) = (with.ln_peak, without.ln_peak);
        while high - low > NEARLY {
            let middle = f64::midpoint(low, high);
            if self.sample(middle).is_ok() {
                low = middle;
            } else {
                high = middle;
            }
        }
        Point::new(low)
    }

    /// Appends the solutions of Y = `packets` between two points, the smallest window first. `piece` is what lies between.
    pub fn solve(
        self,
        packets: f64,
        (low, high): (&Point, &Point),
        piece: &OnceLock<Piece>,
        found: &mut Vec<Solution>,
    ) -> Result<()> {
        let target = packets.ln();
        let value = low.sample(self)?.packets - target;
        let then = high.sample(self)?.packets - target;
        let way = high.ln_peak - low.ln_peak;
        let may_turn = way > CUT && then - value < STEEP * way;
        if !changes_sign(value, then) && !may_turn {
            return Ok(());
        }
        match piece.get_or_init(|| self.piece(low, high)) {
            Piece::Smooth(smooth) => {
                let ends = (low.ln_peak, high.ln_peak);
                smooth.solutions(target, (value, then), ends, found);
            }
            Piece::Cut(inner, pieces) => {
                let all = || {
                    std::iter::once(low)
                        .chain(inner)
                        .chain(std::iter::once(high))
                };
                for ((low, high), piece) in all().zip(all().skip(1)).zip(pieces) {
                    self.solve(packets, (low, high), piece, found)?;
                }
            }
            Piece::Rough if changes_sign(value, then) => {
                found.extend(self.shoot(packets, low.ln_peak, high.ln_peak)?);
            }
            Piece::Rough => {}
        }
        Ok(())
    }

    /// The solution between two peaks by Brent's method on integrated epochs; `None` where Y(W) jumps over it.
    fn shoot(self, packets: f64, low: f64, high: f64) -> Result<Option<Solution>> {
        let excess = |ln_peak: f64| Ok((self.cycle(ln_peak)?.packets / packets).ln());
        let ln_peak = root::brent(&excess, low, high, 0.0)?;
        let cycle = self.cycle(ln_peak)?;
        if (cycle.packets / packets - 1.0).abs() >= JUMPS {
            return Ok(None);
        }
        let rounds_slope = self.epoch.rounds_slope(&cycle, self.seen)?;
        let (peak, rounds) = (cycle.peak, cycle.rounds);
        let sample = Sample::from(cycle);
        let (y, n) = self.by_rtt(ln_peak, &sample, false)?;
        Ok(Some(Solution {
            peak,
            rounds,
            rounds_slope,
            rtt_exponent: rounds_slope * y - n,
            regime: regime(&sample.regimes),
        }))
    }
}

/// A zero at the near end counts, one at the far end waits for the next way.
fn changes_sign(value: f64, then: f64) -> bool {
    (value <= 0.0 && then > 0.0) || (value >= 0.0 && then < 0.0)
}

/// Where the slope of a polynomial changes its sign inside [−1, 1].
fn turns(series: &Series) -> Vec<f64> {
    let slope = |t: f64| series.at(t).1;
    let looks: Vec<f64> = points(LOOKS).collect();
    let mut found = Vec::new();
    for pair in looks.windows(2).rev() {
        let (mut high, mut low) = (pair[0], pair[1]);
        let before = slope(low) > 0.0;
        if before == (slope(high) > 0.0) {
            continue;
        }
        while high - low > 1e-12 {
            let middle = f64::midpoint(low, high);
            if (slope(middle) > 0.0) == before {
                low = middle;
            } else {
                high = middle;
            }
        }
        found.push(low);
    }
    found
}

impl Smooth {
    /// The solutions of ln Y = `target` between `ends`, at which ln Y − target has these `values`.
    fn solutions(
        &self,
        target: f64,
        values: (f64, f64),
        ends: (f64, f64),
        found: &mut Vec<Solution>,
    ) {
        let (mut t, mut value) = (-1.0, values.0);
        let inner = self
            .turns
            .iter()
            .map(|&turn| (turn, self.packets.at(turn).0 - target));
        for (next, then) in inner.chain([(1.0, values.1)]) {
            if changes_sign(value, then) {
                found.push(self.solution(target, (t, value), (next, then), ends));
            }
            (t, value) = (next, then);
        }
    }

    /// The solution of ln Y = `target` by Newton's method in a bracket: places, and ln Y − target there.
    fn solution(
        &self,
        target: f64,
        (mut low, below): (f64, f64),
        (mut high, above): (f64, f64),
        ends: (f64, f64),
    ) -> Solution {
        let rising = above > below;
        let mut t = low + (high - low) * (below / (below - above));
        for _ in 0..60 {
            let (value, slope) = self.packets.at(t);
            let excess = value - target;
            if excess == 0.0 {
                break;
            }
            if (excess > 0.0) == rising {
                high = t;
            } else {
                low = t;
            }
            let mut next = t - excess / slope;
            if !(next > low && next < high) {
                next = f64::midpoint(low, high);
            }
            let settled = (next - t).abs() <= 2.0 * f64::EPSILON;
            t = next;
            if settled {
                break;
            }
        }
        let (rounds, rounds_rise) = self.rounds.at(t);
        let rounds_slope = rounds_rise / self.packets.at(t).1;
        let rtt_exponent = self
            .by_rtt
            .as_ref()
            .map_or(0.0, |(y, n)| rounds_slope * y.at(t).0 - n.at(t).0);
        Solution {
            peak: (ends.0 + 0.5 * (1.0 + t) * (ends.1 - ends.0)).exp(),
            rounds: rounds.exp(),
            rounds_slope,
            rtt_exponent,
            regime: self.regime.clone(),
        }
    }
}
