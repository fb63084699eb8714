//! Where runs can go, and what is there when they come.
//!
//! Decides what is sound about a plan whoever handles its nodes: any node may complete or fail, and any condition may hold
//! that nothing rules out. Linear in nodes and edges, or all but, and without recursion over them.
//!
//! Invariants: what is reported is true for every host that gives no output under the name of a node.

mod broken;
mod dead;
mod dominance;
mod loops;
mod presence;
mod routes;
mod table;
mod truth;
mod ways;

use super::scope::{Scope, Scopes};
use super::{Edge, Graph};
use loops::Open;
use presence::{PATIENCE, Point, Presence, Wanted, done, entry};
use stepgraph_text::diagnostic::{Label, Problems, brief};
use stepgraph_text::expr::Condition;
use stepgraph_text::list::List;
use truth::Failure;
use ways::Way;

pub use routes::{Handled, Route, routes};

/// Whether a condition can hold only after a failure.
pub fn waits_for_failure(condition: &Condition) -> bool {
    condition.mentions_error() && truth::truth(condition, Failure::None) == Some(false)
}

/// What is known of the paths through a plan.
#[derive(Debug)]
pub(super) struct Flow<'s, 'a> {
    pub(super) scopes: &'s Scopes<'a>,
    /// By scope; nothing of those that could not be read wholly.
    known: Vec<Option<Known>>,
    patience: usize,
}

/// What is known of the paths through one graph.
#[derive(Debug)]
struct Known {
    start: usize,
    /// What is known of a failure around the graph.
    outside: Failure,
    ways: Vec<Way>,
    /// Whether any run comes to each node.
    reached: Vec<bool>,
    /// Whether there is a failure at hand when a run comes to each node.
    failures: Vec<Failure>,
    /// Worked out when it is first asked for.
    presence: Option<Presence>,
}

/// Whether a value is there when a run comes to a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// On every path, as far as can be told.
    There,
    /// Not on all paths; one of those, if it is known.
    Missed(Option<Label>),
    /// On no path.
    Never,
}

/// Where in a node a value is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// When a run comes to it.
    Entry(usize),
    /// When it has completed.
    Done(usize),
}

impl At {
    fn point(self) -> Point {
        match self {
            Self::Entry(node) => entry(node),
            Self::Done(node) => done(node),
        }
    }

    fn node(self) -> usize {
        match self {
            Self::Entry(node) | Self::Done(node) => node,
        }
    }
}

impl<'s, 'a> Flow<'s, 'a> {
    /// Finds out what can be known of the paths, and reports what is wrong with the graphs as such.
    pub(super) fn of(scopes: &'s Scopes<'a>, problems: &mut Problems) -> Self {
        let mut flow = Self { scopes, known: Vec::new(), patience: PATIENCE };
        for scope in &scopes.list {
            let known = flow.learn(scope, problems);
            flow.known.push(known);
        }
        flow
    }

    /// Finds out what can be known of a graph, and reports what is wrong with it as such.
    fn learn(&self, scope: &Scope<'a>, problems: &mut Problems) -> Option<Known> {
        let graph = scope.graph;
        let start = graph.start?;
        let outer = scope.owner.and_then(|(outer, node)| Some((self.known.get(outer)?.as_ref(), node)));
        let outside = match outer {
            None => Failure::None,
            Some((None, _)) => Failure::Unknown,
            Some((Some(outer), node)) => outer.failures.get(node).copied().unwrap_or(Failure::Unknown),
        };
        let ways = ways::ways(graph, outside);
        let open = Open { graph, ways: &ways };
        if !graph.whole {
            let reached = broken::reached(open, start)?;
            loops::unreachable(graph, &reached, problems);
            return None;
        }
        let mut reached = loops::reach(open, &[start]);
        dead::check(open, &reached, problems);
        loops::unreachable(graph, &reached, problems);
        loops::endless(open, start, problems);
        let failures = failures(open, start, &reached, outside);
        if let Some((Some(outer), node)) = outer
            && outer.reached.get(node) == Some(&false)
        {
            reached.fill(false);
        }
        Some(Known { start, outside, ways, reached, failures, presence: None })
    }

    /// Where runs are when an edge is taken; nowhere if it is not judged.
    pub(super) fn looks(&self, scope: usize, edge: &Edge) -> Vec<At> {
        let known = self.known.get(scope).and_then(Option::as_ref);
        let known = known.filter(|known| known.reached.get(edge.source) == Some(&true));
        let way = known.and_then(|known| known.ways.get(edge.index)).copied().unwrap_or_default();
        let both = [(way.done, At::Done(edge.source)), (way.failed, At::Entry(edge.source))];
        both.into_iter().filter_map(|(open, at)| open.then_some(at)).list()
    }

