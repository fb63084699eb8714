//! Compares conditions with `stepgraph_tests::flat_oracle::condition`: all short texts, all kinds of values and
//! literals, and random conditions.
//!
//! Each valid condition is printed and parsed again.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper of tests stops the test when it is surprised"
)]

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;
use stepgraph_core::expression::Condition;
use stepgraph_tests::flat_oracle::condition::Reading;
use stepgraph_tests::flat_oracle::{ConditionScope, Term};
use stepgraph_tests::{Case, assert_same_reading, by_machine, search};

#[test]
fn every_short_text_reads_as_the_rules_say() {
    const PARTS: [&str; 14] =
        ["last", ".a", "[0]", "==", "<", "x", "1", "\"q\"", "&&", "||", "!", "(", ")", " "];
    let mut texts = vec![String::new()];
    let mut read = 0;
    for _ in 0..5 {
        texts = texts.iter().flat_map(|text| PARTS.map(|part| format!("{text}{part}"))).collect();
        read += texts.iter().filter(|text| assert_same_reading(text).is_some()).count();
        // No suffix completes most texts.
        texts.retain(|text| Condition::parse(&format!("{text}==x")).is_ok() || can_go_on(text));
    }
    assert!(read > 1000, "only {read} of them are conditions");
}

fn can_go_on(text: &str) -> bool {
    let ends = ["last==x", "==x", "x", "]==x", "=x"];
    ends.iter()
        .any(|end| (0..3).any(|close| Condition::parse(&format!("{text}{end}{}", ")".repeat(close))).is_ok()))
}

const VALUES: &str = r#"[
    null, true, false, 0, -0.0, 1, 1.0, -1, 0.5, 100, 1e21, 1e-7, 9007199254740993, 1e308, -1.5e3,
    "", "a", "A", "ab", " a ", "a b", "1", "1.0", "01", "+1", "1e0", "-0", "true", "null", "[1]", "{\"a\":1}", "ñ", "a&&b", "x==y", "(", "\"a\"",
    [], [1], [1.0, "a"], ["1"], [null], [[1]], [true], ["a", ["b"]], [{"a": 1}], ["ab"], [0.5, 1e21],
    {}, {"a": 1}, {"a": 1.0, "b": [2]}, {"b": [2.0], "a": 1}, {"a": null}, {"1": 2}, {"null": 0}, {"a": {"a": "x"}}, {"exists": 1, "contains": "a", "length": 2}
]"#;

