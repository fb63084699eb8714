//! Nodes, edges and run order, also of broken text. The order ignores conditions, as it only ranks completions.
//!
//! Invariants: linear in nodes and edges, without recursion.

use super::plan_format::{PlanLocation, built_in};
use super::syntax_tree::SyntaxTree;
use std::borrow::Cow;
use std::collections::HashMap;
use stepgraph_core::collect::CollectVec;

#[derive(Debug, Clone)]
pub(crate) struct PartialNode<'t> {
    pub(crate) item: usize,
    pub(crate) key: Cow<'t, str>,
    pub(crate) id: Cow<'t, str>,
    pub(crate) kind: Cow<'t, str>,
}

#[derive(Debug, Clone)]
pub(crate) struct PartialEdge<'t> {
    pub(crate) item: usize,
    pub(crate) from: Cow<'t, str>,
    pub(crate) to: Cow<'t, str>,
}

pub(crate) fn nodes<'t>(tree: &SyntaxTree<'t>, graph: usize) -> Vec<PartialNode<'t>> {
    let Some(holder) = tree.get(graph, "nodes") else { return Vec::new() };
    let node = |item: usize| {
        let key = tree.key(item)?;
        let id = tree.text_of(item, "id").unwrap_or_else(|| key.clone());
        Some(PartialNode { item, key, id, kind: tree.text_of(item, "type").unwrap_or_default() })
    };
    tree.children(holder).filter_map(node).collect_vec()
}

pub(crate) fn edges<'t>(tree: &SyntaxTree<'t>, graph: usize) -> Vec<PartialEdge<'t>> {
    let Some(holder) = tree.get(graph, "edges") else { return Vec::new() };
    let end = |item: usize, key: &str| tree.text_of(item, key).unwrap_or_default();
    tree.children(holder)
        .map(|item| PartialEdge { item, from: end(item, "from"), to: end(item, "to") })
        .collect_vec()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RunOrder {
    Before,
    Maybe,
    Never,
}

#[derive(Debug)]
pub(crate) struct PartialGraph<'t> {
    pub(crate) nodes: Vec<PartialNode<'t>>,
    positions: HashMap<Cow<'t, str>, usize>,
    pub(crate) after: Vec<Vec<usize>>,
    pub(crate) before: Vec<Vec<usize>>,
    /// No unconditional edge leaves it.
    ends: Vec<bool>,
    start: Option<usize>,
}

