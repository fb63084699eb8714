//! Moves nodes into a graph inside one new node, with a single entry and common outgoing edges.
//!
//! No reference from outside may depend on the inside. The diagnostic points to the obstacle.
//!
//! Invariant: a run visits the same nodes with the same inputs and ends the same way.

use super::error::{EditResult, blocked};
use super::move_in_tests::NodeMove;
use super::name_check::{check_free_id, check_free_key, check_id};
use super::node::GraphEditor;
use super::plan_syntax::EdgeSyntax;
use super::references::{ReferenceTarget, output_references, uses_error};
use super::region::{Region, are_exclusive, ignores_last, is_fallback};
use super::rename::merge_changes;
use serde_json::{Value as Json, json};
use std::collections::{HashMap, HashSet};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Span, shorten_name};
use stepgraph_core::source::edit::{Change, NewValue};

struct Grouping<'o, 'd> {
    region: Region<'o, 'd>,
    to: &'o str,
    entering: Vec<usize>,
    inner: Vec<usize>,
    /// Outgoing edges of the first member that has any. The others have equal ones.
    leaving: Vec<usize>,
    duplicates: Vec<usize>,
    end: Option<usize>,
    takes_graph_input: bool,
}

impl<'o, 'd> GraphEditor<'o, 'd> {
    pub(super) fn group(
        &self,
        nodes: &[String],
        to: &'o str,
        start: Option<&str>,
    ) -> EditResult<Vec<Change>> {
        let mut members = HashSet::new();
        for key in nodes {
            self.node(key)?;
            members.extend(self.graph.with_key(key));
        }
        check_id(to)?;
        check_free_key(self.graph, to)?;
        check_free_id(self.graph, to)?;
        self.check_new_id(to)?;
        let grouping = self.plan_group(members, to, start)?;
        self.group_changes(&grouping, start)
    }

    fn plan_group(
        &self,
        members: HashSet<usize>,
        to: &'o str,
        start: Option<&str>,
    ) -> EditResult<Grouping<'o, 'd>> {
        let graph = self.graph;
        let edges = || graph.edges.iter().enumerate();
        let mut region =
            Region { syntax: self.syntax, graph_index: self.graph_index, graph, members, entry: 0 };
        let crosses = |edge: &EdgeSyntax<'_>| !region.is_inner(edge);
        let entering: Vec<usize> = edges()
            .filter(|(_, e)| crosses(e) && region.contains(e.to.as_ref()))
            .map(|(i, _)| i)
            .collect_vec();
        let inner: Vec<usize> = edges().filter(|(_, e)| region.is_inner(e)).map(|(i, _)| i).collect_vec();
        region.entry = self.entry(&region, &entering, start)?;
        let (leaving, again) = self.leaving_edges(&region)?;
        let ends = region.ends();
        let end = match ends.as_slice() {
            [end] => Some(*end),
            _ => None,
        };
        let comes_again = self.connects(&[&leaving[..], &again[..]].concat(), &entering);
        let fails = entering.iter().filter_map(|at| graph.edges.get(*at));
        region.check(&fails.filter(|edge| uses_error(&edge.condition())).collect_vec(), comes_again)?;
        let others = graph.nodes.iter().enumerate().filter(|(at, _)| !region.members.contains(at));
        region.check_conversations(&others.map(|(_, node)| node).collect_vec())?;
        let first =
            start.and_then(|start| graph.with_key(start)) == Some(region.entry) && entering.is_empty();
        let input = match region.input().filter(|_| !first || region.reenters_entry()) {
            Some(place) if !ignores_last(self.syntax, (self.graph_index, region.entry)) => {
                let message =
                    "`input` would be the output before the group instead of the input of the graph";
                let help = "give the first node of the group an `input` of its own, or leave this node out";
                return Err(blocked(message, place, help));
            }
            place => place.is_some(),
        };
        Ok(Grouping {
            region,
            to,
            entering,
            inner,
            leaving,
            duplicates: again,
            end,
            takes_graph_input: input,
        })
    }

