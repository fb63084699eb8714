//! Writes and imports Mermaid flowcharts.
//!
//! Invariants:
//! 1. The same plan produces the same text.
//! 2. Labels contain only harmless characters, others as numeric escapes, so a name or condition cannot end
//!    its label or become markup.
//! 3. Importing the output restores nodes, types, edges, conditions and nesting.
//!
//! Source: Mermaid's flowchart syntax (version 11). `tests/cli/drawings.test.mjs` checks the output.

mod edges;
mod flowchart;
mod label_text;
mod link;
mod own_output;
mod parser;
mod statement;
mod subgraphs;
mod to_plan;

use super::diagram::{DiagramEdge, DiagramItem, DiagramNode, EdgeStyle, GraphMarker, NodeStyle, items};
use super::import_report::{ImportReport, ImportResult};
use super::{Direction, node_label};
use serde_json::{Map, Value as Json};
use std::fmt::Write as _;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::Format;

/// Identifies our output. A record follows.
const OWN_MARKER: &str = "%% stepgraph ";
/// The record belongs to the line above.
const RECORD_PREFIX: &str = "%% = ";

const COLORS: [(&str, &str); 13] = [
    ("tool", "fill:#e3effd,stroke:#2f6fd0,color:#14233a"),
    ("model", "fill:#f0e8fd,stroke:#7c4fd0,color:#2a1a45"),
    ("decision", "fill:#fdf3d7,stroke:#b98a1c,color:#3d2f0b"),
    ("pass", "fill:#f2f4f7,stroke:#8a94a3,color:#252c36"),
    ("log", "fill:#e6f4ea,stroke:#3c8f55,color:#16301e"),
    ("set", "fill:#e0f4f1,stroke:#1f8a7c,color:#0d3630"),
    ("wait", "fill:#fdeee0,stroke:#b9651c,color:#3f220b"),
    ("ask", "fill:#fde7ef,stroke:#c4447a,color:#431228"),
    ("other", "fill:#ffffff,stroke:#6b7685,color:#252c36"),
    ("mark", "fill:#4a5462,stroke:#4a5462,color:#ffffff"),
    ("frame", "fill:#f7f8fa,stroke:#a9b2be,color:#252c36"),
    ("branch", "fill:#ffffff,stroke:#c9d0d9,color:#4a5462,stroke-dasharray:4 3"),
    ("lost", "stroke-dasharray:4 3,opacity:0.55"),
];

/// Writes a flowchart.
///
/// Shapes show types. Failure edges are red and dashed, back edges blue and thick, unreachable elements pale.
/// A comment has the full text of a shortened label.
///
/// # Example
/// ```
/// use stepgraph_authoring::interop::{Direction, mermaid};
/// use stepgraph_core::{graph::PlanGraph, source::Format};
/// let plan = PlanGraph::parse("nodes: {say: {type: log, input: hi}}", Format::Auto).graph.unwrap();
/// let drawing = mermaid::write(&plan, Direction::Down);
/// assert!(drawing.starts_with("flowchart TD\n"));
/// assert!(drawing.contains("n0[/\"say<br/>log\"/]"));
/// ```
pub fn write(plan: &PlanGraph, direction: Direction) -> String {
    let mut writer =
        Writer { out: String::new(), depth: 1, links: EdgeIndexes::default(), classes: Map::new() };
    let _ = writeln!(writer.out, "flowchart {}", direction.as_str());
    let mut about = Map::new();
    if let Some(id) = &plan.id {
        about.insert("id".to_owned(), Json::from(id.as_str()));
    }
    writer.line(&format!("{OWN_MARKER}{}", node_label::comment_json(&Json::Object(about))));
    for item in items(plan) {
        writer.item(&item, direction);
    }
    writer.styles();
    writer.out
}

/// Imports a flowchart.
///
/// # Example
/// ```
/// use stepgraph_authoring::interop::mermaid;
/// let imported = mermaid::import("graph LR; A[Ask] -->|Yes| B; A --> C");
/// assert!(imported.text.unwrap().contains("{from: ask, to: b, condition: last == \"Yes\"}"));
/// ```
pub fn import(text: &str) -> ImportResult {
    let mut report = ImportReport::default();
    match parser::parse(text, &mut report) {
        Ok(mut flowchart) => {
            let imported = to_plan::to_plan(&flowchart, report.clone());
            let sound = |text: &String| PlanGraph::parse(text, Format::Yaml).into_sound().is_some();
            if flowchart.own_record.is_none() || imported.text.as_ref().is_some_and(sound) {
                return imported;
            }
            // A user changed our diagram, which wins over the record.
            flowchart.own_record = None;
            to_plan::to_plan(&flowchart, report)
        }
        Err(diagnostic) => ImportResult::unreadable(vec![diagnostic]),
    }
}

#[derive(Default)]
struct EdgeIndexes {
    count: usize,
    failures: Vec<String>,
    loops: Vec<String>,
    markers: Vec<String>,
}

struct Writer {
    out: String,
    depth: usize,
    links: EdgeIndexes,
    classes: Map<String, Json>,
}

