//! Who stands beside whom in each layer.
//!
//! Decides the order with few crossings of edges: every place goes to the middle of those it is joined to, layer by layer, down and up
//! again, and the best order that was met is kept. Nodes that stood somewhere before keep their order, whatever it costs: who looks at a
//! drawing has learned it. What is new goes between them, where its neighbours are.
//!
//! Source: Sugiyama's method, the barycentre heuristic; Barth, Mutzel and Jünger's count of crossings.

use super::chains::Layered;
use super::{at, put};
use crate::geometry::Point;
use stepgraph_core::adjacency::Lists;
use stepgraph_core::sort;

/// How many times all layers are gone through; fewer in large graphs, where a person sees no difference.
const SWEEPS: [(usize, usize); 3] = [(1_000, 12), (5_000, 6), (20_000, 3)];

/// Settles the order of all layers.
pub(super) fn settle(layered: &mut Layered, before: &[Option<Point>]) {
    if before.iter().take(layered.nodes).any(Option::is_some) {
        return remember(layered, before);
    }
    for place in walk(layered) {
        let rank = at(&layered.rank, place);
        if let Some(layer) = layered.layers.get_mut(rank) {
            layer.push(place);
        }
    }
    let mut best = (crossings(layered), layered.layers.clone());
    let sweeps = SWEEPS.iter().find(|(most, _)| layered.rank.len() <= *most).map_or(2, |(_, sweeps)| *sweeps);
    for sweep in 0..sweeps {
        if best.0 == 0 {
            break;
        }
        go_through(layered, sweep % 2 == 0);
        let found = crossings(layered);
        if found < best.0 {
            best = (found, layered.layers.clone());
        }
    }
    layered.layers = best.1;
}

/// How often what is new goes to the middle of its neighbours; each time long edges become straighter.
const ROUNDS: usize = 8;

/// Orders all layers by where nodes stood.
fn remember(layered: &mut Layered, before: &[Option<Point>]) {
    let known = |place: usize| at(before, place).filter(|_| place < layered.nodes).map(|point| point.x);
    let mut x: Vec<Option<f64>> = (0..layered.rank.len()).map(known).collect();
    for round in 0..ROUNDS {
        let places: Vec<usize> = layered.layers.iter().flatten().copied().collect();
        let forward = round % 2 == 0;
        for step in 0..places.len() {
            let place = at(&places, if forward { step } else { places.len() - 1 - step });
            if known(place).is_none() {
                let found = middle(&x, layered, place).or(at(&x, place));
                put(&mut x, place, found);
            }
        }
    }
    let key = |place: usize| at(&x, place).unwrap_or_default();
    for layer in &mut layered.layers {
        sort::numbers(layer, &mut |a, b| key(a).total_cmp(&key(b)));
    }
}

/// The middle of what a place is joined to, as far as that is known.
fn middle(x: &[Option<f64>], layered: &Layered, place: usize) -> Option<f64> {
    let near = layered.above.of(place).iter().chain(layered.below.of(place));
    mean(near.filter_map(|place| at(x, *place)))
}

/// Takes all places out of their layers, in the order in which a walk into the depth comes to them from the upper layers.
fn walk(layered: &mut Layered) -> Vec<usize> {
    let mut is_found = vec![false; layered.rank.len()];
    let mut found = Vec::with_capacity(layered.rank.len());
    let mut ahead = Vec::new();
    for first in layered.layers.iter_mut().flat_map(std::mem::take) {
        ahead.push(first);
        while let Some(place) = ahead.pop() {
            if at(&is_found, place) {
                continue;
            }
            put(&mut is_found, place, true);
            found.push(place);
            ahead.extend(layered.below.of(place).iter().rev());
        }
    }
    found
}

/// Orders each layer by the one before it.
fn go_through(layered: &mut Layered, down: bool) {
    let mut spot = vec![0.0; layered.rank.len()];
    for layer in &layered.layers {
        number(layer, &mut spot);
    }
    let count = layered.layers.len();
    for step in 1..count {
        let rank = if down { step } else { count - 1 - step };
        let joined = if down { &layered.above } else { &layered.below };
        if let Some(layer) = layered.layers.get_mut(rank) {
            by_middle(layer, joined, &spot);
            number(layer, &mut spot);
        }
    }
}

/// Each place of a layer has a spot in it.
fn number(layer: &[usize], spot: &mut [f64]) {
    let mut next = 0.0;
    for place in layer {
        put(spot, *place, next);
        next += 1.0;
    }
}

/// The middle of some numbers.
fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for number in numbers {
        sum += number;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}

/// Orders a layer by the middle of what each place is joined to. What is joined to nothing stays where it stands.
fn by_middle(layer: &mut [usize], joined: &Lists<usize>, spot: &[f64]) {
    let middle = |place: usize| mean(joined.of(place).iter().map(|place| at(spot, *place)));
    let moving: Vec<(f64, usize)> =
        layer.iter().filter_map(|place| Some((middle(*place)?, *place))).collect();
    let mut moving = sorted(moving).into_iter();
    for place in layer.iter_mut() {
        if !joined.of(*place).is_empty()
            && let Some((_, next)) = moving.next()
        {
            *place = next;
        }
    }
}

/// Sorts by the first of each; what is equal keeps its order. Pieces are merged, each twice as long as those before: the library's sort would
/// be another three kilobytes, and the one that is there asks for each two numbers which comes first.
fn sorted(mut list: Vec<(f64, usize)>) -> Vec<(f64, usize)> {
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

/// How many edges cross each other: above each layer, for each end, in order, how many ends further to the right came before it.
pub(super) fn crossings(layered: &Layered) -> usize {
    let mut spot = vec![0_usize; layered.rank.len()];
    for layer in &layered.layers {
        for (position, place) in layer.iter().enumerate() {
            put(&mut spot, *place, position);
        }
    }
    let above = layered.in_order(true);
    let mut counted = Counted::default();
    let mut found = 0;
    for (upper, layer) in layered.layers.iter().zip(layered.layers.iter().skip(1)) {
        counted.0.clear();
        counted.0.resize(upper.len() + 1, 0);
        let ends = layer.iter().flat_map(|place| above.of(*place));
        for (before, end) in ends.enumerate() {
            let end = at(&spot, *end);
            found += before - counted.up_to(end);
            counted.add(end);
        }
    }
    found
}

/// Counts of numbers that can be summed up to any of them: a Fenwick tree.
#[derive(Default)]
struct Counted(Vec<usize>);

impl Counted {
    fn add(&mut self, number: usize) {
        let mut place = number + 1;
        while let Some(count) = self.0.get_mut(place) {
            *count += 1;
            place += place & place.wrapping_neg();
        }
    }

    fn up_to(&self, number: usize) -> usize {
        let mut place = number + 1;
        let mut sum = 0;
        while place > 0 {
            sum += at(&self.0, place);
            place &= place - 1;
        }
        sum
    }
}
