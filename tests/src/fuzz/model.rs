//! Properties of any answer or stream of a model's server. The result must not depend on the pieces.

use super::hash_of;
use super::seeds::bytes;
use super::wire::{KEY, cut, numbers, split_head};
use serde_json::Value as Json;
use std::collections::HashSet;
use stepgraph_core::model::{ChatReply, ChatRequest};
use stepgraph_wire::http::HttpHead;
use stepgraph_wire::model::{self, call::Call};

type ModelCallResult = (Vec<Json>, Result<Json, String>);

fn model_answer(format: &str, head: &HttpHead, pieces: &[&[u8]]) -> ModelCallResult {
    let options =
        model::Options { format: format.to_owned(), key: Some(KEY.to_owned()), ..model::Options::default() };
    let mut call = Call::new(options, ChatRequest::default(), true);
    call.request();
    call.head(head.clone());
    let mut told = Vec::new();
    for piece in pieces {
        let over = call.chunk(piece);
        told.extend(call.deltas());
        if over {
            break;
        }
    }
    let came = call.end();
    assert!(told.is_empty() || call.retry_after(1, 0).is_none(), "what was told is asked for again");
    match came {
        Ok(reply) => {
            let ids: HashSet<&str> = reply.tool_calls.iter().map(|call| call.id.as_str()).collect();
            assert_eq!(ids.len(), reply.tool_calls.len(), "two calls of one id");
            assert!(
                reply.usage.is_none_or(
                    |usage| usage.cached_input <= usage.input && usage.reasoning_output <= usage.output
                ),
                "a part is more than the whole"
            );
            let json = reply.to_json();
            assert_eq!(ChatReply::from_json(&json).as_ref(), Some(&reply), "written and read again");
            (told, Ok(json))
        }
        Err(error) => {
            assert!(!error.message.contains(KEY), "the key is shown");
            (told, Err(error.code().to_owned()))
        }
    }
}

pub(super) fn answer(bytes: &[u8]) -> u64 {
    let (head, _, body) = split_head(bytes);
    let mut numbers = numbers(bytes);
    let came = ["openai", "openai-responses", "anthropic", "gemini"].map(|format| {
        let (told, came) = model_answer(format, &head, &[body]);
        for _ in 0..2 {
            assert_eq!(
                model_answer(format, &head, &cut(body, &mut numbers)),
                (told.clone(), came.clone()),
                "cut otherwise"
            );
        }
        let shape = came.map(|reply| {
            let calls = reply["tool_calls"].as_array().map_or(0, |calls| calls.len().min(3));
            let given = [&reply["usage"], &reply["provider"]].map(|part| !part.is_null());
            (reply["finish"].to_string(), calls, given, reply["text"] == "")
        });
        (told.len().min(3), shape)
    });
    hash_of(came)
}

pub(super) fn seeds() -> Vec<Vec<u8>> {
    bytes(&[
        "200 json\n{\"choices\":[{\"message\":{\"content\":\"a\",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"prompt_tokens_details\":{\"cached_tokens\":3}}}",
        "200 sse\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\",\"tool_calls\":[{\"index\":1,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        "200 json\n{\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]},{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}]}",
        "200 sse\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n",
        "200 json\n{\"content\":[{\"type\":\"thinking\"},{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\",\"input\":{}}],\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":1}}",
        "200 sse\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":1}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
        "200 sse\ndata: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\",\"thought\":true},{\"functionCall\":{\"name\":\"f\",\"args\":{}},\"thoughtSignature\":\"s\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":1}}\n\n",
        "429 json\n{\"error\":{\"message\":\"wrong key sk-marker-key\",\"type\":\"rate_limit_error\",\"code\":429}}",
    ])
}

pub(super) const WORDS: &[&str] = &[
    "data: ",
    "\n\n",
    "[DONE]",
    "200 sse\n",
    "200 json\n",
    "429 json\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "1",
    "7",
    "\"a\"",
    "\"{\"",
    "\"{}\"",
    "{}",
    "[]",
    "\"choices\":[{",
    "\"index\":",
    "\"delta\":{",
    "\"message\":{",
    "\"content\":",
    "\"refusal\":",
    "\"reasoning_content\":",
    "\"reasoning_details\":[",
    "\"tool_calls\":[{",
    "\"id\":\"c\",",
    "\"function\":{",
    "\"name\":\"f\",",
    "\"arguments\":",
    "\"extra_content\":",
    "\"finish_reason\":\"stop\"",
    "\"usage\":{",
    "\"prompt_tokens\":",
    "\"type\":\"response.completed\",",
    "\"type\":\"response.output_item.done\",",
    "\"type\":\"response.output_item.added\",",
    "\"output_index\":",
    "\"item\":{",
    "\"response\":{",
    "\"output\":[",
    "\"encrypted_content\":\"s\"",
    "\"type\":\"message_start\",",
    "\"type\":\"content_block_start\",",
    "\"content_block\":{",
    "\"type\":\"content_block_delta\",",
    "\"type\":\"input_json_delta\",",
    "\"partial_json\":",
    "\"type\":\"message_stop\"",
    "\"stop_reason\":\"refusal\"",
    "\"candidates\":[{",
    "\"parts\":[{",
    "\"text\":\"a\"",
    "\"thought\":true",
    "\"functionCall\":{",
    "\"thoughtSignature\":\"s\"",
    "\"promptFeedback\":{",
    "\"blockReason\":\"x\"",
    "\"error\":{",
    "\"code\":",
    "\"overloaded_error\"",
    "sk-marker-key",
    "é",
    "😀",
];
