//! Tests types of expressions and type errors.

#![expect(clippy::string_slice, clippy::unwrap_used, reason = "a test stops when it is surprised")]

mod checker;

use checker::{check_all, show, types};
use serde_json::json;
use stepgraph_expression::{Purpose, Syntax, check, check_expression, parse};

#[test]
fn types_are_inferred() {
    check_all(
        Purpose::Value,
        &[
            (r#"duration("3d")"#, r#"invalid-value «duration("3d")»"#),
            (r#"timestamp("2026-13-01T00:00:00Z")"#, r#"invalid-value «timestamp("2026-13-01T00:00:00Z")»"#),
            (
                r#"timestamp("2026-11-25T08:00:0002:00")"#,
                r#"invalid-value «timestamp("2026-11-25T08:00:0002:00")»"#,
            ),
            (r#"int("x") + last.n"#, r#"invalid-value «int("x")»"#),
            ("string(last.items)", "type «last.items»"),
            ("string(last.n)", "string"),
            ("1 < last.n < 5", "type «1 < last.n < 5»"),
            ("last.title", "string"),
            ("last['title']", "string"),
            ("last.items", "list({name?: string, price?: number})"),
            ("last.items[0].price", "number"),
            ("last.items.0.name", "string"),
            ("last.items['0'].name", "string"),
            ("{1: 1}.map(k, k)", "list(dyn)"),
            ("last.n in [1, 2]", "bool"),
            (r#"last.n in ["a", "b"]"#, r#"constant «last.n in ["a", "b"]»"#),
            (
                r#"last.items.map(x, x.price).contains("5")"#,
                r#"constant «last.items.map(x, x.price).contains("5")» => last.items.map(x, x.price).contains(5)"#,
            ),
            ("last.title in last.items", "constant «last.title in last.items»"),
            ("last.title in []", "bool"),
            ("last.n == last.n", "constant «last.n == last.n»"),
            ("size(last.tags) != size(last.tags)", "constant «size(last.tags) != size(last.tags)»"),
            ("last.tags.all(a, last.tags.exists(b, a == b))", "bool"),
            ("size(last.tags) >= 0", "constant «size(last.tags) >= 0»"),
            ("size(last.tags) < 0", "constant «size(last.tags) < 0»"),
            ("size(last.tags) > 0", "bool"),
            ("last.n ?? 0 + 1", "type «+»"),
            ("last.n ?? 60 * 60", "number"),
            ("last.n ?? (0 + 1)", "number"),
            ("1 in {1: 2}", "bool"),
            ("{last.n: 1}", "dyn"),
            ("{last.title: 1}", "map(dyn)"),
            ("type(timestamp(0)) == timestamp", "bool"),
            ("type(timestamp(0)) == google.protobuf.Timestamp", "bool"),
            ("last.items.map(x, x.price * 2)", "list(double)"),
            ("last.items.filter(x, x.price > 1)", "list({name?: string, price?: number})"),
            ("last.items.all(x, x.price > 1)", "bool"),
            ("last.note", "string or null"),
            ("last.note ?? ''", "string"),
            ("last.kind", "string"),
            ("1 + 2", "int"),
            ("1 + last.n", "double"),
            ("1 + any.x", "number"),
            ("any.x + 'a'", "string"),
            ("last.tags + ['a']", "list(string)"),
            ("(['a'] + any.x)[1].b", "dyn"),
            ("(any.x + ['a'])[0] * 2", "number"),
            ("(any.x + ['a']).map(i, i.b ?? 'none')", "list(dyn)"),
            ("size(last.tags)", "int"),
            ("last.title.split(' ')", "list(string)"),
            ("[1, 2].sum()", "int"),
            ("last.items.map(x, x.price).sum()", "double"),
            ("[duration('1s')].sum()", "duration"),
            ("any.x.sum()", "number or duration"),
            ("[2, 1].sort()", "list(int)"),
            ("last.tags.sort()", "list(string)"),
            ("last.tags.reverse().distinct().slice(0, 1)", "list(string)"),
            ("[last.tags, last.tags].flatten()", "list(string)"),
            ("[last.tags].flatten(2)", "list(dyn)"),
            ("last.tags.flatten()", "list(dyn)"),
            ("last.items.sortBy(x, x.price)", "list({name?: string, price?: number})"),
            ("{'a': 1}.sortBy(k, k)", "list(string)"),
            ("last.items.sortBy(x, [x.price])", "type «[x.price]»"),
            ("last.ok ? 1 : 'a'", "int or string"),
            ("last.ok ? 1 : last.n", "number"),
            ("{'a': 1, 'b': last.tags}", "{a: int, b: list(string)}"),
            ("{'a': 1}.a", "int"),
            ("[1, 'a']", "list(int or string)"),
            ("timestamp('2026-01-01T00:00:00Z') - timestamp(0)", "duration"),
            ("timestamp(0) + duration('1h')", "timestamp"),
            ("type(last)", "type"),
            ("open.title", "string"),
            ("open.other", "dyn"),
            ("any.x.y[0]", "dyn"),
            ("output.step-1", "number"),
            ("math.least(last.items.map(x, x.price))", "number"),
            ("last.title.substring(last.n)", "string"),
            ("last.note.contains('a')", "may-be-null «last.note»"),
        ],
    );
}

#[test]
fn mistakes_are_found() {
    check_all(
        Purpose::Value,
        &[
            ("last.n < '7'", "type «last.n < '7'» => last.n < 7"),
            ("last.n < last.title", "type «last.n < last.title»"),
            ("size(5)", "type «5»"),
            ("last.n.size()", "type «last.n»"),
            ("last.items.lenght", "unknown-field «lenght» => size(last.items)"),
            ("last.title.lenght", "unknown-field «lenght» => size(last.title)"),
            ("last.title.trim", "unknown-field «trim» => last.title.trim()"),
            ("last.title.split", "unknown-field «split»"),
            ("last.tags.join", "unknown-field «join» => last.tags.join()"),
            ("last.items[0.5]", "type «0.5»"),
            ("last.items.join(', ')", "type «last.items»"),
            ("{1: 1, 1: 2}", "invalid-value «1»"),
            ("{'a': 1, 'b': 1, 'a': 2}", "invalid-value «'a'»"),
            ("{0.5: 1}", "type «0.5»"),
            ("last.title != null", "constant «last.title != null»"),
            ("last.title < timestamp(0)", "type «last.title < timestamp(0)»"),
            ("duration('1s').getHours('+01:00')", "type «'+01:00'»"),
            ("last.items.length > 2", "unknown-field «length» => size(last.items) > 2"),
            ("last.titel", "unknown-field «titel» => last.title"),
            ("last['titel']", "unknown-field «'titel'» => last[\"title\"]"),
            ("last.nothing.x", "unknown-field «nothing»"),
            ("open.titel", "unknown-field «titel» => open.title"),
            ("last.items.name", "unknown-field «name»"),
            ("last.title.name", "unknown-field «name»"),
            ("last.items[0].colour", "unknown-field «colour»"),
            ("last.items.map(x, x.prise)", "unknown-field «prise» => last.items.map(x, x.price)"),
            ("last.n-1 > 0", "unknown-field «n-1» => last.n - 1 > 0"),
            ("last.title + 1", "type «last.title + 1»"),
            ("last.title * 2", "type «last.title * 2»"),
            ("-last.title", "type «last.title»"),
            ("!last.n", "type «last.n»"),
            ("last.n && last.ok", "type «last.n»"),
            ("last.n ? 1 : 2", "type «last.n»"),
            ("last.title == 5", "constant «last.title == 5»"),
            ("last.n == '5'", "constant «last.n == '5'» => last.n == 5"),
            ("type(last.n) == 'string'", "constant «type(last.n) == 'string'»"),
            ("last.note == 5", "constant «last.note == 5»"),
            ("last.note == null", "bool"),
            ("'a' in last.title", "type «'a' in last.title»"),
            ("last.title.contains(5)", "type «5»"),
            ("last.title.replace('a', 1)", "type «1»"),
            ("last.tags.join(1)", "type «1»"),
            ("last.n.map(x, x)", "type «map»"),
            ("last.title[0]", "type «last.title[0]»"),
            ("last.tags[true]", "type «true»"),
            ("last.tags[-1]", "out-of-range «-1»"),
            ("{null: 1}", "type «null»"),
            ("last.items.filter(x, x.price)", "type «x.price»"),
            ("last.items.filter(x, true)", "constant «true»"),
            ("lost.a", "reference/unknown-root «lost»"),
            ("true ? 1 : 2", "constant «true»"),
        ],
    );
}

#[test]
fn conditions_are_true_or_false_and_depend_on_data() {
    check_all(
        Purpose::Condition,
        &[
            ("last.ok", "bool"),
            ("any.x", "dyn"),
            ("last.n", "type «last.n»"),
            ("last.n > 1 || true", "constant «last.n > 1 || true»"),
            ("last.n > 1 && 1 == 2", "constant «last.n > 1 && 1 == 2»"),
            ("!(1 == 1)", "constant «!(1 == 1)»"),
            ("[1, 2].exists(x, x > 1)", "bool"),
            ("size('abc') == 3", "constant «size('abc') == 3»"),
            ("last.title == 1 || last.ok", "constant «last.title == 1»"),
        ],
    );
}

#[test]
fn types_are_known_at_a_place() {
    let ast = parse("last.items.map(x, x.price + 1)", Syntax::default()).ast;
    let checked = check(&ast, &types()[..], Purpose::Value);
    for (offset, expect) in [(1, "{title"), (6, "list("), (15, "{name"), (21, "number"), (29, "int")] {
        let (_, kind) = checked.type_at(offset).unwrap();
        assert!(kind.to_string().starts_with(expect), "{offset}: {kind}");
    }
}

/// Must not take exponential time.
#[test]
fn large_types_are_unknown() {
    for body in [r#"{"a": x, "b": x}"#, "[x, x]"] {
        let text = format!("[1]{}", format!(".map(x, {body})").repeat(40));
        assert!(show(&text, Purpose::Value).len() < 10_000);
    }
}

fn help(text: &str) -> String {
    let parsed = parse(text, Syntax { roots: &["last", "open", "any", "output"], ..Syntax::default() });
    let errors = if parsed.errors.is_empty() {
        check(&parsed.ast, &types()[..], Purpose::Value).errors
    } else {
        parsed.errors
    };
    assert_eq!(errors.len(), 1, "{text}: {errors:?}");
    let error = errors.first().unwrap();
    format!("{} | {}", error.message, error.help.clone().unwrap_or_default())
}

#[test]
fn help_says_what_to_write() {
    let times = "add and subtract times, as in `timestamp(x) + duration(\"1h\")`; write `duration(\"0s\") - x` for the negative of a duration";
    let order = "compare two timestamps or two durations, as in `timestamp(x) < timestamp(y)` or `timestamp(x) - timestamp(y) > duration(\"5s\")`";
    for (text, expect) in [
        ("last.title < timestamp(0)", format!("`<` does not accept text and a timestamp | {order}")),
        ("timestamp(1) - timestamp(0) > 5", format!("`>` does not accept a duration and a number | {order}")),
        ("duration('1s') * 2", format!("`*` does not accept a duration and a number | {times}")),
        ("-duration('1s')", format!("`-` does not accept a duration | {times}")),
        ("last.title != null", "the comparison holds for each value: text differs from null | write `has(last.title)` to test whether the value is there".to_owned()),
        ("null == last.title", "the comparison never holds: null differs from text | write `!has(last.title)` to test whether the value is there".to_owned()),
        ("last.title != 5", "the comparison holds for each value: text differs from a number | compare values of one type, or convert one of them".to_owned()),
        ("last.items.join(', ')", "`join` joins texts, not a map | convert the elements, as in `list.map(x, string(x)).join(\", \")`".to_owned()),
        ("last.items.colour", "a list has no field `colour` | write `list[0]` for an element, or `list.map(x, x)` for all".to_owned()),
        ("last.title.split", "text has no field `split` | write `last.title.split(…)` for the function".to_owned()),
        ("last.items.filter", "a list has no field `filter` | write `last.items.filter(x, condition)` for the function".to_owned()),
        ("last.items.map", "a list has no field `map` | write `last.items.map(x, value)` for the function".to_owned()),
        ("last.title.substr(0, 1)", "there is no function `substr` | write `text.substring(from, to)`".to_owned()),
        ("last.tags.sum()", "`sum` adds up numbers, not text | write what to add up, as in `list.map(x, x.price).sum()`".to_owned()),
        ("last.items.sort()", "`sort` does not compare a map | write a number, text, truth value or time to sort by, as in `list.sortBy(x, x.price)`".to_owned()),
        ("last.title.sort()", "`sort` does not accept text | write `list.sort()`".to_owned()),
        ("last.items.sortBy(x, x)", "`sortBy` does not compare a map | write a number, text, truth value or time to sort by, as in `list.sortBy(x, x.price)`".to_owned()),
        ("last.items.slice(0)", "`slice` does not accept one argument | write `list.slice(number, number)`".to_owned()),
        ("last.items.slice(2, 0)", "`slice` ends before it starts | write `list.slice(0, math.least(3, size(list)))` for the first three".to_owned()),
        ("last.items.slice(-1, 2)", "a position in a list is not negative | write `list.slice(0, math.least(3, size(list)))` for the first three".to_owned()),
        ("timestamp('2026-01-02')", "\"2026-01-02\" is not a timestamp | add a time and a time zone to the date, as in `timestamp(x + \"T00:00:00Z\")`".to_owned()),
        ("avg(last.items)", "there is no function `avg` | write `list.sum() / size(list)`".to_owned()),
        ("max(last.items)", "there is no function `max` | write `math.greatest(x, y)` or `math.greatest(list)`".to_owned()),
        ("last.ok == True", "`True` is not the beginning of a reference | write `true`".to_owned()),
        ("last.note == None", "`None` is not the beginning of a reference | write `null`, or `has(x)` to test whether a value is there".to_owned()),
        ("has()", "`has` does not accept no arguments | write a path, as in `has(last.title)`".to_owned()),
        ("last.items.contains()", "`contains` does not accept no arguments | write `string.contains(string)` or `list.contains(x)` or `map.contains(string)`".to_owned()),
        ("map(last.items)", "`map` is a method | write `list.map(x, value)`".to_owned()),
        ("last.items.some(x, x.price > 1)", "there is no function `some` | write `x.exists(e, condition)`".to_owned()),
        ("last.items.find(x => x.price > 1)", "there is no function `find` | write `x.filter(e, condition)[0]`".to_owned()),
        ("last.items.reduce((a, b) => a + b)", "there is no function `reduce` | write `list.map(e, value).sum()`".to_owned()),
        ("last.items.exists('x', true)", "the first argument of `exists` is a variable | write `list.exists(x, condition)`".to_owned()),
        ("last.items.map(true, true)", "the first argument of `map` is a variable | write `list.map(x, value)`".to_owned()),
        ("not last.ok", "there is no operator `not` | write `!(x in y)` or `!x`".to_owned()),
        ("any.t.getHours('Europe/Berlin')", "`Europe/Berlin` is no offset from UTC | write `+02:00` or `UTC`; names of time zones are not supported".to_owned()),
        ("5 % 2.5", "`%` accepts whole numbers of up to 15 digits | divide whole numbers; write `int(x)` to read one from text or to cut off a fraction".to_owned()),
        ("input.n > 3", "no type or value of `input` was passed | pass `input` to the check with its type, or to the evaluation with its value".to_owned()),
        ("abs('a')", "`abs` does not accept text | write `abs(number)`; `double(x)` reads a number from text".to_owned()),
        ("1e400", "the number is outside its range | write a whole number of up to 18 digits, or one with a point".to_owned()),
        ("1_000", "a number has no `_` | write `1000`".to_owned()),
        ("last.n ^ 2", "there is no operator `^` | multiply, as in `x * x`".to_owned()),
        ("last.n =< 2", "there is no operator `=<` | write `<=`".to_owned()),
        ("last.title =~ '^a'", "there is no operator `=~` | write `text.matches(pattern)`".to_owned()),
        ("last.title !~ '^a'", "there is no operator `!~` | write `!text.matches(pattern)`".to_owned()),
        ("last.title ~ '^a'", "there is no operator `~` | write `text.matches(pattern)`".to_owned()),
        ("last.title like 'a%'", "`like` is not an operator | write `text.contains(part)` or `text.matches(pattern)`".to_owned()),
        ("last.n between 1 and 3", "`between` is not an operator | write `x >= 1 && x <= 3`".to_owned()),
        ("last.title startswith 'a'", "`startswith` is not an operator | write `x.startsWith(y)`".to_owned()),
        ("last.note is not null", "there is no operator `is not` | write `!=`".to_owned()),
        ("last.items | length", "there are no pipes | write `size(x)`".to_owned()),
        ("last.items[*].price", "the position in the list is missing | write `list.map(x, x.name)` for all elements, or `list[0]` for one".to_owned()),
        ("last.items[].price", "the position in the list is missing | write `list.map(x, x.name)` for all elements, or `list[0]` for one".to_owned()),
        ("last.items[0:2]", "there are no slices | write `list.slice(from, to)`, `text.substring(from, to)`, or `list[0]` for one element".to_owned()),
        ("last.items.map(.price)", "the first argument of `map` is a variable | write `list.map(x, value)`".to_owned()),
        ("last.items.map(function(x) { return x.price })", "the first argument of `map` is a variable | write `list.map(x, value)`".to_owned()),
        ("last.items.map(x -> x.price)", "there are no arrow functions | write `list.map(x, value)`".to_owned()),
        ("[x.price for x in last.items]", "`for` is not an operator | write `list.map(x, value)` or `list.filter(x, condition)`".to_owned()),
        ("if last.n > 3 then 'a' else 'b'", "`if` is not the beginning of a reference | write `condition ? value : other value`".to_owned()),
        ("typeof last.n == 'number'", "`typeof` is not the beginning of a reference | write `type(x)`".to_owned()),
        ("last.n += 1", "an expression assigns no value | write `==` to compare, or name the value in a `set` node".to_owned()),
        ("last.title.matches(/a/)", "there are no patterns between slashes | write `text.matches(\"pattern\")`".to_owned()),
        ("`total: ${last.n}`", "a back-tick is not a quote | write `\"`".to_owned()),
        ("!last.title in ['a']", "`!` applies to `last.title` alone | write `!(last.title in [\"a\"])`".to_owned()),
        ("math.least(last.tags)", "`math.least` compares numbers, not text | write `math.least(list.map(x, double(x)))` to read numbers from texts".to_owned()),
        ("string(last.items)", "`string` does not accept a list | write `x ?? \"\"` for a value that may be null, or `list.join(\", \")` for a list".to_owned()),
        ("last.n.toFixed(2)", "there is no function `toFixed` | write `round(x * 100) / 100`".to_owned()),
        ("x => x", "there are no arrow functions | write `list.map(x, value)` or `list.filter(x, condition)`".to_owned()),
    ] {
        assert_eq!(help(text), expect, "{text}");
    }
}

#[test]
fn constant_comparisons_are_found_outside_of_conditions() {
    for (text, expect) in [
        ("1 == 1", 1),
        ("'a' == 'b'", 1),
        ("size('abc') < 2", 1),
        ("last.n == 1", 0),
        ("1 + 1", 0),
        ("true", 0),
    ] {
        let (_, errors) = stepgraph_expression::check_expression(
            text,
            &json!({"last": {"properties": {"n": {"type": "number"}}}}),
        );
        assert_eq!(errors.len(), expect, "{text}: {errors:?}");
    }
}

#[test]
fn a_root_that_was_not_passed_is_no_unknown_word() {
    for types in [json!({}), json!({"input": {}})] {
        let (_, errors) = check_expression("last.n", &types);
        let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(messages, ["no type or value of `last` was passed"]);
        let error = stepgraph_expression::evaluate("last.n", &types).unwrap_err();
        assert_eq!(error.message, "no type or value of `last` was passed");
    }
}

#[test]
fn many_mistakes_are_counted() {
    let errors = |count: usize, last: &str| {
        let text = format!("[{}{last}]", "1 / 0, ".repeat(count));
        check_expression(&text, &json!({"last": {}})).1
    };
    assert_eq!(errors(20, "1").len(), 20);
    assert!(errors(20, "1").iter().all(|error| !error.message.contains("more mistakes")));
    let many = errors(9000, "1");
    assert_eq!(many.len(), 20);
    assert_eq!(many[19].message, "the expression has 8981 more mistakes, such as here");
    assert_eq!(many[19].span, many[18].span.shifted("1 / 0, ".len()));
}

#[test]
fn counted_mistakes_keep_the_worst_code() {
    let types = json!({"last": {"type": "object", "properties": {"n": {"type": "number"}}}});
    // Twenty-five warnings, and an error behind them.
    let text = format!("[{}last.n < 'a']", "[1].all(x, true), ".repeat(25));
    let (_, errors) = check_expression(&text, &types);
    let codes: Vec<_> = errors.iter().map(|error| error.code.slug()).collect();
    assert_eq!((codes.len(), codes[0], codes[19]), (20, "expression/constant", "expression/type"));
}

/// The message for each comparison that the values decide, or nothing.
#[test]
fn values_of_schemas_decide_comparisons() {
    let types = json!({"last": {"type": "object", "additionalProperties": false, "properties": {
        "kind": {"enum": ["red", "green"]},
        "n": {"type": "integer", "minimum": 0, "maximum": 10},
        "m": {"$ref": "#/$defs/small"},
        "free": {"type": "number"},
        "maybe": {"type": ["integer", "null"], "maximum": 3},
        "kinds": {"type": "array", "items": {"enum": ["a", "b"]}},
        "pair": {"type": "array", "prefixItems": [{"const": 1}], "items": {"enum": ["a"]}},
        "items": {"type": "array", "items": {"properties": {"n": {"type": "integer", "minimum": 0}}}},
    }, "$defs": {"small": {"type": "number", "exclusiveMaximum": 1}}}});
    let never = |what: &str| format!("the comparison never holds: {what}");
    let always = |what: &str| format!("the comparison holds for each value: {what}");
    for (text, expect) in [
        ("last.kind == 'blue'", never("`last.kind` is `red` or `green`")),
        ("'blue' == last.kind", never("`last.kind` is `red` or `green`")),
        ("last.kind != 'blue' && last.free > 1", always("`last.kind` is `red` or `green`")),
        ("last.kind in ['blue', 'black']", never("`last.kind` is `red` or `green`")),
        ("'c' in last.kinds", never("`last.kinds` contains only `a` or `b`")),
        ("last.kinds[3] == 'c'", never("`last.kinds[3]` is `a` or `b`")),
        ("last.kinds.exists(k, k == 'c')", never("`k` is `a` or `b`")),
        ("last.n > 10", never("`last.n` is from 0 to 10")),
        ("10 < last.n", never("`last.n` is from 0 to 10")),
        ("last.n >= 0 ? 1 : 2", always("`last.n` is from 0 to 10")),
        ("last.n == 11", never("`last.n` is from 0 to 10")),
        ("last.n + 1 > 20", never("`last.n + 1` is from 1 to 11")),
        ("last.n - last.n > 11.5", never("`last.n - last.n` is from -10 to 10")),
        ("-last.n > 0", never("`-last.n` is from -10 to 0")),
        ("last.m > 1", never("`last.m` is at most 1")),
        ("size(last.kinds) < 0", never("`size(last.kinds)` is at least 0")),
        ("(last.free > 1 ? 'a' : 'b') == 'c'", never("`last.free > 1 ? \"a\" : \"b\"` is `a` or `b`")),
        ("last.kind == last.kinds[0]", never("`last.kind` is `red` or `green`")),
        ("last.kind == 'red' || last.n > 9", String::new()),
        ("last.n < 10 && last.m < 1", String::new()),
        ("last.maybe > 9", "`last.maybe` may be null, which `>` does not accept".to_owned()),
        ("(last.maybe ?? 0) > 9 || last.maybe != 2", String::new()),
        ("last.maybe != null && last.maybe > 9", String::new()),
        ("last.pair[1] == 'z' || 'z' in last.pair", String::new()),
        ("last.items.exists(i, i.n < 0)", String::new()),
        ("last.items[0].n < 0", never("`last.items[0].n` is at least 0")),
        ("[last].exists(last, last.n > 99)", String::new()),
        ("last.n * 2 > 30", String::new()),
        ("last.free > 1e308", String::new()),
    ] {
        let (_, errors) = check_expression(text, &types);
        let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(messages.join("; "), expect, "{text}");
    }
    let (_, errors) = check_expression("last.kind == 'gren'", &types);
    let fix = errors[0].fix.as_ref().unwrap();
    assert_eq!((errors[0].help.as_deref(), fix.text.as_str()), (Some("did you mean `green`?"), "green"));
    assert_eq!(&"last.kind == 'gren'"[fix.span.start..fix.span.end], "gren");
}
