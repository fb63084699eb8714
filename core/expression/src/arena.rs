//! An arena holds an evaluation's texts and lists, so values are small and `Copy`.

use crate::value::Val;
use std::cell::{Cell, OnceCell};

/// Create one before [`crate::Program::evaluate`]. An empty one allocates nothing.
#[derive(Debug, Default)]
pub struct ExpressionArena<'a> {
    texts: Arena<Box<str>>,
    lists: Arena<Box<[Val<'a>]>>,
}

impl<'a> ExpressionArena<'a> {
    /// Allocates nothing.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn text(&'a self, text: String) -> &'a str {
        self.texts.keep(text.into_boxed_str())
    }

    pub(crate) fn list(&'a self, items: Vec<Val<'a>>) -> &'a [Val<'a>] {
        self.lists.keep(items.into_boxed_slice())
    }
}

/// Its elements never move.
#[derive(Debug)]
struct Arena<T> {
    first: OnceCell<Box<Block<T>>>,
    count: Cell<usize>,
}

/// Twice as long as the previous block, so only a few exist.
#[derive(Debug)]
struct Block<T> {
    slots: Box<[OnceCell<T>]>,
    next: OnceCell<Box<Block<T>>>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { first: OnceCell::new(), count: Cell::new(0) }
    }
}

impl<T> Block<T> {
    fn new(length: usize) -> Box<Self> {
        Box::new(Self { slots: (0..length).map(|_| OnceCell::new()).collect(), next: OnceCell::new() })
    }
}

impl<T> Arena<T> {
    fn keep(&self, item: T) -> &T {
        let mut at = self.count.replace(self.count.get() + 1);
        let mut block = self.first.get_or_init(|| Block::new(4));
        loop {
            match block.slots.get(at) {
                Some(slot) => return slot.get_or_init(|| item),
                None => at -= block.slots.len(),
            }
            block = block.next.get_or_init(|| Block::new(block.slots.len() * 2));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arena;

    #[test]
    fn items_stay_where_they_are() {
        let arena = Arena::default();
        let kept: Vec<&usize> = (0..1000).map(|item| arena.keep(item)).collect();
        assert!(kept.iter().enumerate().all(|(at, item)| at == **item));
    }
}
