//! What a run is made of, as far as it has been told.
//!
//! Decides nothing. Positions count events from 0; times are milliseconds from the beginning of the run.

use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A run, or nothing yet.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// When each event happened.
    pub(super) times: Vec<f64>,
    /// What the run was given.
    pub(super) input: Option<Value>,
    pub(super) visits: Vec<Visit>,
    pub(super) calls: Vec<Call>,
    pub(super) decisions: Vec<Decision>,
    pub(super) log: Vec<LogEntry>,
    /// Changes of each node, by place, in order.
    pub(super) changes: HashMap<Arc<str>, Vec<NodeChange>>,
    /// Of each edge, by scope and position: the event of the first decision that took it, and of the first that looked at it.
    pub(super) edges: HashMap<(Arc<str>, usize), (Option<usize>, usize)>,
    pub(super) sums: Vec<RunningTotal>,
    pub(super) rows: Vec<TimelineRowKey>,
    /// The rows in the order in which they stand: positions in `rows`.
    pub(super) order: Vec<usize>,
    pub(super) row_of: HashMap<(Arc<str>, Arc<str>), usize>,
    /// How the rows of a lane are ordered among others, and how deep it lies.
    pub(super) lanes: HashMap<Arc<str>, Vec<usize>>,
    /// Visits under way, by lane and place.
    pub(super) open_visits: BTreeMap<(Arc<str>, Arc<str>), usize>,
    pub(super) call_of: HashMap<String, usize>,
    pub(super) names: HashSet<Arc<str>>,
    /// What calls under way have told of themselves.
    pub(super) progress: HashMap<String, CallProgress>,
    /// What people are asked.
    pub(super) questions: Vec<Question>,
    pub(super) outcome: Option<RunOutcome>,
}

/// A value as far as it was told: JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Value {
    /// The JSON, perhaps cut off.
    pub text: Arc<str>,
    /// Whether there is more of it.
    pub is_cut: bool,
    /// The event that told it, by which the whole can be asked for.
    pub event: usize,
}

/// A node that was come to.
#[derive(Debug, Clone)]
pub struct Visit {
    /// The node's place in the plan.
    pub node_path: Arc<str>,
    /// The graph in which it ran: empty for the plan's own, `fan:1/a`.
    pub lane: Arc<str>,
    /// How often its lane had come to it, from 1.
    pub visit: usize,
    /// The event with which it began.
    pub start_event: usize,
    /// When it began.
    pub start_ms: f64,
    /// The event with which it ended, and when.
    pub ended: Option<(usize, f64)>,
    /// How it ended; meaningless before.
    pub end: Outcome,
    /// What it was given.
    pub input: Value,
    /// Tries that failed.
    pub retries: Vec<Retry>,
    /// What it asked for: positions of calls.
    pub calls: Vec<usize>,
    /// What was decided after it: a position of decisions.
    pub decision: Option<usize>,
}

/// How a visit ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Outcome {
    /// With an output.
    Done(Value),
    /// With a failure.
    Failed {
        /// Its code.
        code: Arc<str>,
        /// Its message.
        message: Arc<str>,
    },
    /// Nobody waited for it any more.
    #[default]
    Abandoned,
}

/// A try that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// The event.
    pub event: usize,
    /// When.
    pub at_ms: f64,
    /// How long the wait before the next try was to be.
    pub delay_ms: f64,
    /// Which try it was.
    pub attempt: usize,
    /// Why it failed.
    pub code: Arc<str>,
    /// The same in words.
    pub message: Arc<str>,
}

/// Somebody who was asked.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its name, by which a fork can change it.
    pub name: String,
    /// `handler`, `tool`, `model` or `approval`.
    pub kind: Arc<str>,
    /// The tool, when it is one.
    pub tool: Option<Arc<str>>,
    /// The visit that made it.
    pub(super) visit: Option<usize>,
    /// What of its name is only an agent's own: turn, and place in the turn.
    pub part: Arc<str>,
    /// The event.
    pub event: usize,
    /// When.
    pub start_ms: f64,
    /// What was asked.
    pub input: Value,
    /// The event of its answer, and when.
    pub ended: Option<(usize, f64)>,
    /// What it answered.
    pub end: Outcome,
    /// Tokens in, out, and of those in how many were cached.
    pub tokens: Option<[u64; 3]>,
}

