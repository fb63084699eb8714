//! Counts the approvals on paths through a graph.
//!
//! Only conditions that certainly fail exclude a path. A rejection resets the count, and stays in the approval node's
//! output, and in `last` while nodes forward it.
//!
//! Invariant: The search covers every path of a run, so an approval on all paths is one in every run.

use super::guard::APPROVE;
use crate::expression::{Condition, Root};
use crate::graph::{Edge, Graph, Node, TemplateValue};
use crate::kind::{passes_last, resolve_alias};
use crate::node::REJECTED;
use crate::partial_condition::{Fact, evaluate};
use serde_json::Value as Json;
use std::collections::{HashMap, VecDeque};

/// Tracked per graph. Outputs of further approval nodes are unknown.
const MAX_APPROVALS: usize = 6;
/// Steps per graph, beyond which nothing counts as approved.
const STEP_BUDGET: usize = 100_000;

pub(super) fn is_approval(node: &Node) -> bool {
    resolve_alias(&node.kind) == APPROVE
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
struct PathState {
    is_rejected: bool,
    /// Perhaps with the approver's own value.
    is_approved: bool,
    /// Rejected approval nodes as bits.
    rejected: u8,
}

pub(super) struct ApprovalCounts {
    before: Vec<Option<usize>>,
    /// Nodes reached without a rejection.
    unrefused: Vec<bool>,
    ends: HashMap<bool, usize>,
}

impl ApprovalCounts {
    /// `base` counts approvals before the graph.
    pub(super) fn new(graph: &Graph, base: usize) -> Self {
        let mut walk = PathSearch {
            graph,
            approvals: graph
                .nodes
                .iter()
                .filter(|node| is_approval(node))
                .map(|node| node.id.as_str())
                .collect(),
            costs: HashMap::new(),
            queue: VecDeque::new(),
            counts: Self {
                before: vec![None; graph.nodes.len()],
                unrefused: vec![false; graph.nodes.len()],
                ends: HashMap::new(),
            },
        };
        if let Some(start) = graph.start {
            walk.visit(start, PathState::default(), base);
        }
        let mut work_budget = STEP_BUDGET;
        while let Some((node, world, cost)) = walk.queue.pop_front() {
            work_budget -= 1;
            if work_budget == 0 {
                return Self {
                    before: vec![Some(0); graph.nodes.len()],
                    unrefused: vec![true; graph.nodes.len()],
                    ends: HashMap::from([(true, 0), (false, 0)]),
                };
            }
            walk.step(node, world, cost);
        }
        walk.counts
    }

    /// The minimum, `None` if unreachable.
    pub(super) fn before(&self, node: usize) -> Option<usize> {
        self.before.get(node).copied().flatten()
    }

    pub(super) fn is_refused(&self, node: usize) -> bool {
        self.unrefused.get(node) == Some(&false)
    }

    fn fewest_at_end(&self) -> Option<usize> {
        self.ends.values().copied().min()
    }
}

struct PathSearch<'a> {
    graph: &'a Graph,
    approvals: Vec<&'a str>,
    costs: HashMap<(usize, PathState), usize>,
    queue: VecDeque<(usize, PathState, usize)>,
    counts: ApprovalCounts,
}

