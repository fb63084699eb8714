//! References for a field, outputs on every path first. Schemas and the last run determine their parts.
//!
//! Invariants: 1. a run can have each value here. 2. at most [`MAX_OPTIONS`]. 3. linear time, except for path analysis
//! up to [`MAX_ANALYSED_NODES`] nodes.

use super::Owner;
use super::condition::Shape;
use super::evaluate::Samples;
use super::form_target::{FormTarget, edges, graph, nodes};
use super::template::value_text;
use super::value_schema::{allowed_types, input_schema, last_schema, output_schema, resolve};
use crate::i18n::Lang;
use serde_json::Value as Json;
use std::collections::HashSet;
use stepgraph_core::expression::{Reference, Root};
use stepgraph_core::source::{Entry, Spanned};
use stepgraph_core::value::Segment;

/// Maximum options.
pub const MAX_OPTIONS: usize = 300;
const MAX_DEPTH: usize = 3;
const MAX_ANALYSED_NODES: usize = 400;
const MAX_FOLLOWED_NODES: usize = 6;

/// A reference to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceOption {
    /// Reference text.
    pub text: String,
    /// Type, or empty.
    pub kind: String,
    /// Description, or empty.
    pub help: String,
    /// Exists on every path.
    pub is_certain: bool,
    /// Last run's value.
    pub sample: Option<String>,
    /// Listed by the schema.
    pub values: Vec<String>,
    /// Possible kinds.
    pub shape: Shape,
    /// If known.
    pub schema: Option<Json>,
}

/// References available to an owner: nodes before running, edges after their source.
pub fn reference_options(
    target: &FormTarget<'_>,
    owner: &Owner,
    samples: &Samples,
    lang: Lang,
) -> Vec<ReferenceOption> {
    let mut found = OptionCollector { samples, lang, all: Vec::new() };
    let (scope, from) = match owner {
        Owner::Plan => return Vec::new(),
        Owner::Node(scope, key) => (scope.as_str(), key.as_str()),
        Owner::Edge(scope, _) => (scope.as_str(), target.text("from").unwrap_or_default()),
    };
    let done = matches!(owner, Owner::Edge(..));
    let entry = nodes(target.graph).iter().find(|entry| entry.key == from);
    let last = match (done, entry) {
        (true, Some(entry)) => output_schema(target, target.graph, entry, MAX_FOLLOWED_NODES),
        (false, Some(_)) => last_schema(target, target.graph, from, MAX_FOLLOWED_NODES),
        (_, None) => None,
    };
    found.add_root(Root::Last, last.as_ref(), true);
    if done {
        for key in ["code", "message", "node"] {
            let reference = Reference { root: Root::Error, path: vec![Segment::Key(key.to_owned())] };
            found.add_option(&reference, Some(&serde_json::json!({"type": "string"})), false);
        }
    }
    let is_map = enclosing_scopes(target, scope).iter().any(|(_, key)| *key == "do");
    if is_map {
        found.add_root(Root::Item, None, true);
        found.add_root(Root::Index, Some(&serde_json::json!({"type": "integer"})), true);
    }
    let input = if scope.is_empty() { input_schema(target) } else { None };
    found.add_root(Root::Input, input.as_ref(), true);
    found.add_graph(target, target.graph, from, done);
    let mut inner = scope;
    while let Some((outer, parent)) = enclosing_node(target, inner) {
        if let Some(graph) = target.document.tree().and_then(|root| graph(root, outer)) {
            found.add_graph(target, graph, parent, false);
        }
        inner = outer;
    }
    found.all.truncate(MAX_OPTIONS);
    found.all
}

/// Matches by prefix, substring, description, then scattered letters.
pub fn search<'o>(options: &'o [ReferenceOption], typed: &str) -> Vec<&'o ReferenceOption> {
    let typed = typed.trim().to_lowercase();
    let rank = |option: &&ReferenceOption| {
        let text = option.text.to_lowercase();
        let found =
            [text.starts_with(&typed), text.contains(&typed), option.help.to_lowercase().contains(&typed)];
        found.iter().position(|found| *found).or_else(|| matches_start(&typed, &text).then_some(3))
    };
    let mut ranked: Vec<(usize, &ReferenceOption)> =
        options.iter().filter_map(|option| Some((rank(&option)?, option))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, option)| option).collect()
}

