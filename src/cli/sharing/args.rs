//! Flags of the verbs `unfairness` and `share`.

use crate::cli::args::{AssertArgs, OutputArgs, SizeArgs};
use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct ContestArgs {
    /// Roads to the answer, a comma list of closed, epoch, fluid, or `all`
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
    /// Closed forms for losses of a kind: periodic (all flows together) or random (each for itself)
    #[arg(long, value_name = "MODEL", allow_hyphen_values = true)]
    pub loss_model: Option<String>,
    /// Who loses when the buffer overflows, on the road `fluid`: all, one, natural or a fraction such as 0.3
    #[arg(
        long,
        value_name = "WHO",
        default_value = "natural",
        allow_hyphen_values = true
    )]
    pub sync: String,
    /// Seed of the road `fluid`
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_hyphen_values = true
    )]
    pub seed: String,
    /// Length of the run on the road `fluid` (150 times the time from loss to loss unless given)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub duration: Option<String>,
    /// When measuring starts on the road `fluid` (a third of the duration unless given)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub measure_from: Option<String>,
    /// Steps of the integrator after which the road `fluid` gives up
    #[arg(
        long,
        value_name = "N",
        default_value = "3e6",
        allow_hyphen_values = true
    )]
    pub budget: String,
}

#[derive(Args)]
pub(in crate::cli) struct UnfairnessArgs {
    /// Laws: NAME[@PRESET][:key=value,...]
    #[arg(required = true, value_name = "LAW")]
    pub laws: Vec<String>,
    /// Round trip without queues of one flow; give it twice or more, or a comma list
    #[arg(long, value_name = "TIME", required = true, allow_hyphen_values = true)]
    pub rtt: Vec<String>,
    /// Capacity on the wire, such as 2.5Gbit/s
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub link: Option<String>,
    /// Drop-tail buffer before the link: 64KiB, 100pkt, 10ms at link rate, 1bdp; bufferless unless given
    #[arg(
        long,
        value_name = "SIZE",
        requires = "link",
        allow_hyphen_values = true
    )]
    pub buffer: Option<String>,
    /// Mean window of the first flow at which the exponents hold, such as 1000pkt
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub window: Option<String>,
    #[command(flatten)]
    pub contest: ContestArgs,
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(in crate::cli) struct ShareArgs {
    /// Flows of one kind: LAW,rtt=TIME[,count=N,start=TIME,stop=TIME,size=SIZE], the size in payload; give it once for each kind
    #[arg(
        long,
        value_name = "LAW,rtt=T[,...]",
        required = true,
        allow_hyphen_values = true
    )]
    pub flow: Vec<String>,
    /// Capacity on the wire, such as 1Gbit/s
    #[arg(long, value_name = "RATE", required = true, allow_hyphen_values = true)]
    pub link: String,
    /// Buffer before the link: 64KiB, 100pkt, 10ms at link rate, 1bdp (of the mean round trip); 0B is none
    #[arg(
        long,
        value_name = "SIZE",
        required_unless_present = "utilisation",
        conflicts_with = "utilisation",
        allow_hyphen_values = true
    )]
    pub buffer: Option<String>,
    /// Instead of --buffer: finds the smallest buffer that uses this share of the link, such as 98%
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub utilisation: Option<String>,
    /// Queue: KIND[:key=value,...], such as red:min=30pkt,max=90pkt,max_p=0.1
    #[arg(
        long,
        value_name = "KIND",
        default_value = "drop-tail",
        allow_hyphen_values = true
    )]
    pub queue: String,
    #[command(flatten)]
    pub contest: ContestArgs,
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}
