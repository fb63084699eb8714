//! Compares the edges that leave a node.
//!
//! Edges match by target and condition, then by target, then by condition. Fallbacks always come last, so
//! their order is separate.

use super::canonical::{CanonicalNames, printed_condition};
use super::describe::{condition_clause, name, names};
use super::plan_matching::{PlanMatching, Side};
use super::{Change, ChangeKind};
use serde_json::{Value as Json, json};
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::expression::Condition;
use stepgraph_core::graph::{Edge, Graph};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::compare) struct EdgeSignature<T> {
    pub(in crate::compare) target: T,
    pub(in crate::compare) condition: String,
}

/// In the new order, removed edges last.
pub(in crate::compare) fn match_edges<T: Eq + Hash + Clone>(
    before: &[EdgeSignature<T>],
    after: &[EdgeSignature<T>],
) -> Vec<(Option<usize>, Option<usize>)> {
    let mut taken = vec![false; before.len()];
    let mut found: Vec<Option<usize>> = vec![None; after.len()];
    match_by_key(before, after, &mut taken, &mut found, Clone::clone);
    match_by_key(before, after, &mut taken, &mut found, |signature| signature.target.clone());
    match_by_key(before, after, &mut taken, &mut found, |signature| signature.condition.clone());
    let gone = taken.iter().enumerate().filter(|(_, taken)| !**taken).map(|(i, _)| (Some(i), None));
    found.iter().enumerate().map(|(j, i)| (*i, Some(j))).chain(gone).collect_vec()
}

fn match_by_key<T, K: Eq + Hash>(
    before: &[EdgeSignature<T>],
    after: &[EdgeSignature<T>],
    taken: &mut [bool],
    found: &mut [Option<usize>],
    key: impl Fn(&EdgeSignature<T>) -> K,
) {
    let mut open: HashMap<K, VecDeque<usize>> = HashMap::new();
    for (i, signature) in before.iter().enumerate() {
        if taken.get(i) == Some(&false) {
            open.entry(key(signature)).or_default().push_back(i);
        }
    }
    for (place, signature) in found.iter_mut().zip(after).filter(|(place, _)| place.is_none()) {
        if let Some(i) = open.get_mut(&key(signature)).and_then(VecDeque::pop_front) {
            *place = Some(i);
            taken.get_mut(i).into_iter().for_each(|taken| *taken = true);
        }
    }
}

type NodeChange = ((usize, usize), Change);

pub(super) fn compare(
    matching: &PlanMatching<'_>,
    before: (usize, &Graph),
    after: (usize, &Graph),
) -> Vec<NodeChange> {
    let comparer = EdgeComparer { matching, before, after };
    let mut found = Vec::new();
    for node in 0..after.1.nodes.len() {
        let was = matching.counterpart_before((after.0, node)).map(|(_, node)| node);
        comparer.compare_node(was, Some(node), &mut found);
    }
    for node in
        (0..before.1.nodes.len()).filter(|node| matching.counterpart_after((before.0, *node)).is_none())
    {
        comparer.compare_node(Some(node), None, &mut found);
    }
    found
}

