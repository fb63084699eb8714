//! Diagnostics as JSON.
//!
//! The form is that of `Diagnostic` in `wasm/js/types.ts`. The test suite checks both.

use serde_json::{Value as Json, json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Diagnostic, Label, Span, Target, TextEdit};
use stepgraph_core::source::LineIndex;

/// Serializes diagnostics to JSON text. Offsets are UTF-16 units, lines and columns start at 1.
#[inline]
pub fn diagnostics_json(problems: &[Diagnostic], text: &str) -> String {
    if problems.is_empty() {
        return "[]".to_owned();
    }
    let lines = LineIndex::new(text);
    Json::Array(problems.iter().map(|diagnostic| diagnostic_json(diagnostic, &lines)).collect_vec())
        .to_string()
}

/// Converts one diagnostic to JSON.
#[inline]
pub fn diagnostic_json(diagnostic: &Diagnostic, lines: &LineIndex<'_>) -> Json {
    let span = |span: Span| span_json(span, lines);
    let at = diagnostic.span.map(|span| lines.line_col(span.start));
    let label = |label: &Label| {
        let (line, column) = lines.line_col(label.span.start);
        json!({"span": span(label.span), "line": line, "column": column, "message": label.message})
    };
    json!({
        "code": diagnostic.code.slug(), "severity": diagnostic.severity.as_str(), "message": diagnostic.message,
        "target": target_json(&diagnostic.target), "span": diagnostic.span.map(span),
        "line": at.map(|at| at.0), "column": at.map(|at| at.1),
        "labels": diagnostic.labels.iter().map(label).collect_vec(), "help": diagnostic.help,
        "fix": diagnostic.fix.iter().map(|edit| edit_json(edit, lines)).collect_vec(),
    })
}

/// Converts a range of the text to `{start, end}`, in UTF-16 units.
#[inline]
pub fn span_json(span: Span, lines: &LineIndex<'_>) -> Json {
    json!({"start": lines.to_utf16(span.start), "end": lines.to_utf16(span.end)})
}

/// Converts an edit of the text to `{span, text}`.
#[inline]
pub fn edit_json(edit: &TextEdit, lines: &LineIndex<'_>) -> Json {
    json!({"span": span_json(edit.span, lines), "text": edit.text})
}

/// Converts an edge. The scope is omitted for the plan's own graph.
#[inline]
fn edge_json(kind: &str, scope: &str, edge: usize) -> Json {
    if scope.is_empty() {
        json!({"type": kind, "edge": edge})
    } else {
        json!({"type": kind, "edge": edge, "scope": scope})
    }
}

#[inline]
fn target_json(target: &Target) -> Json {
    match target {
        Target::Document => json!({"type": "document"}),
        Target::Node(key) => json!({"type": "node", "node": key}),
        Target::Edge(scope, edge) => edge_json("edge", scope, *edge),
        Target::Condition(scope, edge) => edge_json("condition", scope, *edge),
        Target::Call(call) => json!({"type": "call", "call": call}),
    }
}
