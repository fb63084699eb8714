//! Tests of auto-pan distances.

use super::*;
use crate::gesture::{Hit, PointerKind};

const PANE: Size = Size::new(800.0, 600.0);
const MIDDLE: Point = Point::new(400.0, 300.0);

fn event(phase: PointerPhase, id: i32, at: Point) -> Pointer {
    Pointer { phase, id, at, hit: Hit::Nothing, kind: PointerKind::Main, extend: false, space: false }
}

fn carried(from: Point, to: Point, pane: Size) -> AutoPan {
    let mut auto_pan = AutoPan::default();
    assert!(!auto_pan.track(event(PointerPhase::Down, 1, from), None, pane, 0.0), "a press moves nothing");
    auto_pan.track(event(PointerPhase::Move, 1, to), Some(1), pane, 0.0);
    auto_pan
}

fn moved(auto_pan: &mut AutoPan, pane: Size, ms: u32, frame: u32) -> Point {
    let mut sum = Point::default();
    for at in (frame..=ms).step_by(frame as usize) {
        let Some((_, by)) = auto_pan.step(Some(1), pane, f64::from(at)) else { continue };
        sum = sum.plus(by.x, by.y);
    }
    sum
}

#[test]
fn pans_towards_the_edge_faster_further_out() {
    // A point, and the pan after 48 ms, away from the edge.
    let table = [
        (MIDDLE, (0.0, 0.0)),
        (Point::new(32.0, 300.0), (0.0, 0.0)),
        (Point::new(768.0, 568.0), (0.0, 0.0)),
        (Point::new(20.0, 300.0), (10.56, 0.0)),
        (Point::new(0.0, 300.0), (21.76, 0.0)),
        (Point::new(-64.0, 300.0), (57.6, 0.0)),
        (Point::new(-6_400.0, 300.0), (57.6, 0.0)),
        (Point::new(800.0, 300.0), (-21.76, 0.0)),
        (Point::new(400.0, 0.0), (0.0, 21.76)),
        (Point::new(400.0, 600.0), (0.0, -21.76)),
        (Point::new(780.0, 664.0), (-10.56, -57.6)),
    ];
    for (at, (x, y)) in table {
        let by = moved(&mut carried(MIDDLE, at, PANE), PANE, 48, 16);
        assert!(by.distance(Point::new(x, y)) < 1e-9, "{at:?}: {by:?}");
    }
}

#[test]
fn pans_equally_far_at_any_frame_rate() {
    let at = Point::new(810.0, 590.0);
    let once = moved(&mut carried(MIDDLE, at, PANE), PANE, 480, 48);
    for frame in [1, 4, 8, 16] {
        let by = moved(&mut carried(MIDDLE, at, PANE), PANE, 480, frame);
        assert!(by.distance(once) < 1e-6, "{frame}: {by:?}");
    }
    let mut slept = carried(MIDDLE, at, PANE);
    let after = slept.step(Some(1), PANE, 60_000.0).map(|(_, by)| by);
    assert_eq!(after, carried(MIDDLE, at, PANE).step(Some(1), PANE, MAX_FRAME_MS).map(|(_, by)| by));
}

#[test]
fn starts_at_the_edge_and_stops_inside() {
    let mut auto_pan = carried(MIDDLE, MIDDLE, PANE);
    assert_eq!(auto_pan.step(Some(1), PANE, 500.0), None, "no frame is needed");
    let near = event(PointerPhase::Move, 1, Point::new(0.0, 300.0));
    assert!(auto_pan.track(near, Some(1), PANE, 1_000.0));
    let first = auto_pan.step(Some(1), PANE, 1_010.0).map(|(pointer, by)| (pointer.at, by.x));
    assert!(first.is_some_and(|(at, x)| at == near.at && (x - 4.533).abs() < 0.001), "{first:?}");
    assert!(auto_pan.track(near, Some(1), PANE, 1_015.0), "the time that has passed still counts");
    let second = auto_pan.step(Some(1), PANE, 1_020.0).map(|(_, by)| by);
    assert_eq!(second, first.map(|(_, x)| Point::new(x, 0.0)));
    assert!(
        auto_pan.track(event(PointerPhase::Move, 2, MIDDLE), Some(1), PANE, 1_021.0),
        "another pointer is none of it"
    );
    assert!(!auto_pan.track(event(PointerPhase::Move, 1, MIDDLE), Some(1), PANE, 1_030.0));
    assert_eq!(auto_pan.step(Some(1), PANE, 1_040.0), None);
}

#[test]
fn a_press_near_the_edge_pans_only_after_moving_outwards() {
    let from = Point::new(12.0, 300.0);
    let still =
        |x: f64, y: f64| moved(&mut carried(from, Point::new(x, y), PANE), PANE, 16, 16) == Point::default();
    assert!(still(12.0, 300.0) && still(20.0, 200.0));
    assert!(!still(8.0, 300.0) && !still(12.0, 10.0));
    // The whole zone counts if the drag comes from inside.
    let mut auto_pan = carried(from, MIDDLE, PANE);
    assert!(auto_pan.track(event(PointerPhase::Move, 1, Point::new(20.0, 300.0)), Some(1), PANE, 0.0));
}

#[test]
fn stops_when_the_gesture_ends() {
    let at = Point::new(0.0, 0.0);
    assert_eq!(carried(MIDDLE, at, PANE).step(None, PANE, 16.0), None, "taken back by a key");
    assert_eq!(carried(MIDDLE, at, PANE).step(Some(2), PANE, 16.0), None, "another one's");
    for phase in [PointerPhase::Up, PointerPhase::Cancel, PointerPhase::Lost] {
        let mut auto_pan = carried(MIDDLE, at, PANE);
        assert!(!auto_pan.track(event(phase, 1, at), None, PANE, 8.0));
        assert_eq!(auto_pan.step(Some(1), PANE, 16.0), None, "{phase:?}");
    }
}

#[test]
fn a_small_pane_has_a_still_centre() {
    let small = Size::new(40.0, 24.0);
    let middle = Point::new(20.0, 12.0);
    assert_eq!(moved(&mut carried(middle, middle, small), small, 16, 16), Point::default());
    assert!(moved(&mut carried(middle, Point::new(36.0, 12.0), small), small, 16, 16).x < 0.0);
}
