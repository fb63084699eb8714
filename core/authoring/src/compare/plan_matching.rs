//! Which graph and which node of one plan is which of another.
//!
//! Decides it from the plan's own graph inwards: graphs inside nodes that are the same are the same by their names.

use super::node_matching::{GraphFeatures, NodeMatching, match_nodes};
use std::collections::HashMap;
use stepgraph_core::graph::scope::{Scope, Scopes};
use stepgraph_core::graph::{Graph, Nested, Node, PlanGraph};
use stepgraph_core::list::List;

/// Which of the two plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Before,
    After,
}

/// One graph on both sides: positions in the lists of scopes, and its nodes.
#[derive(Debug)]
pub(super) struct GraphMatch {
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) nodes: NodeMatching,
}

/// Graphs inside two nodes that are the same: which is there on which side, by position in `nested`.
#[derive(Debug, Clone, Copy)]
pub(super) struct NestedMatch {
    pub(super) before: Option<usize>,
    pub(super) after: Option<usize>,
}

/// Who is who in two plans.
#[derive(Debug)]
pub(super) struct PlanMatching<'a> {
    pub(super) plans: [&'a PlanGraph; 2],
    pub(super) scopes: [Scopes<'a>; 2],
    children: [HashMap<(usize, usize), Vec<usize>>; 2],
    pub(super) graph_matches: Vec<GraphMatch>,
    /// The pair that a scope is in.
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
        let maps = maps.and_then(|(a, b)| old.map(a).zip(new.map(b)));
        let nodes = maps
            .map(|(a, b)| match_nodes(&GraphFeatures::new(a), &GraphFeatures::new(b)))
            .unwrap_or_default();
        for (known, scope) in self.match_of_scope.iter_mut().zip([before, after]) {
            known.insert(scope, self.graph_matches.len());
        }
        self.graph_matches.push(GraphMatch { before, after, nodes });
    }

    /// Pairs the graphs inside the nodes of a pair.
    fn match_nested(&mut self, number: usize) {
        let Some(found) = self.graph_matches.get(number) else { return };
        let (before, after) = (found.before, found.after);
        let nodes: Vec<(usize, usize)> =
            found.nodes.after.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?))).list();
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

    /// The graphs inside two nodes that are the same, in the order of the node after; those that are gone come last.
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
            .list();
        let gone = (0..old.nested.len()).filter(|at| found.iter().all(|one| one.before != Some(*at)));
        let mut gone: Vec<usize> = gone.list();
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

    /// The scope of a graph inside a node.
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

    /// The node after that a node before is now.
    pub(super) fn counterpart_after(&self, (scope, node): (usize, usize)) -> Option<(usize, usize)> {
        let found = self.graph_match(Side::Before, scope)?;
        Some((found.after, found.nodes.after.get(node).copied().flatten()?))
    }

    /// The node before that a node after was.
    pub(super) fn counterpart_before(&self, (scope, node): (usize, usize)) -> Option<(usize, usize)> {
        let found = self.graph_match(Side::After, scope)?;
        Some((found.before, found.nodes.before.get(node).copied().flatten()?))
    }

    /// What stands for the node that a name means: the same on both sides for the same node.
    pub(super) fn canonical_key(&self, side: Side, scope: usize, name: &str) -> Option<String> {
        let found = self.scopes.get(side as usize)?.find(scope, name)?;
        let (scope, node) = match side {
            Side::Before => self.counterpart_after(found)?,
            Side::After => self.counterpart_before(found).map(|_| found)?,
        };
        Some(format!("{scope}_{node}"))
    }
}

/// Whether two graphs have most of their nodes in common, by key.
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
