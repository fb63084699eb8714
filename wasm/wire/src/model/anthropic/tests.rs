//! Requests to and replies of Anthropic's Messages API.

use super::super::Options;
use super::super::test_support::{
    body, conversation, options, parse, reasoning, reply_to, reply_to_stream, request, text, with_tools,
};
use serde_json::{Value as Json, json};
use stepgraph_core::model::{
    ChatReply, ChatRequest, FinishReason, Message, Role, ToolCall, ToolChoice, Usage,
};

const FORMAT: &str = "anthropic";

#[test]
fn requests() {
    let mut chat = with_tools();
    let sent = request(options(FORMAT), &chat, true);
    let headers: Vec<(&str, &str)> = sent.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let always = [
        ("content-type", "application/json"),
        ("x-api-key", "sk-marker-key"),
        ("anthropic-version", "2023-06-01"),
    ];
    assert_eq!((sent.url.as_str(), headers.as_slice()), ("http://host:1/v1/messages", always.as_slice()));
    let page = Options {
        in_page: true,
        headers: vec![("Anthropic-Version".into(), "2026-10-21".into())],
        ..options(FORMAT)
    };
    let sent_by_page = request(page, &chat, false);
    assert_eq!(sent_by_page.header("anthropic-dangerous-direct-browser-access"), Some("true"));
    assert_eq!(sent_by_page.header("anthropic-version"), Some("2026-10-21"));
    assert_eq!(
        parse(sent.body.as_deref().unwrap()),
        json!({
            "model": "small", "max_tokens": 8192, "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
            "tools": [
                {"name": "f", "input_schema": {"type": "object", "properties": {"a": {"type": "number"}}}, "description": "does"},
                {"name": "g", "input_schema": {"type": "object", "properties": {}}},
            ],
            "stream": true,
        })
    );
    for (choice, expect) in [
        (ToolChoice::Auto, None),
        (ToolChoice::None, Some(json!({"type": "none"}))),
        (ToolChoice::Required, Some(json!({"type": "any"}))),
        (ToolChoice::Named("f".into()), Some(json!({"type": "tool", "name": "f"}))),
    ] {
        chat.tool_choice = choice;
        assert_eq!(body(options(FORMAT), &chat).get("tool_choice"), expect.as_ref());
    }
}

#[test]
fn schemas() {
    let with = |schema: Json| {
        let chat = ChatRequest {
            schema: Some(schema),
            max_tokens: Some(7),
            temperature: Some(0.5),
            ..ChatRequest::default()
        };
        body(options(FORMAT), &chat)
    };
    let bounded = json!({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}});
    let deltas = json!({
        "type": "object", "properties": {"a": {"type": "integer", "description": "(minimum: 1)"}}, "additionalProperties": false,
    });
    let format = json!({"format": {"type": "json_schema", "schema": deltas}});
    assert_eq!(
        with(bounded),
        json!({"model": "small", "max_tokens": 7, "temperature": 0.5, "output_config": format, "messages": []})
    );
    // The system text describes a map with arbitrary keys, which can't be enforced.
    let open = json!({"type": "object", "additionalProperties": {"type": "number"}});
    let sent = with(open.clone());
    assert_eq!(sent.get("output_config"), None);
    assert!(sent["system"][0]["text"].as_str().unwrap().ends_with(&open.to_string()));
}

#[test]
fn conversations() {
    let mark = json!({"type": "ephemeral"});
    let expect = json!({
        "model": "small", "max_tokens": 8192,
        "system": [{"type": "text", "text": "be brief", "cache_control": mark}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "let me see"},
                {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
                {"type": "tool_use", "id": "c2", "name": "g", "input": {"not_json": "{a"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "one"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "no", "is_error": true, "cache_control": mark},
            ]},
        ],
    });
    assert_eq!(body(options(FORMAT), &conversation()), expect);
    // Thinking blocks come back unchanged. The block before carries the breakpoint.
    let thinking =
        json!([{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "hm", "signature": "s"}]);
    let kept = |cache| Message {
        provider: Some(json!({"anthropic": thinking})),
        cache,
        ..Message::new(Role::Assistant, "a")
    };
    let chat = |message| ChatRequest { messages: vec![message], ..ChatRequest::default() };
    assert_eq!(body(options(FORMAT), &chat(kept(false)))["messages"][0]["content"], thinking);
    let marked = body(options(FORMAT), &chat(kept(true)))["messages"][0]["content"].clone();
    assert_eq!((&marked[0]["cache_control"], marked[1].get("cache_control")), (&mark, None));
    assert_eq!(body(options(FORMAT), &chat(Message::new(Role::User, "")))["messages"], json!([]));
    let many = ChatRequest {
        messages: (0..9).map(|_| Message { cache: true, ..Message::new(Role::User, "a") }).collect(),
        ..ChatRequest::default()
    };
    assert_eq!(body(options(FORMAT), &many).to_string().matches("cache_control").count(), 4);
}

fn call(arguments: Json) -> ToolCall {
    ToolCall { id: "c".into(), name: "f".into(), arguments }
}

