//! What clap refuses, in one sentence that quotes what was given and says what is allowed.

use crate::error::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The sentence for a refused command line.
pub(super) fn sentence(error: &clap::Error) -> String {
    let text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(list)) => list.join(", "),
        Some(ContextValue::StyledStr(text)) => text.to_string(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let verbs = || {
        super::examples::command()
            .get_subcommands()
            .map(|c| c.get_name().to_owned())
            .collect::<Vec<_>>()
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            Error::unknown("verb", &text(ContextKind::InvalidSubcommand), verbs()).to_string()
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            format!("a verb is missing: allowed are {}", verbs().join(", "))
        }
        ErrorKind::UnknownArgument => {
            let given = text(ContextKind::InvalidArg);
            let near = text(ContextKind::SuggestedArg);
            if !given.starts_with('-') {
                format!("one word too many, `{given}`: `cwnd VERB --help` says what a verb takes")
            } else if near.is_empty() {
                format!("unknown flag `{given}`: `cwnd VERB --help` lists the flags of a verb")
            } else {
                format!(
                    "unknown flag `{given}`: did you mean `{near}`? `cwnd VERB --help` lists the flags of a verb"
                )
            }
        }
        ErrorKind::MissingRequiredArgument => format!("missing: {}", text(ContextKind::InvalidArg)),
        ErrorKind::ArgumentConflict => {
            let (given, before) = (text(ContextKind::InvalidArg), text(ContextKind::PriorArg));
            if given == before {
                format!("`{given}` is given twice: give it once")
            } else {
                format!("`{given}` and `{before}` do not go together: give one of them")
            }
        }
        ErrorKind::InvalidValue => {
            let (flag, given, valid) = (
                text(ContextKind::InvalidArg),
                text(ContextKind::InvalidValue),
                text(ContextKind::ValidValue),
            );
            if given.is_empty() {
                format!("a value is missing after `{flag}`")
            } else {
                Error::unknown("value", &given, valid.split(", "))
                    .to_string()
                    .replacen("value", &format!("value for `{flag}`"), 1)
            }
        }
        _ => {
            let whole = error.render().to_string();
            let lines: Vec<&str> = whole
                .lines()
                .map(str::trim)
                .take_while(|line| !line.is_empty())
                .collect();
            lines.join(" ").trim_start_matches("error: ").to_owned()
        }
    }
}
