//! Compares two plans by meaning, and merges three versions of a plan.
//!
//! Layout, comments, formatting, key order, explicit defaults, needless quotes and renames have no meaning.
//! The order of edges that leave a node counts, because a run takes the first edge whose condition holds.
//!
//! It reports only facts that are certain for every host, with "may" if they depend on the run.
//!
//! Invariants:
//! 1. The list of changes is empty exactly if both plans mean the same.
//! 2. It lists the plan, its graphs from the outside in, then the behaviour of runs.
//! 3. Time is almost linear.
//!
//! Source: `docs/diff-and-merge.md`.

mod canonical;
mod describe;
mod edges;
mod graphs;
mod merge;
mod node_fields;
mod node_matching;
mod plan_matching;
mod plan_settings;
mod run_behaviour;
mod tool_access;
mod values;

pub use merge::{Conflict, ConflictKind, MergeResult, merge};

use plan_matching::PlanMatching;
use serde_json::{Map, Value as Json, json};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::value::Segment;

macro_rules! kinds {
    ($($name:ident $slug:literal $doc:literal;)*) => {
        /// The kind of a change.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ChangeKind { $(#[doc = $doc] $name,)* }

        impl ChangeKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// `what/how`, which never changes.
            pub fn slug(self) -> &'static str {
                match self { $(Self::$name => $slug,)* }
            }
        }
    };
}

kinds! {
    PlanChanged "plan/changed" "Something that the plan says of itself or of its runs.";
    InputAdded "input/added" "Something more that a run must be given.";
    InputRemoved "input/removed" "Something that a run need not be given any more.";
    InputChanged "input/changed" "What an input must be like.";
    ServerAdded "server/added" "A server more.";
    ServerRemoved "server/removed" "A server less.";
    ServerChanged "server/changed" "Where a server is.";
    TestAdded "test/added" "A test more; no run is affected.";
    TestRemoved "test/removed" "A test less; no run is affected.";
    TestChanged "test/changed" "What a test gives or expects; no run is affected.";
    StartChanged "start/changed" "Where runs of a graph begin.";
    NodeAdded "node/added" "A node that was not there.";
    NodeRemoved "node/removed" "A node that is gone.";
    NodeRenamed "node/renamed" "A node that goes by another key.";
    NodeChanged "node/changed" "Something that a node says: `field` names it.";
    GraphAdded "graph/added" "A graph more inside a node.";
    GraphRemoved "graph/removed" "A graph less inside a node.";
    GraphRenamed "graph/renamed" "A graph inside a node that goes by another name.";
    GraphOrder "graph/order" "The branches of a node start in another order.";
    GraphChanged "graph/changed" "Something that a graph inside a node says of itself.";
    EdgeAdded "edge/added" "An edge that was not there.";
    EdgeRemoved "edge/removed" "An edge that is gone.";
    EdgeRedirected "edge/redirected" "An edge that leads elsewhere.";
    EdgeCondition "edge/condition" "An edge that is taken under another condition.";
    EdgeOrder "edge/order" "The edges of a node are looked at in another order.";
    ToolAdded "run/tool-added" "A tool that runs may call now.";
    ToolRemoved "run/tool-removed" "A tool that runs call no more.";
    NodeReached "run/reached" "A node that runs may come to now.";
    NodeUnreached "run/unreached" "A node that no run comes to any more.";
    NodeMissed "run/missed" "A node that every completed run came to, and that may be missed now.";
    NodeAlways "run/always" "A node that runs could miss, and that every completed run comes to now.";
    NodeUnguarded "run/unguarded" "A node that acts, to which runs came only after a person was asked, and may come without now.";
    EndAdded "run/end-added" "A node at which runs may complete now.";
    EndRemoved "run/end-removed" "A node at which runs can't complete any more.";
    LoopAdded "run/loop-added" "A loop that runs may go round now.";
    LoopRemoved "run/loop-removed" "A loop that is gone.";
    LoopGrown "run/loop-grown" "Nodes that a loop takes in now.";
    FailureHandled "run/failure-handled" "A failure that an edge handles now.";
    FailureUnhandled "run/failure-unhandled" "A failure that no edge handles any more.";
}

/// All differences of two plans.
///
/// # Shape
/// JSON: `{same, changes: [Change]}`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// Empty if both plans mean the same.
    pub changes: Vec<Change>,
}

