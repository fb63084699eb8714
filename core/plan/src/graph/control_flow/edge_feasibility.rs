//! Which edges a run can take after success and after failure, by conditions and their order.
//!
//! Any node may fail, since its handler is unknown.

use super::condition_logic::{EarlierConditions, FailureFact, static_value};
use crate::graph::{Edge, Graph};
use stepgraph_expression::Condition;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct EdgeFeasibility {
    pub(super) after_success: bool,
    pub(super) after_failure: bool,
    pub(super) taken_instead: Option<usize>,
}

impl EdgeFeasibility {
    pub(super) fn is_feasible(self) -> bool {
        self.after_success || self.after_failure
    }
}

/// `outside` is the failure around the graph.
pub(super) fn edge_feasibility(graph: &Graph, outside: FailureFact) -> Vec<EdgeFeasibility> {
    let mut feasibility = vec![EdgeFeasibility::default(); graph.edges.len()];
    for edges in &graph.outgoing {
        mark_after_success(graph, edges, outside, &mut feasibility);
        mark_after_failure(graph, edges, &mut feasibility);
    }
    feasibility
}

/// Whether some edge is always taken, after success and after failure.
pub(super) fn always_has_transition(graph: &Graph, node: usize, outside: FailureFact) -> (bool, bool) {
    let edges = graph.outgoing.get(node).map_or(&[][..], Vec::as_slice);
    let all = || edges.iter().filter_map(|edge| graph.edges.get(*edge));
    let ended = |edges: Vec<&Edge>, failure: FailureFact| {
        let mut tests = ConditionSequence::new(edges.len());
        for edge in edges {
            tests.is_feasible(edge, failure);
        }
        tests.ended.is_some()
    };
    let tests = all().filter(|edge| edge.condition != Condition::Fallback).collect();
    let fallback = all().any(|edge| edge.condition == Condition::Fallback);
    let failed = all().filter(|edge| edge.condition.references_error()).collect();
    (fallback || ended(tests, outside), ended(failed, FailureFact::Present))
}

fn mark_after_success(
    graph: &Graph,
    edges: &[usize],
    failure: FailureFact,
    feasibility: &mut [EdgeFeasibility],
) {
    let fallback = |edge: &&Edge| edge.condition == Condition::Fallback;
    let all = || edges.iter().filter_map(|edge| graph.edges.get(*edge));
    let mut tests = ConditionSequence::new(all().filter(|edge| !fallback(edge)).count());
    // Conditions precede fallbacks, in any textual order.
    for edge in all().filter(|edge| !fallback(edge)) {
        let open = tests.is_feasible(edge, failure);
        change(feasibility, edge, |feasibility| {
            (feasibility.after_success, feasibility.taken_instead) = (open, tests.instead);
        });
    }
    for edge in all().filter(fallback) {
        change(feasibility, edge, |feasibility| {
            (feasibility.after_success, feasibility.taken_instead) = (tests.ended.is_none(), tests.ended);
        });
        tests.ended = tests.ended.or(Some(edge.index));
    }
}

fn mark_after_failure(graph: &Graph, edges: &[usize], feasibility: &mut [EdgeFeasibility]) {
    // An unreadable condition may mention failures.
    let speaks = |edge: &&Edge| edge.condition.references_error() || edge.condition == Condition::Unreadable;
    let all = || edges.iter().filter_map(|edge| graph.edges.get(*edge)).filter(speaks);
    let mut tests = ConditionSequence::new(all().count());
    for edge in all() {
        let open = tests.is_feasible(edge, FailureFact::Present);
        change(feasibility, edge, |feasibility| {
            (feasibility.after_failure, feasibility.taken_instead) =
                (open, tests.instead.or(feasibility.taken_instead));
        });
    }
}

fn change(feasibility: &mut [EdgeFeasibility], edge: &Edge, change: impl FnOnce(&mut EdgeFeasibility)) {
    if let Some(feasibility) = feasibility.get_mut(edge.index) {
        change(feasibility);
    }
}

struct ConditionSequence {
    before: EarlierConditions,
    /// A run can take no later edge.
    ended: Option<usize>,
    instead: Option<usize>,
    left: usize,
}

impl ConditionSequence {
    fn new(remaining: usize) -> Self {
        Self { before: EarlierConditions::default(), ended: None, instead: None, left: remaining }
    }

    fn is_feasible(&mut self, edge: &Edge, failure: FailureFact) -> bool {
        self.instead = self.ended.or_else(|| self.before.subsumed_by(&edge.condition));
        self.left = self.left.saturating_sub(1);
        let parts = edge.condition.atoms().len() + edge.condition.computed().len();
        let truth = if parts > 1 || edge.condition.references_error() {
            static_value(&edge.condition, failure)
        } else {
            None
        };
        if self.instead.is_some() || truth == Some(false) {
            return false;
        }
        // A lone condition can't cover a later one.
        let alone = self.left == 0 && self.before.is_empty();
        let all = !alone && self.before.add(&edge.condition, edge.index);
        if all || truth == Some(true) {
            self.ended = Some(edge.index);
        }
        true
    }
}
