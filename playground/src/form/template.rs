//! Texts with holes: how a reference comes into one, and what it would say.

use super::evaluate::Samples;
use serde_json::Value as Json;
use stepgraph_core::expr::{Template, TemplatePart};
use stepgraph_core::value::json_text;

/// A text with a reference put in at a place, and the place behind it.
///
/// Inside a hole the reference takes the place of what is written there; elsewhere it makes a new one.
///
/// # Units
/// Bytes.
///
/// # Example
/// ```
/// use stepgraph_playground::form::template::insert;
/// assert_eq!(insert("Hi !", 3, "last.name"), ("Hi ${last.name}!".to_owned(), 15));
/// assert_eq!(insert("Hi ${la}!", 7, "last.name"), ("Hi ${last.name}!".to_owned(), 15));
/// ```
pub fn insert(text: &str, at: usize, reference: &str) -> (String, usize) {
    let at = text.floor_char_boundary(at);
    let (before, after) = text.split_at(at);
    let opened =
        before.rfind("${").filter(|open| !before.get(..*open).is_some_and(|start| start.ends_with('$')));
    let open = opened.filter(|open| before.get(*open..).is_some_and(|inner| !inner.contains('}')));
    let (start, end) = match open {
        Some(open) => {
            // A hole that is not closed ends where the text does that has been typed.
            let close = after
                .find('}')
                .filter(|close| !after.get(..*close).is_some_and(|inner| inner.contains("${")));
            (open, close.map_or(at, |close| at + close + 1))
        }
        None => (at, at),
    };
    let hole = ["${", reference, "}"].concat();
    let whole = [text.get(..start).unwrap_or_default(), &hole, text.get(end..).unwrap_or_default()].concat();
    (whole, start + hole.len())
}

/// A piece of what a text would say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreviewPart {
    /// As it is written.
    Text(String),
    /// What fills a hole.
    Filled(String),
    /// A hole that nothing is known to fill: its first reference.
    Unfilled(String),
}

/// What a text would say, with the values of a run; nothing of one without holes, or with a broken one.
pub fn preview(text: &str, samples: &Samples) -> Option<Vec<PreviewPart>> {
    let template = Template::parse(text).ok()??;
    Some(template.parts.iter().map(|part| preview_part(part, samples)).collect())
}

fn preview_part(part: &TemplatePart, samples: &Samples) -> PreviewPart {
    match part {
        TemplatePart::Text(text) => PreviewPart::Text(text.clone()),
        TemplatePart::Placeholder { choices, fallback, .. } => {
            let found = choices.iter().find_map(|reference| samples.get(reference));
            let fallback = fallback.as_ref().filter(|_| choices.is_empty() || !samples.is_empty());
            match (found.or(fallback), choices.first()) {
                (Some(value), _) => PreviewPart::Filled(value_text(value)),
                (None, reference) => {
                    PreviewPart::Unfilled(reference.map(ToString::to_string).unwrap_or_default())
                }
            }
        }
    }
}

/// A value inside a text.
pub fn value_text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => json_text(other),
    }
}
