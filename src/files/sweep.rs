//! A sweep file: the verb, what stays, and what changes from point to point.

use super::section::{Section, Source, Word};
use super::sweep_values::{swept, texts};
use crate::error::{Error, Result};
use crate::what_if::sweep::{Axis, Sweep};
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

const KEYS: &[&str] = &["verb", "columns", "fixed", "grid", "zip"];

/// An input that a verb has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Its name: a flag without its dashes.
    pub name: String,
    /// Whether it may be given several times.
    pub many: bool,
}

/// Where the inputs of a sweep stand in its file, for whatever turns out to be wrong later.
#[derive(Debug, Clone)]
pub struct Places {
    path: String,
    text: String,
    spans: Vec<(String, Range<usize>)>,
}

impl Places {
    /// An error at the place of an input; at the beginning of the file if it has none.
    #[must_use]
    pub fn wrong(&self, name: &str, detail: &str) -> Error {
        let span = self.spans.iter().find(|(known, _)| known == name);
        let span = span.map_or(0..0, |(_, span)| span.clone());
        let source = Source {
            path: &self.path,
            text: &self.text,
        };
        source.wrong(&span, detail)
    }
}

/// Reads a sweep file; `path` is what messages call it, and `inputs` tells what the verb takes.
///
/// # Errors
/// [`Error::Place`] with line and column of whatever is wrong.
///
/// ```
/// use cwnd::files::{Known, read_sweep};
/// let text = "verb = \"response\"\n[fixed]\nlaw = \"reno\"\n[grid]\nloss = \"1e-8..1e-2:61\"\n";
/// let known = |_: &str| Ok(["law", "loss"].map(|name| Known { name: name.into(), many: false }).to_vec());
/// let (sweep, _) = read_sweep("mine.toml", text, known)?;
/// assert_eq!(sweep.points()?, 61);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn read_sweep(
    path: &str,
    text: &str,
    inputs: impl Fn(&str) -> Result<Vec<Known>>,
) -> Result<(Sweep, Places)> {
    let source = Source { path, text };
    let document = source.document()?;
    let root = Section::root(source, &document, KEYS)?;
    let Some(verb) = root.word("verb")? else {
        return Err(source.wrong(
            &(0..0),
            "the file has no `verb`, such as verb = \"response\"",
        ));
    };
    let known = source.at(&verb.span, inputs(&verb.text))?;
    let mut reader = Reader {
        source,
        known,
        spans: vec![("verb".to_owned(), verb.span.clone())],
        variables: Vec::new(),
    };
    let fixed = reader.fixed(&root)?;
    let axes = reader.axes(&root)?;
    let columns = root.words("columns")?;
    reader.spans.extend(
        root.get("columns")
            .map(|value| ("columns".to_owned(), value.span())),
    );
    let sweep = Sweep {
        verb: verb.text,
        fixed,
        axes,
        columns: columns.map(|words| words.into_iter().map(|word| word.text).collect()),
    };
    reader.used(&sweep)?;
    source.at(&root.place("grid"), sweep.points())?;
    let places = Places {
        path: path.to_owned(),
        text: text.to_owned(),
        spans: reader.spans,
    };
    Ok((sweep, places))
}

struct Reader<'a> {
    source: Source<'a>,
    known: Vec<Known>,
    spans: Vec<(String, Range<usize>)>,
    /// Names that are no inputs of the verb.
    variables: Vec<Word>,
}

impl<'a> Reader<'a> {
    /// The name as the verb knows it; each stands once in a file.
    fn name(&mut self, key: &Word) -> Result<(String, bool)> {
        let name = key.text.replace('_', "-");
        if self.spans.iter().any(|(other, _)| *other == name) {
            return Err(self.source.wrong(
                &key.span,
                format!("`{}` is given twice: give it once", key.text),
            ));
        }
        self.spans.push((name.clone(), key.span.clone()));
        let many = self.known.iter().find(|known| known.name == name);
        Ok((name, many.is_some_and(|known| known.many)))
    }

    fn unknown(&self, key: &Word, more: &str) -> Error {
        let error = Error::unknown("input", &key.text, self.known.iter().map(|k| &k.name));
        self.source.wrong(&key.span, format!("{error}{more}"))
    }

