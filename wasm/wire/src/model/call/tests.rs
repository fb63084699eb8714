//! Errors, limits and retries.

use super::super::test_support::{KEY, call, next_request, options, reply_to};
use super::*;
use serde_json::json;

fn answered(status: u16, headers: &[(&str, &str)], pieces: &[&str]) -> (Call, Result<ChatReply, ModelError>) {
    let mut call = call(options("openai"), &ChatRequest::default(), true);
    call.request();
    call.head(
        headers.iter().fold(HttpHead::new(status), |head, (name, value)| head.with_header(name, value)),
    );
    for piece in pieces {
        call.chunk(piece.as_bytes());
        call.deltas();
    }
    let reply = call.end();
    (call, reply)
}

#[test]
fn errors_quote_messages_without_keys() {
    let said = |message: &str| json!({"error": {"message": message, "type": "t"}}).to_string();
    let long = format!("{}{KEY}", "a".repeat(195));
    for (status, body, code, message) in [
        (
            401,
            said("wrong key sk-marker-key"),
            "model/unauthorized",
            "answered with status 401: wrong key [secret]",
        ),
        (403, String::new(), "model/unauthorized", "answered with status 403"),
        (400, said("no such thing"), "model/refused", "answered with status 400: no such thing"),
        (400, json!({"message": "the context length is 5"}).to_string(), "model/context-length", ""),
        (404, "<p>not\nhere</p>".into(), "model/not-found", "answered with status 404: <p>not here</p>"),
        (
            503,
            json!({"error": "loading"}).to_string(),
            "model/overloaded",
            "answered with status 503: loading",
        ),
        (302, String::new(), "model/bad-reply", ""),
        (200, "<html>".into(), "model/bad-reply", "answered with something else: <html>"),
        (200, "\"\u{1b}[31m".into(), "model/bad-reply", "answered with something else: \" [31m"),
        (
            200,
            json!({"choices": [{"message": {"refusal": format!("not for {KEY}")}}]}).to_string(),
            "model/refused",
            "declines: not for [secret]",
        ),
        (
            200,
            long.clone(),
            "model/bad-reply",
            &format!("answered with something else: {}[secr…", "a".repeat(195)),
        ),
        (500, said(&long), "model/failed", &format!("answered with status 500: {}[secr…", "a".repeat(195))),
    ] {
        let error = reply_to("openai", status, &body).unwrap_err();
        assert_eq!(error.code(), code, "{status} {body}");
        assert!(message.is_empty() || error.message == format!("`host:1/v1/` {message}"), "{error}");
        assert!(!error.message.contains("sk-m"), "{error}");
    }
    let mut call = call(options("openai"), &ChatRequest::default(), false);
    let cut = call.failed(&HttpFailure::network(format!("refused for Bearer {KEY}")));
    assert_eq!(
        cut.to_string(),
        "model/unreachable: `host:1/v1/` could not be reached: refused for Bearer [secret]"
    );
    assert_eq!(call.failed(&HttpFailure::timeout("")).code(), "model/timeout");
    let mut page =
        Call::new(Options { in_page: true, ..options("anthropic") }, ChatRequest::default(), false);
    assert_eq!(
        page.failed(&HttpFailure::network("no way")).message,
        "`host:1/v1/` could not be reached: no way; if it runs, it has to allow this page's origin and the headers \
         content-type, x-api-key, anthropic-version, anthropic-dangerous-direct-browser-access"
    );
}

