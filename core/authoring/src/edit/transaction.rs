//! Edits one after another.
//!
//! Decides what of several edits is made at once: places of one graph. Each edit is planned in the outline of the document that the one
//! before it left.

use super::GraphEdit;
use super::error::{EditResult, blocked, no_graph, no_node};
use super::node::GraphEditor;
use super::plan_syntax::PlanSyntax;
use super::rename_in_tests::NodeRename;
use super::start::InferredStarts;
use stepgraph_core::diagnostic::{Diagnostic, Span};
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::source::edit::{Change, Edited, Editor};
use stepgraph_core::source::{Document, Format, Spanned};

pub(super) struct Transaction<'t> {
    editor: Editor<'t>,
    starts: InferredStarts,
}

impl<'t> Transaction<'t> {
    pub(super) fn new(text: &'t str, document: Document) -> EditResult<Self> {
        let editor = Editor::new(text, document)?;
        let starts = InferredStarts::new(&PlanSyntax::new(editor.root()));
        Ok(Self { editor, starts })
    }

    pub(super) fn apply(&mut self, edits: &[GraphEdit]) -> EditResult<()> {
        let mut rest = edits.iter().peekable();
        while let Some(edit) = rest.next() {
            let mut edit = edit.clone();
            while let Some(next) = rest.peek() {
                let GraphEdit::MoveNodes { scope: other, positions: more } = next else { break };
                let GraphEdit::MoveNodes { scope, positions: places } = &mut edit else { break };
                if scope != other || more.iter().any(|(key, _)| places.iter().any(|(known, _)| known == key))
                {
                    break;
                }
                places.extend(more.iter().cloned());
                rest.next();
            }
            let outline = PlanSyntax::new(self.editor.root());
            let changes = changes_of(self.editor.text(), &edit, &outline, &mut self.starts)?;
            let sound = regrouped_node(&edit, &outline).filter(|_| first_error(self.editor.text()).is_none());
            self.editor.apply(&changes)?;
            if let Some((place, problem)) = sound.zip(first_error(self.editor.text())) {
                let message = format!("the plan would have an error then: {}", problem.message);
                return Err(blocked(message, place, "mend that first, or leave these nodes where they are"));
            }
        }
        Ok(())
    }

    /// What an edit changes in stubs beside the plan.
    pub(super) fn stub_changes(&self, edit: &GraphEdit, stubs: &Spanned) -> EditResult<Vec<Change>> {
        let outline = PlanSyntax::new(self.editor.root());
        let (node, key, id) = match edit {
            GraphEdit::RenameNode { node, to, .. } => (node, Some(to), None),
            GraphEdit::SetId { node, id, .. } => (node, None, Some(id.as_ref().unwrap_or(node))),
            _ => return Ok(Vec::new()),
        };
        let Some((at, graph)) = outline.find(edit.scope()).and_then(|at| Some((at, outline.graph(at)?)))
        else {
            return Err(no_graph(&outline, edit.scope()));
        };
        let found = graph.with_key(node).and_then(|at| Some((at, graph.nodes.get(at)?)));
        let (place, old) = found.ok_or_else(|| no_node(graph, node))?;
        let follows = key.filter(|_| old.id == *node);
        let new = id.or(follows).unwrap_or(&old.id);
        let key = (node.as_str(), key.unwrap_or(node).as_str());
        let renamed = NodeRename { syntax: &outline, node: (at, place), key, id: (&old.id, new) };
        let mut changes = Vec::new();
        renamed.change_stubs(stubs, &[], &mut changes)?;
        Ok(changes)
    }

    pub(super) fn finish(mut self) -> Result<Edited, Box<Diagnostic>> {
        let changes = self.starts.changes(&PlanSyntax::new(self.editor.root()));
        self.editor.apply(&changes)?;
        Ok(self.editor.finish())
    }
}

/// Where the node is that an edit moves into a graph of its own or out of it, or the first of them.
///
/// A loop that no run reaches is no error, and may be one where a graph begins with it.
fn regrouped_node(edit: &GraphEdit, outline: &PlanSyntax<'_>) -> Option<Span> {
    let key = match edit {
        GraphEdit::GroupNodes { nodes, .. } => nodes.first()?,
        GraphEdit::UngroupNode { node, .. } => node,
        _ => return None,
    };
    let graph = outline.find(edit.scope()).and_then(|at| outline.graph(at))?;
    graph.with_key(key).and_then(|at| graph.nodes.get(at)).map(|node| node.span)
}

/// The first error of a plan.
fn first_error(text: &str) -> Option<Diagnostic> {
    PlanGraph::parse(text, Format::Auto).diagnostics.into_iter().find(Diagnostic::is_error)
}

/// The changes that an edit takes.
fn changes_of(
    text: &str,
    edit: &GraphEdit,
    outline: &PlanSyntax<'_>,
    starts: &mut InferredStarts,
) -> EditResult<Vec<Change>> {
    let scope = edit.scope();
    let found = outline.find(scope).and_then(|at| Some((at, outline.graph(at)?)));
    let (at, graph) = found.ok_or_else(|| no_graph(outline, scope))?;
    let here = GraphEditor { text, syntax: outline, graph_index: at, graph };
    let changes = match edit {
        GraphEdit::AddNode { node, value, before, .. } => here.add_node(node, value, before.as_deref()),
        GraphEdit::RemoveNode { node, .. } => here.remove_node(node),
        GraphEdit::RenameNode { node, to, .. } => here.rename(node, to),
        GraphEdit::SetId { node, id, .. } => here.set_id(node, id.as_deref()),
        GraphEdit::RetypeNode { node, kind, .. } => here.retype(node, kind),
        GraphEdit::DuplicateNode { node, to, .. } => here.duplicate(node, to),
        GraphEdit::Connect { from, to, condition, position, .. } => {
            here.connect((from, to), condition.as_deref(), *position)
        }
        GraphEdit::Disconnect { edge, .. } => here.disconnect(*edge),
        GraphEdit::Reconnect { edge, from, to, .. } => here.reconnect(*edge, from.as_deref(), to.as_deref()),
        GraphEdit::ReorderEdge { edge, position, .. } => here.reorder(*edge, *position),
        GraphEdit::SetCondition { edge, condition, .. } => here.set_condition(*edge, condition.as_deref()),
        GraphEdit::SetInput { node, input, .. } => here.set_input(node, input),
        GraphEdit::SetSetting { owner: of, path, value, .. } => here.set_setting(of, path, value.as_ref()),
        GraphEdit::SetPlan { path, value, .. } => here.set_plan(path, value.as_ref()),
        GraphEdit::MoveNodes { positions: places, .. } => here.move_nodes(places),
        GraphEdit::SetStart { node, .. } => here.set_start(node.as_deref()),
        GraphEdit::GroupNodes { nodes, to, .. } => here.group(nodes, to, starts.start_of(graph).as_deref()),
        GraphEdit::UngroupNode { node, .. } => here.ungroup(node, starts),
    }?;
    starts.record_edit(edit, outline);
    Ok(changes)
}
