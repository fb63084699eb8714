//! Decides where the run's limits end its log.

use super::plan::{Graph, Limits};
use super::run::{NodeFailure, within};
use super::trace::{Log, Moment, OracleEvent, Order, open};
use serde_json::Value as Json;
use std::collections::BTreeMap;

pub(super) fn replay(graph: &Graph, input: &Json, log: &Log) -> (BTreeMap<String, Json>, Json) {
    let mut outputs = BTreeMap::new();
    let mut last = input.clone();
    for (_, happening) in log {
        if let OracleEvent::Completed { scope, node, output } = happening
            && scope.is_empty()
            && graph.nodes.iter().any(|known| known.id == *node)
        {
            outputs.insert(node.clone(), output.clone());
            last = output.clone();
        }
    }
    (outputs, last)
}

pub(super) fn apply_limits(log: &mut Log, limits: Limits, order: &Order) -> Option<NodeFailure> {
    let timeout = limits.timeout.then(|| order.get("timeout:")).flatten().map(|step| Moment::of(*step));
    let (mut steps, mut calls, mut bytes) = (0, 0, 0);
    let at = |code: &str, place: &str| {
        let (scope, node) = place.rsplit_once('/').unwrap_or(("", place));
        NodeFailure { code: code.to_owned(), node: node.to_owned(), scope: scope.to_owned(), again: false }
    };
    let mut top = String::new();
    let mut found = None;
    for (position, (moment, happening)) in log.iter().enumerate() {
        if let Some(timeout) = timeout.as_ref().filter(|timeout| moment > *timeout) {
            found = Some((position, timeout.clone(), at("run/timeout", &top), false));
            break;
        }
        match happening {
            OracleEvent::Entered { scope, node, .. } => {
                steps += 1;
                if limits.steps.is_some_and(|most| steps > most) {
                    found =
                        Some((position, moment.clone(), at("run/step-limit", &within(scope, node)), false));
                    break;
                }
                if scope.is_empty() {
                    top.clone_from(node);
                }
            }
            OracleEvent::Called { name, .. } => {
                calls += 1;
                if limits.calls.is_some_and(|most| calls > most) {
                    found = Some((position, moment.clone(), at("run/call-limit", node_of(name)), true));
                    break;
                }
            }
            OracleEvent::Answered { name, bytes: more } => {
                bytes += more;
                if *more > 0 && limits.output_bytes.is_some_and(|most| bytes > most) {
                    // The answer stays, because its node has completed.
                    found =
                        Some((position + 2, moment.clone(), at("run/output-limit", node_of(name)), false));
                    break;
                }
            }
            _ => {}
        }
    }
    let (position, now, fault, told) = match found {
        Some(found) => found,
        // The run waits for an answer that never comes.
        None => (log.len(), timeout?, at("run/timeout", &top), false),
    };
    log.truncate(position);
    if told {
        let (scope, node, code) = (fault.scope.clone(), fault.node.clone(), fault.code.clone());
        log.push((now.clone(), OracleEvent::Failed { scope, node, code }));
    }
    let given_up = open(log);
    log.extend(given_up.into_iter().map(|happening| (now.clone(), happening)));
    Some(fault)
}

fn node_of(name: &str) -> &str {
    let tried = name.rsplit_once(':').map_or(name, |(rest, _)| rest);
    tried.rsplit_once(':').map_or(tried, |(rest, _)| rest)
}
