//! Writes a diagram for Graphviz.
//!
//! Invariants:
//! 1. The same plan produces the same text.
//! 2. A name cannot end its label.
//!
//! Source: the DOT language and Graphviz's `escString`. `tests/cli/drawings.test.mjs` checks the output.

use super::Direction;
use super::diagram::{DiagramEdge, DiagramItem, DiagramNode, EdgeStyle, GraphMarker, NodeStyle, items};
use super::node_label::wrap;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::PlanGraph;

/// Graphviz does not wrap lines itself.
const NAME_COLUMNS: usize = 30;
const CONDITION_COLUMNS: usize = 26;

/// Writes a digraph, like [`super::mermaid::write`].
///
/// # Example
/// ```
/// use stepgraph_authoring::interop::{Direction, dot};
/// use stepgraph_core::{graph::PlanGraph, source::Format};
/// let plan = PlanGraph::parse("nodes: {say: {type: log, input: hi}}", Format::Auto).graph.unwrap();
/// assert!(dot::write(&plan, Direction::Down).contains("n0 [label=\"say\\nlog\""));
/// ```
pub fn write(plan: &PlanGraph, direction: Direction) -> String {
    let mut writer = Writer { out: String::new(), depth: 0 };
    let name = plan.id.as_deref().unwrap_or("plan");
    writer.line(&format!("digraph \"{}\" {{", escape(&super::node_label::shorten_name(name))));
    writer.depth = 1;
    let rank = if direction == Direction::Down { "TB" } else { direction.as_str() };
    writer.line(&format!("graph [rankdir={rank}, labeljust=l, fontname=\"sans-serif\", fontsize=11, nodesep=0.35, ranksep=0.45];"));
    writer.line("node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", color=\"#6b7685\", fontname=\"sans-serif\", fontsize=11, margin=\"0.16,0.08\"];");
    writer.line("edge [color=\"#4a5462\", fontname=\"sans-serif\", fontsize=9, arrowsize=0.7];");
    for item in items(plan) {
        writer.item(&item);
    }
    writer.depth = 0;
    writer.line("}");
    writer.out
}

struct Writer {
    out: String,
    depth: usize,
}

impl Writer {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn item(&mut self, item: &DiagramItem) {
        match item {
            DiagramItem::OpenSubgraph(subgraph) => {
                self.line(&format!("subgraph cluster_{} {{", subgraph.id));
                self.depth += 1;
                let look = match (subgraph.is_branch, subgraph.is_unreachable) {
                    (true, _) => "style=\"rounded,dashed\"; color=\"#c9d0d9\"; bgcolor=\"#ffffff\"",
                    (_, true) => "style=\"rounded,dashed\"; color=\"#a9b2be\"; fontcolor=\"#8a94a3\"",
                    _ => "style=rounded; color=\"#a9b2be\"; bgcolor=\"#f7f8fa\"",
                };
                self.line(&format!("label=\"{}\"; {look};", escape(&subgraph.title)));
            }
            DiagramItem::CloseSubgraph => {
                self.depth -= 1;
                self.line("}");
            }
            DiagramItem::Node(node) => self.node(node),
            DiagramItem::Marker(id, marker) => {
                let shape = match marker {
                    GraphMarker::Start => "shape=circle, width=0.2",
                    GraphMarker::End => "shape=doublecircle, width=0.16",
                    GraphMarker::Entry | GraphMarker::Exit => "shape=circle, width=0.11",
                };
                self.line(&format!(
                    "{id} [label=\"\", {shape}, style=filled, fillcolor=\"#4a5462\", color=\"#4a5462\"];"
                ));
            }
            DiagramItem::Edge(edge) => self.edge(edge),
        }
    }

    fn node(&mut self, node: &DiagramNode) {
        let label = node.lines.iter().flat_map(|line| wrap(line, NAME_COLUMNS));
        let label = label.map(|line| escape(&line)).collect_vec().join("\\n");
        let lost = if node.is_unreachable { ", style=\"dashed\", fontcolor=\"#8a94a3\"" } else { "" };
        self.line(&format!("{} [label=\"{label}\", {}{lost}];", node.id, attributes(node.style)));
    }

    fn edge(&mut self, edge: &DiagramEdge) {
        let mut attributes = Vec::new();
        if let Some(label) = &edge.label {
            let label =
                wrap(label, CONDITION_COLUMNS).iter().map(|line| escape(line)).collect_vec().join("\\n");
            // Keeps the label away from the line.
            attributes.push(format!("label=\" {label} \""));
        }
        match edge.style {
            EdgeStyle::Failure => attributes
                .push("style=dashed, color=\"#c8372d\", fontcolor=\"#c8372d\", class=failure".to_owned()),
            _ if edge.is_back => {
                attributes.push("style=bold, color=\"#2f6fd0\", class=loop".to_owned());
            }
            EdgeStyle::Marker => attributes.push("color=\"#9aa4b1\", class=way".to_owned()),
            EdgeStyle::MayEnd => attributes.push("style=dotted, color=\"#9aa4b1\", class=way".to_owned()),
            EdgeStyle::Normal => {}
        }
        let attributes =
            if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        self.line(&format!("{} -> {}{attributes};", edge.from, edge.to));
    }
}

fn attributes(style: NodeStyle) -> &'static str {
    match style {
        NodeStyle::Tool => {
            "class=tool, shape=box, style=filled, peripheries=2, fillcolor=\"#e3effd\", color=\"#2f6fd0\""
        }
        NodeStyle::Model => "class=model, fillcolor=\"#f0e8fd\", color=\"#7c4fd0\"",
        NodeStyle::Decision => {
            "class=decision, shape=diamond, style=filled, margin=\"0.02,0.02\", fillcolor=\"#fdf3d7\", color=\"#b98a1c\""
        }
        NodeStyle::Pass => "class=pass, fillcolor=\"#f2f4f7\", color=\"#8a94a3\"",
        NodeStyle::Log => "class=log, shape=note, style=filled, fillcolor=\"#e6f4ea\", color=\"#3c8f55\"",
        NodeStyle::Set => "class=set, shape=hexagon, style=filled, fillcolor=\"#e0f4f1\", color=\"#1f8a7c\"",
        NodeStyle::Wait => {
            "class=wait, shape=invtrapezium, style=filled, fillcolor=\"#fdeee0\", color=\"#b9651c\""
        }
        NodeStyle::Approval => {
            "class=ask, shape=house, style=filled, fillcolor=\"#fde7ef\", color=\"#c4447a\""
        }
        NodeStyle::Other => "class=other",
    }
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // Graphviz decodes HTML entities.
            '&' => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
    out
}
