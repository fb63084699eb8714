//! What a person must decide.

use super::location::MergeLocation;
use super::version::MergeVersion;
use crate::compare::describe;
use serde_json::{Map, Value as Json, json};
use stepgraph_core::diagnostic::Span;
use stepgraph_core::value::Segment;

/// In which way two versions contradict each other. Its slug is stable for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ConflictKind {
    /// One of the texts can't be read: nothing was merged.
    Unreadable,
    /// One field has two new values.
    Field,
    /// One changed what the other took away.
    Removed,
    /// Both added different things under one name.
    Added,
    /// Both gave a node another name.
    Renamed,
    /// Both put edges in another order.
    Order,
    /// The text of ours can't take a change of theirs where it stands.
    Text,
    /// Each is sound, both together are not.
    Plan,
}

impl ConflictKind {
    /// Every kind.
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

    /// One word, stable for ever.
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

/// Something that a person must decide.
///
/// # Shape
/// JSON: `{kind, scope, message, node?, edge?: {from, to}, field?, base?, ours?, theirs?, spans: {base?, ours?, theirs?, text?}}`; spans
/// are `{start, end}` of the three texts that were given, and of the text that came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// In which way.
    pub kind: ConflictKind,
    /// The graph: empty for the plan's own.
    pub scope: String,
    /// The node.
    pub node: Option<String>,
    /// The keys of the nodes that an edge joins.
    pub edge: Option<(String, String)>,
    /// The way to the field within the node, the edge or the plan.
    pub field: Vec<Segment>,
    /// What was there: in base, ours and theirs; absent where nothing is.
    pub values: [Option<Json>; 3],
    /// Where that stands: in base, ours, theirs, and in the text that came out.
    pub spans: [Option<Span>; 4],
    /// One sentence for people, without a period.
    pub message: String,
}

impl Conflict {
    /// Its JSON form.
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

    /// Says where it is in the texts.
    pub(super) fn locate(&mut self, location: &MergeLocation, versions: &[MergeVersion; 3]) {
        for ((span, version), path) in self.spans.iter_mut().zip(versions).zip(&location.paths) {
            *span = version.span(path);
        }
    }
}
