//! The state of a tool plan's calls in one node.
//!
//! Invariants:
//! 1. A call starts after all referenced calls ended.
//! 2. A result never changes.
//!
//! Source: `docs/planning.md`.

use super::timer::Timer;
use crate::failure::Failure;
use crate::node::{Gatherer, PlannedCall};
use crate::toolplan::dependencies;
use serde_json::{Value as Json, json};

#[derive(Debug)]
pub(super) struct GatherState<V> {
    pub(super) planned: Vec<PlannedCall>,
    pub(super) calls: Vec<PlannedCallState<V>>,
    /// First call's start.
    pub(super) started_ms: f64,
}

#[derive(Debug)]
pub(super) enum PlannedCallState<V> {
    Waiting,
    /// For approval or the tool. May have a timer.
    Open {
        serial: u32,
        approval: bool,
        sent: Json,
        started_ms: f64,
        timer: Option<Timer>,
    },
    Done {
        sent: Json,
        result: Result<V, Failure>,
        took_ms: f64,
    },
}

impl<V> GatherState<V> {
    pub(super) fn update_approvals(&mut self, gatherer: &Gatherer) {
        for (state, call) in self.calls.iter_mut().zip(&self.planned) {
            if let PlannedCallState::Open { approval, timer, .. } = state {
                *approval = gatherer.needs_approval(&call.tool);
                // Approvers have unlimited time.
                *timer = timer.filter(|_| !*approval);
            }
        }
    }

    pub(super) fn open_serials(&self) -> impl Iterator<Item = u32> {
        self.calls.iter().filter_map(|state| match state {
            PlannedCallState::Open { serial, .. } => Some(*serial),
            _ => None,
        })
    }

    pub(super) fn open_tools(&self) -> impl Iterator<Item = &str> {
        let asked = |(_, state): &(&PlannedCall, &PlannedCallState<V>)| {
            matches!(state, PlannedCallState::Open { .. })
        };
        self.planned.iter().zip(&self.calls).filter(asked).map(|(call, _)| call.tool.as_str())
    }

    pub(super) fn call_index(&self, serial: u32) -> Option<usize> {
        self.calls
            .iter()
            .position(|state| matches!(state, PlannedCallState::Open { serial: own, .. } if *own == serial))
    }

    pub(super) fn timers(&mut self) -> impl Iterator<Item = (usize, &mut Timer)> {
        self.calls.iter_mut().enumerate().filter_map(|(at, state)| match state {
            PlannedCallState::Open { timer: Some(timer), .. } => Some((at, timer)),
            _ => None,
        })
    }

    pub(super) fn timed_call(&self, serial: u32) -> Option<usize> {
        self.calls.iter().position(
            |state| matches!(state, PlannedCallState::Open { timer: Some(timer), .. } if timer.serial == serial),
        )
    }

    /// The first call that can start, and its first failed reference.
    pub(super) fn next(&self, gatherer: &Gatherer) -> Option<(usize, Option<usize>)> {
        let waiting =
            self.calls.iter().enumerate().filter(|(_, state)| matches!(state, PlannedCallState::Waiting));
        waiting.map(|(at, _)| at).find_map(|at| {
            let needed = dependencies(&gatherer.parse_parameters(self.planned.get(at)?));
            let ended = |call: &usize| matches!(self.calls.get(*call), Some(PlannedCallState::Done { .. }));
            let failed = |call: &&usize| {
                matches!(self.calls.get(**call), Some(PlannedCallState::Done { result: Err(_), .. }) | None)
            };
            needed.iter().all(ended).then(|| (at, needed.iter().find(failed).copied()))
        })
    }

    pub(super) fn values(&self) -> impl Iterator<Item = (usize, &V)> {
        self.calls.iter().enumerate().filter_map(|(at, state)| match state {
            PlannedCallState::Done { result: Ok(value), .. } => Some((at, value)),
            _ => None,
        })
    }

    /// `put` stores a value and returns its reference.
    pub(super) fn to_json(&self, put: &mut dyn FnMut(&V) -> Json) -> Json {
        let call = |call: &PlannedCall| json!([call.tool, call.parameters, call.reasoning]);
        let mut state = |state: &PlannedCallState<V>| match state {
            PlannedCallState::Waiting => Json::Null,
            PlannedCallState::Open { serial, approval, sent, started_ms, timer } => {
                let mut asked =
                    json!({"call": serial, "approval": approval, "sent": sent, "started_ms": started_ms});
                if let (Some(asked), Some(timer)) = (asked.as_object_mut(), timer) {
                    asked.insert("timer".to_owned(), timer.to_json());
                }
                asked
            }
            PlannedCallState::Done { sent, result: Ok(value), took_ms } => {
                json!({"sent": sent, "value": put(value), "took_ms": took_ms})
            }
            PlannedCallState::Done { sent, result: Err(failure), took_ms } => {
                json!({"sent": sent, "code": failure.code, "message": failure.message, "took_ms": took_ms})
            }
        };
        json!({
            "planned": self.planned.iter().map(call).collect::<Vec<_>>(),
            "calls": self.calls.iter().map(&mut state).collect::<Vec<_>>(), "started_ms": self.started_ms,
        })
    }

    /// `take` loads a stored value. `None` if invalid.
    pub(super) fn from_json(json: &Json, take: &dyn Fn(&Json) -> Option<V>) -> Option<Self> {
        let list = |key: &str| json.get(key).and_then(Json::as_array);
        let text = |json: &Json, key: &str| Some(json.get(key)?.as_str()?.to_owned());
        let call = |json: &Json| {
            let [tool, parameters, reasoning] = json.as_array()?.as_slice() else { return None };
            let (parameters, reasoning) = (parameters.clone(), reasoning.clone());
            Some(PlannedCall { tool: tool.as_str()?.to_owned(), parameters, reasoning })
        };
        let state = |json: &Json| {
            if json.is_null() {
                return Some(PlannedCallState::Waiting);
            }
            let sent = json.get("sent")?.clone();
            if let Some(serial) = json.get("call") {
                let serial = u32::try_from(serial.as_u64()?).ok()?;
                let (approval, started_ms) =
                    (json.get("approval")?.as_bool()?, json.get("started_ms")?.as_f64()?);
                let timer = match json.get("timer") {
                    Some(json) => Some(Timer::from_json(json).ok()?),
                    None => None,
                };
                return Some(PlannedCallState::Open { serial, approval, sent, started_ms, timer });
            }
            let result = match json.get("value") {
                Some(value) => Ok(take(value)?),
                None => Err(Failure::new(text(json, "code")?, text(json, "message")?)),
            };
            Some(PlannedCallState::Done { sent, result, took_ms: json.get("took_ms")?.as_f64()? })
        };
        let planned: Vec<PlannedCall> = list("planned")?.iter().map(call).collect::<Option<_>>()?;
        let calls: Vec<PlannedCallState<V>> = list("calls")?.iter().map(state).collect::<Option<_>>()?;
        let gather_state = Self { planned, calls, started_ms: json.get("started_ms")?.as_f64()? };
        let fits = gather_state.planned.len() == gather_state.calls.len()
            && gather_state.open_serials().next().is_some();
        fits.then_some(gather_state)
    }
}
