//! Collects an iterator into a `Vec` with a plain loop.
//!
//! `collect` of the standard library compiles to several functions a call: the engine's module would be 60 kB
//! larger and the editor's 40 kB.

/// Collects into a `Vec`.
pub trait CollectVec: Iterator + Sized {
    /// Collects all items.
    fn collect_vec(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        for item in self {
            list.push(item);
        }
        list
    }
}

impl<I: Iterator> CollectVec for I {}
