//! Nodes that ask a person.
//!
//! Decides what a decision becomes: `approved`, `rejected`, or the value that the person put in its place. It routes like
//! any value, so an edge that asks nothing lets a rejection through: that is reported.

use super::settings;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, shorten_name};
use crate::expr::Condition;
use crate::graph::{Graph, PlanGraph, write_condition};
use crate::kind::resolve_alias;
use crate::kind::settings::TEMPLATES;
use crate::source::Spanned;

/// What is output when the person agreed.
pub(crate) const APPROVED: &str = "approved";
/// What is output when the person refused.
pub(crate) const REJECTED: &str = "rejected";

/// What is wrong with the settings, and a way on that a rejection takes as well.
pub(super) fn check(
    plan: &PlanGraph,
    graph: &Graph,
    position: usize,
    target: &Target,
    with: Option<&Spanned>,
    diagnostics: &mut DiagnosticCollector,
) {
    settings::check("approve", &[TEMPLATES], with, target, diagnostics);
    let Some(node) = graph.nodes.get(position) else { return };
    if graph.edges_from(position).any(|edge| edge.condition != Condition::Fallback) {
        return;
    }
    let Some(edge) = graph.edges_from(position).next() else { return };
    // What only passes the decision on may ask for it.
    let passes = graph
        .nodes
        .get(edge.target)
        .is_some_and(|node| matches!(resolve_alias(&node.kind), "decision" | "noop"));
    if passes && graph.edges_from(edge.target).any(|edge| edge.condition != Condition::Fallback) {
        return;
    }
    let message = format!(
        "a rejection of `{}` goes on to `{}` as an approval does",
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
