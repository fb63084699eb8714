//! JavaScript bindings of plan edits.

use crate::document::RawDocument;
use serde_json::{Value as Json, json};
use stepgraph_authoring::edit::{GraphEdit, edit};
use stepgraph_codec::diagnostics::{diagnostic_json, edit_json};
use stepgraph_codec::json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Diagnostic, TextEdit};
use stepgraph_core::source::edit::{apply_edits, inverse};
use stepgraph_core::source::{LineIndex, SourceIndex};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl RawDocument {
    /// Applies a JSON list of operations. Returns JSON `{changes, undo, refused}`.
    pub fn edit(&self, edits: &str) -> String {
        let document = self.document();
        let diagnostics = parse_operations(edits).and_then(|edits| document.edit(&edits));
        edit_result_json(document.text(), diagnostics.map(|edited| edited.edits))
    }
}

/// Does the same for a text.
#[wasm_bindgen]
pub fn edit_plan(text: &str, format: &str, edits: &str) -> String {
    let diagnostics =
        parse_operations(edits).and_then(|edits| edit(text, json::parse_format(format), &edits));
    edit_result_json(text, diagnostics.map(|edited| edited.edits))
}

fn parse_operations(edits: &str) -> Result<Vec<GraphEdit>, Box<Diagnostic>> {
    let edits = json::parse(edits);
    edits.as_array().into_iter().flatten().map(GraphEdit::from_json).collect()
}

/// Returns JSON `{changes, undo, refused}`.
pub(crate) fn edit_result_json(text: &str, edits: Result<Vec<TextEdit>, Box<Diagnostic>>) -> String {
    let lines = LineIndex::new(text);
    let (edits, refused) = match edits {
        Ok(edits) => (edits, Json::Null),
        Err(diagnostic) => (Vec::new(), diagnostic_json(&diagnostic, &SourceIndex::new(text))),
    };
    let after = apply_edits(text, &edits);
    json!({"changes": changes_json(&edits, &lines), "undo": changes_json(&inverse(text, &edits), &LineIndex::new(&after)), "refused": refused}).to_string()
}

fn changes_json(edits: &[TextEdit], lines: &LineIndex<'_>) -> Json {
    Json::Array(edits.iter().map(|edit| edit_json(edit, lines)).collect_vec())
}
