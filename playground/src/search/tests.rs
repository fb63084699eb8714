//! Tests of matches and order.

use super::*;
use crate::plan_editor::PlanEditor;

#[test]
fn ranks_the_best_match_first() {
    let names =
        ["Add node", "Align left", "Duplicate", "Find node", "Undo", "Redo", "Run", "Run to here", "Acción"];
    for (query, expected) in [
        ("", "Add node"),
        ("an", "Add node"),
        ("al", "Align left"),
        ("run", "Run"),
        ("rth", "Run to here"),
        ("here run", "Run to here"),
        ("node f", "Find node"),
        ("do", "Undo"),
        ("accion", "Acción"),
        ("DUPL", "Duplicate"),
    ] {
        let found = ranked(query, names, 3);
        assert_eq!(found.first().map(|at| names[*at]), Some(expected), "{query}");
    }
    for query in ["xyz", "runn", "node add xx"] {
        assert!(ranked(query, ["Run", "Add node"], 9).is_empty(), "{query}");
    }
    assert_eq!(ranked("", names, 2), [0, 1], "in their order");
}

#[test]
fn handles_long_and_unusual_texts() {
    let text = "a".repeat(20_000);
    assert!(score(&"a".repeat(300), &text).is_some());
    assert!(score("ab", &text).is_none());
    for unknown in ["", " ", "\u{0}", "ﬁ", "İ", "👩‍👩‍👧", "constructor __proto__"] {
        assert!(score(unknown, unknown).is_some(), "{unknown:?}");
    }
}

const PLAN: &str = "\
nodes:
  fetch: {type: tool, tool: weather.get, metadata: {title: Ask the sky}}
  say: {type: log, input: \"umbrella: ${output.fetch.rain}\"}
  fan:
    type: parallel
    branches:
      left:
        nodes: {deep: {type: llm, with: {system: speak like a pirate}}}
edges: [{from: fetch, to: say}, {from: say, to: fan}]
";

#[test]
fn finds_nodes_by_name_title_type_tool_and_settings() {
    let mut editor = PlanEditor::new(PLAN);
    editor.toggle_group("fan");
    let scene = editor.scene();
    for (query, expected) in [
        ("fetch", "fetch"),
        ("sky", "fetch"),
        ("weather", "fetch"),
        ("llm", "fan/left/deep"),
        ("UMBRELLA", "say"),
        ("pirate", "fan/left/deep"),
        ("ftch", "fetch"),
    ] {
        let found = nodes(query, &scene.nodes, editor.plan(), 9);
        assert_eq!(found.first().map(|at| scene.nodes[*at].node_path()), Some(expected.into()), "{query}");
    }
    assert!(nodes("submarine", &scene.nodes, editor.plan(), 9).is_empty());
    assert_eq!(nodes("", &scene.nodes, editor.plan(), 2).len(), 2);
}
