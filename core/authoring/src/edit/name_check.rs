//! Which names a node may be given.
//!
//! Decides what no node can be called, what is taken, and which names would take away what others mean.

use super::error::{EditResult, captured_reference, refuse};
use super::plan_syntax::{GraphSyntax, PlanSyntax};
use super::references::{ReferenceTarget, output_references};
use stepgraph_core::diagnostic::{Code, Diagnostic, brief};

/// Whether a node may have that key.
pub(super) fn check_key(name: &str) -> EditResult<()> {
    let wrong = |why: &str, help: &str| {
        let message = format!("no node can be called `{}`: {why}", brief(name));
        refuse(Diagnostic::new(Code::EditBadName, message).help(help))
    };
    if name.trim().is_empty() {
        return refuse(Diagnostic::new(Code::EditBadName, "a node needs a name").help("give it a name"));
    }
    if name.contains('/') {
        return wrong("`/` stands between a graph and its nodes", "leave the `/` out");
    }
    if name.contains(':') {
        return wrong("`:` stands before the number of a visit", "leave the `:` out");
    }
    if name.trim() != name {
        return wrong("it begins or ends with a blank", "leave the blank out");
    }
    if name.chars().any(stepgraph_core::source::text::telling) {
        return wrong("it holds a sign that can't be seen", "leave that sign out");
    }
    Ok(())
}

/// Whether a node may have that id.
pub(super) fn check_id(id: &str) -> EditResult<()> {
    check_key(id)?;
    if matches!(id, "input" | "memory") {
        let message = format!("`{id}` names what the run is given");
        return refuse(Diagnostic::new(Code::EditBadName, message).help("choose another name"));
    }
    Ok(())
}

/// Whether a key is free in a graph.
pub(super) fn check_free_key(graph: &GraphSyntax<'_>, key: &str) -> EditResult<()> {
    let Some(node) = graph.with_key(key).and_then(|at| graph.nodes.get(at)) else { return Ok(()) };
    let diagnostic =
        Diagnostic::new(Code::EditNameTaken, format!("there is a node `{}` already", brief(key)));
    refuse(diagnostic.at(node.span).help("choose another name"))
}

/// Whether an id is free in a graph.
pub(super) fn check_free_id(graph: &GraphSyntax<'_>, id: &str) -> EditResult<()> {
    let Some(node) = graph.with_id(id).and_then(|at| graph.nodes.get(at)) else { return Ok(()) };
    let message = format!("the output of `{}` has the name `{}` already", brief(node.key), brief(id));
    refuse(Diagnostic::new(Code::EditNameTaken, message).at(node.span).help("choose another name"))
}

/// Whether a new node of that id would take over what references mean. `unknown` says that even names which mean nothing count.
pub(super) fn check_captures(
    syntax: &PlanSyntax<'_>,
    graph: usize,
    id: &str,
    unknown: bool,
) -> EditResult<()> {
    for output_reference in output_references(syntax, Some(id)) {
        let inside = syntax.enclosing(output_reference.reference.graph).any(|at| at == graph);
        let taken = match output_reference.target {
            ReferenceTarget::Node((holder, _)) | ReferenceTarget::NamedOutput((holder, _)) => {
                // What means a node of a graph between is not reached from here.
                syntax.enclosing(graph).any(|at| at == holder)
            }
            ReferenceTarget::Unknown => unknown,
        };
        if inside && taken {
            let what = match output_reference.target {
                ReferenceTarget::Unknown => "means nothing yet, and would mean this node".to_owned(),
                ReferenceTarget::Node(place) | ReferenceTarget::NamedOutput(place) => {
                    let key = syntax.node(place).map_or("", |node| node.key);
                    format!("speaks of `{}`, and would speak of this node", brief(key))
                }
            };
            return refuse(captured_reference(
                format!("`output.{}` {what}", brief(id)),
                output_reference.reference.value.span,
            ));
        }
    }
    Ok(())
}
