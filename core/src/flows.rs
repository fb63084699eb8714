//! The built-in planner flows, which are ordinary plans that users can change.
//!
//! Source: `docs/planning.md`, `docs/authoring.md`.

/// Flow names, in documentation order.
pub const NAMES: [&str; 3] = ["plan-gather", "react", "author"];

/// `None` for unknown flows.
///
/// # Example
/// ```
/// use stepgraph_core::{flows, graph::PlanGraph, source::Format};
/// let text = flows::source("author").unwrap();
/// assert!(PlanGraph::parse(text, Format::Yaml).graph.is_some());
/// assert_eq!(flows::source("nothing"), None);
/// ```
pub fn source(name: &str) -> Option<&'static str> {
    Some(match name {
        "plan-gather" => include_str!("../flows/plan-gather.yaml"),
        "react" => include_str!("../flows/react.yaml"),
        "author" => include_str!("../flows/author.yaml"),
        _ => return None,
    })
}
