//! Neutral shapes of model conversations. Addresses, keys and wire formats belong to adapters.
//!
//! Invariants:
//! 1. JSON matches the TypeScript types, in snake case.
//! 2. `temperature` is the only sampling parameter, since ever more providers refuse all.
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
