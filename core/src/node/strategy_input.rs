//! Input and output of model strategies.

use crate::capabilities::Capabilities;
use crate::diagnostic::Diagnostic;
use crate::graph::PlanGraph;
use serde_json::Value as Json;

/// Checks a plan for a host. A parameter, since the plan checker depends on nodes.
pub type CheckPlan = fn(&PlanGraph, &Capabilities) -> Vec<Diagnostic>;

/// Strategy input.
#[derive(Debug)]
pub struct StrategyInput<'a> {
    /// Filled input.
    pub input: &'a Json,
    /// Trusted values.
    pub context: &'a Json,
    /// Starts at 1.
    pub visit: u32,
    /// For generated plans.
    pub check: CheckPlan,
}

/// Strategy output.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NodeOutput {
    /// The output.
    pub value: Json,
    /// Outputs by name.
    pub named_outputs: Vec<(&'static str, Json)>,
}

impl From<Json> for NodeOutput {
    fn from(value: Json) -> Self {
        Self { value, named_outputs: Vec::new() }
    }
}
