//! Conditions as plainly as they can be read and judged, from design section 5 alone.
//!
//! A reader over characters and an interpreter over plain data. Where the section is silent, this decides as the documentation
//! does: a key without brackets holds no blanks and none of the characters that separate the parts of a condition; escapes in
//! quotes are those of JSON, and `\'`.

use serde_json::Value as Json;
use std::collections::BTreeMap;

/// A condition as a tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    /// What stands at the end of a path, compared with a literal.
    Compare(Look, Operator, Literal),
    /// `.exists`
    Exists(Look),
    /// `!`
    Not(Box<Term>),
    /// `&&`
    And(Box<Term>, Box<Term>),
    /// `||`
    Or(Box<Term>, Box<Term>),
}

/// Where a reference begins, and its path.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// `last`, `input`, `error` and so on, or the name of an output; `output.last` for one of such a name.
    pub root: String,
    /// Keys and indices, as in JSON.
    pub path: Vec<Json>,
}

/// What a comparison asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the operators' own names")]
pub enum Operator {
    Equals,
    Differs,
    Contains,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// A literal as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Literal {
    /// Its text, without quotes.
    pub text: String,
    /// Whether it stands in quotes.
    pub quoted: bool,
}

/// What a condition can see.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// The last output.
    pub last: Json,
    /// The run's input.
    pub input: Json,
    /// The failure at hand.
    pub error: Option<Json>,
    /// Outputs by name.
    pub outputs: BTreeMap<String, Json>,
}

impl World {
    fn find(&self, look: &Look) -> Option<Json> {
        let root = match look.root.as_str() {
            "last" => Some(self.last.clone()),
            "input" => Some(self.input.clone()),
            "error" => self.error.clone(),
            name => self.outputs.get(name.strip_prefix("output.").unwrap_or(name)).cloned(),
        };
        look.path.iter().fold(root, |found, step| match (found?, step) {
            (Json::Object(map), Json::String(key)) => map.get(key).cloned(),
            (Json::Array(list), Json::Number(index)) => {
                list.get(usize::try_from(index.as_u64()?).ok()?).cloned()
            }
            (Json::Array(list), Json::String(digits)) => {
                let index: usize = digits.parse().ok()?;
                if index.to_string() == *digits { list.get(index).cloned() } else { None }
            }
            _ => None,
        })
    }

    /// Whether a condition holds.
    pub fn holds(&self, term: &Term) -> bool {
        match term {
            Term::Not(inner) => !self.holds(inner),
            Term::And(a, b) => self.holds(a) && self.holds(b),
            Term::Or(a, b) => self.holds(a) || self.holds(b),
            Term::Exists(look) => self.find(look).is_some(),
            // Data that is not there satisfies nothing.
            Term::Compare(look, operator, literal) => match self.find(look) {
                None => false,
                Some(value) => compare(&value, *operator, literal),
            },
        }
    }
}

fn compare(value: &Json, operator: Operator, literal: &Literal) -> bool {
    let ordered = || Some((value.as_f64()?, literal.number()?));
    match operator {
        Operator::Equals => equal(value, literal),
        Operator::Differs => !equal(value, literal),
        Operator::Contains => match value {
            Json::String(text) => text.contains(&literal.text),
            Json::Array(items) => items.iter().any(|item| equal(item, literal)),
            Json::Object(map) => map.keys().any(|key| *key == literal.text),
            _ => false,
        },
        Operator::Less => ordered().is_some_and(|(a, b)| a < b),
        Operator::AtMost => ordered().is_some_and(|(a, b)| a <= b),
        Operator::Greater => ordered().is_some_and(|(a, b)| a > b),
        Operator::AtLeast => ordered().is_some_and(|(a, b)| a >= b),
    }
}

fn equal(value: &Json, literal: &Literal) -> bool {
    match value {
        Json::Null => !literal.quoted && literal.text == "null",
        Json::Number(number) => match literal.number() {
            Some(other) => number.as_f64() == Some(other),
            None => literal.quoted && number_text(number.as_f64().unwrap_or(0.0)) == literal.text,
        },
        Json::Bool(truth) => literal.text == truth.to_string(),
        Json::String(text) => *text == literal.text,
        Json::Array(_) | Json::Object(_) => {
            serde_json::from_str(&literal.text).is_ok_and(|other: Json| same(value, &other))
        }
    }
}

