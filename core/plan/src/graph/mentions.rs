//! What conditions and templates mention: names that no node has, and values that are not there.
//!
//! Decides what is reported of a reference. What is there on which path is found out by [`super::flow`].

use super::flow::{At, Flow, Verdict};
use super::spot::Spot;
use super::{Edge, Graph, PlanGraph};
use crate::key::did_you_mean;
use std::collections::HashMap;
use stepgraph_text::diagnostic::{Code, Diagnostic, Problems, Severity, Span, Target, brief};
use stepgraph_text::expr::{Part, Reference, Root, Template};
use stepgraph_text::list::List;
use stepgraph_text::names::Names;
use stepgraph_text::source::Spanned;

/// Judges every reference of a plan.
pub(super) fn check<'a>(plan: &'a PlanGraph, flow: &mut Flow<'_, 'a>, source: &str, problems: &mut Problems) {
    let scopes = flow.scopes;
    let mut templates = Vec::new();
    for (scope, place) in scopes.list.iter().enumerate() {
        let graph = place.graph;
        let in_map = place.in_map;
        let given = &plan.given;
        let mut judge = Judge { flow, scope, in_map, given, meant: HashMap::new(), visible: None, problems };
        for edge in &graph.edges {
            judge.condition(edge, source, &Target::Condition(graph.scope.clone(), edge.index));
        }
        for (position, node) in graph.nodes.iter().enumerate() {
            templates_of(plan, graph, position, &mut templates);
            for (template, value) in templates.drain(..) {
                let spot = Spot::new(source, value.span, value.as_text().unwrap_or(""));
                judge.template(template, spot, position, &graph.target(node));
            }
        }
    }
}

struct Judge<'f, 's, 'a> {
    flow: &'f mut Flow<'s, 'a>,
    scope: usize,
    in_map: bool,
    /// What others may give at any time, besides nodes.
    given: &'f Names,
    /// What was meant by the names that no node has.
    meant: HashMap<&'a str, Option<&'a str>>,
    /// The names in sight, once one was looked for: a list for each unknown name would make many of them quadratic.
    visible: Option<Vec<&'a str>>,
    problems: &'f mut Problems,
}

impl<'a> Judge<'_, '_, 'a> {
    fn condition(&mut self, edge: &'a Edge, source: &str, target: &Target) {
        let mut spot = Spot::new(source, edge.condition_span, &edge.text);
        for atom in edge.atoms() {
            let reference = &atom.reference;
            let problem = if !self.is_named(reference) {
                self.misnamed(reference, spot.of(atom.reference_span))
            } else if self.is_never(edge, reference) {
                Some(never(reference, spot.of(atom.reference_span)))
            } else {
                continue;
            };
            self.report(problem, target);
        }
    }

    /// Whether a condition speaks of an output that is never there when it is looked at.
    fn is_never(&mut self, edge: &Edge, reference: &'a Reference) -> bool {
        let Root::Output(name) = &reference.root else { return false };
        let Some(found) = self.flow.scopes.makes(self.scope, name) else { return false };
        if self.given.contains(name) {
            return false;
        }
        if found == (self.scope, edge.source) && !edge.condition.mentions_error() {
            return false;
        }
        let looks = self.flow.looks(self.scope, edge);
        let never = |at: &At| self.flow.outputs(self.scope, *at, &[name]) == Verdict::Never;
        !looks.is_empty() && looks.iter().all(never)
    }

    fn template(&mut self, template: &'a Template, mut spot: Spot<'_>, node: usize, target: &Target) {
        for part in &template.parts {
            let Part::Hole { choices, places, fallback, .. } = part else { continue };
            let mut verdict = Verdict::There;
            for (reference, part) in choices.iter().zip(places) {
                if !self.is_named(reference) {
                    let problem = self.misnamed(reference, spot.of(*part));
                    self.report(problem, target);
                    continue;
                }
                verdict = self.verdict(&[reference], node);
                if verdict == Verdict::Never {
                    self.report(Some(never(reference, spot.of(*part))), target);
                }
            }
            if choices.len() > 1 {
                let all: Vec<&Reference> = choices.iter().list();
                verdict = self.verdict(&all, node);
            }
            let last = choices.last().zip(places.last()).filter(|_| fallback.is_none());
            if let (Verdict::Missed(label), Some((reference, part))) = (verdict, last) {
                let mut problem = missed(reference, choices.len(), spot.of(*part));
                problem.labels.extend(label);
                if let Some(place) = spot.after(*part) {
                    problem = problem.fix(place, " ?? null");
                }
                self.report(Some(problem), target);
            }
        }
    }

