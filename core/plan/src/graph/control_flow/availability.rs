//! Which outputs are available when a run reaches a point.
//!
//! Points are the entries and completions of nodes. Edges connect them through points where a condition proved
//! something. An output is always available if each path writes or proves it, never if none does.
//!
//! Invariants: 1. A query for one name with one point takes constant time. 2. Other queries share [`WORK_BUDGET`], and
//! then assume that the output is available.

use super::condition_logic::implied_outputs;
use super::dominators::Dominators;
use super::edge_feasibility::EdgeFeasibility;
use super::index_vec::{Adjacency, NONE, number};
use crate::graph::{Edge, Graph};
use stepgraph_expression::Condition;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::interner::NameTable;

/// Visited points over all queries of a plan.
pub(super) const WORK_BUDGET: usize = 4_000_000;

pub(super) type Point = u32;

pub(super) fn entry(node: usize) -> Point {
    number(node * 2)
}

pub(super) fn done(node: usize) -> Point {
    number(node * 2 + 1)
}

/// `edge` may be [`NONE`].
#[derive(Debug, Clone, Copy)]
struct Arc {
    from: Point,
    to: Point,
    edge: u32,
}

#[derive(Debug)]
pub(super) struct AvailabilityAnalysis {
    start: Point,
    count: usize,
    after: Adjacency,
    before: Adjacency,
    edges: Adjacency,
    dominators: Dominators,
    proofs: Proofs,
    /// Cached queries and their reached points.
    asked: NameTable,
    answers: Vec<Vec<bool>>,
}

/// Places where conditions prove outputs.
#[derive(Debug, Default)]
struct Proofs {
    names: NameTable,
    points: Vec<Vec<Point>>,
    /// Unreadable conditions may have tested any output.
    of_any: Vec<Point>,
}

impl Proofs {
    fn add(&mut self, name: &str, point: Point) {
        let number = self.names.intern(name.to_owned()) as usize;
        if self.points.len() <= number {
            self.points.push(Vec::new());
        }
        self.points.get_mut(number).into_iter().for_each(|points| points.push(point));
    }

    fn of(&self, name: &str) -> &[Point] {
        let points = self.names.get(name).and_then(|number| self.points.get(number as usize));
        points.map_or(&[], Vec::as_slice)
    }
}

pub(super) type NameQuery<'a> = (&'a str, Option<usize>);

impl AvailabilityAnalysis {
    pub(super) fn new(graph: &Graph, start: usize, feasibility: &[EdgeFeasibility]) -> Self {
        let mut maker =
            ArcBuilder { arcs: Vec::new(), points: graph.nodes.len() * 2, proofs: Proofs::default() };
        for (node, edges) in graph.outgoing.iter().enumerate() {
            maker.add_arc(entry(node), done(node), NONE);
            let open = |chosen: fn(&EdgeFeasibility) -> bool| {
                let edges = edges.iter().filter(move |edge| feasibility.get(**edge).is_some_and(chosen));
                edges.filter_map(|edge| graph.edges.get(*edge))
            };
            maker.add_edges(done(node), open(|feasibility| feasibility.after_success));
            maker.add_edges(entry(node), open(|feasibility| feasibility.after_failure));
        }
        let ArcBuilder { arcs, points, proofs } = maker;
        let lists = |pair: fn(&Arc) -> (u32, u32)| {
            let pairs: Vec<(u32, u32)> = arcs.iter().map(pair).collect_vec();
            Adjacency::new(points, &pairs)
        };
        let (after, before) = (lists(|arc| (arc.from, arc.to)), lists(|arc| (arc.to, arc.from)));
        let dominators = Dominators::new(points, entry(start), &after, &before);
        let edges = lists(|arc| (arc.to, arc.edge));
        let (asked, answers) = (NameTable::default(), Vec::new());
        Self { start: entry(start), count: points, after, before, edges, dominators, proofs, asked, answers }
    }

