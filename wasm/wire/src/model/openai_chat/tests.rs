//! Requests to and replies of OpenAI's chat completions.

#![expect(clippy::needless_pass_by_value, reason = "what a case is made of reads better as a value")]

use super::super::Options;
use super::super::test_support::{
    body, conversation, options, reasoning, reply_to, reply_to_stream, request, text, with_tools,
};
use serde_json::{Value as Json, json};
use stepgraph_core::model::{
    ChatReply, ChatRequest, FinishReason, Message, Role, ToolCall, ToolChoice, Usage,
};

fn own(model: &str) -> Options {
    Options { base_url: "https://api.openai.com/v1".into(), model: model.into(), ..options("openai") }
}

#[test]
fn requests() {
    let hi = || vec![Message::new(Role::System, "be brief"), Message::new(Role::User, "hi")];
    let said = json!([{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}]);
    let headers = vec![("X-Own".into(), "1".into()), ("Content-Type".into(), "text/plain".into())];
    let plain = ChatRequest { messages: hi(), ..ChatRequest::default() };
    let sent = request(Options { headers, in_page: true, ..options("openai") }, &plain, false);
    assert_eq!((sent.method, sent.url.as_str()), ("POST", "http://host:1/v1/chat/completions"));
    let headers: Vec<(&str, &str)> = sent.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let expect =
        [("content-type", "application/json"), ("x-own", "1"), ("authorization", "Bearer sk-marker-key")];
    assert_eq!(headers, expect);
    assert_eq!(body(options("openai"), &plain), json!({"model": "small", "messages": said}));
    let open = Options { key: None, ..options("unheard of") };
    assert_eq!(request(open, &plain, false).header("authorization"), None);
    let azure =
        Options { base_url: "https://a.openai.azure.com/v1?api-version=2".into(), ..options("openai") };
    assert_eq!(
        request(azure, &plain, false).url,
        "https://a.openai.azure.com/v1/chat/completions?api-version=2"
    );

    let schema = json!({"type": "object"});
    let full = ChatRequest {
        model: Some("large".into()),
        schema: Some(schema.clone()),
        max_tokens: Some(5),
        temperature: Some(0.5),
        cache_key: Some("k".into()),
        ..plain
    };
    let format = |strict: bool| json!({"type": "json_schema", "json_schema": {"name": "answer", "strict": strict, "schema": schema}});
    assert_eq!(
        body(options("openai"), &full),
        json!({"model": "large", "messages": said, "response_format": format(false), "max_tokens": 5, "temperature": 0.5})
    );
    // OpenAI can't enforce a map with arbitrary keys.
    assert_eq!(
        body(own("m"), &full),
        json!({"model": "large", "messages": said, "response_format": format(false), "max_completion_tokens": 5, "temperature": 0.5, "prompt_cache_key": "k"})
    );
    let streamed =
        super::super::test_support::parse(request(options("openai"), &full, true).body.as_deref().unwrap());
    assert_eq!(
        (&streamed["stream"], &streamed["stream_options"]),
        (&json!(true), &json!({"include_usage": true}))
    );
}

