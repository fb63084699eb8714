//! Plans as data, and how they are written as files.

use serde_json::{Map, Value as Json, json};

/// A graph; the first node is its start.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges, in order.
    pub edges: Vec<Edge>,
}

/// An edge between two nodes, by position.
#[derive(Debug, Clone)]
pub struct Edge {
    /// The node it leaves.
    pub from: usize,
    /// The node it reaches.
    pub to: usize,
    /// Its condition.
    pub when: EdgeCondition,
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgeCondition {
    /// A fallback.
    Always,
    /// `last==…`
    LastIs(&'static str),
    /// `error.exists`
    Failed,
    /// `error.code==…`
    FailedWith(&'static str),
    /// `output.…==…`
    OutputIs(String, &'static str),
}

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// What it does.
    pub act: NodeBehaviour,
    /// Its input.
    pub given: InputSource,
    /// How often it is tried.
    pub retry: Option<Retry>,
    /// How long one try may take; when that is over is a matter of the order of answers.
    pub timeout_ms: Option<u32>,
    /// How often a scope may come to it.
    pub visits: Option<usize>,
}

/// Where a node's input comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum InputSource {
    /// What came before.
    Last,
    /// The plan says.
    Value(Json),
    /// A hole.
    Item,
    /// A hole.
    Index,
    /// A hole: the scope's input.
    Input,
    /// A hole: an output by its name, else `none`.
    Output(String),
    /// A hole: the code of the failure at hand.
    ErrorCode,
}

/// What a node does.
#[derive(Debug, Clone)]
pub enum NodeBehaviour {
    /// A handler: what it answers the first time, the second, …; the last repeats.
    Ask(Vec<Reply>),
    /// `noop`
    Pass,
    /// `log`
    Log,
    /// `graph`, `parallel` or `map`
    Run(Composite),
}

/// What a handler answers.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A value.
    Give(Json),
    /// Its input.
    Echo,
    /// A failure of that code.
    Fail(&'static str),
    /// Its input, but a failure when that is `bad`.
    Judge,
}

/// How often a node is tried.
#[derive(Debug, Clone)]
pub struct Retry {
    /// All tries.
    pub attempts: usize,
    /// Whether it is waited between them; until when is a matter of the order of answers.
    pub backoff: bool,
    /// The codes that are tried again; none stands for all.
    pub on: Vec<&'static str>,
}

/// What a node runs.
#[derive(Debug, Clone)]
pub struct Composite {
    /// Which graphs.
    pub shape: CompositeKind,
    /// When it is done.
    pub join: Join,
    /// How many run at once.
    pub concurrency: Option<usize>,
    /// The graphs by name; one without a name for `graph` and `map`.
    pub graphs: Vec<(String, Graph)>,
}

/// Which graphs are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the types' own names")]
pub enum CompositeKind {
    Graph,
    Parallel,
    Map,
}

/// When a node with several graphs is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the settings' own names")]
pub enum Join {
    All,
    Any,
    Settled,
}

/// Bounds of the whole run, and how often a scope may come to a node that does not say so itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Visits of a node in a scope; 25 unless said.
    pub visits: Option<usize>,
    /// Nodes.
    pub steps: Option<usize>,
    /// Calls.
    pub calls: Option<usize>,
    /// Bytes of what calls give.
    pub output_bytes: Option<usize>,
    /// Whether the run may only take so long; when that is over is a matter of the order of answers.
    pub timeout: bool,
}

impl Limits {
    /// As in a file.
    pub fn write(&self) -> Json {
        json!({
            "visits": self.visits, "steps": self.steps, "calls": self.calls, "output_bytes": self.output_bytes,
            "timeout_ms": self.timeout.then_some(5000),
        })
    }
}

impl Join {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "any",
            Self::Settled => "settled",
        }
    }
}

impl EdgeCondition {
    /// Whether it speaks of the failure at hand.
    pub fn references_error(&self) -> bool {
        matches!(self, Self::Failed | Self::FailedWith(_))
    }

    fn write(&self) -> String {
        match self {
            Self::Always => "default".to_owned(),
            Self::LastIs(text) => format!("last=={text}"),
            Self::Failed => "error.exists".to_owned(),
            Self::FailedWith(code) => format!("error.code=={code}"),
            Self::OutputIs(name, text) => format!("output.{name}=={text}"),
        }
    }
}

