//! Formats values, paths and long texts for messages.

use serde_json::{Map, Value as Json, json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Span, shorten_name};
use stepgraph_core::value::{Segment, json_text, plain_text};

const MAX_VALUE_CHARS: usize = 60;
const CONTEXT_CHARS: usize = 16;
const MAX_DIFFERENCE_CHARS: usize = 40;

/// As `input.items[0].name`.
pub(super) fn path(path: &[Segment]) -> String {
    let mut out = String::new();
    for segment in path {
        match segment {
            Segment::Index(at) => out.extend(["[", &at.to_string(), "]"]),
            Segment::Key(key)
                if key.chars().all(stepgraph_core::expression::is_key_char) && !key.is_empty() =>
            {
                out.push_str(if out.is_empty() { "" } else { "." });
                out.push_str(key);
            }
            Segment::Key(key) => out.extend(["[", &Json::from(key.as_str()).to_string(), "]"]),
        }
    }
    out
}

pub(super) fn spans(spans: &[(&str, Option<Span>)]) -> Json {
    let shown = |(name, span): &(&str, Option<Span>)| {
        span.map(|span| ((*name).to_owned(), json!({"start": span.start, "end": span.end})))
    };
    Json::Object(spans.iter().filter_map(shown).collect::<Map<_, _>>())
}

pub(super) fn name(name: &str) -> String {
    format!("`{}`", shorten_name(name))
}

pub(super) fn names(names: &[&str]) -> String {
    const MAX_LISTED: usize = 5;
    let shown: Vec<String> = names.iter().take(MAX_LISTED).map(|one| name(one)).collect_vec();
    match (shown.as_slice(), names.len().saturating_sub(MAX_LISTED)) {
        ([], _) => "none".to_owned(),
        ([only], _) => only.clone(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (all, more) => format!("{} and {more} more", all.join(", ")),
    }
}

pub(super) fn value(value: &Json) -> Option<String> {
    let text = match value {
        Json::String(text) if text.is_empty() => return Some("empty text".to_owned()),
        // Quotes distinguish text from other JSON values.
        Json::String(text) if stepgraph_core::json::parse(text).is_some() || text.trim() != text => {
            json_text(value)
        }
        _ => value_text(value),
    };
    let fits = text.chars().nth(MAX_VALUE_CHARS).is_none() && !text.contains(['\n', '\r', '`']);
    fits.then(|| format!("`{text}`"))
}

fn value_text(value: &Json) -> String {
    if value.is_null() { "null".to_owned() } else { plain_text(value) }
}

/// "is `b` instead of `a`".
pub(super) fn value_change(before: &Json, after: &Json) -> String {
    if let (Some(old), Some(new)) = (value(before), value(after)) {
        return format!("is {new} instead of {old}");
    }
    match (before, after) {
        (Json::String(old), Json::String(new)) => text_difference(old, new),
        _ => format!("is {} instead of {}", value_or_kind(after), value_or_kind(before)),
    }
}

pub(super) fn value_or_kind(json: &Json) -> String {
    value(json).unwrap_or_else(|| match json {
        Json::String(text) => match text.lines().count() {
            0 | 1 => format!("a text of {} characters", text.chars().count()),
            lines => format!("a text of {lines} lines"),
        },
        Json::Array(items) => format!("a list of {}", items.len()),
        Json::Object(map) => {
            format!("a map of {}", names(&map.keys().map(String::as_str).collect_vec()))
        }
        _ => "another value".to_owned(),
    })
}

fn text_difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect_vec(), new.chars().collect_vec());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    // At word boundaries.
    let head = trim_partial_word(&old, head);
    let tail = trim_partial_word(&old.iter().rev().copied().collect_vec(), tail);
    let piece = |text: &[char]| {
        let from = head.saturating_sub(CONTEXT_CHARS);
        let inside = text.get(head..text.len() - tail).unwrap_or_default();
        let cut = inside.len() > MAX_DIFFERENCE_CHARS;
        let shown: String = inside.iter().take(MAX_DIFFERENCE_CHARS).collect();
        let lead: String = text.get(from..head).unwrap_or_default().iter().collect();
        let rest = if cut { 0 } else { CONTEXT_CHARS.min(tail) };
        let trail: String = text.get(text.len() - tail..).unwrap_or_default().iter().take(rest).collect();
        let more = if cut || rest < tail { "…" } else { "" };
        let whole = format!("{}{lead}{shown}{trail}{more}", if from > 0 { "…" } else { "" });
        format!("`{}`", whole.replace('`', "'").replace(['\n', '\r'], "⏎"))
    };
    format!("reads {} instead of {}", piece(&new), piece(&old))
}

fn trim_partial_word(text: &[char], same: usize) -> usize {
    let inside = |at: usize| text.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let mut at = same;
    while at > 0 && inside(at) && inside(at - 1) && same - at < CONTEXT_CHARS {
        at -= 1;
    }
    at
}

pub(super) fn condition_clause(condition: Option<&str>) -> String {
    match condition {
        // Whole, because its end may be what matters.
        Some(text) => format!("when `{}`", text.replace('`', "'").replace(['\n', '\r'], "⏎")),
        None => "when no other condition holds".to_owned(),
    }
}
