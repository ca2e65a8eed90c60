//! Flags of the verbs that draw.

use super::{PathArgs, SizeArgs, ThreadArgs};
use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct FromArgs {
    /// Columns of a file of rows, such as a sweep's (.csv, .jsonl, .parquet), instead of laws: lines over --x, or a heat map with --z
    #[arg(
        long,
        value_name = "ROWS",
        conflicts_with_all = ["laws", "points", "form", "rate", "loss"],
        requires = "x",
        requires = "y"
    )]
    pub from: Option<String>,
    /// Column along the horizontal axis
    #[arg(long, value_name = "COLUMN", requires = "from")]
    pub x: Option<String>,
    /// Column along the vertical axis
    #[arg(long, value_name = "COLUMN", requires = "from")]
    pub y: Option<String>,
    /// Column as colour over --x and --y: numbers, or up to 8 words
    #[arg(
        long,
        value_name = "COLUMN",
        requires = "from",
        conflicts_with = "series"
    )]
    pub z: Option<String>,
    /// Column that tells lines apart; a comma list for several
    #[arg(long, value_name = "COLUMN", requires = "from")]
    pub series: Vec<String>,
    /// Only rows with this value, a number in any unit; may be given several times
    #[arg(long = "where", value_name = "COLUMN=VALUE", requires = "from")]
    pub conditions: Vec<String>,
    /// Scale of the horizontal axis: log or linear (for laws log; for rows log where positive numbers span a factor of 20)
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true)]
    pub x_scale: Option<String>,
    /// Scale of the vertical axis
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true)]
    pub y_scale: Option<String>,
    /// Scale of the colours
    #[arg(long, value_name = "SCALE", requires = "z")]
    pub z_scale: Option<String>,
}

#[derive(Args)]
pub(in crate::cli) struct PlotArgs {
    /// Laws: NAME[@PRESET][:key=value,...]
    #[arg(required_unless_present = "from", value_name = "LAW")]
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
    /// Range of loss rates (1e-8..1e-1 unless given, and as far as the samples go)
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    pub loss: Option<String>,
    /// Measured samples to lay over it: columns loss and window_pkt (or rate_bps), optionally law
    #[arg(long, value_name = "DATA.csv")]
    pub points: Option<String>,
    /// Closed form by name, or `all` for every form as a curve
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub form: Option<String>,
    /// Packets per second instead of packets per round trip; with --units in that unit, such as mbit
    #[arg(long)]
    pub rate: bool,
    /// Title of the picture
    #[arg(long)]
    pub title: Option<String>,
    #[command(flatten)]
    pub from: FromArgs,
    #[command(flatten)]
    pub path: PathArgs,
    #[command(flatten)]
    pub size: SizeArgs,
}

#[derive(Args)]
pub(in crate::cli) struct FiguresOut {
    /// Directory for the figures
    #[arg(long, value_name = "DIR", default_value = "figures")]
    pub out: String,
    /// PNG beside SVG and CSV
    #[arg(long)]
    pub png: bool,
    /// Leave out progress
    #[arg(long)]
    pub quiet: bool,
    #[command(flatten)]
    pub threads: ThreadArgs,
}

#[derive(Args)]
pub(in crate::cli) struct FiguresArgs {
    /// Figures by name; none draws all but the slow ones, whose names it tells
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// The slow ones too (minutes each)
    #[arg(long, conflicts_with = "names")]
    pub slow: bool,
    #[command(flatten)]
    pub to: FiguresOut,
}

#[derive(Args)]
pub(in crate::cli) struct ReproduceArgs {
    /// Figures and checks by name; none is all but the slow ones
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// The slow figures and checks too (minutes each)
    #[arg(long, conflicts_with = "names")]
    pub slow: bool,
    #[command(flatten)]
    pub to: FiguresOut,
}
