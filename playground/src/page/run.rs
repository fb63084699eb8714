//! Runs of the open plan: their commands and the panels that show them.
//!
//! The engine decides what happens and [`crate::run`] stores it. These components draw at most once per
//! animation frame.
//!
//! Invariants:
//! 1. A run starts only after the plan is allowed to run.
//! 2. A chosen run position stays while events arrive.

pub mod bars;
pub mod buttons;
pub mod control;
pub mod cost;
pub mod edge_explanation;
pub mod follow;
pub mod fork;
pub mod history;
pub mod outcome;
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
pub use status::RunStatus;
pub use tests::TestsTab;
pub use timeline::RunTab;
pub use trace::TraceTab;
pub use values::ValuesTab;
