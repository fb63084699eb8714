//! What stands behind a node.
//!
//! Decides it in this order: host handler for its id, for its type, built-in type, tool of that name, alias.

use super::fan::{self, Fan};
use crate::capabilities::Capabilities;
use crate::graph::{Node, Texts};
use crate::kind::{Shape, Stage, alias};

/// What a node does when a run comes to it.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Asks the host's handler.
    Handler(Handler),
    /// Calls a tool.
    Tool(String),
    /// Asks a model; the settings may have holes.
    Llm(Option<Texts>),
    /// Lets a model call tools until it answers; the settings may have holes.
    Agent(Option<Texts>),
    /// Lets a model plan which tools to call; the settings may have holes.
    Plan(Option<Texts>),
    /// Carries out a tool plan, or calls whose parameters stand for themselves.
    Gather(Option<Texts>, bool),
    /// Lets a model reason for a turn; the settings may have holes.
    React(Option<Texts>),
    /// Is a stage on the way from a request to a plan; the settings may have holes.
    Author(Stage, Option<Texts>),
    /// Passes on what came before.
    Pass,
    /// Passes its input on and marks it in the trace.
    Log,
    /// Asks a person.
    Approve,
    /// Runs the graphs inside it.
    Fan(Fan),
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
pub(super) enum Found {
    Action(Action),
    /// A tool node without a tool.
    NoTool,
    Unknown,
}

/// What stands behind a node.
pub(super) fn find(node: &Node, place: &str, capabilities: &Capabilities) -> Found {
    let kind = node.kind.as_str();
    // One node among several of the same id in different graphs goes by its place.
    for name in [place, &node.id] {
        if capabilities.handles_id(name) {
            return Found::Action(Action::Handler(Handler::Id(name.to_owned())));
        }
    }
    if let Some(found) = typed(node, kind, capabilities) {
        return found;
    }
    if capabilities.has_tool(kind) {
        return Found::Action(Action::Tool(kind.to_owned()));
    }
    if let Some(found) = alias(kind).and_then(|meant| typed(node, meant, capabilities)) {
        return found;
    }
    let all_known = capabilities.types.is_some() && capabilities.tools.is_some();
    if all_known { Found::Unknown } else { Found::Action(Action::Handler(Handler::Type(kind.to_owned()))) }
}

/// A type that the host handles, or a built-in one.
fn typed(node: &Node, kind: &str, capabilities: &Capabilities) -> Option<Found> {
    if capabilities.handles_type(kind) {
        return Some(Found::Action(Action::Handler(Handler::Type(kind.to_owned()))));
    }
    match kind {
        "tool" => Some(match &node.tool {
            Some(tool) => Found::Action(Action::Tool(tool.name.clone())),
            None => Found::NoTool,
        }),
        "llm" => Some(Found::Action(Action::Llm(node.with.clone()))),
        "agent" => Some(Found::Action(Action::Agent(node.with.clone()))),
        "plan" => Some(Found::Action(Action::Plan(node.with.clone()))),
        "gather" => Some(Found::Action(Action::Gather(node.with.clone(), false))),
        "execute_tools" => Some(Found::Action(Action::Gather(node.with.clone(), true))),
        "react" => Some(Found::Action(Action::React(node.with.clone()))),
        "decision" | "noop" => Some(Found::Action(Action::Pass)),
        "log" => Some(Found::Action(Action::Log)),
        "approve" => Some(Found::Action(Action::Approve)),
        _ => Stage::of(kind)
            .map(|stage| Found::Action(Action::Author(stage, node.with.clone())))
            .or_else(|| Shape::of(kind).map(|shape| Found::Action(Action::Fan(fan::read(shape, node))))),
    }
}

/// What a node does; `None` where [`check`] finds an error.
pub fn action(node: &Node, place: &str, capabilities: &Capabilities) -> Option<Action> {
    match find(node, place, capabilities) {
        Found::Action(action) => Some(action),
        _ => None,
    }
}
