//! What runs may do now that they could not before, and the other way round.
//!
//! Decides what is told: tools first, those that may destroy something before all others; then, from the plan's own graph inwards, nodes
//! that can be reached, nodes that completed runs must come to, ends, loops, and failures that are taken up. All that is told is so for
//! every host that takes the plan as it stands.

use super::calls;
use super::pairs::{GraphPair, Side, Who};
use super::words::{name, names};
use super::{Change, ChangeKind};
use std::collections::BTreeMap;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::graph::control_flow::{FailureHandling, GraphSummary, summarize};
use stepgraph_core::graph::{Graph, Node};
use stepgraph_core::list::List;
use stepgraph_core::node::{self, Action};

/// How many ways past nodes are looked for; each takes time like the graph.
const MOST_WAYS: usize = 16;

/// Compares what runs may do.
pub(super) fn compare(who: &Who<'_>, capabilities: &Capabilities, changes: &mut Vec<Change>) {
    let [old, new] = &who.scopes;
    let (before, after) = (summarize(old), summarize(new));
    calls::compare(who, [&before, &after], capabilities, changes);
    let mut ways = MOST_WAYS;
    for pair in &who.pairs {
        let routes = (
            before.get(pair.before).and_then(Option::as_ref),
            after.get(pair.after).and_then(Option::as_ref),
        );
        let graphs = (who.graph(Side::Before, pair.before), who.graph(Side::After, pair.after));
        if let ((Some(then), Some(now)), (Some(old), Some(new))) = (routes, graphs) {
            Comparer { pair, then, now, old, new, capabilities, changes, ways: &mut ways }.all();
        }
    }
}

/// One graph on both sides.
struct Comparer<'p, 'c, 'a> {
    pair: &'p GraphPair,
    then: &'p GraphSummary<'a>,
    now: &'p GraphSummary<'a>,
    old: &'a Graph,
    new: &'a Graph,
    capabilities: &'p Capabilities,
    changes: &'c mut Vec<Change>,
    ways: &'c mut usize,
}

