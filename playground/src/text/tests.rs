//! Tests of the editor exchange.

use super::*;
use crate::plan_editor::PlanEditor;
use stepgraph_core::diagnostic::Target;

const PLAN: &str = "# é 😀\nstart: a\nnodes:\n  a:\n    type: log # 😀\n  fan:\n    type: parallel\n    branches:\n      x:\n        nodes: {in: {type: log}}\nedges:\n  - from: a\n    to: fan\n    condition: last == \"ñ\"\n  - {from: fan, to: a}\n";

fn told(edits: &str, length: usize) -> String {
    format!(
        r#"{{"length":{length},"groups":[{{"by":"typing","name":"typing","apart":false,"edits":[{edits}]}}]}}"#
    )
}

#[test]
fn converts_typed_edits_to_byte_offsets() {
    for (text, start, end, new, expected) in [
        ("é😀b", 1, 3, "x", "éxb"),
        ("é😀b", 4, 4, "ñ", "é😀bñ"),
        ("\u{feff}é", 1, 1, "a", "\u{feff}aé"),
        ("a\r\né", 3, 4, "", "a\r\n"),
        ("ab", 2, 9, "c", "abc"),
    ] {
        let json = told(&format!(r#"{{"start":{start},"end":{end},"text":"{new}"}}"#), 0);
        let typed = parse_typing(&json).unwrap();
        let mut editor = PlanEditor::new(text);
        let edits = typed.groups[0].edits(editor.text());
        editor.apply_text_edits(&edits, ChangeSource::Typing, "typing", 0.0);
        assert_eq!(editor.text(), expected);
    }
}

#[test]
fn ignores_invalid_messages() {
    for text in ["", "{}", "[]", r#"{"groups":[{}],"length":0}"#, r#"{"groups":[],"length":-1}"#] {
        assert_eq!(parse_typing(text), None, "{text}");
    }
    assert!(parse_typing(r#"{"groups":[],"length":0}"#).is_some());
}

#[test]
fn reports_utf16_offsets() {
    let edits = [TextEdit { span: Span::new(2, 6), text: "\n".to_owned() }];
    assert_eq!(edits_json("é😀b", &edits), r#"[{"start":1,"end":3,"text":"\n"}]"#);
    assert_eq!(length("é😀b"), 4);
    let editor = PlanEditor::new(&PLAN.replace("to: fan", "to: fin"));
    let problems = json::parse(&problems_json(editor.document())).unwrap();
    let found = problems.as_array().unwrap().iter().find(|found| found["code"] == "graph/unknown-node");
    let units: Vec<u16> = editor.text().encode_utf16().collect();
    let (start, end) = (found.unwrap()["start"].as_u64().unwrap(), found.unwrap()["end"].as_u64().unwrap());
    let (start, end) = (usize::try_from(start).unwrap(), usize::try_from(end).unwrap());
    assert_eq!(String::from_utf16_lossy(&units[start..end]), "fin");
}

#[test]
fn matches_line_endings_of_the_text() {
    for (text, new, expected) in [
        ("a\n", "b\r\nc", "b\nc"),
        ("a\r\n", "b\nc\rd\r\n", "b\r\nc\r\nd\r\n"),
        ("a\r\nb\n", "c\n", "c\n"),
        ("", "c\r\n", "c\n"),
    ] {
        let mut edits = [TextEdit { span: Span::at(0), text: new.to_owned() }];
        match_line_endings(&mut edits, text);
        assert_eq!(edits[0].text, expected, "{text:?}");
    }
}

#[test]
fn offsets_belong_to_the_innermost_element() {
    let editor = PlanEditor::new(PLAN);
    assert!(editor.is_current(), "{:?}", editor.document().diagnostics());
    let node = |node_path: &str| Some(Target::Node(node_path.to_owned()));
    let edge = |index| Some(Target::Edge(String::new(), index));
    for (word, expected) in [
        ("# é", None),
        ("log #", node("a")),
        ("parallel", node("fan")),
        ("in: {", node("fan/x/in")),
        ("to: fan", edge(0)),
        ("\"ñ\"", edge(0)),
        ("to: a", edge(1)),
    ] {
        assert_eq!(target_at(&editor, PLAN.find(word).unwrap()), expected, "{word}");
    }
    for target in [node("a"), node("fan/x/in"), edge(0), edge(1)] {
        let part = target_span(&editor, target.as_ref().unwrap()).unwrap();
        assert_eq!(target_at(&editor, part.start), target, "{part:?}");
    }
    let part = target_span(&editor, &Target::Edge(String::new(), 0)).unwrap();
    assert_eq!(PLAN.get(part.start..part.end), Some("- from: a\n    to: fan\n    condition: last == \"ñ\""));
    assert_eq!(target_span(&editor, &Target::Node("none".to_owned())), None);
    assert_eq!(target_at(&PlanEditor::new("nodes: ["), 2), None);
}
