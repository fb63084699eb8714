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

use serde::{Deserialize, Serialize};
use std::fmt;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct ChatRequest {
    /// The provider's name of the model; absent for the one that the client was set up with.
    #[serde(default)]
    pub model: Option<String>,
    /// The conversation so far, oldest first.
    pub messages: Vec<Message>,
    /// JSON Schema of the answer; absent for free text.
    #[serde(default)]
    pub schema: Option<serde_json::Value>,
    /// The most tokens the answer may have.
    #[serde(default)]
    pub max_tokens: Option<u32>,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The answer; JSON text when a schema was asked for.
    pub text: String,
    /// Why the answer ends where it does.
    pub finish: Finish,
    /// How many tokens it took, when the provider says so.
    #[serde(default)]
    pub usage: Option<Usage>,
}

/// Why an answer ends where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// How many tokens a call took.
///
/// # Shape
/// `cached_input` is the part of `input` that the provider had at hand, so it is never more than `input`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Tokens of the request that were read from the provider's cache.
    #[serde(default)]
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
        assert_eq!(serde_json::to_value(&request).unwrap(), expect);
        assert_eq!(
            serde_json::from_value::<ChatRequest>(json!({"messages": []})).unwrap(),
            ChatRequest::default()
        );
        let reply = ChatReply {
            text: "a".into(),
            finish: Finish::Length,
            usage: Some(Usage { input: 3, output: 1, cached_input: 2 }),
        };
        let expect =
            json!({"text": "a", "finish": "length", "usage": {"input": 3, "output": 1, "cached_input": 2}});
        assert_eq!(serde_json::to_value(&reply).unwrap(), expect);
    }

    #[test]
    fn roles_print_as_they_serialise() {
        for role in [Role::System, Role::User, Role::Assistant] {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
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
