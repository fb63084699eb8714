//! A compiled plan: names, paths and literals are numbers, actions are resolved, so that runs compute nothing again.

use super::call_schema::CallSchema;
use crate::expression::{Literal, Logic};
use crate::graph::{Limits, Retry, RunInputSchema};
use crate::interner::NameTable;
use crate::node::{Action, Agent, Gatherer};
use crate::value::{Path, Value};
use serde_json::Value as Json;
use std::sync::Arc;

/// Compiled for a host, and shareable by any number of runs.
#[derive(Debug)]
pub struct Program<V: Value> {
    /// All graphs, outer before inner.
    pub graphs: Vec<CompiledGraph>,
    /// Graph after graph. Positions are the node numbers.
    pub nodes: Vec<CompiledNode<V>>,
    /// Graph after graph.
    pub edges: Vec<CompiledEdge>,
    /// All comparisons.
    pub atoms: Vec<CompiledAtom>,
    /// Expressions of conditions.
    pub computed: Vec<CompiledComputed>,
    /// Numbered in expressions.
    pub expression_roots: Vec<ReferenceRoot>,
    /// Reference paths.
    pub paths: Vec<Path>,
    /// Comparison literals.
    pub literals: Vec<Literal>,
    /// Scopes outward and name number there, for outputs that several scopes may hold.
    pub outer: Vec<Vec<(u32, u32)>>,
    /// Input schema.
    pub inputs: Option<RunInputSchema>,
    /// Run limits.
    pub limits: Limits,
}

impl<V: Value> Program<V> {
    /// Main graph.
    pub fn root(&self) -> &CompiledGraph {
        static NOTHING: std::sync::OnceLock<CompiledGraph> = std::sync::OnceLock::new();
        self.graphs.first().unwrap_or_else(|| NOTHING.get_or_init(CompiledGraph::default))
    }
}

/// Compiled graph.
#[derive(Debug, Default)]
pub struct CompiledGraph {
    /// Such as `fan/a`, empty for the main graph.
    pub scope: String,
    /// First node.
    pub first: u32,
    /// Node count.
    pub count: u32,
    /// Start node.
    pub start: u32,
    /// Node ids, then other referenced outputs.
    pub names: NameTable,
    /// Whether it references `index`.
    pub uses_index: bool,
}

/// Compiled node.
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
    /// Rare options.
    pub options: Option<Box<CompiledNodeOptions<V>>>,
    /// Declared limit.
    pub visits: Option<u32>,
    /// Outgoing edges.
    pub edges: Vec<u32>,
    /// Whether some edge has a condition.
    pub has_conditions: bool,
    /// The first edge's target, if no edge has a condition.
    pub unconditional_target: Option<u32>,
}

/// Rare options.
#[derive(Debug)]
pub struct CompiledNodeOptions<V> {
    /// Settings that matter at run time.
    pub settings: Option<CompiledValue<V>>,
    /// Retry policy.
    pub retry: Option<Retry>,
    /// Attempt timeout in milliseconds.
    pub timeout_ms: Option<f64>,
    /// Call schemas.
    pub call_schema: Option<Arc<CallSchema>>,
    /// Name and number of graphs.
    pub children: Vec<(String, u32)>,
    /// Conversation settings.
    pub agent: Option<Box<CompiledAgent>>,
    /// Tool plan settings.
    pub gatherer: Option<Box<Gatherer>>,
    /// Whether its tool call needs approval.
    pub needs_approval: bool,
    /// Whether tool texts are parsed as JSON.
    pub parses_json: bool,
}

/// Compiled agent.
#[derive(Debug)]
pub struct CompiledAgent {
    /// The agent.
    pub agent: Agent,
    /// Indexed by tool.
    pub call_schemas: Vec<Option<Arc<CallSchema>>>,
}

/// Input source.
#[derive(Debug)]
pub enum InputSource<V> {
    /// Previous output.
    Last,
    /// Declared input.
    Own(CompiledValue<V>),
}

impl<V> InputSource<V> {
    /// Whether runs compute a new value.
    pub fn is_computed(&self) -> bool {
        match self {
            Self::Last | Self::Own(CompiledValue::Constant(_)) => false,
            Self::Own(CompiledValue::Template(parts)) => {
                self.is_text_template() || matches!(parts.as_slice(), [CompiledPart::Computed(_)])
            }
            Self::Own(CompiledValue::List(_) | CompiledValue::Map(_)) => true,
        }
    }

    /// Text with more than a placeholder.
    pub fn is_text_template(&self) -> bool {
        matches!(self, Self::Own(CompiledValue::Template(parts)) if parts.len() > 1)
    }
}

/// A value with placeholders.
#[derive(Debug)]
pub enum CompiledValue<V> {
    /// No placeholders.
    Constant(V),
    /// String template.
    Template(Vec<CompiledPart>),
    /// A list.
    List(Vec<CompiledValue<V>>),
    /// A map.
    Map(Vec<(String, CompiledValue<V>)>),
}

/// Template part.
#[derive(Debug)]
pub enum CompiledPart {
    /// Literal text.
    Text(String),
    /// A placeholder.
    Placeholder {
        /// References in order, with their texts.
        choices: Vec<(CompiledReference, String)>,
        /// Fallback value.
        fallback: Option<Json>,
    },
    /// An expression.
    Computed(Box<CompiledComputed>),
}

#[derive(Debug)]
pub struct CompiledComputed {
    pub program: crate::expression::Program,
    /// Printed form.
    pub text: String,
    /// References in a condition as [`Program::atoms`] positions in textual order, for the trace.
    pub operands: std::ops::Range<u32>,
}

/// Compiled reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompiledReference {
    /// Its root.
    pub root: ReferenceRoot,
    /// Path number.
    pub path: u32,
}

/// Reference root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceRoot {
    /// Previous output.
    Last,
    /// Run input.
    Input,
    /// Host memory.
    Memory,
    /// Trusted values.
    Context,
    /// Current failure.
    Error,
    /// Own scope's output, by name position.
    Output(u32),
    /// An output that several scopes may hold, by program position.
    Outer(u32),
    /// Element of a `map` many scopes outward.
    Item(u32),
    /// Its index.
    Index(u32),
    /// Valid only inside `map`.
    Nowhere,
}

/// Compiled edge.
#[derive(Debug)]
pub struct CompiledEdge {
    /// Target node.
    pub target: u32,
    /// Position in its graph.
    pub index: u32,
    /// As written.
    pub condition_text: String,
    /// `None` for a fallback.
    pub expr: Option<Logic>,
    /// Whether it reads the current failure.
    pub reads_error: bool,
}

/// Compiled comparison.
#[derive(Debug)]
pub struct CompiledAtom {
    /// The reference.
    pub operand: CompiledReference,
    /// Its text.
    pub reference: String,
    /// The predicate.
    pub predicate: CompiledPredicate,
    /// Whether the literal stands on the left side. Only messages need it.
    pub is_reversed: bool,
}

/// Literals are program positions.
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
    /// An expression's operand.
    Operand,
}
