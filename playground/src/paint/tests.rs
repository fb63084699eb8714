//! Tests of display lists and hits.

use super::*;
use crate::geometry::{Point, Size};
use crate::gesture::{EdgeDrag, End, Hit};
use crate::plan_editor::PlanEditor;
use crate::run_overlay::{NodeRunState, NodeStatus, RunOverlay};
use crate::viewport::Viewport;
use stepgraph_core::diagnostic::Severity;

const SCREEN: Size = Size::new(800.0, 600.0);

fn board(editor: &PlanEditor, overlay: &RunOverlay) -> IndexedScene {
    let mut indexed = IndexedScene::default();
    assert!(indexed.sync(editor));
    assert!(!indexed.sync(editor), "it is the same drawing");
    indexed.update_states(editor, overlay);
    indexed.update_problems(editor);
    indexed
}

fn chain(nodes: usize) -> PlanEditor {
    let names: String =
        (0..nodes).map(|node| format!("  n{node}: {{type: log}}\n")).collect::<Vec<_>>().concat();
    let edges: String = (1..nodes)
        .map(|node| format!("  - {{from: n{}, to: n{node}}}\n", node - 1))
        .collect::<Vec<_>>()
        .concat();
    PlanEditor::new(&format!("nodes:\n{names}edges:\n{edges}"))
}

fn picture(
    editor: &PlanEditor,
    indexed: &IndexedScene,
    view: &Viewport,
    always_card: Option<usize>,
) -> DisplayList {
    let mut list = DisplayList::default();
    list.compose(editor.scene(), indexed, (view, SCREEN), always_card, None);
    list
}

#[test]
fn display_lists_contain_only_visible_elements() {
    let editor = chain(450);
    let indexed = board(&editor, &RunOverlay::default());
    let near = picture(&editor, &indexed, &Viewport::default(), Some(400));
    assert_eq!(near.level_of_detail, LevelOfDetail::Cards);
    assert!(near.cards.len() < 12 && near.cards.contains(&400), "{:?}", near.cards);
    assert!(near.edge_labels.len() < 12 && near.boxes.iter().all(|(_, list)| list.is_empty()));
    let whole = Viewport::fit(editor.scene().bounds, SCREEN, 20.0);
    let far = picture(&editor, &indexed, &whole, None);
    assert_eq!((far.level_of_detail, far.has_curves, far.cards.len()), (LevelOfDetail::Boxes, false, 0));
    assert_eq!(far.boxes.iter().map(|(_, list)| list.len()).sum::<usize>(), 450);
    assert_eq!(far.edges_by_style.iter().map(Vec::len).sum::<usize>(), 449);
}

#[test]
fn frames_reuse_memory() {
    let editor = chain(500);
    let indexed = board(&editor, &RunOverlay::default());
    let mut display_list = DisplayList::default();
    let view = Viewport::fit(editor.scene().bounds, SCREEN, 20.0);
    let space = |display_list: &DisplayList| -> usize {
        let lists = display_list.edges_by_style.iter().chain([
            &display_list.cards,
            &display_list.edge_labels,
            &display_list.groups,
        ]);
        lists.map(Vec::capacity).sum::<usize>()
            + display_list.boxes.iter().map(|(_, list)| list.capacity()).sum::<usize>()
    };
    display_list.compose(editor.scene(), &indexed, (&view, SCREEN), None, None);
    let before = space(&display_list);
    for step in 0..20_u8 {
        let view = view.panned(f64::from(step), 0.0);
        display_list.compose(editor.scene(), &indexed, (&view, SCREEN), None, None);
    }
    assert_eq!(space(&display_list), before);
}

#[test]
fn small_plans_always_use_cards() {
    for (zoom, nodes, detail) in [
        (1.0, 10_000, LevelOfDetail::Cards),
        (0.5, 10_000, LevelOfDetail::Titles),
        (0.3, 10_000, LevelOfDetail::Boxes),
        (0.3, 12, LevelOfDetail::Cards),
        (0.1, 12, LevelOfDetail::Boxes),
    ] {
        assert_eq!(LevelOfDetail::for_zoom(zoom, nodes), detail, "{zoom} {nodes}");
    }
}

