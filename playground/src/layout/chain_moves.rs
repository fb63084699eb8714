//! Moves chains of vertices, and nodes with their chains, to where they cross the fewest edges.
//!
//! A chain has a neighbour above and below each vertex at most: a branch, or a long edge. Its best way through the
//! layers is a shortest path over the places in each. Swaps of neighbours rarely find it, because moving one vertex
//! alone adds crossings.

use super::adjacent_swaps::layer_indexes;
use super::dummy_nodes::RankedGraph;
use super::{get_or_default, set_at};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::sort;

/// Crossings count more than distances.
const CROSSING: u64 = 1 << 24;
/// Rounds over all vertices.
const ROUNDS: usize = 6;
const REMOVED: usize = usize::MAX;
/// More than any path.
const NEVER: u64 = u64::MAX / 4;

/// Returns whether crossings became fewer.
pub(super) fn move_chains(graph: &mut RankedGraph, effort: &mut usize) -> bool {
    let mut search = Search { index: layer_indexes(graph), graph, effort: *effort };
    let is_better = search.run();
    *effort = search.effort;
    is_better
}

struct Search<'a> {
    graph: &'a mut RankedGraph,
    /// In its layer.
    index: Vec<usize>,
    /// Of paths that may still be looked at.
    effort: usize,
}

/// Vertices from one end to the other, and the vertex beyond each end.
#[derive(Debug, Default)]
struct Chain {
    vertices: Vec<usize>,
    before: Option<usize>,
    after: Option<usize>,
}

impl Chain {
    fn segments(&self) -> impl Iterator<Item = (usize, usize)> {
        let all = || self.before.iter().chain(&self.vertices).chain(&self.after).copied();
        all().zip(all().skip(1))
    }
}

/// How many edges that begin left and right of a place end at each place.
struct Ends {
    left: Vec<u64>,
    right: Vec<u64>,
}

impl Ends {
    fn new(width: usize) -> Self {
        Self { left: vec![0; width], right: vec![0; width] }
    }

    fn add(&mut self, end: usize, is_left: bool) {
        let list = if is_left { &mut self.left } else { &mut self.right };
        if let Some(count) = list.get_mut(end) {
            *count += CROSSING;
        }
    }

    /// The place is now right of the edge.
    fn pass(&mut self, end: usize) {
        if let (Some(left), Some(right)) = (self.left.get_mut(end), self.right.get_mut(end)) {
            *left += CROSSING;
            *right -= CROSSING;
        }
    }

    /// Of an edge from the place to each place.
    fn costs(&self) -> impl Iterator<Item = u64> {
        let mut cost: u64 = self.left.iter().sum();
        self.left.iter().zip(&self.right).map(move |(left, right)| {
            let now = cost;
            cost = cost + right - left;
            now
        })
    }
}

