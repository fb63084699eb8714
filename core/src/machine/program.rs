//! A plan made ready to run: names, paths and literals are numbers, actions are resolved.
//!
//! Decides nothing; holds what [`bind`](super::bind) found out once, so that a run finds out nothing again.

use super::call_schema::CallSchema;
use crate::expr::{Expr, Literal};
use crate::graph::{Limits, Retry, RunInputSchema};
use crate::interner::NameTable;
use crate::node::{Action, Agent, Gatherer};
use crate::value::{Path, Value};
use serde_json::Value as Json;
use std::sync::Arc;

/// A plan bound to what a host can do. Any number of runs can share it.
#[derive(Debug)]
pub struct Program<V: Value> {
    /// The graphs: the plan's own, then those inside nodes, each before those inside it.
    pub graphs: Vec<CompiledGraph>,
    /// The nodes of all graphs, graph after graph; their positions are the numbers used everywhere.
    pub nodes: Vec<CompiledNode<V>>,
    /// The edges of all graphs, graph after graph.
    pub edges: Vec<CompiledEdge>,
    /// The comparisons of all conditions.
    pub atoms: Vec<CompiledAtom>,
    /// The paths of all references.
    pub paths: Vec<Path>,
    /// The literals of all comparisons.
    pub literals: Vec<Literal>,
    /// For each output that may be found in several scopes: how many scopes outward, and by which name there.
    pub outer: Vec<Vec<(u32, u32)>>,
    /// What a run must be given.
    pub inputs: Option<RunInputSchema>,
    /// The bounds of a run.
    pub limits: Limits,
}

impl<V: Value> Program<V> {
    /// The plan's own graph.
    pub fn root(&self) -> &CompiledGraph {
        static NOTHING: std::sync::OnceLock<CompiledGraph> = std::sync::OnceLock::new();
        self.graphs.first().unwrap_or_else(|| NOTHING.get_or_init(CompiledGraph::default))
    }
}

/// One graph.
#[derive(Debug, Default)]
pub struct CompiledGraph {
    /// Where it stands in the plan: `fan/a`; empty for the plan's own.
    pub scope: String,
    /// The first of its nodes, by position.
    pub first: u32,
    /// How many nodes it has.
    pub count: u32,
    /// The node at which it begins.
    pub start: u32,
    /// Names of its outputs: first the ids of its nodes, then the others that references name.
    pub names: NameTable,
    /// Whether anything in it asks for `index`.
    pub uses_index: bool,
}

/// One node.
#[derive(Debug)]
pub struct CompiledNode<V> {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// What it does.
    pub action: Action,
    /// Its input.
    pub input: InputSource<V>,
    /// What few nodes have.
    pub options: Option<Box<CompiledNodeOptions<V>>>,
    /// How often a run may come to it, when it says so itself.
    pub visits: Option<u32>,
    /// The edges that leave it.
    pub edges: Vec<u32>,
    /// Whether any of them asks anything.
    pub has_conditions: bool,
    /// Where the first of them leads, when none asks anything.
    pub unconditional_target: Option<u32>,
}

/// What few nodes have.
#[derive(Debug)]
pub struct CompiledNodeOptions<V> {
    /// Its settings, when they matter at run time.
    pub settings: Option<CompiledValue<V>>,
    /// How often it is tried.
    pub retry: Option<Retry>,
    /// How long a try may take, in milliseconds.
    pub timeout_ms: Option<f64>,
    /// What its call is held to.
    pub call_schema: Option<Arc<CallSchema>>,
    /// The graphs it runs, and what each is called.
    pub children: Vec<(String, u32)>,
    /// The conversation that it keeps to.
    pub agent: Option<Box<CompiledAgent>>,
    /// What it needs in order to carry out a tool plan.
    pub gatherer: Option<Box<Gatherer>>,
    /// Whether a person is asked before its tool is called.
    pub needs_approval: bool,
    /// Whether a text that its tool gives is read as JSON.
    pub parses_json: bool,
}

/// An agent made ready.
#[derive(Debug)]
pub struct CompiledAgent {
    /// What it may do.
    pub agent: Agent,
    /// What the calls of each of its tools are held to.
    pub call_schemas: Vec<Option<Arc<CallSchema>>>,
}

/// Where a node's input comes from.
#[derive(Debug)]
pub enum InputSource<V> {
    /// The output before.
    Last,
    /// The plan says.
    Own(CompiledValue<V>),
}

impl<V> InputSource<V> {
    /// Whether a run makes a new value of it.
    pub fn is_computed(&self) -> bool {
        match self {
            Self::Last | Self::Own(CompiledValue::Constant(_)) => false,
            Self::Own(CompiledValue::Template(_)) => self.is_text_template(),
            Self::Own(CompiledValue::List(_) | CompiledValue::Map(_)) => true,
        }
    }

    /// Whether it is text with more in it than one hole.
    pub fn is_text_template(&self) -> bool {
        matches!(self, Self::Own(CompiledValue::Template(parts)) if parts.len() > 1)
    }
}

/// A value with holes, which are filled when a run comes to it.
#[derive(Debug)]
pub enum CompiledValue<V> {
    /// No holes.
    Constant(V),
    /// A string with holes.
    Template(Vec<CompiledPart>),
    /// A list.
    List(Vec<CompiledValue<V>>),
    /// A map.
    Map(Vec<(String, CompiledValue<V>)>),
}

/// A piece of a string with holes.
#[derive(Debug)]
pub enum CompiledPart {
    /// Text as it is.
    Text(String),
    /// A hole.
    Placeholder {
        /// What is looked at, in order, and how it is written.
        choices: Vec<(CompiledReference, String)>,
        /// What stands in when none is there.
        fallback: Option<Json>,
    },
}

/// A reference made ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompiledReference {
    /// Where it begins.
    pub root: ReferenceRoot,
    /// The way from there, by position in the program.
    pub path: u32,
}

/// Where a reference begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceRoot {
    /// The output before.
    Last,
    /// The run's input.
    Input,
    /// What the host remembers.
    Memory,
    /// The host's trusted values.
    Context,
    /// The failure at hand.
    Error,
    /// An output of the scope itself, by position in the names of its graph.
    Output(u32),
    /// An output that may be found in several scopes, by position in the program.
    Outer(u32),
    /// The element at hand of the `map` so many scopes outward.
    Item(u32),
    /// Its position.
    Index(u32),
    /// What only exists inside `map`.
    Nowhere,
}

/// One edge.
#[derive(Debug)]
pub struct CompiledEdge {
    /// The node it reaches.
    pub target: u32,
    /// Its position in `edges` of its graph.
    pub index: u32,
    /// Its condition as written.
    pub condition_text: String,
    /// How its comparisons are combined; `None` for a fallback.
    pub expr: Option<Expr>,
    /// Whether it speaks of the failure at hand.
    pub reads_error: bool,
}

/// One comparison.
#[derive(Debug)]
pub struct CompiledAtom {
    /// What is looked at.
    pub operand: CompiledReference,
    /// How that is written.
    pub reference: String,
    /// What is asked of it.
    pub predicate: CompiledPredicate,
}

/// What is asked of a value. Literals are positions in the program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CompiledPredicate {
    /// `==`
    Equals(u32),
    /// `!=`
    Differs(u32),
    /// `.contains:`
    Contains(u32),
    /// `<`
    Less(f64),
    /// `<=`
    AtMost(f64),
    /// `>`
    Greater(f64),
    /// `>=`
    AtLeast(f64),
    /// `.exists`
    Exists,
}
