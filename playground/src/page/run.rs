//! Runs of the plan that is open: their commands, and everything that is seen of them.
//!
//! Decides what is shown of a run and when it is drawn: many events are one picture. What happened is decided by the engine and kept in
//! [`crate::run`].
//!
//! Files: `state` what is known and chosen · `control` beginning, steering, ending · `keep` what is remembered of each plan · `buttons` the
//! header's · `timeline`, `bars`, `scrub` when what happened · `detail`, `why`, `fork` one visit of a node · `given` what a run is given ·
//! `asks`, `fields` questions to a person · `values`, `tests`, `trace` the other tabs · `ended` how it ended.
//!
//! Invariants: 1. nothing runs that a guard has not let through; 2. a moment that was chosen stays when more happens.

pub mod asks;
pub mod bars;
pub mod buttons;
pub mod control;
pub mod detail;
pub mod ended;
pub mod fields;
pub mod fork;
pub mod given;
pub mod keep;
pub mod scrub;
pub mod state;
pub mod tests;
pub mod timeline;
pub mod trace;
pub mod values;
pub mod why;

pub use asks::AsksAbove;
pub use buttons::RunButtons;
pub use tests::TestsTab;
pub use timeline::RunTab;
pub use trace::TraceTab;
pub use values::ValuesTab;
