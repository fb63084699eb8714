//! Tests of keyboard navigation.

use super::*;
use crate::i18n::Lang;
use crate::plan_editor::PlanEditor;

const PLAN: &str = "\
start: a
nodes:
  a: {type: fetch}
  b: {type: log}
  c: {type: noop}
  d: {type: noop}
edges:
  - {from: a, to: b, condition: last==ok}
  - {from: a, to: c}
  - {from: b, to: d}
  - {from: c, to: d}
layout: {a: [200, 0], b: [0, 100], c: [400, 110], d: [200, 220]}
";

const NESTED: &str = "\
start: before
nodes:
  before: {type: noop}
  fan:
    type: parallel
    branches:
      left: {nodes: {one: {type: noop}, two: {type: noop}}, edges: [{from: one, to: two}]}
      right: {nodes: {three: {type: noop}}}
  after: {type: noop}
edges: [{from: before, to: fan}, {from: fan, to: after}]
";

fn name(focus: &Focus) -> String {
    match focus {
        Focus::Nothing => "-".into(),
        Focus::Node(node_path) => node_path.clone(),
        Focus::Edge(scope, index) => format!("{scope}#{index}"),
    }
}

fn walk(editor: &PlanEditor, steps: &[FocusMove]) -> Vec<String> {
    let mut keyboard = Keyboard::default();
    let go = |step: &FocusMove| {
        keyboard.move_focus(*step, editor.scene());
        name(keyboard.focus())
    };
    steps.iter().map(go).collect()
}

#[test]
fn moves_the_focus() {
    use Direction::{Down, Left, Right, Up};
    use FocusMove::{Back, First, Forwards, Last, Next, NextEdge, Previous, PreviousEdge, Toward};
    let editor = PlanEditor::new(PLAN);
    let table: &[(&[FocusMove], &str)] = &[
        // Focuses the start node.
        (&[Toward(Left)], "a"),
        (&[Toward(Down), Toward(Down), Toward(Down), Toward(Down)], "a b d d"),
        (&[First, Toward(Down), Toward(Right), Toward(Right)], "a b c c"),
        (&[First, Toward(Down), Toward(Right), Toward(Left), Toward(Up)], "a b c b a"),
        // The origin, not the nearest node.
        (&[Last, Toward(Up), Toward(Down), Toward(Left)], "d c d b"),
        (&[First, Forwards, Forwards, Back, Forwards, Forwards], "a b d b d d"),
        (&[First, NextEdge, NextEdge, NextEdge], "a #0 #1 #0"),
        (&[First, NextEdge, NextEdge, Toward(Down), NextEdge, NextEdge], "a #0 #1 c #3 #1"),
        (&[First, PreviousEdge, Forwards, Back, PreviousEdge], "a #1 c #1 #3"),
        (&[First, NextEdge, Toward(Up), NextEdge, Back], "a #0 a #0 a"),
        (&[Next, Next, Next, Next, Next, Next, Next, Next, Next], "a #0 #1 b #2 c #3 d d"),
        (&[Previous, Previous, Previous, Previous], "d #3 c #2"),
    ];
    for (steps, expected) in table {
        assert_eq!(walk(&editor, steps).join(" "), *expected, "{steps:?}");
    }
}

#[test]
fn enters_and_leaves_groups() {
    use Direction::{Down, Left, Right, Up};
    let mut editor = PlanEditor::new(NESTED);
    let down = |count: usize| vec![FocusMove::Toward(Down); count];
    assert_eq!(walk(&editor, &down(4)).join(" "), "before fan after after");
    editor.toggle_group("fan");
    assert_eq!(walk(&editor, &down(5)).join(" "), "before fan fan/left/one fan/left/two after");
    let steps = [Right, Left, Up].map(FocusMove::Toward);
    let ways = [down(3), steps.to_vec()].concat();
    assert_eq!(walk(&editor, &ways).join(" ").split(' ').next_back(), Some("fan"));
    let all: Vec<Item> = reading_order(editor.scene());
    let seen: std::collections::HashSet<Item> = all.iter().copied().collect();
    assert_eq!((seen.len(), all.len()), (all.len(), editor.scene().nodes.len() + editor.scene().edges.len()));
}

#[test]
fn does_not_move_on_an_empty_canvas() {
    let editor = PlanEditor::new("");
    for step in [
        FocusMove::First,
        FocusMove::Last,
        FocusMove::Next,
        FocusMove::Previous,
        FocusMove::Toward(Direction::Up),
        FocusMove::NextEdge,
        FocusMove::Forwards,
    ] {
        assert!(Keyboard::default().move_focus(step, editor.scene()).is_empty());
    }
    assert!(Keyboard::default().begin_connect(editor.scene()).is_empty());
}

