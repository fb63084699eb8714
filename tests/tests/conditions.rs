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

/// `None` for a condition that fails.
fn evaluate(conditions: &[String], last: &Json) -> Vec<Option<bool>> {
    let (mut nodes, mut edges) = (Map::new(), Vec::new());
    let end = conditions.len();
    for (i, condition) in conditions.iter().enumerate() {
        nodes.insert(format!("n{i}"), json!({"type": "noop"}));
        nodes.insert(format!("y{i}"), json!({"type": "noop"}));
        nodes.insert(format!("f{i}"), json!({"type": "noop"}));
        edges.push(json!({"from": format!("n{i}"), "to": format!("f{i}"), "condition": "error.code == expression/type"}));
        edges.push(json!({"from": format!("f{i}"), "to": format!("n{}", i + 1)}));
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
    let visited = |node: String| path.contains(node.as_str());
    (0..end).map(|i| (!visited(format!("f{i}"))).then(|| visited(format!("y{i}")))).collect()
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

/// The quick form of a comparison and the general one: the same results, and the same failures, for every kind.
#[test]
fn both_paths_order_alike() {
    let values: Vec<Json> = serde_json::from_str(VALUES).unwrap();
    let numbers = ["0", "1", "-1.5", "0.5", "1e3", "0x10", ".5", "-0x1"];
    let operators = [("<", ">"), ("<=", ">="), (">", "<"), (">=", "<=")];
    let all = || operators.iter().flat_map(|pair| numbers.iter().map(move |number| (pair, number)));
    let write = |form: &dyn Fn(&str, &str, &str) -> String| -> Vec<String> {
        all().map(|((operator, turned), number)| form(operator, turned, number)).collect()
    };
    let quick = write(&|operator, _, number| format!("last {operator} {number}"));
    let forms = [
        write(&|_, turned, number| format!("{number} {turned} last")),
        write(&|operator, _, number| format!("has(last) ? last {operator} {number} : false")),
        write(&|operator, _, number| format!("[last].exists(x, x {operator} {number})")),
        write(&|operator, _, number| format!("last {operator} (has(last) ? {number} : 0)")),
        write(&|operator, _, number| format!("!!(last {operator} {number})")),
        write(&|operator, _, number| format!("size(last.missing) > 0 || last {operator} {number}")),
    ];
    for last in &values {
        let expect = evaluate(&quick, last);
        let failing = expect.iter().filter(|found| found.is_none()).count();
        assert!(if last.is_number() { failing == 0 } else { failing == quick.len() }, "{last}");
        for form in &forms {
            assert_eq!(evaluate(form, last), expect, "{} on {last}", form[0]);
        }
    }
}

/// A literal of the value's own kind: a comparison in a condition is that of an expression, from both sides.
#[test]
fn both_paths_find_equal_values_of_one_kind() {
    let values: Vec<Json> = serde_json::from_str(VALUES).unwrap();
    for last in &values {
        let same: Vec<&Json> = values
            .iter()
            .filter(|other| std::mem::discriminant(*other) == std::mem::discriminant(last))
            // A list or map compares with JSON alone.
            .filter(|other| !other.is_array() && !other.is_object())
            .collect();
        for sign in ["==", "!="] {
            let quick: Vec<String> = same.iter().map(|other| format!("last {sign} {other}")).collect();
            let turned: Vec<String> = same.iter().map(|other| format!("{other} {sign} last")).collect();
            let general: Vec<String> =
                same.iter().map(|other| format!("[last].exists(x, x {sign} {other})")).collect();
            let expect = evaluate(&quick, last);
            assert_eq!(evaluate(&turned, last), expect, "{turned:?} on {last}");
            assert_eq!(evaluate(&general, last), expect, "{general:?} on {last}");
        }
    }
}

/// From either side, a literal in a condition also equals its text.
#[test]
fn sides_of_a_comparison_may_be_exchanged() {
    let values: Vec<Json> = serde_json::from_str(VALUES).unwrap();
    for last in &values {
        for sign in ["==", "!="] {
            for literal in ["5", "1", "1.0", "null", "true", "false", "\"1\"", "\"null\"", "0x1"] {
                let conditions = [format!("last {sign} {literal}"), format!("{literal} {sign} last")];
                let found = evaluate(&conditions, last);
                // The text `0x1` is one of the literal before, but not after the printer has written `1`.
                assert!(
                    found[0] == found[1] || literal == "0x1" && last.is_string(),
                    "{conditions:?} on {last}"
                );
            }
        }
    }
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
