//! Applies edits in order. Moves of nodes in one graph apply together.

use super::GraphEdit;
use super::error::{EditResult, blocked, no_graph, no_node};
use super::node::GraphEditor;
use super::plan_syntax::PlanSyntax;
use super::rename_in_tests::NodeRename;
use super::start::InferredStarts;
use std::sync::Arc;
use stepgraph_core::diagnostic::{Diagnostic, DiagnosticCollector, Span};
use stepgraph_core::graph::{PlanFiles, PlanGraph};
use stepgraph_core::interner::NameTable;
use stepgraph_core::source::edit::{Change, EditedText, Editor};
use stepgraph_core::source::{IncrementalParse, Spanned};

pub(super) struct Transaction<'t> {
    editor: Editor<'t>,
    starts: InferredStarts,
}

impl<'t> Transaction<'t> {
    pub(super) fn new(text: &'t str, parse: IncrementalParse) -> EditResult<Self> {
        let editor = Editor::new(text, parse)?;
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
            let syntax = PlanSyntax::new(self.editor.root());
            let changes = changes_of(self.editor.text(), &edit, &syntax, &mut self.starts)?;
            let sound = regrouped_node(&edit, &syntax).filter(|_| first_error(&self.editor).is_none());
            self.editor.apply(&changes)?;
            if let Some((place, diagnostic)) = sound.zip(first_error(&self.editor)) {
                let message = format!("the plan would have an error then: {}", diagnostic.message);
                return Err(blocked(message, place, "fix that first, or leave these nodes where they are"));
            }
        }
        Ok(())
    }

    pub(super) fn stub_changes(&self, edit: &GraphEdit, stubs: &Spanned) -> EditResult<Vec<Change>> {
        let syntax = PlanSyntax::new(self.editor.root());
        let (node, key, id) = match edit {
            GraphEdit::RenameNode { node, to, .. } => (node, Some(to), None),
            GraphEdit::SetId { node, id, .. } => (node, None, Some(id.as_ref().unwrap_or(node))),
            _ => return Ok(Vec::new()),
        };
        let Some((at, graph)) = syntax.find(edit.scope()).and_then(|at| Some((at, syntax.graph(at)?))) else {
            return Err(no_graph(&syntax, edit.scope()));
        };
        let found = graph.with_key(node).and_then(|at| Some((at, graph.nodes.get(at)?)));
        let (place, old) = found.ok_or_else(|| no_node(graph, node))?;
        let follows = key.filter(|_| old.id == *node);
        let new = id.or(follows).unwrap_or(&old.id);
        let key = (node.as_str(), key.unwrap_or(node).as_str());
        let renamed = NodeRename { syntax: &syntax, node: (at, place), key, id: (&old.id, new) };
        let mut changes = Vec::new();
        renamed.change_stubs(stubs, &[], &mut changes)?;
        Ok(changes)
    }

    pub(super) fn finish(mut self) -> Result<EditedText, Box<Diagnostic>> {
        let changes = self.starts.changes(&PlanSyntax::new(self.editor.root()));
        self.editor.apply(&changes)?;
        Ok(self.editor.finish())
    }
}

/// Returns the first node that an edit groups or ungroups. An unreachable loop is no error, but can become
/// one if a graph starts with it.
fn regrouped_node(edit: &GraphEdit, syntax: &PlanSyntax<'_>) -> Option<Span> {
    let key = match edit {
        GraphEdit::GroupNodes { nodes, .. } => nodes.first()?,
        GraphEdit::UngroupNode { node, .. } => node,
        _ => return None,
    };
    let graph = syntax.find(edit.scope()).and_then(|at| syntax.graph(at))?;
    graph.with_key(key).and_then(|at| graph.nodes.get(at)).map(|node| node.span)
}

fn first_error(editor: &Editor<'_>) -> Option<Diagnostic> {
    let (text, parse) = (editor.text(), editor.parse());
    let mut diagnostics = DiagnosticCollector::after_reading(parse.diagnostics().to_vec(), text);
    let tree = parse.tree().map(Arc::clone)?;
    PlanGraph::from_document(tree, text, NameTable::default(), &PlanFiles::optional(), &mut diagnostics);
    diagnostics.finish().into_iter().find(Diagnostic::is_error)
}

fn changes_of(
    text: &str,
    edit: &GraphEdit,
    syntax: &PlanSyntax<'_>,
    starts: &mut InferredStarts,
) -> EditResult<Vec<Change>> {
    let scope = edit.scope();
    let found = syntax.find(scope).and_then(|at| Some((at, syntax.graph(at)?)));
    let (at, graph) = found.ok_or_else(|| no_graph(syntax, scope))?;
    let editor = GraphEditor { text, syntax, graph_index: at, graph };
    let changes = match edit {
        GraphEdit::AddNode { node, value, before, .. } => editor.add_node(node, value, before.as_deref()),
        GraphEdit::RemoveNode { node, .. } => editor.remove_node(node),
        GraphEdit::RenameNode { node, to, .. } => editor.rename(node, to),
        GraphEdit::SetId { node, id, .. } => editor.set_id(node, id.as_deref()),
        GraphEdit::RetypeNode { node, kind, .. } => editor.retype(node, kind),
        GraphEdit::DuplicateNode { node, to, .. } => editor.duplicate(node, to),
        GraphEdit::Connect { from, to, condition, position, .. } => {
            editor.connect((from, to), condition.as_deref(), *position)
        }
        GraphEdit::Disconnect { edge, .. } => editor.disconnect(*edge),
        GraphEdit::Reconnect { edge, from, to, .. } => {
            editor.reconnect(*edge, from.as_deref(), to.as_deref())
        }
        GraphEdit::ReorderEdge { edge, position, .. } => editor.reorder(*edge, *position),
        GraphEdit::SetCondition { edge, condition, .. } => editor.set_condition(*edge, condition.as_deref()),
        GraphEdit::SetInput { node, input, .. } => editor.set_input(node, input),
        GraphEdit::SetSetting { owner: of, path, value, .. } => editor.set_setting(of, path, value.as_ref()),
        GraphEdit::SetPlan { path, value, .. } => editor.set_plan(path, value.as_ref()),
        GraphEdit::MoveNodes { positions: places, .. } => editor.move_nodes(places),
        GraphEdit::SetStart { node, .. } => editor.set_start(node.as_deref()),
        GraphEdit::GroupNodes { nodes, to, .. } => editor.group(nodes, to, starts.start_of(graph).as_deref()),
        GraphEdit::UngroupNode { node, .. } => editor.ungroup(node, starts),
    }?;
    starts.record_edit(edit, syntax);
    Ok(changes)
}
