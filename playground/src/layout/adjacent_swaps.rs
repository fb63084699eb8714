//! Swaps adjacent vertices while that removes crossings.
//!
//! Source: Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993), the step `transpose`.

use super::dummy_nodes::RankedGraph;
use super::get_or_default;
use stepgraph_core::adjacency::Adjacency;
use stepgraph_core::sort;

/// Passes over all layers.
const PASSES: usize = 8;

pub(super) fn layer_indexes(graph: &RankedGraph) -> Vec<usize> {
    let mut index = vec![0; graph.rank.len()];
    for (position, vertex) in graph.layers.iter().flat_map(|layer| layer.iter().enumerate()) {
        super::set_at(&mut index, *vertex, position);
    }
    index
}

/// Swaps toward `order`, if any, where that adds no crossing.
pub(super) fn swap_adjacent(graph: &mut RankedGraph, order: Option<&[usize]>) {
    let mut index = layer_indexes(graph);
    for _ in 0..PASSES {
        let mut is_better = false;
        for rank in 0..graph.layers.len() {
            let Some(layer) = graph.layers.get(rank) else { continue };
            let ends = [Ends::new(layer, &graph.above, &index), Ends::new(layer, &graph.below, &index)];
            let mut places: Vec<usize> = (0..layer.len()).collect();
            let moved = swap_in_layer(&mut places, &ends, |place| {
                order.map_or(place, |order| get_or_default(order, get_or_default(layer, place)))
            });
            if !moved {
                continue;
            }
            is_better = true;
            let sorted: Vec<usize> = places.iter().map(|place| get_or_default(layer, *place)).collect();
            for (position, vertex) in sorted.iter().enumerate() {
                super::set_at(&mut index, *vertex, position);
            }
            if let Some(layer) = graph.layers.get_mut(rank) {
                *layer = sorted;
            }
        }
        if !is_better {
            return;
        }
    }
}

/// Returns whether a place moved.
fn swap_in_layer(places: &mut [usize], ends: &[Ends; 2], order: impl Fn(usize) -> usize) -> bool {
    let mut is_changed = false;
    // As in a bubble sort.
    for _ in 0..places.len() {
        let mut is_moved = false;
        for at in 1..places.len() {
            let (a, b) = (get_or_default(places, at - 1), get_or_default(places, at));
            let now: usize = ends.iter().map(|ends| ends.crossings(a, b)).sum();
            if now == 0 && order(a) <= order(b) {
                continue;
            }
            let swapped: usize = ends.iter().map(|ends| ends.crossings(b, a)).sum();
            if swapped < now || (swapped == now && order(b) < order(a)) {
                places.swap(at - 1, at);
                is_moved = true;
            }
        }
        if !is_moved {
            break;
        }
        is_changed = true;
    }
    is_changed
}

/// Neighbour positions in an adjacent layer, in order.
struct Ends {
    positions: Vec<usize>,
    first: Vec<usize>,
}

impl Ends {
    fn new(layer: &[usize], adjacent: &Adjacency<usize>, index: &[usize]) -> Self {
        let mut found = Self { positions: Vec::new(), first: Vec::with_capacity(layer.len() + 1) };
        for vertex in layer {
            let first = found.positions.len();
            found.first.push(first);
            found.positions.extend(adjacent.get(*vertex).iter().map(|other| get_or_default(index, *other)));
            sort::sort_indexes(found.positions.get_mut(first..).unwrap_or_default(), &mut |a, b| a.cmp(&b));
        }
        found.first.push(found.positions.len());
        found
    }

    fn of(&self, place: usize) -> &[usize] {
        let (from, to) = (get_or_default(&self.first, place), get_or_default(&self.first, place + 1));
        self.positions.get(from..to).unwrap_or_default()
    }

    /// Assumes that `a` precedes `b`.
    fn crossings(&self, a: usize, b: usize) -> usize {
        let (left, right) = (self.of(a), self.of(b));
        let mut passed = 0;
        let mut found = 0;
        for end in left {
            while right.get(passed).is_some_and(|other| other < end) {
                passed += 1;
            }
            found += passed;
        }
        found
    }
}
