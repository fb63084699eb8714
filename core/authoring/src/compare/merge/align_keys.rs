//! Gives renamed nodes the same key on all sides, before the merge.
//!
//! The new name wins, of two that in *ours*. If another node on the other side has it, the old one stays. A
//! refused rename counts as a removed and an added node.

use super::{ConflictKind, MergeLocation, MergeVersion, Merger};
use crate::compare::describe::name;
use crate::compare::node_matching::{GraphFeatures, NodeMatching, match_nodes};
use crate::edit::{GraphEdit, edit};
use serde_json::Value as Json;
use stepgraph_core::source::{Format, Spanned};
use stepgraph_core::value::Segment;

#[derive(Debug)]
struct RenamedNode {
    scopes: [String; 3],
    keys: [Option<String>; 3],
    paths: [Vec<Segment>; 3],
    /// Outer names affect inner ones.
    depth: usize,
}

impl RenamedNode {
    fn is_renamed_in_ours(&self) -> bool {
        let [old, own, _] = &self.keys;
        own.is_some() && own != old
    }
}

impl Merger {
    pub(super) fn align_keys(&mut self, versions: &mut [MergeVersion; 3], format: Format) {
        let mut found = Vec::new();
        let [base, ours, theirs] = &*versions;
        let places = GraphPaths { scopes: Default::default(), paths: Default::default(), depth: 0 };
        find_renamed([&base.root, &ours.root, &theirs.root], &places, &mut found);
        // Both sides may use one name for different nodes. Undoing theirs first frees it for ours.
        found.sort_by_key(|renamed| (std::cmp::Reverse(renamed.depth), renamed.is_renamed_in_ours()));
        for renamed in found {
            self.align_key(&renamed, versions, format);
        }
    }

    fn align_key(&mut self, renamed: &RenamedNode, versions: &mut [MergeVersion; 3], format: Format) {
        let [Some(old), own, new] = &renamed.keys else { return };
        let moved = |key: &Option<String>| key.as_ref().filter(|key| *key != old).cloned();
        let (by_ours, by_theirs) = (moved(own), moved(new));
        let Some(wanted) = self.merged_key(renamed, versions, (&by_ours, &by_theirs)) else { return };
        let mut after = Vec::new();
        for ((version, key), scope) in versions.iter().zip(&renamed.keys).zip(&renamed.scopes) {
            match key.as_ref().filter(|key| **key != wanted) {
                Some(key) => match version.with_renamed_node(scope, key, &wanted, format) {
                    Some(renamed) => after.push(Some(renamed)),
                    None => return,
                },
                None => after.push(None),
            }
        }
        for (version, after) in versions.iter_mut().zip(after) {
            if let Some(after) = after {
                *version = after;
            }
        }
        let sides_that_did = [(1, by_ours), (2, by_theirs)];
        for (side, _) in sides_that_did.iter().filter(|(_, moved)| moved.is_some()) {
            self.renamed.insert((renamed.scopes[1].clone(), wanted.clone(), *side));
        }
    }

    /// `None` if both names refer to different nodes on the two sides.
    fn merged_key(
        &mut self,
        renamed: &RenamedNode,
        versions: &[MergeVersion; 3],
        (by_ours, by_theirs): (&Option<String>, &Option<String>),
    ) -> Option<String> {
        let old = renamed.keys[0].as_ref()?;
        let wanted = by_ours.as_ref().or(by_theirs.as_ref()).unwrap_or(old);
        let [_, ours, theirs] = versions;
        let [_, our_path, their_path] = &renamed.paths;
        match (by_ours, by_theirs) {
            (Some(a), Some(b)) if a != b => {
                let message =
                    format!("node {} is called {} in ours and {} in theirs", name(old), name(a), name(b));
                self.add_key_conflict(renamed, message);
            }
            (None, Some(_)) if has_node(ours, our_path, wanted) => {
                let message = format!(
                    "node {} is called {} in theirs, and ours has another node of that name",
                    name(old),
                    name(wanted)
                );
                self.add_key_conflict(renamed, message);
                return Some(old.clone());
            }
            (Some(_), None) if has_node(theirs, their_path, wanted) => {
                let message = format!(
                    "node {} is called {} in ours, and theirs has another node of that name",
                    name(old),
                    name(wanted)
                );
                self.add_key_conflict(renamed, message);
                // One conflict is enough.
                let scope = &renamed.scopes[1];
                self.disputed.extend([old, wanted].map(|key| (scope.clone(), key.clone())));
                return None;
            }
            _ => {}
        }
        Some(wanted.clone())
    }

