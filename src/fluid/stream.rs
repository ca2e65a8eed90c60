//! Losses as a continuous stream that acts on the mean window.
//!
//! A rule that jumps at a window (a threshold below which the law is standard TCP, fast convergence at the last maximum) may pull towards it
//! from both sides; the exact solution (Filippov's) then stays there, and crossing after crossing would have to be located. Within
//! [`BAND`] of such a window what moves the state goes over from the rule of one side to that of the other in a straight line, so that it comes to
//! rest where they balance. Where the two sides do not oppose each other the jump stays one.

use super::live::Phase;
use super::system::System;
use super::view::View;
use crate::model::{Cause as Why, Feedback, WindowLaw};
use crate::numeric::dde::History;

/// Half the width, relative to the window, over which a rule that holds a window at its jump is spread. A held window errs by less; its
/// steps are about this times its packets, in round trips, so that a narrower band would cost in proportion.
const BAND: f64 = 1e-3;

/// Just below a window: by more than rounding, by less than matters.
const BELOW: f64 = 1.0 - 1e-12;

/// What a stream of losses is to one flow.
struct Stream<'a> {
    law: &'a dyn WindowLaw,
    seen: Feedback,
    /// Losses per second.
    intensity: f64,
    /// What clocks the growth of the window, of what it would be without losses.
    clock: f64,
}

impl Stream<'_> {
    /// Rates of change of the state whose window is `window`, else `x`.
    fn pull(&self, window: f64, x: &[f64]) -> Vec<f64> {
        let mut x = x.to_vec();
        x[0] = window;
        let mut rates = vec![0.0; x.len()];
        self.law.increase(&x, &self.seen, &mut rates);
        rates[0] *= self.clock;
        let mut left = x.clone();
        self.law.decrease(&mut left, &self.seen, Why::Loss);
        for ((rate, left), x) in rates.iter_mut().zip(left).zip(x) {
            *rate += (left - x) * self.intensity;
        }
        rates
    }

    /// The window number `k` at which the rule jumps, of the state `x` moved on at `rates` for a moment.
    fn jump_after(&self, k: usize, x: &[f64], rates: &[f64], moment: f64) -> f64 {
        let moved: Vec<f64> = x.iter().zip(rates).map(|(x, r)| x + moment * r).collect();
        let mut jumps = Vec::new();
        self.law.jumps(&moved, &mut jumps);
        jumps.get(k).copied().unwrap_or(f64::NAN)
    }

    /// Rates of change of a state near the jump number `k`, at the window `at`, if both sides pull towards it.
    fn held(&self, (k, at): (usize, f64), x: &[f64]) -> Option<Vec<f64>> {
        let below = self.pull(x[0].min(at * BELOW), x);
        let above = self.pull(x[0].max(at), x);
        let moment = 1e-3 * self.seen.rtt;
        let towards =
            |rates: &[f64]| rates[0] - (self.jump_after(k, x, rates, moment) - at) / moment;
        if !(towards(&below) > 0.0 && towards(&above) < 0.0) {
            return None;
        }
        let share = 0.5 + 0.5 * (x[0] - at) / (BAND * at);
        let blend = below.iter().zip(above).map(|(b, a)| b + share * (a - b));
        Some(blend.collect())
    }
}

impl System<'_> {
    /// Adds what a continuous stream of losses takes from the windows: the law's decrease times the rate of lost packets, one
    /// reaction delay ago. Where growth is counted on acknowledged packets, what was sent then and not lost clocks it.
    pub(super) fn stream(
        &self,
        t: f64,
        x: &[f64],
        history: &History<'_>,
        view: &View,
        block: &mut Vec<f64>,
        dx: &mut [f64],
    ) {
        let plan = self.plan;
        let losses = &self.scenario.losses;
        let mut jumps = Vec::new();
        for (f, (flow, live)) in plan.flows.iter().zip(&self.live.flows).enumerate() {
            let Some(law) = flow.law.as_ref().filter(|_| live.phase == Phase::Growing) else {
                continue;
            };
            let delay = losses.reaction.of(view.rtt[f]);
            let intensity = if delay == 0.0 {
                plan.loss_rate(f, x, view, true)
            } else {
                self.past_loss(f, t, delay, history)
            };
            let mut clock = 1.0;
            if losses.acknowledged_growth && x[flow.at] > 0.0 {
                let sent = if delay == 0.0 {
                    view.rate[f]
                } else {
                    plan.past_rate(flow, t - delay, history)
                };
                clock = (sent - intensity) * view.rtt[f] / x[flow.at];
                dx[flow.at] *= clock;
            }
            if intensity > 0.0 {
                let places = flow.at..flow.at + flow.places;
                let states = &x[places.clone()];
                let seen = self.feedback(f, x, view, Some((t, history)));
                jumps.clear();
                law.jumps(states, &mut jumps);
                let near = |at: f64| (states[0] - at).abs() < BAND * at;
                let mut close = jumps
                    .iter()
                    .copied()
                    .enumerate()
                    .filter(|(_, at)| near(*at));
                let stream = Stream {
                    law: law.as_ref(),
                    seen,
                    intensity,
                    clock,
                };
                if let Some(rates) = close.find_map(|jump| stream.held(jump, states)) {
                    dx[places].copy_from_slice(&rates);
                    continue;
                }
                block.clear();
                block.extend_from_slice(states);
                law.decrease(block, &stream.seen, Why::Loss);
                for (place, left) in places.zip(block.iter()) {
                    dx[place] += (left - x[place]) * intensity;
                }
            }
        }
    }
}
