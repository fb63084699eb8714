//! The values of the request, and what becomes of them in a plan.
//!
//! Decides whether a node reads a value: through an input that it fills, or as text that stands in the plan.

use super::super::super::parameters::folded;
use super::super::super::words::speaks_of;
use crate::collect::List;
use crate::diagnostic::{Code, Diagnostic, brief};
use crate::expr::{Reference, Root};
use crate::graph::{Edge, PlanGraph};
use crate::node::author::validator::world::references;
use crate::value::{Segment, plain_text};
use serde_json::Value as Json;
use std::rc::Rc;

/// Reports the values of the request that no node reads.
pub(super) fn unread<'a>(plan: &'a PlanGraph, input: &'a Json) -> impl Iterator<Item = Diagnostic> + 'a {
    let part = |key: &str| input.get(key).and_then(Json::as_object);
    let (values, filled) = (part("discovered_params"), part("execution_params"));
    let read = Rc::new(read(plan));
    let reads = Rc::clone(&read);
    let is_read = move |name: &str, value: &str| {
        let is_it = |input: &str, schema: &Json| {
            let own = filled.and_then(|filled| filled.get(input));
            let given = own.or_else(|| schema.get("default"));
            // An input of that name takes the value, unless what it takes instead is its default.
            let takes = filled.is_none() || own.is_some() || schema.get("default").is_none();
            folded(input) == folded(name) && takes || given.is_some_and(|given| plain_text(given) == value)
        };
        let mut inputs = plan.inputs.iter();
        let by_input = inputs.any(|(input, schema)| is_it(&input.name, schema) && reads.has(&input.name));
        let document = input.get("generated_workflow");
        by_input
            || ["nodes", "edges"].iter().any(|key| document.is_some_and(|all| stands(all.get(*key), value)))
    };
    values.into_iter().flatten().filter_map(move |(name, value)| {
        let value = plain_text(value);
        if is_read(name, &value) {
            return None;
        }
        let (name, shown) = (brief(name), brief(&value));
        let declared = plan.inputs.iter().find(|(input, _)| folded(&input.name) == folded(&name));
        let (message, help) = match declared {
            Some((input, _)) if read.has(&input.name) => (
                format!(
                    "the input `{}` does not take `{shown}`, which the request gives, so its default counts",
                    brief(&input.name)
                ),
                "let its schema take the value as the request has it".to_owned(),
            ),
            _ => (
                format!("no node reads `{name}`, which the request gives as `{shown}`"),
                format!("let a node read `${{input.{name}}}`"),
            ),
        };
        Some(Diagnostic::new(Code::AuthorUnread, message).help(help))
    })
}

/// The inputs that a plan reads.
struct Read<'a> {
    names: Vec<&'a str>,
    all: bool,
}

impl Read<'_> {
    fn has(&self, name: &str) -> bool {
        self.all || self.names.contains(&name)
    }
}

fn read(plan: &PlanGraph) -> Read<'_> {
    let mut read = Read { names: Vec::new(), all: false };
    for graph in plan.graphs() {
        let texts = graph.nodes.iter().flat_map(|node| [&node.input, &node.with]).flatten();
        let mut found: Vec<&Reference> = texts.flat_map(|texts| references(texts)).map(|(one, _)| one).list();
        found.extend(graph.edges.iter().flat_map(Edge::atoms).map(|atom| &atom.reference));
        for reference in found.into_iter().filter(|reference| reference.root == Root::Input) {
            match reference.path.first() {
                Some(Segment::Key(name)) => read.names.push(name),
                // In a graph inside a node `input` is what that graph is given.
                _ => read.all = read.all || graph.scope.is_empty(),
            }
        }
    }
    read
}

/// Whether a value stands in a part of the plan that a run reads.
fn stands(part: Option<&Json>, value: &str) -> bool {
    match part {
        None | Some(Json::Null) => false,
        Some(Json::String(text)) => speaks_of(text, value),
        Some(Json::Array(items)) => items.iter().any(|item| stands(Some(item), value)),
        Some(Json::Object(map)) => {
            let read = map
                .iter()
                .filter(|(key, _)| !matches!(key.as_str(), "metadata" | "description" | "type" | "tool"));
            read.into_iter().any(|(_, item)| stands(Some(item), value))
        }
        Some(scalar) => plain_text(scalar) == value,
    }
}
