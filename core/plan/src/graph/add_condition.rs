//! Adds a condition to an edge, as a new key in the edge's style or as the value of an empty condition.

use crate::graph::{Edge, Graph, PlanGraph};
use stepgraph_text::diagnostic::Span;
use stepgraph_text::diagnostic::TextEdit;

/// `None` if the edge's style is unknown.
pub fn write_condition(plan: &PlanGraph, graph: &Graph, edge: &Edge, condition: &str) -> Option<TextEdit> {
    let item = plan.edge_value(graph, edge)?;
    let source = plan.source.as_str();
    let entries = item.as_map()?;
    let (first, last) = entries.first().zip(entries.last())?;
    let quoted = source.get(first.key_span.start..)?.starts_with('"');
    let value = if quoted { format!("\"{condition}\"") } else { condition.to_owned() };
    if let Some(entry) = entries.iter().find(|entry| entry.key == "condition") {
        let span = entry.value.span;
        let written = source.get(span.start..span.end)?;
        let one_line =
            !written.is_empty() && !written.contains('\n') && !written.starts_with(['|', '>', '*', '&', '!']);
        return one_line.then_some(TextEdit { span, text: value });
    }
    let key = if quoted { "\"condition\"" } else { "condition" };
    if source.get(item.span.start..)?.starts_with('{') {
        let written = source.get(last.value.span.start..last.value.span.end)?;
        let span = Span::at(last.value.span.end);
        return (!written.is_empty()).then(|| TextEdit { span, text: format!(", {key}: {value}") });
    }
    // Before the first key, where the indentation is known.
    let start = first.key_span.start;
    let line = source.get(..start)?.rfind('\n').map_or(0, |end| end + 1);
    let before = source.get(line..start)?;
    let indent = " ".repeat(before.len());
    let plain = before.chars().all(|c| c == ' ' || c == '-');
    plain.then(|| TextEdit { span: Span::at(start), text: format!("{key}: {value}\n{indent}") })
}
