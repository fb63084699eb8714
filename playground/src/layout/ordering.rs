//! Orders layers for few crossings. Sweeps from several starts sort by barycentre. Swaps and moves of chains follow.
//! The best order wins. Vertices keep their text or previous order unless that adds crossings.
//!
//! Source: Sugiyama's method, the barycentre heuristic; Barth, Mutzel and Jünger's count of crossings.

use super::adjacent_swaps::{layer_indexes, swap_adjacent};
use super::branch_order::order_branches;
use super::dummy_nodes::RankedGraph;
use super::{get_or_default, set_at};
use crate::geometry::Point;
use stepgraph_core::adjacency::Adjacency;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::sort;

/// Depends on vertices. More effort is invisible in large graphs.
const EFFORTS: [(usize, Effort); 4] = [
    (200, Effort { starts: 8, sweeps: 16, swaps: true }),
    (600, Effort { starts: 3, sweeps: 12, swaps: true }),
    (4_000, Effort { starts: 1, sweeps: 6, swaps: true }),
    (20_000, Effort { starts: 1, sweeps: 3, swaps: false }),
];

#[derive(Clone, Copy)]
pub(super) struct Effort {
    starts: usize,
    sweeps: usize,
    pub(super) swaps: bool,
}

impl Effort {
    pub(super) fn of(graph: &RankedGraph) -> Self {
        let smallest = Self { starts: 1, sweeps: 2, swaps: false };
        EFFORTS.iter().find(|(max, _)| graph.rank.len() <= *max).map_or(smallest, |(_, effort)| *effort)
    }
}

/// Per vertex, and the bounds: about 30 milliseconds at most.
const PATHS_PER_VERTEX: usize = 1_000;
const MIN_PATHS: usize = 200_000;
const MAX_PATHS: usize = 1_000_000;

/// Paths of chains that are looked at.
pub(super) fn max_paths(graph: &RankedGraph) -> usize {
    (PATHS_PER_VERTEX * graph.rank.len()).clamp(MIN_PATHS, MAX_PATHS)
}

stepgraph_lazy::lazy! {
    /// Lazy, because the first plan has no crossings.
    pub(super) fn move_chains(graph: &mut RankedGraph, paths: &mut usize) -> bool = super::chain_moves::move_chains;

    /// Lazy, because only an edit changes the order.
    fn order_like_before(graph: &mut RankedGraph, before: &[Option<Point>], least: usize) =
        super::previous_order::order_like_before;
}

/// In larger graphs, branches stay in the order of their edges.
const MAX_LOOP_VERTICES: usize = 200;

/// Fruitless sweeps before a search ends.
const PATIENCE: usize = 3;

/// Returns the number of crossings without `before`.
pub(super) fn order_layers(graph: &mut RankedGraph, before: &[Option<Point>]) -> usize {
    let text_order = depth_first_order(graph);
    let least = order_anew(graph, &text_order);
    let is_known = before.iter().take(graph.nodes).any(Option::is_some);
    if !is_known || is_in_order(graph, before) {
        return least;
    }
    order_like_before(graph, before, least);
    least
}

/// In the left half of its layer.
pub(super) fn is_source_left(graph: &RankedGraph, index: &[usize], chain: &[usize]) -> bool {
    let source = chain.first().and_then(|first| graph.below.get(*first).first()).copied().unwrap_or_default();
    let width = graph.layers.get(get_or_default(&graph.rank, source)).map_or(0, Vec::len);
    2 * get_or_default(index, source) + 1 < width
}

/// As far as that adds no crossing.
pub(super) fn move_back_edges_out(graph: &mut RankedGraph) {
    let index = layer_indexes(graph);
    let mut order: Vec<usize> = index.iter().map(|index| index + 1).collect_vec();
    for chain in &graph.dummy_chains {
        if !chain.first().is_some_and(|vertex| get_or_default(&graph.is_back_dummy, *vertex)) {
            continue;
        }
        let is_left = is_source_left(graph, &index, chain);
        for vertex in chain {
            set_at(&mut order, *vertex, if is_left { 0 } else { usize::MAX });
        }
    }
    swap_adjacent(graph, Some(&order));
}

fn is_in_order(graph: &RankedGraph, before: &[Option<Point>]) -> bool {
    graph.layers.iter().all(|layer| {
        let known = |vertex: &&usize| **vertex < graph.nodes;
        let x =
            layer.iter().filter(known).filter_map(|node| get_or_default(before, *node)).map(|point| point.x);
        x.is_sorted()
    })
}

/// Returns the number of crossings.
fn order_anew(graph: &mut RankedGraph, text_order: &[usize]) -> usize {
    let effort = Effort::of(graph);
    let mut best = (usize::MAX, Vec::new());
    let mut order = text_order.to_vec();
    let mut paths = max_paths(graph);
    for start in 0..effort.starts {
        set_layers(graph, &order);
        let found = improve(graph, effort, start % 2 == 0, &mut paths);
        if found < best.0 {
            best = (found, graph.layers.clone());
        }
        if best.0 == 0 {
            break;
        }
        shuffle(&mut order, start + 1);
    }
    graph.layers = best.1;
    if effort.swaps {
        let mut rank = vec![0; graph.rank.len()];
        for (at, vertex) in text_order.iter().enumerate() {
            set_at(&mut rank, *vertex, at);
        }
        swap_adjacent(graph, Some(&rank));
        order_branches(graph);
        move_back_edges_out(graph);
        return count_crossings(graph);
    }
    best.0
}

