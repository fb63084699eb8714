//! Merges maps by key and lists of equal length by index. In other lists, *theirs* wins only if *ours* is
//! unchanged.

use super::{Change, ConflictKind, MergeLocation, Merger, ValueMeaning};
use crate::compare::canonical::CanonicalNames;
use crate::compare::describe::value_or_kind;
use serde_json::{Map, Value as Json};
use stepgraph_core::expression::Condition;
use stepgraph_core::value::{Segment, json_equal};

impl Merger {
    pub(super) fn merge_value(&mut self, location: &MergeLocation, three: [Option<&Json>; 3]) {
        let [base, ours, theirs] = three;
        if have_same_meaning(location.meaning, ours, theirs)
            || have_same_meaning(location.meaning, base, theirs)
        {
            return;
        }
        match three {
            [base, Some(Json::Object(own)), Some(Json::Object(new))] if is_map(base) => {
                self.merge_map(location, base.and_then(Json::as_object), own, new);
            }
            [Some(Json::Array(old)), Some(Json::Array(own)), Some(Json::Array(new))]
                if old.len() == own.len()
                    && own.len() == new.len()
                    && location.meaning != ValueMeaning::Layout =>
            {
                for (at, ((old, own), new)) in old.iter().zip(own).zip(new).enumerate() {
                    self.merge_value(&location.child(&Segment::Index(at)), [Some(old), Some(own), Some(new)]);
                }
            }
            _ if have_same_meaning(location.meaning, base, ours) => self.take_theirs(location, ours, theirs),
            _ if location.meaning == ValueMeaning::Layout => {}
            _ => self.merge_both_changed(location, three),
        }
    }

    fn merge_map(
        &mut self,
        location: &MergeLocation,
        old: Option<&Map<String, Json>>,
        own: &Map<String, Json>,
        new: &Map<String, Json>,
    ) {
        let gone = own.keys().filter(|key| !new.contains_key(*key));
        for key in new.keys().chain(gone) {
            let old = old.and_then(|old| old.get(key));
            self.merge_value(&location.child_key(key), [old, own.get(key), new.get(key)]);
        }
    }

    fn take_theirs(&mut self, location: &MergeLocation, ours: Option<&Json>, theirs: Option<&Json>) {
        let [_, path, _] = &location.paths;
        let path = path.clone();
        let changes = match (ours, theirs) {
            (Some(Json::Array(own)), Some(Json::Array(new))) if location.meaning != ValueMeaning::Layout => {
                let changes = list_changes(&path, own, new, location.meaning);
                if changes.is_empty() {
                    vec![Change::Set { path, value: Json::Array(new.clone()) }]
                } else {
                    changes
                }
            }
            (_, Some(value)) => vec![Change::Set { path, value: value.clone() }],
            (Some(_), None) => vec![Change::Remove { path }],
            (None, None) => Vec::new(),
        };
        self.add_step(location, changes);
    }

    fn merge_both_changed(&mut self, location: &MergeLocation, three: [Option<&Json>; 3]) {
        let [base, ours, theirs] = three;
        let has = |value: Option<&Json>| value.map_or_else(|| "nothing".to_owned(), value_or_kind);
        let kind = match (base, ours, theirs) {
            (Some(_), None, _) | (Some(_), _, None) => ConflictKind::Removed,
            (None, ..) => ConflictKind::Added,
            _ => ConflictKind::Field,
        };
        let message = format!(
            "{} was {}, is {} in ours and {} in theirs",
            location.describe(),
            has(base),
            has(ours),
            has(theirs)
        );
        self.add_conflict(location, kind, three, message);
    }
}

fn is_map(value: Option<&Json>) -> bool {
    value.is_none_or(Json::is_object)
}

/// Keeps the common prefix and suffix.
fn list_changes(path: &[Segment], own: &[Json], new: &[Json], meaning: ValueMeaning) -> Vec<Change> {
    let same = |(a, b): &(&Json, &Json)| have_same_meaning(meaning, Some(a), Some(b));
    let head = own.iter().zip(new).take_while(same).count();
    let most = own.len().min(new.len()) - head;
    let tail = own.iter().rev().zip(new.iter().rev()).take(most).take_while(same).count();
    let (gone, more) = (own.len() - head - tail, new.len() - head - tail);
    if own.len() == gone || new.is_empty() {
        return Vec::new();
    }
    let at = |place: usize| [path, &[Segment::Index(place)]].concat();
    let fresh = |place: usize| new.get(place).cloned().unwrap_or_default();
    let set = (head..head + gone.min(more)).map(|place| Change::Set { path: at(place), value: fresh(place) });
    let cut = (head + gone.min(more)..head + gone).rev().map(|place| Change::Remove { path: at(place) });
    let put = (head + gone.min(more)..head + more).map(|place| Change::Insert {
        path: at(place),
        before: None,
        value: fresh(place),
    });
    set.chain(cut).chain(put).collect()
}

pub(super) fn have_same_meaning(meaning: ValueMeaning, a: Option<&Json>, b: Option<&Json>) -> bool {
    match (meaning, a, b) {
        (ValueMeaning::Condition, a, b) => canonical_condition(a) == canonical_condition(b),
        (_, None, None) => true,
        (ValueMeaning::Texts, Some(a), Some(b)) => have_same_text(a, b),
        (_, Some(a), Some(b)) => json_equal(a, b),
        _ => false,
    }
}

/// A condition that does not parse stays.
pub(super) fn canonical_condition(value: Option<&Json>) -> String {
    match value {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => match Condition::parse(text) {
            Ok(condition) => CanonicalNames::as_written().condition(&condition),
            Err(_) => text.clone(),
        },
        Some(other) => stepgraph_core::value::json_text(other),
    }
}

fn have_same_text(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::String(a), Json::String(b)) => {
            a == b || CanonicalNames::as_written().text(a) == CanonicalNames::as_written().text(b)
        }
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| have_same_text(a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| have_same_text(a, b)))
        }
        _ => json_equal(a, b),
    }
}
