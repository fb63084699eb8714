//! The nodes and edges of a text that may be broken, and which nodes run before which.
//!
//! Decides by the edges alone, whatever their conditions say: it orders what is proposed, and judges nothing.
//!
//! Invariants: linear in nodes and edges; nothing recurses.

use super::plan_format::{PlanLocation, built_in};
use super::syntax_tree::SyntaxTree;
use std::borrow::Cow;
use std::collections::HashMap;
use stepgraph_core::list::List;

/// A node of a graph.
#[derive(Debug, Clone)]
pub(crate) struct PartialNode<'t> {
    /// Its entry in `nodes`.
    pub(crate) item: usize,
    /// Its key.
    pub(crate) key: Cow<'t, str>,
    /// Its id: the name of its output.
    pub(crate) id: Cow<'t, str>,
    /// Its type; empty for none.
    pub(crate) kind: Cow<'t, str>,
}

/// An edge of a graph; a name is empty where none is written.
#[derive(Debug, Clone)]
pub(crate) struct PartialEdge<'t> {
    /// Its item in `edges`.
    pub(crate) item: usize,
    /// Where it leads from.
    pub(crate) from: Cow<'t, str>,
    /// Where it leads to.
    pub(crate) to: Cow<'t, str>,
}

/// The nodes of the graph that an item holds.
pub(crate) fn nodes<'t>(tree: &SyntaxTree<'t>, graph: usize) -> Vec<PartialNode<'t>> {
    let Some(holder) = tree.get(graph, "nodes") else { return Vec::new() };
    let node = |item: usize| {
        let key = tree.key(item)?;
        let id = tree.text_of(item, "id").unwrap_or_else(|| key.clone());
        Some(PartialNode { item, key, id, kind: tree.text_of(item, "type").unwrap_or_default() })
    };
    tree.children(holder).filter_map(node).list()
}

/// The edges of the graph that an item holds.
pub(crate) fn edges<'t>(tree: &SyntaxTree<'t>, graph: usize) -> Vec<PartialEdge<'t>> {
    let Some(holder) = tree.get(graph, "edges") else { return Vec::new() };
    let end = |item: usize, key: &str| tree.text_of(item, key).unwrap_or_default();
    tree.children(holder)
        .map(|item| PartialEdge { item, from: end(item, "from"), to: end(item, "to") })
        .list()
}

/// When a node runs, seen from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RunOrder {
    /// Before, on every path.
    Before,
    /// Before, on some path.
    Maybe,
    /// Not before.
    Never,
}

/// A graph by its keys.
#[derive(Debug)]
pub(crate) struct PartialGraph<'t> {
    /// Its nodes.
    pub(crate) nodes: Vec<PartialNode<'t>>,
    /// Their positions by key.
    positions: HashMap<Cow<'t, str>, usize>,
    /// The nodes after each.
    pub(crate) after: Vec<Vec<usize>>,
    /// The nodes before each.
    pub(crate) before: Vec<Vec<usize>>,
    /// Whether a run may end at each: no edge without a condition leads on.
    ends: Vec<bool>,
    /// Where it begins.
    start: Option<usize>,
}

impl<'t> PartialGraph<'t> {
    /// Of the graph that an item holds.
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

    /// The position of the node of a key.
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        self.positions.get(key).copied()
    }

    /// The nodes at which a run of the graph may end.
    pub(crate) fn ends(&self) -> impl Iterator<Item = usize> + '_ {
        self.after.iter().enumerate().filter(|(_, after)| after.is_empty()).map(|(at, _)| at)
    }

    /// When each node runs, seen from one; `own` tells that this one has completed itself.
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

    /// Whether every way from the start to an end passes a node, as far as the edges tell.
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

    /// The nodes that all paths from the start to a node pass.
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
            // Nothing before leads beyond this one.
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

    /// One path from a node to another; empty for none.
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
        let mut path: Vec<usize> = std::iter::successors(Some(to), back).take(self.nodes.len() + 1).list();
        path.reverse();
        if path.first() == Some(&from) { path } else { Vec::new() }
    }
}

/// A name that `output` knows at a place.
#[derive(Debug, Clone)]
pub(crate) struct VisibleOutput<'t> {
    /// The name.
    pub(crate) name: Cow<'t, str>,
    /// The entry of the node that gives it.
    pub(crate) node: usize,
    /// Whether it is the node's output itself, not what it writes beside that.
    pub(crate) is_node_output: bool,
    /// When it is there.
    pub(crate) run_order: RunOrder,
}

/// Everything that `output` knows at a place, what is surely there first; a name that hides another stands alone.
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
            let writes = stepgraph_core::kind::writes(&node.kind).iter().map(|name| Cow::Borrowed(*name));
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

/// What a node is in a few words: its type, and the tool that it calls.
pub(crate) fn summary(tree: &SyntaxTree<'_>, node: usize) -> String {
    let kind = tree.text_of(node, "type").unwrap_or_default();
    match tree.text_of(node, "tool").filter(|_| kind == "tool") {
        Some(tool) => format!("tool {tool}"),
        None if kind.is_empty() => "node".to_owned(),
        None => kind.into_owned(),
    }
}

/// What a node says of itself, or what its type does.
pub(crate) fn documentation<'t>(tree: &SyntaxTree<'t>, node: usize) -> Option<Cow<'t, str>> {
    let own = tree.text_of(node, "description");
    own.or_else(|| Some(Cow::Borrowed(built_in(&tree.text_of(node, "type")?)?.doc)))
}
