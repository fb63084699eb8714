//! Tests parts that always fail, and comparisons that contradict each other.

mod checker;

use checker::{check_all, show};
use serde_json::json;
use stepgraph_expression::{Purpose, check_expression};

/// Evaluated in the check, as in a run.
#[test]
fn parts_without_data_that_always_fail_are_found() {
    check_all(
        Purpose::Value,
        &[
            ("math.least([])", "invalid-value «math.least([])»"),
            ("last.n + math.least([1].filter(x, x > 1))", "invalid-value «math.least([1].filter(x, x > 1))»"),
            ("9223372036854775807 + 1", "overflow «9223372036854775807 + 1»"),
            ("-(-9223372036854775808)", "overflow «-(-9223372036854775808)»"),
            ("abs(-9223372036854775808)", "overflow «abs(-9223372036854775808)»"),
            ("1e308 * 10.0", "overflow «1e308 * 10.0»"),
            ("1 / 0", "divide-by-zero «0»"),
            ("last.n / (1 / (2 - 2))", "divide-by-zero «(1 / (2 - 2))»"),
            ("[int('1x'), int('2x')]", "invalid-value «int('1x')»; invalid-value «int('2x')»"),
            ("last.items.map(x, x.price + int('1x'))", "invalid-value «int('1x')»"),
            ("[3, 0].map(x, 6 / x)", "divide-by-zero «6 / x»"),
            ("[1].map(x, [2].map(y, x / (y - 2)))", "divide-by-zero «x / (y - 2)»"),
            ("'a'.matches('(' + 'a')", "invalid-value «'a'.matches('(' + 'a')»"),
            ("[1][3]", "constant «[1][3]»"),
            ("'a b'.split(' ')[2] + 'c'", "constant «'a b'.split(' ')[2]»"),
            ("dyn('a') + 1", "type «dyn('a') + 1»"),
            ("last.ok ? 1 / (2 - 2) : 0", "divide-by-zero «1 / (2 - 2)»"),
            ("last.items.map(x, [1].map(y, x.price / (y - 1)))", "list(list(double))"),
            ("[3, 1].map(x, 6 / x)[1]", "int"),
            ("dyn(1) + 1", "number"),
            ("has([1][3])", "constant «[1][3]»"),
            ("[[0]].map(x, x[0])", "list(int)"),
            ("[0].exists(x, 1 / x == 1) || true", "bool"),
            ("false && 1 / 0 > 3", "bool"),
            ("true && 1 / 0 > 3", "divide-by-zero «0»"),
            ("last.ok || 1 / 0 > 3", "divide-by-zero «0»"),
        ],
    );
}

/// A check must not take much longer than the parser.
#[test]
fn constant_parts_have_a_budget() {
    let range = format!("[{}1]", "1, ".repeat(200));
    let squares = format!("{range}.map(x, {range}.map(y, {range}.map(z, x)))");
    let text = format!("[{}1 / (2 - 2)]", format!("{squares}, ").repeat(20));
    assert!(show(&text, Purpose::Value).len() < 10_000);
    let sum = format!("[{}1]", "1 + 2 + 3 + 4 + 5 + 6 + 7 + 8, ".repeat(1_500));
    assert_eq!(show(&sum, Purpose::Value), "list(int)");
}

#[test]
fn comparisons_that_contradict_each_other_are_found() {
    check_all(
        Purpose::Condition,
        &[
            ("last.n == 3 && last.n == 4", "constant «last.n == 4»"),
            ("last.ok && (4 < last.n && last.n <= 4)", "constant «last.n <= 4»"),
            ("last.n in [1, 2] && last.n == 3", "constant «last.n == 3»"),
            ("last.n != 3 || last.n != 4", "constant «last.n != 4»"),
            ("last.n > 3 || last.n <= 3", "constant «last.n <= 3»"),
            ("last.tags.exists(t, t == 'a' && t == 'b')", "constant «t == 'b'»"),
            ("last.n == 3 && last.n == 3.0", "bool"),
            ("last.n >= 3 && last.n <= 3", "bool"),
            ("last.n > 3 || last.n < 3", "bool"),
            ("last.n in [1, 2] && last.n != 1", "bool"),
            ("last.n in [1, last.n] && last.n == 3", "bool"),
            ("last.title > 'b' && last.title < 'a'", "bool"),
            ("last.n == 3 && (last.n == 4 || last.ok)", "bool"),
            ("!(last.n == 3) && !(last.n != 3)", "bool"),
            ("last.tags[0] == 'a' && last.tags[1] == 'b'", "bool"),
            ("last.tags.exists(t, t == 'a') && last.tags.exists(t, t == 'b')", "bool"),
        ],
    );
}

/// In a condition a literal also equals its text.
#[test]
fn conditions_that_contradict_themselves_are_found() {
    for (text, expect) in [
        ("last.n == 3 && last.n == 4", 1),
        ("last.s == a && last.s == b", 1),
        ("!(last.s == a && last.s != a)", 1),
        ("last.s != a || last.s != b", 1),
        ("last.n == 007 && last.n == 7", 1),
        ("last.n == [1] && last.n == [2]", 1),
        ("size(last.l) > 2 && (last.n in [1] && last.n == 2)", 1),
        ("last.n == 5 && last.n == \"5\"", 0),
        ("last.n == 5 && last.n == 5.0", 0),
        ("last.n == true && last.n == \"true\"", 0),
        ("last.n == null && last.n == \"null\"", 0),
        ("last.s.contains:a && last.s == b", 0),
        ("last.n.exists && last.n == 3", 0),
        ("last.n == 3 && last.m == 4", 0),
    ] {
        let condition = stepgraph_expression::Condition::parse(text).unwrap();
        assert_eq!(condition.contradictions(text).len(), expect, "{text}");
    }
}

#[test]
fn an_unknown_macro_is_one_mistake() {
    let types =
        json!({"last": {"properties": {"items": {"items": {"properties": {"a": {"type": "number"}}}}}}});
    for (text, expect) in [
        ("last.items.collect(x, x.a)", "there is no function `collect` | write `x.map(e, value)`"),
        ("last.items.mapp(x, x.a + 1)", "there is no function `mapp` | did you mean `map`?"),
        (
            "last.items.frobnicate(x, x.a > 1).size() > 2",
            "there is no function `frobnicate` | see the list of functions in docs/expressions.md",
        ),
        (
            "last.items.collect(x, x.a, last.items.map(y, x))",
            "there is no function `collect` | write `x.map(e, value)`",
        ),
    ] {
        let (_, errors) = check_expression(text, &types);
        let found: Vec<_> = errors
            .iter()
            .map(|error| format!("{} | {}", error.message, error.help.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(found, [expect], "{text}");
    }
}
