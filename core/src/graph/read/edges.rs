//! The edges of a plan.

use super::super::shape::{Shape, wrong};
use super::super::text::{place, within};
use super::super::{Edge, Named, Node};
use super::{Keys, Reader, unknown_node};
use crate::diagnostic::{Code, Diagnostic, Target};
use crate::expr::Condition;
use crate::source::{Kind, Spanned};

/// The edges that lead from one node to another, and whether there were others.
#[derive(Debug, Default)]
pub(super) struct Edges {
    pub(super) edges: Vec<Edge>,
    pub(super) broken: bool,
}

impl Edges {
    pub(super) fn outgoing(&self, nodes: usize) -> Vec<Vec<usize>> {
        let mut outgoing = vec![Vec::new(); nodes];
        for (index, edge) in self.edges.iter().enumerate() {
            if let Some(list) = outgoing.get_mut(edge.source) {
                list.push(index);
            }
        }
        outgoing
    }
}

impl Reader<'_> {
    pub(super) fn edges(&mut self, shape: &Shape<'_>, nodes: &[Node], keys: &Keys) -> Edges {
        let mut found = Edges::default();
        let Some(value) = shape.get("edges") else { return found };
        let Kind::List(items) = &value.kind else {
            self.problems.push(wrong(value, "`edges`", "a list"));
            found.broken = true;
            return found;
        };
        for (index, item) in items.iter().enumerate() {
            match self.edge(index, item, nodes, keys) {
                Some(edge) => found.edges.push(edge),
                None => found.broken = true,
            }
        }
        found
    }

    fn edge(&mut self, index: usize, item: &Spanned, nodes: &[Node], keys: &Keys) -> Option<Edge> {
        let target = Target::Edge(index);
        let shape = Shape::of(item, "an edge", target.clone(), self.problems)?;
        shape.keys(&["from", "to", "condition"], &[], self.problems);
        let filled = |name: &Named| !name.name.trim().is_empty();
        let from = shape.text("from", self.problems).filter(filled);
        let to = shape.text("to", self.problems).filter(filled);
        let written = shape.text("condition", self.problems);
        let condition = written.as_ref().map(|named| self.condition(index, named)).unwrap_or_default();
        let missing: Vec<&str> = [("from", &from), ("to", &to)]
            .into_iter()
            .filter(|(_, end)| end.is_none())
            .map(|(key, _)| key)
            .collect();
        if !missing.is_empty() {
            let problem = Diagnostic::new(
                Code::MissingEndpoint,
                format!("the edge has no `{}`", missing.join("` and no `")),
            );
            self.problems.push(problem.on(target.clone()).at(item.span).help("name the node's key"));
        }
        let source = from.as_ref().and_then(|name| self.endpoint(name, nodes, keys, &target));
        let reached = to.as_ref().and_then(|name| self.endpoint(name, nodes, keys, &target));
        let condition_span = written.as_ref().map_or(item.span, |named| named.span);
        let text = written.map_or_else(String::new, |named| named.name);
        let (from, to, source, target) = (from?, to?, source?, reached?);
        Some(Edge { from, to, source, target, text, condition_span, condition, index })
    }

    fn endpoint(&mut self, name: &Named, nodes: &[Node], keys: &Keys, target: &Target) -> Option<usize> {
        let found = keys.get(&name.name).copied();
        if found.is_none() {
            self.problems.push(unknown_node(&name.name, keys, Some(nodes)).on(target.clone()).at(name.span));
        }
        found
    }

    fn condition(&mut self, index: usize, written: &Named) -> Condition {
        let Named { name: text, span } = written;
        match Condition::parse(text) {
            Ok(condition) => {
                self.ambiguous(index, &condition, written);
                condition
            }
            Err(error) => {
                self.problems.push(place(error, *span, text, self.source).on(Target::Condition(index)));
                Condition::default()
            }
        }
    }

    fn ambiguous(&mut self, index: usize, condition: &Condition, written: &Named) {
        let Condition::Test(expression) = condition else { return };
        for part in &expression.ambiguous {
            let literal = written.name.get(part.start..part.end).unwrap_or("");
            let problem =
                Diagnostic::new(Code::AmbiguousLiteral, format!("`{literal}` looks like another comparison"));
            self.problems.push(
                problem
                    .on(Target::Condition(index))
                    .at(within(written.span, &written.name, self.source, *part))
                    .help(format!(
                        "write `\"{literal}\"` if it is meant as text, or join conditions with `&&`"
                    )),
            );
        }
    }
}
