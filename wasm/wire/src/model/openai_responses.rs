//! The wire format of OpenAI's Responses API. The provider stores nothing: encrypted reasoning goes back with
//! the conversation.
//!
//! Source: the OpenAI API reference, responses.

use super::common::{
    arguments_object, breakpoint_text, breakpoints, count, fill_shape, generation, is_reasoning_model, list,
    non_empty, parse_arguments, provider_data, provider_data_with_calls, set, text, true_or_null,
    usage_within,
};
use super::openai_chat::{BREAKPOINTS_SINCE, answer_format, repair_arguments, tool_choice, tool_description};
use super::stream::Stream;
use super::{Format, Options, UnexpectedAnswer};
use serde_json::Value as Json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::model::{ChatReply, ChatRequest, FinishReason, Message, Role, ToolCall, Usage};

pub(super) static FORMAT: Format = Format {
    name: "openai-responses",
    path: |_, _, _| "/responses".to_owned(),
    key: ("authorization", "Bearer "),
    headers: &[],
    page_headers: &[],
    body,
    event,
    assemble,
    reply,
};

fn body(options: &Options, chat: &ChatRequest, stream: bool) -> Json {
    let (model, own) = (options.model_of(chat), options.is_openai());
    let marks =
        if own && generation(model) >= BREAKPOINTS_SINCE { breakpoints(&chat.messages) } else { vec![] };
    let mut input = Vec::new();
    for (at, message) in chat.messages.iter().enumerate() {
        items(message, marks.contains(&at), &mut input);
    }
    let tools = chat.tools.iter().map(|tool| {
        let mut json = tool_description(tool);
        set(&mut json, "type", "function".into());
        // The default requires every parameter.
        set(&mut json, "strict", false.into());
        json
    });
    let format = chat.schema.as_ref().map(|schema| {
        let mut format = answer_format(schema, own);
        set(&mut format, "type", "json_schema".into());
        fill_shape(r#"{"format":null}"#, &mut [format])
    });
    let include = if own && is_reasoning_model(model) {
        fill_shape(r#"["reasoning.encrypted_content"]"#, &mut [])
    } else {
        Json::Null
    };
    fill_shape(
        r#"{"model":null,"input":null,"store":false,"include":null,"tools":null,"tool_choice":null,"text":null,
        "max_output_tokens":null,"temperature":null,"prompt_cache_key":null,"stream":null}"#,
        &mut [
            model.into(),
            input.into(),
            include,
            non_empty(tools.collect_vec()),
            tool_choice(chat, r#"{"type":"function","name":null}"#),
            format.into(),
            chat.max_tokens.into(),
            chat.temperature.into(),
            chat.cache_key.as_deref().filter(|_| own).into(),
            true_or_null(stream),
        ],
    )
}

fn items(message: &Message, is_cache_breakpoint: bool, input: &mut Vec<Json>) {
    if let Some(Json::Array(stored)) = provider_data(message, FORMAT.name) {
        input.extend(provider_data_with_calls(stored, message, call_in_item, repair_call));
        return;
    }
    let is_cache_breakpoint = is_cache_breakpoint && !message.content.is_empty();
    let said = || Json::from(message.content.as_str());
    let content =
        || if is_cache_breakpoint { breakpoint_text("input_text", &message.content) } else { said() };
    if let Some(answered) = &message.answers {
        let shape = r#"{"type":"function_call_output","call_id":null,"output":null}"#;
        input.push(fill_shape(shape, &mut [answered.call.as_str().into(), content()]));
        return;
    }
    if message.role != Role::Assistant {
        let shape = r#"{"role":null,"content":null}"#;
        input.push(fill_shape(shape, &mut [message.role.as_str().into(), content()]));
        return;
    }
    if !message.content.is_empty() {
        let shape = r#"{"type":"message","role":"assistant",
            "content":[{"type":"output_text","text":null,"annotations":[]}]}"#;
        input.push(fill_shape(shape, &mut [said()]));
    }
    input.extend(message.tool_calls.iter().map(|call| {
        let arguments = arguments_object(&call.arguments).to_string();
        let shape = r#"{"type":"function_call","call_id":null,"name":null,"arguments":null}"#;
        fill_shape(shape, &mut [call.id.as_str().into(), call.name.as_str().into(), arguments.into()])
    }));
}

fn call_in_item(item: &mut Json) -> Option<&mut Json> {
    (text(item, "type") == "function_call").then_some(item)
}

fn repair_call(item: &mut Json, call: &ToolCall) {
    set(item, "call_id", call.id.as_str().into());
    repair_arguments(item, call);
}

fn event(stream: &mut Stream, event: &Json) {
    let number = count(event, "/output_index");
    let more = text(event, "delta");
    match text(event, "type") {
        "response.output_text.delta" => stream.push_text(more),
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            stream.push_reasoning(more);
        }
        "response.output_item.added" => {
            let item = event.get("item").unwrap_or(&Json::Null);
            if text(item, "type") == "function_call" {
                stream.push_tool_call(number, text(item, "call_id"), text(item, "name"), "");
            }
        }
        "response.function_call_arguments.delta" => stream.push_tool_call(number, "", "", more),
        "response.output_item.done" => {
            let item = event.get("item").and_then(Json::as_object);
            if let (Some(part), Some(item)) = (stream.part(number), item) {
                part.clone_from(item);
            }
        }
        "response.completed" | "response.incomplete" => {
            if let Some(response) = event.get("response").and_then(Json::as_object) {
                stream.message.clone_from(response);
                (stream.is_complete, stream.is_over) = (true, true);
            }
        }
        _ => {}
    }
}

