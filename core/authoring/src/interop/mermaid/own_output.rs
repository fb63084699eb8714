//! Drawings that were made here: what they were drawn from.
//!
//! Decides how marks and records are understood. Whoever changes such a drawing by hand is understood as far as it goes: a record that
//! does not fit what is shown any more is left alone.

use super::flowchart::Flowchart;
use super::subgraphs::{Element, ElementEdge, Nesting};
use crate::interop::import_report::ImportReport;
use crate::interop::node_label::{self, LabelContent};
use stepgraph_core::diagnostic::Code;

/// Graphs inside graphs of a drawing of ours, beyond which no plan could be read.
const MAX_DEPTH: usize = 60;

/// The nesting of a drawing of ours: what marks stand for is put back.
pub(super) fn read_nesting(chart: &Flowchart, report: &mut ImportReport) -> Nesting {
    let mut nesting = Nesting::with_all_subgraphs(chart);
    let frame = |id: &str, end: &str| chart.subgraph_of(id.strip_suffix(end)?);
    let is_end = |id: &str| id == "finish" || frame(id, "_out").is_some();
    for (arrow, it) in chart.edges.iter().enumerate() {
        let (Some(from), Some(to)) = (chart.nodes.get(it.from), chart.nodes.get(it.to)) else { continue };
        let thing =
            |id: &str, at: usize, end: &str| frame(id, end).map_or(Element::Node(at), Element::Subgraph);
        let target = thing(&to.id, it.to, "_in");
        if from.id == "start" || frame(&from.id, "_in").is_some() {
            let graph = nesting.enclosing_graphs(chart, target).next();
            nesting.starts.entry(graph).or_insert(target);
        } else if !is_end(&to.id) {
            nesting.edges.push(ElementEdge {
                from: thing(&from.id, it.from, "_out"),
                to: target,
                edge: arrow,
            });
        }
    }
    let too_deep = chart.subgraphs.iter().position(|frame| frame.depth > MAX_DEPTH);
    if let Some(frame) = too_deep.and_then(|at| chart.subgraphs.get(at)) {
        report.add(
            "subgraph",
            Code::ImportFlattened,
            frame.span,
            "frames stand inside each other too deeply",
            "",
        );
        return Nesting::infer(chart).0;
    }
    nesting
}

/// What a node of a drawing of ours was drawn from.
pub(super) fn read_record(
    lines: &[String],
    record: Option<&str>,
    is_frame: bool,
) -> (LabelContent, Option<String>) {
    let shown = match (is_frame, lines) {
        (true, [title, ..]) => node_label::parse_title(title),
        _ => node_label::parse(lines),
    };
    let parsed = record.and_then(stepgraph_core::json::parse);
    let text = |key: &str| parsed.as_ref().and_then(|it| it.get(key)?.as_str()).map(str::to_owned);
    // A record of what is no more there belongs to something that was drawn before.
    let Some(key) = text("key").filter(|key| node_label::shorten_name(key) == shown.key) else {
        return (shown, None);
    };
    let told =
        LabelContent { kind: text("type").unwrap_or_else(|| shown.kind.clone()), tool: text("tool"), key };
    (told, record.map(str::to_owned))
}
