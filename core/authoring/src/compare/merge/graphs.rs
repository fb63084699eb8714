//! Merges nodes and graphs, even if missing on some side.

use super::fields::have_same_meaning;
use super::{Change, ConflictKind, MergeLocation, Merger, ValueMeaning};
use crate::compare::describe::name;
use serde_json::{Map, Value as Json};
use stepgraph_core::collect::CollectVec;

type Entries = Map<String, Json>;

impl Merger {
    pub(super) fn merge_plan(&mut self, three: [&Json; 3]) {
        match three.map(Json::as_object) {
            [Some(base), Some(ours), Some(theirs)] => {
                self.merge_graph(&MergeLocation::default(), [base, ours, theirs]);
            }
            _ => self.merge_value(&MergeLocation::default(), three.map(Some)),
        }
    }

    fn merge_graph(&mut self, location: &MergeLocation, three: [&Entries; 3]) {
        let of = |key: &str| three.map(|map| map.get(key));
        for key in union_of_keys(three) {
            let mut inner = location.child_key(key);
            match (key, of(key)) {
                (
                    "nodes",
                    [Some(Json::Object(base)), Some(Json::Object(ours)), Some(Json::Object(theirs))],
                ) => {
                    self.merge_nodes(&inner, [base, ours, theirs]);
                }
                ("edges", lists)
                    if lists.iter().all(|list| list.is_none_or(|list| list.is_array() || list.is_null())) => {
                }
                ("tests", [Some(Json::Array(base)), Some(Json::Array(ours)), Some(Json::Array(theirs))])
                    if location.scope.is_empty() =>
                {
                    self.merge_tests(&inner, [base, ours, theirs]);
                }
                ("layout", values) => {
                    inner.meaning = ValueMeaning::Layout;
                    self.merge_value(&inner, values);
                }
                (_, values) => self.merge_value(&inner, values),
            }
        }
        let lists = of("edges");
        if lists.iter().all(|list| list.is_none_or(|list| list.is_array() || list.is_null())) {
            let items = lists.map(|list| list.and_then(Json::as_array).map_or(&[][..], Vec::as_slice));
            self.merge_edges(&location.child_key("edges"), items, lists[1].is_some_and(Json::is_array));
        }
    }

    fn merge_nodes(&mut self, location: &MergeLocation, three: [&Entries; 3]) {
        let [base, ours, theirs] = three;
        let mut order: Vec<&str> = ours.keys().map(String::as_str).collect_vec();
        let mut last = None;
        let remove = |order: &mut Vec<&str>, key: &str| {
            order.iter().position(|known| *known == key).map(|at| order.remove(at));
        };
        for key in union_of_keys(three) {
            let mut inner = location.child_key(key);
            (inner.node, inner.meaning, inner.field_start) =
                (Some(key.to_owned()), ValueMeaning::Texts, location.paths[1].len() + 1);
            let values = [base.get(key), ours.get(key), theirs.get(key)];
            let steps = self.steps.len();
            match values {
                [Some(old), Some(own), Some(new)] => self.merge_node(&inner, [old, own, new]),
                [None, None, Some(new)] => {
                    let after = last.and_then(|last| order.iter().position(|known| *known == last));
                    let at = after.map_or(0, |after| after + 1);
                    let before = (at < order.len()).then_some(at);
                    order.insert(at, key);
                    let [_, path, _] = &inner.paths;
                    self.add_step(
                        &inner,
                        vec![Change::Insert { path: path.clone(), before, value: new.clone() }],
                    );
                }
                _ if self.is_disputed(&location.scope, key) => {}
                _ => {
                    let conflicts = self.conflicts.len();
                    self.merge_partial_node(&inner, key, values);
                    if self.conflicts.len() > conflicts {
                        self.disputed.insert((location.scope.clone(), key.to_owned()));
                    }
                    if self.steps.len() > steps {
                        remove(&mut order, key);
                    }
                }
            }
            if theirs.contains_key(key) && (values[1].is_some() || values[0].is_none()) {
                last = Some(key);
            }
        }
    }

