//! The plan as a document: nodes, edges, and their spans in the text.
//!
//! Invariants:
//! 1. Reading keeps everything that it understood. A [sound](PlanGraph::is_sound) [`PlanGraph`] has a start, and each
//!    edge connects two of its nodes.
//! 2. Conditions and templates are parsed with the plan, never during a run.
//! 3. All diagnostics are reported at once, in document order.

mod add_condition;
pub mod control_flow;
mod files;
mod hash;
mod inputs;
mod lazy_span;
mod limits;
mod map_reader;
mod parse;
mod print;
mod read;
mod reference_check;
pub mod scope;
mod template_value;
mod unsafe_integers;

pub use add_condition::write_condition;
pub use control_flow::is_failure_condition;
pub use files::{FileText, MAX_FILES, PlanFiles, file_links};
pub use hash::{Fingerprint, short_hash};
pub use inputs::RunInputSchema;
pub use lazy_span::LazySpan;
pub use limits::Limits;
pub use map_reader::scalar_text;
pub use print::{Comments, print};
pub use read::known_keys;
pub use read::{UnusedStubs, is_url, unused_stubs};
pub use reference_check::{templates_of, unknown_output};
pub use template_value::TemplateValue;

use serde_json::Value as Json;
use std::borrow::Cow;
use std::sync::Arc;
use stepgraph_expression::{Atom, Condition, Reference};
use stepgraph_text::diagnostic::{Diagnostic, Span, Target};
use stepgraph_text::interner::NameTable;
use stepgraph_text::source::{Entry, SourceFile, Spanned};

/// A plan: a graph of typed nodes, some of which contain graphs.
#[derive(Debug, Clone)]
pub struct PlanGraph {
    /// The plan's `id`.
    pub id: Option<String>,
    /// The graph in which a run starts.
    pub root: Graph,
    /// The declared inputs: name and JSON Schema, in document order.
    pub inputs: Vec<(Named, Json)>,
    /// The servers whose tools the plan uses: name and URL.
    pub servers: Vec<(Named, String)>,
    /// The limits of a run.
    pub limits: Limits,
    /// The errors of the plan. A plan with errors can't run.
    errors: Vec<Diagnostic>,
    /// Names of outputs that the host or the stubs of a test write, besides the nodes.
    external_outputs: NameTable,
    /// The parsed document, shared with the editor's incremental parser. The files that the plan runs are in it.
    pub document: Arc<Spanned>,
    source: String,
    files: Vec<SourceFile>,
    missing_files: Vec<String>,
}

/// One graph: the plan's own, or one inside a node.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The position of the start node. `None` only if there are errors.
    pub start: Option<usize>,
    /// The span of `start`, if written.
    pub start_span: Option<Span>,
    /// The nodes, in document order.
    pub nodes: Vec<Node>,
    /// The edges, in document order.
    pub edges: Vec<Edge>,
    /// The edges that don't connect two nodes, in document order.
    pub broken: Vec<BrokenEdge>,
    /// The outgoing edges of each node, by position, in document order.
    pub outgoing: Vec<Vec<usize>>,
    /// The path of the graph: empty for the plan's own, `fan/a` for branch `a` of node `fan`.
    pub scope: String,
    path: Vec<NestedStep>,
    /// Whether all its edges connect two nodes. If not, reachability is unknown.
    pub has_all_edges: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NestedStep {
    node: usize,
    key: &'static str,
    branch: usize,
}

/// A graph inside a node.
#[derive(Debug, Clone)]
pub struct Nested {
    /// The key that holds it: `graph`, `branches` or `do`.
    pub key: &'static str,
    /// The name of the branch. Empty for `graph` and `do`.
    pub name: String,
    /// The span of the name, or of the key that holds the graph.
    pub name_span: Span,
    /// The path that stands in its place, if the file is unknown. The graph is then empty.
    pub file: Option<String>,
    /// The graph.
    pub graph: Graph,
}