impl Search<'_> {
    fn run(&mut self) -> bool {
        let mut is_better = false;
        for _ in 0..ROUNDS {
            let mut is_moved = false;
            let vertices: Vec<usize> = self.graph.layers.iter().flatten().copied().collect_vec();
            for vertex in vertices {
                if self.effort == 0 {
                    return is_better || is_moved;
                }
                is_moved |= if self.graph.is_thin(vertex) {
                    self.is_first(vertex) && self.move_chain(vertex)
                } else {
                    self.move_node(vertex)
                };
            }
            if !is_moved {
                break;
            }
            is_better = true;
        }
        is_better
    }

    fn near(&self, vertex: usize, is_above: bool) -> &[usize] {
        if is_above { self.graph.above.get(vertex) } else { self.graph.below.get(vertex) }
    }

    /// The highest vertex of its chain.
    fn is_first(&self, vertex: usize) -> bool {
        self.near(vertex, true).first().is_none_or(|above| !self.graph.is_thin(*above))
    }

    fn rank(&self, vertex: usize) -> usize {
        get_or_default(&self.graph.rank, vertex)
    }

    fn width(&self, rank: usize) -> usize {
        self.graph.layers.get(rank).map_or(0, Vec::len)
    }

    /// From `first` up or down.
    fn chain(&self, first: usize, is_up: bool) -> Chain {
        let mut chain = Chain { before: self.near(first, !is_up).first().copied(), ..Chain::default() };
        let mut next = Some(first);
        while let Some(vertex) = next.filter(|vertex| self.graph.is_thin(*vertex)) {
            chain.vertices.push(vertex);
            next = self.near(vertex, is_up).first().copied();
        }
        chain.after = next;
        chain
    }

    fn move_chain(&mut self, first: usize) -> bool {
        let chain = self.chain(first, false);
        let old: usize = chain.segments().map(|(a, b)| self.segment_crossings(a, b)).sum();
        if old == 0 {
            return false;
        }
        let places: Vec<usize> =
            chain.vertices.iter().map(|vertex| get_or_default(&self.index, *vertex)).collect_vec();
        self.remove(&chain.vertices);
        let limit = CROSSING * u64::try_from(old).unwrap_or(u64::MAX >> 24);
        let found = self.best_path(&chain, &places, limit);
        self.insert(&chain.vertices, found.as_ref().unwrap_or(&places));
        found.is_some()
    }

    /// Edges between the layer and the next one, by their places.
    fn edges(&self, from: usize, is_up: bool) -> impl Iterator<Item = (usize, usize)> {
        let layer = self.graph.layers.get(from).map_or(&[][..], Vec::as_slice);
        layer.iter().enumerate().flat_map(move |(at, vertex)| {
            let ends = self.near(*vertex, is_up).iter().map(|end| get_or_default(&self.index, *end));
            ends.filter(|end| *end != REMOVED).map(move |end| (at, end))
        })
    }

    fn segment_crossings(&self, a: usize, b: usize) -> usize {
        let (upper, lower) = if self.rank(a) < self.rank(b) { (a, b) } else { (b, a) };
        let (left, right) = (get_or_default(&self.index, upper), get_or_default(&self.index, lower));
        let crosses = |(a, b): &(usize, usize)| (*a < left && *b > right) || (*a > left && *b < right);
        self.edges(self.rank(upper), false).filter(crosses).count()
    }

    fn remove(&mut self, vertices: &[usize]) {
        for vertex in vertices {
            let rank = self.rank(*vertex);
            if let Some(layer) = self.graph.layers.get_mut(rank) {
                layer.retain(|other| other != vertex);
            }
            set_at(&mut self.index, *vertex, REMOVED);
            self.index_layer(rank);
        }
    }

    fn insert(&mut self, vertices: &[usize], places: &[usize]) {
        for (vertex, place) in vertices.iter().zip(places) {
            let rank = self.rank(*vertex);
            if let Some(layer) = self.graph.layers.get_mut(rank) {
                layer.insert((*place).min(layer.len()), *vertex);
            }
            self.index_layer(rank);
        }
    }

    fn index_layer(&mut self, rank: usize) {
        for (at, vertex) in self.graph.layers.get(rank).into_iter().flatten().enumerate() {
            set_at(&mut self.index, *vertex, at);
        }
    }

    /// Cost of an edge from `vertex` to each place in the layer.
    fn costs_from(&self, vertex: usize, to: usize) -> Vec<u64> {
        let from = self.rank(vertex);
        let at = get_or_default(&self.index, vertex);
        let mut ends = Ends::new(self.width(to) + 1);
        for (a, b) in self.edges(from, to < from).filter(|(a, _)| *a != at) {
            ends.add(b, a < at);
        }
        ends.costs().collect_vec()
    }

    /// The cheapest edge to each place of the next layer, and where it comes from.
    fn step(&mut self, costs: &[u64], from: usize, to: usize, limit: u64) -> (Vec<u64>, Vec<usize>) {
        let width = self.width(to) + 1;
        let mut ends = Ends::new(width);
        for (_, end) in self.edges(from, to < from) {
            ends.add(end, false);
        }
        let (mut best, mut origin) = (vec![NEVER; width], vec![0; width]);
        let mut work = costs.len() + width;
        let layer = self.graph.layers.get(from).map_or(&[][..], Vec::as_slice);
        for (at, cost) in costs.iter().enumerate() {
            if *cost < limit {
                work += width;
                for ((best, origin), more) in best.iter_mut().zip(&mut origin).zip(ends.costs()) {
                    if cost + more < *best {
                        (*best, *origin) = (cost + more, at);
                    }
                }
            }
            for end in layer.get(at).into_iter().flat_map(|vertex| self.near(*vertex, to < from)) {
                ends.pass(get_or_default(&self.index, *end));
            }
        }
        self.effort = self.effort.saturating_sub(work);
        (best, origin)
    }

    /// Costs of the places of each vertex, with the origins of the cheapest. Earlier places are cheaper.
    fn path_costs(&mut self, chain: &Chain, places: &[usize], limit: u64) -> (Vec<u64>, Vec<Vec<usize>>) {
        let mut costs = Vec::new();
        let mut origins = Vec::with_capacity(chain.vertices.len());
        let mut last: Option<usize> = None;
        for (vertex, place) in chain.vertices.iter().zip(places) {
            let rank = self.rank(*vertex);
            let origin;
            (costs, origin) = match (last, chain.before) {
                (Some(last), _) => self.step(&costs, last, rank, limit),
                (None, Some(before)) => (self.costs_from(before, rank), Vec::new()),
                (None, None) => (vec![0; self.width(rank) + 1], Vec::new()),
            };
            for (at, cost) in costs.iter_mut().enumerate() {
                *cost += u64::try_from(at.abs_diff(*place)).unwrap_or_default();
            }
            origins.push(origin);
            last = Some(rank);
        }
        (costs, origins)
    }

    /// The cheapest places below the limit, nearest to `places`.
    fn best_path(&mut self, chain: &Chain, places: &[usize], limit: u64) -> Option<Vec<usize>> {
        let (mut costs, origins) = self.path_costs(chain, places, limit);
        if let (Some(after), Some(last)) = (chain.after, chain.vertices.last()) {
            for (cost, more) in costs.iter_mut().zip(self.costs_from(after, self.rank(*last))) {
                *cost += more;
            }
        }
        let (mut at, cost) = costs.iter().enumerate().min_by_key(|(_, cost)| **cost)?;
        if *cost >= limit {
            return None;
        }
        let mut path = Vec::with_capacity(origins.len());
        for origin in origins.iter().rev() {
            path.push(at);
            at = get_or_default(origin, at);
        }
        path.reverse();
        Some(path)
    }

    /// With the chains at the node.
    fn move_node(&mut self, node: usize) -> bool {
        let mut chains = Vec::new();
        let mut direct = Vec::new();
        for is_up in [true, false] {
            for near in self.near(node, is_up) {
                if self.graph.is_thin(*near) {
                    let mut chain = self.chain(*near, is_up);
                    // From the far end.
                    chain.vertices.reverse();
                    (chain.before, chain.after) = (chain.after, Some(node));
                    chains.push(chain);
                } else {
                    direct.push(*near);
                }
            }
        }
        let own: usize = direct.iter().map(|near| self.segment_crossings(node, *near)).sum();
        let of_chain =
            |chain: &Chain| -> usize { chain.segments().map(|(a, b)| self.segment_crossings(a, b)).sum() };
        let now = own + chains.iter().map(of_chain).sum::<usize>();
        if now == 0 {
            return false;
        }
        let (mut first, mut last) = (self.rank(node), self.rank(node));
        for vertex in
            chains.iter().flat_map(|chain| chain.vertices.iter().chain(&chain.before)).chain(&direct)
        {
            (first, last) = (first.min(self.rank(*vertex)), last.max(self.rank(*vertex)));
        }
        let old = self.crossings(first, last);
        let layers: Vec<Vec<usize>> = self.graph.layers.get(first..=last).unwrap_or_default().to_vec();
        let limit = CROSSING * u64::try_from(now).unwrap_or_default();
        self.reinsert(node, &chains, &direct, limit);
        if self.crossings(first, last) < old {
            return true;
        }
        for (rank, layer) in (first..).zip(layers) {
            set_at(&mut self.graph.layers, rank, layer);
            self.index_layer(rank);
        }
        false
    }

    fn reinsert(&mut self, node: usize, chains: &[Chain], direct: &[usize], limit: u64) {
        let places: Vec<Vec<usize>> = chains
            .iter()
            .map(|chain| {
                chain.vertices.iter().map(|vertex| get_or_default(&self.index, *vertex)).collect_vec()
            })
            .collect_vec();
        let place = get_or_default(&self.index, node);
        let rank = self.rank(node);
        for chain in chains {
            self.remove(&chain.vertices);
        }
        self.remove(&[node]);
        let mut costs: Vec<u64> = (0..=self.width(rank))
            .map(|at| u64::try_from(at.abs_diff(place)).unwrap_or_default())
            .collect_vec();
        let mut add = |more: Vec<u64>| {
            for (cost, more) in costs.iter_mut().zip(more) {
                *cost = cost.saturating_add(more);
            }
        };
        for near in direct {
            add(self.costs_from(*near, rank));
        }
        for (chain, places) in chains.iter().zip(&places) {
            let (costs, _) = self.path_costs(chain, places, limit);
            let last = chain.vertices.last().map_or(rank, |vertex| self.rank(*vertex));
            add(self.step(&costs, last, rank, limit).0);
        }
        let best = costs.iter().enumerate().min_by_key(|(_, cost)| **cost).map_or(place, |(at, _)| at);
        self.insert(&[node], &[best]);
        for (chain, places) in chains.iter().zip(&places) {
            let path = self.best_path(chain, places, NEVER);
            self.insert(&chain.vertices, path.as_ref().unwrap_or(places));
        }
    }

    /// Between the layers.
    fn crossings(&self, first: usize, last: usize) -> usize {
        (first..last).map(|rank| self.crossings_below(rank)).sum()
    }

    fn crossings_below(&self, rank: usize) -> usize {
        let mut ends: Vec<(usize, usize)> = self.edges(rank, false).collect_vec();
        sort::sort_items(&mut ends, Ord::cmp);
        let mut found = 0;
        let mut passed: Vec<usize> = Vec::with_capacity(ends.len());
        for (_, end) in ends {
            let at = passed.partition_point(|other| *other <= end);
            found += passed.len() - at;
            passed.insert(at, end);
        }
        found
    }
}
