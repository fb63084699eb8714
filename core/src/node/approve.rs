//! Approval nodes, which output `approved`, `rejected`, or the approver's value.
//!
//! An unconditional edge also follows a rejection, which the check reports.

use super::checked_node::CheckedNode;
use super::settings;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, shorten_name};
use crate::expression::Condition;
use crate::graph::{Graph, PlanGraph, write_condition};
use crate::kind::passes_last;
use crate::kind::settings::TEMPLATES;

pub(crate) const APPROVED: &str = "approved";
pub(crate) const REJECTED: &str = "rejected";

/// Also reports transitions that ignore rejections.
pub(super) fn check(
    plan: &PlanGraph,
    graph: &Graph,
    position: usize,
    CheckedNode { node, target, with, .. }: CheckedNode<'_>,
    diagnostics: &mut DiagnosticCollector,
) {
    settings::check("approve", &[TEMPLATES], with, target, diagnostics);
    if graph.edges_from(position).any(|edge| edge.condition != Condition::Fallback) {
        return;
    }
    let Some(edge) = graph.edges_from(position).next() else { return };
    // A forwarding node may have conditions on the decision.
    let passes = graph.nodes.get(edge.target).is_some_and(|node| passes_last(&node.kind));
    if passes && graph.edges_from(edge.target).any(|edge| edge.condition != Condition::Fallback) {
        return;
    }
    let message = format!(
        "a rejection of `{}` leads to `{}`, like an approval",
        shorten_name(&node.key),
        shorten_name(&edge.to.name)
    );
    let mut diagnostic = Diagnostic::new(Code::RejectionIgnored, message)
        .on(Target::Edge(graph.scope.clone(), edge.index))
        .at(edge.condition_span)
        .help("add `condition: last!=rejected` to the edge, or an edge for `last==rejected`");
    diagnostic.fix.extend(write_condition(plan, graph, edge, "last!=rejected"));
    diagnostics.push(diagnostic);
}
