//! What only the host can tell: types, tools, models and handlers.

use super::PlanGraph;
use crate::diagnostic::{Code, Diagnostic, Problems, brief};
use crate::host::Capabilities;
use crate::node;
use std::collections::HashSet;

/// What is wrong with a plan, given what a host can do. What is not known is not judged.
///
/// # Example
/// ```
/// use stepgraph_core::{graph::{self, PlanGraph}, host::Capabilities, source::Format, tool::Catalogue};
/// let graph = PlanGraph::parse("nodes: {a: {type: tool, tool: adder}}", Format::Auto).graph.unwrap();
/// let nothing = Capabilities { tools: Some(Catalogue::default()), ..Capabilities::default() };
/// assert_eq!(graph::check(&graph, &nothing)[0].code.slug(), "graph/unknown-tool");
/// ```
pub fn check(plan: &PlanGraph, capabilities: &Capabilities) -> Vec<Diagnostic> {
    let mut problems = Problems::default();
    let graphs = plan.graphs();
    let ids: Vec<&str> = graphs.iter().flat_map(|graph| &graph.nodes).map(|node| node.id.as_str()).collect();
    let known: HashSet<&str> = ids.iter().copied().collect();
    for id in capabilities.ids.iter().filter(|id| !known.contains(id)) {
        let help = match problems.near(id, ids.iter().copied()) {
            Some(meant) => format!("did you mean `{}`?", brief(meant)),
            None => "handlers by id go by the node's id, not its key".to_owned(),
        };
        problems.push(
            Diagnostic::new(Code::UnknownHandler, format!("no node has the id `{}`", brief(id))).help(help),
        );
    }
    for graph in graphs {
        for position in 0..graph.nodes.len() {
            node::check(plan, graph, position, capabilities, &mut problems);
        }
    }
    problems.finish()
}
