//! Maps offsets to nodes and edges, and back. The innermost wins.

use crate::plan_editor::PlanEditor;
use stepgraph_core::diagnostic::{Span, Target};
use stepgraph_core::graph::{Edge, Graph, PlanGraph, scoped_name};

/// `None` between items, or for an invalid plan.
pub fn target_at(editor: &PlanEditor, at: usize) -> Option<Target> {
    let plan = editor.document().plan()?;
    let mut found: Option<(Span, Target)> = None;
    let mut consider = |span: Span, target: &dyn Fn() -> Target| {
        let is_inner =
            found.as_ref().is_none_or(|(outer, _)| span.end - span.start <= outer.end - outer.start);
        if span.start <= at && at <= span.end && is_inner {
            found = Some((span, target()));
        }
    };
    for graph in plan.graphs() {
        for (position, node) in graph.nodes.iter().enumerate() {
            consider(node_span(plan, graph, position), &|| {
                Target::Node(scoped_name(&graph.scope, &node.key))
            });
        }
        for edge in &graph.edges {
            let span = edge_span(editor.text(), edge);
            consider(span, &|| Target::Edge(graph.scope.clone(), edge.index));
        }
    }
    found.map(|(_, target)| target)
}

/// `None` for an invalid plan.
pub fn target_span(editor: &PlanEditor, target: &Target) -> Option<Span> {
    let plan = editor.document().plan()?;
    plan.graphs().into_iter().find_map(|graph| match target {
        Target::Node(node_path) => {
            let key = node_path.strip_prefix(graph.scope.as_str())?;
            let key = if graph.scope.is_empty() { key } else { key.strip_prefix('/')? };
            let position = graph.nodes.iter().position(|node| node.key == key)?;
            Some(node_span(plan, graph, position))
        }
        Target::Edge(scope, index) | Target::Condition(scope, index) => {
            let edge =
                graph.edges.iter().find(|edge| edge.index == *index).filter(|_| graph.scope == *scope)?;
            Some(edge_span(editor.text(), edge))
        }
        Target::Document | Target::Call(_) => None,
    })
}

fn node_span(plan: &PlanGraph, graph: &Graph, position: usize) -> Span {
    let key = graph.nodes.get(position).map(|node| node.key_span).unwrap_or_default();
    let end = plan.node_entry(graph, position).map_or(key.end, |entry| entry.value.span.end.max(key.end));
    Span::new(key.start, end)
}

/// Whole lines for a block, else from first to last part.
fn edge_span(text: &str, edge: &Edge) -> Span {
    let mut span = edge.from.span;
    for part in [edge.to.span, edge.condition_span] {
        if part.end > part.start {
            span = Span::new(span.start.min(part.start), span.end.max(part.end));
        }
    }
    let before = text.get(..span.start).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let lead = before.get(line..).unwrap_or_default();
    let alone = lead.trim_start().starts_with("- ") && !lead.contains('}');
    let rest = text.get(span.end..).unwrap_or_default();
    let end = span.end + rest.find(['\n', '\r']).unwrap_or(rest.len());
    if alone { Span::new(line + lead.len() - lead.trim_start().len(), end) } else { span }
}