#[test]
fn the_selection_follows_the_focus_until_extended() {
    let editor = PlanEditor::new(PLAN);
    let scene = editor.scene();
    let mut keyboard = Keyboard::default();
    let down = FocusMove::Toward(Direction::Down);
    assert_eq!(keyboard.move_focus(FocusMove::First, scene), [Effect::FocusMoved, Effect::Select]);
    let (a, b) = (Focus::Node("a".into()), Focus::Node("b".into()));
    assert_eq!(
        keyboard.extend_selection(Direction::Down, scene),
        [Effect::FocusMoved, Effect::Add(a), Effect::Add(b)]
    );
    assert_eq!(keyboard.move_focus(down, scene), [Effect::FocusMoved], "it stays selected");
    assert_eq!(keyboard.toggle(false), [Effect::Toggle]);
    assert_eq!(keyboard.escape(), [Effect::ClearSelection]);
    assert_eq!(keyboard.move_focus(FocusMove::First, scene), [Effect::FocusMoved, Effect::Select]);
    assert_eq!(keyboard.toggle(true), [Effect::FocusMoved], "it was selected: from now on it stays so");
    assert_eq!(keyboard.toggle(true), [Effect::Toggle]);
    assert!(Keyboard::default().toggle(false).is_empty());
    assert!(Keyboard::default().extend_selection(Direction::Up, PlanEditor::new("").scene()).is_empty());
}

fn press(keyboard: &mut Keyboard, editor: &PlanEditor, key: &str) -> Option<Vec<Effect>> {
    keyboard.mode_key(&Chord::parse(key), editor.scene())
}

#[test]
fn drops_or_cancels_a_move() {
    let editor = PlanEditor::new(PLAN);
    let mut keyboard = Keyboard::default();
    assert_eq!(press(&mut keyboard, &editor, "ArrowDown"), None, "no mode, no meaning");
    keyboard.move_focus(FocusMove::First, editor.scene());
    let by = |x: f64, y: f64| Some(vec![Effect::Drag(Point::new(x, y))]);
    for end in ["Enter", "Escape"] {
        assert_eq!(keyboard.begin_move(), [Effect::Drag(Point::default())]);
        assert_eq!(press(&mut keyboard, &editor, "ArrowDown"), by(0.0, 8.0));
        assert_eq!(press(&mut keyboard, &editor, "Shift+ArrowLeft"), by(-64.0, 8.0));
        assert_eq!(press(&mut keyboard, &editor, "X"), Some(vec![]), "a letter does nothing else here");
        assert_eq!(press(&mut keyboard, &editor, "Tab"), None, "never a trap");
        let ended = press(&mut keyboard, &editor, end);
        let expected = if end == "Enter" { Effect::Drop(Point::new(-64.0, 8.0)) } else { Effect::CancelDrag };
        assert_eq!((ended, keyboard.mode()), (Some(vec![expected]), &Mode::Navigate));
    }
    keyboard.begin_move();
    assert_eq!(keyboard.exit_mode(), [Effect::CancelDrag], "whatever interrupts it");
    assert!(keyboard.exit_mode().is_empty());
}

#[test]
fn lists_only_valid_connect_targets() {
    let editor = PlanEditor::new(PLAN);
    let scene = editor.scene();
    let number = |key: &str| scene.node_at_path(key).unwrap();
    let (a, b, c, d) = (number("a"), number("b"), number("c"), number("d"));
    let can_connect = |scene: &Scene, from: usize, to: usize| {
        crate::paint::connect_error(scene, crate::gesture::EdgeDrag::New(from), to).is_none()
    };
    assert!(!can_connect(scene, a, c) && !can_connect(scene, a, a));
    assert!(can_connect(scene, a, b), "that edge has a condition: another may be the fallback");
    assert_eq!(connect_targets(scene, a), [b, d]);
    for from in 0..scene.nodes.len() {
        let mut offered = connect_targets(scene, from);
        offered.sort_unstable();
        let allowed: Vec<usize> = (0..scene.nodes.len()).filter(|to| can_connect(scene, from, *to)).collect();
        assert_eq!(offered, allowed, "keys offer what pointers may do");
    }
    assert_eq!(connect_targets(scene, b), [c, a], "what lies below comes first");
    let mut keyboard = Keyboard::default();
    keyboard.set_focus(Focus::Node("a".into()), scene);
    assert_eq!(keyboard.begin_connect(scene), [Effect::PreviewEdge(a, b)]);
    for (key, expected) in [
        ("ArrowDown", Effect::PreviewEdge(a, d)),
        ("ArrowDown", Effect::PreviewEdge(a, b)),
        ("ArrowUp", Effect::PreviewEdge(a, d)),
        ("Home", Effect::PreviewEdge(a, b)),
        ("X", Effect::NoTarget),
        ("Enter", Effect::NoTarget),
        ("Backspace", Effect::PreviewEdge(a, b)),
        ("D", Effect::PreviewEdge(a, d)),
        ("Enter", Effect::Connect(a, d)),
    ] {
        assert_eq!(press(&mut keyboard, &editor, key), Some(vec![expected]), "{key}");
    }
    assert_eq!(keyboard.mode(), &Mode::Navigate);
    keyboard.begin_connect(scene);
    assert_eq!(press(&mut keyboard, &editor, "Mod+K"), None);
    assert_eq!(press(&mut keyboard, &editor, "Escape"), Some(vec![Effect::CancelConnect]));
    let mut nested = PlanEditor::new(NESTED);
    nested.toggle_group("fan");
    let scene = nested.scene();
    assert!(
        connect_targets(scene, scene.node_at_path("fan/right/three").unwrap()).is_empty(),
        "an edge stays in its graph"
    );
}

