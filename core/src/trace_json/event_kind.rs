//! Kinds of trace events: their names, and their numbers in packed words.
//!
//! The test `codes` generates `wasm/js/event-kinds.ts` from this table.

use crate::machine::TraceEvent;

/// A kind's number is its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// [`TraceEvent::RunStarted`]
    RunStarted,
    /// [`TraceEvent::NodeStarted`]
    NodeStarted,
    /// [`TraceEvent::NodeCompleted`]
    NodeCompleted,
    /// [`TraceEvent::NodeFailed`]
    NodeFailed,
    /// [`TraceEvent::Logged`]
    Logged,
    /// [`TraceEvent::EdgeDecided`]
    EdgeDecided,
    /// [`TraceEvent::RunEnded`]
    RunEnded,
    /// [`TraceEvent::NodeRetried`]
    NodeRetried,
    /// [`TraceEvent::ScopeStarted`]
    ScopeStarted,
    /// [`TraceEvent::ScopeEnded`]
    ScopeEnded,
    /// [`TraceEvent::RunResumed`]
    RunResumed,
    /// [`TraceEvent::Conversation`], whose event has its own name
    Conversation,
}

impl EventKind {
    /// Ordered by number.
    pub const ALL: [Self; 12] = [
        Self::RunStarted,
        Self::NodeStarted,
        Self::NodeCompleted,
        Self::NodeFailed,
        Self::Logged,
        Self::EdgeDecided,
        Self::RunEnded,
        Self::NodeRetried,
        Self::ScopeStarted,
        Self::ScopeEnded,
        Self::RunResumed,
        Self::Conversation,
    ];

    /// Event's kind.
    pub fn of<V>(event: &TraceEvent<V>) -> Self {
        match event {
            TraceEvent::RunStarted { .. } => Self::RunStarted,
            TraceEvent::NodeStarted { .. } => Self::NodeStarted,
            TraceEvent::NodeCompleted { .. } => Self::NodeCompleted,
            TraceEvent::NodeFailed { .. } => Self::NodeFailed,
            TraceEvent::Logged { .. } => Self::Logged,
            TraceEvent::EdgeDecided { .. } => Self::EdgeDecided,
            TraceEvent::RunEnded { .. } => Self::RunEnded,
            TraceEvent::NodeRetried { .. } => Self::NodeRetried,
            TraceEvent::ScopeStarted { .. } => Self::ScopeStarted,
            TraceEvent::ScopeEnded { .. } => Self::ScopeEnded,
            TraceEvent::RunResumed { .. } => Self::RunResumed,
            TraceEvent::Conversation { .. } => Self::Conversation,
        }
    }

    /// The name, for conversations that of [`ConversationEvent`](crate::machine::ConversationEvent).
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RunStarted => "run-started",
            Self::NodeStarted => "node-started",
            Self::NodeCompleted => "node-completed",
            Self::NodeFailed => "node-failed",
            Self::Logged => "logged",
            Self::EdgeDecided => "edge-decided",
            Self::RunEnded => "run-ended",
            Self::NodeRetried => "node-retried",
            Self::ScopeStarted => "scope-started",
            Self::ScopeEnded => "scope-ended",
            Self::RunResumed => "run-resumed",
            Self::Conversation => "conversation",
        }
    }
}
