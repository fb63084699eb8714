//! Places labels without layout space on their edge, free and nearest the middle.

use super::SceneEdge;
use crate::geometry::{Point, Rect, Size};
use crate::spatial_index::SpatialIndex;

const CANDIDATE_POSITIONS: [f64; 7] = [0.5, 0.62, 0.38, 0.74, 0.26, 0.85, 0.15];
const LABEL_GAP: f64 = 3.0;

/// Only those not `settled`. Boxes have their sizes.
pub(super) fn place_labels(areas: &[Rect], lines: &mut [SceneEdge], settled: &[bool]) {
    let is_settled = |line: usize| settled.get(line).copied().unwrap_or_default();
    if lines.iter().enumerate().all(|(line, found)| is_settled(line) || found.label_box.size.width == 0.0) {
        return;
    }
    let mut taken = SpatialIndex::default();
    for (number, area) in areas.iter().enumerate() {
        taken.insert(number, *area);
    }
    for (line, found) in lines.iter().enumerate().filter(|(line, _)| is_settled(*line)) {
        taken.insert(areas.len() + line, found.label_box);
    }
    for (line, found) in lines.iter_mut().enumerate() {
        if is_settled(line) || found.label_box.size.width == 0.0 {
            continue;
        }
        found.label_box = free_box(found, found.label_box.size, &taken);
        taken.insert(areas.len() + line, found.label_box);
    }
}

/// First free box, or the middle.
fn free_box(edge: &SceneEdge, size: Size, taken: &SpatialIndex) -> Rect {
    let around = |at: Point| Rect::centred_at(at, size);
    let tried = CANDIDATE_POSITIONS.iter().map(|part| around(edge.curve.at(*part)));
    tried
        .clone()
        .find(|area| taken.intersecting(&area.expanded(LABEL_GAP)).is_empty())
        .unwrap_or_else(|| around(edge.curve.middle()))
}
