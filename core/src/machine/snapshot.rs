//! Converts a run to data and back, so that it can resume in another process.
//!
//! Decides which state is saved: everything except the host's trusted values, which never leave the host. The snapshot
//! refers to nodes, graphs and outputs by name. An equivalent plan accepts it, whatever the order of its text.
//!
//! Invariants:
//! 1. A restored run issues the same commands as an uninterrupted one and, except for times, the same trace.
//! 2. Invalid data is refused: a snapshot is untrusted.

mod restore;

use super::run::{Run, RunStatus};
use super::scope_state::{ChildScopes, ChildState, ScopeState, Wait};
use super::timer::Timer;
use crate::collect::List;
use crate::value::Value;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::fmt;

/// The version of the data. The reader refuses all others.
const FORMAT: u32 = 1;

/// A run as data.
///
/// # Shape
/// `state` is JSON that refers to values by their position in `values`. A shared value is stored once. `graphs` names
/// the nodes of each graph, and everything else refers to them by position there. `outputs` and `visits` of a scope are
/// flat lists of pairs: position, value.
#[derive(Debug, Clone)]
pub struct Snapshot<V> {
    /// Everything except the values.
    pub state: Json,
    /// The values.
    pub values: Vec<V>,
}

/// An error that makes a snapshot unusable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreError {
    /// The message.
    pub message: String,
}

impl RestoreError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// Returns the code.
    pub fn code(&self) -> &'static str {
        "snapshot/unusable"
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the snapshot can't be taken up: {}", self.message)
    }
}

impl std::error::Error for RestoreError {}

/// The state of writing a snapshot: numbers of scopes and graphs, and the values so far.
struct SnapshotWriter<V> {
    scopes: HashMap<u32, usize>,
    graphs: Vec<u32>,
    values: ValueTable<V>,
}

struct ValueTable<V> {
    list: Vec<V>,
    known: HashMap<u64, usize>,
}

impl<V: Value> ValueTable<V> {
    fn put(&mut self, value: &V) -> Json {
        let next = self.list.len();
        let at = *self.known.entry(value.identity()).or_insert(next);
        if at == next {
            self.list.push(value.clone());
        }
        Json::from(at)
    }

    fn put_option(&mut self, value: Option<&V>) -> Json {
        value.map_or(Json::Null, |value| self.put(value))
    }
}

impl<V: Value> Run<V> {
    /// Returns the run as data, or `None` before it starts and after it ends.
    ///
    /// # Units
    /// `at_ms`: now, by the clock of the events.
    pub fn snapshot(&self, at_ms: f64) -> Option<Snapshot<V>> {
        if !matches!(self.status, RunStatus::Running) {
            return None;
        }
        let order = self.live_scopes();
        let mut writing = SnapshotWriter {
            scopes: order.iter().enumerate().map(|(number, scope)| (*scope, number)).collect(),
            graphs: Vec::new(),
            values: ValueTable { list: Vec::new(), known: HashMap::new() },
        };
        let frames: Vec<Json> =
            order.iter().map(|scope| self.scope_json(self.scope(*scope), &mut writing)).list();
        let counts = self.counts;
        let state = json!({
            "format": FORMAT, "at_ms": at_ms, "started_ms": self.started_ms, "serial": self.serial,
            "scopes": self.scopes, "timer": self.timer.map(Timer::to_json),
            "counts": {
                "steps": counts.steps, "calls": counts.calls, "retries": counts.retries, "tokens": counts.tokens,
                "output_bytes": counts.output_bytes, "made_bytes": self.template_bytes,
            },
            "memory": writing.values.put_option(self.memory.as_ref()),
            "graphs": writing.graphs.iter().map(|graph| self.graph_json(*graph)).list(),
            "path": self.path, "frames": frames,
        });
        Some(Snapshot { state, values: writing.values.list })
    }

    /// Returns the scopes that have not ended, each after its parent.
    fn live_scopes(&self) -> Vec<u32> {
        let mut order = vec![0];
        let mut at = 0;
        while let Some(scope) = order.get(at) {
            if let Wait::Children(children) = &self.scope(*scope).wait {
                let running = children.children.iter().filter_map(|child| match child {
                    ChildState::Running(child) => Some(*child),
                    _ => None,
                });
                order.extend(running);
            }
            at += 1;
        }
        order
    }

    /// Returns the names of a graph's nodes, so that the rest can use their numbers.
    fn graph_json(&self, graph: u32) -> Json {
        let Some(graph) = self.program.graphs.get(graph as usize) else { return Json::Null };
        let nodes = self.program.nodes.iter().skip(graph.first as usize).take(graph.count as usize);
        json!({"scope": graph.scope, "nodes": nodes.map(|node| node.id.as_str()).list()})
    }

    fn scope_json(&self, frame: &ScopeState<V>, writing: &mut SnapshotWriter<V>) -> Json {
        let SnapshotWriter { scopes, graphs, values } = writing;
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
        for (name, value) in frame.other_outputs(&self.program) {
            writes.insert(name.to_owned(), values.put(value));
        }
        let parent = frame.parent.map(|(scope, place)| json!([scopes.get(&scope), place]));
        let mut json = json!({
            "graph": graph, "serial": frame.scope.serial, "path": frame.scope.path.as_deref(), "parent": parent,
            "input": values.put(&frame.input), "last": values.put(&frame.last),
            "item": values.put_option(frame.item.as_ref()), "index": values.put_option(frame.index.as_ref()),
            "error": values.put_option(frame.error.as_ref()), "outputs": outputs, "writes": writes, "visits": visits,
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

    fn wait_json(&self, frame: &ScopeState<V>, writing: &mut SnapshotWriter<V>) -> Json {
        match &frame.wait {
            Wait::Nothing => {
                match self.ready.iter().find(|(scope, _)| std::ptr::eq(self.scope(*scope), frame)) {
                    Some((_, node)) => json!({"enter": node.saturating_sub(frame.first)}),
                    None => Json::Null,
                }
            }
            Wait::Call(serial) => json!({"call": serial}),
            Wait::Backoff(timer) => json!({"backoff": timer.to_json()}),
            Wait::Conversation(talk) => json!({"talk": talk.to_json()}),
            Wait::Gather(gathering) => {
                let values = &mut writing.values;
                json!({"gather": gathering.to_json(&mut |value| values.put(value))})
            }
            Wait::Children(children) => {
                let SnapshotWriter { scopes, values, .. } = writing;
                let ChildScopes { children: places, next_child: next, input, .. } = &**children;
                let mut child = |child: &ChildState<V>| match child {
                    ChildState::Waiting => Json::Null,
                    ChildState::Running(scope) => json!({"scope": scopes.get(scope)}),
                    ChildState::Completed(value) => json!({"value": values.put(value)}),
                    ChildState::Failed(error) => json!({"error": values.put(error)}),
                };
                let places: Vec<Json> = places.iter().map(&mut child).list();
                let code = self.program.nodes.get(frame.node as usize);
                let extra = code.and_then(|code| code.options.as_ref());
                let names: Vec<&str> =
                    extra.iter().flat_map(|extra| &extra.children).map(|(name, _)| name.as_str()).list();
                json!({"names": names, "places": places, "next": next, "input": values.put(input)})
            }
        }
    }
}
