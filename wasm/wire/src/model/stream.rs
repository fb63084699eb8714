//! A partial answer and its deltas. Each format adds events in the shape of its own complete answer.

use super::common::{append, fill_shape};
use serde_json::{Map, Value as Json};

/// A partial answer.
#[derive(Debug, Default)]
pub struct Stream {
    pub(super) message: Map<String, Json>,
    pub(super) parts: Vec<Map<String, Json>>,
    /// The provider's numbers of the parts. The last of equal numbers counts.
    numbers: Vec<u64>,
    /// Whether the answer could end here.
    pub(super) is_complete: bool,
    /// Whether no events follow.
    pub(super) is_over: bool,
    pub(super) has_too_many_parts: bool,
    calls: Vec<u64>,
    deltas: Vec<Json>,
}

impl Stream {
    pub(super) fn push_text(&mut self, text: &str) {
        self.push_delta("text", text);
    }

    pub(super) fn push_reasoning(&mut self, text: &str) {
        self.push_delta("reasoning", text);
    }

    /// `number` is the provider's.
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

    /// Returns `{type, text}` or `{type, index, id, name, arguments}`, without empty keys.
    pub(super) fn take_deltas(&mut self) -> Vec<Json> {
        std::mem::take(&mut self.deltas)
    }

    /// Creates an absent part. `None` above [`MAX_PARTS`].
    pub(super) fn part(&mut self, number: u64) -> Option<&mut Map<String, Json>> {
        let at = position(&mut self.numbers, number);
        self.has_too_many_parts |= at.is_none();
        if self.parts.len() < self.numbers.len() {
            self.parts.push(Map::new());
        }
        self.parts.get_mut(at?)
    }

    pub(super) fn known_part(&self, number: u64) -> Option<&Map<String, Json>> {
        self.parts.get(self.numbers.iter().rposition(|known| *known == number)?)
    }

    /// The number means another part and call from here on.
    pub(super) fn reuse(&mut self, number: u64) {
        for numbers in [&mut self.numbers, &mut self.calls] {
            self.has_too_many_parts |= numbers.len() >= MAX_PARTS;
            numbers.push(number);
            numbers.truncate(MAX_PARTS);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.message.is_empty() && self.parts.is_empty()
    }

    pub(super) fn append(&mut self, key: &str, more: &str) {
        append(&mut self.message, key, more);
    }
}

/// No honest answer has more, and the lookup takes time.
const MAX_PARTS: usize = 4096;

/// Returns the last position of a number, appended if new.
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
