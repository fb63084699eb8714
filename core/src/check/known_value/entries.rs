//! Named parts of a [`KnownValue`](super::KnownValue).

use super::Shared;
use std::collections::HashMap;

/// Shorter lists are searched.
const MIN_INDEXED: usize = 32;

/// In order of declaration, with distinct names.
#[derive(Debug)]
pub(in crate::check) struct Entries<'a> {
    list: Vec<(&'a str, Shared<'a>)>,
    /// Empty for a short list.
    positions: HashMap<&'a str, usize>,
}

impl<'a> Entries<'a> {
    pub(super) fn new(list: Vec<(&'a str, Shared<'a>)>) -> Self {
        let positions = if list.len() < MIN_INDEXED { HashMap::new() } else { positions(&list) };
        Self { list, positions }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, (&'a str, Shared<'a>)> {
        self.list.iter()
    }

    pub(in crate::check) fn get(&self, name: &str) -> Option<&Shared<'a>> {
        let found = if self.positions.is_empty() {
            self.list.iter().find(|(known, _)| *known == name)
        } else {
            self.list.get(*self.positions.get(name)?)
        };
        found.map(|(_, value)| value)
    }
}

#[inline(never)]
fn positions<'a>(list: &[(&'a str, Shared<'a>)]) -> HashMap<&'a str, usize> {
    let mut positions = HashMap::new();
    for (at, (name, _)) in list.iter().enumerate() {
        positions.entry(*name).or_insert(at);
    }
    positions
}
