//! A plan bound to what a host offers.
//!
//! Decides nothing: holds the program, and tells JavaScript what its numbers mean.

use crate::value::{Handle, Table};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::host::Capabilities;
use stepgraph_core::machine::{self, Program};
use stepgraph_core::node::{Action, Handler};
use stepgraph_core::value::Segment;
use wasm_bindgen::prelude::wasm_bindgen;

/// A plan that is ready to run, or why it is not.
#[wasm_bindgen]
#[derive(Debug)]
pub struct BoundGraph {
    program: Option<Arc<Program<Handle>>>,
    diagnostics: String,
}

#[wasm_bindgen]
impl BoundGraph {
    /// Whether it can run.
    pub fn ready(&self) -> bool {
        self.program.is_some()
    }

    /// What was found, as JSON.
    pub fn diagnostics(&self) -> String {
        self.diagnostics.clone()
    }

    /// What its numbers mean, as JSON `{actions, names, edges, atoms, paths, literals}`.
    pub fn tables(&self) -> String {
        let Some(program) = &self.program else { return "null".to_owned() };
        let segment = |segment: &Segment| match segment {
            Segment::Key(key) => Json::from(key.as_str()),
            Segment::Index(index) => Json::from(*index),
        };
        json!({
            "actions": program.nodes.iter().map(|node| action(&node.action)).collect::<Vec<_>>(),
            "names": program.names.items(),
            "edges": program.edges.iter().map(|edge| json!([edge.index, edge.target, edge.text])).collect::<Vec<_>>(),
            "atoms": program.atoms.iter().map(|atom| json!([atom.reference, atom.look.path])).collect::<Vec<_>>(),
            "paths": program.paths.iter().map(|path| path.segments.iter().map(segment).collect()).collect::<Vec<Vec<_>>>(),
            "literals": program.literals.iter().map(|literal| literal.text.as_str()).collect::<Vec<_>>(),
        })
        .to_string()
    }
}

impl BoundGraph {
    /// Binds a plan; its constants go into the table of that number. `write` makes JSON of what was found.
    pub fn new(
        graph: &PlanGraph,
        capabilities: &Capabilities,
        table: u32,
        write: impl FnOnce(&[Diagnostic]) -> String,
    ) -> Self {
        match machine::bind(graph, capabilities, &Table::new(table)) {
            #[expect(
                clippy::arc_with_non_send_sync,
                reason = "the core shares by `Arc`; WebAssembly has one thread"
            )]
            Ok((program, problems)) => {
                Self { program: Some(Arc::new(program)), diagnostics: write(&problems) }
            }
            Err(problems) => Self { program: None, diagnostics: write(&problems) },
        }
    }

    /// The program, when it can run.
    pub fn program(&self) -> Option<&Arc<Program<Handle>>> {
        self.program.as_ref()
    }
}

/// `[kind, name]` of what a node does.
fn action(action: &Action) -> Json {
    match action {
        Action::Handler(Handler::Id(id)) => json!(["id", id]),
        Action::Handler(Handler::Type(kind)) => json!(["type", kind]),
        Action::Tool(name) => json!(["tool", name]),
        Action::Llm(_) => json!(["llm", null]),
        Action::Pass => json!(["pass", null]),
        Action::Log => json!(["log", null]),
    }
}
