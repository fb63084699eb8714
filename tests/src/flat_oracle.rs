//! A second, plain implementation of the explicit planner that the engine is compared with.
//!
//! It shares no code with the engine and ignores speed.

pub mod condition;

pub use condition::{ConditionScope, Literal, Operator, Term, ValuePath};

use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// A node's behaviour.
#[derive(Debug, Clone)]
pub enum NodeBehaviour {
    /// Handler that returns this value.
    Give(Json),
    /// Handler that fails.
    Fail,
    /// `noop`
    Pass,
    /// `log` with this input.
    Log(Json),
}

/// The outcome of a run that compares a message of the engine.
pub const UNKNOWN: &str = "unknown";

/// Source, target, condition. `None` is a fallback.
pub type Edge = (usize, usize, Option<Term>);

/// A plan. Node `i` has the id `n{i}`.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Behaviours. The first node is the start.
    pub nodes: Vec<NodeBehaviour>,
    /// Edges, in order.
    pub edges: Vec<Edge>,
    /// Maximum visits per node.
    pub visits: usize,
    /// Maximum steps.
    pub steps: Option<usize>,
    /// Maximum calls.
    pub calls: Option<usize>,
}

/// A run's result.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// Nodes that ran.
    pub path: Vec<String>,
    /// `terminal`, `no-match`, or the failure's code.
    pub outcome: String,
    /// Last output.
    pub last: Json,
    /// All outputs.
    pub outputs: BTreeMap<String, Json>,
}

impl Plan {
    /// Returns whether a run can neither leave nor end in some reachable set of nodes.
    pub fn is_endless(&self) -> bool {
        let count = self.nodes.len();
        let mut reached = vec![0];
        while let Some((_, new, _)) =
            self.edges.iter().find(|(from, to, _)| reached.contains(from) && !reached.contains(to))
        {
            reached.push(*new);
        }
        (1_usize..1 << count).any(|set| {
            let is_in = |node: usize| set & (1 << node) != 0;
            (0..count).filter(|node| is_in(*node)).all(|node| {
                let leaving = || self.edges.iter().filter(move |(from, ..)| *from == node);
                // Runs take only a node's first fallback.
                let mut fallbacks = 0;
                let stays = leaving().all(|(_, to, condition)| {
                    fallbacks += usize::from(condition.is_none());
                    is_in(*to) || (condition.is_none() && fallbacks > 1)
                });
                // If there is no fallback, the run may end because no condition holds.
                stays && leaving().any(|(.., condition)| condition.is_none()) && reached.contains(&node)
            })
        })
    }

    /// Returns the plan file and its stubs.
    pub fn write(&self) -> (Json, Json) {
        let (mut nodes, mut stubs) = (Map::new(), Map::new());
        for (i, act) in self.nodes.iter().enumerate() {
            let name = format!("n{i}");
            let node = match act {
                NodeBehaviour::Pass => json!({"type": "noop"}),
                NodeBehaviour::Log(input) => json!({"type": "log", "input": input}),
                NodeBehaviour::Give(value) => {
                    stubs.insert(name.clone(), json!({"return": value}));
                    json!({"type": name})
                }
                NodeBehaviour::Fail => {
                    stubs.insert(name.clone(), json!({"fail": "no"}));
                    json!({"type": name})
                }
            };
            nodes.insert(name, node);
        }
        let edge = |(from, to, condition): &Edge| {
            let text = condition.as_ref().map_or("default".to_owned(), Term::write);
            json!({"from": format!("n{from}"), "to": format!("n{to}"), "condition": text})
        };
        let edges: Vec<Json> = self.edges.iter().map(edge).collect();
        let limits = json!({"visits": self.visits, "steps": self.steps, "calls": self.calls});
        (json!({"start": "n0", "limits": limits, "nodes": nodes, "edges": edges}), json!({"types": stubs}))
    }

    /// Runs the plan.
    pub fn run(&self, input: Json) -> RunResult {
        let mut world = ConditionScope { last: input.clone(), input, ..ConditionScope::default() };
        let (mut path, mut calls, mut at) = (Vec::new(), 0, 0);
        let outcome = loop {
            let name = format!("n{at}");
            if path.iter().filter(|visited| **visited == name).count() >= self.visits {
                break "run/visit-limit";
            }
            if self.steps.is_some_and(|steps| path.len() >= steps) {
                break "run/step-limit";
            }
            path.push(name.clone());
            let asks = matches!(self.nodes[at], NodeBehaviour::Give(_) | NodeBehaviour::Fail);
            if asks && self.calls.is_some_and(|limit| calls >= limit) {
                break "run/call-limit";
            }
            calls += usize::from(asks);
            let edges: Vec<&Edge> = self.edges.iter().filter(|(from, ..)| *from == at).collect();
            match &self.nodes[at] {
                NodeBehaviour::Fail => {
                    world.error = Some(json!({"code": "handler/failed", "message": "no", "node": name}));
                    let rescue = edges.iter().find(|(.., condition)| {
                        let handles =
                            |term: &Term| term.references_error() && world.holds(term) != Some(false);
                        condition.as_ref().is_some_and(handles)
                    });
                    // A condition that fails in turn handles nothing.
                    let holds =
                        |(.., term): &&&Edge| term.as_ref().and_then(|term| world.holds(term)).is_some();
                    match rescue.filter(holds) {
                        Some((_, to, _)) => at = *to,
                        None => break "handler/failed",
                    }
                    continue;
                }
                NodeBehaviour::Give(value) | NodeBehaviour::Log(value) => world.last = value.clone(),
                NodeBehaviour::Pass => {}
            }
            world.error = None;
            world.outputs.insert(name, world.last.clone());
            // The first that holds, or fails.
            let decides = edges.iter().find_map(|(_, to, term)| match world.holds(term.as_ref()?) {
                Some(true) => Some(Some(*to)),
                Some(false) => None,
                None => Some(None),
            });
            let fallback = edges.iter().find(|(.., term)| term.is_none());
            match (decides, fallback) {
                (Some(Some(to)), _) => at = to,
                (Some(None), _) => {
                    world.error =
                        Some(json!({"code": "expression/type", "message": null, "node": format!("n{at}")}));
                    let terms = edges.iter().filter_map(|(.., term)| term.as_ref());
                    if terms.clone().any(Term::reads_error_message) {
                        break UNKNOWN;
                    }
                    let handles = |term: &Term| term.references_error() && world.holds(term) != Some(false);
                    let found = edges.iter().find(|(.., term)| term.as_ref().is_some_and(handles));
                    match found
                        .filter(|(.., term)| term.as_ref().and_then(|term| world.holds(term)).is_some())
                    {
                        Some((_, to, _)) => at = *to,
                        None => break "expression/type",
                    }
                }
                (None, Some((_, to, _))) => at = *to,
                (None, None) if edges.is_empty() => break "terminal",
                (None, None) => break "no-match",
            }
        };
        RunResult { path, outcome: outcome.to_owned(), last: world.last, outputs: world.outputs }
    }
}
