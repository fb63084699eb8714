//! Events and commands: the input and output of a machine.

use super::trace::ScopeRef;
use crate::failure::Failure;
use crate::graph::escape_id;
use crate::model::{ChatReply, ChatRequest};
use crate::node::Action;
use std::fmt;

/// The id of an open call or timer, unique within the run.
///
/// The ids of a replay may differ. The name from [`Call::name`](super::Call) stays the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId {
    /// The index of the waiting scope, or [`CallId::RUN`] for the run's own timer.
    pub scope: u32,
    /// A number that increases with each call and timer.
    pub serial: u32,
}

impl CallId {
    /// The scope of the run's own timer.
    pub const RUN: u32 = u32::MAX;
}

/// An input of the run.
///
/// # Units
/// `at_ms`: milliseconds since any fixed moment. Only differences matter.
#[derive(Debug, Clone)]
pub enum Event<V> {
    /// Starts the run.
    Start {
        /// The time.
        at_ms: f64,
    },
    /// A call has ended.
    CallDone {
        /// The call.
        call: CallId,
        /// Its result.
        result: Result<Answer<V>, Failure>,
        /// The time.
        at_ms: f64,
    },
    /// A timer has expired.
    TimerFired {
        /// The timer.
        timer: CallId,
        /// The time.
        at_ms: f64,
    },
    /// Resumes from a snapshot. The run reissues every pending call.
    Resume {
        /// The time.
        at_ms: f64,
    },
    /// Continues after a [`Command::Continue`].
    Continue {
        /// The time.
        at_ms: f64,
    },
    /// Cancels the run.
    Cancel {
        /// The time.
        at_ms: f64,
    },
}

/// The answer to a call.
#[derive(Debug, Clone)]
pub enum Answer<V> {
    /// A value, and further named outputs.
    Value(V, Vec<(String, V)>),
    /// A model's reply.
    Reply(ChatReply),
    /// An approver's decision.
    Decided(Decision<V>),
}

/// An approver's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision<V> {
    /// Approval.
    Approved,
    /// Rejection.
    Rejected,
    /// A replacement for the value.
    Edited(V),
}

/// An output of the run.
#[derive(Debug, Clone)]
pub enum Command<V> {
    /// Makes a call. The answer returns as [`Event::CallDone`].
    Call(Call<V>),
    /// Abandons a call.
    Abandon(CallId),
    /// Sets a timer, which returns as [`Event::TimerFired`].
    SetTimer {
        /// The timer.
        timer: CallId,
        /// The delay in milliseconds.
        after_ms: f64,
        /// The purpose.
        purpose: TimerPurpose,
    },
    /// Clears a timer.
    ClearTimer(CallId),
    /// Asks for an [`Event::Continue`], because the step has done much work and has more to do. The host can first
    /// check its clock and handle a cancellation.
    Continue,
    /// Ends the run.
    Finish(Outcome),
}

/// The purpose of a timer. Together with the scope it is a name that stays the same on every replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimerPurpose {
    /// The timeout of the whole run.
    Run,
    /// The timeout of an attempt: node, visit and attempt.
    Attempt(u32, u32, u32),
    /// The delay before the next attempt: node, visit and attempt.
    Backoff(u32, u32, u32),
    /// The delay of a `wait` node: node, visit and attempt.
    Wait(u32, u32, u32),
    /// The timeout of one of several calls: node, visit, attempt and index of the call.
    Call(u32, u32, u32, u32),
}

/// A call to the host.
#[derive(Debug, Clone)]
pub struct Call<V> {
    /// The id, which the answer repeats.
    pub id: CallId,
    /// The scope of the call.
    pub scope: ScopeRef,
    /// The node that calls, by position.
    pub node: u32,
    /// The visit of the node in that scope, from 1.
    pub visit: u32,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The node's input.
    pub input: V,
    /// Whether the plan declares an input for the node.
    pub has_own_input: bool,
    /// The request.
    pub request: Request<V>,
    /// The position among the calls of one attempt, if the node makes several.
    pub sub_call: Option<Box<SubCall>>,
}

/// One of several calls that a node makes in one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubCall {
    /// The turn of the conversation, from 1. It is 0 for a tool node that asks for approval first.
    pub turn: u32,
    /// The index in the model's message, from 0. `None` for the request to the model itself.
    pub index: Option<u32>,
    /// The tool to call or to approve.
    pub tool: String,
}

