//! Which outputs are there when a run comes to a place.
//!
//! Decides it on all paths at once: a node has two points, its entry and its completion, and an edge leads from one of them
//! to the entry of another node, by way of points at which its condition has proved something. An output is there when
//! every path to a place leads through a point that makes or proves it, and never there when no path does.
//!
//! Invariants: 1. one name with one point is answered in constant time; 2. all other questions share [`PATIENCE`], past
//! which they are answered as if all were well.

use super::dominance::Dominators;
use super::table::{Lists, NONE, number};
use super::truth::proves;
use super::ways::Way;
use crate::expr::Condition;
use crate::graph::{Edge, Graph};
use std::collections::HashMap;

/// How many points may be walked in all, over all questions of a plan.
pub(super) const PATIENCE: usize = 4_000_000;

/// A place of a graph: points are numbered.
pub(super) type Point = u32;

/// Where a run comes to a node.
pub(super) fn entry(node: usize) -> Point {
    number(node * 2)
}

/// Where a node has completed.
pub(super) fn done(node: usize) -> Point {
    number(node * 2 + 1)
}

/// An arc from a point to another, by an edge or [`NONE`].
#[derive(Debug, Clone, Copy)]
struct Arc {
    from: Point,
    to: Point,
    edge: u32,
}

/// The points of one graph.
#[derive(Debug)]
pub(super) struct Presence<'a> {
    start: Point,
    count: usize,
    after: Lists<Point>,
    /// What leads to each point, and by which edge.
    before: Lists<(Point, u32)>,
    dominators: Dominators,
    /// The points at which conditions prove that an output is there.
    proofs: HashMap<&'a str, Vec<Point>>,
    /// Which points can be reached without these names, and which once a node has completed.
    without: HashMap<Vec<&'a str>, Vec<bool>>,
    since: HashMap<usize, Vec<bool>>,
}

/// A name that is asked for, and the node of this graph that has it.
pub(super) type Wanted<'a> = (&'a str, Option<usize>);

impl<'a> Presence<'a> {
    /// Of a graph whose edges are open so.
    pub(super) fn new(graph: &'a Graph, start: usize, ways: &[Way]) -> Self {
        let mut maker = Maker { arcs: Vec::new(), points: graph.nodes.len() * 2, proofs: HashMap::new() };
        for (node, edges) in graph.outgoing.iter().enumerate() {
            maker.arc(entry(node), done(node), NONE);
            let open = |chosen: fn(&Way) -> bool| {
                let edges = edges.iter().filter(move |edge| ways.get(**edge).is_some_and(chosen));
                edges.filter_map(|edge| graph.edges.get(*edge))
            };
            maker.edges(done(node), open(|way| way.done));
            maker.edges(entry(node), open(|way| way.failed));
        }
        let Maker { arcs, points, proofs } = maker;
        let after = Lists::new(points, arcs.iter().map(|arc| (arc.from, arc.to)));
        let before = Lists::new(points, arcs.iter().map(|arc| (arc.to, arc.from)));
        let dominators = Dominators::new(points, entry(start), &after, &before);
        let before = Lists::new(points, arcs.iter().map(|arc| (arc.to, (arc.from, arc.edge))));
        let (without, since) = (HashMap::new(), HashMap::new());
        Self { start: entry(start), count: points, after, before, dominators, proofs, without, since }
    }

