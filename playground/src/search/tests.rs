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
        let found = ranked(query, names.map(named), 3);
        assert_eq!(found.first().map(|at| names[*at]), Some(expected), "{query}");
    }
    for query in ["xyz", "runn", "node add xx"] {
        assert!(ranked(query, ["Run", "Add node"].map(named), 9).is_empty(), "{query}");
    }
    assert_eq!(ranked("", names.map(named), 2), [0, 1], "in their order");
}

fn named(name: &str) -> SearchTexts<'_> {
    SearchTexts { name, ..SearchTexts::default() }
}

#[test]
fn ranks_names_before_words_synonyms_and_descriptions() {
    let texts = |name, synonyms, about| SearchTexts { name, synonyms, about };
    let choices = [
        texts("write", "", "writes a map of a file"),
        texts("group", "map folder", ""),
        texts("group_all", "mapping", ""),
        texts("bitmap", "", ""),
        texts("read_map", "", ""),
        texts("map_all", "", ""),
        texts("map", "", ""),
        texts("my_app", "", ""),
    ];
    let found: Vec<&str> = ranked("map", choices, 9).into_iter().map(|at| choices[at].name).collect();
    assert_eq!(found, ["map", "map_all", "read_map", "bitmap", "group", "group_all", "write"]);
    assert_eq!(ranked("mpp", choices, 9), [7], "only an abbreviation");
    assert!(ranked("wfm", choices, 9).is_empty(), "scattered over a description");
    let short = [texts("notify", "", ""), texts("decision", "if else", ""), texts("file", "", "in a folder")];
    assert_eq!(ranked("if", short, 9), [1, 0]);
}

#[test]
fn recent_choices_come_first_and_the_rest_keeps_its_order() {
    let recent = ["log".to_owned(), "gone".to_owned(), "llm".to_owned()];
    let found = recent_first(vec!["tool", "llm", "agent", "log"], &recent, |name| name);
    assert_eq!(found, ["log", "llm", "tool", "agent"]);
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
