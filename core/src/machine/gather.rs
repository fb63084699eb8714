//! The calls of a tool plan under way within one node.
//!
//! Decides which call can begin next. Knows nothing of scopes or of who answers.
//!
//! Invariants: 1. a call begins after every call it refers to has ended; 2. what ended never changes.
//!
//! Source: `docs/planning.md`.

use super::timer::Timer;
use crate::failure::Failure;
use crate::node::{Gatherer, Planned};
use crate::toolplan::needs;
use serde_json::{Value as Json, json};

/// The calls of a tool plan under way.
#[derive(Debug)]
pub(super) struct Gathering<V> {
    pub(super) calls: Vec<Planned>,
    pub(super) places: Vec<Spot<V>>,
    /// When the first of them began.
    pub(super) began_ms: f64,
}

/// One of them.
#[derive(Debug)]
pub(super) enum Spot<V> {
    /// Not begun.
    Waiting,
    /// A person is asked for leave, or the tool is called. A call may have a timer.
    Asked { serial: u32, leave: bool, sent: Json, began_ms: f64, timer: Option<Timer> },
    /// Ended.
    Done { sent: Json, result: Result<V, Failure>, took_ms: f64 },
}

impl<V> Gathering<V> {
    /// Says anew of each call whether a person is asked first.
    pub(super) fn decide_leave(&mut self, gatherer: &Gatherer) {
        for (place, call) in self.places.iter_mut().zip(&self.calls) {
            if let Spot::Asked { leave, timer, .. } = place {
                *leave = gatherer.asks(&call.tool);
                // A person may take any time.
                *timer = timer.filter(|_| !*leave);
            }
        }
    }

    /// Every call that is outstanding, in order.
    pub(super) fn serials(&self) -> impl Iterator<Item = u32> {
        self.places.iter().filter_map(|place| match place {
            Spot::Asked { serial, .. } => Some(*serial),
            _ => None,
        })
    }

    /// The tools of the calls that are outstanding.
    pub(super) fn asked(&self) -> impl Iterator<Item = &str> {
        let asked = |(_, spot): &(&Planned, &Spot<V>)| matches!(spot, Spot::Asked { .. });
        self.calls.iter().zip(&self.places).filter(asked).map(|(call, _)| call.tool.as_str())
    }

    /// Which call has that number.
    pub(super) fn place(&self, serial: u32) -> Option<usize> {
        self.places
            .iter()
            .position(|place| matches!(place, Spot::Asked { serial: own, .. } if *own == serial))
    }

    /// The timers of the calls that have one.
    pub(super) fn timers(&mut self) -> impl Iterator<Item = (usize, &mut Timer)> {
        self.places.iter_mut().enumerate().filter_map(|(at, place)| match place {
            Spot::Asked { timer: Some(timer), .. } => Some((at, timer)),
            _ => None,
        })
    }

    /// Which call has that timer.
    pub(super) fn timed(&self, serial: u32) -> Option<usize> {
        self.places.iter().position(
            |place| matches!(place, Spot::Asked { timer: Some(timer), .. } if timer.serial == serial),
        )
    }

    /// The first call that can begin: all it refers to has ended. With it the first of those that failed, if any.
    pub(super) fn next(&self, gatherer: &Gatherer) -> Option<(usize, Option<usize>)> {
        let waiting = self.places.iter().enumerate().filter(|(_, place)| matches!(place, Spot::Waiting));
        waiting.map(|(at, _)| at).find_map(|at| {
            let needed = needs(&gatherer.texts(self.calls.get(at)?));
            let ended = |call: &usize| matches!(self.places.get(*call), Some(Spot::Done { .. }));
            let failed = |call: &&usize| {
                matches!(self.places.get(**call), Some(Spot::Done { result: Err(_), .. }) | None)
            };
            needed.iter().all(ended).then(|| (at, needed.iter().find(failed).copied()))
        })
    }

    /// The values that calls have given.
    pub(super) fn values(&self) -> impl Iterator<Item = (usize, &V)> {
        self.places.iter().enumerate().filter_map(|(at, place)| match place {
            Spot::Done { result: Ok(value), .. } => Some((at, value)),
            _ => None,
        })
    }

    /// As data; `put` gives the place of a value.
    pub(super) fn to_json(&self, put: &mut dyn FnMut(&V) -> Json) -> Json {
        let call = |call: &Planned| json!([call.tool, call.parameters, call.reasoning]);
        let mut place = |place: &Spot<V>| match place {
            Spot::Waiting => Json::Null,
            Spot::Asked { serial, leave, sent, began_ms, timer } => {
                let mut asked = json!({"call": serial, "leave": leave, "sent": sent, "began_ms": began_ms});
                if let (Some(asked), Some(timer)) = (asked.as_object_mut(), timer) {
                    asked.insert("timer".to_owned(), timer.to_json());
                }
                asked
            }
            Spot::Done { sent, result: Ok(value), took_ms } => {
                json!({"sent": sent, "value": put(value), "took_ms": took_ms})
            }
            Spot::Done { sent, result: Err(failure), took_ms } => {
                json!({"sent": sent, "code": failure.code, "message": failure.message, "took_ms": took_ms})
            }
        };
        json!({
            "calls": self.calls.iter().map(call).collect::<Vec<_>>(),
            "places": self.places.iter().map(&mut place).collect::<Vec<_>>(), "began_ms": self.began_ms,
        })
    }

    /// From data; nothing of what makes no sense. `take` gives the value at a place.
    pub(super) fn from_json(json: &Json, take: &dyn Fn(&Json) -> Option<V>) -> Option<Self> {
        let list = |key: &str| json.get(key).and_then(Json::as_array);
        let text = |json: &Json, key: &str| Some(json.get(key)?.as_str()?.to_owned());
        let call = |json: &Json| {
            let [tool, parameters, reasoning] = json.as_array()?.as_slice() else { return None };
            let (parameters, reasoning) = (parameters.clone(), reasoning.clone());
            Some(Planned { tool: tool.as_str()?.to_owned(), parameters, reasoning })
        };
        let place = |json: &Json| {
            if json.is_null() {
                return Some(Spot::Waiting);
            }
            let sent = json.get("sent")?.clone();
            if let Some(serial) = json.get("call") {
                let serial = u32::try_from(serial.as_u64()?).ok()?;
                let (leave, began_ms) = (json.get("leave")?.as_bool()?, json.get("began_ms")?.as_f64()?);
                let timer = match json.get("timer") {
                    Some(json) => Some(Timer::from_json(json).ok()?),
                    None => None,
                };
                return Some(Spot::Asked { serial, leave, sent, began_ms, timer });
            }
            let result = match json.get("value") {
                Some(value) => Ok(take(value)?),
                None => Err(Failure::new(text(json, "code")?, text(json, "message")?)),
            };
            Some(Spot::Done { sent, result, took_ms: json.get("took_ms")?.as_f64()? })
        };
        let calls: Vec<Planned> = list("calls")?.iter().map(call).collect::<Option<_>>()?;
        let places: Vec<Spot<V>> = list("places")?.iter().map(place).collect::<Option<_>>()?;
        let gathering = Self { calls, places, began_ms: json.get("began_ms")?.as_f64()? };
        let fits = gathering.calls.len() == gathering.places.len() && gathering.serials().next().is_some();
        fits.then_some(gathering)
    }
}
