//! The planner flow's nine node types, from request to plan.

/// A planner stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Finds existing plans.
    Discovery,
    /// Finds values in the request.
    ParameterDiscovery,
    /// Lists requirements.
    Requirements,
    /// Chooses components.
    Browsing,
    /// Plans in Markdown.
    Planning,
    /// Writes plans.
    Generator,
    /// Fills inputs from the request.
    Mapping,
    /// Validates plans.
    Validator,
    /// Answers users.
    Result,
}

/// Types, stages and named outputs.
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

/// Lists missed deadlines, if any.
pub const MISSED_DEADLINES: &str = "missed_deadlines";

fn entry(kind: &str) -> Option<&'static (&'static str, Stage, &'static [&'static str])> {
    STAGES.iter().find(|(known, ..)| *known == kind)
}

/// Outputs always written besides the node's own.
pub(super) fn named_outputs(kind: &str) -> &'static [&'static str] {
    entry(kind).map_or(&[], |(_, _, writes)| writes)
}

pub(super) fn types<'a>() -> impl Iterator<Item = &'a str> {
    STAGES.iter().map(|(kind, ..)| *kind)
}

impl Stage {
    /// Stage of a type.
    pub fn of(kind: &str) -> Option<Self> {
        entry(kind).map(|(_, stage, _)| *stage)
    }

    /// Uses a model.
    pub fn calls_model(self) -> bool {
        !matches!(self, Self::Validator | Self::Result)
    }

    /// Uses the shared conversation.
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
