//! Dominators: the points that every path from the start passes.
//!
//! Queries take constant time after nearly linear work.
//!
//! Source: Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (1979), the simple version.

use super::index_vec::{Adjacency, IndexVec, NONE};

/// The dominator tree: each subtree is a range of numbers.
#[derive(Debug)]
pub(super) struct Dominators {
    /// Preorder numbers; [`NONE`] if unreachable.
    first: IndexVec,
    /// Subtree sizes.
    size: IndexVec,
}

impl Dominators {
    pub(super) fn new(points: usize, start: u32, after: &Adjacency, before: &Adjacency) -> Self {
        let search = Search::new(points, start, after);
        let above = search.dominators(before);
        number_tree(points, &search.found, &above)
    }

    pub(super) fn is_reachable(&self, point: u32) -> bool {
        self.first.at(point) != NONE
    }

    /// `false` if one of the points is unreachable.
    pub(super) fn dominates(&self, through: u32, point: u32) -> bool {
        let (from, at) = (self.first.at(through), self.first.at(point));
        at != NONE && from != NONE && from <= at && at - from < self.size.at(through)
    }
}

/// Depth-first search, numbered by discovery.
struct Search {
    found: IndexVec,
    order: IndexVec,
    parent: IndexVec,
}

impl Search {
    fn new(points: usize, start: u32, after: &Adjacency) -> Self {
        let mut search = Self {
            found: IndexVec::default(),
            order: IndexVec::new(points, NONE),
            parent: IndexVec::default(),
        };
        let mut open = vec![(start, NONE)];
        while let Some((point, parent)) = open.pop() {
            if search.order.at(point) != NONE {
                continue;
            }
            let own = search.found.len();
            search.order.set(point, own);
            search.found.push(point);
            search.parent.push(parent);
            let new = |next: &&u32| search.order.at(**next) == NONE;
            open.extend(after.get(point).iter().rev().filter(new).map(|next| (*next, own)));
        }
        search
    }

    fn dominators(&self, before: &Adjacency) -> IndexVec {
        let count = self.found.len();
        let mut forest = Forest {
            ancestor: IndexVec::new(count as usize, NONE),
            label: IndexVec::of_itself(count as usize),
            semi: IndexVec::of_itself(count as usize),
        };
        let mut above = IndexVec::new(count as usize, 0);
        // Points with the same semidominator, as linked lists.
        let (mut head, mut next) = (IndexVec::new(count as usize, NONE), IndexVec::new(count as usize, NONE));
        for point in (1..count).rev() {
            for origin in before.get(self.found.at(point)) {
                let origin = self.order.at(*origin);
                if origin != NONE {
                    let best = forest.best(origin);
                    let best = forest.semi.at(best);
                    forest.semi.set(point, forest.semi.at(point).min(best));
                }
            }
            let semi = forest.semi.at(point);
            next.set(point, head.at(semi));
            head.set(semi, point);
            let parent = self.parent.at(point);
            forest.ancestor.set(point, parent);
            let mut waiting = head.at(parent);
            head.set(parent, NONE);
            while waiting != NONE {
                let best = forest.best(waiting);
                let lower = forest.semi.at(best) < forest.semi.at(waiting);
                above.set(waiting, if lower { best } else { parent });
                waiting = next.at(waiting);
            }
        }
        for point in 1..count {
            if above.at(point) != forest.semi.at(point) {
                above.set(point, above.at(above.at(point)));
            }
        }
        above
    }
}

struct Forest {
    ancestor: IndexVec,
    label: IndexVec,
    semi: IndexVec,
}

impl Forest {
    /// The ancestor with the lowest semidominator. Compresses the path.
    fn best(&mut self, point: u32) -> u32 {
        let mut path = Vec::new();
        let mut at = point;
        while self.ancestor.at(self.ancestor.at(at)) != NONE {
            path.push(at);
            at = self.ancestor.at(at);
        }
        for at in path.into_iter().rev() {
            let ancestor = self.ancestor.at(at);
            let (upper, own) = (self.label.at(ancestor), self.label.at(at));
            if self.semi.at(upper) < self.semi.at(own) {
                self.label.set(at, upper);
            }
            self.ancestor.set(at, self.ancestor.at(ancestor));
        }
        self.label.at(point)
    }
}

/// In preorder, so that subtrees are ranges.
fn number_tree(points: usize, found: &IndexVec, above: &IndexVec) -> Dominators {
    let count = found.len();
    let mut below = IndexVec::new(count as usize, 1);
    for point in (1..count).rev() {
        below.add(above.at(point), below.at(point));
    }
    let (mut first, mut size) = (IndexVec::new(points, NONE), IndexVec::new(points, 0));
    let mut free = IndexVec::new(count as usize, 1);
    let mut own = IndexVec::new(count as usize, 0);
    for point in 0..count {
        if point > 0 {
            let upper = above.at(point);
            own.set(point, free.at(upper));
            free.add(upper, below.at(point));
        }
        free.set(point, own.at(point) + 1);
        first.set(found.at(point), own.at(point));
        size.set(found.at(point), below.at(point));
    }
    Dominators { first, size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arcs(points: u32, mut seed: u64) -> Vec<(u32, u32)> {
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(seed >> 40).unwrap()
        };
        (0..points * 2).map(|_| (next() % points, next() % points)).collect()
    }

    fn reached(arcs: &[(u32, u32)], without: Option<u32>) -> Vec<bool> {
        let mut reached = vec![false; 64];
        let mut open = if without == Some(0) { vec![] } else { vec![0] };
        while let Some(point) = open.pop() {
            if !std::mem::replace(&mut reached[point as usize], true) {
                let ends = arcs.iter().filter(|(from, to)| *from == point && Some(*to) != without);
                open.extend(ends.map(|(_, to)| *to));
            }
        }
        reached
    }

    /// Removing a dominator makes the point unreachable.
    #[test]
    fn agrees_with_the_definition() {
        for seed in 0..400 {
            let points = 2 + u32::try_from(seed % 12).unwrap();
            let arcs = arcs(points, seed);
            let after = Adjacency::new(points as usize, &arcs);
            let back: Vec<(u32, u32)> = arcs.iter().map(|(from, to)| (*to, *from)).collect();
            let before = Adjacency::new(points as usize, &back);
            let dominators = Dominators::new(points as usize, 0, &after, &before);
            let all = reached(&arcs, None);
            for through in 0..points {
                let others = reached(&arcs, Some(through));
                for point in 0..points {
                    let (a, b) = (through as usize, point as usize);
                    let expected = all[a] && all[b] && !others[b];
                    assert_eq!(dominators.dominates(through, point), expected, "{seed}: {through} {point}");
                    assert_eq!(dominators.is_reachable(point), all[b]);
                }
            }
        }
    }
}
