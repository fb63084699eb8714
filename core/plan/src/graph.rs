//! The plan as a document: nodes, edges, and where each stands in the text.
//!
//! Decides what a plan file says. Does not know who will handle its nodes (that is `stepgraph_core::capabilities`) nor how it runs
//! (that is `stepgraph_core::machine`).
//!
//! Invariants:
//! 1. reading keeps everything that it understood; a [`PlanGraph`] that [is sound](PlanGraph::is_sound) has a start, and all
//!    its edges lead from one of its nodes to another;
//! 2. conditions and templates were read when the plan was read, never while it runs;
//! 3. all problems are reported at once, in the order of the document.

mod condition;
pub mod flow;
mod hash;
mod inputs;
mod mentions;
mod parse;
mod print;
mod read;
mod rounded;
pub mod scope;
mod shape;
mod spot;
mod text;

pub use condition::write_condition;
pub use flow::waits_for_failure;
pub use hash::{Fingerprint, short};
pub use inputs::Inputs;
pub use mentions::{templates_of, unknown_output};
pub use print::{Comments, print};
pub use read::known_keys;
pub use read::{UnusedStubs, is_url, unused_stubs};
pub use shape::scalar_text;
pub use spot::Spot;
pub use text::Texts;

use serde_json::Value as Json;
use std::borrow::Cow;
use std::sync::Arc;
use stepgraph_text::diagnostic::{Diagnostic, Span, Target};
use stepgraph_text::expr::{Atom, Condition};
use stepgraph_text::names::Names;
use stepgraph_text::source::{Entry, Spanned};

/// A plan: a graph of typed nodes, some of which hold graphs of their own.
#[derive(Debug, Clone)]
pub struct PlanGraph {
    /// What the plan calls itself.
    pub id: Option<String>,
    /// The graph at which a run begins.
    pub root: Graph,
    /// What a run must be given: name and JSON Schema, in the order of the text.
    pub inputs: Vec<(Named, Json)>,
    /// The servers whose tools the plan uses: name and URL.
    pub servers: Vec<(Named, String)>,
    /// The bounds of a run.
    pub limits: Limits,
    /// What is wrong with it as such: while there is anything, it can't run.
    errors: Vec<Diagnostic>,
    /// The names of outputs that others give besides its nodes: the host, or the stubs of its tests.
    given: Names,
    /// The document as it was read; shared with the editor that reads it again in parts.
    pub document: Arc<Spanned>,
    /// The text that it was read from.
    source: String,
}

/// One graph: the plan's own, or one inside a node.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The node at which it begins, by position; `None` only where there are errors.
    pub start: Option<usize>,
    /// Where the start is named, when it is.
    pub start_span: Option<Span>,
    /// The nodes, in the order of the text.
    pub nodes: Vec<Node>,
    /// The edges, in the order of the text.
    pub edges: Vec<Edge>,
    /// The edges that don't lead from one of the nodes to another, in the order of the text.
    pub broken: Vec<BrokenEdge>,
    /// The edges that leave each node, by position, in the order of the text.
    pub outgoing: Vec<Vec<usize>>,
    /// Where it stands: empty for the plan's own, `fan/a` for branch `a` of node `fan`.
    pub scope: String,
    /// The way to it through the document.
    way: Vec<Turn>,
    /// Whether all its edges lead from a node to a node: if not, nobody knows where runs can go.
    pub whole: bool,
}

/// One step on the way to a nested graph: the node by position, the key that holds it, and which of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    node: usize,
    key: &'static str,
    branch: usize,
}

/// A graph inside a node.
#[derive(Debug, Clone)]
pub struct Nested {
    /// The key that holds it: `graph`, `branches` or `do`.
    pub key: &'static str,
    /// What the branch is called; empty for the only one of a `graph` or `map` node.
    pub name: String,
    /// Where the name stands, or the key that holds the graph.
    pub name_span: Span,
    /// The graph.
    pub graph: Graph,
}

/// How often a node is tried, and how long it is waited between tries.
///
/// # Units
/// Milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// All tries, the first included.
    pub attempts: u32,
    /// Before the second try.
    pub backoff_ms: f64,
    /// How much longer each wait is than the one before.
    pub factor: f64,
    /// The longest wait.
    pub max_ms: f64,
    /// The codes that are tried again, `stage/*` for all of a stage; empty for any.
    pub on: Vec<String>,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 1, backoff_ms: 1_000.0, factor: 2.0, max_ms: 60_000.0, on: Vec::new() }
    }
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
    /// How often it is tried; `None` for once.
    pub retry: Option<Retry>,
    /// How long one try may take, in milliseconds.
    pub timeout_ms: Option<f64>,
    /// The graphs inside it, and the key that holds them.
    pub nested: Vec<Nested>,
    /// Whether something in it was not understood: then hosts don't judge it.
    pub is_broken: bool,
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
    /// What can be read of a condition that as a whole can't be.
    salvaged: Vec<Atom>,
    /// Its position in `edges`.
    pub index: usize,
}

