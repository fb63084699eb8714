//! Finds references that one side wrote and that mean something else after the merge, because of the other side.
//!
//! A merge of texts can't see this: a node put before another changes its `last`, and a node in a nested graph hides
//! an outer one of its name.

use super::conflict::{Conflict, ConflictKind};
use std::collections::BTreeMap;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::{Reference, Root};
use stepgraph_core::graph::scope::Scopes;
use stepgraph_core::graph::{Edge, Node, PlanFiles, PlanGraph, scoped_name, templates_of};
use stepgraph_core::interner::NameTable;
use stepgraph_core::source::Format;

/// What each reference of a node means, by its text.
type Meanings = BTreeMap<String, String>;

/// A node of a plan.
struct ReadingNode {
    meanings: Meanings,
    span: Span,
}

/// The nodes by scope and key.
type Readings = BTreeMap<(String, String), ReadingNode>;

/// Compares plans whose nodes have the same keys: *base*, *ours*, *theirs* and the merged one.
pub(super) fn conflicts(base: &str, sides: [&str; 2], merged: &str, format: Format) -> Vec<Conflict> {
    let read = |text: &str| {
        let files = PlanFiles::optional();
        PlanGraph::parse_with(text, format, NameTable::default(), &files).graph.map(|plan| readings(&plan))
    };
    let (Some(base), Some(merged)) = (read(base), read(merged)) else { return Vec::new() };
    let mut found = Vec::new();
    for (side, (writer, other)) in sides.iter().zip([("ours", "theirs"), ("theirs", "ours")]) {
        let Some(side) = read(side) else { continue };
        for (place, node) in &side {
            let Some(after) = merged.get(place) else { continue };
            let known = base.get(place).map(|node| &node.meanings);
            let changed = node.meanings.iter().find(|(name, meaning)| {
                let is_new = known.is_none_or(|known| !known.contains_key(*name));
                is_new && after.meanings.get(*name).is_some_and(|now| now != *meaning)
            });
            if let Some((name, _)) = changed {
                found.push(conflict(place, name, [writer, other], after.span));
            }
        }
    }
    found
}

fn conflict((scope, key): &(String, String), name: &str, [writer, other]: [&str; 2], span: Span) -> Conflict {
    let path = scoped_name(scope, key);
    let message = format!("{writer} reads `{name}` in `{path}`, and {other} changes what it means there");
    let mut conflict = Conflict::new(ConflictKind::Plan, message);
    conflict.scope.clone_from(scope);
    conflict.node = Some(key.clone());
    conflict.spans[3] = Some(span);
    conflict
}

fn readings(plan: &PlanGraph) -> Readings {
    let scopes = Scopes::new(plan);
    let mut readings = Readings::new();
    for (at, scope) in scopes.list.iter().enumerate() {
        for (position, node) in scope.graph.nodes.iter().enumerate() {
            let mut templates = Vec::new();
            templates_of(plan, scope.graph, position, &mut templates);
            let in_templates = templates.iter().flat_map(|(template, _)| template.references());
            let in_conditions = scope.graph.edges_from(position).flat_map(Edge::references);
            let mut meanings = Meanings::new();
            for (reference, _) in in_templates {
                add_meaning(reference, &scopes, (at, position), &mut meanings);
            }
            // The `last` of a condition is the output of its own node.
            for (reference, _) in in_conditions.filter(|(reference, _)| reference.root != Root::Last) {
                add_meaning(reference, &scopes, (at, position), &mut meanings);
            }
            let place = (scope.graph.scope.clone(), node.key.clone());
            readings.insert(place, ReadingNode { meanings, span: node.key_span });
        }
    }
    readings
}

fn add_meaning(
    reference: &Reference,
    scopes: &Scopes<'_>,
    (scope, position): (usize, usize),
    meanings: &mut Meanings,
) {
    match &reference.root {
        Root::Last => {
            meanings.insert("last".to_owned(), sources(scopes, scope, position));
        }
        Root::Output(name) => {
            let target = scopes.resolve(scope, name).and_then(|(at, node)| node_of(scopes, at, node));
            let meaning = target.map(|(scope, node)| scoped_name(scope, &node.key)).unwrap_or_default();
            meanings.insert(format!("output.{name}"), meaning);
        }
        _ => {}
    }
}

/// The nodes whose output may be `last`, as text.
fn sources(scopes: &Scopes<'_>, scope: usize, position: usize) -> String {
    let Some(graph) = scopes.list.get(scope).map(|scope| scope.graph) else { return String::new() };
    let edges = graph.edges.iter().filter(|edge| edge.target == position);
    let mut names = edges.map(|edge| edge.from.name.as_str()).collect_vec();
    names.sort_unstable();
    names.dedup();
    names.join("\n")
}

fn node_of<'s>(scopes: &Scopes<'s>, scope: usize, node: usize) -> Option<(&'s str, &'s Node)> {
    let graph = scopes.list.get(scope)?.graph;
    Some((graph.scope.as_str(), graph.nodes.get(node)?))
}