#[test]
fn strict_mode() {
    let schema = |more: Json| {
        let mut schema =
            json!({"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let closed = schema(json!({"additionalProperties": false}));
    // The schema, then OpenAI's version and that of other servers.
    for (given, own_sent, other_sent) in [
        (closed.clone(), (true, closed.clone()), (true, closed.clone())),
        // Other servers get the original, which strict mode would refuse.
        (schema(json!({})), (true, closed), (false, schema(json!({})))),
        (
            schema(json!({"additionalProperties": false, "required": []})),
            (false, schema(json!({"additionalProperties": false, "required": []}))),
            (false, schema(json!({"additionalProperties": false, "required": []}))),
        ),
    ] {
        let chat = ChatRequest { schema: Some(given.clone()), ..ChatRequest::default() };
        for (to, (strict, sent)) in [(own("m"), own_sent), (options("openai"), other_sent)] {
            let format = json!({"name": "answer", "strict": strict, "schema": sent});
            assert_eq!(body(to, &chat)["response_format"]["json_schema"], format, "{given}");
        }
    }
}

#[test]
fn conversations() {
    let calls = json!([
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}},
        {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{\"not_json\":\"{a\"}"}},
    ]);
    let said = |first: Json, hi: Json, last: Json| {
        json!([
            {"role": "system", "content": first},
            {"role": "user", "content": hi},
            {"role": "assistant", "content": "let me see", "tool_calls": calls},
            {"role": "tool", "content": "one", "tool_call_id": "c1"},
            {"role": "tool", "content": last, "tool_call_id": "c2"},
        ])
    };
    assert_eq!(
        body(options("openai"), &conversation())["messages"],
        said(json!("be brief"), json!("hi"), json!("no"))
    );
    assert_eq!(
        body(own("gpt-5.5"), &conversation())["messages"],
        said(json!("be brief"), json!("hi"), json!("no"))
    );
    let mark =
        |text: &str| json!([{"type": "text", "text": text, "prompt_cache_breakpoint": {"mode": "explicit"}}]);
    assert_eq!(
        body(own("gpt-5.6"), &conversation())["messages"],
        said(mark("be brief"), mark("hi"), mark("no"))
    );
    // Only the provider's own data comes back.
    let mut kept = conversation();
    kept.messages[2].provider = Some(json!({"openai": {"reasoning_details": [1]}, "gemini": [2]}));
    let sent = body(options("openai"), &kept)["messages"][2].clone();
    assert_eq!((&sent["reasoning_details"], &sent["tool_calls"]), (&json!([1]), &calls));
    assert_eq!(sent.get("gemini"), None);
}

#[test]
fn tools() {
    let mut chat = with_tools();
    let function = |function: Json| json!({"type": "function", "function": function});
    let expect = json!([
        function(
            json!({"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "number"}}}, "description": "does"})
        ),
        function(json!({"name": "g", "parameters": {"type": "object", "properties": {}}})),
    ]);
    assert_eq!(body(options("openai"), &chat)["tools"], expect);
    for (choice, expect) in [
        (ToolChoice::Auto, None),
        (ToolChoice::None, Some(json!("none"))),
        (ToolChoice::Required, Some(json!("required"))),
        (ToolChoice::Named("f".into()), Some(function(json!({"name": "f"})))),
    ] {
        chat.tool_choice = choice;
        assert_eq!(body(options("openai"), &chat).get("tool_choice"), expect.as_ref());
    }
}

fn call(id: &str, name: &str, arguments: Json) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments }
}

#[test]
fn replies() {
    let one =
        |message: Json, finish: &str| json!({"choices": [{"message": message, "finish_reason": finish}]});
    let usage = |value: Json| {
        let mut reply = one(json!({"content": "a"}), "stop");
        reply["usage"] = value;
        reply
    };
    let plain = |text: &str, finish| ChatReply { finish, ..ChatReply::new(text) };
    let counted = |usage| ChatReply { usage: Some(usage), ..plain("a", FinishReason::Stop) };
    let count = |input, output, cached_input| Usage { input, output, cached_input, ..Usage::default() };
    let called = json!({"content": null, "reasoning_content": "hm", "tool_calls": [
        {"id": "a", "function": {"name": "f", "arguments": "{\"x\": 1}"}},
        {"id": "a", "function": {"name": "f", "arguments": "{x"}},
        {"function": {"name": "g", "arguments": {"y": 2}}},
    ]});
    let calls = vec![
        call("a", "f", json!({"x": 1})),
        call("call_0_1", "f", json!("{x")),
        call("call_0_2", "g", json!({"y": 2})),
    ];
    let called_reply = |finish: FinishReason| ChatReply {
        tool_calls: calls.clone(),
        provider: Some(json!({"openai": {"reasoning_content": "hm"}})),
        ..plain("", finish)
    };
    for (body, expect) in [
        (one(json!({"content": "a"}), "stop"), plain("a", FinishReason::Stop)),
        (one(json!({"content": "a"}), "length"), plain("a", FinishReason::Length)),
        (one(json!({"content": "a"}), "content_filter"), plain("a", FinishReason::Filtered)),
        (one(json!({"content": "a", "reasoning_content": "hm"}), "eos"), plain("a", FinishReason::Other)),
        (one(json!({"content": null, "tool_calls": []}), "tool_calls"), plain("", FinishReason::Other)),
        (
            one(json!({"content": [{"text": "a"}, {"text": "b"}, {}], "refusal": null}), "stop"),
            plain("ab", FinishReason::Stop),
        ),
        (one(called.clone(), "tool_calls"), called_reply(FinishReason::ToolCalls)),
        (one(called.clone(), "stop"), called_reply(FinishReason::ToolCalls)),
        (one(called, "length"), called_reply(FinishReason::Length)),
        (usage(json!({"prompt_tokens": 9, "completion_tokens": 2})), counted(count(9, 2, 0))),
        (
            usage(json!({
                "prompt_tokens": 9, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 6, "cache_write_tokens": 2},
                "completion_tokens_details": {"reasoning_tokens": 4},
            })),
            counted(Usage { cache_write_input: 2, reasoning_output: 4, ..count(9, 5, 6) }),
        ),
        (
            usage(json!({"prompt_tokens": 9, "completion_tokens": 0, "prompt_cache_hit_tokens": 3})),
            counted(count(9, 0, 3)),
        ),
        (
            usage(json!({
                "prompt_tokens": 9, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 99, "cache_write_tokens": 99},
                "completion_tokens_details": {"reasoning_tokens": 99},
            })),
            counted(count(9, 0, 9)),
        ),
        (usage(json!({"other": 1})), plain("a", FinishReason::Stop)),
        (usage(json!({"prompt_tokens": 9})), plain("a", FinishReason::Stop)),
        (usage(json!({"prompt_tokens": 9, "completion_tokens": -100})), plain("a", FinishReason::Stop)),
    ] {
        assert_eq!(reply_to("openai", 200, &body.to_string()).as_ref(), Ok(&expect), "{body}");
    }
}

