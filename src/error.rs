//! One error type. Each variant carries what was given and what was allowed; its `Display` is one sentence.

use std::fmt;

/// What every fallible function of the crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a question could not be answered.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A name that is in no list.
    Unknown {
        /// What kind of name it should have been: `law`, `preset`, `form` …
        what: &'static str,
        /// The name as typed.
        given: String,
        /// Every name that would have been right.
        allowed: Vec<String>,
    },
    /// Text that is not the quantity it should be.
    Malformed {
        /// The quantity: `time`, `rate`, `loss rate` …
        what: &'static str,
        /// The text as typed.
        given: String,
        /// What is allowed, with an example.
        allowed: String,
    },
    /// A number outside its range.
    OutOfRange {
        /// Whose number it is.
        what: String,
        /// The number as typed or as computed.
        given: String,
        /// The range, in words or as an interval.
        allowed: String,
    },
    /// Arguments that do not go together, or one that is missing: a whole sentence without its full stop.
    Arguments(String),
    /// The question is sound, but this road or form has no answer there: the reason in a few words.
    NoAnswer(String),
    /// A numerical method stopped without a result.
    Numeric {
        /// The method.
        method: &'static str,
        /// What went wrong, with its numbers.
        detail: String,
    },
    /// A figure that cannot be drawn.
    Drawing(String),
    /// Something wrong at a place in a file.
    Place {
        /// The file as typed.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong there, a sentence without its full stop.
        detail: String,
    },
    /// A file that cannot be read or written.
    File {
        /// The path as typed.
        path: String,
        /// What the system said.
        detail: String,
    },
}

impl Error {
    /// An unknown name, with the list it was looked up in.
    pub fn unknown<S: AsRef<str>>(
        what: &'static str,
        given: &str,
        allowed: impl IntoIterator<Item = S>,
    ) -> Self {
        let allowed = allowed.into_iter().map(|s| s.as_ref().to_owned()).collect();
        Self::Unknown {
            what,
            given: given.to_owned(),
            allowed,
        }
    }

    /// Text that does not read as the quantity wanted.
    pub fn malformed(what: &'static str, given: &str, allowed: impl Into<String>) -> Self {
        Self::Malformed {
            what,
            given: given.to_owned(),
            allowed: allowed.into(),
        }
    }

    /// A number outside its range.
    pub fn out_of_range(
        what: impl Into<String>,
        given: impl fmt::Display,
        allowed: impl Into<String>,
    ) -> Self {
        Self::OutOfRange {
            what: what.into(),
            given: given.to_string(),
            allowed: allowed.into(),
        }
    }

    /// The word nearest to `given` by edit distance, if one is near enough to have been meant.
    #[must_use]
    pub fn nearest<'a>(given: &str, allowed: &'a [String]) -> Option<&'a str> {
        let given = given.to_lowercase();
        allowed
            .iter()
            .map(|word| {
                (
                    strsim::damerau_levenshtein(&given, &word.to_lowercase()),
                    word,
                )
            })
            .filter(|(distance, word)| {
                *distance <= 1 + word.chars().count().max(given.chars().count()) / 3
            })
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, word)| word.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown {
                what,
                given,
                allowed,
            } => {
                write!(f, "unknown {what} `{given}`: ")?;
                if let Some(near) = Self::nearest(given, allowed) {
                    write!(f, "did you mean `{near}`? ")?;
                }
                if allowed.is_empty() {
                    write!(f, "none is allowed here")
                } else {
                    write!(f, "allowed are {}", allowed.join(", "))
                }
            }
            Self::Malformed {
                what,
                given,
                allowed,
            } => {
                write!(f, "`{given}` is not a {what}: allowed is {allowed}")
            }
            Self::OutOfRange {
                what,
                given,
                allowed,
            } => {
                write!(
                    f,
                    "{what} is {given}, which is out of range: allowed is {allowed}"
                )
            }
            Self::Arguments(sentence) | Self::NoAnswer(sentence) => f.write_str(sentence),
            Self::Numeric { method, detail } => write!(f, "{method} found no result: {detail}"),
            Self::Drawing(detail) => write!(f, "the figure cannot be drawn: {detail}"),
            Self::Place {
                path,
                line,
                column,
                detail,
            } => write!(f, "{path}, line {line}, column {column}: {detail}"),
            Self::File { path, detail } => write!(f, "the file `{path}` cannot be used: {detail}"),
        }
    }
}

impl std::error::Error for Error {}
