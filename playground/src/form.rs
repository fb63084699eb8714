//! The selection as a form.
//!
//! Changes are small text edits, so comments, order and unknown keys survive. A default never adds or removes a value.
//!
//! Invariants: 1. a plan that parses has a form, even with errors. 2. values that fit no field are text. 3. a form has
//! at most [`MAX_FIELDS`] fields.

pub mod build;
pub mod change;
pub mod condition;
pub mod evaluate;
mod form_target;
mod format_fields;
pub mod labels;
pub mod new_row;
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

/// Maximum per form. The text shows the rest.
pub const MAX_FIELDS: usize = 400;

/// Deeper values are text.
pub const MAX_DEPTH: usize = 6;

/// Owner of fields.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The plan.
    Plan,
    /// Scope and key.
    Node(String, String),
    /// Scope and index.
    Edge(String, usize),
}

/// A field's control.
#[derive(Debug, Clone, PartialEq)]
pub enum Control {
    /// A text field.
    Text {
        /// Several lines.
        is_multiline: bool,
    },
    /// A number.
    Number {
        /// Minimum.
        min: Option<f64>,
        /// Maximum.
        max: Option<f64>,
        /// Integers only.
        is_integer: bool,
    },
    /// Yes or no.
    Boolean,
    /// One of several.
    Choice(Vec<Choice>),
    /// Text with suggestions.
    Combobox(Vec<Choice>),
    /// An edge's condition.
    Condition,
    /// Nested fields.
    Group,
    /// One variant. The children are its fields.
    Variants {
        /// All variants.
        options: Vec<Choice>,
        /// Selected index.
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

/// A possible child.
#[derive(Debug, Clone, PartialEq)]
pub enum Addition {
    /// A named map entry.
    Entry {
        /// Unset known names, with initial values.
        known_names: Vec<Choice>,
        /// Allows other names.
        accepts_any_name: bool,
        /// For other names.
        initial_value: Json,
    },
    /// A list item.
    Item {
        /// Initial value.
        initial_value: Json,
    },
}

/// A field's diagnostic.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldProblem {
    /// Severity.
    pub severity: Severity,
    /// Message.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
    /// Fixing edit.
    pub fix: Vec<TextEdit>,
}

impl FieldProblem {
    /// Converts a document's diagnostic.
    pub fn from_diagnostic(problem: &Diagnostic) -> Self {
        Self {
            severity: problem.severity,
            message: problem.message.clone(),
            help: problem.help.clone(),
            fix: problem.fix.clone(),
        }
    }
}

/// A form's field.
#[expect(clippy::struct_excessive_bools, reason = "each says something of its own, and any may go with any")]
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Unique among all forms.
    pub id: String,
    /// Key or index.
    pub key: String,
    /// Within the owner.
    pub path: Vec<Segment>,
    /// Label.
    pub label: String,
    /// Description.
    pub help: String,
    /// The expected value. Empty if the control shows it.
    pub hint: String,
    /// Control.
    pub control: Control,
    /// `None` if unset.
    pub value: Option<Json>,
    /// Source text, if shown.
    pub source: Option<String>,
    /// Default value.
    pub default_text: String,
    /// The plan needs it.
    pub is_required: bool,
    /// May contain placeholders.
    pub is_template: bool,
    /// A map entry or list item, removed with its key.
    pub is_removable: bool,
    /// The selected nodes differ.
    pub is_mixed: bool,
    /// Index and list length.
    pub item: Option<(usize, usize)>,
    /// In the text.
    pub line: Option<usize>,
    /// Includes the key.
    pub span: Option<Span>,
    /// Diagnostics.
    pub problems: Vec<FieldProblem>,
    /// Nested field ids.
    pub children: Vec<String>,
    /// Possible addition.
    pub addition: Option<Addition>,
    /// Items that only the text shows.
    pub hidden_count: usize,
}

impl Field {
    /// Contains a placeholder, so number and choice controls show text.
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
    /// Initially collapsed.
    pub is_collapsed: bool,
    /// Set fields.
    pub set_count: usize,
}

/// A section's topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// Name, description, tool.
    Basics,
    /// Node input.
    Input,
    /// Common type settings.
    Settings,
    /// Rare settings.
    Advanced,
    /// Attempts, time, visits.
    Limits,
    /// Inputs of a run.
    Inputs,
    /// MCP servers.
    Servers,
    /// Plan tests.
    Tests,
    /// Unknown keys.
    Other,
}

/// A form.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// Several nodes share a form.
    pub owners: Vec<Owner>,
    /// In order.
    pub sections: Vec<Section>,
    /// Fields by id.
    pub fields: HashMap<String, Field>,
    /// Problems outside of fields.
    pub problems: Vec<FieldProblem>,
    /// First line.
    pub line: usize,
    /// Text span.
    pub span: Span,
}

#[cfg(test)]
mod tests;
