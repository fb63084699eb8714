//! The state of a workflow import.

use crate::interop::import_report::ImportReport;
use crate::interop::node_keys::KeyAllocator;
use std::collections::HashMap;
use stepgraph_core::expression::Reference;
use stepgraph_core::source::Spanned;

#[derive(Default)]
pub(super) struct Import<'s> {
    pub(super) report: ImportReport,
    pub(super) keys: KeyAllocator,
    pub(super) definitions: Option<&'s Spanned>,
    pub(super) nodes_of_task: HashMap<String, Vec<String>>,
    /// The node before a task's main node, if it is not the first of the task.
    pub(super) entry_nodes: HashMap<String, String>,
    pub(super) servers: Vec<(String, String)>,
    /// The functions being inlined, to prevent recursion.
    pub(super) open_functions: Vec<String>,
    pub(super) inexact_count: usize,
    pub(super) needs_loop_data: bool,
}

#[derive(Debug, Clone, Default)]
pub(super) struct TaskContext {
    pub(super) is_nested: bool,
    /// Whether no task of the list has run before it.
    pub(super) is_first: bool,
    /// The meaning of `.` before any task of the list has run. The default is `last`, except in a loop.
    pub(super) data: Option<Reference>,
    pub(super) variables: Vec<(String, Variable)>,
}

#[derive(Debug, Clone)]
pub(super) enum Variable {
    Reference(Reference),
    /// The caught failure, whose parts have other names in a plan.
    Failure,
}

#[derive(Debug)]
pub(super) struct TaskNodes {
    pub(super) entry: String,
}

pub(super) struct TranslatedCondition {
    pub(super) text: String,
    pub(super) comment: Option<String>,
}
