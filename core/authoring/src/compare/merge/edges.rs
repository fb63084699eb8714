//! Merges the ordered edges that leave a node. New edges of *theirs* keep their predecessor.

use super::fields::{canonical_condition, have_same_meaning};
use super::lists::ListItem;
use super::{Change, ConflictKind, MergeLocation, Merger, ValueMeaning};
use crate::compare::describe::name;
use crate::compare::edges::{EdgeSignature, match_edges};
use serde_json::{Map, Value as Json};
use std::collections::{HashMap, HashSet};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::value::Segment;

type OutgoingEdges = Vec<usize>;

impl Merger {
    /// `listed` means that *ours* has a list.
    pub(super) fn merge_edges(&mut self, location: &MergeLocation, lists: [&[Json]; 3], listed: bool) {
        let [_, ours, theirs] = lists;
        let out = lists.map(edges_by_source);
        let mut nodes: Vec<&str> = Vec::new();
        let mut seen = HashSet::new();
        for edge in ours.iter().chain(theirs).chain(lists[0]) {
            if seen.insert(end(edge, "from")) {
                nodes.push(end(edge, "from"));
            }
        }
        let mut graph = EdgeList {
            lists,
            removed: HashSet::new(),
            order: HashMap::new(),
            positions: HashMap::new(),
            added: Vec::new(),
        };
        nodes.retain(|node| !self.is_disputed(&location.scope, node));
        for node in nodes {
            let own = out.each_ref().map(|out| out.get(node).cloned().unwrap_or_default());
            self.merge_edges_of_node(location, node, &own, &mut graph);
        }
        if graph.is_changed() {
            let items = graph.items();
            if listed {
                self.set_list(location, ours.len(), &items);
            } else {
                let new = items.iter().filter_map(|item| match item {
                    ListItem::New(value) => Some((*value).clone()),
                    ListItem::Own(_) => None,
                });
                let [_, path, _] = &location.paths;
                self.add_step(
                    location,
                    vec![Change::Set { path: path.clone(), value: Json::Array(new.collect_vec()) }],
                );
            }
        }
    }

    fn merge_edges_of_node(
        &mut self,
        location: &MergeLocation,
        node: &str,
        out: &[OutgoingEdges; 3],
        graph: &mut EdgeList<'_>,
    ) {
        let lists = graph.lists;
        let [base, ours, theirs] = out;
        let signatures = |side: usize, out: &OutgoingEdges| {
            out.iter().filter_map(|at| lists.get(side)?.get(*at)).map(signature).collect_vec()
        };
        let (old, own, new) = (signatures(0, base), signatures(1, ours), signatures(2, theirs));
        let follow = |pairs: Vec<(Option<usize>, Option<usize>)>| -> HashMap<usize, usize> {
            pairs.into_iter().filter_map(|(i, j)| Some((i?, j?))).collect()
        };
        let (in_ours, in_theirs) = (follow(match_edges(&old, &own)), follow(match_edges(&old, &new)));
        for (i, at) in base.iter().enumerate() {
            let place = |out: &OutgoingEdges, found: &HashMap<usize, usize>| {
                found.get(&i).and_then(|j| out.get(*j)).copied()
            };
            self.merge_edge(location, [Some(*at), place(ours, &in_ours), place(theirs, &in_theirs)], graph);
        }
        self.merge_order(location, node, out, (&in_ours, &in_theirs), graph);
        let known: HashSet<usize> = in_theirs.values().copied().collect();
        let mut twins = vec![false; own.len()];
        let shared: HashSet<usize> = in_ours.values().copied().collect();
        let added: Vec<usize> = (0..own.len()).filter(|own| !shared.contains(own)).collect_vec();
        let mut open: Vec<(usize, usize)> = Vec::new();
        for (j, at) in theirs.iter().enumerate().filter(|(j, _)| !known.contains(j)) {
            let Some(is) = new.get(j).filter(|is| !self.is_disputed(&location.scope, &is.target)) else {
                continue;
            };
            let same = |at: &&usize| own.get(**at) == Some(is) && twins.get(**at) == Some(&false);
            match added.iter().find(same).copied() {
                Some(twin) => {
                    twins.get_mut(twin).into_iter().for_each(|twin| *twin = true);
                    graph.positions.insert(*at, ours.get(twin).copied());
                }
                None => open.push((j, *at)),
            }
        }
        let mut rivals: HashSet<&str> = HashSet::new();
        for (j, at) in open {
            let (Some(is), Some(value)) = (new.get(j), lists[2].get(at)) else { continue };
            // If an added edge of *ours* may hold at the same time and leads elsewhere, their order is
            // unknown.
            let rival = added.iter().copied().find(|at| {
                twins.get(*at) == Some(&false)
                    && own.get(*at).is_some_and(|own| {
                        own.target != is.target && may_hold_at_once(&own.condition, &is.condition)
                    })
            });
            if let Some(rival) = rival.and_then(|own| ours.get(own)).copied() {
                if rivals.insert(&is.condition) {
                    self.conflicting_edges(location, [None, lists[1].get(rival), Some(value)], (rival, at));
                }
                continue;
            }
            let earlier = theirs.get(..j).unwrap_or_default().iter().rev();
            let after = earlier.copied().find(|at| graph.final_position(*at).is_some());
            let before = ours.iter().copied().find(|at| !graph.removed.contains(at));
            graph.added.push(AddedEdge { value, at, after, before });
            graph.positions.insert(at, None);
        }
    }

