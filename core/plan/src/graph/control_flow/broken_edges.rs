//! Reachability despite broken edges.
//!
//! A broken edge may lead to every node with a similar key. If there is none, it may lead to any node, even a
//! future one, so only nodes without incoming edges are unreachable.
//!
//! Invariant: A typo in an edge makes no node unreachable.

use super::loops::{FeasibleGraph, reachable_from};
use crate::graph::{BrokenEdge, Graph};
use std::iter::once;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::closest_name;

const WORK_BUDGET: usize = 10_000;

/// `None` if unknown.
pub(super) fn reachable_nodes(feasible: FeasibleGraph<'_>, start: usize) -> Option<Vec<bool>> {
    let graph = feasible.graph;
    let count = graph.broken.len().saturating_mul(graph.nodes.len());
    let broken = Some(&graph.broken).filter(|broken| !broken.is_empty() && count <= WORK_BUDGET)?;
    let (mut starts, mut any) = (vec![start], false);
    for edge in broken {
        let targets = targets(graph, edge)?;
        any |= targets.is_empty();
        starts.extend(targets);
    }
    if any {
        starts.extend(graph.edges.iter().map(|edge| edge.target));
    }
    Some(reachable_from(feasible, &starts))
}

/// `None` if the target is unreadable.
fn targets(graph: &Graph, edge: &BrokenEdge) -> Option<Vec<usize>> {
    if let Some(target) = edge.target {
        return Some(vec![target]);
    }
    let name = &edge.to.as_ref()?.name;
    let is_near = |key: &str| key.eq_ignore_ascii_case(name) || closest_name(name, once(key)).is_some();
    let nodes = graph.nodes.iter().enumerate();
    Some(nodes.filter(|(_, node)| node.id == *name || is_near(&node.key)).map(|(at, _)| at).collect_vec())
}
