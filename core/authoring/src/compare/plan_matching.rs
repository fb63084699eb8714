//! Matches graphs and nodes from the root inwards. Nested graphs of matched nodes match by name.

use super::node_matching::{GraphFeatures, NodeMatching, match_nodes};
use std::collections::HashMap;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::scope::{Scope, Scopes};
use stepgraph_core::graph::{Graph, Nested, Node, PlanGraph};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Before,
    After,
}

#[derive(Debug)]
pub(super) struct GraphMatch {
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) nodes: NodeMatching,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct NestedMatch {
    pub(super) before: Option<usize>,
    pub(super) after: Option<usize>,
}

#[derive(Debug)]
pub(super) struct PlanMatching<'a> {
    pub(super) plans: [&'a PlanGraph; 2],
    pub(super) scopes: [Scopes<'a>; 2],
    children: [HashMap<(usize, usize), Vec<usize>>; 2],
    pub(super) graph_matches: Vec<GraphMatch>,
    match_of_scope: [HashMap<usize, usize>; 2],
}

impl<'a> PlanMatching<'a> {
    pub(super) fn new(before: &'a PlanGraph, after: &'a PlanGraph) -> Self {
        let scopes = [Scopes::new(before), Scopes::new(after)];
        let children = [children(&scopes[0]), children(&scopes[1])];
        let mut matching = Self {
            plans: [before, after],
            scopes,
            children,
            graph_matches: Vec::new(),
            match_of_scope: [HashMap::new(), HashMap::new()],
        };
        matching.add(0, 0);
        let mut next = 0;
        while next < matching.graph_matches.len() {
            matching.match_nested(next);
            next += 1;
        }
        matching
    }

    fn add(&mut self, before: usize, after: usize) {
        let [old, new] = self.plans;
        let maps = self.graph(Side::Before, before).zip(self.graph(Side::After, after));
        let maps = maps.and_then(|(a, b)| old.graph_map(a).zip(new.graph_map(b)));
        let nodes = maps
            .map(|(a, b)| match_nodes(&GraphFeatures::new(a), &GraphFeatures::new(b)))
            .unwrap_or_default();
        for (known, scope) in self.match_of_scope.iter_mut().zip([before, after]) {
            known.insert(scope, self.graph_matches.len());
        }
        self.graph_matches.push(GraphMatch { before, after, nodes });
    }

    fn match_nested(&mut self, number: usize) {
        let Some(found) = self.graph_matches.get(number) else { return };
        let (before, after) = (found.before, found.after);
        let nodes: Vec<(usize, usize)> =
            found.nodes.after.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?))).collect_vec();
        let mut new = Vec::new();
        for (i, j) in nodes {
            for inside in self.nested_matches((before, i), (after, j)) {
                let child = |side, place, at: Option<usize>| self.child(side, place, at?);
                let old = child(Side::Before, (before, i), inside.before);
                new.extend(old.zip(child(Side::After, (after, j), inside.after)));
            }
        }
        for (before, after) in new {
            self.add(before, after);
        }
    }

    /// In the new order, removed graphs last.
    pub(super) fn nested_matches(&self, before: (usize, usize), after: (usize, usize)) -> Vec<NestedMatch> {
        let (Some(old), Some(new)) = (self.node(Side::Before, before), self.node(Side::After, after)) else {
            return Vec::new();
        };
        if old.nested.is_empty() && new.nested.is_empty() {
            return Vec::new();
        }
        let named = |nested: &[Nested], one: &Nested| {
            nested.iter().position(|other| other.key == one.key && other.name == one.name)
        };
        let mut found: Vec<NestedMatch> = (new.nested.iter().enumerate())
            .map(|(at, one)| NestedMatch { before: named(&old.nested, one), after: Some(at) })
            .collect_vec();
        let gone = (0..old.nested.len()).filter(|at| found.iter().all(|one| one.before != Some(*at)));
        let mut gone: Vec<usize> = gone.collect_vec();
        for one in found.iter_mut().filter(|one| one.before.is_none()) {
            let Some(graph) = one.after.and_then(|at| new.nested.get(at)) else { continue };
            let same = |at: &usize| {
                old.nested.get(*at).is_some_and(|other| {
                    other.name.is_empty() && graph.name.is_empty()
                        || share_most_keys(&other.graph, &graph.graph)
                })
            };
            if let Some(at) = gone.iter().position(same) {
                one.before = Some(gone.remove(at));
            }
        }
        found.extend(gone.into_iter().map(|at| NestedMatch { before: Some(at), after: None }));
        found
    }

    pub(super) fn child(&self, side: Side, place: (usize, usize), nested: usize) -> Option<usize> {
        self.children.get(side as usize)?.get(&place)?.get(nested).copied()
    }

    pub(super) fn scope(&self, side: Side, scope: usize) -> Option<&Scope<'a>> {
        self.scopes.get(side as usize)?.list.get(scope)
    }

    pub(super) fn graph(&self, side: Side, scope: usize) -> Option<&'a Graph> {
        self.scope(side, scope).map(|scope| scope.graph)
    }

    pub(super) fn node(&self, side: Side, (scope, node): (usize, usize)) -> Option<&'a Node> {
        self.graph(side, scope)?.nodes.get(node)
    }

    pub(super) fn graph_match(&self, side: Side, scope: usize) -> Option<&GraphMatch> {
        self.graph_matches.get(*self.match_of_scope.get(side as usize)?.get(&scope)?)
    }

    pub(super) fn counterpart_after(&self, (scope, node): (usize, usize)) -> Option<(usize, usize)> {
        let found = self.graph_match(Side::Before, scope)?;
        Some((found.after, found.nodes.after.get(node).copied().flatten()?))
    }

    pub(super) fn counterpart_before(&self, (scope, node): (usize, usize)) -> Option<(usize, usize)> {
        let found = self.graph_match(Side::After, scope)?;
        Some((found.before, found.nodes.before.get(node).copied().flatten()?))
    }

    /// Equal on both sides for one node.
    pub(super) fn canonical_key(&self, side: Side, scope: usize, name: &str) -> Option<String> {
        let found = self.scopes.get(side as usize)?.resolve(scope, name)?;
        let (scope, node) = match side {
            Side::Before => self.counterpart_after(found)?,
            Side::After => self.counterpart_before(found).map(|_| found)?,
        };
        Some(format!("{scope}_{node}"))
    }
}

fn share_most_keys(a: &Graph, b: &Graph) -> bool {
    let keys: std::collections::HashSet<&str> = a.nodes.iter().map(|node| node.key.as_str()).collect();
    let common = b.nodes.iter().filter(|node| keys.contains(node.key.as_str())).count();
    2 * common > a.nodes.len().max(b.nodes.len())
}

fn children(scopes: &Scopes<'_>) -> HashMap<(usize, usize), Vec<usize>> {
    let mut found: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for (scope, place) in scopes.list.iter().enumerate() {
        if let Some(owner) = place.owner {
            found.entry(owner).or_default().push(scope);
        }
    }
    found
}
