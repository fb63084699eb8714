//! The node types of plans, with older names, settings and named outputs. `stepgraph_core::node` defines their
//! behaviour.

mod composite;
pub mod settings;
mod stage;

pub use composite::{CompositeKind, Join};
pub use settings::known_settings;
pub use stage::{MISSED_DEADLINES, Stage};

/// Built-in types.
pub const BUILT_IN: [&str; 16] = [
    "tool",
    "llm",
    "agent",
    "plan",
    "gather",
    "react",
    "execute_tools",
    "decision",
    "noop",
    "log",
    "set",
    "wait",
    "approve",
    "parallel",
    "map",
    "graph",
];

const ALIASES: [(&str, &str); 6] = [
    ("init", "noop"),
    ("format_output", "noop"),
    ("error_handler", "noop"),
    ("terminal", "noop"),
    ("validation", "decision"),
    ("llm_call", "llm"),
];

const REACT_OUTPUTS: &[&str] = &["answer", "plan", "tool_calls"];

/// The type behind an older name.
pub fn alias(kind: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(name, _)| *name == kind).map(|(_, meant)| *meant)
}

/// Whether a name is outdated. A tool of that name takes precedence.
pub fn is_older_name(kind: &str) -> bool {
    alias(kind).is_some()
}

/// The current name.
pub fn resolve_alias(kind: &str) -> &str {
    alias(kind).unwrap_or(kind)
}

/// Whether the output is the previous one.
pub fn passes_last(kind: &str) -> bool {
    matches!(resolve_alias(kind), "decision" | "noop" | "wait")
}

/// Whether it calls a model.
pub fn calls_model(kind: &str) -> bool {
    let kind = resolve_alias(kind);
    matches!(kind, "llm" | "agent" | "plan" | "react") || Stage::of(kind).is_some_and(Stage::calls_model)
}

/// Whether it executes the calls that a model planned.
pub fn executes_tool_plan(kind: &str) -> bool {
    matches!(kind, "gather" | "execute_tools")
}

/// Whether it calls no model, tool, handler or user.
pub fn is_local(kind: &str) -> bool {
    is_built_in(kind)
        && !calls_model(kind)
        && !executes_tool_plan(kind)
        && !matches!(kind, "tool" | "approve")
}

/// Whether a type is built in, also by an older name.
pub fn is_built_in(kind: &str) -> bool {
    let kind = resolve_alias(kind);
    current_types().any(|known| known == kind)
}

/// Outputs always written besides the node's own.
pub fn named_outputs(kind: &str) -> &'static [&'static str] {
    stage::named_outputs(kind)
}

/// Outputs possibly written besides the node's own.
pub fn possible_named_outputs(kind: &str) -> impl Iterator<Item = &'static str> {
    let own = if resolve_alias(kind) == "react" { REACT_OUTPUTS } else { &[] };
    let missed = (!named_outputs(kind).is_empty()).then_some(MISSED_DEADLINES);
    own.iter().chain(named_outputs(kind)).copied().chain(missed)
}

/// Whether some type may write that name.
pub fn is_named_output(name: &str) -> bool {
    current_types().any(|kind| possible_named_outputs(kind).any(|written| written == name))
}

/// All types, without older names.
pub fn current_types<'a>() -> impl Iterator<Item = &'a str> {
    BUILT_IN.into_iter().chain(stage::types())
}

/// All types, with older names.
pub fn all_types<'a>() -> impl Iterator<Item = &'a str> {
    current_types().chain(ALIASES.iter().map(|(name, _)| *name))
}
