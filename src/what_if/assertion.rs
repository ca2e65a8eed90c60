//! Assertions about answers, for other people's continuous integration.
//!
//! ```text
//! expression = conjunction { "or" conjunction }
//! conjunction = factor { "and" factor }
//! factor     = "not" factor | "(" expression ")" | comparison
//! comparison = key ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) value
//!            | key "within" share "of" value
//! key        = name { "." ( name | position ) }      of an answer, as JSON prints it; a list's items by their name or from 1
//! value      = number [ unit ] | word | "'" text "'"  a quantity in any unit of the key's kind; words compare by == and != only
//! share      = number [ "%" ]
//! ```
//!
//! A key ends in its unit, and a bare number is in that unit. What has no value (`null`) makes a comparison neither true nor
//! false, so that its opposite does not hold either; an assertion holds only where it is true.

use crate::error::{Error, Result};
use crate::units::{Bytes, Rate, Seconds, Size, parse_number};

/// What an answer says under a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// A number in the key's unit.
    Number(f64),
    /// A word.
    Word(String),
    /// No value.
    Missing,
}

/// An assertion that has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion(Node);

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Any(Vec<Node>),
    All(Vec<Node>),
    Not(Box<Node>),
    Compare(Comparison),
}

#[derive(Debug, Clone, PartialEq)]
struct Comparison {
    key: String,
    relation: Relation,
    value: Fact,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Relation {
    Less,
    AtMost,
    More,
    AtLeast,
    Same,
    Other,
    Within(f64),
}

/// Parentheses and `not` inside one another.
const DEEPEST: usize = 64;

/// Words with a meaning of their own.
const RESERVED: &[&str] = &["and", "or", "not", "within", "of"];

#[derive(Debug, Clone, PartialEq)]
struct Token {
    text: String,
    /// In characters, from 1.
    column: usize,
    quoted: bool,
}

fn wrong(column: usize, what: impl std::fmt::Display) -> Error {
    Error::Arguments(format!(
        "the assertion does not read at column {column}: {what}"
    ))
}

fn tokens(text: &str) -> Result<Vec<Token>> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        let c = chars[at];
        let mut quoted = false;
        if c.is_whitespace() {
            at += 1;
            continue;
        } else if matches!(c, '(' | ')') {
            at += 1;
        } else if matches!(c, '<' | '>' | '=' | '!') {
            at += 1 + usize::from(chars.get(at + 1) == Some(&'='));
        } else if matches!(c, '\'' | '"') {
            let end = chars[at + 1..].iter().position(|other| *other == c);
            let end = end.ok_or_else(|| wrong(start + 1, "this quotation mark is not closed"))?;
            at += end + 2;
            quoted = true;
        } else {
            while at < chars.len()
                && !chars[at].is_whitespace()
                && !matches!(chars[at], '(' | ')' | '<' | '>' | '=' | '!' | '\'' | '"')
            {
                at += 1;
            }
        }
        let inside = if quoted { start + 1..at - 1 } else { start..at };
        out.push(Token {
            text: chars[inside].iter().collect(),
            column: start + 1,
            quoted,
        });
    }
    Ok(out)
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    end: usize,
}

impl Reader {
    fn is(&self, word: &str) -> bool {
        let token = self.tokens.get(self.at);
        token.is_some_and(|token| !token.quoted && token.text == word)
    }

    fn take(&mut self, word: &str) -> bool {
        let is = self.is(word);
        self.at += usize::from(is);
        is
    }

