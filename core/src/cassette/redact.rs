//! Removes secrets and trusted values from everything stored or shared.
//!
//! Redacts values under secret names (`secret_names.rs`), and texts of the context or learned from such names,
//! everywhere. Context values are also redacted under their own names, such as `tenant: 7`. `wasm/js/redact.ts`
//! does the same.
//!
//! Invariants:
//! 1. Numbers, booleans and null are redacted by name only.
//! 2. Names of calls, nodes, tools and types stay, for replays.

use crate::collect::CollectVec;
use crate::json;
use crate::secret_names::is_secret;
use crate::value::json_text;
use serde_json::{Map, Value as Json};
use std::cmp::Reverse;
use std::fmt;

/// Replaces secrets.
pub const REDACTED: &str = "[redacted]";

/// Shorter texts occur everywhere.
const MIN_SECRET_CHARS: usize = 4;
/// Shorter texts match whole words only, so `test` is not found in `latest`.
const MIN_PARTIAL_CHARS: usize = 8;
/// Texts learned from names.
const MAX_LEARNED: usize = 1000;

/// Other fields hold names, codes and numbers.
const VALUE_FIELDS: &str = "content description input input_schema last memory message output output_schema provider schema text value values";

/// Value fields whose keys are names.
const NAMED_FIELDS: [&str; 3] = ["arguments", "outputs", "writes"];

/// Redacts all records of a run, and learns secrets while reading.
#[derive(Default)]
pub struct Redactor {
    /// In escaped forms, longest first.
    secrets: Vec<KnownSecret>,
    secret_count: usize,
    learned_count: usize,
    /// Context values by name.
    context: Map<String, Json>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").field("texts", &self.secret_count).finish_non_exhaustive()
    }
}

struct KnownSecret {
    form: String,
    /// Matches inside words.
    is_partial: bool,
}

impl Redactor {
    /// Knows every text of the trusted `context`.
    pub fn new(context: Option<&Json>) -> Self {
        let mut redactor = Self::default();
        if let Some(context) = context {
            redactor.learn_all(context);
            let plain = redact_by_name(context, &mut |_| {});
            redactor.context = plain.as_object().cloned().unwrap_or_default();
            // Booleans and null reveal nothing.
            redactor.context.retain(|_, value| !value.is_null() && !value.is_boolean());
        }
        redactor
    }

    fn learn_all(&mut self, value: &Json) {
        match value {
            Json::String(text) => self.add_secret(text),
            Json::Array(items) => items.iter().for_each(|item| self.learn_all(item)),
            Json::Object(map) => map.values().for_each(|value| self.learn_all(value)),
            _ => {}
        }
    }

    /// Redacts a line or event.
    pub fn redact_line(&mut self, line: &Json) -> Json {
        let plain = redact_by_name(line, &mut |secret| self.learn_secret(secret));
        if self.secrets.is_empty() && self.context.is_empty() { plain } else { self.redact_fields(plain) }
    }

    /// The host's texts are unlimited.
    fn learn_secret(&mut self, text: &str) {
        if self.learned_count < MAX_LEARNED {
            let before = self.secret_count;
            self.add_secret(text);
            self.learned_count += self.secret_count - before;
        }
    }

    fn add_secret(&mut self, text: &str) {
        let long = |shortest: usize| text.trim().encode_utf16().count() >= shortest;
        let new = !self.secrets.iter().any(|secret| secret.form == text);
        if !long(MIN_SECRET_CHARS) || text.contains(REDACTED) || !new {
            return;
        }
        let (once, twice) = (escape_json(text), escape_json(&escape_json(text)));
        let is_partial = text.encode_utf16().count() >= MIN_PARTIAL_CHARS;
        // Plain, escaped for JSON, and escaped twice for nested JSON.
        let mut forms = vec![text.to_owned(), once, twice];
        forms.dedup();
        self.secrets.extend(forms.into_iter().map(|form| KnownSecret { form, is_partial }));
        self.secrets.sort_by_key(|secret| Reverse(secret.form.encode_utf16().count()));
        self.secret_count += 1;
    }

    fn redact_fields(&self, line: Json) -> Json {
        map_texts(line, &|text| text, &|key, value| {
            let value = match key.as_str() {
                field if NAMED_FIELDS.contains(&field) => self.redact_named(value),
                field if VALUE_FIELDS.split(' ').any(|known| known == field) => self.redact_texts(value),
                _ => self.redact_fields(value),
            };
            (key, value)
        })
    }

    fn redact_named(&self, value: Json) -> Json {
        map_texts(value, &|text| self.redact_text(text), &|key, value| {
            let value =
                if self.is_context_value(&key, &value) { REDACTED.into() } else { self.redact_texts(value) };
            (key, value)
        })
    }

    fn is_context_value(&self, key: &str, value: &Json) -> bool {
        self.context.get(key) == Some(value)
    }

    fn redact_texts(&self, value: Json) -> Json {
        map_texts(value, &|text| self.redact_text(text), &|key, value| {
            let value =
                if self.is_context_value(&key, &value) { REDACTED.into() } else { self.redact_texts(value) };
            let key =
                if key.encode_utf16().count() < MIN_PARTIAL_CHARS { key } else { self.redact_text(key) };
            (key, value)
        })
    }

