//! Workflows of Serverless Workflow, version 1.0.
//!
//! Decides what its constructs become: tasks are nodes in the order of their lists, `switch` and `if` are decisions, lists of tasks
//! inside tasks are graphs inside nodes. What somebody has to carry out (a call, an event, a script) is a node of a type of that name.
//!
//! Invariants:
//! 1. the plan can be read and checked without errors, whoever handles its types;
//! 2. what the plan does not say just so is in the report, at its place.
//!
//! Source: the DSL reference of Serverless Workflow 1.0.1; `docs/interop.md` has the table of constructs.

mod calls;
mod compound_tasks;
mod duration;
mod expressions;
mod graph_builder;
mod import;
mod jq;
mod task_list;
mod tasks;
mod translate;
mod workflow;

use super::import_report::{ImportReport, ImportResult};
use stepgraph_core::diagnostic::{Code, Diagnostic};
use stepgraph_core::source::{self, Format};

/// Takes over a workflow, written in YAML or JSON.
///
/// # Example
/// ```
/// use stepgraph_authoring::interop::serverless;
/// let workflow = "
/// document: {dsl: '1.0.1', namespace: demo, name: greet, version: '1.0.0'}
/// do:
///   - greet: {set: {text: '${ \"hi, \\(.name)\" }'}}
/// ";
/// let plan = serverless::read(workflow).text.unwrap();
/// assert!(plan.contains("greet: {type: log, input: {text: \"hi, ${last.name}\"}}"));
/// ```
pub fn import(text: &str) -> ImportResult {
    let source::Document { root, diagnostics, .. } = source::read(text, Format::Auto);
    let root = match root {
        Some(root) if !diagnostics.iter().any(Diagnostic::is_error) => root,
        _ => return ImportResult::unreadable(diagnostics),
    };
    let version = root.get("document").and_then(|document| document.value.get("dsl"));
    let version = version.and_then(|dsl| dsl.value.as_text());
    if !version.is_some_and(|version| version.starts_with("1.")) {
        let old = root.get("specVersion").is_some() || root.get("states").is_some();
        let message = if old {
            "this workflow is written in a version before 1.0"
        } else {
            "no workflow: `document.dsl` does not say 1.0"
        };
        let diagnostic = Diagnostic::new(Code::ImportUnreadable, message)
            .at(root.span)
            .help("begin with `document: {dsl: '1.0.1', namespace: …, name: …, version: …}`");
        return ImportResult::unreadable(vec![diagnostic]);
    }
    workflow::import_workflow(&root, ImportReport::default())
}
