//! Test helpers of all formats.

use super::Options;
use super::call::Call;
use crate::http::{HttpHead, HttpRequest};
use serde_json::{Value as Json, json};
use stepgraph_core::model::{ChatReply, ChatRequest, Message, ModelError, Role, ToolCall, ToolSpec};

pub(super) const KEY: &str = "sk-marker-key";

pub(super) fn options(format: &str) -> Options {
    Options {
        format: format.to_owned(),
        base_url: "http://host:1/v1/".to_owned(),
        model: "small".to_owned(),
        key: Some(KEY.to_owned()),
        ..Options::default()
    }
}

pub(super) fn call(options: Options, chat: &ChatRequest, streams: bool) -> Call {
    Call::new(options, chat.clone(), streams)
}

pub(super) fn request(options: Options, chat: &ChatRequest, streams: bool) -> HttpRequest {
    call(options, chat, streams).request()
}

pub(super) fn body(options: Options, chat: &ChatRequest) -> Json {
    parse(request(options, chat, false).body.as_deref().unwrap())
}

pub(super) fn parse(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

pub(super) fn reply_to(format: &str, status: u16, body: &str) -> Result<ChatReply, ModelError> {
    let mut call = call(options(format), &ChatRequest::default(), false);
    call.head(HttpHead::new(status).with_header("content-type", "application/json"));
    call.chunk(body.as_bytes());
    call.end()
}

/// The result must be the same however the stream is cut.
pub(super) fn reply_to_stream(format: &str, events: &[Json]) -> (Vec<Json>, Result<ChatReply, ModelError>) {
    let text: String = events
        .iter()
        .map(|event| match event {
            Json::String(raw) => format!("data: {raw}\n\n"),
            event => format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("message")),
        })
        .collect();
    let bytes = text.as_bytes();
    let singles: Vec<&[u8]> = bytes.chunks(1).collect();
    let cuts = (0..bytes.len()).step_by(7).map(|at| vec![&bytes[..at], &bytes[at..]]);
    let mut found: Option<(Vec<Json>, Result<ChatReply, ModelError>)> = None;
    for pieces in cuts.chain([vec![bytes], singles]) {
        let mut call = call(options(format), &ChatRequest::default(), true);
        call.head(HttpHead::new(200).with_header("content-type", "text/event-stream"));
        let mut deltas = Vec::new();
        for piece in pieces {
            let over = call.chunk(piece);
            deltas.extend(call.deltas());
            if over {
                break;
            }
        }
        let came = (deltas, call.end());
        let first = found.get_or_insert_with(|| came.clone());
        assert_eq!(*first, came, "{text}");
    }
    found.unwrap()
}

pub(super) fn text(text: &str) -> Json {
    json!({"type": "text", "text": text})
}

pub(super) fn reasoning(text: &str) -> Json {
    json!({"type": "reasoning", "text": text})
}

/// Answers each call.
pub(super) fn next_request(format: &str, answer: &Json) -> Json {
    let reply = reply_to(format, 200, &answer.to_string()).unwrap();
    let answers = reply.tool_calls.iter().map(|call| Message::tool_result(call, "ok", false));
    let messages = [Message::new(Role::User, "hi"), reply.message()].into_iter().chain(answers).collect();
    body(options(format), &ChatRequest { messages, ..ChatRequest::default() })
}

/// A cached system message, a user message, two calls and their results.
pub(super) fn conversation() -> ChatRequest {
    let calls = vec![
        ToolCall { id: "c1".into(), name: "f".into(), arguments: json!({"a": 1}) },
        ToolCall { id: "c2".into(), name: "g".into(), arguments: json!("{a") },
    ];
    let answers =
        [Message::tool_result(&calls[0], "one", false), Message::tool_result(&calls[1], "no", true)];
    let asked = Message { tool_calls: calls, ..Message::new(Role::Assistant, "let me see") };
    let [one, two] = answers;
    ChatRequest {
        messages: vec![
            Message { cache: true, ..Message::new(Role::System, "be brief") },
            Message::new(Role::User, "hi"),
            asked,
            one,
            Message { cache: true, ..two },
        ],
        ..ChatRequest::default()
    }
}

pub(super) fn with_tools() -> ChatRequest {
    let schema = json!({"type": "object", "properties": {"a": {"type": "number"}}});
    ChatRequest {
        messages: vec![Message::new(Role::User, "hi")],
        tools: vec![
            ToolSpec { name: "f".into(), description: Some("does".into()), input_schema: schema },
            ToolSpec { name: "g".into(), description: None, input_schema: json!({}) },
        ],
        ..ChatRequest::default()
    }
}