/// Equality of structures, numbers numerically.
fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            let all = a.keys().chain(b.keys());
            all.into_iter().all(|key| a.get(key).zip(b.get(key)).is_some_and(|(a, b)| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Whole numbers without point or exponent, fractions in the shortest form.
fn number_text(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number:.0}").replace("-0", "0") } else { number.to_string() }
}

impl Literal {
    /// The number that it is, when it stands without quotes.
    pub fn number(&self) -> Option<f64> {
        let json: Json = serde_json::from_str(&self.text).ok().filter(|_| !self.quoted)?;
        json.as_f64().filter(|number| number.is_finite())
    }

    fn write(&self) -> String {
        if self.quoted { Json::from(self.text.as_str()).to_string() } else { self.text.clone() }
    }
}

impl Look {
    fn write(&self) -> String {
        let root = match self.root.as_str() {
            root @ ("last" | "input" | "error") => root.to_owned(),
            name => format!("output[{}]", Json::from(name.strip_prefix("output.").unwrap_or(name))),
        };
        self.path.iter().fold(root, |text, step| format!("{text}[{step}]"))
    }
}

impl Term {
    /// The text that means it, with parentheses around everything.
    pub fn write(&self) -> String {
        match self {
            Self::Exists(look) => format!("{}.exists", look.write()),
            Self::Not(inner) => format!("!({})", inner.write()),
            Self::And(a, b) => format!("({}) && ({})", a.write(), b.write()),
            Self::Or(a, b) => format!("({}) || ({})", a.write(), b.write()),
            Self::Compare(look, operator, literal) => {
                let sign = match operator {
                    Operator::Equals => "==",
                    Operator::Differs => "!=",
                    Operator::Contains => ".contains:",
                    Operator::Less => "<",
                    Operator::AtMost => "<=",
                    Operator::Greater => ">",
                    Operator::AtLeast => ">=",
                };
                format!("{}{sign}{}", look.write(), literal.write())
            }
        }
    }

    /// Whether it speaks of the failure at hand.
    pub fn mentions_error(&self) -> bool {
        match self {
            Self::Compare(look, ..) | Self::Exists(look) => look.root == "error",
            Self::Not(inner) => inner.mentions_error(),
            Self::And(a, b) | Self::Or(a, b) => a.mentions_error() || b.mentions_error(),
        }
    }
}

/// What a text says.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Empty, `default` or `always`.
    Fallback,
    /// A condition.
    Test(Term),
}

/// Reads a condition; nothing when it is none.
pub fn read(text: &str) -> Option<Reading> {
    if ["", "default", "always"].contains(&text.trim()) {
        return Some(Reading::Fallback);
    }
    let mut reader = Reader { text: text.chars().collect(), at: 0 };
    let term = reader.either(0)?;
    reader.blanks();
    (reader.at == reader.text.len()).then_some(Reading::Test(term))
}

struct Reader {
    text: Vec<char>,
    at: usize,
}

