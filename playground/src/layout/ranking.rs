//! Assigns layers. Back edges close loops from the start, in a given order. Others lead down, and nodes are close to
//! successors.
//!
//! Source: Sugiyama's method, cycle removal and layering.

use super::{get_or_default, set_at};

#[derive(Debug)]
pub(super) struct Ranks {
    pub(super) of: Vec<usize>,
    pub(super) back: Vec<bool>,
}

/// The search goes along the edges of a node in `order`.
pub(super) fn assign_ranks(
    nodes: usize,
    edges: &[(usize, usize)],
    start: Option<usize>,
    order: &[usize],
) -> Ranks {
    let mut outgoing = vec![Vec::new(); nodes];
    for edge in order.iter().copied() {
        let (from, to) = get_or_default(edges, edge);
        if let (true, Some(leaving)) = (to < nodes, outgoing.get_mut(from)) {
            leaving.push(edge);
        }
    }
    let search = DepthFirstSearch::run(&outgoing, edges, start);
    let forward = |edge: &usize| !get_or_default(&search.back, *edge);
    let mut of = vec![0_usize; nodes];
    // Reverse finish order is topological.
    for node in search.finished.iter().rev() {
        let next = get_or_default(&of, *node) + 1;
        for edge in outgoing.get(*node).into_iter().flatten().filter(|edge| forward(edge)) {
            let to = get_or_default(edges, *edge).1;
            let further = get_or_default(&of, to).max(next);
            set_at(&mut of, to, further);
        }
    }
    pull_sources_down(&mut of, &search, &outgoing, edges, start);
    Ranks { of, back: search.back }
}

/// Moves them next to their first successor.
fn pull_sources_down(
    of: &mut [usize],
    search: &DepthFirstSearch,
    leaving: &[Vec<usize>],
    edges: &[(usize, usize)],
    start: Option<usize>,
) {
    let mut entered = vec![false; of.len()];
    for (edge, (_, to)) in edges.iter().enumerate() {
        if !get_or_default(&search.back, edge) {
            set_at(&mut entered, *to, true);
        }
    }
    for node in &search.finished {
        if get_or_default(&entered, *node) || start == Some(*node) {
            continue;
        }
        let ends =
            leaving.get(*node).into_iter().flatten().filter(|edge| !get_or_default(&search.back, **edge));
        if let Some(first) = ends.map(|edge| get_or_default(of, get_or_default(edges, *edge).1)).min() {
            set_at(of, *node, first.saturating_sub(1));
        }
    }
}

/// Avoids recursion.
struct DepthFirstSearch {
    /// In finish order.
    finished: Vec<usize>,
    /// The edge leads to an open node.
    back: Vec<bool>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum VisitState {
    #[default]
    Never,
    Open,
    Done,
}

impl DepthFirstSearch {
    fn run(leaving: &[Vec<usize>], edges: &[(usize, usize)], start: Option<usize>) -> Self {
        let mut found = Self { finished: Vec::with_capacity(leaving.len()), back: vec![false; edges.len()] };
        let mut states = vec![VisitState::Never; leaving.len()];
        let mut entered = vec![false; leaving.len()];
        for (from, to) in edges {
            if from != to {
                set_at(&mut entered, *to, true);
            }
        }
        // Roots: the start, then sources, then remaining cycles.
        let free = (0..leaving.len()).filter(|node| !get_or_default(&entered, *node));
        for first in start.into_iter().chain(free).chain(0..leaving.len()) {
            found.visit(first, leaving, edges, &mut states);
        }
        found
    }

    fn visit(
        &mut self,
        first: usize,
        leaving: &[Vec<usize>],
        edges: &[(usize, usize)],
        states: &mut [VisitState],
    ) {
        if states.get(first) != Some(&VisitState::Never) {
            return;
        }
        set_at(states, first, VisitState::Open);
        let mut way = vec![(first, 0)];
        while let Some((node, next)) = way.last_mut() {
            let Some(edge) = leaving.get(*node).and_then(|edges| edges.get(*next)).copied() else {
                set_at(states, *node, VisitState::Done);
                self.finished.push(*node);
                way.pop();
                continue;
            };
            *next += 1;
            let to = get_or_default(edges, edge).1;
            match get_or_default(states, to) {
                VisitState::Never => {
                    set_at(states, to, VisitState::Open);
                    way.push((to, 0));
                }
                VisitState::Open => set_at(&mut self.back, edge, true),
                VisitState::Done => {}
            }
        }
    }
}
