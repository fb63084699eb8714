//! Taking values of a certain kind from a document, or saying what was expected.
//!
//! Decides how a value of the wrong kind and an unknown key are reported.

use super::Named;
use crate::diagnostic::{Code, Diagnostic, Target, near};
use crate::source::{Entry, Kind, Spanned};

/// A map being read: hands out its entries and reports those that nobody asked for.
#[derive(Debug)]
pub(super) struct Shape<'a> {
    entries: &'a [Entry],
    target: Target,
}

impl<'a> Shape<'a> {
    /// The entries of a map; anything else is reported as not being `what`.
    pub(super) fn of(
        value: &'a Spanned,
        what: &str,
        target: Target,
        problems: &mut Vec<Diagnostic>,
    ) -> Option<Self> {
        match &value.kind {
            Kind::Map(entries) => Some(Self { entries, target }),
            _ => {
                problems.push(wrong(value, what, "a map").on(target));
                None
            }
        }
    }

    /// The value of a key, unless it is absent or null.
    pub(super) fn get(&self, key: &str) -> Option<&'a Spanned> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        (entry.value.kind != Kind::Null).then_some(&entry.value)
    }

    /// The text of a key; numbers and truth values count as their text.
    pub(super) fn text(&self, key: &str, problems: &mut Vec<Diagnostic>) -> Option<Named> {
        let value = self.get(key)?;
        let name = scalar_text(value);
        if name.is_none() {
            problems.push(wrong(value, &format!("`{key}`"), "text").on(self.target.clone()));
        }
        Some(Named { name: name?, span: value.span })
    }

    /// The count of a key: a whole number of at least one.
    pub(super) fn count(&self, key: &str, problems: &mut Vec<Diagnostic>) -> Option<u32> {
        let value = self.get(key)?;
        let count = match &value.kind {
            Kind::Number(number) => number.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0),
            _ => None,
        };
        if count.is_none() {
            problems
                .push(wrong(value, &format!("`{key}`"), "a whole number from 1 up").on(self.target.clone()));
        }
        count
    }

    /// Reports keys that are not among `known`, and those among `refused`, which this version can't run.
    pub(super) fn keys(&self, known: &[&str], refused: &[&str], problems: &mut Vec<Diagnostic>) {
        for Entry { key, key_span, value } in self.entries {
            let key = key.as_str();
            if refused.contains(&key) && value.kind != Kind::Null {
                problems.push(
                    Diagnostic::new(
                        Code::Unsupported,
                        format!("`{key}` is part of the format, but not of this version"),
                    )
                    .on(self.target.clone())
                    .at(*key_span)
                    .help(format!("remove `{key}`")),
                );
            } else if !known.contains(&key) && !refused.contains(&key) {
                problems.push(unknown(key, known, self.target.clone()).at(*key_span));
            }
        }
    }
}

fn unknown(key: &str, known: &[&str], target: Target) -> Diagnostic {
    let meant = near(key, known.iter().copied())
        .or_else(|| known.iter().copied().find(|name| name.eq_ignore_ascii_case(key)));
    let help = match meant {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("remove `{key}`; known here are {}", list(known)),
    };
    Diagnostic::new(Code::UnknownKey, format!("`{key}` means nothing here")).on(target).help(help)
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A value of the wrong kind.
pub(super) fn wrong(value: &Spanned, what: &str, expected: &str) -> Diagnostic {
    let found = match value.kind {
        Kind::Null => "nothing",
        Kind::Bool(_) => "a truth value",
        Kind::Number(_) => "a number",
        Kind::Text(_) => "text",
        Kind::List(_) => "a list",
        Kind::Map(_) => "a map",
    };
    Diagnostic::new(Code::WrongShape, format!("{what} is {expected}, not {found}"))
        .at(value.span)
        .help(format!("write {expected} here"))
}

/// Text, or a number or truth value as its text.
pub(super) fn scalar_text(value: &Spanned) -> Option<String> {
    match &value.kind {
        Kind::Text(text) => Some(text.clone()),
        Kind::Number(number) => Some(crate::value::json_text(&serde_json::Value::Number(number.clone()))),
        Kind::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}
