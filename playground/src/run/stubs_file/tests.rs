//! Tests of stub edits.

use super::*;
use serde_json::json;

fn entry(group: &str, name: &str, behaviour: Option<Json>) -> StubEntry {
    StubEntry { group: group.into(), name: name.into(), behaviour }
}

fn pin(value: &Json) -> StubEntry {
    entry("nodes", "a", Some(json!({"return": value})))
}

const OWN: &str = "# Made by hand.\ntools:\n  look: echo # for now\n\n# What is pinned.\nnodes:\n  b: {return: 'two'} # stays\n  a:\n    # of the first run\n    return: 1\n    delay_ms: 5 # as slow as it is\n";

#[test]
fn keeps_unchanged_text_verbatim() {
    let table = [
        (pin(&json!({"x": 2})), OWN.replace("return: 1\n", "return: {x: 2}\n")),
        (entry("nodes", "b", None), OWN.replace("  b: {return: 'two'} # stays\n", "")),
        (
            entry("tools", "paint", Some("echo".into())),
            OWN.replace("# for now\n", "# for now\n  paint: echo\n"),
        ),
        (entry("types", "emit", Some("echo".into())), [OWN, "\ntypes:\n  emit: echo\n"].concat()),
        (entry("nodes", "c", None), OWN.to_owned()),
        (entry("nodes", "b", Some(json!({"return": "three"}))), OWN.replace("'two'", "'three'")),
    ];
    for (change, expected) in table {
        assert_eq!(apply_entries(OWN, std::slice::from_ref(&change)).unwrap(), expected, "{change:?}");
    }
    let sequence = "nodes:\n  # one after the other\n  a: {sequence: [input, last]} # twice\n";
    let expected = "nodes:\n  # one after the other\n  a: {return: 1} # twice\n";
    assert_eq!(
        apply_entries(sequence, &[pin(&json!(1))]).unwrap(),
        expected,
        "something else takes its place"
    );
}

#[test]
fn keeps_comments_of_an_empty_file() {
    let made = "nodes:\n  a: {return: 1}\n";
    for (text, expected) in [
        ("", made.to_owned()),
        ("# only this\n", ["# only this\n", made].concat()),
        ("# no line end", ["# no line end\n", made].concat()),
        ("{}\n", made.to_owned()),
        ("# before\n{}\n", ["# before\n", made].concat()),
        ("nodes:\n", made.to_owned()),
        ("nodes: {} # soon\n", "nodes:  # soon\n  a: {return: 1}\n".to_owned()),
        ("nodes:\ntools: {x: echo} # t\n", "nodes:\n  a: {return: 1}\ntools: {x: echo} # t\n".to_owned()),
    ] {
        let done = apply_entries(text, &[pin(&json!(1))]).unwrap();
        assert_eq!(
            parse(&done, Format::Yaml).root.unwrap().to_json()["nodes"],
            json!({"a": {"return": 1}}),
            "{done}"
        );
        for comment in text.lines().filter_map(|line| line.split_once('#')) {
            assert!(done.contains(comment.1), "{done}");
        }
        if !text.contains("soon") {
            assert_eq!(done, expected);
        }
    }
}

#[test]
fn removes_a_group_with_its_last_entry() {
    let removed = entry("nodes", "a", None);
    assert_eq!(apply_entries("nodes:\n  a: {return: 1}\n", std::slice::from_ref(&removed)).unwrap(), "");
    let text = "tools: {x: echo} # t\nnodes:\n  a: {return: 1}\n";
    assert_eq!(apply_entries(text, std::slice::from_ref(&removed)).unwrap(), "tools: {x: echo} # t\n");
    let alone = apply_entries("# mine\nnodes:\n  a: {return: 1}\n", &[removed]).unwrap();
    assert!(alone.starts_with("# mine\n"), "{alone}");
    assert_eq!(apply_entries(&alone, &[pin(&json!(1))]).unwrap(), "# mine\nnodes:\n  a: {return: 1}\n");
}

#[test]
fn applies_several_entries_or_none() {
    let all = [
        entry("types", "emit", Some("echo".into())),
        entry("tools", "look", Some("echo".into())),
        pin(&json!(null)),
    ];
    let text = apply_entries("", &all).unwrap();
    assert_eq!(text, "types: {emit: echo}\ntools: {look: echo}\nnodes: {a: {return: null}}\n");
    for wrong in ["nodes: [", "- a\n", "nodes: 3\n"] {
        assert!(apply_entries(wrong, &[pin(&json!(1))]).is_err(), "{wrong}");
    }
    assert_eq!(
        StubEntry::from_message(&json!({"group": "nodes", "name": "a"})),
        Some(entry("nodes", "a", None))
    );
    assert_eq!(StubEntry::from_message(&json!({"name": "a"})), None);
}
