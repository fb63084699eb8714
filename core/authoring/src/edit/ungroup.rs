//! Inlines the graph inside a node, with the checks of [`super::group`].
//!
//! Invariant: a run visits the same nodes with the same inputs and ends the same way.

use super::error::{EditResult, blocked};
use super::move_in_tests::NodeMove;
use super::name_check::{check_captures, check_free_id, check_free_key};
use super::node::GraphEditor;
use super::plan_syntax::{EdgeSyntax, GraphSyntax, NodeSyntax};
use super::references::{ReferenceTarget, output_references, uses_error};
use super::region::{Region, ignores_last, is_fallback, passes_failure};
use super::rename::merge_changes;
use super::set_value::add_new_value;
use super::start::InferredStarts;
use serde_json::Value as Json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::shorten_name;
use stepgraph_core::kind::passes_last;
use stepgraph_core::source::edit::{Change, NewValue};
use stepgraph_core::value::Segment;

struct Ungrouping<'o, 'd> {
    node: &'o NodeSyntax<'d>,
    inner: &'o GraphSyntax<'d>,
    region: Region<'o, 'd>,
    entering: Vec<usize>,
    leaving: Vec<usize>,
    ends: Vec<usize>,
    takes_group_input: bool,
}

impl<'o, 'd> GraphEditor<'o, 'd> {
    pub(super) fn ungroup(&self, key: &str, starts: &InferredStarts) -> EditResult<Vec<Change>> {
        let node = self.node(key)?;
        let at = self.graph.with_key(key).unwrap_or_default();
        let graphs = self.syntax.graphs.iter().enumerate();
        let inside: Vec<(usize, &GraphSyntax<'d>)> =
            graphs.filter(|(_, graph)| graph.owner == Some((self.graph_index, at))).collect_vec();
        let [(inner_at, inner)] = inside.as_slice() else {
            return Err(blocked(
                format!("`{}` does not contain exactly one graph", shorten_name(key)),
                node.span,
                "name a node of type `graph`",
            ));
        };
        if node.kind != "graph" || node.value.get("graph").is_none() {
            let message = format!("`{}` is not of type `graph`", shorten_name(key));
            return Err(blocked(message, node.span, "name a node of type `graph`"));
        }
        for setting in ["retry", "timeout_ms", "visits"] {
            if let Some(entry) = node.value.get(setting).filter(|entry| !entry.value.is_null()) {
                let message = format!("`{setting}` of `{}` is for the whole graph", shorten_name(key));
                return Err(blocked(message, entry.key_span, format!("remove `{setting}` first")));
            }
        }
        let ungrouping = self.plan_ungroup(node, (*inner_at, inner), starts)?;
        let mut changes = self.name_changes(&ungrouping)?;
        changes.extend(self.tests_of_ungrouped(&ungrouping)?);
        self.ungroup_changes(&ungrouping, &mut changes);
        Ok(changes)
    }

    fn plan_ungroup(
        &self,
        node: &'o NodeSyntax<'d>,
        (inner_at, inner): (usize, &'o GraphSyntax<'d>),
        starts: &InferredStarts,
    ) -> EditResult<Ungrouping<'o, 'd>> {
        let graph = self.graph;
        let key = node.key;
        let start = starts.start_of(inner);
        let Some(entry) = start.and_then(|start| inner.with_key(&start)) else {
            let message = format!("the start of the graph in `{}` is unknown", shorten_name(key));
            return Err(blocked(message, node.span, "name the first node in its `start`"));
        };
        let members = (0..inner.nodes.len()).collect();
        let region = Region { syntax: self.syntax, graph_index: inner_at, graph: inner, members, entry };
        let edges = || graph.edges.iter().enumerate();
        let ends = |end: &Option<String>| end.as_deref() == Some(key);
        let entering: Vec<usize> = edges().filter(|(_, edge)| ends(&edge.to)).map(|(at, _)| at).collect_vec();
        let leaving: Vec<usize> =
            edges().filter(|(_, edge)| ends(&edge.from)).map(|(at, _)| at).collect_vec();
        let place = |at: &usize| graph.edges.get(*at).map(|edge| edge.value.span).unwrap_or_default();
        let fails = |at: &&usize| graph.edges.get(**at).is_some_and(|edge| uses_error(&edge.condition()));
        // A node that reenters itself has an output before it fails, which is not visible outside today.
        let several = inner.nodes.len() > 1 || region.reenters_entry();
        if let Some(at) = leaving.iter().find(fails).filter(|_| several) {
            let message = "this edge is taken when any node of the graph inside fails";
            return Err(blocked(message, place(at), "handle failures inside, or remove the edge first"));
        }
        // It would become an inner edge.
        let again = entering.iter().find(|at| leaving.contains(at));
        if let Some(at) = again {
            return Err(blocked("this edge leads back to the group", place(at), "remove the edge first"));
        }
        let ends = region.ends();
        if let Some(at) = leaving.first().filter(|_| ends.is_empty()) {
            return Err(blocked(
                "the graph inside never ends, so this edge is never taken",
                place(at),
                "remove the edge first",
            ));
        }
        check_region(self, &region, &entering, &leaving)?;
        let others = graph.nodes.iter().filter(|other| other.key != key).collect_vec();
        region.check_conversations(&others)?;
        let input = self.needs_group_input(
            node,
            &region,
            entering.is_empty() && starts.start_of(graph).as_deref() == Some(key),
        )?;
        Ok(Ungrouping { node, inner, region, entering, leaving, ends, takes_group_input: input })
    }

    fn needs_group_input(
        &self,
        node: &NodeSyntax<'_>,
        region: &Region<'_, '_>,
        first: bool,
    ) -> EditResult<bool> {
        let input = node.value.get("input").filter(|entry| !entry.value.is_null());
        let passes = input.is_some_and(|entry| entry.value.as_text() == Some("${input}"));
        let same = passes || input.is_none() && first && !region.reenters_entry();
        if let Some(place) = region.input().filter(|_| !same) {
            let message =
                "`input` is the input of the group, and would become the input of the graph around it";
            return Err(blocked(message, place, "refer to something else first"));
        }
        let Some(input) = input.filter(|_| !ignores_last(self.syntax, (region.graph_index, region.entry)))
        else {
            return Ok(false);
        };
        let entry = region.node(region.entry);
        let own =
            entry.is_some_and(|node| node.value.get("input").is_some_and(|entry| !entry.value.is_null()));
        let simple = entry.is_some_and(|node| {
            !passes_last(&node.kind)
                && !node.value.get("with").is_some_and(|with| references_last(&with.value))
        });
        let fails = passes_failure(self.syntax, (region.graph_index, region.entry));
        if own || !simple || fails || region.reenters_entry() {
            let message = "the first node would no longer receive this";
            return Err(blocked(message, input.value.span, "give the first node this input first"));
        }
        Ok(true)
    }

    fn name_changes(&self, ungrouping: &Ungrouping<'_, '_>) -> EditResult<Vec<Change>> {
        for node in &ungrouping.inner.nodes {
            check_free_key(self.graph, node.key)?;
            check_free_id(self.graph, &node.id)?;
            check_captures(self.syntax, self.graph_index, &node.id, false)?;
        }
        let here = self.graph.with_key(ungrouping.node.key);
        let end = match ungrouping.ends.as_slice() {
            [end] => ungrouping.region.node(*end),
            _ => None,
        };
        let mut changes = Vec::new();
        for output_reference in output_references(self.syntax, Some(&ungrouping.node.id)) {
            if output_reference.target
                != here
                    .map_or(ReferenceTarget::Unknown, |node| ReferenceTarget::Node((self.graph_index, node)))
            {
                continue;
            }
            let inside = ungrouping.region.site(&output_reference.reference).is_some();
            let Some(end) = end.filter(|_| !inside) else {
                let message =
                    format!("`output.{}` would refer to nothing", shorten_name(&output_reference.name));
                return Err(blocked(
                    message,
                    output_reference.reference.value.span,
                    "refer to another node first",
                ));
            };
            changes.extend(
                output_reference.rename(&end.id, self.is_double_quoted(output_reference.reference.value)),
            );
        }
        Ok(merge_changes(changes))
    }

    fn tests_of_ungrouped(&self, ungrouping: &Ungrouping<'_, '_>) -> EditResult<Vec<Change>> {
        let inner = ungrouping.inner;
        let end = match ungrouping.ends.as_slice() {
            [end] => ungrouping.region.node(*end).map(|node| node.id.as_str()),
            _ => None,
        };
        let nodes = inner.nodes.iter().map(|node| (node.key, node.id.as_str())).collect_vec();
        let group = (ungrouping.node.key, ungrouping.node.id.as_str());
        NodeMove { graph: self.graph, nodes, group, end, chain: only_path(&ungrouping.region), into: false }
            .test_changes(self.syntax)
    }

    fn ungroup_changes(&self, ungrouping: &Ungrouping<'_, '_>, changes: &mut Vec<Change>) {
        let (graph, inner, key) = (self.graph, ungrouping.inner, ungrouping.node.key);
        let name = |at: usize| inner.nodes.get(at).map_or("", |node| node.key);
        let first = Json::from(name(ungrouping.region.entry));
        for at in &ungrouping.entering {
            changes.push(Change::Set { path: graph.edge_path(*at, &["to"]), value: first.clone() });
        }
        if graph.start().as_deref() == Some(key) {
            changes.push(Change::Set { path: graph.path_to(&["start"]), value: first });
        }
        for at in &ungrouping.leaving {
            let from = ungrouping.ends.first().map_or("", |end| name(*end));
            changes.push(Change::Set { path: graph.edge_path(*at, &["from"]), value: Json::from(from) });
        }
        let kept = |way: Vec<Segment>| NewValue::Existing(way);
        let nodes = inner
            .nodes
            .iter()
            .map(|node| (node.key.to_owned(), kept(inner.path_to(&["nodes", node.key]))))
            .collect_vec();
        changes.push(Change::InsertRelocated {
            path: graph.path_to(&["nodes"]),
            before: graph.with_key(key),
            entries: nodes,
        });
        if ungrouping.takes_group_input {
            let entries = vec![("input".to_owned(), kept(graph.path_to(&["nodes", key, "input"])))];
            changes.push(Change::InsertRelocated {
                path: graph.path_to(&["nodes", name(ungrouping.region.entry)]),
                before: Some(1),
                entries,
            });
        }
        let mut edges: Vec<(String, NewValue)> =
            (0..inner.edges.len()).map(|at| (String::new(), kept(inner.edge_path(at, &[])))).collect_vec();
        let before = ungrouping.leaving.first().copied();
        let copies = ungrouping
            .ends
            .iter()
            .skip(1)
            .flat_map(|end| ungrouping.leaving.iter().map(move |edge| (*end, *edge)));
        let copies = copies.filter_map(|(end, edge)| {
            Some((String::new(), NewValue::Value(edge_from(graph.edges.get(edge)?, name(end)))))
        });
        let copies: Vec<(String, NewValue)> = copies.collect_vec();
        if graph.edges.is_empty() {
            let list = NewValue::List(edges.into_iter().map(|(_, draft)| draft).collect_vec());
            if !inner.edges.is_empty() {
                changes.extend(add_new_value(
                    &graph.path,
                    graph.map,
                    "edges",
                    list,
                    &["layout", "limits", "tests"],
                ));
            }
        } else {
            let after = ungrouping.leaving.last().map(|at| at + 1);
            if !copies.is_empty() {
                changes.push(Change::InsertRelocated {
                    path: graph.path_to(&["edges"]),
                    before: after,
                    entries: copies,
                });
            }
            if !edges.is_empty() {
                edges.truncate(inner.edges.len());
                changes.push(Change::InsertRelocated {
                    path: graph.path_to(&["edges"]),
                    before,
                    entries: edges,
                });
            }
        }
        self.layout_of_ungrouped(ungrouping, changes);
        changes.push(Change::Remove { path: graph.path_to(&["nodes", key]) });
    }

    fn layout_of_ungrouped(&self, ungrouping: &Ungrouping<'_, '_>, changes: &mut Vec<Change>) {
        let (graph, inner) = (self.graph, ungrouping.inner);
        let layout = inner.map.get("layout").and_then(|layout| layout.value.as_map()).unwrap_or_default();
        let entries = layout.iter().filter(|entry| inner.with_key(&entry.key).is_some());
        let entries: Vec<(String, NewValue)> = entries
            .map(|entry| (entry.key.clone(), NewValue::Existing(inner.path_to(&["layout", &entry.key]))))
            .collect_vec();
        let outer = graph.map.get("layout").and_then(|layout| layout.value.as_map()).unwrap_or_default();
        let placed = outer.iter().any(|entry| entry.key == ungrouping.node.key);
        if !entries.is_empty() && outer.is_empty() {
            changes.extend(add_new_value(
                &graph.path,
                graph.map,
                "layout",
                NewValue::Map(entries),
                &["tests"],
            ));
            return;
        }
        let gone = || Change::Remove { path: graph.path_to(&["layout", ungrouping.node.key]) };
        match (entries.is_empty(), placed) {
            (true, true) if outer.len() == 1 && !self.has_own_comments(&graph.path_to(&["layout"])) => {
                changes.push(Change::Remove { path: graph.path_to(&["layout"]) });
            }
            (true, true) => changes.push(gone()),
            (true, false) => {}
            (false, _) => {
                // Existing layout entries with these names belong to no node.
                let stray = entries.iter().filter(|(key, _)| outer.iter().any(|entry| entry.key == *key));
                changes
                    .extend(stray.map(|(key, _)| Change::Remove { path: graph.path_to(&["layout", key]) }));
                changes.push(Change::InsertRelocated {
                    path: graph.path_to(&["layout"]),
                    before: None,
                    entries,
                });
                changes.extend(placed.then(gone));
            }
        }
    }
}

fn check_region(
    editor: &GraphEditor<'_, '_>,
    region: &Region<'_, '_>,
    entering: &[usize],
    leaving: &[usize],
) -> EditResult<()> {
    let graph = editor.graph;
    let comes_again = editor.connects(leaving, entering);
    let fails = entering
        .iter()
        .filter_map(|at| graph.edges.get(*at))
        .filter(|edge| uses_error(&edge.condition()))
        .collect_vec();
    region.check(&fails, comes_again)
}

fn edge_from(edge: &EdgeSyntax<'_>, from: &str) -> Json {
    let mut json = edge.value.to_json();
    if let Some(end) = json.get_mut("from") {
        *end = Json::from(from);
    }
    json
}

fn references_last(value: &stepgraph_core::source::Spanned) -> bool {
    stepgraph_core::value::json_text(&value.to_json()).contains("${")
}

fn only_path<'o>(region: &Region<'o, '_>) -> Option<Vec<&'o str>> {
    let mut ids = Vec::new();
    let mut node = region.entry;
    loop {
        if ids.len() >= region.members.len() {
            return None;
        }
        ids.push(region.node(node)?.id.as_str());
        let edges = region.outgoing(node, true);
        let [edge] = edges.as_slice() else { return edges.is_empty().then_some(ids) };
        let edge = region.graph.edges.get(*edge).filter(|edge| is_fallback(edge))?;
        node = region.graph.with_key(edge.to.as_deref()?)?;
    }
}
