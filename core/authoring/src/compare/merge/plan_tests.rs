//! Merges a plan's tests by name.

use super::edges::end;
use super::fields::have_same_meaning;
use super::lists::ListItem;
use super::{ConflictKind, MergeLocation, Merger, ValueMeaning};
use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_core::value::Segment;

impl Merger {
    pub(super) fn merge_tests(&mut self, location: &MergeLocation, three: [&Vec<Json>; 3]) {
        let titles = three.map(|tests| tests_by_name(tests));
        let [base, ours, theirs] = &titles;
        let mut items: Vec<ListItem<'_>> = Vec::new();
        for (title, own) in ours.iter().map(|(title, at)| (title, *at)) {
            let values = [base, ours, theirs].map(|side| side.iter().find(|(known, _)| known == title));
            let inner = location.child_at(
                &values
                    .map(|value| value.map_or(Segment::Index(usize::MAX), |(_, at)| Segment::Index(*at)))
                    .each_ref(),
            );
            let at = |side: usize| {
                values.get(side).copied().flatten().and_then(|(_, at)| three.get(side)?.get(*at))
            };
            match [at(0), at(1), at(2)] {
                [Some(old), Some(own_value), None]
                    if have_same_meaning(ValueMeaning::Plain, Some(old), Some(own_value)) =>
                {
                    continue;
                }
                [Some(old), Some(own_value), None] => {
                    let message = format!(
                        "{} is gone in theirs, and was changed in ours",
                        location.describe_test(&title.0)
                    );
                    self.add_conflict(
                        &inner,
                        ConflictKind::Removed,
                        [Some(old), Some(own_value), None],
                        message,
                    );
                }
                [None, Some(own_value), Some(new)]
                    if !have_same_meaning(ValueMeaning::Plain, Some(own_value), Some(new)) =>
                {
                    let message = format!(
                        "ours and theirs both added {}, and mean different things by it",
                        location.describe_test(&title.0)
                    );
                    self.add_conflict(
                        &inner,
                        ConflictKind::Added,
                        [None, Some(own_value), Some(new)],
                        message,
                    );
                }
                [Some(_), Some(_), Some(_)] => self.merge_value(&inner, [at(0), at(1), at(2)]),
                _ => {}
            }
            items.push(ListItem::Own(own));
        }
        for (title, new) in theirs.iter().filter(|(title, _)| ours.iter().all(|(known, _)| known != title)) {
            let Some(value) = three[2].get(*new) else { continue };
            let old = base.iter().find(|(known, _)| known == title).and_then(|(_, at)| three[0].get(*at));
            match old {
                None => items.push(ListItem::New(value)),
                Some(old) if !have_same_meaning(ValueMeaning::Plain, Some(old), Some(value)) => {
                    let message = format!(
                        "{} is gone in ours, and was changed in theirs",
                        location.describe_test(&title.0)
                    );
                    self.add_conflict(
                        location,
                        ConflictKind::Removed,
                        [Some(old), None, Some(value)],
                        message,
                    );
                }
                Some(_) => {}
            }
        }
        let same = items.len() == ours.len() && items.iter().all(|item| matches!(item, ListItem::Own(_)));
        if !same {
            self.set_list(location, ours.len(), &items);
        }
    }
}

fn tests_by_name(tests: &[Json]) -> Vec<((String, usize), usize)> {
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut found = Vec::new();
    for (at, test) in tests.iter().enumerate() {
        let title = end(test, "name").to_owned();
        let number = times.entry(title.clone()).or_default();
        found.push(((title, *number), at));
        *number += 1;
    }
    found
}
