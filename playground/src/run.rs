//! A run as it is followed: what the runner tells becomes what is drawn, at any moment of it.
//!
//! Decides what is known of a run after any number of its events: how each node and edge fares, every visit with its values, every call, every
//! decision with the conditions looked at, and sums. Each fact carries the position of the event that made it true, so the state after a
//! prefix of the run is looked up, not played again: the last change of a node before that position, found by halving. Knows nothing
//! of engines, threads or panes.
//!
//! Files: `parts` what a run is made of · `take` one event · `told` one message of the runner · `seen` the state at a moment · `rows` the
//! timeline · `why` an edge and its rivals · `samples` what conditions would see · `tests_of` results of the tests beside a plan · `ask` what people are asked · `shown` values and times in few letters ·
//! `stand_ins` the text of a stubs file.
//!
//! Invariants: 1. what is known of the first `n` events never changes when more come; 2. a message that is no message changes nothing;
//! 3. memory grows with the number of events, which the runner bounds, and with the bytes it tells, which it bounds, too.

pub mod ask;
mod edges;
mod parts;
mod rows;
mod samples;
mod seen;
mod shown;
mod stand_ins;
mod take;
mod tests_of;
mod told;
mod why;

pub use edges::Edges;
pub use parts::{
    Ask, Call, Decision, End, Ended, Live, Logged, Problem, Retry, Run, Saw, Value, Verdict, Visit,
};
pub use rows::{Bar, Row, Shape};
pub use seen::{Fate, Totals};
pub use shown::{duration, few, pretty};
pub use stand_ins::{StandIn, changed};
pub use tests_of::{Difference, Tested};
pub use told::{News, State};
pub use why::{Reason, Tried, Way};

#[cfg(test)]
mod tests;