    fn next(&mut self, wanted: &str) -> Result<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token.ok_or_else(|| wrong(self.end, format!("it ends where {wanted} should stand")))
    }

    fn any(&mut self, depth: usize) -> Result<Node> {
        let mut parts = vec![self.all(depth)?];
        while self.take("or") {
            parts.push(self.all(depth)?);
        }
        Ok(Node::Any(parts))
    }

    fn all(&mut self, depth: usize) -> Result<Node> {
        let mut parts = vec![self.factor(depth)?];
        while self.take("and") {
            parts.push(self.factor(depth)?);
        }
        Ok(Node::All(parts))
    }

    fn factor(&mut self, depth: usize) -> Result<Node> {
        let column = self.tokens.get(self.at).map_or(self.end, |t| t.column);
        if depth >= DEEPEST {
            return Err(wrong(
                column,
                format!("more than {DEEPEST} levels inside one another"),
            ));
        }
        if self.take("not") {
            return Ok(Node::Not(Box::new(self.factor(depth + 1)?)));
        }
        if self.take("(") {
            let inner = self.any(depth + 1)?;
            if self.take(")") {
                return Ok(inner);
            }
            let column = self.tokens.get(self.at).map_or(self.end, |t| t.column);
            return Err(wrong(
                column,
                "a closing parenthesis, `and` or `or` should stand here",
            ));
        }
        self.comparison().map(Node::Compare)
    }

    fn comparison(&mut self) -> Result<Comparison> {
        let key = self.next("a key such as window_pkt")?;
        let named = key.text.starts_with(|c: char| c.is_ascii_alphabetic());
        if key.quoted || !named || RESERVED.contains(&key.text.as_str()) {
            return Err(wrong(
                key.column,
                format!(
                    "`{}` is no key: allowed is a key of the answer, such as window_pkt",
                    key.text
                ),
            ));
        }
        let sign = self.next("a comparison such as <= or within")?;
        let relation = match (sign.quoted, sign.text.as_str()) {
            (false, "<") => Relation::Less,
            (false, "<=") => Relation::AtMost,
            (false, ">") => Relation::More,
            (false, ">=") => Relation::AtLeast,
            (false, "==") => Relation::Same,
            (false, "!=") => Relation::Other,
            (false, "within") => self.within()?,
            _ => {
                return Err(wrong(
                    sign.column,
                    format!(
                        "`{}` is no comparison: allowed are <, <=, >, >=, ==, != and within SHARE of",
                        sign.text
                    ),
                ));
            }
        };
        let given = self.next("a value such as 100 or 1Gbit/s")?;
        let value = value(&key.text, &given)?;
        if matches!(value, Fact::Word(_)) && !matches!(relation, Relation::Same | Relation::Other) {
            return Err(wrong(
                given.column,
                format!(
                    "`{}` is no number: words compare by == and != only",
                    given.text
                ),
            ));
        }
        Ok(Comparison {
            key: key.text,
            relation,
            value,
        })
    }

    fn within(&mut self) -> Result<Relation> {
        let share = self.next("a share such as 5%")?;
        let number = parse_number("share", &share.text).ok();
        let number = number.filter(|x| *x >= 0.0 && !share.quoted);
        let number = number.ok_or_else(|| {
            wrong(
                share.column,
                format!(
                    "`{}` is no share: allowed is a number such as 5% or 0.05",
                    share.text
                ),
            )
        })?;
        if self.take("of") {
            return Ok(Relation::Within(number));
        }
        let column = self.tokens.get(self.at).map_or(self.end, |t| t.column);
        Err(wrong(
            column,
            "`of` should stand here, as in within 5% of 1Gbit/s",
        ))
    }
}

/// A value in the unit that the key ends in.
fn value(key: &str, given: &Token) -> Result<Fact> {
    let text = given.text.as_str();
    if given.quoted {
        return Ok(Fact::Word(text.to_owned()));
    }
    if text.starts_with(|c: char| c.is_alphabetic()) && !RESERVED.contains(&text) {
        return Ok(Fact::Word(text.to_owned()));
    }
    if let Ok(number) = parse_number("number", text) {
        return Ok(Fact::Number(number));
    }
    let last = key.rsplit('_').next().unwrap_or("");
    let number = match last {
        "bps" => match Rate::parse(text) {
            Ok(Rate::Bits(rate)) => Some(rate.value()),
            _ => None,
        },
        "pps" => match Rate::parse(text) {
            Ok(Rate::Packets(rate)) => Some(rate.value()),
            _ => None,
        },
        "pkt" => match Size::parse(text) {
            Ok(Size::Packets(count)) => Some(count.value()),
            _ => None,
        },
        "s" | "losses" => Seconds::parse(text).ok().map(Seconds::value),
        "bytes" => Bytes::parse(text).ok().map(Bytes::value),
        _ => None,
    };
    number.map(Fact::Number).ok_or_else(|| {
        wrong(
            given.column,
            format!("`{text}` is no value for `{key}`: allowed is a number, alone or with a unit of the kind that the key ends in, or a word"),
        )
    })
}

