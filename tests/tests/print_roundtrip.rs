//! A printed value parses to itself, with our parser and another one.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of tests stops the test when it is surprised"
)]

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use stepgraph_core::graph::{Comments, print};
use stepgraph_core::source::{Document, Format, parse};
use stepgraph_tests::search;

/// Plans, and texts that some parsers read differently.
const TEXTS: [&str; 62] = [
    "",
    " ",
    "~",
    "null",
    "Null",
    "yes",
    "No",
    "on",
    "OFF",
    "y",
    "N",
    "true",
    "False",
    "1",
    "-1",
    "+1",
    "0x1F",
    "0o7",
    "1e3",
    "1.5",
    ".5",
    ".inf",
    "-.INF",
    ".nan",
    "1_000",
    "12:30:45",
    "2024-05-01",
    "2024-05-01T10:00:00Z",
    "<<",
    "=",
    "!x",
    "&a",
    "*a",
    "- a",
    "? a",
    "a: b",
    "a:",
    "a #b",
    "#a",
    "a#b",
    "%a",
    "@a",
    "`a",
    "|",
    ">",
    "{",
    "}",
    "[a]",
    "a, b",
    "\"",
    "'",
    "\\",
    "\\n",
    "${input.name ?? \"friend\"}",
    "last==ok",
    "!last.ok && output.a[0].b.contains:x",
    "http://127.0.0.1:3001/mcp",
    "---",
    "...",
    "-",
    "//",
    "/* a */",
];

fn text() -> impl Strategy<Value = String> {
    let line = "[ -~]{0,12}";
    let lines = vec(line, 0..5).prop_map(|lines| lines.join("\n"));
    let odd = "[\u{0}-\u{20}:#a\u{7f}-\u{a0}\u{2028}\u{202e}\u{2066}\u{feff}\u{fffe}é你😀\"'\\\\]{0,8}";
    prop_oneof![
        3 => select(TEXTS.to_vec()).prop_map(str::to_owned),
        3 => line,
        2 => lines.clone(),
        1 => lines.prop_map(|lines| format!("{lines}\n")),
        2 => odd,
        1 => vec("[a-z\t ]{0,6}", 0..5).prop_map(|lines| lines.join("\n")),
    ]
}

fn key() -> impl Strategy<Value = String> {
    let known = [
        "nodes", "edges", "start", "type", "input", "with", "graph", "do", "branches", "tests", "inputs",
        "from", "to",
    ];
    prop_oneof![4 => text(), 4 => select(known.to_vec()).prop_map(str::to_owned), 1 => Just("k".repeat(1200))]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("a number of JSON", |number| number.is_finite().then(|| json!(number))),
        select(vec![1e300, -1e-300, 1e21, 0.1, -0.5, 1e16, 5e-324]).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(key(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn ours(text: &str) -> Value {
    let Document { root, diagnostics, .. } = parse(text, Format::Yaml);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    root.expect("a tree").to_json()
}

fn theirs(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn agrees(value: &Value, comments: &Comments) {
    let text = print(value, comments);
    assert_eq!(&ours(&text), value, "{text}");
    assert_eq!(&theirs(&text), value, "{text}");
}

fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| places(value, &format!("{at}/{i}"), found));
        }
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            places(value, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
        }),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: search::cases(2000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_back_as_it_was(value in value()) {
        agrees(&value, &Comments::new());
    }

    #[test]
    fn comments_change_nothing(value in value(), remarks in vec((any::<proptest::sample::Index>(), text()), 1..6)) {
        let mut all = Vec::new();
        places(&value, "", &mut all);
        let comments = remarks.into_iter().map(|(at, text)| (all.get(at.index(all.len())).expect("a place").clone(), json!(text)));
        agrees(&value, &comments.collect());
    }
}

#[test]
fn every_odd_text_alone_and_as_a_key() {
    for text in TEXTS {
        agrees(&json!(text), &Comments::new());
        agrees(&json!({ text: text }), &Comments::new());
        agrees(&json!({ "a": { text: [text, { text: [text] }] } }), &Comments::new());
        agrees(&json!([[text], { text: text, "b": [] }, {}]), &Comments::new());
    }
}

/// YAML 1.1 parsers read some unquoted texts as another type.
#[test]
fn older_readers_are_not_misled() {
    for text in [
        "~",
        "null",
        "Null",
        "yes",
        "NO",
        "on",
        "Off",
        "y",
        "N",
        "True",
        "1e3",
        "1_000",
        "12:30:45",
        "2024-05-01",
        "<<",
        "=",
        "0x1F",
    ] {
        let quoted = format!("\"{text}\"");
        assert_eq!(print(&json!({ "a": text }), &Comments::new()), format!("a: {quoted}\n"));
        assert_eq!(print(&json!({ "a": { text: 1 } }), &Comments::new()), format!("a: {{{quoted}: 1}}\n"));
    }
    for (number, written) in
        [(json!(1e300), "1.0e+300"), (json!(1.5e-9), "1.5e-9"), (json!(1.0), "1.0"), (json!(-3), "-3")]
    {
        assert_eq!(print(&json!({ "a": number }), &Comments::new()), format!("a: {written}\n"));
    }
}

/// The expected text specifies the layout.
#[test]
fn a_plan_as_a_person_would_have_written_it() {
    let plan = json!({
        "edges": [{"to": "say", "from": "ask"}, {"from": "ask", "to": "sorry", "condition": "error.exists"}],
        "nodes": {
            "ask": {"type": "tool", "tool": "weather", "input": {"city": "${input.city}", "units": "metric", "days": 3}},
            "say": {
                "with": {"model": "small", "schema": {"type": "object", "properties": {"coat": {"type": "boolean"}}, "required": ["coat"]}},
                "input": "What to wear?\n\n  ${last}\nBe short.", "type": "llm",
            },
            "sorry": {"type": "log", "input": "no: ${error.message ?? \"?\"}"},
            "all": {"type": "map", "do": {"nodes": {"one": {"type": "log"}}}, "input": [1, 2]},
        },
        "servers": {"weather": {"url": "http://127.0.0.1:3001/mcp"}},
        "inputs": {"city": {"type": "string", "default": "Oslo"}},
        "start": "ask", "description": "Says what to wear.", "id": "coats",
    });
    let comments = [
        ("", "From the request:\n\n  a coat\r\u{2028}or not?"),
        ("/inputs/city", "\"Oslo\" in the request"),
        ("/nodes/ask", "Tool `weather` of server `weather`."),
        ("/nodes/ask/input/days", "three days"),
        ("/edges/1", "when there is no weather"),
        ("/gone", "said nowhere"),
    ];
    let comments = comments.into_iter().map(|(place, text)| (place.to_owned(), json!(text))).collect();
    let written = print(&plan, &comments);
    assert_eq!(written, include_str!("../source/print_roundtrip.yaml"), "{written}");
    agrees(&plan, &comments);
}
