//! Reads the edges of a plan.

use super::super::map_reader::{KeySpec, MapReader, wrong_type};
use super::super::{BrokenEdge, Edge, Named};
use super::reader::{NodeNames, Reader};
use crate::key::did_you_mean;
use stepgraph_expression::condition::BrokenCondition;
use stepgraph_expression::{Condition, Error};
use stepgraph_text::diagnostic::{Code, Diagnostic, Target};
use stepgraph_text::source::source_map::SourceMap;
use stepgraph_text::source::{Entry, Spanned, ValueKind};

pub(in super::super) const KEYS: KeySpec =
    KeySpec { known: &["from", "to", "condition"], required: &["from", "to"] };

#[derive(Debug, Default)]
pub(super) struct Edges {
    pub(super) list: Vec<Edge>,
    pub(super) broken: Vec<BrokenEdge>,
    /// Whether no edge is broken.
    pub(super) is_complete: bool,
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
    pub(super) fn edges(&mut self, map: &MapReader<'_>, names: &NodeNames<'_>) -> Edges {
        let mut edges = Edges { list: Vec::new(), broken: Vec::new(), is_complete: true };
        let Some(value) = map.get("edges") else { return edges };
        let ValueKind::List(items) = &value.kind else {
            self.problems.push(wrong_type(value, "`edges`", "a list"));
            return Edges { is_complete: false, ..edges };
        };
        for (index, item) in items.iter().enumerate() {
            match self.edge(index, item, names) {
                Ok(edge) => edges.list.push(edge),
                Err(edge) => edges.broken.push(edge),
            }
        }
        edges.is_complete = edges.broken.is_empty();
        edges
    }

    fn edge(&mut self, index: usize, item: &Spanned, names: &NodeNames<'_>) -> Result<Edge, BrokenEdge> {
        let target = Target::Edge(self.scope.clone(), index);
        let nothing = BrokenEdge {
            from: None,
            to: None,
            source: None,
            target: None,
            condition_text: String::new(),
            span: item.span,
            index,
        };
        let Some(map) = MapReader::new(item, "an edge", target.clone(), self.problems) else {
            return Err(nothing);
        };
        map.check_keys(&KEYS, self.problems);
        let absent = |key: &&str| map.get(key).is_none() && map.misspelt_entry(key).is_none();
        if ["from", "to"].iter().all(absent) {
            let diagnostic = Diagnostic::new(Code::MissingEndpoint, "the edge has no `from` and no `to`");
            self.problems.push(diagnostic.on(target).at(item.span).help("name the keys of two nodes"));
            return Err(nothing);
        }
        let from = self.end("from", &map, item, &target);
        let to = self.end("to", &map, item, &target);
        let written = map.text("condition", self.problems);
        let (condition, recovered) = match &written {
            Some(written) => self.condition(index, written),
            // A value that is no text, or has a misspelt key, is no fallback.
            None if map.get("condition").is_some() || map.misspelt_entry("condition").is_some() => {
                (Condition::Unreadable, None)
            }
            None => {
                if let Some(entry) = item.get("condition") {
                    self.report_empty_condition(entry, &target);
                }
                (Condition::Fallback, None)
            }
        };
        let source = from.as_ref().and_then(|name| self.endpoint(name, names, &target));
        let reached = to.as_ref().and_then(|name| self.endpoint(name, names, &target));
        let condition_span = written.as_ref().map_or(item.span, |named| named.span);
        let text = written.map_or_else(String::new, |named| named.name);
        match (from, to, source, reached) {
            (Some(from), Some(to), Some(source), Some(target)) => Ok(Edge {
                from,
                to,
                source,
                target,
                condition_text: text,
                condition_span,
                condition,
                recovered,
                index,
            }),
            (from, to, source, target) => {
                Err(BrokenEdge { from, to, source, target, condition_text: text, span: item.span, index })
            }
        }
    }

    fn end(&mut self, key: &str, map: &MapReader<'_>, item: &Spanned, target: &Target) -> Option<Named> {
        let written = map.text(key, self.problems);
        let no_text = written.is_none() && map.get(key).is_some();
        let named = written.filter(|name| !name.name.trim().is_empty());
        if named.is_none() && !no_text {
            let diagnostic = Diagnostic::new(Code::MissingEndpoint, format!("the edge has no `{key}`"));
            let diagnostic = match map.misspelt_entry(key) {
                Some(entry) => did_you_mean(diagnostic.at(entry.key_span), key, &entry.key),
                None => diagnostic.at(item.span).help(format!("name a node's key in `{key}`")),
            };
            self.problems.push(diagnostic.on(target.clone()));
        }
        named
    }

    fn endpoint(&mut self, name: &Named, names: &NodeNames<'_>, target: &Target) -> Option<usize> {
        let found = names.position(&name.name);
        if found.is_none() && !names.nodes.is_empty() {
            let diagnostic = names.unknown(Code::UnknownNode, name, self.problems);
            self.problems.push(diagnostic.on(target.clone()));
        }
        found
    }

    /// `null` says that there is none. Nothing after the colon may be forgotten.
    #[inline(never)]
    fn report_empty_condition(&mut self, entry: &Entry, target: &Target) {
        if entry.value.kind == ValueKind::Null && entry.value.span.start == entry.value.span.end {
            let message = "the condition is empty, so the edge is taken if no other one is";
            let diagnostic = Diagnostic::new(Code::AmbiguousLiteral, message).at(entry.key_span);
            self.problems
                .push(diagnostic.on(target.clone()).help("write a condition, or remove `condition`"));
        }
    }

    fn condition(&mut self, index: usize, written: &Named) -> (Condition, Option<Box<Condition>>) {
        match Condition::parse_all(&written.name) {
            Ok(condition) => {
                if let Condition::Expression(expression) = &condition {
                    self.report_condition_errors(index, &expression.warnings, written);
                }
                (condition, None)
            }
            Err(broken) => {
                let BrokenCondition { errors, warnings, recovered } = *broken;
                self.report_condition_errors(index, &errors, written);
                self.report_condition_errors(index, &warnings, written);
                (Condition::Unreadable, Some(Box::new(Condition::Expression(recovered))))
            }
        }
    }

    fn report_condition_errors(&mut self, index: usize, errors: &[Error], written: &Named) {
        if errors.is_empty() {
            return;
        }
        let source_map = SourceMap::new(self.source, written.span, &written.name);
        for mistake in errors {
            let diagnostic = mistake.clone().into_diagnostic(&source_map);
            self.problems.push(diagnostic.on(Target::Condition(self.scope.clone(), index)));
        }
    }
}
