//! Decides which part of a server's result is the value: tool lists and values of calls.
//!
//! Invariant: text stays text, even `{"a": 1}`. Only structured content yields structure.
//!
//! Source: the specification's server/tools.

use super::param_headers::{self, ParamHeader};
use serde_json::{Value, json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::tool::{ToolError, ToolErrorKind, ToolInfo};

/// A list of tools.
#[derive(Debug, Default, PartialEq)]
pub struct ToolList {
    /// Each with the arguments to repeat in headers. Unavailable tools carry the reason.
    pub tools: Vec<(ToolInfo, Vec<ParamHeader>)>,
}

const MAX_REASON_CHARS: usize = 200;

/// `server` is the server name of every tool. Header annotations count only if `modern`.
pub fn parse_tool_list(result: &Value, server: &str, modern: bool) -> Result<ToolList, ToolError> {
    let bad = |message: &str| ToolError::new(ToolErrorKind::BadReply, message.to_owned());
    let list = result
        .get("tools")
        .and_then(Value::as_array)
        .ok_or_else(|| bad("the list of tools contains no `tools`"))?;
    let mut tools = ToolList::default();
    for tool in list {
        let needs_task = runs_as_task_only(tool);
        let mut tool =
            tool_info(tool, server).ok_or_else(|| bad("the list of tools contains one without a name"))?;
        let mirrors = match param_headers::param_headers(&tool.input_schema) {
            Ok(mirrors) => mirrors,
            Err(_) if !modern => Vec::new(),
            Err(reason) => {
                tool.unavailable = Some(reason.chars().take(MAX_REASON_CHARS).collect());
                Vec::new()
            }
        };
        if needs_task {
            tool.unavailable = Some("it runs only as a task of MCP, and this client starts none".to_owned());
        }
        tools.tools.push((tool, mirrors));
    }
    Ok(tools)
}

/// This client starts no tasks.
///
/// Source: 2025-11-25, basic/utilities/tasks, tool-level negotiation.
fn runs_as_task_only(tool: &Value) -> bool {
    let support = tool.get("execution").and_then(|execution| execution.get("taskSupport"));
    support.and_then(Value::as_str) == Some("required")
}

fn tool_info(tool: &Value, server: &str) -> Option<ToolInfo> {
    let object = |key: &str| tool.get(key).filter(|value| value.is_object()).cloned();
    let text = |key: &str| tool.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(ToolInfo {
        name: text("name").filter(|name| !name.is_empty())?,
        description: text("description").or_else(|| text("title")),
        input_schema: object("inputSchema").unwrap_or_else(|| json!({"type": "object"})),
        output_schema: object("outputSchema"),
        // Annotations of another type make the tool count as destructive.
        annotations: tool.get("annotations").filter(|value| !value.is_null()).cloned(),
        server: Some(server.to_owned()),
        unavailable: None,
    })
}

/// Whether the server needs input before the result.
pub fn needs_input(result: &Value) -> Result<bool, ToolError> {
    match result.get("resultType").map(|kind| kind.as_str().unwrap_or_default()) {
        None | Some("complete") => Ok(false),
        Some("input_required") => Ok(true),
        Some(other) => {
            let message = format!("the result is of the unknown type `{other}`");
            Err(ToolError::new(ToolErrorKind::BadReply, message))
        }
    }
}

/// Returns structured content, else the texts joined by line breaks, else the list of contents. No content is
/// `null`.
pub fn call_value(mut result: Value) -> Result<Value, ToolError> {
    let mut take = |key: &str| result.as_object_mut().and_then(|map| map.shift_remove(key));
    let (structured, content, failed) = (take("structuredContent"), take("content"), take("isError"));
    let bad = |message: &str| Err(ToolError::new(ToolErrorKind::BadReply, message));
    let failed = match failed {
        None | Some(Value::Null) => false,
        Some(Value::Bool(failed)) => failed,
        // It is unclear whether the tool succeeded.
        Some(_) => return bad("`isError` in the result of the tool is neither true nor false"),
    };
    let content = match content {
        Some(Value::Array(content)) => content,
        None if structured.is_some() || failed => Vec::new(),
        _ => return bad("the result of the tool contains no `content`"),
    };
    if content.iter().any(|part| part.get("type").is_none_or(|kind| !kind.is_string())) {
        return bad("a part of the tool's `content` has no `type`");
    }
    if failed {
        return Err(ToolError::new(ToolErrorKind::Failed, failure_message(&content, structured)));
    }
    // Some older servers send null next to content.
    Ok(match structured {
        Some(value) if !value.is_null() || content.is_empty() => value,
        _ => plain_content(content),
    })
}

fn plain_content(content: Vec<Value>) -> Value {
    if content.is_empty() {
        return Value::Null;
    }
    let texts: Option<Vec<&str>> = content.iter().map(content_text).collect();
    match texts {
        Some(texts) => Value::String(texts.join("\n")),
        None => Value::Array(content),
    }
}

fn content_text(part: &Value) -> Option<&str> {
    (part.get("type").and_then(Value::as_str) == Some("text"))
        .then(|| part.get("text").and_then(Value::as_str))?
}

fn failure_message(content: &[Value], structured: Option<Value>) -> String {
    let texts: Vec<&str> = content.iter().filter_map(content_text).collect_vec();
    match (texts.is_empty(), structured) {
        (false, _) => texts.join("\n"),
        (true, Some(value)) if !value.is_null() => value.to_string(),
        (true, _) => "the tool failed without a reason".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let text = |text: &str| json!({"type": "text", "text": text});
        let image = || json!({"type": "image", "data": "", "mimeType": "image/png"});
        for (result, expect) in [
            (json!({"content": [text("a")]}), Ok(json!("a"))),
            (json!({"content": [text("{\"a\": 1}")]}), Ok(json!("{\"a\": 1}"))),
            (json!({"content": [text("a"), text("b")]}), Ok(json!("a\nb"))),
            (json!({"content": [text("a"), image()]}), Ok(json!([text("a"), image()]))),
            (json!({"content": [{"type": "new"}]}), Ok(json!([{"type": "new"}]))),
            (json!({"content": []}), Ok(Value::Null)),
            (json!({"content": [text("a")], "structuredContent": {"a": 1}}), Ok(json!({"a": 1}))),
            (json!({"content": [text("a")], "structuredContent": 0}), Ok(json!(0))),
            (json!({"content": [text("a")], "structuredContent": null}), Ok(json!("a"))),
            (json!({"structuredContent": [1]}), Ok(json!([1]))),
            (json!({"content": [text("a")], "resultType": "complete", "isError": false}), Ok(json!("a"))),
            (json!({"content": [text("no"), image()], "isError": true}), Err(("tool/failed", "no"))),
            (
                json!({"content": [], "isError": true}),
                Err(("tool/failed", "the tool failed without a reason")),
            ),
            (
                json!({"content": [], "structuredContent": {"e": 1}, "isError": true}),
                Err(("tool/failed", "{\"e\":1}")),
            ),
            (json!({"isError": true}), Err(("tool/failed", "the tool failed without a reason"))),
            (json!({"content": [text("a")], "isError": null}), Ok(json!("a"))),
            (json!({"content": [text("a")], "isError": "false"}), Err(("tool/bad-reply", ""))),
            (json!({"content": [text("a")], "isError": 1}), Err(("tool/bad-reply", ""))),
            (json!({"content": [null, 5]}), Err(("tool/bad-reply", ""))),
            (json!({"content": [text("a"), {"text": "b"}]}), Err(("tool/bad-reply", ""))),
            (json!({}), Err(("tool/bad-reply", ""))),
            (json!({"content": "a"}), Err(("tool/bad-reply", ""))),
            (json!(null), Err(("tool/bad-reply", ""))),
            (json!([]), Err(("tool/bad-reply", ""))),
        ] {
            let shown = result.to_string();
            match (call_value(result), expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{shown}"),
                (Err(found), Err((code, message))) => {
                    assert_eq!(found.code(), code, "{shown}");
                    assert!(message.is_empty() || found.message == message, "{found} for {shown}");
                }
                (found, _) => panic!("{found:?} for {shown}"),
            }
        }
    }

    #[test]
    fn input_requests() {
        for (result, expect) in [
            (json!({"resultType": "input_required"}), Ok(true)),
            (json!({"resultType": "complete"}), Ok(false)),
            (json!({}), Ok(false)),
            (json!([]), Ok(false)),
            (json!({"resultType": "task"}), Err("tool/bad-reply")),
            (json!({"resultType": 1}), Err("tool/bad-reply")),
        ] {
            assert_eq!(needs_input(&result).map_err(|error| error.code()), expect, "{result}");
        }
    }

    #[test]
    fn lists_of_tools() {
        let annotated = json!({"properties": {"a": {"type": "number", "x-mcp-header": "A"}}});
        let result = json!({"tools": [
            {"name": "a", "title": "A", "inputSchema": {"type": "object"}, "outputSchema": {}, "annotations": {"x": 1}},
            {"name": "b", "inputSchema": annotated, "annotations": {"idempotentHint": true}},
            {"name": "c", "inputSchema": {}, "execution": {"taskSupport": "required"}},
            {"name": "d", "inputSchema": {}, "execution": {"taskSupport": "optional"}},
        ]});
        let modern = parse_tool_list(&result, "s", true).unwrap();
        let names = |list: &ToolList| {
            let callable = list.tools.iter().filter(|(tool, _)| tool.unavailable.is_none());
            callable.map(|(tool, _)| tool.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&modern), ["a", "d"]);
        assert_eq!(modern.tools.len(), 4, "what can't be called is listed with the reason");
        let first = &modern.tools.first().unwrap().0;
        assert_eq!((first.description.as_deref(), first.server.as_deref()), (Some("A"), Some("s")));
        let legacy = parse_tool_list(&result, "s", false).unwrap();
        assert_eq!(names(&legacy), ["a", "b", "d"]);
        let repeatable: Vec<bool> = legacy.tools.iter().map(|(tool, _)| tool.is_repeatable()).collect();
        assert_eq!(repeatable, [false, true, false, false]);
    }

    #[test]
    fn invalid_lists() {
        for result in [
            json!({}),
            json!({"tools": {}}),
            json!({"tools": [{}]}),
            json!({"tools": [{"name": ""}]}),
            json!(1),
        ] {
            assert_eq!(parse_tool_list(&result, "s", true).unwrap_err().code(), "tool/bad-reply", "{result}");
        }
        let odd = parse_tool_list(&json!({"tools": [{"name": "a", "inputSchema": 3}]}), "s", true).unwrap();
        assert_eq!(odd.tools.len(), 1);
    }
}
