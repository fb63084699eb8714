//! Reads markers and records of our own flowcharts. A record must match its label, which users may edit.

use super::flowchart::Flowchart;
use super::subgraphs::{Element, ElementEdge, Nesting};
use crate::interop::import_report::ImportReport;
use crate::interop::node_label::{self, LabelContent};
use stepgraph_core::diagnostic::Code;

/// Deeper plans do not parse.
const MAX_DEPTH: usize = 60;

pub(super) fn read_nesting(flowchart: &Flowchart, report: &mut ImportReport) -> Nesting {
    let mut nesting = Nesting::with_all_subgraphs(flowchart);
    let subgraph = |id: &str, end: &str| flowchart.subgraph_of(id.strip_suffix(end)?);
    let is_end = |id: &str| id == "finish" || subgraph(id, "_out").is_some();
    for (edge, it) in flowchart.edges.iter().enumerate() {
        let (Some(from), Some(to)) = (flowchart.nodes.get(it.from), flowchart.nodes.get(it.to)) else {
            continue;
        };
        let element =
            |id: &str, at: usize, end: &str| subgraph(id, end).map_or(Element::Node(at), Element::Subgraph);
        let target = element(&to.id, it.to, "_in");
        if from.id == "start" || subgraph(&from.id, "_in").is_some() {
            let graph = nesting.enclosing_graphs(flowchart, target).next();
            nesting.starts.entry(graph).or_insert(target);
        } else if !is_end(&to.id) {
            nesting.edges.push(ElementEdge { from: element(&from.id, it.from, "_out"), to: target, edge });
        }
    }
    let too_deep = flowchart.subgraphs.iter().position(|subgraph| subgraph.depth > MAX_DEPTH);
    if let Some(subgraph) = too_deep.and_then(|at| flowchart.subgraphs.get(at)) {
        report.add("subgraph", Code::ImportFlattened, subgraph.span, "subgraphs are nested too deeply", "");
        return Nesting::infer(flowchart).0;
    }
    nesting
}

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
    // A record with another key is outdated.
    let Some(key) = text("key").filter(|key| node_label::shorten_name(key) == shown.key) else {
        return (shown, None);
    };
    let label =
        LabelContent { kind: text("type").unwrap_or_else(|| shown.kind.clone()), tool: text("tool"), key };
    (label, record.map(str::to_owned))
}
