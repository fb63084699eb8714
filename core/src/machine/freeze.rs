//! A run as data, and back: so that it can go on elsewhere, another day.
//!
//! Decides what of a run is kept: everything but the host's trusted values, which never leave the host. Nodes, graphs and
//! outputs go by their names, so that a plan that means the same takes the snapshot whatever the order of its text.
//!
//! Invariants:
//! 1. a run that was frozen and thawed gives the same commands and, but for times, the same trace as one that was not;
//! 2. what makes no sense is refused: a snapshot is untrusted data.

mod thaw;

use super::frame::{Child, Children, Frame, Wait};
use super::run::{Run, State};
use super::timer::Timer;
use crate::list::List;
use crate::value::Value;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::fmt;

/// The version of the data. Another one is refused.
const FORMAT: u32 = 1;

/// A run as data.
///
/// # Shape
/// `state` is JSON whose values are positions in `values`; a value that stands in several places is there once. `graphs` names the
/// nodes of each graph, and everything else speaks of them by their positions there; `outputs` and `visits` of a frame are lists
/// of pairs, one after the other: position, value.
#[derive(Debug, Clone)]
pub struct Frozen<V> {
    /// Everything but the values.
    pub state: Json,
    /// The values.
    pub values: Vec<V>,
}

/// Why a snapshot can't be taken up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThawError {
    /// What does not fit, in words.
    pub message: String,
}

impl ThawError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// The slug.
    pub fn code(&self) -> &'static str {
        "snapshot/unusable"
    }
}

impl fmt::Display for ThawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the snapshot can't be taken up: {}", self.message)
    }
}

impl std::error::Error for ThawError {}

/// What a run is written down with: scopes and graphs by their numbers there, and the values found so far.
struct Writing<V> {
    scopes: HashMap<u32, usize>,
    graphs: Vec<u32>,
    values: Values<V>,
}

/// The values found so far.
struct Values<V> {
    list: Vec<V>,
    known: HashMap<u64, usize>,
}

impl<V: Value> Values<V> {
    fn put(&mut self, value: &V) -> Json {
        let next = self.list.len();
        let at = *self.known.entry(value.identity()).or_insert(next);
        if at == next {
            self.list.push(value.clone());
        }
        Json::from(at)
    }

    fn put_some(&mut self, value: Option<&V>) -> Json {
        value.map_or(Json::Null, |value| self.put(value))
    }
}

impl<V: Value> Run<V> {
    /// The run as data, while it is under way; nothing before it began and after it ended.
    ///
    /// # Units
    /// `at_ms`: now, by the clock of the events.
    pub fn freeze(&self, at_ms: f64) -> Option<Frozen<V>> {
        if !matches!(self.state, State::Running) {
            return None;
        }
        let order = self.living();
        let mut writing = Writing {
            scopes: order.iter().enumerate().map(|(number, scope)| (*scope, number)).collect(),
            graphs: Vec::new(),
            values: Values { list: Vec::new(), known: HashMap::new() },
        };
        let frames: Vec<Json> =
            order.iter().map(|scope| self.frame_json(self.scope(*scope), &mut writing)).list();
        let counts = self.counts;
        let state = json!({
            "format": FORMAT, "at_ms": at_ms, "started_ms": self.started_ms, "serial": self.serial,
            "scopes": self.scopes, "timer": self.timer.map(Timer::to_json),
            "counts": {
                "steps": counts.steps, "calls": counts.calls, "retries": counts.retries, "tokens": counts.tokens,
                "output_bytes": counts.output_bytes, "made_bytes": self.made_bytes,
            },
            "memory": writing.values.put_some(self.memory.as_ref()),
            "graphs": writing.graphs.iter().map(|graph| self.graph_json(*graph)).list(),
            "path": self.path, "frames": frames,
        });
        Some(Frozen { state, values: writing.values.list })
    }

    /// The scopes that go on, each after the one around it.
    fn living(&self) -> Vec<u32> {
        let mut order = vec![0];
        let mut at = 0;
        while let Some(scope) = order.get(at) {
            if let Wait::Children(children) = &self.scope(*scope).wait {
                let running = children.places.iter().filter_map(|child| match child {
                    Child::Running(child) => Some(*child),
                    _ => None,
                });
                order.extend(running);
            }
            at += 1;
        }
        order
    }

