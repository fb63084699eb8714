//! Values of different kinds differ. Numbers are equal by value, lists and maps by contents.

use super::operator::{compare_mixed, to_double, whole_double};
use super::{EMPTY, Evaluator, fault};
use crate::base::{TextView, View};
use crate::error::{Error, TOO_DEEP};
use crate::function::Function;
use crate::value::{Fallible, Text, Val};
use crate::value_source::ValueId;
use serde_json::Value as Json;

/// For lists and maps.
const MAX_DEPTH: usize = 200;

impl<'a> Evaluator<'a> {
    pub(super) fn equal(&mut self, left: &Val<'a>, right: &Val<'a>) -> Fallible<bool> {
        match (left, right) {
            (Val::Null, Val::Null) => Ok(true),
            (Val::Bool(a), Val::Bool(b)) => Ok(a == b),
            (Val::Int(a), Val::Int(b)) => Ok(a == b),
            #[expect(clippy::float_cmp, reason = "equal means equal")]
            (Val::Double(a), Val::Double(b)) => Ok(a == b),
            (Val::Int(a), Val::Double(b)) | (Val::Double(b), Val::Int(a)) => {
                Ok(compare_mixed(*a, *b).is_eq())
            }
            (Val::Text(a), Val::Text(b)) => self.same_text(*a, *b),
            (Val::Timestamp(a), Val::Timestamp(b)) => Ok(a == b),
            (Val::Duration(a), Val::Duration(b)) => Ok(a == b),
            (Val::Type(a), Val::Type(b)) => Ok(a == b),
            (Val::List(a), Val::List(b)) => self.same_lists(a, b),
            (Val::Map(a), Val::Map(b)) => self.same_maps(a, b),
            (Val::RemoteList(a), Val::RemoteList(b)) | (Val::RemoteMap(a), Val::RemoteMap(b)) => {
                self.charge_weight(*a)?;
                self.charge_weight(*b)?;
                let (a, b) = (self.context.host.json(*a), self.context.host.json(*b));
                a.zip(b).map_or_else(|| Err(incomparable()), |(a, b)| self.same_json(&a, &b, 0))
            }
            (Val::List(_), Val::RemoteList(id)) | (Val::Map(_), Val::RemoteMap(id)) => {
                self.equals_remote(left, *id)
            }
            (Val::RemoteList(id), Val::List(_)) | (Val::RemoteMap(id), Val::Map(_)) => {
                self.equals_remote(right, *id)
            }
            _ => Ok(false),
        }
    }