#[test]
fn unexpected_replies() {
    for (body, code) in [
        ("<html>".to_owned(), "model/bad-reply"),
        (String::new(), "model/bad-reply"),
        ("{}".to_owned(), "model/bad-reply"),
        (json!({"choices": []}).to_string(), "model/bad-reply"),
        (json!({"choices": [{"message": "a"}]}).to_string(), "model/bad-reply"),
        (json!({"choices": [{"message": {"content": 7}}]}).to_string(), "model/bad-reply"),
        (json!({"choices": [{"message": {"refusal": "no"}}]}).to_string(), "model/refused"),
        (
            json!({"choices": [{"message": {"content": "a"}, "finish_reason": "error", "error": {"code": 429, "message": "m"}}]}).to_string(),
            "model/rate-limited",
        ),
        (json!({"choices": [{"message": {"content": "a"}, "finish_reason": "error"}]}).to_string(), "model/failed"),
    ] {
        assert_eq!(reply_to("openai", 200, &body).unwrap_err().code(), code, "{body}");
    }
}

fn chunk(delta: Json, finish: Option<&str>) -> Json {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": null})
}

#[test]
fn streams() {
    let done = || json!("[DONE]");
    let counts = json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}});
    let usage = Some(Usage { input: 3, output: 2, ..Usage::default() });
    let (deltas, reply) = reply_to_stream(
        "openai",
        &[
            json!({"choices": [], "prompt_filter_results": []}),
            chunk(json!({"role": "assistant", "content": ""}), None),
            chunk(json!({"reasoning_content": "hm"}), None),
            chunk(json!({"content": "ä€"}), None),
            chunk(json!({"content": "😀"}), None),
            json!({"choices": [{"index": 1, "delta": {"content": "another choice"}}]}),
            chunk(json!({}), Some("stop")),
            counts.clone(),
            done(),
            chunk(json!({"content": "too late"}), None),
        ],
    );
    assert_eq!(deltas, [reasoning("hm"), text("ä€"), text("😀")]);
    assert_eq!(reply, Ok(ChatReply { usage, ..ChatReply::new("ä€😀") }));

    let piece = |index: u64, id: Option<&str>, name: Option<&str>, arguments: &str| {
        chunk(
            json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}),
            None,
        )
    };
    let (deltas, reply) = reply_to_stream(
        "openai",
        &[
            chunk(json!({"content": null, "reasoning_details": [{"t": 1}]}), None),
            chunk(json!({"reasoning_details": [{"t": 2}, {"t": 3}]}), None),
            piece(0, Some("a"), Some("f"), ""),
            piece(0, None, None, "{\"x\":"),
            piece(3, Some("b"), Some("g"), ""),
            piece(0, None, Some("f"), "1}"),
            piece(3, None, None, "{x"),
            chunk(json!({}), Some("tool_calls")),
        ],
    );
    let delta = |index: u64, more: Json| {
        let mut delta = json!({"type": "tool-call", "index": index});
        delta.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        delta
    };
    assert_eq!(
        deltas,
        [
            delta(0, json!({"id": "a", "name": "f"})),
            delta(0, json!({"arguments": "{\"x\":"})),
            delta(1, json!({"id": "b", "name": "g"})),
            delta(0, json!({"arguments": "1}"})),
            delta(1, json!({"arguments": "{x"})),
        ]
    );
    let provider = Some(json!({"openai": {"reasoning_details": [{"t": 1}, {"t": 2}, {"t": 3}]}}));
    let tool_calls = vec![call("a", "f", json!({"x": 1})), call("b", "g", json!("{x"))];
    assert_eq!(
        reply,
        Ok(ChatReply { finish: FinishReason::ToolCalls, tool_calls, provider, ..ChatReply::new("") })
    );

    let whole = |id: &str| {
        chunk(
            json!({"tool_calls": [{"id": id, "function": {"name": "f", "arguments": {"x": 1}}, "extra_content": {"s": 1}}]}),
            None,
        )
    };
    let (_, reply) =
        reply_to_stream("openai", &[whole("a"), whole("b"), chunk(json!({}), Some("tool_calls")), done()]);
    let reply = reply.unwrap();
    assert_eq!(reply.tool_calls, [call("a", "f", json!({"x": 1})), call("b", "f", json!({"x": 1}))]);
    assert_eq!(reply.provider.unwrap()["openai"]["tool_calls"][1]["extra_content"], json!({"s": 1}));
}

