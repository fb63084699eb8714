//! A compiled plan: names, paths and literals are numbers, and actions are resolved.
//!
//! Holds the results of [`bind`](super::bind), so that a run never computes them again.

use super::call_schema::CallSchema;
use crate::expression::{Literal, Logic};
use crate::graph::{Limits, Retry, RunInputSchema};
use crate::interner::NameTable;
use crate::node::{Action, Agent, Gatherer};
use crate::value::{Path, Value};
use serde_json::Value as Json;
use std::sync::Arc;

/// A plan compiled for a host. Any number of runs can share it.
#[derive(Debug)]
pub struct Program<V: Value> {
    /// The plan's own graph and all nested graphs, each before those inside it.
    pub graphs: Vec<CompiledGraph>,
    /// The nodes of all graphs, graph after graph. Their positions are their numbers everywhere.
    pub nodes: Vec<CompiledNode<V>>,
    /// The edges of all graphs, graph after graph.
    pub edges: Vec<CompiledEdge>,
    /// The comparisons of all conditions.
    pub atoms: Vec<CompiledAtom>,
    /// The expressions of all conditions.
    pub computed: Vec<CompiledComputed>,
    /// The roots that expressions refer to by number.
    pub expression_roots: Vec<ReferenceRoot>,
    /// The paths of all references.
    pub paths: Vec<Path>,
    /// The literals of all comparisons.
    pub literals: Vec<Literal>,
    /// For each output that several scopes may hold: how many scopes outward, and the number of its name there.
    pub outer: Vec<Vec<(u32, u32)>>,
    /// The schema of the run's input.
    pub inputs: Option<RunInputSchema>,
    /// The limits of a run.
    pub limits: Limits,
}

impl<V: Value> Program<V> {
    /// Returns the plan's own graph.
    pub fn root(&self) -> &CompiledGraph {
        static NOTHING: std::sync::OnceLock<CompiledGraph> = std::sync::OnceLock::new();
        self.graphs.first().unwrap_or_else(|| NOTHING.get_or_init(CompiledGraph::default))
    }
}

/// A compiled graph.
#[derive(Debug, Default)]
pub struct CompiledGraph {
    /// Its path in the plan, such as `fan/a`, or empty for the plan's own graph.
    pub scope: String,
    /// The position of its first node.
    pub first: u32,
    /// The number of its nodes.
    pub count: u32,
    /// The start node.
    pub start: u32,
    /// Names of its outputs: first the ids of its nodes, then other names that references use.
    pub names: NameTable,
    /// Whether anything in it references `index`.
    pub uses_index: bool,
}

/// A compiled node.
#[derive(Debug)]
pub struct CompiledNode<V> {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// Its action.
    pub action: Action,
    /// Its input.
    pub input: InputSource<V>,
    /// Options that few nodes have.
    pub options: Option<Box<CompiledNodeOptions<V>>>,
    /// Its own limit of visits, if declared.
    pub visits: Option<u32>,
    /// Its outgoing edges.
    pub edges: Vec<u32>,
    /// Whether any of them has a condition.
    pub has_conditions: bool,
    /// The target of the first edge, if no edge has a condition.
    pub unconditional_target: Option<u32>,
}

/// Options that few nodes have.
#[derive(Debug)]
pub struct CompiledNodeOptions<V> {
    /// The settings that matter at run time.
    pub settings: Option<CompiledValue<V>>,
    /// The retry settings.
    pub retry: Option<Retry>,
    /// The timeout of an attempt in milliseconds.
    pub timeout_ms: Option<f64>,
    /// The schemas of its call.
    pub call_schema: Option<Arc<CallSchema>>,
    /// The graphs that it runs: name and number.
    pub children: Vec<(String, u32)>,
    /// The settings of its conversation.
    pub agent: Option<Box<CompiledAgent>>,
    /// The settings of its tool plan.
    pub gatherer: Option<Box<Gatherer>>,
    /// Whether its tool call needs approval.
    pub needs_approval: bool,
    /// Whether texts of its tool are parsed as JSON.
    pub parses_json: bool,
}

