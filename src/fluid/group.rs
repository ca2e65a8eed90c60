//! Flows that are evaluated side by side.

use super::plan::{FlowPlan, LinkPlan, at_once};
use crate::model::WindowLaw;
use std::ops::Range;
use std::sync::Arc;

/// Flows that follow each other, have one law, cross one link (or none) as their packets are sent and hear by the same links:
/// evaluated side by side.
pub(super) struct Group {
    pub flows: Range<usize>,
    /// Their blocks in the state.
    pub blocks: Range<usize>,
    pub places: usize,
    /// None: constant rates.
    pub law: Option<Arc<dyn WindowLaw>>,
    /// Place of the link; the place behind the last link stands for none.
    pub link: usize,
    /// Places of the links on the way back, and what of a packet an acknowledgement takes there.
    pub back: Vec<usize>,
    pub ack: f64,
    /// Whether this is all there is to say about their path: one link that meets packets as they are sent and treats
    /// all flows alike. Else a group is one flow.
    pub whole: bool,
    /// Whether they hear what travels with the packets.
    pub listens: bool,
}

/// Puts the flows into groups.
pub(super) fn groups(flows: &[FlowPlan], links: &[LinkPlan]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for flow in flows {
        let (link, whole) = match flow.hops.as_slice() {
            [] if at_once(&flow.back) => (links.len(), true),
            _ => match flow.only {
                Some(only) => (only, !links[only].reads_flows),
                None => (links.len(), false),
            },
        };
        if let Some(last) = groups.last_mut()
            && (whole && last.whole && link == last.link)
            && last
                .back
                .iter()
                .copied()
                .eq(flow.back.iter().map(|hop| hop.link))
            && (flow.back.is_empty() || last.ack == flow.ack)
            && match (&flow.law, &last.law) {
                (Some(a), Some(b)) => Arc::ptr_eq(a, b),
                (None, None) => true,
                _ => false,
            }
        {
            last.flows.end += 1;
            last.blocks.end += flow.places;
        } else {
            groups.push(Group {
                flows: flow.number..flow.number + 1,
                blocks: flow.at..flow.at + flow.places,
                places: flow.places,
                law: flow.law.clone(),
                link,
                back: flow.back.iter().map(|hop| hop.link).collect(),
                ack: flow.ack,
                whole,
                listens: flow.listens,
            });
        }
    }
    groups
}
