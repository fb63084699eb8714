//! An evaluation's result.

use super::convert::scalar_text;
use super::equality::{json_int, json_number};
use super::{EvalContext, Limits, fault};
use crate::base::{Code, json_text, number_text};
use crate::error::{Error, INVALID_VALUE, TOO_COSTLY};
use crate::host_value::Value;
use crate::value::{Fallible, Text, Val};
use serde_json::Value as Json;

/// A value, maybe missing.
#[derive(Debug)]
pub struct Outcome<'a> {
    pub(super) value: Val<'a>,
    pub(super) context: EvalContext<'a>,
    /// For a conversion of the result, which may repeat a list many times.
    pub(super) limits: Limits,
    pub(super) remaining: Limits,
}

impl<'a> Outcome<'a> {
    /// What the evaluation left of its limits.
    pub fn remaining(&self) -> Limits {
        self.remaining
    }

    /// Whether a path that it depends on does not exist.
    pub fn is_missing(&self) -> bool {
        self.value.is_missing()
    }

    /// Whether it's `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Val::Null)
    }

    /// A missing value is false. `None` if not boolean.
    pub fn truth(&self) -> Option<bool> {
        match self.value {
            Val::Bool(truth) => Some(truth),
            Val::Missing => Some(false),
            _ => None,
        }
    }

    /// In words.
    pub fn describe(&self) -> &'static str {
        self.value.describe()
    }

    /// `None` if missing. Timestamps, durations and types become text.
    ///
    /// # Errors
    /// `expression/too-costly` if it is too large.
    pub fn to_json(&self) -> Result<Option<Json>, Error> {
        let mut left = self.limits.bytes;
        // Data that is the whole result is copied once.
        if let Val::RemoteList(id) | Val::RemoteMap(id) = &self.value {
            spend_bytes(&mut left, self.context.host.copied(*id)).map_err(|error| self.located(&error))?;
            let json = self.context.host.json(*id).ok_or_else(unwritable);
            return json.map(|json| Some(json.into_owned())).map_err(|error| self.located(&error));
        }
        if self.is_missing() {
            Ok(None)
        } else {
            self.json(&self.value, &mut left).map(Some).map_err(|error| self.located(&error))
        }
    }

    /// `None` if missing. Lists and maps of the host are shared.
    ///
    /// # Errors
    /// `expression/too-costly` if it is too large.
    pub fn to_value<V: Value>(&self, space: &V::Arena, host: &V::Source<'_>) -> Result<Option<V>, Error> {
        let mut left = self.limits.bytes;
        let mut visits = left / ELEMENT;
        if self.is_missing() {
            return Ok(None);
        }
        let shared = if has_remote(&self.value, &mut visits) {
            self.shared(&self.value, (space, host), &mut left)
        } else {
            // One conversion of the whole is far faster than one for each part.
            self.json(&self.value, &mut left).map(|json| V::from_json(space, &json))
        };
        shared.map(Some).map_err(|error| self.located(&error))
    }

    #[cold]
    fn located(&self, error: &Error) -> Error {
        Error { span: self.context.program.span(self.context.program.root), ..error.clone() }
    }

    /// As in a template: `null` is empty, lists and maps are JSON. `None` if missing.
    ///
    /// # Errors
    /// `expression/too-costly` if it is too large.
    pub fn to_text(&self) -> Result<Option<String>, Error> {
        Ok(match &self.value {
            Val::Missing => None,
            Val::Null => Some(String::new()),
            Val::Text(text) => Some(self.read(*text).to_owned()),
            Val::Double(number) => Some(number_text(*number)),
            other => match scalar_text(other) {
                Some(text) => Some(text),
                None => self.to_json()?.map(|json| json_text(&json)),
            },
        })
    }

    fn read(&self, text: Text<'a>) -> &'a str {
        text.read(self.context.program, self.context.host, self.context.arena)
    }

    fn json(&self, value: &Val<'a>, left: &mut usize) -> Fallible<Json> {
        spend_bytes(left, ELEMENT)?;
        Ok(match value {
            Val::Missing | Val::Null => Json::Null,
            Val::Bool(truth) => Json::from(*truth),
            Val::Int(number) => json_int(*number),
            Val::Double(number) => json_number(*number),
            Val::Text(text) => {
                let text = self.read(*text);
                spend_bytes(left, text.len())?;
                Json::from(text.to_owned())
            }
            Val::RemoteList(id) | Val::RemoteMap(id) => {
                let json = self.context.host.json(*id).ok_or_else(unwritable)?;
                spend_bytes(left, size_in_memory(&json))?;
                json.into_owned()
            }
            Val::List(items) => {
                let items: Fallible<Vec<Json>> = items.iter().map(|item| self.json(item, left)).collect();
                Json::from(items?)
            }
            Val::Map(entries) => {
                let mut map = serde_json::Map::new();
                for entry in entries.chunks_exact(2) {
                    let [key, value] = entry else { continue };
                    let (key, value) = (self.key(key, left)?, self.json(value, left)?);
                    if map.insert(key, value).is_some() {
                        return Err(same_key());
                    }
                }
                Json::from(map)
            }
            Val::Timestamp(_) | Val::Duration(_) | Val::Type(_) => Json::from(scalar_text(value)),
        })
    }

    fn key(&self, key: &Val<'a>, left: &mut usize) -> Fallible<String> {
        let key = match key {
            Val::Text(text) => self.read(*text).to_owned(),
            other => scalar_text(other).unwrap_or_default(),
        };
        spend_bytes(left, key.len())?;
        Ok(key)
    }

    fn shared<V: Value>(
        &self,
        value: &Val<'a>,
        (space, host): (&V::Arena, &V::Source<'_>),
        left: &mut usize,
    ) -> Fallible<V> {
        // Parts are converted one by one, and a list may repeat one.
        spend_bytes(left, PART)?;
        Ok(match value {
            Val::RemoteList(id) | Val::RemoteMap(id) => {
                spend_bytes(left, self.context.host.copied(*id))?;
                V::share(space, host, *id)
            }
            Val::List(items) => {
                let items: Fallible<Vec<V>> =
                    items.iter().map(|item| self.shared(item, (space, host), left)).collect();
                V::list(space, items?)
            }
            Val::Map(entries) => {
                let mut shared = Vec::new();
                for entry in entries.chunks_exact(2) {
                    let [key, value] = entry else { continue };
                    let key = self.key(key, left)?;
                    if has_number(entries) && shared.iter().any(|(known, _)| *known == key) {
                        return Err(same_key());
                    }
                    shared.push((key, self.shared(value, (space, host), left)?));
                }
                V::map(space, shared)
            }
            scalar => V::from_json(space, &self.json(scalar, left)?),
        })
    }
}

/// A list may repeat one value many times.
fn size_in_memory(json: &Json) -> usize {
    ELEMENT
        + match json {
            Json::String(text) => text.len(),
            Json::Array(items) => items.iter().map(size_in_memory).sum(),
            Json::Object(entries) => {
                entries.iter().map(|(key, value)| key.len() + PART + size_in_memory(value)).sum()
            }
            _ => 0,
        }
}

/// In bytes. JSON values are larger than those of the evaluation, which may share one list many times.
const ELEMENT: usize = 24;
/// In bytes.
const PART: usize = 64;

/// False with too many parts: then the conversion to JSON reports the size.
fn has_remote(value: &Val<'_>, visits: &mut usize) -> bool {
    let Some(left) = visits.checked_sub(1) else { return false };
    *visits = left;
    match value {
        Val::RemoteList(_) | Val::RemoteMap(_) => true,
        Val::List(items) | Val::Map(items) => items.iter().any(|item| has_remote(item, visits)),
        _ => false,
    }
}

/// Texts alone differ already.
fn has_number(entries: &[Val<'_>]) -> bool {
    entries.iter().step_by(2).any(|key| !matches!(key, Val::Text(_)))
}

/// `{1: "a", "1": "b"}`: the keys of a result are texts.
#[cold]
#[inline(never)]
fn same_key() -> Box<Error> {
    refusal(
        INVALID_VALUE,
        "two keys of a map have the same text",
        "write other keys: in a result all keys are texts",
    )
}

/// A value of the host, such as one that contains itself.
#[cold]
#[inline(never)]
fn unwritable() -> Box<Error> {
    refusal(
        INVALID_VALUE,
        "the value can't be written as JSON",
        "pass data without cycles and with at most 128 levels",
    )
}

fn refusal(code: Code, message: &str, help: &str) -> Box<Error> {
    let mut error = fault(code, message);
    error.help = Some(help.to_owned());
    error
}

fn spend_bytes(left: &mut usize, bytes: usize) -> Fallible<()> {
    let too_large = || refusal(TOO_COSTLY, "the result is too large", "make shorter texts and lists");
    *left = left.checked_sub(bytes).ok_or_else(too_large)?;
    Ok(())
}
