//! A run's data. Event indexes start at 0. Times are milliseconds since its start.

use super::RanPlan;
use serde_json::Value as Json;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Empty before any event.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Of this run.
    pub plan: RanPlan,
    pub(super) times: Vec<f64>,
    pub(super) input: Option<Value>,
    pub(super) visits: Vec<Visit>,
    pub(super) calls: Vec<Call>,
    pub(super) decisions: Vec<Decision>,
    /// Whether the last decision waits for the code of its failure.
    pub(super) awaits_error_code: bool,
    /// Keyed by node path, in order.
    pub(super) changes: HashMap<Arc<str>, Vec<NodeChange>>,
    /// Keyed by scope and index: first event that took it, and that decided about it.
    pub(super) edges: HashMap<(Arc<str>, usize), (Option<usize>, usize)>,
    /// First event at which the edge's condition failed.
    pub(super) failed_edges: HashMap<(Arc<str>, usize), usize>,
    pub(super) sums: Vec<RunningTotal>,
    pub(super) rows: Vec<TimelineRowKey>,
    /// In display order.
    pub(super) order: Vec<usize>,
    pub(super) row_of: HashMap<(Arc<str>, Arc<str>), usize>,
    /// Keyed by lane. The length is the depth.
    pub(super) lanes: HashMap<Arc<str>, Vec<usize>>,
    /// Keyed by lane and path.
    pub(super) open_visits: BTreeMap<(Arc<str>, Arc<str>), usize>,
    pub(super) call_of: HashMap<String, usize>,
    pub(super) names: HashSet<Arc<str>>,
    pub(super) progress: HashMap<String, CallProgress>,
    pub(super) questions: Vec<Question>,
    pub(super) outcome: Option<RunOutcome>,
}

/// JSON value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Value {
    /// Perhaps truncated.
    pub text: Arc<str>,
    /// Is truncated.
    pub is_cut: bool,
    /// Requests the whole value.
    pub event: usize,
}

/// A node's visit.
#[derive(Debug, Clone)]
pub struct Visit {
    /// Node path.
    pub node_path: Arc<str>,
    /// Scope instance such as `fan:1/a`. Empty at the top.
    pub lane: Arc<str>,
    /// Start event.
    pub start_event: usize,
    /// Start time.
    pub start_ms: f64,
    /// Event and time.
    pub ended: Option<(usize, f64)>,
    /// Valid after the end.
    pub end: Outcome,
    /// Input.
    pub input: Value,
    /// Failed attempts.
    pub retries: Vec<Retry>,
    /// Call indexes.
    pub calls: Vec<usize>,
    /// Following decision.
    pub decision: Option<usize>,
}

/// A visit's outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Has an output.
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

/// A failed attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// Event.
    pub event: usize,
    /// Time.
    pub at_ms: f64,
    /// Before the next.
    pub delay_ms: f64,
    /// Attempt number.
    pub attempt: usize,
    /// Error code.
    pub code: Arc<str>,
    /// Error message.
    pub message: Arc<str>,
}

/// Any external call.
#[derive(Debug, Clone)]
pub struct Call {
    /// A fork can override it.
    pub name: String,
    /// `handler`, `tool`, `model` or `approval`.
    pub kind: Arc<str>,
    /// Its tool.
    pub tool: Option<Arc<str>>,
    pub(super) visit: Option<usize>,
    /// Event.
    pub event: usize,
    /// Start time.
    pub start_ms: f64,
    /// Input.
    pub input: Value,
    /// Event and time.
    pub ended: Option<(usize, f64)>,
    /// Result.
    pub end: Outcome,
    /// Input, output, cached input.
    pub tokens: Option<[u64; 3]>,
    /// Millionths of a US dollar. `None` without a price.
    pub micro_usd: Option<u64>,
}

/// After a node.
#[derive(Debug, Clone)]
pub struct Decision {
    /// Event.
    pub event: usize,
    /// Node path.
    pub node_path: Arc<str>,
    /// Edge scope.
    pub scope: Arc<str>,
    /// Taken edge.
    pub edge: Option<usize>,
    /// Evaluated conditions.
    pub verdicts: Vec<Verdict>,
    /// Of the evaluation that failed, once it is known.
    pub error_code: Option<Arc<str>>,
}

impl Decision {
    /// The edge whose condition failed, if no edge was taken.
    pub fn failed_edge(&self) -> Option<usize> {
        let failed = self.verdicts.iter().find(|verdict| verdict.has_failed)?;
        self.edge.is_none().then_some(failed.edge)
    }
}

/// Evaluated condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Edge index.
    pub edge: usize,
    /// Condition text.
    pub condition: Arc<str>,
    /// Matched.
    pub holds: bool,
    /// Its evaluation failed.
    pub has_failed: bool,
    /// Compared values.
    pub values: Vec<ComparedValue>,
}

/// Compared value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedValue {
    /// Such as `last.score`.
    pub reference: Arc<str>,
    /// `None` if missing.
    pub value: Option<Value>,
}

/// An open call's progress.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallProgress {
    /// So far.
    pub text: String,
    /// So far.
    pub thinking: String,
    /// Progress and perhaps the total.
    pub progress: Option<(f64, Option<f64>)>,
    /// Progress message.
    pub message: String,
}

/// User question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Call to answer.
    pub call: String,
    /// Node path.
    pub node_path: String,
    /// Needs approval.
    pub tool: Option<String>,
    /// To approve, or the request's data.
    pub input: Json,
    /// Plan title.
    pub title: Option<String>,
    /// Tool and arguments of the call for which the approval counts, too.
    pub guarded_call: Option<(String, Json)>,
    /// For elicitation.
    pub server: Option<String>,
    /// For elicitation.
    pub schema: Option<Json>,
}

/// Run outcome.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOutcome {
    /// `completed`, `failed`, `cancelled` or `paused`.
    pub outcome: String,
    /// Error code.
    pub code: Option<String>,
    /// Error message.
    pub message: Option<String>,
    /// Failed node.
    pub node_path: Option<String>,
    /// Last output.
    pub last: Value,
    /// Duration.
    pub ms: f64,
    /// Steps, calls, retries.
    pub counts: [u64; 3],
    /// All models' tokens, if known.
    pub tokens: Option<u64>,
    /// Plan diagnostics.
    pub problems: Vec<Problem>,
}

/// Found before the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// Diagnostic code.
    pub code: String,
    /// Prevents the run.
    pub is_error: bool,
    /// Message.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// Node path, or scope, `#` and edge index.
    pub location: Option<String>,
    /// UTF-16 units.
    pub span: Option<(usize, usize)>,
}

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
    /// Event indexes, outermost node first.
    pub key: Vec<usize>,
    pub visits: Vec<usize>,
}
