//! Flags of the verbs that sweep.

use super::{ThreadArgs, ready};
use crate::files::SWEEPS;
use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct SweepArgs {
    /// Sweep file; `-` is standard input
    #[arg(
        value_name = "SWEEP.toml",
        required_unless_present = "example",
        conflicts_with = "example"
    )]
    pub sweep: Option<String>,
    #[arg(long, value_name = "NAME", help = ready("sweep", SWEEPS))]
    pub example: Option<String>,
    /// File to write: .csv, .jsonl or .parquet; finished parts stand in OUT.parts until it is whole
    #[arg(short, long, value_name = "OUT", required_unless_present = "example")]
    pub out: Option<String>,
    #[command(flatten)]
    pub threads: ThreadArgs,
    /// Does only share K of N (K from 1 to N) and leaves it in OUT.parts for `merge`; `env` takes both from a job array:
    /// `SLURM_ARRAY_TASK_ID` and `_COUNT`, or `JOB_COMPLETION_INDEX` and --shards
    #[arg(long, value_name = "K/N|env")]
    pub shard: Option<String>,
    /// Number of shares, where --shard env does not know it
    #[arg(long, value_name = "N", requires = "shard")]
    pub shards: Option<String>,
    /// Does only what OUT.parts lacks; refused if the parts belong to another sweep
    #[arg(long)]
    pub resume: bool,
    /// Leave out progress
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Args)]
pub(in crate::cli) struct MergeArgs {
    /// File to write, as the shares were told
    #[arg(value_name = "OUT")]
    pub out: String,
    /// Directories with parts (OUT.parts unless given); nothing may be missing, nothing contradictory
    #[arg(value_name = "DIR")]
    pub parts: Vec<String>,
    /// Leave out notes
    #[arg(long)]
    pub quiet: bool,
}
