//! How long comparing and merging take. Run with `--release`; prints the best of some rounds, times growing with the plan.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark measures time and prints it"
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};
use stepgraph_core::compare::{compare, merge};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::Format;

fn main() {
    for nodes in [1_000, 10_000] {
        let base = plan(nodes, "n", "search");
        let one = base.replacen("Step 7\"", "Step seven\"", 1);
        let all = plan(nodes, "n", "find");
        let renamed = plan(nodes, "m", "search");
        let star = star_of(nodes, "n");
        let other = star_of(nodes, "k");
        println!("{nodes} nodes");
        pair("the same", &base, &base);
        pair("one node changed", &base, &one);
        pair("every node changed", &base, &all);
        pair("every node renamed", &base, &renamed);
        pair("a star, every node renamed", &star, &other);
        let theirs = base.replacen("Step 9\"", "Step nine\"", 1);
        show("merge, one change on each side", || merge(&base, &one, &theirs, Format::Yaml));
        let flow = graph(&base).to_json().to_string();
        show("merge into other formatting", || merge(&base, &flow, &theirs, Format::Auto));
    }
}

fn graph(text: &str) -> PlanGraph {
    PlanGraph::parse(text, Format::Auto).graph.expect("a good plan")
}

fn pair(name: &str, before: &str, after: &str) {
    let (before, after) = (graph(before), graph(after));
    let found = compare(&before, &after, None).changes.len();
    show(&format!("{name}: {found} changes"), || compare(black_box(&before), black_box(&after), None));
}

fn show<T>(name: &str, mut work: impl FnMut() -> T) {
    let round = |work: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        let result = black_box(work());
        let time = start.elapsed();
        drop(result);
        time
    };
    let best = (0..5).map(|_| round(&mut work)).min().unwrap_or(Duration::ZERO);
    println!("  {name:44} {:8.2} ms", best.as_secs_f64() * 1000.0);
}

/// A plan of that many nodes in a chain, about a hundred bytes each.
fn plan(nodes: usize, name: &str, tool: &str) -> String {
    let mut text = format!("start: {name}0\nnodes:\n");
    for n in 0..nodes {
        let input = format!("{{query: \"Step {n}\", limit: {n}}}");
        let _ = write!(text, "  {name}{n}:\n    type: tool\n    tool: {tool}\n    input: {input}\n");
    }
    text += "edges:\n";
    for n in 1..nodes {
        let last = n - 1;
        let _ = write!(
            text,
            "  - from: {name}{last}\n    to: {name}{n}\n    condition: output.{name}{last}.ok==true\n"
        );
    }
    text
}

/// A plan of one node that leads to all others, which are alike.
fn star_of(nodes: usize, name: &str) -> String {
    let mut text = String::from("start: hub\nnodes:\n  hub: {type: decision}\n");
    for n in 0..nodes {
        let _ = writeln!(text, "  {name}{n}: {{type: log}}");
    }
    text += "edges:\n";
    for n in 0..nodes {
        let _ = writeln!(text, "  - {{from: hub, to: {name}{n}, condition: last == x{n}}}");
    }
    text
}
