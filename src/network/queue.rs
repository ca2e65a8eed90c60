//! What a queue is: it sees window, round trip and rate of the flows that cross it, keeps a state of its own, and gives
//! each flow its feedback. And the one grammar in which queues are written.

use super::{
    AdaptiveRed, ConstantLoss, DropTail, EasyRed, GentleRed, Pi, Pi2, Pie, Red, XcpRouter,
};
use crate::error::{Error, Result};
use crate::units::{Bytes, Seconds, Size, parse_number};
use std::fmt::Debug;
use std::sync::Arc;

/// What a packet of a flow carries past the queue.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Crossing {
    /// The flow's window, packets.
    pub window: f64,
    /// Its round trip, queues included, seconds.
    pub rtt: f64,
    /// Its rate at this link, packets per second.
    pub rate: f64,
    /// Its part where a router divides by weights; 0 for a flow that does not listen.
    pub weight: f64,
}

/// What a queue is in at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'a> {
    /// Packets per second served.
    pub capacity: f64,
    /// Packets it holds at most.
    pub buffer: f64,
    /// Packets waiting.
    pub queue: f64,
    /// Packets per second arriving.
    pub arrival: f64,
    /// The flows that cross it; empty unless the queue asks for them ([`Queue::reads_flows`]).
    pub flows: &'a [Crossing],
}

/// Whether a queue of this length leaves room in the buffer. A threshold that does not is never passed: what comes in there is
/// dropped because it does not fit. A full queue is met within 1e-9 packets of its end: a millionth of the buffer is farther.
pub(crate) fn leaves_room(queue: f64, buffer: f64) -> bool {
    queue < buffer * (1.0 - 1e-6)
}

/// What a queue tells one flow.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signal {
    /// Probability that a packet is dropped, apart from a full buffer.
    pub drop: f64,
    /// Probability that a packet is marked. A law hears of it as a share of its packets (the `marking` of its feedback), one
    /// return trip later; no single marks are drawn from it, so a law that reacts to events only does not answer to it.
    pub mark: f64,
    /// Explicit feedback, packets per second squared.
    pub explicit: f64,
}

/// A queue discipline. A full buffer drops what does not fit whatever the discipline says; that is the link's nature.
pub trait Queue: Debug + Send + Sync {
    /// Its name in the grammar.
    fn name(&self) -> &'static str;

    /// Names of its own state, besides the number of packets waiting.
    fn states(&self) -> &'static [&'static str] {
        &[]
    }

    /// Its own state at the start, with this many packets waiting.
    fn start(&self, _queue: f64, _own: &mut [f64]) {}

    /// Rates of change per second of its own state.
    fn evolve(&self, _own: &[f64], _now: &Situation<'_>, _rates: &mut [f64]) {}

    /// Whether [`Situation::flows`] must be filled in.
    fn reads_flows(&self) -> bool {
        false
    }

    /// What it tells the flow in place `flow` of [`Situation::flows`].
    fn signal(&self, own: &[f64], now: &Situation<'_>, flow: usize) -> Signal;

    /// What it tells every flow at all times, if it always tells the same.
    fn constant(&self) -> Option<Signal> {
        None
    }

    /// Whether it says something to senders that travels with the packets: marks or explicit feedback. A sender learns of
    /// it one return trip later, by [`Queue::signals`], for which [`Situation::flows`] is always filled in.
    fn carries(&self) -> bool {
        false
    }

    /// Whether what it says is explicit feedback.
    fn explicit(&self) -> bool {
        false
    }

    /// Appends what it tells each of [`Situation::flows`].
    fn signals(&self, own: &[f64], now: &Situation<'_>, out: &mut Vec<Signal>) {
        out.extend((0..now.flows.len()).map(|flow| self.signal(own, now, flow)));
    }

    /// Whether a dropped packet never enters the queue. Fluid models of RED commonly let the whole arrival rate in.
    fn drops_before_entering(&self) -> bool {
        true
    }

    /// The size below which values of its own states are as good as 0, in their order: what a tolerance means for them.
    fn scales(&self) -> Vec<f64> {
        vec![1.0; self.states().len()]
    }

    /// For a drop probability that jumps from 0 to p at a queue and keeps dropped packets out of it: that queue and p, in this
    /// state of its own, at a link that serves `capacity` packets per second. The link may then be held there.
    fn relay(&self, _own: &[f64], _capacity: f64) -> Option<(f64, f64)> {
        None
    }

    /// Appends quantities that pass through zero where `evolve` or `signal` changes its formula.
    fn switches(&self, _own: &[f64], _now: &Situation<'_>, _out: &mut Vec<f64>) {}
}

/// A value in the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A size, in packets once read.
    Packets,
    /// A time, in seconds once read.
    Time,
    /// A number.
    Number,
    /// 0 or 1.
    Switch,
}

/// One key of a kind of queue.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The word before the equals sign.
    pub name: &'static str,
    /// How its value is written.
    pub unit: Unit,
    /// What it is.
    pub meaning: &'static str,
}

