//! The harness of the conformance suite: cases are data, each is run by every driver, all must agree.
//!
//! Decides how a case becomes a run and what is compared. The JavaScript package has the same harness in
//! `tests/parity/suite.mjs`.

#![expect(clippy::indexing_slicing, reason = "JSON answers every index, with null where nothing is")]

pub mod case;
pub mod drive;
pub mod expectation;
pub mod naive;
pub mod reference;
pub mod walk;

pub use case::{Case, Expect, Suite};
pub use drive::{Ended, by_driver, by_machine};
pub use expectation::{Expectation, problems};