    /// The names of a graph's nodes, so that the rest can speak of them by number.
    fn graph_json(&self, graph: u32) -> Json {
        let Some(graph) = self.program.graphs.get(graph as usize) else { return Json::Null };
        let nodes = self.program.nodes.iter().skip(graph.first as usize).take(graph.count as usize);
        json!({"scope": graph.scope, "nodes": nodes.map(|node| node.id.as_str()).list()})
    }

    fn frame_json(&self, frame: &Frame<V>, writing: &mut Writing<V>) -> Json {
        let Writing { scopes, graphs, values } = writing;
        let graph = graphs.iter().position(|graph| *graph == frame.graph).unwrap_or_else(|| {
            graphs.push(frame.graph);
            graphs.len() - 1
        });
        let visits = frame.visits.iter().enumerate().filter(|(_, visits)| **visits > 0);
        let visits = visits.flat_map(|(at, visits)| [Json::from(at), Json::from(*visits)]).list();
        let nodes = frame.visits.len();
        let given = frame.outputs.iter().take(nodes).enumerate();
        let given = given.filter_map(|(at, value)| Some([Json::from(at), values.put(value.as_ref()?)]));
        let outputs = given.flatten().list();
        let mut writes = Map::new();
        for (name, value) in frame.others(&self.program) {
            writes.insert(name.to_owned(), values.put(value));
        }
        let parent = frame.parent.map(|(scope, place)| json!([scopes.get(&scope), place]));
        let mut json = json!({
            "graph": graph, "serial": frame.scope.serial, "path": frame.scope.path.as_deref(), "parent": parent,
            "input": values.put(&frame.input), "last": values.put(&frame.last),
            "item": values.put_some(frame.item.as_ref()), "index": values.put_some(frame.index.as_ref()),
            "error": values.put_some(frame.error.as_ref()), "outputs": outputs, "writes": writes, "visits": visits,
            "node": frame.node.saturating_sub(frame.first), "visit": frame.visit, "attempt": frame.attempt,
            "started_ms": frame.started_ms, "timeout": frame.timeout.map(Timer::to_json),
            "wait": self.wait_json(frame, writing),
        });
        if let (Some(json), false) = (json.as_object_mut(), frame.conversations.is_empty()) {
            let mut all = Map::new();
            for (name, kept) in &frame.conversations {
                all.insert(name.clone(), kept.to_json());
            }
            json.insert("conversations".to_owned(), Json::Object(all));
        }
        json
    }

    fn wait_json(&self, frame: &Frame<V>, writing: &mut Writing<V>) -> Json {
        match &frame.wait {
            Wait::Nothing => {
                match self.ready.iter().find(|(scope, _)| std::ptr::eq(self.scope(*scope), frame)) {
                    Some((_, node)) => json!({"enter": node.saturating_sub(frame.first)}),
                    None => Json::Null,
                }
            }
            Wait::Call(serial) => json!({"call": serial}),
            Wait::Backoff(timer) => json!({"backoff": timer.to_json()}),
            Wait::Talk(talk) => json!({"talk": talk.to_json()}),
            Wait::Gather(gathering) => {
                let values = &mut writing.values;
                json!({"gather": gathering.to_json(&mut |value| values.put(value))})
            }
            Wait::Children(children) => {
                let Writing { scopes, values, .. } = writing;
                let Children { places, next, input, .. } = &**children;
                let mut child = |child: &Child<V>| match child {
                    Child::Waiting => Json::Null,
                    Child::Running(scope) => json!({"scope": scopes.get(scope)}),
                    Child::Completed(value) => json!({"value": values.put(value)}),
                    Child::Failed(error) => json!({"error": values.put(error)}),
                };
                let places: Vec<Json> = places.iter().map(&mut child).list();
                let code = self.program.nodes.get(frame.node as usize);
                let extra = code.and_then(|code| code.extra.as_ref());
                let names: Vec<&str> =
                    extra.iter().flat_map(|extra| &extra.children).map(|(name, _)| name.as_str()).list();
                json!({"names": names, "places": places, "next": next, "input": values.put(input)})
            }
        }
    }
}
