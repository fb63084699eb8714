//! Which graph and which node of one plan is which of another.
//!
//! Decides it from the plan's own graph inwards: graphs inside nodes that are the same are the same by their names.

use super::likeness::{Half, Pairs, pair};
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
pub(super) struct GraphPair {
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) nodes: Pairs,
}

/// Graphs inside two nodes that are the same: which is there on which side, by position in `nested`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inside {
    pub(super) before: Option<usize>,
    pub(super) after: Option<usize>,
}

/// Who is who in two plans.
#[derive(Debug)]
pub(super) struct Who<'a> {
    pub(super) plans: [&'a PlanGraph; 2],
    pub(super) scopes: [Scopes<'a>; 2],
    children: [HashMap<(usize, usize), Vec<usize>>; 2],
    pub(super) pairs: Vec<GraphPair>,
    /// The pair that a scope is in.
    pair_of: [HashMap<usize, usize>; 2],
}

impl<'a> Who<'a> {
    pub(super) fn new(before: &'a PlanGraph, after: &'a PlanGraph) -> Self {
        let scopes = [Scopes::new(before), Scopes::new(after)];
        let children = [children(&scopes[0]), children(&scopes[1])];
        let mut who = Self {
            plans: [before, after],
            scopes,
            children,
            pairs: Vec::new(),
            pair_of: [HashMap::new(), HashMap::new()],
        };
        who.add(0, 0);
        let mut next = 0;
        while next < who.pairs.len() {
            who.inner(next);
            next += 1;
        }
        who
    }

    fn add(&mut self, before: usize, after: usize) {
        let [old, new] = self.plans;
        let maps = self.graph(Side::Before, before).zip(self.graph(Side::After, after));
        let maps = maps.and_then(|(a, b)| old.graph_map(a).zip(new.graph_map(b)));
        let nodes = maps.map(|(a, b)| pair(&Half::of(a), &Half::of(b))).unwrap_or_default();
        for (known, scope) in self.pair_of.iter_mut().zip([before, after]) {
            known.insert(scope, self.pairs.len());
        }
        self.pairs.push(GraphPair { before, after, nodes });
    }

    /// Pairs the graphs inside the nodes of a pair.
    fn inner(&mut self, number: usize) {
        let Some(found) = self.pairs.get(number) else { return };
        let (before, after) = (found.before, found.after);
        let nodes: Vec<(usize, usize)> =
            found.nodes.after.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?))).list();
        let mut new = Vec::new();
        for (i, j) in nodes {
            for inside in self.inside((before, i), (after, j)) {
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
    pub(super) fn inside(&self, before: (usize, usize), after: (usize, usize)) -> Vec<Inside> {
        let (Some(old), Some(new)) = (self.node(Side::Before, before), self.node(Side::After, after)) else {
            return Vec::new();
        };
        if old.nested.is_empty() && new.nested.is_empty() {
            return Vec::new();
        }
        let named = |nested: &[Nested], one: &Nested| {
            nested.iter().position(|other| other.key == one.key && other.name == one.name)
        };
        let mut found: Vec<Inside> = (new.nested.iter().enumerate())
            .map(|(at, one)| Inside { before: named(&old.nested, one), after: Some(at) })
            .list();
        let gone = (0..old.nested.len()).filter(|at| found.iter().all(|one| one.before != Some(*at)));
        let mut gone: Vec<usize> = gone.list();
        for one in found.iter_mut().filter(|one| one.before.is_none()) {
            let Some(graph) = one.after.and_then(|at| new.nested.get(at)) else { continue };
            let same = |at: &usize| {
                old.nested.get(*at).is_some_and(|other| {
                    other.name.is_empty() && graph.name.is_empty() || is_alike(&other.graph, &graph.graph)
                })
            };
            if let Some(at) = gone.iter().position(same) {
                one.before = Some(gone.remove(at));
            }
        }
        found.extend(gone.into_iter().map(|at| Inside { before: Some(at), after: None }));
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

    pub(super) fn pair(&self, side: Side, scope: usize) -> Option<&GraphPair> {
        self.pairs.get(*self.pair_of.get(side as usize)?.get(&scope)?)
    }

    /// The node after that a node before is now.
    pub(super) fn now(&self, (scope, node): (usize, usize)) -> Option<(usize, usize)> {
        let found = self.pair(Side::Before, scope)?;
        Some((found.after, found.nodes.after.get(node).copied().flatten()?))
    }

    /// The node before that a node after was.
    pub(super) fn then(&self, (scope, node): (usize, usize)) -> Option<(usize, usize)> {
        let found = self.pair(Side::After, scope)?;
        Some((found.before, found.nodes.before.get(node).copied().flatten()?))
    }

    /// What stands for the node that a name means: the same on both sides for the same node.
    pub(super) fn number(&self, side: Side, scope: usize, name: &str) -> Option<String> {
        let found = self.scopes.get(side as usize)?.resolve(scope, name)?;
        let (scope, node) = match side {
            Side::Before => self.now(found)?,
            Side::After => self.then(found).map(|_| found)?,
        };
        Some(format!("{scope}_{node}"))
    }
}

/// Whether two graphs have most of their nodes in common, by key.
fn is_alike(a: &Graph, b: &Graph) -> bool {
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
