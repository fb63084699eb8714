//! A conflict: a contradiction that the user must resolve.

use super::location::MergeLocation;
use super::version::MergeVersion;
use crate::compare::describe;
use serde_json::{Map, Value as Json, json};
use stepgraph_core::diagnostic::Span;
use stepgraph_core::value::Segment;

/// The kind of a conflict. Slugs never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ConflictKind {
    /// One of the texts does not parse, so nothing was merged.
    Unreadable,
    /// One field has two new values.
    Field,
    /// One side changed what the other removed.
    Removed,
    /// Both sides added different things under one name.
    Added,
    /// Both sides renamed a node differently.
    Renamed,
    /// Both sides reordered edges differently, or *theirs* reordered branches.
    Order,
    /// A change of *theirs* cannot be written into the text of *ours*.
    Text,
    /// Each side is sound, but the merged plan is not.
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

    /// Returns the slug, which never changes.
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

/// A contradiction that the user must resolve.
///
/// # Shape
/// JSON: `{kind, scope, message, node?, edge?: {from, to}, field?, base?, ours?, theirs?,
/// spans: {base?, ours?, theirs?, text?}}`.
/// Spans are `{start, end}` in the three inputs and in the merged text.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// The kind.
    pub kind: ConflictKind,
    /// The scope of the graph. Empty for the root graph.
    pub scope: String,
    /// The key of the node.
    pub node: Option<String>,
    /// The keys of the nodes that an edge connects.
    pub edge: Option<(String, String)>,
    /// The path of the field within the node, the edge or the plan.
    pub field: Vec<Segment>,
    /// The values in *base*, *ours* and *theirs*, if present.
    pub values: [Option<Json>; 3],
    /// The spans in *base*, *ours*, *theirs* and the merged text.
    pub spans: [Option<Span>; 4],
    /// One sentence for users, without a period.
    pub message: String,
}

impl Conflict {
    /// Returns the JSON form.
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
