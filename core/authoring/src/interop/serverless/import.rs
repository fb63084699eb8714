//! What is at hand while a workflow is taken over.

use crate::interop::import_report::ImportReport;
use crate::interop::node_keys::KeyAllocator;
use std::collections::HashMap;
use stepgraph_core::expr::Reference;
use stepgraph_core::source::Spanned;

/// A workflow that is being taken over.
#[derive(Default)]
pub(super) struct Import<'s> {
    pub(super) report: ImportReport,
    pub(super) keys: KeyAllocator,
    /// The entry `use` of the workflow.
    pub(super) definitions: Option<&'s Spanned>,
    /// The nodes that were made for a task, by the first of them.
    pub(super) nodes_of_task: HashMap<String, Vec<String>>,
    /// What stands before the node of a task, where that is not what its block begins with.
    pub(super) entry_nodes: HashMap<String, String>,
    /// MCP servers that are called: name and address.
    pub(super) servers: Vec<(String, String)>,
    /// Functions that are being put in: none may call itself.
    pub(super) open_functions: Vec<String>,
    /// Findings so far that are about something not said just so.
    pub(super) inexact_count: usize,
    /// Whether the data before a loop is asked for in it.
    pub(super) needs_loop_data: bool,
}

/// Where a task stands.
#[derive(Debug, Clone, Default)]
pub(super) struct TaskContext {
    /// Whether it stands in a graph inside a node.
    pub(super) is_nested: bool,
    /// Whether nothing of its list has run before it.
    pub(super) is_first: bool,
    /// What `.` means where nothing of the list has run; `last` unless in a loop.
    pub(super) data: Option<Reference>,
    /// What variables mean, the innermost last.
    pub(super) variables: Vec<(String, Variable)>,
}

/// What a variable means.
#[derive(Debug, Clone)]
pub(super) enum Variable {
    /// A reference.
    Reference(Reference),
    /// The failure that was caught, whose parts have other names here.
    Failure,
}

/// The nodes of a task begin there.
#[derive(Debug)]
pub(super) struct TaskNodes {
    pub(super) entry: String,
}

/// A condition, and the expression that it could not be made of.
pub(super) struct TranslatedCondition {
    pub(super) text: String,
    pub(super) comment: Option<String>,
}
