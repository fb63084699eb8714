//! What nodes do: one file for each type.
//!
//! Decides which action stands behind a node, what its settings may be, what it asks on entry and what it makes of the
//! answer. Does not walk the graph; that is [`crate::machine`].
//!
//! Invariants:
//! 1. a node is resolved in this order: host handler for its id, for its type, built-in type, tool of that name, alias;
//! 2. what the host can do is judged only where it is known.

pub(crate) mod agent;
pub(crate) mod approve;
pub(crate) mod arguments;
pub(crate) mod author;
mod fan;
pub mod gather;
mod guard;
pub(crate) mod llm;
mod mind;
mod misnamed;
pub mod plan;
pub mod react;
pub(crate) mod settings;
pub(crate) mod tool;

pub use agent::{Agent, Offered};
pub(crate) use approve::{APPROVED, REJECTED};
pub use author::{Author, Stage};
pub use fan::{Fan, Join, Shape};
pub use gather::{Gatherer, Planned};
pub use guard::Guard;
pub use mind::{Asked, Mind, Told};
pub use plan::Planner;
pub use react::Reasoner;

use crate::diagnostic::{Code, Diagnostic, Problems, Target, brief};
use crate::graph::{Graph, Node, PlanGraph, Texts};
use crate::host::Capabilities;
use crate::source::Spanned;
use serde_json::Value as Json;

/// Types that this version runs by itself.
pub const BUILT_IN: [&str; 14] = [
    "tool",
    "llm",
    "agent",
    "plan",
    "gather",
    "react",
    "execute_tools",
    "decision",
    "noop",
    "log",
    "approve",
    "parallel",
    "map",
    "graph",
];

/// Older names of built-in types.
const ALIASES: [(&str, &str); 6] = [
    ("init", "noop"),
    ("format_output", "noop"),
    ("error_handler", "noop"),
    ("terminal", "noop"),
    ("validation", "decision"),
    ("llm_call", "llm"),
];

/// Whether it is an older name of a built-in type. A tool of that name goes before it.
pub fn is_older_name(kind: &str) -> bool {
    ALIASES.iter().any(|(name, _)| *name == kind)
}

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

/// The type that an older name means; any other means itself.
pub fn meant(kind: &str) -> &str {
    ALIASES.iter().find(|(name, _)| *name == kind).map_or(kind, |(_, meant)| meant)
}

/// The names of the trusted parameters of a `plan` with these settings.
pub(crate) fn trusted(with: Option<&Texts>) -> Vec<String> {
    plan::trusted(with)
}

/// Whether a node of a type asks a model.
pub(crate) fn asks_model(kind: &str) -> bool {
    let kind = meant(kind);
    matches!(kind, "llm" | "agent" | "plan" | "react") || Stage::of(kind).is_some_and(Stage::asks)
}

/// Whether a type is built in, by whichever name.
pub(crate) fn is_known(kind: &str) -> bool {
    let kind = meant(kind);
    BUILT_IN.contains(&kind) || author::kinds().any(|known| known == kind)
}

/// What a node's type turns out to be.
enum Found {
    Action(Action),
    /// A tool node without a tool.
    NoTool,
    Unknown,
}

fn find(node: &Node, place: &str, capabilities: &Capabilities) -> Found {
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
    let alias = ALIASES
        .iter()
        .find(|(name, _)| *name == kind)
        .and_then(|(_, meant)| typed(node, meant, capabilities));
    if let Some(found) = alias {
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

/// The names under which a node of a type writes beside its output, whenever it completes.
pub fn writes(kind: &str) -> &'static [&'static str] {
    author::writes(kind)
}

/// The names under which a node of a type may write beside its output, on some ways.
pub(crate) fn may_write(kind: &str) -> impl Iterator<Item = &'static str> {
    let own = if meant(kind) == "react" { react::WRITES } else { &[] };
    let missed = (!writes(kind).is_empty()).then_some(author::MISSED);
    own.iter().chain(writes(kind)).copied().chain(missed)
}

/// Whether some type of node may write under that name.
pub(crate) fn is_written(name: &str) -> bool {
    BUILT_IN.into_iter().chain(author::kinds()).any(|kind| may_write(kind).any(|written| written == name))
}

/// Every type that this version knows, older names included.
pub fn known_kinds() -> impl Iterator<Item = &'static str> {
    BUILT_IN.into_iter().chain(author::kinds()).chain(ALIASES.iter().map(|(name, _)| *name))
}

/// The settings of a built-in type.
pub fn known_settings(kind: &str) -> Vec<&'static str> {
    let keys = |settings: &[settings::Setting]| settings.iter().map(|(key, ..)| *key).collect();
    match meant(kind) {
        kind @ ("llm" | "agent") => llm::settings(kind).to_vec(),
        "plan" => keys(&plan::SETTINGS),
        "react" => keys(&react::SETTINGS),
        "gather" | "execute_tools" => keys(&gather::SETTINGS),
        "tool" => keys(&tool::SETTINGS),
        "parallel" | "map" => keys(fan::SETTINGS),
        kind => match Stage::of(kind) {
            Some(stage) => keys(&author::known(stage)),
            None => keys(&[settings::TEMPLATES]),
        },
    }
}

