//! What differs between two plans in meaning, and three versions of a plan as one.
//!
//! Decides what counts as a change. Layout, comments, formatting, order of keys and of nodes, defaults that are written out, and the
//! blanks and needless quotes of conditions don't; nor does a node's new name in what speaks of that node. The order of the edges that
//! leave a node does, for the first that holds is taken, and so does the order of lists. Says besides what else runs may do now: only
//! what is sure for every host, with "may" where it depends on the run.
//!
//! Files: `node_matching` which node is which · `plan_matching` which graph · `canonical` one form for one meaning · `values`, `graphs`, `node_fields`, `edges`,
//! `plan_settings` what changed in them · `run_behaviour`, `tool_access` what runs may do · `describe` sentences · `merge` three versions as one.
//!
//! Invariants: 1. no change is listed exactly when both mean the same; 2. the same two plans give the same list, in the order of the
//! text after: the plan, its graphs from the outside in, and last what runs may do; 3. time is all but linear.
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
use stepgraph_core::diagnostic::Span;
use stepgraph_core::graph::PlanGraph;
use stepgraph_core::list::List;
use stepgraph_core::value::Segment;

macro_rules! kinds {
    ($($name:ident $slug:literal $doc:literal;)*) => {
        /// In which way something differs. Its slug is stable for ever.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum ChangeKind { $(#[doc = $doc] $name,)* }

        impl ChangeKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// `what/how`, stable for ever.
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
    FailureHandled "run/failure-handled" "A failure that an edge takes up now.";
    FailureUnhandled "run/failure-unhandled" "A failure that no edge takes up any more.";
}

/// What differs between two plans.
///
/// # Shape
/// JSON: `{same, changes: [Change]}`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// All changes, in their order; none when both mean the same.
    pub changes: Vec<Change>,
}

/// One difference.
///
/// # Shape
/// JSON: `{kind, scope, message, node?, was?, edge?: {from, to}, field?, before?, after?, spans: {before?, after?}, destroys?}`; spans
/// are `{start, end}`, of the text before and the text after. What is absent is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// In which way.
    pub kind: ChangeKind,
    /// The graph: empty for the plan's own, `fan/a` for branch `a` of node `fan`; as it is called after, or was before where it is gone.
    pub scope: String,
    /// The node, by the key it has after; where it is gone, had before.
    pub node: Option<String>,
    /// The key that a renamed node had before.
    pub previous_key: Option<String>,
    /// The keys of the nodes that an edge joins.
    pub edge: Option<(String, String)>,
    /// The way to what changed, within the node or the plan.
    pub field: Vec<Segment>,
    /// What was there; absent when nothing was.
    pub before: Option<Json>,
    /// What is there now; absent when nothing is.
    pub after: Option<Json>,
    /// Where it stood.
    pub before_span: Option<Span>,
    /// Where it stands.
    pub after_span: Option<Span>,
    /// Whether it lets runs do what may destroy something.
    pub is_destructive: bool,
    /// One sentence for people, without a period, names in back-ticks.
    pub message: String,
}

/// Says what differs between two plans. With what a host can do, more is said of the tools that runs may call.
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
    /// Whether both mean the same.
    pub fn is_same(&self) -> bool {
        self.changes.is_empty()
    }

    /// Its JSON form.
    pub fn to_json(&self) -> Json {
        json!({"same": self.is_same(), "changes": self.changes.iter().map(Change::to_json).list()})
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

    /// Its JSON form.
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
