//! The selection as a form.
//!
//! Field changes are small edits of the text, so comments, order and unknown keys survive. A form never adds or
//! removes a value because it equals the default.
//!
//! Files: `form_target` locates owners in the document · `format_fields` fields of the plan format · `schema_fields`
//! fields from JSON Schema · `untyped_fields` fields without a schema · `build` forms of a plan, node, edge or
//! several nodes · `labels` names in both languages · `parse_input` parses input · `change` edits · `condition`
//! conditions as rows · `evaluate` evaluates conditions · `reference_options` references that the user can choose ·
//! `value_actions` expressions that do something with a value · `value_schema` schemas of values · `template` texts
//! with placeholders · `retype_preview` effects of a type change.
//!
//! Invariants: 1. a form shows the current text, also of a plan with errors, as long as it parses. 2. values that do
//! not fit fields are shown as text. 3. a form has at most [`MAX_FIELDS`] fields.

pub mod build;
pub mod change;
pub mod condition;
pub mod evaluate;
mod form_target;
mod format_fields;
pub mod labels;
pub mod parse_input;
pub mod reference_options;
pub mod retype_preview;
mod schema_fields;
pub mod template;
mod untyped_fields;
pub mod value_actions;
pub mod value_schema;

pub use build::{Subject, build_form};
pub use form_target::FormTarget;

use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_core::diagnostic::{Diagnostic, Severity, Span, TextEdit};
use stepgraph_core::value::Segment;

/// Maximum number of fields in a form. The text shows the rest.
pub const MAX_FIELDS: usize = 400;

/// Maximum nesting of fields. Deeper values are shown as text.
pub const MAX_DEPTH: usize = 6;

/// Owner of a form's fields.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The plan.
    Plan,
    /// A node, by scope and key.
    Node(String, String),
    /// An edge, by scope and index.
    Edge(String, usize),
}

/// Control that edits a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Control {
    /// A text field.
    Text {
        /// Whether it has several lines.
        is_multiline: bool,
    },
    /// A number.
    Number {
        /// Minimum.
        min: Option<f64>,
        /// Maximum.
        max: Option<f64>,
        /// Whether it is an integer.
        is_integer: bool,
    },
    /// Yes or no.
    Boolean,
    /// One of several values.
    Choice(Vec<Choice>),
    /// Text with suggestions.
    Combobox(Vec<Choice>),
    /// The condition of an edge.
    Condition,
    /// Nested fields.
    Group,
    /// One of several variants. The children are the fields of the selected one.
    Variants {
        /// Labels of the variants.
        options: Vec<Choice>,
        /// Index of the selected variant.
        selected: usize,
    },
    /// Any value, as YAML text.
    Raw,
}

/// A value to choose.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Value to write.
    pub value: Json,
    /// Label.
    pub label: String,
    /// Description, or empty.
    pub help: String,
}

/// A child that the user can add to a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Addition {
    /// A named entry of a map.
    Entry {
        /// Known names that are not set yet, with their initial values.
        known_names: Vec<Choice>,
        /// Whether other names are allowed.
        accepts_any_name: bool,
        /// Initial value under another name.
        initial_value: Json,
    },
    /// A list item.
    Item {
        /// Initial value.
        initial_value: Json,
    },
}

/// A diagnostic of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldProblem {
    /// Severity.
    pub severity: Severity,
    /// Message.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// Edit that fixes it.
    pub fix: Vec<TextEdit>,
}

impl FieldProblem {
    /// Converts a diagnostic of the document.
    pub fn from_diagnostic(problem: &Diagnostic) -> Self {
        Self {
            severity: problem.severity,
            message: problem.message.clone(),
            help: problem.help.clone(),
            fix: problem.fix.clone(),
        }
    }
}

/// A field of a form.
#[expect(clippy::struct_excessive_bools, reason = "each says something of its own, and any may go with any")]
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Id, unique among all forms.
    pub id: String,
    /// Key or position in its map or list.
    pub key: String,
    /// Path in the owner.
    pub path: Vec<Segment>,
    /// Label.
    pub label: String,
    /// Description.
    pub help: String,
    /// Short description of the expected value. Empty if the control shows it.
    pub hint: String,
    /// Control.
    pub control: Control,
    /// Written value, or `None` if it is not set.
    pub value: Option<Json>,
    /// Source text of the value, for controls that show it.
    pub source: Option<String>,
    /// Text of the default value.
    pub default_text: String,
    /// Whether the plan needs a value here.
    pub is_required: bool,
    /// Whether the text may contain placeholders.
    pub is_template: bool,
    /// Whether the user can remove it with its key: a map entry or a list item.
    pub is_removable: bool,
    /// Whether the selected nodes have different values.
    pub is_mixed: bool,
    /// Index in a list, and the length of the list.
    pub item: Option<(usize, usize)>,
    /// Line in the text.
    pub line: Option<usize>,
    /// Span in the text, with the key.
    pub span: Option<Span>,
    /// Diagnostics.
    pub problems: Vec<FieldProblem>,
    /// Ids of nested fields.
    pub children: Vec<String>,
    /// What the user can add.
    pub addition: Option<Addition>,
    /// Number of items or entries that only the text shows.
    pub hidden_count: usize,
}

impl Field {
    /// Returns true if the value contains a placeholder. Number and choice controls then show text.
    pub fn is_placeholder_text(&self) -> bool {
        self.is_template && matches!(&self.value, Some(Json::String(text)) if text.contains("${"))
    }
}

/// A group of fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Topic.
    pub kind: SectionKind,
    /// Field ids.
    pub fields: Vec<String>,
    /// Whether it is collapsed at first.
    pub is_collapsed: bool,
    /// Number of fields that are set.
    pub set_count: usize,
}

/// Topic of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// Name, description and tool.
    Basics,
    /// Input of a node.
    Input,
    /// Common settings of the type.
    Settings,
    /// Rare settings.
    Advanced,
    /// Attempts, time and visits.
    Limits,
    /// Inputs of a run.
    Inputs,
    /// MCP servers.
    Servers,
    /// Tests in the plan.
    Tests,
    /// Unknown keys.
    Other,
}

/// A form.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// Owners. Several nodes share one form.
    pub owners: Vec<Owner>,
    /// Sections in order.
    pub sections: Vec<Section>,
    /// Fields by id.
    pub fields: HashMap<String, Field>,
    /// Diagnostics that belong to no field.
    pub problems: Vec<FieldProblem>,
    /// First line in the text.
    pub line: usize,
    /// Span in the text.
    pub span: Span,
}

#[cfg(test)]
mod tests;
