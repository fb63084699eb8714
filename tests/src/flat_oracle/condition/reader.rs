//! A plain parser of conditions, written from the rules and the documentation alone.
//!
//! An unbracketed key holds no blanks or separators. Quotes allow JSON's escapes and `\'`.

use super::{Literal, Operator, Term, ValuePath};
use serde_json::Value as Json;

/// A text's meaning.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Empty, `default` or `always`.
    Fallback,
    /// A condition.
    Test(Term),
}

/// Parses a condition, `None` if invalid.
pub fn read(text: &str) -> Option<Reading> {
    if ["", "default", "always"].contains(&text.trim()) {
        return Some(Reading::Fallback);
    }
    let mut reader = Reader { text: text.chars().collect(), at: 0 };
    let term = reader.disjunction(0)?;
    reader.skip_spaces();
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

    fn starts_with(&self, word: &str) -> bool {
        word.chars().enumerate().all(|(i, c)| self.text.get(self.at + i) == Some(&c))
    }

    fn consume(&mut self, word: &str) -> bool {
        let comes = self.starts_with(word);
        self.at += if comes { word.chars().count() } else { 0 };
        comes
    }

    fn skip_spaces(&mut self) {
        while self.next().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// `||` binds less than `&&`. `groups` counts the enclosing parentheses.
    fn disjunction(&mut self, groups: usize) -> Option<Term> {
        let mut term = self.conjunction(groups)?;
        while self.sign("||") {
            term = Term::Or(Box::new(term), Box::new(self.conjunction(groups)?));
        }
        Some(term)
    }

    fn conjunction(&mut self, groups: usize) -> Option<Term> {
        let mut term = self.operand(groups)?;
        while self.sign("&&") {
            term = Term::And(Box::new(term), Box::new(self.operand(groups)?));
        }
        Some(term)
    }

    fn operand(&mut self, groups: usize) -> Option<Term> {
        if self.sign("!") {
            return Some(Term::Not(Box::new(self.operand(groups)?)));
        }
        if self.sign("(") {
            let term = self.disjunction(groups + 1)?;
            return self.sign(")").then_some(term);
        }
        let look = self.reference()?;
        if self.sign(".exists") {
            return Some(Term::Exists(look));
        }
        let operator = self.operator()?;
        let literal = self.literal(groups)?;
        let ordering = !matches!(operator, Operator::Equals | Operator::Differs | Operator::Contains);
        (!ordering || literal.number().is_some()).then_some(Term::Compare(look, operator, literal))
    }

    fn sign(&mut self, sign: &str) -> bool {
        self.skip_spaces();
        self.consume(sign)
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

    fn reference(&mut self) -> Option<ValuePath> {
        self.skip_spaces();
        let root = self.word();
        let mut path = Vec::new();
        while let Some(step) = self.step()? {
            path.push(step);
        }
        match root.as_str() {
            "last" | "input" | "memory" | "item" | "index" | "error" => Some(ValuePath { root, path }),
            "context" => (!path.is_empty()).then_some(ValuePath { root, path }),
            "output" if path.first()?.is_string() => {
                let name = path.remove(0).as_str()?.to_owned();
                let taken = ["last", "item", "index", "error", "context"].contains(&name.as_str());
                Some(ValuePath { root: if taken { format!("output.{name}") } else { name }, path })
            }
            _ => None,
        }
    }

    /// Returns `Some(None)` at the end of the path and `None` for an invalid step.
    #[expect(
        clippy::option_option,
        reason = "the outer one is a broken text, the inner one the end of a path"
    )]
    fn step(&mut self) -> Option<Option<Json>> {
        let from = self.at;
        if self.consume(".") {
            let key = self.word();
            let operator = match key.as_str() {
                "contains" => self.starts_with(":"),
                "exists" => !self.starts_with(".") && !self.starts_with("["),
                _ => false,
            };
            if operator {
                self.at = from;
                return Some(None);
            }
            return (!key.is_empty()).then_some(Some(Json::from(key)));
        }
        if !self.consume("[") {
            return Some(None);
        }
        self.skip_spaces();
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
        self.skip_spaces();
        if matches!(self.next(), Some('"' | '\'')) {
            return Some(Literal { text: self.quoted()?, quoted: true });
        }
        let (from, mut open) = (self.at, 0_usize);
        while let Some(next) = self.next() {
            if self.starts_with("&&") || self.starts_with("||") || (next == ')' && open == 0 && groups > 0) {
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

    /// Stops on the last character of the escape.
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

/// Blanks end a key, too.
const SEPARATORS: &str = ".[](){}=!<>&|+*/%:;,\"'`$?\\";