    fn merge_edge(
        &mut self,
        location: &MergeLocation,
        [at, own, new]: [Option<usize>; 3],
        graph: &mut EdgeList<'_>,
    ) {
        let lists = graph.lists;
        let value = |side: usize, at: Option<usize>| at.and_then(|at| lists.get(side)?.get(at));
        let values = [value(0, at), value(1, own), value(2, new)];
        let place = |at: Option<usize>| Segment::Index(at.unwrap_or(usize::MAX));
        let mut inner = location.child_at(&[&place(at), &place(own), &place(new)]);
        let shown = values[1].or(values[0]);
        inner.edge = shown.map(|edge| (end(edge, "from").to_owned(), end(edge, "to").to_owned()));
        (inner.node, inner.field_start) =
            (shown.map(|edge| end(edge, "from").to_owned()), location.paths[1].len() + 1);
        let disputed = values.iter().flatten().any(|edge| self.is_disputed(&location.scope, end(edge, "to")));
        match values {
            // The decision about a node includes its edges.
            [_, Some(_), _] if disputed => graph.positions.extend(new.map(|new| (new, own))),
            [_, None, _] if disputed => {}
            [Some(old), Some(own_value), Some(new_value)] => {
                graph.positions.extend(new.map(|new| (new, own)));
                self.merge_edge_fields(&inner, [old, own_value, new_value]);
            }
            [Some(old), None, Some(is)] if !same_edge(old, is) => {
                let message = format!("{} is gone in ours, and was changed in theirs", inner.describe());
                self.add_conflict(&inner, ConflictKind::Removed, values, message);
            }
            [Some(old), Some(is), None] if !same_edge(old, is) => {
                let message = format!("{} is gone in theirs, and was changed in ours", inner.describe());
                self.add_conflict(&inner, ConflictKind::Removed, values, message);
            }
            [Some(_), Some(_), None] => {
                graph.removed.extend(own);
            }
            _ => {}
        }
    }

    fn merge_edge_fields(&mut self, location: &MergeLocation, three: [&Json; 3]) {
        let [Some(base), Some(ours), Some(theirs)] = three.map(Json::as_object) else {
            return self.merge_value(location, three.map(Some));
        };
        let maps: [&Map<String, Json>; 3] = [base, ours, theirs];
        for key in super::graphs::union_of_keys(maps) {
            let mut inner = location.child_key(key);
            inner.meaning = if key == "condition" { ValueMeaning::Condition } else { ValueMeaning::Plain };
            self.merge_value(&inner, maps.map(|map| map.get(key)));
        }
    }

