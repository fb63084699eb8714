//! Reports unreachable nodes and endless loops.
//!
//! Considers feasible edges only; an exit after failure counts. Linear, without recursion.

use super::edge_feasibility::EdgeFeasibility;
use crate::graph::{Edge, Graph, Node};
use stepgraph_expression::Condition;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{Code, Diagnostic, DiagnosticCollector, shorten_name};

#[derive(Clone, Copy)]
pub(super) struct FeasibleGraph<'a> {
    pub(super) graph: &'a Graph,
    pub(super) ways: &'a [EdgeFeasibility],
}

impl<'a> FeasibleGraph<'a> {
    pub(super) fn edges(self, node: usize) -> impl Iterator<Item = &'a Edge> {
        self.graph
            .edges_from(node)
            .filter(move |edge| self.ways.get(edge.index).is_none_or(|feasibility| feasibility.is_feasible()))
    }
}

/// A node behind an edge that is never taken has no fault of its own: that edge has a diagnostic.
pub(super) fn report_unreachable(graph: &Graph, reached: &[bool], diagnostics: &mut DiagnosticCollector) {
    for (node, _) in graph.nodes.iter().zip(reached).filter(|(_, is_reached)| !**is_reached) {
        diagnostics.push_with(Code::UnreachableNode, || {
            let message = format!("no path leads to node `{}`", shorten_name(&node.key));
            Diagnostic::new(Code::UnreachableNode, message)
                .on(graph.target(node))
                .at(node.key_span)
                .help("add an edge that leads to it, or remove it")
        });
    }
}

pub(super) fn report_endless(
    feasible: FeasibleGraph<'_>,
    start: usize,
    diagnostics: &mut DiagnosticCollector,
) {
    let (loops, marks) = components(feasible, start);
    for members in loops.iter().filter(|members| is_endless(feasible, members, &marks)) {
        diagnostics.push(report(feasible.graph, members));
    }
}

pub(super) fn reachable_from(feasible: FeasibleGraph<'_>, starts: &[usize]) -> Vec<bool> {
    let mut reached = vec![false; feasible.graph.nodes.len()];
    let mut waiting = starts.to_vec();
    while let Some(node) = waiting.pop() {
        let Some(seen) = reached.get_mut(node) else { continue };
        if !std::mem::replace(seen, true) {
            waiting.extend(feasible.edges(node).map(|edge| edge.target));
        }
    }
    reached
}
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TarjanNode {
    /// Starts at 1. 0 means undiscovered.
    found: usize,
    low: usize,
    on_stack: bool,
    component: usize,
}

/// Strongly connected components, by Tarjan's algorithm with an explicit stack.
pub(super) fn components(feasible: FeasibleGraph<'_>, start: usize) -> (Vec<Vec<usize>>, Vec<TarjanNode>) {
    let mut marks = vec![TarjanNode::default(); feasible.graph.nodes.len()];
    let mut clock = 0;
    let (mut stack, mut found) = (Vec::new(), Vec::new());
    let mut work = vec![(start, 0_usize)];
    while let Some((node, step)) = work.pop() {
        if step == 0 {
            clock += 1;
            set_mark(
                &mut marks,
                node,
                TarjanNode { found: clock, low: clock, on_stack: true, ..TarjanNode::default() },
            );
            stack.push(node);
        }
        let edges = feasible.graph.outgoing.get(node).map_or(&[][..], Vec::as_slice);
        if let Some(edge) = edges.get(step) {
            work.push((node, step + 1));
            let is_open = feasible.ways.get(*edge).is_some_and(|feasibility| feasibility.is_feasible());
            let Some(edge) = feasible.graph.edges.get(*edge).filter(|_| is_open) else { continue };
            let target = node_state(&marks, edge.target);
            if target.found == 0 {
                work.push((edge.target, 0));
            } else if target.on_stack {
                lower_mark(&mut marks, node, target.found);
            }
            continue;
        }
        let done = node_state(&marks, node);
        if let Some((parent, _)) = work.last() {
            lower_mark(&mut marks, *parent, done.low);
        }
        if done.low == done.found {
            let members = take_component(&mut stack, &mut marks, node, found.len());
            found.push(members);
        }
    }
    (found, marks)
}

fn node_state(marks: &[TarjanNode], node: usize) -> TarjanNode {
    marks.get(node).copied().unwrap_or_default()
}

fn set_mark(marks: &mut [TarjanNode], node: usize, mark: TarjanNode) {
    if let Some(place) = marks.get_mut(node) {
        *place = mark;
    }
}

fn lower_mark(marks: &mut [TarjanNode], node: usize, low: usize) {
    if let Some(place) = marks.get_mut(node) {
        place.low = place.low.min(low);
    }
}

fn take_component(
    stack: &mut Vec<usize>,
    marks: &mut [TarjanNode],
    root: usize,
    number: usize,
) -> Vec<usize> {
    let mut members = Vec::new();
    while let Some(node) = stack.pop() {
        if let Some(place) = marks.get_mut(node) {
            place.on_stack = false;
            place.component = number;
        }
        members.push(node);
        if node == root {
            break;
        }
    }
    members.reverse();
    members
}

/// Whether every node has a fallback, and every feasible edge stays inside.
fn is_endless(feasible: FeasibleGraph<'_>, members: &[usize], marks: &[TarjanNode]) -> bool {
    let stays = |node: usize| {
        // Even with a fallback never taken, some edge always is.
        feasible.graph.edges_from(node).any(|edge| edge.condition == Condition::Fallback)
            && feasible
                .edges(node)
                .all(|edge| node_state(marks, edge.target).component == node_state(marks, node).component)
    };
    members.iter().all(|node| stays(*node))
}

fn report(graph: &Graph, members: &[usize]) -> Diagnostic {
    let nodes: Vec<&Node> = members.iter().filter_map(|node| graph.nodes.get(*node)).collect_vec();
    let names: Vec<String> =
        nodes.iter().take(5).map(|node| format!("`{}`", shorten_name(&node.key))).collect_vec();
    let more = if nodes.len() > names.len() { " …" } else { "" };
    let diagnostic =
        Diagnostic::new(Code::EndlessLoop, format!("the loop {}{more} has no exit", names.join(", ")))
            .help("add an edge with a condition that leaves the loop, or put a condition on one that stays");
    match nodes.first() {
        Some(first) => diagnostic.on(graph.target(first)).at(first.key_span),
        None => diagnostic,
    }
}
