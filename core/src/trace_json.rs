//! Traces and reports as JSON. Tests compare it with the JavaScript package.

mod event_kind;

pub use event_kind::EventKind;

use crate::collect::CollectVec;
use crate::machine::{ComparedValue, Outcome, PartialScope, Program, Run, TraceEvent, Verdict};
use crate::value::{Path, Value, canonical_text};
use serde_json::{Map, Value as Json, json};

/// An event.
///
/// # Shape
/// `{type, atMs, node?, …, scope?}`, with times in milliseconds. Only events of nested graphs have a `scope`.
pub fn event_json<V: Value>(program: &Program<V>, event: &TraceEvent<V>) -> Json {
    let mut json = event_fields(program, event);
    let scope = event.scope().and_then(|scope| scope.path.as_deref());
    if let (Some(json), Some(scope)) = (json.as_object_mut(), scope) {
        json.insert("scope".to_owned(), scope.into());
    }
    json
}

fn event_fields<V: Value>(program: &Program<V>, event: &TraceEvent<V>) -> Json {
    let id = |node: u32| program.nodes.get(node as usize).map_or("", |node| node.id.as_str());
    let kind = EventKind::of(event).as_str();
    match event {
        TraceEvent::RunStarted { at_ms, input } => {
            json!({"type": kind, "atMs": at_ms, "input": to_json(input)})
        }
        TraceEvent::RunResumed { at_ms, .. } => json!({"type": kind, "atMs": at_ms}),
        TraceEvent::NodeStarted { at_ms, node, visit, input, .. } => json!({
            "type": kind, "atMs": at_ms, "node": id(*node), "visit": visit, "input": to_json(input),
        }),
        TraceEvent::NodeCompleted { at_ms, node, visit, output, duration_ms, .. } => json!({
            "type": kind, "atMs": at_ms, "node": id(*node), "visit": visit, "output": to_json(output),
            "durationMs": duration_ms,
        }),
        TraceEvent::NodeFailed { at_ms, node, visit, failure, duration_ms, .. } => json!({
            "type": kind, "atMs": at_ms, "node": id(*node), "visit": visit, "code": failure.code,
            "message": failure.message, "durationMs": duration_ms,
        }),
        TraceEvent::NodeRetried { at_ms, node, visit, attempt, failure, delay_ms, .. } => json!({
            "type": kind, "atMs": at_ms, "node": id(*node), "visit": visit, "attempt": attempt,
            "code": failure.code, "message": failure.message, "delayMs": delay_ms,
        }),
        TraceEvent::ScopeStarted { at_ms, node, input, .. } => {
            json!({"type": kind, "atMs": at_ms, "node": id(*node), "input": to_json(input)})
        }
        TraceEvent::ScopeEnded { at_ms, end, .. } => {
            json!({"type": kind, "atMs": at_ms, "status": end.as_str()})
        }
        TraceEvent::Logged { at_ms, node, value, .. } => {
            json!({"type": kind, "atMs": at_ms, "node": id(*node), "value": to_json(value)})
        }
        TraceEvent::Conversation { at_ms, node, event: said, call, data, .. } => {
            let mut json = json!({"type": said.as_str(), "atMs": at_ms, "node": id(*node), "call": call});
            if let (Some(json), Json::Object(told)) = (json.as_object_mut(), to_json(data)) {
                json.extend(told);
            }
            json
        }
        TraceEvent::EdgeDecided { at_ms, node, edge, reason, verdicts, .. } => {
            let edge = edge.and_then(|edge| program.edges.get(edge as usize));
            json!({
                "type": kind, "atMs": at_ms, "node": id(*node), "from": id(*node),
                "to": edge.map(|edge| id(edge.target)), "edge": edge.map(|edge| edge.index),
                "reason": reason.as_str(),
                "verdicts": verdicts.iter().map(|verdict| verdict_json(program, verdict)).collect_vec(),
            })
        }
        TraceEvent::RunEnded { at_ms, outcome } => {
            json!({"type": kind, "atMs": at_ms, "outcome": outcome_json(program, outcome)})
        }
    }
}

