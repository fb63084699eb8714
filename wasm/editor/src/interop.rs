//! JavaScript bindings to import plans and to export diagrams.

use serde_json::{Value as Json, json};
use stepgraph_authoring::interop::{self, Direction, ImportFinding, Source, dot, mermaid};
use stepgraph_codec::diagnostics::diagnostic_json;
use stepgraph_codec::json::parse_format;
use stepgraph_core::graph::{PlanFiles, PlanGraph};
use stepgraph_core::interner::NameTable;
use stepgraph_core::source::SourceIndex;
use wasm_bindgen::prelude::wasm_bindgen;

/// Draws a plan in `mermaid` or `dot`. Returns JSON `{text, diagnostics}`. `text` is null if the plan has
/// errors.
#[wasm_bindgen]
pub fn draw_plan(text: &str, read_as: &str, language: &str, direction: &str) -> String {
    let files = PlanFiles::optional();
    let parsed = PlanGraph::parse_with(text, parse_format(read_as), NameTable::default(), &files);
    let direction = Direction::parse(direction).unwrap_or_default();
    let write = if language == "dot" { dot::write } else { mermaid::write };
    let good = parsed.graph.as_ref().filter(|plan| plan.errors().is_empty());
    let drawn = good.map(|plan| write(plan, direction));
    let lines = SourceIndex::new(text);
    let diagnostics: Json =
        parsed.diagnostics.iter().map(|diagnostic| diagnostic_json(diagnostic, &lines)).collect();
    json!({"text": drawn, "diagnostics": diagnostics}).to_string()
}

/// Imports another program's plan. Returns JSON `{text, from, findings}`.
#[wasm_bindgen]
pub fn import_plan(text: &str, from: &str) -> String {
    let source = Source::parse(from).unwrap_or_else(|| Source::detect(text));
    let imported = interop::import(text, source);
    let lines = SourceIndex::new(text);
    let findings: Json = imported.findings.iter().map(|finding| finding_json(finding, &lines)).collect();
    json!({"text": imported.text, "from": source.as_str(), "findings": findings}).to_string()
}

fn finding_json(finding: &ImportFinding, lines: &SourceIndex<'_>) -> Json {
    let mut json = diagnostic_json(&finding.diagnostic, lines);
    if let Json::Object(map) = &mut json {
        map.insert("construct".to_owned(), Json::from(finding.construct));
        map.insert("fidelity".to_owned(), Json::from(finding.fidelity.as_str()));
    }
    json
}
