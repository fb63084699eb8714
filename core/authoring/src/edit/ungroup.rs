//! The graph inside a node that becomes a part of the graph around it.
//!
//! Decides which graphs can: the opposite of [`super::group`], with the same care.
//!
//! Invariant: a run visits the same nodes with the same inputs, and ends the same way.

use super::border::{Region, ignores_last, is_fallback, passes_failure};
use super::mention::{Meant, has_error, outputs};
use super::moved::Moved;
use super::name::{check_captures, check_free_id, check_free_key};
use super::node::Here;
use super::outline::{EdgeAt, GraphAt, NodeAt};
use super::place::add_draft;
use super::refuse::{Made, blocked};
use super::rename::merged;
use super::start::Starts;
use serde_json::Value as Json;
use stepgraph_core::diagnostic::brief;
use stepgraph_core::kind::resolve_alias;
use stepgraph_core::list::List;
use stepgraph_core::source::edit::{Change, Draft};
use stepgraph_core::value::Segment;

/// A group that is taken apart.
struct Apart<'o, 'd> {
    node: &'o NodeAt<'d>,
    inner: &'o GraphAt<'d>,
    region: Region<'o, 'd>,
    entering: Vec<usize>,
    leaving: Vec<usize>,
    ends: Vec<usize>,
    /// Whether the first node is given what the group was given.
    input: bool,
}

