//! The verbs about flows that share one bottleneck.

mod args;
mod share;
mod unfairness;

pub(super) use args::{ShareArgs, UnfairnessArgs};
pub(super) use share::share;
pub(super) use unfairness::unfairness;

use super::args::RoadArgs;
use super::meaning;
use crate::error::Result;
use crate::fluid::Sync;
use crate::units::Seconds;
use crate::what_if::sharing::Pace;
use crate::what_if::{Context, PacketSize};
use args::ContestArgs;

/// The roads and how the road `fluid` runs.
fn contest(args: &ContestArgs, size: PacketSize) -> Result<(Context, Pace)> {
    let roads = RoadArgs {
        road: args.road.clone(),
        form: args.form.clone(),
        loss_model: args.loss_model.clone(),
        seed: args.seed.clone(),
        precision: "1%".into(),
        budget: args.budget.clone(),
    };
    let mut context = meaning::context(&roads, size)?;
    if args.road.split(',').any(|word| word.trim() == "all") {
        context.roads.retain(|road| road.name != "ack");
    }
    let time = |text: &Option<String>| -> Result<Option<f64>> {
        text.as_deref()
            .map(|text| Seconds::parse(text).map(Seconds::value))
            .transpose()
    };
    let pace = Pace {
        sync: Sync::parse(&args.sync)?,
        seed: context.effort.seed,
        duration_s: time(&args.duration)?,
        measure_from_s: time(&args.measure_from)?,
        budget: usize::try_from(context.effort.budget).unwrap_or(usize::MAX),
        ..Pace::default()
    };
    Ok((context, pace))
}
