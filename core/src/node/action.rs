//! What stands behind a node.
//!
//! Decides it in this order: host handler for its id, for its type, built-in type, tool of that name, alias.

use super::composite::{self, Composite};
use crate::capabilities::Capabilities;
use crate::graph::{Node, TemplateValue};
use crate::kind::{CompositeKind, Stage, alias};

/// What a node does when a run comes to it.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Asks the host's handler.
    Handler(Handler),
    /// Calls a tool.
    Tool(String),
    /// Asks a model; the settings may have holes.
    Llm(Option<TemplateValue>),
    /// Lets a model call tools until it answers; the settings may have holes.
    Agent(Option<TemplateValue>),
    /// Lets a model plan which tools to call; the settings may have holes.
    Plan(Option<TemplateValue>),
    /// Carries out a tool plan, or calls whose parameters stand for themselves.
    Gather(Option<TemplateValue>, bool),
    /// Lets a model reason for a turn; the settings may have holes.
    React(Option<TemplateValue>),
    /// Is a stage on the way from a request to a plan; the settings may have holes.
    Author(Stage, Option<TemplateValue>),
    /// Passes on what came before.
    Pass,
    /// Passes its input on and marks it in the trace.
    Log,
    /// Asks a person.
    Approve,
    /// Runs the graphs inside it.
    Composite(Composite),
}

impl Action {
    /// The tool that is called.
    pub fn tool(&self) -> Option<&str> {
        if let Self::Tool(name) = self { Some(name) } else { None }
    }
}

/// By what name the host knows a handler.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Handler {
    /// By the node's id.
    Id(String),
    /// By a type.
    Type(String),
}

/// What a node's type turns out to be.
pub(super) enum ResolvedAction {
    Action(Action),
    /// A tool node without a tool.
    MissingTool,
    Unknown,
}

/// What stands behind a node.
pub(super) fn resolve_action(node: &Node, node_path: &str, capabilities: &Capabilities) -> ResolvedAction {
    let kind = node.kind.as_str();
    // One node among several of the same id in different graphs goes by its place.
    for name in [node_path, &node.id] {
        if capabilities.handles_id(name) {
            return ResolvedAction::Action(Action::Handler(Handler::Id(name.to_owned())));
        }
    }
    if let Some(found) = resolve_type(node, kind, capabilities) {
        return found;
    }
    if capabilities.has_tool(kind) {
        return ResolvedAction::Action(Action::Tool(kind.to_owned()));
    }
    if let Some(found) = alias(kind).and_then(|meant| resolve_type(node, meant, capabilities)) {
        return found;
    }
    let all_known = capabilities.types.is_some() && capabilities.tools.is_some();
    if all_known {
        ResolvedAction::Unknown
    } else {
        ResolvedAction::Action(Action::Handler(Handler::Type(kind.to_owned())))
    }
}

/// A type that the host handles, or a built-in one.
fn resolve_type(node: &Node, kind: &str, capabilities: &Capabilities) -> Option<ResolvedAction> {
    if capabilities.handles_type(kind) {
        return Some(ResolvedAction::Action(Action::Handler(Handler::Type(kind.to_owned()))));
    }
    match kind {
        "tool" => Some(match &node.tool {
            Some(tool) => ResolvedAction::Action(Action::Tool(tool.name.clone())),
            None => ResolvedAction::MissingTool,
        }),
        "llm" => Some(ResolvedAction::Action(Action::Llm(node.with.clone()))),
        "agent" => Some(ResolvedAction::Action(Action::Agent(node.with.clone()))),
        "plan" => Some(ResolvedAction::Action(Action::Plan(node.with.clone()))),
        "gather" => Some(ResolvedAction::Action(Action::Gather(node.with.clone(), false))),
        "execute_tools" => Some(ResolvedAction::Action(Action::Gather(node.with.clone(), true))),
        "react" => Some(ResolvedAction::Action(Action::React(node.with.clone()))),
        "decision" | "noop" => Some(ResolvedAction::Action(Action::Pass)),
        "log" => Some(ResolvedAction::Action(Action::Log)),
        "approve" => Some(ResolvedAction::Action(Action::Approve)),
        _ => Stage::of(kind)
            .map(|stage| ResolvedAction::Action(Action::Author(stage, node.with.clone())))
            .or_else(|| {
                CompositeKind::of(kind).map(|shape| {
                    ResolvedAction::Action(Action::Composite(composite::from_settings(shape, node)))
                })
            }),
    }
}

/// What a node does; `None` where [`check`] finds an error.
pub fn action(node: &Node, node_path: &str, capabilities: &Capabilities) -> Option<Action> {
    match resolve_action(node, node_path, capabilities) {
        ResolvedAction::Action(action) => Some(action),
        _ => None,
    }
}
