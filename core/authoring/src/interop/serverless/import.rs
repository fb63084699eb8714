//! A workflow import's state.

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
    /// The node before a task's main node, if that is not its first.
    pub(super) entry_nodes: HashMap<String, String>,
    pub(super) servers: Vec<(String, String)>,
    /// Prevents recursion of inlined functions.
    pub(super) open_functions: Vec<String>,
    pub(super) inexact_count: usize,
    pub(super) needs_loop_data: bool,
}

#[derive(Debug, Clone, Default)]
pub(super) struct TaskContext {
    pub(super) is_nested: bool,
    pub(super) is_first: bool,
    /// `.` before any task, by default `last` except in a loop.
    pub(super) data: Option<Reference>,
    pub(super) variables: Vec<(String, Variable)>,
}

#[derive(Debug, Clone)]
pub(super) enum Variable {
    Reference(Reference),
    /// Its parts have other names.
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
