//! What is selected, as a form: every field says what it is, what is written, what holds when nothing is, and what is wrong with it.
//!
//! Decides which fields there are and how each is asked for. What a field changes is an edit of the text (`change`), so comments, order and
//! what no form knows stay; a field never writes what nobody has asked for, and takes nothing away because it is usual anyway.
//!
//! Files: `form_target` where in a document things stand · `format_fields` fields of the maps that a plan consists of · `schema_fields` fields by JSON Schema ·
//! `untyped_fields` fields of values that nobody describes · `build` the forms of a plan, a node, an edge, several nodes · `labels` what fields are called, in both languages ·
//! `parse_input` what is typed, before it is a value · `change` fields as edits · `condition` conditions as rows, `evaluate` whether they hold ·
//! `reference_options` what can be referred to from a place · `value_schema` what is known of values there · `template` texts with holes · `retype_preview` what another type would make of a node.
//!
//! Invariants: 1. a form is made of the present text, also of one with mistakes, as long as it can be read; 2. what a form can't show as
//! fields is shown as text, never left out; 3. however much a plan holds, a form has at most [`MAX_FIELDS`] fields.

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
pub mod value_schema;

pub use build::{Subject, build_form};
pub use form_target::FormTarget;

use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_core::diagnostic::{Diagnostic, Severity, Span, TextEdit};
use stepgraph_core::value::Segment;

/// The most fields of one form; what is beyond them stands in the text.
pub const MAX_FIELDS: usize = 400;

/// How deep fields stand inside each other; what is deeper is shown as text.
pub const MAX_DEPTH: usize = 6;

/// What fields belong to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The plan itself.
    Plan,
    /// A node, by scope and key.
    Node(String, String),
    /// An edge, by scope and position.
    Edge(String, usize),
}

/// How a field is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Control {
    /// A line of text, or several.
    Text {
        /// Whether it takes several lines.
        is_multiline: bool,
    },
    /// A number.
    Number {
        /// The least.
        min: Option<f64>,
        /// The most.
        max: Option<f64>,
        /// Whether it is whole.
        is_integer: bool,
    },
    /// Yes or no.
    Boolean,
    /// One of several values.
    Choice(Vec<Choice>),
    /// Text for which there are proposals, and which may be something else.
    Combobox(Vec<Choice>),
    /// The condition of an edge.
    Condition,
    /// Fields inside.
    Group,
    /// One of several forms; the parts are those of the chosen one.
    Variants {
        /// What they are called.
        options: Vec<Choice>,
        /// Which one it is.
        selected: usize,
    },
    /// Any value, as text.
    Raw,
}

/// A value that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// What is written.
    pub value: Json,
    /// What is shown.
    pub label: String,
    /// What it means; empty when nobody says.
    pub help: String,
}

/// What can be added to a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Addition {
    /// Entries under names: those that are known and not there yet, and whether others may be given.
    Entry {
        /// Names that are known, each with what is written first.
        known_names: Vec<Choice>,
        /// Whether any name will do.
        accepts_any_name: bool,
        /// What is written first under another name.
        initial_value: Json,
    },
    /// Items of a list.
    Item {
        /// What is written first.
        initial_value: Json,
    },
}

/// Something wrong with a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldProblem {
    /// How bad it is.
    pub severity: Severity,
    /// What.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
    /// The edit of the text that mends it.
    pub fix: Vec<TextEdit>,
}

impl FieldProblem {
    /// What a problem of the document says.
    pub fn from_diagnostic(problem: &Diagnostic) -> Self {
        Self {
            severity: problem.severity,
            message: problem.message.clone(),
            help: problem.help.clone(),
            fix: problem.fix.clone(),
        }
    }
}

/// One field.
#[expect(clippy::struct_excessive_bools, reason = "each says something of its own, and any may go with any")]
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name among all fields of all forms.
    pub id: String,
    /// The key or position that it is in its map or list.
    pub key: String,
    /// Where in its owner the value stands.
    pub path: Vec<Segment>,
    /// What it is called.
    pub label: String,
    /// What it means.
    pub help: String,
    /// What kind of value is expected, in a word or two; empty when the control says it.
    pub hint: String,
    /// How it is asked for.
    pub control: Control,
    /// What is written; nothing when it isn't.
    pub value: Option<Json>,
    /// What is written, as it stands in the text, when the control shows it so.
    pub source: Option<String>,
    /// What holds when nothing is written.
    pub default_text: String,
    /// Whether it has to be there.
    pub is_required: bool,
    /// Whether its text may have holes that values fill.
    pub is_template: bool,
    /// Whether it can be taken away with its name: an entry of a map, an item of a list.
    pub is_removable: bool,
    /// Whether several nodes have several values.
    pub is_mixed: bool,
    /// Its position among the items of a list, and how many there are.
    pub item: Option<(usize, usize)>,
    /// The line of the text in which it stands.
    pub line: Option<usize>,
    /// Where it stands in the text, its key included.
    pub span: Option<Span>,
    /// What is wrong with it.
    pub problems: Vec<FieldProblem>,
    /// The fields inside.
    pub children: Vec<String>,
    /// What can be added to it.
    pub addition: Option<Addition>,
    /// How many items or entries inside are left to the text.
    pub hidden_count: usize,
}

impl Field {
    /// Whether its value is a text with holes, where the control is for something else.
    pub fn is_placeholder_text(&self) -> bool {
        self.is_template && matches!(&self.value, Some(Json::String(text)) if text.contains("${"))
    }
}

/// Fields that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// What they are about.
    pub kind: SectionKind,
    /// The fields, by id.
    pub fields: Vec<String>,
    /// Whether it is closed at first: what few need.
    pub is_collapsed: bool,
    /// How many of its fields are written.
    pub set_count: usize,
}

/// What a section is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// What it is.
    Basics,
    /// What it is given.
    Input,
    /// The settings of its type.
    Settings,
    /// What few set.
    Advanced,
    /// Tries, time and visits.
    Limits,
    /// What a run must be given.
    Inputs,
    /// Servers.
    Servers,
    /// Tests beside the plan.
    Tests,
    /// What no table knows.
    Other,
}

/// A form.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// What it is of; several nodes have one form.
    pub owners: Vec<Owner>,
    /// Its sections.
    pub sections: Vec<Section>,
    /// Its fields by id.
    pub fields: HashMap<String, Field>,
    /// What is wrong, and with no field of it.
    pub problems: Vec<FieldProblem>,
    /// The line in which it begins.
    pub line: usize,
    /// Where it stands in the text.
    pub span: Span,
}

#[cfg(test)]
mod tests;
