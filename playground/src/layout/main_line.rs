//! Chooses the neighbours that a node is aligned with.
//!
//! A node follows forward edges, and back edges only if it has no others. On a straight line, it follows one edge up
//! and one down, which are among its shortest. So a chain stays straight beside its long edges, and one of two branches
//! goes straight on.

use super::dummy_nodes::RankedGraph;
use super::{get_or_default, set_at};
use stepgraph_core::adjacency::Adjacency;

/// Of two branches, the one that goes straight on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Branch {
    First,
    Last,
}

/// Those above and below. The arguments have all of them.
pub(super) fn aligned_neighbours(
    graph: &RankedGraph,
    all: [&Adjacency<usize>; 2],
    straight: Option<Branch>,
) -> [Adjacency<usize>; 2] {
    let Some(branch) = straight else { return all.map(|near| followed(graph, near, &[])) };
    let lengths = edge_lengths(graph);
    straight_lines(graph, all.map(|near| followed(graph, near, &lengths)), branch)
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

/// Each vertex keeps the neighbour above and below that keeps it, too.
fn straight_lines(
    graph: &RankedGraph,
    found: [Adjacency<usize>; 2],
    branch: Branch,
) -> [Adjacency<usize>; 2] {
    let [above, below] = found;
    let count = graph.rank.len();
    let chosen: Vec<Option<usize>> = (0..count).map(|vertex| middle(below.get(vertex), branch)).collect();
    let mut pairs = Vec::with_capacity(count);
    for vertex in 0..count {
        let follows = |upper: &&usize| chosen.get(**upper).is_some_and(|lower| *lower == Some(vertex));
        let from: Vec<usize> = above.get(vertex).iter().filter(follows).copied().collect();
        pairs.extend(middle(&from, branch).map(|upper| (vertex, upper)));
    }
    let down: Vec<(usize, usize)> = pairs.iter().map(|(lower, upper)| (*upper, *lower)).collect();
    [Adjacency::new(count, &pairs), Adjacency::new(count, &down)]
}

/// The one in the middle, or one of two.
fn middle(near: &[usize], branch: Branch) -> Option<usize> {
    let at = match branch {
        Branch::First => near.len().saturating_sub(1) / 2,
        Branch::Last => near.len() / 2,
    };
    near.get(at).copied()
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
