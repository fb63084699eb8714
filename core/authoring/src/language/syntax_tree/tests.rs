//! Complete, half-typed and broken texts.

use super::*;
use std::fmt::Write;

fn shown(tree: &SyntaxTree<'_>, at: usize) -> String {
    let item = tree.item(at);
    let mut out = String::new();
    if let Some(key) = tree.key(at) {
        write!(out, "{key}{}", if item.colon { ":" } else { "?" }).unwrap();
    }
    match item.form {
        ValueForm::Missing => out.push('-'),
        ValueForm::Scalar => out.push_str(&tree.scalar(at).unwrap()),
        ValueForm::Map | ValueForm::List => {
            let (open, close) = if item.form == ValueForm::Map { ('{', '}') } else { ('[', ']') };
            out.push(open);
            let inner: Vec<String> = tree.children(at).map(|child| shown(tree, child)).collect();
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
        let tree = SyntaxTree::new(text, Format::Auto);
        assert_eq!(shown(&tree, 0), expect, "{text:?}");
        for item in &tree.items {
            for span in [item.value, item.extent, item.key.unwrap_or_default()] {
                assert!(text.get(span.start..span.end).is_some(), "{text:?} {span:?}");
            }
        }
    }
}

/// `None` for aliases, tags, complex keys, multi-line text.
fn read(value: &stepgraph_core::source::Spanned, text: &str) -> Option<String> {
    use stepgraph_core::source::ValueKind;
    let written = text.get(value.span.start..value.span.end)?;
    Some(match &value.kind {
        ValueKind::Map(entries) => {
            let entry = |entry: &stepgraph_core::source::Entry| {
                Some(format!("{}:{}", entry.key, read(&entry.value, text)?))
            };
            format!("{{{}}}", entries.iter().map(entry).collect::<Option<Vec<_>>>()?.join(" "))
        }
        ValueKind::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(|item| read(item, text)).collect();
            format!("[{}]", items?.join(" "))
        }
        ValueKind::Null if written.is_empty() => "-".to_owned(),
        _ if written.contains('\n') => return None,
        ValueKind::Text(text) => text.clone(),
        _ => written.to_owned(),
    })
}

const PLANS: [&str; 20] = [
    include_str!("../../../../../examples/agent.yaml"),
    include_str!("../../../../../examples/approval.yaml"),
    include_str!("../../../../../examples/everything.yaml"),
    include_str!("../../../../../examples/fan-out.yaml"),
    include_str!("../../../../../examples/hello.yaml"),
    include_str!("../../../../../examples/menu.yaml"),
    include_str!("../../../../../examples/plan-gather.yaml"),
    include_str!("../../../../../examples/retry-loop.yaml"),
    include_str!("../../../../../examples/talent.yaml"),
    include_str!("../../../../../examples/triage.yaml"),
    include_str!("../../../../../examples/weather.yaml"),
    include_str!("../../../../../examples/gallery/en/branches.yaml"),
    include_str!("../../../../../examples/gallery/en/loop.yaml"),
    include_str!("../../../../../examples/gallery/en/map.yaml"),
    include_str!("../../../../../examples/gallery/en/nested.yaml"),
    include_str!("../../../../../examples/gallery/en/parallel.yaml"),
    include_str!("../../../../../examples/gallery/en/race.yaml"),
    include_str!("../../../../../examples/gallery/en/templates.yaml"),
    include_str!("../../../../../examples/gallery/en/react.yaml"),
    include_str!("../../../../../examples/gallery/en/author.yaml"),
];

#[test]
fn agrees_with_the_reader() {
    let mut compared = 0;
    for text in PLANS {
        let document = stepgraph_core::source::parse(text, Format::Auto);
        let root = document.root.filter(|_| document.diagnostics.is_empty()).unwrap();
        let is_plain = !text.contains('\\') && !text.contains(": *") && !text.contains("[*");
        let Some(expect) = read(&root, text).filter(|_| is_plain) else { continue };
        assert_eq!(shown(&SyntaxTree::new(text, Format::Auto), 0), expect, "{text}");
        compared += 1;
    }
    assert!(compared >= 10, "only {compared} plans were compared");
}