/// JSON Schema of what an action gives, where its type alone says that.
pub(crate) fn gives(action: &Action) -> Option<Json> {
    let text = match action {
        Action::Plan(_) => plan::GIVES,
        Action::Gather(..) => gather::GIVES,
        Action::React(_) => react::GIVES,
        _ => return None,
    };
    crate::json::parse(text)
}

/// JSON Schema of what a node writes under a name beside its output, where its type says that.
pub(crate) fn written(action: &Action, name: &str) -> Option<Json> {
    let Action::React(with) = action else { return None };
    react::written(name, with.as_ref())
}

/// What a node does; `None` where [`check`] finds an error.
pub fn action(node: &Node, place: &str, capabilities: &Capabilities) -> Option<Action> {
    match find(node, place, capabilities) {
        Found::Action(action) => Some(action),
        _ => None,
    }
}

stepgraph_lazy::lazy! {
    /// Judges the arguments of a call. A page that is connected to no server does without this.
    fn judge_call(
        node: &Node,
        tool: &str,
        input: Option<&Spanned>,
        target: &Target,
        capabilities: &Capabilities,
        problems: &mut Problems
    ) = arguments::check;

    /// Judges an agent. Most plans that a page opens have none of these nodes.
    fn judge_agent(
        node: &Node,
        target: &Target,
        with: Option<&Spanned>,
        capabilities: &Capabilities,
        problems: &mut Problems
    ) = agent::check;

    /// Judges a planner.
    fn judge_plan(
        node: &Node,
        target: &Target,
        with: Option<&Spanned>,
        capabilities: &Capabilities,
        problems: &mut Problems
    ) = plan::check;

    /// Judges a node that reasons.
    fn judge_react(
        node: &Node,
        target: &Target,
        with: Option<&Spanned>,
        capabilities: &Capabilities,
        problems: &mut Problems
    ) = react::check;

    /// Judges whether who plans calls and who makes them trust the same parameters.
    fn judge_trust(graph: &Graph, position: usize, problems: &mut Problems) = guard::check;

    /// Judges a stage on the way to a plan.
    fn judge_author(
        stage: Stage,
        node: &Node,
        target: &Target,
        with: Option<&Spanned>,
        capabilities: &Capabilities,
        problems: &mut Problems
    ) = author::check;
}

/// What is wrong with a node, given what the host can do.
pub(crate) fn check(
    plan: &PlanGraph,
    graph: &Graph,
    position: usize,
    capabilities: &Capabilities,
    problems: &mut Problems,
) {
    let Some(node) = graph.nodes.get(position) else { return };
    let target = graph.target(node);
    let entry = || plan.entry(graph, position).map(|entry| &entry.value);
    let with = || entry().and_then(|entry| entry.get("with")).map(|entry| &entry.value);
    let problem = match find(node, &graph.place(node), capabilities) {
        Found::Action(Action::Tool(name)) => {
            let input = entry().and_then(|entry| entry.get("input")).map(|entry| &entry.value);
            if capabilities.has_tool(&name) {
                judge_call(node, &name, input, &target, capabilities, problems);
            }
            settings::check("tool", &tool::SETTINGS, with(), &target, problems);
            if let Some(problem) = misnamed::hidden_type(node, capabilities) {
                problems.push(problem.on(target.clone()));
            }
            tool::check(node, &name, capabilities, problems)
        }
        Found::Action(Action::Llm(_)) => {
            llm::check("llm", node, &target, with(), capabilities, problems);
            None
        }
        Found::Action(Action::Agent(_)) => {
            judge_agent(node, &target, with(), capabilities, problems);
            None
        }
        Found::Action(Action::Plan(_)) => {
            judge_plan(node, &target, with(), capabilities, problems);
            judge_trust(graph, position, problems);
            None
        }
        Found::Action(Action::React(_)) => {
            judge_react(node, &target, with(), capabilities, problems);
            judge_trust(graph, position, problems);
            None
        }
        Found::Action(Action::Gather(..)) => {
            gather::check(&node.kind, with(), &target, problems);
            None
        }
        Found::Action(Action::Author(stage, _)) => {
            judge_author(stage, node, &target, with(), capabilities, problems);
            None
        }
        Found::Action(Action::Approve) => {
            approve::check(plan, graph, position, &target, with(), problems);
            None
        }
        Found::Action(Action::Fan(fan)) => {
            fan::check(fan, node, &target, with(), problems);
            None
        }
        Found::Action(action @ (Action::Pass | Action::Log)) => {
            // Where the host is not known it may handle these types, with settings of its own.
            if capabilities.types.is_some() {
                settings::check(&node.kind, &[settings::TEMPLATES], with(), &target, problems);
            }
            misnamed::ignored_input(node, &action)
        }
        Found::Action(Action::Handler(Handler::Type(_))) if capabilities.types.is_none() => {
            misnamed::misspelt_type(node, problems)
        }
        Found::Action(_) => None,
        Found::NoTool => Some(
            Diagnostic::new(Code::MissingTool, format!("node `{}` names no tool", brief(&node.key)))
                .at(node.kind_span)
                .help("add `tool: <name>`"),
        ),
        Found::Unknown => Some(misnamed::unknown_type(node, capabilities, problems)),
    };
    if let Some(problem) = problem {
        problems.push(problem.on(target));
    }
}
