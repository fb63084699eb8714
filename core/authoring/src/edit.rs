//! Changes of a plan as edits of its text, which leave everything else as it was written.
//!
//! Decides what an operation on nodes and edges means for the document: which edges go with a node, what a new name has to reach, where a
//! run begins afterwards. How a change of the document becomes text is [`stepgraph_core::source::edit`]'s affair. The text need not be a good
//! plan, only readable: it is edited while it is being written.
//!
//! Files: `json` operations as JSON · `plan_syntax` graphs, nodes and edges of a document as it is · `transaction` edits one after another ·
//! `node` and `edge` the plain operations · `set_value` values at any path · `name_check` which names will do · `start` where runs begin ·
//! `references` what is spoken of · `rename` nodes under other names, `rename_in_tests` in
//! tests and stubs, `id_references` in what is said of failures · `group` and `ungroup` nodes in
//! a graph of their own, `region` what that changes, `move_in_tests` in tests · `error` why an edit can't be made.
//!
//! Invariants: 1. all edits of a list are made, or none; 2. the text after them reads as the document with those changes; 3. a start that
//! followed from the edges is written down before an edit would change it; 4. no reference comes to mean another node: the edit is
//! refused instead.
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
use stepgraph_core::source::edit::{Edited, Editor};
use stepgraph_core::source::{Document, Format, read};
use stepgraph_core::value::Segment;
use transaction::Transaction;

/// One operation on a plan. A `scope` is the graph that it is about: empty for the plan's own, `fan/a` for branch `a` of node `fan`, by the
/// keys of nodes. An `edge` is a position in `edges` of that graph.
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
        /// Its key.
        node: String,
        /// What it is: a map with at least `type`.
        value: Json,
        /// The key of the node before which it is written; after the last unless given.
        before: Option<String>,
    },
    /// Takes a node away, with its edges and its place in the layout: `{op: remove_node, node, scope?}`.
    RemoveNode {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
    },
    /// Gives a node another key, and another id unless `id` says what that is, wherever it is spoken of: `{op: rename_node, node, to, scope?}`.
    RenameNode {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
        /// Its new key.
        to: String,
    },
    /// Gives a node another id than its key, or none of its own, wherever its output is spoken of: `{op: set_id, node, id?, scope?}`.
    SetId {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
        /// Its id; the key when there is none.
        id: Option<String>,
    },
    /// Gives a node another type: `{op: retype_node, node, type, scope?}`.
    RetypeNode {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
        /// Its new type.
        kind: String,
    },
    /// Copies a node, as it is written, without its edges: `{op: duplicate_node, node, to, scope?}`.
    DuplicateNode {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
        /// The key of the copy.
        to: String,
    },
    /// Adds an edge: `{op: connect, from, to, condition?, position?, scope?}`.
    Connect {
        /// The graph.
        scope: String,
        /// The key of the node that it leaves.
        from: String,
        /// The key of the node that it reaches.
        to: String,
        /// When it may be taken.
        condition: Option<String>,
        /// Which position in `edges` it will have; the last unless given.
        position: Option<usize>,
    },
    /// Takes an edge away: `{op: disconnect, edge, scope?}`.
    Disconnect {
        /// The graph.
        scope: String,
        /// Its position.
        edge: usize,
    },
    /// Leads an edge from or to another node: `{op: reconnect, edge, from?, to?, scope?}`.
    Reconnect {
        /// The graph.
        scope: String,
        /// Its position.
        edge: usize,
        /// The key of the node that it is to leave.
        from: Option<String>,
        /// The key of the node that it is to reach.
        to: Option<String>,
    },
    /// Moves an edge among the others, since the first that holds is taken: `{op: reorder_edge, edge, position, scope?}`.
    ReorderEdge {
        /// The graph.
        scope: String,
        /// Its position.
        edge: usize,
        /// The position that it will have.
        position: usize,
    },
    /// Says when an edge may be taken: `{op: set_condition, edge, condition?, scope?}`.
    SetCondition {
        /// The graph.
        scope: String,
        /// Its position.
        edge: usize,
        /// The condition as written; none for an edge that asks nothing.
        condition: Option<String>,
    },
    /// Says what a node is given: `{op: set_input, node, input?, scope?}`.
    SetInput {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
        /// What it is given; null for what came before.
        input: Json,
    },
    /// Puts a value anywhere in a node or an edge: `{op: set_setting, node | edge, path, value?, scope?}`.
    SetSetting {
        /// The graph.
        scope: String,
        /// Of what.
        owner: EditOwner,
        /// Where in it: keys and positions.
        path: Vec<Segment>,
        /// What is put there; nothing to take away what is there.
        value: Option<Json>,
    },
    /// Puts a value anywhere in what a plan says beside its nodes and edges: `{op: set_plan, path, value?, scope?}`.
    SetPlan {
        /// The graph, of which only `description` can be set inside a node.
        scope: String,
        /// Where: keys and positions.
        path: Vec<Segment>,
        /// What is put there; nothing to take away what is there.
        value: Option<Json>,
    },
    /// Says where nodes are drawn: `{op: move_nodes, places: {node: [x, y] | null}, scope?}`.
    MoveNodes {
        /// The graph.
        scope: String,
        /// The places, by the keys of nodes; a node without one is placed by whoever draws it.
        positions: Vec<(String, Option<[f64; 2]>)>,
    },
    /// Says where a run begins: `{op: set_start, node?, scope?}`.
    SetStart {
        /// The graph.
        scope: String,
        /// The key of the first node; none where the edges tell.
        node: Option<String>,
    },
    /// Makes nodes a graph inside a new node: `{op: group_nodes, nodes, to, scope?}`.
    GroupNodes {
        /// The graph.
        scope: String,
        /// Their keys.
        nodes: Vec<String>,
        /// The key of the new node.
        to: String,
    },
    /// Puts the nodes of the graph inside a node in its place: `{op: ungroup_node, node, scope?}`.
    UngroupNode {
        /// The graph.
        scope: String,
        /// Its key.
        node: String,
    },
}

