//! Applies operations to a plan's text, through [`stepgraph_core::source::edit`]. The plan may have errors.
//!
//! Invariants:
//! 1. Either all edits of a list apply, or none.
//! 2. The new text parses to the document with those changes.
//! 3. If an edit would change an inferred start, the start is written to the text first.
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
/// `scope` is the edited graph: empty for the root graph, `fan/a` for branch `a` of node `fan`. `edge` is an
/// index into its `edges`.
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
    /// `{op: add_node, node, value, before?, scope?}`.
    AddNode {
        /// The graph.
        scope: String,
        /// New key.
        node: String,
        /// A map with at least `type`.
        value: Json,
        /// The following node, by default none.
        before: Option<String>,
    },
    /// Also removes edges and layout: `{op: remove_node, node, scope?}`.
    RemoveNode {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
    },
    /// Also renames all uses, and the id unless it is set: `{op: rename_node, node, to, scope?}`.
    RenameNode {
        /// The graph.
        scope: String,
        /// Old key.
        node: String,
        /// New key.
        to: String,
    },
    /// Also updates all uses: `{op: set_id, node, id?, scope?}`.
    SetId {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
        /// `None` means the key.
        id: Option<String>,
    },
    /// `{op: retype_node, node, type, scope?}`.
    RetypeNode {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
        /// New type.
        kind: String,
    },
    /// Verbatim, without edges: `{op: duplicate_node, node, to, scope?}`.
    DuplicateNode {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
        /// Copy's key.
        to: String,
    },
    /// `{op: connect, from, to, condition?, position?, scope?}`.
    Connect {
        /// The graph.
        scope: String,
        /// Source key.
        from: String,
        /// Target key.
        to: String,
        /// The condition.
        condition: Option<String>,
        /// The index, by default the last.
        position: Option<usize>,
    },
    /// `{op: disconnect, edge, scope?}`.
    Disconnect {
        /// The graph.
        scope: String,
        /// Its index.
        edge: usize,
    },
    /// `{op: reconnect, edge, from?, to?, scope?}`.
    Reconnect {
        /// The graph.
        scope: String,
        /// Its index.
        edge: usize,
        /// New source.
        from: Option<String>,
        /// New target.
        to: Option<String>,
    },
    /// Order matters: `{op: reorder_edge, edge, position, scope?}`.
    ReorderEdge {
        /// The graph.
        scope: String,
        /// Its index.
        edge: usize,
        /// New index.
        position: usize,
    },
    /// `{op: set_condition, edge, condition?, scope?}`.
    SetCondition {
        /// The graph.
        scope: String,
        /// Its index.
        edge: usize,
        /// `None` removes it.
        condition: Option<String>,
    },
    /// `{op: set_input, node, input?, scope?}`.
    SetInput {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
        /// `null` removes it: the node receives `last`.
        input: Json,
    },
    /// Any value: `{op: set_setting, node | edge, path, value?, scope?}`.
    SetSetting {
        /// The graph.
        scope: String,
        /// Its owner.
        owner: EditOwner,
        /// Its path.
        path: Vec<Segment>,
        /// `None` removes it.
        value: Option<Json>,
    },
    /// A top-level value: `{op: set_plan, path, value?, scope?}`.
    SetPlan {
        /// Nested graphs allow only `description`.
        scope: String,
        /// Its path.
        path: Vec<Segment>,
        /// `None` removes it.
        value: Option<Json>,
    },
    /// `{op: move_nodes, places: {node: [x, y] | null}, scope?}`.
    MoveNodes {
        /// The graph.
        scope: String,
        /// `None` lets the canvas decide.
        positions: Vec<(String, Option<[f64; 2]>)>,
    },
    /// `{op: set_start, node?, scope?}`.
    SetStart {
        /// The graph.
        scope: String,
        /// `None` infers the start from the edges.
        node: Option<String>,
    },
    /// Into a new node: `{op: group_nodes, nodes, to, scope?}`.
    GroupNodes {
        /// The graph.
        scope: String,
        /// Their keys.
        nodes: Vec<String>,
        /// New key.
        to: String,
    },
    /// Inlines its graph: `{op: ungroup_node, node, scope?}`.
    UngroupNode {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
    },
}

/// A setting's owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditOwner {
    /// A node by key.
    Node(String),
    /// An edge by index.
    Edge(usize),
}

/// Applies edits in order.
///
/// # Errors
/// A diagnostic with a code of `edit/*`, whose span refers to the text at that step.
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

/// Edits a parsed text.
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

/// Updates a file of stubs after renames in its plan.
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
    /// The edited graph.
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
