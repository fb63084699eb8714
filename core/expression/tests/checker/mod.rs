//! Shows what a check finds.

#![expect(clippy::string_slice, reason = "a test stops when it is surprised")]

use serde_json::json;
use stepgraph_expression::{Purpose, Syntax, Type, check, parse};

pub(crate) fn types() -> Vec<(&'static str, Type)> {
    let last = Type::from_schema(&json!({
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "n": {"type": "integer"},
            "ok": {"type": "boolean"},
            "note": {"type": ["string", "null"]},
            "kind": {"enum": ["a", "b"]},
            "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            "tags": {"type": "array", "items": {"type": "string"}},
            "price-1": {"type": "number"},
        },
        "$defs": {"item": {
            "type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}, "additionalProperties": false,
        }},
        "additionalProperties": false,
    }));
    let open = Type::from_schema(&json!({"type": "object", "properties": {"title": {"type": "string"}}}));
    vec![
        ("last", last),
        ("open", open),
        ("any", Type::Dyn),
        ("output", Type::object([("step-1", Type::Number)])),
    ]
}

pub(crate) fn show(text: &str, purpose: Purpose) -> String {
    let parsed = parse(text, Syntax::default());
    assert!(parsed.errors.is_empty(), "{text}: {:?}", parsed.errors);
    let checked = check(&parsed.ast, &types()[..], purpose);
    if checked.errors.is_empty() {
        return checked.kind.to_string();
    }
    let error = |error: &stepgraph_expression::Error| {
        assert!(error.help.is_some(), "{text}: {error}");
        let fix = error.fix.as_ref().map_or(String::new(), |fix| {
            format!(" => {}{}{}", &text[..fix.span.start], fix.text, &text[fix.span.end..])
        });
        format!(
            "{} «{}»{fix}",
            error.code.slug().trim_start_matches("expression/"),
            &text[error.span.start..error.span.end]
        )
    };
    checked.errors.iter().map(error).collect::<Vec<_>>().join("; ")
}

pub(crate) fn check_all(purpose: Purpose, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(text, expect)| (text, expect, show(text, purpose)))
        .filter(|(_, expect, got)| got != *expect)
        .map(|(text, expect, got)| format!("{text}\n  gives  {got}\n  expect {expect}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
