//! Figure 5: two BIC flows and the modes in which their windows move.

use super::{PROTOCOLS, Router, Setup};
use crate::error::Result;
use crate::fluid::{Event, Observer, Sample, Scenario, What, simulate};

/// How a window grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Standard slow start, before the first loss.
    Opening,
    /// By Smax a round.
    Additive,
    /// By half the distance to the maximum a round.
    Search,
    /// Away from the maximum, by as much a round as it is away.
    SlowStart,
}

/// A stretch of one phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// Whose window.
    pub flow: usize,
    /// How it grows.
    pub phase: Phase,
    /// Seconds, from and to.
    pub span: (f64, f64),
    /// Packets in the middle.
    pub window: f64,
}

/// Windows over time and what they do.
#[derive(Debug, Clone, Default)]
pub struct ModeRun {
    /// Seconds.
    pub times: Vec<f64>,
    /// Packets.
    pub windows: [Vec<f64>; 2],
    /// Stretches in the order of their ends.
    pub stretches: Vec<Stretch>,
    /// Losses below the last maximum, which fast convergence lowers: time, flow and window.
    pub lowered: Vec<(f64, usize, f64)>,
    /// The maximum that each flow remembers.
    maximum: [Option<f64>; 2],
    /// Place in `times` where the present stretch of each flow began, and its phase.
    since: [Option<(usize, Phase)>; 2],
}

/// BIC's parameters as in the paper's simulations: Smax and the fraction removed.
const SMAX: f64 = 32.0;
const BETA: f64 = 0.125;

impl Observer for ModeRun {
    fn every(&self) -> Option<f64> {
        Some(0.1)
    }
    fn wants_events(&self) -> bool {
        true
    }
    fn sample(&mut self, sample: &Sample<'_>) {
        self.times.push(sample.time);
        for flow in 0..2 {
            let window = sample.windows[flow];
            self.windows[flow].push(window);
            let phase = match self.maximum[flow] {
                None => Phase::Opening,
                Some(maximum) if window < maximum - 2.0 * SMAX => Phase::Additive,
                Some(maximum) if window < maximum => Phase::Search,
                Some(maximum) if window < maximum + SMAX => Phase::SlowStart,
                Some(_) => Phase::Additive,
            };
            if self.since[flow].is_none_or(|(_, known)| known != phase) {
                self.finish(flow);
                self.since[flow] = (window > 0.0).then_some((self.times.len() - 1, phase));
            }
        }
    }
    fn event(&mut self, event: &Event) {
        if event.what != What::Reaction || event.whose > 1 {
            return;
        }
        let flow = event.whose;
        self.finish(flow);
        self.maximum[flow] = Some(match self.maximum[flow] {
            Some(maximum) if event.before < maximum => {
                self.lowered.push((event.time, flow, event.before));
                event.before * (2.0 - BETA) / 2.0
            }
            _ => event.before,
        });
    }
}

impl ModeRun {
    fn finish(&mut self, flow: usize) {
        if let Some((first, phase)) = self.since[flow].take() {
            let last = self.times.len() - 1;
            self.stretches.push(Stretch {
                flow,
                phase,
                span: (self.times[first], self.times[last]),
                window: self.windows[flow][first.midpoint(last)],
            });
        }
    }

    /// The longest stretch of `phase` that lies within `span`.
    #[must_use]
    pub fn longest(&self, phase: Phase, span: (f64, f64)) -> Option<Stretch> {
        let length = |stretch: &Stretch| stretch.span.1 - stretch.span.0;
        self.stretches
            .iter()
            .copied()
            .filter(|s| s.phase == phase && s.span.0 >= span.0 && s.span.1 <= span.1)
            .max_by(|one, other| length(one).total_cmp(&length(other)))
    }
}

/// Two BIC flows of 100 ms at 2.5 Gbit/s, drop tail, no background, the second 20 s after the first; 120 s.
///
/// # Errors
/// None.
pub fn scenario(seed: u64) -> Result<Scenario> {
    let setup = Setup {
        duration: 120.0,
        measure_from: 0.0,
        ..Setup::new(2.5e9, Router::DropTail).alone()
    };
    let flows = vec![PROTOCOLS[3].flow(0.1, 0.0)?, PROTOCOLS[3].flow(0.1, 20.0)?];
    setup.scenario(flows, seed)
}

/// Runs it.
///
/// # Errors
/// Those of the integrator.
pub fn modes(seed: u64) -> Result<ModeRun> {
    let mut run = ModeRun::default();
    simulate(&scenario(seed)?, &mut run)?;
    for flow in 0..2 {
        run.finish(flow);
    }
    Ok(run)
}
