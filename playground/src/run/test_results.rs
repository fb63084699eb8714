//! What came of the tests beside a plan.
//!
//! Decides nothing.

use super::apply_event::value_of;
use super::apply_message::{flag, list, number, text};
use super::run_model::Value;
use serde_json::Value as Json;

/// A test beside the plan, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TestResult {
    /// Its name.
    pub name: String,
    /// Whether everything was as expected.
    pub passed: bool,
    /// How long its run took.
    pub ms: f64,
    /// How that run ended.
    pub outcome: String,
    /// What was not as expected.
    pub differences: Vec<Difference>,
}

/// Something that was not as expected.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where: `path[2]`, `last.city`.
    pub place: String,
    /// What was expected.
    pub expected: Value,
    /// What came.
    pub got: Value,
}

/// Reads what a runner tells of tests; the error says why none could be run.
pub(super) fn tested(message: &Json) -> Result<Vec<TestResult>, String> {
    if message.get("problem").is_some() {
        return Err(text(message, "problem").to_owned());
    }
    Ok(list(message, "results").iter().map(one).collect())
}

fn one(result: &Json) -> TestResult {
    let differences = list(result, "differences").iter().map(|difference| Difference {
        place: text(difference, "place").to_owned(),
        expected: value_of(difference.get("expected"), 0),
        got: value_of(difference.get("got"), 0),
    });
    TestResult {
        name: text(result, "name").to_owned(),
        passed: flag(result, "passed"),
        ms: number(result, "ms"),
        outcome: text(result, "outcome").to_owned(),
        differences: differences.collect(),
    }
}
