//! Model replies.

use super::{Message, Role, ToolCall, text_field};
use crate::collect::CollectVec;
use serde_json::{Map, Value as Json, json};

/// A reply.
///
/// # Shape
/// JSON: `{text, finish, usage}`, and unless empty `tool_calls` and `provider`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatReply {
    /// JSON if the request has a schema.
    pub text: String,
    /// In order.
    pub tool_calls: Vec<ToolCall>,
    /// Finish reason.
    pub finish: FinishReason,
    /// Used tokens, if reported.
    pub usage: Option<Usage>,
    /// See [`Message::provider`].
    pub provider: Option<Json>,
}

impl ChatReply {
    /// Creates a reply of only text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tool_calls: Vec::new(),
            finish: FinishReason::Stop,
            usage: None,
            provider: None,
        }
    }

    /// The reply as a message.
    pub fn message(&self) -> Message {
        Message {
            tool_calls: self.tool_calls.clone(),
            provider: self.provider.clone(),
            ..Message::new(Role::Assistant, self.text.as_str())
        }
    }

    /// `None` without a text.
    pub fn from_json(json: &Json) -> Option<Self> {
        let calls = json.get("tool_calls").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        Some(Self {
            text: text_field(json, "text")?,
            tool_calls: calls.iter().filter_map(ToolCall::from_json).collect_vec(),
            finish: json
                .get("finish")
                .and_then(Json::as_str)
                .map_or(FinishReason::Other, FinishReason::from_name),
            usage: json.get("usage").and_then(Usage::from_json),
            provider: json.get("provider").filter(|provider| !provider.is_null()).cloned(),
        })
    }

    /// JSON form.
    pub fn to_json(&self) -> Json {
        let mut json = Map::new();
        let mut put = |key: &str, value: Json| drop(json.insert(key.to_owned(), value));
        put("text", Json::from(self.text.as_str()));
        if !self.tool_calls.is_empty() {
            put("tool_calls", self.tool_calls.iter().map(ToolCall::to_json).collect());
        }
        put("finish", Json::from(self.finish.as_str()));
        put("usage", self.usage.map(Usage::to_json).unwrap_or_default());
        if let Some(provider) = &self.provider {
            put("provider", provider.clone());
        }
        Json::Object(json)
    }
}

/// Why it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FinishReason {
    /// Complete answer.
    Stop,
    /// Truncated at `max_tokens` or the model's limit.
    Length,
    /// Awaits calls.
    ToolCalls,
    /// Stopped by the provider's filter.
    Filtered,
    /// Other reason.
    Other,
}

impl FinishReason {
    const ALL: [Self; 5] = [Self::Stop, Self::Length, Self::ToolCalls, Self::Filtered, Self::Other];

    /// JSON name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::Filtered => "filtered",
            Self::Other => "other",
        }
    }

    fn from_name(word: &str) -> Self {
        Self::ALL.into_iter().find(|end| end.as_str() == word).unwrap_or(Self::Other)
    }
}

/// Used tokens.
///
/// # Shape
/// `cached_input` and `cache_write_input` are parts of `input`, `reasoning_output` is one of `output`. No part exceeds
/// its total. JSON omits `cache_write_input` and `reasoning_output` if they are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Cached or not.
    pub input: u64,
    /// Answer tokens.
    pub output: u64,
    /// Request tokens read from the provider's cache.
    pub cached_input: u64,
    /// Request tokens written to the provider's cache, priced separately.
    pub cache_write_input: u64,
    /// Answer tokens for reasoning.
    pub reasoning_output: u64,
    /// Cost in millionths of a US dollar, if the price is known.
    pub micro_usd: Option<u64>,
}

impl Usage {
    /// `None` without valid totals: tokens are then unknown.
    fn from_json(json: &Json) -> Option<Self> {
        let count = |key: &str| json.get(key).and_then(Json::as_u64).unwrap_or(0);
        Some(Self {
            input: json.get("input")?.as_u64()?,
            output: json.get("output")?.as_u64()?,
            cached_input: count("cached_input"),
            cache_write_input: count("cache_write_input"),
            reasoning_output: count("reasoning_output"),
            micro_usd: json.get("micro_usd").and_then(Json::as_u64),
        })
    }

    fn to_json(self) -> Json {
        let mut json = json!({"input": self.input, "output": self.output, "cached_input": self.cached_input});
        let more =
            [("cache_write_input", self.cache_write_input), ("reasoning_output", self.reasoning_output)];
        if let Some(map) = json.as_object_mut() {
            map.extend(
                more.into_iter().filter(|(_, n)| *n > 0).map(|(key, n)| (key.to_owned(), Json::from(n))),
            );
            map.extend(self.micro_usd.map(|cost| ("micro_usd".to_owned(), Json::from(cost))));
        }
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_form_is_that_of_the_typescript_types() {
        let usage = Usage { input: 3, output: 1, cached_input: 2, ..Usage::default() };
        let calls = vec![ToolCall { id: "1".into(), name: "f".into(), arguments: json!("not json") }];
        for (reply, expect) in [
            (
                ChatReply { finish: FinishReason::Length, usage: Some(usage), ..ChatReply::new("a") },
                json!({"text": "a", "finish": "length", "usage": {"input": 3, "output": 1, "cached_input": 2}}),
            ),
            (
                ChatReply {
                    finish: FinishReason::ToolCalls,
                    tool_calls: calls,
                    provider: Some(json!([1])),
                    usage: Some(Usage {
                        cache_write_input: 4,
                        reasoning_output: 5,
                        micro_usd: Some(0),
                        ..usage
                    }),
                    ..ChatReply::new("")
                },
                json!({
                    "text": "", "tool_calls": [{"id": "1", "name": "f", "arguments": "not json"}], "finish": "tool_calls",
                    "usage": {"input": 3, "output": 1, "cached_input": 2, "cache_write_input": 4, "reasoning_output": 5,
                        "micro_usd": 0},
                    "provider": [1],
                }),
            ),
            (ChatReply::new("b"), json!({"text": "b", "finish": "stop", "usage": null})),
        ] {
            assert_eq!(reply.to_json(), expect);
            assert_eq!(ChatReply::from_json(&expect), Some(reply));
        }
        assert_eq!(ChatReply::from_json(&json!({"finish": "stop"})), None);
    }

    #[test]
    fn words_read_back() {
        for end in FinishReason::ALL {
            assert_eq!(FinishReason::from_name(end.as_str()), end);
        }
        assert_eq!(FinishReason::from_name("tired"), FinishReason::Other);
    }
}
