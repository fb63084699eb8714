//! A model of the plan file format, which completion, hover, semantic tokens and JSON Schema share.

mod location;
mod maps;
mod node_types;

pub(crate) use location::PlanLocation;
pub use maps::{BEHAVIOUR, BEHAVIOURS, DECISIONS, NESTED, NODE, PLAN};
pub(crate) use node_types::failure_schema;
pub use node_types::{NodeTypeSpec, built_in, node_types};

/// Known keys.
#[derive(Debug, Clone, Copy)]
pub struct MapSpec {
    /// Includes an article.
    pub title: &'static str,
    /// Most important first.
    pub fields: &'static [FieldSpec],
}

/// Map key.
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// Its name.
    pub key: &'static str,
    /// Always required.
    pub required: bool,
    /// Expected value.
    pub value: ValueSpec,
    /// In Markdown.
    pub doc: &'static str,
}

/// Keyword, documentation.
pub type EnumValue = (&'static str, &'static str);

/// A value's kind.
#[derive(Debug, Clone, Copy)]
pub enum ValueSpec {
    /// Has known keys.
    Map(&'static MapSpec),
    /// A map from names to one kind.
    Named(KeyNames, &'static ValueSpec),
    /// A list.
    List(&'static ValueSpec),
    /// Text.
    Text,
    /// For users.
    Prose,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number {
        /// The minimum.
        min: u32,
        /// The maximum.
        max: Option<u32>,
        /// Only integers.
        integer: bool,
    },
    /// A number from 0 up, or a template.
    NumberTemplate,
    /// Several keywords.
    Enum(&'static [EnumValue]),
    /// A node type.
    NodeType,
    /// In the same graph.
    NodeKey,
    /// Anywhere in the plan.
    NodeId,
    /// Tool name.
    Tool,
    /// Model name.
    Model,
    /// Failure code.
    FailureCode,
    /// A condition.
    Condition,
    /// Has templates in its strings.
    Input,
    /// They depend on the node's type.
    Settings,
    /// Maybe a template.
    Template,
    /// A JSON Schema.
    Schema,
    /// Any value.
    Any,
    /// Two numbers.
    Pair,
    /// A stub.
    Behaviour,
    /// One value, or a list.
    OneOrMany(&'static ValueSpec),
    /// Format version.
    Format,
    /// `approved`, `rejected` or a map.
    Decision,
}

/// The meaning of a map's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyNames {
    /// Existing nodes.
    NodeKeys,
    /// Existing nodes' ids.
    NodeIds,
    /// Declared nodes.
    DeclaredNodes,
    /// Other declarations.
    Declared,
    /// Tools.
    Tools,
    /// Node types.
    NodeTypes,
    /// Models.
    Models,
}

impl MapSpec {
    /// A key's field.
    pub fn field(&self, key: &str) -> Option<&'static FieldSpec> {
        self.fields.iter().find(|field| field.key == key)
    }
}

impl ValueSpec {
    /// In a word or two.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Map(_) | Self::Named(..) | Self::Settings => "map",
            Self::List(_) => "list",
            Self::Text | Self::Prose | Self::FailureCode => "text",
            Self::Bool => "true or false",
            Self::Number { integer: true, .. } => "whole number",
            Self::Number { .. } => "number",
            Self::NumberTemplate => "number, duration or template",
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
