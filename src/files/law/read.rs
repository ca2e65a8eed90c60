//! A law file read and registered.

use super::expression::{self, FUNCTIONS, Node};
use super::program::Program;
use super::written::{VARIABLES, Written};
use crate::algorithms;
use crate::error::{Error, Result};
use crate::files::section::{Section, Source, Word, kind};
use crate::model::{Bounds, Equation, Explanation, Parameter, Preset, Setting};
use crate::units::parse_number;
use std::sync::{Mutex, PoisonError};
use toml::Spanned;
use toml::de::DeValue;

const KEYS: &[&str] = &[
    "name",
    "title",
    "source",
    "increase_per_round",
    "increase_per_second",
    "decrease",
    "define",
    "parameters",
];
const PARAMETER: &[&str] = &["default", "min", "max", "unit", "meaning"];
/// Keys that belong to a flow, not to its law.
const OF_A_FLOW: [&str; 5] = ["rtt", "count", "start", "stop", "size"];
/// The range of a parameter whose file gives none.
const RANGE: (f64, f64) = (0.0, 1e12);

/// Name and text of every file read so far.
static READ: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Reads a law file and adds its law to those that [`algorithms::find`] knows, for the rest of the process; `path` is what
/// messages call it. The same text again is the same law. Returns the law's name.
///
/// # Errors
/// [`Error::Place`] with line and column of whatever is wrong: a name that is taken, an expression that does not read, an
/// increase that is not finite or is below zero without a queue, or a decrease that does not decrease, with the window where that is so.
///
/// ```
/// use cwnd::{algorithms::Selected, files::register_law, model::Path, responses::epoch::Epoch, units::LossRate};
/// use cwnd::model::ResponseFunction;
/// register_law("mine.toml", "name = \"mine\"\nincrease_per_round = \"1\"\ndecrease = \"w/2\"")?;
/// let mine = Selected::parse("mine")?;
/// let law = mine.law()?;
/// // Standard TCP: sqrt(3/2)/sqrt(p).
/// let window = Epoch::new(law).respond(LossRate::new(1e-4)?, &Path::default())?.window;
/// assert!((window.value() - 122.4745).abs() < 1e-3);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn register_law(path: &str, text: &str) -> Result<String> {
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((name, _)) = read.iter().find(|(_, other)| other == text) {
        return Ok(name.clone());
    }
    let source = Source { path, text };
    let document = source.document()?;
    let root = Section::root(source, &document, KEYS)?;
    let (law, place) = law(&root)?;
    let name = law.name.to_owned();
    source.at(&place, algorithms::add(Box::new(law)))?;
    read.push((name.clone(), text.to_owned()));
    Ok(name)
}

/// The texts of all law files read so far, in the order of reading.
#[must_use]
pub fn law_texts() -> Vec<String> {
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    read.iter().map(|(_, text)| text.clone()).collect()
}

/// A law file that a scenario names.
#[derive(Debug, Clone, PartialEq)]
pub struct LawFile {
    /// Its path as typed.
    pub name: String,
    /// Where in the scenario, for messages.
    place: Error,
}

impl LawFile {
    /// What is wrong with the file, at the place that names it.
    #[must_use]
    pub fn wrong(&self, wrong: &Error) -> Error {
        let mut error = self.place.clone();
        if let Error::Place { detail, .. } = &mut error {
            *detail = wrong.to_string();
        }
        error
    }
}

/// The law files that a scenario names with `law_file`, in the order of the file.
///
/// # Errors
/// [`Error::Place`] for a file that is no TOML or a `law_file` that is no text or list of texts.
pub fn scenario_laws(path: &str, text: &str) -> Result<Vec<LawFile>> {
    let source = Source { path, text };
    let document = source.document()?;
    let root = Section::whole(source, &document);
    let Some(value) = root.get("law_file") else {
        return Ok(Vec::new());
    };
    let items: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
        DeValue::Array(items) => items.iter().collect(),
        _ => vec![value],
    };
    items
        .into_iter()
        .map(|item| match item.get_ref() {
            DeValue::String(name) => Ok(LawFile {
                name: name.to_string(),
                place: source.wrong(&item.span(), ""),
            }),
            _ => Err(source.wrong(
                &item.span(),
                format!(
                    "`law_file` is a {}: the path of a law file is needed, as text",
                    kind(item)
                ),
            )),
        })
        .collect()
}

