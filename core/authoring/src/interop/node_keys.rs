//! Names of nodes that come from titles.
//!
//! Decides how: small letters and digits, dashes between words, each name once.

use std::collections::HashMap;

/// Characters of a name.
const MAX_KEY_CHARS: usize = 40;

/// The keys that were given so far.
#[derive(Debug, Default)]
pub(super) struct KeyAllocator {
    used: HashMap<String, usize>,
}

impl KeyAllocator {
    /// A key for a title; `or` is another title for where that has neither letters nor digits.
    pub(super) fn allocate(&mut self, title: &str, or: &str) -> String {
        let key = [slug(title), slug(or)].into_iter().find(|key| !key.is_empty());
        self.make_unique(key.unwrap_or_else(|| "node".to_owned()))
    }

    /// A key, or that with a number where it is taken.
    pub(super) fn make_unique(&mut self, key: String) -> String {
        let key = if key.trim().is_empty() { "node".to_owned() } else { key };
        // What references mean by these is no node.
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
