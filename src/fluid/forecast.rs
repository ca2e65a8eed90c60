//! What a step holds between its ends: rates and loss intensities at the nodes of a quadrature, and the drawn losses
//! that follow from them.
//!
//! A drawn loss happens when the integral of a flow's loss intensity since its last loss reaches what was drawn. The integral
//! feeds nothing back, so it is no part of the state: a step is made first, and then searched for the losses in it. A loss that is
//! reacted to later changes nothing at its own time, and the step goes on.

use super::levels::{Ahead, reached};
use super::live::Live;
use super::plan::{Mode, Plan};
use super::view::View;
use crate::numeric::dde::{Foreseen, Piece};

/// Nodes and weights of Gauss's three-point rule on (0, 1): order 6, one more than the steps.
pub(super) const NODES: [f64; 3] = [0.112_701_665_379_258_3, 0.5, 0.887_298_334_620_741_7];
pub(super) const WEIGHTS: [f64; 3] = [5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0];
/// Gauss's nodes and both ends: a polynomial through these five has the same integral over the whole.
const KNOTS: [f64; 5] = [0.0, NODES[0], NODES[1], NODES[2], 1.0];

/// A loss that is expected in the present step: the flow's integrated intensity as a polynomial in the share of the step.
struct Expected {
    flow: usize,
    integral: [f64; 5],
}

#[derive(Default)]
pub(super) struct Forecast {
    from: f64,
    to: f64,
    states: [Vec<f64>; 3],
    pub views: [View; 3],
    /// The modes of the links in this step.
    modes: Vec<Mode>,
    /// The step that was searched.
    span: (f64, f64),
    /// Integrated loss intensities of the flows over `from..to`, if there are any losses.
    gains: Vec<f64>,
    losing: bool,
    expected: Vec<Expected>,
}

impl Forecast {
    /// Fills the views at the nodes between `a` and `b`.
    pub fn look(&mut self, plan: &Plan, piece: &Piece<'_>, a: f64, b: f64) {
        if self.from == a && self.to == b {
            return;
        }
        (self.from, self.to) = (a, b);
        let times = NODES.map(|node| a + node * (b - a));
        piece.fill_three(times, &mut self.states);
        for ((state, view), time) in self.states.iter().zip(&mut self.views).zip(times) {
            let history = piece.history(time);
            plan.look(state, Some(&self.modes), Some((time, &history)), view);
        }
    }

    /// States and views at the nodes.
    pub fn nodes(&self) -> impl Iterator<Item = (&[f64], &View)> {
        self.states.iter().map(Vec::as_slice).zip(&self.views)
    }

    /// The queue of a link at the nodes.
    pub fn at_nodes(&self, place: usize) -> [f64; 3] {
        self.states.each_ref().map(|state| state[place])
    }

    /// The intensities integrated over the views' span.
    fn integrate(&mut self, plan: &Plan) {
        let length = self.to - self.from;
        self.losing = plan.added() > 0.0
            || plan.links.iter().any(|link| link.reads_flows)
            || (self.views.iter()).any(|view| view.links.iter().any(|at| at.effect.drawn > 0.0));
        if !self.losing {
            return;
        }
        self.gains.resize(plan.flows.len(), 0.0);
        let [a, b, c] = &self.views;
        for group in &plan.groups {
            let range = group.flows.clone();
            let gains = &mut self.gains[range.clone()];
            if group.law.is_none() {
                gains.fill(0.0);
            } else if group.whole {
                let share =
                    |k: usize, view: &View| length * WEIGHTS[k] * plan.share_drawn(group, view);
                let (p, q, r) = (share(0, a), share(1, b), share(2, c));
                let rates = a.rate[range.clone()].iter().zip(&b.rate[range.clone()]);
                for (gain, ((a, b), c)) in gains.iter_mut().zip(rates.zip(&c.rate[range])) {
                    *gain = p * a + q * b + r * c;
                }
            } else {
                for (gain, f) in gains.iter_mut().zip(range) {
                    *gain = 0.0;
                    for ((state, view), weight) in self.states.iter().zip(&self.views).zip(WEIGHTS)
                    {
                        *gain += length * weight * plan.loss_rate(f, state, view, true);
                    }
                }
            }
        }
    }

