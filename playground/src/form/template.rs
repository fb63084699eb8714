//! Inserts references into texts with placeholders, and previews them.

use super::evaluate::Samples;
use serde_json::Value as Json;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::{Template, TemplatePart};
use stepgraph_core::value::json_text;

/// Inserts a reference, or replaces a placeholder's content. Returns the text and the byte after it.
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
    let (start, end) = match open_placeholder(before) {
        Some(open) => {
            // An unclosed one ends at the cursor.
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

fn open_placeholder(before: &str) -> Option<usize> {
    let opened =
        before.rfind("${").filter(|open| !before.get(..*open).is_some_and(|start| start.ends_with('$')));
    opened.filter(|open| before.get(*open..).is_some_and(|inner| !inner.contains('}')))
}

/// Whether a position is inside a placeholder.
///
/// # Example
/// ```
/// use stepgraph_playground::form::template::is_in_placeholder;
/// assert_eq!([2, 6, 9].map(|at| is_in_placeholder("a ${last} b", at)), [false, true, false]);
/// ```
pub fn is_in_placeholder(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| open_placeholder(before).is_some())
}

/// Bytes of an inserted expression's part. `end` follows its placeholder.
///
/// # Example
/// ```
/// use stepgraph_core::diagnostic::Span;
/// use stepgraph_playground::form::template::{insert, place_in_inserted};
/// let (text, end) = insert("Sum: ", 5, "last.n + 1");
/// let place = place_in_inserted(end, "last.n + 1", Span::new(9, 10));
/// assert_eq!(&text[place.start..place.end], "1");
/// assert_eq!(place_in_inserted(end, "last.n + 1", Span::at(10)), Span::at(end));
/// ```
pub fn place_in_inserted(end: usize, expression: &str, place: Span) -> Span {
    let start = end.saturating_sub(expression.len() + 1);
    if place.start == expression.len() { Span::at(end) } else { place.shifted(start) }
}

/// A preview's part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreviewPart {
    /// Literal text.
    Text(String),
    /// Placeholder value.
    Filled(String),
    /// First reference of an unknown value.
    Unfilled(String),
}

/// `None` for invalid templates, and without placeholders.
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
        TemplatePart::Computed { computed, .. } => match samples.compute(computed) {
            Some(value) => PreviewPart::Filled(value_text(&value)),
            None => PreviewPart::Unfilled(computed.ast.to_string()),
        },
    }
}

/// As a template prints it.
pub fn value_text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => json_text(other),
    }
}
