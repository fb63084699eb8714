//! Control-flow analysis: reachable nodes, and the values available in them.
//!
//! Any node may complete or fail, and a condition may hold unless ruled out. Nearly linear, not recursive.
//!
//! Invariant: Reports hold for every host that writes no output under a node's name.

mod availability;
mod broken_edges;
mod condition_logic;
mod dead_edges;
mod dominators;
mod edge_feasibility;
mod graph_summary;
mod index_vec;
mod loops;

use super::scope::{Scope, Scopes};
use super::{Edge, Graph};
use availability::{AvailabilityAnalysis, NameQuery, Point, WORK_BUDGET, done, entry};
use condition_logic::FailureFact;
use edge_feasibility::EdgeFeasibility;
use loops::FeasibleGraph;
use stepgraph_expression::Condition;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{DiagnosticCollector, Label, shorten_name};

pub use graph_summary::{FailureHandling, GraphSummary, summarize};

/// Whether the condition can hold only after a failure.
pub fn is_failure_condition(condition: &Condition) -> bool {
    condition.references_error()
        && condition_logic::static_value(condition, FailureFact::Absent) == Some(false)
}

/// Whether the condition holds neither before nor after a failure. Its edge has a warning, unless no run reaches it.
pub fn never_holds(condition: &Condition) -> bool {
    condition_logic::static_value(condition, FailureFact::Unknown) == Some(false)
}

#[derive(Debug)]
pub(super) struct FlowAnalysis<'s, 'a> {
    pub(super) scopes: &'s Scopes<'a>,
    /// Per scope, `None` with broken edges.
    facts: Vec<Option<GraphFacts>>,
    work_budget: usize,
}

