//! What is said of two plans, and what comes of three: cases as data, and properties over generated plans.

#![expect(clippy::expect_used, reason = "a helper of tests stops the test when it is surprised")]

use serde_json::Value as Json;
use std::collections::BTreeSet;
use stepgraph_core::compare::{Change, ChangeKind, compare};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::Format;
use stepgraph_tests::comparing::{File, host};
use stepgraph_tests::expectation::capabilities;

fn plan(text: &str) -> PlanGraph {
    let parsed = PlanGraph::parse(text, Format::Auto);
    parsed.graph.unwrap_or_else(|| panic!("no good plan: {:?}\n{text}", parsed.diagnostics))
}

fn changes(case: &Json) -> Vec<Change> {
    let host = capabilities(&host(case)).expect("a host");
    let side = |key: &str| plan(case[key].as_str().unwrap_or_default());
    let (before, after) = (side("before"), side("after"));
    let found = compare(&before, &after, Some(&host));
    assert!(compare(&after, &after, Some(&host)).is_same());
    found.changes
}

#[test]
fn changes_are_what_they_should_be() {
    let file = File::named("changes.yaml").expect("cases");
    assert!(file.cases.len() > 35, "the cases have gone");
    let mut kinds = BTreeSet::new();
    let wrong = file.differences(&mut |case: &Json| {
        let found = changes(case);
        kinds.extend(found.iter().map(|change| change.kind));
        found.iter().map(|change| format!("{}: {}", change.kind.slug(), change.message)).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let never: Vec<_> = ChangeKind::ALL.iter().filter(|kind| !kinds.contains(kind)).collect();
    assert!(never.is_empty(), "no case has {never:?}");
}
