//! The wire format of OpenAI's Responses.
//!
//! Decides how a neutral request is written and what an answer means. Nothing is stored at the provider: what a model thought comes
//! back encrypted and is sent again with the conversation.
//!
//! Source: the OpenAI API reference, responses.

use super::openai_chat::{MARKED_SINCE, MARKS, answer_format, described, tool_choice};
use super::part::{arguments, breakpoint, count, generation, list, marked, object, put, reasons, text};
use super::stream::Stream;
use super::{Format, Odd, Options};
use serde_json::{Value as Json, json};
use stepgraph_core::model::{ChatReply, ChatRequest, Finish, Message, Role, ToolCall, Usage};

pub(super) static FORMAT: Format = Format {
    name: "openai-responses",
    path: |_, _, _| "/responses".to_owned(),
    key: ("authorization", "Bearer "),
    headers: &[],
    page_headers: &[],
    body,
    event,
    whole,
    reply,
};

fn body(options: &Options, chat: &ChatRequest, stream: bool) -> Json {
    let (model, own) = (options.model_of(chat), options.is_openai());
    let marks = if own && generation(model) >= MARKED_SINCE { marked(&chat.messages, MARKS) } else { vec![] };
    let mut input = Vec::new();
    for (at, message) in chat.messages.iter().enumerate() {
        items(message, marks.contains(&at), &mut input);
    }
    let mut body = json!({"model": model, "input": input, "store": false});
    if own && reasons(model) {
        // A model that does not think refuses this.
        put(&mut body, "include", json!(["reasoning.encrypted_content"]));
    }
    if !chat.tools.is_empty() {
        let tool = |tool| {
            let mut json = described(tool);
            put(&mut json, "type", "function");
            // Unless told otherwise this format makes every parameter a required one.
            put(&mut json, "strict", false);
            json
        };
        put(&mut body, "tools", chat.tools.iter().map(tool).collect::<Vec<_>>());
        if let Some(choice) = tool_choice(&chat.tool_choice, |name| json!({"type": "function", "name": name}))
        {
            put(&mut body, "tool_choice", choice);
        }
    }
    if let Some(schema) = &chat.schema {
        let mut format = answer_format(schema, own);
        put(&mut format, "type", "json_schema");
        put(&mut body, "text", json!({"format": format}));
    }
    if let Some(max) = chat.max_tokens {
        put(&mut body, "max_output_tokens", max);
    }
    if let Some(key) = chat.cache_key.as_deref().filter(|_| own) {
        put(&mut body, "prompt_cache_key", key);
    }
    if stream {
        put(&mut body, "stream", true);
    }
    body
}

/// The items that a message becomes.
fn items(message: &Message, marked: bool, input: &mut Vec<Json>) {
    let kept = message.provider.as_ref().and_then(|kept| kept.get(FORMAT.name)).and_then(Json::as_array);
    if let Some(kept) = kept {
        input.extend(kept.iter().cloned());
        return;
    }
    if let Some(answered) = &message.answers {
        let output =
            if marked { breakpoint("input_text", &message.content) } else { message.content.as_str().into() };
        input.push(json!({"type": "function_call_output", "call_id": answered.call, "output": output}));
        return;
    }
    if message.role == Role::Assistant {
        if !message.content.is_empty() {
            let content = json!([{"type": "output_text", "text": message.content, "annotations": []}]);
            input.push(json!({"type": "message", "role": "assistant", "content": content}));
        }
        input.extend(message.tool_calls.iter().map(|call| {
            let arguments = object(&call.arguments).to_string();
            json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments})
        }));
        return;
    }
    let marked = marked && !message.content.is_empty();
    let content =
        if marked { breakpoint("input_text", &message.content) } else { message.content.as_str().into() };
    input.push(json!({"role": message.role.as_str(), "content": content}));
}

fn event(stream: &mut Stream, event: &Json) {
    let number = count(event, "/output_index");
    let more = text(event, "delta");
    match text(event, "type") {
        "response.output_text.delta" => stream.tell_text(more),
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            stream.tell_reasoning(more)
        }
        "response.output_item.added" => {
            let item = event.get("item").unwrap_or(&Json::Null);
            if text(item, "type") == "function_call" {
                stream.tell_call(number, text(item, "call_id"), text(item, "name"), "");
            }
        }
        "response.function_call_arguments.delta" => stream.tell_call(number, "", "", more),
        "response.output_item.done" => {
            let item = event.get("item").and_then(Json::as_object);
            if let (Some(part), Some(item)) = (stream.part(number), item) {
                part.clone_from(item);
            }
        }
        "response.completed" | "response.incomplete" => {
            if let Some(response) = event.get("response").and_then(Json::as_object) {
                stream.top.clone_from(response);
                (stream.complete, stream.over) = (true, true);
            }
        }
        _ => {}
    }
}

fn whole(stream: Stream) -> Json {
    let mut whole = Json::Object(stream.top);
    // The last event tells all, but for servers that leave out what they have told before.
    if list(&whole, "output").is_empty() {
        put(&mut whole, "output", stream.parts.into_iter().map(Json::Object).collect::<Vec<_>>());
    }
    whole
}

fn reply(whole: &Json) -> Result<ChatReply, Odd> {
    let output = whole.get("output").and_then(Json::as_array).ok_or(Odd::Shape)?;
    let mut reply = ChatReply::new("");
    for item in output {
        match text(item, "type") {
            "message" => {
                for part in list(item, "content") {
                    if text(part, "type") == "refusal" {
                        return Err(Odd::Declined(text(part, "refusal").to_owned()));
                    }
                    reply.text.push_str(text(part, "text"));
                }
            }
            "function_call" => reply.tool_calls.push(ToolCall {
                id: text(item, "call_id").to_owned(),
                name: text(item, "name").to_owned(),
                arguments: arguments(item.get("arguments")),
            }),
            // What a model thought is of use only when it comes back with what followed from it.
            "reasoning" if !text(item, "encrypted_content").is_empty() => {
                reply.provider = Some(json!({FORMAT.name: output}));
            }
            _ => {}
        }
    }
    reply.finish =
        match (text(whole, "status"), whole.pointer("/incomplete_details/reason").and_then(Json::as_str)) {
            ("incomplete", Some("max_output_tokens")) => Finish::Length,
            ("incomplete", Some("content_filter")) => Finish::Filtered,
            ("completed" | "", _) => Finish::Stop,
            _ => Finish::Other,
        };
    reply.usage = whole.get("usage").and_then(usage);
    Ok(reply)
}

fn usage(usage: &Json) -> Option<Usage> {
    let input = usage.get("input_tokens")?.as_u64()?;
    let output = count(usage, "/output_tokens");
    let cached_input = count(usage, "/input_tokens_details/cached_tokens").min(input);
    let written = count(usage, "/input_tokens_details/cache_write_tokens");
    let thought = count(usage, "/output_tokens_details/reasoning_tokens");
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