impl Node {
    /// Returns the path of the first file that is unknown, if the node runs nothing else.
    pub fn closed_file(&self) -> Option<&str> {
        let mut files = self.nested.iter().map(|nested| nested.file.as_deref());
        let first = files.next()??;
        files.all(|file| file.is_some()).then_some(first)
    }
}

/// The number of attempts of a node, and the delays between them.
///
/// # Units
/// Milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// All attempts, including the first.
    pub attempts: u32,
    /// The delay before the second attempt.
    pub backoff_ms: f64,
    /// The growth factor of the delay.
    pub factor: f64,
    /// The longest delay.
    pub max_ms: f64,
    /// The error codes to retry; `stage/*` matches every code of a stage. Empty matches any code.
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
    /// The span of the key.
    pub key_span: Span,
    /// The id that outputs and events use: `id`, or else the key.
    pub id: String,
    /// The span of the id, or of the key if there is no `id`.
    pub id_span: Span,
    /// The node type.
    pub kind: String,
    /// The span of the type.
    pub kind_span: Span,
    /// The tool, from `tool` or `metadata.tool`.
    pub tool: Option<Named>,
    /// The input. `None` if absent or null.
    pub input: Option<TemplateValue>,
    /// The span of the input.
    pub input_span: Span,
    /// Free text.
    pub metadata: Vec<(String, String)>,
    /// The settings of the node type.
    pub with: Option<TemplateValue>,
    /// The span of the settings.
    pub with_span: Span,
    /// The maximum number of visits in a run.
    pub visits: Option<u32>,
    /// The retry policy. `None` for a single attempt.
    pub retry: Option<Retry>,
    /// The timeout of one attempt, in milliseconds.
    pub timeout_ms: Option<f64>,
    /// The graphs inside the node.
    pub nested: Vec<Nested>,
    /// Whether a part of the node could not be read. Hosts then skip their checks of it.
    pub is_broken: bool,
}

/// A name and its span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Its span.
    pub span: Span,
}

/// One edge.
#[derive(Debug, Clone)]
pub struct Edge {
    /// The `from` name, as written.
    pub from: Named,
    /// The `to` name, as written.
    pub to: Named,
    /// The position of the source node.
    pub source: usize,
    /// The position of the target node.
    pub target: usize,
    /// The condition as written. Empty if absent.
    pub condition_text: String,
    /// The span of the condition.
    pub condition_span: Span,
    /// The parsed condition.
    pub condition: Condition,
    /// The comparisons recovered from a condition with syntax errors.
    recovered_atoms: Vec<Atom>,
    /// Its position in `edges`.
    pub index: usize,
}

impl Edge {
    /// Returns the references of the condition with their spans, including recovered ones.
    pub fn references(&self) -> impl Iterator<Item = (&Reference, Span)> {
        let recovered = self.recovered_atoms.iter().map(|atom| (&atom.reference, atom.reference_span));
        self.condition.references().chain(recovered)
    }

    /// Returns the comparisons of the condition, including recovered ones.
    pub fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.condition.atoms().iter().chain(&self.recovered_atoms)
    }
}

/// An edge with an unknown or missing end.
#[derive(Debug, Clone)]
pub struct BrokenEdge {
    /// The `from` name, as written.
    pub from: Option<Named>,
    /// The `to` name, as written.
    pub to: Option<Named>,
    /// The position of the source node.
    pub source: Option<usize>,
    /// The position of the target node.
    pub target: Option<usize>,
    /// The condition as written. Empty if absent.
    pub condition_text: String,
    /// The span of the edge.
    pub span: Span,
    /// Its position in `edges`.
    pub index: usize,
}

/// A plan as far as it could be read, and its diagnostics.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The plan. `None` if the text is no map.
    pub graph: Option<PlanGraph>,
    /// All diagnostics, in document order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Returns the plan if it has no errors.
    pub fn into_sound(self) -> Option<PlanGraph> {
        self.graph.filter(PlanGraph::is_sound)
    }
}