    fn redact_text(&self, text: String) -> String {
        if !self.secrets.iter().any(|secret| text.contains(&secret.form)) {
            return text;
        }
        let mut plain = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let mut before = None;
        while let Some(next) = rest.chars().next() {
            let taken = self.match_length(before, rest);
            let length = taken.unwrap_or(next.len_utf8());
            let (head, tail) = rest.split_at(length);
            plain.push_str(if taken.is_some() { REDACTED } else { head });
            // A redacted text is no part of a word.
            before = if head == REDACTED { None } else { head.chars().next_back() };
            rest = tail;
        }
        plain
    }

    fn match_length(&self, before: Option<char>, rest: &str) -> Option<usize> {
        if rest.starts_with(REDACTED) {
            return Some(REDACTED.len());
        }
        let found = self.secrets.iter().find(|KnownSecret { form, is_partial }| {
            let alone = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
            let behind = rest.strip_prefix(form.as_str());
            behind.is_some_and(|behind| *is_partial || (alone(before) && alone(behind.chars().next())))
        });
        found.map(|secret| secret.form.len())
    }
}

/// Reports each removed text.
fn redact_by_name(value: &Json, on_redacted: &mut dyn FnMut(&str)) -> Json {
    match value {
        Json::Array(items) => items.iter().map(|item| redact_by_name(item, on_redacted)).collect_vec().into(),
        Json::Object(map) => {
            let of_tool = map.get("role").and_then(Json::as_str) == Some("tool");
            let mut plain = Map::new();
            for (key, value) in map {
                plain.insert(key.clone(), redact_field(key, value, of_tool, on_redacted));
            }
            Json::Object(plain)
        }
        plain => plain.clone(),
    }
}

fn redact_field(key: &str, value: &Json, of_tool: bool, on_redacted: &mut dyn FnMut(&str)) -> Json {
    if let (true, "content", Some(text)) = (of_tool, key, value.as_str()) {
        return redact_json_text(text, on_redacted).map_or_else(|| value.clone(), Json::from);
    }
    // Booleans and null reveal nothing.
    let telling = !matches!(value, Json::Null | Json::Bool(_));
    if !telling || !is_secret(key) {
        return redact_by_name(value, on_redacted);
    }
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    for item in items {
        match item {
            Json::String(text) => on_redacted(text),
            inner => drop(redact_by_name(inner, on_redacted)),
        }
    }
    REDACTED.into()
}

/// A redacted JSON text, `None` if it is no JSON or holds no secret.
fn redact_json_text(text: &str, on_redacted: &mut dyn FnMut(&str)) -> Option<String> {
    let value = text.starts_with(['{', '[']).then(|| json::parse(text))??;
    let plain = redact_by_name(&value, on_redacted);
    (plain != value).then(|| json_text(&plain))
}

fn map_texts(
    value: Json,
    text: &dyn Fn(String) -> String,
    field: &dyn Fn(String, Json) -> (String, Json),
) -> Json {
    match value {
        Json::String(plain) => text(plain).into(),
        Json::Array(items) => items.into_iter().map(|item| map_texts(item, text, field)).collect_vec().into(),
        Json::Object(map) => {
            let mut all = Map::new();
            for (key, value) in map {
                let (key, value) = field(key, value);
                all.insert(key, value);
            }
            Json::Object(all)
        }
        other => other,
    }
}

fn escape_json(text: &str) -> String {
    let json = Json::from(text).to_string();
    json.get(1..json.len() - 1).unwrap_or_default().to_owned()
}

/// Ignores redacted parts, since known texts may differ between runs.
pub(crate) fn matches_redacted(then: &Json, now: &Json) -> bool {
    let out = |value: &Json| value.as_str() == Some(REDACTED);
    match (then, now) {
        _ if out(then) || out(now) => true,
        (Json::String(then), Json::String(now)) => {
            may_be_redacted_from(then, now) || may_be_redacted_from(now, then)
        }
        (Json::Array(then), Json::Array(now)) => {
            then.len() == now.len() && then.iter().zip(now).all(|(then, now)| matches_redacted(then, now))
        }
        (Json::Object(then), Json::Object(now)) => {
            let same =
                |(key, value): (&String, &Json)| now.get(key).is_some_and(|now| matches_redacted(value, now));
            then.len() == now.len() && then.iter().all(same)
        }
        _ => crate::value::canonical_text(then) == crate::value::canonical_text(now),
    }
}

fn may_be_redacted_from(redacted: &str, text: &str) -> bool {
    let Some((first, rest)) = redacted.split_once(REDACTED) else { return redacted == text };
    let (middle, last) =
        rest.rsplit_once(REDACTED).map_or((None, rest), |(middle, last)| (Some(middle), last));
    let Some(mut text) = text.strip_prefix(first).and_then(|text| text.strip_suffix(last)) else {
        return false;
    };
    for part in middle.into_iter().flat_map(|middle| middle.split(REDACTED)) {
        let Some((_, behind)) = text.split_once(part) else { return false };
        text = behind;
    }
    true
}
