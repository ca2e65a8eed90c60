//! Flags of the verbs that run scenario files.

use super::{AssertArgs, OutputArgs, ready};
use crate::files::EXAMPLES;
use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct SimulateArgs {
    /// Scenario file; `-` is standard input; text of several lines is the scenario itself
    #[arg(
        value_name = "SCENARIO.toml",
        required_unless_present = "example",
        conflicts_with = "example"
    )]
    pub scenario: Option<String>,
    #[arg(long, value_name = "NAME", help = ready("scenario", EXAMPLES))]
    pub example: Option<String>,
    /// File for windows and queues over time; whatever ends the run early, no part of it stays (only a SIGKILL during a last copy, on systems that cannot name a file later, as Linux can, leaves OUT.csv.PID.part)
    #[arg(long, value_name = "OUT.csv", allow_hyphen_values = true)]
    pub trace: Option<String>,
    /// Time between the rows of the trace, or `events` for a row at every event (a thousandth of the run unless given)
    #[arg(
        long,
        value_name = "TIME",
        requires = "trace",
        allow_hyphen_values = true
    )]
    pub sample: Option<String>,
    #[cfg(feature = "plot")]
    /// Picture of windows and queues over time: .svg or .png
    #[arg(long, value_name = "OUT", allow_hyphen_values = true)]
    pub plot: Option<String>,
    /// What would be fair on this network beside the run, all flows sending at once, for these alphas: 1 proportional, 2 least delay, inf max-min
    #[arg(long, value_name = "ALPHA,...", allow_hyphen_values = true)]
    pub fair: Option<String>,
    /// Seed, instead of the scenario's
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<String>,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

impl SimulateArgs {
    /// Where the picture goes, if this build draws any.
    pub fn picture(&self) -> Option<&str> {
        #[cfg(feature = "plot")]
        return self.plot.as_deref();
        #[cfg(not(feature = "plot"))]
        None
    }
}