impl Node {
    /// A node of that id with nothing special about it.
    pub fn new(id: impl Into<String>, act: NodeBehaviour) -> Self {
        Self { id: id.into(), act, given: InputSource::Last, retry: None, timeout_ms: None, visits: None }
    }

    fn write(&self) -> Json {
        let mut node = Map::new();
        let kind = match &self.act {
            NodeBehaviour::Ask(_) => "ask",
            NodeBehaviour::Pass => "noop",
            NodeBehaviour::Log => "log",
            NodeBehaviour::Run(fan) => fan.write(&mut node),
        };
        node.insert("type".to_owned(), kind.into());
        let input = match &self.given {
            InputSource::Last => Json::Null,
            InputSource::Value(value) => value.clone(),
            InputSource::Item => "${item}".into(),
            InputSource::Index => "${index}".into(),
            InputSource::Input => "${input}".into(),
            InputSource::Output(name) => format!("${{output.{name} ?? \"none\"}}").into(),
            InputSource::ErrorCode => "${error.code}".into(),
        };
        node.insert("input".to_owned(), input);
        if let Some(Retry { attempts, backoff, on }) = &self.retry {
            let backoff_ms = if *backoff { 10 } else { 0 };
            node.insert(
                "retry".to_owned(),
                json!({"attempts": attempts, "backoff_ms": backoff_ms, "on": on}),
            );
        }
        node.insert("timeout_ms".to_owned(), json!(self.timeout_ms));
        node.insert("visits".to_owned(), json!(self.visits));
        Json::Object(node)
    }
}

impl Composite {
    /// Writes its settings and graphs into a node; gives the type.
    fn write(&self, node: &mut Map<String, Json>) -> &'static str {
        if self.shape != CompositeKind::Graph {
            let with = json!({"join": self.join.as_str(), "concurrency": self.concurrency});
            node.insert("with".to_owned(), with);
        }
        let mut graphs = self.graphs.iter().map(|(name, graph)| (name.clone(), graph.write()));
        let (kind, key) = match self.shape {
            CompositeKind::Graph => ("graph", "graph"),
            CompositeKind::Parallel => {
                node.insert("branches".to_owned(), graphs.collect::<Map<_, _>>().into());
                return "parallel";
            }
            CompositeKind::Map => ("map", "do"),
        };
        node.insert(key.to_owned(), graphs.next().map_or(Json::Null, |(_, graph)| graph));
        kind
    }
}

impl Graph {
    /// A graph of one node.
    pub fn of(node: Node) -> Self {
        Self { nodes: vec![node], edges: Vec::new() }
    }

    /// As in a file.
    pub fn write(&self) -> Json {
        let id = |at: usize| self.nodes[at].id.as_str();
        let nodes: Map<String, Json> =
            self.nodes.iter().map(|node| (node.id.clone(), node.write())).collect();
        let edge =
            |edge: &Edge| json!({"from": id(edge.from), "to": id(edge.to), "condition": edge.when.write()});
        let edges: Vec<Json> = self.edges.iter().map(edge).collect();
        json!({"start": id(0), "nodes": nodes, "edges": edges})
    }

    /// How many nodes there are, those inside included.
    pub fn size(&self) -> usize {
        self.nodes.iter().map(Node::size).sum()
    }
}

impl Node {
    /// How many nodes it is, those inside included.
    pub fn size(&self) -> usize {
        match &self.act {
            NodeBehaviour::Run(fan) => 1 + fan.graphs.iter().map(|(_, graph)| graph.size()).sum::<usize>(),
            _ => 1,
        }
    }
}

/// What a handler answers at a visit and try, from 1: a value, or the code of a failure.
pub fn answer(
    replies: &[Reply],
    (visit, attempt): (usize, usize),
    input: &Json,
) -> Result<Json, &'static str> {
    match &replies[(visit + attempt - 2).min(replies.len() - 1)] {
        Reply::Give(value) => Ok(value.clone()),
        Reply::Judge if *input == "bad" => Err("handler/bad"),
        Reply::Echo | Reply::Judge => Ok(input.clone()),
        Reply::Fail(code) => Err(code),
    }
}
