//! Flags that several verbs share.

use clap::{Args, ValueEnum};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Format {
    /// A table for people
    Text,
    /// One array, one object for each law and grid point
    Json,
    /// One row for each answer
    Csv,
}

#[derive(Args)]
pub(in crate::cli) struct OutputArgs {
    /// How answers are written
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// File to write instead of standard output (`-`)
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "-",
        allow_hyphen_values = true
    )]
    pub out: String,
    /// Leave out notes and progress
    #[arg(long)]
    pub quiet: bool,
}

/// Flags of every verb.
#[derive(Args)]
pub(in crate::cli) struct GlobalArgs {
    #[cfg(feature = "files")]
    /// Law of one's own, usable by its name from here on (`cwnd laws --example NAME` prints one); may be repeated
    #[arg(long, value_name = "FILE", global = true, allow_hyphen_values = true)]
    pub law_file: Vec<String>,
    /// Unit in which rates and sizes are printed, such as mbit, MB, mib; JSON and CSV keep the unit that their keys name
    #[arg(long, value_name = "UNIT", global = true, allow_hyphen_values = true)]
    pub units: Option<String>,
}

#[derive(Args)]
pub(in crate::cli) struct ThreadArgs {
    /// Threads (all cores, or RAYON_NUM_THREADS, unless given); the output is the same for any number
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub threads: Option<String>,
}

#[derive(Args)]
pub(in crate::cli) struct AssertArgs {
    /// What must hold for every answer, else exit code 1: 'window_pkt > 100 and rate_bps within 5% of 1Gbit/s'
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub assert: Option<String>,
}

#[derive(Args)]
pub(in crate::cli) struct LossKindArgs {
    /// What --loss counts: events, or lost packets, of which --burst go in one event
    #[arg(
        long,
        value_name = "events|packets",
        default_value = "events",
        allow_hyphen_values = true
    )]
    pub loss_is: String,
    /// Lost packets in one loss event, for --loss-is packets
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub burst: Option<String>,
    /// Rate of independent bit errors instead of --loss; every packet hit is a loss event
    #[arg(
        long,
        value_name = "RATE",
        allow_hyphen_values = true,
        conflicts_with = "loss"
    )]
    pub ber: Option<String>,
}

#[derive(Args)]
pub(in crate::cli) struct PathArgs {
    /// Round trip, queues included, such as 100ms; a comma list or range makes a grid
    #[arg(
        long,
        value_name = "TIME",
        allow_hyphen_values = true,
        conflicts_with = "one_way_delay"
    )]
    pub rtt: Option<String>,
    /// One-way delay instead of the round trip, which is twice it
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub one_way_delay: Option<String>,
    /// Round trip without queues, for laws that see queueing delay
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub base_rtt: Option<String>,
}

#[derive(Args)]
pub(in crate::cli) struct SizeArgs {
    /// Packet on the wire (1500B unless given)
    #[arg(
        long,
        value_name = "SIZE",
        allow_hyphen_values = true,
        conflicts_with = "mss"
    )]
    pub packet: Option<String>,
    /// Payload of a packet; 40 B of headers come on top
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub mss: Option<String>,
}

#[derive(Args)]
pub(in crate::cli) struct RoadArgs {
    /// Roads to the answer, a comma list or `all`
    #[arg(
        long,
        value_name = "ROADS",
        default_value = "closed,epoch",
        allow_hyphen_values = true
    )]
    pub road: String,
    /// Closed form by name, or `all` (`cwnd laws` lists them)
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub form: Option<String>,
    /// How losses arrive: periodic or random
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    pub loss_model: Option<String>,
    /// Seed of random losses
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_hyphen_values = true
    )]
    pub seed: String,
    /// Half-width of the 95 % interval at which the roads `ack` and `fluid` stop
    #[arg(
        long,
        value_name = "SHARE",
        default_value = "1%",
        allow_hyphen_values = true
    )]
    pub precision: String,
    /// Acknowledgements (or steps of the integrator) after which the road `ack` (or `fluid`) gives up
    #[arg(
        long,
        value_name = "N",
        default_value = "1e8",
        allow_hyphen_values = true
    )]
    pub budget: String,
}