impl Writer {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn item(&mut self, item: &DiagramItem, direction: Direction) {
        match item {
            DiagramItem::OpenSubgraph(subgraph) => {
                self.line(&format!("subgraph {}[\"{}\"]", subgraph.id, escape(&subgraph.title)));
                self.record(subgraph.record.as_deref());
                self.depth += 1;
                self.line(&format!("direction {}", direction.as_str()));
                self.class(if subgraph.is_branch { "branch" } else { "frame" }, &subgraph.id);
                if subgraph.is_unreachable {
                    self.class("lost", &subgraph.id);
                }
            }
            DiagramItem::CloseSubgraph => {
                self.depth -= 1;
                self.line("end");
            }
            DiagramItem::Node(node) => self.node(node),
            DiagramItem::Marker(id, marker) => {
                let shape = match marker {
                    GraphMarker::Start => "((start))",
                    GraphMarker::End => "(((end)))",
                    GraphMarker::Entry => "((in))",
                    GraphMarker::Exit => "((out))",
                };
                self.line(&format!("{id}{}", shape.replace("end", "\"end\"")));
                self.class("mark", id);
            }
            DiagramItem::Edge(edge) => self.edge(edge),
        }
    }

    fn node(&mut self, node: &DiagramNode) {
        let (open, close) = brackets(node.style);
        let text = node.lines.iter().map(|line| escape(line)).collect_vec().join("<br/>");
        self.line(&format!("{}{open}\"{text}\"{close}", node.id));
        self.record(node.record.as_deref());
        self.class(node.style.as_str(), &node.id);
        if node.is_unreachable {
            self.class("lost", &node.id);
        }
    }

    fn edge(&mut self, edge: &DiagramEdge) {
        let number = self.links.count.to_string();
        self.links.count += 1;
        let line = match (edge.style, edge.is_back) {
            (EdgeStyle::Failure | EdgeStyle::MayEnd, _) => "-.->",
            (_, true) => "==>",
            _ => "-->",
        };
        match edge.style {
            EdgeStyle::Failure => self.links.failures.push(number),
            _ if edge.is_back => self.links.loops.push(number),
            EdgeStyle::Marker | EdgeStyle::MayEnd => self.links.markers.push(number),
            EdgeStyle::Normal => {}
        }
        let text = edge.label.as_deref().map(|label| format!("|\"{}\"|", escape(label)));
        self.line(&format!("{} {line}{} {}", edge.from, text.unwrap_or_default(), edge.to));
        self.record(edge.record.as_deref());
    }

    fn record(&mut self, record: Option<&str>) {
        if let Some(record) = record {
            self.line(&format!("{RECORD_PREFIX}{record}"));
        }
    }

    fn class(&mut self, class: &str, id: &str) {
        let ids = self.classes.entry(class).or_insert_with(|| Json::from(""));
        if let Json::String(ids) = ids {
            ids.push_str(if ids.is_empty() { "" } else { "," });
            ids.push_str(id);
        }
    }

    fn styles(&mut self) {
        for (class, look) in COLORS {
            if let Some(ids) = self.classes.get(class).and_then(Json::as_str) {
                let ids = ids.to_owned();
                self.line(&format!("classDef {class} {look}"));
                self.line(&format!("class {ids} {class}"));
            }
        }
        let links = std::mem::take(&mut self.links);
        for (numbers, look) in [
            (links.failures, "stroke:#c8372d,stroke-dasharray:5 4,color:#c8372d"),
            (links.loops, "stroke:#2f6fd0,stroke-width:2.5px"),
            (links.markers, "stroke:#9aa4b1"),
        ] {
            if !numbers.is_empty() {
                self.line(&format!("linkStyle {} {look}", numbers.join(",")));
            }
        }
    }
}

fn brackets(style: NodeStyle) -> (&'static str, &'static str) {
    match style {
        NodeStyle::Tool => ("[[", "]]"),
        NodeStyle::Model => ("([", "])"),
        NodeStyle::Decision => ("{", "}"),
        NodeStyle::Pass => ("(", ")"),
        NodeStyle::Log => ("[/", "/]"),
        NodeStyle::Set => ("{{", "}}"),
        NodeStyle::Wait => ("[\\", "/]"),
        NodeStyle::Approval => ("[/", "\\]"),
        NodeStyle::Other => ("[", "]"),
    }
}

/// Also escapes Markdown, and colons that Mermaid could parse as a `style` line.
fn escape(text: &str) -> String {
    let styled = text.contains("style") || text.contains("classDef");
    let mut out = String::new();
    let mut before = ' ';
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let after = rest.clone().next().unwrap_or(' ');
        let inside = before.is_alphanumeric() && after.is_alphanumeric();
        let harmless = match c {
            ' ' | ',' | '=' | '?' | '!' | '(' | ')' | '/' | '\'' | '$' => true,
            ':' => !styled,
            '.' => !before.is_ascii_digit() || inside,
            '_' | '-' => inside,
            c if c.is_ascii() => c.is_ascii_alphanumeric(),
            // Mermaid's internal escapes.
            'ﬂ' | '¶' => false,
            _ => true,
        };
        if harmless {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
        before = c;
    }
    out
}
