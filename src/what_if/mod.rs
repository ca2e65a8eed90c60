//! A question and its answers as plain data: the same envelope for every verb, keys that carry their unit.

pub mod assertion;
mod crossover;
pub mod fit;
mod last_hop;
mod loss;
pub mod parallel;
mod response;
mod roads;
pub mod sharing;
mod simulate;
pub mod stability;
pub mod sweep;
pub mod throughput;
mod timeouts;
pub mod transfer;

pub use crossover::{CrossoverAnswer, CrossoverQuery, Interval, Meeting, crossover};
pub use last_hop::{HopOptions, HopRoad, LastHopAnswer, LastHopQuery, last_hop};
pub use loss::{LossAnswer, LossQuery, Target, loss};
pub use response::{Prepared, Remember, ResponseAnswer, ResponseQuery, response};
pub use roads::{Chosen, ROADS, Road, find_road};
pub use simulate::{
    FairAnswer, FlowAnswer, LinkAnswer, LinkName, SenderName, SimulateAnswer, SimulateQuery,
    Staged, fair, fair_note, simulate,
};

use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::{LossModel, Path, Setting};
use crate::responses::ack::Effort;
use crate::units::{Bytes, Seconds};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// Version of the envelope.
pub const SCHEMA: u32 = 1;

/// Headers between a packet on the wire and its payload, bytes (IPv4 and TCP without options).
pub const HEADERS: f64 = 40.0;

/// One question with its answers.
#[derive(Debug, Clone, Serialize)]
pub struct Envelope<Q, A> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What was asked, with every default filled in.
    pub query: Q,
    /// One answer for each road and form.
    pub answers: Vec<A>,
    /// What holds for the whole question.
    pub notes: Vec<String>,
}

impl<Q, A> Envelope<Q, A> {
    /// Wraps answers without notes.
    pub fn new(query: Q, answers: Vec<A>) -> Self {
        Self {
            schema: SCHEMA,
            query,
            answers,
            notes: Vec::new(),
        }
    }
}

/// A law as an answer names it.
#[derive(Debug, Clone, Serialize)]
pub struct LawName {
    /// Name of the algorithm.
    pub law: &'static str,
    /// Name of the preset.
    pub preset: &'static str,
    /// Every value by key.
    pub parameters: Values,
}

impl From<&Selected> for LawName {
    fn from(selected: &Selected) -> Self {
        Self {
            law: selected.algorithm.name(),
            preset: selected.setting.preset().name,
            parameters: Values(selected.setting.clone()),
        }
    }
}

/// Parameters as a map in declaration order; whole numbers as integers.
#[derive(Debug, Clone)]
pub struct Values(Setting);

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (parameter, value) in self.0.iter() {
            if value.fract() == 0.0 && value.abs() < 1e15 {
                map.serialize_entry(parameter.key, &(value as i64))?;
            } else {
                map.serialize_entry(parameter.key, &value)?;
            }
        }
        map.end()
    }
}

/// How much of a packet is payload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PacketSize {
    /// On the wire.
    pub packet: Bytes,
    /// Payload.
    pub mss: Bytes,
}

impl PacketSize {
    /// From the size on the wire.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] unless it is more than the headers.
    pub fn from_packet(packet: Bytes) -> Result<Self> {
        if packet.value() > HEADERS {
            Ok(Self {
                packet,
                mss: Bytes::new(packet.value() - HEADERS),
            })
        } else {
            Err(Error::out_of_range(
                "the packet size",
                packet,
                format!("more than the {HEADERS} B of headers"),
            ))
        }
    }

    /// From the payload.
    #[must_use]
    pub fn from_mss(mss: Bytes) -> Self {
        Self {
            packet: Bytes::new(mss.value() + HEADERS),
            mss,
        }
    }
}

impl Default for PacketSize {
    fn default() -> Self {
        Self {
            packet: Bytes::new(1500.0),
            mss: Bytes::new(1460.0),
        }
    }
}

/// What every verb about response functions needs besides the law and the number.
#[derive(Debug, Clone)]
pub struct Context {
    /// The path.
    pub path: Path,
    /// Packet and payload.
    pub size: PacketSize,
    /// Roads, in the order of their answers.
    pub roads: Vec<&'static Road>,
    /// A closed form by name; `all` for every one; `None` for the law's default.
    pub form: Option<String>,
    /// How losses arrive; `None` leaves it to the form, and periodic on the `ack` road.
    pub loss_model: Option<LossModel>,
    /// Precision, budget and seed of the roads that estimate.
    pub effort: Effort,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            path: Path::default(),
            size: PacketSize::default(),
            roads: ROADS.iter().filter(|road| road.default).collect(),
            form: None,
            loss_model: None,
            effort: Effort::default(),
        }
    }
}

/// Checks that at least one of the laws has the form.
///
/// # Errors
/// [`Error::Unknown`] with the forms of all of them.
pub fn check_form(form: Option<&str>, laws: &[&Selected]) -> Result<()> {
    let has =
        |law: &&Selected, name: &str| law.algorithm.forms().iter().any(|info| info.name == name);
    match form {
        Some(name) if name != "all" && !laws.iter().any(|law| has(law, name)) => {
            let mut names: Vec<&str> = laws
                .iter()
                .flat_map(|law| law.algorithm.forms())
                .map(|info| info.name)
                .collect();
            names.sort_unstable();
            names.dedup();
            names.push("all");
            Err(Error::unknown("form", name, names))
        }
        _ => Ok(()),
    }
}

impl Context {
    /// The same context for one of several laws: a form that it does not have is left to the laws that have it.
    #[must_use]
    pub fn for_law(&self, law: &Selected) -> Self {
        let mut own = self.clone();
        own.form = own.form.filter(|name| {
            name == "all" || law.algorithm.forms().iter().any(|info| info.name == name)
        });
        own
    }

    fn rtt_s(&self) -> Option<f64> {
        self.path.rtt.map(Seconds::value)
    }

    fn base_rtt_s(&self) -> Option<f64> {
        self.path.base_rtt.map(Seconds::value)
    }
}

/// Splits an error into "no answer here, because" and "the question is wrong".
fn reason_of(error: Error) -> Result<String> {
    match error {
        Error::NoAnswer(reason) => Ok(reason),
        Error::Numeric { .. } => Ok(error.to_string()),
        other => Err(other),
    }
}
