//! Nodes that run graphs: each graph to its end as if it were alone, then the join, then what it gave up is cut away.

use super::plan::{Fan, Join, Node, Shape};
use super::run::{End, Fault, Scope, World, within};
use super::trace::{Happening, Log, Moment, cut};
use serde_json::{Map, Value as Json, json};

impl Scope<'_> {
    /// One try of a node that runs graphs.
    #[expect(clippy::too_many_arguments, reason = "all of them are at hand, and none belongs to another")]
    pub(super) fn fan(
        &self,
        world: &World<'_>,
        node: &Node,
        fan: &Fan,
        (visit, attempt): (usize, usize),
        input: &Json,
        now: Moment,
        log: &mut Log,
    ) -> End<Json> {
        let again = if attempt > 1 { format!(":{attempt}") } else { String::new() };
        let path = within(&self.path, &format!("{}:{visit}{again}", node.id));
        let mut scopes: Vec<Scope<'_>> = Vec::new();
        match (fan.shape, input) {
            (Shape::Map, Json::Array(items)) => {
                for (place, item) in items.iter().enumerate() {
                    let (path, graph) = (format!("{path}/{place}"), &fan.graphs[0].1);
                    let mut scope = Scope::new(graph, Some(self), path, item.clone());
                    (scope.item, scope.index) = (Some(item.clone()), Some(place));
                    scopes.push(scope);
                }
            }
            (Shape::Map, _) => {
                return End { at: now, result: Err(self.fault(node, "map/not-a-list", false)) };
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
            return End { at: now, result };
        }
        let ends = self.ends(world, node, fan, &mut scopes, &now, log);
        self.join(node, fan, scopes.len(), ends, now, log)
    }

    /// Runs each graph as if nobody gave up, but none that had no room before the join was decided.
    fn ends(
        &self,
        world: &World<'_>,
        node: &Node,
        fan: &Fan,
        scopes: &mut [Scope<'_>],
        now: &Moment,
        log: &mut Log,
    ) -> Vec<End<Json>> {
        let usual = if fan.shape == Shape::Map { 8 } else { usize::MAX };
        let most = fan.concurrency.unwrap_or(usual);
        let mut ends: Vec<End<Json>> = Vec::new();
        let mut running: Vec<usize> = Vec::new();
        for (place, scope) in scopes.iter_mut().enumerate() {
            let (began, turn) = if place < most {
                (now.clone(), now.then(place))
            } else {
                // It takes the place of the one that ends first.
                running.sort_by(|a, b| ends[*a].at.cmp(&ends[*b].at));
                let first = running.remove(0);
                if ends[first].at.is_never() || decides(fan.join, &ends[first].result) {
                    break;
                }
                (ends[first].at.clone(), ends[first].at.then(0))
            };
            let (path, around, id) = (scope.path.clone(), self.path.clone(), node.id.clone());
            log.push((began, Happening::Began { scope: path.clone(), around, node: id }));
            let end = scope.walk(world, turn, log);
            let how = if end.result.is_ok() { "completed" } else { "failed" };
            if !end.at.is_never() {
                log.push((end.at.clone(), Happening::Ended { scope: path, how: how.to_owned() }));
            }
            let result = end.result.map(|_| scope.last.clone());
            ends.push(End { at: end.at, result });
            running.push(place);
        }
        ends
    }

    /// What the ends of the graphs make of their node.
    fn join(
        &self,
        node: &Node,
        fan: &Fan,
        count: usize,
        ends: Vec<End<Json>>,
        now: Moment,
        log: &mut Log,
    ) -> End<Json> {
        let came = |end: &&End<Json>| !end.at.is_never();
        let deciding = ends.iter().filter(came).filter(|end| decides(fan.join, &end.result));
        if let Some(deciding) = deciding.min_by(|a, b| a.at.cmp(&b.at)) {
            cut(log, &deciding.at);
            // Whatever failed inside, the node as a whole can be tried again.
            let result = deciding.result.clone().map_err(|fault| Fault { again: true, ..fault });
            return End { at: deciding.at.clone(), result };
        }
        if ends.len() < count || !ends.iter().all(|end| came(&end)) {
            return End { at: Moment::never(), result: Ok(Json::Null) };
        }
        let last = ends.iter().map(|end| &end.at).max().cloned().unwrap_or(now);
        if fan.join == Join::Any {
            return End { at: last, result: Err(self.fault(node, "join/none-completed", true)) };
        }
        let values = ends.into_iter().map(|end| value(fan.join, end.result));
        let result = match fan.shape {
            Shape::Graph => values.collect::<Vec<Json>>().pop().unwrap_or_default(),
            Shape::Map => Json::Array(values.collect()),
            Shape::Parallel => {
                let names = fan.graphs.iter().map(|(name, _)| name.clone());
                Json::Object(names.zip(values).collect::<Map<_, _>>())
            }
        };
        End { at: last, result: Ok(result) }
    }
}

/// Whether one end of a graph decides the join alone.
fn decides(join: Join, result: &Result<Json, Fault>) -> bool {
    match join {
        Join::All => result.is_err(),
        Join::Any => result.is_ok(),
        Join::Settled => false,
    }
}

fn value(join: Join, result: Result<Json, Fault>) -> Json {
    match (result, join) {
        (Ok(value), Join::Settled) => json!({"status": "completed", "value": value}),
        (Ok(value), _) => value,
        (Err(fault), _) => json!({"status": "failed", "error": fault.json()}),
    }
}
