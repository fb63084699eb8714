//! 32-bit indices and adjacency lists. Reads out of range return [`NONE`], so callers need no checks.

use stepgraph_text::collect::CollectVec;

pub(super) const NONE: u32 = u32::MAX;

/// No readable document has more items.
pub(super) fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(NONE)
}

#[derive(Debug, Clone, Default)]
pub(super) struct IndexVec(Vec<u32>);

impl IndexVec {
    pub(super) fn new(length: usize, value: u32) -> Self {
        Self(vec![value; length])
    }

    pub(super) fn of_itself(length: usize) -> Self {
        Self((0..number(length)).collect_vec())
    }

    pub(super) fn at(&self, index: u32) -> u32 {
        self.0.get(index as usize).copied().unwrap_or(NONE)
    }

    pub(super) fn set(&mut self, index: u32, value: u32) {
        if let Some(old) = self.0.get_mut(index as usize) {
            *old = value;
        }
    }

    pub(super) fn add(&mut self, index: u32, more: u32) {
        self.set(index, self.at(index).saturating_add(more));
    }

    pub(super) fn push(&mut self, value: u32) {
        self.0.push(value);
    }

    pub(super) fn len(&self) -> u32 {
        number(self.0.len())
    }
}

pub(super) type Adjacency = stepgraph_text::adjacency::Adjacency<u32>;
