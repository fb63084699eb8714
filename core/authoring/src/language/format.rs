//! A text as a tidy person would have written it, comments and all.
//!
//! Decides how far lines are indented, where single blanks stand and which empty lines go. Lines between brackets, what is within texts, and
//! the order of things stay as their author wrote them.
//!
//! Invariants: 1. the text after it means the same and has the same comments in the same order, which is read back and compared: what can't be
//! kept to that is left alone; 2. formatting twice changes nothing; 3. unchanged lines are not touched.
//!
//! Source: YAML 1.2.2, chapters 6 and 8; RFC 8259.

mod brackets;
mod json;
mod lines;

use super::syntax_tree::SyntaxTree;
use lines::{FormatScope, FormattedLines};
use stepgraph_core::diagnostic::{Code, Diagnostic, TextEdit};
use stepgraph_core::source::edit::spliced;
use stepgraph_core::source::{Format, read};
use stepgraph_core::value::json_text;

/// The edits that make a text tidy; none where it is.
///
/// # Errors
/// `edit/unreadable` when the text can't be read: nobody knows what must stay.
///
/// # Example
/// ```
/// use stepgraph_authoring::language::format;
/// use stepgraph_core::source::{Format, edit::spliced};
/// let text = "nodes:\n    a:   {type: log}   # first\n\n\n\n    b:\n            type: noop  \n";
/// let edits = format(text, Format::Yaml).unwrap();
/// assert_eq!(spliced(text, &edits), "nodes:\n    a: {type: log} # first\n\n    b:\n        type: noop\n");
/// ```
pub fn format(text: &str, format: Format) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
    let document = read(text, format);
    let broken = document.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let Some(root) = document.root.as_ref().filter(|_| broken.is_none()) else {
        return Err(Box::new(unreadable(broken)));
    };
    if document.format == Format::Json {
        return Ok(json::edits(text));
    }
    let meant = json_text(&root.to_json());
    let said = comments(text);
    // What is between brackets from the beginning has no lines of its own; and some of YAML is too strange to be moved.
    let ways = [
        FormatScope { indent: true, whitespace: true },
        FormatScope { indent: false, whitespace: true },
        FormatScope { indent: false, whitespace: false },
    ];
    for tidy in ways {
        let edits = format_tree(text, format, tidy);
        let after = spliced(text, &edits);
        let again = read(&after, document.format);
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

/// The comments of a text, in its order.
fn comments(text: &str) -> Vec<&str> {
    FormattedLines::new(&SyntaxTree::new(text, Format::Yaml)).comments()
}

fn unreadable(diagnostic: Option<&Diagnostic>) -> Diagnostic {
    let why = diagnostic.map_or_else(String::new, |diagnostic| format!(": {}", diagnostic.message));
    let place = diagnostic.and_then(|diagnostic| diagnostic.span).unwrap_or_default();
    Diagnostic::new(Code::EditUnreadable, format!("the text can't be formatted as it is{why}"))
        .at(place)
        .help("mend the text first")
}
