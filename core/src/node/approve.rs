//! Approval nodes, which output `approved`, `rejected`, or the approver's value.
//!
//! An edge that does not test the decision also follows a rejection, which the check reports.

use super::action::{Action, ResolvedAction, resolve_action};
use super::checked_node::CheckedNode;
use super::settings;
use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, shorten_name};
use crate::expression::condition::Part;
use crate::expression::{Atom, Computed, Condition, Literal, Predicate, Reference, Root};
use crate::graph::control_flow::is_failure_condition;
use crate::graph::{Edge, Graph, Nested, Node, PlanGraph, templates_of, write_condition};
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
    let mut edges = graph.edges_from(position);
    let is_tested = edges.any(|edge| tests_decision(&edge.condition, node));
    if !is_tested || has_one_target(graph, position) {
        report_ignored(plan, graph, (position, node, is_tested), diagnostics);
    }
}

fn has_one_target(graph: &Graph, position: usize) -> bool {
    let mut targets = graph.edges_from(position).map(|edge| edge.target);
    let first = targets.next();
    targets.all(|target| Some(target) == first)
}

#[inline(never)]
fn report_ignored(
    plan: &PlanGraph,
    graph: &Graph,
    (position, node, is_tested): (usize, &Node, bool),
    diagnostics: &mut DiagnosticCollector,
) {
    if is_tested && !leads_to_one_node(graph, position, node) {
        return;
    }
    let is_handled = |edge: &Edge| {
        graph.nodes.get(edge.target).is_some_and(|target| match target.kind.as_str() {
            // They may compute something for later conditions.
            "log" | "set" => reads_decision(plan, graph, edge.target, node),
            kind => {
                passes_last(kind)
                    && graph.edges_from(edge.target).any(|next| tests_decision(&next.condition, node))
            }
        })
    };
    let is_ignored = |edge: &&Edge| {
        if is_tested {
            return edge.condition == Condition::Fallback;
        }
        may_hold_for_rejection(&edge.condition, node) && !is_handled(edge)
    };
    let Some(edge) = graph.edges_from(position).find(is_ignored) else { return };
    let diagnostic = ignored_rejection(node, graph, edge);
    let has_condition =
        !is_tested && graph.edges_from(position).any(|edge| edge.condition != Condition::Fallback);
    let mut diagnostic = diagnostic.help(if has_condition { CONDITION_HELP } else { EDGE_HELP });
    if edge.condition == Condition::Fallback {
        diagnostic.fix.extend(write_condition(plan, graph, edge, "last!=rejected"));
    }
    diagnostics.push(diagnostic);
}

/// Whether all decisions lead to the same node, although a condition compares one: `last==approved` and the fallback.
#[inline(never)]
fn leads_to_one_node(graph: &Graph, position: usize, approval: &Node) -> bool {
    let edges = || graph.edges_from(position).filter(|edge| !is_failure_condition(&edge.condition));
    let target = edges().next().map(|edge| edge.target);
    let is_word = |literal: &Literal| [APPROVED, REJECTED].contains(&literal.text.as_str());
    let compares_word = |atom: &Atom| {
        is_decision(&atom.reference, approval)
            && matches!(&atom.predicate, Predicate::Equals(it) | Predicate::Differs(it) if is_word(it))
    };
    edges().all(|edge| Some(edge.target) == target)
        && edges().any(|edge| edge.condition == Condition::Fallback)
        && edges().any(|edge| edge.condition.atoms().iter().any(compares_word))
}

/// The graph of a composite may end with a question. Then its output is or has the decision.
pub(super) fn check_composite(
    plan: &PlanGraph,
    graph: &Graph,
    position: usize,
    capabilities: &Capabilities,
    diagnostics: &mut DiagnosticCollector,
) {
    let Some(node) = graph.nodes.get(position) else { return };
    if graph.edges_from(position).next().is_none() || reads_output(graph, position, node) {
        return;
    }
    if let Some(question) = last_question(node, capabilities) {
        report_composite(plan, (graph, position, question), diagnostics);
    }
}

