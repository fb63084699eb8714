//! Checks that a plan uses the request's values, through inputs or as literals.

use super::super::super::parameters::normalize_name;
use super::super::super::text::contains_name;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, shorten_name};
use crate::expression::{Reference, Root};
use crate::graph::{Edge, PlanGraph};
use crate::node::author::validator::closed_world::references;
use crate::value::{Segment, plain_text};
use serde_json::Value as Json;
use std::rc::Rc;

pub(super) fn unread_values<'a>(
    plan: &'a PlanGraph,
    input: &'a Json,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let part = |key: &str| input.get(key).and_then(Json::as_object);
    let (values, filled) = (part("discovered_params"), part("execution_params"));
    let read = Rc::new(input_reads(plan));
    let reads = Rc::clone(&read);
    let is_read = move |name: &str, value: &str| {
        let is_it = |input: &str, schema: &Json| {
            let own = filled.and_then(|filled| filled.get(input));
            let given = own.or_else(|| schema.get("default"));
            // Its default may replace the value.
            let takes = filled.is_none() || own.is_some() || schema.get("default").is_none();
            normalize_name(input) == normalize_name(name) && takes
                || given.is_some_and(|given| plain_text(given) == value)
        };
        let mut inputs = plan.inputs.iter();
        let by_input = inputs.any(|(input, schema)| is_it(&input.name, schema) && reads.has(&input.name));
        let document = input.get("generated_workflow");
        by_input
            || ["nodes", "edges"]
                .iter()
                .any(|key| document.is_some_and(|all| is_used_in(all.get(*key), value)))
    };
    values.into_iter().flatten().filter_map(move |(name, value)| {
        let value = plain_text(value);
        if is_read(name, &value) {
            return None;
        }
        let (name, shown) = (shorten_name(name), shorten_name(&value));
        let declared =
            plan.inputs.iter().find(|(input, _)| normalize_name(&input.name) == normalize_name(&name));
        let (message, help) = match declared {
            Some((input, _)) if read.has(&input.name) => (
                format!(
                    "the input `{}` does not accept `{shown}` of the request, so its default is used",
                    shorten_name(&input.name)
                ),
                "let its schema accept the value as the request has it".to_owned(),
            ),
            _ => (
                format!("no node reads `{name}`, which is `{shown}` in the request"),
                format!("let a node read `${{input.{name}}}`"),
            ),
        };
        Some(Diagnostic::new(Code::AuthorUnread, message).help(help))
    })
}

struct InputReads<'a> {
    names: Vec<&'a str>,
    all: bool,
}

impl InputReads<'_> {
    fn has(&self, name: &str) -> bool {
        self.all || self.names.contains(&name)
    }
}

fn input_reads(plan: &PlanGraph) -> InputReads<'_> {
    let mut read = InputReads { names: Vec::new(), all: false };
    for graph in plan.graphs() {
        let texts = graph.nodes.iter().flat_map(|node| [&node.input, &node.with]).flatten();
        let mut found: Vec<&Reference> =
            texts.flat_map(|template| references(template)).map(|(one, _)| one).collect_vec();
        found.extend(graph.edges.iter().flat_map(Edge::atoms).map(|atom| &atom.reference));
        for reference in found.into_iter().filter(|reference| reference.root == Root::Input) {
            match reference.path.first() {
                Some(Segment::Key(name)) => read.names.push(name),
                // A nested `input` is its graph's.
                _ => read.all = read.all || graph.scope.is_empty(),
            }
        }
    }
    read
}

/// Whether a run reads the value there.
fn is_used_in(part: Option<&Json>, value: &str) -> bool {
    match part {
        None | Some(Json::Null) => false,
        Some(Json::String(text)) => contains_name(text, value),
        Some(Json::Array(items)) => items.iter().any(|item| is_used_in(Some(item), value)),
        Some(Json::Object(map)) => {
            let read = map
                .iter()
                .filter(|(key, _)| !matches!(key.as_str(), "metadata" | "description" | "type" | "tool"));
            read.into_iter().any(|(_, item)| is_used_in(Some(item), value))
        }
        Some(scalar) => plain_text(scalar) == value,
    }
}
