//! The built-in planner flows, which are ordinary plans.
//!
//! Users can read and change their text. The engine checks and runs them like any other plan.
//!
//! Source: `docs/planning.md`, `docs/authoring.md`.

/// The names of the flows, in the order of the documentation.
pub const NAMES: [&str; 3] = ["plan-gather", "react", "author"];

/// Returns the text of a flow, or `None` for an unknown name.
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
