//! A transfer through the fluid integrator: slow start, link, losses as events. With losses, the mean of many seeded runs.

use super::{Job, Parts, cardwell, lossless};
use crate::error::{Error, Result};
use crate::fluid::{Begin, Event, Flow, Losses, Observer, Process, Run, Scenario, What, simulate};
use crate::fluid::{Lapse, Sample};
use crate::model::{Cause, Feedback, WindowLaw};
use crate::network::{DropTail, Link};
use crate::numeric::statistics::mean_with_interval;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;

/// Runs whose mean is taken.
pub(super) const RUNS: u64 = 64;
/// Windows of fewer packets have too few duplicate acknowledgements for a repair without a timeout.
const TIMEOUT_BELOW: f64 = 4.0;

/// When the flow had sent everything, when the link had served it, whether it lost anything, and whether that still waited for a
/// reaction.
#[derive(Default)]
struct Finish {
    end: Option<f64>,
    empty: f64,
    lost: bool,
    waits: bool,
}

impl Observer for Finish {
    fn wants_events(&self) -> bool {
        true
    }
    fn event(&mut self, event: &Event) {
        match event.what {
            What::End => self.end = Some(event.time),
            What::Empty => self.empty = event.time,
            What::Loss => (self.lost, self.waits) = (true, true),
            What::Reaction | What::Timeout => self.waits = false,
            _ => {}
        }
    }
    fn sample(&mut self, _sample: &Sample<'_>) {}
}

/// Seconds from the first packet of data to its last acknowledgement in one run, and what it met.
fn once(job: &Job, law: &Arc<dyn WindowLaw>, longest: f64, seed: u64) -> Result<(f64, Finish)> {
    let loss = job.loss.unwrap_or(0.0);
    let link = job.link.map(|capacity| Link {
        name: "link".into(),
        capacity,
        buffer: f64::INFINITY,
        delay: 0.0,
        initial_queue: 0.0,
        queue: Arc::new(DropTail),
    });
    let scenario = Scenario {
        flows: vec![Flow {
            // What is lost is sent again.
            size: Some(job.packets / (1.0 - loss)),
            receive_window: job.window,
            begin: Begin::SlowStart(job.first.min(job.window.unwrap_or(f64::INFINITY))),
            ..Flow::new(
                "transfer",
                Arc::clone(law),
                if link.is_some() { vec![0] } else { Vec::new() },
                job.rtt,
            )
        }],
        links: link.into_iter().collect(),
        losses: Losses {
            rate: loss,
            process: Process::Random,
            timeout_below: if job.probe { 0.0 } else { TIMEOUT_BELOW },
            rto: Lapse::seconds(job.rto),
            ..Losses::default()
        },
        run: Run {
            duration: longest,
            seed,
            tolerance: 1e-6,
            ..Run::default()
        },
    };
    let mut finish = Finish::default();
    simulate(&scenario, &mut finish)?;
    let end = finish.end.ok_or_else(|| {
        Error::NoAnswer(format!(
            "a run (seed {seed}) had not ended after {longest} s"
        ))
    })?;
    Ok((end.max(finish.empty) + job.rtt, finish))
}

/// What the runs say.
pub(super) struct Mean {
    /// The parts of the mean time.
    pub parts: Parts,
    /// Half-width of its 95 % interval, if losses make runs differ.
    pub half: Option<f64>,
    /// Why there is no interval.
    pub alike: Option<&'static str>,
    /// What the mean lacks.
    pub note: Option<String>,
}

/// Times that differ by less than this share of their mean differ by rounding.
const ALIKE: f64 = 1e-9;

/// Whether the law has growth between losses.
fn grows(law: &dyn WindowLaw, rtt: f64) -> bool {
    let mut x = vec![0.0; law.states().len()];
    let mut dx = x.clone();
    let seen = Feedback::quiet(rtt);
    law.settle(100.0, &mut x);
    law.decrease(&mut x, &seen, Cause::Loss);
    law.increase(&x, &seen, &mut dx);
    dx[0] > 0.0
}

/// The mean time.
pub(super) fn time(job: &Job, law: &Arc<dyn WindowLaw>, guess: f64, seed: u64) -> Result<Mean> {
    let own = law.ack_every();
    if job.ack_every != own {
        return Err(Error::NoAnswer(format!(
            "the integrator's slow start counts the law's own {own} packets for each acknowledgement: give --ack-every {own}"
        )));
    }
    if !grows(law.as_ref(), job.rtt) {
        return Err(Error::NoAnswer(
            "the law moves by its acknowledgements only: no growth between them to integrate"
                .into(),
        ));
    }
    let longest = 20.0 * guess + 200.0 * (job.rtt + job.rto);
    let runs = if job.loss.is_some() { RUNS } else { 1 };
    let (mut times, mut lost, mut late) = (Vec::new(), 0, 0);
    // Drawn, so that neighbouring seeds have no run in common.
    let mut seeds = Xoshiro256PlusPlus::seed_from_u64(seed);
    for _ in 0..runs {
        let (time, finish) = once(job, law, longest, seeds.random())?;
        times.push(time);
        lost += u64::from(finish.lost);
        late += u64::from(finish.waits);
    }
    let (mean, interval) = mean_with_interval(&times)?;
    let apart = times.iter().map(|t| (t - mean).abs()).fold(0.0, f64::max);
    let half = interval.filter(|_| apart > ALIKE * mean);
    let alike = match half {
        Some(_) => None,
        None if runs == 1 => Some("one run, so no interval"),
        None => Some("all runs took the same time, so no interval"),
    };
    let note = if runs == 1 {
        None
    } else if lost == 0 {
        let said = "met a loss: the mean lacks what a loss costs, see `cardwell`";
        Some(format!("none of the {runs} runs {said}"))
    } else {
        // A flow that has sent everything reacts no more.
        let said = "a loss came too late for a reaction: the mean lacks its repair, see `cardwell`";
        (late > 0).then(|| format!("in {late} of the {runs} runs {said}"))
    };
    let parts = Parts {
        handshake: cardwell::handshake(job)?,
        slow_start: mean,
        recovery: 0.0,
        steady: 0.0,
        acknowledgement: 0.0,
        slow_packets: job.packets,
        capped: false,
        rounds: None,
    };
    Ok(Mean {
        parts,
        half,
        alike,
        note,
    })
}

/// Seconds that a transfer may take at most, to begin with.
pub(super) fn guess(job: &Job) -> Result<f64> {
    let steady = match job.loss {
        Some(p) => cardwell::steady_rate(job, p),
        None => f64::INFINITY,
    };
    Ok(lossless::time(job)?.total() + cardwell::time(job, steady)?.total())
}
