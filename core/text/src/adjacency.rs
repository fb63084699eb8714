//! Adjacency lists in one buffer, as a `Vec` for each number would cost an allocation. Lists keep the order
//! of their input.

/// Lists of items by number.
///
/// # Example
/// ```
/// use stepgraph_text::adjacency::Adjacency;
/// let after = Adjacency::new(3, &[(0_usize, 2), (1, 2), (0, 1)]);
/// assert_eq!((after.get(0), after.get(2), after.count()), (&[2, 1][..], &[][..], 3));
/// assert_eq!(after.first(1), 2);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Adjacency<N> {
    /// Ends with the end of the last list.
    starts: Vec<usize>,
    items: Vec<N>,
}

impl<N: Copy + Default + TryInto<usize>> Adjacency<N> {
    /// Builds the lists. Ignores numbers from `length` on.
    pub fn new(length: usize, pairs: &[(N, N)]) -> Self {
        let mut starts = vec![0_usize; length + 1];
        for (number, _) in pairs {
            if let Some(count) = starts.get_mut(index(*number).saturating_add(1)) {
                *count += 1;
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut items = vec![N::default(); total];
        let mut next = starts.clone();
        for (number, item) in pairs {
            let Some(at) = next.get_mut(index(*number)) else { continue };
            if let Some(slot) = items.get_mut(*at) {
                *slot = *item;
            }
            *at += 1;
        }
        Self { starts, items }
    }

    /// The list of a number, maybe empty.
    pub fn get(&self, number: N) -> &[N] {
        let bound = |at: usize| self.starts.get(at).copied().unwrap_or(self.items.len());
        let at = index(number);
        self.items.get(bound(at)..bound(at.saturating_add(1))).unwrap_or_default()
    }

    /// The position of a list's first item among all items.
    pub fn first(&self, number: N) -> usize {
        self.starts.get(index(number)).copied().unwrap_or_default()
    }

    /// The number of all items.
    pub fn count(&self) -> usize {
        self.items.len()
    }
}

fn index(number: impl TryInto<usize>) -> usize {
    number.try_into().unwrap_or(usize::MAX)
}