#[test]
fn truncation_shows_no_part_of_a_key() {
    // So long that several redacted copies fit into the excerpt.
    let key = format!("sk-{}", "marker".repeat(250));
    let message = [key.as_str(); 5].join(" ");
    let event = format!("data: {message}\n\n");
    let error = json!({"error": {"message": message}});
    for (status, kind, body) in [
        (200, "text/html", message.clone()),
        (500, "text/html", message.clone()),
        (400, "application/json", error.to_string()),
        (200, "text/event-stream", event),
        (200, "text/event-stream", format!("data: {error}\n\n")),
        (200, "application/json", json!({"choices": [{"message": {"refusal": message}}]}).to_string()),
    ] {
        let mut call = call(
            Options { key: Some(key.clone()), ..options("openai") },
            &ChatRequest::default(),
            kind == "text/event-stream",
        );
        call.head(HttpHead::new(status).with_header("content-type", kind));
        call.chunk(body.as_bytes());
        let error = call.end().unwrap_err();
        assert!(!error.message.contains("sk-m"), "{status} {kind} {error}");
        assert!(error.message.ends_with(&["[secret]"; 5].join(" ")), "{status} {kind} {error}");
    }
}

/// Returned calls must be valid, and their results have their ids.
#[test]
fn returns_calls_with_their_results() {
    let thought = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let used = |id: &str, input: Json| json!({"type": "tool_use", "id": id, "name": "f", "input": input});
    let done = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
    let signed = json!({"google": {"thought_signature": "s"}});
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}, "extra_content": signed});
    let deltas = |id: &str| json!({"role": "tool", "content": "ok", "tool_call_id": id});
    let reasoned = json!({"type": "reasoning", "encrypted_content": "s"});
    let item = |id: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": arguments});
    let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "ok"});
    let part = |call: Json| json!({"functionCall": call, "thoughtSignature": "s"});
    let response = |response: Json| json!({"functionResponse": response});
    let (whole, broken, mended) = ("{\"a\": 1}", "{\"a\": tru", "{\"not_json\":\"{\\\"a\\\": tru\"}");
    for (format, answer, path, expect) in [
        (
            "anthropic",
            json!({"content": [thought, used("t", json!(broken)), used("", json!({"a": 1})), used("u", json!(whole))], "stop_reason": "tool_use"}),
            "/messages",
            json!([
                {"role": "user", "content": [{"type": "text", "text": "hi"}]},
                {"role": "assistant", "content": [
                    thought, used("t", json!({"not_json": broken})), used("call_0_1", json!({"a": 1})), used("u", json!({"a": 1})),
                ]},
                {"role": "user", "content": [done("t"), done("call_0_1"), done("u")]},
            ]),
        ),
        (
            "openai",
            json!({"choices": [{"message": {"content": null, "tool_calls": [call("", whole), call("b", broken), call("b", "")]}, "finish_reason": "tool_calls"}]}),
            "/messages",
            json!([
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "", "tool_calls": [call("call_0_0", whole), call("b", mended), call("call_0_2", "{}")]},
                deltas("call_0_0"), deltas("b"), deltas("call_0_2"),
            ]),
        ),
        (
            "openai-responses",
            json!({"output": [reasoned, item("c", whole), item("c", broken)], "status": "completed"}),
            "/input",
            json!([
                {"role": "user", "content": "hi"},
                reasoned, item("c", whole), item("call_0_1", mended), output("c"), output("call_0_1"),
            ]),
        ),
        // A call without an id stays without one, as does its result.
        (
            "gemini",
            json!({"candidates": [{"content": {"parts": [
                part(json!({"id": "c", "name": "f", "args": {"a": 1}})), part(json!({"id": "c", "name": "f"})), part(json!({"name": "f", "args": "x"})),
            ]}, "finishReason": "STOP"}]}),
            "/contents",
            json!([
                {"role": "user", "parts": [{"text": "hi"}]},
                {"role": "model", "parts": [
                    part(json!({"id": "c", "name": "f", "args": {"a": 1}})), part(json!({"id": "call_0_1", "name": "f"})),
                    part(json!({"name": "f", "args": {"not_json": "x"}})),
                ]},
                {"role": "user", "parts": [
                    response(json!({"id": "c", "name": "f", "response": {"output": "ok"}})),
                    response(json!({"id": "call_0_1", "name": "f", "response": {"output": "ok"}})),
                    response(json!({"name": "f", "response": {"output": "ok"}})),
                ]},
            ]),
        ),
        // No part is signed, so there are no ids.
        (
            "gemini",
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"id": "c", "name": "f", "args": {}}}]}, "finishReason": "STOP"}]}),
            "/contents",
            json!([
                {"role": "user", "parts": [{"text": "hi"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
                {"role": "user", "parts": [response(json!({"name": "f", "response": {"output": "ok"}}))]},
            ]),
        ),
    ] {
        assert_eq!(next_request(format, &answer).pointer(path), Some(&expect), "{answer}");
    }
}

