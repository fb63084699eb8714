//! Diagnostics as JSON, in the form of `Diagnostic` in `wasm/js/types.ts`.

use serde_json::{Value as Json, json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Diagnostic, Label, Span, Target, TextEdit};
use stepgraph_core::source::{LineIndex, SourceFile, SourceIndex};

/// Serializes diagnostics. Lines and columns start at 1.
#[inline]
pub fn diagnostics_json(problems: &[Diagnostic], text: &str) -> String {
    joined_diagnostics_json(problems, text, &[])
}

/// Serializes diagnostics of a text joined with files.
#[inline]
pub fn joined_diagnostics_json(problems: &[Diagnostic], text: &str, files: &[SourceFile]) -> String {
    if problems.is_empty() {
        return "[]".to_owned();
    }
    let index = SourceIndex::joined(text, files);
    Json::Array(problems.iter().map(|diagnostic| diagnostic_json(diagnostic, &index)).collect_vec())
        .to_string()
}

/// Converts a diagnostic. A position in another file has its path as `file`.
#[inline]
pub fn diagnostic_json(diagnostic: &Diagnostic, index: &SourceIndex<'_>) -> Json {
    let span = |span: Span| utf16_json(index.to_utf16(span));
    let at = diagnostic.span.map(|span| index.line_col(span.start));
    let file = |span: Option<Span>| span.and_then(|span| index.file(span.start));
    let label = |label: &Label| {
        let (line, column) = index.line_col(label.span.start);
        let json =
            json!({"span": span(label.span), "line": line, "column": column, "message": label.message});
        with_file(json, file(Some(label.span)))
    };
    let own = file(diagnostic.span);
    // A fix changes one text.
    let is_own = |edit: &TextEdit| index.file(edit.span.start) == own;
    let fix = if diagnostic.fix.iter().all(is_own) { diagnostic.fix.as_slice() } else { &[] };
    let fix = fix.iter().map(|edit| json!({"span": span(edit.span), "text": edit.text})).collect_vec();
    let json = json!({
        "code": diagnostic.code.slug(), "severity": diagnostic.severity.as_str(), "message": diagnostic.message,
        "target": target_json(&diagnostic.target), "span": diagnostic.span.map(span),
        "line": at.map(|at| at.0), "column": at.map(|at| at.1),
        "labels": diagnostic.labels.iter().map(label).collect_vec(), "help": diagnostic.help,
        "fix": fix,
    });
    with_file(json, own)
}

#[inline]
fn with_file(mut json: Json, file: Option<&str>) -> Json {
    if let (Some(file), Some(map)) = (file, json.as_object_mut()) {
        map.insert("file".to_owned(), file.into());
    }
    json
}

#[inline]
fn utf16_json(span: Span) -> Json {
    json!({"start": span.start, "end": span.end})
}

/// Converts a range to `{start, end}`, in UTF-16 units.
#[inline]
pub fn span_json(span: Span, lines: &LineIndex<'_>) -> Json {
    utf16_json(Span::new(lines.to_utf16(span.start), lines.to_utf16(span.end)))
}

/// Converts an edit to `{span, text}`.
#[inline]
pub fn edit_json(edit: &TextEdit, lines: &LineIndex<'_>) -> Json {
    json!({"span": span_json(edit.span, lines), "text": edit.text})
}

/// Omits the scope of the plan's own graph.
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
