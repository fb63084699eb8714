//! JavaScript bindings for stubs.

use crate::graph::Graph;
use serde_json::{Value as Json, json};
use stepgraph_codec::diagnostics::diagnostics_json;
use stepgraph_codec::json;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::graph::UnusedStubs;
use stepgraph_core::source::Spanned;
use stepgraph_core::stub::{StubError, Stubs, find_flaws, flaws};
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the first error of JSON stubs as JSON `{code, path, message, help, more}`, or `undefined`. `more`
/// counts the further errors.
#[wasm_bindgen]
pub fn stub_error(stubs: &str) -> Option<String> {
    let mut found = flaws(&json::parse(stubs)).into_iter();
    let StubError { path, message, help, code } = found.next()?.into_error();
    let error = json!({
        "code": code.slug(), "path": path, "message": message, "help": help, "more": found.count(),
    });
    Some(error.to_string())
}

/// A file of stubs.
#[wasm_bindgen]
#[derive(Debug)]
pub struct StubsFile {
    text: String,
    root: Option<Spanned>,
    diagnostics: Vec<Diagnostic>,
    unused_diagnostics: UnusedStubs,
}

/// Parses a file. A `format` other than `json` and `yaml` detects it.
#[wasm_bindgen]
pub fn read_stubs(text: String, format: &str) -> StubsFile {
    let (root, diagnostics) = find_flaws(&text, json::parse_format(format));
    let unused = root.as_ref().map(|root| UnusedStubs::of(&Stubs::from_json_lenient(&root.to_json())));
    StubsFile { text, root, diagnostics, unused_diagnostics: unused.unwrap_or_default() }
}

#[wasm_bindgen]
impl StubsFile {
    /// Returns the stubs as JSON, or `null` if unreadable.
    pub fn value(&self) -> String {
        self.root.as_ref().map_or(Json::Null, Spanned::to_json).to_string()
    }

    /// Returns the diagnostics as a JSON list.
    pub fn diagnostics(&self) -> String {
        diagnostics_json(&self.diagnostics, &self.text)
    }

    /// Marks the stubs that a plan uses.
    pub fn look_at(&mut self, graph: &Graph) {
        self.unused_diagnostics.remove_used_by(graph.plan());
    }

    /// Returns the stubs that no plan uses, as a JSON list of diagnostics.
    pub fn unused(&self) -> String {
        diagnostics_json(&self.unused_diagnostics.find(self.root.as_ref()), &self.text)
    }
}
