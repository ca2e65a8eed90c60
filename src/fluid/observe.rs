//! What can be watched during a run without influencing it.

/// The state at one of the times asked for.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// Seconds.
    pub time: f64,
    /// Windows of the flows, packets; 0 while a flow does not send. A constant-rate flow shows its packets per round trip.
    pub windows: &'a [f64],
    /// Rates of the flows, packets per second.
    pub rates: &'a [f64],
    /// Queues of the links, packets.
    pub queues: &'a [f64],
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A flow begins.
    Start,
    /// A flow ends, stopped or complete.
    End,
    /// A flow loses a packet that it will react to.
    Loss,
    /// A flow reacts to a loss.
    Reaction,
    /// A flow reacts to a loss by a timeout.
    Timeout,
    /// A link's buffer is full.
    Full,
    /// A link's queue is empty.
    Empty,
}

impl What {
    /// The word in a trace.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::End => "end",
            Self::Loss => "loss",
            Self::Reaction => "reaction",
            Self::Timeout => "timeout",
            Self::Full => "full",
            Self::Empty => "empty",
        }
    }
}

/// One thing that happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// Seconds.
    pub time: f64,
    /// What.
    pub what: What,
    /// Place of the flow, or of the link for `Full` and `Empty`.
    pub whose: usize,
    /// The flow's window before it, packets; for a link its queue.
    pub before: f64,
    /// The flow's window after it, packets; for a link its queue.
    pub after: f64,
}

/// Somebody who watches a run. Every method has a default that does nothing.
pub trait Observer {
    /// Seconds between samples, if any are wanted.
    fn every(&self) -> Option<f64> {
        None
    }
    /// Whether events are wanted.
    fn wants_events(&self) -> bool {
        false
    }
    /// A sample.
    fn sample(&mut self, _sample: &Sample<'_>) {}
    /// An event; events come in order of time, after the samples before them.
    fn event(&mut self, _event: &Event) {}
    /// The time reached, now and then.
    fn progress(&mut self, _time: f64) {}
}

/// Nobody.
impl Observer for () {}
