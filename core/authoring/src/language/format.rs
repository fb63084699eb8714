//! Formats indentation, spaces and blank lines. Line breaks between brackets, text content and order stay.
//!
//! Invariants:
//! 1. Meaning and comments stay. If parsing again shows a difference, the formatter changes less.
//! 2. Formatting is idempotent.
//! 3. Unchanged lines have no edits.
//!
//! Source: YAML 1.2.2, chapters 6 and 8; RFC 8259.

mod brackets;
mod json;
mod lines;

use super::syntax_tree::SyntaxTree;
use lines::{FormatScope, FormattedLines};
use stepgraph_core::diagnostic::{Code, Diagnostic, TextEdit};
use stepgraph_core::source::edit::apply_edits;
use stepgraph_core::source::{Format, parse};
use stepgraph_core::value::json_text;

/// The formatting edits.
///
/// # Errors
/// `edit/unreadable` if the text does not parse.
///
/// # Example
/// ```
/// use stepgraph_authoring::language::format;
/// use stepgraph_core::source::{Format, edit::apply_edits};
/// let text = "nodes:\n    a:   {type: log}   # first\n\n\n\n    b:\n            type: noop  \n";
/// let edits = format(text, Format::Yaml).unwrap();
/// assert_eq!(apply_edits(text, &edits), "nodes:\n    a: {type: log} # first\n\n    b:\n        type: noop\n");
/// ```
pub fn format(text: &str, format: Format) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
    let document = parse(text, format);
    let broken = document.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let Some(root) = document.root.as_ref().filter(|_| broken.is_none()) else {
        return Err(Box::new(unreadable(broken)));
    };
    if document.format == Format::Json {
        return Ok(json::edits(text));
    }
    let meant = json_text(&root.to_json());
    let said = comments(text);
    // Some rare YAML cannot be indented safely.
    let ways = [
        FormatScope { indent: true, whitespace: true },
        FormatScope { indent: false, whitespace: true },
        FormatScope { indent: false, whitespace: false },
    ];
    for tidy in ways {
        let edits = format_tree(text, format, tidy);
        let after = apply_edits(text, &edits);
        let again = parse(&after, document.format);
        let same = again.root.is_some_and(|root| json_text(&root.to_json()) == meant)
            && again.diagnostics.iter().all(|diagnostic| !diagnostic.is_error());
        let settled = || format_tree(&after, format, tidy).is_empty();
        if same && comments(&after) == said && settled() {
            return Ok(edits);
        }
    }
    Ok(Vec::new())
}

fn format_tree(text: &str, format: Format, tidy: FormatScope) -> Vec<TextEdit> {
    let tree = SyntaxTree::new(text, format);
    let mut edits = FormattedLines::new(&tree).edits(tidy);
    if tidy.whitespace {
        edits.extend(brackets::edits(&tree));
        edits.sort_by_key(|edit| edit.span.start);
    }
    edits
}

fn comments(text: &str) -> Vec<&str> {
    FormattedLines::new(&SyntaxTree::new(text, Format::Yaml)).comments()
}

fn unreadable(diagnostic: Option<&Diagnostic>) -> Diagnostic {
    let why = diagnostic.map_or_else(String::new, |diagnostic| format!(": {}", diagnostic.message));
    let place = diagnostic.and_then(|diagnostic| diagnostic.span).unwrap_or_default();
    Diagnostic::new(Code::EditUnreadable, format!("the text can't be formatted as it is{why}"))
        .at(place)
        .help("fix the text first")
}
