//! Checks that new keys and ids are valid and free, and capture no references.

use super::error::{EditResult, captured_reference, refuse};
use super::plan_syntax::{GraphSyntax, PlanSyntax};
use super::references::{ReferenceTarget, output_references};
use stepgraph_core::diagnostic::{Code, Diagnostic, shorten_name};

pub(super) fn check_key(name: &str) -> EditResult<()> {
    let wrong = |why: &str, help: &str| {
        let message = format!("no node can be called `{}`: {why}", shorten_name(name));
        refuse(Diagnostic::new(Code::EditBadName, message).help(help))
    };
    if name.trim().is_empty() {
        return refuse(Diagnostic::new(Code::EditBadName, "a node needs a name").help("give it a name"));
    }
    if name.contains('/') {
        return wrong("`/` separates a graph from its nodes", "leave the `/` out");
    }
    if name.contains(':') {
        return wrong("`:` separates a node from the number of a visit", "leave the `:` out");
    }
    if name.trim() != name {
        return wrong("it begins or ends with whitespace", "remove the whitespace");
    }
    if name.chars().any(stepgraph_core::source::scalar_style::needs_escape) {
        return wrong("it contains an invisible character", "leave that sign out");
    }
    Ok(())
}

pub(super) fn check_id(id: &str) -> EditResult<()> {
    check_key(id)?;
    if matches!(id, "input" | "memory") {
        let message = format!("`{id}` is the name of an initial value of the run");
        return refuse(Diagnostic::new(Code::EditBadName, message).help("choose another name"));
    }
    Ok(())
}

pub(super) fn check_free_key(graph: &GraphSyntax<'_>, key: &str) -> EditResult<()> {
    let Some(node) = graph.with_key(key).and_then(|at| graph.nodes.get(at)) else { return Ok(()) };
    let diagnostic =
        Diagnostic::new(Code::EditNameTaken, format!("there is a node `{}` already", shorten_name(key)));
    refuse(diagnostic.at(node.span).help("choose another name"))
}

pub(super) fn check_free_id(graph: &GraphSyntax<'_>, id: &str) -> EditResult<()> {
    let Some(node) = graph.with_id(id).and_then(|at| graph.nodes.get(at)) else { return Ok(()) };
    let message =
        format!("the output of `{}` has the name `{}` already", shorten_name(node.key), shorten_name(id));
    refuse(Diagnostic::new(Code::EditNameTaken, message).at(node.span).help("choose another name"))
}

/// `unknown` also counts references without a target.
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
                // The new node would not shadow a target in a graph between.
                syntax.enclosing(graph).any(|at| at == holder)
            }
            ReferenceTarget::Unknown => unknown,
        };
        if inside && taken {
            let what = match output_reference.target {
                ReferenceTarget::Unknown => "refers to nothing yet, and would refer to this node".to_owned(),
                ReferenceTarget::Node(place) | ReferenceTarget::NamedOutput(place) => {
                    let key = syntax.node(place).map_or("", |node| node.key);
                    format!("refers to `{}`, and would refer to this node", shorten_name(key))
                }
            };
            return refuse(captured_reference(
                format!("`output.{}` {what}", shorten_name(id)),
                output_reference.reference.value.span,
            ));
        }
    }
    Ok(())
}
