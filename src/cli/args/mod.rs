//! What was typed, checked for form only.

mod common;
mod lists;
mod loops;
#[cfg(feature = "plot")]
mod pictures;
mod questions;
#[cfg(feature = "files")]
mod simulation;
#[cfg(feature = "files")]
mod sweep;
mod transfer;

pub(in crate::cli) use common::{
    AssertArgs, Format, GlobalArgs, LossKindArgs, OutputArgs, PathArgs, RoadArgs, SizeArgs,
    ThreadArgs,
};
pub(in crate::cli) use lists::{CiteArgs, ExplainArgs, ListArgs, VerifyArgs};
pub(in crate::cli) use loops::StabilityArgs;
#[cfg(feature = "plot")]
pub(in crate::cli) use pictures::{FiguresArgs, FiguresOut, PlotArgs, ReproduceArgs};
pub(in crate::cli) use questions::{
    CrossoverArgs, FitArgs, LossArgs, ResponseArgs, ThroughputArgs,
};
#[cfg(feature = "files")]
pub(in crate::cli) use simulation::SimulateArgs;
#[cfg(feature = "files")]
pub(in crate::cli) use sweep::{MergeArgs, SweepArgs};
pub(in crate::cli) use transfer::TransferArgs;

use clap::{Parser, Subcommand};

/// Analytic TCP congestion-control models: one question, several independent roads to the answer.
#[derive(Parser)]
#[command(
    name = "cwnd",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub(in crate::cli) struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
    #[command(flatten)]
    pub global: GlobalArgs,
}

#[derive(Subcommand)]
pub(in crate::cli) enum Verb {
    /// What a law gets at a loss rate: window, rate, slope, by each road
    Response(ResponseArgs),
    /// The loss rate that a law can bear at a rate or window
    Loss(LossArgs),
    /// Each limit of a path, the active one and what would move it; backwards with --solve
    Throughput(ThroughputArgs),
    /// How long a transfer of some size takes: handshake, slow start, link, losses
    Transfer(TransferArgs),
    /// Where two response functions meet
    Crossover(CrossoverArgs),
    /// Whether a control loop is stable: margins, dominant root, a run; the paper's bound beside the exact one
    Stability(StabilityArgs),
    /// What a longer round trip costs: the exponent, the synchronised-loss ratio, a run
    Unfairness(super::sharing::UnfairnessArgs),
    /// Who gets what of one bottleneck, its utilisation and queue; the buffer for a utilisation
    Share(super::sharing::ShareArgs),
    /// What a flow loses and delivers over a slow last hop with a buffer of a few packets
    LastHop(super::last_hop::LastHopArgs),
    #[cfg(feature = "files")]
    /// Runs a scenario file through the fluid integrator: summary, trace, picture
    Simulate(SimulateArgs),
    #[cfg(feature = "files")]
    /// Any verb over a grid of its inputs, on all cores, resumable, to CSV, JSON lines or Parquet
    Sweep(SweepArgs),
    #[cfg(feature = "files")]
    /// Makes one file of the parts that the shares of a sweep have left
    Merge(MergeArgs),
    /// c and d of c/p^d from measured samples, and the nearest law
    Fit(FitArgs),
    /// Every law with its presets, forms and parameters
    Laws(ListArgs),
    /// Equations, symbols, ranges, known errors and sources of laws
    Explain(ExplainArgs),
    /// The works behind the keys that answers cite
    Cite(CiteArgs),
    #[cfg(feature = "plot")]
    /// A response plot of your own, measured points laid over it
    Plot(PlotArgs),
    #[cfg(feature = "plot")]
    /// Draws the papers' figures
    Figures(FiguresArgs),
    /// Runs the checks: expected with its source, got, difference, tolerance and its reason
    Verify(VerifyArgs),
    #[cfg(feature = "plot")]
    /// The main job: all figures, then all checks
    Reproduce(ReproduceArgs),
    /// Prints completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Prints the manual page, of the program or of a verb
    Man {
        /// The verb
        verb: Option<String>,
    },
}

/// Help of a flag that prints ready files of one kind.
#[cfg(feature = "files")]
fn ready(what: &str, examples: &[crate::files::Example]) -> String {
    let names: Vec<&str> = examples.iter().map(|example| example.name).collect();
    format!("Prints a ready {what} instead: {}", names.join(", "))
}
