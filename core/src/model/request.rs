//! Model requests.

use super::{Message, text_field};
use crate::collect::CollectVec;
use serde_json::{Map, Value as Json, json};

/// A callable tool.
///
/// # Shape
/// JSON: `{name, description, input_schema}`. The description is optional.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Letters, digits, `_` and `-`, at most 64: providers accept no others.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Arguments' schema.
    pub input_schema: Json,
}

impl ToolSpec {
    /// `None` without a name.
    pub fn from_json(json: &Json) -> Option<Self> {
        Some(Self {
            name: text_field(json, "name")?,
            description: text_field(json, "description"),
            input_schema: json.get("input_schema").cloned().unwrap_or_else(|| json!({"type": "object"})),
        })
    }

    /// JSON form.
    pub fn to_json(&self) -> Json {
        let mut json = json!({"name": self.name});
        if let Some(map) = json.as_object_mut() {
            if let Some(description) = &self.description {
                map.insert("description".to_owned(), Json::from(description.as_str()));
            }
            map.insert("input_schema".to_owned(), self.input_schema.clone());
        }
        json
    }
}

/// Whether the model may call tools.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// May call.
    #[default]
    Auto,
    /// Must not call.
    None,
    /// At least one.
    Required,
    /// This tool.
    Named(String),
}

impl ToolChoice {
    fn from_json(json: &Json) -> Self {
        match json {
            Json::String(word) if word == "none" => Self::None,
            Json::String(word) if word == "required" => Self::Required,
            other => text_field(other, "name").map_or(Self::Auto, Self::Named),
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Auto => Json::from("auto"),
            Self::None => Json::from("none"),
            Self::Required => Json::from("required"),
            Self::Named(name) => json!({"name": name}),
        }
    }
}

/// A request.
///
/// # Shape
/// JSON: `{model, messages, schema, max_tokens}` with `null` for absent values, and unless empty `tools`,
/// `tool_choice`, `temperature` and `cache_key`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    /// The provider's name of the model, absent for the client's default.
    pub model: Option<String>,
    /// Oldest first.
    pub messages: Vec<Message>,
    /// Callable tools.
    pub tools: Vec<ToolSpec>,
    /// Tool choice.
    pub tool_choice: ToolChoice,
    /// The answer's JSON Schema, absent for free text.
    pub schema: Option<Json>,
    /// Answer limit.
    pub max_tokens: Option<u32>,
    /// At least 0, absent for the provider's default. Some models refuse it.
    pub temperature: Option<f64>,
    /// Shared by requests with the same start, to help some providers find their cache.
    pub cache_key: Option<String>,
}

impl ChatRequest {
    /// Absent or invalid fields become null.
    pub fn from_json(json: &Json) -> Self {
        let list = |key: &str| json.get(key).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        Self {
            model: text_field(json, "model"),
            messages: list("messages").iter().filter_map(Message::from_json).collect_vec(),
            tools: list("tools").iter().filter_map(ToolSpec::from_json).collect_vec(),
            tool_choice: json.get("tool_choice").map(ToolChoice::from_json).unwrap_or_default(),
            schema: json.get("schema").filter(|schema| !schema.is_null()).cloned(),
            max_tokens: json
                .get("max_tokens")
                .and_then(Json::as_u64)
                .and_then(|count| u32::try_from(count).ok()),
            temperature: json.get("temperature").and_then(Json::as_f64),
            cache_key: text_field(json, "cache_key"),
        }
    }

    /// JSON form.
    pub fn to_json(&self) -> Json {
        let mut json = Map::new();
        let mut put = |key: &str, value: Json| drop(json.insert(key.to_owned(), value));
        put("model", Json::from(self.model.clone()));
        put("messages", self.messages.iter().map(Message::to_json).collect());
        if !self.tools.is_empty() {
            put("tools", self.tools.iter().map(ToolSpec::to_json).collect());
        }
        if self.tool_choice != ToolChoice::Auto {
            put("tool_choice", self.tool_choice.to_json());
        }
        put("schema", self.schema.clone().unwrap_or_default());
        put("max_tokens", Json::from(self.max_tokens));
        if let Some(temperature) = self.temperature {
            put("temperature", Json::from(temperature));
        }
        if let Some(key) = &self.cache_key {
            put("cache_key", Json::from(key.as_str()));
        }
        Json::Object(json)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Role;
    use super::*;

    #[test]
    fn json_form_is_that_of_the_typescript_types() {
        let messages = || vec![Message::new(Role::User, "hi")];
        let said = json!([{"role": "user", "content": "hi"}]);
        let tool = |description: Option<&str>| ToolSpec {
            name: "f".into(),
            description: description.map(str::to_owned),
            input_schema: json!({"type": "object"}),
        };
        let full = ChatRequest {
            model: Some("m".into()),
            messages: messages(),
            tools: vec![tool(Some("does")), tool(None)],
            tool_choice: ToolChoice::Named("f".into()),
            schema: Some(json!({"type": "object"})),
            max_tokens: Some(3),
            temperature: Some(0.5),
            cache_key: Some("k".into()),
        };
        for (request, expect) in [
            (
                ChatRequest { messages: messages(), ..ChatRequest::default() },
                json!({"model": null, "messages": said, "schema": null, "max_tokens": null}),
            ),
            (
                full,
                json!({"model": "m", "messages": said, "tools": [
                    {"name": "f", "description": "does", "input_schema": {"type": "object"}},
                    {"name": "f", "input_schema": {"type": "object"}},
                ], "tool_choice": {"name": "f"}, "schema": {"type": "object"}, "max_tokens": 3, "temperature": 0.5, "cache_key": "k"}),
            ),
        ] {
            assert_eq!(request.to_json(), expect);
            assert_eq!(ChatRequest::from_json(&expect), request);
        }
        assert_eq!(
            ChatRequest::from_json(&json!({"messages": [1, {}], "tools": [{}]})),
            ChatRequest::default()
        );
    }

    #[test]
    fn choices_read_back() {
        for choice in
            [ToolChoice::Auto, ToolChoice::None, ToolChoice::Required, ToolChoice::Named("none".into())]
        {
            assert_eq!(ToolChoice::from_json(&choice.to_json()), choice);
        }
        assert_eq!(ToolChoice::from_json(&json!(7)), ToolChoice::Auto);
    }
}
