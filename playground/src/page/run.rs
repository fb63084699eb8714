//! Runs of the plan that is open: their commands, and everything that is seen of them.
//!
//! Decides what is shown of a run and when it is drawn: many events are one picture. What happened is decided by the engine and kept in
//! [`crate::run`].
//!
//! Files: `state` what is known and chosen · `control` beginning, steering, ending · `saved_settings` what is remembered of each plan · `buttons` the
//! header's · `timeline`, `bars`, `scrubber` when what happened · `visit_detail`, `edge_explanation`, `fork` one visit of a node · `run_input` what a run is given ·
//! `questions`, `schema_field` questions to a person · `values`, `tests`, `trace` the other tabs · `outcome` how it ended.
//!
//! Invariants: 1. nothing runs that a guard has not let through; 2. a moment that was chosen stays when more happens.

pub mod bars;
pub mod buttons;
pub mod control;
pub mod edge_explanation;
pub mod fork;
pub mod outcome;
pub mod questions;
pub mod run_input;
pub mod saved_settings;
pub mod schema_field;
pub mod scrubber;
pub mod state;
pub mod tests;
pub mod timeline;
pub mod trace;
pub mod values;
pub mod visit_detail;

pub use buttons::RunButtons;
pub use questions::QuestionsOverlay;
pub use tests::TestsTab;
pub use timeline::RunTab;
pub use trace::TraceTab;
pub use values::ValuesTab;
