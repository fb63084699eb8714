//! Tests of pointer sequences.

use super::*;

const VIEW: Viewport = Viewport { origin: Point::new(10.0, 0.0), zoom: 0.5, is_fitted: false };

struct Hand {
    gesture: Gesture,
    view: Viewport,
    with: PointerKind,
    extend: bool,
    space: bool,
}

fn hand() -> Hand {
    Hand { gesture: Gesture::default(), view: VIEW, with: PointerKind::Main, extend: false, space: false }
}

impl Hand {
    /// Drags, pans or pinches.
    fn is_busy(&self) -> bool {
        !matches!(self.gesture.state, State::Idle | State::Pressed { .. })
    }

    fn event(&mut self, phase: PointerPhase, id: i32, x: f64, y: f64, hit: Hit) -> Vec<GestureAction> {
        let event = Pointer {
            phase,
            id,
            at: Point::new(x, y),
            hit,
            kind: self.with,
            extend: self.extend,
            space: self.space,
        };
        let actions = self.gesture.pointer(event, &self.view);
        for meaning in &actions {
            if let GestureAction::View(view) = meaning {
                self.view = *view;
            }
        }
        actions
    }

    fn drag(&mut self, from: Hit, over: Hit) -> Vec<GestureAction> {
        let mut actions = self.event(PointerPhase::Down, 1, 100.0, 100.0, from);
        actions.extend(self.event(PointerPhase::Move, 1, 102.0, 100.0, from));
        assert_eq!(actions, [], "a tremble is nothing");
        actions.extend(self.event(PointerPhase::Move, 1, 150.0, 100.0, over));
        actions.extend(self.event(PointerPhase::Up, 1, 160.0, 120.0, over));
        assert!(!self.is_busy());
        actions
    }
}

#[test]
fn press_and_release_is_a_click() {
    let mut hand = hand();
    hand.event(PointerPhase::Down, 1, 110.0, 50.0, Hit::Edge(3));
    let actions = hand.event(PointerPhase::Up, 1, 112.0, 51.0, Hit::Nothing);
    assert_eq!(
        actions,
        [GestureAction::Click { hit: Hit::Edge(3), extend: false, at: Point::new(204.0, 102.0) }]
    );
}

#[test]
fn drags_a_node_in_canvas_units() {
    let actions = hand().drag(Hit::Node(7), Hit::Nothing);
    let [grab, drag, drop] = [
        GestureAction::Grab { node: 7 },
        GestureAction::Drag { by: Point::new(100.0, 0.0) },
        GestureAction::Drop { by: Point::new(120.0, 40.0) },
    ];
    assert_eq!(actions, [grab, drag, drop]);
}

#[test]
fn drags_new_edges_from_handles_and_existing_edges_by_their_ends() {
    for (from, drag) in
        [(Hit::Handle(2), EdgeDrag::New(2)), (Hit::EdgeEnd(5, End::To), EdgeDrag::Existing(5, End::To))]
    {
        let actions = hand().drag(from, Hit::Node(9));
        let last = GestureAction::Connect { edge: drag, to: Point::new(300.0, 240.0), over: Hit::Node(9) };
        assert_eq!(actions.last(), Some(&last));
        assert!(matches!(actions[0], GestureAction::DragEdge { over: Hit::Node(9), .. }));
    }
}

#[test]
fn the_empty_canvas_pans_or_draws_a_marquee() {
    let mut pan = hand();
    pan.drag(Hit::Nothing, Hit::Nothing);
    assert_eq!(pan.view.origin, VIEW.origin.plus(50.0, 0.0));
    let mut band = Hand { extend: true, ..hand() };
    let actions = band.drag(Hit::Nothing, Hit::Nothing);
    let area = Rect::between(Point::new(180.0, 200.0), Point::new(300.0, 240.0));
    assert_eq!(actions.last(), Some(&GestureAction::Select { area }));
}

#[test]
fn the_middle_button_and_the_space_bar_always_pan() {
    for mut hand in [Hand { with: PointerKind::Middle, ..hand() }, Hand { space: true, ..hand() }] {
        let actions = hand.drag(Hit::Node(1), Hit::Nothing);
        assert!(actions.iter().all(|meaning| matches!(meaning, GestureAction::View(_))), "{actions:?}");
    }
}

#[test]
fn escape_cancels_a_gesture() {
    for (from, extend) in [(Hit::Node(1), false), (Hit::Handle(1), false), (Hit::Nothing, true)] {
        let mut hand = Hand { extend, ..hand() };
        hand.event(PointerPhase::Down, 1, 0.0, 0.0, from);
        hand.event(PointerPhase::Move, 1, 50.0, 0.0, from);
        assert_eq!(hand.gesture.cancel(), [GestureAction::Cancel]);
        assert_eq!(hand.event(PointerPhase::Up, 1, 60.0, 0.0, from), [], "what comes after it means nothing");
    }
}

