//! Reports what runs may newly do and no longer do: tools, nodes, ends, loops and handled failures.
//!
//! Every statement holds for every host that runs the plan unchanged.

use super::describe::{name, names};
use super::plan_matching::{GraphMatch, PlanMatching, Side};
use super::tool_access;
use super::{Change, ChangeKind};
use std::collections::BTreeMap;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::control_flow::{FailureHandling, GraphSummary, summarize};
use stepgraph_core::graph::{Graph, Node};
use stepgraph_core::node::{self, Action};

/// Each search is linear in the graph.
const MAX_PATHS: usize = 16;

pub(super) fn compare(matching: &PlanMatching<'_>, capabilities: &Capabilities, changes: &mut Vec<Change>) {
    let [old, new] = &matching.scopes;
    let (before, after) = (summarize(old), summarize(new));
    tool_access::compare(matching, [&before, &after], capabilities, changes);
    let mut ways = MAX_PATHS;
    for pair in &matching.graph_matches {
        let routes = (
            before.get(pair.before).and_then(Option::as_ref),
            after.get(pair.after).and_then(Option::as_ref),
        );
        let graphs = (matching.graph(Side::Before, pair.before), matching.graph(Side::After, pair.after));
        if let ((Some(then), Some(now)), (Some(old), Some(new))) = (routes, graphs) {
            RunComparer {
                graph_match: pair,
                nodes_before: then,
                nodes_after: now,
                old,
                new,
                capabilities,
                changes,
                paths_left: &mut ways,
            }
            .compare();
        }
    }
}

struct RunComparer<'p, 'c, 'a> {
    graph_match: &'p GraphMatch,
    nodes_before: &'p GraphSummary<'a>,
    nodes_after: &'p GraphSummary<'a>,
    old: &'a Graph,
    new: &'a Graph,
    capabilities: &'p Capabilities,
    changes: &'c mut Vec<Change>,
    paths_left: &'c mut usize,
}

