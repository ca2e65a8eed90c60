//! A run as plain data: no input or output, no clock. Times in seconds, sizes in packets, rates in packets per second.

use super::lapse::Lapse;
use super::sync::Sync;
use crate::error::{Error, Result};
use crate::model::{Cause, Feedback, Price, WindowLaw};
use crate::network::{Link, route_and_back};
use std::sync::Arc;

/// Who sends, over what, losing how, for how long.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The links.
    pub links: Vec<Link>,
    /// The flows, in the order of the answers.
    pub flows: Vec<Flow>,
    /// How packets are lost and how senders take it.
    pub losses: Losses,
    /// How long, how exactly.
    pub run: Run,
}

/// What decides how much a flow sends.
#[derive(Clone)]
pub enum Sender {
    /// A window law.
    Law(Arc<dyn WindowLaw>),
    /// Packets per second, whatever happens.
    Constant(f64),
    /// From each of these times on (ascending) so many packets per second, whatever happens; before the first, those of the first.
    Changing(Arc<[(f64, f64)]>),
}

impl Sender {
    /// What traffic that does not answer sends at time `t`, packets per second.
    #[must_use]
    pub(super) fn rate_at(&self, t: f64) -> Option<f64> {
        match self {
            Self::Law(_) => None,
            Self::Constant(rate) => Some(*rate),
            Self::Changing(steps) => {
                let after = steps.partition_point(|(from, _)| *from <= t);
                steps.get(after.saturating_sub(1)).map(|(_, rate)| *rate)
            }
        }
    }
}

impl std::fmt::Debug for Sender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Law(law) => write!(f, "Law({})", law.source()),
            Self::Constant(rate) => write!(f, "Constant({rate})"),
            Self::Changing(steps) => write!(f, "Changing({} steps)", steps.len()),
        }
    }
}

/// How a flow begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Begin {
    /// In slow start, with this window.
    SlowStart(f64),
    /// In the law's own growth, with this window.
    Growing(f64),
    /// With what a loss leaves of this window, as in a steady state.
    AfterLoss(f64),
}

/// One flow.
#[derive(Debug, Clone)]
pub struct Flow {
    /// What answers call it.
    pub label: String,
    /// What decides how much it sends.
    pub sender: Sender,
    /// Places of its links in the list, in order; empty for a path of its own without a queue.
    pub path: Vec<usize>,
    /// Places of the links that its acknowledgements cross, in order; empty for a way back without a queue.
    pub return_path: Vec<usize>,
    /// What the acknowledgement of a packet takes of those links, in packets. Every packet sent is acknowledged, and a lost
    /// acknowledgement changes nothing: the next one says the same and more.
    pub ack_size: f64,
    /// Round trip without queues.
    pub base_rtt: f64,
    /// Delay on top of it that no link of the scenario makes: what the law sees as a standing queue elsewhere.
    pub standing_delay: f64,
    /// When it starts; minus infinity for a flow that has always been sending with its initial window.
    pub start: f64,
    /// When it stops, if before the end.
    pub stop: Option<f64>,
    /// Packets to bring over, if not endless: what is lost until the last one is sent is sent again.
    pub size: Option<f64>,
    /// The receiver's window, if it limits.
    pub receive_window: Option<f64>,
    /// How it begins.
    pub begin: Begin,
    /// Neither a decrease nor a law that shrinks of itself leaves a smaller window; `None` for that of the losses.
    pub least_window: Option<f64>,
}

impl Flow {
    /// Bytes of an acknowledgement: the headers of IP and TCP.
    pub const ACK_BYTES: f64 = 40.0;

    /// An endless flow of this law from time 0, in slow start from 10 packets.
    #[must_use]
    pub fn new(
        label: impl Into<String>,
        law: Arc<dyn WindowLaw>,
        path: Vec<usize>,
        base_rtt: f64,
    ) -> Self {
        Self {
            label: label.into(),
            sender: Sender::Law(law),
            path,
            return_path: Vec::new(),
            ack_size: Self::ACK_BYTES / 1500.0,
            base_rtt,
            standing_delay: 0.0,
            start: 0.0,
            stop: None,
            size: None,
            receive_window: None,
            begin: Begin::SlowStart(10.0),
            least_window: None,
        }
    }
}

/// How losses besides overflow arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Process {
    /// One every 1/rate packets of a flow, counted from the loss itself. Drops that a queue decides on are drawn all the same.
    Periodic,
    /// A point process with intensity probability × rate, from the seed.
    #[default]
    Random,
    /// A continuous stream: the window loses its decrease times the intensity.
    MeanField,
}

impl Process {
    /// The word in a scenario file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Periodic => "periodic",
            Self::Random => "random",
            Self::MeanField => "mean-field",
        }
    }
}

