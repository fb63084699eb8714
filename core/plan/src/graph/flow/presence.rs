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
use crate::graph::{Edge, Graph};
use stepgraph_text::expr::Condition;
use stepgraph_text::list::List;
use stepgraph_text::names::Names;

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
pub(super) struct Presence {
    start: Point,
    count: usize,
    after: Lists,
    /// What leads to each point, and by which edges.
    before: Lists,
    edges: Lists,
    dominators: Dominators,
    proofs: Proofs,
    /// Questions that were answered by walking, and the points that were reached.
    asked: Names,
    answers: Vec<Vec<bool>>,
}

/// The points at which conditions prove that an output is there.
#[derive(Debug, Default)]
struct Proofs {
    names: Names,
    points: Vec<Vec<Point>>,
    /// Behind conditions that can't be read: nobody knows what they ask, so each may have asked for any output.
    of_any: Vec<Point>,
}

impl Proofs {
    fn add(&mut self, name: &str, point: Point) {
        let number = self.names.number(name.to_owned()) as usize;
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

/// A name that is asked for, and the node of this graph that has it.
pub(super) type Wanted<'a> = (&'a str, Option<usize>);

impl Presence {
    /// Of a graph whose edges are open so.
    pub(super) fn new(graph: &Graph, start: usize, ways: &[Way]) -> Self {
        let mut maker = Maker { arcs: Vec::new(), points: graph.nodes.len() * 2, proofs: Proofs::default() };
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
        let lists = |pair: fn(&Arc) -> (u32, u32)| {
            let pairs: Vec<(u32, u32)> = arcs.iter().map(pair).list();
            Lists::new(points, &pairs)
        };
        let (after, before) = (lists(|arc| (arc.from, arc.to)), lists(|arc| (arc.to, arc.from)));
        let dominators = Dominators::new(points, entry(start), &after, &before);
        let edges = lists(|arc| (arc.to, arc.edge));
        let (asked, answers) = (Names::default(), Vec::new());
        Self { start: entry(start), count: points, after, before, edges, dominators, proofs, asked, answers }
    }

    /// Whether one of these is there whenever a run comes to `point`.
    pub(super) fn always(&mut self, names: &[Wanted<'_>], point: Point, patience: &mut usize) -> bool {
        if !self.dominators.reaches(point) {
            return true;
        }
        let mut makers = 0;
        for (name, node) in names {
            let proofs = self.proofs.of(name);
            let of_any = &self.proofs.of_any;
            makers += proofs.len() + of_any.len() + usize::from(node.is_some());
            // Of many proofs only the first are tried: the search below sees the others.
            let proofs = proofs.iter().take(4).chain(of_any.iter().take(4)).copied();
            let points = node.map(done).into_iter().chain(proofs);
            if points.into_iter().any(|through| self.dominators.dominates(through, point)) {
                return true;
            }
        }
        makers > 1 && !self.misses(names, point, patience)
    }

    /// Whether there is a path to `point` on which none of these comes to be there.
    fn misses(&mut self, names: &[Wanted<'_>], point: Point, patience: &mut usize) -> bool {
        let mut question = String::new();
        for (name, _) in names {
            question.push_str(name);
            question.push('\n');
        }
        let reached = self.answer(question, patience, |own| {
            let mut walled = vec![false; own.count];
            for (name, node) in names {
                for wall in node.map(done).iter().chain(own.proofs.of(name)) {
                    mark(&mut walled, *wall);
                }
            }
            for wall in &own.proofs.of_any {
                mark(&mut walled, *wall);
            }
            own.walk(own.start, walled)
        });
        reached.is_some_and(|reached| is_marked(reached, point))
    }

    /// Whether a node can have completed when a run comes to `point`.
    pub(super) fn ever(&mut self, node: usize, point: Point, patience: &mut usize) -> bool {
        // No name that is asked for ends without a line break.
        let reached = self.answer(node.to_string(), patience, |own| {
            let walled = !own.dominators.reaches(done(node));
            own.walk(done(node), vec![walled; own.count])
        });
        reached.is_none_or(|reached| is_marked(reached, point))
    }

    /// The points that answer a question, walked once; nothing when patience is at its end.
    fn answer(
        &mut self,
        question: String,
        patience: &mut usize,
        walk: impl FnOnce(&Self) -> Vec<bool>,
    ) -> Option<&[bool]> {
        if !self.asked.contains(&question) {
            *patience = patience.checked_sub(self.count)?;
            let found = walk(self);
            self.answers.push(found);
        }
        let number = self.asked.number(question);
        self.answers.get(number as usize).map(Vec::as_slice)
    }

    /// The points that can be reached from `start` without passing a wall.
    fn walk(&self, start: Point, mut walled: Vec<bool>) -> Vec<bool> {
        let mut open = vec![start];
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
        names: &[Wanted<'_>],
        node: usize,
        patience: &mut usize,
    ) -> Option<usize> {
        let origins = self.before.of(entry(node)).to_vec();
        let missed = |point: &Point| self.dominators.reaches(*point) && !self.always(names, *point, patience);
        let found = origins.iter().position(missed)?;
        self.edges.of(entry(node)).get(found).map(|edge| *edge as usize)
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
struct Maker {
    arcs: Vec<Arc>,
    points: usize,
    proofs: Proofs,
}

impl Maker {
    fn arc(&mut self, from: Point, to: Point, edge: u32) {
        self.arcs.push(Arc { from, to, edge });
    }

    /// The edges that can be taken from a point: conditions one after another, then the fallback.
    fn edges<'e>(&mut self, from: Point, edges: impl Iterator<Item = &'e Edge> + Clone) {
        let mut at = from;
        for edge in edges.clone().filter(|edge| edge.condition != Condition::Fallback) {
            if edge.condition == Condition::Unreadable {
                at = self.unread(at);
                self.arc(at, entry(edge.target), number(edge.index));
                continue;
            }
            let held = self.proved(at, proves(&edge.condition, true));
            self.arc(held, entry(edge.target), number(edge.index));
            at = self.proved(at, proves(&edge.condition, false));
        }
        for edge in edges.filter(|edge| edge.condition == Condition::Fallback) {
            self.arc(at, entry(edge.target), number(edge.index));
        }
    }

    /// The point after `from` at which a condition was looked at that can't be read.
    fn unread(&mut self, from: Point) -> Point {
        let point = number(self.points);
        self.points += 1;
        self.arc(from, point, NONE);
        self.proofs.of_any.push(point);
        point
    }

    /// The point after `from` at which these are there.
    fn proved(&mut self, from: Point, names: Vec<&str>) -> Point {
        if names.is_empty() {
            return from;
        }
        let point = number(self.points);
        self.points += 1;
        self.arc(from, point, NONE);
        for name in names {
            self.proofs.add(name, point);
        }
        point
    }
}
