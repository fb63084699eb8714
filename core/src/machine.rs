//! The machine: a run as a pure function of its events.
//!
//! Decides everything that happens in a run: the next node, the calls, the meaning of an answer, the end. Has no clock,
//! no randomness and no IO, and never waits. Every event carries the time, and every step returns all its consequences.
//!
//! Invariants:
//! 1. Deterministic: the same program, options and events produce the same commands and trace.
//! 2. `Finish` is issued exactly once, and last. After it nothing changes.
//! 3. A step never both opens and abandons a call. A call has at most one answer. An unknown or late answer is an error
//!    value, never a panic.
//! 4. A run that exceeds a limit ends with an outcome and a code.
//! 5. A scope does one thing at a time, except for the calls of one message of a model. The scopes inside a node end
//!    before the node does.
//! 6. The name of a call comes from scope, node, visit and attempt, and in an agent also from turn and index. It never
//!    depends on the order of answers.

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
pub use program::{
    CompiledAgent, CompiledAtom, CompiledEdge, CompiledGraph, CompiledNode, CompiledNodeOptions,
    CompiledPart, CompiledReference, CompiledValue, InputSource, Program, ReferenceRoot,
};
pub use run::{Options, PartialScope, Run};
pub use snapshot::{RestoreError, Snapshot};
pub use trace::{
    ComparedValue, ConversationEvent, ScopeRef, ScopeStatus, Step, StepSink, TraceEvent, Verdict,
};
