//! What a plan file may hold, as a model: which keys a map has, what each means, and what its value is.
//!
//! Decides what stands where. From this come completion, hover, the kinds of tokens and the JSON Schema of plan files; the tables of keys
//! that reading uses are held to be the same by a test, so neither can say more than the other.
//!
//! Files: `maps` the maps of a plan · `node_types` the types of nodes and their settings · `location` what a way through a text comes to.

mod location;
mod maps;
mod node_types;

pub(crate) use location::PlanLocation;
pub use maps::{BEHAVIOUR, BEHAVIOURS, DECISIONS, NODE, PLAN};
pub(crate) use node_types::failure_schema;
pub use node_types::{NodeTypeSpec, built_in, node_types};

/// A map whose keys are known.
#[derive(Debug, Clone, Copy)]
pub struct MapSpec {
    /// What it is, with an article.
    pub title: &'static str,
    /// Its keys, the most important first.
    pub fields: &'static [FieldSpec],
}

/// A key of a map.
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// The key.
    pub key: &'static str,
    /// Whether it has to be there.
    pub required: bool,
    /// What its value is.
    pub value: ValueSpec,
    /// What it means, in Markdown.
    pub doc: &'static str,
}

/// A word that stands for itself, and what it means.
pub type EnumValue = (&'static str, &'static str);

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub enum ValueSpec {
    /// A map with known keys.
    Map(&'static MapSpec),
    /// A map from names to values of one kind; what the names are.
    Named(KeyNames, &'static ValueSpec),
    /// A list.
    List(&'static ValueSpec),
    /// Text.
    Text,
    /// Text that people read.
    Prose,
    /// `true` or `false`.
    Bool,
    /// A number: the least, and the most; a whole one or not.
    Number {
        /// The least.
        min: u32,
        /// The most.
        max: Option<u32>,
        /// Whether it is whole.
        integer: bool,
    },
    /// One of some words.
    Enum(&'static [EnumValue]),
    /// A type of node.
    NodeType,
    /// The key of a node in the same graph.
    NodeKey,
    /// The id of a node anywhere in the plan.
    NodeId,
    /// The name of a tool.
    Tool,
    /// The name of a model.
    Model,
    /// The code of a failure.
    FailureCode,
    /// A condition.
    Condition,
    /// Any value whose texts may be templates: the input of a node.
    Input,
    /// The settings of a node: what they may be, its type decides.
    Settings,
    /// Text which may be a template.
    Template,
    /// A JSON Schema.
    Schema,
    /// Any value.
    Any,
    /// A pair of numbers.
    Pair,
    /// The behaviour of a stand-in.
    Behaviour,
    /// One value, or a list of such.
    OneOrMany(&'static ValueSpec),
    /// The version of the format.
    Format,
    /// `approved`, `rejected` or a map with a value.
    Decision,
}

/// What the names of a map stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyNames {
    /// Nodes that are there: the key of each.
    NodeKeys,
    /// Nodes that are there, by id.
    NodeIds,
    /// Names that the map gives: of nodes.
    DeclaredNodes,
    /// Names that the map gives.
    Declared,
    /// Tools.
    Tools,
    /// Types of nodes.
    NodeTypes,
    /// Models.
    Models,
}

impl MapSpec {
    /// The field of a key.
    pub fn field(&self, key: &str) -> Option<&'static FieldSpec> {
        self.fields.iter().find(|field| field.key == key)
    }
}

impl ValueSpec {
    /// What it is, in a word or two.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Map(_) | Self::Named(..) | Self::Settings => "map",
            Self::List(_) => "list",
            Self::Text | Self::Prose | Self::FailureCode => "text",
            Self::Bool => "true or false",
            Self::Number { integer: true, .. } => "whole number",
            Self::Number { .. } => "number",
            Self::Enum(_) | Self::Decision => "word",
            Self::NodeType => "node type",
            Self::NodeKey | Self::NodeId => "node",
            Self::Tool => "tool",
            Self::Model => "model",
            Self::Condition => "condition",
            Self::Input => "any value, with templates",
            Self::Template => "text, with templates",
            Self::Schema => "JSON Schema",
            Self::Any => "any value",
            Self::Pair => "pair of numbers",
            Self::Behaviour => "stub",
            Self::OneOrMany(_) => "value or list",
            Self::Format => "1",
        }
    }
}

#[cfg(test)]
mod tests;
