//! Partial parses equal full ones.

use super::{DirtyRange, IncrementalParse};
use crate::source::{Format, parse};

/// Returns whether the parse was partial.
fn check(text: &str, old: &str, new: &str) -> bool {
    let at = text.find(old).expect("what is replaced");
    assert_eq!(text.matches(old).count(), 1, "{old}");
    let after = text.replacen(old, new, 1);
    let mut reading = IncrementalParse::new(text, Format::Auto);
    reading.change(&after, DirtyRange::new(text, at, at + old.len(), new.len()));
    let fresh = parse(&after, Format::Auto);
    assert_eq!(reading.diagnostics(), fresh.diagnostics, "{after}");
    assert_eq!(reading.tree().map(|tree| (**tree).clone()), fresh.root, "{after}");
    assert_eq!(reading.format(), fresh.format, "{after}");
    reading.partial_count() > 0
}

const PLAN: &str = "# a plan\nstart: one\nnodes:\n  one:\n    type: log # says it\n    input:\n      - 'héllo'\n      -\n      - |+\n        text\n\n  two: {type: noop}\n  three:\nedges:\n- from: one\n  to: two\n- from: two\n  to: three\n";

#[test]
fn small_edits_are_read_in_part() {
    for (old, new) in [
        ("log", "logs"),
        ("# says", "# tells"),
        ("'héllo'", "'hé😀'"),
        ("        text\n", "        text\n          more\n"),
        ("two: {", "two: {id: x, "),
        ("  three:\n", "  three:\n    type: log\n"),
        ("  three:\n", "  three:\n  four:\n"),
        ("to: three", "to: three\n  condition: last==1"),
        ("to: three\n", "to: three\n- from: three\n  to: one\n"),
        // A broken text has its diagnostic at once.
        ("type: log", "type: \"log"),
        ("      -\n", "      -\n     x: 1\n"),
    ] {
        assert!(check(PLAN, old, new), "{new}");
    }
}

#[test]
fn others_are_read_with_all_of_the_text() {
    for (old, new) in [
        ("start", "begin"),
        ("log", "&log log"),
        ("noop", "*log"),
        ("héllo", "h\u{feff}llo"),
        ("to: three\n", "to: three\n---\n"),
    ] {
        assert!(!check(PLAN, old, new), "{new}");
    }
}

#[test]
fn what_was_wrong_once() {
    // Former bugs: an entry that lost its indentation, an item without text at the end, a key before the
    // entries, an entry before one that the parser dropped, a list that replaces the map around it, a byte
    // order mark before a comment.
    check(
        "t:\n    input:\n    - - x\n      -\n          id: -7\n    a: null\n    with: 1\n",
        "    a:",
        " a:",
    );
    check("-\n- 0x\n", "0x", "");
    check("id: a\nb: {}\nc: {}\n", "  c".trim_start(), "id: fine  c: {}");
    check("input:\n   :\n   - last==1\n   ñ: |-\n      some text\n\n   with:\n", "ñ:", "ñ:a");
    check("'s':\n-\n\n  ñ:\n    id:\n    b: 3.5\n- true\n", "ñ:", "ñ\n- :");
    check("a: 1\n? ---\nb: 2\n", "? ", "");
    check("# comment 1\nwith: a\nx-y:\n-k: v\nq: a\n", "k: v", " \"\"");
    // A key without text is complete only after the next token.
    check("?\nid: \"x\"", ": ", ":");
    check("# comment 1\n\u{feff}# comment 2\nwith: \nouble \" quoted\"]\n", "\noub", "[\"doub");
}

#[test]
fn a_text_that_stays_broken_is_mended_in_part() {
    let mut text = PLAN.to_owned();
    let mut reading = IncrementalParse::new(&text, Format::Yaml);
    let at = text.find("log").expect("a type");
    for (put, cut) in [("\"", 0), ("x", 0), ("", 1), (" ", 0), ("", 2)] {
        let range = DirtyRange::new(&text, at, at + cut, put.len());
        text.replace_range(at..at + cut, put);
        reading.change(&text, range);
        assert_eq!(reading.diagnostics(), parse(&text, Format::Yaml).diagnostics, "{text}");
    }
    assert_eq!(text, PLAN);
    assert_eq!(reading.tree().map(|tree| (**tree).clone()), parse(&text, Format::Yaml).root);
    assert_eq!(reading.partial_count(), 5);
}
