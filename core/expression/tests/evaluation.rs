//! Tests `cases.yaml`, the examples of the function table, and the limits.

#![expect(clippy::string_slice, reason = "a test stops when it is surprised")]

use serde_json::{Value as Json, json};
use stepgraph_expression::JsonSource;
use stepgraph_expression::evaluate::Limits;
use stepgraph_expression::function::EXAMPLE_SCOPE;
use stepgraph_expression::json::{Roots, root_values};
use stepgraph_expression::{Error, ExpressionArena, Function, Program, Syntax, evaluate, parse};

fn show(result: Result<Option<Json>, Error>) -> Json {
    match result {
        Ok(Some(json)) => json,
        Ok(None) => json!("!missing"),
        Err(error) => json!(format!("code {}", error.code.slug().trim_start_matches("expression/"))),
    }
}

#[test]
fn the_table_holds() {
    let table: Json = serde_yaml::from_str(include_str!("cases.yaml")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (group, cases) in table["cases"].as_object().unwrap() {
        for case in cases.as_array().unwrap() {
            let text = match &case[0] {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            let got = evaluate(&text, &table["scope"]);
            if let Err(error) = &got {
                assert!(error.span.end <= text.len(), "{text}: {error}");
            }
            let got = show(got);
            count += 1;
            if got != case[1] {
                wrong.push(format!("{group}: {text}\n  gives  {got}\n  expect {}", case[1]));
            }
        }
    }
    assert!(wrong.is_empty() && count > 200, "{count} cases\n{}", wrong.join("\n"));
}

#[test]
fn every_example_of_the_function_table_holds() {
    let scope: Json = serde_json::from_str(EXAMPLE_SCOPE).unwrap();
    for function in Function::ALL {
        let (name, docs) = (function.name(), function.docs());
        let expect: Json = serde_json::from_str(docs.result).unwrap();
        assert_eq!(show(evaluate(docs.example, &scope)), expect, "{}: {}", name, docs.example);
    }
}

fn code(text: &str, scope: &Json) -> String {
    match show(evaluate(text, scope)) {
        Json::String(text) => text,
        _ => "done".to_owned(),
    }
}

#[test]
fn work_is_limited() {
    let numbers: Vec<u32> = (0..2000).collect();
    let long = "x".repeat(1_000_000);
    let scope = json!({"xs": numbers, "long": long, "longs": vec![long.as_str(); 12]});
    for (text, expect) in [
        ("xs.all(x, x >= 0)", "done"),
        ("xs.all(x, xs.all(y, x + y >= 0))", "code too-costly"),
        ("xs.exists(x, !xs.all(y, x + y >= 0)) || true", "code too-costly"),
        ("xs.map(x, xs)", "code too-costly"),
        ("xs.map(x, xs).size()", "done"),
        ("xs.map(x, long + long)", "code too-costly"),
        ("xs.all(x, longs == longs.map(l, l))", "code too-costly"),
        ("long.replace('x', long)", "code too-costly"),
        ("long.split('').size() > 0", "code too-costly"),
        ("xs.exists(x, long.contains('y'))", "code too-costly"),
        ("long.matches('(x*)*(x?)*(x+)*(x*x)*y')", "code too-costly"),
        ("longs.join('').size()", "code too-costly"),
        ("long.matches('^x')", "done"),
        ("xs.sort().reverse().distinct().sum()", "done"),
        ("xs.sortBy(x, -x).slice(0, 3)", "done"),
        ("xs.map(x, [x]).distinct().size()", "code too-costly"),
        ("xs.map(x, xs.sort()).size()", "code too-costly"),
        ("xs.map(x, xs.sortBy(y, -y)).size()", "code too-costly"),
        ("xs.map(x, xs.reverse()).size()", "code too-costly"),
        ("xs.map(x, xs.slice(1900, 1901)).size()", "code too-costly"),
        ("xs.map(x, longs.sort()).size()", "code too-costly"),
        ("xs.map(x, xs).flatten().size()", "code too-costly"),
        ("xs.all(x, xs.sum() > 0)", "code too-costly"),
        ("[1, 2, 3].all(i, long.charAt(999999 - i) == 'x')", "done"),
        ("[1, 2, 3, 4, 5, 6, 7, 8, 9].all(i, long.charAt(999999 - i) == 'x')", "code too-costly"),
        ("[1, 2, 3, 4, 5, 6, 7, 8, 9].all(i, long.charAt(i) == 'x')", "done"),
        (&format!("[1]{}", ".map(x, [x, x])".repeat(12)), "done"),
        (&format!("[1]{}", ".map(x, [x, x])".repeat(19)), "code too-costly"),
    ] {
        assert_eq!(code(text, &scope), expect, "{text}");
    }
}

#[test]
fn results_are_written_within_text() {
    let scope = json!({"last": {"n": 3.0, "tags": ["b", 1.0], "none": null, "t": "text"}});
    let scope = JsonSource::new(root_values(&scope));
    for (text, expect) in [
        ("last.n", Some("3")),
        ("last.none", Some("")),
        ("last.t", Some("text")),
        ("last.tags", Some(r#"["b",1]"#)),
        ("last.x", None),
        ("duration('90s')", Some("90s")),
        ("last.n > 1", Some("true")),
        ("{'a': last.n}", Some(r#"{"a":3}"#)),
    ] {
        let parsed = parse(text, Syntax::default());
        let program = Program::compile(&parsed.ast, &mut Roots::new(&["last"])).unwrap();
        let arena = ExpressionArena::new();
        let outcome = program.evaluate(&scope, &arena, Limits::default()).unwrap();
        assert_eq!(outcome.to_text().unwrap().as_deref(), expect, "{text}");
        assert_eq!(
            outcome.to_value::<std::sync::Arc<Json>>(&(), &scope).unwrap().map(|value| (*value).clone()),
            outcome.to_json().unwrap(),
            "{text}"
        );
    }
}

#[test]
fn errors_point_at_the_operation() {
    let scope = json!({"last": {"n": 3}});
    for (text, expect) in [
        ("1 + last.n + 'a'", "1 + last.n + 'a'"),
        ("last.n > 1 && (last.n < 'a')", "last.n < 'a'"),
        ("last.n > 1 && last.n", "last.n"),
        ("[1].map(x, x / 0)", "x / 0"),
        ("'a'.matches('(')", "'('"),
        ("lost.n", "lost"),
    ] {
        let error = evaluate(text, &scope).unwrap_err();
        assert_eq!(
            &text[error.span.start..error.span.end].trim_matches(['(', ')']),
            &expect.trim_matches(['(', ')']),
            "{text}: {error}"
        );
        assert!(error.help.is_some(), "{text}: {error}");
    }
}

#[test]
fn errors_name_the_element() {
    let scope = json!({"last": {"l": [{"n": 1}, {"n": "a"}, {"n": null}], "m": {"b": 1, "a": "x"}}});
    for (text, expect) in [
        ("last.l.map(i, i.n * 2)", Some("`i` is `last.l[1]`")),
        ("last.l.all(i, i.n > 0)", Some("`i` is `last.l[1]`")),
        ("last.l.exists_one(i, i.n > 0)", Some("`i` is `last.l[1]`")),
        ("last.l.filter(i, i.n > 0)", Some("`i` is `last.l[1]`")),
        ("last.m.map(k, last.m[k] + 1)", Some("`k` is `\"a\"`")),
        (
            "[[1], [2, 0]].map(x, x.map(y, 1 / y))",
            Some("`x` is `[[1], [2, 0]][1]` and `y` is `[[1], [2, 0]][1][1]`"),
        ),
        ("(last.l + last.l).map(i, i.n % 2)", Some("`i` is `(last.l + last.l)[1]`")),
        ("last.l[0].n + 'a'", None),
    ] {
        let error = evaluate(text, &scope).unwrap_err();
        assert_eq!(
            error.message.split_once(", where ").map(|(_, element)| element),
            expect,
            "{text}: {error}"
        );
    }
}

#[test]
fn missing_results_have_a_path() {
    let scope =
        json!({"last": {"l": [{"n": 1}, {"n": 2, "k": [1]}], "ids": ["a", "b"], "m": {"a": {"n": 1}}}});
    for (text, expect) in [
        ("last.x.y", Some("last.x.y")),
        ("last.l[0].n + last.l[0].m", Some("last.l[0].m")),
        ("last.l.map(i, i.m)", Some("last.l[0].m")),
        ("last.l.map(i, i.n > 1, -i.m + 1)", Some("last.l[1].m")),
        ("last.l.sortBy(i, i.m)", Some("last.l[0].m")),
        ("last.l.filter(i, i.n > 1).map(i, i.m)", Some("last.l.filter(i, i.n > 1)[0].m")),
        ("last.ids.map(i, last.m[i].n)", Some("last.m[last.ids[1]]")),
        ("last.m.map(k, last.m[k].x)", Some("last.m[\"a\"].x")),
        ("last.l.map(i, i.k.map(j, j))", Some("last.l[0].k")),
        ("[last.ids, last.l].map(a, a.map(b, b.n))", Some("[last.ids, last.l][0][0].n")),
        ("last.x ?? last.y", Some("last.y")),
        ("size(last.l) > 1 ? [1, {'a': last.x}] : [last.y]", Some("last.x")),
        ("last.x.matches('a') || true ? last.z.trim() : 1", Some("last.z")),
        ("last.ids", None),
    ] {
        let ast = parse(text, Syntax::default()).ast;
        let program = Program::compile(&ast, &mut Roots::new(&["last"])).unwrap();
        let values = root_values(&scope);
        let host = JsonSource::new(values);
        let arena = ExpressionArena::new();
        let outcome = program.evaluate(&host, &arena, Limits::default()).unwrap();
        let path = outcome.is_missing().then(|| program.missing_path(&ast.to_string(), &host).unwrap());
        assert_eq!(path.as_deref(), expect, "{text}");
    }
}

#[test]
fn elements_of_nested_macros_stay_short() {
    let nested = (0..8).fold("x.y".to_owned(), |body, _| format!("[x, x].map(x, {body})"));
    let text = format!("[last].map(x, {nested})");
    let ast = parse(&text, Syntax::default()).ast;
    let scope = json!({"last": {}});
    let program = Program::compile(&ast, &mut Roots::new(&["last"])).unwrap();
    let path = program.missing_path(&ast.to_string(), &JsonSource::new(root_values(&scope))).unwrap();
    assert!(path.contains("].y") && path.len() < 2000, "{path}");
}
