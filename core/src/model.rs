//! The neutral shapes of a conversation with a language model.
//!
//! Decides what a node asks of a model and what it gets back, whoever answers. Knows no provider, no address, no key
//! and no wire format; those live at the edge, one file for each format.
//!
//! Invariants:
//! 1. the JSON form is the one of the TypeScript types: snake case, `null` for what is absent;
//! 2. no sampling parameter has a place here: providers refuse them more and more, and a plan must not depend on one;
//! 3. a [`ModelError`] holds what went wrong, never a credential.
//!
//! Source: design section 10.

use serde_json::{Value as Json, json};
use std::fmt;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The instructions of the host.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [Self::System, Self::User, Self::Assistant].into_iter().find(|role| role.as_str() == word)
    }
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A message of `role`.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }
}

/// What a node asks of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    /// The provider's name of the model; absent for the one that the client was set up with.
    pub model: Option<String>,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// JSON Schema of the answer; absent for free text.
    pub schema: Option<Json>,
    /// The most tokens the answer may have.
    pub max_tokens: Option<u32>,
}

/// A text under a key; nothing for anything else.
fn text(json: &Json, key: &str) -> Option<String> {
    json.get(key)?.as_str().map(str::to_owned)
}

impl ChatRequest {
    /// From its JSON form; what is absent or of the wrong kind is as if it were null.
    pub fn from_json(json: &Json) -> Self {
        let message = |json: &Json| {
            let role = Role::from_word(json.get("role")?.as_str()?)?;
            Some(Message::new(role, text(json, "content")?))
        };
        let messages = json.get("messages").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        Self {
            model: text(json, "model"),
            messages: messages.iter().filter_map(message).collect(),
            schema: json.get("schema").filter(|schema| !schema.is_null()).cloned(),
            max_tokens: json
                .get("max_tokens")
                .and_then(Json::as_u64)
                .and_then(|count| u32::try_from(count).ok()),
        }
    }

    /// Its JSON form.
    pub fn to_json(&self) -> Json {
        let messages: Vec<Json> = self
            .messages
            .iter()
            .map(|message| json!({"role": message.role.as_str(), "content": message.content}))
            .collect();
        json!({"model": self.model, "messages": messages, "schema": self.schema, "max_tokens": self.max_tokens})
    }
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatReply {
    /// The answer; JSON text when a schema was asked for.
    pub text: String,
    /// Why the answer ends where it does.
    pub finish: Finish,
    /// How many tokens it took, when the provider says so.
    pub usage: Option<Usage>,
}

impl ChatReply {
    /// From its JSON form; nothing without a text.
    pub fn from_json(json: &Json) -> Option<Self> {
        let count = |usage: &Json, key: &str| usage.get(key).and_then(Json::as_u64).unwrap_or(0);
        let usage = json.get("usage").filter(|usage| usage.is_object());
        Some(Self {
            text: text(json, "text")?,
            finish: json.get("finish").and_then(Json::as_str).map_or(Finish::Other, Finish::from_word),
            usage: usage.map(|usage| Usage {
                input: count(usage, "input"),
                output: count(usage, "output"),
                cached_input: count(usage, "cached_input"),
            }),
        })
    }

    /// Its JSON form.
    pub fn to_json(&self) -> Json {
        let usage = |usage: &Usage| json!({"input": usage.input, "output": usage.output, "cached_input": usage.cached_input});
        json!({"text": self.text, "finish": self.finish.as_str(), "usage": self.usage.as_ref().map(usage)})
    }
}

/// Why an answer ends where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finish {
    /// The model had said everything.
    Stop,
    /// `max_tokens`, or the model's own bound, was reached: the text is cut off.
    Length,
    /// The provider's filter stepped in.
    Filtered,
    /// For a reason that only the provider knows.
    Other,
}

impl Finish {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::Filtered => "filtered",
            Self::Other => "other",
        }
    }

    fn from_word(word: &str) -> Self {
        [Self::Stop, Self::Length, Self::Filtered]
            .into_iter()
            .find(|end| end.as_str() == word)
            .unwrap_or(Self::Other)
    }
}

/// How many tokens a call took.
///
/// # Shape
/// `cached_input` is the part of `input` that the provider had at hand, so it is never more than `input`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Tokens of the request that were read from the provider's cache.
    pub cached_input: u64,
}

/// In which way a model failed to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelFault {
    /// No connection, or it broke before the answer was whole.
    Unreachable,
    /// No answer within the time it was given.
    Timeout,
    /// The provider does not know the key, or the key may not do this.
    Unauthorized,
    /// The provider, or the model itself, declines this request; asking again gives the same.
    Refused,
    /// Too many requests or tokens for now.
    RateLimited,
    /// The provider has too much to do.
    Overloaded,
    /// The provider failed.
    Failed,
    /// The answer is not in the wire format.
    BadReply,
    /// The answer is larger than the client takes.
    TooLarge,
}

impl ModelFault {
    /// `model/what`, stable for ever.
    pub fn code(self) -> &'static str {
        match self {
            Self::Unreachable => "model/unreachable",
            Self::Timeout => "model/timeout",
            Self::Unauthorized => "model/unauthorized",
            Self::Refused => "model/refused",
            Self::RateLimited => "model/rate-limited",
            Self::Overloaded => "model/overloaded",
            Self::Failed => "model/failed",
            Self::BadReply => "model/bad-reply",
            Self::TooLarge => "model/too-large",
        }
    }
}

/// A model that could not answer, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    /// In which way.
    pub fault: ModelFault,
    /// What happened, for a person: lower-case, without a period, without credentials.
    pub message: String,
}

impl ModelError {
    /// A failure of this kind.
    pub fn new(fault: ModelFault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into() }
    }

    /// `model/what`, stable for ever.
    pub fn code(&self) -> &'static str {
        self.fault.code()
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.message)
    }
}

impl std::error::Error for ModelError {}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_form_is_that_of_the_typescript_types() {
        let request =
            ChatRequest { messages: vec![Message::new(Role::User, "hi")], ..ChatRequest::default() };
        let expect = json!({"model": null, "messages": [{"role": "user", "content": "hi"}], "schema": null, "max_tokens": null});
        assert_eq!(request.to_json(), expect);
        assert_eq!(ChatRequest::from_json(&expect), request);
        assert_eq!(ChatRequest::from_json(&json!({"messages": [1, {}]})), ChatRequest::default());
        let reply = ChatReply {
            text: "a".into(),
            finish: Finish::Length,
            usage: Some(Usage { input: 3, output: 1, cached_input: 2 }),
        };
        let expect =
            json!({"text": "a", "finish": "length", "usage": {"input": 3, "output": 1, "cached_input": 2}});
        assert_eq!(reply.to_json(), expect);
        assert_eq!(ChatReply::from_json(&expect), Some(reply));
        assert_eq!(ChatReply::from_json(&json!({"finish": "stop"})), None);
    }

    #[test]
    fn words_read_back() {
        for role in [Role::System, Role::User, Role::Assistant] {
            assert_eq!(Role::from_word(role.as_str()), Some(role));
        }
        for end in [Finish::Stop, Finish::Length, Finish::Filtered, Finish::Other] {
            assert_eq!(Finish::from_word(end.as_str()), end);
        }
    }

    #[test]
    fn an_error_shows_its_code() {
        let error = ModelError::new(ModelFault::RateLimited, "slow down");
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("model/rate-limited", "model/rate-limited: slow down")
        );
    }
}
