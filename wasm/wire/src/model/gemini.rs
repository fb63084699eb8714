//! The wire format of Gemini's `generateContent`. Calls are identified by their tool's name, and most have no
//! id.
//!
//! Source: the Gemini API reference: generateContent, function calling, structured output, thought
//! signatures.

use super::common::{
    append, arguments_object, count, fill_shape, finish_reason, list, non_empty, parse_arguments,
    provider_data, provider_data_with_calls, set, text, turns,
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
    name: "gemini",
    path,
    key: ("x-goog-api-key", ""),
    headers: &[],
    page_headers: &[],
    body,
    event,
    assemble,
    reply,
};

/// A plan may choose the model's name, which must not change the rest of the URL.
fn path(options: &Options, chat: &ChatRequest, stream: bool) -> String {
    let name = options.model_of(chat);
    let (folder, name) = match name.split_once('/') {
        Some(("tunedModels", rest)) => ("tunedModels", rest),
        Some(("models", rest)) => ("models", rest),
        _ => ("models", name),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    let name: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    let method = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
    ["/", folder, "/", &name, ":", method].concat()
}

fn body(_: &Options, chat: &ChatRequest, _: bool) -> Json {
    let known = provider_ids(&chat.messages);
    let write = |_, message: &Message| parts(message, &known);
    let (system, contents) = turns(&chat.messages, &write, "model", r#"{"role":null,"parts":null}"#);
    let (mode, name) = match &chat.tool_choice {
        ToolChoice::Auto => (None, None),
        ToolChoice::None => (Some("NONE"), None),
        ToolChoice::Required => (Some("ANY"), None),
        ToolChoice::Named(name) => (Some("ANY"), Some(name.as_str())),
    };
    let names = non_empty(name.into_iter().map(Json::from).collect_vec());
    let choice = r#"{"functionCallingConfig":{"mode":null,"allowedFunctionNames":null}}"#;
    let config =
        r#"{"maxOutputTokens":null,"temperature":null,"responseMimeType":null,"responseJsonSchema":null}"#;
    let schema = chat.schema.as_ref().and_then(|schema| schema::adapt_schema(schema, &RULES));
    let kind = schema.as_ref().map(|_| "application/json");
    // Most models accept tools or a schema, not both, even if the tools must not be called.
    let closed = schema.is_some() && chat.tool_choice == ToolChoice::None;
    let (bounded, offers) = (
        chat.max_tokens.is_some() || chat.temperature.is_some() || schema.is_some(),
        !chat.tools.is_empty() && !closed,
    );
    let when =
        |is: bool, shape: &str, values: &mut [Json]| if is { fill_shape(shape, values) } else { Json::Null };
    fill_shape(
        r#"{"contents":null,"systemInstruction":null,"tools":null,"toolConfig":null,"generationConfig":null}"#,
        &mut [
            contents.into(),
            when(!system.is_empty(), r#"{"parts":null}"#, &mut [system.into()]),
            when(offers, r#"[{"functionDeclarations":null}]"#, &mut [chat.tools.iter().map(tool).collect()]),
            when(offers && mode.is_some(), choice, &mut [mode.into(), names]),
            when(
                bounded,
                config,
                &mut [chat.max_tokens.into(), chat.temperature.into(), kind.into(), schema.into()],
            ),
        ],
    )
}

const RULES: SchemaRules = SchemaRules {
    keywords: "type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf \
        properties additionalProperties required $ref $defs $anchor propertyOrdering",
    requires_closed: false,
    requires_all: false,
};

fn tool(tool: &ToolSpec) -> Json {
    // Some models refuse an object without properties.
    let takes =
        tool.input_schema.get("properties").and_then(Json::as_object).is_some_and(|map| !map.is_empty());
    let schema =
        takes.then(|| schema::adapt_schema(&schema::tool_schema(&tool.input_schema), &RULES)).flatten();
    let shape = r#"{"name":null,"description":null,"parametersJsonSchema":null}"#;
    fill_shape(shape, &mut [tool.name.as_str().into(), tool.description.as_deref().into(), schema.into()])
}

/// Results must repeat the call ids that the provider issued.
fn provider_ids(messages: &[Message]) -> Vec<String> {
    let id = |part: Json| part.pointer("/functionCall/id").and_then(Json::as_str).map(str::to_owned);
    messages.iter().filter_map(provider_parts).flatten().filter_map(id).collect_vec()
}

fn provider_parts(message: &Message) -> Option<Vec<Json>> {
    let stored = provider_data(message, FORMAT.name)?.as_array()?;
    Some(provider_data_with_calls(stored, message, |part| part.get_mut("functionCall"), repair_arguments))
}

fn repair_arguments(part: &mut Json, call: &ToolCall) {
    if !text(part, "id").is_empty() {
        set(part, "id", call.id.as_str().into());
    }
    if part.get("args").is_some_and(|args| !args.is_object()) {
        set(part, "args", arguments_object(&call.arguments));
    }
}

/// `known` lists the ids that a result may name.
fn parts(message: &Message, known: &[String]) -> Vec<Json> {
    if let Some(stored) = provider_parts(message) {
        return stored;
    }
    let content = Json::from(message.content.as_str());
    if let Some(answered) = &message.answers {
        let (done, failed) = if answered.failed { (Json::Null, content) } else { (content, Json::Null) };
        let shape = r#"{"functionResponse":{"id":null,"name":null,"response":{"output":null,"error":null}}}"#;
        let id = known.contains(&answered.call).then_some(answered.call.as_str());
        return vec![fill_shape(shape, &mut [id.into(), answered.tool.as_str().into(), done, failed])];
    }
    let said = (!message.content.is_empty()).then(|| fill_shape(r#"{"text":null}"#, &mut [content]));
    let call = |call: &ToolCall| {
        let shape = r#"{"functionCall":{"name":null,"args":null}}"#;
        fill_shape(shape, &mut [call.name.as_str().into(), arguments_object(&call.arguments)])
    };
    said.into_iter().chain(message.tool_calls.iter().map(call)).collect_vec()
}

fn is_thought(part: &Json) -> bool {
    part.get("thought") == Some(&Json::Bool(true))
}

fn event(stream: &mut Stream, chunk: &Json) {
    for key in ["usageMetadata", "promptFeedback"] {
        if let Some(value) = chunk.get(key) {
            stream.message.insert(key.to_owned(), value.clone());
        }
    }
    // A blocked prompt has no candidate that could finish.
    stream.is_complete |= chunk.pointer("/promptFeedback/blockReason").is_some();
    let Some(candidate) = chunk.pointer("/candidates/0") else { return };
    if let Some(reason) = candidate.get("finishReason").filter(|reason| reason.is_string()) {
        stream.message.insert("finishReason".to_owned(), reason.clone());
        stream.is_complete = true;
    }
    for part in candidate.pointer("/content/parts").and_then(Json::as_array).into_iter().flatten() {
        add_part(stream, part);
    }
}

fn add_part(stream: &mut Stream, part: &Json) {
    let message = text(part, "text");
    if is_thought(part) {
        stream.push_reasoning(message);
    } else {
        stream.push_text(message);
    }
    let number = stream.parts.len() as u64;
    if let Some(call) = part.get("functionCall") {
        let args = parse_arguments(call.get("args")).to_string();
        stream.push_tool_call(number, text(call, "id"), text(call, "name"), &args);
    }
    let bare = |map: &Map<String, Json>| map.keys().all(|key| key == "text" || key == "thought");
    let Some(map) = part.as_object() else { return };
    let grows = stream
        .parts
        .last_mut()
        .filter(|last| bare(last) && bare(map) && last.get("thought") == map.get("thought"));
    match grows {
        Some(last) => append(last, "text", message),
        None => {
            if let Some(part) = stream.part(number) {
                part.clone_from(map);
            }
        }
    }
}

fn assemble(mut stream: Stream) -> Json {
    let parts: Vec<Json> = std::mem::take(&mut stream.parts).into_iter().map(Json::Object).collect_vec();
    let reason = stream.message.shift_remove("finishReason");
    let mut whole = Json::Object(stream.message);
    if reason.is_some() {
        let shape = r#"[{"content":{"parts":null},"finishReason":null}]"#;
        set(&mut whole, "candidates", fill_shape(shape, &mut [parts.into(), reason.into()]));
    }
    whole
}

fn reply(whole: &Json) -> Result<ChatReply, UnexpectedAnswer> {
    let blocked = whole.pointer("/promptFeedback/blockReason").and_then(Json::as_str);
    let Some(candidate) = whole.pointer("/candidates/0").filter(|candidate| candidate.is_object()) else {
        return Err(
            blocked.map_or(UnexpectedAnswer::Shape, |reason| UnexpectedAnswer::Refused(reason.to_owned()))
        );
    };
    let content = candidate.get("content").unwrap_or(&Json::Null);
    let parts = list(content, "parts");
    let mut reply = ChatReply::new("");
    for part in parts {
        if !is_thought(part) {
            reply.text.push_str(text(part, "text"));
        }
        if let Some(call) = part.get("functionCall") {
            reply.tool_calls.push(ToolCall {
                id: text(call, "id").to_owned(),
                name: text(call, "name").to_owned(),
                arguments: parse_arguments(call.get("args")),
            });
        }
        if part.get("thoughtSignature").is_some() {
            reply.provider = Some(fill_shape(r#"{"gemini":null}"#, &mut [Json::Array(parts.to_vec())]));
        }
    }
    let reason = text(candidate, "finishReason");
    if reason.is_empty() && parts.is_empty() {
        return Err(UnexpectedAnswer::Shape);
    }
    reply.finish = finish_reason(reason, FINISHES);
    reply.usage = whole.get("usageMetadata").and_then(usage);
    Ok(reply)
}

const FINISHES: &[(&str, FinishReason)] = &[
    ("STOP", FinishReason::Stop),
    ("MAX_TOKENS", FinishReason::Length),
    ("SAFETY", FinishReason::Filtered),
    ("RECITATION", FinishReason::Filtered),
    ("BLOCKLIST", FinishReason::Filtered),
    ("PROHIBITED_CONTENT", FinishReason::Filtered),
    ("SPII", FinishReason::Filtered),
];

fn usage(usage: &Json) -> Option<Usage> {
    let input =
        usage.get("promptTokenCount")?.as_u64()?.saturating_add(count(usage, "/toolUsePromptTokenCount"));
    let reasoning_output = count(usage, "/thoughtsTokenCount");
    // Gemini omits zero counts. Then the total shows that it counted.
    let answer = match usage.get("candidatesTokenCount") {
        Some(answer) => answer.as_u64()?,
        None => {
            usage.get("totalTokenCount")?.as_u64()?.checked_sub(input.saturating_add(reasoning_output))?
        }
    };
    Some(Usage {
        input,
        output: answer.saturating_add(reasoning_output),
        cached_input: count(usage, "/cachedContentTokenCount").min(input),
        cache_write_input: 0,
        reasoning_output,
        micro_usd: None,
    })
}

#[cfg(test)]
mod tests;
