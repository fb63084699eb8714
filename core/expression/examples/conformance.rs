//! Compares evaluation with CEL's conformance tests, a JSON list in the form of `@bufbuild/cel-spec`:
//! `{suite, name, expr, value?, evalError?, bindings?}`.
//!
//! `cargo run -p stepgraph-expression --example conformance -- cases.json`

#![expect(clippy::indexing_slicing, reason = "JSON answers every index, with null where nothing is")]

use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use stepgraph_expression::JsonSource;
use stepgraph_expression::evaluate::Limits;
use stepgraph_expression::json::{Roots, root_values};
use stepgraph_expression::{ExpressionArena, Program, Syntax, parse};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Passes,
    /// The docs list it.
    Differs(&'static str),
    /// JSON has no such values.
    Foreign(&'static str),
    Fails,
}

impl Verdict {
    fn reason(self) -> String {
        match self {
            Self::Passes => "passes".to_owned(),
            Self::Differs(reason) => format!("differs: {reason}"),
            Self::Foreign(reason) => format!("foreign: {reason}"),
            Self::Fails => "FAILS".to_owned(),
        }
    }
}

fn text_of(result: Result<&Option<Json>, impl std::fmt::Display>) -> String {
    match result {
        Ok(Some(json)) => json.to_string(),
        Ok(None) => "missing".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("pass the file of cases")?;
    let cases: Vec<Json> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let (mut verdicts, mut suites, mut report) = (BTreeMap::new(), BTreeMap::new(), String::new());
    for case in &cases {
        let (verdict, note) = judge(case);
        *verdicts.entry(verdict).or_insert(0) += 1;
        let suite = case["suite"].as_str().unwrap_or("").split('/').next().unwrap_or("").to_owned();
        let row: &mut [usize; 4] = suites.entry(suite).or_default();
        let column = match verdict {
            Verdict::Passes => 0,
            Verdict::Differs(_) => 1,
            Verdict::Foreign(_) => 2,
            Verdict::Fails => 3,
        };
        row[column] += 1;
        if matches!(verdict, Verdict::Fails | Verdict::Differs(_)) {
            writeln!(report, "{} {} | {} | {note}", verdict.reason(), case["suite"], case["expr"])?;
        }
    }
    writeln!(report, "\n{:<20} passes differs foreign fails", "suite")?;
    for (suite, [passes, differs, foreign, fails]) in suites {
        writeln!(report, "{suite:<20} {passes:>6} {differs:>7} {foreign:>7} {fails:>5}")?;
    }
    for (verdict, count) in verdicts {
        writeln!(report, "{count:>5} {}", verdict.reason())?;
    }
    std::io::stdout().write_all(report.as_bytes())?;
    Ok(())
}

fn judge(case: &Json) -> (Verdict, String) {
    let text = case["expr"].as_str().unwrap_or("");
    if let Some(reason) = foreign(case, text) {
        return (Verdict::Foreign(reason), String::new());
    }
    let mut scope = serde_json::Map::new();
    for (name, binding) in case["bindings"].as_object().into_iter().flatten() {
        let is_time = binding.pointer("/value/objectValue").is_some();
        match plain(&binding["value"]).filter(|_| !is_time) {
            Some(value) => scope.insert(name.clone(), value),
            None => return (Verdict::Foreign("a binding that is not JSON"), String::new()),
        };
    }
    let wanted = if case["evalError"].is_object() {
        None
    } else {
        Some(case.get("value").or(case.pointer("/typedResult/result")))
    };
    let wanted = wanted.map(|value| value.map_or(Some(json!(true)), plain));
    if wanted == Some(None) {
        return (Verdict::Foreign("a result that is not JSON"), String::new());
    }
    let got = evaluate(text, &Json::Object(scope));
    let note =
        format!("wanted {}, got {}", text_of(wanted.as_ref().ok_or("an error")), text_of(got.as_ref()));
    let passes = match (&got, &wanted) {
        (Ok(Some(got)), Some(Some(wanted))) => same(got, wanted),
        (Err(code), None) => !code.contains("unknown"),
        _ => false,
    };
    if passes {
        return (Verdict::Passes, note);
    }
    let verdict = match (&got, &wanted) {
        (Err(code), _) if code == "expression/unknown-function" => {
            Verdict::Foreign("a function of an extension")
        }
        (Err(code), _) if code == "expression/unsupported" => Verdict::Foreign("unsupported syntax"),
        (Err(code), _) if code == "reference/unknown-root" => {
            Verdict::Foreign("a name of a container or an enum")
        }
        (Ok(None), None) => Verdict::Differs("a path that leads nowhere is missing"),
        (Ok(Some(_)), None) if text.contains("&&") || text.contains("||") || text.contains('?') => {
            Verdict::Differs("a missing condition does not hold")
        }
        (Err(code), Some(_))
            if matches!(code.as_str(), "expression/divide-by-zero" | "expression/overflow") =>
        {
            Verdict::Differs("numbers are finite")
        }
        (Err(_), Some(_))
            if ["Australia", "US/", "America", "Asia"].iter().any(|zone| text.contains(zone)) =>
        {
            Verdict::Differs("time zones are offsets")
        }
        (Ok(Some(_)), None) if text.starts_with("math.") => Verdict::Differs("rounding accepts integers"),
        _ => Verdict::Fails,
    };
    (verdict, note)
}

fn foreign(case: &Json, text: &str) -> Option<&'static str> {
    let suite = case["suite"].as_str().unwrap_or("");
    let first = suite.split('/').next().unwrap_or("");
    let bytes = ["b'", "b\"", "B'", "B\"", "bytes"].iter().any(|part| text.contains(part));
    Some(match first {
        "optionals" => "optional values",
        "macros2" => "macros with two variables",
        "block_ext" | "bindings_ext" => "cel.block and cel.bind",
        "encoders_ext" => "base64",
        "enums" | "proto2" | "proto3" | "proto2_ext" | "wrappers" | "dynamic" => "Protocol Buffers",
        _ if case["container"].is_string() || text.contains("TestAllTypes") => "Protocol Buffers",
        _ if case["checkOnly"] == json!(true) => "the checker alone",
        _ if text.contains("google.protobuf") && text.contains('{') => "Protocol Buffers",
        _ if bytes => "bytes",
        _ if text.contains("uint") || is_unsigned(text) => "unsigned numbers",
        _ => return None,
    })
}

fn is_unsigned(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(2).any(|pair| pair[0].is_ascii_hexdigit() && matches!(pair[1], b'u' | b'U')) && {
        let mut parts = text.split(|c: char| !c.is_ascii_alphanumeric());
        parts.any(|part| part.starts_with(|c: char| c.is_ascii_digit()) && part.ends_with(['u', 'U']))
    }
}

fn evaluate(text: &str, scope: &Json) -> Result<Option<Json>, String> {
    let roots: Vec<&str> = scope.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let parsed = parse(text, Syntax::CEL);
    if let Some(error) = parsed.errors.first() {
        return Err(error.code.slug().to_owned());
    }
    let program = Program::compile(&parsed.ast, &mut Roots::new(&roots))
        .map_err(|errors| errors[0].code.slug().to_owned())?;
    let scope = JsonSource::new(root_values(scope));
    let arena = ExpressionArena::new();
    let outcome =
        program.evaluate(&scope, &arena, Limits::default()).map_err(|error| error.code.slug().to_owned())?;
    outcome.to_json().map_err(|error| error.code.slug().to_owned())
}

fn plain(value: &Json) -> Option<Json> {
    let (kind, inner) = value.as_object()?.iter().next()?;
    Some(match kind.as_str() {
        "nullValue" => Json::Null,
        "boolValue" | "stringValue" => inner.clone(),
        "int64Value" => json!(inner.as_str()?.parse::<i64>().ok()?),
        "doubleValue" => json!(
            inner
                .as_f64()
                .or_else(|| inner.as_str()?.parse().ok())
                .filter(|number: &f64| number.is_finite())?
        ),
        "typeValue" => inner.clone(),
        "listValue" => {
            inner["values"].as_array().into_iter().flatten().map(plain).collect::<Option<Vec<_>>>()?.into()
        }
        "mapValue" => {
            let mut map = serde_json::Map::new();
            for entry in inner["entries"].as_array().into_iter().flatten() {
                let key = plain(&entry["key"])?;
                map.insert(
                    key.as_str().map_or_else(|| key.to_string(), str::to_owned),
                    plain(&entry["value"])?,
                );
            }
            map.into()
        }
        "objectValue"
            if inner["@type"].as_str()?.ends_with("protobuf.Duration")
                || inner["@type"].as_str()?.ends_with("protobuf.Timestamp") =>
        {
            inner["value"].clone()
        }
        _ => return None,
    })
}

fn same(a: &Json, b: &Json) -> bool {
    match (a, b) {
        // The test file's parser can be wrong in the last digit.
        (Json::Number(a), Json::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
            (a - b).abs() <= a.abs() * 1e-15
        }
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}