/// Values by key, `None` where the default holds.
pub type Values<'a> = dyn Fn(&str) -> Option<f64> + 'a;

/// One kind of queue.
pub struct Kind {
    /// The word before the colon.
    pub name: &'static str,
    /// What it does, in one phrase.
    pub meaning: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// Makes it for a link with this capacity (packets per second).
    pub build: fn(values: &Values<'_>, capacity: f64) -> Result<Arc<dyn Queue>>,
}

/// Every kind of queue.
pub const KINDS: &[Kind] = &[
    DropTail::KIND,
    Red::KIND,
    GentleRed::KIND,
    AdaptiveRed::KIND,
    EasyRed::KIND,
    ConstantLoss::KIND,
    Pi::KIND,
    Pie::KIND,
    Pi2::KIND,
    XcpRouter::KIND,
];

/// Reads `KIND[:key=value,...]`, for a link with this capacity (packets per second) and packets of this size.
///
/// # Errors
/// An unknown kind or key with the nearest valid one, a value that is malformed or out of its range.
///
/// ```
/// use cwnd::{network::parse_queue, units::Bytes};
/// let red = parse_queue("red:min=30pkt,max=90pkt,max_p=0.1,weight=0.002,gentle=1", 8333.0, Bytes::new(1500.0))?;
/// assert_eq!(red.name(), "red");
/// assert!(parse_queue("red:mix=30pkt", 8333.0, Bytes::new(1500.0)).is_err());
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn parse_queue(spec: &str, capacity: f64, packet: Bytes) -> Result<Arc<dyn Queue>> {
    let (name, rest) = match spec.split_once(':') {
        Some((name, rest)) => (name, Some(rest)),
        None => (spec, None),
    };
    let name = name.trim();
    let kind = KINDS
        .iter()
        .find(|kind| kind.name == name)
        .ok_or_else(|| Error::unknown("queue", name, KINDS.iter().map(|kind| kind.name)))?;
    let mut given: Vec<(&'static str, f64)> = Vec::new();
    for pair in rest.into_iter().flat_map(|rest| rest.split(',')) {
        let Some((word, text)) = pair.split_once('=') else {
            return Err(Error::malformed(
                "queue parameter",
                pair,
                "key=value, such as max_p=0.1",
            ));
        };
        let word = word.trim();
        let key = kind
            .keys
            .iter()
            .find(|key| key.name == word)
            .ok_or_else(|| Error::unknown("key", word, kind.keys.iter().map(|key| key.name)))?;
        if given.iter().any(|(other, _)| *other == key.name) {
            return Err(Error::Arguments(format!(
                "the key `{word}` is given twice in `{spec}`: give it once"
            )));
        }
        given.push((key.name, value(key, text, packet)?));
    }
    (kind.build)(
        &|key| given.iter().find(|(k, _)| *k == key).map(|(_, v)| *v),
        capacity,
    )
}

fn value(key: &Key, text: &str, packet: Bytes) -> Result<f64> {
    match key.unit {
        Unit::Packets => Ok(Size::parse(text)?.packets(packet).value()),
        Unit::Time => Ok(Seconds::parse(text)?.value()),
        Unit::Number => parse_number("number", text),
        Unit::Switch => match text.trim() {
            "0" => Ok(0.0),
            "1" => Ok(1.0),
            _ => Err(Error::malformed("switch", text, "0 or 1")),
        },
    }
}

/// Refuses a value outside its range.
pub(super) fn within(key: &str, value: f64, good: bool, allowed: &str) -> Result<f64> {
    if good {
        Ok(value)
    } else {
        Err(Error::out_of_range(
            format!("the queue's `{key}`"),
            value,
            allowed,
        ))
    }
}
