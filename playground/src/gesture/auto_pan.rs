//! Pans while a drag is near the canvas edge.
//!
//! Invariants: 1. the distance depends on time, not frame rate. 2. a press near an edge pans only after moving out. 3.
//! panning ends with the gesture.

use super::{Pointer, PointerPhase};
use crate::geometry::{Point, Size};

/// Screen pixels. Small canvases have narrower zones.
const ZONE: f64 = 32.0;
const MAX_ZONE_SHARE: f64 = 0.25;
/// Pixels per second, and the depth of maximum speed.
const MIN_SPEED: f64 = 80.0;
const MAX_SPEED: f64 = 1_200.0;
const MAX_SPEED_DISTANCE: f64 = 96.0;
/// A hidden tab that returns must not jump.
const MAX_FRAME_MS: f64 = 64.0;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Sides {
    first: Point,
    last: Point,
}

impl Sides {
    fn zip_with(self, other: Self, join: impl Fn(f64, f64) -> f64) -> Self {
        let both = |a: Point, b: Point| Point::new(join(a.x, b.x), join(a.y, b.y));
        Self { first: both(self.first, other.first), last: both(self.last, other.last) }
    }
}

/// Auto-pan state.
#[derive(Debug, Clone, Copy, Default)]
pub struct AutoPan {
    zones: Sides,
    /// Includes the last step's time.
    dragging: Option<(Pointer, f64)>,
}

impl AutoPan {
    /// Handles an event after the gesture. Returns true to pan. `now` is in milliseconds.
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

    /// Advances a frame. Returns the pointer at its new place, and the pan in pixels.
    pub fn step(&mut self, dragging_pointer: Option<i32>, pane: Size, now: f64) -> Option<(Pointer, Point)> {
        let (pointer, since) = self.dragging.filter(|(pointer, _)| dragging_pointer == Some(pointer.id))?;
        self.dragging = Some((pointer, now));
        let seconds = (now - since).clamp(0.0, MAX_FRAME_MS) / 1_000.0;
        let speed = pan_speed(pointer.at, pane, self.zones);
        Some((pointer, Point::new(speed.x * seconds, speed.y * seconds)))
    }
}

/// Negative outside.
fn insets(at: Point, pane: Size) -> Sides {
    Sides { first: at, last: Point::new(pane.width - at.x, pane.height - at.y) }
}

/// Zones grow as the pointer leaves an edge.
fn widen_zones(at: Point, pane: Size, before: Sides) -> Sides {
    let max = |size: f64| (size * MAX_ZONE_SHARE).clamp(0.0, ZONE);
    let max = Point::new(max(pane.width), max(pane.height));
    let now = insets(at, pane).zip_with(Sides { first: max, last: max }, f64::min);
    before.zip_with(now, f64::max)
}

/// Pixels per second, opposite to the pointer.
fn pan_speed(at: Point, pane: Size, zones: Sides) -> Point {
    let pace = |depth: f64| MIN_SPEED + (MAX_SPEED - MIN_SPEED) * (depth / MAX_SPEED_DISTANCE).min(1.0);
    let paces = zones
        .zip_with(insets(at, pane), |zone, inside| if inside < zone { pace(zone - inside) } else { 0.0 });
    paces.last.offset_to(paces.first)
}

#[cfg(test)]
mod tests;
