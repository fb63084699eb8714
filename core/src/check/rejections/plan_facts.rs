//! What a walk knows about the plan: actions, values of outputs, and how far it may still go.

use super::Place;
use crate::capabilities::Capabilities;
use crate::graph::{Graph, PlanGraph};
use crate::kind::{CompositeKind, Join};
use crate::node::{APPROVED, Action, Composite, REJECTED, action};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;

/// Visits in all, beyond which nothing is reported.
const BUDGET: usize = 200_000;
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

/// Facts about all walks of a plan.
pub(super) struct PlanFacts<'a> {
    capabilities: &'a Capabilities,
    /// By scope and id.
    places: HashMap<(&'a str, &'a str), Place<'a>>,
    pub(super) values: Vec<(Json, bool)>,
    /// Visits that are left.
    pub(super) budget: usize,
}

impl<'a> PlanFacts<'a> {
    pub(super) fn new(plan: &'a PlanGraph, capabilities: &'a Capabilities) -> Self {
        let ids = |graph: &'a Graph| {
            let nodes = graph.nodes.iter().enumerate();
            nodes.map(move |(at, node)| ((graph.scope.as_str(), node.id.as_str()), (graph, at)))
        };
        let places = plan.graphs().into_iter().flat_map(ids).collect();
        Self { capabilities, places, values: Vec::new(), budget: BUDGET }
    }

    pub(super) fn action(&self, (graph, at): Place<'a>) -> Option<Action> {
        let node = graph.nodes.get(at)?;
        action(node, &graph.node_path(node), self.capabilities)
    }

    pub(super) fn is_approval(&self, places: &[Place<'a>]) -> bool {
        places.last().is_some_and(|place| self.action(*place) == Some(Action::Approve))
    }

    pub(super) fn decision(&mut self, approves: bool, is_own: bool) -> Last<'a> {
        self.value(Json::from(if approves { APPROVED } else { REJECTED }), true, is_own)
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
    pub(super) fn output_of(
        &mut self,
        place: Place<'a>,
        inner: &Graph,
        last: Last<'a>,
        others: Last<'a>,
    ) -> Last<'a> {
        let Last::Known(at, is_own) = last else { return last };
        let node = place.0.nodes.get(place.1);
        let branch = node
            .and_then(|node| node.nested.iter().find(|nested| std::ptr::eq(&raw const nested.graph, inner)));
        let known = self.values.get(at).cloned();
        let (Some(branch), Some((value, is_whole))) = (branch, known) else { return Last::Affected };
        match self.action(place) {
            Some(Action::Composite(Composite { kind: CompositeKind::Graph, .. })) => last,
            Some(Action::Composite(Composite { kind, join: Join::All, .. })) if is_whole => {
                if kind == CompositeKind::Map {
                    return self.value(json!([value]), true, is_own);
                }
                let mut outputs = Map::from_iter([(branch.name.clone(), value)]);
                for other in place.0.nodes.get(place.1).into_iter().flat_map(|node| &node.nested) {
                    if !std::ptr::eq(&raw const other.graph, inner) && self.asks(&other.graph) {
                        let Some(decision) = self.only_answer(&other.graph, others) else {
                            return Last::Affected;
                        };
                        outputs.insert(other.name.clone(), decision);
                    }
                }
                self.value(Json::Object(outputs), false, is_own)
            }
            _ => Last::Affected,
        }
    }

    /// Also if the search has come to its limit.
    fn asks(&mut self, graph: &'a Graph) -> bool {
        let Some(budget) = self.budget.checked_sub(graph.nodes.len()) else { return true };
        self.budget = budget;
        graph.nodes.iter().enumerate().any(|(at, node)| {
            self.action((graph, at)) == Some(Action::Approve)
                || node.nested.iter().any(|nested| self.asks(&nested.graph))
        })
    }

    /// The decision with which a graph of one node ends.
    fn only_answer(&self, graph: &'a Graph, others: Last<'a>) -> Option<Json> {
        let is_alone = graph.nodes.len() == 1 && self.action((graph, 0)) == Some(Action::Approve);
        let Last::Known(at, _) = others else { return None };
        self.values.get(at).filter(|_| is_alone).map(|(decision, _)| decision.clone())
    }

    /// Finds a node's output by its id, in the graph or those around it.
    pub(super) fn named(&self, scope: &'a str, id: &str) -> Option<Place<'a>> {
        let ends = scope.rmatch_indices('/').map(|(at, _)| at);
        let mut scopes = std::iter::once(scope.len()).chain(ends).chain([0]).map(|end| scope.get(..end));
        scopes.find_map(|scope| self.places.get(&(scope?, id)).copied())
    }
}
