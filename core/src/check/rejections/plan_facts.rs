//! What a walk knows about the plan: actions, values of outputs, and how far it may still go.

use super::Place;
use super::same_calls::SameCalls;
use crate::capabilities::Capabilities;
use crate::graph::{Graph, PlanGraph};
use crate::kind::{CompositeKind, Join};
use crate::node::{APPROVED, Action, Composite, REJECTED, action};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;

/// Visits and edges in all, beyond which nothing more is reported.
const BUDGET: usize = 100_000;
/// Other approvals whose decisions count together. With more, nothing is known.
pub(super) const MAX_OTHERS: usize = 4;
/// Beyond it, values are unknown.
const MAX_VALUES: usize = 64;

/// What is known about `last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Last<'a> {
    /// The output of this node.
    Of(&'a str),
    /// Computed with the decision.
    Affected,
    /// Its number in [`PlanFacts::values`], and whether it is the followed decision.
    Known(usize, bool),
}

impl Last<'_> {
    pub(super) fn depends(self) -> bool {
        matches!(self, Self::Affected | Self::Known(_, true))
    }
}

/// Facts about all walks of a plan.
pub(super) struct PlanFacts<'a> {
    capabilities: &'a Capabilities,
    /// By scope and id.
    places: HashMap<(&'a str, &'a str), Place<'a>>,
    pub(super) same_calls: SameCalls<'a>,
    pub(super) values: Vec<(Json, bool)>,
    /// Approvals that a condition reads together with the followed one.
    pub(super) others: Vec<(&'a str, usize)>,
    /// What they decide, as bits.
    pub(super) approving: usize,
    /// What all other approvals decide.
    pub(super) rest_approves: bool,
    /// Visits and edges that are left.
    pub(super) budget: usize,
}

impl<'a> PlanFacts<'a> {
    pub(super) fn new(plan: &'a PlanGraph, capabilities: &'a Capabilities) -> Self {
        let ids = |graph: &'a Graph| {
            let nodes = graph.nodes.iter().enumerate();
            nodes.map(move |(at, node)| ((graph.scope.as_str(), node.id.as_str()), (graph, at)))
        };
        let places = plan.graphs().into_iter().flat_map(ids).collect();
        let values = [APPROVED, REJECTED].map(|word| (Json::from(word), true)).into();
        let (others, approving, rest_approves) = (Vec::new(), 0, true);
        let same_calls = SameCalls::new(plan);
        Self { capabilities, places, same_calls, values, others, approving, rest_approves, budget: BUDGET }
    }

    pub(super) fn action(&self, (graph, at): Place<'a>) -> Option<Action> {
        let node = graph.nodes.get(at)?;
        action(node, &graph.node_path(node), self.capabilities)
    }

    pub(super) fn is_approval(&self, places: &[Place<'a>]) -> bool {
        places.last().is_some_and(|place| self.action(*place) == Some(Action::Approve))
    }

    /// Of another approval.
    pub(super) fn other_decision(&self, (graph, at): Place<'a>) -> Last<'a> {
        let number = self.others.iter().position(|other| *other == (graph.scope.as_str(), at));
        let approves = number.map_or(self.rest_approves, |number| self.approving >> number & 1 == 1);
        Last::Known(usize::from(!approves), false)
    }

    pub(super) fn add_other(&mut self, (graph, at): Place<'a>) {
        let other = (graph.scope.as_str(), at);
        if !self.others.contains(&other) && self.others.len() <= MAX_OTHERS {
            self.others.push(other);
        }
    }

    /// `None` if it is used up.
    pub(super) fn spend(&mut self, steps: usize) -> Option<()> {
        let left = self.budget.checked_sub(steps);
        self.budget = left.unwrap_or(0);
        left.map(drop)
    }

    pub(super) fn value(&mut self, value: Json, is_whole: bool, is_own: bool) -> Last<'a> {
        let known = (value, is_whole);
        let at = self.values.iter().position(|other| *other == known).unwrap_or(self.values.len());
        if at >= MAX_VALUES {
            return Last::Affected;
        }
        if at == self.values.len() {
            self.values.push(known);
        }
        Last::Known(at, is_own)
    }

    /// The output of a composite whose graph `inner` ends with `last`.
    pub(super) fn output_of(&mut self, place: Place<'a>, inner: &Graph, last: Last<'a>) -> Last<'a> {
        let Last::Known(at, is_own) = last else { return last };
        let node = place.0.nodes.get(place.1);
        let branch = node
            .and_then(|node| node.nested.iter().find(|nested| std::ptr::eq(&raw const nested.graph, inner)));
        let known = self.values.get(at).cloned();
        let (Some(branch), Some((value, is_whole))) = (branch, known) else { return Last::Affected };
        let Some(Action::Composite(Composite { kind, join, .. })) = self.action(place) else {
            return Last::Affected;
        };
        let value = match (kind, join) {
            (CompositeKind::Graph, _) => return last,
            (_, Join::Any) => return Last::Affected,
            (_, Join::All) => value,
            (_, Join::Settled) => json!({ "status": "completed", "value": value }),
        };
        if !is_whole {
            return Last::Affected;
        }
        if kind == CompositeKind::Map {
            return self.value(json!([value]), true, is_own);
        }
        let mut outputs = Map::from_iter([(branch.name.clone(), value)]);
        for other in node.into_iter().flat_map(|node| &node.nested) {
            if std::ptr::eq(&raw const other.graph, inner) || !self.asks(&other.graph) {
                continue;
            }
            let decision = self.only_answer(&other.graph);
            let Some(decision) = decision.filter(|_| join == Join::All && self.others.len() <= MAX_OTHERS)
            else {
                return Last::Affected;
            };
            outputs.insert(other.name.clone(), decision);
        }
        self.value(Json::Object(outputs), false, is_own)
    }

    /// Also if the search has come to its limit.
    fn asks(&mut self, graph: &'a Graph) -> bool {
        self.spend(graph.nodes.len()).is_none()
            || graph.nodes.iter().enumerate().any(|(at, node)| {
                self.action((graph, at)) == Some(Action::Approve)
                    || node.nested.iter().any(|nested| self.asks(&nested.graph))
            })
    }

    /// The decision with which a graph of one node ends.
    fn only_answer(&mut self, graph: &'a Graph) -> Option<Json> {
        if graph.nodes.len() != 1 || self.action((graph, 0)) != Some(Action::Approve) {
            return None;
        }
        self.add_other((graph, 0));
        let Last::Known(at, _) = self.other_decision((graph, 0)) else { return None };
        self.values.get(at).map(|(decision, _)| decision.clone())
    }

    /// Finds a node's output by its id, in the graph or those around it.
    pub(super) fn named(&self, scope: &'a str, id: &str) -> Option<Place<'a>> {
        let ends = scope.rmatch_indices('/').map(|(at, _)| at);
        let mut scopes = std::iter::once(scope.len()).chain(ends).chain([0]).map(|end| scope.get(..end));
        scopes.find_map(|scope| self.places.get(&(scope?, id)).copied())
    }
}
