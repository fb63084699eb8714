//! Spreads edge ends along sides, ordered by the other ends so that they don't cross there.

use super::ghosts::Link;
use super::route::is_on_left;
use crate::geometry::{Point, Rect};
use crate::layout::{BackEnd, LayoutResult};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::sort;

const PORT_DISTANCE: f64 = 22.0;
/// Edges that lead this little sideways become straight.
const STRAIGHT: f64 = 10.0;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Top,
    Bottom,
    Left,
    Right,
}

impl Side {
    fn is_along(self) -> bool {
        matches!(self, Self::Top | Self::Bottom)
    }
}

/// Node, side and sort keys.
type Port = (usize, Side, bool, f64);

/// Distances from mid-side, at both ends.
pub(super) struct Ports {
    leaving: Vec<f64>,
    arriving: Vec<f64>,
}

impl Ports {
    /// `numbers` maps nodes to the scene, `found` has bends.
    pub(super) fn new(links: &[Link<'_>], areas: &[Rect], numbers: &[usize], found: &LayoutResult) -> Self {
        let area = |node: usize| -> Rect {
            let number = numbers.get(node).copied().unwrap_or_default();
            areas.get(number).copied().unwrap_or_default()
        };
        let bend = |link: usize| found.bends.get(link).map_or(&[][..], Vec::as_slice);
        let end = |at: usize, node: usize, other: usize, bend: Option<&Point>, is_leaving: bool| -> Port {
            let x = bend.map_or(area(other).centre().x, |bend| bend.x);
            let is_back = found.is_back.get(at).copied().unwrap_or_default();
            let ends = found.back_ends.get(at).copied().unwrap_or_default();
            let is_between = (if is_leaving { ends.0 } else { ends.1 }) == BackEnd::Between;
            if !is_back || is_between {
                return (node, if is_leaving == is_back { Side::Top } else { Side::Bottom }, false, x);
            }
            // Of the edges that lead up, outer ones leave lower. Of those from below, outer ones arrive higher.
            let is_left = is_on_left(&area(node), &area(other), bend);
            let outwards = if is_left { -x } else { x };
            let side = if is_left { Side::Left } else { Side::Right };
            (node, side, !is_leaving, if is_leaving { outwards } else { -outwards })
        };
        let leaving = links.iter().enumerate();
        let leaving = leaving.map(|(at, link)| end(at, link.source, link.target, bend(at).first(), true));
        let arriving = links.iter().enumerate();
        let arriving = arriving.map(|(at, link)| end(at, link.target, link.source, bend(at).last(), false));
        let space = |node: usize, side: Side| {
            if side.is_along() { area(node).size.width } else { area(node).size.height }
        };
        let straight = |(node, side, _, x): &Port, end: usize| {
            let by = x - area(*node).centre().x;
            let has_bends = !bend(end % links.len().max(1)).is_empty();
            // Without bends, both ends move.
            (side.is_along() && by.abs() < STRAIGHT).then_some(if has_bends { by } else { by / 2.0 })
        };
        let mut leaving = spread(leaving.chain(arriving).collect_vec(), links.len(), space, straight);
        let arriving = leaving.split_off(links.len());
        Self { leaving, arriving }
    }

    pub(super) fn shifts(&self, edge: usize) -> (f64, f64) {
        let at = |list: &[f64]| list.get(edge).copied().unwrap_or_default();
        (at(&self.leaving), at(&self.arriving))
    }
}

/// A straight edge is about in the middle.
fn spread(
    ports: Vec<Port>,
    links: usize,
    space: impl Fn(usize, Side) -> f64,
    straight: impl Fn(&Port, usize) -> Option<f64>,
) -> Vec<f64> {
    let mut shifts = vec![0.0; ports.len()];
    let mut sorted: Vec<(Port, usize)> = ports.into_iter().zip(0..).collect_vec();
    let side = |port: &Port| (port.0, port.1);
    let key = |port: &Port| (port.0, port.1, port.2);
    // Two edges between the same nodes are in the same order at both.
    let link = |end: usize| end % links;
    sort::sort_items(&mut sorted, |(a, one), (b, other)| {
        key(a).cmp(&key(b)).then(a.3.total_cmp(&b.3)).then(link(*one).cmp(&link(*other)))
    });
    for edges in sorted.chunk_by(|(a, _), (b, _)| side(a) == side(b)) {
        let space = edges.first().map_or(0.0, |(end, _)| space(end.0, end.1) - PORT_DISTANCE).max(0.0);
        let mut step = PORT_DISTANCE.min(space / to_float(edges.len()).max(1.0));
        let mut before = to_float(edges.len() - 1) / 2.0;
        let mut shift = 0.0;
        let found = edges.iter().enumerate().find_map(|(at, (port, end))| Some((at, straight(port, *end)?)));
        if let Some((middle, by)) = found {
            (before, shift) = (to_float(middle), by);
            step = step.min(space / 2.0 / to_float(middle.max(edges.len() - 1 - middle)).max(1.0));
        }
        let mut at = shift - step * before;
        for (_, edge) in edges {
            if let Some(shift) = shifts.get_mut(*edge) {
                *shift = at;
            }
            at += step;
        }
    }
    shifts
}

#[expect(clippy::cast_precision_loss, reason = "nobody draws so many edges at one node")]
fn to_float(count: usize) -> f64 {
    count as f64
}
