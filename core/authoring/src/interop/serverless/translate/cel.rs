//! An expression's text under construction, with needless parentheses, which printing removes.
//!
//! Invariant: [`MAX_LENGTH`] limits the text, because a translation may repeat a part.

use super::Translation;
use crate::interop::serverless::jq::{Base, Jq, Unsupported};
use serde_json::Value as Json;
use std::fmt::Write as _;
use stepgraph_core::value::Segment;

const MAX_LENGTH: usize = 4000;

#[derive(Debug, Clone)]
pub(super) struct Cel {
    pub(super) text: String,
    pub(super) kind: Kind,
    pub(super) presence: Presence,
    /// Two `int`s divide to a whole number, unlike in jq.
    pub(super) may_be_int: bool,
    pub(super) is_choice: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Any,
    Bool,
    Number,
    Text,
    List,
    Map,
}

/// The counterpart of jq's `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Presence {
    /// If it is missing nevertheless, jq fails.
    Always,
    Null,
    Missing,
}

/// The meaning of `.`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scope<'a> {
    pub(super) dot: Option<&'a Cel>,
    pub(super) depth: usize,
}

impl<'a> Scope<'a> {
    pub(super) fn at(self, dot: &'a Cel) -> Self {
        Self { dot: Some(dot), ..self }
    }
}

impl Cel {
    pub(super) fn new(kind: Kind, text: String) -> Self {
        Self { text, kind, presence: Presence::Always, may_be_int: false, is_choice: false }
    }

    pub(super) fn of_presence(self, presence: Presence) -> Self {
        Self { presence, ..self }
    }

    pub(super) fn int_if(self, may_be_int: bool) -> Self {
        Self { may_be_int, ..self }
    }

    /// A choice for a missing value or `null`.
    pub(super) fn or(self, other: &str) -> Self {
        Self { text: format!("{} ?? {other}", self.choice()), is_choice: true, ..self }
    }

    pub(super) fn choice(&self) -> String {
        if self.is_choice { self.text.clone() } else { format!("({})", self.text) }
    }

    pub(super) fn or_null(self) -> Self {
        match self.presence {
            Presence::Missing => self.or("null").of_presence(Presence::Null),
            _ => self,
        }
    }

    pub(super) fn part(&self, path: &[Segment]) -> Self {
        if path.is_empty() {
            return self.clone();
        }
        let mut text = format!("({})", self.text);
        for segment in path {
            let _ = match segment {
                Segment::Index(at) => write!(text, "[{at}]"),
                Segment::Key(key) if is_name(key) => write!(text, ".{key}"),
                Segment::Key(key) => write!(text, "[{}]", Json::from(key.as_str())),
            };
        }
        self.element(text)
    }

    pub(super) fn at_end(&self, position: u64) -> Self {
        let list = &self.text;
        self.element(format!("({list})[size({list}) - {position}]"))
    }

    fn element(&self, text: String) -> Self {
        Self::new(Kind::Any, text).of_presence(Presence::Missing).int_if(self.may_be_int)
    }
}

impl Jq {
    pub(super) const DOT: Self = Self::Path(Base::Dot, Vec::new());

    pub(super) fn visits(&self) -> bool {
        self.stages().iter().any(|stage| matches!(stage, Self::Each(_)))
    }

    /// Parts between `|`.
    pub(super) fn stages(&self) -> Vec<&Self> {
        match self {
            Self::Pipe(left, right) => [left.stages(), right.stages()].concat(),
            other => vec![other],
        }
    }
}

