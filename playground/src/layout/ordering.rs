//! Orders the vertices of each layer with few edge crossings.
//!
//! Sweeps down and up sort each layer by barycentre, and the best order wins. Nodes with previous positions keep
//! their order, because users remember it.
//!
//! Source: Sugiyama's method, the barycentre heuristic; Barth, Mutzel and Jünger's count of crossings.

use super::dummy_nodes::RankedGraph;
use super::{get_or_default, set_at};
use crate::geometry::Point;
use stepgraph_core::adjacency::Adjacency;
use stepgraph_core::sort;

/// Number of sweeps by graph size. Large graphs get fewer, where the difference is invisible.
const SWEEPS: [(usize, usize); 3] = [(1_000, 12), (5_000, 6), (20_000, 3)];

pub(super) fn order_layers(graph: &mut RankedGraph, before: &[Option<Point>]) {
    if before.iter().take(graph.nodes).any(Option::is_some) {
        return order_by_previous(graph, before);
    }
    for vertex in depth_first_order(graph) {
        let rank = get_or_default(&graph.rank, vertex);
        if let Some(layer) = graph.layers.get_mut(rank) {
            layer.push(vertex);
        }
    }
    let mut best = (count_crossings(graph), graph.layers.clone());
    let sweeps = SWEEPS.iter().find(|(max, _)| graph.rank.len() <= *max).map_or(2, |(_, sweeps)| *sweeps);
    for sweep in 0..sweeps {
        if best.0 == 0 {
            break;
        }
        sweep_layers(graph, sweep % 2 == 0);
        let found = count_crossings(graph);
        if found < best.0 {
            best = (found, graph.layers.clone());
        }
    }
    graph.layers = best.1;
}

/// Number of rounds that place new vertices. Each round straightens long edges.
const ROUNDS: usize = 8;

fn order_by_previous(graph: &mut RankedGraph, before: &[Option<Point>]) {
    let known =
        |vertex: usize| get_or_default(before, vertex).filter(|_| vertex < graph.nodes).map(|point| point.x);
    let mut x: Vec<Option<f64>> = (0..graph.rank.len()).map(known).collect();
    for round in 0..ROUNDS {
        let places: Vec<usize> = graph.layers.iter().flatten().copied().collect();
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
    mean(near.filter_map(|vertex| get_or_default(x, *vertex)))
}

/// Empties the layers and returns the vertices in depth-first order.
fn depth_first_order(graph: &mut RankedGraph) -> Vec<usize> {
    let mut is_found = vec![false; graph.rank.len()];
    let mut found = Vec::with_capacity(graph.rank.len());
    let mut ahead = Vec::new();
    for first in graph.layers.iter_mut().flat_map(std::mem::take) {
        ahead.push(first);
        while let Some(vertex) = ahead.pop() {
            if get_or_default(&is_found, vertex) {
                continue;
            }
            set_at(&mut is_found, vertex, true);
            found.push(vertex);
            ahead.extend(graph.below.get(vertex).iter().rev());
        }
    }
    found
}

/// Orders each layer by the one before it.
fn sweep_layers(graph: &mut RankedGraph, down: bool) {
    let mut position = vec![0.0; graph.rank.len()];
    for layer in &graph.layers {
        index_layer(layer, &mut position);
    }
    let count = graph.layers.len();
    for step in 1..count {
        let rank = if down { step } else { count - 1 - step };
        let adjacent = if down { &graph.above } else { &graph.below };
        if let Some(layer) = graph.layers.get_mut(rank) {
            sort_by_barycentre(layer, adjacent, &position);
            index_layer(layer, &mut position);
        }
    }
}

fn index_layer(layer: &[usize], position: &mut [f64]) {
    let mut next = 0.0;
    for vertex in layer {
        set_at(position, *vertex, next);
        next += 1.0;
    }
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for number in numbers {
        sum += number;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

/// Sorts a layer by barycentre. Vertices without neighbours stay in place.
fn sort_by_barycentre(layer: &mut [usize], adjacent: &Adjacency<usize>, position: &[f64]) {
    let middle =
        |vertex: usize| mean(adjacent.get(vertex).iter().map(|vertex| get_or_default(position, *vertex)));
    let moving: Vec<(f64, usize)> =
        layer.iter().filter_map(|vertex| Some((middle(*vertex)?, *vertex))).collect();
    let mut moving = merge_sort(moving).into_iter();
    for place in layer.iter_mut() {
        if !adjacent.get(*place).is_empty()
            && let Some((_, next)) = moving.next()
        {
            *place = next;
        }
    }
}

/// Stable merge sort by the first item. The standard sort would add three kilobytes to the module.
fn merge_sort(mut list: Vec<(f64, usize)>) -> Vec<(f64, usize)> {
    let mut other = Vec::with_capacity(list.len());
    let mut length = 1;
    while length < list.len() {
        for piece in list.chunks(2 * length) {
            let (mut left, mut right) = piece.split_at(length.min(piece.len()));
            while let (Some((a, rest_left)), Some((b, rest_right))) =
                (left.split_first(), right.split_first())
            {
                if b.0 < a.0 {
                    other.push(*b);
                    right = rest_right;
                } else {
                    other.push(*a);
                    left = rest_left;
                }
            }
            other.extend_from_slice(left);
            other.extend_from_slice(right);
        }
        std::mem::swap(&mut list, &mut other);
        other.clear();
        length *= 2;
    }
    list
}

/// Counts edge crossings: for each edge end in order, the earlier ends further to the right.
pub(super) fn count_crossings(graph: &RankedGraph) -> usize {
    let mut index = vec![0_usize; graph.rank.len()];
    for layer in &graph.layers {
        for (position, vertex) in layer.iter().enumerate() {
            set_at(&mut index, *vertex, position);
        }
    }
    let above = graph.in_order(true);
    let mut counted = FenwickTree::default();
    let mut found = 0;
    for (upper, layer) in graph.layers.iter().zip(graph.layers.iter().skip(1)) {
        counted.0.clear();
        counted.0.resize(upper.len() + 1, 0);
        let ends = layer.iter().flat_map(|vertex| above.get(*vertex));
        for (before, end) in ends.enumerate() {
            let end = get_or_default(&index, *end);
            found += before - counted.prefix_sum(end);
            counted.add(end);
        }
    }
    found
}

#[derive(Default)]
struct FenwickTree(Vec<usize>);

impl FenwickTree {
    fn add(&mut self, number: usize) {
        let mut vertex = number + 1;
        while let Some(count) = self.0.get_mut(vertex) {
            *count += 1;
            vertex += vertex & vertex.wrapping_neg();
        }
    }

    fn prefix_sum(&self, number: usize) -> usize {
        let mut vertex = number + 1;
        let mut sum = 0;
        while vertex > 0 {
            sum += get_or_default(&self.0, vertex);
            vertex &= vertex - 1;
        }
        sum
    }
}
