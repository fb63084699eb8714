//! Tool plans, as `suite/toolplans` has them: what is found wrong, and what they become.

#![expect(clippy::indexing_slicing, reason = "JSON answers every index, with null where nothing is")]

use serde_json::{Value as Json, json};
use stepgraph_tests::toolplans::{self, Case};

/// What came of a case, in the words of the file.
fn found(case: &Case) -> Json {
    let (plan, problems) = toolplans::judged(case);
    let codes = problems.iter().map(toolplans::brief).collect::<Vec<_>>();
    let sound = !problems.iter().any(stepgraph_core::diagnostic::Diagnostic::is_error);
    let calls = plan["tool_calls"].as_array().cloned().unwrap_or_default();
    let parameters: Vec<Json> = calls.iter().map(|call| call["parameters"].clone()).collect();
    json!({"codes": codes, "parameters": sound.then_some(parameters), "needs": plan["needs_context"]})
}

#[test]
fn judged_as_expected() {
    let cases = toolplans::cases();
    assert!(cases.len() > 60, "the cases have gone");
    for case in &cases {
        let found = found(case);
        let expect = &case.expect;
        assert_eq!(found["codes"], expect["codes"], "{}: {:#?}", case.name, toolplans::judged(case).1);
        for key in ["parameters", "needs"] {
            if !expect[key].is_null() {
                assert_eq!(found[key], expect[key], "{}: {key}", case.name);
            }
        }
    }
}

#[test]
fn every_problem_is_told_well() {
    for case in toolplans::cases() {
        for problem in toolplans::judged(&case).1 {
            let first = problem.message.chars().next().unwrap_or_default();
            assert!(!first.is_uppercase() && !problem.message.ends_with('.'), "{problem}");
            assert!(problem.help.is_some(), "{problem}");
        }
    }
}
