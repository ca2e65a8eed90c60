//! Delays of a run that are constant, for the solver to end its steps at what they bring back.

use super::plan::Plan;

impl Plan {
    /// Delays with which a stream of losses that is reacted to after `reaction` acts: from what was sent, and from the links
    /// that took it.
    pub fn loss_lags(&self, reaction: f64) -> Vec<f64> {
        let hops = self.flows.iter().flat_map(|flow| &flow.hops);
        let mut lags: Vec<f64> = hops
            .map(|hop| reaction - hop.forward)
            .filter(|lag| *lag > 0.0)
            .chain([reaction])
            .collect();
        distinct(&mut lags);
        lags
    }

    /// Delays from senders to links, with the places they read and the places they drive.
    pub fn forward_lags(&self) -> Vec<(f64, std::ops::Range<usize>, usize)> {
        self.links
            .iter()
            .flat_map(|link| {
                let acks = link.acks.iter().map(|(f, d, _)| (*f, *d));
                (link.flows.iter().copied().chain(acks))
                    .filter(|(_, d)| *d > 0.0)
                    .map(|(f, d)| (d, self.flows[f].at..self.flows[f].at + 1, link.at))
            })
            .collect()
    }
}

/// Leaves one of each.
pub(super) fn distinct(lags: &mut Vec<f64>) {
    lags.sort_by(f64::total_cmp);
    lags.dedup_by(|a, b| (*a - *b).abs() <= 1e-12 * b.abs());
}