    fn merge_partial_node(&mut self, location: &MergeLocation, key: &str, values: [Option<&Json>; 3]) {
        let is_renamed = |side: usize| self.renamed.contains(&(location.scope.clone(), key.to_owned(), side));
        match values {
            [Some(old), None, Some(new)]
                if is_renamed(2) || !have_same_meaning(ValueMeaning::Texts, Some(old), Some(new)) =>
            {
                let did = if is_renamed(2) { "renamed" } else { "changed" };
                let message = format!("{} is gone in ours, and was {did} in theirs", location.describe());
                self.add_conflict(location, ConflictKind::Removed, values, message);
            }
            [Some(old), Some(own), None]
                if is_renamed(1) || !have_same_meaning(ValueMeaning::Texts, Some(old), Some(own)) =>
            {
                let did = if is_renamed(1) { "renamed" } else { "changed" };
                let message = format!("{} is gone in theirs, and was {did} in ours", location.describe());
                self.add_conflict(location, ConflictKind::Removed, values, message);
            }
            [Some(_), Some(_), None] => {
                let [_, path, _] = &location.paths;
                self.add_step(location, vec![Change::Remove { path: path.clone() }]);
            }
            [None, Some(own), Some(new)] if !have_same_meaning(ValueMeaning::Texts, Some(own), Some(new)) => {
                let message =
                    format!("ours and theirs both added a {}, with different contents", location.describe());
                self.add_conflict(location, ConflictKind::Added, values, message);
            }
            _ => {}
        }
    }

    fn merge_node(&mut self, location: &MergeLocation, three: [&Json; 3]) {
        let [Some(base), Some(ours), Some(theirs)] = three.map(Json::as_object) else {
            return self.merge_value(location, three.map(Some));
        };
        let maps = [base, ours, theirs];
        for key in union_of_keys(maps) {
            let values = maps.map(|map| map.get(key));
            let inner = location.child_key(key);
            match (key, values.map(|value| value.and_then(Json::as_object))) {
                ("graph" | "do", [Some(base), Some(ours), Some(theirs)]) => {
                    self.merge_graph(&nested_location(location, &inner, None), [base, ours, theirs]);
                }
                ("branches", [Some(base), Some(ours), Some(theirs)]) => {
                    self.merge_branches(location, &inner, [base, ours, theirs]);
                }
                _ => self.merge_value(&inner, values),
            }
        }
    }

    fn merge_branches(&mut self, node: &MergeLocation, location: &MergeLocation, three: [&Entries; 3]) {
        // Branches start in order, and no edit moves entries with their comments.
        let is_common = |key: &&String| three.iter().all(|map| map.contains_key(*key));
        let [base, ours, theirs] = three.map(|map| map.keys().filter(is_common).collect_vec());
        if theirs != base && theirs != ours {
            let message = format!("theirs puts the branches of {} in another order", node.describe());
            let list = |names: Vec<&String>| names.into_iter().cloned().collect::<Json>();
            let values = [base, ours, theirs].map(list);
            self.add_conflict(location, ConflictKind::Order, values.each_ref().map(Some), message);
        }
        for key in union_of_keys(three) {
            let values = three.map(|map| map.get(key));
            let inner = location.child_key(key);
            match values.map(|value| value.and_then(Json::as_object)) {
                [Some(base), Some(ours), Some(theirs)] => {
                    self.merge_graph(&nested_location(node, &inner, Some(key)), [base, ours, theirs]);
                }
                _ => self.merge_value(&inner, values),
            }
        }
    }
}

fn nested_location(node: &MergeLocation, location: &MergeLocation, branch: Option<&str>) -> MergeLocation {
    let mut scope = node.scope.clone();
    for name in node.node.as_deref().into_iter().chain(branch) {
        scope.push_str(if scope.is_empty() { "" } else { "/" });
        scope.push_str(name);
    }
    MergeLocation {
        field_start: location.paths[1].len(),
        paths: location.paths.clone(),
        scope,
        ..MergeLocation::default()
    }
}

/// Those of *theirs* come first.
pub(super) fn union_of_keys(three: [&Entries; 3]) -> Vec<&str> {
    let [base, ours, theirs] = three;
    let others = ours.keys().filter(|key| !theirs.contains_key(*key));
    let gone = base.keys().filter(|key| !theirs.contains_key(*key) && !ours.contains_key(*key));
    theirs.keys().chain(others).chain(gone).map(String::as_str).collect_vec()
}

impl MergeLocation {
    pub(super) fn describe_test(&self, title: &str) -> String {
        format!("{} {}", self.describe(), name(title))
    }
}