fn matches_start(typed: &str, text: &str) -> bool {
    let mut rest = text.chars();
    typed.chars().all(|c| rest.any(|other| other == c))
}

pub(super) fn enclosing_node<'s>(target: &FormTarget<'_>, scope: &'s str) -> Option<(&'s str, &'s str)> {
    if scope.is_empty() {
        return None;
    }
    let root = target.document.tree()?;
    let mut outer = scope;
    loop {
        let (rest, name) = outer.rsplit_once('/').unwrap_or(("", outer));
        let held = graph(root, rest).is_some_and(|graph| nodes(graph).iter().any(|entry| entry.key == name));
        if held {
            return Some((rest, name));
        }
        outer = Some(rest).filter(|rest| !rest.is_empty())?;
    }
}

/// Innermost first, each with its graph's key.
fn enclosing_scopes<'s>(target: &FormTarget<'_>, scope: &'s str) -> Vec<(&'s str, &'static str)> {
    let mut found = Vec::new();
    let mut inner = scope;
    while let Some((outer, parent)) = enclosing_node(target, inner) {
        let graph = target.document.tree().and_then(|root| graph(root, outer));
        let node = graph.and_then(|graph| nodes(graph).iter().find(|entry| entry.key == parent));
        let holds = |key: &&&'static str| node.is_some_and(|node| node.value.get(key).is_some());
        found.push((inner, ["do", "graph", "branches"].iter().find(holds).copied().unwrap_or("graph")));
        inner = outer;
    }
    found
}

struct OptionCollector<'s> {
    samples: &'s Samples,
    lang: Lang,
    all: Vec<ReferenceOption>,
}

impl OptionCollector<'_> {
    fn add_root(&mut self, root: Root, schema: Option<&Json>, is_certain: bool) {
        self.add_value(&Reference { root, path: Vec::new() }, schema, schema, is_certain, 0);
    }

    /// If `done` is set, includes the output of `at`.
    fn add_graph(&mut self, target: &FormTarget<'_>, graph: &Spanned, at: &str, done: bool) {
        let (always, perhaps) = run_before(graph, at);
        let (mut certain, mut doubtful): (Vec<&Entry>, Vec<&Entry>) = (Vec::new(), Vec::new());
        for entry in nodes(graph) {
            let key = entry.key.as_str();
            if (key == at && done) || always.contains(key) {
                certain.push(entry);
            } else if perhaps.contains(key) && key != at {
                doubtful.push(entry);
            }
        }
        for (entries, is_certain) in [(certain, true), (doubtful, false)] {
            for entry in entries {
                let id = entry.value.get("id").and_then(|id| id.value.as_text()).unwrap_or(&entry.key);
                if self.all.len() >= MAX_OPTIONS {
                    return;
                }
                let schema = output_schema(target, graph, entry, MAX_FOLLOWED_NODES);
                self.add_value(
                    &Reference { root: Root::Output(id.to_owned()), path: Vec::new() },
                    schema.as_ref(),
                    schema.as_ref(),
                    is_certain,
                    0,
                );
            }
        }
    }

    fn add_value(
        &mut self,
        reference: &Reference,
        schema: Option<&Json>,
        root: Option<&Json>,
        is_certain: bool,
        deep: usize,
    ) {
        let schema = schema.zip(root).map(|(schema, root)| resolve(schema, root));
        if self.all.len() >= MAX_OPTIONS || self.all.iter().any(|option| option.text == reference.to_string())
        {
            return;
        }
        self.add_option(reference, schema.as_ref(), is_certain);
        if deep >= MAX_DEPTH {
            return;
        }
        let properties = schema.as_ref().and_then(|schema| schema.get("properties")?.as_object());
        for (key, part) in properties.into_iter().flatten() {
            let inner = child_reference(reference, Segment::Key(key.clone()));
            self.add_value(&inner, Some(part), root, is_certain, deep + 1);
        }
        if let Some(items) =
            schema.as_ref().and_then(|schema| schema.get("items")).filter(|items| items.is_object())
        {
            self.add_value(
                &child_reference(reference, Segment::Index(0)),
                Some(items),
                root,
                is_certain,
                deep + 1,
            );
        }
        let known = |key: &String| properties.is_some_and(|properties| properties.contains_key(key));
        let more: Vec<Segment> = match self.samples.get(reference) {
            Some(Json::Object(map)) => {
                map.keys().filter(|key| !known(key)).take(40).cloned().map(Segment::Key).collect()
            }
            Some(Json::Array(items)) if !items.is_empty() => vec![Segment::Index(0)],
            _ => Vec::new(),
        };
        for segment in more {
            self.add_value(&child_reference(reference, segment), None, None, is_certain, deep + 1);
        }
    }

    fn add_option(&mut self, reference: &Reference, schema: Option<&Json>, is_certain: bool) {
        let sample = self.samples.get(reference);
        let kind = match (schema.filter(|schema| !allowed_types(schema).is_empty()), sample) {
            (Some(schema), _) => super::labels::value_type_text(&without_description(schema), self.lang),
            (None, Some(value)) => super::labels::value_type_text(&schema_of_value(value), self.lang),
            (None, None) => String::new(),
        };
        let help =
            schema.and_then(|schema| schema.get("description")?.as_str()).unwrap_or_default().to_owned();
        let values =
            schema.and_then(|schema| schema.get("enum")?.as_array()).map(Vec::as_slice).unwrap_or_default();
        let mut values: Vec<String> = values.iter().map(value_text).collect();
        if values.is_empty() && schema.is_some_and(|schema| allowed_types(schema) == ["boolean"]) {
            values = vec!["true".to_owned(), "false".to_owned()];
        }
        let known = schema.cloned().filter(|schema| !allowed_types(schema).is_empty());
        let known = known.or_else(|| sample.map(schema_of_value)).unwrap_or_default();
        let shape = Shape::of_types(allowed_types(&known));
        let sample = sample.map(|value| value_text(value).chars().take(80).collect());
        self.all.push(ReferenceOption {
            text: reference.to_string(),
            kind,
            help,
            is_certain,
            sample,
            values,
            shape,
            schema: schema.cloned(),
        });
    }
}

