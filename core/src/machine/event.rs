//! What goes into a machine and what comes out.

use super::trace::ScopeRef;
use crate::failure::Failure;
use crate::graph::escape_id;
use crate::model::{ChatReply, ChatRequest};
use crate::node::Action;
use std::fmt;

/// One outstanding request or timer: who waits for it, and a number that no other has.
///
/// It is a run's own affair. What stays the same over replays is the name that [`Call::name`](super::Call) has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId {
    /// Where the scope that waits is kept; [`CallId::RUN`] for the run's own timer.
    pub scope: u32,
    /// In order of asking.
    pub serial: u32,
}

impl CallId {
    /// The scope of what the whole run waits for.
    pub const RUN: u32 = u32::MAX;
}

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
    /// The time of a timer has come.
    TimerFired {
        /// Which.
        timer: CallId,
        /// When.
        at_ms: f64,
    },
    /// Goes on from a snapshot: everything outstanding is asked again.
    Resume {
        /// When.
        at_ms: f64,
    },
    /// Goes on after a [`Command::Continue`].
    Continue {
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
    /// What a person decided.
    Decided(Decision<V>),
}

/// What a person decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision<V> {
    /// Yes.
    Approved,
    /// No.
    Rejected,
    /// This instead.
    Edited(V),
}

/// Run to outside.
#[derive(Debug, Clone)]
pub enum Command<V> {
    /// Something to ask; the answer comes back as [`Event::CallDone`].
    Call(Call<V>),
    /// The answer to a call is no longer wanted.
    Abandon(CallId),
    /// An [`Event::TimerFired`] is wanted after so long.
    SetTimer {
        /// By what name.
        timer: CallId,
        /// In how many milliseconds.
        after_ms: f64,
        /// What it is for.
        purpose: TimerPurpose,
    },
    /// A timer is no longer wanted.
    ClearTimer(CallId),
    /// The step did much at once and there is more to do: an [`Event::Continue`] is wanted. Until then the host may look at
    /// its clock, and at whoever wants to cancel.
    Continue,
    /// The run is over.
    Finish(Outcome),
}

/// What a timer is for. Together with the scope this is a name that stays the same over replays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimerPurpose {
    /// The whole run has taken too long.
    Run,
    /// A try has taken too long: node, visit and attempt.
    Attempt(u32, u32, u32),
    /// The next try may begin: node, visit and attempt.
    Backoff(u32, u32, u32),
    /// One of several calls has taken too long: node, visit, attempt, and its place among the calls.
    Call(u32, u32, u32, u32),
}

/// Something to ask.
#[derive(Debug, Clone)]
pub struct Call<V> {
    /// By what name the answer comes back.
    pub id: CallId,
    /// The scope it is asked in.
    pub scope: ScopeRef,
    /// The node that asks, by position.
    pub node: u32,
    /// How often that scope has come to it, from 1.
    pub visit: u32,
    /// Which try it is, from 1.
    pub attempt: u32,
    /// The node's input.
    pub input: V,
    /// Whether the plan gives the node an input of its own.
    pub has_own_input: bool,
    /// What is asked.
    pub request: Request<V>,
    /// Which of several things it is that the node asks in one try.
    pub sub_call: Option<Box<SubCall>>,
}

/// One of several things that a node asks in one try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubCall {
    /// The turn of the conversation, from 1; 0 when a tool node asks for leave and then calls.
    pub turn: u32,
    /// Which call of the model's message it is, from 0; nothing for the question to the model itself.
    pub index: Option<u32>,
    /// The tool that is called, or that a person is asked for.
    pub tool: String,
}

impl<V> Call<V> {
    /// What the call is called, the same on every replay: scope, node, visit and attempt, as in `fan:1/a/fetch:2:1`; then of an agent the
    /// turn, and the place among the calls of that turn, as in `help:1:1/2/0`; `/approval` where a person is asked for a tool.
    pub fn name(&self, id: &str) -> String {
        let name = call_name(self.scope.path.as_deref().unwrap_or_default(), id, self.visit, self.attempt);
        name + &self.suffix()
    }

    /// What of the name is only this part's.
    pub fn suffix(&self) -> String {
        let Some(part) = &self.sub_call else { return String::new() };
        let approval = if matches!(self.request, Request::Approval) { "/approval" } else { "" };
        match (part.turn, part.index) {
            (0, _) => approval.to_owned(),
            (turn, None) => format!("/{turn}{approval}"),
            (turn, Some(place)) => format!("/{turn}/{place}{approval}"),
        }
    }

    /// The tool that is called, or that a person is asked for; nothing when no tool is meant.
    pub fn tool<'a>(&'a self, action: &'a Action) -> Option<&'a str> {
        match &self.sub_call {
            Some(part) => Some(part.tool.as_str()).filter(|tool| !tool.is_empty()),
            None => action.tool(),
        }
    }
}

/// The name of a try: scope, node, visit and attempt.
pub(crate) fn call_name(scope: &str, id: &str, visit: u32, attempt: u32) -> String {
    let slash = if scope.is_empty() { "" } else { "/" };
    format!("{scope}{slash}{}:{visit}:{attempt}", escape_id(id))
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
    /// A person.
    Approval,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It came to an end of the plan.
    Completed(TransitionReason),
    /// It could not go on.
    Failed {
        /// A slug such as `run/visit-limit`.
        code: String,
        /// What happened, in words.
        message: String,
        /// The node at which it happened, by position, and its scope.
        node: Option<(u32, ScopeRef)>,
    },
    /// It was told to end.
    Cancelled,
}

impl Outcome {
    /// The word used in reports and cassettes.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Completed(_) => "completed",
            Self::Failed { .. } => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Why an edge was taken, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransitionReason {
    /// Its condition held.
    Condition,
    /// No condition held.
    Fallback,
    /// No condition held and there was no fallback.
    NoMatch,
    /// There were no edges.
    Terminal,
}

impl TransitionReason {
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

/// What was counted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Nodes run.
    pub steps: u32,
    /// Calls made.
    pub calls: u32,
    /// Tries after the first.
    pub retries: u32,
    /// Tokens that models used, in and out.
    pub tokens: f64,
    /// What calls gave, in bytes of JSON; only counted when there is a bound.
    pub output_bytes: f64,
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
    /// No such timer, or it has fired or been cleared.
    UnknownTimer(CallId),
    /// Only what was restored from a snapshot is resumed.
    NotRestored,
    /// The run has not asked to go on.
    NothingToDo,
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
            Self::UnknownTimer(_) => "run/unknown-timer",
            Self::NotRestored => "run/not-restored",
            Self::NothingToDo => "run/nothing-to-do",
            Self::Finished => "run/finished",
        }
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyStarted => f.write_str("the run was already started"),
            Self::NotStarted => f.write_str("the run was not started yet"),
            Self::UnknownCall(call) => write!(f, "call {} is not outstanding", call.serial),
            Self::UnknownTimer(timer) => write!(f, "timer {} is not set", timer.serial),
            Self::NotRestored => f.write_str("the run does not come from a snapshot"),
            Self::NothingToDo => f.write_str("the run has not asked to go on"),
            Self::Finished => f.write_str("the run is over"),
        }
    }
}

impl std::error::Error for StepError {}