impl Assertion {
    /// Reads an assertion.
    ///
    /// # Errors
    /// [`Error::Arguments`] with the column of what does not read.
    ///
    /// ```
    /// use cwnd::what_if::assertion::{Assertion, Fact};
    /// let wanted = Assertion::parse("window_pkt > 100 and not rate_bps within 5% of 1Gbit/s")?;
    /// let answer = |key: &str| Ok(if key == "window_pkt" { Fact::Number(122.5) } else { Fact::Number(1.5e6) });
    /// assert_eq!(wanted.holds(&answer)?, Some(true));
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let mut reader = Reader {
            tokens: tokens(text)?,
            at: 0,
            end: text.chars().count() + 1,
        };
        let node = reader.any(0)?;
        match reader.tokens.get(reader.at) {
            None => Ok(Self(node)),
            Some(token) => Err(wrong(
                token.column,
                format!(
                    "`{}` stands where `and`, `or` or the end should be",
                    token.text
                ),
            )),
        }
    }

    /// Whether it holds for the facts that `look` finds under its keys; `None` if a missing value leaves that open.
    ///
    /// # Errors
    /// Those of `look`; [`Error::Arguments`] for a word compared with a number.
    pub fn holds(&self, look: &dyn Fn(&str) -> Result<Fact>) -> Result<Option<bool>> {
        truth(&self.0, look)
    }

    /// Every key that it compares, each once, in order.
    #[must_use]
    pub fn keys(&self) -> Vec<&str> {
        fn gather<'a>(node: &'a Node, out: &mut Vec<&'a str>) {
            match node {
                Node::Any(parts) | Node::All(parts) => parts.iter().for_each(|n| gather(n, out)),
                Node::Not(inner) => gather(inner, out),
                Node::Compare(one) if out.contains(&one.key.as_str()) => {}
                Node::Compare(one) => out.push(&one.key),
            }
        }
        let mut out = Vec::new();
        gather(&self.0, &mut out);
        out
    }
}

type Look<'a> = &'a dyn Fn(&str) -> Result<Fact>;

/// Kleene's logic. Every part is looked at, so that an unknown key never hides behind another part.
fn truth(node: &Node, look: Look) -> Result<Option<bool>> {
    let parts = |parts: &[Node], decides: bool| -> Result<Option<bool>> {
        let found: Result<Vec<_>> = parts.iter().map(|part| truth(part, look)).collect();
        let found = found?;
        Ok(if found.contains(&Some(decides)) {
            Some(decides)
        } else if found.contains(&None) {
            None
        } else {
            Some(!decides)
        })
    };
    match node {
        Node::Any(list) => parts(list, true),
        Node::All(list) => parts(list, false),
        Node::Not(inner) => Ok(truth(inner, look)?.map(|held| !held)),
        Node::Compare(one) => compare(one, &look(&one.key)?),
    }
}

fn compare(one: &Comparison, found: &Fact) -> Result<Option<bool>> {
    let relation = one.relation;
    Ok(match (found, &one.value) {
        (Fact::Missing, _) | (_, Fact::Missing) => None,
        (Fact::Word(x), Fact::Word(y)) => Some((x == y) == (relation == Relation::Same)),
        (Fact::Number(x), Fact::Number(y)) => Some(match relation {
            Relation::Less => x < y,
            Relation::AtMost => x <= y,
            Relation::More => x > y,
            Relation::AtLeast => x >= y,
            Relation::Same => x == y,
            Relation::Other => x != y,
            Relation::Within(share) => (x - y).abs() <= share * y.abs(),
        }),
        (Fact::Word(_), Fact::Number(_)) => {
            return Err(Error::Arguments(format!(
                "the assertion compares `{}`, which is a word, with a number",
                one.key
            )));
        }
        (Fact::Number(_), Fact::Word(word)) => {
            return Err(Error::Arguments(format!(
                "the assertion compares `{}`, which is a number, with the word `{word}`",
                one.key
            )));
        }
    })
}
