//! The machine: a run as a pure function of its events.
//!
//! Decides everything that happens in a run: which node is next, what is asked of whom, what an answer means, when it
//! ends. Knows no clock, no randomness, no IO, and waits for nothing: every event carries the time, every step gives
//! back all its consequences.
//!
//! Invariants:
//! 1. deterministic: the same program, options and events give the same commands and trace;
//! 2. `Finish` is given exactly once, and last; after it nothing changes;
//! 3. a call is answered at most once; an unknown or late answer is an error value, never a panic;
//! 4. every bound ends the run as an outcome with its code.
//!
//! Source: design section 6; seed 002, "Ejecución".

mod bind;
mod event;
mod fill;
mod judge;
mod program;
mod run;

pub use bind::bind;
pub use event::{
    Answer, CallId, Command, Counts, Event, Failure, Outcome, Reason, Request, Seen, Sink, Step, StepError,
    TraceEvent, Verdict,
};
pub use program::{AtomCode, Code, EdgeCode, Look, Program, Source};
pub use run::{Options, Run};
