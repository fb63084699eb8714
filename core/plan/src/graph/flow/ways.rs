//! Which edges can be taken, after a node completed and after it failed.
//!
//! Decides what the order of edges and the conditions themselves rule out: whatever nodes give, such an edge is never
//! taken. Any node may fail here; who handles it is not known yet.

use super::truth::{Before, Failure, truth};
use crate::graph::{Edge, Graph};
use stepgraph_text::expr::Condition;

/// When an edge can be taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Way {
    /// After the node completed.
    pub(super) done: bool,
    /// After it failed.
    pub(super) failed: bool,
    /// The edge before it that is taken instead, whenever this one could be.
    pub(super) instead: Option<usize>,
}

impl Way {
    pub(super) fn is_open(self) -> bool {
        self.done || self.failed
    }
}

/// The ways of a graph's edges. `outside` is what is known of a failure around it, which its conditions see, too.
pub(super) fn ways(graph: &Graph, outside: Failure) -> Vec<Way> {
    let mut ways = vec![Way::default(); graph.edges.len()];
    for edges in &graph.outgoing {
        after_done(graph, edges, outside, &mut ways);
        after_failure(graph, edges, &mut ways);
    }
    ways
}

/// Whether some edge is always taken, after a node completed and after it failed.
pub(super) fn always_goes_on(graph: &Graph, node: usize, outside: Failure) -> (bool, bool) {
    let edges = graph.outgoing.get(node).map_or(&[][..], Vec::as_slice);
    let all = || edges.iter().filter_map(|edge| graph.edges.get(*edge));
    let ended = |edges: Vec<&Edge>, failure: Failure| {
        let mut tests = Tests::new(edges.len());
        for edge in edges {
            tests.open(edge, failure);
        }
        tests.ended.is_some()
    };
    let tests = all().filter(|edge| edge.condition != Condition::Fallback).collect();
    let fallback = all().any(|edge| edge.condition == Condition::Fallback);
    let failed = all().filter(|edge| edge.condition.mentions_error()).collect();
    (fallback || ended(tests, outside), ended(failed, Failure::Here))
}

fn after_done(graph: &Graph, edges: &[usize], failure: Failure, ways: &mut [Way]) {
    let fallback = |edge: &&Edge| edge.condition == Condition::Fallback;
    let all = || edges.iter().filter_map(|edge| graph.edges.get(*edge));
    let mut tests = Tests::new(all().filter(|edge| !fallback(edge)).count());
    // Conditions first, wherever they stand.
    for edge in all().filter(|edge| !fallback(edge)) {
        let open = tests.open(edge, failure);
        change(ways, edge, |way| (way.done, way.instead) = (open, tests.instead));
    }
    for edge in all().filter(fallback) {
        change(ways, edge, |way| (way.done, way.instead) = (tests.ended.is_none(), tests.ended));
        tests.ended = tests.ended.or(Some(edge.index));
    }
}

fn after_failure(graph: &Graph, edges: &[usize], ways: &mut [Way]) {
    // What can't be read may be meant for failures.
    let speaks = |edge: &&Edge| edge.condition.mentions_error() || edge.condition == Condition::Unreadable;
    let all = || edges.iter().filter_map(|edge| graph.edges.get(*edge)).filter(speaks);
    let mut tests = Tests::new(all().count());
    for edge in all() {
        let open = tests.open(edge, Failure::Here);
        change(ways, edge, |way| (way.failed, way.instead) = (open, tests.instead.or(way.instead)));
    }
}

fn change(ways: &mut [Way], edge: &Edge, change: impl FnOnce(&mut Way)) {
    if let Some(way) = ways.get_mut(edge.index) {
        change(way);
    }
}

/// Conditions as they are looked at one after another.
struct Tests {
    before: Before,
    /// The edge after which nothing is left.
    ended: Option<usize>,
    /// The edge that is taken instead of the one that was looked at last.
    instead: Option<usize>,
    /// How many are still to be looked at.
    left: usize,
}

impl Tests {
    fn new(left: usize) -> Self {
        Self { before: Before::default(), ended: None, instead: None, left }
    }

    /// Whether an edge can be taken.
    fn open(&mut self, edge: &Edge, failure: Failure) -> bool {
        self.instead = self.ended.or_else(|| self.before.covers(&edge.condition));
        self.left = self.left.saturating_sub(1);
        let truth = if edge.condition.atoms().len() > 1 || edge.condition.mentions_error() {
            truth(&edge.condition, failure)
        } else {
            None
        };
        if self.instead.is_some() || truth == Some(false) {
            return false;
        }
        // A lone condition has nothing after it that it could cover.
        let alone = self.left == 0 && self.before.is_empty();
        let all = !alone && self.before.add(&edge.condition, edge.index);
        if all || truth == Some(true) {
            self.ended = Some(edge.index);
        }
        true
    }
}
