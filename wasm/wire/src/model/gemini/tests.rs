//! Requests to and replies of Gemini's API.

#![expect(clippy::needless_pass_by_value, reason = "what a case is made of reads better as a value")]

use super::super::test_support::{
    body, conversation, options, reasoning, reply_to, reply_to_stream, request, text, with_tools,
};
use serde_json::{Value as Json, json};
use stepgraph_core::model::{
    ChatReply, ChatRequest, FinishReason, Message, Role, ToolCall, ToolChoice, Usage,
};

const FORMAT: &str = "gemini";

#[test]
fn requests() {
    let mut chat = with_tools();
    let sent = request(options(FORMAT), &chat, true);
    assert_eq!(sent.url, "http://host:1/v1/models/small:streamGenerateContent?alt=sse");
    assert_eq!(sent.header("x-goog-api-key"), Some("sk-marker-key"));
    for (model, path) in [
        ("models/a-1.5_b", "models/a-1.5_b"),
        ("tunedModels/x", "tunedModels/x"),
        ("../files/a?key=b#c", "models/.._files_a_key_b_c"),
        ("models/../x", "models/.._x"),
    ] {
        chat.model = Some(model.into());
        assert_eq!(
            request(options(FORMAT), &chat, false).url,
            format!("http://host:1/v1/{path}:generateContent")
        );
    }
    let contents = json!([{"role": "user", "parts": [{"text": "hi"}]}]);
    let tools = json!([{"functionDeclarations": [
        {"name": "f", "description": "does", "parametersJsonSchema": {"type": "object", "properties": {"a": {"type": "number"}}}},
        {"name": "g"},
    ]}]);
    assert_eq!(body(options(FORMAT), &chat), json!({"contents": contents, "tools": tools}));
    for (choice, expect) in [
        (ToolChoice::Auto, None),
        (ToolChoice::None, Some(json!({"functionCallingConfig": {"mode": "NONE"}}))),
        (ToolChoice::Required, Some(json!({"functionCallingConfig": {"mode": "ANY"}}))),
        (
            ToolChoice::Named("f".into()),
            Some(json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}})),
        ),
    ] {
        chat.tool_choice = choice;
        assert_eq!(body(options(FORMAT), &chat).get("toolConfig"), expect.as_ref());
    }
    // The tools must not be called, so only the schema is sent.
    chat.tool_choice = ToolChoice::None;
    chat.schema = Some(json!({"type": "object"}));
    let sent = body(options(FORMAT), &chat);
    assert!(sent.get("tools").is_none() && sent.get("toolConfig").is_none(), "{sent}");
    chat.tools.clear();
    chat.max_tokens = Some(5);
    chat.temperature = Some(0.5);
    chat.schema = Some(json!({"type": "object", "properties": {"a": {"const": 1}}}));
    let schema = json!({"type": "object", "properties": {"a": {"enum": [1]}}});
    let config = json!({"maxOutputTokens": 5, "temperature": 0.5, "responseMimeType": "application/json", "responseJsonSchema": schema});
    assert_eq!(body(options(FORMAT), &chat), json!({"contents": contents, "generationConfig": config}));
}

#[test]
fn conversations() {
    let mut chat = conversation();
    let answers = json!({"role": "user", "parts": [
        {"functionResponse": {"name": "f", "response": {"output": "one"}}},
        {"functionResponse": {"name": "g", "response": {"error": "no"}}},
    ]});
    let model = json!({"role": "model", "parts": [
        {"text": "let me see"},
        {"functionCall": {"name": "f", "args": {"a": 1}}},
        {"functionCall": {"name": "g", "args": {"not_json": "{a"}}},
    ]});
    let hi = json!({"role": "user", "parts": [{"text": "hi"}]});
    let system = json!({"parts": [{"text": "be brief"}]});
    assert_eq!(
        body(options(FORMAT), &chat),
        json!({"contents": [hi, model, answers], "systemInstruction": system})
    );
    let stored = json!([{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"}]);
    chat.messages[2].provider = Some(json!({"gemini": stored}));
    assert_eq!(body(options(FORMAT), &chat)["contents"][1]["parts"], stored);
    let silent = ChatRequest { messages: vec![Message::new(Role::User, "")], ..ChatRequest::default() };
    assert_eq!(body(options(FORMAT), &silent), json!({"contents": []}));
}

fn call(id: &str, arguments: Json) -> ToolCall {
    ToolCall { id: id.into(), name: "f".into(), arguments }
}

fn chunk(parts: Json, reason: Option<&str>) -> Json {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]})
}