fn child_reference(reference: &Reference, segment: Segment) -> Reference {
    let mut next = reference.clone();
    next.path.push(segment);
    next
}

fn without_description(schema: &Json) -> Json {
    serde_json::json!({"type": allowed_types(schema)})
}

fn schema_of_value(value: &Json) -> Json {
    let name = match value {
        Json::Null => return Json::Null,
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    };
    serde_json::json!({"type": name})
}

/// Nodes before `at` on every path, and on some.
fn run_before<'g>(graph: &'g Spanned, at: &str) -> (HashSet<&'g str>, HashSet<&'g str>) {
    let all: Vec<(&str, &str)> = edges(graph).map(|(_, [from, to, _])| (from, to)).collect();
    let mut perhaps: HashSet<&'g str> = HashSet::new();
    let mut work = vec![at];
    while let Some(node) = work.pop() {
        for (from, _) in all.iter().filter(|(_, to)| *to == node) {
            if perhaps.insert(from) {
                work.push(from);
            }
        }
    }
    let first = graph.get("start").and_then(|entry| entry.value.as_text());
    let only_choice = || {
        let comes = |key: &str| all.iter().any(|(_, to)| *to == key);
        nodes(graph).iter().map(|entry| entry.key.as_str()).find(|key| !comes(key))
    };
    let Some(start) = first.or_else(only_choice).filter(|_| perhaps.len() <= MAX_ANALYSED_NODES) else {
        return (HashSet::new(), perhaps);
    };
    // `at` is unreachable without a node on every path.
    let misses = |removed: &str| {
        let mut reached: HashSet<&str> = HashSet::new();
        let mut work: Vec<&str> = Some(start).filter(|start| *start != removed).into_iter().collect();
        while let Some(node) = work.pop() {
            if reached.insert(node) {
                work.extend(
                    all.iter().filter(|(from, to)| *from == node && *to != removed).map(|(_, to)| *to),
                );
            }
        }
        reached.contains(at)
    };
    let always = perhaps.iter().copied().filter(|key| *key != at && !misses(key)).collect();
    (always, perhaps)
}
