//! Spreads edge ends along sides, ordered by the other ends so that they don't cross there.

use super::ghosts::Link;
use super::route::is_on_left;
use crate::geometry::{Point, Rect};
use crate::layout::LayoutResult;
use stepgraph_core::sort;

const PORT_DISTANCE: f64 = 22.0;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Along,
    Left,
    Right,
}

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
        let is_back = |link: usize| found.is_back.get(link).copied().unwrap_or_default();
        let leads =
            |at: usize, link: &Link<'_>| bend(at).first().map_or(area(link.target).centre().x, |bend| bend.x);
        let comes =
            |at: usize, link: &Link<'_>| bend(at).last().map_or(area(link.source).centre().x, |bend| bend.x);
        // Back edges use sides, so ports spread vertically.
        let space = |node: usize, side: Side| {
            if side == Side::Along { area(node).size.width } else { area(node).size.height }
        };
        let side = |at: usize, node: usize, other: usize, bend: Option<&Point>| match is_back(at) {
            true if is_on_left(&area(node), &area(other), bend) => Side::Left,
            true => Side::Right,
            false => Side::Along,
        };
        // Outer edges leave lower and arrive higher, so none cross.
        let outwards = |side: Side, x: f64| if side == Side::Left { -x } else { x };
        let leaving = |at: usize, link: &Link<'_>| {
            let side = side(at, link.source, link.target, bend(at).first());
            (link.source, side, outwards(side, leads(at, link)))
        };
        let arriving = |at: usize, link: &Link<'_>| {
            let side = side(at, link.target, link.source, bend(at).last());
            let x = outwards(side, comes(at, link));
            (link.target, side, if side == Side::Along { x } else { -x })
        };
        Self { leaving: spread(links, leaving, space), arriving: spread(links, arriving, space) }
    }

    pub(super) fn shifts(&self, edge: usize) -> (f64, f64) {
        let at = |list: &[f64]| list.get(edge).copied().unwrap_or_default();
        (at(&self.leaving), at(&self.arriving))
    }
}

/// Sorted by node, side and the other end.
fn spread(
    links: &[Link<'_>],
    end: impl Fn(usize, &Link<'_>) -> (usize, Side, f64),
    space: impl Fn(usize, Side) -> f64,
) -> Vec<f64> {
    let mut sorted: Vec<((usize, Side, f64), usize)> =
        links.iter().enumerate().map(|(at, link)| (end(at, link), at)).collect();
    let side = |end: &(usize, Side, f64)| (end.0, end.1);
    sort::sort_items(&mut sorted, |(a, _), (b, _)| side(a).cmp(&side(b)).then(a.2.total_cmp(&b.2)));
    let mut shifts = vec![0.0; links.len()];
    for edges in sorted.chunk_by(|(a, _), (b, _)| side(a) == side(b)) {
        #[expect(clippy::cast_precision_loss, reason = "nobody draws so many edges at one node")]
        let count = edges.len() as f64;
        let space = edges.first().map_or(0.0, |(end, _)| space(end.0, end.1) - PORT_DISTANCE).max(0.0);
        let step = PORT_DISTANCE.min(space / count.max(1.0));
        let mut at = -step * (count - 1.0) / 2.0;
        for (_, edge) in edges {
            if let Some(shift) = shifts.get_mut(*edge) {
                *shift = at;
            }
            at += step;
        }
    }
    shifts
}
