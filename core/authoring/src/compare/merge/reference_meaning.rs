//! Finds references and edges that mean something else after the merge than on the side that wrote them.
//!
//! A merge of texts can't see this: a node put before another changes its `last`, a node in a nested graph hides an
//! outer one of its name, and an edge without its condition comes first.

use super::conflict::{Conflict, ConflictKind};
use std::collections::{BTreeMap, BTreeSet};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::{Condition, Reference, Root};
use stepgraph_core::graph::scope::Scopes;
use stepgraph_core::graph::{Edge, Graph, Node, PlanFiles, PlanGraph, scoped_name, templates_of};
use stepgraph_core::interner::NameTable;
use stepgraph_core::kind::passes_last;
use stepgraph_core::source::Format;
use stepgraph_core::value::canonical_text;

/// The meaning of each reference of a node, by its text.
type Meanings = BTreeMap<String, String>;

struct ReadNode {
    meanings: Meanings,
    /// Targets and conditions in the order in which a run tries them.
    edges: Vec<(String, String)>,
    span: Span,
}

/// The nodes by scope and key.
type Readings = BTreeMap<(String, String), ReadNode>;

/// Compares plans whose nodes have the same keys: *base*, *ours*, *theirs* and the merged one.
pub(super) fn conflicts(base: &str, sides: [&str; 2], merged: &str, format: Format) -> Vec<Conflict> {
    let read = |text: &str| {
        let files = PlanFiles::optional();
        PlanGraph::parse_with(text, format, NameTable::default(), &files)
            .into_sound()
            .map(|plan| readings(&plan))
    };
    // Errors of the merged plan are conflicts already.
    let (Some(base), Some(merged)) = (read(base), read(merged)) else { return Vec::new() };
    let [Some(ours), Some(theirs)] = sides.map(read) else { return Vec::new() };
    let mut found = reference_conflicts(&base, &ours, &merged, ["ours", "theirs"]);
    found.extend(reference_conflicts(&base, &theirs, &merged, ["theirs", "ours"]));
    found.extend(edge_conflicts(&base, [&ours, &theirs], &merged));
    found
}

fn reference_conflicts(
    base: &Readings,
    side: &Readings,
    merged: &Readings,
    [writer, other]: [&str; 2],
) -> Vec<Conflict> {
    let mut found = Vec::new();
    for (place, node) in side {
        let Some(after) = merged.get(place) else { continue };
        let known = base.get(place).map(|node| &node.meanings);
        let changed = node.meanings.iter().find(|(name, meaning)| {
            let is_new = known.is_none_or(|known| !known.contains_key(*name));
            is_new && after.meanings.get(*name).is_some_and(|now| now != *meaning)
        });
        if let Some((name, _)) = changed {
            let path = scoped_name(&place.0, &place.1);
            let message =
                format!("{writer} reads `{name}` in `{path}`, and {other} changes what it means there");
            found.push(conflict(place, ConflictKind::Plan, message, after.span));
        }
    }
    found
}

/// If one side leaves the meaning of a node's edges, the merge must have that of the other side.
fn edge_conflicts(base: &Readings, [ours, theirs]: [&Readings; 2], merged: &Readings) -> Vec<Conflict> {
    let mut found = Vec::new();
    for (place, node) in base {
        let (Some(ours), Some(theirs), Some(after)) = (ours.get(place), theirs.get(place), merged.get(place))
        else {
            continue;
        };
        let is_wrong =
            |same: &ReadNode, other: &ReadNode| same.edges == node.edges && after.edges != other.edges;
        if is_wrong(ours, theirs) || is_wrong(theirs, ours) {
            let path = scoped_name(&place.0, &place.1);
            let message = format!(
                "one side moved the edges that leave `{path}`, and the other changed their conditions: write which comes first"
            );
            found.push(conflict(place, ConflictKind::Order, message, after.span));
        }
    }
    found
}

fn conflict((scope, key): &(String, String), kind: ConflictKind, message: String, span: Span) -> Conflict {
    let mut conflict = Conflict::new(kind, message);
    conflict.scope.clone_from(scope);
    conflict.node = Some(key.clone());
    conflict.spans[3] = Some(span);
    conflict
}

fn readings(plan: &PlanGraph) -> Readings {
    let reader = Reader { plan, scopes: Scopes::new(plan) };
    let mut readings = Readings::new();
    for (at, scope) in reader.scopes.list.iter().enumerate() {
        for (position, node) in scope.graph.nodes.iter().enumerate() {
            let place = (scope.graph.scope.clone(), node.key.clone());
            let edges = tried_edges(scope.graph, position);
            let meanings = reader.meanings(at, position, node);
            readings.insert(place, ReadNode { meanings, edges, span: node.key_span });
        }
    }
    readings
}