fn word_for_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')
}

fn keep(text: String) -> &'static str {
    String::leak(text)
}

fn needed(root: &Section<'_>, key: &str) -> Result<Word> {
    root.word(key)?
        .ok_or_else(|| root.source.wrong(&(0..0), format!("a `{key}` is missing")))
}

/// The law, and the place of its name.
fn law(root: &Section<'_>) -> Result<(Written, std::ops::Range<usize>)> {
    let source = root.source;
    let name = needed(root, "name")?;
    if !word_for_name(&name.text) {
        return Err(source.wrong(
            &name.span,
            format!("`{}` is not a name for a law: allowed is a lower-case letter, then lower-case letters, digits, - and _", name.text),
        ));
    }
    let parameters = parameters(root)?;
    let mut names = Names {
        keys: parameters.iter().map(|p| p.key).collect(),
        defined: Vec::new(),
    };
    let mut equations = Vec::new();
    if let Some(value) = root.get("define") {
        let section = Section::open(source, value, "[define]")?;
        for (key, _) in section.entries() {
            names.refuse(source, &key)?;
            let word = needed(&section, &key.text)?;
            let tree = names.read(source, &word)?;
            equations.push((format!("{} = {}", key.text, word.text), "definition"));
            names.defined.push((key.text, tree));
        }
    }
    let (increase, per_second) = match (
        root.word("increase_per_round")?,
        root.word("increase_per_second")?,
    ) {
        (Some(word), None) => (word, false),
        (None, Some(word)) => (word, true),
        (None, None) => {
            return Err(source.wrong(
                &(0..0),
                "an `increase_per_round` or `increase_per_second` is missing",
            ));
        }
        (Some(_), Some(second)) => {
            return Err(source.wrong(
                &second.span,
                "`increase_per_round` and `increase_per_second` are both given: give one",
            ));
        }
    };
    let decrease = needed(root, "decrease")?;
    equations.push(if per_second {
        (
            format!("dw/dt = {}", increase.text),
            "packets per second between losses",
        )
    } else {
        (
            format!("dw/dt = ({})/rtt", increase.text),
            "between losses: packets per round trip over the round trip",
        )
    });
    equations.push((
        format!("w = {} at a loss", decrease.text),
        "the window that a loss leaves; w_max = w and age = 0 from there",
    ));
    let title = root
        .word("title")?
        .map_or_else(|| format!("the law of {}", source.path), |word| word.text);
    let cited = root.word("source")?.map_or_else(
        || format!("law file {}", source.path),
        |word| format!("law file {} ({})", source.path, word.text),
    );
    let cited = keep(cited);
    let equations = equations.into_iter().map(|(formula, meaning)| Equation {
        formula: keep(formula),
        source: cited,
        meaning,
    });
    let written = Written {
        name: keep(name.text.clone()),
        title: keep(title.clone()),
        source: cited,
        parameters: Vec::leak(parameters),
        presets: Vec::leak(vec![Preset {
            name: "file",
            source: cited,
            note: None,
            values: &[],
        }]),
        explanation: Box::leak(Box::new(Explanation {
            summary: keep(format!("{title}, as its file writes it.")),
            equations: Vec::leak(equations.collect()),
            ranges: &[],
            caveats: &[
                "a law file has no closed form: roads `epoch`, `ack`, `fluid`",
                "its increase is checked to be finite, and 0 or more where nothing queues and the window is not above w_max, and its decrease to decrease for windows from 4 to 4e8 packets before anything is asked, and where a road meets it",
            ],
        })),
        increase: names.read(source, &increase)?,
        per_second,
        decrease: names.read(source, &decrease)?,
    };
    let preset = &written.presets[0];
    if let Some(fault) = written.fault(&Setting::of(written.parameters, preset)) {
        let place = if fault.of_increase {
            &increase.span
        } else {
            &decrease.span
        };
        return Err(source.wrong(place, fault.detail));
    }
    Ok((written, name.span))
}

/// Characters of an expression that a message quotes on either side of a place.
const QUOTED: usize = 30;

/// The expression near a byte of it.
fn around(text: &str, at: usize) -> String {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let cut = |n: usize| if n > QUOTED { "..." } else { "" };
    let (head, tail) = (before.chars().count(), after.chars().count());
    let kept = before.chars().skip(head.saturating_sub(QUOTED));
    let kept: String = kept.chain(after.chars().take(QUOTED)).collect();
    format!("{}{}{}", cut(head), kept.trim(), cut(tail))
}