#[test]
fn calls_with_equal_numbers() {
    let piece = |index: u64, id: &str, name: &str, arguments: &str| json!({"index": index, "id": id, "function": {"name": name, "arguments": arguments}});
    let chunks = |pieces: &[Json]| -> Vec<Json> {
        let chunks = pieces.iter().map(|piece| chunk(json!({"tool_calls": [piece]}), None));
        chunks.chain([chunk(json!({}), Some("tool_calls"))]).collect()
    };
    let (whole, f) = ("{\"x\":1}", |id| call(id, "f", json!({"x": 1})));
    for (pieces, expect) in [
        // Every call has number 0. A piece without an id belongs to the latest call.
        (vec![piece(0, "a", "f", whole), piece(0, "b", "f", whole)], vec![f("a"), f("b")]),
        (
            vec![
                piece(0, "a", "f", "{\"x\":"),
                piece(0, "", "", "1}"),
                piece(0, "b", "f", "{\"x\":"),
                piece(0, "", "", "1}"),
            ],
            vec![f("a"), f("b")],
        ),
        (
            vec![
                piece(0, "a", "f", whole),
                piece(1, "b", "f", ""),
                piece(0, "c", "f", whole),
                piece(1, "", "", whole),
            ],
            vec![f("a"), f("b"), f("c")],
        ),
        (vec![piece(0, "a", "f", "{\"x\":"), piece(0, "a", "f", "1}")], vec![f("a")]),
        (vec![piece(0, "a", "f", "{\"x\":"), piece(0, "b", "", "1}")], vec![f("a")]),
        (vec![piece(0, "", "f", "{\"x\":"), piece(0, "a", "", "1}")], vec![f("a")]),
    ] {
        let (deltas, reply) = reply_to_stream("openai", &chunks(&pieces));
        assert_eq!(reply.unwrap().tool_calls, expect, "{pieces:?}");
        let mut heard = vec![["id", "name", "arguments"].map(|key| (key, String::new())); expect.len()];
        for delta in deltas {
            let at = usize::try_from(delta["index"].as_u64().unwrap()).unwrap();
            for (key, text) in &mut heard[at] {
                text.push_str(delta[*key].as_str().unwrap_or_default());
            }
        }
        let expect = expect
            .into_iter()
            .map(|call| [("id", call.id), ("name", call.name), ("arguments", call.arguments.to_string())]);
        assert_eq!(heard, expect.collect::<Vec<_>>(), "{pieces:?}");
    }
    let (_, reply) = reply_to_stream(
        "openai",
        &[chunk(json!({"tool_calls": [piece(0, "a", "f", whole), piece(0, "b", "f", whole)]}), Some("stop"))],
    );
    assert_eq!(reply.unwrap().tool_calls, [f("a"), f("b")]);
}

