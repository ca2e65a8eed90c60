//! Is a control loop stable, with which margins, and where does that end? By Nyquist's criterion, by the dominant root, and
//! by a run of the integrator.

mod answer;
mod sweep;

pub use answer::{ComplexRoot, Edge, StabilityAnswer};
pub use sweep::{Sweep, edges};

use super::{Envelope, Values};
use crate::error::{Error, Result};
use crate::systems::{Chosen, Group};
use serde::Serialize;

/// A road to the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Nyquist's criterion and the margins.
    Margin,
    /// The root farthest to the right.
    Root,
    /// The integrator.
    Fluid,
}

impl Way {
    /// Every road, in the order of the answers.
    pub const ALL: [Self; 3] = [Self::Margin, Self::Root, Self::Fluid];

    /// Its word on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Margin => "margin",
            Self::Root => "root",
            Self::Fluid => "fluid",
        }
    }

    /// Reads a comma list, or `all`; answers keep the order of [`ALL`](Self::ALL).
    ///
    /// # Errors
    /// [`Error::Unknown`] with the nearest road.
    pub fn parse(text: &str) -> Result<Vec<Self>> {
        if text.trim() == "all" {
            return Ok(Self::ALL.to_vec());
        }
        let mut asked = Vec::new();
        for word in text.split(',') {
            let names = Self::ALL.iter().map(|way| way.name()).chain(["all"]);
            let way = Self::ALL.iter().find(|way| way.name() == word.trim());
            asked.push(*way.ok_or_else(|| Error::unknown("road", word.trim(), names))?);
        }
        Ok(Self::ALL
            .into_iter()
            .filter(|way| asked.contains(way))
            .collect())
    }
}

/// How long the integrator may run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    /// Round trips of the first run.
    pub round_trips: f64,
    /// How often the run may be doubled while its halves disagree.
    pub doublings: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            round_trips: 200.0,
            doublings: 7,
        }
    }
}

/// One group of equal flows, as the query repeats it.
#[derive(Debug, Clone, Serialize)]
pub struct GroupAsked {
    /// Round trip without queues.
    pub base_rtt_s: f64,
    /// Packets kept in the queue.
    pub alpha_pkt: Option<f64>,
    /// Number of flows.
    pub count: f64,
}

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct StabilityQuery {
    /// `stability`.
    pub verb: &'static str,
    /// The loop.
    pub system: &'static str,
    /// The preset.
    pub preset: &'static str,
    /// The linearisation or link model.
    pub form: &'static str,
    /// Every value by key.
    pub parameters: Values,
    /// Flows that differ; `None` for equal ones.
    pub flows: Option<Vec<GroupAsked>>,
    /// Round trips of the integrator's first run.
    pub round_trips: f64,
    /// The parameter swept.
    pub sweep: Option<Sweep>,
}

/// Answers in the order of [`Way::ALL`].
///
/// # Errors
/// Values that do not go together; a swept parameter that the loop does not have, or that leaves its range.
///
/// ```
/// use cwnd::{systems::Chosen, what_if::stability::{Patience, Way, stability}};
/// let reply = stability(&Chosen::parse("xcp", None, &[])?, &[Way::Margin], None, &Patience::default())?;
/// // 12.6 degrees are all that the paper's pair leaves.
/// assert!((reply.answers[0].phase_margin_deg.unwrap() - 12.6249).abs() < 5e-5);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn stability(
    chosen: &Chosen,
    ways: &[Way],
    sweep: Option<&Sweep>,
    patience: &Patience,
) -> Result<Envelope<StabilityQuery, StabilityAnswer>> {
    let looped = chosen.build()?;
    let mut answers = Vec::new();
    let bound = answer::bounds(looped.as_ref());
    for way in ways {
        let mut answer = match way {
            Way::Margin => answer::margin(looped.as_ref()),
            Way::Root => answer::root(looped.as_ref()),
            Way::Fluid => answer::fluid(looped.as_ref(), patience),
        };
        answer.road = way.name();
        answer.form = chosen.form.name;
        answer.source = Some(chosen.form.source);
        answer.bound = bound.clone();
        answer.equilibrium = looped.equilibrium();
        if sweep.is_none() {
            answer.add_reason("no --sweep given, so no boundaries");
        }
        if let Some(sweep) = sweep {
            match edges(chosen, *way, sweep, patience) {
                Ok(found) => {
                    if found.is_empty() {
                        answer.add_reason(&format!(
                            "no boundary: stability does not change between {} = {} and {}",
                            sweep.parameter, sweep.from, sweep.to
                        ));
                    }
                    answer.boundaries = Some(found);
                }
                Err(error) => answer.add_reason(&super::reason_of(error)?),
            }
        }
        answers.push(answer);
    }
    let mut out = Envelope::new(query(chosen, sweep, patience), answers);
    out.notes = looped.notes();
    if let Some(note) = chosen.setting.preset().note {
        out.notes
            .push(format!("preset {}: {note}", chosen.setting.preset().name));
    }
    Ok(out)
}

fn query(chosen: &Chosen, sweep: Option<&Sweep>, patience: &Patience) -> StabilityQuery {
    let group = |g: &Group| GroupAsked {
        base_rtt_s: g.base_rtt,
        alpha_pkt: g.alpha,
        count: g.count,
    };
    StabilityQuery {
        verb: "stability",
        system: chosen.system.name(),
        preset: chosen.setting.preset().name,
        form: chosen.form.name,
        parameters: Values(chosen.setting.clone()),
        flows: (!chosen.groups.is_empty()).then(|| chosen.groups.iter().map(group).collect()),
        round_trips: patience.round_trips,
        sweep: sweep.cloned(),
    }
}
