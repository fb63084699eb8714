//! The wire format of OpenAI's chat completions, which Ollama, llama.cpp, vLLM, OpenRouter and many others speak, too.
//!
//! Decides how a neutral request is written and what an answer means. What only OpenAI takes is sent to OpenAI alone.
//!
//! Source: the OpenAI API reference, chat completions; for `reasoning_content` and `reasoning_details` those of DeepSeek, llama.cpp
//! and OpenRouter.

use super::part::{
    append, arguments, breakpoint, count, finish, generation, list, marked, object, put, text,
};
use super::schema::{self, Rules};
use super::stream::Stream;
use super::{Format, Odd, Options};
use serde_json::{Map, Value as Json, json};
use stepgraph_core::model::{ChatReply, ChatRequest, Finish, Message, ToolCall, ToolChoice, ToolSpec, Usage};

pub(super) static FORMAT: Format = Format {
    name: "openai",
    path: |_, _, _| "/chat/completions".to_owned(),
    key: ("authorization", "Bearer "),
    headers: &[],
    page_headers: &[],
    body,
    event,
    whole,
    reply,
};

/// How many messages may be marked: the service marks the last one itself, and writes four at most.
pub(super) const MARKS: usize = 3;
/// From this generation on the cache is looked up at marks only, and older ones refuse the marks.
pub(super) const MARKED_SINCE: u32 = 506;

/// What an assistant's message holds beside the neutral shape, to be sent back as it came.
const KEPT: [&str; 2] = ["reasoning_content", "reasoning_details"];

fn body(options: &Options, chat: &ChatRequest, stream: bool) -> Json {
    let (model, own) = (options.model_of(chat), options.is_openai());
    let marks = if own && generation(model) >= MARKED_SINCE { marked(&chat.messages, MARKS) } else { vec![] };
    let messages: Vec<Json> =
        chat.messages.iter().enumerate().map(|(at, said)| message(said, marks.contains(&at))).collect();
    let mut body = json!({"model": model, "messages": messages});
    if !chat.tools.is_empty() {
        put(
            &mut body,
            "tools",
            chat.tools
                .iter()
                .map(|tool| json!({"type": "function", "function": described(tool)}))
                .collect::<Vec<_>>(),
        );
        if let Some(choice) =
            tool_choice(&chat.tool_choice, |name| json!({"type": "function", "function": {"name": name}}))
        {
            put(&mut body, "tool_choice", choice);
        }
    }
    if let Some(schema) = &chat.schema {
        put(
            &mut body,
            "response_format",
            json!({"type": "json_schema", "json_schema": answer_format(schema, own)}),
        );
    }
    if let Some(max) = chat.max_tokens {
        // OpenAI's newer models refuse the old name, and other servers do not know the new one.
        put(&mut body, if own { "max_completion_tokens" } else { "max_tokens" }, max);
    }
    if let Some(key) = chat.cache_key.as_deref().filter(|_| own) {
        put(&mut body, "prompt_cache_key", key);
    }
    if stream {
        put(&mut body, "stream", true);
        put(&mut body, "stream_options", json!({"include_usage": true}));
    }
    body
}

/// Name, description and parameters of a tool.
pub(super) fn described(tool: &ToolSpec) -> Json {
    let mut json = json!({"name": tool.name, "parameters": schema::of_tool(&tool.input_schema)});
    if let Some(description) = &tool.description {
        put(&mut json, "description", description.as_str());
    }
    json
}

/// Whether the model may, must or must not ask for calls; nothing where it may.
pub(super) fn tool_choice(choice: &ToolChoice, named: impl Fn(&str) -> Json) -> Option<Json> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("none".into()),
        ToolChoice::Required => Some("required".into()),
        ToolChoice::Named(name) => Some(named(name)),
    }
}

/// The schema of the answer, which OpenAI enforces only in a part of JSON Schema. Other servers take all of it.
pub(super) fn answer_format(schema: &Json, own: bool) -> Json {
    let adapted = if own { schema::adapted(schema, &OPENAI) } else { Some(schema.clone()) };
    json!({"name": "answer", "strict": adapted.is_some(), "schema": adapted.as_ref().unwrap_or(schema)})
}

/// What OpenAI enforces.
const OPENAI: Rules = Rules {
    keeps: &[
        "type",
        "description",
        "title",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "definitions",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
    ],
    closed: true,
    complete: true,
};

fn message(message: &Message, marked: bool) -> Json {
    let mut json = json!({"role": message.role.as_str(), "content": message.content});
    // An assistant's content can't be marked.
    if marked && message.tool_calls.is_empty() && !message.content.is_empty() {
        put(&mut json, "content", breakpoint("text", &message.content));
    }
    if let Some(answered) = &message.answers {
        put(&mut json, "tool_call_id", answered.call.as_str());
    }
    if !message.tool_calls.is_empty() {
        put(&mut json, "tool_calls", message.tool_calls.iter().map(call).collect::<Vec<_>>());
    }
    if let Some(kept) =
        message.provider.as_ref().and_then(|kept| kept.get(FORMAT.name)).and_then(Json::as_object)
    {
        for (key, value) in kept {
            put(&mut json, key, value.clone());
        }
    }
    json
}

fn call(call: &ToolCall) -> Json {
    let function = json!({"name": call.name, "arguments": object(&call.arguments).to_string()});
    json!({"id": call.id, "type": "function", "function": function})
}

