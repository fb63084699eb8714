//! Edge curves. They leave at the bottom and enter at the top, through bends. Back edges use the nearer side. Layouts
//! to the right transpose this.

use crate::geometry::{Point, Rect};
use crate::layout::{BackEnd, LayoutDirection};
use stepgraph_core::collect::CollectVec;

/// Cubic Bézier segments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// Start point.
    pub start: Point,
    /// Two control points and an end each.
    pub pieces: Vec<[Point; 3]>,
}

/// Straight part before a turn.
const STRAIGHT_LENGTH: f64 = 28.0;
const BACK_EDGE_OFFSET: f64 = 44.0;
/// Distance between node and turn of a back edge.
const TURN_DISTANCE: f64 = 12.0;
const TURN_PER_SHIFT: f64 = 0.2;
const MIN_TURN: f64 = 6.0;
const MAX_TURN: f64 = 17.0;
/// Of a corner.
const RADIUS: f64 = 20.0;
/// The ends' vertical offset, and the width.
const LOOP_OFFSET: f64 = 14.0;
pub(super) const LOOP_WIDTH: f64 = 40.0;

impl Curve {
    /// End point.
    pub fn end(&self) -> Point {
        self.pieces.last().map_or(self.start, |piece| piece[2])
    }

    /// Default label position.
    pub fn middle(&self) -> Point {
        let half = self.pieces.len() / 2;
        let Some(piece) = self.pieces.get(half) else { return self.start };
        let start = if half == 0 {
            self.start
        } else {
            self.pieces.get(half - 1).map_or(self.start, |piece| piece[2])
        };
        if self.pieces.len().is_multiple_of(2) { start } else { cubic_point(start, piece, 0.5) }
    }

    /// `part` goes from 0 to 1, with equally long segments.
    pub fn at(&self, part: f64) -> Point {
        #[expect(clippy::cast_precision_loss, reason = "an edge has few pieces")]
        let mut left = part.clamp(0.0, 1.0) * self.pieces.len() as f64;
        let mut start = self.start;
        for piece in &self.pieces {
            if left <= 1.0 {
                return cubic_point(start, piece, left);
            }
            (left, start) = (left - 1.0, piece[2]);
        }
        start
    }

    /// Converts to a downward layout, or back.
    pub(super) fn turn(&mut self, direction: LayoutDirection) {
        for point in self.pieces.iter_mut().flatten().chain([&mut self.start]) {
            *point = direction.turn_point(*point);
        }
    }

    /// The way back, mirrored at the horizontal axis.
    fn upside_down(&self) -> Self {
        let starts = [self.start].into_iter().chain(self.pieces.iter().map(|piece| piece[2]));
        let turned = |([a, b, _], start): (&[Point; 3], Point)| [flip(*b), flip(*a), flip(start)];
        let mut pieces: Vec<[Point; 3]> = self.pieces.iter().zip(starts).map(turned).collect_vec();
        pieces.reverse();
        Self { start: flip(self.end()), pieces }
    }

    pub(super) fn shift(&mut self, by: Point) {
        for point in self.pieces.iter_mut().flatten().chain([&mut self.start]) {
            *point = point.plus(by.x, by.y);
        }
    }

    /// `each` per segment.
    pub fn sample_points(&self, each: u32) -> Vec<Point> {
        let mut start = self.start;
        let mut positions = vec![start];
        for piece in &self.pieces {
            positions
                .extend((1..=each).map(|step| cubic_point(start, piece, f64::from(step) / f64::from(each))));
            start = piece[2];
        }
        positions
    }

    /// Approximate distance.
    pub fn distance(&self, point: Point) -> f64 {
        let positions = self.sample_points(12);
        let pairs = positions.iter().zip(positions.iter().skip(1));
        pairs.map(|(a, b)| distance_to_segment(point, *a, *b)).fold(f64::INFINITY, f64::min)
    }

    /// Bounds of the control points.
    pub fn bounds(&self) -> Rect {
        let (mut min, mut max) = (self.start, self.start);
        for point in self.pieces.iter().flatten() {
            (min, max) = (min.min(*point), max.max(*point));
        }
        Rect::between(min, max)
    }
}

fn cubic_point(start: Point, [a, b, end]: &[Point; 3], t: f64) -> Point {
    let s = 1.0 - t;
    let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
    let points = [start, *a, *b, *end];
    let sum = |pick: fn(&Point) -> f64| {
        points.iter().zip(weights).map(|(point, weight)| pick(point) * weight).sum()
    };
    Point::new(sum(|point| point.x), sum(|point| point.y))
}

