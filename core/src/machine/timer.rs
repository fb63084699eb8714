//! Active timers and their JSON.

use super::event::{CallId, Command, TimerPurpose};
use serde_json::{Value as Json, json};

#[derive(Debug, Clone, Copy)]
pub(super) struct Timer {
    pub(super) serial: u32,
    pub(super) due_ms: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct WaitTimer {
    pub(super) timer: Timer,
    /// In milliseconds since 1970, if the host knows the time.
    pub(super) end_ms: Option<f64>,
}

impl WaitTimer {
    /// Shifts after a pause, which counts as waiting if the time of day is known.
    pub(super) fn shift(&mut self, by_ms: f64, epoch_ms: Option<f64>) {
        self.timer.due_ms = match (self.end_ms, epoch_ms) {
            (Some(end_ms), Some(epoch_ms)) => end_ms - epoch_ms,
            _ => self.timer.due_ms + by_ms,
        };
    }

    pub(super) fn to_json(self) -> Json {
        json!({"timer": self.timer.to_json(), "end_ms": self.end_ms})
    }

    pub(super) fn from_json(json: &Json) -> Result<Self, &'static str> {
        let timer = Timer::from_json(json.get("timer").unwrap_or(&Json::Null))?;
        Ok(Self { timer, end_ms: json.get("end_ms").and_then(Json::as_f64) })
    }
}

impl Timer {
    /// For the remaining time.
    pub(super) fn reissue<V>(self, scope: u32, purpose: TimerPurpose, at_ms: f64) -> Command<V> {
        let timer = CallId { scope, serial: self.serial };
        Command::SetTimer { timer, after_ms: (self.due_ms - at_ms).max(0.0), purpose }
    }

    pub(super) fn to_json(self) -> Json {
        json!([self.serial, self.due_ms])
    }

    pub(super) fn from_json(json: &Json) -> Result<Self, &'static str> {
        let Some([serial, due]) = json.as_array().map(Vec::as_slice) else {
            return Err("a timer is no timer");
        };
        let due_ms = due.as_f64().ok_or("a timer has no time")?;
        let serial = serial.as_u64().and_then(|serial| u32::try_from(serial).ok());
        Ok(Self { serial: serial.ok_or("a count is no count")?, due_ms })
    }
}
