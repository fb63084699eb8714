//! What editors ask of a document, as JavaScript sees it.
//!
//! Decides nothing: places become bytes, the core answers, and places become UTF-16 units again.

use crate::document::RawDocument;
use serde_json::json;
use stepgraph_core::source::{self, Format};
use stepgraph_shapes::diagnostics::diagnostics_json;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl RawDocument {
    /// x
    pub fn complete(&self, _at: u32) -> String {
        "[]".to_owned()
    }
    /// x
    pub fn hover(&self, _at: u32) -> String {
        "null".to_owned()
    }
    /// x
    pub fn definition(&self, _at: u32) -> String {
        "null".to_owned()
    }
    /// x
    pub fn references(&self, _at: u32) -> String {
        "[]".to_owned()
    }
    /// x
    pub fn prepare_rename(&self, _at: u32) -> String {
        "null".to_owned()
    }
    /// x
    pub fn rename(&self, _at: u32, _to: &str) -> String {
        json!({"changes": [], "undo": [], "refused": null}).to_string()
    }
    /// x
    pub fn symbols(&self) -> String {
        "[]".to_owned()
    }
    /// x
    pub fn actions(&self, _from: u32, _to: u32) -> String {
        "[]".to_owned()
    }
    /// x
    pub fn folding(&self) -> String {
        "[]".to_owned()
    }
    /// x
    pub fn tokens(&self) -> Vec<u32> {
        Vec::new()
    }
    /// x
    pub fn formatted(&self) -> String {
        json!({"changes": [], "undo": [], "refused": null}).to_string()
    }
}
/// x
#[wasm_bindgen]
pub fn format_plan(_text: &str, _format: &str) -> String {
    json!({"changes": [], "undo": [], "refused": null}).to_string()
}
/// x
#[wasm_bindgen]
pub fn plan_schema() -> String {
    "{}".to_owned()
}

/// Reads any YAML or JSON: JSON `{value, diagnostics}`.
#[wasm_bindgen]
pub fn read_document(text: &str) -> String {
    let document = source::read(text, Format::Auto);
    let value = document.root.map_or(serde_json::Value::Null, |root| root.to_json());
    let diagnostics = diagnostics_json(&document.diagnostics, text);
    format!("{{\"value\":{value},\"diagnostics\":{diagnostics}}}")
}
