use super::*;
use crate::value::Segment;
use serde_json::{Value as Json, json};

fn path(text: &str) -> Vec<Segment> {
    text.split('/')
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().map_or_else(|_| Segment::Key(part.to_owned()), Segment::Index))
        .collect()
}

fn set(at: &str, value: Json) -> Change {
    Change::Set { path: path(at), value }
}

fn insert(at: &str, value: Json) -> Change {
    Change::Insert { path: path(at), before: None, value }
}

fn remove(at: &str) -> Change {
    Change::Remove { path: path(at) }
}

fn rename(at: &str, key: &str) -> Change {
    Change::Rename { path: path(at), key: key.into() }
}

fn moved(at: &str, to: usize) -> Change {
    Change::Move { path: path(at), to }
}

fn copy(at: &str, key: &str) -> Change {
    Change::Copy { path: path(at), key: key.into() }
}

/// Makes a change, and holds it to its inverse.
fn edited(text: &str, change: &Change) -> Result<String, &'static str> {
    let edited =
        edit(text, Format::Auto, std::slice::from_ref(change)).map_err(|problem| problem.code.slug())?;
    assert_eq!(spliced(text, &edited.edits), edited.text);
    assert_eq!(spliced(&edited.text, &inverse(text, &edited.edits)), text);
    Ok(edited.text)
}

