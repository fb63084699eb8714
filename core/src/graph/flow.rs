//! Where runs can go: nodes that none can reach, loops that none can leave.
//!
//! Decides what is sound about a plan whoever handles its nodes. Linear in nodes and edges, without recursion.

use super::{Graph, Node, PlanGraph, mentions};
use crate::diagnostic::{Code, Diagnostic, Problems, brief};
use crate::expr::Condition;

/// What is wrong with a graph as a graph.
pub(super) fn check(plan: &PlanGraph, graph: &Graph, source: &str, problems: &mut Problems) {
    mentions::check(plan, graph, source, problems);
    let Some(start) = graph.start.filter(|_| graph.whole) else { return };
    let reached = reach(graph, start);
    for (node, _) in graph.nodes.iter().zip(&reached).filter(|(_, reached)| !**reached) {
        problems.push(
            Diagnostic::new(Code::UnreachableNode, format!("no path leads to node `{}`", brief(&node.key)))
                .on(graph.target(node))
                .at(node.key_span)
                .help("add an edge that leads to it, or remove it"),
        );
    }
    let (loops, marks) = components(graph, start);
    for members in loops.iter().filter(|members| is_endless(graph, members, &marks)) {
        problems.push(endless(graph, members));
    }
}

/// Which nodes can be reached from `start`.
fn reach(graph: &Graph, start: usize) -> Vec<bool> {
    let mut reached = vec![false; graph.nodes.len()];
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        let Some(seen) = reached.get_mut(node) else { continue };
        if !std::mem::replace(seen, true) {
            open.extend(graph.edges_from(node).map(|edge| edge.target));
        }
    }
    reached
}

/// A node's place in the search for components.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// When it was found, from 1; 0 is not yet.
    found: usize,
    /// The earliest node on the stack that it leads to.
    low: usize,
    on_stack: bool,
    /// Which component it turned out to belong to.
    component: usize,
}

/// The strongly connected components that can be reached from `start` (Tarjan's algorithm with a stack of its own).
fn components(graph: &Graph, start: usize) -> (Vec<Vec<usize>>, Vec<Mark>) {
    let mut marks = vec![Mark::default(); graph.nodes.len()];
    let mut clock = 0;
    let (mut stack, mut found) = (Vec::new(), Vec::new());
    let mut work = vec![(start, 0_usize)];
    while let Some((node, step)) = work.pop() {
        if step == 0 {
            clock += 1;
            put(&mut marks, node, Mark { found: clock, low: clock, on_stack: true, ..Mark::default() });
            stack.push(node);
        }
        let next =
            graph.outgoing.get(node).and_then(|list| list.get(step)).and_then(|edge| graph.edges.get(*edge));
        if let Some(edge) = next {
            work.push((node, step + 1));
            let target = mark(&marks, edge.target);
            if target.found == 0 {
                work.push((edge.target, 0));
            } else if target.on_stack {
                lower(&mut marks, node, target.found);
            }
            continue;
        }
        let done = mark(&marks, node);
        if let Some((parent, _)) = work.last() {
            lower(&mut marks, *parent, done.low);
        }
        if done.low == done.found {
            let members = take_component(&mut stack, &mut marks, node, found.len());
            found.push(members);
        }
    }
    (found, marks)
}

fn mark(marks: &[Mark], node: usize) -> Mark {
    marks.get(node).copied().unwrap_or_default()
}

fn put(marks: &mut [Mark], node: usize, mark: Mark) {
    if let Some(place) = marks.get_mut(node) {
        *place = mark;
    }
}

fn lower(marks: &mut [Mark], node: usize, low: usize) {
    if let Some(place) = marks.get_mut(node) {
        place.low = place.low.min(low);
    }
}

/// The nodes of a component, in the order in which they were found.
fn take_component(stack: &mut Vec<usize>, marks: &mut [Mark], root: usize, number: usize) -> Vec<usize> {
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

/// Whether a run that enters these nodes can neither leave them nor end: every node has a fallback, every edge stays.
fn is_endless(graph: &Graph, members: &[usize], marks: &[Mark]) -> bool {
    let stays = |node: usize| {
        let mut fallback = false;
        graph.edges_from(node).all(|edge| {
            fallback |= edge.condition == Condition::Fallback;
            mark(marks, edge.target).component == mark(marks, node).component
        }) && fallback
    };
    members.iter().all(|node| stays(*node))
}

fn endless(graph: &Graph, members: &[usize]) -> Diagnostic {
    let nodes: Vec<&Node> = members.iter().filter_map(|node| graph.nodes.get(*node)).collect();
    let names: Vec<String> = nodes.iter().take(5).map(|node| format!("`{}`", brief(&node.key))).collect();
    let more = if nodes.len() > names.len() { " …" } else { "" };
    let problem =
        Diagnostic::new(Code::EndlessLoop, format!("the loop {}{more} has no way out", names.join(", ")))
            .help("add an edge with a condition that leaves the loop, or put a condition on one that stays");
    match nodes.first() {
        Some(first) => problem.on(graph.target(first)).at(first.key_span),
        None => problem,
    }
}
