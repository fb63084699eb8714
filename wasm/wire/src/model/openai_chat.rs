//! The wire format of OpenAI's chat completions, which `Ollama`, `llama.cpp`, `vLLM`, `OpenRouter` and others
//! use.
//!
//! Parameters that only OpenAI accepts go to OpenAI alone.
//!
//! Source: the OpenAI API reference, chat completions. For `reasoning_content` and `reasoning_details`: the
//! references of `DeepSeek`, `llama.cpp` and `OpenRouter`.

use super::common::{
    append, arguments_object, breakpoint_text, breakpoints, count, fill_shape, finish_reason, generation,
    list, non_empty, parse_arguments, provider_data, provider_data_with_calls, set, text, true_or_null,
    usage_within,
};
use super::schema::{self, SchemaRules};
use super::stream::Stream;
use super::{Format, Options, UnexpectedAnswer};
use serde_json::{Map, Value as Json};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::model::{
    ChatReply, ChatRequest, FinishReason, Message, Role, ToolCall, ToolChoice, ToolSpec, Usage,
};

pub(super) static FORMAT: Format = Format {
    name: "openai",
    path: |_, _, _| "/chat/completions".to_owned(),
    key: ("authorization", "Bearer "),
    headers: &[],
    page_headers: &[],
    body,
    event,
    assemble,
    reply,
};

/// Newer generations look up the cache only at breakpoints. Older ones refuse them.
pub(super) const BREAKPOINTS_SINCE: u32 = 506;

/// They go back to the provider unchanged.
const ROUND_TRIP_KEYS: [&str; 2] = ["reasoning_content", "reasoning_details"];