/// A compiled agent.
#[derive(Debug)]
pub struct CompiledAgent {
    /// The agent.
    pub agent: Agent,
    /// The schemas of each of its tools.
    pub call_schemas: Vec<Option<Arc<CallSchema>>>,
}

/// The source of a node's input.
#[derive(Debug)]
pub enum InputSource<V> {
    /// The previous output.
    Last,
    /// An input that the plan declares.
    Own(CompiledValue<V>),
}

impl<V> InputSource<V> {
    /// Whether a run computes a new value.
    pub fn is_computed(&self) -> bool {
        match self {
            Self::Last | Self::Own(CompiledValue::Constant(_)) => false,
            Self::Own(CompiledValue::Template(parts)) => {
                self.is_text_template() || matches!(parts.as_slice(), [CompiledPart::Computed(_)])
            }
            Self::Own(CompiledValue::List(_) | CompiledValue::Map(_)) => true,
        }
    }

    /// Whether it is a text with more than a single placeholder.
    pub fn is_text_template(&self) -> bool {
        matches!(self, Self::Own(CompiledValue::Template(parts)) if parts.len() > 1)
    }
}

/// A value whose placeholders are filled when a run reaches it.
#[derive(Debug)]
pub enum CompiledValue<V> {
    /// A value without placeholders.
    Constant(V),
    /// A string with placeholders.
    Template(Vec<CompiledPart>),
    /// A list.
    List(Vec<CompiledValue<V>>),
    /// A map.
    Map(Vec<(String, CompiledValue<V>)>),
}

/// A part of a template.
#[derive(Debug)]
pub enum CompiledPart {
    /// Literal text.
    Text(String),
    /// A placeholder.
    Placeholder {
        /// The references in order, each with its text.
        choices: Vec<(CompiledReference, String)>,
        /// The fallback value.
        fallback: Option<Json>,
    },
    /// An expression.
    Computed(Box<CompiledComputed>),
}

#[derive(Debug)]
pub struct CompiledComputed {
    pub program: crate::expression::Program,
    /// The expression in printed form.
    pub text: String,
    /// The references of an expression in a condition, in the order of the text: positions in [`Program::atoms`]. The trace shows
    /// their values.
    pub operands: std::ops::Range<u32>,
}

/// A compiled reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompiledReference {
    /// Its root.
    pub root: ReferenceRoot,
    /// The number of its path.
    pub path: u32,
}

/// The root of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceRoot {
    /// The previous output.
    Last,
    /// The run's input.
    Input,
    /// The host's memory.
    Memory,
    /// The host's trusted values.
    Context,
    /// The current failure.
    Error,
    /// An output of the same scope, by position in the names of its graph.
    Output(u32),
    /// An output that several scopes may hold, by position in the program.
    Outer(u32),
    /// The current element of the `map` that many scopes outward.
    Item(u32),
    /// The index of that element.
    Index(u32),
    /// A root that exists only inside `map`.
    Nowhere,
}

/// A compiled edge.
#[derive(Debug)]
pub struct CompiledEdge {
    /// The target node.
    pub target: u32,
    /// Its position in `edges` of its graph.
    pub index: u32,
    /// Its condition as written.
    pub condition_text: String,
    /// The expression over its comparisons, or `None` for a fallback.
    pub expr: Option<Logic>,
    /// Whether it references the current failure.
    pub reads_error: bool,
}

/// A compiled comparison.
#[derive(Debug)]
pub struct CompiledAtom {
    /// The reference.
    pub operand: CompiledReference,
    /// The text of the reference.
    pub reference: String,
    /// The predicate.
    pub predicate: CompiledPredicate,
}

/// The predicate of a comparison. Literals are positions in the program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CompiledPredicate {
    Equals(u32),
    Differs(u32),
    Contains(u32),
    Less(f64),
    AtMost(f64),
    Greater(f64),
    AtLeast(f64),
    Exists,
    /// None: an operand of an expression.
    Operand,
}
