//! The types of nodes, as far as the plan alone says what they are.
//!
//! Decides which types there are, by which older names they go, which settings they know and under which names they write. Does not
//! know what they do: that is `stepgraph_core::node`.

mod composite;
pub mod settings;
mod stage;

pub use composite::{Join, Shape};
pub use settings::known_settings;
pub use stage::{MISSED, Stage};

/// Types that this version runs by itself.
pub const BUILT_IN: [&str; 14] = [
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
    "approve",
    "parallel",
    "map",
    "graph",
];

/// Older names of built-in types.
const ALIASES: [(&str, &str); 6] = [
    ("init", "noop"),
    ("format_output", "noop"),
    ("error_handler", "noop"),
    ("terminal", "noop"),
    ("validation", "decision"),
    ("llm_call", "llm"),
];

/// The names under which a node that reasons may write.
const REACT_WRITES: &[&str] = &["answer", "plan", "tool_calls"];

/// The built-in type of which this is an older name.
pub fn alias(kind: &str) -> Option<&'static str> {
    ALIASES.iter().find(|(name, _)| *name == kind).map(|(_, meant)| *meant)
}

/// Whether it is an older name of a built-in type. A tool of that name goes before it.
pub fn is_older_name(kind: &str) -> bool {
    alias(kind).is_some()
}

/// The type that an older name means; any other means itself.
pub fn meant(kind: &str) -> &str {
    alias(kind).unwrap_or(kind)
}

/// Whether a node of a type asks a model.
pub(crate) fn asks_model(kind: &str) -> bool {
    let kind = meant(kind);
    matches!(kind, "llm" | "agent" | "plan" | "react") || Stage::of(kind).is_some_and(Stage::asks)
}

/// Whether a type is built in, by whichever name.
pub fn is_known(kind: &str) -> bool {
    let kind = meant(kind);
    current_kinds().any(|known| known == kind)
}

/// The names under which a node of a type writes beside its output, whenever it completes.
pub fn writes(kind: &str) -> &'static [&'static str] {
    stage::writes(kind)
}

/// The names under which a node of a type may write beside its output, on some ways.
pub fn may_write(kind: &str) -> impl Iterator<Item = &'static str> {
    let own = if meant(kind) == "react" { REACT_WRITES } else { &[] };
    let missed = (!writes(kind).is_empty()).then_some(MISSED);
    own.iter().chain(writes(kind)).copied().chain(missed)
}

/// Whether some type of node may write under that name.
pub fn is_written(name: &str) -> bool {
    current_kinds().any(|kind| may_write(kind).any(|written| written == name))
}

/// Every type that this version knows, by the name that it has now.
pub fn current_kinds<'a>() -> impl Iterator<Item = &'a str> {
    BUILT_IN.into_iter().chain(stage::kinds())
}

/// Every type that this version knows, older names included.
pub fn known_kinds<'a>() -> impl Iterator<Item = &'a str> {
    current_kinds().chain(ALIASES.iter().map(|(name, _)| *name))
}
