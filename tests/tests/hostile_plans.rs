//! Parses, checks, binds and runs hostile plans: large, deep, and full of errors.
//!
//! No time is measured: one needless pass for each node would be hundreds of millions of steps, too long to pass
//! unnoticed.

#![expect(
    clippy::unwrap_used,
    clippy::format_collect,
    reason = "a helper of tests stops the test when it is surprised"
)]

use std::fmt::Write as _;
use std::sync::Arc;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::diagnostic::{Code, Diagnostic, Span};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::machine::{self, Command, Event, Options, Outcome, Run};
use stepgraph_core::source::{Format, MAX_PROBLEMS};
use stepgraph_core::stub::{self, Stubs};

/// Smaller in unoptimised builds.
const MANY: usize = if cfg!(debug_assertions) { 30_000 } else { 100_000 };

/// Returns the `error[..]` codes, or the run's outcome.
fn outcome(text: &str) -> String {
    let parsed = PlanGraph::parse(text, Format::Auto);
    assert!(parsed.diagnostics.len() <= 2 * MAX_PROBLEMS + 1, "{} problems", parsed.diagnostics.len());
    for problem in &parsed.diagnostics {
        let inside = |span: Span| assert!(text.get(span.start..span.end).is_some(), "{problem} at {span:?}");
        problem.span.into_iter().chain(problem.labels.iter().map(|label| label.span)).for_each(inside);
        assert!(problem.message.len() < 1000 && problem.help.iter().all(|help| help.len() < 1000));
    }
    match parsed.graph.as_ref().filter(|plan| plan.is_sound()) {
        Some(graph) => run(graph),
        None => first_error(&parsed.diagnostics),
    }
}

fn first_error(problems: &[Diagnostic]) -> String {
    let counted = problems.iter().find(|problem| problem.code == Code::TooManyProblems);
    let more = counted.map_or("", |_| " and more");
    problems
        .iter()
        .find(|problem| problem.is_error())
        .map_or(String::new(), |problem| format!("{}{more}", problem.code.slug()))
}

/// Handlers, tools and models echo their input.
fn run(graph: &PlanGraph) -> String {
    let stubs = serde_json::json!({
        "types": {"emit": "echo"}, "tools": {"t": "echo"}, "models": {"default": "echo"},
    });
    let mut stubs = Stubs::from_json(&stubs).unwrap();
    let program = match machine::bind::<Arc<serde_json::Value>>(graph, &Capabilities::of_stubs(&stubs), &()) {
        Ok((program, _)) => Arc::new(program),
        Err(problems) => {
            assert!(problems.len() <= 2 * MAX_PROBLEMS + 1);
            return first_error(&problems);
        }
    };
    let options = Options { observe: false, ..Options::new(Arc::new("go".into())) };
    let mut run = Run::new(Arc::clone(&program), (), options);
    let mut event = Event::Start { at_ms: 0.0 };
    while let Ok(step) = run.step(event) {
        if matches!(step.commands.first(), Some(Command::Continue)) {
            event = Event::Continue { at_ms: 0.0 };
            continue;
        }
        let Some(Command::Call(call)) = step.commands.first() else { break };
        let stubbed = stub::stub_answer(&mut stubs, &program, &(), run.last(), call).unwrap();
        event = Event::CallDone { call: call.id, result: stubbed.result, at_ms: 0.0 };
    }
    match run.outcome() {
        Some(Outcome::Completed(reason)) => reason.as_str().to_owned(),
        Some(Outcome::Failed { code, .. }) => code.clone(),
        other => format!("{other:?}"),
    }
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{}", line(i));
        text
    })
}

fn nodes(count: usize, node: &str) -> String {
    format!("nodes:\n{}", lines(count, |i| format!("  n{i}: {node}")))
}

fn edges(count: usize, edge: impl Fn(usize) -> String) -> String {
    format!("edges:\n{}", lines(count, |i| format!("  - {}", edge(i))))
}

fn chain(count: usize) -> String {
    edges(count, |i| format!("{{from: n{i}, to: n{}}}", i + 1))
}

fn check(cases: &[(&str, String, &str)]) {
    for (name, text, expected) in cases {
        assert_eq!(outcome(text), *expected, "{name}");
    }
}

