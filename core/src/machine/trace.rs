//! Trace events and their sinks.

use super::event::{Call, Command, Outcome, TransitionReason};
use crate::failure::Failure;
use crate::graph::escape_id;
use std::fmt;
use std::sync::Arc;

/// An event's scope: the run itself, or a nested graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeRef {
    /// Unique number, 0 for the run itself.
    pub serial: u32,
    /// Such as `fan:1/a` for branch `a` at the first visit of `fan`. `None` for the run itself.
    pub path: Option<Arc<str>>,
}

impl ScopeRef {
    /// `fan:1/a` for a branch, `each:2/17` for an element.
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

/// How a scope ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeStatus {
    /// Reached an end.
    Completed,
    /// No failure edge handled it.
    Failed,
    /// No longer needed.
    Abandoned,
}

impl ScopeStatus {
    /// For traces and results of `settled`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
        }
    }
}

/// Conversation event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationEvent {
    /// `{messages}` since the previous request.
    ModelAsked,
    /// `{reply}` of the model.
    ModelReplied,
    /// `{tool, arguments}`, with `approval` if needed first.
    ToolAsked,
    /// `{tool, output}` or `{tool, error}`.
    ToolAnswered,
}

impl ConversationEvent {
    /// Trace name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ModelAsked => "model-asked",
            Self::ModelReplied => "model-replied",
            Self::ToolAsked => "tool-asked",
            Self::ToolAnswered => "tool-answered",
        }
    }
}

/// An event's consequences.
#[derive(Debug, Clone)]
pub struct Step<V> {
    /// In order.
    pub commands: Vec<Command<V>>,
    /// In order. Empty unless observed.
    pub trace: Vec<TraceEvent<V>>,
    compared_values: Vec<ComparedValue<V>>,
    verdicts: Vec<Verdict<V>>,
}

/// Receives consequences as they occur, to collect them in a [`Step`] or forward them.
pub trait StepSink<V> {
    /// Host command.
    fn command(&mut self, command: Command<V>);
    /// Removes this step's calls and timers with these ascending serials: the step abandoned them.
    fn withdraw(&mut self, serials: &[u32]);
    /// Takes the most common command, a handler call in the main graph, without building a [`Call`]. Returns whether it
    /// did.
    fn handler_called(&mut self, serial: u32, node: u32, visit: u32, input: &V) -> bool {
        let _ = (serial, node, visit, input);
        false
    }
    /// Precedes its [`StepSink::condition_evaluated`]. Observed runs only.
    fn value_compared(&mut self, compared: ComparedValue<V>);
    /// Precedes its decision in [`StepSink::emit`]. `None` if the evaluation failed. Observed runs only.
    fn condition_evaluated(&mut self, edge: u32, holds: Option<bool>);
    /// Observed runs only. Decisions have no verdicts, which came before.
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

    fn condition_evaluated(&mut self, edge: u32, holds: Option<bool>) {
        let saw = std::mem::take(&mut self.compared_values);
        self.verdicts.push(Verdict { edge, holds: holds == Some(true), failed: holds.is_none(), saw });
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

/// Nodes, edges and comparisons are program positions.
#[derive(Debug, Clone)]
pub enum TraceEvent<V> {
    /// The run started.
    RunStarted {
        /// The time.
        at_ms: f64,
        /// Run input.
        input: V,
    },
    /// Entered node.
    NodeStarted {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The node.
        node: u32,
        /// Starts at 1.
        visit: u32,
        /// Its input.
        input: V,
    },
    /// Completed node.
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
    /// Failed node.
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
    /// A failed attempt before another.
    NodeRetried {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The node.
        node: u32,
        /// The visit.
        visit: u32,
        /// Starts at 1.
        attempt: u32,
        /// The failure.
        failure: Failure,
        /// Following delay.
        delay_ms: f64,
    },
    /// Started graph.
    ScopeStarted {
        /// The time.
        at_ms: f64,
        /// New scope.
        scope: ScopeRef,
        /// In the enclosing scope.
        node: u32,
        /// Its input.
        input: V,
    },
    /// Ended graph.
    ScopeEnded {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The status.
        end: ScopeStatus,
    },
    /// Logged value.
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
    /// Agent event.
    Conversation {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// The node.
        node: u32,
        /// Event kind.
        event: ConversationEvent,
        /// Call name.
        call: String,
        /// A map.
        data: V,
    },
    /// Chosen edge.
    EdgeDecided {
        /// The time.
        at_ms: f64,
        /// The scope.
        scope: ScopeRef,
        /// Source node.
        node: u32,
        /// Program position.
        edge: Option<u32>,
        /// The reason.
        reason: TransitionReason,
        /// Conditions in order.
        verdicts: Vec<Verdict<V>>,
    },
    /// Resumed from a snapshot.
    RunResumed {
        /// The time.
        at_ms: f64,
        /// Live scopes.
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
    /// `None` for the whole run.
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

/// Evaluated condition.
#[derive(Debug, Clone)]
pub struct Verdict<V> {
    /// Program position.
    pub edge: u32,
    /// Whether it holds.
    pub holds: bool,
    /// Whether its evaluation failed.
    pub failed: bool,
    /// Compared values.
    pub saw: Vec<ComparedValue<V>>,
}

/// A compared value.
#[derive(Debug, Clone)]
pub struct ComparedValue<V> {
    /// Program position.
    pub atom: u32,
    /// The reference's root, into which the path leads. `None` without a value.
    pub value: Option<V>,
}
