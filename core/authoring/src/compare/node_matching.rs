//! Matches nodes by equal keys, then by similar content and neighbours. Each match supports those of its
//! neighbours.
//!
//! Invariants:
//! 1. The same two graphs produce the same matches.
//! 2. Time is almost linear, because each node has a limited number of candidates.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{Hash, Hasher};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::source::{Spanned, ValueKind};
use stepgraph_core::value::json_text;

/// In thousandths.
const MIN_SIMILARITY: u32 = 550;
/// Between candidates in list order.
const WINDOW: usize = 3;
/// A feature that more nodes share does not count.
const MAX_SHARED: usize = 8;
const MAX_COMPARED: usize = 48;

#[derive(Debug)]
pub(super) struct GraphFeatures<'a> {
    pub(super) keys: Vec<&'a str>,
    values: Vec<&'a Spanned>,
    adjacent: [Vec<Vec<usize>>; 2],
}

#[derive(Debug, Clone, Default)]
pub(super) struct NodeMatching {
    pub(super) after: Vec<Option<usize>>,
    pub(super) before: Vec<Option<usize>>,
}

impl NodeMatching {
    fn add(&mut self, before: usize, after: usize) {
        set_at(&mut self.after, before, after);
        set_at(&mut self.before, after, before);
    }

    fn is_unmatched(&self, before: usize, after: usize) -> bool {
        at(&self.after, before).is_none() && at(&self.before, after).is_none()
    }
}

fn set_at(list: &mut [Option<usize>], place: usize, value: usize) {
    if let Some(place) = list.get_mut(place) {
        *place = Some(value);
    }
}

fn at(list: &[Option<usize>], place: usize) -> Option<usize> {
    list.get(place).copied().flatten()
}

impl<'a> GraphFeatures<'a> {
    pub(super) fn new(map: &'a Spanned) -> Self {
        let entries = map.get("nodes").and_then(|entry| entry.value.as_map()).unwrap_or_default();
        let numbers: HashMap<&str, usize> =
            entries.iter().enumerate().map(|(i, entry)| (entry.key.as_str(), i)).collect();
        let mut beside = [vec![Vec::new(); entries.len()], vec![Vec::new(); entries.len()]];
        for edge in map.get("edges").and_then(|entry| entry.value.as_list()).unwrap_or_default() {
            let end = |key: &str| {
                edge.get(key)
                    .and_then(|entry| entry.value.as_text())
                    .and_then(|name| numbers.get(name).copied())
            };
            if let (Some(from), Some(to)) = (end("from"), end("to")) {
                let [out, into] = &mut beside;
                out.get_mut(from).into_iter().for_each(|list| list.push(to));
                into.get_mut(to).into_iter().for_each(|list| list.push(from));
            }
        }
        Self {
            keys: entries.iter().map(|entry| entry.key.as_str()).collect_vec(),
            values: entries.iter().map(|entry| &entry.value).collect_vec(),
            adjacent: beside,
        }
    }

    fn adjacent(&self, way: usize, node: usize) -> &[usize] {
        self.adjacent.get(way).and_then(|lists| lists.get(node)).map_or(&[], Vec::as_slice)
    }
}

pub(super) fn match_nodes(before: &GraphFeatures<'_>, after: &GraphFeatures<'_>) -> NodeMatching {
    let mut matching =
        NodeMatching { after: vec![None; before.keys.len()], before: vec![None; after.keys.len()] };
    let numbers: HashMap<&str, usize> = after.keys.iter().enumerate().map(|(i, key)| (*key, i)).collect();
    for (i, key) in before.keys.iter().enumerate() {
        if let Some(j) = numbers.get(key) {
            matching.add(i, *j);
        }
    }
    let open =
        |list: &[Option<usize>]| (0..list.len()).filter(|place| at(list, *place).is_none()).collect_vec();
    let (left, new): (Vec<usize>, Vec<usize>) = (open(&matching.after), open(&matching.before));
    if left.is_empty() || new.is_empty() {
        return matching;
    }
    let mut search = Search {
        before,
        after,
        contents: [node_contents(before, &left), node_contents(after, &new)],
        candidates: BinaryHeap::new(),
        matching,
    };
    search.match_by_content(&left, &new);
    for i in 0..before.keys.len() {
        if let Some(j) = at(&search.matching.after, i) {
            search.match_neighbours(i, j);
        }
    }
    search.take_candidates();
    search.matching
}

