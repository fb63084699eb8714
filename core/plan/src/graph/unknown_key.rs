//! Explains a key that its map does not know: a misspelt one, or one that belongs to another map.

use super::map_reader::{KeySpec, suggested_key};
use super::read::{EDGE_KEYS, LIMIT_KEYS, NODE_KEYS, PLAN_KEYS, RETRY_KEYS};
use crate::key::did_you_mean;
use crate::kind::settings::known_settings;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{Code, Diagnostic, Span, shorten_name};
use stepgraph_text::source::{Entry, Spanned, ValueKind};

/// A map of the format that has a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Plan,
    Limits,
    Node,
    Retry,
    With,
    Edge,
}

/// `entries` are those of the map, `keys` its own.
pub(super) fn explain((entries, entry): (&[Entry], &Entry), keys: &KeySpec) -> Diagnostic {
    let Entry { key, key_span, .. } = entry;
    let diagnostic =
        Diagnostic::new(Code::UnknownKey, format!("`{}` is not a known key here", shorten_name(key)))
            .at(*key_span);
    let suggested = suggested_key(key, keys.known);
    let is_taken = |name: &str| get(entries, name).is_some();
    // Most such keys are misspelt.
    let is_misspelt = suggested.is_some_and(|name| !is_taken(name));
    let may_be_exact = !is_misspelt || matches!(key.as_str(), "tools" | "limits" | "inputs");
    if may_be_exact
        && let Some(place) = place_of(entries, entry, keys)
        && (!is_misspelt || is_exact(place, entry))
    {
        return misplaced(diagnostic, (entries, entry), place, keys);
    }
    match suggested {
        Some(name) if is_taken(name) => {
            diagnostic.help(format!("remove `{}`, for `{name}` is there, too", shorten_name(key)))
        }
        Some("timeout_ms") if key == "timeout" => suggest_milliseconds(diagnostic, entry),
        Some(name) => did_you_mean(diagnostic, name, key),
        None => diagnostic.help(format!(
            "remove `{}`; known here are {}",
            shorten_name(key),
            keys.known.iter().map(|name| format!("`{name}`")).collect_vec().join(", ")
        )),
    }
}

/// Help for a key of `with` that no setting has.
pub(super) fn explain_setting(key: &str) -> Option<String> {
    let key_of = |keys: &KeySpec| keys.known.contains(&key);
    let place = [(Place::Node, &NODE_KEYS), (Place::Retry, &RETRY_KEYS), (Place::Edge, &EDGE_KEYS)];
    let (place, _) = place.into_iter().find(|(_, keys)| key_of(keys))?;
    Some(match place {
        Place::Node => format!("move `{key}` out of `with`, into the node"),
        place => help(key, place),
    })
}

/// A key such as `edges` with a value that no node has.
#[inline(never)]
pub(super) fn explain_key_of_plan(entry: &Entry) -> Option<Diagnostic> {
    let is_key = match &entry.value.kind {
        ValueKind::Null => false,
        ValueKind::Map(entries) => has_shape_of(&entry.key, entries),
        _ => true,
    };
    let key = shorten_name(&entry.key);
    let diagnostic = Diagnostic::new(Code::WrongShape, format!("`{key}` is a key of the plan, not a node"));
    let help = || format!("move `{key}` to the left, beside `nodes`");
    is_key.then(|| diagnostic.at(entry.key_span).help(help()))
}

/// Whether a map is the value of a key of the plan, and no node.
fn has_shape_of(key: &str, entries: &[Entry]) -> bool {
    let is_schema = |entry: &Entry| {
        let has = |word: &str| entry.value.get(word).is_some();
        ["type", "enum", "const", "anyOf", "oneOf", "$ref"].into_iter().any(has)
    };
    let fits = |entry: &Entry| match key {
        "limits" => LIMIT_KEYS.known.contains(&entry.key.as_str()),
        "inputs" => is_schema(entry),
        "servers" => entry.value.get("url").is_some(),
        "layout" => matches!(entry.value.kind, ValueKind::List(_)),
        _ => false,
    };
    !entries.is_empty() && entries.iter().all(fits)
}

fn get<'e>(entries: &'e [Entry], key: &str) -> Option<&'e Spanned> {
    let entry = entries.iter().find(|entry| entry.key == key)?;
    (entry.value.kind != ValueKind::Null).then_some(&entry.value)
}

/// Whether the key cannot be a misspelt one of its map, even if it looks similar.
fn is_exact(place: Place, entry: &Entry) -> bool {
    let is_schema =
        |entry: &Entry| entry.value.as_map().is_some_and(|map| map.iter().any(|it| it.key == "type"));
    let map = entry.value.as_map().unwrap_or_default();
    place == Place::With
        || entry.key == "limits" && !map.is_empty()
        || entry.key == "inputs" && map.iter().any(is_schema)
}

