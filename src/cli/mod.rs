//! The command line: parsing, then meaning, then printing. The only room that prints.

mod args;
mod asserted;
mod checks;
#[cfg(feature = "plot")]
mod columns;
mod emit;
mod examples;
mod explanation;
mod files;
mod fit;
mod kept;
mod last_hop;
mod lists;
mod loops;
mod meaning;
#[cfg(feature = "plot")]
mod pictures;
#[cfg(feature = "plot")]
mod plot_from;
mod questions;
mod refusal;
mod samples;
mod sharing;
#[cfg(feature = "files")]
mod simulation;
mod stability;
#[cfg(feature = "files")]
mod sweep;
mod throughput;
#[cfg(feature = "files")]
mod trace;
mod transfer;
mod units;

use crate::error::{Error, Result};
use args::{Cli, GlobalArgs, Verb};
use clap::FromArgMatches;
use std::ffi::OsString;
use std::io::{self, Write};

/// How a run ended: 0 answered, 1 answered but a check or an assertion failed, 2 not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Answered.
    Answered,
    /// Answered, but a check or an assertion failed.
    Failed,
    /// Not answered.
    Refused,
}

impl Outcome {
    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Answered => 0,
            Self::Failed => 1,
            Self::Refused => 2,
        }
    }
}

/// Runs the program with these arguments, the program's name first.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Outcome {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let other = |word: &&OsString| word.to_str().is_none();
    if let Some(word) = arguments.iter().skip(1).find(other) {
        return refuse(&format!(
            "`{}` is no text: words in UTF-8 are needed",
            word.to_string_lossy()
        ));
    }
    emit::fit_to_terminal(&arguments);
    files::begin();
    let parsed = examples::command()
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => return say(&error.render().to_string()),
        Err(error) => return refuse(&refusal::sentence(&error)),
    };
    match prepare(&cli.global).and_then(|()| carry_out(cli.verb)) {
        Ok(outcome) => outcome,
        Err(error) => refuse(&error.to_string()),
    }
}

/// What the flags of every verb say.
fn prepare(args: &GlobalArgs) -> Result<()> {
    units::choose(args.units.as_deref())?;
    law_files(args)
}

/// Reads the law files that the flags name.
#[cfg_attr(
    not(feature = "files"),
    expect(unused_variables, clippy::unnecessary_wraps)
)]
fn law_files(args: &GlobalArgs) -> Result<()> {
    #[cfg(feature = "files")]
    for path in &args.law_file {
        crate::files::register_law(path, &files::read(path)?)?;
    }
    Ok(())
}

fn carry_out(verb: Verb) -> Result<Outcome> {
    match verb {
        Verb::Response(args) => questions::response(&args),
        Verb::Loss(args) => questions::loss(&args),
        Verb::Throughput(args) => throughput::throughput(&args),
        Verb::Transfer(args) => transfer::transfer(&args),
        Verb::Crossover(args) => questions::crossover(&args),
        Verb::Stability(args) => stability::stability(&args),
        Verb::Unfairness(args) => sharing::unfairness(&args),
        Verb::Share(args) => sharing::share(&args),
        Verb::LastHop(args) => last_hop::last_hop(&args),
        #[cfg(feature = "files")]
        Verb::Simulate(args) => simulation::simulate(&args),
        #[cfg(feature = "files")]
        Verb::Sweep(args) => sweep::sweep(&args),
        #[cfg(feature = "files")]
        Verb::Merge(args) => sweep::merge(&args),
        Verb::Fit(args) => fit::run(&args),
        Verb::Laws(args) => lists::laws(&args),
        Verb::Explain(args) => lists::explain(&args),
        Verb::Cite(args) => lists::cite(&args),
        #[cfg(feature = "plot")]
        Verb::Plot(args) => pictures::plot(&args),
        #[cfg(feature = "plot")]
        Verb::Figures(args) => pictures::figures(&args),
        Verb::Verify(args) => checks::verify(&args),
        #[cfg(feature = "plot")]
        Verb::Reproduce(args) => pictures::reproduce(&args),
        Verb::Completions { shell } => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut examples::command(), "cwnd", &mut out);
            Ok(say(&String::from_utf8_lossy(&out)))
        }
        Verb::Man => {
            let mut out = Vec::new();
            clap_mangen::Man::new(examples::command())
                .render(&mut out)
                .map_err(|error| Error::File {
                    path: "the manual page".into(),
                    detail: error.to_string(),
                })?;
            Ok(say(&String::from_utf8_lossy(&out)))
        }
    }
}

/// Characters of a sentence on standard error.
const LONGEST: usize = 1200;

/// Text to standard output. A reader that has gone away is success.
fn say(text: &str) -> Outcome {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Outcome::Answered,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Outcome::Answered,
        Err(error) => refuse(&format!("standard output cannot be written: {error}")),
    }
}

fn refuse(sentence: &str) -> Outcome {
    complain(sentence);
    Outcome::Refused
}

/// The sentence about what a run without names leaves out, if anything.
fn left_out<'a>(what: &str, verb: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.collect();
    (!names.is_empty()).then(|| {
        format!(
            "slow {what} left out (--slow or a name {verb} them): {}",
            names.join(", ")
        )
    })
}

/// One sentence to standard error.
fn complain(sentence: &str) {
    // One line whatever was typed: control characters escaped, a very long word cut.
    let mut sentence: String = sentence
        .chars()
        .map(|c| {
            if c.is_control() {
                c.escape_default().to_string()
            } else {
                c.to_string()
            }
        })
        .collect();
    if sentence.chars().count() > LONGEST {
        let (head, tail): (String, String) = (
            sentence.chars().take(LONGEST / 2).collect(),
            sentence
                .chars()
                .rev()
                .take(LONGEST / 2)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect(),
        );
        sentence = format!("{head} ... {tail}");
    }
    let _ = writeln!(
        io::stderr().lock(),
        "cwnd: {}",
        sentence.trim_end_matches('.')
    );
}
