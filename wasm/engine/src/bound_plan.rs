//! A plan bound to a host's capabilities, with the program of its runs. The outer crate binds it.

use crate::value::Handle;
use std::cell::RefCell;
use std::sync::Arc;
use stepgraph_core::machine::Program;
use wasm_bindgen::prelude::wasm_bindgen;

/// A plan that can run, or its errors.
#[wasm_bindgen]
#[derive(Debug)]
pub struct BoundPlan {
    program: Option<Arc<Program<Handle>>>,
    diagnostics: String,
    problem: RefCell<String>,
}

#[wasm_bindgen]
impl BoundPlan {
    /// Whether it can run.
    pub fn ready(&self) -> bool {
        self.program.is_some()
    }

    /// Returns why the last run could not start.
    pub fn problem(&self) -> String {
        self.problem.borrow().clone()
    }

    /// Returns the diagnostics as JSON.
    pub fn diagnostics(&self) -> String {
        self.diagnostics.clone()
    }
}

impl BoundPlan {
    /// `diagnostics` is JSON.
    pub fn new(program: Option<Arc<Program<Handle>>>, diagnostics: String) -> Self {
        Self { program, diagnostics, problem: RefCell::default() }
    }

    /// A result object for each run would cost more.
    pub fn reject_run(&self, problem: impl Into<String>) {
        *self.problem.borrow_mut() = problem.into();
    }

    /// Returns the program.
    pub fn program(&self) -> Option<&Arc<Program<Handle>>> {
        self.program.as_ref()
    }
}