/// How packets are lost and how senders take it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Losses {
    /// Losses per packet besides those of the links, 0 for none. Loss events come with what is sent; of what the links let through
    /// this share is not delivered.
    pub rate: f64,
    /// How they arrive; with drops that a queue decides on it is the same, but that periodic losses leave those to chance.
    pub process: Process,
    /// Who loses when a buffer overflows.
    pub sync: Sync,
    /// From a loss to the sender's reaction.
    pub reaction: Lapse,
    /// From a loss that is reacted to until another one may be: losses between belong to the same event.
    pub refractory: Lapse,
    /// Time after a reaction in which the window stands still.
    pub recovery: Lapse,
    /// No decrease leaves a smaller window, nor does a law that shrinks of itself.
    pub least_window: f64,
    /// A loss at a smaller window is a timeout; 0 for none.
    pub timeout_below: f64,
    /// Silence after a timeout.
    pub rto: Lapse,
    /// Under [`Process::MeanField`]: growth is clocked by packets acknowledged, W' = x(t−R)(1 − p(t−R))/W for standard TCP (Kelly;
    /// Low and others 2002), instead of every packet sent, 1/R (Misra, Gong and Towsley 2000).
    pub acknowledged_growth: bool,
}

impl Default for Losses {
    fn default() -> Self {
        Self {
            rate: 0.0,
            process: Process::Random,
            sync: Sync::Natural,
            reaction: Lapse::rounds(1.0),
            refractory: Lapse::rounds(1.0),
            recovery: Lapse::NONE,
            least_window: 1.0,
            timeout_below: 0.0,
            rto: Lapse::rounds(4.0),
            acknowledged_growth: false,
        }
    }
}

/// The finest tolerance of a run: below it rounding is felt.
pub const FINEST: f64 = 1e-10;

/// How long a run lasts and how exact it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// Seconds.
    pub duration: f64,
    /// What happens before is not measured.
    pub measure_from: f64,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// What a summary may be off by, relative; a queue, relative to the packets under way. The errors of single steps are held a hundred
    /// times smaller. Runs that are sensitive themselves are off by more: drawn losses at queues that answer to them, a law that meets
    /// the capacity of a link where it stands still.
    pub tolerance: f64,
    /// Steps after which the run gives up.
    pub budget: usize,
    /// Equal parts of the measured time that Jain's index is given for.
    pub slices: usize,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            duration: 100.0,
            measure_from: 0.0,
            seed: 1,
            tolerance: 1e-6,
            budget: 20_000_000,
            slices: 10,
        }
    }
}

impl Run {
    /// Steps that a run of so many flows may take by default: a step costs the more the more flows there are.
    #[must_use]
    pub fn budget_for(flows: usize) -> usize {
        (2_000_000_000 / flows.max(1)).clamp(20_000, Self::default().budget)
    }
}

/// Flows beyond which a scenario is refused: their state alone would fill the memory of a large machine.
pub const MOST_FLOWS: usize = 1_000_000;

impl Scenario {
    /// Checks that the numbers make sense together.
    ///
    /// # Errors
    /// One sentence about what does not.
    pub fn check(&self) -> Result<()> {
        if self.flows.is_empty() || self.flows.len() > MOST_FLOWS {
            return Err(Error::out_of_range(
                "the number of flows",
                self.flows.len(),
                format!("1 to {MOST_FLOWS}"),
            ));
        }
        for link in &self.links {
            link.check()?;
        }
        for flow in &self.flows {
            self.check_flow(flow)?;
        }
        self.losses.check()?;
        self.run.check()
    }

    /// Checks one flow against the links, losses and duration.
    ///
    /// # Errors
    /// One sentence about what does not fit.
    pub fn check_flow(&self, flow: &Flow) -> Result<()> {
        flow.check(self.run.duration)?;
        route_and_back(&self.links, &flow.path, &flow.return_path, flow.base_rtt)?;
        if let Sender::Law(law) = &flow.sender
            && law.price() == Price::Explicit
            && !flow.path.iter().any(|l| self.links[*l].queue.explicit())
        {
            return Err(Error::Arguments(format!(
                "the law `{}` answers to a router's explicit feedback and no link on its path gives any: give one a queue that does",
                flow.label
            )));
        }
        let endless = flow.path.is_empty()
            && self.losses.rate == 0.0
            && flow.size.is_none()
            && flow.receive_window.is_none();
        if endless && matches!(flow.sender, Sender::Law(_)) {
            return Err(Error::Arguments(
                "nothing limits the flow: give it a link, a loss rate, a receive window or a size"
                    .into(),
            ));
        }
        Ok(())
    }
}

fn require(good: bool, what: &str, given: impl std::fmt::Display, allowed: &str) -> Result<()> {
    if good {
        Ok(())
    } else {
        Err(Error::out_of_range(what, given, allowed))
    }
}

