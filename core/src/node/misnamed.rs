//! Types that mean nothing, or something else than they say, and inputs that nobody reads.
//!
//! Decides what is said of a type that is almost a built-in one, that nobody handles, or that a tool has taken.

use super::{Action, tool};
use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, Problems, Severity, brief};
use crate::graph::Node;
use crate::key::did_you_mean;
use crate::kind::{alias, current_kinds};
use crate::names::Names;

/// A node that calls a tool because its type, an older name, is also the tool's.
pub(super) fn hidden_type(node: &Node, capabilities: &Capabilities) -> Option<Diagnostic> {
    let meant = alias(&node.kind)?;
    let (name, tool) = capabilities.tools.as_ref()?.entry(&node.kind)?;
    let server =
        tool.server.as_ref().map(|server| format!(" of server `{}`", brief(server))).unwrap_or_default();
    let message = format!("node `{}` calls the tool `{}`{server}", brief(&node.key), brief(name));
    let help =
        format!("write `type: {meant}` if the built-in type is meant, or `type: tool` with `tool: {name}`");
    Some(Diagnostic::new(Code::ToolForType, message).at(node.kind_span).help(help))
}

/// A type that is almost a built-in one. Hosts may handle types of any name, so it is no error yet.
pub(super) fn misspelt_type(node: &Node, problems: &mut Problems) -> Option<Diagnostic> {
    let meant = problems.near(&node.kind, current_kinds())?;
    let message = format!("`{}` is no built-in type", brief(&node.kind));
    let mut problem = Diagnostic::new(Code::UnknownType, message).at(node.kind_span);
    problem.severity = Severity::Warning;
    Some(did_you_mean(problem, meant, &node.kind))
}

pub(super) fn unknown_type(node: &Node, capabilities: &Capabilities, problems: &mut Problems) -> Diagnostic {
    let tool = tool::clash(&node.kind, capabilities, problems);
    if let Some(problem) = tool.or_else(|| tool::unavailable(&node.kind, capabilities)) {
        return problem.at(node.kind_span);
    }
    let handlers = capabilities.types.iter().flat_map(Names::iter);
    let tools = capabilities.tools.iter().flat_map(crate::tool::Catalogue::names);
    let help = match problems.near(&node.kind, current_kinds().chain(handlers).chain(tools)) {
        Some(meant) => format!("did you mean `{}`?", brief(meant)),
        None => {
            "use a built-in type, name a tool of a connected server, or give the run a handler".to_owned()
        }
    };
    Diagnostic::new(Code::UnknownType, format!("nobody handles nodes of type `{}`", brief(&node.kind)))
        .at(node.kind_span)
        .help(help)
}

/// An input that nobody reads.
pub(super) fn ignored_input(node: &Node, action: &Action) -> Option<Diagnostic> {
    if *action != Action::Pass || node.input.is_none() {
        return None;
    }
    let message = format!("`{}` passes on what came before; its input is ignored", node.kind);
    let problem = Diagnostic::new(Code::IgnoredInput, message).at(node.input_span);
    Some(problem.help("remove `input`, or use type `log` to pass it on"))
}
