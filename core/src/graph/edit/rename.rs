//! A node under another name, wherever it is spoken of.
//!
//! Decides what a key and an id reach: edges, `start` and `layout` go by the key; outputs, failures, tests and stubs by the id, which is
//! the key unless a node says otherwise.
//!
//! Invariant: every reference means the node afterwards that it meant before; where that can't be, the edit is refused.

use super::mention::{Meant, name_step, outputs};
use super::name::{check_captures, check_free_id, check_free_key, check_id, check_key};
use super::node::Here;
use super::outline::Outline;
use super::refuse::{Made, captured, refused};
use crate::diagnostic::{TextEdit, brief};
use crate::node::writes;
use crate::source::edit::Change;
use serde_json::Value as Json;

impl Here<'_, '_> {
    /// Gives a node another key, and another id when that is its key.
    pub(super) fn rename(&self, key: &str, to: &str) -> Made<Vec<Change>> {
        let node = self.node(key)?;
        if to == key {
            return Ok(Vec::new());
        }
        check_key(to)?;
        check_free_key(self.graph, to)?;
        let mut changes = Vec::new();
        if node.id == key {
            changes = self.rename_output(key, to)?;
            if node.has_id() {
                changes
                    .push(Change::Set { path: self.graph.at(&["nodes", key, "id"]), value: Json::from(to) });
            }
        }
        let graph = self.graph;
        for (at, edge) in graph.edges.iter().enumerate() {
            for (end, name) in [("from", &edge.from), ("to", &edge.to)] {
                if name.as_deref() == Some(key) {
                    changes.push(Change::Set { path: graph.edge(at, &[end]), value: Json::from(to) });
                }
            }
        }
        if graph.start().as_deref() == Some(key) {
            changes.push(Change::Set { path: graph.at(&["start"]), value: Json::from(to) });
        }
        if let Some(layout) = graph.map.get("layout").filter(|layout| layout.value.get(key).is_some()) {
            if layout.value.get(to).is_some() {
                changes.push(Change::Remove { path: graph.at(&["layout", to]) });
            }
            changes.push(Change::Rename { path: graph.at(&["layout", key]), key: to.to_owned() });
        }
        changes.push(Change::Rename { path: graph.at(&["nodes", key]), key: to.to_owned() });
        Ok(changes)
    }

    /// Gives a node another id than its key, or none of its own.
    pub(super) fn set_id(&self, key: &str, id: Option<&str>) -> Made<Vec<Change>> {
        let node = self.node(key)?;
        let mut changes = self.rename_output(key, id.unwrap_or(key))?;
        let path = self.graph.at(&["nodes", key, "id"]);
        match id {
            Some(id) => changes.push(Change::Set { path, value: Json::from(id) }),
            None if node.value.get("id").is_some() => changes.push(Change::Remove { path }),
            None => {}
        }
        Ok(changes)
    }

    /// Gives the output of a node another name, wherever that stands.
    fn rename_output(&self, key: &str, to: &str) -> Made<Vec<Change>> {
        let node = self.node(key)?;
        let place = (self.at, self.graph.with_key(key).unwrap_or_default());
        if node.id == to {
            return Ok(Vec::new());
        }
        check_id(to)?;
        check_free_id(self.graph, to)?;
        check_captures(self.outline, self.at, to, true)?;
        let mut changes = Vec::new();
        for mention in outputs(self.outline, Some(&node.id)) {
            if mention.meant != Meant::Node(place) {
                continue;
            }
            check_reaches(self.outline, mention.said.graph, self.at, to, mention.said.value.span)?;
            let text = super::super::shape::scalar_text(mention.said.value).unwrap_or_default();
            let Some(span) = mention.said.name_span(&text) else { continue };
            let old = text.get(span.start..span.end).unwrap_or_default();
            let edit = TextEdit { span, text: name_step(old, to, self.is_double(mention.said.value)) };
            changes.push(Change::Splice { path: mention.said.path, edits: vec![edit] });
        }
        Ok(merged(changes))
    }
}

/// Edits of one text in one change.
fn merged(changes: Vec<Change>) -> Vec<Change> {
    let mut out: Vec<Change> = Vec::with_capacity(changes.len());
    for change in changes {
        if let (Change::Splice { path, edits }, Some(Change::Splice { path: before, edits: all })) =
            (&change, out.last_mut())
            && path == before
        {
            all.extend(edits.iter().cloned());
        } else {
            out.push(change);
        }
    }
    out
}

/// Whether a name is not taken between the graph where it stands and the graph of its node.
fn check_reaches(
    outline: &Outline<'_>,
    from: usize,
    to: usize,
    name: &str,
    place: crate::diagnostic::Span,
) -> Made<()> {
    for graph in outline.around(from).take_while(|at| *at != to).filter_map(|at| outline.graph(at)) {
        let nodes = graph.nodes.iter();
        if let Some(other) = nodes.clone().find(|node| node.id == name || writes(&node.kind).contains(&name))
        {
            let message = format!(
                "`output.{}` in `{}` would speak of the node `{}` there",
                brief(name),
                brief(&graph.scope),
                brief(other.key)
            );
            return refused(captured(message, place).label(other.span, "this one"));
        }
    }
    Ok(())
}
