//! Several changes in a row. `tests/suite/edits` tests single ones.

use super::*;
use crate::value::Segment;
use serde_json::json;

fn path(text: &str) -> Vec<Segment> {
    let step = |part: &str| part.parse().map_or_else(|_| Segment::Key(part.to_owned()), Segment::Index);
    text.split('/').map(step).collect()
}

#[test]
fn changes_one_after_another_are_one_list_of_edits() {
    let text = "n:\n  a: {t: x} # a\n  b: {t: y}\ne:\n  - {f: a, t: b}\n";
    let changes = [
        Change::Rename { path: path("n/a"), key: "c".into() },
        Change::Set { path: path("e/0/f"), value: json!("c") },
        Change::Insert { path: path("n/d"), before: None, value: json!({"t": "z"}) },
        Change::Remove { path: path("n/b") },
    ];
    let edited = edit(text, Format::Yaml, &changes).unwrap();
    assert_eq!(edited.text, "n:\n  c: {t: x} # a\n  d: {t: z}\ne:\n  - {f: c, t: b}\n");
    assert_eq!(apply_edits(text, &edited.edits), edited.text);
    assert_eq!(apply_edits(&edited.text, &inverse(text, &edited.edits)), text);
}
