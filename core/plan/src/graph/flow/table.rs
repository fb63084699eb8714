//! Numbers by number, and lists of numbers by number.
//!
//! Decides nothing: a place that is not there holds [`NONE`], so that no reader has to stop for it.

use stepgraph_text::list::List;

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// A number of 32 bits: no document that is read can hold more things.
pub(super) fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(NONE)
}

/// Numbers by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Table(Vec<u32>);

impl Table {
    pub(super) fn new(length: usize, value: u32) -> Self {
        Self(vec![value; length])
    }

    /// Each number at its own place.
    pub(super) fn of_itself(length: usize) -> Self {
        Self((0..number(length)).list())
    }

    pub(super) fn at(&self, place: u32) -> u32 {
        self.0.get(place as usize).copied().unwrap_or(NONE)
    }

    pub(super) fn set(&mut self, place: u32, value: u32) {
        if let Some(old) = self.0.get_mut(place as usize) {
            *old = value;
        }
    }

    pub(super) fn add(&mut self, place: u32, more: u32) {
        self.set(place, self.at(place).saturating_add(more));
    }

    pub(super) fn push(&mut self, value: u32) {
        self.0.push(value);
    }

    pub(super) fn len(&self) -> u32 {
        number(self.0.len())
    }
}

/// Lists of numbers by number, all in one.
pub(super) type Lists = stepgraph_text::lists::Lists<u32>;
