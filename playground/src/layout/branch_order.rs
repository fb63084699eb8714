//! Puts branches between the same two nodes in the order of their edges. They exchange their places, so that no
//! crossing is added.

use super::adjacent_swaps::layer_indexes;
use super::dummy_nodes::RankedGraph;
use super::{get_or_default, set_at};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::sort;

/// Vertices from top to bottom, and the node where the branch ends.
type Branch = (Vec<usize>, Option<usize>);

pub(super) fn order_branches(graph: &mut RankedGraph) {
    let mut index = layer_indexes(graph);
    for node in 0..graph.nodes {
        let mut branches = branches(graph, node);
        // The sort is stable, so branches with the same end stay in the order of their edges.
        sort::sort_items(&mut branches, |a, b| a.1.cmp(&b.1).then(a.0.len().cmp(&b.0.len())));
        for same in branches.chunk_by(|a, b| a.1 == b.1 && a.0.len() == b.0.len()) {
            exchange(graph, same, &mut index);
        }
    }
}

/// In the order of their edges.
fn branches(graph: &RankedGraph, node: usize) -> Vec<Branch> {
    let near = graph.below.get(node);
    if near.len() < 2 {
        return Vec::new();
    }
    let mut found = Vec::with_capacity(near.len());
    for first in near {
        let mut vertices = Vec::new();
        let mut next = Some(*first);
        while let Some(vertex) = next.filter(|vertex| graph.is_thin(*vertex)) {
            vertices.push(vertex);
            next = graph.below.get(vertex).first().copied();
        }
        if !vertices.is_empty() && !get_or_default(&graph.is_back_dummy, *first) {
            found.push((vertices, next));
        }
    }
    found
}

fn exchange(graph: &mut RankedGraph, branches: &[Branch], index: &mut [usize]) {
    let place = |(vertices, _): &&Branch| vertices.first().map_or(0, |first| get_or_default(index, *first));
    if branches.is_sorted_by_key(|branch| place(&branch)) {
        return;
    }
    let mut sorted: Vec<&Branch> = branches.iter().collect_vec();
    sort::sort_items(&mut sorted, |a, b| place(a).cmp(&place(b)));
    let places: Vec<Vec<usize>> = sorted
        .iter()
        .map(|(vertices, _)| vertices.iter().map(|vertex| get_or_default(index, *vertex)).collect_vec())
        .collect_vec();
    for ((vertices, _), places) in branches.iter().zip(places) {
        for (vertex, place) in vertices.iter().zip(places) {
            let rank = get_or_default(&graph.rank, *vertex);
            if let Some(layer) = graph.layers.get_mut(rank) {
                set_at(layer, place, *vertex);
            }
            set_at(index, *vertex, place);
        }
    }
}
