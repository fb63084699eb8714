//! The machine: a run as a pure function of its events.
//!
//! Decides everything that happens in a run: which node is next, what is asked of whom, what an answer means, when it
//! ends. Knows no clock, no randomness, no IO, and waits for nothing: every event carries the time, every step gives
//! back all its consequences.
//!
//! Invariants:
//! 1. deterministic: the same program, options and events give the same commands and trace;
//! 2. `Finish` is given exactly once, and last; after it nothing changes;
//! 3. a step never both asks for something and abandons it; a call is answered at most once; an unknown or late answer is an error value, never a panic;
//! 4. every bound ends the run as an outcome with its code;
//! 5. a scope does one thing at a time, but for the calls of one message of a model; the scopes inside a node have ended before the node does;
//! 6. a call's name comes from scope, node, visit, attempt and, of an agent, turn and place, never from the order of answers.

mod bind;
mod contract;
mod event;
mod fill;
mod frame;
mod freeze;
mod gather;
mod judge;
mod lookup;
mod program;
mod run;
mod talk;
mod timer;
mod told;

pub use crate::failure::Failure;
pub use bind::bind;
pub use contract::Contract;
pub(crate) use event::call_name;
pub use event::{
    Answer, Call, CallId, Command, Counts, Decision, Event, Outcome, Part, Reason, Request, StepError,
    TimerOf,
};
pub use freeze::{Frozen, ThawError};
pub use program::{
    AgentCode, AtomCode, Code, EdgeCode, Extra, Fill, GraphCode, Input, Look, Piece, Program, Source,
};
pub use run::{Options, Partial, Run};
pub use told::{Said, ScopeEnd, ScopeRef, Seen, Sink, Step, TraceEvent, Verdict};