impl Reader {
    fn next(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn comes(&self, word: &str) -> bool {
        word.chars().enumerate().all(|(i, c)| self.text.get(self.at + i) == Some(&c))
    }

    fn eat(&mut self, word: &str) -> bool {
        let comes = self.comes(word);
        self.at += if comes { word.chars().count() } else { 0 };
        comes
    }

    fn blanks(&mut self) {
        while self.next().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// `||`, which binds less than `&&`. `groups` are the parentheses around it.
    fn either(&mut self, groups: usize) -> Option<Term> {
        let mut term = self.both(groups)?;
        while self.sign("||") {
            term = Term::Or(Box::new(term), Box::new(self.both(groups)?));
        }
        Some(term)
    }

    fn both(&mut self, groups: usize) -> Option<Term> {
        let mut term = self.one(groups)?;
        while self.sign("&&") {
            term = Term::And(Box::new(term), Box::new(self.one(groups)?));
        }
        Some(term)
    }

    fn one(&mut self, groups: usize) -> Option<Term> {
        if self.sign("!") {
            return Some(Term::Not(Box::new(self.one(groups)?)));
        }
        if self.sign("(") {
            let term = self.either(groups + 1)?;
            return self.sign(")").then_some(term);
        }
        let look = self.look()?;
        if self.sign(".exists") {
            return Some(Term::Exists(look));
        }
        let operator = self.operator()?;
        let literal = self.literal(groups)?;
        let ordering = !matches!(operator, Operator::Equals | Operator::Differs | Operator::Contains);
        (!ordering || literal.number().is_some()).then_some(Term::Compare(look, operator, literal))
    }

    /// A sign with free blanks before it.
    fn sign(&mut self, sign: &str) -> bool {
        self.blanks();
        self.eat(sign)
    }

    fn operator(&mut self) -> Option<Operator> {
        let signs = [
            (".contains:", Operator::Contains),
            ("==", Operator::Equals),
            ("!=", Operator::Differs),
            ("<=", Operator::AtMost),
            (">=", Operator::AtLeast),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        signs.into_iter().find(|(sign, _)| self.sign(sign)).map(|(_, operator)| operator)
    }

    fn word(&mut self) -> String {
        let from = self.at;
        while self.next().is_some_and(|c| !c.is_whitespace() && !c.is_control() && !SEPARATORS.contains(c)) {
            self.at += 1;
        }
        self.text[from..self.at].iter().collect()
    }

    fn look(&mut self) -> Option<Look> {
        self.blanks();
        let root = self.word();
        let mut path = Vec::new();
        while let Some(step) = self.step()? {
            path.push(step);
        }
        match root.as_str() {
            "last" | "input" | "memory" | "item" | "index" | "error" => Some(Look { root, path }),
            "context" => (!path.is_empty()).then_some(Look { root, path }),
            "output" if path.first()?.is_string() => {
                let name = path.remove(0).as_str()?.to_owned();
                let taken = ["last", "item", "index", "error", "context"].contains(&name.as_str());
                Some(Look { root: if taken { format!("output.{name}") } else { name }, path })
            }
            _ => None,
        }
    }

    /// A step of a path: `Some(None)` when none comes, nothing when what comes is broken.
    #[expect(
        clippy::option_option,
        reason = "the outer one is a broken text, the inner one the end of a path"
    )]
    fn step(&mut self) -> Option<Option<Json>> {
        let from = self.at;
        if self.eat(".") {
            let key = self.word();
            let operator = match key.as_str() {
                "contains" => self.comes(":"),
                "exists" => !self.comes(".") && !self.comes("["),
                _ => false,
            };
            if operator {
                self.at = from;
                return Some(None);
            }
            return (!key.is_empty()).then_some(Some(Json::from(key)));
        }
        if !self.eat("[") {
            return Some(None);
        }
        self.blanks();
        let step = match self.next()? {
            '"' | '\'' => Json::from(self.quoted()?),
            _ => {
                let word = self.word();
                let digits = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
                Json::from(word.parse::<u64>().ok().filter(|_| digits)?)
            }
        };
        self.sign("]").then_some(Some(step))
    }

    fn literal(&mut self, groups: usize) -> Option<Literal> {
        self.blanks();
        if matches!(self.next(), Some('"' | '\'')) {
            return Some(Literal { text: self.quoted()?, quoted: true });
        }
        let (from, mut open) = (self.at, 0_usize);
        while let Some(next) = self.next() {
            if self.comes("&&") || self.comes("||") || (next == ')' && open == 0 && groups > 0) {
                break;
            }
            open = match next {
                '(' => open + 1,
                ')' => open.saturating_sub(1),
                _ => open,
            };
            self.at += 1;
        }
        let text: String = self.text[from..self.at].iter().collect();
        Some(Literal { text: text.trim_end().to_owned(), quoted: false })
    }

    fn quoted(&mut self) -> Option<String> {
        let quote = self.next()?;
        let mut text = String::new();
        loop {
            self.at += 1;
            match self.next()? {
                c if c == quote => break,
                '\\' => {
                    self.at += 1;
                    text.push(self.escaped()?);
                }
                c => text.push(c),
            }
        }
        self.at += 1;
        Some(text)
    }

    /// The character that an escape means; stays on its last one.
    fn escaped(&mut self) -> Option<char> {
        Some(match self.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let digits: String = self.text.get(self.at + 1..self.at + 5)?.iter().collect();
                self.at += 4;
                return char::from_u32(u32::from_str_radix(&digits, 16).ok()?);
            }
            c @ ('"' | '\'' | '\\' | '/') => c,
            _ => return None,
        })
    }
}

/// What ends a key, besides blanks.
const SEPARATORS: &str = ".[](){}=!<>&|:;,\"'`$?\\";
