//! What a node type that judges the answers of its model is asked, and what it gives.

use crate::capabilities::Capabilities;
use crate::diagnostic::Diagnostic;
use crate::graph::PlanGraph;
use serde_json::Value as Json;

/// What is wrong with a plan, given what a host can do. Who checks plans asks nodes, so nodes are given it.
pub type Check = fn(&PlanGraph, &Capabilities) -> Vec<Diagnostic>;

/// What a node is asked.
#[derive(Debug)]
pub struct Asked<'a> {
    /// Its input, the holes filled.
    pub input: &'a Json,
    /// The run's trusted values.
    pub context: &'a Json,
    /// How often the run came to it, from 1.
    pub visit: u32,
    /// What finds out what is wrong with a plan that was made.
    pub check: Check,
}

/// What a node gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Told {
    /// Its output.
    pub value: Json,
    /// Further outputs, by name.
    pub writes: Vec<(&'static str, Json)>,
}

impl From<Json> for Told {
    fn from(value: Json) -> Self {
        Self { value, writes: Vec::new() }
    }
}