    /// Whether one of these is there whenever a run comes to `point`.
    pub(super) fn always(&mut self, names: &[Wanted<'a>], point: Point, patience: &mut usize) -> bool {
        if !self.dominators.reaches(point) {
            return true;
        }
        let mut makers = 0;
        for (name, node) in names {
            let proofs = self.proofs.get(name).map_or(&[][..], Vec::as_slice);
            makers += proofs.len() + usize::from(node.is_some());
            // Of many proofs only the first are tried: the search below sees the others.
            let points = node.map(done).into_iter().chain(proofs.iter().take(4).copied());
            if points.into_iter().any(|through| self.dominators.dominates(through, point)) {
                return true;
            }
        }
        makers > 1 && !self.misses(names, point, patience)
    }

    /// Whether there is a path to `point` on which none of these comes to be there.
    fn misses(&mut self, names: &[Wanted<'a>], point: Point, patience: &mut usize) -> bool {
        let mut asked: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        asked.sort_unstable();
        if !self.without.contains_key(&asked) {
            if *patience < self.count {
                return false;
            }
            *patience -= self.count;
            let mut walled = vec![false; self.count];
            let proofs = names.iter().filter_map(|(name, _)| self.proofs.get(name)).flatten();
            for wall in names.iter().filter_map(|(_, node)| node.map(done)).chain(proofs.copied()) {
                mark(&mut walled, wall);
            }
            let found = self.walk(vec![self.start], walled);
            self.without.insert(asked.clone(), found);
        }
        self.without.get(&asked).is_some_and(|found| is_marked(found, point))
    }

    /// Whether a node can have completed when a run comes to `point`.
    pub(super) fn ever(&mut self, node: usize, point: Point, patience: &mut usize) -> bool {
        if !self.since.contains_key(&node) {
            if *patience < self.count {
                return true;
            }
            *patience -= self.count;
            let start = if self.dominators.reaches(done(node)) { vec![done(node)] } else { Vec::new() };
            let found = self.walk(start, vec![false; self.count]);
            self.since.insert(node, found);
        }
        self.since.get(&node).is_none_or(|found| is_marked(found, point))
    }

    /// The points that can be reached from `open` without passing a wall.
    fn walk(&self, mut open: Vec<Point>, mut walled: Vec<bool>) -> Vec<bool> {
        let mut found = vec![false; self.count];
        while let Some(point) = open.pop() {
            if !mark(&mut walled, point) {
                mark(&mut found, point);
                open.extend(self.after.of(point).iter().filter(|next| !is_marked(&walled, **next)));
            }
        }
        found
    }

    /// The edge by which a run can come to a node without any of these; `None` when it can begin there, too.
    pub(super) fn missed_by(
        &mut self,
        names: &[Wanted<'a>],
        node: usize,
        patience: &mut usize,
    ) -> Option<usize> {
        let mut origins: Vec<(Point, u32)> = self.before.of(entry(node)).to_vec();
        origins.sort_unstable_by_key(|(_, edge)| *edge);
        let missed = |(point, _): &(Point, u32)| {
            self.dominators.reaches(*point) && !self.always(names, *point, patience)
        };
        origins.into_iter().find(missed).map(|(_, edge)| edge as usize)
    }
}

fn is_marked(marks: &[bool], point: Point) -> bool {
    marks.get(point as usize).copied().unwrap_or(true)
}

/// Marks a point; whether it was marked before.
fn mark(marks: &mut [bool], point: Point) -> bool {
    marks.get_mut(point as usize).is_none_or(|place| std::mem::replace(place, true))
}

/// Points and arcs in the making.
struct Maker<'a> {
    arcs: Vec<Arc>,
    points: usize,
    proofs: HashMap<&'a str, Vec<Point>>,
}

impl<'a> Maker<'a> {
    fn arc(&mut self, from: Point, to: Point, edge: u32) {
        self.arcs.push(Arc { from, to, edge });
    }

    /// The edges that can be taken from a point: conditions one after another, then the fallback.
    fn edges(&mut self, from: Point, edges: impl Iterator<Item = &'a Edge> + Clone) {
        let mut at = from;
        for edge in edges.clone().filter(|edge| edge.condition != Condition::Fallback) {
            let held = self.proved(at, proves(&edge.condition, true));
            self.arc(held, entry(edge.target), number(edge.index));
            at = self.proved(at, proves(&edge.condition, false));
        }
        for edge in edges.filter(|edge| edge.condition == Condition::Fallback) {
            self.arc(at, entry(edge.target), number(edge.index));
        }
    }

    /// The point after `from` at which these are there.
    fn proved(&mut self, from: Point, names: Vec<&'a str>) -> Point {
        if names.is_empty() {
            return from;
        }
        let point = number(self.points);
        self.points += 1;
        self.arc(from, point, NONE);
        for name in names {
            self.proofs.entry(name).or_default().push(point);
        }
        point
    }
}