impl PathSearch<'_> {
    fn visit(&mut self, node: usize, world: PathState, cost: usize) {
        let known = self.costs.entry((node, world)).or_insert(usize::MAX);
        if cost < *known {
            *known = cost;
            self.queue.push_back((node, world, cost));
        }
        if let Some(free) = self.counts.unrefused.get_mut(node) {
            *free = *free || world.rejected == 0;
        }
        if let Some(before) = self.counts.before.get_mut(node) {
            *before = Some(before.map_or(cost, |before| before.min(cost)));
        }
    }

    fn step(&mut self, at: usize, world: PathState, cost: usize) {
        let Some(node) = self.graph.nodes.get(at) else { return };
        for edge in self.graph.edges_from(at).filter(|edge| edge.condition.references_error()) {
            if self.condition_holds(edge, world, true) != Some(false) {
                // A failed approval is none.
                let cost = if is_approval(node) { 0 } else { cost };
                self.visit(edge.target, PathState { is_rejected: false, is_approved: false, ..world }, cost);
            }
        }
        for (world, cost) in self.after(node, world, cost) {
            self.follow_edges(at, world, cost);
        }
    }

    fn after(&self, node: &Node, world: PathState, cost: usize) -> Vec<(PathState, usize)> {
        let anything = PathState { is_rejected: false, is_approved: false, ..world };
        if is_approval(node) {
            let index = self.approvals.iter().position(|id| *id == node.id);
            let bit = index.filter(|at| *at < MAX_APPROVALS).map_or(0, |at| 1_u8 << at);
            let no = PathState { is_rejected: true, is_approved: false, rejected: world.rejected | bit };
            let yes = PathState { is_rejected: false, is_approved: true, rejected: world.rejected & !bit };
            return vec![(no, 0), (yes, cost + 1)];
        }
        match resolve_alias(&node.kind) {
            kind if passes_last(kind) => vec![(world, cost)],
            "log" if node.input.is_none() => vec![(world, cost)],
            "graph" => {
                let inner = node.nested.iter().map(|nested| ApprovalCounts::new(&nested.graph, cost)).next();
                let ends = inner.map(|ways| ways.ends).unwrap_or_default();
                let end = |(is_rejected, cost)| (PathState { is_rejected, ..anything }, cost);
                ends.into_iter().map(end).collect()
            }
            "parallel" => vec![(anything, cost + branch_approvals(node))],
            _ => vec![(anything, cost)],
        }
    }

    fn follow_edges(&mut self, at: usize, world: PathState, cost: usize) {
        let (mut fallback, mut is_certain) = (None, false);
        for edge in self.graph.edges_from(at) {
            if edge.condition == Condition::Fallback {
                fallback = fallback.or(Some(edge.target));
                continue;
            }
            if is_certain {
                continue;
            }
            let holds = self.condition_holds(edge, world, false);
            is_certain = holds == Some(true);
            if holds != Some(false) {
                self.visit(edge.target, world, cost);
            }
        }
        match fallback {
            _ if is_certain => {}
            Some(target) => self.visit(target, world, cost),
            // If no edge leads on, the graph ends.
            None => {
                let least = self.counts.ends.entry(world.is_rejected).or_insert(usize::MAX);
                *least = cost.min(*least);
            }
        }
    }

    fn condition_holds(&self, edge: &Edge, world: PathState, has_failed: bool) -> Option<bool> {
        let rejected = Json::from(REJECTED);
        evaluate(&edge.condition, has_failed, &|reference| {
            let is_last = reference.root == Root::Last && !has_failed;
            let is_rejected = match &reference.root {
                Root::Output(name) => {
                    let index = self.approvals.iter().position(|id| id == name);
                    index.is_some_and(|at| at < MAX_APPROVALS && world.rejected & (1 << at) != 0)
                }
                _ => is_last && world.is_rejected,
            };
            match is_rejected {
                true => Fact::Known { value: &rejected, is_whole: true },
                false if is_last && world.is_approved => Fact::OtherThan(REJECTED),
                false => Fact::Unknown,
            }
        })
    }
}

fn branch_approvals(node: &Node) -> usize {
    let join = node.with.as_ref().and_then(|with| with.get("join"));
    let join =
        join.as_ref().and_then(TemplateValue::as_constant).and_then(|join| join.as_str()).unwrap_or("all");
    let branches =
        node.nested.iter().filter_map(|nested| ApprovalCounts::new(&nested.graph, 0).fewest_at_end());
    match join {
        "all" => branches.sum(),
        // Other branches are abandoned.
        "any" => branches.min().unwrap_or(0),
        // A branch may fail before its approval.
        _ => 0,
    }
}
