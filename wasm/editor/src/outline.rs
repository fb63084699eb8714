//! A plan's nodes, edges and positions as JSON. Spans of an outdated plan refer to its own text.

use serde_json::{Value as Json, json};
use stepgraph_codec::diagnostics::span_json;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::Condition;
use stepgraph_core::graph::{BrokenEdge, Edge, Graph, Named, Node, PlanGraph};
use stepgraph_core::source::LineIndex;

/// Returns JSON `{current, text, id, start, nodes, edges, layout}`. A plan that is not current has its own
/// `text`.
pub(crate) fn outline(plan: &PlanGraph, current: bool) -> Json {
    let lines = LineIndex::new(plan.source());
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    for graph in plan.graphs() {
        nodes.extend(
            graph.nodes.iter().enumerate().map(|(at, found)| node_json(plan, graph, at, found, &lines)),
        );
        let sound = graph.edges.iter().map(|found| (found.index, edge_json(graph, found, &lines)));
        let broken = graph.broken.iter().map(|found| (found.index, broken_edge_json(graph, found, &lines)));
        let mut all: Vec<(usize, Json)> = sound.chain(broken).collect();
        all.sort_by_key(|(index, _)| *index);
        edges.extend(all.into_iter().map(|(_, edge)| edge));
    }
    let layout = plan.document.get("layout").map(|layout| layout.value.to_json());
    json!({
        "current": current, "text": (!current).then(|| plan.source()), "id": plan.id, "nodes": nodes, "edges": edges, "layout": layout,
    })
}

fn node_json(plan: &PlanGraph, graph: &Graph, at: usize, node: &Node, lines: &LineIndex<'_>) -> Json {
    let key = node.key_span;
    let entry = plan.node_entry(graph, at);
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

fn edge_json(graph: &Graph, edge: &Edge, lines: &LineIndex<'_>) -> Json {
    json!({
        "index": edge.index, "from": edge.from.name, "to": edge.to.name, "scope": graph.scope,
        "condition": edge.condition_text, "fallback": edge.condition == Condition::Fallback,
        "fromSpan": span_json(edge.from.span, lines), "toSpan": span_json(edge.to.span, lines),
        "conditionSpan": (!edge.condition_text.is_empty()).then(|| span_json(edge.condition_span, lines)),
        "broken": edge.condition == Condition::Unreadable,
    })
}

/// Contains the names that the edge has.
fn broken_edge_json(graph: &Graph, edge: &BrokenEdge, lines: &LineIndex<'_>) -> Json {
    let name = |end: &Option<Named>| end.as_ref().map(|end| end.name.clone());
    let span = |end: &Option<Named>| span_json(end.as_ref().map_or(edge.span, |end| end.span), lines);
    json!({
        "index": edge.index, "from": name(&edge.from), "to": name(&edge.to), "scope": graph.scope,
        "condition": edge.condition_text, "fallback": false,
        "fromSpan": span(&edge.from), "toSpan": span(&edge.to), "conditionSpan": null, "broken": true,
    })
}