fn body(options: &Options, chat: &ChatRequest, stream: bool) -> Json {
    let (model, own) = (options.model_of(chat), options.is_openai());
    let marks =
        if own && generation(model) >= BREAKPOINTS_SINCE { breakpoints(&chat.messages) } else { vec![] };
    let messages: Vec<Json> =
        chat.messages.iter().enumerate().map(|(at, said)| message(said, marks.contains(&at))).collect_vec();
    let tools = chat.tools.iter().map(|tool| fill_shape(TOOL, &mut [tool_description(tool)]));
    // OpenAI's newer models refuse `max_tokens`. Others don't know `max_completion_tokens`.
    let (new_max, old_max) = if own { (chat.max_tokens, None) } else { (None, chat.max_tokens) };
    let format = chat.schema.as_ref().map(|schema| answer_format(schema, own));
    let usage = if stream { fill_shape(r#"{"include_usage":true}"#, &mut []) } else { Json::Null };
    fill_shape(
        r#"{"model":null,"messages":null,"tools":null,"tool_choice":null,"response_format":null,
        "max_completion_tokens":null,"max_tokens":null,"temperature":null,"prompt_cache_key":null,"stream":null,"stream_options":null}"#,
        &mut [
            model.into(),
            messages.into(),
            non_empty(tools.collect_vec()),
            tool_choice(chat, r#"{"type":"function","function":{"name":null}}"#),
            format.map_or(Json::Null, |format| {
                fill_shape(r#"{"type":"json_schema","json_schema":null}"#, &mut [format])
            }),
            new_max.into(),
            old_max.into(),
            chat.temperature.into(),
            chat.cache_key.as_deref().filter(|_| own).into(),
            true_or_null(stream),
            usage,
        ],
    )
}

const TOOL: &str = r#"{"type":"function","function":null}"#;

pub(super) fn tool_description(tool: &ToolSpec) -> Json {
    let parameters = schema::tool_schema(&tool.input_schema);
    let shape = r#"{"name":null,"description":null,"parameters":null}"#;
    fill_shape(shape, &mut [tool.name.as_str().into(), tool.description.as_deref().into(), parameters])
}

/// `named` is the shape of a certain tool. Null for `Auto` and without tools.
pub(super) fn tool_choice(chat: &ChatRequest, named: &str) -> Json {
    match &chat.tool_choice {
        _ if chat.tools.is_empty() => Json::Null,
        ToolChoice::Auto => Json::Null,
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Named(name) => fill_shape(named, &mut [name.as_str().into()]),
    }
}

/// OpenAI enforces a subset of JSON Schema. Other servers get the schema unchanged, in strict mode only if it
/// qualifies: they may forward it to OpenAI.
pub(super) fn answer_format(schema: &Json, own: bool) -> Json {
    let adapted = schema::adapt_schema(schema, &OPENAI).filter(|adapted| own || adapted == schema);
    let strict = adapted.is_some().into();
    fill_shape(
        r#"{"name":"answer","strict":null,"schema":null}"#,
        &mut [strict, adapted.unwrap_or_else(|| schema.clone())],
    )
}

const OPENAI: SchemaRules = SchemaRules {
    keywords: "type description title enum const anyOf $ref $defs definitions properties required \
        additionalProperties items pattern format minimum maximum exclusiveMinimum exclusiveMaximum \
        multipleOf minItems maxItems",
    requires_closed: true,
    requires_all: true,
};

fn message(message: &Message, is_cache_breakpoint: bool) -> Json {
    // Assistant messages can't carry a breakpoint.
    let is_cache_breakpoint =
        is_cache_breakpoint && message.role != Role::Assistant && !message.content.is_empty();
    let content = if is_cache_breakpoint {
        breakpoint_text("text", &message.content)
    } else {
        message.content.as_str().into()
    };
    let answered = message.answers.as_ref().map(|answered| answered.call.as_str());
    let calls = non_empty(message.tool_calls.iter().map(call).collect_vec());
    let shape = r#"{"role":null,"content":null,"tool_call_id":null,"tool_calls":null}"#;
    let mut json = fill_shape(shape, &mut [message.role.as_str().into(), content, answered.into(), calls]);
    for (key, value) in provider_data(message, FORMAT.name).and_then(Json::as_object).into_iter().flatten() {
        let value = match value {
            Json::Array(calls) if key == "tool_calls" => {
                provider_data_with_calls(calls, message, |call| Some(call), repair_calls).into()
            }
            other => other.clone(),
        };
        set(&mut json, key, value);
    }
    json
}

fn repair_calls(stored: &mut Json, call: &ToolCall) {
    set(stored, "id", call.id.as_str().into());
    if let Some(function) = stored.get_mut("function") {
        repair_arguments(function, call);
    }
}

pub(super) fn repair_arguments(holder: &mut Json, call: &ToolCall) {
    if !call.arguments.is_object() || text(holder, "arguments").trim().is_empty() {
        set(holder, "arguments", arguments_object(&call.arguments).to_string().into());
    }
}

fn call(call: &ToolCall) -> Json {
    let arguments = arguments_object(&call.arguments).to_string();
    fill_shape(CALL, &mut [call.id.as_str().into(), call.name.as_str().into(), arguments.into(), Json::Null])
}

const CALL: &str =
    r#"{"id":null,"type":"function","function":{"name":null,"arguments":null},"extra_content":null}"#;

fn event(stream: &mut Stream, chunk: &Json) {
    if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
        stream.message.insert("usage".to_owned(), usage.clone());
    }
    let Some(choice) = list(chunk, "choices").iter().find(|choice| count(choice, "/index") == 0) else {
        return;
    };
    if let Some(word) = choice.get("finish_reason").filter(|word| word.is_string()) {
        stream.message.insert("finish_reason".to_owned(), word.clone());
        stream.is_complete = true;
    }
    let Some(delta) = choice.get("delta") else { return };
    let written = delta.get("content");
    for part in written.and_then(Json::as_array).into_iter().flatten() {
        stream.push_reasoning(&content(part.get("thinking")).unwrap_or_default());
    }
    let message = content(written).unwrap_or_default();
    stream.append("content", &message);
    stream.push_text(&message);
    for key in ["refusal", "reasoning_content", "reasoning"] {
        let more = text(delta, key);
        if !more.is_empty() {
            stream.append(key, more);
            if key != "refusal" {
                stream.push_reasoning(more);
            }
        }
    }
    let details = list(delta, "reasoning_details");
    if !details.is_empty()
        && let Json::Array(known) =
            stream.message.entry("reasoning_details").or_insert_with(|| Json::Array(Vec::new()))
    {
        known.extend(details.iter().cloned());
    }
    for call in list(delta, "tool_calls") {
        call_event(stream, call);
    }
}

fn call_event(stream: &mut Stream, call: &Json) {
    let function = call.get("function").unwrap_or(&Json::Null);
    let (id, name) = (text(call, "id"), text(function, "name"));
    let number = call_number(stream, call, id, name);
    let Some(part) = stream.part(number) else { return };
    // Some servers repeat both with every piece.
    let [id, name] = [("id", id), ("name", name)].map(|(key, value)| {
        if value.is_empty() || part.contains_key(key) {
            return "";
        }
        part.insert(key.to_owned(), value.into());
        value
    });
    let written = match function.get("arguments") {
        Some(object @ Json::Object(_)) => object.to_string(),
        _ => text(function, "arguments").to_owned(),
    };
    append(part, "arguments", &written);
    if let Some(extra) = call.get("extra_content") {
        part.insert("extra_content".to_owned(), extra.clone());
    }
    stream.push_tool_call(number, id, name, &written);
}

fn call_number(stream: &mut Stream, piece: &Json, id: &str, name: &str) -> u64 {
    let differs =
        |part: &Map<String, Json>| !id.is_empty() && part.get("id").and_then(Json::as_str) != Some(id);
    let Some(number) = piece.get("index").and_then(Json::as_u64) else {
        // Servers that send whole calls may omit numbers. Then a new id starts a new call.
        let begins = stream.parts.last().is_none_or(differs);
        return stream.parts.len().saturating_sub(usize::from(!begins)) as u64;
    };
    // Some servers number all calls alike. Others give each piece its own id, but only the first a name.
    let is_another = |part: &Map<String, Json>| part.contains_key("id") && differs(part);
    if !name.is_empty() && stream.known_part(number).is_some_and(is_another) {
        stream.reuse(number);
    }
    number
}

fn assemble(mut stream: Stream) -> Json {
    let function = |mut part: Map<String, Json>| {
        let fields = ["id", "name", "arguments", "extra_content"];
        fill_shape(CALL, &mut fields.map(|key| part.shift_remove(key).unwrap_or_default()))
    };
    let calls: Vec<Json> = std::mem::take(&mut stream.parts).into_iter().map(function).collect_vec();
    let usage = stream.message.shift_remove("usage");
    let word = stream.message.shift_remove("finish_reason");
    let mut message = Json::Object(stream.message);
    set(&mut message, "tool_calls", calls.into());
    fill_shape(
        r#"{"choices":[{"message":null,"finish_reason":null}],"usage":null}"#,
        &mut [message, word.into(), usage.into()],
    )
}

fn reply(whole: &Json) -> Result<ChatReply, UnexpectedAnswer> {
    let choice = whole.pointer("/choices/0").ok_or(UnexpectedAnswer::Shape)?;
    let message =
        choice.get("message").filter(|message| message.is_object()).ok_or(UnexpectedAnswer::Shape)?;
    let refusal = text(message, "refusal");
    if !refusal.is_empty() {
        return Err(UnexpectedAnswer::Refused(refusal.to_owned()));
    }
    let call = |call: &Json| {
        let function = call.get("function").unwrap_or(&Json::Null);
        let (id, name) = (text(call, "id").to_owned(), text(function, "name").to_owned());
        ToolCall { id, name, arguments: parse_arguments(function.get("arguments")) }
    };
    Ok(ChatReply {
        tool_calls: list(message, "tool_calls").iter().map(call).collect_vec(),
        finish: finish_reason(text(choice, "finish_reason"), FINISHES),
        usage: whole.get("usage").and_then(usage),
        provider: round_trip_data(message),
        ..ChatReply::new(content(message.get("content")).ok_or(UnexpectedAnswer::Shape)?)
    })
}

const FINISHES: &[(&str, FinishReason)] = &[
    ("stop", FinishReason::Stop),
    ("length", FinishReason::Length),
    ("tool_calls", FinishReason::ToolCalls),
    ("content_filter", FinishReason::Filtered),
];

fn round_trip_data(message: &Json) -> Option<Json> {
    let calls = list(message, "tool_calls");
    if calls.is_empty() {
        return None;
    }
    let mut stored: Map<String, Json> = ROUND_TRIP_KEYS
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), message.get(key).filter(|value| !value.is_null())?.clone())))
        .collect();
    if calls.iter().any(|call| call.get("extra_content").is_some()) {
        stored.insert("tool_calls".to_owned(), calls.into());
    }
    (!stored.is_empty()).then(|| fill_shape(r#"{"openai":null}"#, &mut [Json::Object(stored)]))
}

/// Missing content, as in messages with tool calls, is empty.
fn content(content: Option<&Json>) -> Option<String> {
    match content {
        None | Some(Json::Null) => Some(String::new()),
        Some(Json::String(text)) => Some(text.clone()),
        Some(Json::Array(parts)) => Some(parts.iter().map(|part| text(part, "text")).collect()),
        Some(_) => None,
    }
}

fn usage(usage: &Json) -> Option<Usage> {
    let input = usage.get("prompt_tokens")?.as_u64()?;
    let output = usage.get("completion_tokens")?.as_u64()?;
    let cached =
        count(usage, "/prompt_tokens_details/cached_tokens").max(count(usage, "/prompt_cache_hit_tokens"));
    let written = count(usage, "/prompt_tokens_details/cache_write_tokens");
    let thought = count(usage, "/completion_tokens_details/reasoning_tokens");
    Some(usage_within(input, output, cached, written, thought))
}

#[cfg(test)]
mod tests;