    fn conflicting_edges(
        &mut self,
        location: &MergeLocation,
        values: [Option<&Json>; 3],
        (own, new): (usize, usize),
    ) {
        let mut inner =
            location.child_at(&[&Segment::Index(usize::MAX), &Segment::Index(own), &Segment::Index(new)]);
        let ends =
            |edge: Option<&Json>| edge.map(|edge| (end(edge, "from").to_owned(), end(edge, "to").to_owned()));
        (inner.edge, inner.field_start) = (ends(values[1]), location.paths[1].len() + 1);
        inner.node = inner.edge.as_ref().map(|(from, _)| from.clone());
        let to = ends(values[2]).map_or_else(String::new, |(_, to)| name(&to));
        let condition =
            |edge: Option<&Json>| canonical_condition(edge.and_then(|edge| edge.get("condition")));
        let edge = inner.describe();
        let message = if condition(values[1]) == condition(values[2]) {
            format!("ours added {edge}, and under the same condition theirs goes to {to}")
        } else {
            format!(
                "ours added {edge}, theirs one to {to}, and both conditions may hold: write which comes first"
            )
        };
        self.add_conflict(&inner, ConflictKind::Added, values, message);
    }

    fn merge_order(
        &mut self,
        location: &MergeLocation,
        node: &str,
        out: &[OutgoingEdges; 3],
        (in_ours, in_theirs): (&HashMap<usize, usize>, &HashMap<usize, usize>),
        graph: &mut EdgeList<'_>,
    ) {
        let [base, ours, theirs] = out;
        let common: Vec<(usize, usize, usize)> =
            (0..base.len()).filter_map(|i| Some((i, *in_ours.get(&i)?, *in_theirs.get(&i)?))).collect_vec();
        // Fallbacks come last anyway. An edge may have become one on either side.
        let moved = |place: fn(&(usize, usize, usize)) -> usize, side: usize, out: &OutgoingEdges| {
            [false, true].iter().any(|fallback| {
                let is = |one: &&(usize, usize, usize)| {
                    let edge = out.get(place(one)).and_then(|at| graph.lists.get(side)?.get(*at));
                    edge.is_some_and(|edge| {
                        canonical_condition(edge.get("condition")).is_empty() == *fallback
                    })
                };
                !common.iter().filter(is).map(place).is_sorted()
            })
        };
        let (own_moved, new_moved) = (moved(|one| one.1, 1, ours), moved(|one| one.2, 2, theirs));
        if !new_moved {
            return;
        }
        let sorted = |place: fn(&(usize, usize, usize)) -> usize| {
            let mut sorted = common.clone();
            sorted.sort_by_key(place);
            sorted.into_iter().map(|one| one.1).collect_vec()
        };
        let (by_ours, by_theirs) = (sorted(|one| one.1), sorted(|one| one.2));
        if own_moved {
            if by_ours != by_theirs {
                let mut inner = location.clone();
                inner.node = Some(node.to_owned());
                let listed = |side: usize, out: &OutgoingEdges| -> Json {
                    out.iter()
                        .filter_map(|at| graph.lists.get(side)?.get(*at))
                        .map(|edge| Json::from(end(edge, "to")))
                        .collect()
                };
                let values = [listed(0, base), listed(1, ours), listed(2, theirs)];
                let message = format!("ours and theirs put the edges of {} in different orders", name(node));
                self.add_conflict(&inner, ConflictKind::Order, values.each_ref().map(Some), message);
            }
            return;
        }
        let place = |j: &usize| ours.get(*j).copied();
        let slots = by_ours.iter().filter_map(place);
        let wanted = by_theirs.iter().filter_map(place);
        graph.order.extend(slots.zip(wanted).filter(|(slot, wanted)| slot != wanted));
    }
}

/// An empty fallback comes last anyway.
fn may_hold_at_once(ours: &str, theirs: &str) -> bool {
    if ours == theirs {
        return true;
    }
    if ours.is_empty() || theirs.is_empty() {
        return false;
    }
    // After a failure, a run takes only edges that read `error`, else only others.
    let reads_error = |condition: &str| condition.contains("error");
    if reads_error(ours) != reads_error(theirs) {
        return false;
    }
    let equality = |condition: &str| -> Option<(String, String)> {
        let (left, right) = condition.split_once("==")?;
        let is_simple =
            !["&&", "||", "?", "!", "=="].iter().any(|sign| left.contains(sign) || right.contains(sign));
        is_simple.then(|| (left.trim().to_owned(), right.trim().to_owned()))
    };
    match (equality(ours), equality(theirs)) {
        (Some(a), Some(b)) => a.0 != b.0 || a.1 == b.1,
        _ => true,
    }
}