/// What came after a node.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The event.
    pub event: usize,
    /// When.
    pub at_ms: f64,
    /// The node, by place.
    pub node_path: Arc<str>,
    /// The graph in which it ran.
    pub lane: Arc<str>,
    /// The graph of the plan whose edges were looked at.
    pub scope: Arc<str>,
    /// The edge that was taken.
    pub edge: Option<usize>,
    /// Where it led.
    pub to: Option<Arc<str>>,
    /// `condition`, `fallback`, `no-match` or `terminal`.
    pub reason: Arc<str>,
    /// The conditions that were looked at, in order.
    pub verdicts: Vec<Verdict>,
}

/// A condition that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Its edge.
    pub edge: usize,
    /// As written.
    pub condition: Arc<str>,
    /// Whether it held.
    pub holds: bool,
    /// The values that it saw.
    pub values: Vec<ComparedValue>,
}

/// A value that a condition saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedValue {
    /// The reference: `last.score`.
    pub reference: Arc<str>,
    /// The value; nothing where none was there.
    pub value: Option<Value>,
}

/// What a node of type `log` marked.
#[derive(Debug, Clone)]
pub struct LogEntry {
    /// The event.
    pub event: usize,
    /// When.
    pub at_ms: f64,
    /// The node.
    pub node_path: Arc<str>,
    /// What.
    pub value: Value,
}

/// What a call under way has told of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallProgress {
    /// The answer so far.
    pub text: String,
    /// What the model thought.
    pub thinking: String,
    /// How far a tool has come, and of how much.
    pub progress: Option<(f64, Option<f64>)>,
    /// What it says of that.
    pub message: String,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The name under which it is answered.
    pub call: String,
    /// The node that asks.
    pub node_path: String,
    /// The tool for which leave is asked.
    pub tool: Option<String>,
    /// What it is about.
    pub input: Json,
    /// What the plan calls it.
    pub title: Option<String>,
    /// The schema of the answer, when a server asks: then it is a form.
    pub schema: Option<Json>,
}

/// How a run ended.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOutcome {
    /// `completed`, `failed`, `cancelled` or `paused`.
    pub outcome: String,
    /// Why it failed.
    pub code: Option<String>,
    /// The same in words.
    pub message: Option<String>,
    /// The node that failed, by place.
    pub node_path: Option<String>,
    /// The last output.
    pub last: Value,
    /// How long it took.
    pub ms: f64,
    /// Nodes visited, calls made, tries that failed.
    pub counts: [u64; 3],
    /// What models used in all, where that is known.
    pub tokens: Option<u64>,
    /// What is wrong with the plan.
    pub problems: Vec<Problem>,
}

/// Something wrong with the plan, found when it was to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// What kind.
    pub code: String,
    /// Whether it keeps the plan from running.
    pub is_error: bool,
    /// What.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where in the plan: a place, or scope and `#` edge.
    pub location: Option<String>,
    /// Where in the text, in UTF-16 units.
    pub span: Option<(usize, usize)>,
}

/// A node, after something happened to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeChange {
    /// The event.
    pub event: usize,
    /// How often the run has come to it.
    pub visits: usize,
    /// How many of these visits are under way.
    pub running: usize,
    /// How many of those wait.
    pub waiting: usize,
    /// The visit that it happened to.
    pub visit: usize,
}

/// Sums, after something was added.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunningTotal {
    pub event: usize,
    pub visits: usize,
    pub failed: usize,
    pub retries: usize,
    pub calls: usize,
    pub tokens: [u64; 3],
}

/// A row of the timeline: a node in a lane.
#[derive(Debug, Clone)]
pub(super) struct TimelineRowKey {
    /// By what it stands where it does: events, from the outermost node inwards.
    pub key: Vec<usize>,
    pub visits: Vec<usize>,
}
