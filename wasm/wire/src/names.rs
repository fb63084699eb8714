//! Sets and maps of names. They are JSON maps inside, whose code every page loads anyway.

use serde_json::{Map, Value};

/// A set of names.
#[derive(Debug, Default)]
pub(crate) struct NameSet(Map<String, Value>);

impl NameSet {
    /// Returns whether the name is new.
    pub(crate) fn insert(&mut self, name: String) -> bool {
        self.0.insert(name, Value::Null).is_none()
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

/// Values by name.
#[derive(Debug)]
pub(crate) struct NameMap<T> {
    places: Map<String, Value>,
    values: Vec<T>,
}

impl<T> Default for NameMap<T> {
    fn default() -> Self {
        Self { places: Map::new(), values: Vec::new() }
    }
}

impl<T> NameMap<T> {
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        self.values.get(self.place(name)?)
    }

    pub(crate) fn insert(&mut self, name: String, value: T) {
        if let Some(old) = self.place(&name).and_then(|at| self.values.get_mut(at)) {
            *old = value;
            return;
        }
        self.places.insert(name, self.values.len().into());
        self.values.push(value);
    }

    fn place(&self, name: &str) -> Option<usize> {
        usize::try_from(self.places.get(name)?.as_u64()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_each_name_once() {
        let mut names = NameSet::default();
        assert!(names.insert("a".into()));
        assert!(!names.insert("a".into()));
        assert!(names.contains("a") && !names.contains("b"));
    }

    #[test]
    fn a_later_value_replaces_the_earlier_one() {
        let mut values = NameMap::default();
        for (name, value) in [("a", 1), ("b", 2), ("a", 3)] {
            values.insert(name.into(), value);
        }
        assert_eq!(["a", "b", "c"].map(|name| values.get(name).copied()), [Some(3), Some(2), None]);
        assert_eq!(values.values.len(), 2);
    }
}
