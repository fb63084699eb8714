//! What a generated plan takes from its input.
//!
//! Decides which references to `input` find nothing: those to an input that the plan does not declare, and those in a graph inside a node
//! that mean the plan's input, where `input` is what that graph is given.

use crate::diagnostic::{Code, Diagnostic, Target, brief, near};
use crate::expr::{Part, Root};
use crate::graph::{Graph, Node, Texts};
use crate::list::List;
use crate::value::Segment;
use serde_json::Value as Json;

/// What `input` is in a graph.
pub(super) enum Given<'a> {
    /// What the run is given.
    Run,
    /// The element at hand.
    Element,
    /// A map with these keys.
    Keys(Vec<&'a str>),
    /// Nobody knows.
    Anything,
}

/// Reports the references of a graph, and of those inside it, that find nothing.
pub(super) fn check(graph: &Graph, given: &Given<'_>, declared: &[&str], found: &mut Vec<Diagnostic>) {
    conditions(graph, given, declared, found);
    for node in &graph.nodes {
        let mut names = Vec::new();
        for texts in [&node.input, &node.with].into_iter().flatten() {
            collect(texts, &mut names);
        }
        for name in names {
            if let Some(problem) = problem(name, given, declared) {
                found.push(problem.on(graph.target(node)));
                break;
            }
        }
        for nested in &node.nested {
            check(&nested.graph, &inside(node, nested.key), declared, found);
        }
    }
}

/// Reports the conditions of a graph that look at what its input does not have.
fn conditions(graph: &Graph, given: &Given<'_>, declared: &[&str], found: &mut Vec<Diagnostic>) {
    for edge in &graph.edges {
        let names = edge.condition.atoms().iter().filter_map(|atom| match atom.reference.path.first() {
            Some(Segment::Key(name)) if atom.reference.root == Root::Input => Some(name.as_str()),
            _ => None,
        });
        let first = names.into_iter().find_map(|name| problem(name, given, declared));
        found.extend(first.map(|problem| problem.on(Target::Condition(graph.scope.clone(), edge.index))));
    }
}

/// What a graph inside a node is given.
fn inside<'a>(node: &'a Node, key: &str) -> Given<'a> {
    match &node.input {
        _ if key == "do" => Given::Element,
        Some(Texts::Map(entries)) => Given::Keys(entries.iter().map(|(key, _)| key.as_str()).list()),
        Some(Texts::Constant(Json::Object(map))) => Given::Keys(map.keys().map(String::as_str).list()),
        _ => Given::Anything,
    }
}

fn problem(name: &str, given: &Given<'_>, declared: &[&str]) -> Option<Diagnostic> {
    let (message, help) = match given {
        Given::Run if !declared.contains(&name) => {
            let help = match near(name, declared.iter().copied()) {
                Some(meant) => format!("did you mean `${{input.{meant}}}`?"),
                None => format!("add `{}` to `inputs`, or remove the reference", brief(name)),
            };
            (format!("`{}` is none of the `inputs` of the workflow", brief(name)), help)
        }
        Given::Element if declared.contains(&name) => {
            let help = "give it to a node before, as in `{\"type\": \"log\", \"input\": \"${input}\"}`, and refer to that node";
            (
                format!("inside `do` `input` is the element, not what the workflow is given as `{name}`"),
                help.to_owned(),
            )
        }
        Given::Keys(keys) if !keys.contains(&name) => {
            let help = format!("add `{}` to the `input` of the node around it", brief(name));
            (format!("`input` has no `{}` in this graph", brief(name)), help)
        }
        _ => return None,
    };
    Some(Diagnostic::new(Code::AuthorInput, message).help(help))
}

/// The names that a value takes from `input` and must have.
fn collect<'a>(texts: &'a Texts, names: &mut Vec<&'a str>) {
    match texts {
        Texts::Constant(_) => {}
        Texts::List(items) => items.iter().for_each(|item| collect(item, names)),
        Texts::Map(entries) => entries.iter().for_each(|(_, texts)| collect(texts, names)),
        Texts::Template(template, _) => {
            for part in &template.parts {
                let Part::Hole { choices, fallback: None, .. } = part else { continue };
                let [reference] = choices.as_slice() else { continue };
                if let (Root::Input, Some(Segment::Key(name))) = (&reference.root, reference.path.first()) {
                    names.push(name);
                }
            }
        }
    }
}
