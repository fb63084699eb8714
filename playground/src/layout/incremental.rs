//! Places new nodes below predecessors or above successors, where free. Existing nodes never move.

use super::{LayoutDirection, LayoutInput, compute_layout, get_or_default};
use crate::geometry::{Point, Rect, Size};
use crate::spatial_index::SpatialIndex;

/// Per side. Then a node goes below all others.
const MAX_ATTEMPTS: u32 = 64;

/// Corner of every node. `placed` has one item per node. `auto_positions` prefers places for new nodes, or is empty.
pub fn place_new_nodes(
    input: &LayoutInput,
    placed: &[Option<Point>],
    auto_positions: &[Point],
) -> Vec<Point> {
    if placed.iter().flatten().next().is_none() {
        return compute_layout(input).positions;
    }
    let mut found = Placement {
        diagram: input,
        corners: placed.to_vec(),
        index: SpatialIndex::default(),
        lowest: f64::NEG_INFINITY,
    };
    found.corners.resize(input.sizes.len(), None);
    let adjacent = neighbours(input);
    let mut ahead = Vec::new();
    for node in 0..input.sizes.len() {
        if let Some(position) = get_or_default(&found.corners, node) {
            found.insert(node, position);
            ahead.push(node);
        }
    }
    for (node, auto_position) in auto_positions.iter().enumerate() {
        if get_or_default(&found.corners, node).is_none() {
            let (across, along) = found.to_axes(*auto_position);
            let position = found.nearest_free(node, across, along, found.to_axes(found.extent(node)).0);
            found.insert(node, position);
        }
    }
    // Follow placed neighbours, or start a row.
    let mut next = 0;
    for node in 0..input.sizes.len() {
        found.place_neighbours(&adjacent, &mut ahead, &mut next);
        if get_or_default(&found.corners, node).is_none() {
            let position = found.point_from_axes(0.0, found.lowest + input.layer_gap);
            found.insert(node, position);
            ahead.push(node);
        }
    }
    found.corners.into_iter().map(Option::unwrap_or_default).collect()
}

/// The flag: the neighbour follows the node.
fn neighbours(input: &LayoutInput) -> Vec<Vec<(usize, bool)>> {
    let mut adjacent = vec![Vec::new(); input.sizes.len()];
    for (from, to) in &input.edges {
        let mut join = |node: usize, other: usize, follows: bool| {
            if let (true, Some(list)) = (other < input.sizes.len(), adjacent.get_mut(node)) {
                list.push((other, follows));
            }
        };
        join(*from, *to, true);
        join(*to, *from, false);
    }
    adjacent
}

struct Placement<'a> {
    diagram: &'a LayoutInput,
    corners: Vec<Option<Point>>,
    index: SpatialIndex,
    lowest: f64,
}

impl Placement<'_> {
    fn size(&self, node: usize) -> Size {
        get_or_default(&self.diagram.sizes, node)
    }

    fn extent(&self, node: usize) -> Point {
        Point::default().plus(self.size(node).width, self.size(node).height)
    }

    fn insert(&mut self, node: usize, position: Point) {
        let area = Rect::new(position, self.size(node));
        self.lowest = self.lowest.max(self.to_axes(area.max()).1);
        self.index.insert(node, area);
        if let Some(place) = self.corners.get_mut(node) {
            *place = Some(position);
        }
    }

    fn to_axes(&self, point: Point) -> (f64, f64) {
        if self.diagram.direction == LayoutDirection::Right { (point.y, point.x) } else { (point.x, point.y) }
    }

    fn point_from_axes(&self, across: f64, along: f64) -> Point {
        if self.diagram.direction == LayoutDirection::Right {
            Point::new(along, across)
        } else {
            Point::new(across, along)
        }
    }

    fn place_neighbours(
        &mut self,
        adjacent: &[Vec<(usize, bool)>],
        ahead: &mut Vec<usize>,
        next: &mut usize,
    ) {
        while let Some(node) = ahead.get(*next).copied() {
            *next += 1;
            for (other, follows) in adjacent.get(node).into_iter().flatten() {
                if get_or_default(&self.corners, *other).is_none() {
                    self.place_beside(node, *other, *follows);
                    ahead.push(*other);
                }
            }
        }
    }

    fn place_beside(&mut self, known: usize, node: usize, follows: bool) {
        let near = Rect::new(get_or_default(&self.corners, known).unwrap_or_default(), self.size(known));
        let (width, height) = self.to_axes(self.extent(node));
        let across = self.to_axes(near.centre()).0 - width / 2.0;
        let gap = self.diagram.layer_gap;
        let along =
            if follows { self.to_axes(near.max()).1 + gap } else { self.to_axes(near.min).1 - gap - height };
        let position = self.nearest_free(node, across, along, width);
        self.insert(node, position);
    }

    fn nearest_free(&self, node: usize, across: f64, along: f64, width: f64) -> Point {
        let step = f64::midpoint(width, self.diagram.gap);
        for tried in 0..=2 * MAX_ATTEMPTS {
            let away = f64::from(tried.div_ceil(2)) * if tried % 2 == 0 { -step } else { step };
            let position = self.point_from_axes(across + away, along);
            // Nodes a gap apart don't touch.
            let area = Rect::new(position, self.size(node)).expanded(self.diagram.gap / 2.0 - 0.5);
            if self.index.intersecting(&area).is_empty() {
                return position;
            }
        }
        self.point_from_axes(across, self.lowest + self.diagram.layer_gap)
    }
}
