//! A run by the runner's messages, with its state after any number of events. Facts have event indexes, so a binary
//! search replaces a replay.
//!
//! Invariants: 1. later events never change the state after the first `n`. 2. invalid messages change nothing. 3.
//! memory grows with events and bytes, which the runner limits.

mod apply_event;
mod apply_message;
mod cost;
mod edge_explanation;
mod edge_mapping;
mod format_value;
pub mod question_fields;
mod ran_plan;
mod run_history;
mod run_model;
mod stubs_file;
mod test_results;
mod time_travel;
mod timeline_rows;

pub use apply_message::{MessageResult, RunState};
pub use cost::{CostAmount, CostEstimate};
pub use edge_explanation::{CandidateEdge, EdgeExplanation, Reason};
pub use edge_mapping::EdgeTexts;
pub use format_value::{duration, one_decimal, one_line, pretty, readable, set_number_language, usd};
pub use ran_plan::RanPlan;
pub use run_history::{RunHistory, RunRecord, RunStep, first_difference};
pub use run_model::{
    Call, CallProgress, ComparedValue, Decision, Outcome, Problem, Question, Retry, Run, RunOutcome, Value,
    Verdict, Visit,
};
pub use stubs_file::{StubEntry, apply_entries};
pub use test_results::{Difference, TestResult};
pub use time_travel::{Totals, VisitStatus};
pub use timeline_rows::{Bar, BarKind, TimelineRow};

#[cfg(test)]
mod tests;
