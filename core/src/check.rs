//! Checks a plan against a host.

mod comparisons;
mod decision;
mod decision_words;
mod existence;
mod expressions;
mod file_inputs;
mod foreign_braces;
mod inference;
mod known_value;
mod missed_templates;
mod no_effect;
mod node_inputs;
mod null_tests;
mod other_producers;
mod output_paths;
mod part_help;
mod plan_tests;
mod rejections;
mod timing;
mod value_list;
mod wait_times;

pub use decision::{DecisionProblem, check_decision};
pub use plan_tests::check_tests;

use crate::capabilities::{Capabilities, StubCapabilities};
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Severity, is_typo, shorten_name};
use crate::graph::{Graph, PlanGraph, unused_stubs};
use crate::kind::resolve_alias;
use crate::node;
use crate::node::Action;
use crate::node::arguments::check_input;
use std::collections::HashSet;

stepgraph_lazy::lazy! {
    /// Lazy: most plans ask for no approval.
    fn check_decisions(
        plan: &PlanGraph,
        capabilities: &Capabilities,
        diagnostics: &mut DiagnosticCollector
    ) = rejections::check;

    /// Lazy: few nodes retry or wait.
    fn check_timing(
        plan: &PlanGraph,
        graph: &Graph,
        position: usize,
        called: (&Action, &Capabilities),
        diagnostics: &mut DiagnosticCollector
    ) = timing::check;
}

/// All diagnostics for a host, including the plan's own: without errors it can run. Skips whatever is unknown about the
/// host.
///
/// # Example
/// ```
/// use stepgraph_core::{capabilities::Capabilities, check, graph::PlanGraph, source::Format, tool::ToolRegistry};
/// let graph = PlanGraph::parse("nodes: {a: {type: tool, tool: adder}}", Format::Auto).graph.unwrap();
/// let nothing = Capabilities { tools: Some(ToolRegistry::default()), ..Capabilities::default() };
/// assert_eq!(check::check(&graph, &nothing)[0].code.slug(), "graph/unknown-tool");
/// ```
pub fn check(plan: &PlanGraph, capabilities: &Capabilities) -> Vec<Diagnostic> {
    let mut diagnostics = DiagnosticCollector::default();
    for error in plan.errors() {
        diagnostics.push(error.clone());
    }
    check_into(plan, capabilities, &mut diagnostics);
    diagnostics.finish()
}

fn check_into(plan: &PlanGraph, capabilities: &Capabilities, diagnostics: &mut DiagnosticCollector) {
    let graphs = plan.graphs();
    let nodes = || graphs.iter().flat_map(|graph| graph.nodes.iter().map(|node| (*graph, node)));
    let is_asked = capabilities.ids.iter().next().is_some();
    let ids: Vec<&str> = nodes().filter(|_| is_asked).map(|(_, node)| node.id.as_str()).collect_vec();
    let known: HashSet<&str> = ids.iter().copied().collect();
    let is_place =
        |name: &str| name.contains('/') && nodes().any(|(graph, node)| graph.node_path(node) == name);
    for id in capabilities.ids.iter().filter(|id| !known.contains(id) && !is_place(id)) {
        let diagnostic = unknown_handler(id, &ids, capabilities, diagnostics);
        diagnostics.push(diagnostic);
    }
    check_allowed_tools(capabilities, diagnostics);
    let patterns = capabilities.patterns();
    let inputs = plan.document.get("inputs").and_then(|entry| entry.value.as_map()).unwrap_or_default();
    // Both are in the order of the text.
    let mut entries = inputs.iter();
    for (name, schema) in &plan.inputs {
        if let Some(entry) = entries.find(|entry| entry.key == name.name) {
            check_input(&name.name, schema, &entry.value, patterns, diagnostics);
        }
    }
    for graph in &graphs {
        let whole = graph.nodes.iter().enumerate().filter(|(_, node)| !node.is_broken);
        for (position, _) in whole {
            node::check(plan, graph, position, capabilities, diagnostics);
        }
        for (position, node) in
            graph.nodes.iter().enumerate().filter(|(i, _)| no_effect::is_candidate(graph, *i))
        {
            if let Some(action) = node::action(node, &graph.node_path(node), capabilities) {
                no_effect::check(plan, graph, position, &action, diagnostics);
                if node.retry.is_some() || action == Action::Wait {
                    check_timing(plan, graph, position, (&action, capabilities), diagnostics);
                }
            }
        }
    }
    if nodes().any(|(_, node)| resolve_alias(&node.kind) == "approve") {
        check_decisions(plan, capabilities, diagnostics);
    }
    output_paths::check(plan, capabilities, diagnostics);
}

/// Errors of stubs whose calls would be real.
#[inline(never)]
pub(crate) fn misspelt_stubs(plan: &PlanGraph, capabilities: &Capabilities) -> Vec<Diagnostic> {
    let StubCapabilities { given, host_tools, .. } = &capabilities.stubs;
    let unused = given.iter().flat_map(|stubs| unused_stubs(plan, stubs, host_tools));
    unused.filter(Diagnostic::is_error).collect_vec()
}

#[inline(never)]
fn unknown_handler(
    id: &str,
    ids: &[&str],
    capabilities: &Capabilities,
    diagnostics: &mut DiagnosticCollector,
) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(Code::UnknownHandler, format!("no node has the id `{}`", shorten_name(id)));
    match diagnostics.closest_name(id, ids.iter().copied()) {
        Some(meant) => {
            // A typo: the node would do what the handler or stub replaces.
            let is_typo = is_typo(id, meant) && !capabilities.handles_id(meant);
            let severity = if is_typo { Severity::Error } else { diagnostic.severity };
            Diagnostic { severity, ..diagnostic }.help(format!("did you mean `{}`?", shorten_name(meant)))
        }
        None => diagnostic.help("handlers by id go by the node's id, not its key"),
    }
}

/// Also checks tests, whose errors prevent no run.
pub fn check_all(plan: &PlanGraph, capabilities: &Capabilities, diagnostics: &mut DiagnosticCollector) {
    check_into(plan, capabilities, diagnostics);
    plan_tests::check_into(plan, capabilities, diagnostics);
}

/// A misspelt approved tool would still ask the user.
///
/// Only a warning: servers change tools while settings stay.
fn check_allowed_tools(capabilities: &Capabilities, diagnostics: &mut DiagnosticCollector) {
    let Some(tools) = &capabilities.tools else { return };
    let names = || tools.iter().flat_map(|(name, tool)| tools.approval_names(name, tool));
    for name in capabilities.allowed.iter().filter(|name| *name != "*") {
        if names().any(|known| known == name) {
            continue;
        }
        let (message, help) = match tools.ambiguous_names(name) {
            Some(several) => {
                let several =
                    several.iter().map(|name| format!("`{}`", shorten_name(name))).collect_vec().join(" or ");
                (
                    format!("`{}` is allowed, and several servers have such a tool", shorten_name(name)),
                    format!("allow {several}"),
                )
            }
            None => {
                let help = match diagnostics.closest_name(name, names()) {
                    Some(meant) => format!("did you mean `{}`?", shorten_name(meant)),
                    None => "allow a tool that a server of the run offers".to_owned(),
                };
                (format!("`{}` is allowed, and there is no such tool", shorten_name(name)), help)
            }
        };
        diagnostics.push(Diagnostic::new(Code::UnknownAllowed, message).help(help));
    }
}
