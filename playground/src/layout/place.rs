//! Coordinates of what stands in layers.
//!
//! Decides x so that long edges are straight and nodes stand in the middle of what they are joined to: four times, from each corner,
//! places are aligned into upright blocks, blocks are pushed together, and each place takes the middle of the four. y follows from how
//! high each layer is.
//!
//! Source: Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment" (2001), with the blocks pushed together by longest
//! paths, which needs no classes of blocks.

use super::chains::Layered;
use super::{at, put};
use crate::geometry::Point;
use stepgraph_core::adjacency::Lists;

/// Finds the centre of every place.
pub(super) fn place(layered: &Layered, gap: f64, layer_gaps: &[f64]) -> Vec<Point> {
    let view = View::new(layered, gap);
    let crossed = view.crossed();
    let sides = [(false, false), (false, true), (true, false), (true, true)];
    let all: Vec<Vec<f64>> =
        sides.into_iter().map(|(up, mirrored)| view.one(&crossed, up, mirrored)).collect();
    let x = middles(all, &sides, layered);
    let mut centres: Vec<Point> = x.into_iter().map(|x| Point::new(x, 0.0)).collect();
    let mut top = 0.0;
    for (layer, gap) in layered.layers.iter().zip(layer_gaps) {
        let height = layer.iter().map(|place| at(&layered.sizes, *place).height).fold(0.0, f64::max);
        for place in layer {
            if let Some(centre) = centres.get_mut(*place) {
                centre.y = top + height / 2.0;
            }
        }
        top += height + gap;
    }
    centres
}

/// The middle of four: between the second and the third, once all four are moved to where the narrowest is.
fn middles(mut all: Vec<Vec<f64>>, sides: &[(bool, bool)], layered: &Layered) -> Vec<f64> {
    let reach = |x: &Vec<f64>| {
        let half = |place: usize| at(&layered.sizes, place).width / 2.0;
        let left = x.iter().enumerate().map(|(place, x)| x - half(place)).fold(f64::INFINITY, f64::min);
        let right = x.iter().enumerate().map(|(place, x)| x + half(place)).fold(f64::NEG_INFINITY, f64::max);
        (left, right)
    };
    let reaches: Vec<(f64, f64)> = all.iter().map(reach).collect();
    let narrowest =
        reaches.iter().copied().min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0))).unwrap_or_default();
    for ((x, (left, right)), (_, mirrored)) in all.iter_mut().zip(reaches).zip(sides) {
        let shift = if *mirrored { narrowest.1 - right } else { narrowest.0 - left };
        for x in x.iter_mut() {
            *x += shift;
        }
    }
    let four = |place: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|one| all.get(one).map_or(0.0, |x| at(x, place)));
        // The two in the middle of the four.
        f64::midpoint(a.min(b).max(c.min(d)), a.max(b).min(c.max(d)))
    };
    (0..layered.rank.len()).map(four).collect()
}

/// The layers, with the spot of each place in its own.
struct View<'a> {
    layered: &'a Layered,
    spot: Vec<usize>,
    above: Lists<usize>,
    below: Lists<usize>,
    gap: f64,
}

/// Places that are drawn above each other.
struct Blocks {
    /// The first place of each place's block.
    root: Vec<usize>,
}

impl<'a> View<'a> {
    fn new(layered: &'a Layered, gap: f64) -> Self {
        let mut spot = vec![0; layered.rank.len()];
        for (position, place) in layered.layers.iter().flat_map(|layer| layer.iter().enumerate()) {
            put(&mut spot, *place, position);
        }
        let (above, below) = (layered.in_order(true), layered.in_order(false));
        Self { layered, spot, above, below, gap }
    }

    /// The segments, by their number, that cross a passing edge: the passing edge stays straight, they don't.
    fn crossed(&self) -> Vec<bool> {
        let mut found = vec![false; self.above.count()];
        for layer in self.layered.layers.iter().skip(1) {
            let (mut from, mut first) = (0, 0);
            for (position, place) in layer.iter().enumerate() {
                let passing = self.passing(*place);
                if passing.is_none() && position + 1 < layer.len() {
                    continue;
                }
                let to = passing.map_or(usize::MAX, |above| at(&self.spot, above));
                for below in layer.get(first..=position).into_iter().flatten() {
                    self.mark(*below, from, to, &mut found);
                }
                (from, first) = (if to == usize::MAX { from } else { to }, position + 1);
            }
        }
        found
    }

    fn mark(&self, below: usize, from: usize, to: usize, found: &mut [bool]) {
        for (join, above) in self.above.of(below).iter().enumerate() {
            let spot = at(&self.spot, *above);
            let both_thin = self.layered.is_thin(*above) && self.layered.is_thin(below);
            if (spot < from || spot > to) && !both_thin {
                put(found, self.above.first(below) + join, true);
            }
        }
    }

    /// The number of the segment between two places: those above a place stand in the order of their layer.
    fn segment(&self, above: usize, below: usize) -> usize {
        let spot = at(&self.spot, above);
        self.above.first(below) + self.above.of(below).partition_point(|other| at(&self.spot, *other) < spot)
    }