#[test]
fn many_nodes() {
    let alone = nodes(MANY, "{type: noop}");
    let long = format!("{{type: log, input: {}}}", "x".repeat(1000));
    let names = lines(MANY, |i| format!("  {}{i}: {{type: noop}}", "n".repeat(60)));
    check(&[
        ("no edges", alone.clone(), "graph/ambiguous-start"),
        ("no edges, but a start", format!("start: n7\n{alone}"), "terminal"),
        ("10 MB", format!("start: n0\n{}", nodes(10_000, &long)), "terminal"),
        ("a chain", format!("limits: {{visits: 1}}\n{}{}", alone, chain(MANY - 1)), "terminal"),
        (
            "a ring",
            format!("start: n0\n{alone}{}  - {{from: n{}, to: n0}}\n", chain(MANY - 1), MANY - 1),
            "graph/endless-loop",
        ),
        ("no types", nodes(MANY, "{}"), "graph/missing-type and more"),
        (
            "unknown types",
            format!("start: n0\n{}", nodes(MANY, "{type: emti}")),
            "graph/unknown-type and more",
        ),
        ("models", format!("start: n0\n{}", nodes(MANY, "{type: llm, with: {model: x}}")), "terminal"),
        ("no tools", format!("start: n0\n{}", nodes(MANY, "{type: tool}")), "graph/missing-tool and more"),
        (
            "unknown tools",
            format!("start: n0\n{}", nodes(MANY, "{type: tool, tool: tt}")),
            "graph/unknown-tool and more",
        ),
        (
            "one id",
            format!("start: n0\n{}", nodes(MANY, "{type: noop, id: same}")),
            "graph/duplicate-id and more",
        ),
        ("wrong shapes", nodes(MANY, "3"), "graph/wrong-shape and more"),
        ("long names", format!("start: x\nnodes:\n{names}"), "graph/unknown-start"),
    ]);
}

#[test]
fn many_edges() {
    let two = "start: n0\nnodes: {n0: {type: noop}, n1: {type: noop}}\n";
    let all = format!("start: n0\n{}", nodes(MANY, "{type: noop}"));
    let wrong = |i: usize| format!("{{from: m{i}, to: m{}}}", i + 1);
    check(&[
        (
            "of one node",
            format!("{two}{}", edges(MANY, |i| format!("{{from: n0, to: n1, condition: last=={i}}}"))),
            "no-match",
        ),
        (
            "fallbacks of one node",
            format!("{two}{}", edges(MANY, |_| "{from: n0, to: n1}".to_owned())),
            "terminal",
        ),
        (
            "a fan",
            format!("{all}{}", edges(MANY, |i| format!("{{from: n0, to: n{i}, condition: last==x}}"))),
            "no-match",
        ),
        ("to nowhere", format!("{all}{}", edges(MANY, wrong)), "graph/unknown-node and more"),
        (
            "without ends",
            format!("{all}{}", edges(MANY, |_| "{}".to_owned())),
            "graph/missing-endpoint and more",
        ),
        (
            "bad conditions",
            format!("{two}{}", edges(MANY, |_| "{from: n0, to: n1, condition: x}".to_owned())),
            "condition/syntax and more",
        ),
        (
            "unknown outputs",
            format!("{all}{}", edges(MANY, |i| format!("{{from: n0, to: n1, condition: output.m{i}==x}}"))),
            "no-match",
        ),
        ("no lists", format!("{two}edges: {{a: 1}}\n"), "graph/wrong-shape"),
    ]);
}

#[test]
fn many_keys() {
    let good = "nodes: {a: {type: noop}}\n";
    let keys = |indent: &str| lines(MANY, |i| format!("{indent}k{i}: 1"));
    check(&[
        ("of a plan", format!("{good}{}", keys("")), "graph/unknown-key and more"),
        (
            "of a node",
            format!("nodes:\n  a:\n    type: noop\n{}", keys("    ")),
            "graph/unknown-key and more",
        ),
        (
            "of an edge",
            format!("start: a\n{good}edges:\n  - from: a\n{}    to: a\n", keys("    ")),
            "graph/unknown-key and more",
        ),
        ("of limits", format!("{good}limits:\n{}", keys("  ")), "graph/unknown-key and more"),
        ("of a layout", format!("{good}layout:\n{}", keys("  ")), "graph/wrong-shape and more"),
        (
            "of metadata",
            format!("nodes:\n  a:\n    type: noop\n    metadata:\n{}", keys("      ")),
            "terminal",
        ),
        (
            "of settings",
            format!("nodes:\n  a:\n    type: llm\n    with:\n{}", keys("      ")),
            "graph/unknown-key and more",
        ),
        ("an error behind others", format!("{}nodes: {{a: {{}}}}\n", keys("")), "graph/unknown-key and more"),
    ]);
}

