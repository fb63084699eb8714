//! What is wrong with a node, given what the host can do.
//!
//! Decides whose checks a node is given to. What is not known is not judged.

use super::action::{Found, find};
use super::{
    Action, Handler, agent, approve, arguments, author, fan, gather, guard, llm, misnamed, plan, react,
    settings, tool,
};
use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, Problems, Target, brief};
use crate::graph::{Graph, Node, PlanGraph};
use crate::kind::Stage;
use crate::kind::settings::{TEMPLATES, TOOL};
use crate::source::Spanned;

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
            settings::check("tool", &TOOL, with(), &target, problems);
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
                settings::check(&node.kind, &[TEMPLATES], with(), &target, problems);
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
