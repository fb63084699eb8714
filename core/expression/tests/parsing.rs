//! Tests trees and syntax errors.

#![expect(clippy::string_slice, clippy::unwrap_used, reason = "a test stops when it is surprised")]

use proptest::prelude::*;
use stepgraph_expression::ast::Kind;
use stepgraph_expression::{Purpose, Syntax, Type, evaluate, parse};

const ROOTS: [&str; 9] = ["last", "input", "output", "item", "index", "error", "context", "memory", "xs"];

fn plan() -> Syntax<'static> {
    Syntax { roots: &ROOTS, ..Syntax::default() }
}

fn conditions() -> Syntax<'static> {
    Syntax { roots: &ROOTS, bare_words: true, ..Syntax::default() }
}

/// The tree, or each error's code and underlined text.
fn show(text: &str, syntax: Syntax<'_>) -> String {
    let parsed = parse(text, syntax);
    if parsed.errors.is_empty() {
        return parsed.ast.to_string();
    }
    let error = |error: &stepgraph_expression::Error| {
        let at = text.get(error.span.start..error.span.end).unwrap();
        let fix = error.fix.as_ref().map_or(String::new(), |fix| {
            let (before, after) = (&text[..fix.span.start], &text[fix.span.end..]);
            format!(" => {before}{}{after}", fix.text)
        });
        format!("{} «{at}»{fix}", error.code.slug().trim_start_matches("expression/"))
    };
    parsed.errors.iter().map(error).collect::<Vec<_>>().join("; ")
}

