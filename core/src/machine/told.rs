//! What is told of a run: every event of its trace, and who takes them.

use super::event::{Call, Command, Outcome, Reason};
use crate::failure::Failure;
use std::fmt;
use std::sync::Arc;

/// The scope of an event: the run itself, or a graph that a node runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScopeRef {
    /// No other scope of the run has it; 0 is the run itself.
    pub serial: u32,
    /// Where it stands: `fan:1/a` for branch `a` at the first visit of `fan`. Nothing for the run itself.
    pub path: Option<Arc<str>>,
}

impl fmt::Display for ScopeRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path.as_deref().unwrap_or_default())
    }
}

/// How a scope ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeEnd {
    /// It came to an end of its graph.
    Completed,
    /// A node of it failed and no edge spoke of that.
    Failed,
    /// Nobody wanted its result any more.
    Abandoned,
}

impl ScopeEnd {
    /// The word used in traces and in what `settled` gives.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
        }
    }
}

/// What is told of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// The model was asked: `{messages}`, those that are new since it was asked before.
    ModelAsked,
    /// The model answered: `{reply}`.
    ModelReplied,
    /// A tool is to be called: `{tool, arguments}`, with `approval` where a person is asked first.
    ToolAsked,
    /// The model will be told what came of it: `{tool, output}` or `{tool, error}`.
    ToolAnswered,
}

impl Said {
    /// The word used in traces.
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
    /// What the host has to do, in order.
    pub commands: Vec<Command<V>>,
    /// What happened, in order; empty when nobody observes.
    pub trace: Vec<TraceEvent<V>>,
    /// What the next condition saw, so far.
    saw: Vec<Seen<V>>,
    /// What the next decision looked at, so far.
    verdicts: Vec<Verdict<V>>,
}

/// Takes the consequences of an event as they come: a [`Step`] collects them, an edge may pass them straight on.
pub trait Sink<V> {
    /// What the host has to do.
    fn command(&mut self, command: Command<V>);
    /// Takes back the calls and timers of this step that have one of these serials, given in ascending order: the same step
    /// has abandoned them, so nobody is to be asked.
    fn withdraw(&mut self, serials: &[u32]);
    /// The commonest of all commands, a handler that is asked in the plan's own graph: whether it was taken from these words,
    /// by who makes no use of a whole [`Call`].
    fn asked(&mut self, serial: u32, node: u32, visit: u32, input: &V) -> bool {
        let _ = (serial, node, visit, input);
        false
    }
    /// A comparison of the condition that [`Sink::judged`] tells of next. Not called when nobody observes.
    fn saw(&mut self, seen: Seen<V>);
    /// A condition of the decision that [`Sink::happened`] tells of next. Not called when nobody observes.
    fn judged(&mut self, edge: u32, holds: bool);
    /// What happened. Not called when nobody observes. A decision comes without its verdicts: they came before it.
    fn happened(&mut self, event: TraceEvent<V>);
}

impl<V> Sink<V> for Step<V> {
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

    fn saw(&mut self, seen: Seen<V>) {
        self.saw.push(seen);
    }

    fn judged(&mut self, edge: u32, holds: bool) {
        self.verdicts.push(Verdict { edge, holds, saw: std::mem::take(&mut self.saw) });
    }

    fn happened(&mut self, mut event: TraceEvent<V>) {
        if let TraceEvent::EdgeDecided { verdicts, .. } = &mut event {
            *verdicts = std::mem::take(&mut self.verdicts);
        }
        self.trace.push(event);
    }
}

impl<V> Default for Step<V> {
    fn default() -> Self {
        Self { commands: Vec::new(), trace: Vec::new(), saw: Vec::new(), verdicts: Vec::new() }
    }
}