impl PlanGraph {
    /// Returns whether the plan can run. Missing capabilities of the host and failing tests don't count.
    pub fn is_sound(&self) -> bool {
        self.errors.is_empty() && self.missing_files.is_empty()
    }

    /// Returns whether the host, or the stubs of a test, may write an output of that name.
    pub fn is_external_output(&self, name: &str) -> bool {
        self.external_outputs.contains(name)
    }

    /// Returns the errors that prevent a run.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// Returns every graph of the plan, each before those inside it.
    pub fn graphs(&self) -> Vec<&Graph> {
        let mut graphs = Vec::new();
        self.root.collect(&mut graphs);
        graphs
    }

    /// Returns the document entry of the node at a position.
    pub fn node_entry(&self, graph: &Graph, node: usize) -> Option<&Entry> {
        self.graph_map(graph)?.get("nodes")?.value.as_map()?.get(node)
    }

    /// Returns the document value of an edge.
    pub fn edge_value(&self, graph: &Graph, edge: &Edge) -> Option<&Spanned> {
        self.graph_map(graph)?.get("edges")?.value.as_list()?.get(edge.index)
    }

    /// Returns the document map of a graph, including keys such as `layout`.
    pub fn graph_map(&self, graph: &Graph) -> Option<&Spanned> {
        let mut map: &Spanned = &self.document;
        for turn in &graph.path {
            let holder = &map.get("nodes")?.value.as_map()?.get(turn.node)?.value.get(turn.key)?.value;
            map = if turn.key == BRANCHES { &holder.as_map()?.get(turn.branch)?.value } else { holder };
        }
        Some(map)
    }

    /// Returns the plan as JSON, as written.
    pub fn to_json(&self) -> Json {
        self.document.to_json()
    }

    /// Returns the hash of the plan's meaning. Format, comments, layout and key order don't affect it,
    /// except the order of branches.
    ///
    /// # Shape
    /// SHA-256 in hexadecimal, of the plan without `layout` and `tests`, keys sorted.
    pub fn hash(&self) -> String {
        hash::hash(self.to_json())
    }

    /// Returns the hash of the plan and of each part, to name the differences of two plans.
    pub fn fingerprint(&self) -> Fingerprint {
        hash::fingerprint(self.to_json())
    }
}

/// The key that holds several graphs.
pub const BRANCHES: &str = "branches";
/// The keys that hold graphs.
pub const NESTED_KEYS: [&str; 3] = ["graph", BRANCHES, "do"];

impl Graph {
    /// Returns the edges that leave a node, in document order.
    pub fn edges_from(&self, node: usize) -> impl Iterator<Item = &Edge> {
        self.outgoing.get(node).into_iter().flatten().filter_map(|edge| self.edges.get(*edge))
    }

    /// Returns a node as the target of a diagnostic: `fan/a/fetch`.
    pub fn target(&self, node: &Node) -> Target {
        Target::Node(scoped_name(&self.scope, &node.key))
    }

    /// Returns the path of a node in the whole plan, by ids: `fan/a/fetch`.
    pub fn node_path(&self, node: &Node) -> String {
        scoped_name(&self.scope, &node.id)
    }

    fn collect<'a>(&'a self, graphs: &mut Vec<&'a Graph>) {
        graphs.push(self);
        for nested in self.nodes.iter().flat_map(|node| &node.nested) {
            nested.graph.collect(graphs);
        }
    }
}

/// Returns a name with its scope.
pub fn scoped_name(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}/{name}") }
}

/// Escapes the separators of paths in a node's id.
pub fn escape_id(id: &str) -> Cow<'_, str> {
    if id.contains(['/', '%']) { id.replace('%', "%25").replace('/', "%2F").into() } else { id.into() }
}
