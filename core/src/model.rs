//! The neutral shapes of a conversation with a language model.
//!
//! Decides the request of a node and the reply, independent of the provider. Knows no provider, address, key or wire
//! format. Those belong to the adapters, one file for each format.
//!
//! Files: `message` messages · `request` requests · `reply` replies · `conversation` stored conversations · `error`
//! errors.
//!
//! Invariants:
//! 1. The JSON form is the one of the TypeScript types, in snake case.
//! 2. The plan sets no sampling parameters: more and more providers refuse them, and a plan must not depend on one.
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
