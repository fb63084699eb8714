//! The plan's text as the editor of the page has it: places in UTF-16 units, structures as JSON.
//!
//! Decides nothing about the plan. What is typed comes in units and becomes bytes here, and nowhere else; what the page does to the text
//! and what it finds wrong goes out in units.
//!
//! Files: `locate` which node or edge stands where.
//!
//! Invariants: 1. edits come in the order of the text and do not overlap, in both directions; 2. all lines of a text that is opened end
//! alike, so that an editor that counts a line's end as one can count back.
//!
//! Places are converted once, at this boundary, so that no other code has to know in which unit a place is.

mod locate;

pub use locate::{target_at, target_span};

use crate::history::ChangeSource;
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use stepgraph_authoring::language::Document;
use stepgraph_core::diagnostic::{Diagnostic, Span, TextEdit};
use stepgraph_core::json;
use stepgraph_core::source::Lines;
use stepgraph_core::value::json_text;

/// So many problems are told to the editor; nobody reads more.
const MAX_PROBLEMS: usize = 2_000;

/// What was done in the editor at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Typing, or a command of the editor.
    pub by: ChangeSource,
    /// What it is called where it can be undone.
    pub name: String,
    /// Whether it is a step of its own, although it is typed where the last one ended.
    pub is_own_step: bool,
    /// Beginning and end in the text before it, and what stands there now.
    ///
    /// # Units
    /// UTF-16.
    edits: Vec<(usize, usize, String)>,
}

/// What was done in the editor since it was asked last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedEdits {
    /// One after another.
    pub groups: Vec<Group>,
    /// How long the text is after all of it, in UTF-16 units.
    pub length: usize,
}

/// Reads what the editor tells; nothing when that is no such thing.
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
    /// Its edits of the text that they were made in.
    pub fn edits(&self, text: &str) -> Vec<TextEdit> {
        let lines = Lines::new(text);
        let edit = |(start, end, text): &(usize, usize, String)| {
            let span = Span::new(lines.byte(*start), lines.byte(*end));
            TextEdit { span, text: text.clone() }
        };
        self.edits.iter().map(edit).collect()
    }
}

/// How long a text is.
///
/// # Units
/// UTF-16.
pub fn length(text: &str) -> usize {
    Lines::new(text).utf16(text.len())
}

/// Edits of a text for the editor that shows it.
pub fn edits_json(text: &str, edits: &[TextEdit]) -> String {
    let lines = Lines::new(text);
    json_text(&Json::Array(edits.iter().map(|edit| edit_json(edit, &lines)).collect()))
}

fn edit_json(edit: &TextEdit, lines: &Lines<'_>) -> Json {
    let Span { start, end } = edit.span;
    json!({"start": lines.utf16(start), "end": lines.utf16(end), "text": edit.text})
}

/// What is wrong, for the editor that draws lines below it.
pub fn problems_json(document: &Document) -> String {
    let lines = document.line_index();
    let problem = |found: &Diagnostic| {
        let span = found.span?;
        let fix = found.fix.iter().map(|edit| edit_json(edit, &lines)).collect();
        Some(json!({
            "start": lines.utf16(span.start), "end": lines.utf16(span.end), "severity": found.severity.as_str(), "code": found.code.slug(),
            "message": found.message, "help": found.help, "fix": Json::Array(fix),
        }))
    };
    json_text(&Json::Array(document.diagnostics().iter().filter_map(problem).take(MAX_PROBLEMS).collect()))
}

/// The text with lines that all end alike: as they do, or where they end in several ways, as most editors write them today.
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

/// What is put into a text, with lines that end as its own do.
pub fn match_line_endings(edits: &mut [TextEdit], text: &str) {
    let returns = text.contains('\r') && ends_with(text, true);
    for edit in edits.iter_mut().filter(|edit| edit.text.contains(['\n', '\r'])) {
        if !ends_with(&edit.text, returns) {
            edit.text = plain(&edit.text);
            if returns {
                edit.text = edit.text.replace('\n', "\r\n");
            }
        }
    }
}

/// Whether all lines end with CR and LF, or all with LF.
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
