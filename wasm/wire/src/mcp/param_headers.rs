//! Arguments that a server wants repeated in headers (`x-mcp-header`, modern era).
//!
//! Invariant: every name and value from here is a valid header.
//!
//! Source: 2026-07-28, transports, custom headers from tool parameters.

use serde_json::Value;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::value::number_text;

/// An argument to repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamHeader {
    /// The property names from the root.
    pub path: Vec<String>,
    /// Excludes `Mcp-Param-`.
    pub header: String,
}

/// Returns an input schema's annotations. A tool with invalid ones is unavailable.
pub fn param_headers(schema: &Value) -> Result<Vec<ParamHeader>, String> {
    let mut headers = Vec::new();
    collect(schema, Some(&mut Vec::new()), &mut headers)?;
    Ok(headers)
}

/// Returns a call's headers.
pub fn headers(mirrors: &[ParamHeader], arguments: &Value) -> Vec<(String, String)> {
    let header = |mirror: &ParamHeader| {
        let value = mirror.path.iter().try_fold(arguments, |value, key| value.get(key))?;
        Some((
            format!("mcp-param-{}", mirror.header.to_ascii_lowercase()),
            encode_value(&header_text(value)?),
        ))
    };
    mirrors.iter().filter_map(header).collect_vec()
}

/// Puts text that is not safe in a header into Base64 between `=?base64?` and `?=`.
pub fn encode_value(text: &str) -> String {
    let printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let is_cache_breakpoint = text.starts_with("=?base64?") && text.ends_with("?=");
    if printable && !is_cache_breakpoint && text == text.trim() {
        return text.to_owned();
    }
    format!("=?base64?{}?=", base64(text.as_bytes()))
}

