//! What is asked of a model.

use super::{Message, text_field};
use crate::collect::List;
use serde_json::{Map, Value as Json, json};

/// A tool that a model may ask to have called.
///
/// # Shape
/// JSON: `{name, description, input_schema}`; the description is left out when there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name in the conversation: letters, digits, `_` and `-`, 64 at most, since providers take no others.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// JSON Schema of its arguments.
    pub input_schema: Json,
}

impl ToolSpec {
    /// From its JSON form; nothing without a name.
    pub fn from_json(json: &Json) -> Option<Self> {
        Some(Self {
            name: text_field(json, "name")?,
            description: text_field(json, "description"),
            input_schema: json.get("input_schema").cloned().unwrap_or_else(|| json!({"type": "object"})),
        })
    }

    /// Its JSON form.
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

/// Whether the model may, must or must not ask for calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// It must answer without.
    None,
    /// It must ask for one at least.
    Required,
    /// It must ask for this one.
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

/// What a node asks of a model.
///
/// # Shape
/// JSON: `{model, messages, schema, max_tokens}` with `null` for what is absent; `tools`, `tool_choice`, `temperature` and `cache_key`
/// only where they say something.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    /// The provider's name of the model; absent for the one that the client was set up with.
    pub model: Option<String>,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// What the model may ask to have called.
    pub tools: Vec<ToolSpec>,
    /// Whether it may, must or must not.
    pub tool_choice: ToolChoice,
    /// JSON Schema of the answer; absent for free text.
    pub schema: Option<Json>,
    /// The most tokens the answer may have.
    pub max_tokens: Option<u32>,
    /// How freely the model may choose its words, from 0 on; absent for the provider's own. Some models refuse any.
    pub temperature: Option<f64>,
    /// What requests that begin alike have in common: some providers find what they have cached by it.
    pub cache_key: Option<String>,
}

impl ChatRequest {
    /// From its JSON form; what is absent or of the wrong kind is as if it were null.
    pub fn from_json(json: &Json) -> Self {
        let list = |key: &str| json.get(key).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        Self {
            model: text_field(json, "model"),
            messages: list("messages").iter().filter_map(Message::from_json).list(),
            tools: list("tools").iter().filter_map(ToolSpec::from_json).list(),
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

    /// Its JSON form.
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
