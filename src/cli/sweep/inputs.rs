//! What a verb takes, read off the command line's own description, and a point as a command line.

use crate::cli::args::Cli;
use crate::error::{Error, Result};
use crate::files::Known;
use clap::{ArgAction, Command, CommandFactory};

/// Flags that say how an answer is written or drawn, not what is asked.
const NOT_INPUTS: &[&str] = &[
    "help", "version", "format", "out", "quiet", "assert", "trace", "sample", "plot", "example",
    "threads", "units", "nyquist", "bode", "region",
];

/// Verbs whose answers are no answers to a question.
const NOT_QUESTIONS: &[&str] = &["laws", "explain", "cite", "verify"];

/// One input of a verb.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub known: Known,
    /// Place among the words without a flag.
    position: Option<usize>,
    /// A flag without a value.
    switch: bool,
    /// Whether it names a file.
    pub file: bool,
    /// What it is if not given.
    pub default: String,
}

/// A verb and its inputs.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub verb: String,
    pub inputs: Vec<Input>,
    has_quiet: bool,
}

fn can_sweep(command: &Command) -> bool {
    let formats = command.get_arguments().any(|arg| arg.get_id() == "format");
    formats && !NOT_QUESTIONS.contains(&command.get_name())
}

impl Form {
    /// The form of a verb that can be swept.
    pub fn of(verb: &str) -> Result<Self> {
        let mut root = Cli::command();
        root.build();
        let found = root
            .get_subcommands()
            .find(|command| command.get_name() == verb && can_sweep(command));
        let Some(command) = found else {
            let names = root.get_subcommands().filter(|command| can_sweep(command));
            return Err(Error::unknown(
                "verb",
                verb,
                names.map(Command::get_name).collect::<Vec<_>>(),
            ));
        };
        let mut inputs = Vec::new();
        for arg in command.get_arguments() {
            if NOT_INPUTS.contains(&arg.get_id().as_str()) {
                continue;
            }
            let value_name = arg
                .get_value_names()
                .and_then(|names| names.first())
                .map_or("", |name| name.as_str());
            let name = match arg.get_long() {
                Some(long) => long.to_owned(),
                None => value_name.split('.').next().unwrap_or("").to_lowercase(),
            };
            let several = arg
                .get_num_args()
                .is_some_and(|range| range.max_values() > 1);
            let defaults = arg.get_default_values().iter();
            inputs.push(Input {
                known: Known {
                    name,
                    many: several || matches!(arg.get_action(), ArgAction::Append),
                },
                position: arg.get_index(),
                switch: matches!(arg.get_action(), ArgAction::SetTrue),
                file: value_name.contains('.') && !value_name.contains(".."),
                default: defaults.map(|text| text.to_string_lossy()).collect(),
            });
        }
        Ok(Self {
            verb: verb.to_owned(),
            inputs,
            has_quiet: command.get_arguments().any(|arg| arg.get_id() == "quiet"),
        })
    }

    pub fn find(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|input| input.known.name == name)
    }

    /// The words of a command line that asks with these inputs.
    pub fn words(&self, given: &[(&str, Vec<String>)]) -> Vec<String> {
        let mut words = vec!["cwnd".to_owned(), self.verb.clone(), "--format=json".into()];
        if self.has_quiet {
            words.push("--quiet".into());
        }
        let mut positional: Vec<(usize, &Vec<String>)> = Vec::new();
        for (name, texts) in given {
            let Some(input) = self.find(name) else {
                continue;
            };
            match input.position {
                Some(at) => positional.push((at, texts)),
                None if input.switch => {
                    if texts.iter().any(|text| text == "true") {
                        words.push(format!("--{name}"));
                    }
                }
                None => words.extend(texts.iter().map(|text| format!("--{name}={text}"))),
            }
        }
        positional.sort_by_key(|(at, _)| *at);
        words.push("--".into());
        words.extend(
            positional
                .into_iter()
                .flat_map(|(_, texts)| texts.iter().cloned()),
        );
        words
    }
}
