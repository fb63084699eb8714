//! Applies operations on nodes and edges to the text of a plan and leaves the rest of the text untouched.
//!
//! [`stepgraph_core::source::edit`] turns the changes into text. The text must parse, but the plan may have errors,
//! because users edit it while they write it.
//!
//! Invariants:
//! 1. Either all edits of a list apply, or none.
//! 2. The new text parses to the document with those changes.
//! 3. If an edit would change a start that was inferred from the edges, the start is written to the text first.
//! 4. Every reference keeps its target node. Otherwise the edit is refused.
//!
//! Source: `docs/editing.md`.

mod edge;
mod error;
mod group;
mod id_references;
mod json;
mod move_in_tests;
mod name_check;
mod node;
mod plan_syntax;
mod references;
mod region;
mod rename;
mod rename_in_tests;
mod set_value;
mod start;
mod transaction;
mod ungroup;

use serde_json::Value as Json;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::source::edit::{EditedText, Editor};
use stepgraph_core::source::{Format, IncrementalParse};
use stepgraph_core::value::Segment;
use transaction::Transaction;

/// One operation on a plan.
///
/// `scope` is the graph that it edits, as a path of node keys: empty for the root graph, `fan/a` for branch
/// `a` of node `fan`. `edge` is an index into `edges` of that graph.
///
/// # Example
/// ```
/// use stepgraph_authoring::edit::{GraphEdit, edit};
/// use stepgraph_core::source::Format;
/// let text = "nodes:\n  a: {type: log} # first\n  b: {type: noop}\nedges:\n  - {from: a, to: b}\n";
/// let rename = GraphEdit::RenameNode { scope: String::new(), node: "a".into(), to: "hello".into() };
/// let text = edit(text, Format::Yaml, &[rename]).unwrap().text;
/// assert_eq!(text, "nodes:\n  hello: {type: log} # first\n  b: {type: noop}\nedges:\n  - {from: hello, to: b}\n");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum GraphEdit {
    /// Adds a node: `{op: add_node, node, value, before?, scope?}`.
    AddNode {
        /// The graph.
        scope: String,
        /// The key of the node.
        node: String,
        /// The node: a map with at least `type`.
        value: Json,
        /// The key of the node that follows it. By default the new node is the last.
        before: Option<String>,
    },
    /// Removes a node, its edges and its layout position: `{op: remove_node, node, scope?}`.
    RemoveNode {
        /// The graph.
        scope: String,
        /// The key of the node.
        node: String,
    },
    /// Changes the key of a node and all uses of the key: `{op: rename_node, node, to, scope?}`. The id
    /// changes too, unless the node sets `id`.
    RenameNode {
        /// The graph.
        scope: String,
        /// The key of the node.
        node: String,
        /// The new key.
        to: String,
    },
    /// Sets or removes the id of a node and updates all uses: `{op: set_id, node, id?, scope?}`.
    SetId {
        /// The graph.
        scope: String,
        /// The key of the node.
        node: String,
        /// The new id. `None` means the key.
        id: Option<String>,
    },
    /// Changes the type of a node: `{op: retype_node, node, type, scope?}`.
    RetypeNode {
        /// The graph.
        scope: String,
        /// The key of the node.
        node: String,
        /// The new type.
        kind: String,
    },
    /// Copies a node verbatim, without its edges: `{op: duplicate_node, node, to, scope?}`.
    DuplicateNode {
        /// The graph.
        scope: String,
        /// The key of the node.
        node: String,
        /// The key of the copy.
        to: String,
    },
    /// Adds an edge: `{op: connect, from, to, condition?, position?, scope?}`.
    Connect {
        /// The graph.
        scope: String,
        /// The key of the source node.
        from: String,
        /// The key of the target node.
        to: String,
        /// The condition.
        condition: Option<String>,
        /// The index in `edges`. By default the new edge is the last.
        position: Option<usize>,
    },
    /// Removes an edge: `{op: disconnect, edge, scope?}`.
    Disconnect {
        /// The graph.
        scope: String,
        /// Its index.
        edge: usize,
    },
    /// Changes the source or the target of an edge: `{op: reconnect, edge, from?, to?, scope?}`.
    Reconnect {
        /// The graph.
        scope: String,
        /// Its index.
        edge: usize,
        /// The key of the new source.
        from: Option<String>,
        /// The key of the new target.
        to: Option<String>,
    },
    /// Moves an edge within `edges`: `{op: reorder_edge, edge, position, scope?}`. Order matters, because a
    /// run takes the first edge whose condition holds.
    ReorderEdge {
        /// The graph.
        scope: String,
        /// Its index.
        edge: usize,
        /// The new index.
        position: usize,
    },
    /// Sets the condition of an edge: `{op: set_condition, edge, condition?, scope?}`.
    SetCondition {
        /// The graph.
        scope: String,
        /// Its index.
        edge: usize,
        /// The text of the condition. `None` removes it.
        condition: Option<String>,
    },
    /// Sets the input of a node: `{op: set_input, node, input?, scope?}`.
    SetInput {
        /// The graph.
        scope: String,
        /// The key of the node.
        node: String,
        /// The input. `null` removes it, so that the node receives `last`.
        input: Json,
    },
    /// Sets a value at any path in a node or an edge: `{op: set_setting, node | edge, path, value?, scope?}`.
    SetSetting {
        /// The graph.
        scope: String,
        /// The node or edge.
        owner: EditOwner,
        /// The path: keys and indexes.
        path: Vec<Segment>,
        /// The value. `None` removes the entry.
        value: Option<Json>,
    },
    /// Sets a top-level value other than nodes and edges: `{op: set_plan, path, value?, scope?}`.
    SetPlan {
        /// The graph. In a nested graph only `description` can change.
        scope: String,
        /// The path: keys and indexes.
        path: Vec<Segment>,
        /// The value. `None` removes the entry.
        value: Option<Json>,
    },
    /// Sets layout positions: `{op: move_nodes, places: {node: [x, y] | null}, scope?}`.
    MoveNodes {
        /// The graph.
        scope: String,
        /// The positions by node key. Without one, the canvas places the node.
        positions: Vec<(String, Option<[f64; 2]>)>,
    },
    /// Sets the start of a graph: `{op: set_start, node?, scope?}`.
    SetStart {
        /// The graph.
        scope: String,
        /// The key of the start node. `None` infers the start from the edges.
        node: Option<String>,
    },
    /// Moves nodes into a graph inside a new node: `{op: group_nodes, nodes, to, scope?}`.
    GroupNodes {
        /// The graph.
        scope: String,
        /// The keys of the nodes.
        nodes: Vec<String>,
        /// The key of the new node.
        to: String,
    },
    /// Replaces a node with the nodes of the graph inside it: `{op: ungroup_node, node, scope?}`.
    UngroupNode {
        /// The graph.
        scope: String,
        /// The key of the node.
        node: String,
    },
}