fn check(syntax: Syntax<'_>, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expect)| {
            let got = show(text, syntax);
            (got != *expect).then(|| format!("{text}\n  gives  {got}\n  expect {expect}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn trees_are_printed_in_one_form() {
    check(
        plan(),
        &[
            ("last", "last"),
            (" last . a [0] . b ", "last.a[0].b"),
            ("output.step-1.items-x", "output.step-1.items-x"),
            ("last.a - last.b", "last.a - last.b"),
            ("last.a -1", "last.a - 1"),
            ("last.a- 1", "last.a - 1"),
            ("index-1", "index - 1"),
            ("last.items.0.name", "last.items.0.name"),
            ("last.año.@type", "last.año.@type"),
            ("last.`a b`", "last.`a b`"),
            ("last[\"a b\"]", "last[\"a b\"]"),
            ("1+2*3-4", "1 + 2 * 3 - 4"),
            ("(1+2)*(3-4)", "(1 + 2) * (3 - 4)"),
            ("1-(2-3)", "1 - (2 - 3)"),
            ("(1-2)-3", "1 - 2 - 3"),
            ("last.a||last.b&&last.c", "last.a || last.b && last.c"),
            ("(last.a||last.b)&&!last.c", "(last.a || last.b) && !last.c"),
            ("last.a&&(last.b&&last.c)", "last.a && (last.b && last.c)"),
            ("last.a ?? last.b ?? 0", "last.a ?? last.b ?? 0"),
            ("last.a ?? last.b || last.c", "last.a ?? last.b || last.c"),
            ("last.a?1:last.b?2:3", "last.a ? 1 : last.b ? 2 : 3"),
            ("(last.a?1:2)?(1?2:3):4", "(last.a ? 1 : 2) ? (1 ? 2 : 3) : 4"),
            ("last.a ?.5:1", "last.a ? 0.5 : 1"),
            ("-5", "-5"),
            ("-(5)", "-(5)"),
            ("--5", "--5"),
            ("- last.a", "-last.a"),
            ("!!last.a", "!!last.a"),
            ("0xff + 1e3 + .5 + 1.50", "255 + 1000.0 + 0.5 + 1.5"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("'it\\'s' + r'\\d' + \"\"\"a\"b\"\"\"", r#""it's" + "\\d" + "a\"b""#),
            (r"'\x41\u00e9\U0001F600\101\n'", r#""Aé😀A\n""#),
            ("[1, [2],]", "[1, [2]]"),
            ("{'a': 1, 2: true,}", "{\"a\": 1, 2: true}"),
            ("'a' in last.tags", "\"a\" in last.tags"),
            ("size(last.items) > last.tags.size()", "size(last.items) > last.tags.size()"),
            ("math.abs(-1) + math.least(1,2)", "abs(-1) + math.least(1, 2)"),
            (
                "last.items.filter(x,x.price>1).map(y,y.n>0,y.name)",
                "last.items.filter(x, x.price > 1).map(y, y.n > 0, y.name)",
            ),
            ("xs.exists(x, xs.all(y, x == y))", "xs.exists(x, xs.all(y, x == y))"),
            ("has(last.a.b) && has(last['x'])", "has(last.a.b) && has(last[\"x\"])"),
            ("type(last) == string", "type(last) == string"),
            ("last.a // the rest is a comment", "last.a"),
            ("last.in.null", "last.in.null"),
        ],
    );
}

#[test]
fn mistakes_are_reported_with_place_and_fix() {
    check(
        plan(),
        &[
            ("", "syntax «»"),
            ("last.", "syntax «.»"),
            ("last.a ==", "syntax «»"),
            (
                "last.a = 1 && last.b = 2",
                "syntax «=» => last.a == 1 && last.b = 2; syntax «=» => last.a = 1 && last.b == 2",
            ),
            (
                "last.a === 1 and last.b",
                "syntax «===» => last.a == 1 and last.b; syntax «and» => last.a === 1 && last.b",
            ),
            ("last.a last.b", "syntax «last»"),
            ("(last.a", "syntax «(» => (last.a)"),
            ("last.a)", "syntax «)» => last.a"),
            ("lst.a", "reference/unknown-root «lst» => last.a"),
            ("last.items.map(x => x.a)", "syntax «=>» => last.items.map(x, x.a)"),
            ("last.items.map(x.a)", "arguments «x»"),
            (
                "last.items.all(i, v, v > i)",
                "unsupported «all»; reference/unknown-root «v»; reference/unknown-root «v»",
            ),
            ("len(last.a)", "unknown-function «len»"),
            ("last.a.startswith('x')", "unknown-function «startswith»"),
            ("last.a.trimm()", "unknown-function «trimm» => last.a.trim()"),
            ("size()", "arguments «size»"),
            ("last.a.int()", "arguments «int»"),
            ("startsWith(last.a, 'x')", "arguments «startsWith»"),
            ("exists(last.a)", "arguments «exists»"),
            ("has(1)", "arguments «has»"),
            ("last?.a", "unsupported «?.» => last.a"),
            ("last.?a", "unsupported «.»"),
            ("5u + b'x'", "unsupported «5u» => 5 + b'x'; unsupported «b'x'»"),
            ("last{a: 1}", "unsupported «last»; syntax «a» => last{\"a\": 1}"),
            ("0x", "syntax «0x»"),
            ("9223372036854775808", "overflow «9223372036854775808»"),
            ("1e999", "overflow «1e999»"),
            ("'abc", "syntax «'»"),
            (r"'\q'", r"syntax «\q»"),
            ("“a”", "syntax «“a”» => \"a\""),
            ("{a: 1}", "syntax «a» => {\"a\": 1}"),
            ("[?last.a]", "unsupported «?»"),
            ("last.a ** 2", "syntax «**»"),
            ("last.a is null", "syntax «is» => last.a == null"),
            ("${last.a}", "syntax «${»; syntax «}» => ${last.a"),
            ("now()", "unknown-function «now»"),
            ("last.items.zip()", "unknown-function «zip»"),
            ("Math.max(1, 2)", "reference/unknown-root «Math»; unknown-function «max»"),
            ("5 apples", "syntax «apples»"),
        ],
    );
}

#[test]
fn conditions_may_compare_with_bare_words() {
    check(
        conditions(),
        &[
            ("last.ok ? last.b != null : last != null", "last.ok ? last.b != null : last != null"),
            ("last.ok ? last.b == red : last.b == green", r#"last.ok ? last.b == "red" : last.b == "green""#),
            ("last==ok", "last == \"ok\""),
            ("last == ok and more && last.n > 1", "last == \"ok and more\" && last.n > 1"),
            (
                "(last==f(x) || last != a) && last==b)",
                "(last == \"f(x)\" || last != \"a\") && last == \"b)\"",
            ),
            ("last==last.a", "last == last.a"),
            ("last==last", "last == \"last\""),
            ("last==5", "last == 5"),
            ("last=='a b'", "last == \"a b\""),
            ("last==${last.b}", "last == last.b"),
            ("last==size(xs)", "last == size(xs)"),
            ("last==null", "last == null"),
            ("last.a.exists && !last.b.exists", "has(last.a) && !has(last.b)"),
            ("last.exists.a", "last.`exists`.a"),
            ("last.contains: a:b || last.a.contains:'x'", "last.contains(\"a:b\") || last.a.contains(\"x\")"),
            ("xs.exists(x, x.name == x.id)", "xs.exists(x, x.name == x.id)"),
            ("xs.exists(x, x.name == tea)", "xs.exists(x, x.name == \"tea\")"),
            ("last==", "last == \"\""),
        ],
    );
}

#[test]
fn pure_cel_has_no_dashes_in_names() {
    check(Syntax::CEL, &[("a.b-c", "a.b - c"), ("a.b-1", "a.b - 1"), ("a.0", "syntax «.»; syntax «0»")]);
}

#[test]
fn depth_and_length_are_limited() {
    for (text, fits) in [
        ("(".repeat(90) + "1" + &")".repeat(90), true),
        ("(".repeat(100_000) + "1", false),
        ("[".repeat(100_000), false),
        ("!".repeat(60_000) + "last", false),
        ("-".repeat(60_000) + "1", false),
        ("1+".repeat(30_000) + "1", false),
        ("1+".repeat(80) + "1", true),
        ("last.a && ".repeat(5_000) + "last.a", true),
        ("last".to_owned() + &".a".repeat(20_000), false),
        ("xs.map(x, ".repeat(5_000), false),
        ("true?1:".repeat(5_000) + "1", false),
        ("x".repeat(70_000), false),
    ] {
        assert_eq!(parse(&text, plan()).errors.is_empty(), fits, "{}", &text[..20]);
    }
}

#[test]
fn long_chains_are_one_call() {
    let chain = |count: usize| "xs&&".repeat(count) + "xs";
    let parsed = parse(&chain(16_000), plan());
    let operands = match &parsed.ast.root.kind {
        Kind::Call(call) => call.args.len(),
        _ => 0,
    };
    assert_eq!((operands, parsed.ast.root.height(), parsed.ast.root.span.end), (16_001, 2, 64_002));
    // A deep operand counts.
    let deep = format!("xs && {}1{} && xs", "[".repeat(95), "]".repeat(95));
    assert_eq!(parse(&deep, plan()).errors[0].code.slug(), "expression/too-deep");
    let lost = parse(&"?".repeat(60_000), plan());
    assert!(!lost.errors.is_empty() && lost.errors.len() <= 10);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "[a-c.()\\[\\]{}'\"`\\\\=!<>&|?:,+*/%$ \\-0-9xé\n]{0,60}") {
        for syntax in [plan(), conditions(), Syntax::CEL] {
            let parsed = parse(&text, syntax);
            for error in &parsed.errors {
                prop_assert!(text.get(error.span.start..error.span.end).is_some());
                prop_assert!(error.fix.as_ref().is_none_or(|fix| text.get(fix.span.start..fix.span.end).is_some()));
            }
            let _ = parsed.ast.root.at(text.len() / 2);
            let _ = stepgraph_expression::check(&parsed.ast, &[("xs", Type::list(Type::Number))][..], Purpose::Condition);
        }
    }

    #[test]
    fn functions_of_any_text_do_not_panic(text in "[-+0-9TtZz:.hmsnuµ()\\[\\]{}*?|^$a\\\\,é]{0,24}", at in -2_i64..30) {
        let scope = serde_json::json!({"x": text, "n": at});
        for call in [
            "timestamp(x)", "duration(x)", "timestamp(n) + duration(x)", "duration(x) - duration(x)", "int(x)", "double(x)", "bool(x)",
            "timestamp(n).getHours(x)", "'aé-1'.matches(x)", "x.matches(x)", "x.substring(n)", "x.charAt(n)", "x.indexOf('', n)",
            "x.lastIndexOf('a', n)", "x.split('', n)", "x.replace('', 'é', n)", "'añb'.lastIndexOf(x, n)", "x.split(x)",
        ] {
            let _ = evaluate(call, &scope);
        }
    }

    #[test]
    fn tokens_in_any_order_do_not_panic(words in proptest::collection::vec(
        prop_oneof!["last", "xs", "\\.map\\(x,", "\\.a-b", "==", "&&", "\\?", ":", "\\(", "\\)", "\\[", "\\]", "\\{", "'t'", "1\\.5", ",", "-", "\\?\\?", "in", "has\\("], 0..30,
    )) {
        let text = words.join(" ");
        let scope = serde_json::json!({"last": {"a-b": 1.5}, "xs": [1, "t", null]});
        let _ = evaluate(&text, &scope);
        let parsed = parse(&text, plan());
        if parsed.errors.is_empty() {
            let printed = parsed.ast.to_string();
            let again = parse(&printed, plan());
            prop_assert_eq!((again.ast, again.errors), (parsed.ast, vec![]), "{}", printed);
        }
    }
}

/// A letter of another script goes on with the word, as in `nullé`, which is text.
#[test]
fn a_word_that_begins_like_a_constant_is_text() {
    for text in ["last==nullé :['k']last.a…", "last == trueé last.a", "last == rél\"last.a\""] {
        let condition = stepgraph_expression::Condition::parse(text);
        assert!(condition.as_ref().is_ok_and(|it| it.computed().is_empty()), "{text}: {condition:?}");
    }
}