    fn entry(&self, region: &Region<'_, '_>, entering: &[usize], start: Option<&str>) -> EditResult<usize> {
        let graph = self.graph;
        let target = |at: usize| graph.edges.get(at).and_then(|edge| graph.with_key(edge.to.as_deref()?));
        let start = start.and_then(|start| graph.with_key(start)).filter(|at| region.members.contains(at));
        let first = start.or_else(|| entering.first().and_then(|at| target(*at)));
        if let Some(entry) = first {
            let Some(other) = entering.iter().find(|at| target(**at) != Some(entry)) else {
                return Ok(entry);
            };
            let key = |at: Option<usize>| at.and_then(|at| region.node(at)).map_or("", |node| node.key);
            let message = format!(
                "runs would enter the group at `{}` and at `{}`",
                shorten_name(key(Some(entry))),
                shorten_name(key(target(*other)))
            );
            let place = graph.edges.get(*other).map(|edge| edge.value.span).unwrap_or_default();
            return Err(blocked(message, place, "group nodes of which one is the first"));
        }
        let entered = |at: &usize| {
            graph.edges.iter().any(|edge| {
                region.is_inner(edge) && edge.to.as_deref().and_then(|to| graph.with_key(to)) == Some(*at)
            })
        };
        let first: Vec<usize> = region.members.iter().copied().filter(|at| !entered(at)).collect_vec();
        match first.as_slice() {
            [entry] => Ok(*entry),
            _ => {
                let place = region.members.iter().min().and_then(|at| region.node(*at)).map(|node| node.span);
                let message = "no edge determines which of these nodes is the first";
                Err(blocked(message, place.unwrap_or_default(), "connect them first"))
            }
        }
    }

    fn leaving_edges(&self, region: &Region<'_, '_>) -> EditResult<(Vec<usize>, Vec<usize>)> {
        let graph = self.graph;
        let edge = |at: usize| graph.edges.get(at);
        let place = |at: usize| edge(at).map(|edge| edge.value.span).unwrap_or_default();
        let mut members: Vec<usize> = region.members.iter().copied().collect();
        members.sort_unstable();
        let lists: Vec<(usize, Vec<usize>)> =
            members.iter().map(|node| (*node, region.outgoing(*node, false))).collect_vec();
        let Some((_, first)) = lists.iter().find(|(_, list)| !list.is_empty()) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let ends = region.ends();
        let says = |at: usize| edge(at).map(|edge| (edge.to.clone(), edge.condition().trim().to_owned()));
        let mut again = Vec::new();
        for (node, list) in &lists {
            if list.is_empty() && !ends.contains(node) {
                continue;
            }
            let name = region.node(*node).map_or("", |node| node.key);
            if list.is_empty() {
                let message =
                    format!("a run may end at `{}`, but would continue after the group", shorten_name(name));
                let here = region.node(*node).map(|node| node.span).unwrap_or_default();
                let diagnostic =
                    blocked(message, here, "leave it out, or connect it as the other nodes are connected");
                return Err(Box::new(diagnostic.label(
                    first.first().map_or(Span::default(), |at| place(*at)),
                    "this edge leads out of the group",
                )));
            }
            if !ends.contains(node) {
                let message = format!(
                    "inside the group `{}` always continues, so this edge would never be taken",
                    shorten_name(name)
                );
                return Err(blocked(
                    message,
                    place(list.first().copied().unwrap_or(0)),
                    "give the other edges of the node conditions",
                ));
            }
            let fails = |at: &&usize| edge(**at).is_some_and(|edge| uses_error(&edge.condition()));
            if let Some(at) = list.iter().find(fails).filter(|_| region.members.len() > 1) {
                let message = "this edge would be taken when any node of the group fails";
                return Err(blocked(
                    message,
                    place(*at),
                    "leave the node out, or connect its failures to a node of the group",
                ));
            }
            if let Some(at) = list.iter().find(fails).filter(|_| region.reenters_entry()) {
                let message = "after a failure the plan could no longer read the outputs of earlier visits";
                return Err(blocked(message, place(*at), "leave the node out, or remove this edge first"));
            }
            self.check_order(region, *node, list)?;
            let same = list.iter().map(|at| says(*at)).collect_vec()
                == first.iter().map(|at| says(*at)).collect_vec();
            if !same {
                let message = format!(
                    "`{}` leads to another node than the other exits of the group",
                    shorten_name(name)
                );
                return Err(blocked(
                    message,
                    place(list.first().copied().unwrap_or(0)),
                    "group nodes of which one is the last",
                ));
            }
            if list != first {
                again.extend(list);
            }
        }
        again.sort_unstable();
        Ok((first.clone(), again))
    }