#[derive(Debug, Default)]
struct NodeContent {
    kind: u64,
    hash: u64,
    part_hashes: Vec<u64>,
}

fn node_contents(features: &GraphFeatures<'_>, nodes: &[usize]) -> HashMap<usize, NodeContent> {
    let of = |node: &usize| Some((*node, node_content(features.values.get(*node)?)));
    nodes.iter().filter_map(of).collect()
}

fn node_content(value: &Spanned) -> NodeContent {
    let mut parts = Vec::new();
    let mut whole = DefaultHasher::new();
    let mut open = vec![(hash_of("node"), value)];
    while let Some((way, value)) = open.pop() {
        match &value.kind {
            ValueKind::Map(entries) if !entries.is_empty() => {
                open.extend(entries.iter().map(|entry| (hash_of((way, &entry.key)), &entry.value)));
            }
            ValueKind::List(items) if !items.is_empty() => {
                open.extend(items.iter().enumerate().map(|(at, item)| (hash_of((way, at)), item)));
            }
            leaf => {
                let text = match leaf {
                    ValueKind::Text(text) => hash_of(text),
                    // A number differs from equal text.
                    _ => hash_of((1, json_text(&value.to_json()))),
                };
                parts.extend([hash_of((way, text)), way]);
            }
        }
    }
    // Key order has no meaning.
    parts.sort_unstable();
    parts.hash(&mut whole);
    let kind = value.get("type").map_or(0, |entry| hash_of(entry.value.as_text()));
    parts.truncate(2 * MAX_COMPARED);
    NodeContent { kind, hash: whole.finish(), part_hashes: parts }
}

fn hash_of(thing: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    hasher.finish()
}

type Candidate = (u32, std::cmp::Reverse<(usize, usize)>);

struct Search<'h, 'a> {
    before: &'h GraphFeatures<'a>,
    after: &'h GraphFeatures<'a>,
    contents: [HashMap<usize, NodeContent>; 2],
    candidates: BinaryHeap<Candidate>,
    matching: NodeMatching,
}

impl Search<'_, '_> {
    fn match_by_content(&mut self, left: &[usize], new: &[usize]) {
        let [old, fresh] = &self.contents;
        let mut holders: HashMap<u64, Vec<usize>> = HashMap::new();
        for j in new {
            let Some(content) = fresh.get(j) else { continue };
            for part in content.part_hashes.iter().chain([&content.hash]) {
                holders.entry(*part).or_default().push(*j);
            }
        }
        let mut ranks: HashMap<u64, usize> = HashMap::new();
        let mut guesses = Vec::new();
        for i in left {
            let Some(content) = old.get(i) else { continue };
            let rank = ranks.entry(content.hash).or_default();
            let same = holders.get(&content.hash).map_or(&[][..], Vec::as_slice);
            guesses.extend(around_rank(same, *rank).iter().map(|j| (*i, *j)));
            *rank += 1;
            for part in content.part_hashes.iter().take(MAX_COMPARED) {
                let some = holders.get(part).filter(|some| some.len() <= MAX_SHARED);
                guesses.extend(some.into_iter().flatten().map(|j| (*i, *j)));
            }
        }
        guesses.sort_unstable();
        guesses.dedup();
        for (i, j) in guesses {
            self.add_candidate(i, j);
        }
    }

