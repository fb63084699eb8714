//! Compares starts, nodes and nested graphs.

use super::describe::{name, names, path, value, value_change, value_or_kind};
use super::edges;
use super::plan_matching::{PlanMatching, Side};
use super::values::Difference;
use super::{Change, ChangeKind};
use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::{Graph, Node};
use stepgraph_core::source::Spanned;

pub(super) fn compare(matching: &PlanMatching<'_>, capabilities: &Capabilities, changes: &mut Vec<Change>) {
    GraphComparer { matching, capabilities, changes }.compare_graph(0, 0);
}

pub(super) struct GraphComparer<'c, 'w, 'a> {
    pub(super) matching: &'w PlanMatching<'a>,
    pub(super) capabilities: &'c Capabilities,
    pub(super) changes: &'c mut Vec<Change>,
}

impl<'a> GraphComparer<'_, '_, 'a> {
    /// Documents limit the depth.
    fn compare_graph(&mut self, before: usize, after: usize) {
        let (Some(old), Some(new)) =
            (self.matching.graph(Side::Before, before), self.matching.graph(Side::After, after))
        else {
            return;
        };
        self.compare_start(before, old, new);
        let Some(pair) = self.matching.graph_match(Side::After, after) else { return };
        let (now, then) = (pair.nodes.after.clone(), pair.nodes.before.clone());
        // Reported after the node that it followed.
        let mut gone: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        let mut last = None;
        for (i, j) in now.iter().enumerate() {
            match j {
                Some(j) => last = Some(*j),
                None => gone.entry(last).or_default().push(i),
            }
        }
        let edges = edges::compare(self.matching, (before, old), (after, new));
        let mut edges = edges.into_iter().fold(HashMap::<_, Vec<Change>>::new(), |mut by, (node, change)| {
            by.entry(node).or_default().push(change);
            by
        });
        let mut told = |own: &mut Self, side: Side, node: usize| {
            own.changes.extend(edges.remove(&(side as usize, node)).unwrap_or_default());
        };
        for place in std::iter::once(None).chain((0..new.nodes.len()).map(Some)) {
            if let Some(j) = place {
                match then.get(j).copied().flatten() {
                    Some(i) => self.compare_node((before, i), (after, j)),
                    None => self.node_added(new, j),
                }
                told(self, Side::After, j);
                if let Some(i) = then.get(j).copied().flatten() {
                    self.compare_nested((before, i), (after, j));
                }
            }
            for i in gone.remove(&place).unwrap_or_default() {
                self.node_removed(old, i);
                told(self, Side::Before, i);
            }
        }
    }

    fn compare_start(&mut self, before: usize, old: &'a Graph, new: &'a Graph) {
        let now =
            old.start.and_then(|node| self.matching.counterpart_after((before, node))).map(|(_, node)| node);
        if now == new.start && now.is_some() {
            return;
        }
        let key = |graph: &'a Graph| graph.start.and_then(|node| graph.nodes.get(node));
        let (Some(was), Some(is)) = (key(old), key(new)) else { return };
        let runs = if new.scope.is_empty() {
            "runs begin".to_owned()
        } else {
            format!("{} begins", name(&new.scope))
        };
        let message = format!("{runs} at {} instead of {}", name(&is.key), name(&was.key));
        let span = |graph: &Graph, node: &Node| graph.start_span.or(Some(node.key_span));
        let change = Change::new(ChangeKind::StartChanged, &new.scope, message)
            .values(Some(was.key.as_str().into()), Some(is.key.as_str().into()))
            .spans(span(old, was), span(new, is));
        self.changes.push(change);
    }

    fn node_added(&mut self, graph: &Graph, position: usize) {
        let Some(node) = graph.nodes.get(position) else { return };
        let value = self.matching.plans[1].node_entry(graph, position).map(|entry| entry.value.to_json());
        let message = format!("node {} {} is new", name(&node.key), node_summary(node));
        let change = Change::new(ChangeKind::NodeAdded, &graph.scope, message)
            .node(&node.key)
            .values(None, value)
            .spans(None, self.node_span(1, graph, position));
        self.changes.push(change);
    }

    fn node_removed(&mut self, graph: &Graph, position: usize) {
        let Some(node) = graph.nodes.get(position) else { return };
        let value = self.matching.plans[0].node_entry(graph, position).map(|entry| entry.value.to_json());
        let message = format!("node {} {} is gone", name(&node.key), node_summary(node));
        let change = Change::new(ChangeKind::NodeRemoved, &graph.scope, message)
            .node(&node.key)
            .values(value, None)
            .spans(self.node_span(0, graph, position), None);
        self.changes.push(change);
    }

    fn node_span(
        &self,
        plan: usize,
        graph: &Graph,
        position: usize,
    ) -> Option<stepgraph_core::diagnostic::Span> {
        let entry = self.matching.plans.get(plan)?.node_entry(graph, position)?;
        Some(stepgraph_core::diagnostic::Span::new(entry.key_span.start, entry.value.span.end))
    }

