//! A plan bound to the capabilities of a host.
//!
//! Holds the program for its runs. The outer crate, which is compiled for size, binds plans and documents
//! their numbers.

use crate::value::Handle;
use std::sync::Arc;
use stepgraph_core::machine::Program;
use wasm_bindgen::prelude::wasm_bindgen;

/// A plan that is ready to run, or its errors.
#[wasm_bindgen]
#[derive(Debug)]
pub struct BoundPlan {
    program: Option<Arc<Program<Handle>>>,
    diagnostics: String,
}

#[wasm_bindgen]
impl BoundPlan {
    /// Whether it can run.
    pub fn ready(&self) -> bool {
        self.program.is_some()
    }

    /// Returns the diagnostics as JSON.
    pub fn diagnostics(&self) -> String {
        self.diagnostics.clone()
    }
}

impl BoundPlan {
    /// Creates a bound plan from its program, if there are no errors, and its diagnostics as JSON.
    pub fn new(program: Option<Arc<Program<Handle>>>, diagnostics: String) -> Self {
        Self { program, diagnostics }
    }

    /// Returns the program if it can run.
    pub fn program(&self) -> Option<&Arc<Program<Handle>>> {
        self.program.as_ref()
    }
}
