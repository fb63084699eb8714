//! Requests to and replies of OpenAI's Responses API.

#![expect(clippy::needless_pass_by_value, reason = "what a case is made of reads better as a value")]

use super::super::Options;
use super::super::test_support::{
    body, conversation, options, reasoning, reply_to, reply_to_stream, request, text, with_tools,
};
use serde_json::{Value as Json, json};
use stepgraph_core::model::{ChatReply, FinishReason, Message, Role, ToolCall, ToolChoice, Usage};

const FORMAT: &str = "openai-responses";

fn own(model: &str) -> Options {
    Options { base_url: "https://api.openai.com/v1".into(), model: model.into(), ..options(FORMAT) }
}

#[test]
fn requests() {
    let mut chat = with_tools();
    let sent = request(options(FORMAT), &chat, true);
    assert_eq!(
        (sent.url.as_str(), sent.header("authorization")),
        ("http://host:1/v1/responses", Some("Bearer sk-marker-key"))
    );
    assert_eq!(
        super::super::test_support::parse(sent.body.as_deref().unwrap()),
        json!({
            "model": "small", "input": [{"role": "user", "content": "hi"}], "store": false,
            "tools": [
                {
                    "name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "number"}}}, "description": "does",
                    "type": "function", "strict": false,
                },
                {"name": "g", "parameters": {"type": "object", "properties": {}}, "type": "function", "strict": false},
            ],
            "stream": true,
        })
    );
    chat.tools.clear();
    chat.tool_choice = ToolChoice::Required;
    chat.schema = Some(json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}));
    chat.max_tokens = Some(9);
    chat.temperature = Some(0.5);
    chat.cache_key = Some("k".into());
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
    assert_eq!(
        body(own("gpt-5-mini"), &chat),
        json!({
            "model": "gpt-5-mini", "input": [{"role": "user", "content": "hi"}], "store": false,
            "include": ["reasoning.encrypted_content"],
            "text": {"format": {"name": "answer", "strict": true, "schema": closed, "type": "json_schema"}},
            "max_output_tokens": 9, "temperature": 0.5, "prompt_cache_key": "k",
        })
    );
    // The schema does not qualify for strict mode unchanged.
    assert_eq!(
        body(options(FORMAT), &chat)["text"]["format"],
        json!({"name": "answer", "strict": false, "schema": chat.schema, "type": "json_schema"})
    );
    assert_eq!(body(own("gpt-4.1"), &chat).get("include"), None);
    let mut chat = with_tools();
    for (choice, expect) in [
        (ToolChoice::Auto, None),
        (ToolChoice::None, Some(json!("none"))),
        (ToolChoice::Named("f".into()), Some(json!({"type": "function", "name": "f"}))),
    ] {
        chat.tool_choice = choice;
        assert_eq!(body(options(FORMAT), &chat).get("tool_choice"), expect.as_ref());
    }
}

#[test]
fn conversations() {
    let items = |first: Json, hi: Json, last: Json| {
        json!([
            {"role": "system", "content": first},
            {"role": "user", "content": hi},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "let me see", "annotations": []}]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{\"a\":1}"},
            {"type": "function_call", "call_id": "c2", "name": "g", "arguments": "{\"not_json\":\"{a\"}"},
            {"type": "function_call_output", "call_id": "c1", "output": "one"},
            {"type": "function_call_output", "call_id": "c2", "output": last},
        ])
    };
    assert_eq!(
        body(options(FORMAT), &conversation())["input"],
        items(json!("be brief"), json!("hi"), json!("no"))
    );
    let mark = |text: &str| json!([{"type": "input_text", "text": text, "prompt_cache_breakpoint": {"mode": "explicit"}}]);
    assert_eq!(
        body(own("gpt-5.6"), &conversation())["input"],
        items(mark("be brief"), mark("hi"), mark("no"))
    );
    // The provider's own items replace the neutral message.
    let mut kept = conversation();
    kept.messages[2].provider =
        Some(json!({"openai-responses": [{"type": "reasoning"}, {"type": "function_call"}]}));
    let sent = body(options(FORMAT), &kept)["input"].clone();
    assert_eq!((&sent[2], &sent[3]), (&json!({"type": "reasoning"}), &json!({"type": "function_call"})));
    assert_eq!(sent[4]["type"], "function_call_output");
    let silent = Message::new(Role::Assistant, "");
    kept.messages = vec![silent];
    assert_eq!(body(options(FORMAT), &kept)["input"], json!([]));
}

fn message(content: Json) -> Json {
    json!({"type": "message", "content": content})
}

fn said(text: &str) -> Json {
    message(json!([{"type": "output_text", "text": text}]))
}

fn called() -> Json {
    json!({"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{\"x\":1}"})
}

