//! The neutral shapes of a conversation with a language model.
//!
//! Decides what a node asks of a model and what it gets back, whoever answers. Knows no provider, no address, no key
//! and no wire format; those live at the edge, one file for each format.
//!
//! Files: `message` what is said · `request` what is asked · `reply` what is answered · `conversation` what is kept · `error` how it
//! fails.
//!
//! Invariants:
//! 1. the JSON form is the one of the TypeScript types, in snake case;
//! 2. no sampling parameter has a place here: providers refuse them more and more, and a plan must not depend on one;
//! 3. a [`ModelError`] holds what went wrong, never a credential.
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

/// A text under a key; nothing for anything else.
fn text_field(json: &Json, key: &str) -> Option<String> {
    json.get(key)?.as_str().map(str::to_owned)
}

/// Whether there is `true` under a key.
fn bool_field(json: &Json, key: &str) -> bool {
    json.get(key) == Some(&Json::Bool(true))
}
