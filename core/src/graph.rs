//! The plan as a document: nodes, edges, and where each stands in the text.
//!
//! Decides what a plan file says. Does not know who will handle its nodes (that is [`crate::host::Capabilities`]) nor how
//! it runs (that is [`crate::machine`]).
//!
//! Invariants:
//! 1. a [`PlanGraph`] without errors has a start, and every edge leads from one of its nodes to another;
//! 2. conditions and templates were read when the plan was read, never while it runs;
//! 3. all problems are reported at once, in the order of the document.
//!
//! Source: seed 002, "Contrato del grafo"; design section 4.

mod check;
mod flow;
mod hash;
mod mentions;
mod places;
mod read;
mod shape;
mod text;

pub use check::check;
pub use text::Texts;

use crate::diagnostic::{Diagnostic, Problems, Span};
use crate::expr::Condition;
use crate::source::{self, Entry, Format, Spanned};
use serde_json::Value as Json;

/// A plan: a graph of typed nodes.
#[derive(Debug, Clone)]
pub struct PlanGraph {
    /// What the plan calls itself.
    pub id: Option<String>,
    /// The node at which a run begins, by position; `None` only where there are errors.
    pub start: Option<usize>,
    /// Where the start is named, when it is.
    pub start_span: Option<Span>,
    /// The nodes, in the order of the text.
    pub nodes: Vec<Node>,
    /// The edges, in the order of the text.
    pub edges: Vec<Edge>,
    /// The edges that leave each node, by position, in the order of the text.
    pub outgoing: Vec<Vec<usize>>,
    /// The bounds of a run.
    pub limits: Limits,
    /// The document as it was read.
    pub document: Spanned,
}

/// One node.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its key in `nodes`, which edges use.
    pub key: String,
    /// Where the key stands.
    pub key_span: Span,
    /// Its id, which outputs and events use; the key unless `id` says otherwise.
    pub id: String,
    /// Where the id stands; the key's place unless `id` says otherwise.
    pub id_span: Span,
    /// What it does.
    pub kind: String,
    /// Where its type stands.
    pub kind_span: Span,
    /// The tool it names, in `tool` or `metadata.tool`.
    pub tool: Option<Named>,
    /// Its input, unless that is absent or null.
    pub input: Option<Texts>,
    /// Where the input stands.
    pub input_span: Span,
    /// Free text.
    pub metadata: Vec<(String, String)>,
    /// The settings of its type.
    pub with: Option<Texts>,
    /// Where the settings stand.
    pub with_span: Span,
    /// How often a run may visit it.
    pub visits: Option<u32>,
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// One edge.
#[derive(Debug, Clone)]
pub struct Edge {
    /// Where it leads from, as written.
    pub from: Named,
    /// Where it leads to, as written.
    pub to: Named,
    /// The node it leaves, by position.
    pub source: usize,
    /// The node it reaches, by position.
    pub target: usize,
    /// Its condition as written; empty for none.
    pub text: String,
    /// Where the condition stands.
    pub condition_span: Span,
    /// Its condition.
    pub condition: Condition,
    /// Its position in `edges`.
    pub index: usize,
}

/// The bounds of a run.
///
/// # Units
/// Counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Visits of one node.
    pub visits: u32,
    /// Nodes run in all.
    pub steps: Option<u32>,
    /// Calls to tools, models and handlers in all.
    pub calls: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { visits: 25, steps: None, calls: None }
    }
}

/// A plan as far as it could be read, and everything found wrong with it.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The plan; there is none when there are errors.
    pub graph: Option<PlanGraph>,
    /// All problems, in the order of the document.
    pub diagnostics: Vec<Diagnostic>,
}

impl PlanGraph {
    /// Reads and checks a plan.
    ///
    /// # Example
    /// ```
    /// use stepgraph_core::{graph::PlanGraph, source::Format};
    /// let parsed = PlanGraph::parse("nodes: {hello: {type: log, input: hi}}", Format::Auto);
    /// assert!(parsed.diagnostics.is_empty());
    /// assert_eq!(parsed.graph.unwrap().nodes[0].id, "hello");
    /// ```
    pub fn parse(text: &str, format: Format) -> Parsed {
        let source::Document { root, diagnostics, .. } = source::read(text, format);
        let mut problems = Problems::after_reading(diagnostics, text);
        let found = root.and_then(|root| read::read(root, text, &mut problems));
        if let Some(read::Read { graph, whole }) = &found {
            flow::check(graph, text, *whole, &mut problems);
        }
        let graph = found.map(|found| found.graph).filter(|_| !problems.has_errors());
        Parsed { graph, diagnostics: problems.finish() }
    }

    /// What the document says of the node at a position.
    pub fn entry(&self, node: usize) -> Option<&Entry> {
        self.document.get("nodes")?.value.as_map()?.get(node)
    }

    /// The plan as plain JSON, as it was written.
    pub fn to_json(&self) -> Json {
        self.document.to_json()
    }

    /// Identifies the plan's meaning: the same for any layout, comments, order of keys and format.
    ///
    /// # Shape
    /// SHA-256 in hexadecimal, of the plan without `layout` and `tests`, keys sorted.
    pub fn hash(&self) -> String {
        hash::hash(&self.to_json())
    }

    /// The edges that leave a node, in the order of the text.
    pub fn edges_from(&self, node: usize) -> impl Iterator<Item = &Edge> {
        self.outgoing.get(node).into_iter().flatten().filter_map(|edge| self.edges.get(*edge))
    }
}
