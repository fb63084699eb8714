//! Checks that no tool bypasses the approvals before it in the chain, as counted by `paths`.

use super::paths::{ApprovalCounts, is_approval};
use super::{component_names, named_requirements};
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Target};
use crate::graph::{Graph, Node};
use crate::tool::ToolRegistry;

pub(super) const APPROVE: &str = "approve";

struct ComponentUse<'a> {
    name: &'a str,
    approvals_before: usize,
    target: Target,
    /// Whether every path passes a rejection.
    is_refusal: bool,
    steps: Vec<usize>,
}

/// Reports nodes with fewer preceding approvals than in the chain.
pub(super) fn check(
    root: &Graph,
    chain: &[&str],
    steps: &[String],
    tools: &ToolRegistry,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let has_any = |graph: &Graph| graph.nodes.iter().any(is_approval);
    // Already reported as an omission.
    if !chain.contains(&APPROVE)
        || !(has_any(root) || root.nodes.iter().any(|node| any_nested(node, has_any)))
    {
        return;
    }
    let (mut uses, mut named) = (Vec::new(), Vec::new());
    collect_uses(root, 0, steps, tools, (&mut uses, &mut named));
    let mut checked: Vec<&str> = Vec::new();
    for name in uses.iter().map(|one| one.name) {
        if checked.contains(&name) {
            continue;
        }
        checked.push(name);
        let own = uses.iter().filter(|one| one.name == name).collect_vec();
        diagnostics.extend(unguarded_uses(name, own, &required_approvals(chain, name), &named));
    }
}

fn any_nested(node: &Node, has: fn(&Graph) -> bool) -> bool {
    node.nested
        .iter()
        .any(|nested| has(&nested.graph) || nested.graph.nodes.iter().any(|node| any_nested(node, has)))
}

/// Nodes with side effects. `base` counts approvals before the graph.
fn collect_uses<'a>(
    graph: &'a Graph,
    base: usize,
    steps: &[String],
    tools: &'a ToolRegistry,
    (uses, named): (&mut Vec<ComponentUse<'a>>, &mut Vec<usize>),
) {
    let ways = ApprovalCounts::new(graph, base);
    for (at, node) in graph.nodes.iter().enumerate() {
        named.extend(named_requirements(node, steps));
        let Some(approvals_before) = ways.before(at) else { continue };
        let is_refusal = ways.is_refused(at);
        // Models have no side effects.
        let acts = component_names(node, tools).into_iter().filter(|name| !matches!(*name, "llm" | APPROVE));
        let target = || graph.target(node);
        let one = |name| ComponentUse {
            name,
            approvals_before,
            target: target(),
            is_refusal,
            steps: named_requirements(node, steps),
        };
        uses.extend(acts.map(one));
        for nested in &node.nested {
            collect_uses(&nested.graph, approvals_before, steps, tools, (uses, named));
        }
    }
}

fn required_approvals(chain: &[&str], name: &str) -> Vec<usize> {
    let before = |at: usize| chain.iter().take(at).filter(|one| **one == APPROVE).count();
    let mut needed = (0..chain.len()).filter(|at| chain.get(*at) == Some(&name)).map(before).collect_vec();
    needed.reverse();
    needed
}

/// The best guarded node matches the largest requirement. `named` are the requirements that all nodes name.
fn unguarded_uses(
    name: &str,
    mut uses: Vec<&ComponentUse<'_>>,
    needed: &[usize],
    named: &[usize],
) -> Option<Diagnostic> {
    uses.sort_by_key(|one| std::cmp::Reverse(one.approvals_before));
    let least = needed.last().copied().unwrap_or(0);
    let (guarded, open): (Vec<_>, Vec<_>) = uses
        .into_iter()
        .enumerate()
        .partition(|(at, one)| one.approvals_before >= needed.get(*at).copied().unwrap_or(least));
    // Reporting a rejection needs no approval, if it serves its own requirement besides the chain's guarded nodes.
    let is_alone = |step: &usize| named.iter().filter(|other| *other == step).count() == 1;
    let tells_of_refusal = |one: &ComponentUse<'_>| {
        one.is_refusal
            && guarded.len() >= needed.len()
            && !one.steps.is_empty()
            && one.steps.iter().all(is_alone)
    };
    let (_, first) = open.into_iter().find(|(_, one)| !tells_of_refusal(one))?;
    let message = format!("`{name}` may run without the approval that the plan in prose puts before it");
    let help = "let every path to it pass a node of type `approve`, by an edge with `last==approved`";
    Some(Diagnostic::new(Code::AuthorUnguarded, message).on(first.target.clone()).help(help))
}
