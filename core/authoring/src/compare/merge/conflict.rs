//! A conflict, which the user must resolve.

use super::location::MergeLocation;
use super::version::MergeVersion;
use crate::compare::describe;
use serde_json::{Map, Value as Json, json};
use stepgraph_core::diagnostic::Span;
use stepgraph_core::value::Segment;

/// A conflict's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ConflictKind {
    /// A text does not parse.
    Unreadable,
    /// One field has two new values.
    Field,
    /// One side changed an element that the other removed.
    Removed,
    /// Different additions under one name.
    Added,
    /// Both sides renamed a node.
    Renamed,
    /// Reordered edges, or branches in *theirs*.
    Order,
    /// The text of *ours* allows no such change.
    Text,
    /// Only the merged plan is unsound.
    Plan,
}

impl ConflictKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::Unreadable,
        Self::Field,
        Self::Removed,
        Self::Added,
        Self::Renamed,
        Self::Order,
        Self::Text,
        Self::Plan,
    ];

    /// It never changes.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Field => "field",
            Self::Removed => "removed",
            Self::Added => "added",
            Self::Renamed => "renamed",
            Self::Order => "order",
            Self::Text => "text",
            Self::Plan => "plan",
        }
    }
}

/// A conflict.
///
/// # Shape
/// JSON: `{kind, scope, message, node?, edge?: {from, to}, field?, base?, ours?, theirs?, spans: {base?,
/// ours?, theirs?, text?}}`. Spans are `{start, end}` in the inputs and in the merged text.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// The kind.
    pub kind: ConflictKind,
    /// Empty for the root graph.
    pub scope: String,
    /// Its key.
    pub node: Option<String>,
    /// The edge's nodes.
    pub edge: Option<(String, String)>,
    /// Within the node, edge or plan.
    pub field: Vec<Segment>,
    /// In *base*, *ours* and *theirs*.
    pub values: [Option<Json>; 3],
    /// In *base*, *ours*, *theirs* and the merged text.
    pub spans: [Option<Span>; 4],
    /// For users, without a period.
    pub message: String,
}

impl Conflict {
    /// JSON form.
    pub fn to_json(&self) -> Json {
        let mut map = Map::new();
        let mut put = |key: &str, value: Option<Json>| {
            if let Some(value) = value {
                map.insert(key.to_owned(), value);
            }
        };
        let [base, ours, theirs] = &self.values;
        let [in_base, in_ours, in_theirs, in_text] = self.spans;
        put("kind", Some(self.kind.slug().into()));
        put("scope", Some(self.scope.as_str().into()));
        put("node", self.node.as_deref().map(Json::from));
        put("edge", self.edge.as_ref().map(|(from, to)| json!({"from": from, "to": to})));
        put("field", (!self.field.is_empty()).then(|| describe::path(&self.field).into()));
        put("base", base.clone());
        put("ours", ours.clone());
        put("theirs", theirs.clone());
        let spans = [("base", in_base), ("ours", in_ours), ("theirs", in_theirs), ("text", in_text)];
        put("spans", Some(describe::spans(&spans)));
        put("message", Some(self.message.as_str().into()));
        Json::Object(map)
    }
}

impl Conflict {
    pub(super) fn new(kind: ConflictKind, message: String) -> Self {
        Self {
            kind,
            scope: String::new(),
            node: None,
            edge: None,
            field: Vec::new(),
            values: [None, None, None],
            spans: [None; 4],
            message,
        }
    }

    pub(super) fn locate(&mut self, location: &MergeLocation, versions: &[MergeVersion; 3]) {
        for ((span, version), path) in self.spans.iter_mut().zip(versions).zip(&location.paths) {
            *span = version.span(path);
        }
    }
}