#[test]
fn edge_styles_show_the_state() {
    let text = "start: a\nnodes: {a: {type: fetch}, b: {type: log}, c: {type: log}, d: {type: log}}\nedges:\n  - {from: a, to: b, condition: last==1}\n  - {from: a, to: c, condition: last==2}\n  - {from: a, to: d, condition: error.exists}\n  - {from: b, to: c}";
    let mut editor = PlanEditor::new(text);
    editor.select_edge("", 3, false);
    editor.select_node("d", true);
    let overlay = RunOverlay {
        nodes: [(
            "a".to_owned(),
            NodeRunState { status: NodeStatus::Failed, has_breakpoint: true, ..NodeRunState::default() },
        )]
        .into(),
        edges: [((String::new(), 0), NodeStatus::Done), ((String::new(), 1), NodeStatus::Skipped)].into(),
        is_outdated: false,
    };
    let indexed = board(&editor, &overlay);
    let view = Viewport::fit(editor.scene().bounds, SCREEN, 20.0);
    let list = picture(&editor, &indexed, &view, None);
    let inks = |style: EdgeStyle| list.edges_by_style[style as usize].clone();
    assert_eq!(
        [EdgeStyle::Taken, EdgeStyle::NotTaken, EdgeStyle::Failure, EdgeStyle::Selected, EdgeStyle::Plain]
            .map(inks),
        [vec![0], vec![1], vec![2], vec![3], vec![]]
    );
    let state = indexed.node_state(indexed.node_number("a").unwrap());
    assert!(state.status == NodeStatus::Failed && state.flags.has_breakpoint && !state.flags.is_selected);
    assert!(indexed.node_state(indexed.node_number("d").unwrap()).flags.is_selected);

    let indexed = board(&editor, &RunOverlay { is_outdated: true, ..overlay });
    let list = picture(&editor, &indexed, &view, None);
    let inks = |style: EdgeStyle| list.edges_by_style[style as usize].clone();
    assert_eq!([EdgeStyle::Taken, EdgeStyle::TakenEarlier].map(inks), [vec![], vec![0]]);
    let is_outdated = |node: &str| indexed.node_state(indexed.node_number(node).unwrap()).is_outdated;
    assert!(is_outdated("a") && !is_outdated("d"));
}

#[test]
fn an_edge_that_is_never_taken_is_marked() {
    let text = "start: a\nnodes: {a: {type: fetch}, b: {type: log}, c: {type: log}}\nedges:\n  - {from: a, to: b, condition: last.n > 1}\n  - {from: a, to: c, condition: last.n > 2}\n  - {from: a, to: c}";
    let editor = PlanEditor::new(text);
    let indexed = board(&editor, &RunOverlay::default());
    let view = Viewport::fit(editor.scene().bounds, SCREEN, 20.0);
    let list = picture(&editor, &indexed, &view, None);
    let inks = |style: EdgeStyle| list.edges_by_style[style as usize].clone();
    assert_eq!([EdgeStyle::Suspect, EdgeStyle::Plain].map(inks), [vec![1], vec![0, 2]]);
}

#[test]
fn states_include_problems() {
    let mut editor = PlanEditor::new(
        "nodes:\n  a: {type: log, metadata: {title: x}, retries: 3}\n  b: {type: graph, graph: {nodes: {x: {type: log}, y: {type: log, wat: 1}}, edges: [{from: x, to: y, wen: 1}]}}\nedges: [{from: a, to: b, wen: 1}]",
    );
    editor.toggle_group("b");
    let indexed = board(&editor, &RunOverlay::default());
    for node_path in ["a", "b/y"] {
        assert!(indexed.node_state(indexed.node_number(node_path).unwrap()).problem.is_some(), "{node_path}");
    }
    for scope in ["", "b"] {
        assert!(indexed.edge_state(indexed.edge_number(scope, 0).unwrap()).problem.is_some(), "{scope}");
    }
}

