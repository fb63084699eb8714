//! Stable sorting of indexes, compiled once. Standard sorts add 1.4 kB, gzipped, to the page's first load,
//! which exceeds its limit.

use crate::collect::CollectVec;
use std::cmp::Ordering;

/// Sorts indexes by their items.
#[inline(never)]
pub fn sort_indexes(list: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    list.sort_by(|a, b| compare(*a, *b));
}

/// Sorts items. In hot code, sort indexes instead.
pub fn sort_items<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let places = sorted_places(list.len(), &mut |a, b| match (list.get(a), list.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    move_to_places(places, &mut |a, b| list.swap(a, b));
}

/// The place of each item.
#[inline(never)]
fn sorted_places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order = (0..count).collect_vec();
    sort_indexes(&mut order, compare);
    let mut places = vec![0; count];
    for (place, item) in order.into_iter().enumerate() {
        if let Some(known) = places.get_mut(item) {
            *known = place;
        }
    }
    places
}

/// Each exchange puts one item in its place.
#[inline(never)]
fn move_to_places(mut places: Vec<usize>, exchange: &mut dyn FnMut(usize, usize)) {
    for at in 0..places.len() {
        while let Some(place) = places.get(at).copied().filter(|place| *place != at) {
            exchange(at, place);
            places.swap(at, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{sort_indexes, sort_items};

    #[test]
    fn sorts_as_the_library_does() {
        let lists: [&[(u8, char)]; 4] =
            [&[], &[(1, 'a')], &[(2, 'a'), (1, 'b')], &[(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (0, 'e')]];
        for list in lists {
            let (mut ours, mut theirs) = (list.to_vec(), list.to_vec());
            sort_items(&mut ours, |a, b| a.0.cmp(&b.0));
            theirs.sort_by_key(|it| it.0);
            assert_eq!(ours, theirs);
            let mut places: Vec<usize> = (0..list.len()).collect();
            sort_indexes(&mut places, &mut |a, b| list[a].0.cmp(&list[b].0));
            assert_eq!(places.iter().map(|at| list[*at]).collect::<Vec<_>>(), theirs);
        }
    }
}
