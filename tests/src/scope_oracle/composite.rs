//! Runs composite nodes: each graph as if alone, then the join, then the cut of abandoned work.

use super::plan::{Composite, CompositeKind, Join, Node};
use super::run::{Completion, NodeFailure, RunContext, Scope, within};
use super::trace::{Log, Moment, OracleEvent, cut};
use serde_json::{Map, Value as Json, json};

#[derive(Clone, Copy)]
pub(super) struct CompositeNode<'n> {
    pub(super) world: &'n RunContext<'n>,
    pub(super) node: &'n Node,
    pub(super) fan: &'n Composite,
}

impl Scope<'_> {
    pub(super) fn run_composite(
        &self,
        composite: CompositeNode<'_>,
        (visit, attempt): (usize, usize),
        input: &Json,
        now: Moment,
        log: &mut Log,
    ) -> Completion<Json> {
        let CompositeNode { node, fan, .. } = composite;
        let again = if attempt > 1 { format!(":{attempt}") } else { String::new() };
        let path = within(&self.path, &format!("{}:{visit}{again}", node.id));
        let mut scopes: Vec<Scope<'_>> = Vec::new();
        match (fan.shape, input) {
            (CompositeKind::Map, Json::Array(items)) => {
                for (place, item) in items.iter().enumerate() {
                    let (path, graph) = (format!("{path}/{place}"), &fan.graphs[0].1);
                    let mut scope = Scope::new(graph, Some(self), path, item.clone());
                    (scope.item, scope.index) = (Some(item.clone()), Some(place));
                    scopes.push(scope);
                }
            }
            (CompositeKind::Map, _) => {
                return Completion { at: now, result: Err(self.fault(node, "map/not-a-list", false)) };
            }
            _ => {
                for (name, graph) in &fan.graphs {
                    let path = if name.is_empty() { path.clone() } else { format!("{path}/{name}") };
                    scopes.push(Scope::new(graph, Some(self), path, input.clone()));
                }
            }
        }
        if scopes.is_empty() {
            let nothing = self.fault(node, "join/none-completed", false);
            let result = if fan.join == Join::Any { Err(nothing) } else { Ok(json!([])) };
            return Completion { at: now, result };
        }
        let ends = self.run_graphs(composite, &mut scopes, &now, log);
        self.join_results(composite, scopes.len(), ends, now, log)
    }

    /// A graph that gets no slot before the join is decided does not run.
    fn run_graphs(
        &self,
        CompositeNode { world, node, fan }: CompositeNode<'_>,
        scopes: &mut [Scope<'_>],
        now: &Moment,
        log: &mut Log,
    ) -> Vec<Completion<Json>> {
        let usual = if fan.shape == CompositeKind::Map { 8 } else { usize::MAX };
        let most = fan.concurrency.unwrap_or(usual);
        let mut ends: Vec<Completion<Json>> = Vec::new();
        let mut running: Vec<usize> = Vec::new();
        for (place, scope) in scopes.iter_mut().enumerate() {
            let (began, turn) = if place < most {
                (now.clone(), now.then(place))
            } else {
                // It takes the slot that is free first.
                running.sort_by(|a, b| ends[*a].at.cmp(&ends[*b].at));
                let first = running.remove(0);
                if ends[first].at.is_never() || decides(fan.join, &ends[first].result) {
                    break;
                }
                (ends[first].at.clone(), ends[first].at.then(0))
            };
            let (path, around, id) = (scope.path.clone(), self.path.clone(), node.id.clone());
            log.push((began, OracleEvent::ScopeStarted { scope: path.clone(), around, node: id }));
            let end = scope.walk(world, turn, log);
            let how = if end.result.is_ok() { "completed" } else { "failed" };
            if !end.at.is_never() {
                log.push((end.at.clone(), OracleEvent::ScopeEnded { scope: path, how: how.to_owned() }));
            }
            let result = end.result.map(|_| scope.last.clone());
            ends.push(Completion { at: end.at, result });
            running.push(place);
        }
        ends
    }

    fn join_results(
        &self,
        CompositeNode { node, fan, .. }: CompositeNode<'_>,
        count: usize,
        ends: Vec<Completion<Json>>,
        now: Moment,
        log: &mut Log,
    ) -> Completion<Json> {
        let came = |end: &&Completion<Json>| !end.at.is_never();
        let deciding = ends.iter().filter(came).filter(|end| decides(fan.join, &end.result));
        if let Some(deciding) = deciding.min_by(|a, b| a.at.cmp(&b.at)) {
            cut(log, &deciding.at);
            // The whole node can be retried even if the inner failure can't.
            let result = deciding.result.clone().map_err(|fault| NodeFailure { again: true, ..fault });
            return Completion { at: deciding.at.clone(), result };
        }
        if ends.len() < count || !ends.iter().all(|end| came(&end)) {
            return Completion { at: Moment::never(), result: Ok(Json::Null) };
        }
        let last = ends.iter().map(|end| &end.at).max().cloned().unwrap_or(now);
        if fan.join == Join::Any {
            return Completion { at: last, result: Err(self.fault(node, "join/none-completed", true)) };
        }
        let values = ends.into_iter().map(|end| value(fan.join, end.result));
        let result = match fan.shape {
            CompositeKind::Graph => values.collect::<Vec<Json>>().pop().unwrap_or_default(),
            CompositeKind::Map => Json::Array(values.collect()),
            CompositeKind::Parallel => {
                let names = fan.graphs.iter().map(|(name, _)| name.clone());
                Json::Object(names.zip(values).collect::<Map<_, _>>())
            }
        };
        Completion { at: last, result: Ok(result) }
    }
}

fn decides(join: Join, result: &Result<Json, NodeFailure>) -> bool {
    match join {
        Join::All => result.is_err(),
        Join::Any => result.is_ok(),
        Join::Settled => false,
    }
}

fn value(join: Join, result: Result<Json, NodeFailure>) -> Json {
    match (result, join) {
        (Ok(value), Join::Settled) => json!({"status": "completed", "value": value}),
        (Ok(value), _) => value,
        (Err(fault), _) => json!({"status": "failed", "error": fault.json()}),
    }
}
