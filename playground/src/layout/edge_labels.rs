//! Gives edge labels their own layers just above the edge's lower end, where edges have separated.
//!
//! Source: dagre and ELK also treat labels as nodes.

use super::dummy_nodes::RankedGraph;
use super::ranking::Ranks;
use super::{LayoutInput, get_or_default, set_at};
use crate::geometry::Size;

/// In larger graphs labels are unreadable.
const MAX_LABELLED: usize = 4_000;

#[derive(Debug, Default)]
pub(super) struct LabelLayers {
    /// Per edge.
    layers: Vec<Option<usize>>,
    /// Label-only layers.
    is_own: Vec<bool>,
}

impl LabelLayers {
    pub(super) fn reserve_layers(input: &LayoutInput, ranks: &mut Ranks) -> Self {
        let height = ranks.of.iter().max().map_or(0, |last| last + 1);
        let is_large = input.sizes.len() + input.edges.len() > MAX_LABELLED;
        let has_label = |edge: usize| !is_large && get_or_default(&input.labels, edge).width > 0.0;
        let gaps: Vec<Option<usize>> = input
            .edges
            .iter()
            .enumerate()
            .map(|(edge, ends)| has_label(edge).then(|| gap(*ends, &ranks.of)).flatten())
            .collect();
        let mut has_own = vec![false; height];
        for gap in gaps.iter().flatten() {
            set_at(&mut has_own, *gap, true);
        }
        // Label layers above move it down.
        let mut moved = Vec::with_capacity(height);
        let mut is_own = Vec::with_capacity(height);
        for own in &has_own {
            moved.push(is_own.len());
            is_own.push(false);
            if *own {
                is_own.push(true);
            }
        }
        for rank in &mut ranks.of {
            *rank = get_or_default(&moved, *rank);
        }
        Self {
            layers: gaps.into_iter().map(|gap| gap.map(|gap| get_or_default(&moved, gap) + 1)).collect(),
            is_own,
        }
    }

    /// Returns the label's vertex of each edge.
    pub(super) fn set_sizes(&self, graph: &mut RankedGraph, sizes: &[Size]) -> Vec<Option<usize>> {
        let mut found = Vec::with_capacity(self.layers.len());
        for (edge, layer) in self.layers.iter().enumerate() {
            let chain = graph.dummy_chains.get(edge).into_iter().flatten().copied();
            let place = layer
                .and_then(|layer| chain.clone().find(|vertex| get_or_default(&graph.rank, *vertex) == layer));
            if let Some(vertex) = place {
                set_at(&mut graph.sizes, vertex, get_or_default(sizes, edge));
            }
            found.push(place);
        }
        found
    }

    pub(super) fn gaps(&self, layers: usize, input: &LayoutInput) -> Vec<f64> {
        let is_own = |layer: usize| get_or_default(&self.is_own, layer);
        let gap = |layer: usize| {
            if is_own(layer) || is_own(layer + 1) { input.label_gap } else { input.layer_gap }
        };
        (0..layers).map(gap).collect()
    }
}

/// The layer above the label.
fn gap((from, to): (usize, usize), ranks: &[usize]) -> Option<usize> {
    let (a, b) = (*ranks.get(from)?, *ranks.get(to)?);
    (a != b).then(|| a.max(b) - 1)
}