#[test]
fn keeps_the_focus_on_existing_elements() {
    let mut editor = PlanEditor::new(PLAN);
    let mut keyboard = Keyboard::default();
    keyboard.set_focus(Focus::Node("d".into()), editor.scene());
    assert!(keyboard.keep_valid(editor.scene()).is_empty());
    editor.select_node("d", false);
    editor.remove_selected(0.0).unwrap();
    assert_eq!(keyboard.keep_valid(editor.scene()), [Effect::FocusMoved]);
    assert_ne!((keyboard.focus(), name(keyboard.focus())), (&Focus::Nothing, "d".into()));
    keyboard.set_focus(Focus::Edge(String::new(), 1), editor.scene());
    editor.select_edge("", 1, false);
    editor.remove_selected(0.0).unwrap();
    keyboard.keep_valid(editor.scene());
    assert_eq!(name(keyboard.focus()), "a", "the node whose edge it was");
    keyboard.keep_valid(PlanEditor::new("").scene());
    assert_eq!(keyboard.focus(), &Focus::Nothing);
}

#[test]
fn chords_are_equal_on_all_keyboards() {
    let plain = KeyPress::default();
    for (pressed, expected) in [
        (KeyPress { key: "k", ctrl: true, ..plain }, Some("Mod+K")),
        (KeyPress { key: "k", meta: true, mac: true, ..plain }, Some("Mod+K")),
        (KeyPress { key: "k", ctrl: true, mac: true, ..plain }, None),
        (KeyPress { key: "k", meta: true, ..plain }, None),
        (KeyPress { key: "Z", ctrl: true, shift: true, ..plain }, Some("Mod+Shift+Z")),
        (KeyPress { key: "?", shift: true, ..plain }, Some("?")),
        (KeyPress { key: "[", ctrl: true, alt: true, alt_graph: true, ..plain }, Some("[")),
        (KeyPress { key: "]", ctrl: true, alt: true, ..plain }, Some("]")),
        (KeyPress { key: "+", shift: true, ..plain }, Some("+")),
        (KeyPress { key: "+", ctrl: true, ..plain }, Some("Mod++")),
        (KeyPress { key: " ", ..plain }, Some("Space")),
        (KeyPress { key: "ArrowLeft", alt: true, ..plain }, Some("Alt+ArrowLeft")),
        (KeyPress { key: "ñ", ..plain }, Some("Ñ")),
        (KeyPress { key: "Shift", shift: true, ..plain }, None),
        (KeyPress { key: "Dead", ..plain }, None),
    ] {
        assert_eq!(pressed.chord(), expected.map(Chord::parse), "{pressed:?}");
    }
}

#[test]
fn labels_keys_like_the_keyboard() {
    for (text, mac, windows, spanish, aria) in [
        ("Mod+K", "⌘K", "Ctrl+K", "Ctrl+K", "Control+K"),
        ("Mod+Shift+Z", "⇧⌘Z", "Ctrl+Shift+Z", "Ctrl+Mayús+Z", "Control+Shift+Z"),
        ("Alt+ArrowLeft", "⌥←", "Alt+←", "Alt+←", "Alt+ArrowLeft"),
        ("Delete", "Del", "Del", "Supr", "Delete"),
        ("+", "+", "+", "+", "Plus"),
        ("?", "?", "?", "?", "?"),
    ] {
        let chord = Chord::parse(text);
        assert_eq!((chord.label(true, Lang::En), chord.label(false, Lang::En)), (mac.into(), windows.into()));
        assert_eq!((chord.label(false, Lang::Es), chord.aria(false)), (spanish.into(), aria.into()));
    }
    assert!(Chord::parse("M").is_single() && Chord::parse("?").is_single());
    assert!(!Chord::parse("F2").is_single() && !Chord::parse("Mod+K").is_single());
}
