//! A string interner: numbers names in insertion order.

use std::collections::HashMap;
use std::hash::Hash;

/// Numbered items.
#[derive(Debug, Clone)]
pub struct Interner<T> {
    items: Vec<T>,
    numbers: HashMap<T, u32>,
}

/// Numbered names.
pub type NameTable = Interner<String>;

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { items: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// An item's number, new or known.
    pub fn intern(&mut self, item: T) -> u32 {
        if let Some(known) = self.numbers.get(&item) {
            return *known;
        }
        // The parser accepts no document with more values.
        let new = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        self.items.push(item.clone());
        self.numbers.insert(item, new);
        new
    }

    /// All items.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// All items.
    pub fn into_items(self) -> Vec<T> {
        self.items
    }
}

impl NameTable {
    /// A name's number.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Whether it's known.
    pub fn contains(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// All names.
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
