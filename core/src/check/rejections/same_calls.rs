//! Nodes of a graph that make the same call: the same tool with the same input.

use super::Place;
use crate::graph::{Graph, PlanGraph, TemplateValue};
use std::collections::HashMap;

/// Compared nodes of a tool. More are different calls.
const MAX_COMPARED: usize = 16;

/// Positions by scope and tool.
pub(super) struct SameCalls<'a>(HashMap<(&'a str, &'a str), Vec<usize>>);

impl<'a> SameCalls<'a> {
    pub(super) fn new(plan: &'a PlanGraph) -> Self {
        let mut calls: HashMap<_, Vec<usize>> = HashMap::new();
        for graph in plan.graphs() {
            for (at, node) in graph.nodes.iter().enumerate() {
                if let (Some(tool), Some(_)) = (&node.tool, &node.input) {
                    let found = calls.entry((graph.scope.as_str(), tool.name.as_str())).or_default();
                    if found.len() < MAX_COMPARED {
                        found.push(at);
                    }
                }
            }
        }
        Self(calls)
    }

    /// The first node that makes the call of this one.
    pub(super) fn first(&self, (graph, at): Place<'a>) -> usize {
        self.all(graph, at).next().unwrap_or(at)
    }

    /// Another node that makes it.
    pub(super) fn other(&self, graph: &Graph, at: usize) -> Option<usize> {
        self.all(graph, at).find(|other| *other != at)
    }

    fn all<'s>(&'s self, graph: &'s Graph, at: usize) -> impl Iterator<Item = usize> + 's {
        let node = graph.nodes.get(at);
        let tool = node.and_then(|node| node.tool.as_ref()).map(|tool| tool.name.as_str());
        let calls = tool.and_then(|tool| self.0.get(&(graph.scope.as_str(), tool)));
        let input = node.and_then(|node| node.input.as_ref());
        calls.into_iter().flatten().copied().filter(move |other| {
            let other = graph.nodes.get(*other).and_then(|other| other.input.as_ref());
            input.zip(other).is_some_and(|(one, other)| is_same(one, other))
        })
    }
}

/// Wherever they are written.
fn is_same(one: &TemplateValue, other: &TemplateValue) -> bool {
    match (one, other) {
        (TemplateValue::Constant(one), TemplateValue::Constant(other)) => one == other,
        (TemplateValue::Template(one, _), TemplateValue::Template(other, _)) => {
            one.to_string() == other.to_string()
        }
        (TemplateValue::List(one), TemplateValue::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (TemplateValue::Map(one), TemplateValue::Map(other)) => {
            let has = |(key, value): &(String, TemplateValue)| {
                other.iter().any(|(other, found)| key == other && is_same(value, found))
            };
            one.len() == other.len() && one.iter().all(has)
        }
        _ => false,
    }
}
