//! Shared conversations.
//!
//! Invariants:
//! 1. Calls and answers are stored or dropped together.
//! 2. Stored messages never change, so that later requests start equally.
//! 3. Truncation shrinks to half the limit, to be rare.
//!
//! Source: `docs/agents.md`.

use super::{Message, Role, ToolSpec};
use crate::collect::CollectVec;
use crate::value::json_text;
use serde_json::{Value as Json, json};

/// In bytes of JSON.
const MAX_BYTES: usize = 100_000;

/// Continued by later nodes.
///
/// # Shape
/// JSON: `{messages, tools}`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conversation {
    /// Oldest first, after the host's instructions.
    pub messages: Vec<Message>,
    /// The last request's tools. A node without tools must still name those called.
    pub tools: Vec<ToolSpec>,
}

impl Conversation {
    /// Skips invalid messages.
    pub fn from_json(json: &Json) -> Self {
        let list = |key: &str| json.get(key).and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        Self {
            messages: list("messages").iter().filter_map(Message::from_json).collect_vec(),
            tools: list("tools").iter().filter_map(ToolSpec::from_json).collect_vec(),
        }
    }

    /// JSON form.
    pub fn to_json(&self) -> Json {
        let messages: Json = self.messages.iter().map(Message::to_json).collect();
        json!({"messages": messages, "tools": self.tools.iter().map(ToolSpec::to_json).collect::<Json>()})
    }

    /// Truncates to the limit, oldest exchanges first.
    ///
    /// An overlong exchange shrinks to question and answer. One whose last calls are `open` stays whole, within ten
    /// times the limit.
    ///
    /// # Errors
    /// The size in bytes, if still too large.
    pub fn truncated(mut self, open: bool) -> Result<Self, usize> {
        let sizes: Vec<usize> = self.messages.iter().map(message_bytes).collect();
        let mut remaining: usize = sizes.iter().sum();
        if remaining <= MAX_BYTES || open {
            return if remaining <= 10 * MAX_BYTES { Ok(self) } else { Err(remaining) };
        }
        let first = usize::from(self.messages.first().is_some_and(|message| message.role == Role::System));
        let is_question = |message: &Message| message.role == Role::User;
        let last = self.messages.iter().rposition(is_question).unwrap_or(first);
        let mut at = first;
        for (i, size) in sizes.iter().enumerate().take(last).skip(first) {
            if remaining <= MAX_BYTES / 2 && self.messages.get(i).is_some_and(is_question) {
                break;
            }
            remaining -= size;
            at = i + 1;
        }
        self.messages.drain(first..at);
        if remaining > MAX_BYTES && self.messages.len() > first + 2 {
            self.messages.drain(first + 1..self.messages.len() - 1);
            remaining = self.messages.iter().map(message_bytes).sum();
        }
        if remaining > MAX_BYTES { Err(remaining) } else { Ok(self) }
    }
}

fn message_bytes(message: &Message) -> usize {
    json_text(&message.to_json()).len()
}

#[cfg(test)]
mod tests {
    use super::super::ToolCall;
    use super::*;

    fn text(role: Role, kilobytes: usize) -> Message {
        Message::new(role, "x".repeat(kilobytes * 1000))
    }

    fn call() -> ToolCall {
        ToolCall { id: "1".into(), name: "f".into(), arguments: json!({}) }
    }

    fn exchange(kilobytes: usize) -> Vec<Message> {
        let asks = Message { tool_calls: vec![call()], ..Message::new(Role::Assistant, "") };
        let answer = Message::tool_result(&call(), "x".repeat(kilobytes * 1000), false);
        vec![text(Role::User, 0), asks, answer, text(Role::Assistant, 1)]
    }

    #[test]
    fn what_is_too_long_loses_its_oldest_exchanges_whole() {
        for (sizes, expected) in [
            (vec![10, 20, 30], Some(vec![10, 20, 30])),
            (vec![40, 40, 30], Some(vec![30])),
            (vec![60, 20, 20, 10], Some(vec![20, 20, 10].split_off(1))),
            // Only question and answer stay.
            (vec![10, 200], Some(vec![])),
        ] {
            let system = text(Role::System, 1);
            let exchanges: Vec<Message> = sizes.iter().flat_map(|size| exchange(*size)).collect();
            let messages = [vec![system.clone()], exchanges].concat();
            let kept = Conversation { messages, tools: Vec::new() }
                .truncated(false)
                .ok()
                .map(|stored| stored.messages);
            let kept = kept.unwrap();
            assert_eq!(kept[0], system, "{sizes:?}");
            let answers: Vec<usize> =
                kept.iter().filter(|m| m.role == Role::Tool).map(|m| m.content.len() / 1000).collect();
            assert_eq!(Some(answers), expected, "{sizes:?}");
            let calls = kept.iter().filter(|m| !m.tool_calls.is_empty()).count();
            assert_eq!(calls, kept.iter().filter(|m| m.role == Role::Tool).count(), "{sizes:?}");
            assert_eq!(kept.get(1).map(|m| m.role), Some(Role::User), "{sizes:?}");
            assert_eq!(kept.last().map(|m| m.role), Some(Role::Assistant), "{sizes:?}");
        }
        let messages = vec![text(Role::User, 120), text(Role::Assistant, 1)];
        assert!(
            Conversation { messages, tools: Vec::new() }.truncated(false).is_err_and(|bytes| bytes > 120_000)
        );
    }

    #[test]
    fn json_form_reads_back() {
        let tools = vec![ToolSpec { name: "f".into(), description: None, input_schema: json!({}) }];
        let stored = Conversation { messages: exchange(0), tools };
        assert_eq!(Conversation::from_json(&stored.to_json()), stored);
    }
}
