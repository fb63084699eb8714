//! Warns of a retry that may repeat what a tool has done already or waits less than it says, and of a wait that the run
//! does not survive.
//!
//! A repetition is only reported if the tool's server declares that it has a further effect, and no argument tells the
//! tool that it is one.

use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, shorten_name};
use crate::expression::duration_ms;
use crate::graph::{Graph, Node, PlanGraph, Retry, TemplateValue};
use crate::kind::settings::MS;
use crate::node::Action;
use crate::tool::Effect;
use crate::value::number_text;
use serde_json::Value as Json;

/// After these, the call may have done its work.
const UNCLEAR: [&str; 3] = ["tool/timeout", "tool/unreachable", "node/timeout"];

pub(super) fn check(
    plan: &PlanGraph,
    graph: &Graph,
    position: usize,
    (action, capabilities): (&Action, &Capabilities),
    diagnostics: &mut DiagnosticCollector,
) {
    let found = match (action, plan.limits.timeout_ms) {
        (Action::Tool(tool), _) => repeated_call(plan, graph, position, (tool, capabilities)),
        (Action::Wait, Some(whole)) => endless_wait(plan, graph, position, whole),
        _ => None,
    };
    // Those that call nothing have no retry at all.
    let backoff = if action.is_immediate() { None } else { useless_backoff(plan, graph, position) };
    for diagnostic in found.into_iter().chain(backoff) {
        diagnostics.push(diagnostic);
    }
}

/// The run's time is over before.
fn endless_wait(plan: &PlanGraph, graph: &Graph, position: usize, whole: f64) -> Option<Diagnostic> {
    let node = graph.nodes.get(position)?;
    let ms = match node.with.as_ref()?.get(MS)?.as_constant()? {
        Json::String(text) => duration_ms(text)?,
        other => other.as_f64()?,
    };
    if ms <= whole {
        return None;
    }
    let entry = plan.node_entry(graph, position).and_then(|entry| entry.value.get("with"));
    let span = entry.and_then(|with| with.value.get(MS)).map_or(node.key_span, |entry| entry.value.span);
    let (ms, whole) = (number_text(ms), number_text(whole));
    let message =
        format!("`{}` waits {ms} ms, but the whole run may take only {whole} ms", shorten_name(&node.key));
    let diagnostic = Diagnostic::new(Code::NoEffect, message).on(graph.target(node)).at(span);
    Some(diagnostic.help("wait shorter than `limits.timeout_ms`"))
}

/// Of a retry that never happens, or waits less than it says. The limit may be the default.
fn useless_backoff(plan: &PlanGraph, graph: &Graph, position: usize) -> Option<Diagnostic> {
    let node = graph.nodes.get(position)?;
    let Retry { attempts, backoff_ms, max_ms, .. } = node.retry.as_ref()?;
    let entry = plan.node_entry(graph, position).and_then(|entry| entry.value.get("retry"));
    let names = |key: &str| entry.is_some_and(|retry| retry.value.get(key).is_some());
    if *attempts < 2 && ["backoff_ms", "factor", "max_ms", "on"].iter().any(|key| names(key)) {
        let span = entry
            .and_then(|retry| retry.value.get("attempts"))
            .map_or(node.key_span, |entry| entry.value.span);
        let message = "nothing is retried: `attempts` counts the first try too";
        let diagnostic = Diagnostic::new(Code::NoEffect, message).on(graph.target(node)).at(span);
        return Some(diagnostic.help("write `attempts: 2` or more, or remove `retry`"));
    }
    let pause = backoff_ms.min(*max_ms);
    let whole = plan.limits.timeout_ms.filter(|whole| *attempts > 1 && pause >= *whole);
    if let Some(whole) = whole {
        let span = entry.map_or(node.key_span, |retry| retry.key_span);
        let (pause, whole) = (number_text(pause), number_text(whole));
        let message = format!("a retry waits {pause} ms, but the whole run may take only {whole} ms");
        let diagnostic = Diagnostic::new(Code::NoEffect, message).on(graph.target(node)).at(span);
        return Some(diagnostic.help("write a `backoff_ms` that is shorter than `limits.timeout_ms`"));
    }
    if *attempts < 2 || backoff_ms <= max_ms {
        return None;
    }
    let span =
        entry.and_then(|retry| retry.value.get("backoff_ms")).map_or(node.key_span, |entry| entry.value.span);
    let (backoff, max) = (number_text(*backoff_ms), number_text(*max_ms));
    let message =
        format!("the retries wait {max} ms and not {} ms, because `max_ms` is {max}", shorten_name(&backoff));
    let diagnostic = Diagnostic::new(Code::NoEffect, message).on(graph.target(node)).at(span);
    Some(diagnostic.help("raise `max_ms`, or write a shorter `backoff_ms`"))
}

fn repeated_call(
    plan: &PlanGraph,
    graph: &Graph,
    position: usize,
    (tool, capabilities): (&str, &Capabilities),
) -> Option<Diagnostic> {
    let node = graph.nodes.get(position)?;
    let retry = node.retry.as_ref().filter(|retry| retry.attempts > 1)?;
    let covers = |pattern: &String| {
        let stage = pattern.strip_suffix('*');
        UNCLEAR.iter().any(|code| *code == pattern || stage.is_some_and(|stage| code.starts_with(stage)))
    };
    let is_unclear = retry.on.is_empty() || retry.on.iter().any(covers);
    let info = capabilities.tools.as_ref().and_then(|tools| tools.get(tool));
    let acts_again = info.is_some_and(|info| info.effect() != Effect::Reads && info.repeats_its_effect());
    if !is_unclear || !acts_again || has_idempotency_key(node) {
        return None;
    }
    let entry = plan.node_entry(graph, position).and_then(|entry| entry.value.get("retry"));
    let message =
        format!("`{}` may act twice: a call that timed out may have done its work", shorten_name(tool));
    Some(
        Diagnostic::new(Code::RepeatedCall, message)
            .on(graph.target(node))
            .at(entry.map_or(node.key_span, |entry| entry.key_span))
            .help("list other codes in `retry.on`, or pass an idempotency key"),
    )
}

/// Or may have one.
fn has_idempotency_key(node: &Node) -> bool {
    let is_key = |name: &str| {
        let name = name.to_ascii_lowercase();
        name == "key"
            || ["idempot", "request_id", "requestid", "dedup"].iter().any(|part| name.contains(part))
    };
    match &node.input {
        Some(TemplateValue::Constant(Json::Object(map))) => map.keys().any(|name| is_key(name)),
        Some(TemplateValue::Map(entries)) => entries.iter().any(|(name, _)| is_key(name)),
        // It may be a part of the whole input.
        _ => true,
    }
}