    fn match_neighbours(&mut self, i: usize, j: usize) {
        for way in 0..2 {
            let free = |node: &&usize| at(&self.matching.after, **node).is_none();
            let old: Vec<usize> = self.before.adjacent(way, i).iter().filter(free).copied().collect_vec();
            let free = |node: &&usize| at(&self.matching.before, **node).is_none();
            let new: Vec<usize> = if old.is_empty() {
                Vec::new()
            } else {
                self.after.adjacent(way, j).iter().filter(free).copied().collect_vec()
            };
            for (rank, x) in old.iter().enumerate() {
                let some = if new.len() <= MAX_SHARED { &new[..] } else { around_rank(&new, rank) };
                for y in some {
                    self.add_candidate(*x, *y);
                }
            }
        }
    }

    fn add_candidate(&mut self, i: usize, j: usize) {
        let likeness = self.similarity(i, j);
        if likeness >= MIN_SIMILARITY {
            self.candidates.push((likeness, std::cmp::Reverse((i, j))));
        }
    }

    /// Each match yields candidates among its neighbours.
    fn take_candidates(&mut self) {
        while let Some((likeness, std::cmp::Reverse((i, j)))) = self.candidates.pop() {
            if !self.matching.is_unmatched(i, j) {
                continue;
            }
            let now = self.similarity(i, j);
            if now < likeness {
                if now >= MIN_SIMILARITY {
                    self.candidates.push((now, std::cmp::Reverse((i, j))));
                }
                continue;
            }
            self.matching.add(i, j);
            self.match_neighbours(i, j);
        }
    }

    fn similarity(&self, i: usize, j: usize) -> u32 {
        let [old, new] = &self.contents;
        let (Some(a), Some(b)) = (old.get(&i), new.get(&j)) else { return 0 };
        let (common, all) = overlap(&a.part_hashes, &b.part_hashes);
        let says = per_mille(common, all);
        let (shared, known) = self.common_neighbours(i, j);
        // Same neighbours: the content was rewritten.
        if a.kind == b.kind && known > 1 && shared == known {
            return MIN_SIMILARITY.max(says);
        }
        if says < 300 || (a.kind != b.kind && says < 400) {
            return 0;
        }
        let (says_weight, beside_weight) = (all.clamp(1, 8), known.min(4));
        let named =
            self.before.keys.get(i).zip(self.after.keys.get(j)).is_some_and(|(a, b)| are_similar_keys(a, b));
        let named = usize::from(named);
        let points =
            says as usize * says_weight + per_mille(shared, known) as usize * beside_weight + 1000 * named;
        u32::try_from(points / (says_weight + beside_weight + named)).unwrap_or(0)
    }

    fn common_neighbours(&self, i: usize, j: usize) -> (usize, usize) {
        let (mut shared, mut known) = (0, 0);
        for way in 0..2 {
            let old = self.before.adjacent(way, i).iter().take(MAX_COMPARED);
            let mut old: Vec<u64> =
                old.filter_map(|node| at(&self.matching.after, *node)).map(|n| n as u64).collect_vec();
            let new = self.after.adjacent(way, j).iter().take(MAX_COMPARED);
            let known_one = |node: &&usize| at(&self.matching.before, **node).is_some();
            let mut new: Vec<u64> = new.filter(known_one).map(|node| *node as u64).collect_vec();
            old.sort_unstable();
            new.sort_unstable();
            let (some, all) = overlap(&old, &new);
            (shared, known) = (shared + some, known + all);
        }
        (shared, known)
    }
}

fn around_rank(list: &[usize], rank: usize) -> &[usize] {
    let from = rank.saturating_sub(WINDOW).min(list.len());
    list.get(from..(rank + WINDOW + 1).min(list.len())).unwrap_or_default()
}

fn per_mille(part: usize, whole: usize) -> u32 {
    u32::try_from(part * 1000 / whole.max(1)).unwrap_or(0)
}

/// Intersection and union of sorted lists.
fn overlap(a: &[u64], b: &[u64]) -> (usize, usize) {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        both += usize::from(x == y);
        (i, j) = (i + usize::from(x <= y), j + usize::from(y <= x));
    }
    (both, a.len() + b.len() - both)
}

fn are_similar_keys(a: &str, b: &str) -> bool {
    let head = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let tail = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).count();
    let least = a.chars().count().min(b.chars().count());
    head.max(tail) >= 3 && 2 * head.max(tail) >= least
}