    fn add_key_conflict(&mut self, renamed: &RenamedNode, message: String) {
        let location = MergeLocation {
            paths: renamed.paths.clone(),
            scope: renamed.scopes[1].clone(),
            node: renamed.keys[0].clone(),
            field_start: renamed.paths[1].len(),
            ..MergeLocation::default()
        };
        let values = renamed.keys.each_ref().map(|key| key.as_deref().map(Json::from));
        self.add_conflict(&location, ConflictKind::Renamed, values.each_ref().map(Option::as_ref), message);
    }
}

impl MergeVersion {
    fn with_renamed_node(&self, scope: &str, node: &str, to: &str, format: Format) -> Option<Self> {
        let rename =
            GraphEdit::RenameNode { scope: scope.to_owned(), node: node.to_owned(), to: to.to_owned() };
        let edited = edit(&self.text, format, &[rename]).ok()?;
        let mut edits = self.edits.clone();
        edits.push(edited.edits);
        let root = edited.parse.tree()?.as_ref().clone();
        Some(Self { text: edited.text, edits, root })
    }
}

fn has_node(version: &MergeVersion, path: &[Segment], key: &str) -> bool {
    let Some((_, nodes)) = path.split_last() else { return false };
    let nodes = nodes.iter().try_fold(&version.root, |at, segment| match segment {
        Segment::Key(key) => at.get(key).map(|entry| &entry.value),
        Segment::Index(index) => at.as_list()?.get(*index),
    });
    nodes.is_some_and(|nodes| nodes.get(key).is_some())
}

#[derive(Debug, Clone, Default)]
struct GraphPaths {
    scopes: [String; 3],
    paths: [Vec<Segment>; 3],
    depth: usize,
}

impl GraphPaths {
    fn nested(&self, keys: [&str; 3], holder: &str, branch: Option<&str>) -> Self {
        let mut inner = self.clone();
        inner.depth += 1;
        for ((scope, path), key) in inner.scopes.iter_mut().zip(&mut inner.paths).zip(keys) {
            for name in [Some(key), branch].into_iter().flatten() {
                scope.push_str(if scope.is_empty() { "" } else { "/" });
                scope.push_str(name);
            }
            let words = ["nodes", key, holder].into_iter().chain(branch);
            path.extend(words.map(|word| Segment::Key(word.to_owned())));
        }
        inner
    }
}

fn find_renamed(maps: [&Spanned; 3], places: &GraphPaths, found: &mut Vec<RenamedNode>) {
    let halves = maps.map(GraphFeatures::new);
    let [base, ours, theirs] = &halves;
    let matching: [NodeMatching; 2] = [match_nodes(base, ours), match_nodes(base, theirs)];
    for (i, old) in base.keys.iter().enumerate() {
        let of = |matching: &NodeMatching, features: &GraphFeatures<'_>| {
            matching
                .after
                .get(i)
                .copied()
                .flatten()
                .and_then(|j| features.keys.get(j))
                .map(|key| (*key).to_owned())
        };
        let keys = [Some((*old).to_owned()), of(&matching[0], ours), of(&matching[1], theirs)];
        if keys.iter().flatten().any(|key| key != old) {
            let mut paths = places.paths.clone();
            for (path, key) in paths.iter_mut().zip(&keys) {
                let key = key.as_deref().unwrap_or(old);
                path.extend(["nodes", key].map(|word| Segment::Key(word.to_owned())));
            }
            found.push(RenamedNode {
                scopes: places.scopes.clone(),
                keys: keys.clone(),
                paths,
                depth: places.depth,
            });
        }
        if let [Some(a), Some(b), Some(c)] = &keys {
            find_nested(maps, [a, b, c], places, found);
        }
    }
}

fn find_nested(maps: [&Spanned; 3], keys: [&str; 3], places: &GraphPaths, found: &mut Vec<RenamedNode>) {
    let node =
        |side: usize| maps.get(side)?.get("nodes")?.value.get(keys.get(side)?).map(|entry| &entry.value);
    let (Some(a), Some(b), Some(c)) = (node(0), node(1), node(2)) else { return };
    if ["graph", "do", "branches"].iter().all(|holder| a.get(holder).is_none()) {
        return;
    }
    let of = |holder: &str| Some([&a.get(holder)?.value, &b.get(holder)?.value, &c.get(holder)?.value]);
    for holder in ["graph", "do"] {
        if let Some(maps) = of(holder) {
            find_renamed(maps, &places.nested(keys, holder, None), found);
        }
    }
    let Some([a, b, c]) = of("branches") else { return };
    for branch in a.as_map().unwrap_or_default() {
        if let (Some(b), Some(c)) = (b.get(&branch.key), c.get(&branch.key)) {
            let inner = places.nested(keys, "branches", Some(&branch.key));
            find_renamed([&branch.value, &b.value, &c.value], &inner, found);
        }
    }
}
