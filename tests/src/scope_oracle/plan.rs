//! Plans as data, and their serialization.

use serde_json::{Map, Value as Json, json};

/// A graph. The first node is its start.
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
    /// The source.
    pub from: usize,
    /// The target.
    pub to: usize,
    /// The condition.
    pub when: EdgeCondition,
}

/// The condition of an edge.
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
    /// The id.
    pub id: String,
    /// The behaviour.
    pub act: NodeBehaviour,
    /// The source of the input.
    pub given: InputSource,
    /// The retry settings.
    pub retry: Option<Retry>,
    /// The time limit of an attempt. The order of answers decides when it expires.
    pub timeout_ms: Option<u32>,
    /// The maximum visits in a scope.
    pub visits: Option<usize>,
}

/// The source of a node's input.
#[derive(Debug, Clone, PartialEq)]
pub enum InputSource {
    /// The last output.
    Last,
    /// A value in the plan.
    Value(Json),
    /// The placeholder `item`.
    Item,
    /// The placeholder `index`.
    Index,
    /// A placeholder for the scope's input.
    Input,
    /// A placeholder for an output, with the fallback `none`.
    Output(String),
    /// A placeholder for the code of the current failure.
    ErrorCode,
}

/// The behaviour of a node.
#[derive(Debug, Clone)]
pub enum NodeBehaviour {
    /// A handler with its replies in order. The last one repeats.
    Ask(Vec<Reply>),
    /// `noop`
    Pass,
    /// `log`
    Log,
    /// `graph`, `parallel` or `map`
    Run(Composite),
}

/// The reply of a handler.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A value.
    Give(Json),
    /// The input.
    Echo,
    /// A failure with this code.
    Fail(&'static str),
    /// The input, or a failure if the input is `bad`.
    Judge,
}

/// The retry settings of a node.
#[derive(Debug, Clone)]
pub struct Retry {
    /// The number of attempts, including the first.
    pub attempts: usize,
    /// Whether there is a wait between attempts. The order of answers decides when it ends.
    pub backoff: bool,
    /// The codes that are retried. An empty list covers all codes.
    pub on: Vec<&'static str>,
}

/// The graphs of a composite node.
#[derive(Debug, Clone)]
pub struct Composite {
    /// The kind of node.
    pub shape: CompositeKind,
    /// The join.
    pub join: Join,
    /// The maximum number of concurrent graphs.
    pub concurrency: Option<usize>,
    /// The graphs by name. `graph` and `map` have one graph with an empty name.
    pub graphs: Vec<(String, Graph)>,
}

/// The kind of a composite node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the types' own names")]
pub enum CompositeKind {
    Graph,
    Parallel,
    Map,
}

/// The join: when a composite node is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the settings' own names")]
pub enum Join {
    All,
    Any,
    Settled,
}

/// Limits of the whole run, and the default visits of a node.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// The maximum visits of a node in a scope. The default is 25.
    pub visits: Option<usize>,
    /// The maximum number of steps.
    pub steps: Option<usize>,
    /// The maximum number of calls.
    pub calls: Option<usize>,
    /// The maximum size of all answers in bytes.
    pub output_bytes: Option<usize>,
    /// Whether the run has a time limit. The order of answers decides when it expires.
    pub timeout: bool,
}

impl Limits {
    /// Serializes the limits as in a file.
    pub fn write(&self) -> Json {
        json!({
            "visits": self.visits, "steps": self.steps, "calls": self.calls, "output_bytes": self.output_bytes,
            "timeout_ms": self.timeout.then_some(5000),
        })
    }
}

impl Join {
    /// Returns the keyword.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "any",
            Self::Settled => "settled",
        }
    }
}

impl EdgeCondition {
    /// Returns whether the condition refers to the current failure.
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
    /// Creates a node with this id and default settings.
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
    /// Writes the settings and graphs into a node, and returns the type.
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
    /// Creates a graph of one node.
    pub fn of(node: Node) -> Self {
        Self { nodes: vec![node], edges: Vec::new() }
    }

    /// Serializes the graph as in a file.
    pub fn write(&self) -> Json {
        let id = |at: usize| self.nodes[at].id.as_str();
        let nodes: Map<String, Json> =
            self.nodes.iter().map(|node| (node.id.clone(), node.write())).collect();
        let edge =
            |edge: &Edge| json!({"from": id(edge.from), "to": id(edge.to), "condition": edge.when.write()});
        let edges: Vec<Json> = self.edges.iter().map(edge).collect();
        json!({"start": id(0), "nodes": nodes, "edges": edges})
    }

    /// Returns the number of nodes, including nested ones.
    pub fn size(&self) -> usize {
        self.nodes.iter().map(Node::size).sum()
    }
}

impl Node {
    /// Returns the number of nodes, including itself and nested ones.
    pub fn size(&self) -> usize {
        match &self.act {
            NodeBehaviour::Run(fan) => 1 + fan.graphs.iter().map(|(_, graph)| graph.size()).sum::<usize>(),
            _ => 1,
        }
    }
}

/// Returns the reply of a handler at a visit and an attempt, both from 1.
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
