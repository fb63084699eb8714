//! Properties of texts imported as plans of other programs.

use super::hash_of;
use super::seeds::bytes;
use crate::interop::sources;
use stepgraph_authoring::interop::{Direction, Source, dot, import, mermaid};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::{Format, decode};

pub(super) const FLOWCHART: &[&str] = &[
    "graph TD",
    "flowchart",
    "subgraph ",
    "end",
    "direction LR",
    "-->",
    "---",
    "-.->",
    "==>",
    "<-->",
    "~~~",
    "-- x -->",
    "|x|",
    "|\"",
    "[\"",
    "\"]",
    "((",
    "))",
    "{{",
    "}}",
    "[/",
    "\\]",
    "@{",
    "shape: diamond",
    ":::",
    "&",
    ";",
    "\n",
    "%%",
    "%%{",
    "}%%",
    "%% stepgraph {}",
    "%% = {",
    "---\n",
    "style ",
    "classDef ",
    "click ",
    "n0_in",
    "n0_out",
    "start",
    "finish",
    "else",
    "last==a",
    "error.exists",
    "size(last.a) > 1",
    "<br/>",
    "#quot;",
    "`**",
    "é😀",
];
pub(super) const WORKFLOW: &[&str] = &[
    "document: ",
    "dsl: 1.0.1",
    "do:",
    "- a: ",
    "set: ",
    "switch:",
    "when: ",
    "then: ",
    "exit",
    "end",
    "continue",
    "for: ",
    "each: ",
    "in: ",
    "while: ",
    "fork: ",
    "branches:",
    "compete: true",
    "try: ",
    "catch: ",
    "retry: ",
    "raise: ",
    "run: ",
    "listen: ",
    "emit: ",
    "wait: ",
    "call: ",
    "http",
    "mcp",
    "with: ",
    "if: ",
    "input: ",
    "output: ",
    "from: ",
    "as: ",
    "export: ",
    "timeout: ",
    "after: ",
    "PT5S",
    "use: ",
    "functions: ",
    "${ ",
    " }",
    ".a",
    "$item",
    "$error",
    " and ",
    " or ",
    " | not",
    " == ",
    "\\(",
    "//",
    "[0]",
    "null",
    "[]",
    " | ",
    "length",
    "map(",
    "select(",
    "any(",
    "test(",
    ")",
    " + ",
    " / 2",
    "if ",
    " then ",
    " else ",
    " end",
];

/// Spans lie in the text, and the plan is sound and exports as a diagram.
fn check_import(bytes: &[u8], source: Source) -> u64 {
    let Ok(text) = decode(bytes) else { return 0 };
    let imported = import(text, source);
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for finding in &imported.findings {
        let span = finding.diagnostic.span.unwrap_or_default();
        assert!(text.get(span.start..span.end).is_some(), "{finding:?} is outside the text");
        seen.push((finding.construct, finding.diagnostic.code.slug()));
    }
    seen.dedup();
    seen.truncate(12);
    if let Some(plan) = imported.text {
        let parsed = PlanGraph::parse(&plan, Format::Yaml);
        assert!(
            parsed.graph.as_ref().is_some_and(PlanGraph::is_sound),
            "{:?} in\n{plan}",
            parsed.diagnostics
        );
        let Some(graph) = parsed.graph else { return hash_of(seen) };
        let drawn = mermaid::write(&graph, Direction::Down);
        let again = mermaid::import(&drawn).findings;
        assert!(again.iter().all(|finding| finding.construct == "drawing"), "{drawn}");
        assert!(dot::write(&graph, Direction::Right).ends_with("}\n"), "{plan}");
    }
    hash_of(seen)
}

pub(super) fn flowchart(bytes: &[u8]) -> u64 {
    check_import(bytes, Source::Mermaid)
}

pub(super) fn workflow(bytes: &[u8]) -> u64 {
    check_import(bytes, Source::Serverless)
}

fn seeds(source: Source) -> Vec<Vec<u8>> {
    let texts: Vec<String> =
        sources().into_iter().filter(|it| it.source == source).map(|it| it.text).collect();
    bytes(&texts)
}

pub(super) fn flowcharts() -> Vec<Vec<u8>> {
    seeds(Source::Mermaid)
}

pub(super) fn workflows() -> Vec<Vec<u8>> {
    seeds(Source::Serverless)
}
