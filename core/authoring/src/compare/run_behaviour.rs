//! What runs may do now that they could not before, and the other way round.
//!
//! Decides what is told: tools first, those that may destroy something before all others; then, from the plan's own graph inwards, nodes
//! that can be reached, nodes that completed runs must come to, ends, loops, and failures that are taken up. All that is told is so for
//! every host that takes the plan as it stands.

use super::describe::{name, names};
use super::plan_matching::{GraphMatch, PlanMatching, Side};
use super::tool_access;
use super::{Change, ChangeKind};
use std::collections::BTreeMap;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::graph::flow::{Handled, Route, routes};
use stepgraph_core::graph::{Graph, Node};
use stepgraph_core::list::List;
use stepgraph_core::node::{self, Action};

/// How many ways past nodes are looked for; each takes time like the graph.
const MAX_PATHS: usize = 16;

/// Compares what runs may do.
pub(super) fn compare(matching: &PlanMatching<'_>, capabilities: &Capabilities, changes: &mut Vec<Change>) {
    let [old, new] = &matching.scopes;
    let (before, after) = (routes(old), routes(new));
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

/// One graph on both sides.
struct RunComparer<'p, 'c, 'a> {
    graph_match: &'p GraphMatch,
    nodes_before: &'p Route<'a>,
    nodes_after: &'p Route<'a>,
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
        if self.nodes_before.completes() && self.nodes_after.completes() {
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

    /// The graph in words, when it is not the plan's own.
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
        match (flag(&self.nodes_before.reached, i), flag(&self.nodes_after.reached, j)) {
            (false, true) => {
                self.add_change(
                    ChangeKind::NodeReached,
                    (Some(i), Some(j)),
                    format!("runs may come to {key} now"),
                );
            }
            (true, false) => self.add_change(
                ChangeKind::NodeUnreached,
                (Some(i), Some(j)),
                format!("no run comes to {key} any more"),
            ),
            _ => {}
        }
    }

    fn compare_always_visited(&mut self, i: usize, j: usize) {
        if !flag(&self.nodes_before.reached, i) || !flag(&self.nodes_after.reached, j) {
            return;
        }
        let (key, whole) = (self.key(j), self.in_graph());
        match (flag(&self.nodes_before.always, i), flag(&self.nodes_after.always, j)) {
            (true, false) => {
                let way = if *self.paths_left > 0 { self.nodes_after.past(j, None) } else { None };
                *self.paths_left = self.paths_left.saturating_sub(1);
                let way = way.map_or_else(String::new, |way| format!(": {}", self.describe_path(&way)));
                let message = format!("a run{whole} may complete without {key} now{way}");
                self.add_change(ChangeKind::NodeMissed, (Some(i), Some(j)), message);
            }
            (false, true) => {
                let message = format!("every run{whole} that completes comes to {key} now");
                self.add_change(ChangeKind::NodeAlways, (Some(i), Some(j)), message);
            }
            _ => {}
        }
    }

    /// Nodes that act, to which runs came only after a person had been asked.
    fn compare_approvals(&mut self) {
        let is = |graph: &Graph, at: usize, wanted: fn(&Action) -> bool| {
            let node = graph.nodes.get(at);
            let action = node.and_then(|node| node::action(node, &graph.place(node), self.capabilities));
            action.is_some_and(|action| wanted(&action))
        };
        let asks = |action: &Action| matches!(action, Action::Approve);
        let acts = |action: &Action| !matches!(action, Action::Approve | Action::Pass | Action::Log);
        let pairs: Vec<(usize, usize)> =
            (self.graph_match.nodes.before.iter().enumerate()).filter_map(|(j, i)| Some(((*i)?, j))).list();
        let guards = pairs.iter().filter(|(i, j)| is(self.old, *i, asks) && is(self.new, *j, asks));
        let guards: Vec<(usize, usize)> = guards.copied().list();
        let mut found = Vec::new();
        for (guard_i, guard_j) in guards {
            for (i, j) in pairs.iter().copied().filter(|(_, j)| *j != guard_j) {
                let lost = self.nodes_before.leads_through(guard_i, i)
                    && flag(&self.nodes_after.reached, j)
                    && !self.nodes_after.leads_through(guard_j, j);
                if lost && is(self.new, j, acts) {
                    found.push((guard_j, i, j));
                }
            }
        }
        for (guard, i, j) in found {
            let way = if *self.paths_left > 0 { self.nodes_after.past(guard, Some(j)) } else { None };
            *self.paths_left = self.paths_left.saturating_sub(1);
            let way = way.map_or_else(String::new, |way| format!(": {}", self.describe_path(&way)));
            let message = format!("a run may come to {} without {} now{way}", self.key(j), self.key(guard));
            self.add_change(ChangeKind::NodeUnguarded, (Some(i), Some(j)), message);
        }
    }

    /// A way, long ones without their middle.
    fn describe_path(&self, way: &[usize]) -> String {
        let keys: Vec<String> = way.iter().map(|node| self.key(*node)).list();
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
            let then = i.is_some_and(|i| flag(&self.nodes_before.ends, i));
            // Where no run could come to it, that was told.
            let known = i.is_none_or(|i| flag(&self.nodes_before.reached, i));
            if *now && !then && known {
                let how = match self.new.outgoing.get(j).map(Vec::len) {
                    Some(0) | None => "",
                    Some(_) => ", where no edge may be taken",
                };
                let message = format!("runs{whole} may complete at {} now{how}", self.key(j));
                self.add_change(ChangeKind::EndAdded, (i, Some(j)), message);
            }
        }
        for (i, then) in self.nodes_before.ends.iter().enumerate() {
            let j = self.graph_match.nodes.after.get(i).copied().flatten();
            let now = j.is_some_and(|j| flag(&self.nodes_after.ends, j));
            let known = j.is_none_or(|j| flag(&self.nodes_after.reached, j));
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
        for members in members(&self.nodes_after.loops) {
            let was = |j: &usize| self.graph_match.nodes.before.get(*j).copied().flatten();
            let fresh: Vec<usize> =
                members.iter().copied().filter(|j| !in_loop(&self.nodes_before.loops, was(j))).list();
            let (Some(first), false) = (members.first().copied(), fresh.is_empty()) else { continue };
            let known = fresh.iter().copied().filter(|j| was(j).is_some()).list();
            let i = was(&first);
            if fresh.len() == members.len() {
                let message = match members.as_slice() {
                    [only] => format!("a run may come back to {} from itself now", self.key(*only)),
                    all => format!("a run may go round {} again and again now", self.describe_nodes(all)),
                };
                self.add_change(ChangeKind::LoopAdded, (i, Some(first)), message);
            } else if let Some(node) = known.first().copied() {
                let message = format!("a run may come to {} more than once now", self.describe_nodes(&known));
                self.add_change(ChangeKind::LoopGrown, (was(&node), Some(node)), message);
            }
        }
        for members in members(&self.nodes_before.loops) {
            let is = |i: &usize| self.graph_match.nodes.after.get(*i).copied().flatten();
            if members.iter().any(|i| in_loop(&self.nodes_after.loops, is(i))) {
                continue;
            }
            let Some(first) = members.first() else { continue };
            let keys =
                members.iter().filter_map(|i| self.old.nodes.get(*i)).map(|node| node.key.as_str()).list();
            let message = format!("no run goes round {} any more", names(&keys));
            self.add_change(ChangeKind::LoopRemoved, (Some(*first), is(first)), message);
        }
    }

    fn describe_nodes(&self, nodes: &[usize]) -> String {
        names(&nodes.iter().filter_map(|node| self.new.nodes.get(*node)).map(|node| node.key.as_str()).list())
    }

    fn compare_failure_handling(&mut self, i: usize, j: usize) {
        if !flag(&self.nodes_before.reached, i) || !flag(&self.nodes_after.reached, j) {
            return;
        }
        let acts = |graph: &Graph, node: Option<&Node>| {
            node.and_then(|node| node::action(node, &graph.place(node), self.capabilities))
        };
        let fails = |action: Option<Action>| action.is_none_or(|action| !matches!(action, Action::Pass));
        // What can't fail has no failure that could be taken up.
        if !fails(acts(self.old, self.old.nodes.get(i))) || !fails(acts(self.new, self.new.nodes.get(j))) {
            return;
        }
        let of = |handled: &[Handled], node: usize| handled.get(node).copied().unwrap_or(Handled::Never);
        let (then, now) = (of(&self.nodes_before.handled, i), of(&self.nodes_after.handled, j));
        let key = self.key(j);
        let (kind, message) = match (then, now) {
            (Handled::Never, Handled::Sometimes) => {
                (ChangeKind::FailureHandled, format!("some failures of {key} are taken up now"))
            }
            (Handled::Sometimes, Handled::Always) => {
                (ChangeKind::FailureHandled, format!("every failure of {key} is taken up now, not only some"))
            }
            (Handled::Never, Handled::Always) => {
                (ChangeKind::FailureHandled, format!("every failure of {key} is taken up now"))
            }
            (Handled::Always, Handled::Sometimes) => (
                ChangeKind::FailureUnhandled,
                format!(
                    "only some failures of {key} are taken up now; others fail {}",
                    self.describe_failure()
                ),
            ),
            (_, Handled::Never) if then != now => (
                ChangeKind::FailureUnhandled,
                format!("a failure of {key} is not taken up any more: it fails {}", self.describe_failure()),
            ),
            _ => return,
        };
        self.add_change(kind, (Some(i), Some(j)), message);
    }

    fn describe_failure(&self) -> String {
        if self.new.scope.is_empty() { "the run".to_owned() } else { name(&self.new.scope) }
    }
}

fn flag(flags: &[bool], place: usize) -> bool {
    flags.get(place) == Some(&true)
}

/// The nodes of each loop, in the order of the text.
fn members(loops: &[Option<usize>]) -> Vec<Vec<usize>> {
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (node, number) in loops.iter().enumerate() {
        if let Some(number) = number {
            found.entry(*number).or_default().push(node);
        }
    }
    let mut found: Vec<Vec<usize>> = found.into_values().list();
    found.sort_unstable();
    found
}
