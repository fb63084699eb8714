//! The nine node types that turn a request into a plan, each a stage of the planner flow.

/// A stage on the path from a request to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Searches for an existing plan.
    Discovery,
    /// Finds the values in the request.
    ParameterDiscovery,
    /// Lists the requirements.
    Requirements,
    /// Chooses components.
    Browsing,
    /// Writes the plan in Markdown.
    Planning,
    /// Writes the plan.
    Generator,
    /// Fills the inputs of the plan from the request.
    Mapping,
    /// Validates the plan.
    Validator,
    /// Prepares the result for the user.
    Result,
}

/// Types, their stages and their named outputs.
const STAGES: [(&str, Stage, &[&str]); 9] = [
    ("discovery", Stage::Discovery, &["discovery_result"]),
    ("parameter_discovery", Stage::ParameterDiscovery, &["templatized_input", "discovered_params"]),
    ("requirements_analysis", Stage::Requirements, &["requirements_result"]),
    ("component_browsing", Stage::Browsing, &["browsed_components", "browsing_errors"]),
    ("planning", Stage::Planning, &["planning_result"]),
    ("workflow_generator", Stage::Generator, &["generated_workflow", "generation_errors"]),
    ("parameter_mapping", Stage::Mapping, &["execution_params", "missing_params"]),
    (
        "validator",
        Stage::Validator,
        &[
            "validation_errors",
            "more_errors",
            "validation_warnings",
            "unresolved",
            "coverage",
            "generations",
            "acceptable",
        ],
    ),
    ("result_preparation", Stage::Result, &["result"]),
];

/// The output that lists missed deadlines. Written only if there are some.
pub const MISSED_DEADLINES: &str = "missed_deadlines";

fn entry(kind: &str) -> Option<&'static (&'static str, Stage, &'static [&'static str])> {
    STAGES.iter().find(|(known, ..)| *known == kind)
}

/// Returns the names that a node of a type always writes besides its output.
pub(super) fn named_outputs(kind: &str) -> &'static [&'static str] {
    entry(kind).map_or(&[], |(_, _, writes)| writes)
}

pub(super) fn types<'a>() -> impl Iterator<Item = &'a str> {
    STAGES.iter().map(|(kind, ..)| *kind)
}

impl Stage {
    /// Returns the stage of a type.
    pub fn of(kind: &str) -> Option<Self> {
        entry(kind).map(|(_, stage, _)| *stage)
    }

    /// Returns whether the stage calls a model.
    pub fn calls_model(self) -> bool {
        !matches!(self, Self::Validator | Self::Result)
    }

    /// Returns whether the stage uses the shared conversation.
    pub fn shares_conversation(self) -> bool {
        matches!(self, Self::Planning | Self::Generator)
    }

    pub(super) fn has_setting(self, key: &str) -> bool {
        match key {
            "model" | "system" | "max_tokens" | "temperature" | "deadline_ms" => self.calls_model(),
            // One generation per visit: the validator decides about another.
            "attempts" => self != Self::Generator && self != Self::Result,
            "conversation" => self.shares_conversation(),
            "trusted" => matches!(self, Self::Planning | Self::Generator | Self::Validator),
            _ => true,
        }
    }
}