/// One difference.
///
/// # Shape
/// JSON: `{kind, scope, message, node?, was?, edge?: {from, to}, field?, before?, after?, spans: {before?,
/// after?}, destroys?}`. Spans are `{start, end}` in the old and the new text.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The kind.
    pub kind: ChangeKind,
    /// Empty for the root graph, `fan/a` for branch `a` of node `fan`. A removed graph has its old scope.
    pub scope: String,
    /// The new key, or a removed node's old key.
    pub node: Option<String>,
    /// Before a rename.
    pub previous_key: Option<String>,
    /// The edge's nodes.
    pub edge: Option<(String, String)>,
    /// Within the node or plan.
    pub field: Vec<Segment>,
    /// Old value.
    pub before: Option<Json>,
    /// New value.
    pub after: Option<Json>,
    /// In the old text.
    pub before_span: Option<Span>,
    /// In the new text.
    pub after_span: Option<Span>,
    /// Runs may newly do something destructive.
    pub is_destructive: bool,
    /// For users, with names in backticks.
    pub message: String,
}

/// Host capabilities allow more precise statements about tools.
///
/// # Example
/// ```
/// use stepgraph_authoring::compare::compare;
/// use stepgraph_core::{graph::PlanGraph, source::Format};
/// let plan = |text| PlanGraph::parse(text, Format::Auto).graph.unwrap();
/// let before = plan("nodes: {a: {type: log, input: hi}, b: {type: noop}}\nedges: [{from: a, to: b, condition: last==hi}]");
/// let after = plan("nodes: {a: {type: log, input: ho}, b: {type: noop}}\nedges: [{from: a, to: b, condition: 'last == \"hi\"'}]");
/// let found = compare(&before, &after, None);
/// assert_eq!(found.changes.len(), 1);
/// assert_eq!(found.changes[0].message, "`input` of `a` is `ho` instead of `hi`");
/// ```
pub fn compare(before: &PlanGraph, after: &PlanGraph, capabilities: Option<&Capabilities>) -> Comparison {
    let matching = PlanMatching::new(before, after);
    let nothing = Capabilities::default();
    let capabilities = capabilities.unwrap_or(&nothing);
    let mut changes = Vec::new();
    plan_settings::compare(&matching, &mut changes);
    graphs::compare(&matching, capabilities, &mut changes);
    run_behaviour::compare(&matching, capabilities, &mut changes);
    Comparison { changes }
}

impl Comparison {
    /// Whether both plans mean the same.
    pub fn is_same(&self) -> bool {
        self.changes.is_empty()
    }

    /// JSON form.
    pub fn to_json(&self) -> Json {
        json!({"same": self.is_same(), "changes": self.changes.iter().map(Change::to_json).collect_vec()})
    }
}

impl Change {
    fn new(kind: ChangeKind, scope: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            scope: scope.to_owned(),
            node: None,
            previous_key: None,
            edge: None,
            field: Vec::new(),
            before: None,
            after: None,
            before_span: None,
            after_span: None,
            is_destructive: false,
            message: message.into(),
        }
    }

    fn node(mut self, key: &str) -> Self {
        self.node = Some(key.to_owned());
        self
    }

    fn edge(mut self, from: &str, to: &str) -> Self {
        self.edge = Some((from.to_owned(), to.to_owned()));
        self.node(from)
    }

    fn field(mut self, field: &[Segment]) -> Self {
        self.field = field.to_vec();
        self
    }

    fn values(mut self, before: Option<Json>, after: Option<Json>) -> Self {
        (self.before, self.after) = (before, after);
        self
    }

    fn spans(mut self, before: Option<Span>, after: Option<Span>) -> Self {
        (self.before_span, self.after_span) = (before, after);
        self
    }

    /// JSON form.
    pub fn to_json(&self) -> Json {
        let mut map = Map::new();
        let mut put = |key: &str, value: Option<Json>| {
            if let Some(value) = value {
                map.insert(key.to_owned(), value);
            }
        };
        put("kind", Some(self.kind.slug().into()));
        put("scope", Some(self.scope.as_str().into()));
        put("node", self.node.as_deref().map(Json::from));
        put("was", self.previous_key.as_deref().map(Json::from));
        put("edge", self.edge.as_ref().map(|(from, to)| json!({"from": from, "to": to})));
        put("field", (!self.field.is_empty()).then(|| describe::path(&self.field).into()));
        put("before", self.before.clone());
        put("after", self.after.clone());
        put("spans", Some(describe::spans(&[("before", self.before_span), ("after", self.after_span)])));
        put("destroys", self.is_destructive.then_some(Json::Bool(true)));
        put("message", Some(self.message.as_str().into()));
        Json::Object(map)
    }
}
