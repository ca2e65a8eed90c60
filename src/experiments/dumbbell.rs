//! One bottleneck and the flows over it.

use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::fluid::{Begin, Flow, Losses, Observer, Run, Sample, Scenario, What};
use crate::model::WindowLaw;
use crate::network::{Link, parse_queue};
use crate::units::Bytes;
use std::sync::Arc;

/// The law that a specification names.
pub(super) fn law(spec: &str) -> Result<Arc<dyn WindowLaw>> {
    let selected = Selected::parse(spec)?;
    let law = selected.algorithm.law(&selected.setting);
    law.map(Arc::from)
        .ok_or_else(|| Error::NoAnswer(format!("`{spec}` is a formula, not a law")))
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
    /// Packets per second of each flow, for each time.
    pub rates: Vec<Vec<f64>>,
    /// Packets waiting, for each time.
    pub queue: Vec<f64>,
    /// When a flow lost.
    pub losses: Vec<f64>,
}

impl Course {
    /// Looks so often.
    #[must_use]
    pub fn every(seconds: f64) -> Self {
        Self {
            every: seconds,
            ..Self::default()
        }
    }

    /// The line of one flow's rate in another unit.
    #[must_use]
    pub fn flow(&self, flow: usize, unit: f64) -> Vec<(f64, f64)> {
        let times = self.times.iter().zip(&self.rates);
        times.map(|(t, rates)| (*t, rates[flow] * unit)).collect()
    }

    /// What is carried, as a share of the capacity: all of it while packets wait.
    #[must_use]
    pub fn utilisation(&self, capacity: f64) -> Vec<(f64, f64)> {
        (self.times.iter().zip(&self.rates).zip(&self.queue))
            .map(|((t, rates), queue)| {
                let load = rates.iter().sum::<f64>() / capacity;
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
        self.rates.push(sample.rates.to_vec());
        self.queue.push(sample.queues[0]);
    }
    fn event(&mut self, event: &crate::fluid::Event) {
        if event.what == What::Loss {
            self.losses.push(event.time);
        }
    }
}
