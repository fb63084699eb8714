//! Messages, and the calls that a model requests.
//!
//! Stores provider data only if the provider expects it back.
//!
//! Invariant: parsing a message's JSON yields the same message.

use super::{bool_field, text_field};
use crate::collect::CollectVec;
use serde_json::{Map, Value as Json, json};

/// Message author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Host instructions.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A call's result.
    Tool,
}

impl Role {
    const ALL: [Self; 4] = [Self::System, Self::User, Self::Assistant, Self::Tool];

    /// JSON name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    fn from_name(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }
}

/// A model's call.
///
/// # Shape
/// JSON: `{id, name, arguments}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The provider's id, repeated by the result.
    pub id: String,
    /// As in the request.
    pub name: String,
    /// A JSON object, or else the model's text.
    pub arguments: Json,
}

impl ToolCall {
    /// `None` without a name.
    pub fn from_json(json: &Json) -> Option<Self> {
        Some(Self {
            id: text_field(json, "id").unwrap_or_default(),
            name: text_field(json, "name")?,
            arguments: json.get("arguments").cloned().unwrap_or_else(|| json!({})),
        })
    }

    /// JSON form.
    pub fn to_json(&self) -> Json {
        json!({"id": self.id, "name": self.name, "arguments": self.arguments})
    }
}

/// The answered call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolCallRef {
    /// [`ToolCall::id`].
    pub call: String,
    /// [`ToolCall::name`], which some providers need.
    pub tool: String,
    /// If so, the content is the error.
    pub failed: bool,
}

/// A message.
///
/// # Shape
/// JSON: `{role, content}`, and unless empty `tool_calls`, `call_id`, `tool`, `is_error`, `provider`, `cache`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The text.
    pub content: String,
    /// Requested calls, from assistants only.
    pub tool_calls: Vec<ToolCall>,
    /// The answered call, for tools only.
    pub answers: Option<ToolCallRef>,
    /// Returned to the provider unchanged, such as signatures of thoughts.
    pub provider: Option<Json>,
    /// Whether later requests repeat everything so far, so that caching pays.
    pub cache: bool,
}

impl Message {
    /// Creates a message.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
            answers: None,
            provider: None,
            cache: false,
        }
    }

    /// Creates a call's result.
    pub fn tool_result(to: &ToolCall, content: impl Into<String>, failed: bool) -> Self {
        let answers = ToolCallRef { call: to.id.clone(), tool: to.name.clone(), failed };
        Self { answers: Some(answers), ..Self::new(Role::Tool, content) }
    }

    /// `None` without role or content.
    pub fn from_json(json: &Json) -> Option<Self> {
        let role = Role::from_name(json.get("role")?.as_str()?)?;
        let calls = json.get("tool_calls").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let answers = (role == Role::Tool).then(|| ToolCallRef {
            call: text_field(json, "call_id").unwrap_or_default(),
            tool: text_field(json, "tool").unwrap_or_default(),
            failed: bool_field(json, "is_error"),
        });
        Some(Self {
            role,
            content: text_field(json, "content")?,
            tool_calls: calls.iter().filter_map(ToolCall::from_json).collect_vec(),
            answers,
            provider: json.get("provider").filter(|provider| !provider.is_null()).cloned(),
            cache: bool_field(json, "cache"),
        })
    }

    /// Omits empty fields.
    pub fn to_json(&self) -> Json {
        let mut json = Map::new();
        let mut put = |key: &str, value: Json| drop(json.insert(key.to_owned(), value));
        put("role", Json::from(self.role.as_str()));
        put("content", Json::from(self.content.as_str()));
        if !self.tool_calls.is_empty() {
            put("tool_calls", self.tool_calls.iter().map(ToolCall::to_json).collect());
        }
        if let Some(ToolCallRef { call, tool, failed }) = &self.answers {
            put("call_id", Json::from(call.as_str()));
            put("tool", Json::from(tool.as_str()));
            if *failed {
                put("is_error", Json::Bool(true));
            }
        }
        if let Some(provider) = &self.provider {
            put("provider", provider.clone());
        }
        if self.cache {
            put("cache", Json::Bool(true));
        }
        Json::Object(json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_form_is_that_of_the_typescript_types() {
        let call = || ToolCall { id: "c1".into(), name: "f".into(), arguments: json!({"a": 1}) };
        let said = Message {
            tool_calls: vec![call()],
            provider: Some(json!({"x": 1})),
            ..Message::new(Role::Assistant, "")
        };
        for (message, expect) in [
            (Message::new(Role::User, "hi"), json!({"role": "user", "content": "hi"})),
            (
                Message { cache: true, ..Message::new(Role::System, "be brief") },
                json!({"role": "system", "content": "be brief", "cache": true}),
            ),
            (
                said,
                json!({"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "f", "arguments": {"a": 1}}], "provider": {"x": 1}}),
            ),
            (
                Message::tool_result(&call(), "no", true),
                json!({"role": "tool", "content": "no", "call_id": "c1", "tool": "f", "is_error": true}),
            ),
            (
                Message::tool_result(&call(), "2", false),
                json!({"role": "tool", "content": "2", "call_id": "c1", "tool": "f"}),
            ),
        ] {
            assert_eq!(message.to_json(), expect);
            assert_eq!(Message::from_json(&expect), Some(message));
        }
    }

    #[test]
    fn what_is_no_message_is_none() {
        for json in [json!(1), json!({}), json!({"role": "user"}), json!({"role": "robot", "content": "a"})] {
            assert_eq!(Message::from_json(&json), None, "{json}");
        }
        assert_eq!(ToolCall::from_json(&json!({"id": "a"})), None);
        let bare = ToolCall::from_json(&json!({"name": "f"})).unwrap();
        assert_eq!((bare.id.as_str(), bare.arguments), ("", json!({})));
    }

    #[test]
    fn words_read_back() {
        for role in Role::ALL {
            assert_eq!(Role::from_name(role.as_str()), Some(role));
        }
    }
}
