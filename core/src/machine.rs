//! The machine: a run as a pure function of its events.
//!
//! Decides everything in a run: the next node, the calls, the meaning of answers, the end. It has no clock, randomness
//! or IO, and never waits: events carry the time, and steps return all consequences.
//!
//! Invariants:
//! 1. Deterministic: the same program, options and events produce the same commands and trace.
//! 2. `Finish` is issued exactly once, and nothing changes after it.
//! 3. A step never both opens and abandons a call. A call has at most one answer. An unknown or late one is an
//!    error value, never a panic.
//! 4. A run beyond a limit ends with an outcome and a code.
//! 5. A scope does one thing at a time, except for the calls of one model message. Inner scopes end before their node.
//! 6. A call's name comes from scope, node, visit and attempt, in an agent also turn and index, never from the order of
//!    answers.

mod bind;
mod call_schema;
mod comparison;
mod computed;
mod conversation;
mod event;
mod gather_state;
mod interpolate;
mod lookup;
mod program;
mod run;
mod scope_state;
mod snapshot;
mod timer;
mod trace;

pub use crate::failure::Failure;
pub use bind::bind;
pub use call_schema::CallSchema;
pub(crate) use event::call_name;
pub use event::{
    Answer, Call, CallId, Command, Counts, Decision, Event, Outcome, Request, StepError, SubCall,
    TimerPurpose, TransitionReason,
};
pub use interpolate::failed_value_span;
pub use program::{
    CompiledAgent, CompiledAtom, CompiledEdge, CompiledGraph, CompiledNode, CompiledNodeOptions,
    CompiledPart, CompiledReference, CompiledValue, InputSource, Program, ReferenceRoot,
};
pub use run::{Options, PartialScope, Run};
pub use snapshot::{RestoreError, Snapshot};
pub use trace::{
    ComparedValue, ConversationEvent, ScopeRef, ScopeStatus, Step, StepSink, TraceEvent, Verdict,
};
