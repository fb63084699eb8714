//! Saves a run, to resume in another process.
//!
//! Saves all but the host's trusted values, which never leave it. Names refer to nodes, graphs and outputs, so that
//! equivalent plans accept snapshots.
//!
//! Invariants:
//! 1. A restored run issues the same commands as an uninterrupted one and, except for times, the same trace.
//! 2. Snapshots are untrusted: invalid data is refused.

mod fields;
mod restore;

use super::run::{Run, RunStatus};
use super::scope_state::{ChildScopes, ChildState, ScopeState, Wait};
use super::timer::Timer;
use crate::collect::CollectVec;
use crate::value::Value;
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::fmt;

/// Readers refuse other versions.
const FORMAT: u32 = 1;

/// Run data.
///
/// # Shape
/// `state` is JSON that refers to values by position in `values`, shared ones stored once. `graphs` names each graph's
/// nodes, to which all else refers by position. `outputs` and `visits` of a scope are flat lists of position and value.
#[derive(Debug, Clone)]
pub struct Snapshot<V> {
    /// All but values.
    pub state: Json,
    /// The values.
    pub values: Vec<V>,
}

/// Why a snapshot is unusable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreError {
    /// The message.
    pub message: String,
}

impl RestoreError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// Error code.
    pub fn code(&self) -> &'static str {
        "snapshot/unusable"
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the snapshot can't be resumed: {}", self.message)
    }
}

impl std::error::Error for RestoreError {}

