//! Routes of back edges that the layout did not route, such as between moved nodes: in lanes of their own, outside the
//! nodes that they pass. Shorter edges are in inner lanes. Coordinates are those of a downward layout.

use super::ghosts::Link;
use crate::geometry::{Point, Rect};
use crate::layout::{BackEnd, LayoutResult};
use crate::spatial_index::SpatialIndex;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::sort;

/// Between the outermost node and the first lane.
const CLEARANCE: f64 = 24.0;
/// Between two lanes.
const LANE_GAP: f64 = 16.0;
/// From the node's top or bottom to the bend.
const LEVEL_BEND: f64 = 24.0;
/// The same, with a turn beside the node.
const TURN_BEND: f64 = 48.0;

/// A lane in use.
struct Lane {
    is_left: bool,
    top: f64,
    bottom: f64,
    x: f64,
}

/// Sets bends and ends. `areas` are those of scene nodes, `numbers` maps nodes to the scene.
pub(super) fn route_outside(links: &[Link<'_>], areas: &[Rect], numbers: &[usize], found: &mut LayoutResult) {
    let own: Vec<Rect> =
        numbers.iter().map(|number| areas.get(*number).copied().unwrap_or_default()).collect_vec();
    let area = |node: usize| own.get(node).copied().unwrap_or_default();
    let is_unrouted =
        |at: &usize| found.is_back.get(*at) == Some(&true) && found.bends.get(*at).is_none_or(Vec::is_empty);
    let ends = |at: usize| {
        links
            .get(at)
            .map_or((Rect::default(), Rect::default()), |link| (area(link.source), area(link.target)))
    };
    let height = |at: usize| {
        let (from, to) = ends(at);
        from.min.y - to.max().y
    };
    let mut unrouted: Vec<usize> =
        (0..links.len()).filter(is_unrouted).filter(|at| height(*at) > 2.0 * LEVEL_BEND).collect_vec();
    if unrouted.is_empty() {
        return;
    }
    sort::sort_items(&mut unrouted, |a, b| height(*a).total_cmp(&height(*b)).then(a.cmp(b)));
    found.bends.resize(links.len(), Vec::new());
    found.back_ends.resize(links.len(), <(BackEnd, BackEnd)>::default());
    let mut index = SpatialIndex::default();
    for (node, area) in own.iter().enumerate() {
        index.insert(node, *area);
    }
    let nodes = Nodes { areas: &own, index };
    let mut lanes = Vec::new();
    for at in unrouted {
        let (from, to) = ends(at);
        if let Some((lane, ends)) = nodes.lane(&from, &to, &lanes)
            && let (Some(bends), Some(back_ends)) = (found.bends.get_mut(at), found.back_ends.get_mut(at))
        {
            *bends = lane_bends(&from, &to, lane.x, ends);
            *back_ends = ends;
            lanes.push(lane);
        }
    }
}

fn lane_bends(from: &Rect, to: &Rect, x: f64, ends: (BackEnd, BackEnd)) -> Vec<Point> {
    let away = |end: BackEnd| if end == BackEnd::Level { LEVEL_BEND } else { TURN_BEND };
    let middle = f64::midpoint(from.min.y, to.max().y);
    let first = (from.min.y - away(ends.0)).max(middle);
    let last = (to.max().y + away(ends.1)).min(middle);
    vec![Point::new(x, first), Point::new(x, last)]
}

struct Nodes<'a> {
    areas: &'a [Rect],
    index: SpatialIndex,
}

impl Nodes<'_> {
    /// On the side with free ends, or else the nearer side. `None` if no node is between the ends.
    fn lane(&self, from: &Rect, to: &Rect, lanes: &[Lane]) -> Option<(Lane, (BackEnd, BackEnd))> {
        let is_between = |area: &&Rect| area.min.y < from.min.y && area.max().y > to.max().y;
        let passed = Rect::union_all(self.areas.iter().filter(is_between).copied())?;
        let all = passed.union(from).union(to);
        let side = |is_left: bool| {
            let base = if is_left { all.min.x - CLEARANCE } else { all.max().x + CLEARANCE };
            let mut lane = Lane { is_left, top: to.min.y, bottom: from.max().y, x: base };
            let out = if is_left { -1.0 } else { 1.0 };
            for other in lanes {
                let overlaps = other.is_left == is_left && other.top < lane.bottom && lane.top < other.bottom;
                if overlaps && (other.x - lane.x).abs() < LANE_GAP {
                    lane.x = other.x + LANE_GAP * out;
                }
            }
            let ends = (self.end(from, lane.x), self.end(to, lane.x));
            let turns = u8::from(ends.0 != BackEnd::Level) + u8::from(ends.1 != BackEnd::Level);
            let length = (lane.x - from.centre().x).abs() + (lane.x - to.centre().x).abs();
            ((turns, length), (lane, ends))
        };
        let (left, right) = (side(true), side(false));
        let is_left = left.0.0 < right.0.0 || (left.0.0 == right.0.0 && left.0.1 + 0.5 < right.0.1);
        Some(if is_left { left.1 } else { right.1 })
    }

    /// Level, unless a node is between the side and the lane.
    fn end(&self, area: &Rect, lane: f64) -> BackEnd {
        let edge = if lane < area.min.x { area.min.x - 1.0 } else { area.max().x + 1.0 };
        let way =
            Rect::between(Point::new(edge.min(lane), area.min.y), Point::new(edge.max(lane), area.max().y));
        if self.index.intersecting(&way).is_empty() { BackEnd::Level } else { BackEnd::Beside }
    }
}
