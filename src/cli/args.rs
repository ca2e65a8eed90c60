//! What was typed, checked for form only.

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Analytic TCP congestion-control models: one question, several independent roads to the answer.
#[derive(Parser)]
#[command(
    name = "cwnd",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand)]
pub(super) enum Verb {
    /// What a law gets at a loss rate: window, rate, slope, by each road
    Response(ResponseArgs),
    /// The loss rate that a law can bear at a rate or window
    Loss(LossArgs),
    /// Each limit of a path, the active one and what would move it; backwards with --solve
    Throughput(ThroughputArgs),
    /// Where two response functions meet
    Crossover(CrossoverArgs),
    #[cfg(feature = "files")]
    /// Runs a scenario file through the fluid integrator: summary, trace, picture
    Simulate(SimulateArgs),
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
    /// Prints the manual page
    Man,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A table for people
    Text,
    /// One array, one object for each law and grid point
    Json,
    /// One row for each answer
    Csv,
}

#[derive(Args)]
pub(super) struct OutputArgs {
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

#[derive(Args)]
pub(super) struct AssertArgs {
    /// What must hold for every answer, else exit code 1: 'window_pkt > 100 and rate_bps within 5% of 1Gbit/s'
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub assert: Option<String>,
}

#[derive(Args)]
pub(super) struct LossKindArgs {
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
pub(super) struct PathArgs {
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
pub(super) struct SizeArgs {
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
pub(super) struct RoadArgs {
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

#[derive(Args)]
pub(super) struct ResponseArgs {
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
pub(super) struct LossArgs {
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
pub(super) struct ThroughputArgs {
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
    /// Drop-tail buffer before the link: 64KiB, 100pkt, 10ms at link rate, 1bdp; 0B is none
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
pub(super) struct CrossoverArgs {
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
pub(super) struct FitArgs {
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

#[cfg(feature = "files")]
#[derive(Args)]
pub(super) struct SimulateArgs {
    /// Scenario file; `-` is standard input
    #[arg(
        value_name = "SCENARIO.toml",
        required_unless_present = "example",
        conflicts_with = "example",
        allow_hyphen_values = true
    )]
    pub scenario: Option<String>,
    /// Prints a ready scenario instead: two-flows, synchronised, red, parking-lot, background
    #[arg(long, value_name = "NAME")]
    pub example: Option<String>,
    /// File for windows and queues over time
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
    /// Seed, instead of the scenario's
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(super) struct ExplainArgs {
    /// Laws: NAME[@PRESET][:key=value,...]
    #[arg(required = true, value_name = "LAW")]
    pub laws: Vec<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Args)]
pub(super) struct CiteArgs {
    /// Keys of works; none lists all
    #[arg(value_name = "KEY")]
    pub keys: Vec<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[cfg(feature = "plot")]
#[derive(Args)]
pub(super) struct PlotArgs {
    /// Laws: NAME[@PRESET][:key=value,...]
    #[arg(required = true, value_name = "LAW")]
    pub laws: Vec<String>,
    /// Picture to write: .svg or .png
    #[arg(
        short,
        long,
        value_name = "FILE",
        required = true,
        allow_hyphen_values = true
    )]
    pub out: String,
    /// Range of loss rates
    #[arg(
        long,
        value_name = "A..B",
        default_value = "1e-8..1e-1",
        allow_hyphen_values = true
    )]
    pub loss: String,
    /// Measured samples to lay over it: columns loss and window_pkt (or rate_bps), optionally law
    #[arg(long, value_name = "DATA.csv")]
    pub points: Option<String>,
    /// Closed form by name, or `all` for every form as a curve
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub form: Option<String>,
    /// Packets per second instead of packets per round trip
    #[arg(long)]
    pub rate: bool,
    /// Title of the picture
    #[arg(long, default_value = "Response functions")]
    pub title: String,
    #[command(flatten)]
    pub path: PathArgs,
    #[command(flatten)]
    pub size: SizeArgs,
}

#[cfg(feature = "plot")]
#[derive(Args)]
pub(super) struct FiguresOut {
    /// Directory for the figures
    #[arg(long, value_name = "DIR", default_value = "figures")]
    pub out: String,
    /// PNG beside SVG and CSV
    #[arg(long)]
    pub png: bool,
    /// Leave out progress
    #[arg(long)]
    pub quiet: bool,
}

#[cfg(feature = "plot")]
#[derive(Args)]
pub(super) struct FiguresArgs {
    /// Figures by name; none draws all but the slow ones, whose names it tells
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// The slow ones too (minutes each)
    #[arg(long, conflicts_with = "names")]
    pub slow: bool,
    #[command(flatten)]
    pub to: FiguresOut,
}

#[cfg(feature = "plot")]
#[derive(Args)]
pub(super) struct ReproduceArgs {
    /// The slow figures and checks too (minutes each)
    #[arg(long)]
    pub slow: bool,
    #[command(flatten)]
    pub to: FiguresOut,
}

#[derive(Args)]
pub(super) struct VerifyArgs {
    /// Groups of checks by name; none runs all but the slow ones, whose names it tells
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// The slow ones too (minutes each)
    #[arg(long, conflicts_with = "names")]
    pub slow: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}
