//! What the results of a server mean: a page of its tools, the value of a call.
//!
//! Decides which part of a result is the value. Knows nothing of how the result came.
//!
//! Invariant: text stays text. A tool that answers `{"a": 1}` as text gives text; only structured content is structure.
//!
//! Source: the specification's server/tools.

use super::mirror::{self, Mirror};
use serde_json::{Value, json};
use stepgraph_core::tool::{ToolError, ToolFault, ToolInfo};

/// One page of a list of tools.
#[derive(Debug, Default, PartialEq)]
pub struct Page {
    /// The tools, each with the arguments to be repeated in headers.
    pub tools: Vec<(ToolInfo, Vec<Mirror>)>,
    /// Tools that must not be offered: name, and why.
    pub dropped: Vec<(String, String)>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// Reads a page. `server` becomes part of every tool; `modern` minds the annotations for headers.
pub fn page(result: &Value, server: &str, modern: bool) -> Result<Page, ToolError> {
    let bad = |message: &str| ToolError::new(ToolFault::BadReply, message.to_owned());
    let tools = result
        .get("tools")
        .and_then(Value::as_array)
        .ok_or_else(|| bad("the list of tools holds no `tools`"))?;
    let mut page = Page { next: next(result, modern), ..Page::default() };
    for tool in tools {
        let tool = info(tool, server).ok_or_else(|| bad("the list of tools holds one without a name"))?;
        match mirror::mirrors(&tool.input_schema) {
            Ok(mirrors) => page.tools.push((tool, mirrors)),
            // Annotations mean nothing to an older server.
            Err(_) if !modern => page.tools.push((tool, Vec::new())),
            Err(reason) => page.dropped.push((tool.name, reason)),
        }
    }
    Ok(page)
}

/// An empty cursor is one in the modern era; older servers write it for "no more".
fn next(result: &Value, modern: bool) -> Option<String> {
    let cursor = result.get("nextCursor").and_then(Value::as_str)?;
    (modern || !cursor.is_empty()).then(|| cursor.to_owned())
}

fn info(tool: &Value, server: &str) -> Option<ToolInfo> {
    let object = |key: &str| tool.get(key).filter(|value| value.is_object()).cloned();
    let text = |key: &str| tool.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(ToolInfo {
        name: text("name").filter(|name| !name.is_empty())?,
        description: text("description").or_else(|| text("title")),
        input_schema: object("inputSchema").unwrap_or_else(|| json!({"type": "object"})),
        output_schema: object("outputSchema"),
        annotations: object("annotations"),
        server: Some(server.to_owned()),
    })
}

/// The value of a call: structured content if there is any, else the text, else the list of contents.
///
/// Several texts become one, joined by line breaks; no content at all is `null`.
pub fn value(mut result: Value) -> Result<Value, ToolError> {
    match result.get("resultType").map(|kind| kind.as_str().unwrap_or_default()) {
        None | Some("complete") => {}
        Some("input_required") => {
            let message = "the tool asks a question back, and nobody here can answer it";
            return Err(ToolError::new(ToolFault::InputRequired, message));
        }
        Some(other) => {
            let message = format!("the result is of the unknown type `{other}`");
            return Err(ToolError::new(ToolFault::BadReply, message));
        }
    }
    let mut take = |key: &str| result.as_object_mut().and_then(|map| map.shift_remove(key));
    let (structured, content, failed) = (take("structuredContent"), take("content"), take("isError"));
    let content = match content {
        Some(Value::Array(content)) => content,
        None if structured.is_some() => Vec::new(),
        _ => return Err(ToolError::new(ToolFault::BadReply, "the result of the tool holds no `content`")),
    };
    if failed == Some(Value::Bool(true)) {
        return Err(ToolError::new(ToolFault::Failed, failure(&content, structured)));
    }
    // A null beside content is how some older servers say that there is no structure.
    Ok(match structured {
        Some(value) if !value.is_null() || content.is_empty() => value,
        _ => plain(content),
    })
}

fn plain(content: Vec<Value>) -> Value {
    if content.is_empty() {
        return Value::Null;
    }
    let texts: Option<Vec<&str>> = content.iter().map(text).collect();
    match texts {
        Some(texts) => Value::String(texts.join("\n")),
        None => Value::Array(content),
    }
}

fn text(part: &Value) -> Option<&str> {
    (part.get("type").and_then(Value::as_str) == Some("text"))
        .then(|| part.get("text").and_then(Value::as_str))?
}

/// What the tool says of its failure: the texts, else whatever it gave.
fn failure(content: &[Value], structured: Option<Value>) -> String {
    let texts: Vec<&str> = content.iter().filter_map(text).collect();
    match (texts.is_empty(), structured) {
        (false, _) => texts.join("\n"),
        (true, Some(value)) if !value.is_null() => value.to_string(),
        (true, _) => "the tool failed and gives no reason".to_owned(),
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
                Err(("tool/failed", "the tool failed and gives no reason")),
            ),
            (
                json!({"content": [], "structuredContent": {"e": 1}, "isError": true}),
                Err(("tool/failed", "{\"e\":1}")),
            ),
            (json!({"resultType": "input_required"}), Err(("mcp/input-required", ""))),
            (
                json!({"resultType": "task", "content": []}),
                Err(("tool/bad-reply", "the result is of the unknown type `task`")),
            ),
            (json!({}), Err(("tool/bad-reply", ""))),
            (json!({"content": "a"}), Err(("tool/bad-reply", ""))),
            (json!(null), Err(("tool/bad-reply", ""))),
            (json!([]), Err(("tool/bad-reply", ""))),
        ] {
            let shown = result.to_string();
            match (value(result), expect) {
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
    fn pages() {
        let annotated = json!({"properties": {"a": {"type": "number", "x-mcp-header": "A"}}});
        let result = json!({"tools": [
            {"name": "a", "title": "A", "inputSchema": {"type": "object"}, "outputSchema": {}, "annotations": {"x": 1}},
            {"name": "b", "inputSchema": annotated},
        ], "nextCursor": ""});
        let modern = page(&result, "s", true).unwrap();
        let names = |page: &Page| page.tools.iter().map(|(tool, _)| tool.name.clone()).collect::<Vec<_>>();
        assert_eq!((names(&modern), modern.next.as_deref()), (vec!["a".to_owned()], Some("")));
        assert_eq!(modern.dropped.first().map(|(name, _)| name.as_str()), Some("b"));
        let first = &modern.tools.first().unwrap().0;
        assert_eq!((first.description.as_deref(), first.server.as_deref()), (Some("A"), Some("s")));
        let legacy = page(&result, "s", false).unwrap();
        assert_eq!((names(&legacy), legacy.next), (vec!["a".to_owned(), "b".to_owned()], None));
    }

    #[test]
    fn bad_pages() {
        for result in [
            json!({}),
            json!({"tools": {}}),
            json!({"tools": [{}]}),
            json!({"tools": [{"name": ""}]}),
            json!(1),
        ] {
            assert_eq!(page(&result, "s", true).unwrap_err().code(), "tool/bad-reply", "{result}");
        }
        let odd =
            page(&json!({"tools": [{"name": "a", "inputSchema": 3}], "nextCursor": 4}), "s", true).unwrap();
        assert_eq!((odd.tools.len(), odd.next), (1, None));
    }
}
