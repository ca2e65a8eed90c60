//! What a question about shares is answered in.

use super::Contender;
use crate::analysis::fairness::jain;
use crate::analysis::rtt_unfairness::Equilibrium;
use crate::fluid::Summary;
use crate::what_if::PacketSize;
use serde::Serialize;

/// One flow's share.
#[derive(Debug, Clone, Serialize)]
pub struct ShareFlow {
    /// The law as text.
    pub law: String,
    /// Round trip without queues, seconds.
    pub rtt_s: f64,
    /// Bits per second delivered, on the wire.
    pub rate_bps: f64,
    /// Payload bits per second delivered.
    pub goodput_bps: f64,
    /// Share of what all flows get.
    pub share: f64,
    /// Packets per round trip, averaged over rounds.
    pub window_pkt: Option<f64>,
    /// Window just before a loss.
    pub peak_pkt: Option<f64>,
    /// Losses that it reacted to in the measured time of a run.
    pub loss_events: Option<u64>,
    /// Loss events per packet.
    pub loss: Option<f64>,
}

/// How fast the start is forgotten, for flows that are additive where they stand and lose all together.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ConvergenceAnswer {
    /// Factor by which a deviation shrinks from loss to loss.
    pub second_eigenvalue: f64,
    /// Losses until it is down to 5 %.
    pub losses_to_5_percent: f64,
    /// The same in seconds.
    pub seconds_to_5_percent: Option<f64>,
}

/// One road's answer. What has no value is `None`, and `reason` says why.
#[derive(Debug, Clone, Serialize)]
pub struct ShareAnswer {
    /// The road.
    pub road: &'static str,
    /// The closed form, if all flows have one of the same name.
    pub form: Option<String>,
    /// How losses hit the flows.
    pub losses: Option<String>,
    /// Flows in input order, counts expanded.
    pub flows: Option<Vec<ShareFlow>>,
    /// Jain's index of the rates; `None` where all are 0.
    pub jain: Option<f64>,
    /// Share of the capacity used.
    pub utilisation: Option<f64>,
    /// Mean queue over time.
    pub queue_mean_pkt: Option<f64>,
    /// Queue exceeded 5 % of the time.
    pub queue_p95_pkt: Option<f64>,
    /// Dropped of offered packets.
    pub drop_fraction: Option<f64>,
    /// Seconds from loss to loss.
    pub seconds_between_losses: Option<f64>,
    /// Buffer, packets: the one given, or the one that the wanted utilisation needs.
    pub buffer_pkt: Option<f64>,
    /// The same in products of capacity and mean base round trip.
    pub buffer_bdp: Option<f64>,
    /// How fast the start is forgotten.
    pub convergence: Option<ConvergenceAnswer>,
    /// Share of their rate that flows of standard TCP lose to the others, against standard TCP everywhere.
    pub standard_tcp_loses: Option<f64>,
    /// Where the flows lie in their closed forms, each regime once, in input order.
    pub regime: Option<String>,
    /// Reference keys and what is done with them.
    pub source: Option<String>,
    /// What a careful reader should know.
    pub note: Option<String>,
    /// Why something has no value.
    pub reason: Option<String>,
}

impl ShareAnswer {
    pub(super) fn blank(road: &'static str) -> Self {
        Self {
            road,
            form: None,
            losses: None,
            flows: None,
            jain: None,
            utilisation: None,
            queue_mean_pkt: None,
            queue_p95_pkt: None,
            drop_fraction: None,
            seconds_between_losses: None,
            buffer_pkt: None,
            buffer_bdp: None,
            convergence: None,
            standard_tcp_loses: None,
            regime: None,
            source: None,
            note: None,
            reason: None,
        }
    }

    /// Fills in what an equilibrium of kinds of flows says.
    pub(super) fn of_equilibrium(
        mut self,
        found: &Equilibrium,
        flows: &[Contender],
        size: PacketSize,
    ) -> Self {
        let finite = |x: f64| x.is_finite().then_some(x);
        let total: f64 = flows
            .iter()
            .zip(&found.parts)
            .map(|(flow, part)| flow.count as f64 * part.rate)
            .sum();
        let mut list = Vec::new();
        for (flow, part) in flows.iter().zip(&found.parts) {
            let one = ShareFlow {
                law: flow.law.spec(),
                rtt_s: flow.rtt_s,
                rate_bps: part.rate * 8.0 * size.packet.value(),
                goodput_bps: part.rate * 8.0 * size.mss.value(),
                share: part.rate / total,
                window_pkt: Some(part.window),
                peak_pkt: finite(part.peak),
                loss_events: None,
                loss: finite(part.loss),
            };
            list.extend(vec![one; flow.count]);
        }
        self.jain = jain(&list.iter().map(|f| f.rate_bps).collect::<Vec<_>>());
        self.flows = Some(list);
        self.utilisation = Some(found.utilisation);
        self.queue_mean_pkt = finite(found.queue_mean);
        self.queue_p95_pkt = finite(found.queue_p95);
        self.seconds_between_losses = finite(found.seconds);
        self
    }

    /// Fills in what a run says.
    pub(super) fn of_run(mut self, summary: &Summary, size: PacketSize) -> Self {
        let total: f64 = summary.flows.iter().map(|f| f.rate).sum();
        let list: Vec<ShareFlow> = summary
            .flows
            .iter()
            .map(|flow| ShareFlow {
                law: flow.label.clone(),
                rtt_s: flow.base_rtt,
                rate_bps: flow.rate * 8.0 * size.packet.value(),
                goodput_bps: flow.rate * 8.0 * size.mss.value(),
                share: if total > 0.0 { flow.rate / total } else { 0.0 },
                window_pkt: flow.window,
                peak_pkt: None,
                loss_events: Some(flow.loss_events),
                loss: (flow.sent > 0.0).then(|| flow.loss_events as f64 / flow.sent),
            })
            .collect();
        self.jain = jain(&list.iter().map(|f| f.rate_bps).collect::<Vec<_>>());
        self.flows = Some(list);
        if let Some(link) = summary.links.first() {
            self.utilisation = Some(link.utilisation);
            self.queue_mean_pkt = Some(link.queue_mean);
            self.queue_p95_pkt = Some(link.queue_p95);
            self.drop_fraction = Some(link.drop_fraction);
        }
        self
    }
}
