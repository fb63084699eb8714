//! What has come of an answer so far, and what of it somebody who listens has not been told yet.
//!
//! Decides nothing but order. A format puts in what its events say, in the words of its own whole answer.

use super::common::{append, fill_shape};
use serde_json::{Map, Value as Json};

/// An answer as it grows.
#[derive(Debug, Default)]
pub struct Stream {
    /// What the answer says of itself as a whole.
    pub(super) message: Map<String, Json>,
    /// What it consists of, in order.
    pub(super) parts: Vec<Map<String, Json>>,
    /// The provider's numbers of the parts; of equal ones the last counts.
    numbers: Vec<u64>,
    /// Whether nothing that matters is missing, should it end here.
    pub(super) is_complete: bool,
    /// Whether nothing will follow.
    pub(super) is_over: bool,
    /// Whether it consists of more parts than any answer has.
    pub(super) has_too_many_parts: bool,
    /// The provider's numbers of the calls of tools, in their order.
    calls: Vec<u64>,
    deltas: Vec<Json>,
}

impl Stream {
    /// More of the answer's text.
    pub(super) fn push_text(&mut self, text: &str) {
        self.push_delta("text", text);
    }

    /// More of what the model thinks.
    pub(super) fn push_reasoning(&mut self, text: &str) {
        self.push_delta("reasoning", text);
    }

    /// More of a call, by the provider's number of it.
    pub(super) fn push_tool_call(&mut self, number: u64, id: &str, name: &str, arguments: &str) {
        let Some(at) = position(&mut self.calls, number) else {
            self.has_too_many_parts = true;
            return;
        };
        let some = |text: &str| if text.is_empty() { Json::Null } else { text.into() };
        let shape = r#"{"type":"tool-call","index":null,"id":null,"name":null,"arguments":null}"#;
        self.deltas.push(fill_shape(shape, &mut [at.into(), some(id), some(name), some(arguments)]));
    }

    fn push_delta(&mut self, kind: &str, text: &str) {
        if !text.is_empty() {
            self.deltas.push(fill_shape(r#"{"type":null,"text":null}"#, &mut [kind.into(), text.into()]));
        }
    }

    /// What has been told since this was last asked: `{type, text}`, or `{type, index, id, name, arguments}` with only what is new.
    pub(super) fn take_deltas(&mut self) -> Vec<Json> {
        std::mem::take(&mut self.deltas)
    }

    /// The part that the provider gave this number, which is a new one unless it is known.
    pub(super) fn part(&mut self, number: u64) -> Option<&mut Map<String, Json>> {
        let at = position(&mut self.numbers, number);
        self.has_too_many_parts |= at.is_none();
        if self.parts.len() < self.numbers.len() {
            self.parts.push(Map::new());
        }
        self.parts.get_mut(at?)
    }

    /// The part that this number stands for so far.
    pub(super) fn known_part(&self, number: u64) -> Option<&Map<String, Json>> {
        self.parts.get(self.numbers.iter().rposition(|known| *known == number)?)
    }

    /// From here on this number stands for another part, which is another call.
    pub(super) fn reuse(&mut self, number: u64) {
        for numbers in [&mut self.numbers, &mut self.calls] {
            self.has_too_many_parts |= numbers.len() >= MAX_PARTS;
            numbers.push(number);
            numbers.truncate(MAX_PARTS);
        }
    }

    /// Whether it has said nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.message.is_empty() && self.parts.is_empty()
    }

    /// Appends to a text of the whole.
    pub(super) fn append(&mut self, key: &str, more: &str) {
        append(&mut self.message, key, more);
    }
}

/// More parts than any answer has: to look for them takes time, and whoever sends so many means harm.
const MAX_PARTS: usize = 4096;

/// Where a number stands in a list, as far behind as it does; at the end when it is new.
fn position(numbers: &mut Vec<u64>, number: u64) -> Option<usize> {
    if let Some(at) = numbers.iter().rposition(|known| *known == number) {
        return Some(at);
    }
    if numbers.len() >= MAX_PARTS {
        return None;
    }
    numbers.push(number);
    numbers.len().checked_sub(1)
}
