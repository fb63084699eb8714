//! Run commands and panels. [`crate::run`] stores the engine's decisions. Components draw once per frame at most.
//!
//! Invariants: 1. a run needs an allowed plan. 2. a chosen run position stays as events arrive.

pub mod bars;
pub mod buttons;
pub mod control;
pub mod cost;
pub mod edge_explanation;
pub mod follow;
pub mod fork;
pub mod history;
pub mod outcome;
pub mod overlay;
pub mod questions;
pub mod run_input;
pub mod save_test;
pub mod saved_settings;
pub mod schema_field;
pub mod scrubber;
pub mod state;
pub mod status;
pub mod tests;
pub mod timeline;
pub mod trace;
pub mod values;
pub mod visit_detail;
pub mod visit_status;

pub use buttons::RunButtons;
pub use questions::QuestionsOverlay;
pub use status::{RunLink, RunStatus};
pub use tests::TestsTab;
pub use timeline::RunTab;
pub use trace::TraceTab;
pub use values::ValuesTab;
