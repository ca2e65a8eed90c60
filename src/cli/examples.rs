//! One example for each verb, shown below its help. A test runs them as printed.

use super::args::Cli;
use crate::error::{Error, Result};
use clap::{Command, CommandFactory};

/// Verb and command lines that run as they stand, one after the other, in an empty directory.
const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "response",
        &["cwnd response bic scalable --loss 1e-7,1e-4 --rtt 100ms"],
    ),
    ("loss", &["cwnd loss cubic --rate 10Gbit/s --rtt 100ms"]),
    (
        "throughput",
        &[
            "cwnd throughput --link 100Mbit/s --rtt 100ms --loss 0.1% --receive-window 256KiB",
            "cwnd throughput --rtt 100ms --solve receive-window --goodput 10Gbit/s --units mib",
        ],
    ),
    (
        "transfer",
        &["cwnd transfer --size 1MB --rtt 100ms --link 100Mbit/s --loss 0.1%"],
    ),
    ("crossover", &["cwnd crossover bic reno"]),
    (
        "unfairness",
        &[
            "cwnd unfairness reno cubic --rtt 40ms --rtt 120ms",
            "cwnd unfairness bic highspeed --rtt 40ms --rtt 120ms --link 2.5Gbit/s",
        ],
    ),
    (
        "share",
        &[
            "cwnd share --flow reno,rtt=40ms,count=5 --flow cubic,rtt=40ms --link 100Mbit/s --buffer 1bdp",
            "cwnd share --flow reno,rtt=100ms,count=2 --link 1Gbit/s --utilisation 98%",
        ],
    ),
    (
        "stability",
        &[
            "cwnd stability xcp fast --road margin,root",
            "cwnd stability red@instantaneous --sweep slope=1e-4..3e-4",
            "cwnd stability fast --form discrete --flow rtt=50ms --flow rtt=200ms,alpha=200",
        ],
    ),
    (
        "last-hop",
        &["cwnd last-hop canit cr --rtt 200ms --link 9.6kbit/s --buffer 3pkt --packet 296B"],
    ),
    (
        "sweep",
        &[
            "cwnd sweep --example limits > grid.toml",
            "cwnd sweep grid.toml --out grid.csv",
            "cwnd sweep grid.toml --out grid.csv --resume",
        ],
    ),
    (
        "merge",
        &[
            "cwnd sweep --example limits > grid.toml",
            "cwnd sweep grid.toml --out grid.csv --shard 1/2",
            "cwnd sweep grid.toml --out grid.csv --shard 2/2",
            "cwnd merge grid.csv",
        ],
    ),
    (
        "simulate",
        &[
            "cwnd simulate --example two-flows > two.toml",
            "cwnd simulate two.toml --trace two.csv",
        ],
    ),
    (
        "fit",
        &[
            "cwnd response reno --loss 1e-5..1e-2:10 --road ack --format csv > samples.csv",
            "cwnd fit samples.csv",
        ],
    ),
    (
        "laws",
        &[
            "cwnd laws --example patient > mine.toml",
            "cwnd response patient --law-file mine.toml --loss 1e-4 --rtt 50ms --road epoch",
        ],
    ),
    ("explain", &["cwnd explain highspeed"]),
    ("cite", &["cwnd cite rfc3649 xu2004"]),
    (
        "plot",
        &[
            "cwnd plot bic:smax=64 reno -o mine.svg",
            "cwnd sweep --example limits > grid.toml",
            "cwnd sweep grid.toml --out grid.csv",
            "cwnd plot --from grid.csv --x loss --y receive_window_bytes --z active -o limits.svg",
        ],
    ),
    ("figures", &["cwnd figures bic2004-8 --out figures"]),
    ("verify", &["cwnd verify bic-table"]),
    ("reproduce", &["cwnd reproduce --out figures"]),
    ("completions", &["cwnd completions bash"]),
    ("man", &["cwnd man", "cwnd man simulate"]),
];

/// The command line with its examples.
pub(super) fn command() -> Command {
    let mut command = Cli::command();
    for (verb, lines) in EXAMPLES {
        if command.find_subcommand(verb).is_none() {
            continue;
        }
        let title = if lines.len() == 1 {
            "Example"
        } else {
            "Examples"
        };
        let text = lines
            .iter()
            .fold(format!("{title}:"), |text, line| text + "\n  " + line);
        command = command.mut_subcommand(verb, |sub| sub.after_help(text));
    }
    // The round trip of a fit is one, where that of other verbs may be many.
    command.mut_subcommand("fit", |fit| {
        fit.mut_arg("rtt", |rtt| {
            rtt.help(
                "Round trip of the samples, queues included, such as 100ms, unless a column has it",
            )
        })
    })
}

/// The manual page of the program, or of a verb.
///
/// # Errors
/// [`Error::Unknown`] for no verb.
pub(super) fn manual(verb: Option<&str>) -> Result<String> {
    let mut whole = command();
    whole.build();
    let page = match verb {
        None => &whole,
        Some(name) => whole.find_subcommand(name).ok_or_else(|| {
            let verbs = whole.get_subcommands().map(Command::get_name);
            Error::unknown("verb", name, verbs)
        })?,
    };
    let mut out = Vec::new();
    let name = page.get_display_name().unwrap_or("cwnd").to_owned();
    clap_mangen::Man::new(page.clone())
        .title(name)
        .render(&mut out)
        .map_err(|error| Error::File {
            path: "the manual page".into(),
            detail: error.to_string(),
        })?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}