#[inline(never)]
fn report_composite(
    plan: &PlanGraph,
    (graph, position, question): (&Graph, usize, &Node),
    diagnostics: &mut DiagnosticCollector,
) {
    let Some(node) = graph.nodes.get(position) else { return };
    // The output of a `graph` is the decision itself.
    let is_nested = node.kind != "graph";
    // A later node may compute the decision.
    let is_read = |edge: &Edge| {
        let target = graph.nodes.get(edge.target);
        target.is_none_or(|target| {
            let takes_last =
                target.input.is_none() && (is_nested || matches!(target.kind.as_str(), "log" | "set"));
            if passes_last(&target.kind) { reads_output(graph, edge.target, node) } else { takes_last }
        }) || reads_decision(plan, graph, edge.target, node)
    };
    let mut edges = graph.edges_from(position).filter(|edge| may_hold_for_rejection(&edge.condition, node));
    if let Some(edge) = edges.find(|edge| !is_read(edge)) {
        let name = shorten_name(&node.key);
        let help = format!("compare the decision in `{name}`, or the output of `{name}` in a condition");
        diagnostics.push(ignored_rejection(question, graph, edge).help(help));
    }
}

/// Whether a condition of the edges from `position` reads the decision.
fn reads_output(graph: &Graph, position: usize, node: &Node) -> bool {
    graph.edges_from(position).any(|edge| {
        edge.condition == Condition::Unreadable
            || edge.references().any(|(found, _)| is_decision(found, node))
    })
}

/// Of a graph inside `node`.
#[inline(never)]
fn last_question<'n>(node: &'n Node, capabilities: &Capabilities) -> Option<&'n Node> {
    node.nested.iter().find_map(|Nested { graph, .. }| {
        let ends = graph.nodes.iter().zip(0..).filter(|(_, at)| graph.edges_from(*at).next().is_none());
        ends.map(|(end, _)| end).find_map(|end| {
            match resolve_action(end, &graph.node_path(end), capabilities) {
                ResolvedAction::Action(Action::Approve) => Some(end),
                ResolvedAction::Action(Action::Composite(_)) => last_question(end, capabilities),
                _ => None,
            }
        })
    })
}

/// Whether an input or setting of a node reads the whole decision.
#[inline(never)]
fn reads_decision(plan: &PlanGraph, graph: &Graph, position: usize, node: &Node) -> bool {
    let reads =
        |found: &Reference| is_decision(found, node) && (node.kind != "approve" || found.path.is_empty());
    let mut templates = Vec::new();
    templates_of(plan, graph, position, &mut templates);
    templates.iter().any(|(template, _)| template.references().any(|(found, _)| reads(found)))
}

fn ignored_rejection(question: &Node, graph: &Graph, edge: &Edge) -> Diagnostic {
    let message = format!(
        "a rejection of `{}` leads to `{}`, like an approval",
        shorten_name(&question.key),
        shorten_name(&edge.to.name)
    );
    Diagnostic::new(Code::RejectionIgnored, message)
        .on(Target::Edge(graph.scope.clone(), edge.index))
        .at(edge.condition_span)
}

const EDGE_HELP: &str = "add `condition: last!=rejected` to the edge, or an edge for `last==rejected`";
const CONDITION_HELP: &str = "no condition here compares the decision, which is text: write `last!=rejected`, or add an edge for `last==rejected`";

/// Whether it may tell a rejection from an approval. A decision is text, so a test of one of its fields can't.
fn tests_decision(condition: &Condition, approval: &Node) -> bool {
    let reads_all = |reference: &Reference| is_decision(reference, approval) && reference.path.is_empty();
    let compares = |atom: &Atom| atom.predicate != Predicate::Exists && reads_all(&atom.reference);
    let computes = |part: &Computed| part.references.iter().any(|found| reads_all(&found.reference));
    *condition == Condition::Unreadable
        || condition.atoms().iter().any(compares)
        || condition.computed().iter().any(computes)
}

/// Call it for conditions that don't test the decision.
fn may_hold_for_rejection(condition: &Condition, approval: &Node) -> bool {
    let Condition::Expression(expression) = condition else { return true };
    let is_missing = |reference: &Reference| {
        // A rejection is no failure.
        reference.root == Root::Error || is_decision(reference, approval) && !reference.path.is_empty()
    };
    let is_false = |part: Part| match part {
        Part::Atom(at) => expression.atoms.get(at).is_some_and(|atom| is_missing(&atom.reference)),
        Part::Computed(at) => expression.computed.get(at).is_some_and(|part| {
            part.references.iter().any(|found| found.needed_to_hold && is_missing(&found.reference))
        }),
    };
    let holds = expression.root.eval(&mut |part| if is_false(part) { Ok(false) } else { Err(()) });
    holds != Ok(false)
}

fn is_decision(reference: &Reference, approval: &Node) -> bool {
    match &reference.root {
        Root::Last => true,
        Root::Output(name) => *name == approval.key,
        _ => false,
    }
}