impl Translation<'_> {
    pub(super) fn expression(&mut self, jq: &Jq, scope: Scope<'_>) -> Result<Cel, Unsupported> {
        let made = match jq {
            Jq::Path(base, path) => self.path(base, path, scope)?,
            Jq::Literal(value) => literal(value),
            Jq::Interpolation(parts) => self.interpolation(parts, scope)?,
            Jq::Operator(left, sign, right) => self.operator(left, sign, right, scope)?,
            Jq::Negative(inner) => {
                let inner = self.expression(inner, scope)?;
                Cel::new(Kind::Number, format!("-({})", inner.text)).int_if(inner.may_be_int)
            }
            Jq::Pipe(left, right) => {
                let dot = self.expression(left, scope)?;
                self.expression(right, scope.at(&dot))?
            }
            Jq::Call(name, arguments) => self.call(name, arguments, scope)?,
            Jq::Index(base, index) => self.index(base, index, scope)?,
            Jq::Each(_) => return Err("`.[]` returns several values".to_owned()),
            Jq::If(parts) => {
                let [condition, then, other] = &**parts;
                let condition = self.truth(condition, scope)?;
                let (then, other) = (self.expression(then, scope)?, self.expression(other, scope)?);
                let text = format!("({condition}) ? ({}) : ({})", then.text, other.text);
                either(&then, &other, text).of_presence(then.presence.max(other.presence))
            }
            Jq::Map(entries) => self.map(entries, scope)?,
            Jq::List(items) if items.iter().any(Jq::visits) => self.elements(items, scope)?,
            Jq::List(items) => {
                let (mut texts, mut may_be_int) = (Vec::new(), false);
                for item in items {
                    let item = self.expression(item, scope)?.or_null();
                    may_be_int |= item.may_be_int;
                    texts.push(item.text);
                }
                Cel::new(Kind::List, format!("[{}]", texts.join(", "))).int_if(may_be_int)
            }
        };
        if made.text.len() > MAX_LENGTH {
            return Err("its translation is too long".to_owned());
        }
        Ok(made)
    }

    fn path(&mut self, base: &Base, path: &[Segment], scope: Scope<'_>) -> Result<Cel, Unsupported> {
        if let (Base::Dot, Some(dot)) = (base, scope.dot) {
            return Ok(dot.part(path));
        }
        let reference = self.reference(base, path)?;
        let presence = if path.is_empty() { Presence::Null } else { Presence::Missing };
        Ok(Cel::new(Kind::Any, reference.to_string()).of_presence(presence))
    }

    fn index(&mut self, base: &Jq, index: &Jq, scope: Scope<'_>) -> Result<Cel, Unsupported> {
        let base = self.expression(base, scope)?;
        if let Jq::Literal(Json::Number(number)) = index {
            let at = number.as_i64().filter(|at| *at < 0);
            let at = at.ok_or_else(|| format!("the position {number} is not supported"))?;
            return Ok(base.at_end(at.unsigned_abs()));
        }
        let index = self.expression(index, scope)?;
        Ok(base.element(format!("({})[{}]", base.text, index.text)))
    }

    fn interpolation(&mut self, parts: &[Jq], scope: Scope<'_>) -> Result<Cel, Unsupported> {
        let mut texts = Vec::new();
        for part in parts {
            let part = self.expression(part, scope)?;
            texts.push(match part.kind {
                Kind::Text => format!("({})", part.text),
                _ => format!("string({})", part.text),
            });
        }
        Ok(Cel::new(Kind::Text, texts.join(" + ")))
    }

    fn map(&mut self, entries: &[(Jq, Jq)], scope: Scope<'_>) -> Result<Cel, Unsupported> {
        let (mut texts, mut may_be_int) = (Vec::new(), false);
        for (key, value) in entries {
            let (key, value) = (self.expression(key, scope)?, self.expression(value, scope)?.or_null());
            may_be_int |= value.may_be_int;
            texts.push(format!("{}: {}", key.text, value.text));
        }
        Ok(Cel::new(Kind::Map, format!("{{{}}}", texts.join(", "))).int_if(may_be_int))
    }
}

pub(super) fn either(a: &Cel, b: &Cel, text: String) -> Cel {
    let kind = if a.kind == b.kind { a.kind } else { Kind::Any };
    Cel::new(kind, text).int_if(a.may_be_int || b.may_be_int)
}

fn literal(value: &Json) -> Cel {
    let kind = match value {
        Json::Null => Kind::Any,
        Json::Bool(_) => Kind::Bool,
        Json::Number(_) => Kind::Number,
        Json::String(_) => Kind::Text,
        Json::Array(_) => Kind::List,
        Json::Object(_) => Kind::Map,
    };
    let presence = if value.is_null() { Presence::Null } else { Presence::Always };
    let is_int = value.is_i64() || value.is_u64();
    Cel::new(kind, value.to_string()).of_presence(presence).int_if(is_int)
}

fn is_name(key: &str) -> bool {
    let mut chars = key.chars();
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    chars.next().is_some_and(is_start) && chars.all(|c| is_start(c) || c.is_ascii_digit())
}