/// Returns literals: bare if possible, and in both kinds of quotes.
fn literals(values: &[Json]) -> BTreeSet<String> {
    let texts = values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let more = [
        "1e0",
        "10e-1",
        "0x1",
        "1_000",
        "NaN",
        "Infinity",
        "True",
        "NULL",
        "{a: 1}",
        "[1.0]",
        "{ \"a\" : 1 }",
    ];
    let mut found = BTreeSet::new();
    for text in texts.chain(more.map(str::to_owned)) {
        found.insert(Json::from(text.as_str()).to_string());
        found.insert(format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")));
        if !text.contains("&&") && !text.starts_with('"') {
            found.insert(text);
        }
    }
    found
}

fn evaluate(conditions: &[String], last: &Json) -> Vec<bool> {
    let (mut nodes, mut edges) = (Map::new(), Vec::new());
    let end = conditions.len();
    for (i, condition) in conditions.iter().enumerate() {
        nodes.insert(format!("n{i}"), json!({"type": "noop"}));
        nodes.insert(format!("y{i}"), json!({"type": "noop"}));
        edges.push(json!({"from": format!("n{i}"), "to": format!("y{i}"), "condition": condition}));
        edges.push(json!({"from": format!("n{i}"), "to": format!("n{}", i + 1)}));
        edges.push(json!({"from": format!("y{i}"), "to": format!("n{}", i + 1)}));
    }
    nodes.insert(format!("n{end}"), json!({"type": "noop"}));
    let plan = json!({"start": "n0", "nodes": nodes, "edges": edges});
    let case = Case { plan: Some(plan), input: last.clone(), ..Case::default() };
    let ended = by_machine(&case);
    let problem = || ended.diagnostics.iter().find(|problem| problem.is_error()).map(ToString::to_string);
    let state = ended.state.as_ref().unwrap_or_else(|| panic!("{:?}", problem()));
    let path: BTreeSet<&str> = state["path"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
    assert!(path.contains(format!("n{end}").as_str()), "{}", state["outcome"]);
    (0..end).map(|i| path.contains(format!("y{i}").as_str())).collect()
}

fn assert_same_result(conditions: &[String], values: &[Json]) {
    let terms: Vec<Term> = conditions
        .iter()
        .map(|text| match assert_same_reading(text) {
            Some(Reading::Test(term)) => term,
            other => panic!("{text:?} is read as {other:?}"),
        })
        .collect();
    for last in values {
        let world = ConditionScope { last: last.clone(), input: last.clone(), ..ConditionScope::default() };
        for ((text, term), found) in conditions.iter().zip(&terms).zip(evaluate(conditions, last)) {
            assert_eq!(found, world.holds(term), "`{text}` on {last}");
        }
    }
}

#[test]
fn every_value_against_every_literal() {
    let values: Vec<Json> = serde_json::from_str(VALUES).unwrap();
    let literals = literals(&values);
    let mut conditions = vec!["last.exists".to_owned(), "!last.exists".to_owned()];
    for literal in &literals {
        for sign in ["==", "!=", ".contains:"] {
            conditions.push(format!("last{sign}{literal}"));
        }
        if literal.parse::<f64>().is_ok_and(f64::is_finite) && serde_json::from_str::<Json>(literal).is_ok() {
            conditions.extend(["<", "<=", ">", ">="].map(|sign| format!("last {sign} {literal}")));
        }
    }
    for path in [
        ".a",
        "[0]",
        ".0",
        "[1]",
        ".b[0]",
        ".a.a",
        "[\"a\"]",
        ".1",
        "[\"exists\"]",
        ".contains",
        ".length",
        ".00",
        "[\"\"]",
    ] {
        for test in [
            "==1",
            "!=1",
            "==null",
            "!=null",
            ".contains:a",
            ".contains:1",
            "<1",
            ">=1",
            ".exists",
            "==",
            "!=x",
        ] {
            // `.contains.exists` is a path, but `.contains==1` a comparison.
            conditions.push(format!("last{path}{test}"));
            conditions.push(format!("!(last{path}{test})"));
        }
    }
    assert_same_result(&conditions, &values);
}

/// Combines up to three comparisons that hold, fail, or have no value.
#[test]
fn every_combination() {
    let atoms: Vec<String> = ["last==a", "last!=\"a\"", "last.x==a"].map(str::to_owned).into();
    let mut sizes: Vec<Vec<String>> = vec![Vec::new(), atoms];
    for size in 2..=3 {
        let mut found = Vec::new();
        for left in 1..size {
            for (a, b) in sizes[left].iter().flat_map(|a| sizes[size - left].iter().map(move |b| (a, b))) {
                for sign in ["&&", " || "] {
                    found.push(format!("{a}{sign}{b}"));
                    found.push(format!("!({a}{sign}{b})"));
                    found.push(format!("!{a} {sign}({b})"));
                }
            }
        }
        sizes.push(found);
    }
    let conditions: Vec<String> = sizes.concat();
    assert_eq!(conditions.len(), 2001);
    assert_same_result(&conditions, &[json!("a"), json!({"x": "a"})]);
}

fn scraps() -> impl Strategy<Value = String> {
    let scrap = select(vec![
        "last",
        "last",
        "last.a",
        "output.n",
        "output[\"a b\"]",
        "output.last",
        "input",
        "error.code",
        "context.k",
        "context",
        "item",
        "index",
        "memory",
        ".a",
        ".0",
        "[0]",
        "[ 1 ]",
        "['k']",
        ".exists",
        ".exists",
        ".contains:",
        ".contains",
        "==",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "x",
        "1",
        "-1.5",
        "1e400",
        "null",
        "\"q\"",
        "'it\\'s'",
        "\"\\u00e9\\n\"",
        "\"",
        "\\",
        " ",
        " ",
        "\t",
        "\u{a0}",
        "&&",
        "&&",
        "||",
        "!",
        "(",
        ")",
        "=",
        "&",
        "|",
        "f(x)",
        "[1]",
        "{\"a\":1}",
        "default",
        "always",
        "and",
        "é",
        ":",
        ".",
    ]);
    prop::collection::vec(scrap, 0..14).prop_map(|scraps| scraps.concat())
}

fn sentence() -> impl Strategy<Value = String> {
    let blank = || select(vec!["", "", " ", "  ", "\t", "\n"]);
    let literal = select(vec![
        "x", "a b", "1", "-0", "", "null", "\"(\"", "')'", "\"\\\"\"", "f(x)", "[1, 2]", "a.b", "x==y", "é",
    ]);
    let look = select(vec!["last", "last.a", "last[0]", "output.n.x", "input['a b']", "output.exists.x"]);
    let sign = select(vec!["==", "!=", ".contains:"]);
    let atom = prop_oneof![
        4 => (look.clone(), blank(), sign, blank(), literal).prop_map(|(a, b, c, d, e)| [a, b, c, d, e].concat()),
        1 => (look.clone(), blank(), select(vec!["<", "<=", ">", ">="]), blank()).prop_map(|(a, b, c, d)| [a, b, c, d, "1.5"].concat()),
        1 => look.prop_map(|look| format!("{look}.exists")),
    ];
    atom.prop_recursive(5, 24, 2, move |inner| {
        prop_oneof![
            (inner.clone(), blank()).prop_map(|(a, b)| format!("!{b}{a}")),
            (blank(), inner.clone(), blank()).prop_map(|(b, a, c)| format!("({b}{a}{c})")),
            (inner.clone(), blank(), select(vec!["&&", "||"]), blank(), inner)
                .prop_map(|(a, b, c, d, e)| [&a, b, c, d, &e].concat()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: search::cases(20_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scraps_read_alike(text in scraps()) {
        assert_same_reading(&text);
    }

    #[test]
    fn sentences_read_alike(text in sentence()) {
        prop_assert!(assert_same_reading(&text).is_some());
    }
}
