//! What a drawing needs of a plan, as JSON: nodes, edges, places.
//!
//! Decides nothing. The plan may be that of an earlier text, whose places these then are.

use serde_json::{Value as Json, json};
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expr::Condition;
use stepgraph_core::graph::{Edge, Graph, Node, PlanGraph};
use stepgraph_core::source::Lines;
use stepgraph_shapes::diagnostics::span_json;

/// JSON `{current, text, id, start, nodes, edges, layout}`; `text` only of a plan that is not current, in which its places are.
pub(crate) fn outline(plan: &PlanGraph, current: bool) -> Json {
    let lines = Lines::new(plan.source());
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    for graph in plan.graphs() {
        nodes.extend(graph.nodes.iter().enumerate().map(|(at, found)| node(plan, graph, at, found, &lines)));
        edges.extend(graph.edges.iter().map(|found| edge(graph, found, &lines)));
    }
    let layout = plan.document.get("layout").map(|layout| layout.value.to_json());
    json!({
        "current": current, "text": (!current).then(|| plan.source()), "id": plan.id, "nodes": nodes, "edges": edges, "layout": layout,
    })
}

fn node(plan: &PlanGraph, graph: &Graph, at: usize, node: &Node, lines: &Lines<'_>) -> Json {
    let key = node.key_span;
    let entry = plan.entry(graph, at);
    let span = entry.map_or(key, |entry| {
        let end = entry.value.span.end.max(key.end);
        Span::new(key.start, end)
    });
    json!({
        "key": node.key, "id": node.id, "type": node.kind, "scope": graph.scope, "start": graph.start == Some(at),
        "tool": node.tool.as_ref().map(|tool| tool.name.as_str()),
        "description": entry.and_then(|entry| entry.value.get("description")).and_then(|found| found.value.as_text()),
        "holds": node.nested.iter().map(|nested| nested.graph.scope.as_str()).collect::<Vec<_>>(),
        "span": span_json(span, lines), "keySpan": span_json(key, lines),
    })
}

fn edge(graph: &Graph, edge: &Edge, lines: &Lines<'_>) -> Json {
    json!({
        "index": edge.index, "from": edge.from.name, "to": edge.to.name, "scope": graph.scope,
        "condition": edge.text, "fallback": edge.condition == Condition::Fallback,
        "fromSpan": span_json(edge.from.span, lines), "toSpan": span_json(edge.to.span, lines),
        "conditionSpan": (!edge.text.is_empty()).then(|| span_json(edge.condition_span, lines)),
    })
}
