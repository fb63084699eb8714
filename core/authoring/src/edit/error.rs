//! Explains why an edit is impossible.

use super::plan_syntax::{GraphSyntax, PlanSyntax};
use stepgraph_core::diagnostic::{Code, Diagnostic, Span, closest_name, shorten_name};

pub(super) type EditResult<T> = Result<T, Box<Diagnostic>>;

pub(super) fn refuse<T>(diagnostic: Diagnostic) -> EditResult<T> {
    Err(Box::new(diagnostic))
}

pub(super) fn no_node(graph: &GraphSyntax<'_>, key: &str) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(Code::EditNowhere, format!("there is no node `{}`", shorten_name(key)));
    let by_id = graph.with_id(key).and_then(|at| graph.nodes.get(at));
    let help = match by_id
        .map(|node| node.key)
        .or_else(|| closest_name(key, graph.nodes.iter().map(|node| node.key)))
    {
        Some(meant) if by_id.is_some() => format!("name it by its key, `{}`", shorten_name(meant)),
        Some(meant) => format!("did you mean `{}`?", shorten_name(meant)),
        None if graph.scope.is_empty() => "name a node by its key in `nodes`".to_owned(),
        None => format!("name a node by its key in `nodes` of `{}`", shorten_name(&graph.scope)),
    };
    Box::new(diagnostic.help(help))
}

pub(super) fn no_edge(graph: &GraphSyntax<'_>, edge: usize) -> Box<Diagnostic> {
    let count = graph.edges.len();
    let message = format!("there is no edge {edge}");
    let help = match count {
        0 => "add an edge first".to_owned(),
        1 => "name the only edge, 0".to_owned(),
        _ => format!("name an edge by its position, from 0 to {}", count - 1),
    };
    Box::new(Diagnostic::new(Code::EditNowhere, message).help(help))
}

pub(super) fn no_graph(syntax: &PlanSyntax<'_>, scope: &str) -> Box<Diagnostic> {
    let diagnostic =
        Diagnostic::new(Code::EditNowhere, format!("there is no graph `{}`", shorten_name(scope)));
    let scopes = || syntax.graphs.iter().map(|graph| graph.scope.as_str()).filter(|scope| !scope.is_empty());
    let help = match closest_name(scope, scopes()) {
        Some(meant) => format!("did you mean `{}`?", shorten_name(meant)),
        None => match scopes().next() {
            Some(one) => format!("name it by the path of its keys, as in `{}`", shorten_name(one)),
            None => "leave `scope` out: no node of this plan contains a graph".to_owned(),
        },
    };
    Box::new(diagnostic.help(help))
}

pub(super) fn invalid_edit(message: impl Into<String>, help: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::EditBad, message).help(help))
}

pub(super) fn captured_reference(message: impl Into<String>, place: Span) -> Diagnostic {
    Diagnostic::new(Code::EditCaptured, message).at(place).help("choose another name")
}

pub(super) fn blocked(message: impl Into<String>, place: Span, help: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::EditBlocked, message).at(place).help(help))
}
