//! Tests that tests for `null` narrow types.

#![expect(clippy::string_slice, reason = "a test stops when it is surprised")]

use serde_json::{Value as Json, json};
use stepgraph_expression::check_expression;

fn types() -> Json {
    json!({"last": {"type": "object", "additionalProperties": false, "properties": {
        "n": {"type": ["number", "null"]},
        "m": {"type": ["number", "null"]},
        "t": {"type": ["string", "null"]},
        "ok": {"type": "boolean"},
        "flag": {"type": ["boolean", "null"]},
        "tags": {"type": ["array", "null"], "items": {"type": "string"}},
        "list": {"type": "array", "items": {"type": ["number", "null"]}},
        "items": {"type": "array", "items": {"type": "object", "properties": {
            "price": {"type": ["number", "null"]},
            "of": {"type": "object", "properties": {"tax": {"type": ["number", "null"]}}},
            "maybe": {"type": ["object", "null"], "properties": {"tax": {"type": ["number", "null"]}}},
        }}},
        "given": {"type": "number"},
        "optional": {"type": "number"},
        "o": {"type": ["object", "null"], "properties": {"n": {"type": ["number", "null"]}}},
    }, "required": ["given"]}})
}

/// The parts that may be null, or the type if there are none.
fn assert_found(cases: &[(&str, &str)]) {
    for (text, expect) in cases {
        let (kind, errors) = check_expression(text, &types());
        let may_be_null: Vec<_> =
            errors.iter().map(|error| &text[error.span.start..error.span.end]).collect();
        let found = if errors.is_empty() { kind.to_string() } else { may_be_null.join("; ") };
        assert_eq!(found, *expect, "{text}: {errors:?}");
    }
}

#[test]
fn tests_for_null_narrow_types() {
    assert_found(&[
        ("last.n + 1", "last.n"),
        ("last.n != null ? last.n : 0", "number"),
        ("null != last.n ? last.n : 0", "number"),
        ("last.n == null ? 0 : last.n", "number"),
        ("last.n != null ? 0 : last.n", "number or null"),
        ("!(last.n == null) ? last.n : 0", "number"),
        ("!(last.n != null) ? 0 : last.n", "number"),
        ("last.n != null && last.n + 1 > 2", "bool"),
        ("last.n + 1 > 2 && last.n != null", "bool"),
        ("last.n == null || last.n * 2 > 2", "bool"),
        ("last.n != null || last.n * 2 > 2", "last.n"),
        ("last.n == null && last.n * 2 > 2", "last.n"),
        ("last.n == null || last.m == null ? 0 : last.n + last.m", "number"),
        ("last.n == null && last.m == null ? 0 : last.n + last.m", "last.n; last.m"),
        ("last.n != null && last.m != null ? last.n + last.m : 0", "number"),
        ("!(last.n == null || last.m == null) && last.n < last.m", "bool"),
        ("(last.n != null && last.ok || last.n != null && !last.ok) && last.n < 2", "bool"),
        ("last.n != null || last.ok ? last.n + 1 : 0", "last.n"),
        ("type(last.n) == double ? last.n : 0", "number"),
        ("type(last.n) == null_type ? 0 : last.n", "number"),
        ("type(last.n) != double ? 0 : last.n", "number"),
        ("last.n == 3 ? last.n : 0", "number"),
        ("last.n != 3 ? 0 : last.n", "number"),
        ("last.n in [1, 2] ? last.n : 0", "number"),
        ("last.n in [1, null] ? last.n : 0", "number or null"),
        ("has(last.n) && last.n > 3", "last.n"),
        ("has(last.n) ? last.n : 0", "number or null"),
        ("last.n > 3 && last.n < 5", "last.n"),
        ("last.n > 3 || last.n < 1", "last.n"),
        ("last.n > 3 ? last.n + 1 : last.n - 1", "last.n"),
        ("last.n > 3 && last.m != null ? last.n + last.m : 0", "last.n"),
        ("last.n > 3 && last.n != null", "bool"),
        ("last.n != null && last.n != null", "bool"),
        ("last.n != null ? -last.n * 2 + last.m : 0", "last.m"),
        ("last.t != null && last.t < 'b' ? last.t : ''", "string"),
        ("size(last.t)", "last.t"),
        ("last.t.trim()", "last.t"),
        ("last.t != null ? last.t.trim() : \"\"", "string"),
        ("'a'.replace('a', last.t)", "last.t"),
        ("string(last.n)", "last.n"),
        ("type(last.n)", "type"),
        ("last.n in [1, null]", "bool"),
        ("last.tags.map(x, x)", "last.tags"),
        ("(last.tags ?? []).map(x, x)", "list(string)"),
        ("last.tags != null && last.tags.exists(x, x == 'a')", "bool"),
        ("last.list.sum()", "last.list"),
        ("last.list.filter(x, x != null).sum()", "double"),
        ("last.list.sort()", "last.list"),
        ("math.least(last.list)", "last.list"),
        ("math.greatest([1, last.n])", "[1, last.n]"),
        ("last.items.sortBy(i, i.price).map(i, i.of)", "i.price"),
        ("last.list.reverse().distinct()", "list(number or null)"),
        ("last.flag ? 1 : 2", "last.flag"),
        ("last.flag && last.ok", "last.flag"),
        ("!last.flag", "last.flag"),
        ("(last.flag ?? false) ? 1 : 2", "int"),
        ("last.flag != null && last.flag", "bool"),
        ("last.list.filter(x, x != null)", "list(number)"),
        ("last.list.filter(x, x != null).map(x, x + 1)", "list(double)"),
        ("last.list.map(x, x != null, x + 1)", "list(double)"),
        ("last.list.map(x, x + 1)", "x"),
        ("last.list.all(x, x == null || x > 1)", "bool"),
        ("last.items.filter(i, i.price != null).map(i, i.price)", "list(number)"),
        ("last.items.filter(i, i.of.tax != null && i.price > 2).map(i, i.of.tax)", "i.price"),
        ("last.n != null ? [1].map(last, last + 1) : []", "list(int)"),
        ("last.list[0] != null ? last.list[0] : 0", "number"),
        ("last.list[0] != null ? last.list[1] : 0", "number or null"),
        ("last.list.all(x, last.list[0] != null && [0].all(x, last.list[0] + 1 > 2))", "bool"),
    ]);
}

