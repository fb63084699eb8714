//! From a request to a plan, where tools with servers and schemas matter, and within bounds; the rest of seed 004 is in `suite/author.yaml`.

use serde_json::json;
use stepgraph_core::flows;
use stepgraph_core::graph::{self, PlanGraph};
use stepgraph_core::host::Capabilities;
use stepgraph_core::source::Format;
use stepgraph_tests::author::{file, host, judged};

#[test]
fn generated_plans_are_judged() {
    let file = file();
    let cases = file["cases"].as_array().cloned().unwrap_or_default();
    assert!(cases.len() > 30, "the cases have gone");
    let mut broken = Vec::new();
    for case in &cases {
        let (action, codes, warned) = judged(&file, case);
        let expect = |key: &str| case.get(key).cloned().unwrap_or_else(|| json!([]));
        if action != case["action"] || json!(codes) != expect("codes") {
            broken.push(format!("{}: {action} {codes:?} {warned:?}", case["name"]));
        }
        if case.get("warned").is_some() && json!(warned) != expect("warned") {
            broken.push(format!("{}: warned {warned:?}", case["name"]));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn flows_are_sound() {
    for name in flows::NAMES {
        let parsed = PlanGraph::parse(flows::source(name).unwrap_or_default(), Format::Yaml);
        assert!(parsed.diagnostics.is_empty(), "{name}: {:?}", parsed.diagnostics);
        let graph = parsed.graph.as_ref().map(|plan| graph::check(plan, &Capabilities::default()));
        assert_eq!(graph, Some(Vec::new()), "{name}");
        let known = parsed.graph.as_ref().map(|plan| graph::check(plan, &host(&json!([{"name": "a"}]))));
        assert_eq!(known, Some(Vec::new()), "{name}");
    }
}
