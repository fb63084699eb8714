//! Resolves a node to its action: host handler for its id, for its type, built-in type, tool of that name, alias.

use super::composite::{self, Composite};
use crate::capabilities::Capabilities;
use crate::graph::{Node, TemplateValue};
use crate::kind::{CompositeKind, Stage, alias};

/// A node's action. Settings may have placeholders.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Host handler.
    Handler(Handler),
    /// Tool call.
    Tool(String),
    /// One model call.
    Llm(Option<TemplateValue>),
    /// A model with tools.
    Agent(Option<TemplateValue>),
    /// A model plans tool calls.
    Plan(Option<TemplateValue>),
    /// Executes a tool plan, with literal parameters if `true`.
    Gather(Option<TemplateValue>, bool),
    /// One reasoning turn.
    React(Option<TemplateValue>),
    /// Planner stage.
    Author(Stage, Option<TemplateValue>),
    /// Previous output.
    Pass,
    /// Logs and returns its input.
    Log,
    /// Computes values.
    Set,
    /// Waits, and returns the previous output.
    Wait,
    /// Approval request.
    Approve,
    /// Nested graphs.
    Composite(Composite),
}

impl Action {
    /// Called tool.
    pub fn tool(&self) -> Option<&str> {
        if let Self::Tool(name) = self { Some(name) } else { None }
    }

    pub(crate) fn passes_last(&self) -> bool {
        matches!(self, Self::Pass | Self::Wait)
    }

    pub(crate) fn ignores_input(&self) -> bool {
        self.passes_last() || *self == Self::Set
    }

    /// Whether it needs no call or timer.
    pub fn is_immediate(&self) -> bool {
        matches!(self, Self::Pass | Self::Log | Self::Set)
    }
}

/// Key of a host's handler.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Handler {
    /// Id or node path.
    Id(String),
    /// Type name.
    Type(String),
}

pub(super) enum ResolvedAction {
    Action(Action),
    MissingTool,
    Unknown,
}

pub(super) fn resolve_action(node: &Node, node_path: &str, capabilities: &Capabilities) -> ResolvedAction {
    let kind = node.kind.as_str();
    // Paths distinguish equal ids in different graphs.
    for name in [node_path, &node.id] {
        if capabilities.handles_id(name) {
            return ResolvedAction::Action(Action::Handler(Handler::Id(name.to_owned())));
        }
    }
    if let Some(resolved) = resolve_type(node, kind, capabilities) {
        return resolved;
    }
    if capabilities.has_tool(kind) {
        return ResolvedAction::Action(Action::Tool(kind.to_owned()));
    }
    if let Some(resolved) = alias(kind).and_then(|meant| resolve_type(node, meant, capabilities)) {
        return resolved;
    }
    let all_known = capabilities.types.is_some() && capabilities.tools.is_some();
    if all_known {
        ResolvedAction::Unknown
    } else {
        ResolvedAction::Action(Action::Handler(Handler::Type(kind.to_owned())))
    }
}

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
        "set" => Some(ResolvedAction::Action(Action::Set)),
        "wait" => Some(ResolvedAction::Action(Action::Wait)),
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

/// `None` if [`check`] reports an error.
pub fn action(node: &Node, node_path: &str, capabilities: &Capabilities) -> Option<Action> {
    match resolve_action(node, node_path, capabilities) {
        ResolvedAction::Action(action) => Some(action),
        _ => None,
    }
}
