//! Lists of what comes one by one.
//!
//! Decides nothing: what `collect` does, in one plain loop. The standard library's way knows a dozen shapes of what comes and asks for
//! the room at once; compiled for each closure anew, that is several functions a place. For all that is compiled for size.

/// Puts what comes into a list.
pub trait CollectVec: Iterator + Sized {
    /// All that comes, in its order.
    fn collect_vec(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        for item in self {
            list.push(item);
        }
        list
    }
}

impl<I: Iterator> CollectVec for I {}
