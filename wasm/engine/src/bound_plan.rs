//! A plan bound to the capabilities of a host.
//!
//! Holds the program for its runs. The outer crate, which is compiled for size, binds plans and documents
//! their numbers.

use crate::value::Handle;
use std::cell::RefCell;
use std::sync::Arc;
use stepgraph_core::machine::Program;
use wasm_bindgen::prelude::wasm_bindgen;

/// A plan that is ready to run, or its errors.
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

    /// Returns why its last run could not start.
    pub fn problem(&self) -> String {
        self.problem.borrow().clone()
    }

    /// Returns the diagnostics as JSON.
    pub fn diagnostics(&self) -> String {
        self.diagnostics.clone()
    }
}

impl BoundPlan {
    /// Creates a bound plan from its program, if there are no errors, and its diagnostics as JSON.
    pub fn new(program: Option<Arc<Program<Handle>>>, diagnostics: String) -> Self {
        Self { program, diagnostics, problem: RefCell::default() }
    }

    /// Sets why a run can't start. A text of the plan costs less than a result object for each run.
    pub fn reject_run(&self, problem: impl Into<String>) {
        *self.problem.borrow_mut() = problem.into();
    }

    /// Returns the program if it can run.
    pub fn program(&self) -> Option<&Arc<Program<Handle>>> {
        self.program.as_ref()
    }
}
