//! Losses as a continuous stream that acts on the mean window.

use super::live::Phase;
use super::system::System;
use super::view::View;
use crate::model::Cause as Why;
use crate::numeric::dde::History;

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
            if losses.acknowledged_growth && x[flow.at] > 0.0 {
                let sent = if delay == 0.0 {
                    view.rate[f]
                } else {
                    plan.past_rate(flow, t - delay, history)
                };
                dx[flow.at] *= (sent - intensity) * view.rtt[f] / x[flow.at];
            }
            if intensity > 0.0 {
                let places = flow.at..flow.at + flow.places;
                block.clear();
                block.extend_from_slice(&x[places.clone()]);
                let seen = self.feedback(f, x, view, Some((t, history)));
                law.decrease(block, &seen, Why::Loss);
                for (place, left) in places.zip(block.iter()) {
                    dx[place] += (left - x[place]) * intensity;
                }
            }
        }
    }
}
