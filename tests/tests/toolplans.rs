//! The diagnostics and checked form of the tool plans of `suite/toolplans`.

#![expect(clippy::indexing_slicing, reason = "JSON answers every index, with null where nothing is")]

use serde_json::{Value as Json, json};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::check;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::Format;
use stepgraph_core::tool::{ToolInfo, ToolRegistry};
use stepgraph_core::toolplan::{Trust, check};
use stepgraph_tests::toolplans::{self, Case};

fn found(case: &Case) -> Json {
    let (plan, problems) = toolplans::judged(case);
    let codes = problems.iter().map(toolplans::brief).collect::<Vec<_>>();
    let sound = !problems.iter().any(stepgraph_core::diagnostic::Diagnostic::is_error);
    let calls = plan["tool_calls"].as_array().cloned().unwrap_or_default();
    let parameters: Vec<Json> = calls.iter().map(|call| call["parameters"].clone()).collect();
    let (needs, discarded) = (&plan["needs_context"], &plan["discarded"]);
    json!({"codes": codes, "parameters": sound.then_some(parameters), "needs": needs, "discarded": discarded})
}

#[test]
fn checked_as_expected() {
    let cases = toolplans::cases();
    assert!(cases.len() > 60, "the cases have gone");
    for case in &cases {
        let found = found(case);
        let expect = &case.expect;
        assert_eq!(found["codes"], expect["codes"], "{}: {:#?}", case.name, toolplans::judged(case).1);
        for key in ["parameters", "needs", "discarded"] {
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

fn mistakes(problems: &[Diagnostic]) -> Vec<String> {
    problems.iter().filter(|problem| problem.is_error()).map(ToString::to_string).collect()
}

/// The arguments refer to an earlier call, in the syntax of either form.
fn written(case: &Json, used: &str, nobody: &str) -> Json {
    let path = case["use"].as_str().unwrap_or_default();
    let text = case["arguments"].to_string();
    let text =
        text.replace("$USE", &format!("${{{used}.{path}}}")).replace("$NOBODY", &format!("${{{nobody}.x}}"));
    text.parse().unwrap_or_default()
}

#[test]
fn calls_are_checked_alike_in_every_form() {
    let text = std::fs::read_to_string("suite/judge/calls.yaml").unwrap_or_default();
    let file: Json = serde_yaml::from_str(&text).unwrap_or_default();
    let tools = file["tools"].as_array().into_iter().flatten().filter_map(ToolInfo::from_json);
    let tools = ToolRegistry::new(tools).with_patterns(stepgraph_tests::patterns());
    let cases = file["calls"].as_array().cloned().unwrap_or_default();
    assert!(cases.len() > 30, "the cases have gone");
    let host = Capabilities {
        tools: Some(tools.clone()),
        types: Some(std::iter::empty::<String>().collect()),
        outputs: Some(std::iter::empty::<String>().collect()),
        ..Capabilities::default()
    };
    for case in &cases {
        let first = json!({"query": "a"});
        let planned = json!({"tool_calls": [
            {"tool_name": "jobs", "parameters": first.clone()},
            {"tool_name": case["tool"].clone(), "parameters": written(case, "call[0]", "call[7]")},
        ]});
        let planned = mistakes(&check(&planned, &tools, &Trust::default()).diagnostics);
        let plan = json!({"nodes": {
            "a": {"type": "tool", "tool": "jobs", "input": first},
            "b": {"type": "tool", "tool": case["tool"].clone(), "input": written(case, "output.a", "output.nobody")},
        }, "edges": [{"from": "a", "to": "b"}]});
        let plan = PlanGraph::parse(&plan.to_string(), Format::Json).graph;
        let noted = plan.map(|plan| mistakes(&check::check(&plan, &host))).unwrap_or_default();
        let expect = case["mistakes"].as_u64().and_then(|count| usize::try_from(count).ok());
        assert_eq!(
            (Some(planned.len()), Some(noted.len())),
            (expect, expect),
            "{case}\n{planned:#?}\n{noted:#?}"
        );
    }
}
