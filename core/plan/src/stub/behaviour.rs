//! What one stub does, each time that it is asked.
//!
//! Decides which of several behaviours is next, by the times it was asked or by what it is given.

use serde_json::Value as Json;
use stepgraph_text::names::Names;
use stepgraph_text::value::plain_text;

/// Behaviours by name, in the order given; stubs are few.
#[derive(Debug, Clone, Default)]
pub(super) struct Entries(pub(super) Vec<(String, Behaviour)>);

impl Entries {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Behaviour> {
        self.0.iter_mut().find(|(known, _)| known == name).map(|(_, behaviour)| behaviour)
    }
}

/// What a stand-in does.
#[derive(Debug, Clone)]
pub(super) struct Behaviour {
    pub(super) kind: Kind,
    pub(super) delay_ms: f64,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Deed(Deed),
    Sequence {
        list: Vec<Behaviour>,
        next: usize,
    },
    /// By the text of a key of what it is given; the last one stands for all others.
    By {
        key: String,
        cases: Entries,
        other: Box<Behaviour>,
    },
}

/// What a stand-in does at one call.
#[derive(Debug, Clone)]
pub enum Deed {
    /// Gives what is asked.
    Echo,
    /// Gives the input that the plan has for the node itself.
    Input,
    /// Gives the output of the node before.
    Last,
    /// Gives a value.
    Return {
        /// The value.
        value: Json,
        /// Further outputs, by name.
        writes: Vec<(String, Json)>,
    },
    /// Fails.
    Fail {
        /// What happened, in words.
        message: String,
        /// A slug. Without it the failure has the code of what the stub stands in for.
        code: Option<String>,
    },
}

impl Behaviour {
    /// Adds the names of outputs that it may write.
    pub(super) fn written(&self, names: &mut Names) {
        match &self.kind {
            Kind::Deed(Deed::Return { writes, .. }) => {
                names.extend(writes.iter().map(|(name, _)| name.clone()));
            }
            Kind::Sequence { list, .. } => list.iter().for_each(|behaviour| behaviour.written(names)),
            Kind::By { cases, other, .. } => {
                cases.0.iter().for_each(|(_, behaviour)| behaviour.written(names));
                other.written(names);
            }
            Kind::Deed(_) => {}
        }
    }

    /// Adds all that it returns; whether it does nothing else.
    pub(super) fn returned<'a>(&'a self, values: &mut Vec<&'a Json>) -> bool {
        match &self.kind {
            Kind::Deed(Deed::Return { value, .. }) => {
                values.push(value);
                true
            }
            Kind::Sequence { list, .. } => list.iter().all(|behaviour| behaviour.returned(values)),
            _ => false,
        }
    }

    /// What it does this time with what it is `given`, adding up the delays on the way.
    pub(super) fn next(&mut self, delay_ms: &mut f64, given: &dyn Fn() -> Json) -> &Deed {
        *delay_ms += self.delay_ms;
        match &mut self.kind {
            Kind::Sequence { list, next } => {
                let at = (*next).min(list.len().saturating_sub(1));
                *next += 1;
                // Reading refuses an empty sequence, so there is always an element.
                list.get_mut(at).map_or(&Deed::Last, |behaviour| behaviour.next(delay_ms, given))
            }
            Kind::By { key, cases, other } => {
                let found = given().get(key.as_str()).map(plain_text).unwrap_or_default();
                match cases.get_mut(&found) {
                    Some(behaviour) => behaviour.next(delay_ms, given),
                    None => other.next(delay_ms, given),
                }
            }
            Kind::Deed(deed) => deed,
        }
    }
}
