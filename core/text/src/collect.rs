//! Collects an iterator with a plain loop. The standard library's `collect` makes the engine's module 60
//! kB larger and the editor's 40 kB, 7 kB of them gzipped.

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