struct EdgeComparer<'w, 'a> {
    matching: &'w PlanMatching<'a>,
    before: (usize, &'w Graph),
    after: (usize, &'w Graph),
}

/// New, or existed only before.
type End = (Side, usize);

impl EdgeComparer<'_, '_> {
    fn compare_node(&self, was: Option<usize>, is: Option<usize>, found: &mut Vec<NodeChange>) {
        let edges = |graph: &'_ Graph, node: Option<usize>| -> Vec<usize> {
            node.and_then(|node| graph.outgoing.get(node)).cloned().unwrap_or_default()
        };
        let (old, new) = (edges(self.before.1, was), edges(self.after.1, is));
        if old.is_empty() && new.is_empty() {
            return;
        }
        let place = match (was, is) {
            (_, Some(node)) => (Side::After as usize, node),
            (Some(node), None) => (Side::Before as usize, node),
            (None, None) => return,
        };
        let old = old.iter().filter_map(|edge| self.before.1.edges.get(*edge)).collect_vec();
        let new = new.iter().filter_map(|edge| self.after.1.edges.get(*edge)).collect_vec();
        let signatures =
            |edges: &[&Edge], side| edges.iter().map(|edge| self.signature(edge, side)).collect_vec();
        let (then, now) = (signatures(&old, Side::Before), signatures(&new, Side::After));
        let pairs = match_edges(&then, &now);
        for (i, j) in &pairs {
            let sides =
                (i.and_then(|i| old.get(i).zip(then.get(i))), j.and_then(|j| new.get(j).zip(now.get(j))));
            let change = match sides {
                (Some((a, old)), Some((b, new))) => self.compare_edge((a, old), (b, new)),
                (None, Some((edge, _))) => Some(self.added(edge)),
                (Some((edge, _)), None) => Some(self.removed(edge)),
                (None, None) => None,
            };
            found.extend(change.map(|change| (place, change)));
        }
        found.extend(self.compare_order(&old, &new, &pairs).map(|change| (place, change)));
    }

    fn signature(&self, edge: &Edge, side: Side) -> EdgeSignature<End> {
        let (scope, target) = match side {
            Side::Before => (
                self.before.0,
                self.matching
                    .counterpart_after((self.before.0, edge.target))
                    .map(|(_, node)| (Side::After, node)),
            ),
            Side::After => (self.after.0, Some((Side::After, edge.target))),
        };
        let condition =
            CanonicalNames { matching: Some(self.matching), side, scope }.condition(&edge.condition);
        EdgeSignature { target: target.unwrap_or((Side::Before, edge.target)), condition }
    }

    fn scope(&self) -> &str {
        &self.after.1.scope
    }

    fn compare_edge(
        &self,
        (a, was): (&Edge, &EdgeSignature<End>),
        (b, is): (&Edge, &EdgeSignature<End>),
    ) -> Option<Change> {
        let (from, to) = (name(&b.from.name), name(&b.to.name));
        let condition = printed_condition(&b.condition);
        if was.target != is.target {
            let way = format!("a run goes from {from} to {to} instead of {}", name(&a.to.name));
            let message = if is_unconditional(self.after.1, b) {
                way
            } else {
                format!("{}, {way}", condition_clause(condition.as_deref()))
            };
            let change =
                Change::new(ChangeKind::EdgeRedirected, self.scope(), message).edge(&b.from.name, &b.to.name);
            return Some(
                change
                    .values(Some(a.to.name.as_str().into()), Some(b.to.name.as_str().into()))
                    .spans(Some(a.to.span), Some(b.to.span)),
            );
        }
        if was.condition == is.condition {
            return None;
        }
        let message = format!(
            "the edge {from} → {to} is taken {} instead of {}",
            condition_clause(condition.as_deref()),
            condition_clause(printed_condition(&a.condition).as_deref())
        );
        let text = |edge: &Edge| printed_condition(&edge.condition).map(Json::from);
        let change =
            Change::new(ChangeKind::EdgeCondition, self.scope(), message).edge(&b.from.name, &b.to.name);
        Some(change.values(text(a), text(b)).spans(Some(a.condition_span), Some(b.condition_span)))
    }

    fn added(&self, edge: &Edge) -> Change {
        let graph = self.after.1;
        let message = format!("the edge {} is new{}", describe_ends(edge), describe_condition(graph, edge));
        let place = self.matching.plans[1].edge_value(graph, edge);
        Change::new(ChangeKind::EdgeAdded, self.scope(), message)
            .edge(&edge.from.name, &edge.to.name)
            .values(None, place.map(stepgraph_core::source::Spanned::to_json))
            .spans(None, place.map(|place| place.span))
    }

    fn removed(&self, edge: &Edge) -> Change {
        let message =
            format!("the edge {} is gone{}", describe_ends(edge), describe_condition(self.before.1, edge));
        let place = self.matching.plans[0].edge_value(self.before.1, edge);
        let now = self
            .matching
            .counterpart_after((self.before.0, edge.source))
            .and_then(|place| self.matching.node(Side::After, place));
        let mut change =
            Change::new(ChangeKind::EdgeRemoved, self.scope(), message).edge(&edge.from.name, &edge.to.name);
        change.node = Some(now.map_or_else(|| edge.from.name.clone(), |node| node.key.clone()));
        change
            .values(place.map(stepgraph_core::source::Spanned::to_json), None)
            .spans(place.map(|place| place.span), None)
    }

    fn compare_order(
        &self,
        old: &[&Edge],
        new: &[&Edge],
        pairs: &[(Option<usize>, Option<usize>)],
    ) -> Option<Change> {
        let moved = [false, true].iter().any(|fallback| {
            let is = |edges: &[&Edge], at: usize| {
                edges.get(at).is_some_and(|edge| (edge.condition == Condition::Fallback) == *fallback)
            };
            let same = pairs.iter().filter_map(|(i, j)| Some(((*i)?, (*j)?)));
            let places = same.filter(|(i, j)| is(old, *i) && is(new, *j)).map(|(i, _)| i).collect_vec();
            !places.is_sorted()
        });
        let first = new.first().filter(|_| moved)?;
        let targets = |edges: &[&Edge]| edges.iter().map(|edge| edge.to.name.clone()).collect_vec();
        let (was, is) = (targets(old), targets(new));
        let listed = |list: &[String]| names(&list.iter().map(String::as_str).collect_vec());
        let message = if was == is {
            format!("the edges of {} are looked at in another order", name(&first.from.name))
        } else {
            format!(
                "the edges of {} are looked at in another order: to {} instead of {}",
                name(&first.from.name),
                listed(&is),
                listed(&was)
            )
        };
        let span = |edges: &[&Edge]| edges.first().map(|edge| edge.from.span);
        Some(
            Change::new(ChangeKind::EdgeOrder, self.scope(), message)
                .node(&first.from.name)
                .values(Some(json!(was)), Some(json!(is)))
                .spans(span(old), span(new)),
        )
    }
}

fn describe_ends(edge: &Edge) -> String {
    format!("{} → {}", name(&edge.from.name), name(&edge.to.name))
}

fn describe_condition(graph: &Graph, edge: &Edge) -> String {
    if is_unconditional(graph, edge) {
        String::new()
    } else {
        format!(", taken {}", condition_clause(printed_condition(&edge.condition).as_deref()))
    }
}

fn is_unconditional(graph: &Graph, edge: &Edge) -> bool {
    let only = graph.outgoing.get(edge.source).is_some_and(|edges| edges.len() == 1);
    only && edge.condition == Condition::Fallback
}