impl<'o, 'd> Here<'o, 'd> {
    /// Puts the nodes of the graph inside a node beside that node, and takes the node away.
    pub(super) fn ungroup(&self, key: &str, starts: &Starts) -> Made<Vec<Change>> {
        let node = self.node(key)?;
        let at = self.graph.with_key(key).unwrap_or_default();
        let graphs = self.outline.graphs.iter().enumerate();
        let inside: Vec<(usize, &GraphAt<'d>)> =
            graphs.filter(|(_, graph)| graph.owner == Some((self.at, at))).list();
        let [(inner_at, inner)] = inside.as_slice() else {
            return Err(blocked(
                format!("`{}` does not hold one graph", brief(key)),
                node.span,
                "name a node of type `graph`",
            ));
        };
        if node.kind != "graph" || node.value.get("graph").is_none() {
            let message = format!("`{}` is not of type `graph`", brief(key));
            return Err(blocked(message, node.span, "name a node of type `graph`"));
        }
        for setting in ["retry", "timeout_ms", "visits"] {
            if let Some(entry) = node.value.get(setting).filter(|entry| !entry.value.is_null()) {
                let message = format!("`{setting}` of `{}` is for the whole graph", brief(key));
                return Err(blocked(message, entry.key_span, format!("remove `{setting}` first")));
            }
        }
        let apart = self.apart(node, (*inner_at, inner), starts)?;
        let mut changes = self.names_of_apart(&apart)?;
        changes.extend(self.tests_of_apart(&apart)?);
        self.taken_apart(&apart, &mut changes);
        Ok(changes)
    }

    fn apart(
        &self,
        node: &'o NodeAt<'d>,
        (inner_at, inner): (usize, &'o GraphAt<'d>),
        starts: &Starts,
    ) -> Made<Apart<'o, 'd>> {
        let graph = self.graph;
        let key = node.key;
        let start = starts.of(inner);
        let Some(entry) = start.and_then(|start| inner.with_key(&start)) else {
            let message = format!("nobody knows where the graph of `{}` begins", brief(key));
            return Err(blocked(message, node.span, "name the first node in its `start`"));
        };
        let members = (0..inner.nodes.len()).collect();
        let region = Region { outline: self.outline, at: inner_at, graph: inner, members, entry };
        let edges = || graph.edges.iter().enumerate();
        let ends = |end: &Option<String>| end.as_deref() == Some(key);
        let entering: Vec<usize> = edges().filter(|(_, edge)| ends(&edge.to)).map(|(at, _)| at).list();
        let leaving: Vec<usize> = edges().filter(|(_, edge)| ends(&edge.from)).map(|(at, _)| at).list();
        let place = |at: &usize| graph.edges.get(*at).map(|edge| edge.value.span).unwrap_or_default();
        let fails = |at: &&usize| graph.edges.get(**at).is_some_and(|edge| has_error(&edge.condition()));
        // A node that comes back to itself has given something before it fails, which nobody outside sees today.
        let several = inner.nodes.len() > 1 || region.comes_back();
        if let Some(at) = leaving.iter().find(fails).filter(|_| several) {
            let message = "this edge is taken when any node of the graph inside fails";
            return Err(blocked(message, place(at), "handle failures inside, or remove the edge first"));
        }
        // What leads from the group to itself is inside afterwards.
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
        region_check(self, &region, &entering, &leaving)?;
        let others = graph.nodes.iter().filter(|other| other.key != key).list();
        region.check_talks(&others)?;
        let input =
            self.given(node, &region, entering.is_empty() && starts.of(graph).as_deref() == Some(key))?;
        Ok(Apart { node, inner, region, entering, leaving, ends, input })
    }

    /// Whether the first node has to be given what the group was given.
    fn given(&self, node: &NodeAt<'_>, region: &Region<'_, '_>, first: bool) -> Made<bool> {
        let input = node.value.get("input").filter(|entry| !entry.value.is_null());
        let passes = input.is_some_and(|entry| entry.value.as_text() == Some("${input}"));
        let same = passes || input.is_none() && first && !region.comes_back();
        if let Some(place) = region.input().filter(|_| !same) {
            let message =
                "`input` is what the group was given, and would be what the graph around it was given";
            return Err(blocked(message, place, "refer to something else first"));
        }
        let Some(input) = input.filter(|_| !ignores_last(self.outline, (region.at, region.entry))) else {
            return Ok(false);
        };
        let entry = region.node(region.entry);
        let own =
            entry.is_some_and(|node| node.value.get("input").is_some_and(|entry| !entry.value.is_null()));
        let simple = entry.is_some_and(|node| {
            !matches!(resolve_alias(&node.kind), "decision" | "noop")
                && !node.value.get("with").is_some_and(|with| speaks_of_last(&with.value))
        });
        let fails = passes_failure(self.outline, (region.at, region.entry));
        if own || !simple || fails || region.comes_back() {
            let message = "the first node would no longer be given this";
            return Err(blocked(message, input.value.span, "give the first node this input first"));
        }
        Ok(true)
    }

    /// What changes its name outside, and whether all names are free.
    fn names_of_apart(&self, apart: &Apart<'_, '_>) -> Made<Vec<Change>> {
        for node in &apart.inner.nodes {
            check_free_key(self.graph, node.key)?;
            check_free_id(self.graph, &node.id)?;
            check_captures(self.outline, self.at, &node.id, false)?;
        }
        let here = self.graph.with_key(apart.node.key);
        let end = match apart.ends.as_slice() {
            [end] => apart.region.node(*end),
            _ => None,
        };
        let mut changes = Vec::new();
        for mention in outputs(self.outline, Some(&apart.node.id)) {
            if mention.meant != here.map_or(Meant::Nothing, |node| Meant::Node((self.at, node))) {
                continue;
            }
            let inside = apart.region.site(&mention.said).is_some();
            let Some(end) = end.filter(|_| !inside) else {
                let message = format!("`output.{}` would speak of nothing", brief(&mention.name));
                return Err(blocked(message, mention.said.value.span, "refer to another node first"));
            };
            changes.extend(mention.renamed(&end.id, self.is_double(mention.said.value)));
        }
        Ok(merged(changes))
    }

    fn tests_of_apart(&self, apart: &Apart<'_, '_>) -> Made<Vec<Change>> {
        let inner = apart.inner;
        let end = match apart.ends.as_slice() {
            [end] => apart.region.node(*end).map(|node| node.id.as_str()),
            _ => None,
        };
        let nodes = inner.nodes.iter().map(|node| (node.key, node.id.as_str())).list();
        let group = (apart.node.key, apart.node.id.as_str());
        Moved { graph: self.graph, nodes, group, end, chain: chain(&apart.region), into: false }
            .in_tests(self.outline)
    }

    fn taken_apart(&self, apart: &Apart<'_, '_>, changes: &mut Vec<Change>) {
        let (graph, inner, key) = (self.graph, apart.inner, apart.node.key);
        let name = |at: usize| inner.nodes.get(at).map_or("", |node| node.key);
        let first = Json::from(name(apart.region.entry));
        for at in &apart.entering {
            changes.push(Change::Set { path: graph.edge(*at, &["to"]), value: first.clone() });
        }
        if graph.start().as_deref() == Some(key) {
            changes.push(Change::Set { path: graph.at(&["start"]), value: first });
        }
        for at in &apart.leaving {
            let from = apart.ends.first().map_or("", |end| name(*end));
            changes.push(Change::Set { path: graph.edge(*at, &["from"]), value: Json::from(from) });
        }
        let kept = |way: Vec<Segment>| Draft::Kept(way);
        let nodes =
            inner.nodes.iter().map(|node| (node.key.to_owned(), kept(inner.at(&["nodes", node.key])))).list();
        changes.push(Change::Bring {
            path: graph.at(&["nodes"]),
            before: graph.with_key(key),
            entries: nodes,
        });
        if apart.input {
            let entries = vec![("input".to_owned(), kept(graph.at(&["nodes", key, "input"])))];
            changes.push(Change::Bring {
                path: graph.at(&["nodes", name(apart.region.entry)]),
                before: Some(1),
                entries,
            });
        }
        let mut edges: Vec<(String, Draft)> =
            (0..inner.edges.len()).map(|at| (String::new(), kept(inner.edge(at, &[])))).list();
        let before = apart.leaving.first().copied();
        // Edges that leave other nodes at which the graph ends say the same as those of the first.
        let copies =
            apart.ends.iter().skip(1).flat_map(|end| apart.leaving.iter().map(move |edge| (*end, *edge)));
        let copies = copies.filter_map(|(end, edge)| {
            Some((String::new(), Draft::Value(copy(graph.edges.get(edge)?, name(end)))))
        });
        let copies: Vec<(String, Draft)> = copies.list();
        if graph.edges.is_empty() {
            let list = Draft::List(edges.into_iter().map(|(_, draft)| draft).list());
            if !inner.edges.is_empty() {
                changes.extend(add_draft(
                    &graph.path,
                    graph.map,
                    "edges",
                    list,
                    &["layout", "limits", "tests"],
                ));
            }
        } else {
            let after = apart.leaving.last().map(|at| at + 1);
            if !copies.is_empty() {
                changes.push(Change::Bring { path: graph.at(&["edges"]), before: after, entries: copies });
            }
            if !edges.is_empty() {
                edges.truncate(inner.edges.len());
                changes.push(Change::Bring { path: graph.at(&["edges"]), before, entries: edges });
            }
        }
        self.layout_of_apart(apart, changes);
        changes.push(Change::Remove { path: graph.at(&["nodes", key]) });
    }

    fn layout_of_apart(&self, apart: &Apart<'_, '_>, changes: &mut Vec<Change>) {
        let (graph, inner) = (self.graph, apart.inner);
        let layout = inner.map.get("layout").and_then(|layout| layout.value.as_map()).unwrap_or_default();
        let entries = layout.iter().filter(|entry| inner.with_key(&entry.key).is_some());
        let entries: Vec<(String, Draft)> =
            entries.map(|entry| (entry.key.clone(), Draft::Kept(inner.at(&["layout", &entry.key])))).list();
        let outer = graph.map.get("layout").and_then(|layout| layout.value.as_map()).unwrap_or_default();
        let placed = outer.iter().any(|entry| entry.key == apart.node.key);
        if !entries.is_empty() && outer.is_empty() {
            changes.extend(add_draft(&graph.path, graph.map, "layout", Draft::Map(entries), &["tests"]));
            return;
        }
        let gone = || Change::Remove { path: graph.at(&["layout", apart.node.key]) };
        match (entries.is_empty(), placed) {
            (true, true) if outer.len() == 1 && !self.has_own_comments(&graph.at(&["layout"])) => {
                changes.push(Change::Remove { path: graph.at(&["layout"]) });
            }
            (true, true) => changes.push(gone()),
            (true, false) => {}
            (false, _) => {
                // An entry of the name is one of nobody's: the names of the nodes are free.
                let stray = entries.iter().filter(|(key, _)| outer.iter().any(|entry| entry.key == *key));
                changes.extend(stray.map(|(key, _)| Change::Remove { path: graph.at(&["layout", key]) }));
                changes.push(Change::Bring { path: graph.at(&["layout"]), before: None, entries });
                changes.extend(placed.then(gone));
            }
        }
    }
}

/// What stands in the way, wherever the border is.
fn region_check(
    here: &Here<'_, '_>,
    region: &Region<'_, '_>,
    entering: &[usize],
    leaving: &[usize],
) -> Made<()> {
    let graph = here.graph;
    let comes_again = here.leads(leaving, entering);
    let fails = entering
        .iter()
        .filter_map(|at| graph.edges.get(*at))
        .filter(|edge| has_error(&edge.condition()))
        .list();
    region.check(&fails, comes_again)
}

/// An edge that leaves another node.
fn copy(edge: &EdgeAt<'_>, from: &str) -> Json {
    let mut json = edge.value.to_json();
    if let Some(end) = json.get_mut("from") {
        *end = Json::from(from);
    }
    json
}

fn speaks_of_last(value: &stepgraph_core::source::Spanned) -> bool {
    stepgraph_core::value::json_text(&value.to_json()).contains("${")
}

/// The ids on the one way through a graph, where there is only one.
fn chain<'o>(region: &Region<'o, '_>) -> Option<Vec<&'o str>> {
    let mut ids = Vec::new();
    let mut node = region.entry;
    loop {
        if ids.len() >= region.members.len() {
            return None;
        }
        ids.push(region.node(node)?.id.as_str());
        let edges = region.from(node, true);
        let [edge] = edges.as_slice() else { return edges.is_empty().then_some(ids) };
        let edge = region.graph.edges.get(*edge).filter(|edge| is_fallback(edge))?;
        node = region.graph.with_key(edge.to.as_deref()?)?;
    }
}
