//! A plan made ready to run: names, paths and literals are numbers, actions are resolved.
//!
//! Decides nothing; holds what [`bind`](super::bind) found out once, so that a run finds out nothing again.

use super::contract::Contract;
use crate::expr::{Expr, Literal};
use crate::graph::{Inputs, Limits, Retry};
use crate::names::Names;
use crate::node::{Action, Agent, Gatherer};
use crate::value::{Path, Value};
use serde_json::Value as Json;
use std::sync::Arc;

/// A plan bound to what a host can do. Any number of runs can share it.
#[derive(Debug)]
pub struct Program<V: Value> {
    /// The graphs: the plan's own, then those inside nodes, each before those inside it.
    pub graphs: Vec<GraphCode>,
    /// The nodes of all graphs, graph after graph; their positions are the numbers used everywhere.
    pub nodes: Vec<Code<V>>,
    /// The edges of all graphs, graph after graph.
    pub edges: Vec<EdgeCode>,
    /// The comparisons of all conditions.
    pub atoms: Vec<AtomCode>,
    /// The paths of all references.
    pub paths: Vec<Path>,
    /// The literals of all comparisons.
    pub literals: Vec<Literal>,
    /// For each output that may be found in several scopes: how many scopes outward, and by which name there.
    pub outer: Vec<Vec<(u32, u32)>>,
    /// What a run must be given.
    pub inputs: Option<Inputs>,
    /// The bounds of a run.
    pub limits: Limits,
}

impl<V: Value> Program<V> {
    /// The plan's own graph.
    pub fn root(&self) -> &GraphCode {
        static NOTHING: std::sync::OnceLock<GraphCode> = std::sync::OnceLock::new();
        self.graphs.first().unwrap_or_else(|| NOTHING.get_or_init(GraphCode::default))
    }
}

/// One graph.
#[derive(Debug, Default)]
pub struct GraphCode {
    /// Where it stands in the plan: `fan/a`; empty for the plan's own.
    pub scope: String,
    /// The first of its nodes, by position.
    pub first: u32,
    /// How many nodes it has.
    pub count: u32,
    /// The node at which it begins.
    pub start: u32,
    /// Names of its outputs: first the ids of its nodes, then the others that references name.
    pub names: Names,
    /// Whether anything in it asks for `index`.
    pub indexed: bool,
}

/// One node.
#[derive(Debug)]
pub struct Code<V> {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// What it does.
    pub action: Action,
    /// Its input.
    pub input: Input<V>,
    /// What few nodes have.
    pub extra: Option<Box<Extra<V>>>,
    /// How often a run may come to it, when it says so itself.
    pub visits: Option<u32>,
    /// The edges that leave it.
    pub edges: Vec<u32>,
    /// Whether any of them asks anything.
    pub has_tests: bool,
    /// Where the first of them leads, when none asks anything.
    pub straight: Option<u32>,
}

/// What few nodes have.
#[derive(Debug)]
pub struct Extra<V> {
    /// Its settings, when they matter at run time.
    pub settings: Option<Fill<V>>,
    /// How often it is tried.
    pub retry: Option<Retry>,
    /// How long a try may take, in milliseconds.
    pub timeout_ms: Option<f64>,
    /// What its call is held to.
    pub contract: Option<Arc<Contract>>,
    /// The graphs it runs, and what each is called.
    pub children: Vec<(String, u32)>,
    /// The conversation that it keeps to.
    pub agent: Option<Box<AgentCode>>,
    /// What it needs in order to carry out a tool plan.
    pub gatherer: Option<Box<Gatherer>>,
    /// Whether a person is asked before its tool is called.
    pub asks: bool,
    /// Whether a text that its tool gives is read as JSON.
    pub parses: bool,
}

/// An agent made ready.
#[derive(Debug)]
pub struct AgentCode {
    /// What it may do.
    pub agent: Agent,
    /// What the calls of each of its tools are held to.
    pub contracts: Vec<Option<Arc<Contract>>>,
}

/// Where a node's input comes from.
#[derive(Debug)]
pub enum Input<V> {
    /// The output before.
    Last,
    /// The plan says.
    Own(Fill<V>),
}

impl<V> Input<V> {
    /// Whether a run makes a new value of it.
    pub fn is_made(&self) -> bool {
        match self {
            Self::Last | Self::Own(Fill::Constant(_)) => false,
            Self::Own(Fill::Template(_)) => self.is_pieced(),
            Self::Own(Fill::List(_) | Fill::Map(_)) => true,
        }
    }

    /// Whether it is text with more in it than one hole.
    pub fn is_pieced(&self) -> bool {
        matches!(self, Self::Own(Fill::Template(pieces)) if pieces.len() > 1)
    }
}

/// A value with holes, which are filled when a run comes to it.
#[derive(Debug)]
pub enum Fill<V> {
    /// No holes.
    Constant(V),
    /// A string with holes.
    Template(Vec<Piece>),
    /// A list.
    List(Vec<Fill<V>>),
    /// A map.
    Map(Vec<(String, Fill<V>)>),
}

/// A piece of a string with holes.
#[derive(Debug)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// A hole.
    Hole {
        /// What is looked at, in order, and how it is written.
        choices: Vec<(Look, String)>,
        /// What stands in when none is there.
        fallback: Option<Json>,
    },
}

/// A reference made ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Where it begins.
    pub source: Source,
    /// The way from there, by position in the program.
    pub path: u32,
}

/// Where a reference begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
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
pub struct EdgeCode {
    /// The node it reaches.
    pub target: u32,
    /// Its position in `edges` of its graph.
    pub index: u32,
    /// Its condition as written.
    pub text: String,
    /// How its comparisons are combined; `None` for a fallback.
    pub test: Option<Expr>,
    /// Whether it speaks of the failure at hand.
    pub mentions_error: bool,
}

/// One comparison.
#[derive(Debug)]
pub struct AtomCode {
    /// What is looked at.
    pub look: Look,
    /// How that is written.
    pub reference: String,
    /// What is asked of it.
    pub ask: Ask,
}

/// What is asked of a value. Literals are positions in the program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ask {
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
