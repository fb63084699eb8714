//! Assigns coordinates. Four passes, one per corner, align vertices in blocks and compact them. Each x is their median,
//! and layer heights give y.
//!
//! Source: Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment" (2001). Compaction uses longest paths
//! instead of block classes.
//!
//! Lines that go straight through branches come first, unless they make the drawing much wider.

use super::dummy_nodes::RankedGraph;
use super::main_line::{Branch, aligned_neighbours};
use super::{LayoutInput, get_or_default, set_at};
use crate::geometry::Point;
use stepgraph_core::adjacency::Adjacency;

/// Vertices of a drawing, beyond which one attempt must do.
const MAX_STRAIGHTENED: usize = 2_000;
/// How much wider straight lines may make it.
const MAX_WIDER: f64 = 1.25;

pub(super) fn assign_coordinates(graph: &RankedGraph, input: &LayoutInput, layer_gaps: &[f64]) -> Vec<Point> {
    let view = LayerView::new(graph, input);
    let crossed = view.mark_conflicts();
    let mut x = view.coordinates(&crossed, None);
    if graph.rank.len() <= MAX_STRAIGHTENED {
        let width = |x: &[f64]| {
            let (left, right) = reach(x, graph);
            right - left
        };
        let most = width(&x) * MAX_WIDER;
        let mut straight =
            [Branch::First, Branch::Last].into_iter().map(|branch| view.coordinates(&crossed, Some(branch)));
        x = straight.find(|x| width(x) <= most).unwrap_or(x);
    }
    let mut centres: Vec<Point> = x.into_iter().map(|x| Point::new(x, 0.0)).collect();
    let mut top = 0.0;
    for ((layer, height), gap) in graph.layers.iter().zip(graph.layer_heights()).zip(layer_gaps) {
        for vertex in layer {
            if let Some(centre) = centres.get_mut(*vertex) {
                centre.y = top + height / 2.0;
            }
        }
        top += height + gap;
    }
    centres
}

/// Aligns to the narrowest result. Returns the mean of the two medians.
fn balance(mut all: Vec<Vec<f64>>, sides: &[(bool, bool)], graph: &RankedGraph) -> Vec<f64> {
    let reaches: Vec<(f64, f64)> = all.iter().map(|x| reach(x, graph)).collect();
    let narrowest =
        reaches.iter().copied().min_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0))).unwrap_or_default();
    for ((x, (left, right)), (_, mirrored)) in all.iter_mut().zip(reaches).zip(sides) {
        let shift = if *mirrored { narrowest.1 - right } else { narrowest.0 - left };
        for x in x.iter_mut() {
            *x += shift;
        }
    }
    let four = |vertex: usize| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|one| all.get(one).map_or(0.0, |x| get_or_default(x, vertex)));
        f64::midpoint(a.min(b).max(c.min(d)), a.max(b).min(c.max(d)))
    };
    (0..graph.rank.len()).map(four).collect()
}

/// From the left end to the right end.
fn reach(x: &[f64], graph: &RankedGraph) -> (f64, f64) {
    let half = |vertex: usize| get_or_default(&graph.sizes, vertex).width / 2.0;
    let left = x.iter().enumerate().map(|(vertex, x)| x - half(vertex)).fold(f64::INFINITY, f64::min);
    let right = x.iter().enumerate().map(|(vertex, x)| x + half(vertex)).fold(f64::NEG_INFINITY, f64::max);
    (left, right)
}

/// Layers, with each vertex's index.
struct LayerView<'a> {
    layered: &'a RankedGraph,
    index_in_layer: Vec<usize>,
    above: Adjacency<usize>,
    below: Adjacency<usize>,
    input: &'a LayoutInput,
}

struct Blocks {
    /// Its block's first vertex.
    root: Vec<usize>,
}

impl<'a> LayerView<'a> {
    fn new(graph: &'a RankedGraph, input: &'a LayoutInput) -> Self {
        let mut index = vec![0; graph.rank.len()];
        for (position, vertex) in graph.layers.iter().flat_map(|layer| layer.iter().enumerate()) {
            set_at(&mut index, *vertex, position);
        }
        let (above, below) = (graph.in_order(true), graph.in_order(false));
        Self { layered: graph, index_in_layer: index, above, below, input }
    }