    fn charge_weight(&mut self, id: ValueId) -> Fallible<()> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a weight is positive, and the limit is far smaller"
        )]
        let steps = (self.context.host.weight(id) / 16.0) as usize;
        self.charge_steps(steps)
    }

    fn equals_remote(&mut self, value: &Val<'a>, id: ValueId) -> Fallible<bool> {
        self.charge_weight(id)?;
        let json = self.context.host.json(id);
        json.map_or_else(|| Err(incomparable()), |json| self.equals_json(value, &json))
    }

    fn same_lists(&mut self, a: &[Val<'a>], b: &[Val<'a>]) -> Fallible<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for (a, b) in a.iter().zip(b) {
            self.charge_steps(1)?;
            if !self.equal(a, b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn same_maps(&mut self, a: &[Val<'a>], b: &'a [Val<'a>]) -> Fallible<bool> {
        if a.len() != b.len() {
            return Ok(false);
        }
        for entry in a.chunks_exact(2) {
            let [key, value] = entry else { continue };
            let same = match self.value_of(b, key)? {
                Some(other) => self.equal(value, &other)?,
                None => false,
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn value_of(&mut self, entries: &[Val<'a>], key: &Val<'a>) -> Fallible<Option<Val<'a>>> {
        for entry in entries.chunks_exact(2) {
            let [known, value] = entry else { continue };
            self.charge_steps(1)?;
            if self.equal(known, key)? {
                return Ok(Some(*value));
            }
        }
        Ok(None)
    }

    pub(super) fn equals_json(&mut self, value: &Val<'a>, json: &Json) -> Fallible<bool> {
        self.charge_steps(1)?;
        match (value, json) {
            (Val::Null, Json::Null) => Ok(true),
            (Val::Bool(a), Json::Bool(b)) => Ok(a == b),
            (Val::Int(_) | Val::Double(_), Json::Number(number)) => {
                self.equal(value, &Val::Double(number.as_f64().unwrap_or(0.0)))
            }
            (Val::Text(a), Json::String(b)) => Ok(self.read(*a)? == b.as_str()),
            (Val::RemoteList(id) | Val::RemoteMap(id), json) => {
                let known = self.context.host.json(*id);
                known.map_or_else(|| Err(incomparable()), |known| self.same_json(&known, json, 0))
            }
            (Val::List(items), Json::Array(list)) if items.len() == list.len() => {
                for (item, json) in items.iter().zip(list) {
                    if !self.equals_json(item, json)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Val::Map(entries), Json::Object(map)) if entries.len() == 2 * map.len() => {
                for entry in entries.chunks_exact(2) {
                    let [Val::Text(key), value] = entry else { return Ok(false) };
                    let Some(json) = map.get(self.read(*key)?) else { return Ok(false) };
                    if !self.equals_json(value, json)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn same_json(&mut self, a: &Json, b: &Json, depth: usize) -> Fallible<bool> {
        self.charge_steps(1)?;
        if depth > MAX_DEPTH {
            return Err(fault(TOO_DEEP, "the values are nested too deeply to compare"));
        }
        match (a, b) {
            (Json::Number(a), Json::Number(b)) => Ok(a.as_f64() == b.as_f64()),
            (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
                for (a, b) in a.iter().zip(b) {
                    if !self.same_json(a, b, depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Json::Object(a), Json::Object(b)) if a.len() == b.len() => {
                for (key, a) in a {
                    let Some(b) = b.get(key) else { return Ok(false) };
                    if !self.same_json(a, b, depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Json::String(a), Json::String(b)) => {
                self.charge_steps(a.len().min(b.len()) / 64)?;
                Ok(a == b)
            }
            (Json::Null, Json::Null) => Ok(true),
            (Json::Bool(a), Json::Bool(b)) => Ok(a == b),
            _ => Ok(false),
        }
    }

    fn same_text(&mut self, a: Text<'a>, b: Text<'a>) -> Fallible<bool> {
        match (a, b) {
            // The host compared its text with every literal.
            (Text::Remote(_, _, known), Text::Literal(_, number))
            | (Text::Literal(_, number), Text::Remote(_, _, known)) => Ok(known == number),
            (a, b) => {
                let (a, b) = (self.read(a)?, self.read(b)?);
                Ok(a == b)
            }
        }
    }

    /// Longer texts cost more steps.
    pub(super) fn read(&mut self, text: Text<'a>) -> Fallible<&'a str> {
        let text = text.read(self.context.program, self.context.host, self.context.arena);
        self.charge_steps(text.len() / 64)?;
        Ok(text)
    }

    /// Whether a list has an element, or a map a key.
    pub(super) fn contains_element(
        &mut self,
        whole: &Val<'a>,
        part: &Val<'a>,
        function: Function,
    ) -> Fallible<bool> {
        match whole {
            Val::List(items) => {
                for item in *items {
                    self.charge_steps(1)?;
                    if self.equal(item, part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Val::RemoteList(id) => {
                for index in 0..u32::try_from(self.context.host.count(*id)).unwrap_or(u32::MAX) {
                    self.charge_steps(1)?;
                    if self.is_element(*id, index, part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Val::Map(entries) => Ok(self.value_of(entries, part)?.is_some()),
            Val::RemoteMap(id) => match part {
                Val::Text(key) => Ok(self.context.host.entry(*id, self.read(*key)?).is_some()),
                _ => Ok(false),
            },
            other => Err(Self::type_fault(function, other)),
        }
    }

    fn is_element(&mut self, list: ValueId, index: u32, part: &Val<'a>) -> Fallible<bool> {
        if let Val::Text(Text::Literal(wanted, number)) = part {
            // The host compared its text with every literal.
            return Ok(match self.context.host.element_view(list, index, &EMPTY) {
                View::Text(TextView::Inline(text)) => text == *wanted,
                View::Text(TextView::Literal(found)) => found == *number,
                _ => false,
            });
        }
        let (element, _) = self.element_at(list, index, &EMPTY);
        self.equal(&element, part)
    }
}

fn incomparable() -> Box<Error> {
    fault(TOO_DEEP, "a value is nested too deeply to compare, or contains itself")
}

pub(super) fn json_number(number: f64) -> Json {
    whole_double(number).map_or_else(|| Json::from(number), Json::from)
}

/// Beyond the exact range it becomes the nearest double, as in JavaScript.
pub(super) fn json_int(number: i64) -> Json {
    if number.unsigned_abs() <= 1 << 53 { Json::from(number) } else { json_number(to_double(number)) }
}