/// What a setting is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditOwner {
    /// A node, by its key.
    Node(String),
    /// An edge, by its position.
    Edge(usize),
}

/// Makes edits one after another, each of the plan that the one before it left.
///
/// # Errors
/// Why one of them can't be made: a code of `edit/*` with the place in the text as it was when its turn came. None is made then.
///
/// # Example
/// ```
/// use stepgraph_authoring::edit::{GraphEdit, edit};
/// use stepgraph_core::source::{Format, edit::{inverse, spliced}};
/// let text = "nodes: {a: {type: log}}\n";
/// let edits = [r#"{"op": "add_node", "node": "b", "value": {"type": "noop"}}"#, r#"{"op": "connect", "from": "a", "to": "b"}"#];
/// let edits: Vec<GraphEdit> =
///     edits.iter().map(|json| GraphEdit::from_json(&stepgraph_core::json::parse(json).unwrap()).unwrap()).collect();
/// let edited = edit(text, Format::Yaml, &edits).unwrap();
/// assert_eq!(edited.text, "nodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b}]\n");
/// assert_eq!(spliced(&edited.text, &inverse(text, &edited.edits)), text);
/// ```
pub fn edit(text: &str, format: Format, edits: &[GraphEdit]) -> Result<Edited, Box<Diagnostic>> {
    edit_document(text, read(text, format), edits)
}

/// The same for a text that was read already, which saves reading it again.
///
/// # Errors
/// As of [`edit`].
pub fn edit_document(text: &str, document: Document, edits: &[GraphEdit]) -> Result<Edited, Box<Diagnostic>> {
    let mut session = Transaction::new(text, document)?;
    session.apply(edits)?;
    session.finish()
}

/// The edits of a file of stubs beside a plan, which go with edits of that plan: those of its nodes' names.
///
/// # Errors
/// As of [`edit`], and where two stubs would have one name.
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
) -> Result<Edited, Box<Diagnostic>> {
    let mut session = Transaction::new(plan, read(plan, plan_format))?;
    let mut beside = Editor::new(stubs, read(stubs, format))?;
    for edit in edits {
        let changes = session.stub_changes(edit, beside.root())?;
        beside.apply(&changes)?;
        session.apply(std::slice::from_ref(edit))?;
    }
    Ok(beside.finish())
}

impl GraphEdit {
    /// The graph that it is about.
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
