//! Checks a node against known host capabilities.

use super::action::{ResolvedAction, resolve_action};
use super::checked_node::CheckedNode;
use super::{
    Action, Handler, agent, approve, arguments, author, composite, gather, guard, llm, misnamed, plan, react,
    set, settings, tool, wait,
};
use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, shorten_name};
use crate::graph::{Graph, Node, PlanGraph};
use crate::kind::Stage;
use crate::kind::settings::{TEMPLATES, TOOL};
use crate::source::Spanned;

stepgraph_lazy::lazy! {
    /// Loaded only if a server is connected.
    fn check_call(
        checked: CheckedNode<'_>,
        tool: &str,
        input: Option<&Spanned>,
        diagnostics: &mut DiagnosticCollector
    ) = arguments::check;

    /// Lazy: most plans have none of these nodes.
    fn check_agent(checked: CheckedNode<'_>, diagnostics: &mut DiagnosticCollector) = agent::check;

    fn check_plan(checked: CheckedNode<'_>, diagnostics: &mut DiagnosticCollector) = plan::check;

    fn check_react(checked: CheckedNode<'_>, diagnostics: &mut DiagnosticCollector) = react::check;

    /// Planner and executor of calls must trust the same parameters.
    fn check_trust(graph: &Graph, position: usize, diagnostics: &mut DiagnosticCollector) = guard::check;

    fn check_stage(stage: Stage, checked: CheckedNode<'_>, diagnostics: &mut DiagnosticCollector) = author::check;
}

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
    let checked = || CheckedNode { node, target: &target, with: with(), capabilities };
    let diagnostic = match resolve_action(node, &graph.node_path(node), capabilities) {
        ResolvedAction::Action(Action::Tool(name)) => {
            let input = entry().and_then(|entry| entry.get("input")).map(|entry| &entry.value);
            check_tool_node(checked(), &name, input, diagnostics)
        }
        ResolvedAction::Action(Action::Llm(_)) => {
            llm::check("llm", checked(), diagnostics);
            None
        }
        ResolvedAction::Action(Action::Agent(_)) => {
            check_agent(checked(), diagnostics);
            None
        }
        ResolvedAction::Action(Action::Plan(_)) => {
            check_plan(checked(), diagnostics);
            check_trust(graph, position, diagnostics);
            None
        }
        ResolvedAction::Action(Action::React(_)) => {
            check_react(checked(), diagnostics);
            check_trust(graph, position, diagnostics);
            None
        }
        ResolvedAction::Action(Action::Gather(..)) => {
            gather::check(&node.kind, with(), &target, diagnostics);
            None
        }
        ResolvedAction::Action(Action::Author(stage, _)) => {
            check_stage(stage, checked(), diagnostics);
            None
        }
        ResolvedAction::Action(Action::Approve) => {
            approve::check(checked(), diagnostics);
            None
        }
        ResolvedAction::Action(Action::Composite(composite)) => {
            composite::check(composite, node, &target, with(), diagnostics);
            None
        }
        ResolvedAction::Action(action @ Action::Set) => {
            set::check(node, &target, with(), diagnostics);
            misnamed::ignored_input(node, &action)
        }
        ResolvedAction::Action(action @ Action::Wait) => {
            wait::check(node, &target, with(), diagnostics);
            misnamed::ignored_input(node, &action)
        }
        ResolvedAction::Action(action @ (Action::Pass | Action::Log)) => {
            // Hosts may handle these types with other settings.
            if capabilities.types.is_some() {
                settings::check(&node.kind, &[TEMPLATES], with(), &target, diagnostics);
            }
            misnamed::ignored_input(node, &action)
        }
        ResolvedAction::Action(Action::Handler(Handler::Type(_))) if capabilities.types.is_none() => {
            misnamed::misspelt_type(node, diagnostics)
        }
        ResolvedAction::Action(_) => None,
        ResolvedAction::MissingTool => Some(missing_tool(node)),
        ResolvedAction::Unknown => Some(misnamed::unknown_type(node, capabilities, diagnostics)),
    };
    if let Some(diagnostic) = diagnostic {
        diagnostics.push(diagnostic.on(target));
    }
}

fn check_tool_node(
    checked: CheckedNode<'_>,
    name: &str,
    input: Option<&Spanned>,
    diagnostics: &mut DiagnosticCollector,
) -> Option<Diagnostic> {
    let CheckedNode { node, target, with, capabilities } = checked;
    if capabilities.has_tool(name) {
        check_call(checked, name, input, diagnostics);
    }
    settings::check("tool", &TOOL, with, target, diagnostics);
    if let Some(diagnostic) = misnamed::hidden_type(node, capabilities) {
        diagnostics.push(diagnostic.on(target.clone()));
    }
    tool::check(node, name, capabilities, diagnostics)
}

fn missing_tool(node: &Node) -> Diagnostic {
    Diagnostic::new(Code::MissingTool, format!("node `{}` names no tool", shorten_name(&node.key)))
        .at(node.kind_span)
        .help("add `tool: <name>`")
}