    pub(super) fn is_always_available(
        &mut self,
        names: &[NameQuery<'_>],
        point: Point,
        work_budget: &mut usize,
    ) -> bool {
        if !self.dominators.is_reachable(point) {
            return true;
        }
        let mut makers = 0;
        for (name, node) in names {
            let proofs = self.proofs.of(name);
            let of_any = &self.proofs.of_any;
            makers += proofs.len() + of_any.len() + usize::from(node.is_some());
            // The search below covers the other proofs.
            let proofs = proofs.iter().take(4).chain(of_any.iter().take(4)).copied();
            let points = node.map(done).into_iter().chain(proofs);
            if points.into_iter().any(|through| self.dominators.dominates(through, point)) {
                return true;
            }
        }
        makers > 1 && !self.can_be_missing(names, point, work_budget)
    }

    fn can_be_missing(&mut self, names: &[NameQuery<'_>], point: Point, work_budget: &mut usize) -> bool {
        let mut question = String::new();
        for (name, _) in names {
            question.push_str(name);
            question.push('\n');
        }
        let reached = self.reachable_points(question, work_budget, |own| {
            let mut walled = vec![false; own.count];
            for (name, node) in names {
                for wall in node.map(done).iter().chain(own.proofs.of(name)) {
                    mark_point(&mut walled, *wall);
                }
            }
            for wall in &own.proofs.of_any {
                mark_point(&mut walled, *wall);
            }
            own.reach_without(own.start, walled)
        });
        reached.is_some_and(|reached| contains(reached, point))
    }

    pub(super) fn can_have_completed(&mut self, node: usize, point: Point, work_budget: &mut usize) -> bool {
        // Other keys end with a line break, so none collide.
        let reached = self.reachable_points(node.to_string(), work_budget, |own| {
            let walled = !own.dominators.is_reachable(done(node));
            own.reach_without(done(node), vec![walled; own.count])
        });
        reached.is_none_or(|reached| contains(reached, point))
    }

    /// Cached. `None` if the budget is exhausted.
    fn reachable_points(
        &mut self,
        question: String,
        work_budget: &mut usize,
        walk: impl FnOnce(&Self) -> Vec<bool>,
    ) -> Option<&[bool]> {
        if !self.asked.contains(&question) {
            *work_budget = work_budget.checked_sub(self.count)?;
            let found = walk(self);
            self.answers.push(found);
        }
        let number = self.asked.intern(question);
        self.answers.get(number as usize).map(Vec::as_slice)
    }

    fn reach_without(&self, start: Point, mut walled: Vec<bool>) -> Vec<bool> {
        let mut open = vec![start];
        let mut found = vec![false; self.count];
        while let Some(point) = open.pop() {
            if !mark_point(&mut walled, point) {
                mark_point(&mut found, point);
                open.extend(self.after.get(point).iter().filter(|next| !contains(&walled, **next)));
            }
        }
        found
    }

    /// The edge that a run enters by, without any of these. `None` if the run can also start there.
    pub(super) fn missing_edge(
        &mut self,
        names: &[NameQuery<'_>],
        node: usize,
        work_budget: &mut usize,
    ) -> Option<usize> {
        let origins = self.before.get(entry(node)).to_vec();
        let missed = |point: &Point| {
            self.dominators.is_reachable(*point) && !self.is_always_available(names, *point, work_budget)
        };
        let found = origins.iter().position(missed)?;
        self.edges.get(entry(node)).get(found).map(|edge| *edge as usize)
    }
}

fn contains(marks: &[bool], point: Point) -> bool {
    marks.get(point as usize).copied().unwrap_or(true)
}

fn mark_point(marks: &mut [bool], point: Point) -> bool {
    marks.get_mut(point as usize).is_none_or(|place| std::mem::replace(place, true))
}

struct ArcBuilder {
    arcs: Vec<Arc>,
    points: usize,
    proofs: Proofs,
}

impl ArcBuilder {
    fn add_arc(&mut self, from: Point, to: Point, edge: u32) {
        self.arcs.push(Arc { from, to, edge });
    }

    /// Conditions in order, then the fallback.
    fn add_edges<'e>(&mut self, from: Point, edges: impl Iterator<Item = &'e Edge> + Clone) {
        let mut at = from;
        for edge in edges.clone().filter(|edge| edge.condition != Condition::Fallback) {
            if edge.condition == Condition::Unreadable {
                at = self.add_unparsed(at);
                self.add_arc(at, entry(edge.target), number(edge.index));
                continue;
            }
            let held = self.add_proof(at, implied_outputs(&edge.condition, true));
            self.add_arc(held, entry(edge.target), number(edge.index));
            at = self.add_proof(at, implied_outputs(&edge.condition, false));
        }
        for edge in edges.filter(|edge| edge.condition == Condition::Fallback) {
            self.add_arc(at, entry(edge.target), number(edge.index));
        }
    }

    fn add_unparsed(&mut self, from: Point) -> Point {
        let point = number(self.points);
        self.points += 1;
        self.add_arc(from, point, NONE);
        self.proofs.of_any.push(point);
        point
    }

    fn add_proof(&mut self, from: Point, names: Vec<&str>) -> Point {
        if names.is_empty() {
            return from;
        }
        let point = number(self.points);
        self.points += 1;
        self.add_arc(from, point, NONE);
        for name in names {
            self.proofs.add(name, point);
        }
        point
    }
}