/// The other map that knows the key.
#[inline(never)]
fn place_of(entries: &[Entry], entry: &Entry, keys: &KeySpec) -> Option<Place> {
    let key = entry.key.as_str();
    let is_here = |other: &KeySpec| keys.known == other.known;
    let knows = |other: &KeySpec| other.known.contains(&key);
    let places: &[(Place, &KeySpec)] = if is_here(&NODE_KEYS) {
        let kind = get(entries, "type").and_then(Spanned::as_text).unwrap_or_default();
        if known_settings(kind).contains(&key) {
            return Some(Place::With);
        }
        &[(Place::Retry, &RETRY_KEYS), (Place::Edge, &EDGE_KEYS), (Place::Plan, &PLAN_KEYS)]
    } else if is_here(&EDGE_KEYS) || is_here(&RETRY_KEYS) || is_here(&LIMIT_KEYS) {
        &[(Place::Node, &NODE_KEYS), (Place::Plan, &PLAN_KEYS), (Place::Retry, &RETRY_KEYS)]
    } else if is_here(&PLAN_KEYS) || keys.known.contains(&"layout") {
        &[
            (Place::Plan, &PLAN_KEYS),
            (Place::Limits, &LIMIT_KEYS),
            (Place::Node, &NODE_KEYS),
            (Place::Edge, &EDGE_KEYS),
        ]
    } else {
        &[]
    };
    places.iter().find(|(_, keys)| knows(keys)).map(|(place, _)| *place)
}

fn help(key: &str, place: Place) -> String {
    match place {
        Place::Plan => format!("move `{key}` to the top level of the plan"),
        Place::Limits => format!("move `{key}` into `limits` of the plan"),
        Place::Node => format!("move `{key}` into a node"),
        Place::Retry => format!("move `{key}` into `retry` of a node"),
        Place::With => format!("move `{key}` into `with`"),
        Place::Edge => format!("move `{key}` into an edge of `edges`"),
    }
}

#[inline(never)]
fn misplaced(
    diagnostic: Diagnostic,
    (entries, entry): (&[Entry], &Entry),
    place: Place,
    keys: &KeySpec,
) -> Diagnostic {
    let diagnostic = diagnostic.help(help(&entry.key, place));
    let outer = match place {
        Place::With => "with",
        Place::Retry if keys.known == NODE_KEYS.known => "retry",
        Place::Limits if keys.known == PLAN_KEYS.known => "limits",
        _ => return diagnostic,
    };
    // Two such keys need one map.
    let others = |other: &&Entry| !keys.known.contains(&other.key.as_str());
    let is_alone =
        entries.iter().filter(others).filter(|it| place_of(entries, it, keys) == Some(place)).count() == 1;
    let is_free = entries.iter().all(|other| other.key != outer);
    // `retry` needs `attempts`.
    let is_whole = place != Place::Retry || entry.key == "attempts";
    if is_alone && is_free && is_whole { wrapped(diagnostic, entry, outer) } else { diagnostic }
}

/// Writes `outer: {key: value}` if the value is plain text, a number or a truth value on one line.
fn wrapped(diagnostic: Diagnostic, entry: &Entry, outer: &str) -> Diagnostic {
    let Entry { key, key_span, value } = entry;
    let length = value.span.end - value.span.start;
    let is_plain = match &value.kind {
        ValueKind::Number(_) | ValueKind::Bool(_) => true,
        ValueKind::Text(text) => {
            let plain = |c: char| c.is_ascii_alphanumeric() || " _-./".contains(c);
            text.chars().all(plain) && (length == text.len() || length == text.len() + 2)
        }
        _ => false,
    };
    let quote = match (key_span.end - key_span.start).checked_sub(key.len()) {
        Some(0) => "",
        Some(2) => "\"",
        _ => return diagnostic,
    };
    if !is_plain {
        return diagnostic;
    }
    let before = format!("{quote}{outer}{quote}: {{");
    diagnostic.fix(Span::at(key_span.start), before).fix(Span::at(value.span.end), "}")
}

/// Larger bare numbers are probably milliseconds.
const MAX_SECONDS: f64 = 600.0;

/// Converts seconds to milliseconds.
fn suggest_milliseconds(diagnostic: Diagnostic, entry: &Entry) -> Diagnostic {
    let diagnostic = did_you_mean(diagnostic, "timeout_ms", &entry.key);
    let (number, factor) = match &entry.value.kind {
        ValueKind::Number(number) => {
            let number = number.as_f64().unwrap_or_default();
            (Some(number), if number <= MAX_SECONDS { 1000.0 } else { 1.0 })
        }
        ValueKind::Text(text) => {
            let digits = text.trim_end_matches(char::is_alphabetic);
            let unit = text.get(digits.len()..).unwrap_or_default();
            let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
            (factor.and_then(|_| stepgraph_text::parse_float::parse(digits.trim())), factor.unwrap_or(1.0))
        }
        _ => (None, 1.0),
    };
    let time = number.map(|number| number * factor).filter(|time| *time >= 1.0 && time.is_finite());
    let (Some(time), false) = (time, diagnostic.fix.is_empty()) else {
        let help = "write `timeout_ms` and a number of milliseconds";
        return Diagnostic { fix: Vec::new(), ..diagnostic.help(help) };
    };
    let time = stepgraph_text::value::number_text(time);
    let diagnostic = diagnostic.help(format!("write `timeout_ms: {time}`, in milliseconds"));
    diagnostic.fix(entry.value.span, time)
}

const UNITS: [(&str, f64); 7] = [
    ("ms", 1.0),
    ("s", 1000.0),
    ("sec", 1000.0),
    ("seconds", 1000.0),
    ("m", 60_000.0),
    ("min", 60_000.0),
    ("h", 3_600_000.0),
];