/// Returns the number of crossings.
fn improve(graph: &mut RankedGraph, effort: Effort, is_down: bool, paths: &mut usize) -> usize {
    let mut best = (count_crossings(graph), graph.layers.clone());
    let mut in_vain = 0;
    for sweep in 0..effort.sweeps {
        if best.0 == 0 || in_vain == PATIENCE {
            break;
        }
        sweep_layers(graph, (sweep % 2 == 0) == is_down);
        if effort.swaps {
            swap_adjacent(graph, None);
        }
        let found = count_crossings(graph);
        in_vain += 1;
        if found < best.0 {
            best = (found, graph.layers.clone());
            in_vain = 0;
        }
    }
    graph.layers = best.1;
    if effort.swaps && best.0 > 0 {
        while move_chains(graph, paths) {
            swap_adjacent(graph, None);
        }
        return count_crossings(graph);
    }
    best.0
}

/// The same seed gives the same order.
fn shuffle(order: &mut [usize], seed: usize) {
    let mut state = u32::try_from(seed).unwrap_or_default().wrapping_mul(0x9e37_79b9) | 1;
    for last in (1..order.len()).rev() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        order.swap(last, usize::try_from(state >> 8).unwrap_or_default() % (last + 1));
    }
}

fn set_layers(graph: &mut RankedGraph, order: &[usize]) {
    for layer in &mut graph.layers {
        layer.clear();
    }
    for vertex in order {
        if let Some(layer) = graph.layers.get_mut(get_or_default(&graph.rank, *vertex)) {
            layer.push(*vertex);
        }
    }
}

fn depth_first_order(graph: &RankedGraph) -> Vec<usize> {
    let mut is_found = vec![false; graph.rank.len()];
    let mut found = Vec::with_capacity(graph.rank.len());
    let mut ahead = Vec::new();
    for first in graph.layers.iter().flatten() {
        ahead.push(*first);
        while let Some(vertex) = ahead.pop() {
            if get_or_default(&is_found, vertex) {
                continue;
            }
            set_at(&mut is_found, vertex, true);
            found.push(vertex);
            let next = next_vertices(graph, vertex);
            ahead.extend(next.iter().rev());
        }
    }
    found
}

/// Back edges of `vertex` are beside the branch that leads back to it: left of all if that is the first one, or right of
/// all. A branch in the middle that leads back comes last, so that its back edge is outside, too.
fn next_vertices(graph: &RankedGraph, vertex: usize) -> Vec<usize> {
    let below = graph.below.get(vertex);
    let is_back = |vertex: &usize| get_or_default(&graph.is_back_dummy, *vertex);
    let (back, mut ahead): (Vec<usize>, Vec<usize>) = below.iter().copied().partition(is_back);
    if back.is_empty() || graph.rank.len() > MAX_LOOP_VERTICES {
        return below.to_vec();
    }
    let sources: Vec<usize> = back.iter().map(|vertex| chain_end(graph, *vertex)).collect_vec();
    let leads_back = |branch: usize| {
        let mut at = branch;
        while !sources.contains(&at) {
            let [next] = graph.below.get(at) else { return false };
            at = *next;
        }
        true
    };
    let is_loop = |branch: Option<&usize>| branch.is_some_and(|branch| leads_back(*branch));
    match (is_loop(ahead.first()), is_loop(ahead.last())) {
        (true, false) => return [back, ahead].concat(),
        _ if ahead.len() < 3 => return below.to_vec(),
        (false, false) => sort::sort_items(&mut ahead, |a, b| leads_back(*a).cmp(&leads_back(*b))),
        _ => {}
    }
    ahead.extend(back);
    ahead
}

/// Node below a dummy vertex.
fn chain_end(graph: &RankedGraph, vertex: usize) -> usize {
    let mut at = vertex;
    while graph.is_dummy(at) {
        at = get_or_default(graph.below.get(at), 0);
    }
    at
}

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

pub(super) fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for number in numbers {
        sum += number;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

/// Vertices without neighbours stay.
fn sort_by_barycentre(layer: &mut [usize], adjacent: &Adjacency<usize>, position: &[f64]) {
    let middle =
        |vertex: usize| mean(adjacent.get(vertex).iter().map(|vertex| get_or_default(position, *vertex)));
    let moving: Vec<(f64, usize)> =
        layer.iter().filter_map(|vertex| Some((middle(*vertex)?, *vertex))).collect_vec();
    let mut moving = merge_sort(moving).into_iter();
    for place in layer.iter_mut() {
        if !adjacent.get(*place).is_empty()
            && let Some((_, next)) = moving.next()
        {
            *place = next;
        }
    }
}

/// Sorts by the first item. The standard sort would add three kilobytes.
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

/// For each edge end, counts earlier ends to its right.
pub(super) fn count_crossings(graph: &RankedGraph) -> usize {
    let index = layer_indexes(graph);
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
