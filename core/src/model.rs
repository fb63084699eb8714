//! The neutral shapes of a conversation with a language model.
//!
//! Knows no address, key or wire format. Those belong to the adapters, one file for each format.
//!
//! Invariants:
//! 1. The JSON form is the one of the TypeScript types, in snake case.
//! 2. `temperature` is the only sampling parameter, because more and more providers refuse all of them.
//! 3. A [`ModelError`] never contains a credential.
//!
//! Source: `docs/models.md`.

mod conversation;
mod error;
mod message;
mod reply;
mod request;

pub use conversation::Conversation;
pub use error::{ModelError, ModelErrorKind};
pub use message::{Message, Role, ToolCall, ToolCallRef};
pub use reply::{ChatReply, FinishReason, Usage};
pub use request::{ChatRequest, ToolChoice, ToolSpec};

use serde_json::Value as Json;

fn text_field(json: &Json, key: &str) -> Option<String> {
    json.get(key)?.as_str().map(str::to_owned)
}

fn bool_field(json: &Json, key: &str) -> bool {
    json.get(key) == Some(&Json::Bool(true))
}