impl Edge {
    /// The comparisons of its condition, as far as they can be read.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.condition.atoms().iter().chain(&self.salvaged)
    }
}

/// An edge that doesn't lead from a node to a node: one that names an end which is not there, or none.
#[derive(Debug, Clone)]
pub struct BrokenEdge {
    /// Where it leads from, as written.
    pub from: Option<Named>,
    /// Where it leads to, as written.
    pub to: Option<Named>,
    /// The node it leaves, by position.
    pub source: Option<usize>,
    /// The node it reaches, by position.
    pub target: Option<usize>,
    /// Its condition as written; empty for none.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Its position in `edges`.
    pub index: usize,
}

/// The bounds of a run.
///
/// # Units
/// Counts; milliseconds; bytes of the JSON text of what calls gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Visits of one node, in one scope.
    pub visits: u32,
    /// Nodes run in all.
    pub steps: Option<u32>,
    /// Calls to tools, models and handlers in all, retries included.
    pub calls: Option<u32>,
    /// How long the run may take.
    pub timeout_ms: Option<f64>,
    /// Tokens that models may use in all, in and out.
    pub tokens: Option<f64>,
    /// How much all calls together may give.
    pub output_bytes: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { visits: 25, steps: None, calls: None, timeout_ms: None, tokens: None, output_bytes: None }
    }
}

/// A plan as far as it could be read, and everything found wrong with it.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// What was understood of the plan; none where the text is no map.
    pub graph: Option<PlanGraph>,
    /// All problems, in the order of the document.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The plan, if it has no errors.
    pub fn sound(self) -> Option<PlanGraph> {
        self.graph.filter(PlanGraph::is_sound)
    }
}

impl PlanGraph {
    /// Whether nothing keeps it from running. What hosts lack does not count, and neither does a test that can't pass.
    pub fn is_sound(&self) -> bool {
        self.errors.is_empty()
    }

    /// Whether the host, or the stubs of its tests, may give an output of that name.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains(name)
    }

    /// What keeps it from running.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// The text that it was read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Every graph of the plan, each before those inside it.
    pub fn graphs(&self) -> Vec<&Graph> {
        let mut found = Vec::new();
        self.root.collect(&mut found);
        found
    }

    /// What the document says of the node at a position.
    pub fn entry(&self, graph: &Graph, node: usize) -> Option<&Entry> {
        self.map(graph)?.get("nodes")?.value.as_map()?.get(node)
    }

    /// What the document says of an edge.
    pub fn edge(&self, graph: &Graph, edge: &Edge) -> Option<&Spanned> {
        self.map(graph)?.get("edges")?.value.as_list()?.get(edge.index)
    }

    /// The map of the document that holds a graph, with what the graph keeps to itself (`layout`).
    pub fn map(&self, graph: &Graph) -> Option<&Spanned> {
        let mut map: &Spanned = &self.document;
        for turn in &graph.way {
            let holder = &map.get("nodes")?.value.as_map()?.get(turn.node)?.value.get(turn.key)?.value;
            map = if turn.key == BRANCHES { &holder.as_map()?.get(turn.branch)?.value } else { holder };
        }
        Some(map)
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

    /// The same with each part of the plan, so that two plans can be told apart by name.
    pub fn fingerprint(&self) -> Fingerprint {
        hash::fingerprint(&self.to_json())
    }
}

/// The key that holds several graphs.
pub const BRANCHES: &str = "branches";
/// The keys that hold a graph, or several.
pub const HOLDERS: [&str; 3] = ["graph", BRANCHES, "do"];

impl Graph {
    /// The edges that leave a node, in the order of the text.
    pub fn edges_from(&self, node: usize) -> impl Iterator<Item = &Edge> {
        self.outgoing.get(node).into_iter().flatten().filter_map(|edge| self.edges.get(*edge))
    }

    /// A node as the place of a problem: `fan/a/fetch`.
    pub fn target(&self, node: &Node) -> Target {
        Target::Node(within(&self.scope, &node.key))
    }

    /// The place of a node in the whole plan, by ids: `fan/a/fetch`.
    pub fn place(&self, node: &Node) -> String {
        within(&self.scope, &node.id)
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a Graph>) {
        found.push(self);
        for nested in self.nodes.iter().flat_map(|node| &node.nested) {
            nested.graph.collect(found);
        }
    }
}

/// A name with the scope it stands in.
pub fn within(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}/{name}") }
}

/// A node's id as a part of a name: what separates the parts is written differently.
pub fn escaped(id: &str) -> Cow<'_, str> {
    if id.contains(['/', '%']) { id.replace('%', "%25").replace('/', "%2F").into() } else { id.into() }
}
