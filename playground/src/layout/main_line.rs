//! Chooses the neighbours that a node is aligned with.
//!
//! A node follows forward edges, and back edges only if it has no others. On the main line, it follows only its
//! shortest edges. So a chain stays straight beside its long edges.

use super::dummy_nodes::RankedGraph;
use super::{get_or_default, set_at};
use stepgraph_core::adjacency::Adjacency;

/// Those above and below. The arguments have all of them.
pub(super) fn aligned_neighbours(
    graph: &RankedGraph,
    all: [&Adjacency<usize>; 2],
    is_main_line: bool,
) -> [Adjacency<usize>; 2] {
    let lengths = if is_main_line { edge_lengths(graph) } else { Vec::new() };
    let found = all.map(|near| followed(graph, near, &lengths));
    if is_main_line { [0, 1].map(|side| without_unfollowed(graph, &found, side)) } else { found }
}

fn followed(graph: &RankedGraph, near: &Adjacency<usize>, lengths: &[usize]) -> Adjacency<usize> {
    let length = |near: &usize| get_or_default(lengths, *near);
    let mut found = Vec::with_capacity(near.count());
    for vertex in 0..graph.rank.len() {
        let all = near.get(vertex);
        let forward = || all.iter().filter(|near| !get_or_default(&graph.is_back_dummy, **near));
        let least = forward().map(length).min();
        let pulls = |near: &&usize| Some(length(near)) == least;
        match least {
            Some(_) => found.extend(forward().filter(pulls).map(|near| (vertex, *near))),
            None => found.extend(all.iter().map(|near| (vertex, *near))),
        }
    }
    Adjacency::new(graph.rank.len(), &found)
}

/// A long edge must not take a node's place in its chain.
fn without_unfollowed(graph: &RankedGraph, found: &[Adjacency<usize>; 2], side: usize) -> Adjacency<usize> {
    let [near, back] = if side == 0 { [&found[0], &found[1]] } else { [&found[1], &found[0]] };
    let mut kept = Vec::with_capacity(near.count());
    for vertex in 0..graph.rank.len() {
        let is_kept = |near: &&usize| {
            !graph.is_dummy(vertex) || graph.is_dummy(**near) || back.get(**near).contains(&vertex)
        };
        kept.extend(near.get(vertex).iter().filter(is_kept).map(|near| (vertex, *near)));
    }
    Adjacency::new(graph.rank.len(), &kept)
}

/// In dummies, of the edge that a vertex belongs to.
fn edge_lengths(graph: &RankedGraph) -> Vec<usize> {
    let mut found = vec![0; graph.rank.len()];
    for chain in &graph.dummy_chains {
        for vertex in chain {
            set_at(&mut found, *vertex, chain.len());
        }
    }
    found
}
