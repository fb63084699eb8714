//! Calls of tools: what a node says of them, and without `input` what came before.
//!
//! Decides what of what came before the tool certainly does not take, as far as the plan says it.

use super::{Action, action, arguments};
use crate::diagnostic::{Code, Diagnostic, Problems, Severity, Span, brief};
use crate::graph::{Graph, Node, PlanGraph};
use crate::host::Capabilities;
use crate::list::List;
use crate::schema::Partial;
use crate::source::Spanned;
use crate::tool::{Catalogue, Misfit, ToolInfo};

/// What is wrong with the call of a tool that is there.
pub(super) fn call(
    (plan, graph, position): (&PlanGraph, &Graph, usize),
    tool: &str,
    input: Option<&Spanned>,
    capabilities: &Capabilities,
    problems: &mut Problems,
) {
    if let Some((node, tools)) = graph.nodes.get(position).zip(capabilities.tools.as_ref()) {
        arguments::check(node, tool, input, tools, &graph.target(node), problems);
    }
    check((plan, graph, position), tool, capabilities, problems);
}

/// What is wrong with the arguments of a node that has no input and calls the tool `name`.
fn check(
    (plan, graph, position): (&PlanGraph, &Graph, usize),
    name: &str,
    capabilities: &Capabilities,
    problems: &mut Problems,
) {
    let called = capabilities.tools.as_ref().and_then(|tools| Some((tools, tools.get(name)?)));
    let Some(((tools, tool), node)) = called.zip(graph.nodes.get(position)) else { return };
    if node.input.is_some() {
        return;
    }
    let span = node.tool.as_ref().map_or(node.kind_span, |tool| tool.span);
    let mut found = match from_run(plan, graph, position) {
        Some(inputs) => told(&tools.misfits(name, &inputs, "the run's input"), span),
        None => Vec::new(),
    };
    let edges = graph.edges.iter().filter(|edge| edge.target == position && !edge.condition.mentions_error());
    let mut before = edges.filter_map(|edge| graph.nodes.get(edge.source));
    // One is enough: the node's input is then said, for whatever comes before.
    found.extend(before.find_map(|before| from(before, graph, (name, tool, tools), capabilities, span)));
    for problem in found {
        problems.push(problem.help("say in `input` what the tool is given").on(graph.target(node)));
    }
}

/// What a run is given, where the node is the first of the plan and nothing leads back to it.
fn from_run<'a>(plan: &'a PlanGraph, graph: &Graph, position: usize) -> Option<Partial<'a>> {
    let first = graph.scope.is_empty() && graph.start == Some(position);
    let inputs = plan.inputs.iter().map(|(input, _)| (input.name.as_str(), Partial::Hole));
    (first && !plan.inputs.is_empty()).then(|| Partial::Map(inputs.list()))
}

/// What is wrong with what another node gives.
fn from(
    before: &Node,
    graph: &Graph,
    (name, tool, tools): (&str, &ToolInfo, &Catalogue),
    capabilities: &Capabilities,
    span: Span,
) -> Option<Diagnostic> {
    match action(before, &graph.place(before), capabilities)? {
        Action::Log => {
            let texts = before.input.as_ref()?;
            told(&arguments::misfits(texts, name, tool, tools), span).into_iter().next()
        }
        Action::Llm(with) | Action::Agent(with)
            if with.as_ref().and_then(|with| with.get("schema")).is_none() =>
        {
            let message = format!("`{}` gives text, and a tool takes a map", brief(&before.id));
            let mut problem = Diagnostic::new(Code::InvalidArguments, message).at(span);
            // The text may be the JSON of a map.
            problem.severity = Severity::Warning;
            Some(problem)
        }
        _ => None,
    }
}

fn told(misfits: &[Misfit], span: Span) -> Vec<Diagnostic> {
    let message = |misfit: &Misfit| match misfit {
        Misfit::Refused(violation) => violation.message.clone(),
        Misfit::Unnamed(stranger) => {
            format!("the tool's schema names no argument `{}`", brief(&stranger.name))
        }
    };
    misfits.iter().map(|misfit| Diagnostic::new(Code::InvalidArguments, message(misfit)).at(span)).list()
}