fn verdict_json<V: Value>(program: &Program<V>, verdict: &Verdict<V>) -> Json {
    let edge = program.edges.get(verdict.edge as usize);
    let mut json = json!({
        "edge": edge.map(|edge| edge.index), "condition": edge.map(|edge| edge.condition_text.as_str()), "holds": verdict.holds,
        "saw": verdict.saw.iter().map(|compared| compared_json(program, compared)).collect_vec(),
    });
    if let Some(json) = json.as_object_mut().filter(|_| verdict.failed) {
        json.insert("failed".to_owned(), true.into());
    }
    json
}

fn compared_json<V: Value>(program: &Program<V>, compared: &ComparedValue<V>) -> Json {
    let Some(atom) = program.atoms.get(compared.atom as usize) else { return Json::Null };
    let path = program.paths.get(atom.operand.path as usize);
    match compared.value.as_ref().zip(path).and_then(|(value, path)| value.json(path)) {
        Some(value) => json!({"reference": atom.reference, "value": value}),
        None => json!({"reference": atom.reference, "missing": true}),
    }
}

fn to_json<V: Value>(value: &V) -> Json {
    value.json(&Path::default()).unwrap_or(Json::Null)
}

/// JSON outcome.
pub fn outcome_json<V: Value>(program: &Program<V>, outcome: &Outcome) -> Json {
    match outcome {
        Outcome::Completed(reason) => json!({"type": "completed", "reason": reason.as_str()}),
        Outcome::Cancelled => json!({"type": "cancelled"}),
        Outcome::Failed { code, message, node } => {
            let mut map = Map::new();
            map.insert("type".to_owned(), "failed".into());
            map.insert("code".to_owned(), code.as_str().into());
            map.insert("message".to_owned(), message.as_str().into());
            if let Some((node, scope)) = node {
                let id = program.nodes.get(*node as usize).map_or("", |node| node.id.as_str());
                map.insert("node".to_owned(), id.into());
                if let Some(path) = &scope.path {
                    map.insert("scope".to_owned(), Json::from(&**path));
                }
            }
            Json::Object(map)
        }
    }
}

/// A run's final state, without trace, times and plan hash, which only drivers know.
pub fn state_json<V: Value>(run: &Run<V>) -> Json {
    let program = run.program();
    let outputs: Map<String, Json> =
        run.outputs().map(|(name, value)| (name.to_owned(), to_json(value))).collect();
    let path: Vec<&str> = run
        .path()
        .iter()
        .filter_map(|node| program.nodes.get(*node as usize))
        .map(|node| node.id.as_str())
        .collect_vec();
    let counts = run.counts();
    let mut state = json!({
        "outcome": run.outcome().map(|outcome| outcome_json(program, outcome)),
        "last": to_json(run.last()), "outputs": outputs, "path": path,
        "counts": {"steps": counts.steps, "calls": counts.calls, "retries": counts.retries, "tokens": counts.tokens},
    });
    if let (Some(usd), Some(counted)) = (counts.usd(), state.get_mut("counts").and_then(Json::as_object_mut))
    {
        counted.insert("usd".to_owned(), Json::from(usd));
    }
    if let (1.., Some(counted)) = (counts.unreported, state.get_mut("counts").and_then(Json::as_object_mut)) {
        // Infinity is null in JSON.
        let usd = counts.unreported_micro_usd / 1e6;
        counted.insert(
            "unreported".to_owned(),
            json!({"calls": counts.unreported, "tokens": counts.unreported_tokens, "usd": usd}),
        );
    }
    let partial = run.partial();
    if let (Some(state), false) = (state.as_object_mut(), partial.is_empty()) {
        let one = |part: &PartialScope<'_, V>| {
            let outputs: Map<String, Json> =
                part.outputs.iter().map(|(name, value)| ((*name).to_owned(), to_json(*value))).collect();
            let json = json!({"completed": part.completed, "last": to_json(part.last), "outputs": outputs});
            (part.scope.clone(), json)
        };
        state.insert("partial".to_owned(), Json::Object(partial.iter().map(one).collect()));
    }
    state
}

/// One event a line, with sorted keys and no times, so that equal runs have equal texts.
pub fn canonical(events: &[Json]) -> String {
    let mut out = String::new();
    for event in events {
        let mut event = event.clone();
        if let Some(map) = event.as_object_mut() {
            map.retain(|key, _| key != "atMs" && key != "durationMs");
        }
        out.push_str(&canonical_text(&event));
        out.push('\n');
    }
    out
}
