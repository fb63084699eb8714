//! Reports edges that are never taken, and their replacements.

use super::loops::FeasibleGraph;
use stepgraph_expression::Condition;
use stepgraph_text::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, shorten_name};

pub(super) fn check(feasible: FeasibleGraph<'_>, reached: &[bool], diagnostics: &mut DiagnosticCollector) {
    let graph = feasible.graph;
    for (edge, feasibility) in graph.edges.iter().zip(feasible.ways) {
        if feasibility.is_feasible() || reached.get(edge.source) != Some(&true) {
            continue;
        }
        let Some(instead) = feasibility.taken_instead.and_then(|edge| graph.edges.get(edge)) else {
            diagnostics.push(
                Diagnostic::new(Code::NeverHolds, "this condition can't hold")
                    .on(Target::Condition(graph.scope.clone(), edge.index))
                    .at(edge.condition_span)
                    .help("remove the edge, or join conditions that exclude each other with `||`"),
            );
            continue;
        };
        let (label, help) = match (&instead.condition, &edge.condition) {
            (Condition::Fallback, _) => {
                ("this fallback comes first", "put a condition on one of them, or remove one")
            }
            (_, Condition::Fallback) => {
                ("with this one, a condition before it always holds", "remove the edge")
            }
            _ => (
                "this edge is taken whenever that one could be",
                "put it before the other edge, or remove it",
            ),
        };
        diagnostics.push_with(Code::DeadEdge, || {
            let message = format!("the edge to `{}` is never taken", shorten_name(&edge.to.name));
            Diagnostic::new(Code::DeadEdge, message)
                .on(Target::Edge(graph.scope.clone(), edge.index))
                .at(edge.condition_span)
                .label(instead.condition_span, label)
                .help(help)
        });
    }
}