fn assemble(stream: Stream) -> Json {
    let mut whole = Json::Object(stream.message);
    // The last event repeats the answer. Some servers omit items that they already sent.
    if list(&whole, "output").is_empty() {
        set(&mut whole, "output", stream.parts.into_iter().map(Json::Object).collect());
    }
    whole
}

fn reply(whole: &Json) -> Result<ChatReply, UnexpectedAnswer> {
    let output = whole.get("output").and_then(Json::as_array).ok_or(UnexpectedAnswer::Shape)?;
    let mut reply = ChatReply::new("");
    for item in output {
        match text(item, "type") {
            "message" => {
                for part in list(item, "content") {
                    if text(part, "type") == "refusal" {
                        return Err(UnexpectedAnswer::Refused(text(part, "refusal").to_owned()));
                    }
                    reply.text.push_str(text(part, "text"));
                }
            }
            "function_call" => reply.tool_calls.push(ToolCall {
                id: text(item, "call_id").to_owned(),
                name: text(item, "name").to_owned(),
                arguments: parse_arguments(item.get("arguments")),
            }),
            // Reasoning needs the items that followed it.
            "reasoning" if !text(item, "encrypted_content").is_empty() => {
                reply.provider =
                    Some(fill_shape(r#"{"openai-responses":null}"#, &mut [Json::Array(output.clone())]));
            }
            _ => {}
        }
    }
    let filtered = text(whole.get("incomplete_details").unwrap_or(&Json::Null), "reason") == "content_filter";
    reply.finish = match text(whole, "status") {
        "incomplete" if filtered => FinishReason::Filtered,
        "incomplete" => FinishReason::Length,
        "completed" | "" => FinishReason::Stop,
        _ => FinishReason::Other,
    };
    reply.usage = whole.get("usage").and_then(usage);
    Ok(reply)
}

fn usage(usage: &Json) -> Option<Usage> {
    let input = usage.get("input_tokens")?.as_u64()?;
    let output = usage.get("output_tokens")?.as_u64()?;
    let cached = count(usage, "/input_tokens_details/cached_tokens");
    let written = count(usage, "/input_tokens_details/cache_write_tokens");
    let thought = count(usage, "/output_tokens_details/reasoning_tokens");
    Some(usage_within(input, output, cached, written, thought))
}

#[cfg(test)]
mod tests;
