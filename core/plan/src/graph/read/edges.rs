//! The edges of a plan.

use super::super::shape::{Keys, Shape, wrong};
use super::super::{BrokenEdge, Edge, Named};
use super::reader::{Names, Reader};
use crate::key::did_you_mean;
use stepgraph_text::diagnostic::{Code, Diagnostic, Target};
use stepgraph_text::expr::condition::Broken;
use stepgraph_text::expr::{Atom, Condition, ExprError};
use stepgraph_text::source::places::Places;
use stepgraph_text::source::{Kind, Spanned};

pub(super) const KEYS: Keys = Keys { known: &["from", "to", "condition"], required: &["from", "to"] };

/// The edges that lead from one node to another, and what is known of the others.
#[derive(Debug, Default)]
pub(super) struct Edges {
    pub(super) list: Vec<Edge>,
    pub(super) broken: Vec<BrokenEdge>,
    /// Whether all edges lead from a node to a node.
    pub(super) whole: bool,
}

impl Edges {
    pub(super) fn outgoing(&self, nodes: usize) -> Vec<Vec<usize>> {
        let mut outgoing = vec![Vec::new(); nodes];
        for (index, edge) in self.list.iter().enumerate() {
            if let Some(list) = outgoing.get_mut(edge.source) {
                list.push(index);
            }
        }
        outgoing
    }
}

impl Reader<'_> {
    pub(super) fn edges(&mut self, shape: &Shape<'_>, names: &Names<'_>) -> Edges {
        let mut found = Edges { list: Vec::new(), broken: Vec::new(), whole: true };
        let Some(value) = shape.get("edges") else { return found };
        let Kind::List(items) = &value.kind else {
            self.problems.push(wrong(value, "`edges`", "a list"));
            return Edges { whole: false, ..found };
        };
        for (index, item) in items.iter().enumerate() {
            match self.edge(index, item, names) {
                Ok(edge) => found.list.push(edge),
                Err(edge) => found.broken.push(edge),
            }
        }
        found.whole = found.broken.is_empty();
        found
    }

    fn edge(&mut self, index: usize, item: &Spanned, names: &Names<'_>) -> Result<Edge, BrokenEdge> {
        let target = Target::Edge(self.scope.clone(), index);
        let nothing = BrokenEdge {
            from: None,
            to: None,
            source: None,
            target: None,
            text: String::new(),
            span: item.span,
            index,
        };
        let Some(shape) = Shape::of(item, "an edge", target.clone(), self.problems) else {
            return Err(nothing);
        };
        shape.keys(&KEYS, self.problems);
        let absent = |key: &&str| shape.get(key).is_none() && shape.misspelt(key).is_none();
        if ["from", "to"].iter().all(absent) {
            let problem = Diagnostic::new(Code::MissingEndpoint, "the edge has no `from` and no `to`");
            self.problems.push(problem.on(target).at(item.span).help("name the keys of two nodes"));
            return Err(nothing);
        }
        let from = self.end("from", &shape, item, &target);
        let to = self.end("to", &shape, item, &target);
        let written = shape.text("condition", self.problems);
        let (condition, salvaged) = match &written {
            Some(written) => self.condition(index, written),
            // What is no text was reported, and is no fallback; nor is what stands under a misspelt key.
            None if shape.get("condition").is_some() || shape.misspelt("condition").is_some() => {
                (Condition::Unreadable, Vec::new())
            }
            None => (Condition::Fallback, Vec::new()),
        };
        let source = from.as_ref().and_then(|name| self.endpoint(name, names, &target));
        let reached = to.as_ref().and_then(|name| self.endpoint(name, names, &target));
        let condition_span = written.as_ref().map_or(item.span, |named| named.span);
        let text = written.map_or_else(String::new, |named| named.name);
        match (from, to, source, reached) {
            (Some(from), Some(to), Some(source), Some(target)) => {
                Ok(Edge { from, to, source, target, text, condition_span, condition, salvaged, index })
            }
            (from, to, source, target) => {
                Err(BrokenEdge { from, to, source, target, text, span: item.span, index })
            }
        }
    }

    /// The name of a node at one end of an edge.
    fn end(&mut self, key: &str, shape: &Shape<'_>, item: &Spanned, target: &Target) -> Option<Named> {
        let written = shape.text(key, self.problems);
        let no_text = written.is_none() && shape.get(key).is_some();
        let named = written.filter(|name| !name.name.trim().is_empty());
        if named.is_none() && !no_text {
            let problem = Diagnostic::new(Code::MissingEndpoint, format!("the edge has no `{key}`"));
            let problem = match shape.misspelt(key) {
                Some(entry) => did_you_mean(problem.at(entry.key_span), key, &entry.key),
                None => problem.at(item.span).help(format!("name a node's key in `{key}`")),
            };
            self.problems.push(problem.on(target.clone()));
        }
        named
    }

    fn endpoint(&mut self, name: &Named, names: &Names<'_>, target: &Target) -> Option<usize> {
        let found = names.position(&name.name);
        if found.is_none() && !names.nodes.is_empty() {
            let problem = names.unknown(Code::UnknownNode, name, self.problems);
            self.problems.push(problem.on(target.clone()));
        }
        found
    }

    fn condition(&mut self, index: usize, written: &Named) -> (Condition, Vec<Atom>) {
        match Condition::parse_all(&written.name) {
            Ok(condition) => {
                if let Condition::Test(expression) = &condition {
                    self.mistakes(index, &expression.doubts, written);
                }
                (condition, Vec::new())
            }
            Err(broken) => {
                let Broken { first, others, atoms } = *broken;
                self.mistakes(index, &[first], written);
                self.mistakes(index, &others, written);
                (Condition::Unreadable, atoms)
            }
        }
    }

    fn mistakes(&mut self, index: usize, mistakes: &[ExprError], written: &Named) {
        if mistakes.is_empty() {
            return;
        }
        let places = Places::new(self.source, written.span, &written.name);
        for mistake in mistakes {
            let problem = mistake.clone().placed(&places);
            self.problems.push(problem.on(Target::Condition(self.scope.clone(), index)));
        }
    }
}