const ANNOTATION: &str = "x-mcp-header";
/// Annotations in plain data don't count.
const DATA: [&str; 5] = ["const", "enum", "default", "examples", "required"];
/// Maps from custom names to schemas.
const NAMED: [&str; 5] = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// `path` leads through `properties`. `None` if other keywords lie between.
fn collect(
    schema: &Value,
    mut path: Option<&mut Vec<String>>,
    headers: &mut Vec<ParamHeader>,
) -> Result<(), String> {
    match schema {
        Value::Array(list) => list.iter().try_for_each(|part| collect(part, None, headers)),
        Value::Object(map) => {
            if let Some(name) = map.get(ANNOTATION) {
                headers.push(add_param_header(name, map.get("type"), path.as_deref(), headers)?);
            }
            for (key, value) in map {
                match (value.as_object(), path.as_deref_mut()) {
                    _ if DATA.contains(&key.as_str()) => {}
                    (Some(schemas), Some(path)) if key == "properties" => {
                        for (name, schema) in schemas {
                            path.push(name.clone());
                            collect(schema, Some(&mut *path), headers)?;
                            path.pop();
                        }
                    }
                    (Some(schemas), _) if NAMED.contains(&key.as_str()) => {
                        schemas.values().try_for_each(|schema| collect(schema, None, headers))?;
                    }
                    _ => collect(value, None, headers)?,
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn add_param_header(
    name: &Value,
    kind: Option<&Value>,
    path: Option<&Vec<String>>,
    headers: &[ParamHeader],
) -> Result<ParamHeader, String> {
    let Some(name) = name.as_str().filter(|name| is_token(name)) else {
        return Err(format!("`{ANNOTATION}` is {name}, which is no header name"));
    };
    let Some(path) = path.filter(|path| !path.is_empty()) else {
        return Err(format!("`{ANNOTATION}: {name}` is not on a property that every call can have"));
    };
    if !matches!(kind.and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
        return Err(format!("`{ANNOTATION}: {name}` is on a property that is no string, integer or boolean"));
    }
    if headers.iter().any(|other| other.header.eq_ignore_ascii_case(name)) {
        return Err(format!("`{ANNOTATION}: {name}` occurs twice"));
    }
    Ok(ParamHeader { path: path.clone(), header: name.to_owned() })
}

fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// `None` for values that no header repeats.
fn header_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) => Some(value.to_string()),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        // JavaScript prints integral numbers without `.0`. Other sources may not.
        Value::Number(number) => number.as_f64().filter(|n| n.fract() == 0.0).map(number_text),
        _ => None,
    }
}

pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |group: u32, at: u32| {
        char::from(ALPHABET.get((group >> (18 - 6 * at) & 63) as usize).copied().unwrap_or(b'='))
    };
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            text.push(if at as usize <= chunk.len() { digit(group, at) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn annotations() {
        let at = |name: &str, kind: &str| json!({"type": kind, "x-mcp-header": name});
        let object = |properties: Value| json!({"type": "object", "properties": properties});
        for (schema, expect) in [
            (json!({}), Ok(vec![])),
            (json!(true), Ok(vec![])),
            (object(json!({"a": at("A", "string")})), Ok(vec![("a", "A")])),
            (
                object(json!({"a": object(json!({"b": at("B", "integer")})), "c": at("C", "boolean")})),
                Ok(vec![("a.b", "B"), ("c", "C")]),
            ),
            (object(json!({"x-mcp-header": {"type": "string"}})), Ok(vec![])),
            (
                object(json!({"a": {"default": {"x-mcp-header": 1}, "enum": [{"x-mcp-header": 1}]}})),
                Ok(vec![]),
            ),
            (object(json!({"a": at("", "string")})), Err("no header name")),
            (object(json!({"a": at("a b", "string")})), Err("no header name")),
            (object(json!({"a": {"type": "string", "x-mcp-header": 7}})), Err("no header name")),
            (object(json!({"a": at("A", "number")})), Err("no string")),
            (object(json!({"a": at("A", "object")})), Err("no string")),
            (object(json!({"a": {"x-mcp-header": "A"}})), Err("no string")),
            (object(json!({"a": at("A", "string"), "b": at("a", "string")})), Err("twice")),
            (at("A", "string"), Err("not on a property")),
            (object(json!({"a": {"type": "array", "items": at("A", "string")}})), Err("not on a property")),
            (json!({"oneOf": [object(json!({"a": at("A", "string")}))]}), Err("not on a property")),
            (json!({"$defs": {"d": at("A", "string")}}), Err("not on a property")),
        ] {
            let headers = param_headers(&schema);
            match (&headers, expect) {
                (Ok(headers), Ok(expect)) => {
                    let found: Vec<(String, &str)> =
                        headers.iter().map(|m| (m.path.join("."), m.header.as_str())).collect();
                    let expect: Vec<(String, &str)> =
                        expect.into_iter().map(|(p, h)| (p.to_owned(), h)).collect();
                    assert_eq!(found, expect, "{schema}");
                }
                (Err(found), Err(expect)) => assert!(found.contains(expect), "{found} for {schema}"),
                _ => panic!("{headers:?} for {schema}"),
            }
        }
    }

    #[test]
    fn values() {
        let one = [ParamHeader { path: vec!["a".into(), "b".into()], header: "B".into() }];
        for (value, expect) in [
            (json!("x"), Some("x")),
            (json!(-7), Some("-7")),
            (json!(3.0), Some("3")),
            (json!(true), Some("true")),
            (json!(""), Some("")),
            (json!(3.5), None),
            (Value::Null, None),
            (json!([1]), None),
        ] {
            let headers = headers(&one, &json!({"a": {"b": value}}));
            assert_eq!(headers.first().map(|(_, value)| value.as_str()), expect);
            assert!(headers.iter().all(|(name, _)| name == "mcp-param-b"));
        }
        assert!(headers(&one, &json!({"a": 1})).is_empty());
    }

    #[test]
    fn encodings() {
        for (text, expect) in [
            ("plain text", "plain text"),
            (" edge", "=?base64?IGVkZ2U=?="),
            ("a\nb", "=?base64?YQpi?="),
            ("Zürich", "=?base64?WsO8cmljaA==?="),
            ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
            ("日本語", "=?base64?5pel5pys6Kqe?="),
        ] {
            assert_eq!(encode_value(text), expect, "{text}");
        }
    }
}
