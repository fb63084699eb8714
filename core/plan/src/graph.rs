//! The plan as a document, with the spans of its nodes and edges.
//!
//! Invariants:
//! 1. Reading keeps all that it understood. In a [sound](PlanGraph::is_sound) plan, each edge connects two nodes.
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
mod unknown_key;
mod unsafe_integers;

pub use add_condition::write_condition;
pub use control_flow::is_failure_condition;
pub use files::{FileText, MAX_FILES, PlanFiles, file_links};
pub use hash::{Fingerprint, short_hash};
pub use inputs::RunInputSchema;
pub use lazy_span::LazySpan;
pub use limits::Limits;
pub use map_reader::{misplaced_setting, scalar_text};
pub use print::{Comments, print};
pub use read::known_keys;
pub use read::{UnusedStubs, is_url, unused_stubs};
pub use reference_check::{templates_of, unknown_output};
pub use template_value::TemplateValue;

use serde_json::Value as Json;
use std::borrow::Cow;
use std::sync::Arc;
use stepgraph_expression::{Atom, Computed, Condition, Reference};
use stepgraph_text::diagnostic::{Diagnostic, Span, Target};
use stepgraph_text::interner::NameTable;
use stepgraph_text::source::{Entry, SourceFile, Spanned};

/// A graph of typed nodes. Some contain graphs.
#[derive(Debug, Clone)]
pub struct PlanGraph {
    /// Plan `id`.
    pub id: Option<String>,
    /// Main graph.
    pub root: Graph,
    /// Names and JSON Schemas.
    pub inputs: Vec<(Named, Json)>,
    /// Server names and URLs.
    pub servers: Vec<(Named, String)>,
    /// Run limits.
    pub limits: Limits,
    errors: Vec<Diagnostic>,
    /// Outputs of the host or of test stubs.
    external_outputs: NameTable,
    /// Parsed document, including joined files. Shared with the incremental parser.
    pub document: Arc<Spanned>,
    source: String,
    files: Vec<SourceFile>,
    missing_files: Vec<String>,
    /// The `inputs` of joined files, by the span of the file's graph.
    file_inputs: Vec<(Span, Vec<Entry>)>,
}

/// A graph: the plan's own or a nested one.
#[derive(Debug, Clone)]
pub struct Graph {
    /// Start node. `None` only if there are errors.
    pub start: Option<usize>,
    /// Its span.
    pub start_span: Option<Span>,
    /// In document order.
    pub nodes: Vec<Node>,
    /// In document order.
    pub edges: Vec<Edge>,
    /// Edges that don't connect two nodes.
    pub broken: Vec<BrokenEdge>,
    /// Edge positions by source node.
    pub outgoing: Vec<Vec<usize>>,
    /// Path: `fan/a` for branch `a` of node `fan`, empty for the main graph.
    pub scope: String,
    path: Vec<NestedStep>,
    /// Whether no edge is broken. Otherwise reachability is unknown.
    pub has_all_edges: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NestedStep {
    node: usize,
    key: &'static str,
    branch: usize,
}

/// Nested graph.
#[derive(Debug, Clone)]
pub struct Nested {
    /// `graph`, `branches` or `do`.
    pub key: &'static str,
    /// Branch name, otherwise empty.
    pub name: String,
    /// Span of the name or `key`.
    pub name_span: Span,
    /// Path of an unknown file, for which the graph is empty.
    pub file: Option<String>,
    /// Its graph.
    pub graph: Graph,
}

impl Node {
    /// The first unknown file, if the node runs nothing else.
    pub fn closed_file(&self) -> Option<&str> {
        let mut files = self.nested.iter().map(|nested| nested.file.as_deref());
        let first = files.next()??;
        files.all(|file| file.is_some()).then_some(first)
    }
}

/// Retry policy.
///
/// # Units
/// Milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// All attempts, including the first.
    pub attempts: u32,
    /// First delay.
    pub backoff_ms: f64,
    /// Delay growth.
    pub factor: f64,
    /// Longest delay.
    pub max_ms: f64,
    /// Error codes to retry, `stage/*` for a stage. Empty matches any.
    pub on: Vec<String>,
}

impl Default for Retry {
    fn default() -> Self {
        Self { attempts: 1, backoff_ms: 1_000.0, factor: 2.0, max_ms: 60_000.0, on: Vec::new() }
    }
}

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// Key in `nodes`, used by edges.
    pub key: String,
    /// Its span.
    pub key_span: Span,
    /// Id for outputs and events: `id`, or else the key.
    pub id: String,
    /// Its span.
    pub id_span: Span,
    /// Node type.
    pub kind: String,
    /// Its span.
    pub kind_span: Span,
    /// Read from `tool` or `metadata.tool`.
    pub tool: Option<Named>,
    /// `None` if absent or null.
    pub input: Option<TemplateValue>,
    /// Its span.
    pub input_span: Span,
    /// Free text.
    pub metadata: Vec<(String, String)>,
    /// Type settings.
    pub with: Option<TemplateValue>,
    /// Their span.
    pub with_span: Span,
    /// Visits per run.
    pub visits: Option<u32>,
    /// `None` for a single attempt.
    pub retry: Option<Retry>,
    /// Attempt timeout.
    pub timeout_ms: Option<f64>,
    /// Nested graphs.
    pub nested: Vec<Nested>,
    /// Whether some part is unreadable. Hosts then skip their checks.
    pub is_broken: bool,
}

