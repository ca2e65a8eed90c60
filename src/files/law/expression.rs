//! An expression of a law file: text to a tree, with the column of what does not read.
//!
//! ```text
//! expression = sum [ ( "<" | "<=" | ">" | ">=" ) sum ]        1 if it holds, 0 if not
//! sum        = product { ( "+" | "-" ) product }
//! product    = sign { ( "*" | "/" ) sign }
//! sign       = [ "-" | "+" ] power
//! power      = atom [ "^" sign ]                              from the right; -x^2 is -(x^2)
//! atom       = number | name | function "(" expression { "," expression } ")" | "(" expression ")"
//! ```

use crate::error::{Error, Result};

/// A function of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Min,
    Max,
    If,
    Abs,
    Sqrt,
    Cbrt,
    Exp,
    Ln,
    Log10,
    Log2,
    Floor,
    Ceil,
}

/// Name, function and number of arguments (`None`: two or more).
pub(super) const FUNCTIONS: &[(&str, Function, Option<usize>)] = &[
    ("min", Function::Min, None),
    ("max", Function::Max, None),
    ("if", Function::If, Some(3)),
    ("abs", Function::Abs, Some(1)),
    ("sqrt", Function::Sqrt, Some(1)),
    ("cbrt", Function::Cbrt, Some(1)),
    ("exp", Function::Exp, Some(1)),
    ("ln", Function::Ln, Some(1)),
    ("log10", Function::Log10, Some(1)),
    ("log2", Function::Log2, Some(1)),
    ("floor", Function::Floor, Some(1)),
    ("ceil", Function::Ceil, Some(1)),
];

/// Two arguments and a sign between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
}

/// A tree. `Name` is what the reader of names made of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Number(f64),
    Name(usize),
    Negative(Box<Node>),
    Pair(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

/// What does not read, and where it begins: bytes from the start of the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wrong {
    pub at: usize,
    pub detail: String,
}

/// Nested parentheses and signs that an expression may have.
const DEEPEST: usize = 60;
/// Parts that an expression may have, definitions written out.
const LONGEST: usize = 10_000;

/// Arguments that a function may have: `min` and `max` compare each with each.
const MOST_ARGUMENTS: usize = 64;

struct Reader<'a, F> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// Parts read so far, counted before a tree is made of them: a tree that is too deep cannot even be dropped.
    parts: usize,
    resolve: F,
}

/// Reads an expression; `resolve` says what a name stands for, or which names there are.
pub(super) fn read(
    text: &str,
    resolve: impl Fn(&str) -> Result<Node>,
) -> std::result::Result<Node, Wrong> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
        parts: 0,
        resolve,
    };
    let tree = reader.comparison()?;
    reader.space();
    if reader.at < text.len() {
        return Err(reader.expected("an operator (+ - * / ^ < <= > >=) or the end"));
    }
    Ok(tree)
}

/// Parts of a tree.
fn size(node: &Node) -> usize {
    1 + match node {
        Node::Number(_) | Node::Name(_) => 0,
        Node::Negative(inner) => size(inner),
        Node::Pair(_, left, right) => size(left) + size(right),
        Node::Call(_, arguments) => arguments.iter().map(size).sum(),
    }
}

type Read<T> = std::result::Result<T, Wrong>;

