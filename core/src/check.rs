//! What only the host can tell: types, tools, models and handlers.

mod cases;
mod compared;
mod decision;
mod effects;
mod given;
mod inference;
mod known;
mod paths;

pub use cases::check_tests;
pub use decision::{Unasked, check_decision};

use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, Problems, brief};
use crate::graph::PlanGraph;
use crate::list::List;
use crate::node;
use crate::node::arguments::check_input;
use crate::tool::Catalogue;
use std::collections::HashSet;

/// What is wrong with a plan, given what a host can do. What is not known is not judged. The errors of the plan itself are
/// among it, so that a plan without errors here runs.
///
/// # Example
/// ```
/// use stepgraph_core::{capabilities::Capabilities, check, graph::PlanGraph, source::Format, tool::Catalogue};
/// let graph = PlanGraph::parse("nodes: {a: {type: tool, tool: adder}}", Format::Auto).graph.unwrap();
/// let nothing = Capabilities { tools: Some(Catalogue::default()), ..Capabilities::default() };
/// assert_eq!(check::check(&graph, &nothing)[0].code.slug(), "graph/unknown-tool");
/// ```
pub fn check(plan: &PlanGraph, capabilities: &Capabilities) -> Vec<Diagnostic> {
    let mut problems = Problems::default();
    for error in plan.errors() {
        problems.push(error.clone());
    }
    judge(plan, capabilities, &mut problems);
    problems.finish()
}

/// The same, told to those who know of other problems already.
fn judge(plan: &PlanGraph, capabilities: &Capabilities, problems: &mut Problems) {
    let graphs = plan.graphs();
    let nodes = || graphs.iter().flat_map(|graph| graph.nodes.iter().map(|node| (*graph, node)));
    let is_asked = capabilities.ids.iter().next().is_some();
    let ids: Vec<&str> = nodes().filter(|_| is_asked).map(|(_, node)| node.id.as_str()).list();
    let known: HashSet<&str> = ids.iter().copied().collect();
    let is_place = |name: &str| name.contains('/') && nodes().any(|(graph, node)| graph.place(node) == name);
    for id in capabilities.ids.iter().filter(|id| !known.contains(id) && !is_place(id)) {
        let help = match problems.near(id, ids.iter().copied()) {
            Some(meant) => format!("did you mean `{}`?", brief(meant)),
            None => "handlers by id go by the node's id, not its key".to_owned(),
        };
        problems.push(
            Diagnostic::new(Code::UnknownHandler, format!("no node has the id `{}`", brief(id))).help(help),
        );
    }
    allowed(capabilities, problems);
    let patterns = capabilities.tools.as_ref().map(Catalogue::patterns).unwrap_or_default();
    for (name, schema) in &plan.inputs {
        let inputs = plan.document.get("inputs").and_then(|entry| entry.value.get(&name.name));
        if let Some(entry) = inputs {
            check_input(&name.name, schema, &entry.value, patterns, problems);
        }
    }
    for graph in graphs {
        let whole = graph.nodes.iter().enumerate().filter(|(_, node)| !node.is_broken);
        for (position, _) in whole {
            node::check(plan, graph, position, capabilities, problems);
        }
        for (position, node) in graph.nodes.iter().enumerate().filter(|(i, _)| effects::has_any(graph, *i)) {
            if let Some(action) = node::action(node, &graph.place(node), capabilities) {
                effects::check(plan, graph, position, &action, problems);
            }
        }
    }
    paths::check(plan, capabilities, problems);
}

/// The same with the tests of the plan, which keep no run from beginning.
pub fn judge_all(plan: &PlanGraph, capabilities: &Capabilities, problems: &mut Problems) {
    judge(plan, capabilities, problems);
    cases::judge(plan, capabilities, problems);
}

/// Reports leave for tools that nobody offers: misspelt, it is leave for nothing, and a person is asked.
///
/// A warning, since the tools of a server come and go while what a host allows stays as it is.
fn allowed(capabilities: &Capabilities, problems: &mut Problems) {
    let Some(tools) = &capabilities.tools else { return };
    let names = || tools.iter().flat_map(|(name, tool)| tools.leave(name, tool));
    for name in capabilities.allowed.iter().filter(|name| *name != "*") {
        if names().any(|known| known == name) {
            continue;
        }
        let (message, help) = match tools.clashes(name) {
            Some(several) => {
                let several = several.iter().map(|name| format!("`{}`", brief(name))).list().join(" or ");
                (
                    format!("`{}` is allowed, and several servers have such a tool", brief(name)),
                    format!("allow {several}"),
                )
            }
            None => {
                let help = match problems.near(name, names()) {
                    Some(meant) => format!("did you mean `{}`?", brief(meant)),
                    None => "allow a tool that a server of the run offers".to_owned(),
                };
                (format!("`{}` is allowed, and there is no such tool", brief(name)), help)
            }
        };
        problems.push(Diagnostic::new(Code::UnknownAllowed, message).help(help));
    }
}