    /// Moving inner edges before outgoing ones must not change which edge a run takes.
    fn check_order(&self, region: &Region<'_, '_>, node: usize, leaving: &[usize]) -> EditResult<()> {
        let edge = |at: usize| self.graph.edges.get(at);
        for inner in region.outgoing(node, true) {
            for out in leaving.iter().copied().filter(|out| *out < inner) {
                let (Some(inner), Some(out)) = (edge(inner), edge(out)) else { continue };
                let apart = uses_error(&inner.condition()) != uses_error(&out.condition());
                if !is_fallback(out) && !apart && !are_exclusive(&inner.condition(), &out.condition()) {
                    let message =
                        "the edges inside the group would be evaluated before the edge that leaves it";
                    let diagnostic = blocked(message, out.value.span, "move the edge behind the other");
                    return Err(Box::new(
                        diagnostic.label(inner.value.span, "this one is evaluated later in the plan"),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether a path leads from the targets of `from` to a source of `to` without these edges.
    pub(super) fn connects(&self, from: &[usize], to: &[usize]) -> bool {
        let graph = self.graph;
        let key = |name: &Option<String>| graph.with_key(name.as_deref()?);
        let mut out: HashMap<usize, Vec<usize>> = HashMap::new();
        let passed = |at: &usize| from.contains(at) || to.contains(at);
        for (_, edge) in graph.edges.iter().enumerate().filter(|(at, _)| !passed(at)) {
            if let (Some(from), Some(to)) = (key(&edge.from), key(&edge.to)) {
                out.entry(from).or_default().push(to);
            }
        }
        let mut rest = from.iter().filter_map(|at| key(&graph.edges.get(*at)?.to)).collect_vec();
        let mut seen: HashSet<usize> = rest.iter().copied().collect();
        while let Some(node) = rest.pop() {
            let next = out.get(&node).into_iter().flatten().copied();
            rest.extend(next.filter(|to| seen.insert(*to)).collect_vec());
        }
        to.iter().any(|at| {
            graph.edges.get(*at).and_then(|edge| key(&edge.from)).is_some_and(|node| seen.contains(&node))
        })
    }

    fn rename_outside(&self, grouping: &Grouping<'_, '_>) -> EditResult<Vec<Change>> {
        let region = &grouping.region;
        let mut changes = Vec::new();
        for output_reference in output_references(self.syntax, None) {
            let (ReferenceTarget::Node((graph, node)) | ReferenceTarget::NamedOutput((graph, node))) =
                output_reference.target
            else {
                continue;
            };
            if graph != self.graph_index
                || !region.members.contains(&node)
                || region.site(&output_reference.reference).is_some()
            {
                continue;
            }
            if grouping.end != Some(node)
                || matches!(output_reference.target, ReferenceTarget::NamedOutput(_))
            {
                let message = format!(
                    "`output.{}` can't be seen from outside the group",
                    shorten_name(&output_reference.name)
                );
                return Err(blocked(
                    message,
                    output_reference.reference.value.span,
                    "take this node into the group, or leave the other out",
                ));
            }
            changes.extend(
                output_reference.rename(grouping.to, self.is_double_quoted(output_reference.reference.value)),
            );
        }
        Ok(merge_changes(changes))
    }

    fn group_changes(&self, grouping: &Grouping<'_, '_>, start: Option<&str>) -> EditResult<Vec<Change>> {
        let (graph, to) = (self.graph, grouping.to);
        let mut changes = self.rename_outside(grouping)?;
        changes.extend(self.tests_of_group(grouping)?);
        for (edges, end) in [(&grouping.entering, "to"), (&grouping.leaving, "from")] {
            let set = |at: &usize| Change::Set { path: graph.edge_path(*at, &[end]), value: Json::from(to) };
            changes.extend(edges.iter().map(set));
        }
        let starts = start
            .and_then(|start| graph.with_key(start))
            .is_some_and(|at| grouping.region.members.contains(&at));
        if starts && graph.start().is_some() {
            changes.push(Change::Set { path: graph.path_to(&["start"]), value: Json::from(to) });
        }
        let mut members: Vec<usize> = grouping.region.members.iter().copied().collect();
        members.sort_unstable();
        let before = members.first().copied();
        changes.push(Change::InsertRelocated {
            path: graph.path_to(&["nodes"]),
            before,
            entries: vec![(to.to_owned(), self.group_value(grouping, &members))],
        });
        let key = |at: &usize| graph.nodes.get(*at).map(|node| node.key);
        changes.extend(
            members
                .iter()
                .rev()
                .filter_map(key)
                .map(|key| Change::RemoveRelocated { path: graph.path_to(&["nodes", key]) }),
        );
        let mut gone = [&grouping.inner[..], &grouping.duplicates[..]].concat();
        gone.sort_unstable();
        if !gone.is_empty() && gone.len() == graph.edges.len() {
            changes.push(Change::Set { path: graph.path_to(&["edges"]), value: json!([]) });
        } else {
            changes.extend(
                gone.iter().rev().map(|at| Change::RemoveRelocated { path: graph.edge_path(*at, &[]) }),
            );
        }
        changes.extend(self.layout_of_group(grouping, &members));
        Ok(changes)
    }

    fn group_value(&self, grouping: &Grouping<'_, '_>, members: &[usize]) -> NewValue {
        let graph = self.graph;
        let kept = |key: &str, way: &[&str]| (key.to_owned(), NewValue::Existing(graph.path_to(way)));
        let keys: Vec<&str> =
            members.iter().filter_map(|at| graph.nodes.get(*at)).map(|node| node.key).collect_vec();
        let mut inside = Vec::new();
        let entered: HashSet<&str> =
            grouping.inner.iter().filter_map(|at| graph.edges.get(*at)?.to.as_deref()).collect();
        let entry = grouping.region.node(grouping.region.entry).map_or("", |node| node.key);
        let unentered: Vec<&&str> = keys.iter().filter(|key| !entered.contains(**key)).collect_vec();
        if unentered != [&entry] {
            inside.push(("start".to_owned(), NewValue::Value(Json::from(entry))));
        }
        let nodes = keys.iter().map(|key| kept(key, &["nodes", key])).collect_vec();
        inside.push(("nodes".to_owned(), NewValue::Map(nodes)));
        if !grouping.inner.is_empty() {
            let edges =
                grouping.inner.iter().map(|at| NewValue::Existing(graph.edge_path(*at, &[]))).collect_vec();
            inside.push(("edges".to_owned(), NewValue::List(edges)));
        }
        let placed =
            |key: &&&str| graph.map.get("layout").is_some_and(|layout| layout.value.get(key).is_some());
        let layout: Vec<_> = keys.iter().filter(placed).map(|key| kept(key, &["layout", key])).collect_vec();
        if !layout.is_empty() {
            inside.push(("layout".to_owned(), NewValue::Map(layout)));
        }
        let mut node = vec![("type".to_owned(), NewValue::Value(json!("graph")))];
        if grouping.takes_graph_input {
            node.push(("input".to_owned(), NewValue::Value(json!("${input}"))));
        }
        node.push(("graph".to_owned(), NewValue::Map(inside)));
        NewValue::Map(node)
    }

    fn layout_of_group(&self, grouping: &Grouping<'_, '_>, members: &[usize]) -> Vec<Change> {
        let graph = self.graph;
        let Some(layout) = graph.map.get("layout").map(|entry| &entry.value) else { return Vec::new() };
        let placed = |at: &&usize| graph.nodes.get(**at).is_some_and(|node| layout.get(node.key).is_some());
        let entry = [grouping.region.entry];
        let Some(first) = entry.iter().chain(members).find(placed).and_then(|at| graph.nodes.get(*at)) else {
            return Vec::new();
        };
        let mut changes =
            vec![Change::Rename { path: graph.path_to(&["layout", first.key]), key: grouping.to.to_owned() }];
        let others = members.iter().filter(placed).filter_map(|at| graph.nodes.get(*at));
        let others = others.filter(|node| node.key != first.key);
        changes.extend(others.map(|node| Change::Remove { path: graph.path_to(&["layout", node.key]) }));
        changes
    }

    fn tests_of_group(&self, grouping: &Grouping<'_, '_>) -> EditResult<Vec<Change>> {
        let mut members: Vec<usize> = grouping.region.members.iter().copied().collect();
        members.sort_unstable();
        let nodes = members.iter().filter_map(|at| grouping.region.node(*at));
        let nodes = nodes.map(|node| (node.key, node.id.as_str())).collect_vec();
        let end = grouping.end.and_then(|at| grouping.region.node(at)).map(|node| node.id.as_str());
        let group = (grouping.to, grouping.to);
        NodeMove { graph: self.graph, nodes, group, end, chain: None, into: true }.test_changes(self.syntax)
    }
}
