//! The machine's input and output.

use super::trace::ScopeRef;
use crate::failure::Failure;
use crate::graph::escape_id;
use crate::model::{ChatReply, ChatRequest};
use crate::node::Action;
use std::fmt;

/// An open call or timer, unique within the run.
///
/// Replays may have other ids, but keep [`Call::name`](super::Call).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId {
    /// Waiting scope, or [`CallId::RUN`].
    pub scope: u32,
    /// Increasing number.
    pub serial: u32,
}

impl CallId {
    /// For the run's own timer.
    pub const RUN: u32 = u32::MAX;
}

/// A run's input.
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
    /// Ended call.
    CallDone {
        /// The call.
        call: CallId,
        /// Its result.
        result: Result<Answer<V>, Failure>,
        /// The time.
        at_ms: f64,
    },
    /// Expired timer.
    TimerFired {
        /// The timer.
        timer: CallId,
        /// The time.
        at_ms: f64,
    },
    /// Resumes from a snapshot. The run reissues pending calls.
    Resume {
        /// The time.
        at_ms: f64,
    },
    /// Answers [`Command::Continue`].
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

/// A call's answer.
#[derive(Debug, Clone)]
pub enum Answer<V> {
    /// A value and further named outputs.
    Value(V, Vec<(String, V)>),
    /// Model reply.
    Reply(ChatReply),
    /// Approver's decision.
    Decided(Decision<V>),
}

/// Approver's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision<V> {
    /// Approval.
    Approved,
    /// Rejection.
    Rejected,
    /// Replaces the value.
    Edited(V),
}

/// A run's output.
#[derive(Debug, Clone)]
pub enum Command<V> {
    /// Answered by [`Event::CallDone`].
    Call(Call<V>),
    /// Abandons a call.
    Abandon(CallId),
    /// Answered by [`Event::TimerFired`].
    SetTimer {
        /// The timer.
        timer: CallId,
        /// Delay in milliseconds.
        after_ms: f64,
        /// The purpose.
        purpose: TimerPurpose,
    },
    /// Clears a timer.
    ClearTimer(CallId),
    /// Asks for [`Event::Continue`] after much work, so that the host can check its clock and cancellation.
    Continue,
    /// Ends the run.
    Finish(Outcome),
}

/// Timer purpose. Scope and purpose are a name that is stable across replays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimerPurpose {
    /// Run timeout.
    Run,
    /// Attempt timeout: node, visit, attempt.
    Attempt(u32, u32, u32),
    /// Delay before the next attempt: node, visit, attempt.
    Backoff(u32, u32, u32),
    /// Delay of a `wait` node: node, visit, attempt.
    Wait(u32, u32, u32),
    /// Timeout of one of several calls: node, visit, attempt, index.
    Call(u32, u32, u32, u32),
}

/// Host call.
#[derive(Debug, Clone)]
pub struct Call<V> {
    /// Repeated by answers.
    pub id: CallId,
    /// Calling scope.
    pub scope: ScopeRef,
    /// Calling node, by position.
    pub node: u32,
    /// Starts at 1.
    pub visit: u32,
    /// Starts at 1.
    pub attempt: u32,
    /// Node input.
    pub input: V,
    /// Whether the plan declares the input.
    pub has_own_input: bool,
    /// The request.
    pub request: Request<V>,
    /// If an attempt makes several calls.
    pub sub_call: Option<Box<SubCall>>,
}

/// One of an attempt's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubCall {
    /// Conversation turn, from 1. It is 0 for a tool node's approval.
    pub turn: u32,
    /// In the model's message, from 0. `None` for the model's request.
    pub index: Option<u32>,
    /// The tool to call or approve.
    pub tool: String,
}

impl<V> Call<V> {
    /// The call's name, equal on every replay.
    ///
    /// Scope, node, visit and attempt, as in `fan:1/a/fetch:2:1`. Agents add the turn and the index in it, as in
    /// `help:1:1/2/0`, tool approvals `/approval`.
    pub fn name(&self, id: &str) -> String {
        let name = call_name(self.scope.path.as_deref().unwrap_or_default(), id, self.visit, self.attempt);
        name + &self.suffix()
    }

    /// The sub-call's part of the name.
    pub fn suffix(&self) -> String {
        let Some(part) = &self.sub_call else { return String::new() };
        let approval = if matches!(self.request, Request::Approval) { "/approval" } else { "" };
        match (part.turn, part.index) {
            (0, _) => approval.to_owned(),
            (turn, None) => format!("/{turn}{approval}"),
            (turn, Some(index)) => format!("/{turn}/{index}{approval}"),
        }
    }

    /// The tool to call or approve.
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

/// A call's kind, with its data.
#[derive(Debug, Clone)]
pub enum Request<V> {
    /// Node handler.
    Handler,
    /// A tool's arguments.
    Tool(V),
    /// A model.
    Model(Box<ChatRequest>),
    /// An approver.
    Approval,
}

/// Run outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Reached an end.
    Completed(TransitionReason),
    /// The failure.
    Failed {
        /// Such as `run/visit-limit`.
        code: String,
        /// The message.
        message: String,
        /// Failed node's position and scope.
        node: Option<(u32, ScopeRef)>,
    },
    /// The host cancelled the run.
    Cancelled,
}

impl Outcome {
    /// Name in reports and cassettes.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Completed(_) => "completed",
            Self::Failed { .. } => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Why a run takes an edge, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransitionReason {
    /// It holds.
    Condition,
    /// No condition holds.
    Fallback,
    /// No condition holds, and there is no fallback.
    NoMatch,
    /// No edges.
    Terminal,
}

impl TransitionReason {
    /// Name in reports and traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Condition => "condition",
            Self::Fallback => "fallback",
            Self::NoMatch => "no-match",
            Self::Terminal => "terminal",
        }
    }
}

/// Run counters.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Visited nodes.
    pub steps: u32,
    /// Calls.
    pub calls: u32,
    /// Attempts after the first.
    pub retries: u32,
    /// Input and output of models.
    pub tokens: f64,
    /// Priced replies, in millionths of a US dollar.
    pub micro_usd: f64,
    /// Replies without price.
    pub unpriced: u32,
    /// Replies without token counts.
    pub uncounted: u32,
    /// Model calls that ended without a reply, but may be billed.
    pub unreported: u32,
    /// Their maximum tokens, infinite if unknown.
    pub unreported_tokens: f64,
    /// Their maximum cost in millionths of a US dollar, infinite if unknown.
    pub unreported_micro_usd: f64,
    /// Results in bytes of JSON, if limited.
    pub output_bytes: f64,
}

impl Counts {
    /// The cost in US dollars. `None` if a reply had no price, or nothing had a cost.
    pub fn usd(&self) -> Option<f64> {
        (self.unpriced == 0 && self.micro_usd > 0.0).then_some(self.micro_usd / 1e6)
    }
}

/// Refused event, which leaves the run unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepError {
    /// The run has already started.
    AlreadyStarted,
    /// Requires [`Event::Start`].
    NotStarted,
    /// Missing or ended.
    UnknownCall(CallId),
    /// Missing, fired or cleared.
    UnknownTimer(CallId),
    /// Only snapshots resume.
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
