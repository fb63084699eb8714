//! The trace of a run: its events, and the sinks that receive them.

use super::event::{Call, Command, Outcome, TransitionReason};
use crate::failure::Failure;
use crate::graph::escape_id;
use std::fmt;
use std::sync::Arc;

/// The scope of an event: the run itself, or a graph that a node runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeRef {
    /// A number that is unique within the run. The run itself has 0.
    pub serial: u32,
    /// Its path, such as `fan:1/a` for branch `a` at the first visit of `fan`. `None` for the run itself.
    pub path: Option<Arc<str>>,
}

impl ScopeRef {
    /// Returns the path of a scope inside: `fan:1/a` for a branch, `each:2/17` for an element.
    pub(super) fn child_path(
        &self,
        id: &str,
        (visit, attempt): (u32, u32),
        name: Option<&str>,
        index: usize,
    ) -> String {
        let around = self.path.as_deref().unwrap_or_default();
        let slash = if around.is_empty() { "" } else { "/" };
        let again = if attempt > 1 { format!(":{attempt}") } else { String::new() };
        let own = match name {
            None => format!("/{index}"),
            Some("") => String::new(),
            Some(name) => format!("/{}", escape_id(name)),
        };
        format!("{around}{slash}{}:{visit}{again}{own}", escape_id(id))
    }
}

impl fmt::Display for ScopeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path.as_deref().unwrap_or_default())
    }
}

/// The end of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeStatus {
    /// It reached an end of its graph.
    Completed,
    /// A node failed, and no failure edge handled that.
    Failed,
    /// Its result was no longer needed.
    Abandoned,
}

impl ScopeStatus {
    /// Returns the name used in traces and in the result of `settled`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
        }
    }
}

/// The kind of a conversation event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationEvent {
    /// A request to the model: `{messages}`, only those since the previous request.
    ModelAsked,
    /// The model's answer: `{reply}`.
    ModelReplied,
    /// A tool call: `{tool, arguments}`, with `approval` if it needs approval first.
    ToolAsked,
    /// The result that the model receives: `{tool, output}` or `{tool, error}`.
    ToolAnswered,
}

impl ConversationEvent {
    /// Returns the name used in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ModelAsked => "model-asked",
            Self::ModelReplied => "model-replied",
            Self::ToolAsked => "tool-asked",
            Self::ToolAnswered => "tool-answered",
        }
    }
}

/// All consequences of one event.
#[derive(Debug, Clone)]
pub struct Step<V> {
    /// The commands for the host, in order.
    pub commands: Vec<Command<V>>,
    /// The trace events, in order. Empty if the run is not observed.
    pub trace: Vec<TraceEvent<V>>,
    /// Values for the next condition.
    compared_values: Vec<ComparedValue<V>>,
    /// Verdicts for the next decision.
    verdicts: Vec<Verdict<V>>,
}

/// Receives the consequences of an event as they occur. A [`Step`] collects them. Another sink may forward them at
/// once.
pub trait StepSink<V> {
    /// Receives a command for the host.
    fn command(&mut self, command: Command<V>);
    /// Removes the calls and timers of this step with these serials, in ascending order. The step has abandoned them,
    /// so the host must not make them.
    fn withdraw(&mut self, serials: &[u32]);
    /// Receives the most common command, a handler call in the plan's own graph, without building a [`Call`]. Returns
    /// whether the sink handled it.
    fn handler_called(&mut self, serial: u32, node: u32, visit: u32, input: &V) -> bool {
        let _ = (serial, node, visit, input);
        false
    }
    /// Receives a compared value of the next [`StepSink::condition_evaluated`]. Called only for observed runs.
    fn value_compared(&mut self, compared: ComparedValue<V>);
    /// Receives a condition of the next decision in [`StepSink::emit`]. Called only for observed runs.
    fn condition_evaluated(&mut self, edge: u32, holds: bool);
    /// Receives a trace event. Called only for observed runs. A decision has no verdicts, because they came before it.
    fn emit(&mut self, event: TraceEvent<V>);
}

impl<V> StepSink<V> for Step<V> {
    fn command(&mut self, command: Command<V>) {
        self.commands.push(command);
    }

    fn withdraw(&mut self, serials: &[u32]) {
        self.commands.retain(|command| match command {
            Command::Call(Call { id, .. }) | Command::SetTimer { timer: id, .. } => {
                serials.binary_search(&id.serial).is_err()
            }
            _ => true,
        });
    }

    fn value_compared(&mut self, compared: ComparedValue<V>) {
        self.compared_values.push(compared);
    }