#[derive(Debug)]
struct GraphFacts {
    start: usize,
    outside: FailureFact,
    ways: Vec<EdgeFeasibility>,
    reachable: Vec<bool>,
    failures: Vec<FailureFact>,
    /// Computed on first use.
    availability: Option<AvailabilityAnalysis>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Availability {
    Always,
    /// One path without the value, if known.
    Sometimes(Option<Label>),
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgramPoint {
    Entry(usize),
    Exit(usize),
}

impl ProgramPoint {
    fn point(self) -> Point {
        match self {
            Self::Entry(node) => entry(node),
            Self::Exit(node) => done(node),
        }
    }

    fn node(self) -> usize {
        match self {
            Self::Entry(node) | Self::Exit(node) => node,
        }
    }
}

impl<'s, 'a> FlowAnalysis<'s, 'a> {
    pub(super) fn new(scopes: &'s Scopes<'a>, diagnostics: &mut DiagnosticCollector) -> Self {
        let mut analysis = Self { scopes, facts: Vec::new(), work_budget: WORK_BUDGET };
        for scope in &scopes.list {
            let facts = analysis.analyze(scope, diagnostics);
            analysis.facts.push(facts);
        }
        analysis
    }

    fn analyze(&self, scope: &Scope<'a>, diagnostics: &mut DiagnosticCollector) -> Option<GraphFacts> {
        let graph = scope.graph;
        let start = graph.start?;
        let outer = scope.owner.and_then(|(outer, node)| Some((self.facts.get(outer)?.as_ref(), node)));
        let outside = match outer {
            None => FailureFact::Absent,
            Some((None, _)) => FailureFact::Unknown,
            Some((Some(outer), node)) => outer.failures.get(node).copied().unwrap_or(FailureFact::Unknown),
        };
        let feasibility = edge_feasibility::edge_feasibility(graph, outside);
        let feasible = FeasibleGraph { graph, ways: &feasibility };
        let all_edges = FeasibleGraph { graph, ways: &[] };
        if !graph.has_all_edges {
            let reached = broken_edges::reachable_nodes(all_edges, start)?;
            loops::report_unreachable(graph, &reached, diagnostics);
            return None;
        }
        let mut reachable = loops::reachable_from(feasible, &[start]);
        dead_edges::check(feasible, &reachable, diagnostics);
        loops::report_unreachable(graph, &loops::reachable_from(all_edges, &[start]), diagnostics);
        loops::report_endless(feasible, start, diagnostics);
        let failures = failure_facts(feasible, start, &reachable, outside);
        if let Some((Some(outer), node)) = outer
            && outer.reachable.get(node) == Some(&false)
        {
            reachable.fill(false);
        }
        Some(GraphFacts { start, outside, ways: feasibility, reachable, failures, availability: None })
    }

    /// The points at which an edge is evaluated. Empty if not analyzed.
    pub(super) fn evaluation_points(&self, scope: usize, edge: &Edge) -> Vec<ProgramPoint> {
        let facts = self.facts.get(scope).and_then(Option::as_ref);
        let facts = facts.filter(|facts| facts.reachable.get(edge.source) == Some(&true));
        let feasibility = facts.and_then(|facts| facts.ways.get(edge.index)).copied().unwrap_or_default();
        let both = [
            (feasibility.after_success, ProgramPoint::Exit(edge.source)),
            (feasibility.after_failure, ProgramPoint::Entry(edge.source)),
        ];
        both.into_iter().filter_map(|(open, at)| open.then_some(at)).collect_vec()
    }

    /// Each name is a node visible from the scope.
    pub(super) fn output_availability(
        &mut self,
        scope: usize,
        at: ProgramPoint,
        names: &[&'a str],
    ) -> Availability {
        let scopes = self.scopes;
        let (Some(place), Some(Some(facts))) = (scopes.list.get(scope), self.facts.get_mut(scope)) else {
            return Availability::Always;
        };
        if facts.reachable.get(at.node()) != Some(&true) {
            return Availability::Always;
        }
        let wanted: Vec<NameQuery<'a>> =
            names.iter().map(|name| (*name, scopes.own_producer(scope, name))).collect_vec();
        let GraphFacts { start, ways, availability, .. } = facts;
        let presence =
            availability.get_or_insert_with(|| AvailabilityAnalysis::new(place.graph, *start, ways));
        let work_budget = &mut self.work_budget;
        if presence.is_always_available(&wanted, at.point(), work_budget) {
            return Availability::Always;
        }
        let mut ever = |(_, node): &NameQuery<'a>| {
            node.is_some_and(|node| presence.can_have_completed(node, at.point(), work_budget))
        };
        let ever = wanted.iter().any(&mut ever);
        let own = wanted.iter().any(|(_, node)| node.is_some());
        let missed = ever.then(|| presence.missing_edge(&wanted, at.node(), work_budget));
        let label = missed.map(|edge| missing_label(place.graph, at.node(), edge));
        let outer: Vec<&str> =
            wanted.iter().filter(|(_, node)| node.is_none()).map(|(name, _)| *name).collect_vec();
        let around = match place.owner {
            Some((scope, node)) if !outer.is_empty() => {
                self.output_availability(scope, ProgramPoint::Entry(node), &outer)
            }
            _ => Availability::Never,
        };
        match around {
            Availability::Never if !ever => Availability::Never,
            Availability::Sometimes(around) if !own => Availability::Sometimes(around),
            Availability::Always => Availability::Always,
            _ => Availability::Sometimes(label),
        }
    }

    pub(super) fn failure_availability(&mut self, scope: usize, node: usize) -> Availability {
        let (Some(place), Some(Some(facts))) = (self.scopes.list.get(scope), self.facts.get(scope)) else {
            return Availability::Always;
        };
        match facts.failures.get(node) {
            Some(FailureFact::Absent) if facts.reachable.get(node) == Some(&true) => Availability::Never,
            Some(FailureFact::Unknown) if self.work_budget > place.graph.edges.len() => {
                self.work_budget -= place.graph.edges.len();
                let comes = |edge: &&Edge| {
                    edge.target == node
                        && facts.ways.get(edge.index).is_some_and(|feasibility| feasibility.after_success)
                };
                let edge = place.graph.edges.iter().find(comes).map(|edge| edge.index);
                Availability::Sometimes(Some(missing_label(place.graph, node, edge)))
            }
            _ => Availability::Always,
        }
    }
}

fn missing_label(graph: &Graph, node: usize, edge: Option<usize>) -> Label {
    match edge.and_then(|edge| graph.edges.get(edge)) {
        Some(edge) => Label {
            span: edge.from.span,
            message: format!("a run comes from `{}` without it", shorten_name(&edge.from.name)),
        },
        None => Label {
            span: graph.nodes.get(node).map(|node| node.key_span).unwrap_or_default(),
            message: "the run begins here, without it".to_owned(),
        },
    }
}

fn failure_facts(
    feasible: FeasibleGraph<'_>,
    start: usize,
    reached: &[bool],
    outside: FailureFact,
) -> Vec<FailureFact> {
    // Entered after a success, after a failure.
    let mut comes = vec![(false, false); feasible.graph.nodes.len()];
    if let Some(first) = comes.get_mut(start) {
        first.0 = true;
    }
    for (edge, feasibility) in feasible.graph.edges.iter().zip(feasible.ways) {
        if let (Some(true), Some(comes)) = (reached.get(edge.source), comes.get_mut(edge.target)) {
            // A failure condition in a failure handler proves the failure.
            let proved = feasibility.after_success && is_failure_condition(&edge.condition);
            *comes = (
                comes.0 || (feasibility.after_success && !proved),
                comes.1 || feasibility.after_failure || proved,
            );
        }
    }
    let failure = |comes: (bool, bool)| match (comes, outside) {
        ((_, false), outside) => outside,
        ((false, true), _) | (_, FailureFact::Present) => FailureFact::Present,
        _ => FailureFact::Unknown,
    };
    comes.into_iter().map(failure).collect_vec()
}
