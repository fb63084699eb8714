//! A run as it is followed: what the runner tells becomes what is drawn, at any moment of it.
//!
//! Decides what is known of a run after any number of its events: how each node and edge fares, every visit with its values, every call, every
//! decision with the conditions looked at, and sums. Each fact carries the position of the event that made it true, so the state after a
//! prefix of the run is looked up, not played again: the last change of a node before that position, found by halving. Knows nothing
//! of engines, threads or panes.
//!
//! Files: `run_model` what a run is made of · `apply_event` one event · `apply_message` one message of the runner · `time_travel` the state at a moment · `timeline_rows` the
//! timeline · `edge_explanation` an edge and its rivals · `samples` what conditions would see · `test_results` results of the tests beside a plan · `question_fields` what people are asked · `format_value` values and times in few letters ·
//! `stubs_file` the text of a stubs file.
//!
//! Invariants: 1. what is known of the first `n` events never changes when more come; 2. a message that is no message changes nothing;
//! 3. memory grows with the number of events, which the runner bounds, and with the bytes it tells, which it bounds, too.

mod apply_event;
mod apply_message;
mod edge_explanation;
mod edge_mapping;
mod format_value;
pub mod question_fields;
mod run_model;
mod samples;
mod stubs_file;
mod test_results;
mod time_travel;
mod timeline_rows;

pub use apply_message::{MessageResult, RunState};
pub use edge_explanation::{CandidateEdge, EdgeExplanation, Reason};
pub use edge_mapping::EdgeTexts;
pub use format_value::{duration, one_line, pretty};
pub use run_model::{
    Call, CallProgress, ComparedValue, Decision, LogEntry, Outcome, Problem, Question, Retry, Run,
    RunOutcome, Value, Verdict, Visit,
};
pub use stubs_file::{StubEntry, apply_entries};
pub use test_results::{Difference, TestResult};
pub use time_travel::{Totals, VisitStatus};
pub use timeline_rows::{Bar, BarKind, TimelineRow};

#[cfg(test)]
mod tests;