    fn condition_evaluated(&mut self, edge: u32, holds: bool) {
        self.verdicts.push(Verdict { edge, holds, saw: std::mem::take(&mut self.compared_values) });
    }

    fn emit(&mut self, mut event: TraceEvent<V>) {
        if let TraceEvent::EdgeDecided { verdicts, .. } = &mut event {
            *verdicts = std::mem::take(&mut self.verdicts);
        }
        self.trace.push(event);
    }
}

impl<V> Default for Step<V> {
    fn default() -> Self {
        Self { commands: Vec::new(), trace: Vec::new(), compared_values: Vec::new(), verdicts: Vec::new() }
    }
}

/// A trace event. Nodes, edges and comparisons are positions in the program.
#[derive(Debug, Clone)]
pub enum TraceEvent<V> {
    /// The run started.
    RunStarted {
        /// The time.
        at_ms: f64,
        /// The run's input.
        input: V,
    },
    /// The run entered a node.
    NodeStarted {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The node.
        node: u32,
        /// The visit, from 1.
        visit: u32,
        /// Its input.
        input: V,
    },
    /// A node completed.
    NodeCompleted {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The node.
        node: u32,
        /// The visit.
        visit: u32,
        /// Its output.
        output: V,
        /// Its duration.
        duration_ms: f64,
    },
    /// A node failed.
    NodeFailed {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The node.
        node: u32,
        /// The visit.
        visit: u32,
        /// The failure.
        failure: Failure,
        /// Its duration.
        duration_ms: f64,
    },
    /// An attempt failed, and another follows.
    NodeRetried {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The node.
        node: u32,
        /// The visit.
        visit: u32,
        /// The failed attempt, from 1.
        attempt: u32,
        /// The failure.
        failure: Failure,
        /// The delay before the next attempt.
        delay_ms: f64,
    },
    /// A node started one of its graphs.
    ScopeStarted {
        /// The time.
        at_ms: f64,
        /// The new scope.
        scope: ScopeRef,
        /// The node, in the enclosing scope.
        node: u32,
        /// Its input.
        input: V,
    },
    /// A nested graph ended.
    ScopeEnded {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The status.
        end: ScopeStatus,
    },
    /// A `log` node logged a value.
    Logged {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The node.
        node: u32,
        /// The value.
        value: V,
    },
    /// A conversation event of an agent.
    Conversation {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The node.
        node: u32,
        /// The kind of event.
        event: ConversationEvent,
        /// The name of the call.
        call: String,
        /// The data, a map.
        data: V,
    },
    /// The run chose the next edge.
    EdgeDecided {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The source node.
        node: u32,
        /// The edge, by its position in the program.
        edge: Option<u32>,
        /// The reason.
        reason: TransitionReason,
        /// The evaluated conditions, in order.
        verdicts: Vec<Verdict<V>>,
    },
    /// The run resumed from a snapshot.
    RunResumed {
        /// The time.
        at_ms: f64,
        /// The scopes that have not ended.
        scopes: Vec<ScopeRef>,
    },
    /// The run ended.
    RunEnded {
        /// The time.
        at_ms: f64,
        /// The outcome.
        outcome: Outcome,
    },
}

impl<V> TraceEvent<V> {
    /// Returns the scope, or `None` for an event of the whole run.
    pub fn scope(&self) -> Option<&ScopeRef> {
        match self {
            Self::RunStarted { .. } | Self::RunResumed { .. } | Self::RunEnded { .. } => None,
            Self::NodeStarted { scope, .. }
            | Self::NodeCompleted { scope, .. }
            | Self::NodeFailed { scope, .. }
            | Self::NodeRetried { scope, .. }
            | Self::ScopeStarted { scope, .. }
            | Self::ScopeEnded { scope, .. }
            | Self::Logged { scope, .. }
            | Self::Conversation { scope, .. }
            | Self::EdgeDecided { scope, .. } => Some(scope),
        }
    }
}

/// An evaluated condition.
#[derive(Debug, Clone)]
pub struct Verdict<V> {
    /// The edge, by its position in the program.
    pub edge: u32,
    /// Whether it holds.
    pub holds: bool,
    /// The compared values.
    pub saw: Vec<ComparedValue<V>>,
}

/// A compared value.
#[derive(Debug, Clone)]
pub struct ComparedValue<V> {
    /// The comparison, by its position in the program.
    pub atom: u32,
    /// The root value of its reference, into which the comparison's path leads. `None` if the root has no value.
    pub value: Option<V>,
}
