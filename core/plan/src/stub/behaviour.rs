//! A stub's behaviour, chosen by call count or arguments.

use serde_json::Value as Json;
use stepgraph_text::interner::NameTable;
use stepgraph_text::value::plain_text;

/// In document order. A list, since stubs are few.
#[derive(Debug, Clone, Default)]
pub(super) struct BehaviourMap(pub(super) Vec<(String, Behaviour)>);

impl BehaviourMap {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Behaviour> {
        self.0.iter_mut().find(|(known, _)| known == name).map(|(_, behaviour)| behaviour)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Behaviour {
    pub(super) kind: BehaviourKind,
    pub(super) delay_ms: f64,
}

#[derive(Debug, Clone)]
pub(super) enum BehaviourKind {
    Action(StubAction),
    Sequence {
        list: Vec<Behaviour>,
        next: usize,
    },
    /// Answers by an argument's text. `other` covers the rest.
    By {
        key: String,
        cases: BehaviourMap,
        other: Box<Behaviour>,
    },
}

/// A stub's action.
#[derive(Debug, Clone)]
pub enum StubAction {
    /// Returns arguments.
    Echo,
    /// Returns the node's input.
    Input,
    /// Returns the previous output.
    Last,
    /// Returns a value.
    Return {
        /// Its value.
        value: Json,
        /// Further outputs.
        writes: Vec<(String, Json)>,
    },
    /// Fails.
    Fail {
        /// Its message.
        message: String,
        /// Defaults to the usual code of the handler, tool or model.
        code: Option<String>,
    },
}

impl Behaviour {
    pub(super) fn add_named_outputs(&self, names: &mut NameTable) {
        match &self.kind {
            BehaviourKind::Action(StubAction::Return { writes, .. }) => {
                names.extend(writes.iter().map(|(name, _)| name.clone()));
            }
            BehaviourKind::Sequence { list, .. } => {
                for behaviour in list {
                    behaviour.add_named_outputs(names);
                }
            }
            BehaviourKind::By { cases, other, .. } => {
                for (_, behaviour) in &cases.0 {
                    behaviour.add_named_outputs(names);
                }
                other.add_named_outputs(names);
            }
            BehaviourKind::Action(_) => {}
        }
    }

    /// `false` if it may do anything but return.
    pub(super) fn collect_returned<'a>(&'a self, values: &mut Vec<&'a Json>) -> bool {
        match &self.kind {
            BehaviourKind::Action(StubAction::Return { value, .. }) => {
                values.push(value);
                true
            }
            BehaviourKind::Sequence { list, .. } => {
                list.iter().all(|behaviour| behaviour.collect_returned(values))
            }
            _ => false,
        }
    }

    pub(super) fn next_action(&mut self, delay_ms: &mut f64, given: &dyn Fn() -> Json) -> &StubAction {
        *delay_ms += self.delay_ms;
        match &mut self.kind {
            BehaviourKind::Sequence { list, next } => {
                let at = (*next).min(list.len().saturating_sub(1));
                *next += 1;
                // The reader rejects empty sequences.
                list.get_mut(at).map_or(&StubAction::Last, |behaviour| behaviour.next_action(delay_ms, given))
            }
            BehaviourKind::By { key, cases, other } => {
                let found = given().get(key.as_str()).map(plain_text).unwrap_or_default();
                match cases.get_mut(&found) {
                    Some(behaviour) => behaviour.next_action(delay_ms, given),
                    None => other.next_action(delay_ms, given),
                }
            }
            BehaviourKind::Action(deed) => deed,
        }
    }
}
