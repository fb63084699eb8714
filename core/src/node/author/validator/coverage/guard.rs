//! Approvals, and what stands behind them.
//!
//! Decides whether a tool runs past the approvals that the chain puts before it: on some way to its node there are fewer.

use super::guarded;
use crate::diagnostic::{Code, Diagnostic};
use crate::graph::{Graph, Node};
use crate::list::List;
use crate::node::meant;
use crate::tool::Catalogue;
use std::collections::VecDeque;

const APPROVE: &str = "approve";

/// Reports the nodes that run with fewer approvals before them than the chain has.
pub(super) fn check(root: &Graph, chain: &[&str], tools: &Catalogue, found: &mut Vec<Diagnostic>) {
    let has_any = |graph: &Graph| graph.nodes.iter().any(is_approval);
    // One that is missing altogether is left out.
    if chain.contains(&APPROVE) && (has_any(root) || root.nodes.iter().any(|node| holds(node, has_any))) {
        walk(root, 0, chain, tools, found);
    }
}

fn is_approval(node: &Node) -> bool {
    meant(&node.kind) == APPROVE
}

/// Whether a graph inside a node has something, at any depth.
fn holds(node: &Node, has: fn(&Graph) -> bool) -> bool {
    node.nested
        .iter()
        .any(|nested| has(&nested.graph) || nested.graph.nodes.iter().any(|node| holds(node, has)))
}

/// `base` is how many approvals there are before the graph.
fn walk(graph: &Graph, base: u32, chain: &[&str], tools: &Catalogue, found: &mut Vec<Diagnostic>) {
    let before = before(graph, base);
    for (at, node, names) in guarded(graph, tools) {
        let Some(Some(there)) = before.get(at).copied() else { continue };
        // A model changes nothing by itself.
        let acts = names.iter().filter(|name| !matches!(**name, "llm" | APPROVE));
        let past = acts.copied().find(|name| there < needed(chain, name));
        if let Some(name) = past {
            let message =
                format!("`{name}` may run without the approval that the plan in words puts before it");
            let help =
                "let every way to it lead through a node of type `approve`, by an edge with `last==approved`";
            found.push(Diagnostic::new(Code::AuthorUnguarded, message).on(graph.target(node)).help(help));
        }
        for nested in &node.nested {
            walk(&nested.graph, there, chain, tools, found);
        }
    }
}

/// How many approvals the chain has before a component.
fn needed(chain: &[&str], name: &str) -> u32 {
    let at = chain.iter().position(|one| *one == name).unwrap_or(0);
    let before = chain.iter().take(at).filter(|one| **one == APPROVE).count();
    u32::try_from(before).unwrap_or(u32::MAX)
}

/// The fewest approvals on a way to each node; nothing where no way leads.
fn before(graph: &Graph, base: u32) -> Vec<Option<u32>> {
    let costs: Vec<u32> = graph.nodes.iter().map(asks).list();
    let mut known: Vec<Option<u32>> = vec![None; graph.nodes.len()];
    let mut open: VecDeque<(usize, u32)> = graph.start.map(|start| (start, base)).into_iter().collect();
    while let Some((at, with)) = open.pop_front() {
        let Some(place) = known.get_mut(at).filter(|known| known.is_none_or(|known| with < known)) else {
            continue;
        };
        *place = Some(with);
        let cost = costs.get(at).copied().unwrap_or(0);
        for edge in graph.edges_from(at) {
            // Ways without a further approval first, so that few nodes are looked at twice.
            match cost {
                0 => open.push_front((edge.target, with)),
                cost => open.push_back((edge.target, with.saturating_add(cost))),
            }
        }
    }
    known
}

/// How many approvals a run passes in a node. A `map` over nothing passes none.
fn asks(node: &Node) -> u32 {
    if is_approval(node) {
        return 1;
    }
    let inside = node.nested.iter().filter(|nested| nested.key != "do");
    inside.map(|nested| least(&nested.graph)).fold(0, u32::saturating_add)
}

/// The fewest approvals on a way through a graph.
fn least(graph: &Graph) -> u32 {
    let before = before(graph, 0);
    let ends = graph.nodes.iter().enumerate().filter(|(at, _)| graph.edges_from(*at).next().is_none());
    let passed = ends.filter_map(|(at, node)| Some(before.get(at).copied()??.saturating_add(asks(node))));
    passed.min().unwrap_or(0)
}