/// What a name in an expression may be.
struct Names {
    keys: Vec<&'static str>,
    defined: Vec<(String, Node)>,
}

impl Names {
    fn resolve(&self, word: &str) -> Result<Node> {
        if let Some((_, tree)) = self.defined.iter().find(|(name, _)| name == word) {
            return Ok(tree.clone());
        }
        let all = VARIABLES.iter().chain(&self.keys);
        if let Some(at) = all.clone().position(|name| *name == word) {
            return Ok(Node::Name(at));
        }
        let all = all
            .copied()
            .chain(self.defined.iter().map(|d| d.0.as_str()));
        Err(Error::unknown("name", word, all))
    }

    /// Refuses a new name that is taken or is no name.
    fn refuse(&self, source: Source<'_>, key: &Word) -> Result<()> {
        let text = key.text.as_str();
        let detail = if !word_for_name(text) || text.contains('-') {
            "is not a name: allowed is a lower-case letter, then lower-case letters, digits and _"
        } else if self.resolve(text).is_ok()
            || FUNCTIONS.iter().any(|(name, ..)| *name == text)
            || OF_A_FLOW.contains(&text)
        {
            "is taken already"
        } else {
            return Ok(());
        };
        Err(source.wrong(&key.span, format!("`{text}` {detail}")))
    }

    /// The tree of an expression; what does not read is placed in the file.
    fn read(&self, source: Source<'_>, word: &Word) -> Result<Node> {
        let tree = expression::read(&word.text, |name| self.resolve(name)).map_err(|wrong| {
            // Inside the quotes, unless an escape makes the text differ from the file.
            let raw = source.text.get(word.span.clone()).unwrap_or("");
            let start = if word.text.is_empty() {
                1
            } else {
                raw.find(&word.text).unwrap_or(0)
            };
            let at = word.span.start + start + wrong.at;
            source.wrong(
                &(at..at),
                format!("in `{}`: {}", around(&word.text, wrong.at), wrong.detail),
            )
        })?;
        if Program::new(&tree).is_none() {
            return Err(source.wrong(&word.span, "this expression holds too many values at once"));
        }
        Ok(tree)
    }
}

fn parameters(root: &Section<'_>) -> Result<Vec<Parameter>> {
    let source = root.source;
    let Some(value) = root.get("parameters") else {
        return Ok(Vec::new());
    };
    let section = Section::open(source, value, "[parameters]")?;
    let mut names = Names {
        keys: Vec::new(),
        defined: Vec::new(),
    };
    let mut out = Vec::new();
    let number = |text: &str| parse_number("number", text);
    for (key, value) in section.entries() {
        names.refuse(source, &key)?;
        let parameter = if value.get_ref().is_table() {
            let one = Section::new(source, value, &key.text, PARAMETER)?;
            if one.get("default").is_none() {
                return Err(source.wrong(&key.span, format!("`{}` has no `default`", key.text)));
            }
            let (low, high) = (
                one.read("min", RANGE.0, number)?,
                one.read("max", RANGE.1, number)?,
            );
            let text = |key: &str| Ok(keep(one.word(key)?.map_or(String::new(), |w| w.text)));
            if low > high {
                return Err(source.wrong(
                    &one.place("max"),
                    format!("`max` is {high}, which is less than `min`, {low}"),
                ));
            }
            let bounds = Bounds::closed(low, high);
            let (unit, meaning) = (text("unit")?, text("meaning")?);
            let name = keep(key.text.clone());
            let default = one.read("default", 0.0, number)?;
            Parameter::number(name, name, default, bounds, unit, meaning)
        } else {
            let default = section.read(&key.text, 0.0, number)?;
            let name = keep(key.text.clone());
            Parameter::number(
                name,
                name,
                default,
                Bounds::closed(RANGE.0, RANGE.1),
                "",
                "",
            )
        };
        if !parameter.bounds.contains(parameter.default) {
            return Err(source.wrong(
                &value.span(),
                format!(
                    "the default of `{}` is {}, which is out of its range: {}",
                    parameter.key,
                    parameter.default,
                    parameter.bounds.describe()
                ),
            ));
        }
        names.keys.push(parameter.key);
        out.push(parameter);
    }
    Ok(out)
}