impl<F: Fn(&str) -> Result<Node>> Reader<'_, F> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn expected(&self, what: &str) -> Wrong {
        let found = self.rest().chars().next().map_or_else(
            || "it ends".to_owned(),
            |_| {
                let word: String = self
                    .rest()
                    .chars()
                    .enumerate()
                    .take_while(|(i, c)| *i == 0 || c.is_alphanumeric() || *c == '_')
                    .map(|(_, c)| c)
                    .collect();
                format!("`{word}` stands")
            },
        );
        Wrong {
            at: self.at,
            detail: format!("{found} where {what} is needed"),
        }
    }

    fn take(&mut self, sign: &str) -> bool {
        self.space();
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == DEEPEST {
            return Err(Wrong {
                at: self.at,
                detail: format!("more than {DEEPEST} levels of parentheses and signs"),
            });
        }
        self.depth += 1;
        let out = inner(self);
        self.depth -= 1;
        out
    }

    /// Counts more parts.
    fn count(&mut self, parts: usize) -> Read<()> {
        self.parts = self.parts.saturating_add(parts);
        if self.parts > LONGEST {
            return Err(Wrong {
                at: self.at,
                detail: format!("more than {LONGEST} parts with its definitions written out"),
            });
        }
        Ok(())
    }

    fn pair(&mut self, operator: Operator, left: Node, right: Node) -> Read<Node> {
        self.count(1)?;
        Ok(Node::Pair(operator, Box::new(left), Box::new(right)))
    }

    fn comparison(&mut self) -> Read<Node> {
        let left = self.sum()?;
        for (sign, operator) in [
            ("<=", Operator::LessOrEqual),
            (">=", Operator::MoreOrEqual),
            ("<", Operator::Less),
            (">", Operator::More),
        ] {
            if self.take(sign) {
                let right = self.sum()?;
                return self.pair(operator, left, right);
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Read<Node> {
        let mut left = self.product()?;
        loop {
            let operator = if self.take("+") {
                Operator::Add
            } else if self.take("-") {
                Operator::Subtract
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = self.pair(operator, left, right)?;
        }
    }

    fn product(&mut self) -> Read<Node> {
        let mut left = self.sign()?;
        loop {
            let operator = if self.take("*") {
                Operator::Multiply
            } else if self.take("/") {
                Operator::Divide
            } else {
                return Ok(left);
            };
            let right = self.sign()?;
            left = self.pair(operator, left, right)?;
        }
    }

    fn sign(&mut self) -> Read<Node> {
        if self.take("-") {
            self.count(1)?;
            return self.deeper(|reader| Ok(Node::Negative(Box::new(reader.sign()?))));
        }
        if self.take("+") {
            return self.deeper(Self::sign);
        }
        let base = self.atom()?;
        if self.take("^") {
            let exponent = self.deeper(Self::sign)?;
            return self.pair(Operator::Power, base, exponent);
        }
        Ok(base)
    }

    fn atom(&mut self) -> Read<Node> {
        self.space();
        if self.take("(") {
            let inner = self.deeper(Self::comparison)?;
            return if self.take(")") {
                Ok(inner)
            } else {
                Err(self.expected("`)` or an operator"))
            };
        }
        match self.rest().chars().next() {
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() || c == '_' => self.word(),
            _ => Err(self.expected("a number, a name, a function or `(`")),
        }
    }

    fn number(&mut self) -> Read<Node> {
        let bytes = self.rest().as_bytes();
        let digits = |from: usize| {
            bytes[from..]
                .iter()
                .take_while(|b| b.is_ascii_digit() || **b == b'_')
                .count()
        };
        let mut end = digits(0);
        if bytes.get(end) == Some(&b'.') {
            end += 1;
            end += digits(end);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let more = digits(end + 1 + sign);
            if more > 0 {
                end += 1 + sign + more;
            }
        }
        let word: String = self.rest()[..end].replace('_', "");
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                self.count(1)?;
                self.at += end;
                Ok(Node::Number(value))
            }
            _ => Err(self.expected("a finite number")),
        }
    }

    fn word(&mut self) -> Read<Node> {
        let start = self.at;
        let word: String = self
            .rest()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        self.at += word.len();
        let wrong = |detail: String| Wrong { at: start, detail };
        self.space();
        if !self.rest().starts_with('(') {
            if FUNCTIONS.iter().any(|(name, ..)| *name == word) {
                return Err(self.expected(&format!("`(` after the function `{word}`")));
            }
            let tree = (self.resolve)(&word).map_err(|error| wrong(error.to_string()))?;
            self.count(size(&tree))?;
            return Ok(tree);
        }
        let Some((_, function, count)) = FUNCTIONS.iter().find(|(name, ..)| *name == word) else {
            let known = FUNCTIONS.iter().map(|(name, ..)| *name);
            return Err(wrong(Error::unknown("function", &word, known).to_string()));
        };
        self.at += 1;
        self.count(1)?;
        let mut arguments = vec![self.deeper(Self::comparison)?];
        while self.take(",") {
            if arguments.len() == MOST_ARGUMENTS {
                return Err(wrong(format!(
                    "`{word}` has more than {MOST_ARGUMENTS} arguments"
                )));
            }
            arguments.push(self.deeper(Self::comparison)?);
        }
        if !self.take(")") {
            return Err(self.expected("`,`, `)` or an operator"));
        }
        let right = count.map_or(arguments.len() >= 2, |n| arguments.len() == n);
        if !right {
            let needed = count.map_or_else(|| "two or more".to_owned(), |n| n.to_string());
            return Err(wrong(format!(
                "`{word}` has {} argument{}: {needed} needed",
                arguments.len(),
                if arguments.len() == 1 { "" } else { "s" }
            )));
        }
        Ok(Node::Call(*function, arguments))
    }
}