#[track_caller]
fn check(cases: &[(&str, Change, Result<&str, &'static str>)]) {
    let mut wrong = Vec::new();
    for (text, change, expect) in cases {
        let found = edited(text, change);
        if found.as_deref() != expect.as_ref().copied() {
            wrong.push(format!("--- {change:?}\n{text}\n--- expected\n{expect:?}\n--- found\n{found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_are_put_in_their_place() {
    check(&[
        ("a: 1 # one\nb: 2\n", set("a", json!(3)), Ok("a: 3 # one\nb: 2\n")),
        ("a: 'x'\n", set("a", json!("it's")), Ok("a: 'it''s'\n")),
        ("a: \"x\"\n", set("a", json!("y")), Ok("a: \"y\"\n")),
        ("a: x\n", set("a", json!("yes")), Ok("a: \"yes\"\n")),
        ("a: x\n", set("a", json!("a: b")), Ok("a: \"a: b\"\n")),
        ("a: x\n", set("a", json!("say \"a: b\"")), Ok("a: 'say \"a: b\"'\n")),
        ("a:\nb: 2\n", set("a", json!(1)), Ok("a: 1\nb: 2\n")),
        ("a: # none yet\nb: 2\n", set("a", json!(1)), Ok("a: 1 # none yet\nb: 2\n")),
        ("a: &x\nb: 2\n", set("a", json!(1)), Ok("a: &x 1\nb: 2\n")),
        // One kind for another.
        ("a: 1 # one\nb: 2\n", set("a", json!({"c": {"d": 1}})), Ok("a: # one\n  c: {d: 1}\nb: 2\n")),
        ("a: 1\nb: 2\n", set("a", json!({"c": 1})), Ok("a: {c: 1}\nb: 2\n")),
        ("a: # map\n  b: 1\n  # inside\nc: 2\n", set("a", json!(1)), Ok("a: 1 # map\nc: 2\n")),
        ("a:\n  b: 1\nc: 2\n", set("a", json!({"d": {"e": [1, 2]}})), Ok("a:\n  d:\n    e: [1, 2]\nc: 2\n")),
        ("a: |\n  long\n  text\nb: 1\n", set("a", json!("short")), Ok("a: short\nb: 1\n")),
        ("a: short\nb: 1\n", set("a", json!("long\ntext")), Ok("a: |-\n  long\n  text\nb: 1\n")),
        ("a: short\nb: 1\n", set("a", json!("long\n\ntext\n")), Ok("a: |\n  long\n\n  text\nb: 1\n")),
        ("a: 1\r\nb: 2\r\n", set("a", json!({"x": {"y": 1}})), Ok("a:\r\n  x: {y: 1}\r\nb: 2\r\n")),
        ("l:\n  - a: 1\n    b: 2\n  - c\n", set("l/0", json!(5)), Ok("l:\n  - 5\n  - c\n")),
        ("l:\n- a\n- b\n", set("l/1", json!({"x": {"y": 1}, "z": 2})), Ok("l:\n- a\n- x: {y: 1}\n  z: 2\n")),
        // Between brackets.
        ("{a: 1, b: [x, y]}\n", set("b/1", json!("a, b")), Ok("{a: 1, b: [x, \"a, b\"]}\n")),
        ("{a: 1, b: }\n", set("b", json!(2)), Ok("{a: 1, b: 2 }\n")),
        ("{a, b: 1}\n", set("a", json!(2)), Ok("{a: 2, b: 1}\n")),
        ("{\"a\":1,\"b\":2}", set("a", json!("x")), Ok("{\"a\":\"x\",\"b\":2}")),
        (
            "{\n  \"a\": 1\n}\n",
            set("a", json!({"b": [1, {"c": 2}]})),
            Ok("{\n  \"a\": {\n    \"b\": [\n      1,\n      {\"c\": 2}\n    ]\n  }\n}\n"),
        ),
        ("", set("", json!({"a": 1, "b": {"c": {"d": 1}}})), Ok("a: 1\nb:\n  c: {d: 1}\n")),
        ("# a file\n", set("a", json!(1)), Ok("# a file\na: 1\n")),
    ]);
}

#[test]
fn entries_and_items_are_added() {
    check(&[
        ("a: 1\nb: 2 # two\n", set("c", json!(3)), Ok("a: 1\nb: 2 # two\nc: 3\n")),
        ("a: 1", set("c", json!(3)), Ok("a: 1\nc: 3")),
        (
            "n:\n  a: {t: x}\n\n# edges\ne: []\n",
            set("n/b", json!({"t": "y"})),
            Ok("n:\n  a: {t: x}\n  b: {t: y}\n\n# edges\ne: []\n"),
        ),
        (
            "n:\n  a:\n    t: x\n    # more of a\n\n  b:\n    t: y\ne: []\n",
            insert("n/c", json!({"t": "z", "w": {"deep": {"er": 1}}})),
            Ok(
                "n:\n  a:\n    t: x\n    # more of a\n\n  b:\n    t: y\n\n  c:\n    t: z\n    w:\n      deep: {er: 1}\ne: []\n",
            ),
        ),
        ("n: {}\ne: 1\n", set("n/a", json!({"t": "x"})), Ok("n:\n  a: {t: x}\ne: 1\n")),
        ("n:\ne: 1\n", set("n/a", json!({"t": "x"})), Ok("n:\n  a: {t: x}\ne: 1\n")),
        (
            "n:\n    a: {t: x}\n",
            set("m", json!({"u": {"v": 1}})),
            Ok("n:\n    a: {t: x}\nm:\n    u: {v: 1}\n"),
        ),
        ("e:\n- a\n", insert("e/0", json!("b")), Ok("e:\n- b\n- a\n")),
        (
            "e:\n  # first\n  - a\n  # second\n  - b\n",
            insert("e/1", json!("c")),
            Ok("e:\n  # first\n  - a\n  - c\n  # second\n  - b\n"),
        ),
        (
            "e:\n  - {f: a, t: b}\n",
            insert("e/1", json!({"f": "b", "t": "c", "c": "last==1", "d": 1})),
            Ok("e:\n  - {f: a, t: b}\n  - {f: b, t: c, c: last==1, d: 1}\n"),
        ),
        (
            "e:\n  - f: a\n    t: b\n",
            insert("e/1", json!({"f": "b", "t": "c", "x": [], "y": {}})),
            Ok("e:\n  - f: a\n    t: b\n  - f: b\n    t: c\n    x: []\n    y: {}\n"),
        ),
        ("e:\n  - f: a\n", set("e/0/t", json!("b")), Ok("e:\n  - f: a\n    t: b\n")),
        ("e: []\n", insert("e/0", json!({"f": "a"})), Ok("e:\n  - {f: a}\n")),
        ("e: [a]\n", insert("e/1", json!("b")), Ok("e: [a, b]\n")),
        ("e: [a, ]\n", insert("e/1", json!("b")), Ok("e: [a, b, ]\n")),
        (
            "e: [\n  a, # one\n  b # two\n]\n",
            insert("e/2", json!("c")),
            Ok("e: [\n  a, # one\n  b, # two\n  c\n]\n"),
        ),
        ("e: [\n  a,\n  b,\n]\n", insert("e/2", json!("c")), Ok("e: [\n  a,\n  b,\n  c,\n]\n")),
        ("{\n  \"a\": 1\n}\n", set("b", json!({"c": 1})), Ok("{\n  \"a\": 1,\n  \"b\": {\"c\": 1}\n}\n")),
        ("{\"a\":1}", set("b", json!(2)), Ok("{\"a\":1,\"b\":2}")),
        ("{}", set("b", json!(2)), Ok("{\"b\": 2}")),
        (
            "a: 1\nb: 2\n",
            Change::Insert { path: path("c"), before: Some(1), value: json!(3) },
            Ok("a: 1\nc: 3\nb: 2\n"),
        ),
    ]);
}

#[test]
fn entries_and_items_are_removed_with_their_comments() {
    check(&[
        ("a: 1\nb: 2 # two\nc: 3\n", remove("b"), Ok("a: 1\nc: 3\n")),
        ("a: 1\n# about b\nb: 2\n# about c\nc: 3\n", remove("b"), Ok("a: 1\n# about c\nc: 3\n")),
        ("# the file\na: 1\nb: 2\n", remove("a"), Ok("# the file\nb: 2\n")),
        (
            "n:\n  a:\n    t: x\n    # of a\n\n  b: 1\n\n  c: 2\n",
            remove("n/b"),
            Ok("n:\n  a:\n    t: x\n    # of a\n\n  c: 2\n"),
        ),
        ("n:\n  a: 1\n\n  b: 2\ne: 1\n", remove("n/b"), Ok("n:\n  a: 1\ne: 1\n")),
        ("a: 1\nb: 2", remove("b"), Ok("a: 1\n")),
        ("n:\n  a: 1\ne: 2\n", remove("n/a"), Ok("n: {}\ne: 2\n")),
        ("e:\n- a\n", remove("e/0"), Ok("e: []\n")),
        ("a: 1\n", remove("a"), Ok("{}\n")),
        ("e:\n  - f: a\n    t: b\n", remove("e/0/f"), Ok("e:\n  - t: b\n")),
        ("e:\n  - f: a\n    # to\n    t: b\n", remove("e/0/f"), Ok("e:\n  -\n    # to\n    t: b\n")),
        ("e:\n  - f: a\n    t: b\n  - c\n", remove("e/0"), Ok("e:\n  - c\n")),
        ("a: |\n  x\n\n  y\n\nb: 1\n", remove("a"), Ok("\nb: 1\n")),
        ("e: [a, b, c]\n", remove("e/1"), Ok("e: [a, c]\n")),
        ("e: [a, b, c]\n", remove("e/2"), Ok("e: [a, b]\n")),
        ("e: [a, b, c, ]\n", remove("e/2"), Ok("e: [a, b, ]\n")),
        ("e: [a]\n", remove("e/0"), Ok("e: []\n")),
        (
            "e: [\n  a, # one\n  b, # two\n  c # three\n]\n",
            remove("e/1"),
            Ok("e: [\n  a, # one\n  c # three\n]\n"),
        ),
        ("e: [\n  a, # one\n  b # two\n]\n", remove("e/1"), Ok("e: [\n  a # one\n]\n")),
        ("{\n  \"a\": 1,\n  \"b\": 2\n}", remove("b"), Ok("{\n  \"a\": 1\n}")),
        ("a: 1\n", remove("b"), Err("edit/no-such-place")),
        ("a: [\n", remove("a"), Err("edit/unreadable")),
    ]);
}

#[test]
fn entries_are_renamed_moved_and_copied() {
    check(&[
        ("n:\n  a: 1 # x\n", rename("n/a", "b"), Ok("n:\n  b: 1 # x\n")),
        ("n: {'a': 1}\n", rename("n/a", "b"), Ok("n: {'b': 1}\n")),
        ("n: {a: 1}\n", rename("n/a", "b, c"), Ok("n: {\"b, c\": 1}\n")),
        ("{\"a\": 1}", rename("a", "b"), Ok("{\"b\": 1}")),
        ("a: 1\nb: 2\n", rename("a", "b"), Err("edit/no-such-place")),
        (
            "e:\n  # 1\n  - a # x\n  # 2\n  - b\n  - c\n",
            moved("e/0", 1),
            Ok("e:\n  # 2\n  - b\n  # 1\n  - a # x\n  - c\n"),
        ),
        (
            "e:\n  - a\n  - b\n  - c: 1\n    d: 2",
            moved("e/2", 0),
            Ok("e:\n  - c: 1\n    d: 2\n  - a\n  - b\n"),
        ),
        ("e:\n  - a\n  - b", moved("e/0", 1), Ok("e:\n  - b\n  - a")),
        ("e: [a, b, # x\n  c]\n", moved("e/0", 2), Ok("e: [b, c, # x\n  a]\n")),
        (
            "n:\n  a:\n    t: x # y\n  b: 1\n",
            copy("n/a", "c"),
            Ok("n:\n  a:\n    t: x # y\n  c:\n    t: x # y\n  b: 1\n"),
        ),
        ("n: {a: {t: x}, b: 1}\n", copy("n/a", "c"), Ok("n: {a: {t: x}, c: {t: x}, b: 1}\n")),
    ]);
}

#[test]
fn what_is_shared_is_written_out_or_refused() {
    check(&[
        ("a: &x {b: 1}\nc: *x\n", set("c/b", json!(2)), Ok("a: &x {b: 1}\nc: {b: 2}\n")),
        ("a: &x {b: 1}\nc: *x\n", set("a/b", json!(2)), Err("edit/shared")),
        ("a: &x {b: 1}\nc: *x\n", remove("a"), Err("edit/shared")),
        ("a: &x {b: 1}\nc: *x\n", remove("c"), Ok("a: &x {b: 1}\n")),
        (
            "a: &x\n  b: 1\nc:\n  d: *x\n",
            set("c/d/e", json!(2)),
            Ok("a: &x\n  b: 1\nc:\n  d: {b: 1, e: 2}\n"),
        ),
    ]);
}

#[test]
fn changes_one_after_another_are_one_list_of_edits() {
    let text = "n:\n  a: {t: x} # a\n  b: {t: y}\ne:\n  - {f: a, t: b}\n";
    let changes =
        [rename("n/a", "c"), set("e/0/f", json!("c")), insert("n/d", json!({"t": "z"})), remove("n/b")];
    let edited = edit(text, Format::Yaml, &changes).unwrap();
    assert_eq!(edited.text, "n:\n  c: {t: x} # a\n  d: {t: z}\ne:\n  - {f: c, t: b}\n");
    assert_eq!(spliced(text, &edited.edits), edited.text);
    assert_eq!(spliced(&edited.text, &inverse(text, &edited.edits)), text);
}
