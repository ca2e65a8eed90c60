//! A table of a TOML file with the place of everything in it.

use crate::error::{Error, Result};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The file.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub path: &'a str,
    pub text: &'a str,
}

impl Source<'_> {
    /// An error at a place of the file.
    pub fn wrong(&self, span: &Range<usize>, detail: impl Into<String>) -> Error {
        let at = span.start.min(self.text.len());
        let before = self.text.get(..at).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Error::Place {
            path: self.path.to_owned(),
            line,
            column,
            detail: detail.into().trim_end_matches('.').replace('\n', " "),
        }
    }

    /// The file as TOML, with the place of everything in it.
    pub fn document(&self) -> Result<Spanned<DeTable<'_>>> {
        DeTable::parse(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let message = error.message();
            // The span may be the key or only the place where it begins.
            let key = self
                .text
                .get(span.start..)
                .unwrap_or_default()
                .split(|c: char| c.is_whitespace() || matches!(c, '=' | ']' | '.'))
                .next()
                .unwrap_or_default();
            if message.starts_with("duplicate key") && !key.is_empty() {
                self.wrong(
                    &span,
                    format!("the key `{key}` is given twice: give it once"),
                )
            } else {
                self.wrong(&span, message)
            }
        })
    }

    /// The same error, at a place of the file.
    pub fn at<T>(&self, span: &Range<usize>, result: Result<T>) -> Result<T> {
        result.map_err(|error| match error {
            placed @ Error::Place { .. } => placed,
            other => self.wrong(span, other.to_string()),
        })
    }
}

/// A value as text, with its place.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub text: String,
    pub span: Range<usize>,
}

/// A table.
pub(super) struct Section<'a> {
    pub source: Source<'a>,
    table: &'a DeTable<'a>,
    /// The table's own place.
    pub span: Range<usize>,
}

impl<'a> Section<'a> {
    /// The table, if it has no other keys than these. `name` is what a message calls it.
    pub fn new(
        source: Source<'a>,
        value: &'a Spanned<DeValue<'a>>,
        name: &str,
        keys: &[&str],
    ) -> Result<Self> {
        let section = Self::open(source, value, name)?;
        section.only(name, keys)?;
        Ok(section)
    }

    /// The table, whatever its keys are.
    pub fn open(source: Source<'a>, value: &'a Spanned<DeValue<'a>>, name: &str) -> Result<Self> {
        let Some(table) = value.get_ref().as_table() else {
            return Err(source.wrong(
                &value.span(),
                format!("`{name}` is a {}: a table is needed", kind(value)),
            ));
        };
        Ok(Self {
            source,
            table,
            span: value.span(),
        })
    }

    /// The whole file, whatever keys it has.
    pub fn whole(source: Source<'a>, document: &'a Spanned<DeTable<'a>>) -> Self {
        Self {
            source,
            table: document.get_ref(),
            span: 0..0,
        }
    }

    /// The whole file.
    pub fn root(
        source: Source<'a>,
        document: &'a Spanned<DeTable<'a>>,
        keys: &[&str],
    ) -> Result<Self> {
        let section = Self {
            source,
            table: document.get_ref(),
            span: 0..0,
        };
        section.only("the file", keys)?;
        Ok(section)
    }

    fn only(&self, name: &str, keys: &[&str]) -> Result<()> {
        let mut unknown: Vec<_> = self
            .table
            .keys()
            .filter(|key| !keys.contains(&key.get_ref().as_ref()))
            .collect();
        unknown.sort_by_key(|key| key.span().start);
        match unknown.first() {
            None => Ok(()),
            Some(key) => {
                let error = Error::unknown("key", key.get_ref(), keys);
                Err(self
                    .source
                    .wrong(&key.span(), format!("{error} (in {name})")))
            }
        }
    }

    pub fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(key)
    }

    /// Keys with their values, in the order of the file.
    pub fn entries(&self) -> Vec<(Word, &'a Spanned<DeValue<'a>>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| {
                let word = Word {
                    text: key.get_ref().to_string(),
                    span: key.span(),
                };
                (word, value)
            })
            .collect();
        entries.sort_by_key(|(key, _)| key.span.start);
        entries
    }

    /// A text or a number, as text.
    pub fn word(&self, key: &str) -> Result<Option<Word>> {
        self.get(key)
            .map(|value| self.word_of(key, value))
            .transpose()
    }

    fn word_of(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Word> {
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            _ => {
                return Err(self.source.wrong(
                    &value.span(),
                    format!("`{key}` is a {}: a text or a number is needed", kind(value)),
                ));
            }
        };
        Ok(Word {
            text,
            span: value.span(),
        })
    }

    /// A list of texts; one text is a list of one.
    pub fn words(&self, key: &str) -> Result<Option<Vec<Word>>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.get_ref() {
            DeValue::Array(items) => items
                .iter()
                .map(|item| self.word_of(key, item))
                .collect::<Result<_>>()
                .map(Some),
            _ => Ok(Some(vec![self.word_of(key, value)?])),
        }
    }

    /// True or false.
    pub fn switch(&self, key: &str) -> Result<Option<bool>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.get_ref() {
            DeValue::Boolean(on) => Ok(Some(*on)),
            _ => Err(self.source.wrong(
                &value.span(),
                format!("`{key}` is a {}: true or false is needed", kind(value)),
            )),
        }
    }

    /// What `read` makes of the text of `key`, or `otherwise` if the key is left out.
    pub fn read<T>(
        &self,
        key: &str,
        otherwise: T,
        read: impl FnOnce(&str) -> Result<T>,
    ) -> Result<T> {
        match self.word(key)? {
            None => Ok(otherwise),
            Some(word) => self.source.at(&word.span, read(&word.text)),
        }
    }

    /// The place of a key's value, or of the table.
    pub fn place(&self, key: &str) -> Range<usize> {
        self.get(key).map_or(self.span.clone(), Spanned::span)
    }
}

/// What a value is, for a message.
pub(super) fn kind(value: &Spanned<DeValue<'_>>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "text",
        DeValue::Integer(_) | DeValue::Float(_) => "number",
        DeValue::Boolean(_) => "switch",
        DeValue::Datetime(_) => "date",
        DeValue::Array(_) => "list",
        DeValue::Table(_) => "table",
    }
}