    /// Searches the step for drawn losses.
    pub fn search(
        &mut self,
        plan: &Plan,
        live: &Live,
        piece: &Piece<'_>,
        ahead: &mut Foreseen<'_>,
    ) {
        let (from, to) = (piece.from(), piece.to());
        self.modes.clone_from(&live.modes);
        self.span = (from, to);
        self.expected.clear();
        self.from = f64::NAN;
        if !plan.draws {
            return;
        }
        self.look(plan, piece, from, to);
        self.integrate(plan);
        if !self.losing {
            return;
        }
        let chances = &live.chances;
        let mut found = Vec::new();
        for (f, (gain, left)) in self.gains.iter().zip(&chances.left).enumerate() {
            if gain >= left && chances.since[f] <= from && chances.till[f] == f64::INFINITY {
                found.push(f);
            }
        }
        if found.is_empty() {
            return;
        }
        // The intensities at both ends as well.
        let mut ends: [View; 2] = Default::default();
        let mut states = [self.states[0].clone(), self.states[0].clone()];
        piece.fill(0, from, &mut states[0]);
        piece.fill(0, to, &mut states[1]);
        for ((state, view), time) in states.iter().zip(&mut ends).zip([from, to]) {
            let history = piece.history(time);
            plan.look(state, Some(&self.modes), Some((time, &history)), view);
        }
        for f in found {
            let intensity =
                |state: &[f64], view: &View| (to - from) * plan.loss_rate(f, state, view, true);
            let inside = |k: usize| intensity(&self.states[k], &self.views[k]);
            let integral = integral([
                intensity(&states[0], &ends[0]),
                inside(0),
                inside(1),
                inside(2),
                intensity(&states[1], &ends[1]),
            ]);
            let share = reaches(&integral, live.chances.left[f], 0.0);
            self.expected.push(Expected { flow: f, integral });
            ahead.add(from + share * (to - from), Ahead::Drawn.tag(f));
        }
    }

    /// The integrated intensity of flow `f`, one of those that were expected to lose, from `a` to `b` in the step.
    pub fn between(&self, f: usize, a: f64, b: f64) -> f64 {
        let Some(integral) = self.of(f) else {
            return 0.0;
        };
        let share = |t: f64| (t - self.span.0) / (self.span.1 - self.span.0);
        polynomial(integral, share(b)) - polynomial(integral, share(a))
    }

    /// When the integrated intensity of flow `f` from `a` on is `left`, if it is in the step.
    pub fn next(&self, f: usize, a: f64, left: f64) -> Option<f64> {
        let integral = self.of(f)?;
        let (from, to) = self.span;
        let share = (a - from) / (to - from);
        let level = polynomial(integral, share) + left;
        (polynomial(integral, 1.0) >= level)
            .then(|| from + reaches(integral, level, share) * (to - from))
    }

    fn of(&self, f: usize) -> Option<&[f64; 5]> {
        let place = self.expected.binary_search_by_key(&f, |e| e.flow).ok()?;
        Some(&self.expected[place].integral)
    }

    /// What was integrated in `piece` is used up.
    pub fn settle(&mut self, plan: &Plan, live: &mut Live, piece: &Piece<'_>) {
        if !plan.draws {
            return;
        }
        let (from, to) = (piece.from(), piece.to());
        if self.from != from || self.to != to {
            self.look(plan, piece, from, to);
            self.integrate(plan);
        }
        if self.losing {
            let chances = &mut live.chances;
            let times = chances.since.iter().zip(&chances.till);
            for ((left, gain), (since, till)) in chances.left.iter_mut().zip(&self.gains).zip(times)
            {
                if *since <= from && *till >= to {
                    *left -= gain;
                }
            }
        }
    }
}

/// The integral from 0 of the polynomial through `values` at [`KNOTS`]: the coefficients of its powers from the first on.
fn integral(values: [f64; 5]) -> [f64; 5] {
    // Newton's divided differences, then multiplied out.
    let mut differences = values;
    for order in 1..5 {
        for k in (order..5).rev() {
            differences[k] = (differences[k] - differences[k - 1]) / (KNOTS[k] - KNOTS[k - order]);
        }
    }
    let mut powers = [0.0; 5];
    for k in (0..5).rev() {
        for j in (1..5).rev() {
            powers[j] = powers[j - 1] - KNOTS[k] * powers[j];
        }
        powers[0] = differences[k] - KNOTS[k] * powers[0];
    }
    let mut order = 0.0;
    powers.map(|power| {
        order += 1.0;
        power / order
    })
}

fn polynomial([a, b, c, d, e]: &[f64; 5], x: f64) -> f64 {
    x * (a + x * (b + x * (c + x * (d + x * e))))
}

/// Where the integral first is `level`, from `share` on; 1 if it just fails to get there.
fn reaches(integral: &[f64; 5], level: f64, share: f64) -> f64 {
    let miss = |x: f64| polynomial(integral, x) - level;
    reached(miss, share, 1.0, 4.0 * f64::EPSILON)
}
