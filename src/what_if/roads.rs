//! The list of roads to a response function.

use super::Context;
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::fluid::{self, Settled, Start};
use crate::model::{LossModel, ResponseFunction};
use crate::responses::ack::Ack;
use crate::responses::epoch::Epoch;

/// One road: a way from a law to its response function.
pub struct Road {
    /// The word on the command line.
    pub name: &'static str,
    /// What it does, in one phrase.
    pub meaning: &'static str,
    /// Whether it is taken when none is named.
    pub default: bool,
    /// Whether its answer is cheap enough to be searched for roots.
    pub searchable: bool,
    /// Whether its answers, the same whatever the seed, take so long that they are worth remembering.
    pub costly: bool,
    build: fn(&Selected, &Context) -> Result<Vec<Chosen>>,
}

impl std::fmt::Debug for Road {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Road({})", self.name)
    }
}

/// What a road offers for a law: a response function, or the reason why there is none.
pub struct Chosen {
    /// Name of the form, `None` if there is none.
    pub form: Option<&'static str>,
    /// The function or the reason.
    pub function: std::result::Result<Box<dyn ResponseFunction>, String>,
}

impl Chosen {
    fn some(function: Box<dyn ResponseFunction>) -> Self {
        Self {
            form: Some(function.form()),
            function: Ok(function),
        }
    }

    fn none(reason: impl Into<String>) -> Vec<Self> {
        vec![Self {
            form: None,
            function: Err(reason.into()),
        }]
    }
}

/// Every road, in the order in which they are printed.
pub const ROADS: &[Road] = &[
    Road {
        name: "closed",
        meaning: "the formula printed in the paper",
        default: true,
        searchable: true,
        costly: false,
        build: closed,
    },
    Road {
        name: "epoch",
        meaning: "the law integrated from loss to loss, one loss every 1/p packets",
        default: true,
        searchable: true,
        costly: true,
        build: epoch,
    },
    Road {
        name: "ack",
        meaning: "the law one acknowledgement at a time, losses periodic or random",
        default: false,
        searchable: false,
        costly: false,
        build: ack,
    },
    Road {
        name: "fluid",
        meaning: "the law inside the fluid-flow integrator, on a bare path, losses periodic or random",
        default: false,
        searchable: false,
        costly: false,
        build: fluid,
    },
];

/// The road called `name`.
///
/// # Errors
/// [`Error::Unknown`] with the list.
pub fn find_road(name: &str) -> Result<&'static Road> {
    ROADS.iter().find(|road| road.name == name).ok_or_else(|| {
        Error::unknown(
            "road",
            name,
            ROADS.iter().map(|road| road.name).chain(["all"]),
        )
    })
}

impl Road {
    /// The response functions that this road offers for a law in a context.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a form that the law does not have.
    pub fn functions(&self, law: &Selected, context: &Context) -> Result<Vec<Chosen>> {
        (self.build)(law, context)
    }
}

fn closed(law: &Selected, context: &Context) -> Result<Vec<Chosen>> {
    let known = law.algorithm.forms();
    let mut forms = law.algorithm.closed(&law.setting);
    let preset = law.setting.preset().name;
    if let Err(error) = law.algorithm.price().must_be_loss() {
        return Ok(Chosen::none(super::reason_of(error)?));
    }
    if known.is_empty() {
        return Ok(Chosen::none("no closed form of this law is known"));
    }
    if forms.is_empty() {
        return Ok(Chosen::none(format!(
            "the preset `{preset}` has no closed form"
        )));
    }
    match context.form.as_deref() {
        None | Some("all") => {}
        Some(name) => {
            if !known.iter().any(|info| info.name == name) {
                return Err(Error::unknown(
                    "form",
                    name,
                    known.iter().map(|info| info.name).chain(["all"]),
                ));
            }
            forms.retain(|form| form.form() == name);
            if forms.is_empty() {
                return Ok(Chosen::none(format!(
                    "the form `{name}` does not exist under these parameters"
                )));
            }
        }
    }
    if let Some(model) = context.loss_model {
        forms.retain(|form| form.loss_model() == model);
        if forms.is_empty() {
            let have: Vec<String> = known
                .iter()
                .map(|info| format!("{} ({})", info.name, info.loss_model.name()))
                .collect();
            return Ok(Chosen::none(format!(
                "no such form under {} losses: there are {}",
                model.name(),
                have.join(", ")
            )));
        }
    }
    if context.form.is_none() {
        forms.truncate(1);
    }
    Ok(forms.into_iter().map(Chosen::some).collect())
}

const NOT_A_LAW: &str = "a formula, not a law: nothing to integrate";

fn epoch(law: &Selected, context: &Context) -> Result<Vec<Chosen>> {
    if context.loss_model == Some(LossModel::Random) {
        return Ok(Chosen::none(
            "this road is the law under periodic losses; for random losses use --road ack",
        ));
    }
    Ok(match law.algorithm.law(&law.setting) {
        None => Chosen::none(NOT_A_LAW),
        Some(window_law) => vec![Chosen::some(Box::new(Epoch::new(window_law)))],
    })
}

fn ack(law: &Selected, context: &Context) -> Result<Vec<Chosen>> {
    let losses = context.loss_model.unwrap_or(LossModel::Periodic);
    Ok(match law.algorithm.law(&law.setting) {
        None => Chosen::none(NOT_A_LAW),
        Some(window_law) => vec![Chosen::some(Box::new(Ack::new(
            window_law,
            losses,
            context.effort,
        )))],
    })
}

fn fluid(law: &Selected, context: &Context) -> Result<Vec<Chosen>> {
    let losses = context.loss_model.unwrap_or(LossModel::Periodic);
    let effort = fluid::Effort {
        precision: context.effort.precision,
        budget: context.effort.budget,
        seed: context.effort.seed,
        ..fluid::Effort::default()
    };
    Ok(match law.algorithm.law(&law.setting) {
        None => Chosen::none(NOT_A_LAW),
        Some(window_law) => vec![Chosen::some(Box::new(Settled::new(
            window_law.into(),
            losses,
            effort,
            Start::FixedPoint,
        )))],
    })
}
