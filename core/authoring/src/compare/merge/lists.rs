//! Rewrites lists whose items have their own identity.

use super::{Change, MergeLocation, Merger};
use serde_json::Value as Json;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::value::Segment;

/// An index of ours, or new.
#[derive(Debug, Clone)]
pub(super) enum ListItem<'j> {
    Own(usize),
    New(&'j Json),
}

impl Merger {
    pub(super) fn set_list(&mut self, location: &MergeLocation, count: usize, items: &[ListItem<'_>]) {
        let [_, path, _] = &location.paths;
        let at = |place: usize| [path.as_slice(), &[Segment::Index(place)]].concat();
        let mut kept = vec![false; count];
        let order: Vec<usize> = (items.iter())
            .filter_map(|item| match item {
                ListItem::Own(place) => Some(*place),
                ListItem::New(_) => None,
            })
            .collect_vec();
        for place in &order {
            kept.get_mut(*place).into_iter().for_each(|kept| *kept = true);
        }
        let gone = (0..count).rev().filter(|place| kept.get(*place) == Some(&false));
        let mut changes: Vec<Change> = gone.map(|place| Change::Remove { path: at(place) }).collect_vec();
        let mut now: Vec<usize> = (0..count).filter(|place| kept.get(*place) == Some(&true)).collect_vec();
        for (to, wanted) in order.iter().enumerate() {
            let found = now.iter().skip(to).position(|place| place == wanted).map(|found| found + to);
            if let Some(from) = found.filter(|from| *from != to) {
                changes.push(Change::Move { path: at(from), to });
                let item = now.remove(from);
                now.insert(to, item);
            }
        }
        for (place, item) in items.iter().enumerate() {
            if let ListItem::New(value) = item {
                changes.push(Change::Insert { path: at(place), before: None, value: (*value).clone() });
            }
        }
        self.add_step(location, changes);
    }
}
