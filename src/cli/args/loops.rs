//! Flags of the verb that asks about control loops.

use super::{AssertArgs, OutputArgs};
use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct StabilityArgs {
    /// Loops: SYSTEM[@PRESET][:key=value,...] (`cwnd laws` lists them)
    #[arg(required = true, value_name = "SYSTEM")]
    pub systems: Vec<String>,
    /// Linearisation or link model by name, or `all` (`cwnd explain SYSTEM` lists them)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub form: Option<String>,
    /// Flows that differ, once for each group: rtt=50ms[,alpha=100][,count=2]
    #[arg(long, value_name = "rtt=T,...", allow_hyphen_values = true)]
    pub flow: Vec<String>,
    /// Roads to the verdict, a comma list or `all`
    #[arg(
        long,
        value_name = "ROADS",
        default_value = "all",
        allow_hyphen_values = true
    )]
    pub road: String,
    /// Where between two values of a parameter the verdict changes, by each road: beta=0.1..0.6
    #[arg(long, value_name = "PARAM=A..B", allow_hyphen_values = true)]
    pub sweep: Option<String>,
    /// Round trips that the integrator runs first; doubled, up to seven times, while the halves of a run disagree
    #[arg(
        long,
        value_name = "N",
        default_value = "200",
        allow_hyphen_values = true
    )]
    pub round_trips: String,
    #[cfg(feature = "plot")]
    /// Picture of L(iω) about −1: .svg or .png
    #[arg(long, value_name = "OUT", allow_hyphen_values = true)]
    pub nyquist: Option<String>,
    #[cfg(feature = "plot")]
    /// Picture of gain and phase over frequency: .svg or .png
    #[arg(long, value_name = "OUT", allow_hyphen_values = true)]
    pub bode: Option<String>,
    #[cfg(feature = "plot")]
    /// Picture of the stable region in the plane of the loop's two main parameters: .svg or .png
    #[arg(long, value_name = "OUT", allow_hyphen_values = true)]
    pub region: Option<String>,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}