#[test]
fn large_expressions() {
    let condition = |text: &str| {
        format!(
            "start: a\nnodes: {{a: {{type: noop}}}}\nedges:\n  - from: a\n    to: a\n    condition: '{text}'\n"
        )
    };
    let input = |text: &str| format!("nodes:\n  a:\n    type: log\n    input: '{text}'\n");
    let repeat = |text: &str| text.repeat(1_000_000 / text.len());
    check(&[
        ("a literal", condition(&format!("last=={}", repeat("x"))), "no-match"),
        ("alternatives", condition(&format!("last==y{}", repeat(" || last==x"))), "no-match"),
        ("alternatives in groups", condition(&format!("last==y{}", repeat(" || (last==x)"))), "no-match"),
        ("literals in doubt", condition(&format!("last==y{}", repeat(" && last==x==y"))), "no-match"),
        ("references in doubt", condition(&format!("last==y{}", repeat(" && output.aaaaa==x"))), "no-match"),
        (
            "references out of scope",
            condition(&format!("last==y{}", repeat(" && item==x"))),
            "reference/not-in-scope and more",
        ),
        ("parentheses", condition(&repeat("(")), "condition/syntax"),
        ("negations", condition(&repeat("!")), "condition/syntax"),
        ("a path", condition(&format!("last{}==x", repeat(".a"))), "no-match"),
        ("indices", condition(&format!("last{}==x", repeat("[0]"))), "no-match"),
        ("an open quote", condition(&format!("last==\"{}", repeat("x"))), "condition/syntax"),
        (
            "brackets in a literal",
            condition(&format!("last=={}", "[".repeat(900_000))),
            "expression/too-long",
        ),
        ("one word", condition(&repeat("x")), "condition/syntax"),
        ("holes", input(&repeat("${last} ")), "terminal"),
        ("choices", input(&format!("${{{}last}}", repeat("context.a ?? "))), "terminal"),
        ("choices without blanks", input(&format!("${{{}last}}", repeat("context.a??"))), "terminal"),
        ("escapes", input(&repeat("$${")), "terminal"),
        ("an open hole", input(&format!("${{last{}", repeat(" "))), "template/syntax"),
        ("open holes", input(&repeat("${last ?? ")), "template/syntax"),
        ("holes out of scope", input(&repeat("${item}")), "reference/not-in-scope and more"),
        ("dollars", input(&repeat("$")), "terminal"),
        ("a chain", condition(&format!("has(last.a){}", " && has(last.b)".repeat(4300))), "no-match"),
        ("operators without operands", input(&format!("${{{}}}", "?".repeat(60_000))), "template/syntax"),
    ]);
}

#[test]
fn many_mistakes_in_few_expressions() {
    let mistakes = format!("${{[{}1]}}", "1/0,".repeat(15_000));
    let text = format!(
        "nodes:\n  a:\n    type: log\n    input:\n{}",
        lines(5, |i| format!("      v{i}: '{mistakes}'"))
    );
    let parsed = PlanGraph::parse(&text, Format::Auto);
    let plan = parsed.graph.as_ref().unwrap();
    let found = stepgraph_core::check::check(plan, &Capabilities::default());
    assert_eq!(found.len() + parsed.diagnostics.len(), 5 * 20);
}

#[test]
fn deep_and_repeated() {
    let nested = |depth: usize, open: &str, middle: &str, close: &str| {
        format!("nodes: {{a: {{type: log, input: {}{middle}{}}}}}", open.repeat(depth), close.repeat(depth))
    };
    let wide = "x,".repeat(MANY);
    let bomb = lines(9, |i| format!("      k{}: &k{} [{}]", i + 1, i + 1, format!("*k{i},").repeat(9)));
    let base = "{type: noop}";
    let shared = lines(20_000, |i| format!("  n{i}: *base"));
    check(&[
        ("deep", nested(100, "[", "1", "]"), "terminal"),
        ("deep with a hole", nested(100, "[", "\"${last}\"", "]"), "terminal"),
        ("deep and wide", nested(100, "[", &wide, "]"), "terminal"),
        ("deep and wide with holes", nested(100, "[", &"\"${last}\",".repeat(20_000), "]"), "terminal"),
        ("too deep", nested(900_000, "[", "", ""), "source/too-deep"),
        ("too deep a map", nested(900_000, "{a: ", "", ""), "source/too-deep"),
        (
            "a bomb",
            format!("nodes:\n  a:\n    type: log\n    input:\n      k0: &k0 [x]\n{bomb}"),
            "source/too-many-aliases",
        ),
        ("nodes repeated", format!("start: base\nnodes:\n  base: &base {base}\n{shared}"), "terminal"),
        (
            "a bomb of nodes",
            format!(
                "start: n0\nnodes:\n  base: &base {{type: log, input: [{}]}}\n{shared}",
                "x,".repeat(1000)
            ),
            "source/too-many-aliases",
        ),
    ]);
}

#[test]
fn json_is_no_worse() {
    let nodes: String = (0..MANY).map(|i| format!("\"n{i}\":{{\"type\":\"noop\"}},")).collect();
    let edges: String = (0..MANY).map(|i| format!("{{\"from\":\"n{i}\",\"to\":\"m{i}\"}},")).collect();
    let open = format!("{{\"nodes\":{}", "[".repeat(1_000_000));
    check(&[
        (
            "nodes",
            format!("{{\"start\":\"z\",\"nodes\":{{{nodes}\"z\":{{\"type\":\"noop\"}}}}}}"),
            "terminal",
        ),
        (
            "edges",
            format!(
                "{{\"start\":\"z\",\"nodes\":{{{nodes}\"z\":{{\"type\":\"noop\"}}}},\"edges\":[{edges}{{}}]}}"
            ),
            "graph/unknown-node and more",
        ),
        ("deep", open, "source/too-deep"),
    ]);
}
