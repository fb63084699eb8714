//! Plans as data, and their serialization.

use serde_json::{Map, Value as Json, json};

/// A graph that starts at its first node.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Edges, in order.
    pub edges: Vec<Edge>,
}

/// An edge, by node positions.
#[derive(Debug, Clone)]
pub struct Edge {
    /// The source.
    pub from: usize,
    /// The target.
    pub to: usize,
    /// The condition.
    pub when: EdgeCondition,
}

/// An edge's condition.
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
    /// Its behaviour.
    pub act: NodeBehaviour,
    /// Source of its input.
    pub given: InputSource,
    /// Retry settings.
    pub retry: Option<Retry>,
    /// Attempt's time limit, which expires as the order of answers says.
    pub timeout_ms: Option<u32>,
    /// Maximum visits in a scope.
    pub visits: Option<usize>,
}

/// A source of input.
#[derive(Debug, Clone, PartialEq)]
pub enum InputSource {
    /// Last output.
    Last,
    /// Value in the plan.
    Value(Json),
    /// Placeholder `item`.
    Item,
    /// Placeholder `index`.
    Index,
    /// Placeholder for the scope's input.
    Input,
    /// Placeholder for an output, falling back to `none`.
    Output(String),
    /// Placeholder for the failure's code.
    ErrorCode,
}

/// A node's behaviour.
#[derive(Debug, Clone)]
pub enum NodeBehaviour {
    /// Handler with replies in order, the last repeating.
    Ask(Vec<Reply>),
    /// `noop`
    Pass,
    /// `log`
    Log,
    /// `graph`, `parallel` or `map`
    Run(Composite),
}

/// A handler's reply.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A value.
    Give(Json),
    /// The input.
    Echo,
    /// Failure with this code.
    Fail(&'static str),
    /// Input, or a failure if that is `bad`.
    Judge,
}

/// A node's retry settings.
#[derive(Debug, Clone)]
pub struct Retry {
    /// Attempts, including the first.
    pub attempts: usize,
    /// Whether attempts have a wait between them.
    pub backoff: bool,
    /// Retried codes. An empty list covers all.
    pub on: Vec<&'static str>,
}

/// A composite node's graphs.
#[derive(Debug, Clone)]
pub struct Composite {
    /// Its kind.
    pub shape: CompositeKind,
    /// Its join.
    pub join: Join,
    /// Maximum concurrent graphs.
    pub concurrency: Option<usize>,
    /// Graphs by name. `graph` and `map` have one, with an empty name.
    pub graphs: Vec<(String, Graph)>,
}

/// A composite node's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the types' own names")]
pub enum CompositeKind {
    Graph,
    Parallel,
    Map,
}

/// Decides when a composite node is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the settings' own names")]
pub enum Join {
    All,
    Any,
    Settled,
}

/// The run's limits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Maximum visits of a node in a scope, by default 25.
    pub visits: Option<usize>,
    /// Maximum steps.
    pub steps: Option<usize>,
    /// Maximum calls.
    pub calls: Option<usize>,
    /// Maximum bytes of all answers.
    pub output_bytes: Option<usize>,
    /// Whether the run has a time limit.
    pub timeout: bool,
}

impl Limits {
    /// Serializes as in a file.
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
    /// Returns whether the condition reads the failure.
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
    /// Creates a node with default settings.
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

    /// Serializes as in a file.
    pub fn write(&self) -> Json {
        let id = |at: usize| self.nodes[at].id.as_str();
        let nodes: Map<String, Json> =
            self.nodes.iter().map(|node| (node.id.clone(), node.write())).collect();
        let edge =
            |edge: &Edge| json!({"from": id(edge.from), "to": id(edge.to), "condition": edge.when.write()});
        let edges: Vec<Json> = self.edges.iter().map(edge).collect();
        json!({"start": id(0), "nodes": nodes, "edges": edges})
    }

    /// Counts nodes, including nested ones.
    pub fn size(&self) -> usize {
        self.nodes.iter().map(Node::size).sum()
    }
}

impl Node {
    /// Counts itself and nested nodes.
    pub fn size(&self) -> usize {
        match &self.act {
            NodeBehaviour::Run(fan) => 1 + fan.graphs.iter().map(|(_, graph)| graph.size()).sum::<usize>(),
            _ => 1,
        }
    }
}

/// Returns a handler's reply at a visit and attempt, both from 1.
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
