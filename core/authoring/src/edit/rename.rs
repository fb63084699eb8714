//! Renames a node with all uses of its key (edges, `start`, `layout`) and its id (outputs, failures, tests,
//! stubs).
//!
//! Invariant: every reference keeps its target node. Otherwise the edit is refused.

use super::error::{EditResult, captured_reference, refuse};
use super::name_check::{check_captures, check_free_id, check_free_key, check_id, check_key};
use super::node::GraphEditor;
use super::plan_syntax::{NodeSyntax, PlanSyntax};
use super::references::{ReferenceTarget, output_references};
use super::rename_in_tests::NodeRename;
use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_core::diagnostic::{Span, shorten_name};
use stepgraph_core::kind::named_outputs;
use stepgraph_core::source::edit::Change;
use stepgraph_core::value::Segment;

impl GraphEditor<'_, '_> {
    pub(super) fn rename(&self, key: &str, to: &str) -> EditResult<Vec<Change>> {
        let node = self.node(key)?;
        if to == key {
            return Ok(Vec::new());
        }
        check_key(to)?;
        check_free_key(self.graph, to)?;
        let id = if node.id == key { to } else { node.id.as_str() };
        let mut changes = self.rename_output(key, to, id)?;
        if node.id == key && node.has_id() {
            changes
                .push(Change::Set { path: self.graph.path_to(&["nodes", key, "id"]), value: Json::from(to) });
        }
        let graph = self.graph;
        for (at, edge) in graph.edges.iter().enumerate() {
            for (end, name) in [("from", &edge.from), ("to", &edge.to)] {
                if name.as_deref() == Some(key) {
                    changes.push(Change::Set { path: graph.edge_path(at, &[end]), value: Json::from(to) });
                }
            }
        }
        if graph.start().as_deref() == Some(key) {
            changes.push(Change::Set { path: graph.path_to(&["start"]), value: Json::from(to) });
        }
        if let Some(layout) = graph.map.get("layout").filter(|layout| layout.value.get(key).is_some()) {
            if layout.value.get(to).is_some() {
                changes.push(Change::Remove { path: graph.path_to(&["layout", to]) });
            }
            changes.push(Change::Rename { path: graph.path_to(&["layout", key]), key: to.to_owned() });
        }
        changes.push(Change::Rename { path: graph.path_to(&["nodes", key]), key: to.to_owned() });
        Ok(changes)
    }

    pub(super) fn set_id(&self, key: &str, id: Option<&str>) -> EditResult<Vec<Change>> {
        let node = self.node(key)?;
        let mut changes = self.rename_output(key, key, id.unwrap_or(key))?;
        let path = self.graph.path_to(&["nodes", key, "id"]);
        match id {
            Some(id) => changes.push(Change::Set { path, value: Json::from(id) }),
            None if node.value.get("id").is_some() => changes.push(Change::Remove { path }),
            None => {}
        }
        Ok(changes)
    }

    fn rename_output(&self, key: &str, new_key: &str, to: &str) -> EditResult<Vec<Change>> {
        let node = self.node(key)?;
        let place = (self.graph_index, self.graph.with_key(key).unwrap_or_default());
        let renamed =
            NodeRename { syntax: self.syntax, node: place, key: (key, new_key), id: (&node.id, to) };
        let tests = renamed.test_changes()?;
        if node.id == to {
            return Ok(tests);
        }
        check_id(to)?;
        check_free_id(self.graph, to)?;
        check_captures(self.syntax, self.graph_index, to, true)?;
        check_reaches(self.syntax, (self.graph_index, self.graph_index), to, node.span)?;
        let mut changes = renamed.failure_condition_changes()?;
        for output_reference in output_references(self.syntax, Some(&node.id)) {
            if output_reference.target != ReferenceTarget::Node(place) {
                continue;
            }
            check_reaches(
                self.syntax,
                (output_reference.reference.graph, self.graph_index),
                to,
                output_reference.reference.value.span,
            )?;
            changes
                .extend(output_reference.rename(to, self.is_double_quoted(output_reference.reference.value)));
        }
        let mut changes = merge_changes(changes);
        changes.extend(renamed.conversation_changes()?);
        changes.extend(tests);
        Ok(changes)
    }
}

pub(super) fn merge_changes(changes: Vec<Change>) -> Vec<Change> {
    let mut at: HashMap<Vec<Segment>, usize> = HashMap::new();
    let mut out: Vec<Change> = Vec::with_capacity(changes.len());
    for change in changes {
        let known = at.get(change.path()).and_then(|at| out.get_mut(*at));
        if let (Change::Splice { edits, .. }, Some(Change::Splice { edits: all, .. })) = (&change, known) {
            all.extend(edits.iter().cloned());
            all.sort_by_key(|edit| edit.span.start);
        } else {
            at.insert(change.path().to_vec(), out.len());
            out.push(change);
        }
    }
    out
}

/// No graph on the way may use the name.
fn check_reaches(
    syntax: &PlanSyntax<'_>,
    (from, to): (usize, usize),
    name: &str,
    place: Span,
) -> EditResult<()> {
    let between = syntax.enclosing(from).take_while(|at| *at != to).filter_map(|at| syntax.graph(at));
    let home = syntax.graph(to).into_iter();
    for (graph, home) in between.map(|graph| (graph, false)).chain(home.map(|graph| (graph, true))) {
        let says =
            |node: &&NodeSyntax<'_>| !home && node.id == name || named_outputs(&node.kind).contains(&name);
        if let Some(other) = graph.nodes.iter().find(says) {
            let message = format!(
                "`output.{}` would speak of the node `{}` here",
                shorten_name(name),
                shorten_name(other.key)
            );
            return refuse(captured_reference(message, place).label(other.span, "this one"));
        }
    }
    Ok(())
}
