//! JavaScript bindings of language features at a position.

use crate::document::RawDocument;
use crate::edits::edit_result_json;
use serde_json::{Value as Json, json};
use stepgraph_authoring::language::{self, Completion, Document};
use stepgraph_codec::diagnostics::{diagnostics_json, edit_json, span_json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::source::{self, Format, LineIndex};
use wasm_bindgen::prelude::wasm_bindgen;

/// Converts the position from UTF-16 units.
fn answer_at(
    raw: &RawDocument,
    at: u32,
    answer: impl FnOnce(&Document, usize, &LineIndex<'_>) -> Json,
) -> String {
    let document = raw.document();
    let lines = document.line_index();
    answer(document, lines.to_byte(at as usize), &lines).to_string()
}

fn spans_json(spans: &[Span], lines: &LineIndex<'_>) -> Json {
    Json::Array(spans.iter().map(|span| span_json(*span, lines)).collect_vec())
}

fn span_or_null(span: Option<Span>, lines: &LineIndex<'_>) -> Json {
    span.map_or(Json::Null, |span| span_json(span, lines))
}

fn completion_json(found: &Completion, lines: &LineIndex<'_>) -> Json {
    json!({
        "label": found.label, "kind": found.kind.as_str(), "detail": found.detail, "documentation": found.documentation,
        "edit": edit_json(&found.edit, lines), "snippet": found.snippet, "filter": found.filter, "retriggers": found.retriggers,
    })
}

#[wasm_bindgen]
impl RawDocument {
    /// Returns the completions.
    pub fn complete(&self, at: u32) -> String {
        answer_at(self, at, |document, at, lines| {
            Json::Array(
                language::complete(document, at)
                    .iter()
                    .map(|found| completion_json(found, lines))
                    .collect_vec(),
            )
        })
    }

    /// Returns the hover text.
    pub fn hover(&self, at: u32) -> String {
        answer_at(self, at, |document, at, lines| {
            let found = language::hover(document, at);
            found.map_or(
                Json::Null,
                |found| json!({"span": span_json(found.span, lines), "markdown": found.markdown}),
            )
        })
    }

    /// Returns a name's definition.
    pub fn definition(&self, at: u32) -> String {
        answer_at(self, at, |document, at, lines| span_or_null(language::definition(document, at), lines))
    }

    /// Returns a name's references.
    pub fn references(&self, at: u32) -> String {
        answer_at(self, at, |document, at, lines| spans_json(&language::references(document, at), lines))
    }

    /// Returns the renamable name.
    pub fn prepare_rename(&self, at: u32) -> String {
        answer_at(self, at, |document, at, lines| {
            let span = language::prepare_rename(document, at);
            let name = span.and_then(|span| document.text().get(span.start..span.end));
            name.map_or(Json::Null, |name| json!({"span": span_or_null(span, lines), "name": name}))
        })
    }

    /// Returns the edits that rename a name.
    pub fn rename(&self, at: u32, to: &str) -> String {
        let document = self.document();
        let at = document.line_index().to_byte(at as usize);
        edit_result_json(document.text(), language::rename(document, at, to))
    }
}

/// Parses YAML or JSON. Returns JSON `{value, diagnostics}`.
#[wasm_bindgen]
pub fn read_document(text: &str) -> String {
    let document = source::parse(text, Format::Auto);
    let value = document.root.map_or(Json::Null, |root| root.to_json());
    let diagnostics = diagnostics_json(&document.diagnostics, text);
    format!("{{\"value\":{value},\"diagnostics\":{diagnostics}}}")
}
