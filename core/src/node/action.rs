//! Resolves a node to its action.
//!
//! The order is: host handler for its id, for its type, built-in type, tool of that name, alias.

use super::composite::{self, Composite};
use crate::capabilities::Capabilities;
use crate::graph::{Node, TemplateValue};
use crate::kind::{CompositeKind, Stage, alias};

/// The action of a node. Settings may have placeholders.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Calls a handler of the host.
    Handler(Handler),
    /// Calls a tool.
    Tool(String),
    /// Calls a model once.
    Llm(Option<TemplateValue>),
    /// Lets a model call tools until it answers.
    Agent(Option<TemplateValue>),
    /// Lets a model plan tool calls.
    Plan(Option<TemplateValue>),
    /// Executes a tool plan. If `true`, parameters are literal values.
    Gather(Option<TemplateValue>, bool),
    /// Lets a model reason for a turn.
    React(Option<TemplateValue>),
    /// Runs a stage of the planner.
    Author(Stage, Option<TemplateValue>),
    /// Returns the previous output.
    Pass,
    /// Returns its input and logs it in the trace.
    Log,
    /// Computes values.
    Set,
    /// Waits, and returns the previous output.
    Wait,
    /// Requests an approval.
    Approve,
    /// Runs the nested graphs.
    Composite(Composite),
}

impl Action {
    /// Returns the called tool.
    pub fn tool(&self) -> Option<&str> {
        if let Self::Tool(name) = self { Some(name) } else { None }
    }

    /// Returns whether the output is the previous output.
    pub(crate) fn passes_last(&self) -> bool {
        matches!(self, Self::Pass | Self::Wait)
    }

    /// Returns whether the node ignores its input.
    pub(crate) fn ignores_input(&self) -> bool {
        self.passes_last() || *self == Self::Set
    }

    /// Returns whether the node completes at once, without a call or a timer.
    pub fn is_immediate(&self) -> bool {
        matches!(self, Self::Pass | Self::Log | Self::Set)
    }
}

/// The key of a host's handler.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Handler {
    /// A node id or node path.
    Id(String),
    /// A type.
    Type(String),
}

pub(super) enum ResolvedAction {
    Action(Action),
    MissingTool,
    Unknown,
}

pub(super) fn resolve_action(node: &Node, node_path: &str, capabilities: &Capabilities) -> ResolvedAction {
    let kind = node.kind.as_str();
    // The node path distinguishes nodes with the same id in different graphs.
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

/// Returns the action of a node. `None` if [`check`] reports an error.
pub fn action(node: &Node, node_path: &str, capabilities: &Capabilities) -> Option<Action> {
    match resolve_action(node, node_path, capabilities) {
        ResolvedAction::Action(action) => Some(action),
        _ => None,
    }
}
