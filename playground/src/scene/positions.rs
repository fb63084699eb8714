//! Where the nodes of a graph stand.
//!
//! Decides between the layout and a person's hand: what the file places stands there. While less than half is placed, the rest stands
//! where the layout would have put it, so that nothing jumps when the first node is moved; from then on it stays where it stood, and what
//! is new goes beside what it hangs on.

use super::PreviousPosition;
use crate::geometry::Point;
use crate::layout::{LayoutInput, LayoutResult, back_edges, compute_layout, place_new_nodes};

/// Where everything is, and where it would be by the layout alone.
pub(super) struct PlacedNodes {
    pub(super) found: LayoutResult,
    pub(super) homes: Vec<Point>,
}

/// Settles a graph. `stood` is as long as there are nodes, or empty.
pub(super) fn place_nodes(
    input: &LayoutInput,
    placed: &[Option<Point>],
    previous: &[Option<PreviousPosition>],
) -> PlacedNodes {
    let count = placed.iter().flatten().count();
    if count == 0 {
        let found = compute_layout(input);
        return PlacedNodes { homes: found.positions.clone(), found };
    }
    if count * 2 < placed.len() {
        let mut found = compute_layout(input);
        let auto_positions = std::mem::take(&mut found.positions);
        found.positions = place_new_nodes(input, placed, &auto_positions);
        keep_routes(&mut found, input, &auto_positions);
        return PlacedNodes { found, homes: auto_positions };
    }
    let stays = |(placed, previous): (&Option<Point>, Option<&Option<PreviousPosition>>)| {
        placed.or_else(|| previous.copied().flatten().and_then(|previous| previous.position))
    };
    let known = placed.iter().enumerate().map(|(node, placed)| stays((placed, previous.get(node))));
    let positions = place_new_nodes(input, &known.collect::<Vec<_>>(), &[]);
    PlacedNodes {
        homes: positions.clone(),
        found: LayoutResult { positions, is_back: back_edges(input), ..LayoutResult::default() },
    }
}

/// Only edges between nodes that stand where the layout put them run where it made room for them.
fn keep_routes(found: &mut LayoutResult, input: &LayoutInput, auto_positions: &[Point]) {
    let is_home = |node: usize| found.positions.get(node) == auto_positions.get(node);
    let kept: Vec<bool> = input.edges.iter().map(|(from, to)| is_home(*from) && is_home(*to)).collect();
    for ((bends, label), kept) in found.bends.iter_mut().zip(&mut found.labels).zip(kept) {
        if !kept {
            bends.clear();
            *label = None;
        }
    }
}
