//! Flags of the verbs that ask about laws and paths.

use super::{AssertArgs, LossKindArgs, OutputArgs, PathArgs, RoadArgs, SizeArgs};
use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct ResponseArgs {
    /// Laws: NAME[@PRESET][:key=value,...]
    #[arg(required = true, value_name = "LAW")]
    pub laws: Vec<String>,
    /// Loss events per packet: 1e-7, 0.01%, 1/22000; a comma list or range A..B[:N] makes a grid
    #[arg(
        long,
        value_name = "P",
        required_unless_present = "ber",
        allow_hyphen_values = true
    )]
    pub loss: Option<String>,
    #[command(flatten)]
    pub kind: LossKindArgs,
    #[command(flatten)]
    pub path: PathArgs,
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub roads: RoadArgs,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(in crate::cli) struct LossArgs {
    /// Laws: NAME[@PRESET][:key=value,...]
    #[arg(required = true, value_name = "LAW")]
    pub laws: Vec<String>,
    /// Rate on the wire, such as 10Gbit/s; a comma list or range makes a grid
    #[arg(
        long,
        value_name = "RATE",
        allow_hyphen_values = true,
        group = "target"
    )]
    pub rate: Option<String>,
    /// Rate of payload, such as 11MB/s
    #[arg(
        long,
        value_name = "RATE",
        allow_hyphen_values = true,
        group = "target"
    )]
    pub goodput: Option<String>,
    /// Mean window, such as 83333pkt
    #[arg(
        long,
        value_name = "SIZE",
        allow_hyphen_values = true,
        group = "target"
    )]
    pub window: Option<String>,
    #[command(flatten)]
    pub path: PathArgs,
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub roads: RoadArgs,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(in crate::cli) struct ThroughputArgs {
    /// Laws: NAME[@PRESET][:key=value,...]; standard TCP if none is named
    #[arg(value_name = "LAW")]
    pub laws: Vec<String>,
    #[command(flatten)]
    pub path: PathArgs,
    /// Capacity of the narrowest link on the wire, such as 1Gbit/s
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub link: Option<String>,
    /// Loss events per packet: 1e-7, 0.01%, 1/22000; a comma list or range makes a grid
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub loss: Option<String>,
    #[command(flatten)]
    pub kind: LossKindArgs,
    /// Receiver's window of each stream, payload, such as 64KiB
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub receive_window: Option<String>,
    /// Parallel streams
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_hyphen_values = true
    )]
    pub streams: String,
    /// Drop-tail buffer before the link: 64KiB, 100pkt, 10ms at link rate, 1bdp; 0B is none. Its queue comes on top of --rtt, unless
    /// --base-rtt says what is without queues
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub buffer: Option<String>,
    /// Which streams a full buffer makes lose: all, or one at a time
    #[arg(
        long,
        value_name = "all|one",
        default_value = "all",
        allow_hyphen_values = true
    )]
    pub sync: String,
    /// First retransmission timeout (four round trips unless given)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub rto: Option<String>,
    /// Closed form of the law by name (`cwnd laws` lists them)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub form: Option<String>,
    /// Input to find: rtt, loss, receive-window, streams, link or buffer
    #[arg(long, value_name = "INPUT", allow_hyphen_values = true)]
    pub solve: Option<String>,
    /// Rate on the wire that the input found by --solve shall give
    #[arg(
        long,
        value_name = "RATE",
        allow_hyphen_values = true,
        conflicts_with = "goodput"
    )]
    pub rate: Option<String>,
    /// Rate of payload that the input found by --solve shall give
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub goodput: Option<String>,
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(in crate::cli) struct CrossoverArgs {
    /// Two laws, or more for every pair of the first with another
    #[arg(required = true, num_args = 2.., value_name = "LAW")]
    pub laws: Vec<String>,
    /// Range of loss rates to search
    #[arg(
        long,
        value_name = "A..B",
        default_value = "1e-8..1e-1",
        allow_hyphen_values = true
    )]
    pub loss: String,
    #[command(flatten)]
    pub path: PathArgs,
    #[command(flatten)]
    pub roads: RoadArgs,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(in crate::cli) struct FitArgs {
    /// Samples: columns loss and window_pkt, packets_per_rtt or rate_bps; optionally law (one fit each), rtt_s or rtt_ms
    #[arg(value_name = "DATA.csv")]
    pub data: String,
    #[command(flatten)]
    pub path: PathArgs,
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}
