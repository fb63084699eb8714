//! A value's location on all three sides.

use super::conflict::{Conflict, ConflictKind};
use crate::compare::describe;
use serde_json::Value as Json;
use stepgraph_core::value::Segment;

#[derive(Debug, Clone, Default)]
pub(super) struct MergeLocation {
    pub(super) paths: [Vec<Segment>; 3],
    pub(super) scope: String,
    pub(super) node: Option<String>,
    pub(super) edge: Option<(String, String)>,
    pub(super) field_start: usize,
    pub(super) meaning: ValueMeaning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ValueMeaning {
    #[default]
    Plain,
    Texts,
    Condition,
    /// *Ours* wins.
    Layout,
}

impl MergeLocation {
    pub(super) fn child(&self, segment: &Segment) -> Self {
        self.child_at(&[segment, segment, segment])
    }

    pub(super) fn child_key(&self, key: &str) -> Self {
        self.child(&Segment::Key(key.to_owned()))
    }

    pub(super) fn child_at(&self, segments: &[&Segment; 3]) -> Self {
        let mut location = self.clone();
        for (path, segment) in location.paths.iter_mut().zip(segments) {
            path.push((*segment).clone());
        }
        location
    }

    pub(super) fn field(&self) -> Vec<Segment> {
        let [_, ours, _] = &self.paths;
        ours.get(self.field_start..).unwrap_or_default().to_vec()
    }

    pub(super) fn describe(&self) -> String {
        let field = self.field();
        let field = (!field.is_empty()).then(|| format!("`{}`", describe::path(&field)));
        let of = match (&self.edge, &self.node) {
            (Some((from, to)), _) => {
                Some(format!("the edge {} → {}", describe::name(from), describe::name(to)))
            }
            (None, Some(node)) => Some(describe::name(node)),
            (None, None) => None,
        };
        let inside = if self.scope.is_empty() {
            String::new()
        } else {
            format!(" in {}", describe::name(&self.scope))
        };
        match (field, of) {
            (Some(field), Some(of)) => format!("{field} of {of}{inside}"),
            (Some(field), None) => format!("{field}{inside}"),
            (None, Some(of)) if self.edge.is_none() => format!("node {of}{inside}"),
            (None, Some(of)) => format!("{of}{inside}"),
            (None, None) => "the plan".to_owned(),
        }
    }

    pub(super) fn conflict(
        &self,
        kind: ConflictKind,
        values: [Option<&Json>; 3],
        message: String,
    ) -> Conflict {
        let mut conflict = Conflict::new(kind, message);
        conflict.scope.clone_from(&self.scope);
        conflict.node.clone_from(&self.node);
        conflict.edge.clone_from(&self.edge);
        conflict.field = self.field();
        conflict.values = values.map(Option::<&Json>::cloned);
        conflict
    }
}
