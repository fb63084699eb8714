//! Imports workflows of Serverless Workflow 1.0.
//!
//! Tasks become nodes, `switch` and `if` decisions, nested lists nested graphs. Hosts handle calls, events
//! and scripts.
//!
//! Invariants:
//! 1. The plan parses and has no errors, whichever host handles its types.
//! 2. The report lists every construct whose meaning changed.
//!
//! Source: the DSL reference of Serverless Workflow 1.0.1. `docs/interop.md` has the table of constructs.

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
use stepgraph_core::source::{self, Format, Spanned};

/// Imports YAML or JSON.
///
/// # Example
/// ```
/// use stepgraph_authoring::interop::serverless;
/// let workflow = "
/// document: {dsl: '1.0.1', namespace: demo, name: greet, version: '1.0.0'}
/// do:
///   - greet: {set: {text: '${ \"hi, \\(.name)\" }'}}
/// ";
/// let plan = serverless::import(workflow).text.unwrap();
/// assert!(plan.contains("greet: {type: log, input: {text: \"hi, ${last.name}\"}}"));
/// ```
pub fn import(text: &str) -> ImportResult {
    let source::Document { root, diagnostics, .. } = source::parse(text, Format::Auto);
    let root = match root {
        Some(root) if !diagnostics.iter().any(Diagnostic::is_error) => root,
        _ => return ImportResult::unreadable(diagnostics),
    };
    let version = root.get("document").and_then(|document| document.value.get("dsl"));
    let version = version.and_then(|dsl| dsl.value.as_text());
    if !version.is_some_and(|version| version.starts_with("1.")) {
        let diagnostic = foreign(&root);
        return ImportResult::unreadable(vec![diagnostic]);
    }
    workflow::import_workflow(&root, ImportReport::default())
}

/// Why the text is no workflow of version 1.
fn foreign(root: &Spanned) -> Diagnostic {
    let has = |key: &str| root.get(key).is_some();
    let (message, help) = if has("nodes") {
        ("this is a plan already", "use it as it is; the import reads workflows of other formats")
    } else {
        let begin = "begin with `document: {dsl: '1.0.1', namespace: …, name: …, version: …}`";
        if has("specVersion") || has("states") {
            ("this workflow is written in a version before 1.0", begin)
        } else {
            ("not a workflow: `document.dsl` is not 1.0", begin)
        }
    };
    Diagnostic::new(Code::ImportUnreadable, message).at(root.span).help(help)
}
