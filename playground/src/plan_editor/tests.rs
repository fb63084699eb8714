//! Tests of commands and typing.

use super::*;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::source::edit::apply_edits;

const PLAN: &str = "\
# A plan that people read.
start: a
nodes:
  a: {type: fetch} # first
  b: {type: log, input: \"${output.a}\"}
  c: {type: noop}
edges:
  - {from: a, to: b, condition: last==ok} # when it went well
  - {from: a, to: c}
";

fn session() -> PlanEditor {
    let editor = PlanEditor::new(PLAN);
    assert!(editor.is_current(), "{:?}", editor.document().diagnostics());
    editor
}

/// Edits produce the text, and undo and redo work.
fn check(
    mut editor: PlanEditor,
    action: impl FnOnce(&mut PlanEditor) -> Result<Vec<TextEdit>, Box<Diagnostic>>,
) -> PlanEditor {
    let before = editor.text().to_owned();
    let edits = action(&mut editor).unwrap();
    assert_eq!(apply_edits(&before, &edits), editor.text());
    assert!(editor.is_current(), "{}\n{:?}", editor.text(), editor.document().diagnostics());
    let after = editor.text().to_owned();
    let selected = editor.selection().clone();
    if edits.is_empty() {
        assert_eq!(before, after);
        return editor;
    }
    assert!(editor.undo().is_some() && editor.text() == before, "{}", editor.text());
    assert!(editor.redo().is_some() && editor.text() == after);
    editor.selection = selected;
    editor
}

#[test]
fn removes_only_the_selection() {
    let mut all = session();
    all.select_node("c", false);
    let after = check(all, |editor| editor.remove_selected(0.0));
    assert_eq!(after.text(), PLAN.replace("  c: {type: noop}\n", "").replace("  - {from: a, to: c}\n", ""));
    let mut edges = session();
    edges.select_edge("", 0, false);
    edges.select_edge("", 1, true);
    let after = check(edges, |editor| editor.remove_selected(0.0));
    assert!(after.text().contains("a: {type: fetch} # first") && after.scene().edges.is_empty());
}

#[test]
fn adds_nodes_after_others_and_into_edges() {
    let after = check(session(), |editor| editor.add_node("", "log", Some("c"), None, 0.0));
    assert_eq!(after.selection().only_node(), Some("log"));
    assert!(after.text().contains("{from: c, to: log}"), "{}", after.text());
    let after = check(session(), |editor| editor.insert_into("", 0, "log", 0.0));
    assert!(
        after.text().contains("{from: a, to: log, condition: last==ok} # when it went well"),
        "{}",
        after.text()
    );
    assert!(after.text().contains("{from: log, to: b}"));
}

#[test]
fn duplicates_nodes_with_new_names_and_their_edges() {
    let mut two = session();
    two.select_node("a", false);
    two.select_node("c", true);
    let after = check(two, |editor| editor.duplicate_selected(0.0));
    assert!(
        after.text().contains("  a_2: {type: fetch}") && after.text().contains("{from: a_2, to: c_2}"),
        "{}",
        after.text()
    );
    assert_eq!(after.selection().nodes().collect::<Vec<_>>(), ["a_2", "c_2"]);
}

#[test]
fn copies_and_pastes() {
    let mut two = session();
    two.select_node("a", false);
    two.select_node("b", true);
    let text = two.copy_selected().unwrap();
    assert!(PlanGraph::parse(&text, Format::Yaml).graph.is_some(), "{text}");
    let after = check(two, |editor| editor.paste(&text, "", Some(Point::new(10.0, 20.0)), 0.0));
    assert!(after.text().contains("condition: last==ok}"), "{}", after.text());
    assert_eq!(after.selection().nodes().collect::<Vec<_>>(), ["a_2", "b_2"]);
    let foreign = session().paste("just words", "", None, 0.0).unwrap_err();
    assert_eq!(foreign.code.slug(), "edit/unreadable");
}

#[test]
fn drags_nodes_and_writes_their_position_on_drop() {
    let mut one = session();
    one.select_node("b", false);
    let (before, text) = (one.scene_node("b").unwrap().area.min, one.text().to_owned());
    one.drag(Point::new(33.0, 7.0));
    assert_eq!(one.scene_node("b").unwrap().area.min, before.plus(33.0, 7.0));
    assert_eq!(one.text(), text, "nothing is written while it moves");
    one.cancel_drag();
    assert_eq!(one.scene_node("b").unwrap().area.min, before);
    let after = check(one, |editor| editor.drop_selected(Point::new(33.0, 7.0), Some(8.0), 0.0));
    let place = before.plus(33.0, 7.0).snapped(8.0);
    assert_eq!(after.scene_node("b").unwrap().area.min, place);
    assert!(after.text().contains(&format!("b: [{}, {}]", place.x, place.y)), "{}", after.text());
    assert!(after.scene_node("b").unwrap().is_placed && !after.scene_node("a").unwrap().is_placed);
    let after = check(after, |editor| editor.reset_layout(0.0));
    assert!(!after.scene_node("b").unwrap().is_placed);
}

#[test]
fn aligns_nodes() {
    let mut all = session();
    all.select_all();
    let after = check(all, |editor| editor.align_selected(Align::Left, 0.0));
    let x: Vec<f64> = after.scene().nodes.iter().map(|node| node.area.min.x).collect();
    assert!(x.iter().all(|one| (one - x[0]).abs() <= 1.0), "{x:?}");
}

#[test]
fn moves_nested_nodes_in_their_graph() {
    let text = "nodes:\n  fan:\n    type: graph\n    graph:\n      nodes: {x: {type: log}, y: {type: noop}}\n      edges: [{from: x, to: y}]\n      layout: {x: [100, 50]}\n";
    let mut inner = PlanEditor::new(text);
    inner.toggle_group("fan");
    inner.select_node("fan/y", false);
    let before = inner.scene_node("fan/y").unwrap().area.min;
    let gap = inner.scene_node("fan/x").unwrap().area.min.offset_to(before);
    let after = check(inner, |editor| editor.drop_selected(Point::new(40.0, 10.0), None, 0.0));
    let now =
        after.scene_node("fan/x").unwrap().area.min.offset_to(after.scene_node("fan/y").unwrap().area.min);
    assert!(
        (now.x - gap.x - 40.0).abs() <= 1.0 && (now.y - gap.y - 10.0).abs() <= 1.0,
        "{gap:?} {now:?}\n{}",
        after.text()
    );
}

#[test]
fn keeps_the_last_valid_scene() {
    let mut broken = session();
    let end = broken.text().len();
    broken.apply_text_edits(
        &[TextEdit { span: Span::at(end), text: "  - {from: a".to_owned() }],
        ChangeSource::Typing,
        "typing",
        0.0,
    );
    assert!(!broken.is_current() && broken.scene().nodes.len() == 3);
    let refused = broken.connect("b", "c", 0.0).unwrap_err();
    assert!(refused.is_error(), "{refused}");
    broken.undo();
    assert!(broken.is_current() && broken.text() == PLAN);
}

#[test]
fn shares_one_history_between_typing_and_gestures() {
    let mut both = session();
    both.apply_text_edits(
        &[TextEdit { span: Span::at(2), text: "x".to_owned() }],
        ChangeSource::Typing,
        "typing",
        0.0,
    );
    both.connect("b", "c", 1.0).unwrap();
    both.rename("a", "start_here", 2.0).unwrap();
    assert!(both.text().contains("${output.start_here}") && both.text().contains("start: start_here"));
    let names: Vec<String> = std::iter::from_fn(|| both.undo().map(|(name, _)| name)).collect();
    assert_eq!((names.join(", ").as_str(), both.text()), ("rename, connect, typing", PLAN));
}

#[test]
fn groups_problems_by_node() {
    let broken = PlanEditor::new(&PLAN.replace("to: c}", "to: d}"));
    let problems = broken.problems();
    assert!(problems.keys().any(|node_path| node_path == "#1"), "{problems:?}");
}

#[test]
fn checks_conditions_before_writing_them() {
    let yaml = "nodes:\n  ask: {type: fetch}\n  b: {type: log}\nedges:\n  - {from: ask, to: b, condition: \"last==1\"} # why\n";
    let json = r#"{"nodes": {"ask": {"type": "fetch"}, "b": {"type": "log"}}, "edges": [{"from": "ask", "to": "b"}]}"#;
    for text in [yaml, json] {
        let mut editor = PlanEditor::new(text);
        let labels = |check: &ConditionCheck| {
            check.proposals.iter().map(|found| found.label.clone()).collect::<Vec<_>>()
        };
        let partial = editor.check_condition("", 0, "la", 2);
        assert!(labels(&partial).contains(&"last".to_owned()), "{partial:?}");
        let last = partial.proposals.iter().find(|found| found.label == "last").unwrap();
        assert_eq!((last.span.start, last.span.end), (0, 2), "{last:?}");
        let nodes = editor.check_condition("", 0, "last=='it''s' && output.", 24);
        assert!(labels(&nodes).contains(&"ask".to_owned()), "{nodes:?}");
        let broken = editor.check_condition("", 0, "last==1 &&", 10);
        assert!(!broken.problems.is_empty());
        assert!(editor.check_condition("", 0, "last==1", 7).problems.is_empty());
        assert_eq!(editor.text(), text, "nothing is written");
        editor.set_condition("", 0, "last == \"a b\"", 0.0).unwrap();
        assert_eq!(editor.scene().edges[0].label, "last == \"a b\"");
        editor.set_condition("", 0, " ", 0.0).unwrap();
        assert_eq!(editor.scene().edges[0].label, "");
    }
}

#[test]
fn typing_defers_the_scene() {
    let mut editor = PlanEditor::new("start: a\nnodes: {a: {type: log}}\n");
    let before = editor.scene_version();
    editor.apply_text_edits(
        &[TextEdit { span: Span::new(31, 31), text: ", b: {type: log}".into() }],
        ChangeSource::Typing,
        "typing",
        0.0,
    );
    assert!(editor.is_stale() && editor.scene().nodes.len() == 1 && editor.scene_version() == before);
    editor.refresh();
    assert!(!editor.is_stale() && editor.scene().nodes.len() == 2 && editor.scene_version() > before);
    let drawn = editor.scene_version();
    editor.refresh();
    assert_eq!(editor.scene_version(), drawn, "it is drawn already");
    editor
        .apply_edits(&[GraphEdit::RemoveNode { scope: String::new(), node: "a".into() }], "remove", 1.0)
        .unwrap();
    assert_eq!(editor.scene().nodes.len(), 1, "commands draw");
}

#[test]
fn moves_the_first_node_alone() {
    let text = "nodes: {a: {type: log}, b: {type: log}, c: {type: log}, d: {type: log}, e: {type: log}}\nedges: [{from: a, to: b}, {from: a, to: c}, {from: b, to: d}, {from: c, to: e}]\n";
    let mut editor = PlanEditor::new(text);
    for (round, key) in ["b", "c", "a", "e"].iter().enumerate() {
        let before = editor.scene().clone();
        editor.select_node(key, false);
        editor
            .drop_selected(
                Point::new(900.0 + 200.0 * f64::from(u8::try_from(round).unwrap()), 40.0),
                None,
                0.0,
            )
            .unwrap();
        for (was, is) in before.nodes.iter().zip(&editor.scene().nodes) {
            assert_eq!(was.key == *key, was.area != is.area, "{key} was moved, {}", is.key);
        }
    }
    let moved: Vec<f64> = editor.scene().nodes.iter().map(|node| node.area.min.x).collect();
    let opened = PlanEditor::new(editor.text());
    let again: Vec<f64> = opened.scene().nodes.iter().map(|node| node.area.min.x).collect();
    assert_eq!(moved[..3], again[..3], "what was placed stands there when the file is opened");
}

#[test]
fn adds_the_first_node_to_an_empty_text() {
    for (text, expected) in [
        ("", "nodes:\n  log: {type: log}\n"),
        ("# a plan\n", "# a plan\nnodes:\n  log: {type: log}\n"),
        ("nodes: {}\n", "nodes:\n  log: {type: log}\n"),
        ("nodes:\n", "nodes:\n  log: {type: log}\n"),
        ("id: x\nnodes: {}\n", "id: x\nnodes:\n  log: {type: log}\n"),
        ("id: x\n", "id: x\nnodes:\n  log: {type: log}\n"),
    ] {
        let mut editor = PlanEditor::new(text);
        editor.add_node("", "log", None, None, 0.0).unwrap();
        assert_eq!(editor.text(), expected);
        assert!(editor.is_current() && editor.undo().is_some() && editor.text() == text);
    }
    let broken = PlanEditor::new("id: [\n").add_node("", "log", None, None, 0.0).unwrap_err();
    assert!(broken.is_error() && broken.code != stepgraph_core::diagnostic::Code::NoNodes);
}

#[test]
fn a_gesture_parses_the_text_at_most_once() {
    let nodes =
        (0..60).map(|n| format!("  n{n}: {{type: log, input: \"{n}\"}}\n")).collect::<Vec<_>>().concat();
    let mut editor = PlanEditor::new(&format!("start: n0\nnodes:\n{nodes}"));
    let parses =
        |editor: &PlanEditor| (editor.document().full_parses(), editor.document().incremental_parses());
    assert_eq!(parses(&editor), (1, 0));
    let rename = GraphEdit::RenameNode { scope: String::new(), node: "n30".into(), to: "other".into() };
    let input = GraphEdit::SetInput { scope: String::new(), node: "n30".into(), input: "hi".into() };
    editor.apply_edits(&[input], "input", 0.0).unwrap();
    assert_eq!(parses(&editor), (1, 1));
    editor.apply_edits(&[rename], "rename", 0.0).unwrap();
    assert_eq!(parses(&editor).0 + parses(&editor).1, 3);
    let crlf = editor.text().replace('\n', "\r\n");
    let mut editor = PlanEditor::new(&crlf);
    editor.add_node("", "log", None, None, 0.0).unwrap();
    assert!(editor.text().matches('\n').count() == editor.text().matches("\r\n").count());
    assert!(parses(&editor).0 + parses(&editor).1 <= 3);
}

#[test]
fn suggests_parts_of_expressions() {
    use stepgraph_authoring::edit::{EditOwner, GraphEdit};
    use stepgraph_core::value::Segment;

    let text = "inputs: {max: {type: number}, name: {type: string}}\nnodes:\n  a: {type: log, input: x}\n  b: {type: log, input: y}\nedges:\n  - {from: a, to: b}\n";
    let editor = PlanEditor::new(text);
    let labels =
        |check: ConditionCheck| check.proposals.into_iter().map(|found| found.label).collect::<Vec<_>>();
    for (typed, label) in [
        ("siz", "size"),
        ("size(inp", "input"),
        ("size(input.", "name"),
        ("input.max * 2 > input.", "max"),
        ("input.name.st", "startsWith"),
    ] {
        let found = labels(editor.check_condition("", 0, typed, typed.len()));
        assert!(found.iter().any(|found| found == label), "{typed}: {found:?}");
        let set = [GraphEdit::SetSetting {
            scope: String::new(),
            owner: EditOwner::Node("b".to_owned()),
            path: vec![Segment::Key("input".to_owned())],
            value: Some(PLACEHOLDER.into()),
        }];
        let template = ["é ${", typed].concat();
        let found = labels(editor.check_template(&set, &template, template.len()));
        assert!(found.iter().any(|found| found == label), "{template}: {found:?}");
    }
}

#[test]
fn undo_and_redo_draw_what_was_there() {
    let mut editor = PlanEditor::new(
        "start: a\nnodes: {a: {type: log}, b: {type: log}, c: {type: log}, d: {type: log}}\nedges:\n  - {from: a, to: b}\n  - {from: a, to: c}\n  - {from: b, to: d}\n  - {from: c, to: d}\n  - {from: d, to: a, condition: last==again}\n",
    );
    let first = editor.scene().clone();
    editor.select_node("b", false);
    editor.drop_selected(Point::new(300.0, 0.0), None, 0.0).unwrap();
    editor.refresh();
    let moved = editor.scene().clone();
    for _ in 0..3 {
        editor.undo();
        editor.refresh();
        assert_eq!(*editor.scene(), first);
        editor.redo();
        editor.refresh();
        assert_eq!(*editor.scene(), moved);
    }
}

#[test]
fn tidies_the_whole_plan_if_one_node_is_selected() {
    let mut editor = PlanEditor::new(
        "nodes: {a: {type: log}, b: {type: log}}\nedges: [{from: a, to: b}]\nlayout: {a: [500, 0], b: [0, 0]}\n",
    );
    editor.select_node("a", false);
    editor.reset_layout(0.0).unwrap();
    assert!(!editor.text().contains("layout"), "{}", editor.text());
}

#[test]
fn a_renamed_group_stays_open_with_its_nested_groups_and_after_an_undo() {
    let text = "nodes:\n  g: {type: graph, graph: {nodes: {h: {type: graph, graph: {nodes: {x: {type: log}}}}}}}\n  other: {type: log}\n";
    let mut editor = PlanEditor::new(text);
    for group in ["g", "g/h"] {
        editor.toggle_group(group);
    }
    let shown = |editor: &PlanEditor| editor.scene().nodes.len();
    assert_eq!(shown(&editor), 4);
    editor.rename("g", "fan", 0.0).unwrap();
    assert_eq!(shown(&editor), 4, "{}", editor.text());
    let mut expanded: Vec<&str> = editor.expanded_nodes().collect();
    expanded.sort_unstable();
    assert_eq!(expanded, ["fan", "fan/h"]);
    editor.undo();
    editor.refresh();
    assert_eq!(shown(&editor), 4);
    assert!(editor.rename("g", "other", 1.0).is_err());
    assert!(editor.expanded_nodes().all(|path| path.starts_with('g')));
}
