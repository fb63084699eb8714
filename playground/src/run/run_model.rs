//! Data types of a run. Event indexes start at 0, and times are milliseconds since the start of the run.

use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A run, empty before the first event.
#[derive(Debug, Clone, Default)]
pub struct Run {
    pub(super) times: Vec<f64>,
    pub(super) input: Option<Value>,
    pub(super) visits: Vec<Visit>,
    pub(super) calls: Vec<Call>,
    pub(super) decisions: Vec<Decision>,
    pub(super) log: Vec<LogEntry>,
    /// Changes of each node path, in order.
    pub(super) changes: HashMap<Arc<str>, Vec<NodeChange>>,
    /// For each edge by scope and index: the event that first took it, and the event that first decided about it.
    pub(super) edges: HashMap<(Arc<str>, usize), (Option<usize>, usize)>,
    pub(super) sums: Vec<RunningTotal>,
    pub(super) rows: Vec<TimelineRowKey>,
    /// Row indexes in display order.
    pub(super) order: Vec<usize>,
    pub(super) row_of: HashMap<(Arc<str>, Arc<str>), usize>,
    /// Sort key of each lane. Its length is the depth.
    pub(super) lanes: HashMap<Arc<str>, Vec<usize>>,
    /// Open visits by lane and node path.
    pub(super) open_visits: BTreeMap<(Arc<str>, Arc<str>), usize>,
    pub(super) call_of: HashMap<String, usize>,
    pub(super) names: HashSet<Arc<str>>,
    pub(super) progress: HashMap<String, CallProgress>,
    pub(super) questions: Vec<Question>,
    pub(super) outcome: Option<RunOutcome>,
}

/// A JSON value of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Value {
    /// JSON text, possibly truncated.
    pub text: Arc<str>,
    /// Whether it is truncated.
    pub is_cut: bool,
    /// Event to request the whole value with.
    pub event: usize,
}

/// A visit of a node.
#[derive(Debug, Clone)]
pub struct Visit {
    /// Node path.
    pub node_path: Arc<str>,
    /// Scope instance such as `fan:1/a`, or empty for the top-level graph.
    pub lane: Arc<str>,
    /// Visit number in its lane, from 1.
    pub visit: usize,
    /// Event of the start.
    pub start_event: usize,
    /// Start time.
    pub start_ms: f64,
    /// Event and time of the end.
    pub ended: Option<(usize, f64)>,
    /// Outcome, valid after the end.
    pub end: Outcome,
    /// Input.
    pub input: Value,
    /// Failed attempts before a retry.
    pub retries: Vec<Retry>,
    /// Indexes of its calls.
    pub calls: Vec<usize>,
    /// Index of the decision after it.
    pub decision: Option<usize>,
}

/// Outcome of a visit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Completed with an output.
    Done(Value),
    /// Failed.
    Failed {
        /// Error code.
        code: Arc<str>,
        /// Error message.
        message: Arc<str>,
    },
    /// Abandoned.
    #[default]
    Abandoned,
}

/// A failed attempt before a retry.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// Event.
    pub event: usize,
    /// Time.
    pub at_ms: f64,
    /// Delay before the next attempt.
    pub delay_ms: f64,
    /// Number of the attempt.
    pub attempt: usize,
    /// Error code.
    pub code: Arc<str>,
    /// Error message.
    pub message: Arc<str>,
}

/// A call of a tool, model, handler or approver.
#[derive(Debug, Clone)]
pub struct Call {
    /// Name that a fork can override.
    pub name: String,
    /// `handler`, `tool`, `model` or `approval`.
    pub kind: Arc<str>,
    /// Tool of a tool call.
    pub tool: Option<Arc<str>>,
    pub(super) visit: Option<usize>,
    /// Part of the name inside an agent: turn, and index in the turn.
    pub part: Arc<str>,
    /// Event.
    pub event: usize,
    /// Start time.
    pub start_ms: f64,
    /// Input.
    pub input: Value,
    /// Event and time of the answer.
    pub ended: Option<(usize, f64)>,
    /// Result.
    pub end: Outcome,
    /// Input tokens, output tokens, and cached input tokens.
    pub tokens: Option<[u64; 3]>,
    /// Cost in millionths of a US dollar, `None` without a price.
    pub micro_usd: Option<u64>,
}

