//! Parses runtime expressions: the part of jq that accesses values, compares them and builds text.
//!
//! [`super::translate`] converts the result. Expressions that compute are refused with the name of the
//! unsupported construct.
//!
//! Invariant: [`MAX_DEPTH`] limits recursion.
//!
//! Source: Serverless Workflow 1.0, "Runtime expressions"; the manual of jq 1.7.

use serde_json::Value as Json;
use stepgraph_core::value::Segment;

const MAX_DEPTH: usize = 24;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Jq {
    Path(Base, Vec<Segment>),
    Literal(Json),
    Interpolation(Vec<Jq>),
    Compare(Box<Jq>, &'static str, Box<Jq>),
    And(Box<Jq>, Box<Jq>),
    Or(Box<Jq>, Box<Jq>),
    Not(Box<Jq>),
    /// The first value, or the second as fallback (`//`).
    Alternative(Box<Jq>, Box<Jq>),
    Contains(Box<Jq>, Json),
    Has(Box<Jq>, String),
    Map(Vec<(String, Jq)>),
    List(Vec<Jq>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Base {
    /// `.`
    Dot,
    /// `$name`
    Variable(String),
}

pub(super) type Unsupported = String;

pub(super) fn parse(text: &str) -> Result<Jq, Unsupported> {
    let mut reader = Parser { text, at: 0, depth: 0 };
    let found = reader.pipe()?;
    reader.skip_whitespace();
    if reader.at < text.len() { Err(reader.unsupported()) } else { Ok(found) }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
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
            word => format!("`{}` has no equal", stepgraph_core::diagnostic::shorten_name(word)),
        }
    }

    fn pipe(&mut self) -> Result<Jq, Unsupported> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        let mut left = self.or()?;
        while self.eat("|") {
            left = self.piped(left)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn piped(&mut self, left: Jq) -> Result<Jq, Unsupported> {
        self.skip_whitespace();
        let before = self.at;
        if self.rest().starts_with('.') {
            let (Jq::Path(base, mut path), Jq::Path(Base::Dot, more)) = (left, self.or()?) else {
                self.at = before;
                return Err(self.unsupported());
            };
            path.extend(more);
            return Ok(Jq::Path(base, path));
        }
        match self.word() {
            "not" => return Ok(Jq::Not(Box::new(left))),
            function @ ("contains" | "has") if self.eat("(") => {
                let argument = self.pipe()?;
                if let (Jq::Literal(value), true) = (argument, self.eat(")")) {
                    match (function, value) {
                        ("has", Json::String(key)) => return Ok(Jq::Has(Box::new(left), key)),
                        ("contains", value @ Json::String(_)) => {
                            return Ok(Jq::Contains(Box::new(left), value));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        self.at = before;
        Err(self.unsupported())
    }

    fn or(&mut self) -> Result<Jq, Unsupported> {
        let mut left = self.and()?;
        while self.eat_word("or") {
            left = Jq::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Jq, Unsupported> {
        let mut left = self.comparison()?;
        while self.eat_word("and") {
            left = Jq::And(Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Jq, Unsupported> {
        let left = self.alternative()?;
        for sign in ["==", "!=", "<=", ">=", "<", ">"] {
            if self.eat(sign) {
                return Ok(Jq::Compare(Box::new(left), sign, Box::new(self.alternative()?)));
            }
        }
        Ok(left)
    }

    fn alternative(&mut self) -> Result<Jq, Unsupported> {
        let left = self.sum()?;
        if self.eat("//") {
            return Ok(Jq::Alternative(Box::new(left), Box::new(self.sum()?)));
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Jq, Unsupported> {
        let mut parts = vec![self.term()?];
        let before = self.at;
        while self.eat("+") {
            parts.push(self.term()?);
        }
        if parts.len() == 1 {
            return Ok(parts.swap_remove(0));
        }
        // `+` is arithmetic for numbers, lists and maps. With a text operand it is known to concatenate text.
        if parts.iter().any(|part| matches!(part, Jq::Literal(Json::String(_)) | Jq::Interpolation(_))) {
            let flat = |part| if let Jq::Interpolation(parts) = part { parts } else { vec![part] };
            return Ok(Jq::Interpolation(parts.into_iter().flat_map(flat).collect()));
        }
        self.at = before;
        Err(self.unsupported())
    }

    fn term(&mut self) -> Result<Jq, Unsupported> {
        self.skip_whitespace();
        match self.rest().chars().next() {
            Some('(') => {
                self.at += 1;
                let inner = self.pipe()?;
                if self.eat(")") { Ok(inner) } else { Err(self.unsupported()) }
            }
            Some('"') => self.text(),
            Some('.') => {
                let path = self.path()?;
                Ok(Jq::Path(Base::Dot, path))
            }
            Some('$') => {
                self.at += 1;
                let name = self.word().to_owned();
                let path = if self.rest().starts_with(['.', '[']) { self.path()? } else { Vec::new() };
                Ok(Jq::Path(Base::Variable(name), path))
            }
            Some('{') => self.map(),
            Some('[') => self.list(),
            _ => self.literal(),
        }
    }

    fn literal(&mut self) -> Result<Jq, Unsupported> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_alphanumeric() && !"+-._".contains(c)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let value = match word {
            "true" | "false" | "null" => stepgraph_core::json::parse(word),
            _ => stepgraph_core::source::json_number(word).map(Json::Number),
        };
        let value = value.ok_or_else(|| self.unsupported())?;
        self.at += length;
        Ok(Jq::Literal(value))
    }

    fn path(&mut self) -> Result<Vec<Segment>, Unsupported> {
        let mut path = Vec::new();
        loop {
            if self.rest().starts_with('.') {
                self.at += 1;
                match self.rest().chars().next() {
                    Some('"') => path.push(Segment::Key(self.key()?)),
                    Some('[') => {}
                    Some('.') => return Err(self.unsupported()),
                    _ => {
                        let word = self.word();
                        if !word.is_empty() {
                            path.push(Segment::Key(word.to_owned()));
                        } else if !path.is_empty() {
                            return Err(self.unsupported());
                        }
                    }
                }
            } else if self.rest().starts_with('[') {
                path.push(self.bracket()?);
            } else if self.rest().starts_with('?') {
                self.at += 1;
            } else {
                return Ok(path);
            }
        }
    }

    fn bracket(&mut self) -> Result<Segment, Unsupported> {
        let before = self.at;
        self.at += 1;
        self.skip_whitespace();
        let segment = if self.rest().starts_with('"') {
            Some(Segment::Key(self.key()?))
        } else {
            self.word().parse().ok().map(Segment::Index)
        };
        match segment {
            Some(segment) if self.eat("]") => Ok(segment),
            _ => {
                self.at = before;
                Err(self.unsupported())
            }
        }
    }

    fn key(&mut self) -> Result<String, Unsupported> {
        match self.text()? {
            Jq::Literal(Json::String(key)) => Ok(key),
            _ => Err("a key is put together".to_owned()),
        }
    }

    fn text(&mut self) -> Result<Jq, Unsupported> {
        self.at += 1;
        let (mut parts, mut plain) = (Vec::new(), String::new());
        loop {
            let rest = self.rest();
            let stop = rest.find(['"', '\\']).ok_or("a text is not closed")?;
            plain.push_str(rest.get(..stop).unwrap_or_default());
            self.at += stop + 1;
            if rest.get(stop..).is_some_and(|rest| rest.starts_with('"')) {
                break;
            }
            if self.rest().starts_with('(') {
                self.at += 1;
                parts.push(Jq::Literal(Json::from(std::mem::take(&mut plain))));
                parts.push(self.pipe()?);
                if !self.eat(")") {
                    return Err(self.unsupported());
                }
                continue;
            }
            let escaped = self.rest().chars().next().ok_or("a text is not closed")?;
            let length = if escaped == 'u' { 5 } else { escaped.len_utf8() };
            let escape = format!("\"\\{}\"", self.rest().get(..length).unwrap_or_default());
            let read = stepgraph_core::json::parse(&escape).ok_or("an escape is not known")?;
            plain.push_str(read.as_str().unwrap_or_default());
            self.at += length;
        }
        let last = Jq::Literal(Json::from(plain));
        if parts.is_empty() {
            return Ok(last);
        }
        parts.push(last);
        Ok(Jq::Interpolation(parts))
    }

    fn map(&mut self) -> Result<Jq, Unsupported> {
        self.at += 1;
        let mut entries = Vec::new();
        while !self.eat("}") {
            self.skip_whitespace();
            let key = if self.rest().starts_with('"') { self.key()? } else { self.word().to_owned() };
            if key.is_empty() {
                return Err(self.unsupported());
            }
            let value = if self.eat(":") {
                self.entry()?
            } else {
                Jq::Path(Base::Dot, vec![Segment::Key(key.clone())])
            };
            entries.push((key, value));
            if !self.eat(",") && !self.rest().trim_start().starts_with('}') {
                return Err(self.unsupported());
            }
        }
        Ok(Jq::Map(entries))
    }

    fn list(&mut self) -> Result<Jq, Unsupported> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.eat("]") {
            items.push(self.entry()?);
            if !self.eat(",") && !self.rest().trim_start().starts_with(']') {
                return Err(self.unsupported());
            }
        }
        Ok(Jq::List(items))
    }

    fn entry(&mut self) -> Result<Jq, Unsupported> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        let value = self.alternative()?;
        self.depth -= 1;
        Ok(value)
    }
}