fn distance_to_segment(point: Point, a: Point, b: Point) -> f64 {
    let (offset, off) = (a.offset_to(b), a.offset_to(point));
    let length = offset.x * offset.x + offset.y * offset.y;
    let along =
        if length > 0.0 { ((off.x * offset.x + off.y * offset.y) / length).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(a.plus(offset.x * along, offset.y * along))
}

/// Through bends. `shift` has port offsets.
pub(super) fn forward_curve(from: &Rect, to: &Rect, bends: &[Point], shift: (f64, f64)) -> Curve {
    let start = Point::new(from.centre().x + shift.0, from.max().y);
    let end = Point::new(to.centre().x + shift.1, to.min.y);
    if end.y < start.y + STRAIGHT_LENGTH / 2.0 && bends.is_empty() {
        return side_curve(from, to);
    }
    let mut pieces = Vec::with_capacity(bends.len() + 1);
    let mut last = start;
    for next in bends.iter().copied().chain([end]) {
        let half = ((next.y - last.y) / 2.0).max(STRAIGHT_LENGTH / 2.0);
        pieces.push([last.plus(0.0, half), next.plus(0.0, -half), next]);
        last = next;
    }
    Curve { start, pieces }
}

/// Nearer to the next point.
pub(super) fn is_on_left(area: &Rect, other: &Rect, bend: Option<&Point>) -> bool {
    let next = bend.map_or_else(
        || if other.max().x < area.centre().x { other.max().x } else { area.max().x },
        |bend| bend.x,
    );
    next < area.centre().x
}

/// Beside its nodes, or between forward edges. `shift` has port offsets.
pub(super) fn back_curve(
    from: &Rect,
    to: &Rect,
    bends: &[Point],
    shift: (f64, f64),
    ends: (BackEnd, BackEnd),
) -> Curve {
    if from == to {
        let start = Point::new(from.max().x, from.centre().y + LOOP_OFFSET);
        let end = start.plus(0.0, -2.0 * LOOP_OFFSET);
        return Curve { start, pieces: vec![[start.plus(LOOP_WIDTH, 0.0), end.plus(LOOP_WIDTH, 0.0), end]] };
    }
    // Lower starts and higher ends turn further out, so none cross.
    let source = Exit { area: *from, is_left: is_on_left(from, to, bends.first()), shift: shift.0 };
    let upside_down = Rect::between(flip(to.min), flip(to.max()));
    let side_shift = if ends.1 == BackEnd::Between { shift.1 } else { -shift.1 };
    let target = Exit { area: upside_down, is_left: is_on_left(to, from, bends.last()), shift: side_shift };
    let mut curve = source.curve(ends.0, bends.first().copied());
    let last = target.curve(ends.1, bends.last().copied().map(flip)).upside_down();
    let (up, down) = (curve.end(), last.start);
    if up.y < down.y && ends == <(BackEnd, BackEnd)>::default() {
        return beside(curve.start, last.end(), (up.x - curve.start.x, down.x - last.end().x));
    }
    // Up beside nodes and through bends, to avoid neighbours.
    let mut at = up;
    for next in bends.iter().copied().chain([down]) {
        let half = (at.y - next.y) / 2.0;
        curve.pieces.push([at.plus(0.0, -half), next.plus(0.0, half), next]);
        at = next;
    }
    curve.pieces.extend(last.pieces);
    curve
}

/// The first part of a back edge. The last part is one that is upside down.
struct Exit {
    area: Rect,
    is_left: bool,
    shift: f64,
}

impl Exit {
    fn curve(&self, end: BackEnd, bend: Option<Point>) -> Curve {
        let (area, out) = (&self.area, if self.is_left { -1.0 } else { 1.0 });
        if end == BackEnd::Between {
            let start = Point::new(area.centre().x + self.shift, area.min.y);
            return Curve { start, pieces: Vec::new() };
        }
        let start =
            Point::new(if self.is_left { area.min.x } else { area.max().x }, area.centre().y + self.shift);
        if let (BackEnd::Level, Some(bend)) = (end, bend) {
            let radius = ((bend.x - start.x) * out).clamp(0.0, RADIUS);
            let turn = Point::new(bend.x - radius * out, start.y);
            let third = start.offset_to(turn).x / 3.0;
            let half = radius / 2.0;
            let line = [start.plus(third, 0.0), start.plus(2.0 * third, 0.0), turn];
            let corner = [
                turn.plus(half * out, 0.0),
                Point::new(bend.x, start.y - half),
                Point::new(bend.x, start.y - radius),
            ];
            return Curve { start, pieces: vec![line, corner] };
        }
        let turn = out * (TURN_DISTANCE + self.shift * TURN_PER_SHIFT).clamp(MIN_TURN, MAX_TURN);
        let up = Point::new(start.x + turn, area.min.y - TURN_DISTANCE);
        Curve { start, pieces: vec![[start.plus(turn, 0.0), Point::new(up.x, start.y), up]] }
    }
}

fn flip(point: Point) -> Point {
    Point::new(point.x, -point.y)
}

/// Between nodes side by side.
fn beside(start: Point, end: Point, (first, last): (f64, f64)) -> Curve {
    let far = |turn: f64| turn.signum() * (BACK_EDGE_OFFSET + (start.y - end.y).abs() / 16.0);
    Curve { start, pieces: vec![[start.plus(far(first), 0.0), end.plus(far(last), 0.0), end]] }
}

/// Between adjacent nodes, or upwards.
fn side_curve(from: &Rect, to: &Rect) -> Curve {
    if to.max().y + STRAIGHT_LENGTH < from.min.y {
        return back_curve(from, to, &[], (0.0, 0.0), <(BackEnd, BackEnd)>::default());
    }
    let right = to.centre().x >= from.centre().x;
    let side =
        |area: &Rect, right: bool| Point::new(if right { area.max().x } else { area.min.x }, area.centre().y);
    let (start, end) = (side(from, right), side(to, !right));
    let half = ((end.x - start.x).abs() / 2.0).max(STRAIGHT_LENGTH) * if right { 1.0 } else { -1.0 };
    Curve { start, pieces: vec![[start.plus(half, 0.0), end.plus(-half, 0.0), end]] }
}