/// Spanned name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Its span.
    pub span: Span,
}

/// An edge.
#[derive(Debug, Clone)]
pub struct Edge {
    /// As written.
    pub from: Named,
    /// As written.
    pub to: Named,
    /// Source node.
    pub source: usize,
    /// Target node.
    pub target: usize,
    /// As written, or empty.
    pub condition_text: String,
    /// Its span.
    pub condition_span: Span,
    /// Parsed condition.
    pub condition: Condition,
    /// The valid parts of a condition with errors.
    recovered: Option<Box<Condition>>,
    /// Document position.
    pub index: usize,
}

impl Edge {
    /// The condition, or its valid parts if it has errors.
    fn readable(&self) -> &Condition {
        self.recovered.as_deref().unwrap_or(&self.condition)
    }

    /// References of the condition, including recovered ones.
    pub fn references(&self) -> impl Iterator<Item = (&Reference, Span)> {
        self.readable().references()
    }

    /// Comparisons of the condition, including recovered ones.
    pub fn atoms(&self) -> &[Atom] {
        self.readable().atoms()
    }

    /// Other parts of the condition, including recovered ones.
    pub fn computed(&self) -> &[Computed] {
        self.readable().computed()
    }
}

/// An edge with an unknown or missing end.
#[derive(Debug, Clone)]
pub struct BrokenEdge {
    /// As written.
    pub from: Option<Named>,
    /// As written.
    pub to: Option<Named>,
    /// Source node.
    pub source: Option<usize>,
    /// Target node.
    pub target: Option<usize>,
    /// As written, or empty.
    pub condition_text: String,
    /// Edge span.
    pub span: Span,
    /// Document position.
    pub index: usize,
}

/// The readable part of a plan.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// `None` if the text is no map.
    pub graph: Option<PlanGraph>,
    /// In document order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The plan, unless it has errors.
    pub fn into_sound(self) -> Option<PlanGraph> {
        self.graph.filter(PlanGraph::is_sound)
    }
}

impl PlanGraph {
    /// Whether the plan can run. Ignores missing host capabilities and failing tests.
    pub fn is_sound(&self) -> bool {
        self.errors.is_empty() && self.missing_files.is_empty()
    }

    /// Whether the host or test stubs may write that output.
    pub fn is_external_output(&self, name: &str) -> bool {
        self.external_outputs.contains(name)
    }

    /// Blocking errors.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// All graphs, outer before inner.
    pub fn graphs(&self) -> Vec<&Graph> {
        let mut graphs = Vec::new();
        self.root.collect(&mut graphs);
        graphs
    }

    /// Document entry.
    pub fn node_entry(&self, graph: &Graph, node: usize) -> Option<&Entry> {
        self.graph_map(graph)?.get("nodes")?.value.as_map()?.get(node)
    }

    /// Document value.
    pub fn edge_value(&self, graph: &Graph, edge: &Edge) -> Option<&Spanned> {
        self.graph_map(graph)?.get("edges")?.value.as_list()?.get(edge.index)
    }

    /// The document map of a graph, including keys such as `layout`.
    pub fn graph_map(&self, graph: &Graph) -> Option<&Spanned> {
        let mut map: &Spanned = &self.document;
        for turn in &graph.path {
            let holder = &map.get("nodes")?.value.as_map()?.get(turn.node)?.value.get(turn.key)?.value;
            map = if turn.key == BRANCHES { &holder.as_map()?.get(turn.branch)?.value } else { holder };
        }
        Some(map)
    }

    /// As written.
    pub fn to_json(&self) -> Json {
        self.document.to_json()
    }

    /// The hash of the plan's meaning. Format, comments, layout and key order, except of branches, don't affect it.
    ///
    /// # Shape
    /// SHA-256 in hexadecimal, of the plan without `layout` and `tests`, keys sorted.
    pub fn hash(&self) -> String {
        hash::hash(self.to_json())
    }

    /// Hashes of the plan and of each part, for comparisons.
    pub fn fingerprint(&self) -> Fingerprint {
        hash::fingerprint(self.to_json())
    }
}

/// Key of several graphs.
pub const BRANCHES: &str = "branches";
/// Keys that hold graphs.
pub const NESTED_KEYS: [&str; 3] = ["graph", BRANCHES, "do"];

impl Graph {
    /// Outgoing edges, in document order.
    pub fn edges_from(&self, node: usize) -> impl Iterator<Item = &Edge> {
        self.outgoing.get(node).into_iter().flatten().filter_map(|edge| self.edges.get(*edge))
    }

    /// The diagnostic target, by keys: `fan/a/fetch`.
    pub fn target(&self, node: &Node) -> Target {
        Target::Node(scoped_name(&self.scope, &node.key))
    }

    /// The path in the plan, by ids: `fan/a/fetch`.
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

/// Joins scope and name.
pub fn scoped_name(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}/{name}") }
}

/// Escapes path separators.
pub fn escape_id(id: &str) -> Cow<'_, str> {
    if id.contains(['/', '%']) { id.replace('%', "%25").replace('/', "%2F").into() } else { id.into() }
}
