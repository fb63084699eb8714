//! What is wrong with a node, given what the host can do.
//!
//! Decides whose checks a node is given to. What is not known is not judged.

use super::action::{ResolvedAction, resolve_action};
use super::{
    Action, Handler, agent, approve, arguments, author, composite, gather, guard, llm, misnamed, plan, react,
    settings, tool,
};
use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Target, shorten_name};
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
        diagnostics: &mut DiagnosticCollector
    ) = arguments::check;

    /// Judges an agent. Most plans that a page opens have none of these nodes.
    fn judge_agent(
        node: &Node,
        target: &Target,
        with: Option<&Spanned>,
        capabilities: &Capabilities,
        diagnostics: &mut DiagnosticCollector
    ) = agent::check;

    /// Judges a planner.
    fn judge_plan(
        node: &Node,
        target: &Target,
        with: Option<&Spanned>,
        capabilities: &Capabilities,
        diagnostics: &mut DiagnosticCollector
    ) = plan::check;

    /// Judges a node that reasons.
    fn judge_react(
        node: &Node,
        target: &Target,
        with: Option<&Spanned>,
        capabilities: &Capabilities,
        diagnostics: &mut DiagnosticCollector
    ) = react::check;

    /// Judges whether who plans calls and who makes them trust the same parameters.
    fn judge_trust(graph: &Graph, position: usize, diagnostics: &mut DiagnosticCollector) = guard::check;

    /// Judges a stage on the way to a plan.
    fn judge_author(
        stage: Stage,
        node: &Node,
        target: &Target,
        with: Option<&Spanned>,
        capabilities: &Capabilities,
        diagnostics: &mut DiagnosticCollector
    ) = author::check;
}

/// What is wrong with a node, given what the host can do.
pub(crate) fn check(
    plan: &PlanGraph,
    graph: &Graph,
    position: usize,
    capabilities: &Capabilities,
    diagnostics: &mut DiagnosticCollector,
) {
    let Some(node) = graph.nodes.get(position) else { return };
    let target = graph.target(node);
    let entry = || plan.node_entry(graph, position).map(|entry| &entry.value);
    let with = || entry().and_then(|entry| entry.get("with")).map(|entry| &entry.value);
    let diagnostic = match resolve_action(node, &graph.node_path(node), capabilities) {
        ResolvedAction::Action(Action::Tool(name)) => {
            let input = entry().and_then(|entry| entry.get("input")).map(|entry| &entry.value);
            if capabilities.has_tool(&name) {
                judge_call(node, &name, input, &target, capabilities, diagnostics);
            }
            settings::check("tool", &TOOL, with(), &target, diagnostics);
            if let Some(diagnostic) = misnamed::hidden_type(node, capabilities) {
                diagnostics.push(diagnostic.on(target.clone()));
            }
            tool::check(node, &name, capabilities, diagnostics)
        }
        ResolvedAction::Action(Action::Llm(_)) => {
            llm::check("llm", node, &target, with(), capabilities, diagnostics);
            None
        }
        ResolvedAction::Action(Action::Agent(_)) => {
            judge_agent(node, &target, with(), capabilities, diagnostics);
            None
        }
        ResolvedAction::Action(Action::Plan(_)) => {
            judge_plan(node, &target, with(), capabilities, diagnostics);
            judge_trust(graph, position, diagnostics);
            None
        }
        ResolvedAction::Action(Action::React(_)) => {
            judge_react(node, &target, with(), capabilities, diagnostics);
            judge_trust(graph, position, diagnostics);
            None
        }
        ResolvedAction::Action(Action::Gather(..)) => {
            gather::check(&node.kind, with(), &target, diagnostics);
            None
        }
        ResolvedAction::Action(Action::Author(stage, _)) => {
            judge_author(stage, node, &target, with(), capabilities, diagnostics);
            None
        }
        ResolvedAction::Action(Action::Approve) => {
            approve::check(plan, graph, position, &target, with(), diagnostics);
            None
        }
        ResolvedAction::Action(Action::Composite(composite)) => {
            composite::check(composite, node, &target, with(), diagnostics);
            None
        }
        ResolvedAction::Action(action @ (Action::Pass | Action::Log)) => {
            // Where the host is not known it may handle these types, with settings of its own.
            if capabilities.types.is_some() {
                settings::check(&node.kind, &[TEMPLATES], with(), &target, diagnostics);
            }
            misnamed::ignored_input(node, &action)
        }
        ResolvedAction::Action(Action::Handler(Handler::Type(_))) if capabilities.types.is_none() => {
            misnamed::misspelt_type(node, diagnostics)
        }
        ResolvedAction::Action(_) => None,
        ResolvedAction::MissingTool => Some(
            Diagnostic::new(Code::MissingTool, format!("node `{}` names no tool", shorten_name(&node.key)))
                .at(node.kind_span)
                .help("add `tool: <name>`"),
        ),
        ResolvedAction::Unknown => Some(misnamed::unknown_type(node, capabilities, diagnostics)),
    };
    if let Some(diagnostic) = diagnostic {
        diagnostics.push(diagnostic.on(target));
    }
}
