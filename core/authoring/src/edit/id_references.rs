//! Finds uses of a node id other than outputs: conditions on `error.node`, and conversations.
//!
//! A condition sees failures of its edge's node, inside it, and of the graphs around. A `react` node's
//! conversation has its id by default.
//!
//! Source: `docs/concurrency.md`, "Failures"; `docs/agents.md`.

use super::error::{EditResult, captured_reference, refuse};
use super::plan_syntax::{NodeSyntax, PlanSyntax, text_of};
use super::references::{ReferenceSite, ReferenceUse, find_references};
use super::rename_in_tests::NodeRename;
use serde_json::Value as Json;
use stepgraph_core::diagnostic::{Code, Diagnostic, Span, TextEdit, shorten_name};
use stepgraph_core::expression::{Predicate, Root, is_key_char};
use stepgraph_core::graph::scalar_text;
use stepgraph_core::source::edit::Change;
use stepgraph_core::value::Segment;

/// The default is the node's own id.
pub(super) fn conversation(node: &NodeSyntax<'_>) -> Option<String> {
    let named = node.value.get("with").and_then(|with| text_of(&with.value, "conversation"));
    named.or_else(|| match node.kind.as_str() {
        "react" => Some(node.id.clone()),
        "planning" | "workflow_generator" => Some("planner".to_owned()),
        _ => None,
    })
}

impl NodeRename<'_> {
    pub(super) fn failure_condition_changes(&self) -> EditResult<Vec<Change>> {
        let (old, new) = self.id;
        let mut changes = Vec::new();
        for reference in find_references(self.syntax, "error") {
            let step = match reference.reference_path.as_slice() {
                [Segment::Key(step)] if reference.root == Root::Error => step.as_str(),
                _ => continue,
            };
            let (literal, whole) = match &reference.predicate {
                Some(Predicate::Equals(literal) | Predicate::Differs(literal)) => {
                    (literal.text.as_str(), true)
                }
                Some(Predicate::Contains(literal)) => (literal.text.as_str(), false),
                _ => continue,
            };
            let place = reference.value.span;
            let names = |part: &str| part.split(':').next() == Some(old);
            if step == "scope" && literal.split('/').any(names) {
                return refuse(ambiguous_reference(old, place));
            }
            if step != "node" || !sees_failure(self.syntax, &reference, self.node) {
                continue;
            }
            match whole {
                false if old.contains(literal) == new.contains(literal) => {}
                false => return refuse(ambiguous_reference(old, place)),
                true if literal == new => {
                    let message = format!("`error.node` is compared with `{}` here", shorten_name(new));
                    return refuse(captured_reference(message, place));
                }
                true if literal != old => {}
                true if self.is_ambiguous(&reference) => return refuse(ambiguous_reference(old, place)),
                true => changes.extend(literal_change(&reference, new)),
            }
        }
        Ok(changes)
    }

    /// Another node may have this id.
    fn is_ambiguous(&self, reference: &ReferenceUse<'_>) -> bool {
        let graphs = self.syntax.graphs.iter().enumerate();
        let mut nodes =
            graphs.flat_map(|(g, graph)| graph.nodes.iter().enumerate().map(move |(n, node)| ((g, n), node)));
        nodes.any(|(place, node)| {
            place != self.node && node.id == self.id.0 && sees_failure(self.syntax, reference, place)
        })
    }

    pub(super) fn conversation_changes(&self) -> EditResult<Vec<Change>> {
        let (old, new) = self.id;
        let mut changes = Vec::new();
        let Some(graph) = self.syntax.graph(self.node.0) else { return Ok(changes) };
        let own = graph.nodes.get(self.node.1);
        let Some(own) = own.filter(|node| node.kind == "react" && conversation(node).as_deref() == Some(old))
        else {
            return Ok(changes);
        };
        for node in graph.nodes.iter().filter(|node| node.key != own.key) {
            let talks = conversation(node);
            if talks.as_deref() == Some(new) {
                let message = format!(
                    "`{}` has a conversation of the name `{}`",
                    shorten_name(node.key),
                    shorten_name(new)
                );
                return refuse(captured_reference(message, node.span));
            }
            if talks.as_deref() == Some(old) {
                let path = graph.path_to(&["nodes", node.key, "with", "conversation"]);
                changes.push(Change::Set { path, value: Json::from(new) });
            }
        }
        let named = own.value.get("with").and_then(|with| text_of(&with.value, "conversation"));
        if named.is_some() {
            // The node names its own id explicitly.
            changes.clear();
        }
        Ok(changes)
    }
}

fn ambiguous_reference(name: &str, place: Span) -> Diagnostic {
    let message = format!("`{}` may refer to several nodes here", shorten_name(name));
    Diagnostic::new(Code::EditAmbiguous, message).at(place).help("change this condition first")
}

fn sees_failure(syntax: &PlanSyntax<'_>, reference: &ReferenceUse<'_>, node: (usize, usize)) -> bool {
    let Some(graph) = syntax.graph(reference.graph) else { return false };
    let ReferenceSite::Edge(edge) = reference.site else { return false };
    let from = graph.edges.get(edge).and_then(|edge| graph.with_key(edge.from.as_deref()?));
    // A failure propagates to each surrounding node.
    let mut arrives = std::iter::successors(Some(node), |(at, _)| syntax.graph(*at)?.owner);
    match arrives.find(|(at, _)| *at == reference.graph) {
        Some((_, at)) => Some(at) == from,
        // Conditions also see failures from outside.
        None => reference.graph != 0,
    }
}

fn literal_change(reference: &ReferenceUse<'_>, name: &str) -> Option<Change> {
    let text = scalar_text(reference.value)?;
    let rest = text.get(reference.span.end..reference.comparison_span.end)?;
    let operator = rest.find("==").or_else(|| rest.find("!="))? + 2;
    let literal = rest.get(operator..)?.trim();
    let start = reference.span.end + rest.rfind(literal)?;
    let bare = !literal.starts_with(['"', '\'']) && name.chars().all(is_key_char);
    let new = if bare { name.to_owned() } else { Json::from(name).to_string() };
    let edit = TextEdit { span: Span::new(start, start + literal.len()), text: new };
    Some(Change::Splice { path: reference.path.clone(), edits: vec![edit] })
}