#[test]
fn hit_tests_find_the_topmost_element() {
    let mut editor = PlanEditor::new(
        "nodes:\n  a: {type: log}\n  g: {type: graph, graph: {nodes: {x: {type: log}, y: {type: log}}, edges: [{from: x, to: y}]}}\nedges: [{from: a, to: g, condition: last==1}]",
    );
    editor.toggle_group("g");
    let indexed = board(&editor, &RunOverlay::default());
    let scene = editor.scene();
    let [a, g, x] = ["a", "g", "g/x"].map(|node_path| indexed.node_number(node_path).unwrap());
    let middle = |node: usize| scene.nodes[node].area.centre();
    assert_eq!(indexed.hit_test(scene, middle(a), 6.0), Hit::Node(a));
    assert_eq!(indexed.hit_test(scene, middle(x), 6.0), Hit::Node(x), "what is inside lies above");
    assert_eq!(
        indexed.hit_test(scene, scene.nodes[g].area.min.plus(60.0, 20.0), 6.0),
        Hit::Node(g),
        "its head"
    );
    assert_eq!(
        indexed.hit_test(scene, scene.nodes[g].area.max().plus(-4.0, -4.0), 2.0),
        Hit::Nothing,
        "its inside"
    );
    let outer = indexed.edge_number("", 0).unwrap();
    assert_eq!(indexed.hit_test(scene, scene.edges[outer].label_box.centre(), 1.0), Hit::Edge(outer));
    let beside = scene.edges[outer].curve.start.plus(4.0, 12.0);
    assert_eq!(indexed.hit_test(scene, beside, 6.0), Hit::Edge(outer), "near the curve");
    assert_eq!(indexed.hit_test(scene, Point::new(-500.0, 0.0), 6.0), Hit::Nothing);
    assert_eq!(IndexedScene::scope_at(scene, middle(x)).0, "g");
    let frame = scene.nodes[g].area;
    assert_eq!(IndexedScene::scope_at(scene, frame.max().plus(-4.0, -4.0)).0, "g", "its frame");
    assert_eq!(IndexedScene::scope_at(scene, frame.min.plus(4.0, 4.0)).0, "g", "its head");
    assert_eq!(IndexedScene::scope_at(scene, Point::new(-500.0, 0.0)).0, "");
}

#[test]
fn hit_tests_find_dragged_nodes() {
    let mut editor = chain(3);
    let mut indexed = board(&editor, &RunOverlay::default());
    let before = editor.scene().clone();
    let was = before.nodes[1].area.centre();
    editor.select_node("n1", false);
    editor.drag(Point::new(400.0, 30.0));
    indexed.sync_drag(&editor);
    let scene = editor.scene();
    assert_eq!(indexed.hit_test(scene, was.plus(400.0, 30.0), 1.0), Hit::Node(1));
    assert_ne!(indexed.hit_test(scene, was, 1.0), Hit::Node(1));
    assert!(scene.edges[0].curve.end().distance(before.edges[0].curve.end()) > 100.0, "its edges follow");
    assert_eq!(scene.edges[0].curve.start, before.edges[0].curve.start);
    editor.cancel_drag();
    assert_eq!(editor.scene(), &before);
}

#[test]
fn rejects_invalid_connections() {
    let mut editor = PlanEditor::new(
        "nodes:\n  a: {type: log}\n  b: {type: log}\n  g: {type: graph, graph: {nodes: {x: {type: log}}}}\nedges: [{from: a, to: b}, {from: a, to: g, condition: last==1}]",
    );
    editor.toggle_group("g");
    let indexed = board(&editor, &RunOverlay::default());
    let scene = editor.scene();
    let [a, b, g, x] = ["a", "b", "g", "g/x"].map(|node_path| indexed.node_number(node_path).unwrap());
    let plain = indexed.edge_number("", 0).unwrap();
    let conditional = indexed.edge_number("", 1).unwrap();
    for (drag, node, expected) in [
        (EdgeDrag::New(a), b, Some(ConnectError::Duplicate)),
        (EdgeDrag::New(a), g, None),
        (EdgeDrag::New(a), a, Some(ConnectError::SameNode)),
        (EdgeDrag::New(a), x, Some(ConnectError::OtherGraph)),
        (EdgeDrag::Existing(plain, End::To), g, None),
        (EdgeDrag::Existing(plain, End::To), b, None),
        (EdgeDrag::Existing(plain, End::From), b, Some(ConnectError::SameNode)),
        (EdgeDrag::Existing(conditional, End::To), a, None),
        (EdgeDrag::Existing(99, End::To), a, None),
    ] {
        assert_eq!(connect_error(scene, drag, node), expected, "{drag:?} {node}");
    }
}