/// The decision after a node.
#[derive(Debug, Clone)]
pub struct Decision {
    /// Event.
    pub event: usize,
    /// Time.
    pub at_ms: f64,
    /// Node path.
    pub node_path: Arc<str>,
    /// Lane of the node.
    pub lane: Arc<str>,
    /// Scope of the edges.
    pub scope: Arc<str>,
    /// Index of the taken edge.
    pub edge: Option<usize>,
    /// Target.
    pub to: Option<Arc<str>>,
    /// `condition`, `fallback`, `no-match` or `terminal`.
    pub reason: Arc<str>,
    /// Evaluated conditions, in order.
    pub verdicts: Vec<Verdict>,
}

/// An evaluated condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Edge index.
    pub edge: usize,
    /// Condition text.
    pub condition: Arc<str>,
    /// Whether it matched.
    pub holds: bool,
    /// Compared values.
    pub values: Vec<ComparedValue>,
}

/// A compared value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedValue {
    /// Reference such as `last.score`.
    pub reference: Arc<str>,
    /// Value, or `None` if it does not exist.
    pub value: Option<Value>,
}

/// An entry of a `log` node.
#[derive(Debug, Clone)]
pub struct LogEntry {
    /// Event.
    pub event: usize,
    /// Time.
    pub at_ms: f64,
    /// Node path.
    pub node_path: Arc<str>,
    /// Logged value.
    pub value: Value,
}

/// Progress of an open call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallProgress {
    /// Answer so far.
    pub text: String,
    /// Thinking of the model so far.
    pub thinking: String,
    /// Progress of a tool, and its total if known.
    pub progress: Option<(f64, Option<f64>)>,
    /// Progress message.
    pub message: String,
}

/// A question to the user.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Call to answer.
    pub call: String,
    /// Node path.
    pub node_path: String,
    /// Tool that needs approval.
    pub tool: Option<String>,
    /// Input to approve, or data of the request.
    pub input: Json,
    /// Title from the plan.
    pub title: Option<String>,
    /// Name of the server that asks, of an elicitation request.
    pub server: Option<String>,
    /// Schema of the answer to an elicitation request.
    pub schema: Option<Json>,
}

/// Outcome of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOutcome {
    /// `completed`, `failed`, `cancelled` or `paused`.
    pub outcome: String,
    /// Error code.
    pub code: Option<String>,
    /// Error message.
    pub message: Option<String>,
    /// Node path of the failed node.
    pub node_path: Option<String>,
    /// Last output.
    pub last: Value,
    /// Duration.
    pub ms: f64,
    /// Steps, calls and retries.
    pub counts: [u64; 3],
    /// Tokens of all models, if known.
    pub tokens: Option<u64>,
    /// Diagnostics of the plan.
    pub problems: Vec<Problem>,
}

/// A diagnostic from the check before the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// Diagnostic code.
    pub code: String,
    /// Whether it is an error, which prevents the run.
    pub is_error: bool,
    /// Message.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// Node path, or scope and `#` with the edge index.
    pub location: Option<String>,
    /// Span in UTF-16 units.
    pub span: Option<(usize, usize)>,
}

/// State of a node after a change.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeChange {
    pub event: usize,
    pub visits: usize,
    pub running: usize,
    pub waiting: usize,
    pub visit: usize,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RunningTotal {
    pub event: usize,
    pub visits: usize,
    pub failed: usize,
    pub retries: usize,
    pub calls: usize,
    pub tokens: [u64; 3],
    pub micro_usd: Option<u64>,
}

#[derive(Debug, Clone)]
pub(super) struct TimelineRowKey {
    /// Sort key: event indexes from the outermost node inwards.
    pub key: Vec<usize>,
    pub visits: Vec<usize>,
}
