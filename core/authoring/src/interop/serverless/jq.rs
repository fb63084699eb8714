//! Parses runtime expressions in jq, for [`super::translate`]. Refuses constructs without an equal.
//!
//! Invariant: [`MAX_DEPTH`] and [`MAX_LINKS`] limit the depth of the tree.
//!
//! Source: Serverless Workflow 1.0, "Runtime expressions"; the manual of jq 1.7.

mod operand;

use serde_json::Value as Json;
use stepgraph_core::value::Segment;

const MAX_DEPTH: usize = 24;
/// Each operator may add a level.
const MAX_LINKS: usize = 64;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Jq {
    Path(Base, Vec<Segment>),
    Literal(Json),
    Interpolation(Vec<Jq>),
    /// Arithmetic, comparison, `and`, `or` or `//`.
    Operator(Box<Jq>, &'static str, Box<Jq>),
    Negative(Box<Jq>),
    Pipe(Box<Jq>, Box<Jq>),
    Call(&'static str, Vec<Jq>),
    Index(Box<Jq>, Box<Jq>),
    Each(Box<Jq>),
    If(Box<[Jq; 3]>),
    Map(Vec<(Jq, Jq)>),
    List(Vec<Jq>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Base {
    Dot,
    Variable(String),
}

pub(super) type Unsupported = String;

/// Functions and their maximal number of arguments.
const FUNCTIONS: [(&str, usize); 30] = [
    ("add", 0),
    ("all", 2),
    ("any", 2),
    ("ascii_downcase", 0),
    ("ascii_upcase", 0),
    ("ceil", 0),
    ("contains", 1),
    ("endswith", 1),
    ("first", 0),
    ("flatten", 1),
    ("floor", 0),
    ("has", 1),
    ("join", 1),
    ("last", 0),
    ("length", 0),
    ("map", 1),
    ("max", 0),
    ("min", 0),
    ("not", 0),
    ("reverse", 0),
    ("round", 0),
    ("select", 1),
    ("sort", 0),
    ("sort_by", 1),
    ("split", 1),
    ("startswith", 1),
    ("test", 2),
    ("tonumber", 0),
    ("tostring", 0),
    ("unique", 0),
];

/// Longer signs come before their prefixes.
const OPERATORS: [(&str, u8); 14] = [
    ("//", 1),
    ("or", 2),
    ("and", 3),
    ("==", 4),
    ("!=", 4),
    ("<=", 4),
    (">=", 4),
    ("<", 4),
    (">", 4),
    ("+", 5),
    ("-", 5),
    ("*", 6),
    ("/", 6),
    ("%", 6),
];

pub(super) fn parse(text: &str) -> Result<Jq, Unsupported> {
    let mut reader = Parser { text, at: 0, depth: 0, links: 0 };
    let found = reader.pipe()?;
    reader.skip_whitespace();
    if reader.at < text.len() { Err(reader.unsupported()) } else { Ok(found) }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    links: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_whitespace(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.skip_whitespace();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Unsupported> {
        if self.eat(sign) { Ok(()) } else { Err(self.unsupported()) }
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn eat_word(&mut self, word: &str) -> bool {
        self.skip_whitespace();
        let before = self.at;
        let found = self.word() == word;
        if !found {
            self.at = before;
        }
        found
    }

    fn unsupported(&self) -> Unsupported {
        let rest = self.rest().trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        match rest.get(..end).unwrap_or_default() {
            "" => "it ends too early".to_owned(),
            word => format!("`{}` is not supported", stepgraph_core::diagnostic::shorten_name(word)),
        }
    }

    fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Unsupported>,
    ) -> Result<T, Unsupported> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        let parsed = parse(self)?;
        self.depth -= 1;
        Ok(parsed)
    }

    /// Counts a part that encloses earlier parts.
    fn link(&mut self) -> Result<(), Unsupported> {
        self.links += 1;
        if self.links > MAX_LINKS { Err("it has too many operators".to_owned()) } else { Ok(()) }
    }

    fn pipe(&mut self) -> Result<Jq, Unsupported> {
        self.nested(|parser| {
            let first = parser.operators(0)?;
            parser.piped(first)
        })
    }

    /// Parses `|` and everything after it.
    fn piped(&mut self, mut left: Jq) -> Result<Jq, Unsupported> {
        while self.eat("|") {
            self.link()?;
            let right = self.operators(0)?;
            left = match (left, right) {
                (Jq::Path(base, mut path), Jq::Path(Base::Dot, more)) => {
                    path.extend(more);
                    Jq::Path(base, path)
                }
                (left, right) => Jq::Pipe(Box::new(left), Box::new(right)),
            };
        }
        Ok(left)
    }

    fn operators(&mut self, least: u8) -> Result<Jq, Unsupported> {
        let mut left = self.postfix()?;
        while let Some((sign, precedence)) = self.operator(least) {
            self.link()?;
            // Only `//` groups to the right.
            let right = if sign == "//" { precedence } else { precedence + 1 };
            let right = self.nested(|parser| parser.operators(right))?;
            left = Jq::Operator(Box::new(left), sign, Box::new(right));
        }
        Ok(left)
    }

    fn operator(&mut self, least: u8) -> Option<(&'static str, u8)> {
        self.skip_whitespace();
        let found = OPERATORS.into_iter().find(|(sign, _)| self.rest().starts_with(sign));
        let (sign, precedence) = found.filter(|(_, precedence)| *precedence >= least)?;
        let is_word = sign.starts_with(char::is_alphabetic);
        (if is_word { self.eat_word(sign) } else { self.eat(sign) }).then_some((sign, precedence))
    }
}
