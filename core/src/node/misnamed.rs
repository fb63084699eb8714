//! Reports unknown, misspelt and shadowed types, and ignored inputs.

use super::{Action, tool};
use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Severity, shorten_name};
use crate::graph::Node;
use crate::interner::NameTable;
use crate::key::did_you_mean;
use crate::kind::{alias, current_types};

pub(super) fn hidden_type(node: &Node, capabilities: &Capabilities) -> Option<Diagnostic> {
    let meant = alias(&node.kind)?;
    let (name, tool) = capabilities.tools.as_ref()?.entry(&node.kind)?;
    let server = tool
        .server
        .as_ref()
        .map(|server| format!(" of server `{}`", shorten_name(server)))
        .unwrap_or_default();
    let message =
        format!("node `{}` calls the tool `{}`{server}", shorten_name(&node.key), shorten_name(name));
    let help =
        format!("write `type: {meant}` if the built-in type is meant, or `type: tool` with `tool: {name}`");
    Some(Diagnostic::new(Code::ToolForType, message).at(node.kind_span).help(help))
}

/// Only a warning, since hosts may handle any type.
pub(super) fn misspelt_type(node: &Node, diagnostics: &mut DiagnosticCollector) -> Option<Diagnostic> {
    let meant = diagnostics.closest_name(&node.kind, current_types())?;
    let message = format!("`{}` is no built-in type", shorten_name(&node.kind));
    let mut diagnostic = Diagnostic::new(Code::UnknownType, message).at(node.kind_span);
    diagnostic.severity = Severity::Warning;
    Some(did_you_mean(diagnostic, meant, &node.kind))
}

pub(super) fn unknown_type(
    node: &Node,
    capabilities: &Capabilities,
    diagnostics: &mut DiagnosticCollector,
) -> Diagnostic {
    let tool = tool::ambiguous_name(&node.kind, capabilities, diagnostics);
    if let Some(diagnostic) = tool.or_else(|| tool::unavailable(&node.kind, capabilities)) {
        return diagnostic.at(node.kind_span);
    }
    let handlers = capabilities.types.iter().flat_map(NameTable::iter);
    let tools = capabilities.tools.iter().flat_map(crate::tool::ToolRegistry::names);
    let message = format!("there is no handler for nodes of type `{}`", shorten_name(&node.kind));
    let diagnostic = Diagnostic::new(Code::UnknownType, message).at(node.kind_span);
    match diagnostics.closest_name(&node.kind, current_types().chain(handlers).chain(tools)) {
        Some(meant) => did_you_mean(diagnostic, meant, &node.kind),
        None => diagnostic
            .help("use a built-in type, name a tool of a connected server, or pass a handler to the run"),
    }
}

pub(super) fn ignored_input(node: &Node, action: &Action) -> Option<Diagnostic> {
    if !action.ignores_input() || node.input.is_none() {
        return None;
    }
    let (does, help) = if action.passes_last() {
        ("passes on the previous output", "remove `input`, or use type `log` to pass it on")
    } else {
        ("computes `with.values`", "remove `input`, or refer to it in `with.values`")
    };
    let message = format!("`{}` {does}; its input is ignored", node.kind);
    Some(Diagnostic::new(Code::IgnoredInput, message).at(node.input_span).help(help))
}
