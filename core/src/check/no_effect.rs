//! Reports node keys that the action never reads, timeouts that can't pass, and edges for failures that can't happen.

use crate::collect::CollectVec;
use crate::diagnostic::{
    Code, Diagnostic, DiagnosticCollector, Severity, Span, Target, closest_name, shorten_name,
};
use crate::failure::failure_codes;
use crate::graph::control_flow::is_failure_condition;
use crate::graph::{Edge, Graph, NESTED_KEYS, Node, PlanGraph};
use crate::key::did_you_mean;
use crate::node::Action;
use crate::value::number_text;

/// Whether the node has a key or an edge that may have no effect. Most nodes have none.
pub(super) fn is_candidate(graph: &Graph, position: usize) -> bool {
    let settings = |node: &Node| node.retry.is_some() || node.timeout_ms.is_some() || !node.nested.is_empty();
    let waits = |node: &Node| node.kind == "wait";
    graph.nodes.get(position).is_some_and(|node| settings(node) || waits(node))
        || graph.edges_from(position).any(|edge| edge.condition.references_error())
}

pub(super) fn check(
    plan: &PlanGraph,
    graph: &Graph,
    position: usize,
    action: &Action,
    diagnostics: &mut DiagnosticCollector,
) {
    let Some(node) = graph.nodes.get(position) else { return };
    let key = |key: &str| {
        let entry = plan.node_entry(graph, position).and_then(|entry| entry.value.get(key));
        entry.map_or(node.key_span, |entry| entry.key_span)
    };
    let target = graph.target(node);
    let mut report = |diagnostic: Diagnostic| diagnostics.push(diagnostic.on(target.clone()));
    if action.is_immediate() {
        for (name, given) in [("retry", node.retry.is_some()), ("timeout_ms", node.timeout_ms.is_some())] {
            if given {
                report(without_effect(name, node, key(name)));
            }
        }
    } else if let (Some(own), Some(whole)) = (node.timeout_ms, plan.limits.timeout_ms)
        && own > whole
    {
        let (own, whole) = (number_text(own), number_text(whole));
        let message = format!("one attempt may take {own} ms, but the whole run only {whole} ms");
        let mut diagnostic = Diagnostic::new(Code::NoEffect, message).at(key("timeout_ms"));
        diagnostic.severity = Severity::Hint;
        report(diagnostic.help("make it shorter than `limits.timeout_ms`, or leave it out"));
    }
    if node.retry.as_ref().is_some_and(|retry| !retry.on.is_empty()) {
        unknown_codes(plan, graph, position).into_iter().for_each(&mut report);
    }
    let own = match action {
        Action::Handler(_) => None,
        Action::Composite(composite) => Some(composite.kind.key()),
        _ => Some(""),
    };
    let others = |own: &'static str| NESTED_KEYS.iter().filter(move |name| **name != own);
    for (name, own) in own.into_iter().flat_map(|own| others(own).map(move |name| (*name, own))) {
        if node.nested.iter().any(|nested| nested.key == name) {
            report(unused_graph(name, own, node, key(name)));
        }
    }
    let cannot_fail = match action {
        Action::Pass => true,
        Action::Set => node.with.as_ref().is_none_or(|with| with.as_constant().is_some()),
        Action::Log => node.input.as_ref().is_none_or(|input| input.as_constant().is_some()),
        _ => false,
    };
    // A failed condition fails its node.
    let may_fail = |edge: &Edge| edge.condition.may_fail() && !is_failure_condition(&edge.condition);
    // A nested graph may see an enclosing failure.
    if cannot_fail && graph.scope.is_empty() && !graph.edges_from(position).any(may_fail) {
        for edge in graph.edges_from(position).filter(|edge| is_failure_condition(&edge.condition)) {
            let message = format!(
                "`{}` can't fail, so the edge to `{}` is never taken",
                shorten_name(&node.key),
                shorten_name(&edge.to.name)
            );
            diagnostics.push(
                Diagnostic::new(Code::DeadEdge, message)
                    .on(Target::Edge(graph.scope.clone(), edge.index))
                    .at(edge.condition_span)
                    .help("remove the edge, or let it leave the node that may fail"),
            );
        }
    }
}

fn without_effect(name: &str, node: &Node, span: Span) -> Diagnostic {
    let message = format!("`{name}` has no effect on `{}`, which makes no call", shorten_name(&node.kind));
    Diagnostic::new(Code::NoEffect, message).at(span).help(format!("remove `{name}`"))
}

/// Misspelt codes that `retry` waits for. Handlers and stubs have codes of their own.
#[inline(never)]
fn unknown_codes(plan: &PlanGraph, graph: &Graph, position: usize) -> Vec<Diagnostic> {
    let entry = plan.node_entry(graph, position).and_then(|entry| entry.value.get("retry"));
    let Some(on) = entry.and_then(|retry| retry.value.get("on")) else { return Vec::new() };
    let codes = on.value.as_list().unwrap_or_else(|| std::slice::from_ref(&on.value));
    let written = codes.iter().filter_map(|code| Some((code.as_text()?, code.span)));
    written.filter_map(|(code, span)| misspelt_code(code, span)).collect_vec()
}

fn misspelt_code(code: &str, span: Span) -> Option<Diagnostic> {
    let stage = |code: &'static str| code.split_once('/').map_or(code, |(stage, _)| stage);
    let meant = match code.strip_suffix("/*") {
        Some(name) if failure_codes().any(|known| stage(known) == name) => return None,
        Some(name) => format!("{}/*", closest_name(name, failure_codes().map(stage))?),
        None if failure_codes().any(|known| known == code) => return None,
        None => closest_name(code, failure_codes())?.to_owned(),
    };
    let message = format!("no failure is known whose code is `{}`", shorten_name(code));
    let diagnostic = Diagnostic::new(Code::NoEffect, message).at(span);
    let help = format!("did you mean `{meant}`?");
    let is_bare = span.end - span.start == code.len();
    Some(if is_bare { diagnostic.help(help).fix(span, meant) } else { diagnostic.help(help) })
}

fn unused_graph(name: &str, own: &str, node: &Node, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        Code::UnknownKey,
        format!("`{name}` is not a known key of `{}`", shorten_name(&node.kind)),
    )
    .at(span);
    match own {
        "" => diagnostic.help(format!("remove `{name}`, or use the type that runs it")),
        // Both keys hold one graph, so renaming is a fix.
        "graph" | "do" if name != "branches" && node.nested.len() == 1 => did_you_mean(diagnostic, own, name),
        own => diagnostic.help(format!("write what is to run under `{own}`")),
    }
}