impl Flow {
    fn check(&self, duration: f64) -> Result<()> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        require(
            self.start == f64::NEG_INFINITY || (0.0..duration).contains(&self.start),
            "a flow's start",
            format!("{} s", self.start),
            "0 or more, and before the end of the run",
        )?;
        require(
            self.ack_size >= 0.0 && self.ack_size.is_finite(),
            "the size of an acknowledgement",
            format!("{} packets", self.ack_size),
            "0 or more",
        )?;
        require(
            self.standing_delay >= 0.0 && self.standing_delay.is_finite(),
            "a flow's standing delay",
            format!("{} s", self.standing_delay),
            "0 or more",
        )?;
        let stop = self.stop.unwrap_or(f64::INFINITY);
        require(
            stop > self.start,
            "a flow's stop",
            format!("{stop} s"),
            "a time after its start",
        )?;
        let size = self.size.unwrap_or(1.0);
        require(
            positive(size),
            "a flow's size",
            format!("{size} packets"),
            "more than 0",
        )?;
        let (Begin::SlowStart(window) | Begin::Growing(window) | Begin::AfterLoss(window)) =
            self.begin;
        require(
            positive(window),
            "a flow's initial window",
            format!("{window} packets"),
            "more than 0",
        )?;
        let cap = self.receive_window.unwrap_or(f64::INFINITY);
        require(
            cap > 0.0,
            "a flow's receive window",
            format!("{cap} packets"),
            "more than 0",
        )?;
        let least = self.least_window.unwrap_or(0.0);
        require(
            least >= 0.0 && least.is_finite(),
            "a flow's least window",
            format!("{least} packets"),
            "0 or more",
        )?;
        if let Sender::Law(law) = &self.sender
            && law.price() == Price::Loss
        {
            // A law that stands still right after a loss has no growth between losses to integrate.
            let mut x = vec![0.0; law.states().len()];
            let mut dx = x.clone();
            let seen = Feedback::quiet(self.base_rtt.max(1e-9));
            law.settle(100.0, &mut x);
            law.decrease(&mut x, &seen, Cause::Loss);
            law.increase(&x, &seen, &mut dx);
            if !dx.first().is_some_and(|rate| *rate > 0.0) {
                return Err(Error::Arguments(format!(
                    "the law `{}` does not grow in a fluid: {}",
                    self.label,
                    match law.unsettled() {
                        Some(_) =>
                            "it is defined for each acknowledgement only, as `response --road ack` follows them",
                        None => "it has no increase between losses",
                    }
                )));
            }
        }
        if !matches!(self.sender, Sender::Law(_)) && self.receive_window.is_some() {
            return Err(Error::Arguments(format!(
                "`{}` does not answer and has no window: a receive window says nothing to it",
                self.label
            )));
        }
        match &self.sender {
            Sender::Law(_) => {}
            Sender::Constant(rate) => require(
                positive(*rate),
                "a constant rate",
                format!("{rate} packets/s"),
                "more than 0",
            )?,
            Sender::Changing(steps) => {
                let ascending = steps.windows(2).all(|pair| pair[0].0 < pair[1].0);
                let sane = |x: f64| x >= 0.0 && x.is_finite();
                let sane = steps
                    .iter()
                    .all(|(from, rate)| from.is_finite() && sane(*rate));
                require(
                    !steps.is_empty() && ascending && sane,
                    "a changing rate",
                    format!("{} steps", steps.len()),
                    "steps at ascending times, rates of 0 or more packets/s",
                )?;
            }
        }
        Ok(())
    }
}

impl Losses {
    /// The least window of a flow.
    pub(super) fn floor(&self, flow: &Flow) -> f64 {
        flow.least_window.unwrap_or(self.least_window)
    }

    fn check(&self) -> Result<()> {
        require(
            (0.0..1.0).contains(&self.rate),
            "the loss rate",
            self.rate,
            "0 or more and less than 1",
        )?;
        if let Sync::Share(share) = self.sync {
            require(
                share > 0.0 && share <= 1.0,
                "the share of flows that lose",
                share,
                "more than 0 and at most 1",
            )?;
        }
        self.reaction.check("the reaction delay")?;
        self.refractory.check("the refractory time")?;
        self.recovery.check("the time of recovery")?;
        self.rto.check("the retransmission timeout")?;
        if self.acknowledged_growth && self.process != Process::MeanField {
            return Err(Error::Arguments(format!(
                "growth on acknowledged packets is for the process `mean-field`, not `{}`: events take single packets",
                self.process.name()
            )));
        }
        let whole = |x: f64| x >= 0.0 && x.is_finite();
        require(
            whole(self.least_window),
            "the least window",
            self.least_window,
            "0 or more",
        )?;
        require(
            whole(self.timeout_below),
            "the window below which a loss is a timeout",
            self.timeout_below,
            "0 or more",
        )
    }
}

impl Run {
    fn check(&self) -> Result<()> {
        require(
            self.duration > 0.0 && self.duration.is_finite(),
            "the duration of the run",
            format!("{} s", self.duration),
            "more than 0",
        )?;
        require(
            (0.0..self.duration).contains(&self.measure_from),
            "the start of measuring",
            format!("{} s", self.measure_from),
            "0 or more, and before the end of the run",
        )?;
        require(
            (FINEST..=0.1).contains(&self.tolerance),
            "the tolerance",
            self.tolerance,
            &format!("{FINEST:e} to 0.1"),
        )?;
        require(
            (1..=1000).contains(&self.slices),
            "the number of slices",
            self.slices,
            "1 to 1000",
        )
    }
}