#[test]
fn tests_of_parts_elements_and_types_narrow_too() {
    assert_found(&[
        ("(last.n ?? last.given) + 1", "double"),
        ("(last.given ?? last.n) + 1", "double"),
        ("(last.optional ?? last.n) + 1", "(last.optional ?? last.n)"),
        ("last.items.filter(i, i.maybe.tax != null).map(i, i.maybe.tax + 1)", "list(double)"),
        ("last.items.filter(i, i.maybe.tax != null).map(i, size(i.maybe))", "list(int)"),
        ("last.items.filter(i, !(i.maybe.tax == null)).map(i, size(i.maybe))", "i.maybe"),
        ("last.items.filter(i, i.maybe != null).map(i, i.maybe.tax + 1)", "i.maybe.tax"),
        ("last.o.n != null ? size(last.o) : 0", "int"),
        ("last.o.n == null ? 0 : size(last.o)", "last.o"),
        ("type(last.n) == type(null) ? 0 : last.n + 1", "number"),
        ("type(last.n) == type(null) ? last.n + 1 : 0", "last.n"),
        ("type(last.n) == type(1) && last.n > 3", "bool"),
        ("type(last.n) == type(last.m) ? last.n + 1 : 0", "last.n"),
        ("last.list.all(x, x != null) ? last.list.sum() : 0", "number"),
        ("last.list.all(x, x != null && x > 1) && last.list.sum() > 3", "bool"),
        ("last.list.all(x, x == null) ? last.list.sum() : 0", "last.list"),
        ("!last.list.exists(x, x == null) && last.list.sum() > 3", "bool"),
        ("last.list.exists(x, x == null) ? last.list.sum() : 0", "last.list"),
        ("last.list.exists(x, x != null) ? last.list.sum() : 0", "last.list"),
        ("!(null in last.list) && last.list.sum() > 3", "bool"),
        ("null in last.list || last.list.sum() > 3", "bool"),
        ("last.items.all(i, i.price != null) ? last.items.map(i, i.price).sum() : 0", "number"),
        ("last.items.all(i, i.maybe.tax != null) ? last.items.map(i, i.maybe.tax).sum() : 0", "number"),
        (
            "last.items.all(i, i.of.tax != null) ? last.items.map(i, i.price).sum() : 0",
            "last.items.map(i, i.price)",
        ),
        ("last.tags.all(t, t != '') ? last.tags.join() : ''", "last.tags"),
        ("last['n'] != null && last.n > 3", "bool"),
        ("last.n != null && last['n'] > 3", "bool"),
        ("last['n'] != null && last.m > 3", "last.m"),
    ]);
}

#[test]
fn the_help_suggests_a_value_that_the_function_accepts() {
    let nullable = |kind: &str| json!({"type": [kind, "null"]});
    let types = json!({"last": {"properties": {"n": nullable("number"), "s": nullable("string")}}});
    for (text, expect) in [
        ("last.n / 10", "write a default, as in `(last.n ?? 0)`, or test `last.n != null` first"),
        ("10 / last.n", "write a default, as in `(last.n ?? 1)`, or test `last.n != null` first"),
        ("10 % last.n", "write a default, as in `(last.n ?? 1)`, or test `last.n != null` first"),
        (
            "10 / [last.n][0]",
            "write a default, as in `([last.n][0] ?? 1)`, or test `[last.n][0] != null` first",
        ),
        ("timestamp(last.s)", "test it first, as in `last.s != null ? timestamp(last.s) : …`"),
        ("duration(last.s)", "test it first, as in `last.s != null ? duration(last.s) : …`"),
        ("int(last.s ?? last.s)", "test it first, as in `x != null ? int(x) : …`"),
        ("int(last.n)", "write a default, as in `(last.n ?? 0)`, or test `last.n != null` first"),
    ] {
        let (_, errors) = check_expression(text, &types);
        let helps: Vec<_> = errors.iter().filter_map(|error| error.help.as_deref()).collect();
        assert_eq!(helps, [expect], "{text}");
    }
}