#[test]
fn a_collapsed_group_shows_the_problems_of_its_nodes() {
    let mut editor = PlanEditor::new(
        "nodes:\n  a: {type: log, input: 1}\n  g:\n    type: graph\n    graph:\n      start: x\n      nodes: {x: {type: log, input: \"${\"}, y: {type: log, input: 1}}\n      edges: [{from: x, to: nowhere}]\nedges: [{from: a, to: g}]\n",
    );
    let errors = |editor: &PlanEditor| -> Vec<(String, Option<Severity>)> {
        let indexed = board(editor, &RunOverlay::default());
        let nodes = editor.scene().nodes.iter().enumerate();
        nodes.map(|(number, node)| (node.node_path(), indexed.node_state(number).problem)).collect()
    };
    assert_eq!(errors(&editor), [("a".into(), None), ("g".into(), Some(Severity::Error))]);
    let indexed = board(&editor, &RunOverlay::default());
    for (path, is_hidden) in [("g", false), ("g/x", true), ("g/#0", true)] {
        assert_eq!(indexed.element_of(path), Some(Element::Node { number: 1, is_hidden }), "{path}");
    }
    assert_eq!((indexed.element_of("elsewhere"), indexed.element_of("#9")), (None, None));
    editor.toggle_group("g");
    let opened = errors(&editor);
    assert!(opened.contains(&("g/x".into(), Some(Severity::Error))), "{opened:?}");
    assert!(opened.contains(&("g".into(), None)), "{opened:?}");
}

#[test]
fn a_run_badge_ends_before_its_neighbour_and_labels() {
    let nodes = "nodes: {a: {type: log}, b: {type: log}, c: {type: log}}\n";
    let text = [nodes, "layout: {a: [0, 0], b: [200, 0], c: [700, 0]}\n"].concat();
    let editor = PlanEditor::new(&text);
    let indexed = board(&editor, &RunOverlay::default());
    let scene = editor.scene();
    let begin = |node: usize| scene.nodes[node].area.centre().x + 12.0;
    let narrow = indexed.badge_space(scene, 0).1;
    assert!(begin(0) + narrow < scene.nodes[1].area.min.x, "it ends before b: {narrow}");
    assert!(begin(0) + narrow >= scene.nodes[0].area.max().x, "it may reach beyond its own node");
    assert!((indexed.badge_space(scene, 1).1 - 132.0).abs() < 1e-9, "c is far away");
    let labelled = format!("{text}edges: [{{from: b, to: c, condition: last==ok}}]\n");
    let editor = PlanEditor::new(&labelled.replace("c: [700, 0]", "c: [300, 40]"));
    let indexed = board(&editor, &RunOverlay::default());
    let width = indexed.badge_space(editor.scene(), 1).1;
    assert!(width < 132.0, "{width}");
}

#[test]
fn a_badge_begins_beside_the_ends_of_edges() {
    let text = "start: a\nnodes: {a: {type: log}, b: {type: log}, c: {type: log}, d: {type: log}}\nedges: [{from: a, to: b}, {from: a, to: c}, {from: a, to: d}]\n";
    let editor = PlanEditor::new(text);
    let indexed = board(&editor, &RunOverlay::default());
    let scene = editor.scene();
    let centre = scene.nodes[0].area.centre().x;
    let last = scene.edges.iter().map(|edge| edge.curve.start.x).fold(centre, f64::max);
    let (start, _) = indexed.badge_space(scene, 0);
    assert!(centre + start >= last + 8.0, "{start} {last}");
    assert!((indexed.badge_space(scene, 1).0 - 12.0).abs() < 1e-9, "no edge leaves it");
}
