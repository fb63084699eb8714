//! A model of the plan file format: the keys of each map, their meaning and their values.
//!
//! Completion, hover, semantic tokens and the JSON Schema derive from it. A test checks that the plan reader
//! accepts the same keys.

mod location;
mod maps;
mod node_types;

pub(crate) use location::PlanLocation;
pub use maps::{BEHAVIOUR, BEHAVIOURS, DECISIONS, NESTED, NODE, PLAN};
pub(crate) use node_types::failure_schema;
pub use node_types::{NodeTypeSpec, built_in, node_types};

/// A map with known keys.
#[derive(Debug, Clone, Copy)]
pub struct MapSpec {
    /// Its title, with an article.
    pub title: &'static str,
    /// Its keys, the most important first.
    pub fields: &'static [FieldSpec],
}

/// A key of a map.
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// The key.
    pub key: &'static str,
    /// Whether the key is required.
    pub required: bool,
    /// The expected value.
    pub value: ValueSpec,
    /// Documentation in Markdown.
    pub doc: &'static str,
}

/// A keyword and its documentation.
pub type EnumValue = (&'static str, &'static str);

/// The expected kind of a value.
#[derive(Debug, Clone, Copy)]
pub enum ValueSpec {
    /// A map with known keys.
    Map(&'static MapSpec),
    /// A map from names to values of one kind.
    Named(KeyNames, &'static ValueSpec),
    /// A list.
    List(&'static ValueSpec),
    /// Text.
    Text,
    /// Text for users.
    Prose,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number {
        /// The minimum.
        min: u32,
        /// The maximum.
        max: Option<u32>,
        /// Whether it must be an integer.
        integer: bool,
    },
    /// A number from 0 up, or a template that gives one.
    NumberTemplate,
    /// One of several keywords.
    Enum(&'static [EnumValue]),
    /// A node type.
    NodeType,
    /// The key of a node in the same graph.
    NodeKey,
    /// The id of any node in the plan.
    NodeId,
    /// The name of a tool.
    Tool,
    /// The name of a model.
    Model,
    /// The code of a failure.
    FailureCode,
    /// A condition.
    Condition,
    /// Any value, with templates in its strings: the input of a node.
    Input,
    /// The settings of a node, which depend on its type.
    Settings,
    /// Text that may be a template.
    Template,
    /// A JSON Schema.
    Schema,
    /// Any value.
    Any,
    /// A pair of numbers.
    Pair,
    /// A stub.
    Behaviour,
    /// One value, or a list of such values.
    OneOrMany(&'static ValueSpec),
    /// The version of the format.
    Format,
    /// `approved`, `rejected` or a map with a value.
    Decision,
}

/// The meaning of the names in a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyNames {
    /// Keys of existing nodes.
    NodeKeys,
    /// Ids of existing nodes.
    NodeIds,
    /// Nodes that the map declares.
    DeclaredNodes,
    /// Other names that the map declares.
    Declared,
    /// Tools.
    Tools,
    /// Node types.
    NodeTypes,
    /// Models.
    Models,
}

impl MapSpec {
    /// Returns the field of a key.
    pub fn field(&self, key: &str) -> Option<&'static FieldSpec> {
        self.fields.iter().find(|field| field.key == key)
    }
}

impl ValueSpec {
    /// Describes the kind of value in a word or two.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Map(_) | Self::Named(..) | Self::Settings => "map",
            Self::List(_) => "list",
            Self::Text | Self::Prose | Self::FailureCode => "text",
            Self::Bool => "true or false",
            Self::Number { integer: true, .. } => "whole number",
            Self::Number { .. } => "number",
            Self::NumberTemplate => "number, or template",
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