    fn is_known(&self, name: &str) -> bool {
        self.known.iter().any(|known| known.name == name)
    }

    fn fixed(&mut self, root: &Section<'a>) -> Result<Vec<(String, Vec<String>)>> {
        let Some(value) = root.get("fixed") else {
            return Ok(Vec::new());
        };
        let section = Section::open(self.source, value, "[fixed]")?;
        let mut fixed = Vec::new();
        for (key, value) in section.entries() {
            let (name, many) = self.name(&key)?;
            if !self.is_known(&name) {
                return Err(self.unknown(&key, " (in [fixed])"));
            }
            fixed.push((name, texts(self.source, &key.text, many, value)?));
        }
        Ok(fixed)
    }

    fn swept(&mut self, key: &Word, value: &'a Spanned<DeValue<'a>>) -> Result<Axis> {
        let (name, many) = self.name(key)?;
        if !self.is_known(&name) {
            self.variables.push(Word {
                text: key.text.clone(),
                span: key.span.clone(),
            });
        }
        // A name that only other inputs use keeps its spelling.
        let name = if self.is_known(&name) {
            name
        } else {
            key.text.clone()
        };
        let input = swept(self.source, key, &name, many, value).map_err(|error| {
            // A slip of the key comes first, unless it is a name that other inputs use.
            let braced = format!("{{{}}}", key.text);
            if self.is_known(&name) || self.source.text.contains(&braced) {
                error
            } else {
                self.unknown(key, "")
            }
        })?;
        Ok(Axis {
            inputs: vec![input],
        })
    }

    /// Every axis in the order of the file: the inputs of `[grid]` one by one, each `[[zip]]` as one.
    fn axes(&mut self, root: &Section<'a>) -> Result<Vec<Axis>> {
        let mut axes: Vec<(usize, Axis)> = Vec::new();
        if let Some(value) = root.get("grid") {
            for (key, value) in Section::open(self.source, value, "[grid]")?.entries() {
                let start = key.span.start;
                axes.push((start, self.swept(&key, value)?));
            }
        }
        let zips: Vec<&'a Spanned<DeValue<'a>>> = match root.get("zip") {
            None => Vec::new(),
            Some(value) => match value.get_ref() {
                DeValue::Array(items) => items.iter().collect(),
                _ => vec![value],
            },
        };
        for value in zips {
            let section = Section::open(self.source, value, "[[zip]]")?;
            let mut inputs = Vec::new();
            let mut start = section.span.start;
            for (at, (key, value)) in section.entries().into_iter().enumerate() {
                if at == 0 {
                    start = key.span.start;
                }
                let axis = self.swept(&key, value)?;
                inputs.extend(axis.inputs);
                if inputs[0].values.len() != inputs[at].values.len() {
                    return Err(self.source.wrong(
                        &key.span,
                        format!(
                            "`{}` has {} values and `{}` has {}: what is zipped has equally many",
                            inputs[at].name,
                            inputs[at].values.len(),
                            inputs[0].name,
                            inputs[0].values.len()
                        ),
                    ));
                }
            }
            if inputs.is_empty() {
                return Err(self.source.wrong(&section.span, "a [[zip]] has no inputs"));
            }
            axes.push((start, Axis { inputs }));
        }
        if axes.is_empty() {
            return Err(self.source.wrong(
                &(0..0),
                "nothing is swept: put inputs with lists or ranges under [grid]",
            ));
        }
        axes.sort_by_key(|(start, _)| *start);
        Ok(axes.into_iter().map(|(_, axis)| axis).collect())
    }

    /// A name that is no input must be used by one, in braces.
    fn used(&self, sweep: &Sweep) -> Result<()> {
        for word in &self.variables {
            let braced = format!("{{{}}}", word.text);
            let in_fixed = sweep
                .fixed
                .iter()
                .any(|(_, texts)| texts.iter().any(|text| text.contains(&braced)));
            let in_swept = sweep.swept().any(|(_, input)| {
                input
                    .values
                    .iter()
                    .any(|value| value.texts.iter().any(|text| text.contains(&braced)))
            });
            if !in_fixed && !in_swept {
                let more =
                    format!("; a name of your own is used in another input, in braces: {braced}");
                return Err(self.unknown(word, &more));
            }
        }
        Ok(())
    }
}