    fn coordinates(&self, crossed: &[bool], straight: Option<Branch>) -> Vec<f64> {
        let [above, below] = aligned_neighbours(self.layered, [&self.above, &self.below], straight);
        let sides = [(false, false), (false, true), (true, false), (true, true)];
        let pass = |(up, mirrored): (bool, bool)| {
            self.align_and_compact(crossed, if up { &below } else { &above }, up, mirrored)
        };
        balance(sides.map(pass).into(), &sides, self.layered)
    }

    /// Segments that cross a straight dummy edge.
    fn mark_conflicts(&self) -> Vec<bool> {
        let mut found = vec![false; self.above.count()];
        for layer in self.layered.layers.iter().skip(1) {
            let (mut from, mut first) = (0, 0);
            for (position, vertex) in layer.iter().enumerate() {
                let passing = self.dummy_above(*vertex);
                if passing.is_none() && position + 1 < layer.len() {
                    continue;
                }
                let to = passing.map_or(usize::MAX, |above| get_or_default(&self.index_in_layer, above));
                for below in layer.get(first..=position).into_iter().flatten() {
                    self.mark_conflict(*below, from, to, &mut found);
                }
                (from, first) = (if to == usize::MAX { from } else { to }, position + 1);
            }
        }
        found
    }

    fn mark_conflict(&self, below: usize, from: usize, to: usize, found: &mut [bool]) {
        for (join, above) in self.above.get(below).iter().enumerate() {
            let position = get_or_default(&self.index_in_layer, *above);
            let both_thin = self.layered.is_dummy(*above) && self.layered.is_dummy(below);
            if (position < from || position > to) && !both_thin {
                set_at(found, self.above.first(below) + join, true);
            }
        }
    }

    /// `above` is in layer order.
    fn segment_index(&self, above: usize, below: usize) -> usize {
        let position = get_or_default(&self.index_in_layer, above);
        self.above.first(below)
            + self
                .above
                .get(below)
                .partition_point(|other| get_or_default(&self.index_in_layer, *other) < position)
    }

    fn dummy_above(&self, vertex: usize) -> Option<usize> {
        let above = *self.above.get(vertex).first().filter(|_| self.layered.is_dummy(vertex))?;
        self.layered.is_dummy(above).then_some(above)
    }

    /// Aligns below if `up`, from the right if `mirrored`.
    fn align_and_compact(
        &self,
        crossed: &[bool],
        adjacent: &Adjacency<usize>,
        up: bool,
        mirrored: bool,
    ) -> Vec<f64> {
        let blocks = self.align(crossed, adjacent, up, mirrored);
        let x = self.compact(&blocks, mirrored);
        x.into_iter().map(|x| if mirrored { -x } else { x }).collect()
    }

    /// Begins at the starting side.
    fn layer_order(layer: &[usize], mirrored: bool) -> impl Iterator<Item = usize> {
        let last = layer.len().wrapping_sub(1);
        (0..layer.len()).map(move |step| get_or_default(layer, if mirrored { last - step } else { step }))
    }

    fn align(&self, crossed: &[bool], adjacent: &Adjacency<usize>, up: bool, mirrored: bool) -> Blocks {
        let count = self.layered.rank.len();
        let mut blocks = Blocks { root: (0..count).collect() };
        let mut taken = vec![false; count];
        let layers = &self.layered.layers;
        for step in 0..layers.len() {
            let layer = layers.get(if up { layers.len() - 1 - step } else { step });
            let mut last: Option<usize> = None;
            for vertex in layer.into_iter().flat_map(|layer| Self::layer_order(layer, mirrored)) {
                for near in medians(adjacent.get(vertex), mirrored) {
                    let position = get_or_default(&self.index_in_layer, near);
                    let beyond =
                        last.is_none_or(|last| if mirrored { position < last } else { position > last });
                    let segment = || {
                        if up { self.segment_index(vertex, near) } else { self.segment_index(near, vertex) }
                    };
                    if beyond && !get_or_default(&taken, near) && !get_or_default(crossed, segment()) {
                        set_at(&mut taken, near, true);
                        let root = get_or_default(&blocks.root, near);
                        set_at(&mut blocks.root, vertex, root);
                        last = Some(position);
                        break;
                    }
                }
            }
        }
        blocks
    }

