//! Orders layers like the previous drawing, which users remember. Back edges are outside, if that crosses no more edges.

use super::adjacent_swaps::{layer_indexes, swap_adjacent};
use super::dummy_nodes::RankedGraph;
use super::ordering::{
    Effort, count_crossings, is_source_left, max_paths, mean, move_back_edges_out, move_chains,
};
use super::{get_or_default, set_at};
use crate::geometry::Point;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::sort;

/// Keeps the layers if the previous order crosses many more edges than `least`.
pub(super) fn order_like_before(graph: &mut RankedGraph, before: &[Option<Point>], least: usize) {
    let anew = graph.layers.clone();
    let mut found = order_from_previous(graph, before, true);
    if found > least && graph.is_back_dummy.contains(&true) {
        let outside = std::mem::take(&mut graph.layers);
        graph.layers.clone_from(&anew);
        let inside = order_from_previous(graph, before, false);
        if inside < found {
            found = inside;
        } else {
            graph.layers = outside;
        }
    }
    // Users remember the previous order, so a few crossings are acceptable.
    if found * 4 > least * 5 {
        graph.layers = anew;
    }
}

/// Back edges start outside if `is_outside`. Returns the number of crossings.
fn order_from_previous(graph: &mut RankedGraph, before: &[Option<Point>], is_outside: bool) -> usize {
    order_by_previous(graph, before, &[]);
    if is_outside {
        let outside = back_edges_outside(graph);
        order_by_previous(graph, before, &outside);
    }
    if Effort::of(graph).swaps {
        swap_adjacent(graph, None);
        if count_crossings(graph) > 0 {
            move_chains(graph, &mut max_paths(graph));
        }
        move_back_edges_out(graph);
    }
    count_crossings(graph)
}

/// Vertices of back edges, with the outermost x on the side of their source.
fn back_edges_outside(graph: &RankedGraph) -> Vec<(usize, f64)> {
    let index = layer_indexes(graph);
    let is_back = |vertex: &usize| get_or_default(&graph.is_back_dummy, *vertex);
    let mut found = Vec::new();
    for chain in graph.dummy_chains.iter().filter(|chain| chain.first().is_some_and(is_back)) {
        let x = if is_source_left(graph, &index, chain) { f64::NEG_INFINITY } else { f64::INFINITY };
        found.extend(chain.iter().map(|vertex| (*vertex, x)));
    }
    found
}

/// Each round straightens long edges.
const ROUNDS: usize = 8;

/// Vertices in `fixed` keep their x.
fn order_by_previous(graph: &mut RankedGraph, before: &[Option<Point>], fixed: &[(usize, f64)]) {
    let node_x =
        |vertex: usize| get_or_default(before, vertex).filter(|_| vertex < graph.nodes).map(|point| point.x);
    let mut start: Vec<Option<f64>> = (0..graph.rank.len()).map(node_x).collect_vec();
    for (vertex, x) in fixed {
        set_at(&mut start, *vertex, Some(*x));
    }
    let known = |vertex: usize| get_or_default(&start, vertex);
    let mut x = start.clone();
    for round in 0..ROUNDS {
        let places: Vec<usize> = graph.layers.iter().flatten().copied().collect_vec();
        let forward = round % 2 == 0;
        for step in 0..places.len() {
            let vertex = get_or_default(&places, if forward { step } else { places.len() - 1 - step });
            if known(vertex).is_none() {
                let found = barycentre(&x, graph, vertex).or(get_or_default(&x, vertex));
                set_at(&mut x, vertex, found);
            }
        }
    }
    let key = |vertex: usize| get_or_default(&x, vertex).unwrap_or_default();
    for layer in &mut graph.layers {
        sort::sort_indexes(layer, &mut |a, b| key(a).total_cmp(&key(b)));
    }
}

fn barycentre(x: &[Option<f64>], graph: &RankedGraph, vertex: usize) -> Option<f64> {
    let near = graph.above.get(vertex).iter().chain(graph.below.get(vertex));
    mean(near.filter_map(|vertex| get_or_default(x, *vertex)).filter(|x| x.is_finite()))
}
