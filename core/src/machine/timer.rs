//! An active timer, and its JSON form.

use super::event::{CallId, Command, TimerPurpose};
use serde_json::{Value as Json, json};

#[derive(Debug, Clone, Copy)]
pub(super) struct Timer {
    pub(super) serial: u32,
    pub(super) due_ms: f64,
}

impl Timer {
    /// Returns the command that sets it again for the remaining time.
    pub(super) fn reissue<V>(self, scope: u32, purpose: TimerPurpose, at_ms: f64) -> Command<V> {
        let timer = CallId { scope, serial: self.serial };
        Command::SetTimer { timer, after_ms: (self.due_ms - at_ms).max(0.0), purpose }
    }

    pub(super) fn to_json(self) -> Json {
        json!([self.serial, self.due_ms])
    }

    /// Parses the JSON form.
    pub(super) fn from_json(json: &Json) -> Result<Self, &'static str> {
        let Some([serial, due]) = json.as_array().map(Vec::as_slice) else {
            return Err("a timer is no timer");
        };
        let due_ms = due.as_f64().ok_or("a timer has no time")?;
        let serial = serial.as_u64().and_then(|serial| u32::try_from(serial).ok());
        Ok(Self { serial: serial.ok_or("a count is no count")?, due_ms })
    }
}
