//! What every place of a graph is joined to, in one list for all of them.
//!
//! Decides nothing. A list for each place would be as many pieces of memory as there are places, most of them with one number in it.
//!
//! Source: compressed sparse rows, as graph libraries keep them.

use super::{at, put};

/// For each place those it is joined to, or the numbers of what else there is to say of it.
#[derive(Debug, Default)]
pub(super) struct Joins {
    /// Where the part of each place begins, and where the last one ends.
    first: Vec<usize>,
    all: Vec<usize>,
}

impl Joins {
    /// From pairs of a place and what it is joined to, which keep their order.
    pub(super) fn new(places: usize, pairs: &[(usize, usize)]) -> Self {
        let mut first = vec![0_usize; places + 1];
        for (place, _) in pairs {
            if let Some(count) = first.get_mut(place + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for begin in &mut first {
            sum += *begin;
            *begin = sum;
        }
        let mut all = vec![0; sum];
        let mut next = first.clone();
        for (place, other) in pairs {
            let spot = at(&next, *place);
            put(&mut all, spot, *other);
            put(&mut next, *place, spot + 1);
        }
        Self { first, all }
    }

    /// What a place is joined to.
    pub(super) fn of(&self, place: usize) -> &[usize] {
        self.all.get(self.first(place)..at(&self.first, place + 1)).unwrap_or_default()
    }

    /// The number of a place's first join among all of them.
    pub(super) fn first(&self, place: usize) -> usize {
        at(&self.first, place)
    }

    /// How many joins there are.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }
}