    fn compare_nested(&mut self, before: (usize, usize), after: (usize, usize)) {
        let matching = self.matching;
        let (Some(old), Some(new)) = (matching.node(Side::Before, before), matching.node(Side::After, after))
        else {
            return;
        };
        let scope = matching.graph(Side::After, after.0).map_or("", |graph| graph.scope.as_str());
        let matches = matching.nested_matches(before, after);
        // Matches are in the new plan's order.
        if !matches
            .iter()
            .filter(|inside| inside.after.is_some())
            .filter_map(|inside| inside.before)
            .is_sorted()
        {
            self.branches_reordered(scope, old, new);
        }
        for inside in matches {
            let was = inside
                .before
                .and_then(|at| Some((old.nested.get(at)?, matching.child(Side::Before, before, at)?)));
            let is = inside
                .after
                .and_then(|at| Some((new.nested.get(at)?, matching.child(Side::After, after, at)?)));
            let named = |nested: &stepgraph_core::graph::Nested| {
                if nested.name.is_empty() {
                    format!("the graph under `{}`", nested.key)
                } else {
                    format!("branch {}", name(&nested.name))
                }
            };
            let change = match (&was, &is) {
                (Some((a, _)), Some((b, _))) if a.name != b.name || a.key != b.key => {
                    let message = format!("{} of {} is {} now", named(a), name(&new.key), named(b));
                    Some(
                        Change::new(ChangeKind::GraphRenamed, scope, message)
                            .spans(Some(a.name_span), Some(b.name_span)),
                    )
                }
                (None, Some((b, _))) => {
                    let message = format!("{} of {} is new", named(b), name(&new.key));
                    Some(Change::new(ChangeKind::GraphAdded, scope, message).spans(None, Some(b.name_span)))
                }
                (Some((a, _)), None) => {
                    let message = format!("{} of {} is gone", named(a), name(&new.key));
                    Some(Change::new(ChangeKind::GraphRemoved, scope, message).spans(Some(a.name_span), None))
                }
                _ => None,
            };
            let (then, now) =
                (was.as_ref().map(|(nested, _)| *nested), is.as_ref().map(|(nested, _)| *nested));
            if let Some(change) = change {
                let shown = |nested: Option<&stepgraph_core::graph::Nested>| {
                    nested.map(|one| Json::from(if one.name.is_empty() { one.key } else { &one.name }))
                };
                self.changes.push(change.node(&new.key).values(shown(then), shown(now)));
            }
            if let (Some((_, a)), Some((_, b))) = (was, is) {
                self.compare_description(a, b, &new.key);
                self.compare_graph(a, b);
            }
        }
    }

    /// Branches start in order.
    fn branches_reordered(&mut self, scope: &str, old: &'a Node, new: &'a Node) {
        let own = |node: &'a Node| node.nested.iter().map(|nested| nested.name.as_str()).collect_vec();
        let (was, is) = (own(old), own(new));
        let message = format!(
            "the branches of {} start in another order: {} instead of {}",
            name(&new.key),
            names(&is),
            names(&was)
        );
        let span = |node: &Node| node.nested.first().map(|nested| nested.name_span);
        self.changes.push(
            Change::new(ChangeKind::GraphOrder, scope, message)
                .node(&new.key)
                .values(Some(Json::from(was)), Some(Json::from(is)))
                .spans(span(old), span(new)),
        );
    }

    fn compare_description(&mut self, before: usize, after: usize, node: &str) {
        let matching = self.matching;
        let map = |side: Side, scope| {
            matching.graph(side, scope).and_then(|graph| matching.plans.get(side as usize)?.graph_map(graph))
        };
        let (Some(was), Some(is)) = (map(Side::Before, before), map(Side::After, after)) else { return };
        let scope = matching.graph(Side::After, after).map_or("", |graph| graph.scope.as_str());
        // A graph whose file is missing is still a path.
        if (was.as_text(), is.as_text()) != (None, None) {
            let shown = |value: &Spanned| value.as_text().map_or_else(|| "its own graph".to_owned(), name);
            if was.as_text() != is.as_text() {
                let message = format!("{} runs {} now, not {}", name(scope), shown(is), shown(was));
                let change = Change::new(ChangeKind::GraphChanged, scope, message).node(node);
                let change = change.values(Some(was.to_json()), Some(is.to_json()));
                self.changes.push(change.spans(Some(was.span), Some(is.span)));
            }
            return;
        }
        for difference in super::plan_settings::other_keys(was, is, &["start", "nodes", "edges", "layout"]) {
            let change =
                Change::new(ChangeKind::GraphChanged, scope, describe_difference(&difference, scope))
                    .node(node)
                    .field(&difference.path)
                    .values(difference.before.map(Spanned::to_json), difference.after.map(Spanned::to_json))
                    .spans(difference.before_span(), difference.after_span());
            self.changes.push(change);
        }
    }
}

pub(super) fn non_null<'a>(map: &'a Spanned, key: &str) -> Option<&'a Spanned> {
    map.get(key).map(|entry| &entry.value).filter(|value| !value.is_null())
}

pub(super) fn describe_difference(found: &Difference<'_>, of: &str) -> String {
    let what = format!(
        "`{}`{}",
        path(&found.path),
        if of.is_empty() { String::new() } else { format!(" of {}", name(of)) }
    );
    let short = |json: &Json| value(json).unwrap_or_else(|| value_or_kind(json));
    match (found.before.map(Spanned::to_json), found.after.map(Spanned::to_json)) {
        (Some(was), Some(is)) => format!("{what} {}", value_change(&was, &is)),
        (None, Some(is)) => format!("{what} is new: {}", short(&is)),
        (Some(was), None) => format!("{what} is gone: {}", short(&was)),
        (None, None) => what,
    }
}

fn node_summary(node: &Node) -> String {
    match &node.tool {
        Some(tool) if node.kind == "tool" => format!("with the tool {}", name(&tool.name)),
        _ => format!("of type {}", name(&node.kind)),
    }
}
