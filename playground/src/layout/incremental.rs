//! Places for nodes that have none, in a drawing whose other nodes have theirs.
//!
//! Decides that nothing that a person has placed moves: a new node goes below what leads to it, or above what it leads to, at the nearest
//! place where it touches nothing.

use super::{LayoutDirection, LayoutInput, arrange, at};
use crate::geometry::{Point, Rect, Size};
use crate::spatial_index::SpatialIndex;

/// How many places are tried on each side before a node is put below all others.
const TRIES: u32 = 64;

/// Completes a drawing: the corner of every node, those that are known unchanged.
///
/// # Shape
/// `placed` as long as there are nodes. `homes` where the others stand if nothing is in their way; empty when nobody knows.
pub fn complete(diagram: &LayoutInput, placed: &[Option<Point>], homes: &[Point]) -> Vec<Point> {
    if placed.iter().flatten().next().is_none() {
        return arrange(diagram).corners;
    }
    let mut found = Placement {
        diagram,
        corners: placed.to_vec(),
        index: SpatialIndex::default(),
        lowest: f64::NEG_INFINITY,
    };
    found.corners.resize(diagram.sizes.len(), None);
    let joined = joined(diagram);
    let mut ahead = Vec::new();
    for node in 0..diagram.sizes.len() {
        if let Some(corner) = at(&found.corners, node) {
            found.enter(node, corner);
            ahead.push(node);
        }
    }
    for (node, home) in homes.iter().enumerate() {
        if at(&found.corners, node).is_none() {
            let (across, along) = found.along(*home);
            let corner = found.free(node, across, along, found.along(found.far(node)).0);
            found.enter(node, corner);
        }
    }
    // What is new is placed from where it hangs on what is known; what hangs on nothing begins a corner of its own.
    let mut next = 0;
    for node in 0..diagram.sizes.len() {
        found.spread(&joined, &mut ahead, &mut next);
        if at(&found.corners, node).is_none() {
            let corner = found.back(0.0, found.lowest + diagram.layer_gap);
            found.enter(node, corner);
            ahead.push(node);
        }
    }
    found.corners.into_iter().map(Option::unwrap_or_default).collect()
}

/// For each node those it is joined to, and whether they follow it.
fn joined(diagram: &LayoutInput) -> Vec<Vec<(usize, bool)>> {
    let mut joined = vec![Vec::new(); diagram.sizes.len()];
    for (from, to) in &diagram.edges {
        let mut join = |node: usize, other: usize, follows: bool| {
            if let (true, Some(list)) = (other < diagram.sizes.len(), joined.get_mut(node)) {
                list.push((other, follows));
            }
        };
        join(*from, *to, true);
        join(*to, *from, false);
    }
    joined
}

struct Placement<'a> {
    diagram: &'a LayoutInput,
    corners: Vec<Option<Point>>,
    index: SpatialIndex,
    lowest: f64,
}

impl Placement<'_> {
    fn size(&self, node: usize) -> Size {
        at(&self.diagram.sizes, node)
    }

    /// Its size as a place.
    fn far(&self, node: usize) -> Point {
        Point::default().plus(self.size(node).width, self.size(node).height)
    }

    fn enter(&mut self, node: usize, corner: Point) {
        let area = Rect::new(corner, self.size(node));
        self.lowest = self.lowest.max(self.along(area.max()).1);
        self.index.put(node, area);
        if let Some(place) = self.corners.get_mut(node) {
            *place = Some(corner);
        }
    }

    /// A place as across and along the way that the graph runs.
    fn along(&self, point: Point) -> (f64, f64) {
        if self.diagram.flow == LayoutDirection::Right { (point.y, point.x) } else { (point.x, point.y) }
    }

    fn back(&self, across: f64, along: f64) -> Point {
        if self.diagram.flow == LayoutDirection::Right {
            Point::new(along, across)
        } else {
            Point::new(across, along)
        }
    }

    /// Places all that is joined to what is known.
    fn spread(&mut self, joined: &[Vec<(usize, bool)>], ahead: &mut Vec<usize>, next: &mut usize) {
        while let Some(node) = ahead.get(*next).copied() {
            *next += 1;
            for (other, follows) in joined.get(node).into_iter().flatten() {
                if at(&self.corners, *other).is_none() {
                    self.place_by(node, *other, *follows);
                    ahead.push(*other);
                }
            }
        }
    }

    /// Places a node after or before one that is known.
    fn place_by(&mut self, known: usize, node: usize, follows: bool) {
        let near = Rect::new(at(&self.corners, known).unwrap_or_default(), self.size(known));
        let (width, height) = self.along(self.far(node));
        let across = self.along(near.centre()).0 - width / 2.0;
        let gap = self.diagram.layer_gap;
        let along =
            if follows { self.along(near.max()).1 + gap } else { self.along(near.min).1 - gap - height };
        let corner = self.free(node, across, along, width);
        self.enter(node, corner);
    }

    /// The nearest free place to either side.
    fn free(&self, node: usize, across: f64, along: f64, width: f64) -> Point {
        let step = f64::midpoint(width, self.diagram.gap);
        for tried in 0..=2 * TRIES {
            let away = f64::from(tried.div_ceil(2)) * if tried % 2 == 0 { -step } else { step };
            let corner = self.back(across + away, along);
            // What is exactly a gap apart does not touch.
            let area = Rect::new(corner, self.size(node)).grown(self.diagram.gap / 2.0 - 0.5);
            if self.index.touching(&area).is_empty() {
                return corner;
            }
        }
        self.back(across, self.lowest + self.diagram.layer_gap)
    }
}
