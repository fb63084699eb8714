//! What runs through each graph of a plan may do, for who compares two plans.
//!
//! Decides which nodes every run that completes comes to, where runs may complete, which loops they may go round, and which failures
//! are taken up. As all of [`super`], for every host: a condition may hold unless something rules it out.

use super::dominance::Dominators;
use super::loops::{Open, components};
use super::table::{Lists, number};
use super::ways::{Way, always_goes_on};
use super::{Flow, Known, PATIENCE};
use crate::graph::Graph;
use crate::graph::scope::Scopes;
use stepgraph_text::diagnostic::Problems;
use stepgraph_text::list::List;

/// How far a node's failure is taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Handled {
    /// By no edge: the graph fails.
    Never,
    /// By edges whose conditions may not hold.
    Sometimes,
    /// By some edge, whatever the failure.
    Always,
}

/// What runs through one graph may do.
#[derive(Debug)]
pub struct Route<'a> {
    graph: &'a Graph,
    start: usize,
    ways: Vec<Way>,
    /// Whether any run comes to each node.
    pub reached: Vec<bool>,
    /// Whether every run that completes comes to each node.
    pub always: Vec<bool>,
    /// Whether runs may complete at each node.
    pub ends: Vec<bool>,
    /// The loop that each node is in.
    pub loops: Vec<Option<usize>>,
    /// How far each node's failure is taken up.
    pub handled: Vec<Handled>,
    /// Which nodes every way to another leads through; the end of runs comes after all nodes.
    dominators: Dominators,
}

/// Of each scope what runs may do; nothing where that is not known.
pub fn routes<'a>(scopes: &Scopes<'a>) -> Vec<Option<Route<'a>>> {
    let mut flow = Flow { scopes, known: Vec::new(), patience: PATIENCE };
    let mut problems = Problems::default();
    let mut found = Vec::new();
    for scope in &scopes.list {
        let known = flow.learn(scope, &mut problems);
        found.push(known.as_ref().map(|known| route(scope.graph, known)));
        flow.known.push(known);
    }
    found
}

fn route<'a>(graph: &'a Graph, known: &Known) -> Route<'a> {
    let Known { start, outside, ways, reached, .. } = known;
    let open = Open { graph, ways };
    let nodes = 0..graph.nodes.len();
    let is_reached = |node: usize| reached.get(node) == Some(&true);
    let goes_on = nodes.clone().map(|node| always_goes_on(graph, node, *outside)).list();
    let ends: Vec<bool> =
        goes_on.iter().enumerate().map(|(node, (done, _))| is_reached(node) && !done).list();
    let handled =
        goes_on.iter().enumerate().map(|(node, (_, failed))| handled(graph, ways, node, *failed)).list();
    let loops = if is_reached(*start) { loops(open, *start) } else { vec![None; graph.nodes.len()] };
    let dominators = dominators(open, *start, &ends);
    let end = number(graph.nodes.len());
    let always = nodes.map(|node| is_reached(node) && dominators.dominates(number(node), end)).list();
    let (start, ways, reached) = (*start, ways.clone(), reached.clone());
    Route { graph, start, ways, reached, always, ends, loops, handled, dominators }
}

fn handled(graph: &Graph, ways: &[Way], node: usize, always: bool) -> Handled {
    let some = graph.edges_from(node).any(|edge| ways.get(edge.index).is_some_and(|way| way.failed));
    match (some, always) {
        (false, _) => Handled::Never,
        (true, false) => Handled::Sometimes,
        (true, true) => Handled::Always,
    }
}

/// The loop of each node: the nodes that lead to each other.
fn loops(open: Open<'_>, start: usize) -> Vec<Option<usize>> {
    let mut found = vec![None; open.graph.nodes.len()];
    for (loop_number, members) in components(open, start).0.iter().enumerate() {
        let alone = |node: &usize| open.edges(*node).all(|edge| edge.target != *node);
        if let [only] = members.as_slice()
            && alone(only)
        {
            continue;
        }
        for node in members {
            found.get_mut(*node).into_iter().for_each(|place| *place = Some(loop_number));
        }
    }
    found
}

/// What every way to each node, and to an end, leads through.
fn dominators(open: Open<'_>, start: usize, ends: &[bool]) -> Dominators {
    let count = open.graph.nodes.len();
    let mut arcs: Vec<(u32, u32)> = Vec::new();
    for node in 0..count {
        arcs.extend(open.edges(node).map(|edge| (number(node), number(edge.target))));
        if ends.get(node) == Some(&true) {
            arcs.push((number(node), number(count)));
        }
    }
    let back: Vec<(u32, u32)> = arcs.iter().map(|(from, to)| (*to, *from)).list();
    let (after, before) = (Lists::new(count + 1, &arcs), Lists::new(count + 1, &back));
    Dominators::new(count + 1, number(start), &after, &before)
}

impl Route<'_> {
    /// Whether any run can complete.
    pub fn completes(&self) -> bool {
        self.ends.contains(&true)
    }

    /// Whether every run that comes to a node came to another one before.
    pub fn leads_through(&self, through: usize, node: usize) -> bool {
        self.dominators.dominates(number(through), number(node))
    }

    /// A way from the start to a node, or to an end, that leads past another; the shortest.
    pub fn past(&self, node: usize, to: Option<usize>) -> Option<Vec<usize>> {
        if node == self.start {
            return None;
        }
        let open = Open { graph: self.graph, ways: &self.ways };
        let arrives = |at: usize| to.map_or(self.ends.get(at) == Some(&true), |to| to == at);
        let mut from: Vec<Option<usize>> = vec![None; self.graph.nodes.len()];
        let mut waiting = std::collections::VecDeque::from([self.start]);
        *from.get_mut(self.start)? = Some(self.start);
        while let Some(at) = waiting.pop_front() {
            if arrives(at) {
                return Some(back(&from, at));
            }
            for edge in open.edges(at).filter(|edge| edge.target != node) {
                if let Some(place @ None) = from.get_mut(edge.target) {
                    *place = Some(at);
                    waiting.push_back(edge.target);
                }
            }
        }
        None
    }
}

/// The way back to where it began, turned round.
fn back(from: &[Option<usize>], end: usize) -> Vec<usize> {
    let (mut way, mut at) = (vec![end], end);
    while let Some(Some(before)) = from.get(at).filter(|before| **before != Some(at)) {
        way.push(*before);
        at = *before;
    }
    way.reverse();
    way
}
