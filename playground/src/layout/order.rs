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
use stepgraph_core::sort;

/// How many times all layers are gone through; fewer in large graphs, where a person sees no difference.
const SWEEPS: [(usize, usize); 3] = [(1_000, 12), (5_000, 6), (20_000, 3)];

/// Settles the order of all layers.
pub(super) fn settle(layered: &mut Layered, before: &[Option<Point>]) {
    if before.iter().take(layered.nodes).any(Option::is_some) {
        return remember(layered, before);
    }
    let walked = walk(layered);
    for layer in &mut layered.layers {
        sort::numbers(layer, &mut |a, b| at(&walked, a).cmp(&at(&walked, b)));
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
    let near = layered.above.get(place).into_iter().chain(layered.below.get(place)).flatten();
    let found: Vec<f64> = near.filter_map(|place| at(x, *place)).collect();
    #[expect(clippy::cast_precision_loss, reason = "nobody has so many neighbours")]
    let count = found.len() as f64;
    (!found.is_empty()).then(|| found.iter().sum::<f64>() / count)
}

/// The step at which a walk into the depth comes to each place, from the upper layers.
fn walk(layered: &Layered) -> Vec<usize> {
    let mut steps = vec![usize::MAX; layered.rank.len()];
    let mut step = 0;
    for first in layered.layers.iter().flatten() {
        let mut ahead = vec![*first];
        while let Some(place) = ahead.pop() {
            if at(&steps, place) != usize::MAX {
                continue;
            }
            put(&mut steps, place, step);
            step += 1;
            ahead.extend(layered.below.get(place).into_iter().flatten().rev());
        }
    }
    steps
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

/// Orders a layer by the middle of what each place is joined to. What is joined to nothing stays where it stands.
fn by_middle(layer: &mut [usize], joined: &[Vec<usize>], spot: &[f64]) {
    let middle = |place: usize| {
        let near = joined.get(place).filter(|near| !near.is_empty())?;
        #[expect(clippy::cast_precision_loss, reason = "nobody has so many neighbours")]
        let count = near.len() as f64;
        Some(near.iter().map(|place| at(spot, *place)).sum::<f64>() / count)
    };
    let moving: Vec<(f64, usize)> =
        layer.iter().filter_map(|place| Some((middle(*place)?, *place))).collect();
    let mut order: Vec<usize> = (0..moving.len()).collect();
    let middle = |moved: usize| moving.get(moved).map_or(0.0, |(middle, _)| *middle);
    sort::numbers(&mut order, &mut |a, b| middle(a).total_cmp(&middle(b)));
    let mut moving = order.into_iter().filter_map(|moved| moving.get(moved));
    for place in layer.iter_mut() {
        if joined.get(*place).is_some_and(|near| !near.is_empty())
            && let Some((_, next)) = moving.next()
        {
            *place = *next;
        }
    }
}

/// How many edges cross each other.
pub(super) fn crossings(layered: &Layered) -> usize {
    let mut spot = vec![0_usize; layered.rank.len()];
    for layer in &layered.layers {
        for (position, place) in layer.iter().enumerate() {
            put(&mut spot, *place, position);
        }
    }
    layered.layers.iter().skip(1).map(|layer| between(layer, layered, &spot)).sum()
}

/// How many edges cross each other above a layer: for each end, in order, how many ends further to the right came before it.
fn between(layer: &[usize], layered: &Layered, spot: &[usize]) -> usize {
    let ends = |place: &usize| {
        let mut ends: Vec<usize> =
            layered.above.get(*place).into_iter().flatten().map(|place| at(spot, *place)).collect();
        sort::numbers(&mut ends, &mut |a, b| a.cmp(&b));
        ends
    };
    let ends: Vec<usize> = layer.iter().flat_map(ends).collect();
    let mut counted = Counted(vec![0; ends.iter().max().map_or(0, |last| last + 2)]);
    let mut found = 0;
    for (before, end) in ends.iter().enumerate() {
        found += before - counted.up_to(*end);
        counted.add(*end);
    }
    found
}

/// Counts of numbers that can be summed up to any of them: a Fenwick tree.
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