#[test]
fn replies() {
    let one =
        |content: Json, reason: &str| json!({"type": "message", "content": content, "stop_reason": reason});
    let block = |text: &str| json!({"type": "text", "text": text});
    let used = json!({"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}});
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let mut counted = one(json!([block("a")]), "end_turn");
    counted["usage"] = json!({"input_tokens": 1, "output_tokens": 5, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300});
    let usage = Some(Usage {
        input: 321,
        output: 5,
        cached_input: 300,
        cache_write_input: 20,
        reasoning_output: 0,
        micro_usd: None,
    });
    for (body, expect) in [
        (one(json!([block("a"), block("b")]), "end_turn"), ChatReply::new("ab")),
        (one(json!([]), "end_turn"), ChatReply::new("")),
        (one(json!([block("a")]), "stop_sequence"), ChatReply::new("a")),
        (
            one(json!([block("a")]), "max_tokens"),
            ChatReply { finish: FinishReason::Length, ..ChatReply::new("a") },
        ),
        (
            one(json!([block("a")]), "pause_turn"),
            ChatReply { finish: FinishReason::Other, ..ChatReply::new("a") },
        ),
        (counted, ChatReply { usage, ..ChatReply::new("a") }),
        (
            one(json!([block("a"), used]), "tool_use"),
            ChatReply {
                finish: FinishReason::ToolCalls,
                tool_calls: vec![call(json!({"x": 1}))],
                ..ChatReply::new("a")
            },
        ),
        (
            one(json!([thinking, used]), "tool_use"),
            ChatReply {
                finish: FinishReason::ToolCalls,
                tool_calls: vec![call(json!({"x": 1}))],
                provider: Some(json!({"anthropic": [thinking, used]})),
                ..ChatReply::new("")
            },
        ),
    ] {
        assert_eq!(reply_to(FORMAT, 200, &body.to_string()).as_ref(), Ok(&expect), "{body}");
    }
    for (status, body, code) in [
        (200, json!({"content": "a"}), "model/bad-reply"),
        (200, one(json!([block("I can't")]), "refusal"), "model/refused"),
        (
            529,
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}}),
            "model/overloaded",
        ),
        (
            413,
            json!({"type": "error", "error": {"type": "request_too_large", "message": "m"}}),
            "model/context-length",
        ),
    ] {
        assert_eq!(reply_to(FORMAT, status, &body.to_string()).unwrap_err().code(), code, "{body}");
    }
}

#[test]
fn streams() {
    let start = || json!({"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 1}}});
    let block = |index: u64, block: Json| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta =
        |index: u64, delta: Json| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let end = |reason: &str| json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9, "input_tokens": null}});
    let stop = || json!({"type": "message_stop"});
    let (deltas, reply) = reply_to_stream(
        FORMAT,
        &[
            start(),
            json!({"type": "ping"}),
            block(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
            delta(0, json!({"type": "thinking_delta", "thinking": "hm"})),
            delta(0, json!({"type": "signature_delta", "signature": "s1"})),
            json!({"type": "content_block_stop", "index": 0}),
            block(1, json!({"type": "text", "text": ""})),
            delta(1, json!({"type": "text_delta", "text": "ä€"})),
            delta(1, json!({"type": "of_tomorrow_delta", "text": "x"})),
            delta(1, json!({"type": "text_delta", "text": "😀"})),
            block(2, json!({"type": "tool_use", "id": "c", "name": "f", "input": {}})),
            delta(2, json!({"type": "input_json_delta", "partial_json": ""})),
            delta(2, json!({"type": "input_json_delta", "partial_json": "{\"x\""})),
            delta(2, json!({"type": "input_json_delta", "partial_json": ":1}"})),
            end("tool_use"),
            stop(),
        ],
    );
    let more = |text: &str| json!({"type": "tool-call", "index": 0, "arguments": text});
    let first = json!({"type": "tool-call", "index": 0, "id": "c", "name": "f"});
    assert_eq!(deltas, [reasoning("hm"), text("ä€"), text("😀"), first, more("{\"x\""), more(":1}")]);
    let stored = json!([
        {"type": "thinking", "thinking": "hm", "signature": "s1"},
        {"type": "text", "text": "ä€😀"},
        {"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}},
    ]);
    let usage = Some(Usage { input: 7, output: 9, cached_input: 4, ..Usage::default() });
    let tool_calls = vec![call(json!({"x": 1}))];
    let expect = ChatReply {
        finish: FinishReason::ToolCalls,
        tool_calls,
        usage,
        provider: Some(json!({"anthropic": stored})),
        ..ChatReply::new("ä€😀")
    };
    assert_eq!(reply, Ok(expect));

    // Arguments that are not JSON stay text.
    let used = || block(0, json!({"type": "tool_use", "id": "c", "name": "f", "input": {}}));
    let cut = delta(0, json!({"type": "input_json_delta", "partial_json": "{x"}));
    assert_eq!(
        reply_to_stream(FORMAT, &[start(), used(), cut, end("max_tokens"), stop()]).1.unwrap().tool_calls,
        [call(json!("{x"))]
    );
    assert_eq!(
        reply_to_stream(FORMAT, &[start(), used(), end("tool_use")]).1.unwrap().tool_calls,
        [call(json!({}))]
    );
    for (events, code) in [
        (vec![start()], "model/unreachable"),
        (
            vec![start(), json!({"type": "error", "error": {"type": "overloaded_error", "message": "m"}})],
            "model/overloaded",
        ),
    ] {
        assert_eq!(reply_to_stream(FORMAT, &events).1.unwrap_err().code(), code, "{events:?}");
    }
}