fn event(stream: &mut Stream, chunk: &Json) {
    if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
        stream.top.insert("usage".to_owned(), usage.clone());
    }
    let Some(choice) = list(chunk, "choices").iter().find(|choice| count(choice, "/index") == 0) else {
        return;
    };
    if let Some(word) = choice.get("finish_reason").filter(|word| word.is_string()) {
        stream.top.insert("finish_reason".to_owned(), word.clone());
        stream.complete = true;
    }
    let Some(delta) = choice.get("delta") else { return };
    let said = text(delta, "content");
    stream.append("content", said);
    stream.tell_text(said);
    for key in ["refusal", "reasoning_content", "reasoning"] {
        let more = text(delta, key);
        if !more.is_empty() {
            stream.append(key, more);
            if key != "refusal" {
                stream.tell_reasoning(more);
            }
        }
    }
    if let [first, ..] = list(delta, "reasoning_details")
        && let Json::Array(known) = stream.top.entry("reasoning_details").or_insert_with(|| json!([]))
    {
        known.push(first.clone());
        known.extend(list(delta, "reasoning_details").iter().skip(1).cloned());
    }
    for call in list(delta, "tool_calls") {
        call_event(stream, call);
    }
}

fn call_event(stream: &mut Stream, call: &Json) {
    let id = text(call, "id");
    // Servers that send calls whole may not number them; then each has an id, and a new one begins a new call.
    let last = stream.parts.len().saturating_sub(1);
    let begins = stream
        .parts
        .last()
        .is_none_or(|part| !id.is_empty() && part.get("id").and_then(Json::as_str) != Some(id));
    let unnumbered = if begins { stream.parts.len() } else { last } as u64;
    let number = call.get("index").and_then(Json::as_u64).unwrap_or(unnumbered);
    let function = call.get("function").unwrap_or(&Json::Null);
    let Some(part) = stream.part(number) else { return };
    // Some repeat the name with every piece.
    let name = if part.contains_key("name") { "" } else { text(function, "name") };
    for (key, value) in [("id", id), ("name", name)] {
        if !value.is_empty() {
            part.insert(key.to_owned(), value.into());
        }
    }
    let written = match function.get("arguments") {
        Some(object @ Json::Object(_)) => object.to_string(),
        _ => text(function, "arguments").to_owned(),
    };
    append(part, "arguments", &written);
    if let Some(extra) = call.get("extra_content") {
        part.insert("extra_content".to_owned(), extra.clone());
    }
    stream.tell_call(number, id, name, &written);
}

fn whole(mut stream: Stream) -> Json {
    let function = |part: Map<String, Json>| {
        let part = Json::Object(part);
        let function = json!({"name": text(&part, "name"), "arguments": text(&part, "arguments")});
        let mut call = json!({"id": text(&part, "id"), "type": "function", "function": function});
        if let Some(extra) = part.get("extra_content") {
            put(&mut call, "extra_content", extra.clone());
        }
        call
    };
    let calls: Vec<Json> = std::mem::take(&mut stream.parts).into_iter().map(function).collect();
    let usage = stream.top.shift_remove("usage");
    let word = stream.top.shift_remove("finish_reason");
    let mut message = Json::Object(stream.top);
    put(&mut message, "tool_calls", calls);
    json!({"choices": [{"message": message, "finish_reason": word}], "usage": usage})
}

fn reply(whole: &Json) -> Result<ChatReply, Odd> {
    let choice = whole.pointer("/choices/0").ok_or(Odd::Shape)?;
    let message = choice.get("message").filter(|message| message.is_object()).ok_or(Odd::Shape)?;
    let refusal = text(message, "refusal");
    if !refusal.is_empty() {
        return Err(Odd::Declined(refusal.to_owned()));
    }
    let call = |call: &Json| {
        let function = call.get("function").unwrap_or(&Json::Null);
        let (id, name) = (text(call, "id").to_owned(), text(function, "name").to_owned());
        ToolCall { id, name, arguments: arguments(function.get("arguments")) }
    };
    Ok(ChatReply {
        tool_calls: list(message, "tool_calls").iter().map(call).collect(),
        finish: finish(text(choice, "finish_reason"), FINISHES),
        usage: whole.get("usage").and_then(usage),
        provider: kept(message),
        ..ChatReply::new(content(message.get("content")).ok_or(Odd::Shape)?)
    })
}

const FINISHES: &[(&str, Finish)] = &[
    ("stop", Finish::Stop),
    ("length", Finish::Length),
    ("tool_calls", Finish::ToolCalls),
    ("content_filter", Finish::Filtered),
];

/// What must come back with the calls: thoughts, and signatures that stand beside calls.
fn kept(message: &Json) -> Option<Json> {
    let calls = list(message, "tool_calls");
    if calls.is_empty() {
        return None;
    }
    let mut kept: Map<String, Json> = KEPT
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), message.get(key).filter(|value| !value.is_null())?.clone())))
        .collect();
    if calls.iter().any(|call| call.get("extra_content").is_some()) {
        kept.insert("tool_calls".to_owned(), calls.into());
    }
    (!kept.is_empty()).then(|| json!({FORMAT.name: kept}))
}

/// Text, or the texts of a list of parts; a message without content, as with calls of tools, is empty.
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
    let output = count(usage, "/completion_tokens");
    let cached =
        count(usage, "/prompt_tokens_details/cached_tokens").max(count(usage, "/prompt_cache_hit_tokens"));
    let cached_input = cached.min(input);
    let written = count(usage, "/prompt_tokens_details/cache_write_tokens");
    let thought = count(usage, "/completion_tokens_details/reasoning_tokens");
    Some(Usage {
        input,
        output,
        cached_input,
        cache_write_input: written.min(input - cached_input),
        reasoning_output: thought.min(output),
    })
}

#[cfg(test)]
mod tests;
