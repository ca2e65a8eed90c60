//! Crossovers, margins and Nyquist's criterion of an open loop L(s), dead time included, negative feedback 1/(1 + L).
//!
//! L(iω) is walked along the frequencies in steps so short that neither its phase nor its size changes much, so that phases
//! are unwrapped without guessing. Stability is the principle of the argument: with `m` poles of L at zero and `P` to the right,
//! 1 + L has Z = m/2 + P − Φ/π zeros to the right, Φ the change of arg(1 + L) from ω = 0⁺ to ∞.

use super::Complex;
use super::root::brent;
use crate::error::{Error, Result};
use std::f64::consts::PI;

/// An open loop.
pub struct OpenLoop<'a> {
    /// L(s), delays included; L → 0 as s → i∞.
    pub transfer: &'a dyn Fn(Complex<f64>) -> Complex<f64>,
    /// The longest delay in it, s: its phase turns by this much for each rad/s.
    pub dead_time: f64,
    /// Poles to the right of the imaginary axis.
    pub unstable_poles: usize,
    /// Poles at zero.
    pub poles_at_zero: usize,
}

/// L at one frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Frequency, rad/s.
    pub omega: f64,
    /// |L|.
    pub gain: f64,
    /// arg L, continuous from ω = 0⁺, where it is at most π/2; rad.
    pub phase: f64,
}

/// What the loop bears.
#[derive(Debug, Clone, PartialEq)]
pub struct Margins {
    /// Whether the closed loop is stable.
    pub stable: bool,
    /// Roots of the closed loop to the right of the imaginary axis.
    pub unstable_roots: usize,
    /// Every place with |L| = 1.
    pub gain_crossovers: Vec<Place>,
    /// Every place with L negative real and |L| > [`SMALLEST`]; if no such place bounds the gain of a stable loop, those down to
    /// the first gain that does.
    pub phase_crossovers: Vec<Place>,
    /// Distance of the phase from −π, rad: at the crossover nearest to −π in a stable loop, at the one farthest beyond it (then
    /// negative) in an unstable one.
    pub phase_margin: Option<f64>,
    /// The nearest factor of the gain at which stability changes.
    pub gain_margin: Option<f64>,
    /// The smallest dead time that, added, makes a stable loop unstable, s; of an unstable loop with one crossover, minus the
    /// dead time that has to go.
    pub delay_margin: Option<f64>,
    /// Why a margin is missing, one sentence for each.
    pub reasons: Vec<String>,
}

/// Phase crossovers with less gain are left out, unless none with more bounds the gain.
pub const SMALLEST: f64 = 1e-3;

/// Smaller gains at which crossovers are looked for, one after the other, where none so far bounds the gain.
const SMALLER: [f64; 4] = [1e-4, 1e-5, 1e-6, 1e-7];

/// Turns of the dead time beyond which that search ends.
const FAR: f64 = 1e3;

/// Phase crossovers on either side of the present gain between which the verdict is asked for; beyond them a stable gain
/// has not been met in any loop whose gain falls with frequency.
const LOOKED_AT: usize = 8;

/// Turns of the dead time after which a walk is refused: with about ten steps a turn it would take minutes and gigabytes.
pub const LONGEST: f64 = 1e5;

const TURN: f64 = 0.6;
const DEEPEST: u32 = 46;

