//! Combines fixed positions (`layout`) with automatic ones.
//!
//! Until half are fixed, the rest stay automatic, so the first moved node moves alone. Then they keep previous
//! positions, and new nodes join neighbours.

use super::PreviousPosition;
use crate::geometry::Point;
use crate::layout::{BackEnd, LayoutInput, LayoutResult, back_edges, compute_layout, place_new_nodes};

pub(super) struct PlacedNodes {
    pub(super) layout: LayoutResult,
    pub(super) homes: Vec<Point>,
}

/// `previous` has one item per node or is empty.
pub(super) fn place_nodes(
    input: &LayoutInput,
    placed: &[Option<Point>],
    previous: &[Option<PreviousPosition>],
) -> PlacedNodes {
    let count = placed.iter().flatten().count();
    if count == 0 {
        let found = compute_layout(input);
        return PlacedNodes { homes: found.positions.clone(), layout: found };
    }
    if count * 2 < placed.len() {
        let mut found = compute_layout(input);
        let auto_positions = std::mem::take(&mut found.positions);
        found.positions = place_new_nodes(input, placed, &auto_positions);
        keep_routes(&mut found, input, &auto_positions);
        return PlacedNodes { layout: found, homes: auto_positions };
    }
    let stays = |(placed, previous): (&Option<Point>, Option<&Option<PreviousPosition>>)| {
        placed.or_else(|| previous.copied().flatten().and_then(|previous| previous.position))
    };
    let known = placed.iter().enumerate().map(|(node, placed)| stays((placed, previous.get(node))));
    let positions = place_new_nodes(input, &known.collect::<Vec<_>>(), &[]);
    PlacedNodes {
        homes: positions.clone(),
        layout: LayoutResult { positions, is_back: back_edges(input), ..LayoutResult::default() },
    }
}

fn keep_routes(found: &mut LayoutResult, input: &LayoutInput, auto_positions: &[Point]) {
    let is_home = |node: usize| found.positions.get(node) == auto_positions.get(node);
    let kept: Vec<bool> = input.edges.iter().map(|(from, to)| is_home(*from) && is_home(*to)).collect();
    let routes = found.bends.iter_mut().zip(&mut found.labels).zip(&mut found.back_ends);
    for (((bends, label), ends), kept) in routes.zip(kept) {
        if !kept {
            bends.clear();
            *label = None;
            *ends = <(BackEnd, BackEnd)>::default();
        }
    }
}