impl Comparer<'_, '_, '_> {
    fn all(&mut self) {
        for (j, i) in self.pair.nodes.before.iter().enumerate() {
            if let Some(i) = i {
                self.reached(*i, j);
            }
        }
        if self.then.can_complete() && self.now.can_complete() {
            for (j, i) in self.pair.nodes.before.iter().enumerate() {
                if let Some(i) = i {
                    self.passed(*i, j);
                }
            }
        }
        self.unguarded();
        self.ends();
        self.loops();
        for (j, i) in self.pair.nodes.before.iter().enumerate() {
            if let Some(i) = i {
                self.failures(*i, j);
            }
        }
    }

    /// The graph in words, when it is not the plan's own.
    fn whole(&self) -> String {
        if self.new.scope.is_empty() { String::new() } else { format!(" of {}", name(&self.new.scope)) }
    }

    fn tell(&mut self, kind: ChangeKind, (i, j): (Option<usize>, Option<usize>), message: String) {
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

    fn reached(&mut self, i: usize, j: usize) {
        let key = self.key(j);
        match (flag(&self.then.reachable, i), flag(&self.now.reachable, j)) {
            (false, true) => {
                self.tell(ChangeKind::NodeReached, (Some(i), Some(j)), format!("runs may come to {key} now"));
            }
            (true, false) => self.tell(
                ChangeKind::NodeUnreached,
                (Some(i), Some(j)),
                format!("no run comes to {key} any more"),
            ),
            _ => {}
        }
    }

    fn passed(&mut self, i: usize, j: usize) {
        if !flag(&self.then.reachable, i) || !flag(&self.now.reachable, j) {
            return;
        }
        let (key, whole) = (self.key(j), self.whole());
        match (flag(&self.then.always_reached, i), flag(&self.now.always_reached, j)) {
            (true, false) => {
                let way = if *self.ways > 0 { self.now.path_avoiding(j, None) } else { None };
                *self.ways = self.ways.saturating_sub(1);
                let way = way.map_or_else(String::new, |way| format!(": {}", self.shown(&way)));
                let message = format!("a run{whole} may complete without {key} now{way}");
                self.tell(ChangeKind::NodeMissed, (Some(i), Some(j)), message);
            }
            (false, true) => {
                let message = format!("every run{whole} that completes comes to {key} now");
                self.tell(ChangeKind::NodeAlways, (Some(i), Some(j)), message);
            }
            _ => {}
        }
    }

    /// Nodes that act, to which runs came only after a person had been asked.
    fn unguarded(&mut self) {
        let is = |graph: &Graph, at: usize, wanted: fn(&Action) -> bool| {
            let node = graph.nodes.get(at);
            let action = node.and_then(|node| node::action(node, &graph.node_path(node), self.capabilities));
            action.is_some_and(|action| wanted(&action))
        };
        let asks = |action: &Action| matches!(action, Action::Approve);
        let acts = |action: &Action| !matches!(action, Action::Approve | Action::Pass | Action::Log);
        let pairs: Vec<(usize, usize)> =
            (self.pair.nodes.before.iter().enumerate()).filter_map(|(j, i)| Some(((*i)?, j))).list();
        let guards = pairs.iter().filter(|(i, j)| is(self.old, *i, asks) && is(self.new, *j, asks));
        let guards: Vec<(usize, usize)> = guards.copied().list();
        let mut found = Vec::new();
        for (guard_i, guard_j) in guards {
            for (i, j) in pairs.iter().copied().filter(|(_, j)| *j != guard_j) {
                let lost = self.then.always_passes(guard_i, i)
                    && flag(&self.now.reachable, j)
                    && !self.now.always_passes(guard_j, j);
                if lost && is(self.new, j, acts) {
                    found.push((guard_j, i, j));
                }
            }
        }
        for (guard, i, j) in found {
            let way = if *self.ways > 0 { self.now.path_avoiding(guard, Some(j)) } else { None };
            *self.ways = self.ways.saturating_sub(1);
            let way = way.map_or_else(String::new, |way| format!(": {}", self.shown(&way)));
            let message = format!("a run may come to {} without {} now{way}", self.key(j), self.key(guard));
            self.tell(ChangeKind::NodeUnguarded, (Some(i), Some(j)), message);
        }
    }

    /// A way, long ones without their middle.
    fn shown(&self, way: &[usize]) -> String {
        let keys: Vec<String> = way.iter().map(|node| self.key(*node)).list();
        match keys.as_slice() {
            [first, second, third, .., last] if keys.len() > 6 => {
                format!("{first} → {second} → {third} → … → {last}")
            }
            all => all.join(" → "),
        }
    }

    fn ends(&mut self) {
        let whole = self.whole();
        for (j, now) in self.now.ends.iter().enumerate() {
            let i = self.pair.nodes.before.get(j).copied().flatten();
            let then = i.is_some_and(|i| flag(&self.then.ends, i));
            // Where no run could come to it, that was told.
            let known = i.is_none_or(|i| flag(&self.then.reachable, i));
            if *now && !then && known {
                let how = match self.new.outgoing.get(j).map(Vec::len) {
                    Some(0) | None => "",
                    Some(_) => ", where no edge may be taken",
                };
                let message = format!("runs{whole} may complete at {} now{how}", self.key(j));
                self.tell(ChangeKind::EndAdded, (i, Some(j)), message);
            }
        }
        for (i, then) in self.then.ends.iter().enumerate() {
            let j = self.pair.nodes.after.get(i).copied().flatten();
            let now = j.is_some_and(|j| flag(&self.now.ends, j));
            let known = j.is_none_or(|j| flag(&self.now.reachable, j));
            if *then && !now && known {
                let key = self.old.nodes.get(i).map_or("", |node| &node.key);
                let key = j.map_or_else(|| name(key), |j| self.key(j));
                self.tell(
                    ChangeKind::EndRemoved,
                    (Some(i), j),
                    format!("no run{whole} completes at {key} any more"),
                );
            }
        }
    }

    fn loops(&mut self) {
        let in_loop = |loops: &[Option<usize>], node: Option<usize>| {
            node.is_some_and(|node| loops.get(node).copied().flatten().is_some())
        };
        for members in members(&self.now.loops) {
            let was = |j: &usize| self.pair.nodes.before.get(*j).copied().flatten();
            let fresh: Vec<usize> =
                members.iter().copied().filter(|j| !in_loop(&self.then.loops, was(j))).list();
            let (Some(first), false) = (members.first().copied(), fresh.is_empty()) else { continue };
            let known = fresh.iter().copied().filter(|j| was(j).is_some()).list();
            let i = was(&first);
            if fresh.len() == members.len() {
                let message = match members.as_slice() {
                    [only] => format!("a run may come back to {} from itself now", self.key(*only)),
                    all => format!("a run may go round {} again and again now", self.listed(all)),
                };
                self.tell(ChangeKind::LoopAdded, (i, Some(first)), message);
            } else if let Some(node) = known.first().copied() {
                let message = format!("a run may come to {} more than once now", self.listed(&known));
                self.tell(ChangeKind::LoopGrown, (was(&node), Some(node)), message);
            }
        }
        for members in members(&self.then.loops) {
            let is = |i: &usize| self.pair.nodes.after.get(*i).copied().flatten();
            if members.iter().any(|i| in_loop(&self.now.loops, is(i))) {
                continue;
            }
            let Some(first) = members.first() else { continue };
            let keys =
                members.iter().filter_map(|i| self.old.nodes.get(*i)).map(|node| node.key.as_str()).list();
            let message = format!("no run goes round {} any more", names(&keys));
            self.tell(ChangeKind::LoopRemoved, (Some(*first), is(first)), message);
        }
    }

    fn listed(&self, nodes: &[usize]) -> String {
        names(&nodes.iter().filter_map(|node| self.new.nodes.get(*node)).map(|node| node.key.as_str()).list())
    }

    fn failures(&mut self, i: usize, j: usize) {
        if !flag(&self.then.reachable, i) || !flag(&self.now.reachable, j) {
            return;
        }
        let acts = |graph: &Graph, node: Option<&Node>| {
            node.and_then(|node| node::action(node, &graph.node_path(node), self.capabilities))
        };
        let fails = |action: Option<Action>| action.is_none_or(|action| !matches!(action, Action::Pass));
        // What can't fail has no failure that could be taken up.
        if !fails(acts(self.old, self.old.nodes.get(i))) || !fails(acts(self.new, self.new.nodes.get(j))) {
            return;
        }
        let of = |handled: &[FailureHandling], node: usize| {
            handled.get(node).copied().unwrap_or(FailureHandling::Never)
        };
        let (then, now) = (of(&self.then.failure_handling, i), of(&self.now.failure_handling, j));
        let key = self.key(j);
        let (kind, message) = match (then, now) {
            (FailureHandling::Never, FailureHandling::Sometimes) => {
                (ChangeKind::FailureHandled, format!("some failures of {key} are taken up now"))
            }
            (FailureHandling::Sometimes, FailureHandling::Always) => {
                (ChangeKind::FailureHandled, format!("every failure of {key} is taken up now, not only some"))
            }
            (FailureHandling::Never, FailureHandling::Always) => {
                (ChangeKind::FailureHandled, format!("every failure of {key} is taken up now"))
            }
            (FailureHandling::Always, FailureHandling::Sometimes) => (
                ChangeKind::FailureUnhandled,
                format!("only some failures of {key} are taken up now; others fail {}", self.fails()),
            ),
            (_, FailureHandling::Never) if then != now => (
                ChangeKind::FailureUnhandled,
                format!("a failure of {key} is not taken up any more: it fails {}", self.fails()),
            ),
            _ => return,
        };
        self.tell(kind, (Some(i), Some(j)), message);
    }

    fn fails(&self) -> String {
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
