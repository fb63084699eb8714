//! The input and output of a model strategy.

use crate::capabilities::Capabilities;
use crate::diagnostic::Diagnostic;
use crate::graph::PlanGraph;
use serde_json::Value as Json;

/// Checks a plan against the capabilities of a host. Passed as a function, since the checker of plans depends on
/// nodes.
pub type CheckPlan = fn(&PlanGraph, &Capabilities) -> Vec<Diagnostic>;

/// The input of a strategy.
#[derive(Debug)]
pub struct StrategyInput<'a> {
    /// The node's input, with placeholders filled.
    pub input: &'a Json,
    /// The run's trusted values.
    pub context: &'a Json,
    /// The number of the visit, from 1.
    pub visit: u32,
    /// The checker for generated plans.
    pub check: CheckPlan,
}

/// The output of a strategy.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NodeOutput {
    /// The output.
    pub value: Json,
    /// Further outputs, by name.
    pub named_outputs: Vec<(&'static str, Json)>,
}

impl From<Json> for NodeOutput {
    fn from(value: Json) -> Self {
        Self { value, named_outputs: Vec::new() }
    }
}