    /// Pushes blocks to one side, then back to their neighbours.
    fn compact(&self, blocks: &Blocks, mirrored: bool) -> Vec<f64> {
        let count = self.layered.rank.len();
        let (mut neighbours, mut joins) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut before = vec![0_usize; count];
        for layer in &self.layered.layers {
            let mut last: Option<usize> = None;
            for vertex in Self::layer_order(layer, mirrored) {
                if let Some(last) = last {
                    let (a, b) = (get_or_default(&blocks.root, last), get_or_default(&blocks.root, vertex));
                    joins.push((a, neighbours.len()));
                    let (left, right) = if mirrored { (vertex, last) } else { (last, vertex) };
                    neighbours.push((b, self.min_distance(left, right)));
                    let more = get_or_default(&before, b) + 1;
                    set_at(&mut before, b, more);
                }
                last = Some(vertex);
            }
        }
        let joins = Adjacency::new(count, &joins);
        let beside =
            |block: usize| joins.get(block).iter().map(|number| get_or_default(&neighbours, *number));
        let order = blocks_in_order(beside, before, &blocks.root);
        let mut x = vec![0.0_f64; count];
        for block in &order {
            for (next, space) in beside(*block) {
                let min = get_or_default(&x, next).max(get_or_default(&x, *block) + space);
                set_at(&mut x, next, min);
            }
        }
        for block in order.iter().rev() {
            let max = beside(*block).map(|(next, space)| get_or_default(&x, next) - space);
            let max = max.fold(f64::INFINITY, f64::min);
            if max.is_finite() {
                let further = get_or_default(&x, *block).max(max);
                set_at(&mut x, *block, further);
            }
        }
        (0..count).map(|vertex| get_or_default(&x, get_or_default(&blocks.root, vertex))).collect()
    }

    fn min_distance(&self, left: usize, right: usize) -> f64 {
        let thin = |vertex: usize| self.layered.is_dummy(vertex);
        let has_label = |vertex: usize| get_or_default(&self.layered.sizes, vertex).height > 0.0;
        let gap = if thin(left) && thin(right) {
            self.input.gap / if has_label(left) && has_label(right) { 2.5 } else { 4.0 }
        } else if thin(left) || thin(right) {
            self.input.gap / 2.0
        } else {
            self.input.gap
        };
        let width = |vertex: usize| get_or_default(&self.layered.sizes, vertex).width;
        f64::midpoint(width(left), width(right)) + gap + get_or_default(&self.input.beside, left)
    }
}

/// One or two, the starting side first.
fn medians(near: &[usize], mirrored: bool) -> impl Iterator<Item = usize> {
    let (low, high) = (near.len().saturating_sub(1) / 2, near.len() / 2);
    let (first, second) = if mirrored { (high, low) } else { (low, high) };
    let second = (second != first).then(|| near.get(second).copied()).flatten();
    near.get(first).copied().into_iter().chain(second)
}

/// Sorts topologically, from the left.
fn blocks_in_order<I: Iterator<Item = (usize, f64)>>(
    beside: impl Fn(usize) -> I,
    mut before: Vec<usize>,
    root: &[usize],
) -> Vec<usize> {
    let is_free =
        |block: &usize| get_or_default(&before, *block) == 0 && get_or_default(root, *block) == *block;
    let mut order: Vec<usize> = (0..root.len()).filter(is_free).collect();
    let mut done = 0;
    while let Some(block) = order.get(done).copied() {
        done += 1;
        for (next, _) in beside(block) {
            let left = get_or_default(&before, next).saturating_sub(1);
            set_at(&mut before, next, left);
            if left == 0 {
                order.push(next);
            }
        }
    }
    order
}
