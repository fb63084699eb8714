//! A plan bound to what a host offers.
//!
//! Decides nothing: holds the program for its runs. How it is bound and what its numbers mean is told by the outer crate,
//! which is compiled for size.

use crate::value::Handle;
use std::sync::Arc;
use stepgraph_core::machine::Program;
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
}

impl BoundGraph {
    /// A program, unless there are errors, and what was found, as JSON.
    pub fn new(program: Option<Arc<Program<Handle>>>, diagnostics: String) -> Self {
        Self { program, diagnostics }
    }

    /// The program, when it can run.
    pub fn program(&self) -> Option<&Arc<Program<Handle>>> {
        self.program.as_ref()
    }
}
