//! Typed access to a map, with diagnostics for wrong types and unknown keys.
//!
//! A misspelt required key is reported once, as missing.

use super::Named;
use crate::key::{did_you_mean, is_extension_key};
use std::fmt;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{
    Code, Diagnostic, DiagnosticCollector, Span, Target, closest_name, shorten_name,
};
use stepgraph_text::source::{Entry, Spanned, ValueKind};

const SYNONYMS: [(&str, &str); 8] = [
    ("if", "condition"),
    ("when", "condition"),
    ("timeout", "timeout_ms"),
    ("prompt", "input"),
    ("arguments", "input"),
    ("args", "input"),
    ("params", "input"),
    ("parameters", "input"),
];

#[derive(Debug, Default)]
pub(super) struct MapReader<'a> {
    entries: &'a [Entry],
    target: Target,
}

#[derive(Debug, Default)]
pub(super) struct KeySpec {
    pub(super) known: &'static [&'static str],
    /// The report of a missing key also suggests the misspelt one.
    pub(super) required: &'static [&'static str],
}

impl<'a> MapReader<'a> {
    /// Reports a value other than a map: it is not `what`.
    pub(super) fn new(
        value: &'a Spanned,
        what: impl fmt::Display,
        target: Target,
        diagnostics: &mut DiagnosticCollector,
    ) -> Option<Self> {
        match &value.kind {
            ValueKind::Map(entries) => Some(Self { entries, target }),
            _ => {
                diagnostics.push(wrong_type(value, &what.to_string(), "a map").on(target));
                None
            }
        }
    }

    /// Null counts as absent.
    pub(super) fn get(&self, key: &str) -> Option<&'a Spanned> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        (entry.value.kind != ValueKind::Null).then_some(&entry.value)
    }

    pub(super) fn key_span(&self, key: &str) -> Option<Span> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| entry.key_span)
    }

    /// Numbers and booleans count as text.
    pub(super) fn text(&self, key: &str, diagnostics: &mut DiagnosticCollector) -> Option<Named> {
        let value = self.get(key)?;
        let name = scalar_text(value);
        if name.is_none() {
            diagnostics.push(wrong_type(value, &format!("`{key}`"), "text").on(self.target.clone()));
        }
        Some(Named { name: name?, span: value.span })
    }

    /// An integer of at least one.
    pub(super) fn count(&self, key: &str, diagnostics: &mut DiagnosticCollector) -> Option<u32> {
        let value = self.get(key)?;
        let number = match &value.kind {
            ValueKind::Number(number) => number.as_f64(),
            _ => None,
        };
        let whole = number.filter(|n| *n >= 1.0 && *n <= f64::from(u32::MAX) && n.fract() == 0.0);
        if whole.is_none() {
            let diagnostic = wrong_type(value, &format!("`{key}`"), "a whole number from 1 up");
            diagnostics.push(diagnostic.on(self.target.clone()));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the bounds were checked"
        )]
        whole.map(|n| n as u32)
    }

    pub(super) fn amount(&self, key: &str, least: u32, diagnostics: &mut DiagnosticCollector) -> Option<f64> {
        let value = self.get(key)?;
        let number = match &value.kind {
            ValueKind::Number(number) => number.as_f64().filter(|number| *number >= f64::from(least)),
            _ => None,
        };
        if number.is_none() {
            let diagnostic = wrong_type(value, &format!("`{key}`"), &format!("a number from {least} up"));
            diagnostics.push(diagnostic.on(self.target.clone()));
        }
        number
    }

    pub(super) fn check_keys(&self, keys: &KeySpec, diagnostics: &mut DiagnosticCollector) {
        let missing: Vec<&Entry> =
            keys.required.iter().filter_map(|key| self.misspelt_entry(key)).collect_vec();
        for entry in self.entries {
            let key = entry.key.as_str();
            if !is_extension_key(key)
                && !keys.known.contains(&key)
                && !missing.iter().any(|known| known.key == key)
            {
                let diagnostic = unknown_key((self.entries, entry), keys);
                diagnostics.push(diagnostic.on(self.target.clone()));
            }
        }
    }

    pub(super) fn report_missing(
        &self,
        key: &str,
        diagnostic: Diagnostic,
        diagnostics: &mut DiagnosticCollector,
    ) {
        let diagnostic = match self.misspelt_entry(key) {
            Some(entry) => did_you_mean(diagnostic.at(entry.key_span), key, &entry.key),
            None => diagnostic,
        };
        diagnostics.push(diagnostic.on(self.target.clone()));
    }

    pub(super) fn misspelt_entry(&self, key: &str) -> Option<&'a Entry> {
        if self.entries.iter().any(|entry| entry.key == key) {
            return None;
        }
        // A key without a value would also count as missing.
        let has_value = |entry: &&Entry| entry.value.kind != ValueKind::Null;
        self.entries.iter().filter(has_value).find(|entry| suggested_key(&entry.key, &[key]).is_some())
    }
}

stepgraph_lazy::lazy! {
    /// Lazy, because most plans have no such key.
    fn unknown_key(entry: (&[Entry], &Entry), keys: &KeySpec) -> Diagnostic = super::unknown_key::explain;

    /// An error if an entry of `nodes`, whose name is a key of the plan, is that key.
    pub(super) fn key_of_plan(entry: &Entry) -> Option<Diagnostic> = super::unknown_key::explain_key_of_plan;

    /// The place of a key that is no setting.
    pub fn misplaced_setting(key: &str) -> Option<String> = super::unknown_key::explain_setting;
}

pub(super) fn suggested_key<'k>(key: &str, known: &[&'k str]) -> Option<&'k str> {
    closest_name(key, known.iter().copied())
        .or_else(|| known.iter().copied().find(|name| name.eq_ignore_ascii_case(key)))
        .or_else(|| {
            let (_, name) = SYNONYMS.iter().find(|(other, _)| *other == key)?;
            known.iter().copied().find(|known| known == name)
        })
}

pub(super) fn wrong_type(value: &Spanned, what: &str, expected: &str) -> Diagnostic {
    let found = match &value.kind {
        ValueKind::Number(number) => format!("`{}`", shorten_name(&number.to_string())),
        kind => kind.describe().to_owned(),
    };
    Diagnostic::new(Code::WrongShape, format!("{what} is {expected}, not {found}"))
        .at(value.span)
        .help(format!("write {expected} here"))
}

/// Text, number or boolean as text.
pub fn scalar_text(value: &Spanned) -> Option<String> {
    match &value.kind {
        ValueKind::Text(text) => Some(text.clone()),
        ValueKind::Number(number) => {
            Some(stepgraph_text::value::json_text(&serde_json::Value::Number(number.clone())))
        }
        ValueKind::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}
