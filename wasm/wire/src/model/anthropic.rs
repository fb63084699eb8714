//! The wire format of Anthropic's Messages API. Consecutive messages of a role become one, and tool results
//! are user blocks.
//!
//! Source: the Anthropic API reference: messages, streaming, prompt caching, structured outputs.

use super::common::{
    append, arguments_object, cache_breakpoints, count, fill_shape, finish_reason, non_empty,
    parse_arguments, provider_data, provider_data_with_calls, set, text, true_or_null, turns,
};
use super::schema::{self, SchemaRules};
use super::stream::Stream;
use super::{Format, Options, UnexpectedAnswer};
use serde_json::{Map, Value as Json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::model::{
    ChatReply, ChatRequest, FinishReason, Message, ToolCall, ToolChoice, ToolSpec, Usage,
};

pub(super) static FORMAT: Format = Format {
    name: "anthropic",
    path: |_, _, _| "/messages".to_owned(),
    key: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    page_headers: &[("anthropic-dangerous-direct-browser-access", "true")],
    body,
    event,
    assemble,
    reply,
};

/// Required. Every current model accepts this.
const MAX_TOKENS: u32 = 8192;
const MAX_CACHE_BREAKPOINTS: usize = 4;

fn body(options: &Options, chat: &ChatRequest, stream: bool) -> Json {
    let marks = cache_breakpoints(&chat.messages, MAX_CACHE_BREAKPOINTS);
    let write = |at, message: &Message| blocks(message, marks.contains(&at));
    let (mut system, messages) =
        turns(&chat.messages, &write, "assistant", r#"{"role":null,"content":null}"#);
    let mut output = Json::Null;
    if let Some(schema) = &chat.schema {
        match schema::adapt_schema(schema, &RULES) {
            Some(schema) => {
                output = fill_shape(r#"{"format":{"type":"json_schema","schema":null}}"#, &mut [schema]);
            }
            None => system.push(fill_shape(TEXT, &mut [schema::describe(schema).into()])),
        }
    }
    let (choice, name) = match &chat.tool_choice {
        ToolChoice::Auto => (None, None),
        ToolChoice::None => (Some("none"), None),
        ToolChoice::Required => (Some("any"), None),
        ToolChoice::Named(name) => (Some("tool"), Some(name.as_str())),
    };
    let choice = choice.filter(|_| !chat.tools.is_empty());
    let choice =
        choice.map(|kind| fill_shape(r#"{"type":null,"name":null}"#, &mut [kind.into(), name.into()]));
    fill_shape(
        r#"{"model":null,"max_tokens":null,"temperature":null,"output_config":null,"system":null,"messages":null,"tools":null,
        "tool_choice":null,"stream":null}"#,
        &mut [
            options.model_of(chat).into(),
            chat.max_tokens.unwrap_or(MAX_TOKENS).into(),
            chat.temperature.into(),
            output,
            non_empty(system),
            messages.into(),
            non_empty(chat.tools.iter().map(tool).collect_vec()),
            choice.into(),
            true_or_null(stream),
        ],
    )
}

const TEXT: &str = r#"{"type":"text","text":null}"#;

const RULES: SchemaRules = SchemaRules {
    keywords: "type description title enum const anyOf $ref $defs definitions properties required \
        additionalProperties items format default",
    requires_closed: true,
    requires_all: false,
};

fn tool(tool: &ToolSpec) -> Json {
    let shape = r#"{"name":null,"description":null,"input_schema":null}"#;
    let schema = schema::tool_schema(&tool.input_schema);
    fill_shape(shape, &mut [tool.name.as_str().into(), tool.description.as_deref().into(), schema])
}

fn blocks(message: &Message, is_cache_breakpoint: bool) -> Vec<Json> {
    let mut blocks = blocks_without_cache(message);
    // A thinking block can't carry a breakpoint.
    let last = blocks.iter_mut().rev().find(|block| !text(block, "type").contains("thinking"));
    if let Some(last) = last.filter(|_| is_cache_breakpoint) {
        set(last, "cache_control", fill_shape(r#"{"type":"ephemeral"}"#, &mut []));
    }
    blocks
}

fn blocks_without_cache(message: &Message) -> Vec<Json> {
    if let Some(Json::Array(stored)) = provider_data(message, FORMAT.name) {
        return provider_data_with_calls(stored, message, call_in_block, repair_arguments);
    }
    let said = || Json::from(message.content.as_str());
    if let Some(answered) = &message.answers {
        let shape = r#"{"type":"tool_result","tool_use_id":null,"content":null,"is_error":null}"#;
        return vec![fill_shape(
            shape,
            &mut [answered.call.as_str().into(), said(), true_or_null(answered.failed)],
        )];
    }
    let text = (!message.content.is_empty()).then(|| fill_shape(TEXT, &mut [said()]));
    let call = |call: &ToolCall| {
        let shape = r#"{"type":"tool_use","id":null,"name":null,"input":null}"#;
        fill_shape(
            shape,
            &mut [call.id.as_str().into(), call.name.as_str().into(), arguments_object(&call.arguments)],
        )
    };
    text.into_iter().chain(message.tool_calls.iter().map(call)).collect_vec()
}

fn call_in_block(block: &mut Json) -> Option<&mut Json> {
    (text(block, "type") == "tool_use").then_some(block)
}

fn repair_arguments(block: &mut Json, call: &ToolCall) {
    set(block, "id", call.id.as_str().into());
    if !block.get("input").is_some_and(Json::is_object) {
        set(block, "input", arguments_object(&call.arguments));
    }
}

fn event(stream: &mut Stream, event: &Json) {
    let number = count(event, "/index");
    match text(event, "type") {
        "message_start" => {
            if let Some(message) = event.get("message").and_then(Json::as_object) {
                stream.message.clone_from(message);
            }
        }
        "content_block_start" => {
            let block = event.get("content_block").and_then(Json::as_object);
            if let (Some(part), Some(block)) = (stream.part(number), block) {
                part.clone_from(block);
            }
            let block = event.get("content_block").unwrap_or(&Json::Null);
            match text(block, "type") {
                "tool_use" => stream.push_tool_call(number, text(block, "id"), text(block, "name"), ""),
                "text" => stream.push_text(text(block, "text")),
                _ => {}
            }
        }
        "content_block_delta" => block_event(stream, number, event.get("delta").unwrap_or(&Json::Null)),
        "message_delta" => {
            if let Some(usage) = event.get("usage").and_then(Json::as_object) {
                let known = stream.message.entry("usage").or_insert_with(|| Json::Object(Map::new()));
                for (key, value) in usage.iter().filter(|(_, value)| !value.is_null()) {
                    set(known, key, value.clone());
                }
            }
            if let Some(reason) = event.pointer("/delta/stop_reason").filter(|reason| reason.is_string()) {
                stream.message.insert("stop_reason".to_owned(), reason.clone());
                stream.is_complete = true;
            }
        }
        "message_stop" => stream.is_over = true,
        _ => {}
    }
}

/// The delta types, the piece's key, and the key of the block that it extends.
const DELTAS: [(&str, &str, &str); 4] = [
    ("text_delta", "text", "text"),
    ("thinking_delta", "thinking", "thinking"),
    ("signature_delta", "signature", "signature"),
    ("input_json_delta", "partial_json", ARGUMENTS_TEXT),
];
/// Collects a call's arguments as text.
const ARGUMENTS_TEXT: &str = "partial_json";

fn block_event(stream: &mut Stream, number: u64, delta: &Json) {
    let kind = text(delta, "type");
    let Some((_, from, to)) = DELTAS.iter().find(|(known, ..)| *known == kind) else { return };
    let more = text(delta, from);
    if let Some(part) = stream.part(number) {
        append(part, to, more);
    }
    match *to {
        "text" => stream.push_text(more),
        "thinking" => stream.push_reasoning(more),
        ARGUMENTS_TEXT if !more.is_empty() => stream.push_tool_call(number, "", "", more),
        _ => {}
    }
}

fn assemble(stream: Stream) -> Json {
    let mut whole = Json::Object(stream.message);
    let block = |mut part: Map<String, Json>| {
        if let Some(written) = part.shift_remove(ARGUMENTS_TEXT) {
            part.insert("input".to_owned(), parse_arguments(Some(&written)));
        }
        Json::Object(part)
    };
    set(&mut whole, "content", stream.parts.into_iter().map(block).collect());
    whole
}

fn reply(whole: &Json) -> Result<ChatReply, UnexpectedAnswer> {
    let content = whole.get("content").and_then(Json::as_array).ok_or(UnexpectedAnswer::Shape)?;
    let mut reply = ChatReply::new("");
    for block in content {
        match text(block, "type") {
            "text" => reply.text.push_str(text(block, "text")),
            "tool_use" => reply.tool_calls.push(ToolCall {
                id: text(block, "id").to_owned(),
                name: text(block, "name").to_owned(),
                arguments: parse_arguments(block.get("input")),
            }),
            // Signed thinking must go back before the blocks that followed it.
            _ => {
                reply.provider =
                    Some(fill_shape(r#"{"anthropic":null}"#, &mut [Json::Array(content.clone())]));
            }
        }
    }
    let reason = text(whole, "stop_reason");
    if reason == "refusal" {
        return Err(UnexpectedAnswer::Refused(reply.text));
    }
    reply.finish = finish_reason(reason, FINISHES);
    reply.usage = whole.get("usage").and_then(usage);
    Ok(reply)
}

const FINISHES: &[(&str, FinishReason)] = &[
    ("end_turn", FinishReason::Stop),
    ("stop_sequence", FinishReason::Stop),
    ("tool_use", FinishReason::ToolCalls),
    ("max_tokens", FinishReason::Length),
    ("model_context_window_exceeded", FinishReason::Length),
];

/// Cache reads and writes are counted separately from other input.
fn usage(usage: &Json) -> Option<Usage> {
    let fresh = usage.get("input_tokens")?.as_u64()?;
    let cached_input = count(usage, "/cache_read_input_tokens");
    let cache_write_input = count(usage, "/cache_creation_input_tokens");
    Some(Usage {
        input: fresh.saturating_add(cached_input).saturating_add(cache_write_input),
        output: usage.get("output_tokens")?.as_u64()?,
        cached_input,
        cache_write_input,
        reasoning_output: 0,
        micro_usd: None,
    })
}

#[cfg(test)]
mod tests;