impl OpenLoop<'_> {
    fn at(&self, omega: f64) -> Complex<f64> {
        (self.transfer)(Complex::new(0.0, omega))
    }

    /// L from where only its poles at zero matter to where it is small for good, walked in short steps.
    ///
    /// # Errors
    /// [`Error::Numeric`] if it does not become small, or has no plain beginning; [`Error::NoAnswer`] if its dead time turns it
    /// too often before: a gain so large takes more steps than [`LONGEST`].
    pub fn walk(&self) -> Result<Vec<Place>> {
        self.walk_to(SMALLEST, LONGEST)
    }

    /// The same until L is below `smallest` for good, within `most` turns of the dead time.
    fn walk_to(&self, smallest: f64, most: f64) -> Result<Vec<Place>> {
        let (low, high) = self.span(smallest)?;
        let turns = high * self.dead_time / (2.0 * PI);
        if turns > most {
            return Err(Error::NoAnswer(format!(
                "the loop turns {turns:.1e} times around before its gain is small: Nyquist's curve is followed for at most {most:.0e} turns"
            )));
        }
        let coarse = ((high / low).log10() * 6.0).ceil() as usize + 1;
        let mut points = vec![(low, self.at(low))];
        for i in 1..=coarse {
            let omega = low * (high / low).powf(i as f64 / coarse as f64);
            let from = points[points.len() - 1];
            self.refine(from, (omega, self.at(omega)), 0, &mut points);
        }
        let first = points[0].1;
        let mut phase = first.arg();
        if phase > 0.5 * PI + 1e-6 {
            phase -= 2.0 * PI;
        }
        let mut before = first;
        Ok(points
            .into_iter()
            .map(|(omega, value)| {
                phase += (value / before).arg();
                before = value;
                Place {
                    omega,
                    gain: value.norm(),
                    phase,
                }
            })
            .collect())
    }

    /// Whether L vanishes at every frequency.
    fn is_open(&self) -> bool {
        let unit = if self.dead_time > 0.0 {
            1.0 / self.dead_time
        } else {
            1.0
        };
        [0.01, 0.37, 1.0, 3.1]
            .into_iter()
            .all(|share| self.at(share * unit).norm() == 0.0)
    }

    fn refine(
        &self,
        from: (f64, Complex<f64>),
        to: (f64, Complex<f64>),
        depth: u32,
        out: &mut Vec<(f64, Complex<f64>)>,
    ) {
        let ratio = to.1 / from.1;
        let short = (to.0 - from.0) * self.dead_time < TURN
            && ratio.arg().abs() < TURN
            && ratio.norm().ln().abs() < 0.6;
        if short || depth > DEEPEST || to.1.norm() == 0.0 || from.1.norm() == 0.0 {
            out.push(to);
            return;
        }
        let omega = (from.0 * to.0).sqrt();
        let middle = (omega, self.at(omega));
        self.refine(from, middle, depth + 1, out);
        self.refine(middle, to, depth + 1, out);
    }

    /// Frequencies below which only the poles at zero matter, and above which L is small.
    fn span(&self, smallest: f64) -> Result<(f64, f64)> {
        let lost = |detail: &str| Error::Numeric {
            method: "the walk along the frequencies",
            detail: detail.into(),
        };
        let start = if self.dead_time > 0.0 {
            1.0 / self.dead_time
        } else {
            1.0
        };
        let mut low = start;
        let tens = 10f64.ln();
        let mut calm = 0;
        for _ in 0..90 {
            low *= 0.1;
            let ratio = self.at(0.1 * low) / self.at(low);
            let slope = ratio.norm().ln() - self.poles_at_zero as f64 * tens;
            let large = self.poles_at_zero == 0 || self.at(low).norm() > 1e3;
            calm = if slope.abs() < 1e-4 && ratio.arg().abs() < 1e-4 && large {
                calm + 1
            } else {
                0
            };
            if calm == 2 {
                break;
            }
        }
        if calm < 2 {
            return Err(lost("the loop does not settle towards frequency zero"));
        }
        let mut high = start;
        let mut small = 0;
        for _ in 0..200 {
            high *= 1.5;
            let most = [1.0, 1.1, 1.23, 1.37]
                .into_iter()
                .map(|f| self.at(high * f).norm())
                .fold(0.0, f64::max);
            small = if most < smallest { small + 1 } else { 0 };
            if small == 6 {
                return Ok((low, high));
            }
        }
        Err(lost(
            "the loop's gain does not fall towards high frequencies",
        ))
    }

    /// Roots of 1 + k·L to the right of the imaginary axis, by the turns of 1 + k·L.
    fn unstable_roots(&self, walk: &[Place], k: f64) -> Result<usize> {
        let value = |omega: f64| Complex::new(1.0, 0.0) + self.at(omega) * k;
        let known = |place: &Place| {
            let value = Complex::from_polar(k * place.gain, place.phase);
            (place.omega, Complex::new(1.0, 0.0) + value)
        };
        let (Some(first), Some(last)) = (walk.first(), walk.last()) else {
            return Ok(0);
        };
        let mut turned = 0.0;
        for pair in walk.windows(2) {
            let [from, to] = pair else { continue };
            turned += turn(&value, known(from), known(to), 0)?;
        }
        // From the first place back to 0⁺ and from the last on to infinity, where 1 + kL is known.
        let end = -value(last.omega).arg();
        let begin = if self.poles_at_zero == 0 {
            0.0
        } else {
            // arg(1 + kL) tends to −mπ/2 there, and is nearly so already.
            let aim = -0.5 * PI * self.poles_at_zero as f64;
            let left = value(first.omega).arg() - aim;
            left - 2.0 * PI * (left / (2.0 * PI)).round()
        };
        let zeros = 0.5 * self.poles_at_zero as f64 + self.unstable_poles as f64
            - (turned + begin + end) / PI;
        let whole = zeros.round();
        if (zeros - whole).abs() > 0.05 || whole < 0.0 {
            return Err(Error::Numeric {
                method: "Nyquist's criterion",
                detail: format!("it counts {zeros:.3} roots to the right: a root on the axis"),
            });
        }
        Ok(whole as usize)
    }

    /// Crossovers, margins and the verdict.
    ///
    /// # Errors
    /// [`Error::Numeric`] if L does not become small towards high frequencies, or a root lies on the imaginary axis.
    ///
    /// ```
    /// use cwnd::numeric::{Complex, margins::OpenLoop};
    /// // e^(−s)/s: unit gain at 1 rad/s, phase −π/2 − ω, so that the gain may grow by π/2.
    /// let l = |s: Complex<f64>| (-s).exp() / s;
    /// let found = OpenLoop { transfer: &l, dead_time: 1.0, unstable_poles: 0, poles_at_zero: 1 }.margins()?;
    /// assert!(found.stable);
    /// assert!((found.phase_margin.unwrap() - (std::f64::consts::FRAC_PI_2 - 1.0)).abs() < 1e-12);
    /// assert!((found.gain_margin.unwrap() - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn margins(&self) -> Result<Margins> {
        if self.is_open() {
            let unstable_roots = self.unstable_poles;
            return Ok(Margins {
                stable: unstable_roots == 0 && self.poles_at_zero == 0,
                unstable_roots,
                gain_crossovers: Vec::new(),
                phase_crossovers: Vec::new(),
                phase_margin: None,
                gain_margin: None,
                delay_margin: None,
                reasons: vec!["no crossover: the gain is zero, and nothing is fed back".into()],
            });
        }
        let walk = self.walk()?;
        let gain_crossovers = self.gain_crossovers(&walk)?;
        let mut phase_crossovers = self.phase_crossovers(&walk, SMALLEST)?;
        let unstable_roots = self.unstable_roots(&walk, 1.0)?;
        let stable = unstable_roots == 0;
        let mut reasons = Vec::new();
        let phase_margin = phase_margin(&gain_crossovers, stable);
        if phase_margin.is_none() {
            reasons.push(
                if gain_crossovers.is_empty() {
                    "no crossover: the gain is never 1, so the phase and delay margins are infinite"
                } else {
                    "no phase margin: no crossover of this unstable loop lies beyond -180 degrees"
                }
                .to_owned(),
            );
        }
        let mut gain_margin = self.gain_margin(&walk, &phase_crossovers, stable)?;
        let mut looked_to = SMALLEST;
        if stable {
            for smallest in SMALLER {
                if gain_margin.is_some() {
                    break;
                }
                let Ok(farther) = self.walk_to(smallest, FAR) else {
                    break;
                };
                looked_to = smallest;
                let all = self.phase_crossovers(&farther, smallest)?;
                gain_margin = self.gain_margin(&farther, &all, stable)?;
                if gain_margin.is_some() {
                    phase_crossovers = all;
                }
            }
        }
        if gain_margin.is_none() {
            reasons.push(if stable {
                format!(
                    "no gain margin: stable at every smaller gain and at every greater one up to {:.0e} times this, as far as was looked",
                    1.0 / looked_to
                )
            } else {
                "no gain margin: unstable at every gain looked at".to_owned()
            });
        }
        let delay_margin = match (gain_crossovers.as_slice(), stable) {
            ([], _) => None,
            (all, true) => all
                .iter()
                .map(|place| (place.phase + PI).rem_euclid(2.0 * PI) / place.omega)
                .reduce(f64::min),
            ([one], false) => {
                let spare = (one.phase + PI) / one.omega;
                (spare < 0.0 && -spare <= self.dead_time).then_some(spare)
            }
            _ => None,
        };
        if delay_margin.is_none() && !gain_crossovers.is_empty() {
            reasons.push(
                "no delay margin: unstable without its dead time too, or with several crossovers"
                    .into(),
            );
        }
        Ok(Margins {
            stable,
            unstable_roots,
            gain_crossovers,
            phase_crossovers,
            phase_margin,
            gain_margin,
            delay_margin,
            reasons,
        })
    }

    /// Roots of the closed loop to the right of the imaginary axis, without the margins.
    ///
    /// # Errors
    /// As [`margins`](Self::margins).
    pub fn count(&self) -> Result<usize> {
        if self.is_open() {
            return Ok(self.unstable_poles + self.poles_at_zero);
        }
        self.unstable_roots(&self.walk()?, 1.0)
    }

    fn place(&self, omega: f64, near: &Place) -> Place {
        let value = self.at(omega);
        let turns = (near.phase - value.arg()) / (2.0 * PI);
        Place {
            omega,
            gain: value.norm(),
            phase: value.arg() + 2.0 * PI * turns.round(),
        }
    }

    fn gain_crossovers(&self, walk: &[Place]) -> Result<Vec<Place>> {
        let mut out = Vec::new();
        for pair in walk.windows(2) {
            let &[from, to] = pair else { continue };
            if (from.gain > 1.0) != (to.gain > 1.0) {
                let omega = brent(&|w| Ok(self.at(w).norm().ln()), from.omega, to.omega, 0.0)?;
                out.push(self.place(omega, &from));
            }
        }
        Ok(out)
    }

    fn phase_crossovers(&self, walk: &[Place], smallest: f64) -> Result<Vec<Place>> {
        let mut out = Vec::new();
        for pair in walk.windows(2) {
            let &[from, to] = pair else { continue };
            let turn = |phase: f64| (phase + PI) / (2.0 * PI);
            let (a, b) = (turn(from.phase), turn(to.phase));
            if a.floor() == b.floor() || from.gain.max(to.gain) < smallest {
                continue;
            }
            let level = 2.0 * PI * a.max(b).floor() - PI;
            let off = |w: f64| Ok(self.place(w, &from).phase - level);
            if (off(from.omega)? > 0.0) == (off(to.omega)? > 0.0) {
                continue;
            }
            out.push(self.place(brent(&off, from.omega, to.omega, 0.0)?, &from));
        }
        out.retain(|place| place.gain > smallest);
        Ok(out)
    }

    /// The factor nearest to 1 (in the logarithm) at which the verdict changes.
    fn gain_margin(
        &self,
        walk: &[Place],
        crossovers: &[Place],
        stable: bool,
    ) -> Result<Option<f64>> {
        let mut factors: Vec<f64> = crossovers.iter().map(|place| 1.0 / place.gain).collect();
        factors.sort_by(f64::total_cmp);
        let mut changes = Vec::new();
        // Upwards and downwards from 1, the verdict between two neighbours.
        let up: Vec<f64> = factors.iter().copied().filter(|k| *k > 1.0).collect();
        let down = factors.iter().rev().copied().filter(|k| *k <= 1.0);
        for side in [up, down.collect()] {
            for (i, factor) in side.iter().enumerate().take(LOOKED_AT) {
                let beyond = side.get(i + 1).map_or_else(
                    || {
                        if *factor > 1.0 {
                            factor * 1.5
                        } else {
                            factor / 1.5
                        }
                    },
                    |next| (factor * next).sqrt(),
                );
                if (self.unstable_roots(walk, beyond)? == 0) != stable {
                    changes.push(*factor);
                    break;
                }
            }
        }
        Ok(changes
            .into_iter()
            .min_by(|x, y| x.ln().abs().total_cmp(&y.ln().abs())))
    }
}

fn phase_margin(crossovers: &[Place], stable: bool) -> Option<f64> {
    let margins = crossovers.iter().map(|place| place.phase + PI);
    if stable {
        margins
            .map(|spare| spare - 2.0 * PI * (spare / (2.0 * PI)).round())
            .min_by(|x, y| x.abs().total_cmp(&y.abs()))
    } else {
        margins.reduce(f64::min).filter(|spare| *spare < 0.0)
    }
}

/// How far arg f turns between two frequencies.
fn turn(
    f: &dyn Fn(f64) -> Complex<f64>,
    from: (f64, Complex<f64>),
    to: (f64, Complex<f64>),
    depth: u32,
) -> Result<f64> {
    let angle = (to.1 / from.1).arg();
    if angle.abs() < 0.8 {
        return Ok(angle);
    }
    let omega = (from.0 * to.0).sqrt();
    if depth > DEEPEST || omega <= from.0 || omega >= to.0 || !angle.is_finite() {
        return Err(Error::Numeric {
            method: "Nyquist's criterion",
            detail: format!("the loop passes through -1 near {omega} rad/s"),
        });
    }
    let middle = (omega, f(omega));
    Ok(turn(f, from, middle, depth + 1)? + turn(f, middle, to, depth + 1)?)
}