impl RunComparer<'_, '_, '_> {
    fn compare(&mut self) {
        for (j, i) in self.graph_match.nodes.before.iter().enumerate() {
            if let Some(i) = i {
                self.compare_reachability(*i, j);
            }
        }
        if self.nodes_before.can_complete() && self.nodes_after.can_complete() {
            for (j, i) in self.graph_match.nodes.before.iter().enumerate() {
                if let Some(i) = i {
                    self.compare_always_visited(*i, j);
                }
            }
        }
        self.compare_approvals();
        self.compare_ends();
        self.compare_loops();
        for (j, i) in self.graph_match.nodes.before.iter().enumerate() {
            if let Some(i) = i {
                self.compare_failure_handling(*i, j);
            }
        }
    }

    fn in_graph(&self) -> String {
        if self.new.scope.is_empty() { String::new() } else { format!(" of {}", name(&self.new.scope)) }
    }

    fn add_change(&mut self, kind: ChangeKind, (i, j): (Option<usize>, Option<usize>), message: String) {
        let old = i.and_then(|i| self.old.nodes.get(i));
        let new = j.and_then(|j| self.new.nodes.get(j));
        let Some(node) = new.or(old) else { return };
        let change = Change::new(kind, &self.new.scope, message)
            .node(&node.key)
            .spans(old.map(|node| node.key_span), new.map(|node| node.key_span));
        self.changes.push(change);
    }

    fn key(&self, j: usize) -> String {
        self.new.nodes.get(j).map_or_else(String::new, |node| name(&node.key))
    }

    fn compare_reachability(&mut self, i: usize, j: usize) {
        let key = self.key(j);
        match (is_set(&self.nodes_before.reachable, i), is_set(&self.nodes_after.reachable, j)) {
            (false, true) => {
                self.add_change(
                    ChangeKind::NodeReached,
                    (Some(i), Some(j)),
                    format!("runs may now reach {key}"),
                );
            }
            (true, false) => self.add_change(
                ChangeKind::NodeUnreached,
                (Some(i), Some(j)),
                format!("no run reaches {key} any more"),
            ),
            _ => {}
        }
    }

    fn compare_always_visited(&mut self, i: usize, j: usize) {
        if !is_set(&self.nodes_before.reachable, i) || !is_set(&self.nodes_after.reachable, j) {
            return;
        }
        let (key, whole) = (self.key(j), self.in_graph());
        match (is_set(&self.nodes_before.always_reached, i), is_set(&self.nodes_after.always_reached, j)) {
            (true, false) => {
                let way = if *self.paths_left > 0 { self.nodes_after.path_avoiding(j, None) } else { None };
                *self.paths_left = self.paths_left.saturating_sub(1);
                let way = way.map_or_else(String::new, |way| format!(": {}", self.describe_path(&way)));
                let message = format!("a run{whole} may now complete without {key}{way}");
                self.add_change(ChangeKind::NodeMissed, (Some(i), Some(j)), message);
            }
            (false, true) => {
                let message = format!("every run{whole} that completes now reaches {key}");
                self.add_change(ChangeKind::NodeAlways, (Some(i), Some(j)), message);
            }
            _ => {}
        }
    }

    fn compare_approvals(&mut self) {
        let is = |graph: &Graph, at: usize, wanted: fn(&Action) -> bool| {
            let node = graph.nodes.get(at);
            let action = node.and_then(|node| node::action(node, &graph.node_path(node), self.capabilities));
            action.is_some_and(|action| wanted(&action))
        };
        let asks = |action: &Action| matches!(action, Action::Approve);
        let acts =
            |action: &Action| !matches!(action, Action::Approve | Action::Wait) && !action.is_immediate();
        let pairs: Vec<(usize, usize)> = (self.graph_match.nodes.before.iter().enumerate())
            .filter_map(|(j, i)| Some(((*i)?, j)))
            .collect_vec();
        let guards = pairs.iter().filter(|(i, j)| is(self.old, *i, asks) && is(self.new, *j, asks));
        let guards: Vec<(usize, usize)> = guards.copied().collect_vec();
        let mut found = Vec::new();
        for (guard_i, guard_j) in guards {
            for (i, j) in pairs.iter().copied().filter(|(_, j)| *j != guard_j) {
                let lost = self.nodes_before.always_passes(guard_i, i)
                    && is_set(&self.nodes_after.reachable, j)
                    && !self.nodes_after.always_passes(guard_j, j);
                if lost && is(self.new, j, acts) {
                    found.push((guard_j, i, j));
                }
            }
        }
        for (guard, i, j) in found {
            let way =
                if *self.paths_left > 0 { self.nodes_after.path_avoiding(guard, Some(j)) } else { None };
            *self.paths_left = self.paths_left.saturating_sub(1);
            let way = way.map_or_else(String::new, |way| format!(": {}", self.describe_path(&way)));
            let message = format!("a run may now reach {} without {}{way}", self.key(j), self.key(guard));
            self.add_change(ChangeKind::NodeUnguarded, (Some(i), Some(j)), message);
        }
    }

    fn describe_path(&self, way: &[usize]) -> String {
        let keys: Vec<String> = way.iter().map(|node| self.key(*node)).collect_vec();
        match keys.as_slice() {
            [first, second, third, .., last] if keys.len() > 6 => {
                format!("{first} → {second} → {third} → … → {last}")
            }
            all => all.join(" → "),
        }
    }

    fn compare_ends(&mut self) {
        let whole = self.in_graph();
        for (j, now) in self.nodes_after.ends.iter().enumerate() {
            let i = self.graph_match.nodes.before.get(j).copied().flatten();
            let then = i.is_some_and(|i| is_set(&self.nodes_before.ends, i));
            // Newly reachable nodes are already reported.
            let known = i.is_none_or(|i| is_set(&self.nodes_before.reachable, i));
            if *now && !then && known {
                let how = match self.new.outgoing.get(j).map(Vec::len) {
                    Some(0) | None => "",
                    Some(_) => ", where no edge may be taken",
                };
                let message = format!("runs{whole} may now complete at {}{how}", self.key(j));
                self.add_change(ChangeKind::EndAdded, (i, Some(j)), message);
            }
        }
        for (i, then) in self.nodes_before.ends.iter().enumerate() {
            let j = self.graph_match.nodes.after.get(i).copied().flatten();
            let now = j.is_some_and(|j| is_set(&self.nodes_after.ends, j));
            let known = j.is_none_or(|j| is_set(&self.nodes_after.reachable, j));
            if *then && !now && known {
                let key = self.old.nodes.get(i).map_or("", |node| &node.key);
                let key = j.map_or_else(|| name(key), |j| self.key(j));
                self.add_change(
                    ChangeKind::EndRemoved,
                    (Some(i), j),
                    format!("no run{whole} completes at {key} any more"),
                );
            }
        }
    }

    fn compare_loops(&mut self) {
        let in_loop = |loops: &[Option<usize>], node: Option<usize>| {
            node.is_some_and(|node| loops.get(node).copied().flatten().is_some())
        };
        for members in nodes_by_loop(&self.nodes_after.loops) {
            let was = |j: &usize| self.graph_match.nodes.before.get(*j).copied().flatten();
            let fresh: Vec<usize> =
                members.iter().copied().filter(|j| !in_loop(&self.nodes_before.loops, was(j))).collect_vec();
            let (Some(first), false) = (members.first().copied(), fresh.is_empty()) else { continue };
            let known = fresh.iter().copied().filter(|j| was(j).is_some()).collect_vec();
            let i = was(&first);
            if fresh.len() == members.len() {
                let message = match members.as_slice() {
                    [only] => format!("a run may now return to {} from itself", self.key(*only)),
                    all => format!("a run may now loop through {}", self.describe_nodes(all)),
                };
                self.add_change(ChangeKind::LoopAdded, (i, Some(first)), message);
            } else if let Some(node) = known.first().copied() {
                let message = format!("a run may now visit {} more than once", self.describe_nodes(&known));
                self.add_change(ChangeKind::LoopGrown, (was(&node), Some(node)), message);
            }
        }
        for members in nodes_by_loop(&self.nodes_before.loops) {
            let is = |i: &usize| self.graph_match.nodes.after.get(*i).copied().flatten();
            if members.iter().any(|i| in_loop(&self.nodes_after.loops, is(i))) {
                continue;
            }
            let Some(first) = members.first() else { continue };
            let keys = members
                .iter()
                .filter_map(|i| self.old.nodes.get(*i))
                .map(|node| node.key.as_str())
                .collect_vec();
            let message = format!("no run loops through {} any more", names(&keys));
            self.add_change(ChangeKind::LoopRemoved, (Some(*first), is(first)), message);
        }
    }

    fn describe_nodes(&self, nodes: &[usize]) -> String {
        names(
            &nodes
                .iter()
                .filter_map(|node| self.new.nodes.get(*node))
                .map(|node| node.key.as_str())
                .collect_vec(),
        )
    }

    fn compare_failure_handling(&mut self, i: usize, j: usize) {
        if !is_set(&self.nodes_before.reachable, i) || !is_set(&self.nodes_after.reachable, j) {
            return;
        }
        let acts = |graph: &Graph, node: Option<&Node>| {
            node.and_then(|node| node::action(node, &graph.node_path(node), self.capabilities))
        };
        let fails = |action: Option<Action>| action.is_none_or(|action| !matches!(action, Action::Pass));
        // Such a node needs no failure handling.
        if !fails(acts(self.old, self.old.nodes.get(i))) || !fails(acts(self.new, self.new.nodes.get(j))) {
            return;
        }
        let of = |handled: &[FailureHandling], node: usize| {
            handled.get(node).copied().unwrap_or(FailureHandling::Never)
        };
        let (then, now) =
            (of(&self.nodes_before.failure_handling, i), of(&self.nodes_after.failure_handling, j));
        let key = self.key(j);
        let (kind, message) = match (then, now) {
            (FailureHandling::Never, FailureHandling::Sometimes) => {
                (ChangeKind::FailureHandled, format!("an edge handles some failures of {key} now"))
            }
            (FailureHandling::Sometimes, FailureHandling::Always) => (
                ChangeKind::FailureHandled,
                format!("an edge handles every failure of {key} now, not only some"),
            ),
            (FailureHandling::Never, FailureHandling::Always) => {
                (ChangeKind::FailureHandled, format!("an edge handles every failure of {key} now"))
            }
            (FailureHandling::Always, FailureHandling::Sometimes) => (
                ChangeKind::FailureUnhandled,
                format!(
                    "an edge handles only some failures of {key} now; others fail {}",
                    self.describe_failure()
                ),
            ),
            (_, FailureHandling::Never) if then != now => (
                ChangeKind::FailureUnhandled,
                format!("no edge handles a failure of {key} any more: it fails {}", self.describe_failure()),
            ),
            _ => return,
        };
        self.add_change(kind, (Some(i), Some(j)), message);
    }

    fn describe_failure(&self) -> String {
        if self.new.scope.is_empty() { "the run".to_owned() } else { name(&self.new.scope) }
    }
}

fn is_set(flags: &[bool], place: usize) -> bool {
    flags.get(place) == Some(&true)
}

fn nodes_by_loop(loops: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (node, number) in loops.iter().enumerate() {
        if let Some(number) = number {
            found.entry(*number).or_default().push(node);
        }
    }
    let mut found: Vec<Vec<usize>> = found.into_values().collect_vec();
    found.sort_unstable();
    found
}
