//! Which nodes no run reaches in a graph that has edges to names of no node.
//!
//! Decides what such an edge may mean: every node whose key is near the name. A name that is near none may stand for any node, or for
//! one that is yet to be written. Then only nodes are unreached that no edge leads to.
//!
//! Invariant: a single slip in the end of an edge makes no node unreached. Where an edge may lead is never taken from it, so that an edge
//! without an end that can be read leaves nothing to be said.

use super::loops::{FeasibleGraph, reachable_from};
use crate::graph::{BrokenEdge, Graph};
use std::iter::once;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::closest_name;

/// How many names are compared at most.
const WORK_BUDGET: usize = 10_000;

/// Which nodes may be reached; nothing where that can't be told.
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

/// The nodes that an edge may lead to, wherever it comes from; nothing where its end can't be read.
fn targets(graph: &Graph, edge: &BrokenEdge) -> Option<Vec<usize>> {
    if let Some(target) = edge.target {
        return Some(vec![target]);
    }
    let name = &edge.to.as_ref()?.name;
    let is_near = |key: &str| key.eq_ignore_ascii_case(name) || closest_name(name, once(key)).is_some();
    let nodes = graph.nodes.iter().enumerate();
    Some(nodes.filter(|(_, node)| node.id == *name || is_near(&node.key)).map(|(at, _)| at).collect_vec())
}