/// Fallbacks come last.
fn tried_edges(graph: &Graph, position: usize) -> Vec<(String, String)> {
    let is_fallback = |edge: &&Edge| matches!(edge.condition, Condition::Fallback);
    let plain = |edge: &Edge| {
        let condition = if is_fallback(&edge) { String::new() } else { edge.condition_text.clone() };
        (edge.to.name.clone(), condition)
    };
    let (fallbacks, others): (Vec<_>, Vec<_>) = graph.edges_from(position).partition(is_fallback);
    others.into_iter().chain(fallbacks).map(plain).collect_vec()
}

struct Reader<'p> {
    plan: &'p PlanGraph,
    scopes: Scopes<'p>,
}

impl<'p> Reader<'p> {
    fn meanings(&self, scope: usize, position: usize, node: &Node) -> Meanings {
        let mut meanings = Meanings::new();
        let Some(graph) = self.graph(scope) else { return meanings };
        let mut templates = Vec::new();
        templates_of(self.plan, graph, position, &mut templates);
        for (reference, _) in templates.iter().flat_map(|(template, _)| template.references()) {
            self.add(reference, scope, position, &mut meanings);
        }
        let passes = outputs_last(node);
        for (reference, _) in graph.edges_from(position).flat_map(Edge::references) {
            // The `last` of a condition is the output of its own node.
            if passes || reference.root != Root::Last {
                self.add(reference, scope, position, &mut meanings);
            }
        }
        if node.input.is_none() && node.nested.is_empty() {
            meanings.insert("last".to_owned(), self.producers(scope, position));
        }
        meanings
    }

    fn add(&self, reference: &Reference, scope: usize, position: usize, meanings: &mut Meanings) {
        match &reference.root {
            Root::Last => {
                meanings.insert("last".to_owned(), self.producers(scope, position));
            }
            Root::Output(name) => {
                let target = self.scopes.resolve(scope, name);
                let meaning = target.and_then(|(at, node)| self.producer(at, node)).unwrap_or_default();
                meanings.insert(format!("output.{name}"), meaning);
            }
            Root::Input | Root::Item if scope > 0 => {
                let name = if reference.root == Root::Item { "item" } else { "input" };
                meanings.insert(name.to_owned(), self.owner_input(scope));
            }
            _ => {}
        }
    }

    /// Returns the node and its work. A node that passes on its input also has the producers of that.
    fn producer(&self, scope: usize, position: usize) -> Option<String> {
        let graph = self.graph(scope)?;
        let node = graph.nodes.get(position)?;
        let tool = node.tool.as_ref().map_or("", |tool| tool.name.as_str());
        let before = if outputs_last(node) { self.producers(scope, position) } else { String::new() };
        Some(format!("{} {} {tool}\n{before}", scoped_name(&graph.scope, &node.key), node.kind))
    }

    /// The nodes whose output may be `last`, as text.
    fn producers(&self, scope: usize, position: usize) -> String {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::from([(scope, position)]);
        let mut open = vec![(scope, position)];
        while let Some((scope, position)) = open.pop() {
            let Some(graph) = self.graph(scope) else { continue };
            if graph.start == Some(position) {
                match self.scopes.list.get(scope).and_then(|scope| scope.owner) {
                    Some(owner) if seen.insert(owner) => open.push(owner),
                    Some(_) => {}
                    None => drop(found.insert(String::new())),
                }
            }
            for edge in graph.edges.iter().filter(|edge| edge.target == position) {
                let Some(source) = graph.nodes.get(edge.source) else { continue };
                if !outputs_last(source) {
                    found.insert(scoped_name(&graph.scope, &source.key));
                } else if seen.insert((scope, edge.source)) {
                    open.push((scope, edge.source));
                }
            }
        }
        found.into_iter().collect_vec().join("\n")
    }

    /// The input of the node around a graph.
    fn owner_input(&self, scope: usize) -> String {
        let input = || {
            let (outer, node) = self.scopes.list.get(scope)?.owner?;
            let entry = self.plan.node_entry(self.graph(outer)?, node)?;
            Some(canonical_text(&entry.value.get("input")?.value.to_json()))
        };
        input().unwrap_or_default()
    }

    fn graph(&self, scope: usize) -> Option<&'p Graph> {
        Some(self.scopes.list.get(scope)?.graph)
    }
}

/// Whether the output is `last`.
fn outputs_last(node: &Node) -> bool {
    passes_last(&node.kind) || (node.kind == "log" && node.input.is_none())
}
