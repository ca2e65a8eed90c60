//! Flags of the verbs that list and check.

use super::{OutputArgs, ThreadArgs};
use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct ListArgs {
    #[cfg(feature = "files")]
    /// Prints a ready law file instead: my-highspeed, patient
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub example: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(in crate::cli) struct ExplainArgs {
    /// Laws and control loops: NAME[@PRESET][:key=value,...]
    #[arg(required = true, value_name = "LAW")]
    pub laws: Vec<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(in crate::cli) struct CiteArgs {
    /// Keys of works; none lists all
    #[arg(value_name = "KEY")]
    pub keys: Vec<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(in crate::cli) struct VerifyArgs {
    /// Groups of checks by name; none runs all but the slow ones, whose names it tells
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// The slow ones too (minutes each)
    #[arg(long, conflicts_with = "names")]
    pub slow: bool,
    #[command(flatten)]
    pub threads: ThreadArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}
