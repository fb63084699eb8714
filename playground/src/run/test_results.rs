//! Results of plan tests.

use super::apply_event::value_of;
use super::apply_message::{flag, list, number, text};
use super::run_model::Value;
use serde_json::Value as Json;

/// Test result.
#[derive(Debug, Clone, PartialEq)]
pub struct TestResult {
    /// Test name.
    pub name: String,
    /// All expectations hold.
    pub passed: bool,
    /// Run duration.
    pub ms: f64,
    /// Run outcome.
    pub outcome: String,
    /// Failed expectations.
    pub differences: Vec<Difference>,
}

/// Failed expectation.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Such as `path[2]` or `last.city`.
    pub path: String,
    /// Expected value.
    pub expected: Value,
    /// Actual value.
    pub got: Value,
}

/// The error says why none ran.
pub(super) fn tested(message: &Json) -> Result<Vec<TestResult>, String> {
    if message.get("problem").is_some() {
        return Err(text(message, "problem").to_owned());
    }
    Ok(list(message, "results").iter().map(parse_one).collect())
}

fn parse_one(result: &Json) -> TestResult {
    let differences = list(result, "differences").iter().map(|difference| Difference {
        path: text(difference, "path").to_owned(),
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
