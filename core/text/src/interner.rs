//! Names in the order in which they came, each with its number.
//!
//! Decides nothing; one table serves programs and hosts alike.

use std::collections::HashMap;
use std::hash::Hash;

/// Things and their numbers, in order.
#[derive(Debug, Clone)]
pub struct Interner<T> {
    items: Vec<T>,
    numbers: HashMap<T, u32>,
}

/// Names, in order.
pub type NameTable = Interner<String>;

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { items: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// The number of a thing, a new one if it has none yet.
    pub fn intern(&mut self, item: T) -> u32 {
        if let Some(known) = self.numbers.get(&item) {
            return *known;
        }
        // Positions fit 32 bits: no document that is read can hold more things.
        let new = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        self.items.push(item.clone());
        self.numbers.insert(item, new);
        new
    }

    /// All of them, in order.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// All of them, in order, without their numbers.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }
}

impl NameTable {
    /// The number of a name, if it has one.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Whether the name is there.
    pub fn contains(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// All names, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(String::as_str)
    }
}

impl Extend<String> for NameTable {
    fn extend<I: IntoIterator<Item = String>>(&mut self, names: I) {
        for name in names {
            self.intern(name);
        }
    }
}

impl FromIterator<String> for NameTable {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let mut found = Self::default();
        found.extend(names);
        found
    }
}
