//! The types of nodes that make a plan of a request: nine, each a stage of the flow `author`.
//!
//! Decides which stage a type is, whether it asks a model, and under which names it writes.

/// A stage on the way from a request to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Is there a plan already?
    Discovery,
    /// Which values does the request hold?
    ParameterDiscovery,
    /// What is to be done?
    Requirements,
    /// With which components?
    Browsing,
    /// How, in words?
    Planning,
    /// How, as a plan?
    Generator,
    /// Which inputs of the plan does the request fill?
    Mapping,
    /// Is the plan sound?
    Validator,
    /// What is the person told?
    Result,
}

/// Types, their stages, and the names under which they write.
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

/// Where stages write down that they took too long; not always there.
pub const MISSED: &str = "missed_deadlines";

/// What stands behind a type.
fn entry(kind: &str) -> Option<&'static (&'static str, Stage, &'static [&'static str])> {
    STAGES.iter().find(|(known, ..)| *known == kind)
}

/// The names under which a node of a type writes beside its output, whenever it completes.
pub(super) fn writes(kind: &str) -> &'static [&'static str] {
    entry(kind).map_or(&[], |(_, _, writes)| writes)
}

/// The stages' types.
pub(super) fn kinds<'a>() -> impl Iterator<Item = &'a str> {
    STAGES.iter().map(|(kind, ..)| *kind)
}

impl Stage {
    /// The stage of a type.
    pub fn of(kind: &str) -> Option<Self> {
        entry(kind).map(|(_, stage, _)| *stage)
    }

    /// What it may be told, whether it asks a model.
    pub fn asks(self) -> bool {
        !matches!(self, Self::Validator | Self::Result)
    }

    /// Whether it keeps to the conversation.
    pub fn talks(self) -> bool {
        matches!(self, Self::Planning | Self::Generator)
    }

    /// Whether it knows a setting of the stages.
    pub(super) fn knows(self, key: &str) -> bool {
        match key {
            "model" | "system" | "max_tokens" | "temperature" | "deadline_ms" => self.asks(),
            // One generation a visit: how often there is another, the validator says.
            "attempts" => self != Self::Generator && self != Self::Result,
            "conversation" => self.talks(),
            "trusted" => matches!(self, Self::Planning | Self::Generator | Self::Validator),
            _ => true,
        }
    }
}