#[test]
fn a_second_finger_cancels_and_pinches() {
    let mut hand = Hand { with: PointerKind::Touch, ..hand() };
    hand.event(PointerPhase::Down, 1, 100.0, 100.0, Hit::Handle(1));
    hand.event(PointerPhase::Move, 1, 200.0, 100.0, Hit::Nothing);
    assert_eq!(hand.event(PointerPhase::Down, 2, 300.0, 100.0, Hit::Node(4)), [GestureAction::Cancel]);
    hand.event(PointerPhase::Move, 1, 300.0, 100.0, Hit::Nothing);
    let before = hand.view;
    hand.event(PointerPhase::Move, 2, 500.0, 100.0, Hit::Nothing);
    assert!(hand.view.zoom > before.zoom);
    hand.event(PointerPhase::Up, 2, 500.0, 100.0, Hit::Nothing);
    assert_eq!(
        hand.event(PointerPhase::Move, 1, 0.0, 0.0, Hit::Nothing),
        [],
        "the finger that is left rests"
    );
    hand.event(PointerPhase::Up, 1, 0.0, 0.0, Hit::Nothing);
    hand.event(PointerPhase::Down, 3, 0.0, 0.0, Hit::Node(4));
    assert!(matches!(
        hand.event(PointerPhase::Up, 3, 0.0, 0.0, Hit::Node(4))[..],
        [GestureAction::Click { .. }]
    ));
}

#[test]
fn a_pinch_zooms_around_its_centre() {
    let mut hand = Hand { with: PointerKind::Touch, ..hand() };
    hand.event(PointerPhase::Down, 1, 100.0, 100.0, Hit::Nothing);
    hand.event(PointerPhase::Down, 2, 200.0, 100.0, Hit::Nothing);
    let fixed = hand.view.to_drawing(Point::new(150.0, 100.0));
    hand.event(PointerPhase::Move, 1, 50.0, 100.0, Hit::Nothing);
    hand.event(PointerPhase::Move, 2, 250.0, 100.0, Hit::Nothing);
    assert!((hand.view.zoom - 1.0).abs() < 1e-9, "twice as far apart, twice as large");
    assert!(hand.view.to_screen(fixed).distance(Point::new(150.0, 100.0)) < 1e-9);
}

#[test]
fn a_wheel_pans_or_zooms_at_the_pointer() {
    let at = Point::new(40.0, 60.0);
    let GestureAction::View(panned) = Gesture::wheel(&VIEW, at, Point::new(3.0, 5.0), false) else {
        panic!("a view")
    };
    assert_eq!(panned.origin, VIEW.origin.plus(-3.0, -5.0));
    let GestureAction::View(zoomed) = Gesture::wheel(&VIEW, at, Point::new(0.0, -20.0), true) else {
        panic!("a view")
    };
    assert!(zoomed.zoom > VIEW.zoom && zoomed.to_drawing(at).distance(VIEW.to_drawing(at)) < 1e-9);
}

#[test]
fn a_lost_pointer_cancels_only_its_own_gesture() {
    let mut dragging = hand();
    dragging.event(PointerPhase::Down, 1, 100.0, 100.0, Hit::Node(2));
    dragging.event(PointerPhase::Move, 1, 150.0, 100.0, Hit::Nothing);
    assert_eq!(dragging.gesture.dragging_pointer(), Some(1));
    assert_eq!(dragging.event(PointerPhase::Lost, 2, 150.0, 100.0, Hit::Nothing), []);
    assert_eq!(dragging.event(PointerPhase::Lost, 1, 150.0, 100.0, Hit::Nothing), [GestureAction::Cancel]);
    assert_eq!(dragging.gesture.dragging_pointer(), None);
    let mut released = hand();
    released.event(PointerPhase::Down, 1, 100.0, 100.0, Hit::Nothing);
    released.event(PointerPhase::Up, 1, 100.0, 100.0, Hit::Nothing);
    assert_eq!(
        released.event(PointerPhase::Lost, 1, 100.0, 100.0, Hit::Nothing),
        [],
        "it was released before"
    );
    let mut panning = hand();
    panning.event(PointerPhase::Down, 1, 100.0, 100.0, Hit::Nothing);
    panning.event(PointerPhase::Move, 1, 150.0, 100.0, Hit::Nothing);
    assert_eq!(
        (panning.gesture.dragging_pointer(), panning.is_busy()),
        (None, true),
        "a pan carries nothing"
    );
    assert_eq!(panning.event(PointerPhase::Lost, 1, 150.0, 100.0, Hit::Nothing), []);
    assert!(!panning.is_busy());
}
