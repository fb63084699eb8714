//! Tries other back edges in small drawings while few edges cross. Each search from the start goes along another edge
//! first, so forward edges still lead from the start to every node. The drawing with the fewest crossings wins. Ties
//! keep the order of the text.
//!
//! Source: Sugiyama's method, cycle removal.

use super::{Downward, Layered};
use stepgraph_core::collect::CollectVec;

/// In larger drawings a crossing less is invisible.
pub(super) const MAX_VERTICES: usize = 400;
/// With more crossings, one less is invisible, and orders take longer.
const MAX_CROSSINGS: usize = 16;
/// Vertices of all drawings that are tried, and drawings at most: about 20 milliseconds.
const MAX_EFFORT: usize = 1_600;
const MAX_DRAWINGS: usize = 8;

/// Keeps `best` unless another drawing has fewer crossings.
pub(super) fn try_back_edges(task: &Downward<'_>, best: &mut Layered) {
    let vertices = best.graph.rank.len();
    if vertices > MAX_VERTICES || best.crossings > MAX_CROSSINGS {
        return;
    }
    let mut left = (MAX_EFFORT / vertices.max(1)).min(MAX_DRAWINGS);
    let mut order = task.text_order();
    let mut tried = vec![best.ranks.back.clone()];
    for edge in 0..order.len() {
        if left == 0 || best.crossings == 0 {
            return;
        }
        let others = order.iter().copied().filter(|other| *other != edge);
        let other: Vec<usize> = std::iter::once(edge).chain(others).collect_vec();
        let ranks = task.ranks(&other);
        if tried.contains(&ranks.back) {
            continue;
        }
        tried.push(ranks.back.clone());
        left -= 1;
        let found = Layered::new(task, ranks);
        if found.crossings < best.crossings {
            (*best, order) = (found, other);
        }
    }
}