#[test]
fn content_in_parts() {
    let thought = |thinking: Json| json!({"type": "thinking", "thinking": thinking});
    for (pieces, expect, message) in [
        (
            vec![
                json!([thought(json!([text("h"), text("m")]))]),
                json!([text("Hel"), thought(json!("why")), text("lo")]),
                json!(" you"),
            ],
            vec![reasoning("hm"), reasoning("why"), text("Hello"), text(" you")],
            "Hello you",
        ),
        (vec![json!([]), json!([{}, 7, {"type": "image"}, text("a")]), json!(7)], vec![text("a")], "a"),
    ] {
        let chunks = pieces.iter().map(|piece| chunk(json!({"content": piece}), None));
        let chunks: Vec<Json> = chunks.chain([chunk(json!({}), Some("stop"))]).collect();
        let (deltas, reply) = reply_to_stream("openai", &chunks);
        assert_eq!((deltas, reply), (expect, Ok(ChatReply::new(message))), "{pieces:?}");
        let parts: Vec<Json> = pieces
            .into_iter()
            .flat_map(|piece| {
                piece.as_array().cloned().unwrap_or(vec![text(piece.as_str().unwrap_or_default())])
            })
            .collect();
        let whole = json!({"choices": [{"message": {"content": parts}, "finish_reason": "stop"}]});
        assert_eq!(reply_to("openai", 200, &whole.to_string()), Ok(ChatReply::new(message)));
    }
}

#[test]
fn broken_streams() {
    let begun = || chunk(json!({"content": "a"}), None);
    for (events, code) in [
        (vec![], "model/unreachable"),
        (vec![json!("[DONE]")], "model/unreachable"),
        (vec![begun()], "model/unreachable"),
        (vec![begun(), json!("{\"choices\":")], "model/bad-reply"),
        (vec![begun(), json!({"error": {"message": "no more", "type": "server_error"}})], "model/failed"),
        (vec![json!({"error": {"message": "slow down", "code": 429}})], "model/rate-limited"),
        (vec![chunk(json!({"refusal": "no"}), Some("stop"))], "model/refused"),
        (
            vec![
                json!({"choices": [{"delta": {"content": "b"}, "finish_reason": "error", "error": {"code": 502, "message": "gone"}}]}),
                json!("[DONE]"),
            ],
            "model/failed",
        ),
        (vec![begun(), chunk(json!({}), Some("error")), json!("[DONE]")], "model/failed"),
    ] {
        let (_, reply) = reply_to_stream("openai", &events);
        assert_eq!(reply.unwrap_err().code(), code, "{events:?}");
    }
    // A finish reason ends the answer. Unknown events are ignored.
    for events in [
        vec![begun(), chunk(json!({}), Some("stop"))],
        vec![begun(), json!({"object": "ping"}), json!([1]), json!(7), chunk(json!(3), Some("stop"))],
        vec![json!(""), begun(), json!(" \ndata:"), chunk(json!({}), Some("stop")), json!("")],
    ] {
        assert_eq!(reply_to_stream("openai", &events).1, Ok(ChatReply::new("a")));
    }
    for head in ["\"index\":#,", "\"index\":0,\"id\":\"i#\","] {
        let calls: Vec<String> = (0..5000)
            .map(|n| head.replace('#', &n.to_string()))
            .map(|head| format!("{{{head}\"function\":{{\"name\":\"f\",\"arguments\":\"x\"}}}}"))
            .collect();
        let many = format!(
            "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{}]}},\"finish_reason\":\"stop\"}}]}}\n\n",
            calls.join(",")
        );
        let mut endless = super::super::test_support::call(options("openai"), &ChatRequest::default(), true);
        endless.head(crate::http::HttpHead::new(200).with_header("content-type", "text/event-stream"));
        endless.chunk(many.as_bytes());
        assert_eq!(endless.end().unwrap_err().code(), "model/bad-reply", "{head}");
    }
}