#[test]
fn handles_invalid_utf8() {
    for bytes in [&b"\"\xff\""[..], b"\xf0\x9f"] {
        let mut call = call(options("openai"), &ChatRequest::default(), false);
        call.head(HttpHead::new(200));
        call.chunk(bytes);
        assert_eq!(call.end().unwrap_err().code(), "model/bad-reply");
    }
}

#[test]
fn limits_the_size() {
    let part = vec![b' '; 1 << 20];
    for kind in ["application/json", "text/event-stream"] {
        let mut call = call(options("openai"), &ChatRequest::default(), false);
        call.head(HttpHead::new(200).with_header("content-type", kind));
        let over = (0..100).position(|_| call.chunk(&part));
        assert_eq!(over, Some(16), "{kind}");
        let error = call.end().unwrap_err();
        assert_eq!((error.code(), call.retry_after(1, 0)), ("model/too-large", None));
        assert!(error.message.ends_with("answered with more than 16777216 bytes"), "{error}");
    }
    let mut call = call(options("openai"), &ChatRequest::default(), false);
    call.head(HttpHead::new(200).with_header("content-type", "text/event-stream"));
    let event = b": nothing\n\n".repeat(1000);
    assert!((0..2000).any(|_| call.chunk(&event)));
}

#[test]
fn decides_on_retries() {
    const SSE: (&str, &str) = ("content-type", "text/event-stream");
    let begun = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    let broken = "data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}\n\n";
    for (status, headers, pieces, expect) in [
        (200, &[SSE][..], &[][..], Some(500)),
        (200, &[SSE], &[begun], None),
        (200, &[SSE], &[": hello\n\n"], Some(500)),
        (200, &[SSE], &[broken], Some(500)),
        (200, &[SSE], &[begun, broken], None),
        (200, &[SSE], &["data: <html>\n\n"], None),
        (200, &[], &["<html>"], None),
        (503, &[], &["busy"], Some(500)),
        (429, &[("retry-after-ms", "7")], &["{}"], Some(7)),
        (429, &[("x-should-retry", "false")], &["{}"], None),
        (429, &[], &["{\"error\":{\"code\":\"insufficient_quota\"}}"], None),
        (200, &[], &["{\"error\":{\"code\":429}}"], Some(500)),
        (400, &[], &["{\"error\":{}}"], None),
        (400, &[("x-should-retry", "true")], &["{\"error\":{}}"], Some(500)),
    ] {
        let (call, reply) = answered(status, headers, pieces);
        assert!(reply.is_err());
        assert_eq!(call.retry_after(1, 0), expect, "{status} {headers:?} {pieces:?}");
    }
    let mut call = call(options("openai"), &ChatRequest::default(), true);
    call.request();
    call.failed(&HttpFailure::network("reset"));
    assert_eq!((call.retry_after(1, 0), call.retry_after(3, 0)), (Some(500), None));
    call.request();
    call.failed(&HttpFailure::timeout(""));
    assert_eq!(call.retry_after(1, 0), None);
}

#[test]
fn resets_between_attempts() {
    let mut call = call(options("openai"), &ChatRequest::default(), false);
    let first = call.request();
    call.head(HttpHead::new(503));
    call.chunk(b"half an");
    call.failed(&HttpFailure::network("reset"));
    assert_eq!(call.request(), first);
    call.head(HttpHead::new(200));
    call.chunk(
        json!({"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}).to_string().as_bytes(),
    );
    assert_eq!(call.end(), Ok(ChatReply::new("a")));
    assert_eq!(call.retry_after(1, 0), None);
}
