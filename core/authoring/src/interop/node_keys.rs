//! Generates unique keys: lowercase letters, digits, dashes.

use std::collections::HashMap;

const MAX_KEY_CHARS: usize = 40;

#[derive(Debug, Default)]
pub(super) struct KeyAllocator {
    used: HashMap<String, usize>,
}

impl KeyAllocator {
    /// `or` replaces an unusable title.
    pub(super) fn allocate(&mut self, title: &str, or: &str) -> String {
        let key = [slug(title), slug(or)].into_iter().find(|key| !key.is_empty());
        self.make_unique(key.unwrap_or_else(|| "node".to_owned()))
    }

    pub(super) fn make_unique(&mut self, key: String) -> String {
        let key = if key.trim().is_empty() { "node".to_owned() } else { key };
        // References use these names.
        let reserved = matches!(key.as_str(), "input" | "memory");
        if !reserved && !self.used.contains_key(&key) {
            self.used.insert(key.clone(), 1);
            return key;
        }
        let mut number = self.used.get(&key).copied().unwrap_or(1);
        loop {
            number += 1;
            let numbered = format!("{key}-{number}");
            if !self.used.contains_key(&numbered) {
                self.used.insert(key, number);
                self.used.insert(numbered.clone(), 1);
                return numbered;
            }
        }
    }
}

fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().take(MAX_KEY_CHARS).flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}
