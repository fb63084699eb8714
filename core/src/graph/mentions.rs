//! What conditions and templates mention: values that can't be there, and outputs whose name is almost that of a node.
//!
//! Decides nothing about where runs can go. Linear in the text, whatever it mentions.

use super::places::Places;
use super::shape::did_you_mean;
use super::{Graph, PlanGraph};
use crate::diagnostic::{Code, Diagnostic, Problems, Span, Target, brief};
use crate::expr::{Reference, Root};
use std::collections::{HashMap, HashSet};

/// Judges every reference of a plan.
pub(super) fn check(plan: &PlanGraph, graph: &Graph, source: &str, problems: &mut Problems) {
    let ids = graph.nodes.iter().map(|node| node.id.as_str());
    let mut judge = Judge {
        ids: ids.clone().collect(),
        known: ids.collect(),
        mapped: graph.is_mapped(),
        meant: HashMap::new(),
        problems,
    };
    for edge in &graph.edges {
        let references = edge.condition.atoms().iter().map(|atom| (&atom.reference, atom.reference_span));
        let places = || Places::new(source, edge.condition_span, &edge.text);
        judge.all(references, places, &Target::Condition(graph.scope.clone(), edge.index));
    }
    let mut templates = Vec::new();
    for (position, node) in graph.nodes.iter().enumerate() {
        for (texts, key) in [(&node.input, "input"), (&node.with, "with")] {
            let value = plan.entry(graph, position).and_then(|entry| entry.value.get(key));
            if let (Some(texts), Some(entry)) = (texts, value) {
                texts.templates(&entry.value, &mut templates);
            }
        }
        for (template, value) in templates.drain(..) {
            let places = || Places::new(source, value.span, value.as_text().unwrap_or(""));
            judge.all(template.references(), places, &graph.target(node));
        }
    }
}

struct Judge<'a> {
    ids: Vec<&'a str>,
    known: HashSet<&'a str>,
    /// Whether there is an element at hand.
    mapped: bool,
    /// What was meant by the names that no node has.
    meant: HashMap<String, Option<&'a str>>,
    problems: &'a mut Problems,
}

impl Judge<'_> {
    /// Judges the references of one text, whose places are found out only if there is a problem.
    fn all<'r>(
        &mut self,
        references: impl Iterator<Item = (&'r Reference, Span)>,
        places: impl Fn() -> Places,
        target: &Target,
    ) {
        let mut known = None;
        for (reference, part) in references {
            if self.is_fine(reference) {
                continue;
            }
            let place = known.get_or_insert_with(&places).of(part);
            if let Some(problem) = self.problem(reference, place) {
                self.problems.push(problem.on(target.clone()));
            }
        }
    }

    fn is_fine(&self, reference: &Reference) -> bool {
        match &reference.root {
            Root::Item | Root::Index => self.mapped,
            Root::Output(name) => self.known.contains(name.as_str()),
            _ => true,
        }
    }

    fn problem(&mut self, reference: &Reference, place: Span) -> Option<Diagnostic> {
        let Root::Output(name) = &reference.root else {
            let written = brief(&reference.to_string());
            let problem = Diagnostic::new(Code::NotInScope, format!("`{written}` exists only inside `map`"));
            return Some(problem.at(place).help("use `last` or `output.<node>`"));
        };
        let meant = match self.meant.get(name) {
            Some(meant) => *meant,
            None => {
                let meant = self.problems.near(name, self.ids.iter().copied());
                self.meant.insert(name.clone(), meant);
                meant
            }
        };
        let problem = Diagnostic::new(Code::UnknownOutput, format!("no node is called `{}`", brief(name)));
        let right = Reference { root: Root::Output(meant?.to_owned()), path: reference.path.clone() };
        Some(did_you_mean(problem.at(place), &right.to_string(), &reference.to_string()))
    }
}