    /// The thin place above a thin place.
    fn passing(&self, place: usize) -> Option<usize> {
        let above = *self.above.of(place).first().filter(|_| self.layered.is_thin(place))?;
        self.layered.is_thin(above).then_some(above)
    }

    /// One of the four: aligned to what is below when `up`, from the right when `mirrored`.
    fn one(&self, crossed: &[bool], up: bool, mirrored: bool) -> Vec<f64> {
        let blocks = self.align(crossed, up, mirrored);
        let x = self.push_together(&blocks, mirrored);
        x.into_iter().map(|x| if mirrored { -x } else { x }).collect()
    }

    /// The places of a layer from the side at which it begins.
    fn across(layer: &[usize], mirrored: bool) -> impl Iterator<Item = usize> {
        let last = layer.len().wrapping_sub(1);
        (0..layer.len()).map(move |step| at(layer, if mirrored { last - step } else { step }))
    }

    fn align(&self, crossed: &[bool], up: bool, mirrored: bool) -> Blocks {
        let count = self.layered.rank.len();
        let mut blocks = Blocks { root: (0..count).collect() };
        let mut taken = vec![false; count];
        let layers = &self.layered.layers;
        let joined = if up { &self.below } else { &self.above };
        for step in 0..layers.len() {
            let layer = layers.get(if up { layers.len() - 1 - step } else { step });
            let mut last: Option<usize> = None;
            for place in layer.into_iter().flat_map(|layer| Self::across(layer, mirrored)) {
                for near in medians(joined.of(place), mirrored) {
                    let spot = at(&self.spot, near);
                    let beyond = last.is_none_or(|last| if mirrored { spot < last } else { spot > last });
                    let segment = || if up { self.segment(place, near) } else { self.segment(near, place) };
                    if beyond && !at(&taken, near) && !at(crossed, segment()) {
                        put(&mut taken, near, true);
                        let root = at(&blocks.root, near);
                        put(&mut blocks.root, place, root);
                        last = Some(spot);
                        break;
                    }
                }
            }
        }
        blocks
    }

    /// Blocks as far to the side as they can go, and back as far as what stands there lets them.
    fn push_together(&self, blocks: &Blocks, mirrored: bool) -> Vec<f64> {
        let count = self.layered.rank.len();
        let (mut neighbours, mut joins) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut before = vec![0_usize; count];
        for layer in &self.layered.layers {
            let mut last: Option<usize> = None;
            for place in Self::across(layer, mirrored) {
                if let Some(last) = last {
                    let (a, b) = (at(&blocks.root, last), at(&blocks.root, place));
                    joins.push((a, neighbours.len()));
                    neighbours.push((b, self.room(last, place)));
                    let more = at(&before, b) + 1;
                    put(&mut before, b, more);
                }
                last = Some(place);
            }
        }
        let joins = Lists::new(count, &joins);
        let beside = |block: usize| joins.of(block).iter().map(|number| at(&neighbours, *number));
        let order = in_order(beside, before, &blocks.root);
        let mut x = vec![0.0_f64; count];
        for block in &order {
            for (next, room) in beside(*block) {
                let least = at(&x, next).max(at(&x, *block) + room);
                put(&mut x, next, least);
            }
        }
        for block in order.iter().rev() {
            let most = beside(*block).map(|(next, room)| at(&x, next) - room);
            let most = most.fold(f64::INFINITY, f64::min);
            if most.is_finite() {
                let further = at(&x, *block).max(most);
                put(&mut x, *block, further);
            }
        }
        (0..count).map(|place| at(&x, at(&blocks.root, place))).collect()
    }

    /// How far the centres of two neighbours have to be apart.
    fn room(&self, a: usize, b: usize) -> f64 {
        let thin = |place: usize| self.layered.is_thin(place);
        let gap = if thin(a) && thin(b) {
            self.gap / 4.0
        } else if thin(a) || thin(b) {
            self.gap / 2.0
        } else {
            self.gap
        };
        f64::midpoint(at(&self.layered.sizes, a).width, at(&self.layered.sizes, b).width) + gap
    }
}

/// The one in the middle of what a place is joined to, or the two, the nearer side first.
fn medians(near: &[usize], mirrored: bool) -> impl Iterator<Item = usize> {
    let (low, high) = (near.len().saturating_sub(1) / 2, near.len() / 2);
    let (first, second) = if mirrored { (high, low) } else { (low, high) };
    let second = (second != first).then(|| near.get(second).copied()).flatten();
    near.get(first).copied().into_iter().chain(second)
}

/// Blocks so that each comes after those it stands beside.
fn in_order<I: Iterator<Item = (usize, f64)>>(
    beside: impl Fn(usize) -> I,
    mut before: Vec<usize>,
    root: &[usize],
) -> Vec<usize> {
    let is_free = |block: &usize| at(&before, *block) == 0 && at(root, *block) == *block;
    let mut order: Vec<usize> = (0..root.len()).filter(is_free).collect();
    let mut done = 0;
    while let Some(block) = order.get(done).copied() {
        done += 1;
        for (next, _) in beside(block) {
            let left = at(&before, next).saturating_sub(1);
            put(&mut before, next, left);
            if left == 0 {
                order.push(next);
            }
        }
    }
    order
}