struct EdgeList<'j> {
    lists: [&'j [Json]; 3],
    removed: HashSet<usize>,
    /// Maps edges of *ours* to new indexes.
    order: HashMap<usize, usize>,
    /// Edges of *theirs* in *ours*, now or later, with their index there.
    positions: HashMap<usize, Option<usize>>,
    added: Vec<AddedEdge<'j>>,
}

#[derive(Clone, Copy)]
struct AddedEdge<'j> {
    value: &'j Json,
    at: usize,
    after: Option<usize>,
    before: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Neighbour {
    Own(usize),
    New(usize),
}

impl<'j> EdgeList<'j> {
    fn is_changed(&self) -> bool {
        !(self.removed.is_empty() && self.order.is_empty() && self.added.is_empty())
    }

    fn final_position(&self, at: usize) -> Option<Neighbour> {
        match self.positions.get(&at)? {
            Some(own) => (!self.removed.contains(own)).then_some(Neighbour::Own(*own)),
            None => Some(Neighbour::New(at)),
        }
    }

    fn items(&self) -> Vec<ListItem<'j>> {
        let [_, ours, theirs] = self.lists;
        let mut followers: HashMap<Option<Neighbour>, Vec<AddedEdge<'j>>> = HashMap::new();
        let mut leaders: HashMap<usize, Vec<AddedEdge<'j>>> = HashMap::new();
        let new: HashMap<usize, AddedEdge<'j>> = self.added.iter().map(|one| (one.at, *one)).collect();
        let mut last = None;
        for at in 0..theirs.len() {
            if let Some(one) = new.get(&at) {
                match (one.after.and_then(|after| self.final_position(after)), one.before) {
                    (Some(after), _) => followers.entry(Some(after)).or_default().push(*one),
                    (None, Some(own)) => leaders.entry(own).or_default().push(*one),
                    (None, None) => followers.entry(last).or_default().push(*one),
                }
            }
            last = self.final_position(at).or(last);
        }
        let mut items = Vec::new();
        let mut put = |items: &mut Vec<ListItem<'j>>, beside: Option<Neighbour>| {
            let mut open: Vec<AddedEdge<'j>> = followers.remove(&beside).unwrap_or_default();
            open.reverse();
            while let Some(one) = open.pop() {
                items.push(ListItem::New(one.value));
                let more = followers.remove(&Some(Neighbour::New(one.at))).unwrap_or_default();
                open.extend(more.into_iter().rev());
            }
        };
        for slot in (0..ours.len()).filter(|slot| !self.removed.contains(slot)) {
            let own = self.order.get(&slot).copied().unwrap_or(slot);
            for one in leaders.remove(&slot).unwrap_or_default() {
                items.push(ListItem::New(one.value));
                put(&mut items, Some(Neighbour::New(one.at)));
            }
            items.push(ListItem::Own(own));
            put(&mut items, Some(Neighbour::Own(own)));
        }
        put(&mut items, None);
        items
    }
}

fn edges_by_source(edges: &[Json]) -> HashMap<&str, OutgoingEdges> {
    let mut found: HashMap<&str, OutgoingEdges> = HashMap::new();
    for (at, edge) in edges.iter().enumerate() {
        found.entry(end(edge, "from")).or_default().push(at);
    }
    found
}

pub(super) fn end<'j>(edge: &'j Json, key: &str) -> &'j str {
    edge.get(key).and_then(Json::as_str).unwrap_or_default()
}

fn signature(edge: &Json) -> EdgeSignature<String> {
    EdgeSignature {
        target: end(edge, "to").to_owned(),
        condition: canonical_condition(edge.get("condition")),
    }
}

fn same_edge(a: &Json, b: &Json) -> bool {
    let rest = |edge: &Json| {
        let mut edge = edge.clone();
        edge.as_object_mut().map(|map| map.shift_remove("condition"));
        edge
    };
    signature(a) == signature(b) && have_same_meaning(ValueMeaning::Plain, Some(&rest(a)), Some(&rest(b)))
}
