//! What goes into a machine and what comes out.

use crate::model::{ChatReply, ChatRequest};
use std::fmt;

/// One outstanding request. Numbered in order of asking, so the same on every replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u32);

/// Outside to run.
///
/// # Units
/// `at_ms`: milliseconds since any fixed moment; only differences matter.
#[derive(Debug, Clone)]
pub enum Event<V> {
    /// Begins.
    Start {
        /// When.
        at_ms: f64,
    },
    /// A call was answered.
    CallDone {
        /// Which.
        call: CallId,
        /// With what.
        result: Result<Answer<V>, Failure>,
        /// When.
        at_ms: f64,
    },
    /// The run is to end now.
    Cancel {
        /// When.
        at_ms: f64,
    },
}

/// What a call gave.
#[derive(Debug, Clone)]
pub enum Answer<V> {
    /// A value, and further named outputs.
    Value(V, Vec<(String, V)>),
    /// What a model said.
    Reply(ChatReply),
}

/// Why a call gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// A slug such as `tool/failed`.
    pub code: String,
    /// What happened, in words.
    pub message: String,
}

impl Failure {
    /// A failure from its parts.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }
}

/// Run to outside.
#[derive(Debug, Clone)]
pub enum Command<V> {
    /// Something to ask; the answer comes back as [`Event::CallDone`].
    Call {
        /// By what name the answer comes back.
        call: CallId,
        /// The node that asks, by position.
        node: u32,
        /// How often the run has come to it, from 1.
        visit: u32,
        /// The node's input.
        input: V,
        /// Whether the plan gives the node an input of its own.
        own_input: bool,
        /// What is asked.
        request: Request<V>,
    },
    /// The answer to a call is no longer wanted.
    Abandon(CallId),
    /// The run is over.
    Finish(Outcome),
}

/// What is asked of the host.
#[derive(Debug, Clone)]
pub enum Request<V> {
    /// The handler that the node was bound to.
    Handler,
    /// A tool, with its arguments.
    Tool(V),
    /// A model.
    Model(Box<ChatRequest>),
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It came to an end of the plan.
    Completed(Reason),
    /// It could not go on.
    Failed {
        /// A slug such as `run/visit-limit`.
        code: String,
        /// What happened, in words.
        message: String,
        /// The node at which it happened, by position.
        node: Option<u32>,
    },
    /// It was told to end.
    Cancelled,
}

/// Why an edge was taken, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its condition held.
    Condition,
    /// No condition held.
    Fallback,
    /// No condition held and there was no fallback.
    NoMatch,
    /// There were no edges.
    Terminal,
}

impl Reason {
    /// The word used in reports and traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Condition => "condition",
            Self::Fallback => "fallback",
            Self::NoMatch => "no-match",
            Self::Terminal => "terminal",
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
        /// Which.
        node: u32,
        /// Of which visit.
        visit: u32,
        /// Why.
        failure: Failure,
        /// How long it took.
        duration_ms: f64,
    },
    /// A `log` node marked a value.
    Logged {
        /// When.
        at_ms: f64,
        /// Which node.
        node: u32,
        /// What it marked.
        value: V,
    },
    /// The way on was chosen.
    EdgeDecided {
        /// When.
        at_ms: f64,
        /// The node that is left.
        node: u32,
        /// The edge taken, by its position in the program.
        edge: Option<u32>,
        /// Why.
        reason: Reason,
        /// The conditions looked at, in order.
        verdicts: Vec<Verdict<V>>,
    },
    /// The run is over.
    RunEnded {
        /// When.
        at_ms: f64,
        /// How.
        outcome: Outcome,
    },
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

/// What was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Nodes run.
    pub steps: u32,
    /// Calls made.
    pub calls: u32,
    /// Tokens that models used, in and out.
    pub tokens: u64,
}

/// An event that the machine can't take. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepError {
    /// A run begins once.
    AlreadyStarted,
    /// The first event is [`Event::Start`].
    NotStarted,
    /// No such call, or it was answered before.
    UnknownCall(CallId),
    /// The run is over.
    Finished,
}

impl StepError {
    /// The slug.
    pub fn code(self) -> &'static str {
        match self {
            Self::AlreadyStarted => "run/already-started",
            Self::NotStarted => "run/not-started",
            Self::UnknownCall(_) => "run/unknown-call",
            Self::Finished => "run/finished",
        }
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyStarted => f.write_str("the run was already started"),
            Self::NotStarted => f.write_str("the run was not started yet"),
            Self::UnknownCall(call) => write!(f, "call {} is not outstanding", call.0),
            Self::Finished => f.write_str("the run is over"),
        }
    }
}

impl std::error::Error for StepError {}
