//! The harness of the conformance suite: every driver runs each case, and all must agree.
//!
//! `tests/parity/suite.mjs` is the JavaScript package's harness.

#![expect(clippy::indexing_slicing, reason = "JSON answers every index, with null where nothing is")]

pub mod author;
pub mod case;
pub mod comments;
pub mod compare_cases;
pub mod condition_equivalence;
pub mod drivers;
pub mod edits;
pub mod expectation;
pub mod files;
pub mod flat_oracle;
pub mod fuzz;
pub mod interleaving;
pub mod interop;
pub mod plan_files;
pub mod plans;
pub mod scope_oracle;
pub mod search;
pub mod second_parser;
pub mod toolplans;
pub mod typing;
pub mod yaml;

pub use case::{Case, Expect, Suite};
pub use condition_equivalence::assert_same_reading;
pub use drivers::{CaseResult, by_driver, by_machine};
pub use expectation::{Expectation, find_diagnostics};

use stepgraph_core::schema::Patterns;

/// Returns ECMA-262 regular expressions, as JavaScript hosts have.
pub fn patterns() -> Patterns {
    Patterns::new(|pattern, text| {
        let pattern = regress::Regex::with_flags(pattern, "u").ok();
        pattern.map(|pattern| pattern.find(text).is_some()).into()
    })
}