fn call() -> ToolCall {
    ToolCall { id: "c".into(), name: "f".into(), arguments: json!({"x": 1}) }
}

#[test]
fn replies() {
    let ended = |reason: &str| json!({"status": "incomplete", "incomplete_details": {"reason": reason}, "output": [said("a")]});
    let thought = json!({"type": "reasoning", "encrypted_content": "zz", "summary": []});
    let usage = json!({
        "input_tokens": 9, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 6, "cache_write_tokens": 2},
        "output_tokens_details": {"reasoning_tokens": 4},
    });
    let counted = Usage {
        input: 9,
        output: 5,
        cached_input: 6,
        cache_write_input: 2,
        reasoning_output: 4,
        micro_usd: None,
    };
    for (body, expect) in [
        (
            json!({"status": "completed", "error": null, "output": [said("a"), said("b")]}),
            ChatReply::new("ab"),
        ),
        (
            json!({"output": [said("a")], "usage": usage}),
            ChatReply { usage: Some(counted), ..ChatReply::new("a") },
        ),
        (ended("max_output_tokens"), ChatReply { finish: FinishReason::Length, ..ChatReply::new("a") }),
        (ended("content_filter"), ChatReply { finish: FinishReason::Filtered, ..ChatReply::new("a") }),
        (
            json!({"status": "cancelled", "output": []}),
            ChatReply { finish: FinishReason::Other, ..ChatReply::new("") },
        ),
        (
            json!({"status": "completed", "output": [{"type": "reasoning", "summary": []}, called()]}),
            ChatReply { finish: FinishReason::ToolCalls, tool_calls: vec![call()], ..ChatReply::new("") },
        ),
        (
            json!({"status": "completed", "output": [thought, called()]}),
            ChatReply {
                finish: FinishReason::ToolCalls,
                tool_calls: vec![call()],
                provider: Some(json!({"openai-responses": [thought, called()]})),
                ..ChatReply::new("")
            },
        ),
    ] {
        assert_eq!(reply_to(FORMAT, 200, &body.to_string()).as_ref(), Ok(&expect), "{body}");
    }
    for (body, code) in [
        (json!({}), "model/bad-reply"),
        (json!({"output": "a"}), "model/bad-reply"),
        (
            json!({"status": "failed", "output": [], "error": {"code": "server_error", "message": "m"}}),
            "model/failed",
        ),
        (json!({"output": [message(json!([{"type": "refusal", "refusal": "no"}]))]}), "model/refused"),
    ] {
        assert_eq!(reply_to(FORMAT, 200, &body.to_string()).unwrap_err().code(), code, "{body}");
    }
}

#[test]
fn streams() {
    let delta = |kind: &str, delta: &str| json!({"type": format!("response.{kind}.delta"), "output_index": 1, "delta": delta});
    let completed = |output: Json| json!({"type": "response.completed", "response": {"status": "completed", "output": output, "error": null}});
    let (deltas, reply) = reply_to_stream(
        FORMAT,
        &[
            json!({"type": "response.created", "response": {"status": "in_progress", "output": [], "error": null}}),
            delta("reasoning_summary_text", "hm"),
            delta("output_text", "ä€"),
            delta("output_text", "😀"),
            json!({"type": "response.of_tomorrow", "x": 1}),
            completed(json!([said("ä€😀")])),
        ],
    );
    assert_eq!(deltas, [reasoning("hm"), text("ä€"), text("😀")]);
    assert_eq!(reply, Ok(ChatReply::new("ä€😀")));
    for output in [json!([called()]), json!([])] {
        let (deltas, reply) = reply_to_stream(
            FORMAT,
            &[
                json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "call_id": "c", "name": "f", "arguments": ""}}),
                delta("function_call_arguments", "{\"x\":"),
                delta("function_call_arguments", "1}"),
                json!({"type": "response.output_item.done", "output_index": 1, "item": called()}),
                completed(output),
            ],
        );
        let first = json!({"type": "tool-call", "index": 0, "id": "c", "name": "f"});
        let more = |text: &str| json!({"type": "tool-call", "index": 0, "arguments": text});
        assert_eq!(deltas, [first, more("{\"x\":"), more("1}")]);
        assert_eq!(
            reply,
            Ok(ChatReply { finish: FinishReason::ToolCalls, tool_calls: vec![call()], ..ChatReply::new("") })
        );
    }
    for (events, code) in [
        (vec![delta("output_text", "a")], "model/unreachable"),
        (vec![json!({"type": "error", "code": "rate_limit_exceeded", "message": "m"})], "model/rate-limited"),
        (
            vec![
                json!({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "m"}, "output": []}}),
            ],
            "model/failed",
        ),
    ] {
        assert_eq!(reply_to_stream(FORMAT, &events).1.unwrap_err().code(), code, "{events:?}");
    }
}