impl<'t> PartialGraph<'t> {
    pub(crate) fn new(tree: &SyntaxTree<'t>, graph: usize) -> Self {
        let nodes = nodes(tree, graph);
        let places: HashMap<_, _> =
            nodes.iter().enumerate().map(|(at, node)| (node.key.clone(), at)).collect();
        let (mut after, mut before) = (vec![Vec::new(); nodes.len()], vec![Vec::new(); nodes.len()]);
        let mut may_end = vec![true; nodes.len()];
        for edge in edges(tree, graph) {
            let condition = tree.text_of(edge.item, "condition").unwrap_or_default();
            let fallback = matches!(condition.trim(), "" | "default" | "always");
            let ends = places.get(&edge.from).zip(places.get(&edge.to));
            if let Some((from, to)) = ends.map(|(from, to)| (*from, *to)) {
                may_end.get_mut(from).into_iter().for_each(|end| *end &= !fallback);
                after.get_mut(from).into_iter().for_each(|list: &mut Vec<usize>| list.push(to));
                before.get_mut(to).into_iter().for_each(|list: &mut Vec<usize>| list.push(from));
            }
        }
        let named = tree.text_of(graph, "start").and_then(|start| places.get(&start).copied());
        let lone = || before.iter().position(Vec::is_empty);
        let start = named.or_else(lone);
        Self { nodes, positions: places, after, before, ends: may_end, start }
    }

    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        self.positions.get(key).copied()
    }

    pub(crate) fn ends(&self) -> impl Iterator<Item = usize> + '_ {
        self.after.iter().enumerate().filter(|(_, after)| after.is_empty()).map(|(at, _)| at)
    }

    /// `own` means that this node has completed.
    pub(crate) fn run_orders(&self, node: usize, own: bool) -> Vec<RunOrder> {
        let mut seen = vec![RunOrder::Never; self.nodes.len()];
        let mut work: Vec<usize> = self.before.get(node).cloned().unwrap_or_default();
        while let Some(at) = work.pop() {
            if let Some(order) = seen.get_mut(at).filter(|order| **order == RunOrder::Never) {
                *order = RunOrder::Maybe;
                work.extend(self.before.get(at).into_iter().flatten());
            }
        }
        for at in self.dominators(node) {
            if at != node {
                seen.get_mut(at).into_iter().for_each(|order| *order = RunOrder::Before);
            }
        }
        if own {
            seen.get_mut(node).into_iter().for_each(|order| *order = RunOrder::Before);
        }
        seen
    }

    pub(crate) fn is_on_every_path(&self, node: usize) -> bool {
        let Some(start) = self.start else { return false };
        let mut seen = vec![false; self.nodes.len()];
        let mut work = vec![start];
        while let Some(at) = work.pop().filter(|at| *at != node) {
            if seen.get_mut(at).is_none_or(|seen| std::mem::replace(seen, true)) {
                continue;
            }
            let after = self.after.get(at).map(Vec::as_slice).unwrap_or_default();
            if self.ends.get(at) == Some(&true) {
                return false;
            }
            work.extend(after.iter().filter(|next| **next != node));
        }
        start == node || self.dominators(node).contains(&node)
    }

    fn dominators(&self, node: usize) -> Vec<usize> {
        let Some(start) = self.start else { return Vec::new() };
        let path = self.path(start, node);
        let mut number: HashMap<usize, usize> = path.iter().enumerate().map(|(i, at)| (*at, i)).collect();
        let (mut found, mut farthest) = (Vec::new(), 0);
        let mut seen = vec![false; self.nodes.len()];
        for at in &path {
            seen.get_mut(*at).into_iter().for_each(|seen| *seen = true);
        }
        for (position, at) in path.iter().enumerate() {
            // No edge leads past it.
            if farthest == position {
                found.push(*at);
            }
            let mut work = vec![*at];
            number.remove(at);
            while let Some(at) = work.pop() {
                for next in self.after.get(at).into_iter().flatten() {
                    if let Some(later) = number.get(next) {
                        farthest = farthest.max(*later);
                    } else if seen.get_mut(*next).is_some_and(|seen| !std::mem::replace(seen, true)) {
                        work.push(*next);
                    }
                }
            }
        }
        found
    }

    fn path(&self, from: usize, to: usize) -> Vec<usize> {
        let mut came = vec![None; self.nodes.len()];
        let mut work = std::collections::VecDeque::from([from]);
        while let Some(at) = work.pop_front() {
            if at == to {
                break;
            }
            for next in self.after.get(at).into_iter().flatten() {
                if let Some(place) = came.get_mut(*next).filter(|came| came.is_none() && *next != from) {
                    *place = Some(at);
                    work.push_back(*next);
                }
            }
        }
        let back = |at: &usize| came.get(*at).copied().flatten();
        let mut path: Vec<usize> =
            std::iter::successors(Some(to), back).take(self.nodes.len() + 1).collect_vec();
        path.reverse();
        if path.first() == Some(&from) { path } else { Vec::new() }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct VisibleOutput<'t> {
    pub(crate) name: Cow<'t, str>,
    pub(crate) node: usize,
    pub(crate) is_node_output: bool,
    pub(crate) run_order: RunOrder,
}

/// Most certain first, without shadowed names.
pub(crate) fn visible_outputs<'t>(tree: &SyntaxTree<'t>, location: &PlanLocation) -> Vec<VisibleOutput<'t>> {
    let mut found: Vec<VisibleOutput<'t>> = Vec::new();
    let mut taken = std::collections::HashSet::new();
    for (depth, (graph, node)) in location.scopes(tree).into_iter().enumerate() {
        let partial = PartialGraph::new(tree, graph);
        let edge = location.edge.filter(|_| depth == 0);
        let from = edge.and_then(|edge| partial.position(&tree.text_of(edge, "from")?));
        let at = from.or_else(|| partial.nodes.iter().position(|known| Some(known.item) == node));
        let order = at.map(|at| partial.run_orders(at, from.is_some()));
        for (position, node) in partial.nodes.iter().enumerate() {
            let order =
                order.as_ref().and_then(|order| order.get(position)).copied().unwrap_or(RunOrder::Maybe);
            let writes =
                stepgraph_core::kind::named_outputs(&node.kind).iter().map(|name| Cow::Borrowed(*name));
            let more = if node.kind == "react" { &["answer", "plan", "tool_calls"][..] } else { &[] };
            let more = more.iter().map(|name| Cow::Borrowed(*name));
            for (number, name) in std::iter::once(node.id.clone()).chain(writes).chain(more).enumerate() {
                if taken.insert(name.clone()) {
                    let own = number == 0;
                    found.push(VisibleOutput {
                        name,
                        node: node.item,
                        is_node_output: own,
                        run_order: order,
                    });
                }
            }
        }
    }
    found
}

pub(crate) fn summary(tree: &SyntaxTree<'_>, node: usize) -> String {
    let kind = tree.text_of(node, "type").unwrap_or_default();
    match tree.text_of(node, "tool").filter(|_| kind == "tool") {
        Some(tool) => format!("tool {tool}"),
        None if kind.is_empty() => "node".to_owned(),
        None => kind.into_owned(),
    }
}

pub(crate) fn documentation<'t>(tree: &SyntaxTree<'t>, node: usize) -> Option<Cow<'t, str>> {
    let own = tree.text_of(node, "description");
    own.or_else(|| Some(Cow::Borrowed(built_in(&tree.text_of(node, "type")?)?.doc)))
}
