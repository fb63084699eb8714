//! Summaries of each graph's possible runs, to compare plans.
//!
//! A condition may hold unless ruled out.

use super::dominators::Dominators;
use super::edge_feasibility::{EdgeFeasibility, always_has_transition};
use super::index_vec::{Adjacency, number};
use super::loops::{FeasibleGraph, components};
use super::{FlowAnalysis, GraphFacts, WORK_BUDGET};
use crate::graph::Graph;
use crate::graph::scope::Scopes;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::DiagnosticCollector;

/// How far failures are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureHandling {
    /// The graph fails.
    Never,
    /// Depends on conditions.
    Sometimes,
    /// Every failure.
    Always,
}

/// A graph's possible runs.
#[derive(Debug)]
pub struct GraphSummary<'a> {
    graph: &'a Graph,
    start: usize,
    ways: Vec<EdgeFeasibility>,
    /// Reachable nodes.
    pub reachable: Vec<bool>,
    /// Nodes that every completed run visits.
    pub always_reached: Vec<bool>,
    /// Possible ends.
    pub ends: Vec<bool>,
    /// Enclosing loops.
    pub loops: Vec<Option<usize>>,
    /// Per node.
    pub failure_handling: Vec<FailureHandling>,
    /// The number after the last node is the end of runs.
    dominators: Dominators,
}

/// `None` if the control flow is unknown.
pub fn summarize<'a>(scopes: &Scopes<'a>) -> Vec<Option<GraphSummary<'a>>> {
    let mut analysis = FlowAnalysis { scopes, facts: Vec::new(), work_budget: WORK_BUDGET };
    let mut diagnostics = DiagnosticCollector::default();
    let mut found = Vec::new();
    for scope in &scopes.list {
        let facts = analysis.analyze(scope, &mut diagnostics);
        found.push(facts.as_ref().map(|facts| summarize_graph(scope.graph, facts)));
        analysis.facts.push(facts);
    }
    found
}

fn summarize_graph<'a>(graph: &'a Graph, facts: &GraphFacts) -> GraphSummary<'a> {
    let GraphFacts { start, outside, ways, reachable, .. } = facts;
    let feasible = FeasibleGraph { graph, ways };
    let nodes = 0..graph.nodes.len();
    let is_reached = |node: usize| reachable.get(node) == Some(&true);
    let goes_on = nodes.clone().map(|node| always_has_transition(graph, node, *outside)).collect_vec();
    let ends: Vec<bool> =
        goes_on.iter().enumerate().map(|(node, (done, _))| is_reached(node) && !done).collect_vec();
    let failure_handling = goes_on
        .iter()
        .enumerate()
        .map(|(node, (_, failed))| failure_handling(graph, ways, node, *failed))
        .collect_vec();
    let loops = if is_reached(*start) { loops(feasible, *start) } else { vec![None; graph.nodes.len()] };
    let dominators = dominators(feasible, *start, &ends);
    let end = number(graph.nodes.len());
    let always_reached =
        nodes.map(|node| is_reached(node) && dominators.dominates(number(node), end)).collect_vec();
    let (start, feasibility, reachable) = (*start, ways.clone(), reachable.clone());
    GraphSummary {
        graph,
        start,
        ways: feasibility,
        reachable,
        always_reached,
        ends,
        loops,
        failure_handling,
        dominators,
    }
}

fn failure_handling(
    graph: &Graph,
    feasibility: &[EdgeFeasibility],
    node: usize,
    always: bool,
) -> FailureHandling {
    let some = graph
        .edges_from(node)
        .any(|edge| feasibility.get(edge.index).is_some_and(|feasibility| feasibility.after_failure));
    match (some, always) {
        (false, _) => FailureHandling::Never,
        (true, false) => FailureHandling::Sometimes,
        (true, true) => FailureHandling::Always,
    }
}

fn loops(feasible: FeasibleGraph<'_>, start: usize) -> Vec<Option<usize>> {
    let mut found = vec![None; feasible.graph.nodes.len()];
    for (loop_number, members) in components(feasible, start).0.iter().enumerate() {
        let alone = |node: &usize| feasible.edges(*node).all(|edge| edge.target != *node);
        if let [only] = members.as_slice()
            && alone(only)
        {
            continue;
        }
        for node in members {
            found.get_mut(*node).into_iter().for_each(|index| *index = Some(loop_number));
        }
    }
    found
}

fn dominators(feasible: FeasibleGraph<'_>, start: usize, ends: &[bool]) -> Dominators {
    let count = feasible.graph.nodes.len();
    let mut arcs: Vec<(u32, u32)> = Vec::new();
    for node in 0..count {
        arcs.extend(feasible.edges(node).map(|edge| (number(node), number(edge.target))));
        if ends.get(node) == Some(&true) {
            arcs.push((number(node), number(count)));
        }
    }
    let back: Vec<(u32, u32)> = arcs.iter().map(|(from, to)| (*to, *from)).collect_vec();
    let (after, before) = (Adjacency::new(count + 1, &arcs), Adjacency::new(count + 1, &back));
    Dominators::new(count + 1, number(start), &after, &before)
}

impl GraphSummary<'_> {
    /// Whether any run can complete.
    pub fn can_complete(&self) -> bool {
        self.ends.contains(&true)
    }

    /// Whether runs reach `node` only through `through`.
    pub fn always_passes(&self, through: usize, node: usize) -> bool {
        self.dominators.dominates(number(through), number(node))
    }

    /// The shortest path to `to`, or else to an end, that avoids `node`.
    pub fn path_avoiding(&self, node: usize, to: Option<usize>) -> Option<Vec<usize>> {
        if node == self.start {
            return None;
        }
        let feasible = FeasibleGraph { graph: self.graph, ways: &self.ways };
        let arrives = |at: usize| to.map_or(self.ends.get(at) == Some(&true), |to| to == at);
        let mut from: Vec<Option<usize>> = vec![None; self.graph.nodes.len()];
        let mut waiting = std::collections::VecDeque::from([self.start]);
        *from.get_mut(self.start)? = Some(self.start);
        while let Some(at) = waiting.pop_front() {
            if arrives(at) {
                return Some(trace_path(&from, at));
            }
            for edge in feasible.edges(at).filter(|edge| edge.target != node) {
                if let Some(index @ None) = from.get_mut(edge.target) {
                    *index = Some(at);
                    waiting.push_back(edge.target);
                }
            }
        }
        None
    }
}

fn trace_path(from: &[Option<usize>], end: usize) -> Vec<usize> {
    let (mut path, mut at) = (vec![end], end);
    while let Some(Some(before)) = from.get(at).filter(|before| **before != Some(at)) {
        path.push(*before);
        at = *before;
    }
    path.reverse();
    path
}