#[test]
fn replies() {
    let mut counted = chunk(json!([{"text": "a"}]), Some("STOP"));
    counted["usageMetadata"] = json!({"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 4, "cachedContentTokenCount": 6});
    let usage = Some(Usage {
        input: 9,
        output: 6,
        cached_input: 6,
        cache_write_input: 0,
        reasoning_output: 4,
        micro_usd: None,
    });
    let signed = json!([{"functionCall": {"name": "f", "args": {"x": 1}}, "thoughtSignature": "s"}]);
    for (body, expect) in [
        (
            chunk(json!([{"text": "hm", "thought": true}, {"text": "a"}, {"text": "b"}]), Some("STOP")),
            ChatReply::new("ab"),
        ),
        (counted, ChatReply { usage, ..ChatReply::new("a") }),
        (
            chunk(json!([{"text": "a"}]), Some("MAX_TOKENS")),
            ChatReply { finish: FinishReason::Length, ..ChatReply::new("a") },
        ),
        (
            chunk(json!([{"text": "a"}]), Some("LANGUAGE")),
            ChatReply { finish: FinishReason::Other, ..ChatReply::new("a") },
        ),
        (
            json!({"candidates": [{"finishReason": "SAFETY"}]}),
            ChatReply { finish: FinishReason::Filtered, ..ChatReply::new("") },
        ),
        (
            chunk(
                json!([{"functionCall": {"name": "f"}}, {"functionCall": {"id": "own", "name": "f", "args": {"x": 1}}}]),
                Some("STOP"),
            ),
            ChatReply {
                finish: FinishReason::ToolCalls,
                tool_calls: vec![call("call_0_0", json!({})), call("own", json!({"x": 1}))],
                ..ChatReply::new("")
            },
        ),
        (
            chunk(signed.clone(), Some("FUNCTION_CALL")),
            ChatReply {
                finish: FinishReason::ToolCalls,
                tool_calls: vec![call("call_0_0", json!({"x": 1}))],
                provider: Some(json!({"gemini": signed})),
                ..ChatReply::new("")
            },
        ),
    ] {
        assert_eq!(reply_to(FORMAT, 200, &body.to_string()).as_ref(), Ok(&expect), "{body}");
    }
    let refused = |status: &str| json!({"error": {"code": 400, "status": status, "message": "m"}});
    for (status, body, code) in [
        (200, json!({}), "model/bad-reply"),
        (200, json!({"candidates": []}), "model/bad-reply"),
        (200, json!({"candidates": [{}]}), "model/bad-reply"),
        (200, json!({"promptFeedback": {"blockReason": "SAFETY"}}), "model/refused"),
        (200, json!([refused("RESOURCE_EXHAUSTED")]), "model/refused"),
        (
            429,
            json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m"}}),
            "model/rate-limited",
        ),
        (503, json!([{"error": {"code": 503, "status": "UNAVAILABLE", "message": "m"}}]), "model/overloaded"),
    ] {
        assert_eq!(reply_to(FORMAT, status, &body.to_string()).unwrap_err().code(), code, "{body}");
    }
}

#[test]
fn streams() {
    let mut last = chunk(json!([{"text": "", "thoughtSignature": "s"}]), Some("STOP"));
    last["usageMetadata"] = json!({"promptTokenCount": 3, "candidatesTokenCount": 2});
    let (deltas, reply) = reply_to_stream(
        FORMAT,
        &[
            chunk(json!([{"text": "hm", "thought": true}]), None),
            chunk(json!([{"text": "ä€"}]), None),
            chunk(json!([{"text": "😀"}, {"functionCall": {"name": "f", "args": {"x": 1}}}]), None),
            chunk(json!([{"functionCall": {"name": "f", "args": {"x": 2}}}]), None),
            json!({"usageMetadata": {"promptTokenCount": 3}}),
            last,
        ],
    );
    let called = |index: u64, arguments: &str| json!({"type": "tool-call", "index": index, "name": "f", "arguments": arguments});
    assert_eq!(
        deltas,
        [reasoning("hm"), text("ä€"), text("😀"), called(0, "{\"x\":1}"), called(1, "{\"x\":2}")]
    );
    let stored = json!([
        {"text": "hm", "thought": true},
        {"text": "ä€😀"},
        {"functionCall": {"name": "f", "args": {"x": 1}}},
        {"functionCall": {"name": "f", "args": {"x": 2}}},
        {"text": "", "thoughtSignature": "s"},
    ]);
    let expect = ChatReply {
        finish: FinishReason::ToolCalls,
        tool_calls: vec![call("call_0_0", json!({"x": 1})), call("call_0_1", json!({"x": 2}))],
        usage: Some(Usage { input: 3, output: 2, ..Usage::default() }),
        provider: Some(json!({"gemini": stored})),
        ..ChatReply::new("ä€😀")
    };
    assert_eq!(reply, Ok(expect));
    for (events, code) in [
        (vec![chunk(json!([{"text": "a"}]), None)], "model/unreachable"),
        (vec![json!({"promptFeedback": {"blockReason": "SAFETY"}})], "model/refused"),
        (vec![json!({"error": {"code": 503, "status": "UNAVAILABLE"}})], "model/overloaded"),
    ] {
        assert_eq!(reply_to_stream(FORMAT, &events).1.unwrap_err().code(), code, "{events:?}");
    }
}