/// Numbers of scopes and graphs, and values so far.
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
    /// `None` before the start and after the end.
    ///
    /// # Units
    /// `at_ms`: now, by the clock of the events.
    pub fn snapshot(&self, at_ms: f64) -> Option<Snapshot<V>> {
        if !matches!(self.status, RunStatus::Running) {
            return None;
        }
        let order = self.live_scopes();
        let mut writer = SnapshotWriter {
            scopes: order.iter().enumerate().map(|(number, scope)| (*scope, number)).collect(),
            graphs: Vec::new(),
            values: ValueTable { list: Vec::new(), known: HashMap::new() },
        };
        let scope_states: Vec<Json> =
            order.iter().map(|scope| self.scope_json(self.scope(*scope), &mut writer)).collect_vec();
        let counts = self.counts;
        let mut state = json!({
            "format": FORMAT, "at_ms": at_ms, "started_ms": self.started_ms, "serial": self.serial,
            "scopes": self.scopes, "timer": self.timer.map(Timer::to_json),
            "counts": {
                "steps": counts.steps, "calls": counts.calls, "retries": counts.retries, "tokens": counts.tokens,
                "output_bytes": counts.output_bytes, "made_bytes": self.template_bytes,
            },
            "memory": writer.values.put_option(self.memory.as_ref()),
            "graphs": writer.graphs.iter().map(|graph| self.graph_json(*graph)).collect_vec(),
            "path": self.path, "scope_states": scope_states,
        });
        if let Some(map) = state.get_mut("counts").and_then(Json::as_object_mut) {
            // Absent without replies, so that snapshots of most runs stay as they were.
            if counts.micro_usd > 0.0 {
                map.insert("micro_usd".to_owned(), Json::from(counts.micro_usd));
            }
            let unknown = [("unpriced", counts.unpriced), ("uncounted", counts.uncounted)];
            map.extend(
                unknown
                    .into_iter()
                    .filter(|(_, count)| *count > 0)
                    .map(|(name, count)| (name.to_owned(), Json::from(count))),
            );
            if counts.unreported > 0 {
                map.insert("unreported".to_owned(), Json::from(counts.unreported));
                // Infinity is null in JSON.
                map.insert("unreported_tokens".to_owned(), Json::from(counts.unreported_tokens));
                map.insert("unreported_micro_usd".to_owned(), Json::from(counts.unreported_micro_usd));
            }
        }
        Some(Snapshot { state, values: writer.values.list })
    }

    /// Each after its parent.
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

    /// Node names, so that the rest can use numbers.
    fn graph_json(&self, graph: u32) -> Json {
        let Some(graph) = self.program.graphs.get(graph as usize) else { return Json::Null };
        let nodes = self.program.nodes.iter().skip(graph.first as usize).take(graph.count as usize);
        json!({"scope": graph.scope, "nodes": nodes.map(|node| node.id.as_str()).collect_vec()})
    }

    fn scope_json(&self, scope_state: &ScopeState<V>, writer: &mut SnapshotWriter<V>) -> Json {
        let SnapshotWriter { scopes, graphs, values } = writer;
        let graph = graphs.iter().position(|graph| *graph == scope_state.graph).unwrap_or_else(|| {
            graphs.push(scope_state.graph);
            graphs.len() - 1
        });
        let visits = scope_state.visits.iter().enumerate().filter(|(_, visits)| **visits > 0);
        let visits = visits.flat_map(|(at, visits)| [Json::from(at), Json::from(*visits)]).collect_vec();
        let nodes = scope_state.visits.len();
        let given = scope_state.outputs.iter().take(nodes).enumerate();
        let given = given.filter_map(|(at, value)| Some([Json::from(at), values.put(value.as_ref()?)]));
        let outputs = given.flatten().collect_vec();
        let mut writes = Map::new();
        for (name, value) in scope_state.other_outputs(&self.program) {
            writes.insert(name.to_owned(), values.put(value));
        }
        let parent = scope_state.parent.map(|(scope, index)| json!([scopes.get(&scope), index]));
        let mut json = json!({
            "graph": graph, "serial": scope_state.scope.serial, "path": scope_state.scope.path.as_deref(), "parent": parent,
            "input": values.put(&scope_state.input), "last": values.put(&scope_state.last),
            "item": values.put_option(scope_state.item.as_ref()), "index": values.put_option(scope_state.index.as_ref()),
            "error": values.put_option(scope_state.error.as_ref()), "outputs": outputs, "writes": writes, "visits": visits,
            "node": scope_state.node.saturating_sub(scope_state.first), "visit": scope_state.visit, "attempt": scope_state.attempt,
            "started_ms": scope_state.started_ms, "timeout": scope_state.timeout.map(Timer::to_json),
            "wait": self.wait_json(scope_state, writer),
        });
        if let (Some(json), false) = (json.as_object_mut(), scope_state.conversations.is_empty()) {
            let mut all = Map::new();
            for (name, stored) in &scope_state.conversations {
                all.insert(name.clone(), stored.to_json());
            }
            json.insert("conversations".to_owned(), Json::Object(all));
        }
        json
    }

    fn wait_json(&self, scope_state: &ScopeState<V>, writer: &mut SnapshotWriter<V>) -> Json {
        match &scope_state.wait {
            Wait::Nothing => {
                match self.ready.iter().find(|(scope, _)| std::ptr::eq(self.scope(*scope), scope_state)) {
                    Some((_, node)) => json!({"enter": node.saturating_sub(scope_state.first)}),
                    None => Json::Null,
                }
            }
            Wait::Call(serial) => json!({"call": serial}),
            Wait::Backoff(timer) => json!({"backoff": timer.to_json()}),
            Wait::Delay(delay) => json!({"delay": delay.to_json()}),
            Wait::Conversation(conversation) => json!({"conversation": conversation.to_json()}),
            Wait::Gather(gather_state) => {
                let values = &mut writer.values;
                json!({"gather": gather_state.to_json(&mut |value| values.put(value))})
            }
            Wait::Children(children) => {
                let SnapshotWriter { scopes, values, .. } = writer;
                let ChildScopes { children: places, next_child, input, .. } = &**children;
                let mut child = |child: &ChildState<V>| match child {
                    ChildState::Waiting => Json::Null,
                    ChildState::Running(scope) => json!({"scope": scopes.get(scope)}),
                    ChildState::Completed(value) => json!({"value": values.put(value)}),
                    ChildState::Failed(error) => json!({"error": values.put(error)}),
                };
                let places: Vec<Json> = places.iter().map(&mut child).collect_vec();
                let code = self.program.nodes.get(scope_state.node as usize);
                let options = code.and_then(|compiled| compiled.options.as_ref());
                let names: Vec<&str> = options
                    .iter()
                    .flat_map(|options| &options.children)
                    .map(|(name, _)| name.as_str())
                    .collect_vec();
                json!({"names": names, "children": places, "next": next_child, "input": values.put(input)})
            }
        }
    }
}