/// The owner of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditOwner {
    /// A node, by its key.
    Node(String),
    /// An edge, by its index.
    Edge(usize),
}

/// Applies edits in order. Each edit sees the result of the one before.
///
/// # Errors
/// Returns a diagnostic with a code of `edit/*` if an edit is impossible, and applies none of them. Its span
/// refers to the text at that step.
///
/// # Example
/// ```
/// use stepgraph_authoring::edit::{GraphEdit, edit};
/// use stepgraph_core::source::{Format, edit::{inverse, apply_edits}};
/// let text = "nodes: {a: {type: log}}\n";
/// let edits = [r#"{"op": "add_node", "node": "b", "value": {"type": "noop"}}"#, r#"{"op": "connect", "from": "a", "to": "b"}"#];
/// let edits: Vec<GraphEdit> =
///     edits.iter().map(|json| GraphEdit::from_json(&stepgraph_core::json::parse(json).unwrap()).unwrap()).collect();
/// let edited = edit(text, Format::Yaml, &edits).unwrap();
/// assert_eq!(edited.text, "nodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b}]\n");
/// assert_eq!(apply_edits(&edited.text, &inverse(text, &edited.edits)), text);
/// ```
pub fn edit(text: &str, format: Format, edits: &[GraphEdit]) -> Result<EditedText, Box<Diagnostic>> {
    edit_parsed(text, IncrementalParse::new(text, format), edits)
}

/// Applies edits like [`edit`], but to a text that is already parsed.
///
/// # Errors
/// As for [`edit`].
pub fn edit_parsed(
    text: &str,
    parse: IncrementalParse,
    edits: &[GraphEdit],
) -> Result<EditedText, Box<Diagnostic>> {
    let mut session = Transaction::new(text, parse)?;
    session.apply(edits)?;
    session.finish()
}

/// Edits a file of stubs so that it follows renames in its plan.
///
/// # Errors
/// As for [`edit`], and if two stubs would have the same name.
///
/// # Example
/// ```
/// use stepgraph_authoring::edit::{GraphEdit, edit_stubs};
/// use stepgraph_core::source::Format;
/// let rename = GraphEdit::RenameNode { scope: String::new(), node: "a".into(), to: "b".into() };
/// let (plan, stubs) = ("nodes: {a: {type: ask}}\n", "nodes:\n  a: echo # says it again\n");
/// let edited = edit_stubs(stubs, Format::Yaml, plan, Format::Yaml, &[rename]).unwrap();
/// assert_eq!(edited.text, "nodes:\n  b: echo # says it again\n");
/// ```
pub fn edit_stubs(
    stubs: &str,
    format: Format,
    plan: &str,
    plan_format: Format,
    edits: &[GraphEdit],
) -> Result<EditedText, Box<Diagnostic>> {
    let mut session = Transaction::new(plan, IncrementalParse::new(plan, plan_format))?;
    let mut beside = Editor::new(stubs, IncrementalParse::new(stubs, format))?;
    for edit in edits {
        let changes = session.stub_changes(edit, beside.root())?;
        beside.apply(&changes)?;
        session.apply(std::slice::from_ref(edit))?;
    }
    Ok(beside.finish())
}

impl GraphEdit {
    /// Returns the scope of the graph that this operation edits.
    pub fn scope(&self) -> &str {
        match self {
            Self::AddNode { scope, .. }
            | Self::RemoveNode { scope, .. }
            | Self::RenameNode { scope, .. }
            | Self::SetId { scope, .. }
            | Self::RetypeNode { scope, .. }
            | Self::DuplicateNode { scope, .. }
            | Self::Connect { scope, .. }
            | Self::Disconnect { scope, .. }
            | Self::Reconnect { scope, .. }
            | Self::ReorderEdge { scope, .. }
            | Self::SetCondition { scope, .. }
            | Self::SetInput { scope, .. }
            | Self::SetSetting { scope, .. }
            | Self::SetPlan { scope, .. }
            | Self::MoveNodes { scope, .. }
            | Self::SetStart { scope, .. }
            | Self::GroupNodes { scope, .. }
            | Self::UngroupNode { scope, .. } => scope,
        }
    }
}