impl<V> Call<V> {
    /// Returns the name of the call, which is the same on every replay.
    ///
    /// It consists of scope, node, visit and attempt, as in `fan:1/a/fetch:2:1`. In an agent it continues with the turn
    /// and the index of the call in that turn, as in `help:1:1/2/0`. It ends with `/approval` if the call asks for the
    /// approval of a tool.
    pub fn name(&self, id: &str) -> String {
        let name = call_name(self.scope.path.as_deref().unwrap_or_default(), id, self.visit, self.attempt);
        name + &self.suffix()
    }

    /// Returns the part of the name that identifies the sub-call.
    pub fn suffix(&self) -> String {
        let Some(part) = &self.sub_call else { return String::new() };
        let approval = if matches!(self.request, Request::Approval) { "/approval" } else { "" };
        match (part.turn, part.index) {
            (0, _) => approval.to_owned(),
            (turn, None) => format!("/{turn}{approval}"),
            (turn, Some(index)) => format!("/{turn}/{index}{approval}"),
        }
    }

    /// Returns the tool to call or to approve, if any.
    pub fn tool<'a>(&'a self, action: &'a Action) -> Option<&'a str> {
        match &self.sub_call {
            Some(part) => Some(part.tool.as_str()).filter(|tool| !tool.is_empty()),
            None => action.tool(),
        }
    }
}

pub(crate) fn call_name(scope: &str, id: &str, visit: u32, attempt: u32) -> String {
    let slash = if scope.is_empty() { "" } else { "/" };
    format!("{scope}{slash}{}:{visit}:{attempt}", escape_id(id))
}

/// The kind of a call, with its data.
#[derive(Debug, Clone)]
pub enum Request<V> {
    /// The node's handler.
    Handler,
    /// A tool, with its arguments.
    Tool(V),
    /// A model.
    Model(Box<ChatRequest>),
    /// An approver.
    Approval,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The run reached an end of the plan.
    Completed(TransitionReason),
    /// The run failed.
    Failed {
        /// A slug such as `run/visit-limit`.
        code: String,
        /// The message.
        message: String,
        /// The failed node, by position, and its scope.
        node: Option<(u32, ScopeRef)>,
    },
    /// The host cancelled the run.
    Cancelled,
}

impl Outcome {
    /// Returns the name used in reports and cassettes.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Completed(_) => "completed",
            Self::Failed { .. } => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The reason why a run takes an edge, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransitionReason {
    /// The edge's condition holds.
    Condition,
    /// No condition holds, so the fallback applies.
    Fallback,
    /// No condition holds and there is no fallback.
    NoMatch,
    /// The node has no edges.
    Terminal,
}

impl TransitionReason {
    /// Returns the name used in reports and traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Condition => "condition",
            Self::Fallback => "fallback",
            Self::NoMatch => "no-match",
            Self::Terminal => "terminal",
        }
    }
}

/// The counters of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Visited nodes.
    pub steps: u32,
    /// Calls.
    pub calls: u32,
    /// Attempts after the first.
    pub retries: u32,
    /// Tokens that models used, input and output.
    pub tokens: f64,
    /// What the replies with a price cost, in millionths of a US dollar.
    pub micro_usd: f64,
    /// Replies of models without a price.
    pub unpriced: u32,
    /// Replies of models without a number of tokens.
    pub uncounted: u32,
    /// Calls to models that ended without a reply, and that a provider may bill.
    pub unreported: u32,
    /// The most tokens that these calls used. Infinite if it is unknown.
    pub unreported_tokens: f64,
    /// The most that these calls cost, in millionths of a US dollar. Infinite if it is unknown.
    pub unreported_micro_usd: f64,
    /// Results of calls in bytes of JSON, counted only if a limit exists.
    pub output_bytes: f64,
}

impl Counts {
    /// Returns what all models cost, in US dollars. `None` if a reply had no price, or if nothing had a cost.
    pub fn usd(&self) -> Option<f64> {
        (self.unpriced == 0 && self.micro_usd > 0.0).then_some(self.micro_usd / 1e6)
    }
}

/// An error for an event that the machine refuses. The run is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepError {
    /// The run has already started.
    AlreadyStarted,
    /// The first event must be [`Event::Start`].
    NotStarted,
    /// The call does not exist, or has ended.
    UnknownCall(CallId),
    /// The timer does not exist, has fired, or was cleared.
    UnknownTimer(CallId),
    /// Only a run restored from a snapshot can resume.
    NotRestored,
    /// The run did not ask to continue.
    NothingToDo,
    /// The run has ended.
    Finished,
}

impl StepError {
    /// Returns the code.
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
