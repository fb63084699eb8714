//! Sketches of whole, half-typed and broken texts.

use super::*;
use std::fmt::Write;

/// An item and what is in it, in short.
fn shown(sketch: &Sketch<'_>, at: usize) -> String {
    let item = sketch.item(at);
    let mut out = String::new();
    if let Some(key) = sketch.key(at) {
        write!(out, "{key}{}", if item.colon { ":" } else { "?" }).unwrap();
    }
    match item.form {
        Form::Nothing => out.push('-'),
        Form::Scalar => out.push_str(&sketch.scalar(at).unwrap()),
        Form::Map | Form::List => {
            let (open, close) = if item.form == Form::Map { ('{', '}') } else { ('[', ']') };
            out.push(open);
            let inner: Vec<String> = sketch.children(at).map(|child| shown(sketch, child)).collect();
            out.push_str(&inner.join(" "));
            out.push(close);
        }
    }
    out
}

#[test]
fn texts_as_trees() {
    for (text, expect) in [
        ("", "-"),
        ("# only\n", "-"),
        ("a: 1\nb:\n  c: d # x\n  e:\n", "{a:1 b:{c:d e:-}}"),
        ("a:\n- x\n- y: 1\n  z: 2\nb: 3", "{a:[x {y:1 z:2}] b:3}"),
        ("a:\n  - - x\n    - y\n  -\n", "{a:[[x y] -]}"),
        ("a: {b: c, d: [1, 2], e}\nf: g", "{a:{b:c d:[1 2] e?-} f:g}"),
        ("a: {b: c, d\nf: g", "{a:{b:c d?-} f:g}"),
        ("a: [x,\n  y\n]\nb: 1", "{a:[x y] b:1}"),
        ("a: \"open\nb: 1\n", "{a:open b:1}"),
        ("a: \"x\n  y\"\nb: 1", "{a:x\n  y b:1}"),
        ("a: |\n  b: c\n\n  d\ne: 1", "{a:|\n  b: c\n\n  d e:1}"),
        ("a:\n  ty\n  b: 1\n", "{a:{ty?- b:1}}"),
        ("a:\n  ty", "{a:ty}"),
        ("a:\n  b: 1\n  ty\nc: 2", "{a:{b:1 ty?-} c:2}"),
        ("ty", "ty"),
        ("a: 1\nty", "{a:1 ty?-}"),
        ("a: b\n   c\nd: 1", "{a:b\n   c d:1}"),
        ("a: &x {b: 1}\nc: *x\n!t d: 2", "{a:{b:1} c:*x d:2}"),
        ("{\"a\": {\"b\": [1, {\"c\": \"d\"}]}, \"e", "{a:{b:[1 {c:d}]} e?-}"),
        ("{\"a\": \"x\", \"b\": ,\n \"c\": 1}", "{a:x b:- c:1}"),
        ("{\"a\" \"b\": 1]}", "{a?- b:1}"),
        ("---\na: 1\n", "{a:1}"),
        ("a:\n      b: 1\n   c: 2\n", "{a:{b:1 c:2}}"),
        ("\"a b\": 'it''s'\n", "{a b:it's}"),
        ("a: ${last}\nb: {c: ${last}, d: 1}", "{a:${last} b:{c:${last} d:1}}"),
    ] {
        let sketch = Sketch::new(text, Format::Auto);
        assert_eq!(shown(&sketch, 0), expect, "{text:?}");
        for item in &sketch.items {
            for span in [item.value, item.extent, item.key.unwrap_or_default()] {
                assert!(text.get(span.start..span.end).is_some(), "{text:?} {span:?}");
            }
        }
    }
}
