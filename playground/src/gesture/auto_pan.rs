//! What is dragged, led or drawn to the border of the drawing takes the view along.
//!
//! Decides when the view moves on by itself and how far it does in a frame. Knows nothing of frames: whoever draws tells when each is.
//!
//! Invariants: 1. how far the view moves depends on the time that has passed, not on how often it is asked; 2. what was pressed near a
//! border moves nothing until the pointer goes further out; 3. nothing moves once the gesture has ended, however it did.

use super::{Pointer, PointerPhase};
use crate::geometry::{Point, Size};

/// How near the border the view begins to move, in pixels of the screen; a small pane has less of it.
const ZONE: f64 = 32.0;
const MAX_ZONE_SHARE: f64 = 0.25;
/// Pixels of the screen in a second: where it begins, and so far further out that it gets no faster.
const MIN_SPEED: f64 = 80.0;
const MAX_SPEED: f64 = 1_200.0;
const MAX_SPEED_DISTANCE: f64 = 96.0;
/// A longer frame counts as one of so many milliseconds: whoever looked away finds the drawing where it was.
const MAX_FRAME_MS: f64 = 64.0;

/// A length at each of the four borders.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Sides {
    /// At the left one, and at the upper one.
    first: Point,
    /// At the right one, and at the lower one.
    last: Point,
}

impl Sides {
    fn zip_with(self, other: Self, join: impl Fn(f64, f64) -> f64) -> Self {
        let both = |a: Point, b: Point| Point::new(join(a.x, b.x), join(a.y, b.y));
        Self { first: both(self.first, other.first), last: both(self.last, other.last) }
    }
}

/// A pointer that carries something, and the borders it may come near.
#[derive(Debug, Clone, Copy, Default)]
pub struct AutoPan {
    /// How wide the zone in which the view moves is, at each side.
    zones: Sides,
    /// The pointer as it was last heard of, and when the view was last moved for it.
    dragging: Option<(Pointer, f64)>,
}

impl AutoPan {
    /// Takes in an event of a pointer after the gesture has; `carrier` is the pointer that carries something now.
    /// `pane` is the drawing's size on the screen, `now` in milliseconds. Gives whether the view is to move.
    pub fn track(&mut self, event: Pointer, dragging_pointer: Option<i32>, pane: Size, now: f64) -> bool {
        match dragging_pointer {
            None => {
                if event.phase == PointerPhase::Down {
                    self.zones = widen_zones(event.at, pane, Sides::default());
                }
                self.dragging = None;
            }
            Some(id) if id == event.id => {
                self.zones = widen_zones(event.at, pane, self.zones);
                let since = self.dragging.map_or(now, |(_, since)| since);
                let is_near = pan_speed(event.at, pane, self.zones) != Point::default();
                self.dragging = is_near.then_some((Pointer { phase: PointerPhase::Move, ..event }, since));
            }
            Some(_) => {}
        }
        self.dragging.is_some()
    }

    /// A frame: gives how many pixels the view moves, and the pointer, which has thereby moved over the drawing.
    pub fn step(&mut self, dragging_pointer: Option<i32>, pane: Size, now: f64) -> Option<(Pointer, Point)> {
        let (pointer, since) = self.dragging.filter(|(pointer, _)| dragging_pointer == Some(pointer.id))?;
        self.dragging = Some((pointer, now));
        let seconds = (now - since).clamp(0.0, MAX_FRAME_MS) / 1_000.0;
        let speed = pan_speed(pointer.at, pane, self.zones);
        Some((pointer, Point::new(speed.x * seconds, speed.y * seconds)))
    }
}

/// How far inside each border a place is; outside it is less than nothing.
fn insets(at: Point, pane: Size) -> Sides {
    Sides { first: at, last: Point::new(pane.width - at.x, pane.height - at.y) }
}

/// The zones: at a border from which the pointer has been further away they are wider.
fn widen_zones(at: Point, pane: Size, before: Sides) -> Sides {
    let max = |size: f64| (size * MAX_ZONE_SHARE).clamp(0.0, ZONE);
    let max = Point::new(max(pane.width), max(pane.height));
    let now = insets(at, pane).zip_with(Sides { first: max, last: max }, f64::min);
    before.zip_with(now, f64::max)
}

/// How fast the view moves, in pixels of the screen in a second: towards what lies beyond the border.
fn pan_speed(at: Point, pane: Size, zones: Sides) -> Point {
    let pace = |depth: f64| MIN_SPEED + (MAX_SPEED - MIN_SPEED) * (depth / MAX_SPEED_DISTANCE).min(1.0);
    let paces = zones
        .zip_with(insets(at, pane), |zone, inside| if inside < zone { pace(zone - inside) } else { 0.0 });
    paces.last.offset_to(paces.first)
}

#[cfg(test)]
mod tests;