    /// Whether one of these outputs is there; each is the name of a node that is seen from the scope.
    pub(super) fn outputs(&mut self, scope: usize, at: At, names: &[&'a str]) -> Verdict {
        let scopes = self.scopes;
        let (Some(place), Some(Some(known))) = (scopes.list.get(scope), self.known.get_mut(scope)) else {
            return Verdict::There;
        };
        if known.reached.get(at.node()) != Some(&true) {
            return Verdict::There;
        }
        let wanted: Vec<Wanted<'a>> = names.iter().map(|name| (*name, scopes.own(scope, name))).list();
        let Known { start, ways, presence, .. } = known;
        let presence = presence.get_or_insert_with(|| Presence::new(place.graph, *start, ways));
        let patience = &mut self.patience;
        if presence.always(&wanted, at.point(), patience) {
            return Verdict::There;
        }
        let mut ever =
            |(_, node): &Wanted<'a>| node.is_some_and(|node| presence.ever(node, at.point(), patience));
        let ever = wanted.iter().any(&mut ever);
        let own = wanted.iter().any(|(_, node)| node.is_some());
        let missed = ever.then(|| presence.missed_by(&wanted, at.node(), patience));
        let label = missed.map(|edge| label(place.graph, at.node(), edge));
        let outer: Vec<&str> = wanted.iter().filter(|(_, node)| node.is_none()).map(|(name, _)| *name).list();
        let around = match place.owner {
            Some((scope, node)) if !outer.is_empty() => self.outputs(scope, At::Entry(node), &outer),
            _ => Verdict::Never,
        };
        match around {
            Verdict::Never if !ever => Verdict::Never,
            Verdict::Missed(around) if !own => Verdict::Missed(around),
            Verdict::There => Verdict::There,
            _ => Verdict::Missed(label),
        }
    }

    /// Whether there is a failure at hand when a run comes to a node.
    pub(super) fn failure(&mut self, scope: usize, node: usize) -> Verdict {
        let (Some(place), Some(Some(known))) = (self.scopes.list.get(scope), self.known.get(scope)) else {
            return Verdict::There;
        };
        match known.failures.get(node) {
            Some(Failure::None) if known.reached.get(node) == Some(&true) => Verdict::Never,
            Some(Failure::Unknown) if self.patience > place.graph.edges.len() => {
                self.patience -= place.graph.edges.len();
                let comes = |edge: &&Edge| {
                    edge.target == node && known.ways.get(edge.index).is_some_and(|way| way.done)
                };
                let edge = place.graph.edges.iter().find(comes).map(|edge| edge.index);
                Verdict::Missed(Some(label(place.graph, node, edge)))
            }
            _ => Verdict::There,
        }
    }
}

/// Says by which way a value is missed.
fn label(graph: &Graph, node: usize, edge: Option<usize>) -> Label {
    match edge.and_then(|edge| graph.edges.get(edge)) {
        Some(edge) => Label {
            span: edge.from.span,
            message: format!("from `{}` the run comes without it", brief(&edge.from.name)),
        },
        None => Label {
            span: graph.nodes.get(node).map(|node| node.key_span).unwrap_or_default(),
            message: "the run begins here, without it".to_owned(),
        },
    }
}

/// Whether there is a failure at hand when a run comes to each node.
fn failures(open: Open<'_>, start: usize, reached: &[bool], outside: Failure) -> Vec<Failure> {
    // Whether a run comes to it after something completed, and after something failed.
    let mut comes = vec![(false, false); open.graph.nodes.len()];
    if let Some(first) = comes.get_mut(start) {
        first.0 = true;
    }
    for (edge, way) in open.graph.edges.iter().zip(open.ways) {
        if let (Some(true), Some(comes)) = (reached.get(edge.source), comes.get_mut(edge.target)) {
            // Inside a node that handles a failure, a condition that only a failure satisfies proves that there is one.
            let proved = way.done && waits_for_failure(&edge.condition);
            *comes = (comes.0 || (way.done && !proved), comes.1 || way.failed || proved);
        }
    }
    let failure = |comes: (bool, bool)| match (comes, outside) {
        ((_, false), outside) => outside,
        ((false, true), _) | (_, Failure::Here) => Failure::Here,
        _ => Failure::Unknown,
    };
    comes.into_iter().map(failure).list()
}