/// What happened. Nodes, edges and comparisons are positions in the program.
#[derive(Debug, Clone)]
pub enum TraceEvent<V> {
    /// The run began.
    RunStarted {
        /// When.
        at_ms: f64,
        /// The run's input.
        input: V,
    },
    /// The run came to a node.
    NodeStarted {
        /// When.
        at_ms: f64,
        /// In which scope.
        scope: ScopeRef,
        /// Which.
        node: u32,
        /// For how many times, from 1.
        visit: u32,
        /// Its input.
        input: V,
    },
    /// A node gave its output.
    NodeCompleted {
        /// When.
        at_ms: f64,
        /// In which scope.
        scope: ScopeRef,
        /// Which.
        node: u32,
        /// Of which visit.
        visit: u32,
        /// What it gave.
        output: V,
        /// How long it took.
        duration_ms: f64,
    },
    /// A node failed.
    NodeFailed {
        /// When.
        at_ms: f64,
        /// In which scope.
        scope: ScopeRef,
        /// Which.
        node: u32,
        /// Of which visit.
        visit: u32,
        /// Why.
        failure: Failure,
        /// How long it took.
        duration_ms: f64,
    },
    /// A try failed, and there will be another.
    NodeRetried {
        /// When.
        at_ms: f64,
        /// In which scope.
        scope: ScopeRef,
        /// Which node.
        node: u32,
        /// Of which visit.
        visit: u32,
        /// Which try failed, from 1.
        attempt: u32,
        /// Why.
        failure: Failure,
        /// How long it is waited before the next.
        delay_ms: f64,
    },
    /// A node began to run one of its graphs.
    ScopeStarted {
        /// When.
        at_ms: f64,
        /// The scope that begins.
        scope: ScopeRef,
        /// The node that runs it, in the scope around.
        node: u32,
        /// What it begins with.
        input: V,
    },
    /// A graph inside a node ended.
    ScopeEnded {
        /// When.
        at_ms: f64,
        /// The scope that ended.
        scope: ScopeRef,
        /// How.
        end: ScopeEnd,
    },
    /// A `log` node marked a value.
    Logged {
        /// When.
        at_ms: f64,
        /// In which scope.
        scope: ScopeRef,
        /// Which node.
        node: u32,
        /// What it marked.
        value: V,
    },
    /// Something was said in the conversation of an agent.
    Said {
        /// When.
        at_ms: f64,
        /// In which scope.
        scope: ScopeRef,
        /// Which node.
        node: u32,
        /// By whom.
        said: Said,
        /// The name of the call.
        call: String,
        /// What was said, a map.
        told: V,
    },
    /// The way on was chosen.
    EdgeDecided {
        /// When.
        at_ms: f64,
        /// In which scope.
        scope: ScopeRef,
        /// The node that is left.
        node: u32,
        /// The edge taken, by its position in the program.
        edge: Option<u32>,
        /// Why.
        reason: Reason,
        /// The conditions looked at, in order.
        verdicts: Vec<Verdict<V>>,
    },
    /// The run goes on from a snapshot.
    RunResumed {
        /// When.
        at_ms: f64,
        /// The scopes that are at work.
        scopes: Vec<ScopeRef>,
    },
    /// The run is over.
    RunEnded {
        /// When.
        at_ms: f64,
        /// How.
        outcome: Outcome,
    },
}

impl<V> TraceEvent<V> {
    /// The scope it belongs to; nothing for what belongs to the whole run.
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
            | Self::Said { scope, .. }
            | Self::EdgeDecided { scope, .. } => Some(scope),
        }
    }
}

/// A condition that was looked at.
#[derive(Debug, Clone)]
pub struct Verdict<V> {
    /// The edge, by its position in the program.
    pub edge: u32,
    /// Whether it held.
    pub holds: bool,
    /// What was seen on the way.
    pub saw: Vec<Seen<V>>,
}

/// What a comparison saw.
#[derive(Debug, Clone)]
pub struct Seen<V> {
    /// The comparison, by its position in the program.
    pub atom: u32,
    /// The value its reference begins at; the comparison's path leads on from there. `None` when even that is not there.
    pub value: Option<V>,
}
