//! The points of a sweep, each asked as the command line would ask it.

use super::inputs::Form;
use crate::algorithms::Selected;
use crate::cli::args::{Cli, Verb};
use crate::cli::{carry_out, kept, law_files, refusal};
use crate::error::{Error, Result};
use crate::files::Places;
use crate::what_if::find_road;
use crate::what_if::sweep::{Sweep, Swept, seed};
use clap::{Command, CommandFactory, FromArgMatches};
use serde_json::Value;

/// What became of a point.
pub(super) enum Found {
    Answers(Vec<Value>),
    /// There is no answer: why.
    Nothing(String),
}

/// A sweep together with the verb that answers it.
pub(super) struct Points<'a> {
    pub sweep: &'a Sweep,
    pub form: &'a Form,
    pub places: &'a Places,
    /// Whether each point has a seed of its own.
    pub seeded: bool,
}

impl<'a> Points<'a> {
    /// Checks what can be checked before anything is asked.
    pub fn new(sweep: &'a Sweep, form: &'a Form, places: &'a Places) -> Result<Self> {
        let points = Self {
            seeded: seeded(sweep, form),
            sweep,
            form,
            places,
        };
        let fixed = sweep.fixed.iter().map(|(name, texts)| (name, texts));
        let swept = sweep
            .swept()
            .flat_map(|(_, input)| input.values.iter().map(move |v| (&input.name, &v.texts)));
        for (name, texts) in fixed.chain(swept) {
            let is_file = form.find(name).is_some_and(|input| input.file);
            for text in texts {
                if name == "law" && !text.contains('{') && form.find(name).is_some() {
                    Selected::parse(text).map_err(|e| places.wrong(name, &e.to_string()))?;
                }
                if is_file && text == "-" {
                    return Err(places.wrong(
                        name,
                        "`-` is standard input, which can be read only once: name a file",
                    ));
                }
            }
        }
        Ok(points)
    }

    /// Every input at a point.
    pub fn given(&self, point: u64, places: &[usize]) -> Vec<(&'a str, Vec<String>)> {
        let here = |axis: usize, input: &'a Swept| input.values.get(places[axis]);
        let filled = |texts: &[String]| -> Vec<String> {
            texts
                .iter()
                .map(|text| {
                    if !text.contains('{') {
                        return text.clone();
                    }
                    let mut text = text.clone();
                    for (axis, input) in self.sweep.swept() {
                        if let Some(value) = here(axis, input) {
                            let braced = format!("{{{}}}", input.name);
                            text = text.replace(&braced, &value.texts.join(" "));
                        }
                    }
                    text
                })
                .collect()
        };
        let mut given: Vec<(&'a str, Vec<String>)> = Vec::new();
        for (name, texts) in &self.sweep.fixed {
            given.push((name, filled(texts)));
        }
        for (axis, input) in self.sweep.swept() {
            if let Some(value) = here(axis, input) {
                given.push((&input.name, filled(&value.texts)));
            }
        }
        if self.seeded {
            given.push(("seed", vec![seed(point).to_string()]));
        }
        given
    }

    /// The command line that asks about a point.
    pub fn verb(&self, command: &mut Command, given: &[(&str, Vec<String>)]) -> Result<Verb> {
        let words = self.form.words(given);
        let matches = command
            .try_get_matches_from_mut(words)
            .map_err(|error| self.places.wrong("verb", &refusal::sentence(&error)))?;
        let cli = Cli::from_arg_matches(&matches)
            .map_err(|error| self.places.wrong("verb", &refusal::sentence(&error)))?;
        law_files(&cli.global)?;
        Ok(cli.verb)
    }

    /// Asks about a point.
    ///
    /// # Errors
    /// What is wrong with the file rather than with the point, at its place.
    pub fn ask(&self, command: &mut Command, point: u64, first: bool) -> Result<Found> {
        let mut places = Vec::new();
        self.sweep.places(point, &mut places);
        let given = self.given(point, &places);
        let verb = self.verb(command, &given)?;
        let envelopes = match kept::keep(|| carry_out(verb)) {
            Ok(lists) => lists,
            Err(error @ (Error::Unknown { .. } | Error::Malformed { .. } | Error::File { .. })) => {
                return Err(self.place(&error, &given));
            }
            Err(error @ Error::Place { .. }) if first => return Err(self.place(&error, &given)),
            Err(error) => return Ok(Found::Nothing(error.to_string())),
        };
        let mut envelopes = envelopes
            .into_iter()
            .flat_map(|list| match list {
                Value::Array(items) => items,
                other => vec![other],
            })
            .collect::<Vec<_>>();
        match envelopes.pop() {
            Some(mut one) if envelopes.is_empty() => match one["answers"].take() {
                Value::Array(answers) if !answers.is_empty() => Ok(Found::Answers(answers)),
                _ => Ok(Found::Nothing("the verb has no answer here".into())),
            },
            _ => Err(self.places.wrong(
                "verb",
                &format!(
                    "a point asks {} questions at once: lists and ranges stand under [grid] or [[zip]], several laws too",
                    envelopes.len() + 1
                ),
            )),
        }
    }

    /// An error at the input whose text it quotes.
    fn place(&self, error: &Error, given: &[(&str, Vec<String>)]) -> Error {
        let quoted = match error {
            Error::Unknown { given, .. } | Error::Malformed { given, .. } => given.as_str(),
            Error::File { path, .. } | Error::Place { path, .. } => path.as_str(),
            _ => "",
        };
        let whole = |texts: &Vec<String>| texts.iter().any(|text| text == quoted);
        let part = |texts: &Vec<String>| texts.iter().any(|text| text.contains(quoted));
        let name = given
            .iter()
            .find(|(_, texts)| whole(texts))
            .or_else(|| {
                given
                    .iter()
                    .find(|(_, texts)| !quoted.is_empty() && part(texts))
            })
            .map_or("verb", |(name, _)| name);
        let name = match error {
            Error::Place { .. } if name == "verb" => self
                .form
                .inputs
                .iter()
                .find(|input| input.file)
                .map_or(name, |input| input.known.name.as_str()),
            _ => name,
        };
        self.places.wrong(name, &error.to_string())
    }
}

/// The command line's description, to be parsed with again and again.
pub(super) fn command() -> Command {
    let mut command = Cli::command();
    command.build();
    command
}

/// Whether the verb draws random numbers that the file says nothing about.
fn seeded(sweep: &Sweep, form: &Form) -> bool {
    let said = |name: &str| {
        let fixed = sweep.fixed.iter().find(|(other, _)| other == name);
        let fixed = fixed.map(|(_, texts)| texts.clone());
        fixed.or_else(|| {
            let input = sweep.swept().find(|(_, input)| input.name == name)?.1;
            Some(input.values.iter().flat_map(|v| v.texts.clone()).collect())
        })
    };
    if form.find("seed").is_none() || said("seed").is_some() {
        return false;
    }
    let Some(roads) = form.find("road") else {
        return true;
    };
    let roads = said("road").unwrap_or_else(|| vec![roads.default.clone()]);
    roads
        .iter()
        .flat_map(|list| list.split(','))
        .any(|name| !find_road(name.trim()).is_ok_and(|road| road.searchable))
}
