//! JavaScript bindings of language features for a whole document.

use crate::document::RawDocument;
use crate::edits::edit_result_json;
use serde_json::{Value as Json, json};
use stepgraph_authoring::language::{self, SemanticTokenKind, Symbol};
use stepgraph_codec::diagnostics::{edit_json, span_json};
use stepgraph_codec::json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Code, Span};
use stepgraph_core::source::LineIndex;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl RawDocument {
    /// Returns the symbols as a tree.
    pub fn symbols(&self) -> String {
        let lines = self.document().line_index();
        Json::Array(
            language::symbols(self.document()).iter().map(|found| symbol_json(found, &lines)).collect_vec(),
        )
        .to_string()
    }

    /// Returns the code actions for a range.
    pub fn actions(&self, from: u32, to: u32) -> String {
        let lines = self.document().line_index();
        let span = Span::new(lines.to_byte(from as usize), lines.to_byte(to as usize));
        let action = |found: &language::CodeAction| {
            let changes = found.edits.iter().map(|edit| edit_json(edit, &lines)).collect_vec();
            json!({"title": found.title, "changes": changes, "code": found.code.map(Code::slug), "preferred": found.preferred})
        };
        Json::Array(language::code_actions(self.document(), span).iter().map(action).collect_vec())
            .to_string()
    }

    /// Returns the folding ranges.
    pub fn folding(&self) -> String {
        let lines = self.document().line_index();
        let fold = |found: &language::FoldingRange| json!({"span": span_json(found.span, &lines), "kind": if found.comment { "comment" } else { "region" }});
        Json::Array(language::folding_ranges(self.document()).iter().map(fold).collect_vec()).to_string()
    }

    /// Returns four numbers for each token: start, end, kind, and 1 for a definition.
    pub fn tokens(&self) -> Vec<u32> {
        let lines = self.document().line_index();
        let place = |at: usize| u32::try_from(lines.to_utf16(at)).unwrap_or(u32::MAX);
        let mut found = Vec::new();
        for token in language::semantic_tokens(self.document()) {
            let kind = SemanticTokenKind::ALL.iter().position(|kind| *kind == token.kind).unwrap_or(0);
            let kind = u32::try_from(kind).unwrap_or(0);
            found.extend([
                place(token.span.start),
                place(token.span.end),
                kind,
                u32::from(token.is_definition),
            ]);
        }
        found
    }

    /// Returns the edits that format the text.
    pub fn formatted(&self) -> String {
        let document = self.document();
        edit_result_json(document.text(), language::format(document.text(), document.format()))
    }
}

fn symbol_json(found: &Symbol, lines: &LineIndex<'_>) -> Json {
    // The depth of nested graphs limits the recursion.
    let children = found.children.iter().map(|child| symbol_json(child, lines)).collect_vec();
    json!({
        "name": found.name, "detail": found.detail, "kind": found.kind.as_str(), "span": span_json(found.span, lines),
        "nameSpan": span_json(found.name_span, lines), "children": Json::Array(children),
    })
}

/// Formats a plan. Returns JSON `{changes, undo, refused}`.
#[wasm_bindgen]
pub fn format_plan(text: &str, format: &str) -> String {
    edit_result_json(text, language::format(text, json::parse_format(format)))
}

/// Returns the JSON Schema of plan files.
#[wasm_bindgen]
pub fn plan_schema() -> String {
    language::plan_schema().to_string()
}

#[cfg(test)]
mod tests {
    use super::SemanticTokenKind;

    #[test]
    fn token_kind_numbers_match_javascript() {
        let names: Vec<String> =
            SemanticTokenKind::ALL.iter().map(|kind| format!("{:?}", kind.as_str())).collect();
        let list = format!("tokenKinds=[{},]", names.join(","));
        let script: String = include_str!("../../js/editor/document.ts").split_whitespace().collect();
        assert!(script.contains(&list), "{list}");
    }
}
