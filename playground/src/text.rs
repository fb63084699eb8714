//! JSON exchange with the text editor. Only here are offsets UTF-16, elsewhere bytes.
//!
//! Invariants: 1. edits are ordered and disjoint. 2. an opened text has one kind of line ending, so editors that count
//! it as one unit can convert.

mod locate;

pub use locate::{target_at, target_span};

use crate::history::ChangeSource;
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use stepgraph_authoring::language::Document;
use stepgraph_core::diagnostic::{Diagnostic, Span, TextEdit};
use stepgraph_core::json;
use stepgraph_core::source::LineIndex;
use stepgraph_core::value::json_text;

const MAX_PROBLEMS: usize = 2_000;

/// Editor change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Source.
    pub by: ChangeSource,
    /// Undo name.
    pub name: String,
    /// Starts an undo step.
    pub is_own_step: bool,
    /// Start, end (UTF-16) and replacement, in the text before.
    edits: Vec<(usize, usize, String)>,
}

/// Since the last message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedEdits {
    /// In order.
    pub groups: Vec<Group>,
    /// Afterwards, in UTF-16 units.
    pub length: usize,
}

/// `None` if invalid.
pub fn parse_typing(text: &str) -> Option<TypedEdits> {
    let json = json::parse(text)?;
    let groups = json.get("groups")?.as_array()?.iter().map(group).collect::<Option<_>>()?;
    Some(TypedEdits { groups, length: number(json.get("length")?)? })
}

fn group(json: &Json) -> Option<Group> {
    let edit = |edit: &Json| {
        let text = edit.get("text")?.as_str()?.to_owned();
        Some((number(edit.get("start")?)?, number(edit.get("end")?)?, text))
    };
    Some(Group {
        by: if json.get("by")?.as_str()? == "typing" { ChangeSource::Typing } else { ChangeSource::Command },
        name: json.get("name")?.as_str()?.to_owned(),
        is_own_step: json.get("apart")?.as_bool()?,
        edits: json.get("edits")?.as_array()?.iter().map(edit).collect::<Option<_>>()?,
    })
}

fn number(json: &Json) -> Option<usize> {
    usize::try_from(json.as_u64()?).ok()
}

impl Group {
    /// As bytes of the text before.
    pub fn edits(&self, text: &str) -> Vec<TextEdit> {
        let lines = LineIndex::new(text);
        let edit = |(start, end, text): &(usize, usize, String)| {
            let span = Span::new(lines.to_byte(*start), lines.to_byte(*end));
            TextEdit { span, text: text.clone() }
        };
        self.edits.iter().map(edit).collect()
    }
}

/// UTF-16 length.
pub fn length(text: &str) -> usize {
    LineIndex::new(text).to_utf16(text.len())
}

/// Edits as JSON.
pub fn edits_json(text: &str, edits: &[TextEdit]) -> String {
    let lines = LineIndex::new(text);
    json_text(&Json::Array(edits.iter().map(|edit| edit_json(edit, &lines)).collect()))
}

fn edit_json(edit: &TextEdit, lines: &LineIndex<'_>) -> Json {
    let Span { start, end } = edit.span;
    json!({"start": lines.to_utf16(start), "end": lines.to_utf16(end), "text": edit.text})
}

/// Diagnostics as JSON.
pub fn problems_json(document: &Document) -> String {
    let lines = document.line_index();
    let problem = |found: &Diagnostic| {
        let span = found.span?;
        let fix = found.fix.iter().map(|edit| edit_json(edit, &lines)).collect();
        Some(json!({
            "start": lines.to_utf16(span.start), "end": lines.to_utf16(span.end), "severity": found.severity.as_str(), "code": found.code.slug(),
            "message": found.message, "help": found.help, "fix": Json::Array(fix),
        }))
    };
    json_text(&Json::Array(document.diagnostics().iter().filter_map(problem).take(MAX_PROBLEMS).collect()))
}

/// Makes line endings equal. Mixed ones become LF.
///
/// # Example
/// ```
/// use stepgraph_playground::text::uniform_line_endings;
/// assert_eq!(uniform_line_endings("a\r\nb\r\n"), "a\r\nb\r\n");
/// assert_eq!(uniform_line_endings("a\r\nb\nc\rd"), "a\nb\nc\nd");
/// ```
pub fn uniform_line_endings(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') || ends_with(text, true) { Cow::Borrowed(text) } else { Cow::Owned(plain(text)) }
}

/// Adopts the text's line endings. Returns whether an edit changed.
pub fn match_line_endings(edits: &mut [TextEdit], text: &str) -> bool {
    let returns = text.contains('\r') && ends_with(text, true);
    let mut changed = false;
    for edit in edits.iter_mut().filter(|edit| edit.text.contains(['\n', '\r'])) {
        if !ends_with(&edit.text, returns) {
            edit.text = plain(&edit.text);
            if returns {
                edit.text = edit.text.replace('\n', "\r\n");
            }
            changed = true;
        }
    }
    changed
}

/// All CRLF, or all LF.
fn ends_with(text: &str, returns: bool) -> bool {
    let returned = text.matches("\r\n").count();
    let (all, feeds) = (text.matches('\r').count(), text.matches('\n').count());
    all == returned && if returns { feeds == returned } else { returned == 0 }
}

fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests;