    /// Whether one of these is there when a run comes to a node. What a host may give is taken to be there.
    fn verdict(&mut self, references: &[&'a Reference], node: usize) -> Verdict {
        let mut names = Vec::new();
        for reference in references {
            match &reference.root {
                Root::Error if references.len() == 1 => return self.flow.failure(self.scope, node),
                Root::Output(name) if self.given.contains(name) => return Verdict::There,
                Root::Output(name) if self.flow.scopes.makes(self.scope, name).is_some() => {
                    names.push(name.as_str());
                }
                _ => return Verdict::There,
            }
        }
        self.flow.outputs(self.scope, At::Entry(node), &names)
    }

    fn report(&mut self, problem: Option<Diagnostic>, target: &Target) {
        if let Some(problem) = problem {
            self.problems.push(problem.on(target.clone()));
        }
    }

    /// Whether the beginning of a reference means something here.
    fn is_named(&self, reference: &Reference) -> bool {
        match &reference.root {
            Root::Item | Root::Index => self.in_map,
            Root::Call => false,
            Root::Output(name) => self.given.contains(name) || self.flow.scopes.is_named(self.scope, name),
            _ => true,
        }
    }

    fn misnamed(&mut self, reference: &'a Reference, place: Span) -> Option<Diagnostic> {
        let Root::Output(name) = &reference.root else {
            let written = brief(&reference.to_string());
            let home = if reference.root == Root::Call { "in a planned call" } else { "inside `map`" };
            let problem = Diagnostic::new(Code::NotInScope, format!("`{written}` exists only {home}"));
            return Some(problem.at(place).help("use `last` or `output.<node>`"));
        };
        let meant = match self.meant.get(name.as_str()) {
            Some(meant) => *meant,
            None => {
                let scopes = self.flow.scopes;
                let visible = self.visible.get_or_insert_with(|| scopes.visible(self.scope));
                let meant = self.problems.near(name, visible.iter().copied());
                self.meant.insert(name, meant);
                meant
            }
        };
        // The caller may give an output of that name: an error only where it is known which it gives.
        let mut problem = unknown_output(reference, name, Some(meant?), place);
        problem.severity = Severity::Warning;
        Some(problem)
    }
}

/// A reference to an output of a name that no node has.
pub fn unknown_output(reference: &Reference, name: &str, meant: Option<&str>, place: Span) -> Diagnostic {
    let message = format!("no node is called `{}`", brief(name));
    let problem = Diagnostic::new(Code::UnknownOutput, message).at(place);
    let Some(meant) = meant else {
        return problem.help("refer to a node of this plan, or give an output of that name to the run");
    };
    let right = Reference { root: Root::Output(meant.to_owned()), path: reference.path.clone() };
    did_you_mean(problem, &right.to_string(), &reference.to_string())
}

/// The templates of a node.
pub fn templates_of<'a>(
    plan: &'a PlanGraph,
    graph: &'a Graph,
    position: usize,
    found: &mut Vec<(&'a Template, &'a Spanned)>,
) {
    let Some(node) = graph.nodes.get(position) else { return };
    for (texts, key) in [(&node.input, "input"), (&node.with, "with")] {
        // Most have no holes, and finding one's place in the document takes a while.
        let Some(texts) = texts.as_ref().filter(|texts| texts.constant().is_none()) else { continue };
        if let Some(entry) = plan.entry(graph, position).and_then(|entry| entry.value.get(key)) {
            texts.templates(&entry.value, found);
        }
    }
}

/// A reference to what is there on no path.
fn never(reference: &Reference, place: Span) -> Diagnostic {
    let (message, help) = match &reference.root {
        Root::Output(name) => (
            format!("`{}` has not run when a run comes here", brief(name)),
            "refer to a node that runs before, or remove this",
        ),
        _ => (
            "there is no failure when a run comes here".to_owned(),
            "refer to `error` in a node to which an edge leads whose condition speaks of `error`",
        ),
    };
    Diagnostic::new(Code::NeverThere, message).at(place).help(help)
}

/// A reference to what is not there on every path.
fn missed(reference: &Reference, choices: usize, place: Span) -> Diagnostic {
    let message = match &reference.root {
        _ if choices > 1 => "none of these is there on every path".to_owned(),
        Root::Output(name) => format!("`{}` has not run on every path that comes here", brief(name)),
        _ => "there is not a failure on every path that comes here".to_owned(),
    };
    Diagnostic::new(Code::MayBeMissing, message)
        .at(place)
        .help("say what stands in for it, as in `${… ?? null}`, or let an edge ask for it with `.exists`")
}
