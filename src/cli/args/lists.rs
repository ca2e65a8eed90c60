//! Flags of the verbs that list and check.

#[cfg(feature = "files")]
use super::ready;
use super::{OutputArgs, ThreadArgs};
#[cfg(feature = "files")]
use crate::files::LAW_EXAMPLES;
use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct ListArgs {
    #[cfg(feature = "files")]
    #[arg(
        long,
        value_name = "NAME",
        allow_hyphen_values = true,
        help = ready("law file", LAW_EXAMPLES)
    )]
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
