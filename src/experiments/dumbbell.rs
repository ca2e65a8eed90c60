//! One bottleneck and the flows over it.

use crate::algorithms::Selected;
use crate::error::Result;
use crate::fluid::{Begin, Flow, Losses, Observer, Run, Sample, Scenario, What};
use crate::model::WindowLaw;
use crate::network::{Link, parse_queue};
use crate::units::Bytes;
use std::sync::Arc;

/// The law that a specification names.
pub(super) fn law(spec: &str) -> Result<Arc<dyn WindowLaw>> {
    Ok(Arc::from(Selected::parse(spec)?.law()?))
}

/// A link with this queue, capacity (packets per second) and buffer (packets).
pub(super) fn link(queue: &str, capacity: f64, buffer: f64, packet: Bytes) -> Result<Link> {
    Ok(Link {
        name: "bottleneck".into(),
        capacity,
        buffer,
        delay: 0.0,
        initial_queue: 0.0,
        queue: parse_queue(queue, capacity, packet)?,
    })
}

/// A flow over the link, from time 0.
pub(super) fn flow(label: &str, law: &Arc<dyn WindowLaw>, rtt: f64, begin: Begin) -> Flow {
    Flow {
        begin,
        ..Flow::new(label, Arc::clone(law), vec![0], rtt)
    }
}

/// The run of these flows over the link, natural losses by overflow alone.
pub(super) fn dumbbell(link: Link, flows: Vec<Flow>, run: Run) -> Scenario {
    Scenario {
        links: vec![link],
        ..overflowing(flows, run)
    }
}

/// The same with the link doubled: each of `back` sends over the second link, and all acknowledgements, of so many packets each, cross
/// the link of the other direction.
pub(super) fn both_ways(
    link: Link,
    mut flows: Vec<Flow>,
    back: Vec<Flow>,
    ack_size: f64,
    run: Run,
) -> Scenario {
    let there = flows.len();
    flows.extend(back);
    for (k, flow) in flows.iter_mut().enumerate() {
        let (data, acks) = if k < there { (0, 1) } else { (1, 0) };
        (flow.path, flow.return_path) = (vec![data], vec![acks]);
        flow.ack_size = ack_size;
    }
    let other = Link {
        name: "way back".into(),
        ..link.clone()
    };
    Scenario {
        links: vec![link, other],
        ..overflowing(flows, run)
    }
}

/// Losses by overflow alone, over no link yet.
fn overflowing(flows: Vec<Flow>, run: Run) -> Scenario {
    Scenario {
        links: Vec::new(),
        flows,
        losses: Losses::default(),
        run,
    }
}

/// What is seen at equal distances in time.
#[derive(Debug, Clone, Default)]
pub struct Course {
    /// Seconds between two looks.
    pub every: f64,
    /// Seconds.
    pub times: Vec<f64>,
    /// Packets per second that the link serves.
    pub capacity: f64,
    /// Flows that are watched, counted from the first; `None` for all.
    pub watched: Option<usize>,
    /// What acknowledgements of the flows that are not watched take of the link, packets each.
    pub ack_size: f64,
    /// Packets per second that they take, for each time.
    pub acks: Vec<f64>,
    /// Packets per second sent by each flow, for each time.
    pub rates: Vec<Vec<f64>>,
    /// Packets waiting, for each time.
    pub queue: Vec<f64>,
    /// When a flow lost.
    pub losses: Vec<f64>,
}

impl Course {
    /// Looks every so many seconds at a link of this capacity.
    #[must_use]
    pub fn new(every: f64, capacity: f64) -> Self {
        Self {
            every,
            capacity,
            ..Self::default()
        }
    }

    /// What one flow gets through the link while it sends, in another unit.
    #[must_use]
    pub fn flow(&self, flow: usize, unit: f64) -> Vec<(f64, f64)> {
        let times = self.times.iter().zip(&self.rates).zip(&self.acks);
        let sending = times.filter(|((_, rates), _)| rates[flow] > 0.0);
        sending
            .map(|((t, rates), acks)| {
                let over = ((rates.iter().sum::<f64>() + acks) / self.capacity).max(1.0);
                (*t, rates[flow] / over * unit)
            })
            .collect()
    }

    /// The mean queue over intervals of `width` seconds, placed at their middles.
    #[must_use]
    pub fn mean_queue(&self, width: f64) -> Vec<(f64, f64)> {
        let mut bins: Vec<(f64, f64)> = Vec::new();
        for (time, queue) in self.times.iter().zip(&self.queue) {
            let bin = (time / width) as usize;
            bins.resize(bins.len().max(bin + 1), (0.0, 0.0));
            bins[bin].0 += queue;
            bins[bin].1 += 1.0;
        }
        (bins.into_iter().enumerate())
            .filter(|(_, (_, count))| *count > 1.0)
            .map(|(k, (sum, count))| ((k as f64 + 0.5) * width, sum / count))
            .collect()
    }

    /// What is carried, as a share of the capacity: all of it while packets wait.
    #[must_use]
    pub fn utilisation(&self) -> Vec<(f64, f64)> {
        let seen = self.times.iter().zip(&self.rates);
        (seen.zip(&self.acks).zip(&self.queue))
            .map(|(((t, rates), acks), queue)| {
                let load = (rates.iter().sum::<f64>() + acks) / self.capacity;
                // Less than a packet is a fluid's rounding of an empty queue.
                (*t, if *queue > 1.0 { 1.0 } else { load.min(1.0) })
            })
            .collect()
    }

    /// The queue over time.
    #[must_use]
    pub fn queue(&self) -> Vec<(f64, f64)> {
        let times = self.times.iter().copied();
        times.zip(self.queue.iter().copied()).collect()
    }

    /// Losses in intervals of `width` seconds, each counted for each flow; placed at the middle of the interval.
    #[must_use]
    pub fn losses(&self, width: f64, until: f64) -> Vec<(f64, f64)> {
        let count = (until / width).round() as usize;
        let mut bins = vec![0.0; count];
        for time in &self.losses {
            if let Some(bin) = bins.get_mut((time / width) as usize) {
                *bin += 1.0;
            }
        }
        let middle = |k: usize| (k as f64 + 0.5) * width;
        (bins.into_iter().enumerate())
            .map(|(k, n)| (middle(k), n))
            .collect()
    }
}

impl Observer for Course {
    fn every(&self) -> Option<f64> {
        Some(self.every)
    }
    fn wants_events(&self) -> bool {
        true
    }
    fn sample(&mut self, sample: &Sample<'_>) {
        self.times.push(sample.time);
        let watched = self.watched.unwrap_or(sample.rates.len());
        let (seen, others) = sample.rates.split_at(watched);
        self.rates.push(seen.to_vec());
        self.acks.push(self.ack_size * others.iter().sum::<f64>());
        self.queue.push(sample.queues[0]);
    }
    fn event(&mut self, event: &crate::fluid::Event) {
        if event.what == What::Loss && self.watched.is_none_or(|watched| event.whose < watched) {
            self.losses.push(event.time);
        }
    }
}
