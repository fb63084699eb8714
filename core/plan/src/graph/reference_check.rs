//! Reports unknown names and missing values in conditions and templates.

use super::control_flow::{Availability, FlowAnalysis, ProgramPoint};
use super::lazy_span::LazySpan;
use super::{Edge, Graph, PlanGraph};
use crate::key::did_you_mean;
use std::collections::HashMap;
use stepgraph_expression::{Computed, Reference, Root, Template, TemplatePart};
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{
    Code, Diagnostic, DiagnosticCollector, Severity, Span, Target, shorten_name,
};
use stepgraph_text::interner::NameTable;
use stepgraph_text::source::Spanned;

pub(super) fn check<'a>(
    plan: &'a PlanGraph,
    analysis: &mut FlowAnalysis<'_, 'a>,
    source: &str,
    diagnostics: &mut DiagnosticCollector,
) {
    let scopes = analysis.scopes;
    let mut templates = Vec::new();
    for (scope, place) in scopes.list.iter().enumerate() {
        let graph = place.graph;
        let in_map = place.in_map;
        let external_outputs = &plan.external_outputs;
        let mut checker = ReferenceChecker {
            flow: analysis,
            scope,
            in_map,
            external_outputs,
            suggestions: HashMap::new(),
            visible: None,
            problems: diagnostics,
        };
        for edge in &graph.edges {
            checker.check_condition(edge, source, &Target::Condition(graph.scope.clone(), edge.index));
        }
        for (position, node) in graph.nodes.iter().enumerate() {
            templates_of(plan, graph, position, &mut templates);
            for (template, value) in templates.drain(..) {
                let lazy_span = LazySpan::new(source, value.span, value.as_text().unwrap_or(""));
                checker.check_template(template, lazy_span, position, &graph.target(node));
            }
        }
    }
}

struct ReferenceChecker<'f, 's, 'a> {
    flow: &'f mut FlowAnalysis<'s, 'a>,
    scope: usize,
    in_map: bool,
    /// Writable at any time by the host or tests.
    external_outputs: &'f NameTable,
    suggestions: HashMap<&'a str, Option<&'a str>>,
    /// Cached: lists per unknown name would take quadratic time.
    visible: Option<Vec<&'a str>>,
    problems: &'f mut DiagnosticCollector,
}

impl<'a> ReferenceChecker<'_, '_, 'a> {
    fn check_condition(&mut self, edge: &'a Edge, source: &str, target: &Target) {
        let mut lazy_span = LazySpan::new(source, edge.condition_span, &edge.condition_text);
        for (reference, span) in edge.references() {
            let diagnostic = if !self.is_defined(reference) {
                self.unknown_name(reference, lazy_span.locate(span))
            } else if self.is_never_available(edge, reference) {
                Some(never_available(reference, lazy_span.locate(span)))
            } else {
                continue;
            };
            self.report(diagnostic, target);
        }
    }

    fn is_never_available(&mut self, edge: &Edge, reference: &'a Reference) -> bool {
        let Root::Output(name) = &reference.root else { return false };
        let Some(found) = self.flow.scopes.producer(self.scope, name) else { return false };
        if self.external_outputs.contains(name) {
            return false;
        }
        if found == (self.scope, edge.source) && !edge.condition.references_error() {
            return false;
        }
        let points = self.flow.evaluation_points(self.scope, edge);
        let never = |at: &ProgramPoint| {
            self.flow.output_availability(self.scope, *at, &[name]) == Availability::Never
        };
        !points.is_empty() && points.iter().all(never)
    }

    fn check_template(
        &mut self,
        template: &'a Template,
        mut lazy_span: LazySpan<'_>,
        node: usize,
        target: &Target,
    ) {
        for part in &template.parts {
            let (choices, places, fallback) = match part {
                TemplatePart::Text(_) => continue,
                TemplatePart::Placeholder { choices, spans, fallback, .. } => (choices, spans, fallback),
                TemplatePart::Computed { computed, .. } => {
                    self.check_computed(computed, &mut lazy_span, node, target);
                    continue;
                }
            };
            let mut verdict = Availability::Always;
            for (reference, part) in choices.iter().zip(places) {
                if !self.is_defined(reference) {
                    let diagnostic = self.unknown_name(reference, lazy_span.locate(*part));
                    self.report(diagnostic, target);
                    continue;
                }
                verdict = self.availability(&[reference], node);
                if verdict == Availability::Never {
                    self.report(Some(never_available(reference, lazy_span.locate(*part))), target);
                }
            }
            if choices.len() > 1 {
                let all: Vec<&Reference> = choices.iter().collect_vec();
                verdict = self.availability(&all, node);
            }
            let last = choices.last().zip(places.last()).filter(|_| fallback.is_none());
            if let (Availability::Sometimes(label), Some((reference, part))) = (verdict, last) {
                let mut diagnostic = sometimes_missing(reference, choices.len(), lazy_span.locate(*part));
                diagnostic.labels.extend(label);
                if let Some(span) = lazy_span.insertion_span(*part) {
                    diagnostic = diagnostic.fix(span, " ?? null");
                }
                self.report(Some(diagnostic), target);
            }
        }
    }

    fn check_computed(
        &mut self,
        computed: &'a Computed,
        lazy_span: &mut LazySpan<'_>,
        node: usize,
        target: &Target,
    ) {
        for found in &computed.references {
            let (reference, span) = (&found.reference, lazy_span.locate(found.span));
            if !self.is_defined(reference) {
                let diagnostic = self.unknown_name(reference, span);
                self.report(diagnostic, target);
                continue;
            }
            match self.availability(&[reference], node) {
                Availability::Never => self.report(Some(never_available(reference, span)), target),
                Availability::Sometimes(label) if found.required => {
                    let mut diagnostic = sometimes_missing(reference, 1, span);
                    diagnostic.labels.extend(label);
                    self.report(Some(diagnostic), target);
                }
                _ => {}
            }
        }
    }

    /// Whether one is available on entry. Host outputs count as available.
    fn availability(&mut self, references: &[&'a Reference], node: usize) -> Availability {
        let mut names = Vec::new();
        for reference in references {
            match &reference.root {
                Root::Error if references.len() == 1 => {
                    return self.flow.failure_availability(self.scope, node);
                }
                Root::Output(name) if self.external_outputs.contains(name) => return Availability::Always,
                Root::Output(name) if self.flow.scopes.producer(self.scope, name).is_some() => {
                    names.push(name.as_str());
                }
                _ => return Availability::Always,
            }
        }
        self.flow.output_availability(self.scope, ProgramPoint::Entry(node), &names)
    }

    fn report(&mut self, diagnostic: Option<Diagnostic>, target: &Target) {
        if let Some(diagnostic) = diagnostic {
            self.problems.push(diagnostic.on(target.clone()));
        }
    }

    fn is_defined(&self, reference: &Reference) -> bool {
        match &reference.root {
            Root::Item | Root::Index => self.in_map,
            Root::Call => false,
            Root::Output(name) => {
                self.external_outputs.contains(name) || self.flow.scopes.is_defined(self.scope, name)
            }
            _ => true,
        }
    }

    fn unknown_name(&mut self, reference: &'a Reference, span: Span) -> Option<Diagnostic> {
        let Root::Output(name) = &reference.root else {
            let written = shorten_name(&reference.to_string());
            let home = if reference.root == Root::Call { "in a planned call" } else { "inside a `map` node" };
            let diagnostic = Diagnostic::new(Code::NotInScope, format!("`{written}` exists only {home}"));
            return Some(
                diagnostic
                    .at(span)
                    .help("use `last` or `output.<node>`, or in `list.map(x, value)` the variable `x`"),
            );
        };
        let meant = match self.suggestions.get(name.as_str()) {
            Some(meant) => *meant,
            None => {
                let scopes = self.flow.scopes;
                let visible = self.visible.get_or_insert_with(|| scopes.visible(self.scope));
                let meant = self.problems.closest_name(name, visible.iter().copied());
                self.suggestions.insert(name, meant);
                meant
            }
        };
        // Unless host outputs are known, the host may write that output.
        let mut diagnostic = unknown_output(reference, name, Some(meant?), span);
        diagnostic.severity = Severity::Warning;
        Some(diagnostic)
    }
}

/// Reports an unknown output.
pub fn unknown_output(reference: &Reference, name: &str, meant: Option<&str>, span: Span) -> Diagnostic {
    let message = format!("no node is called `{}`", shorten_name(name));
    let diagnostic = Diagnostic::new(Code::UnknownOutput, message).at(span);
    let Some(meant) = meant else {
        return diagnostic.help("refer to a node of this plan, or pass an output of that name to the run");
    };
    let right = Reference { root: Root::Output(meant.to_owned()), path: reference.path.clone() };
    did_you_mean(diagnostic, &right.to_string(), &reference.to_string())
}

/// A node's templates.
pub fn templates_of<'a>(
    plan: &'a PlanGraph,
    graph: &'a Graph,
    position: usize,
    templates: &mut Vec<(&'a Template, &'a Spanned)>,
) {
    let Some(node) = graph.nodes.get(position) else { return };
    for (texts, key) in [(&node.input, "input"), (&node.with, "with")] {
        // Document entries are slow to find.
        let Some(template) = texts.as_ref().filter(|template| template.as_constant().is_none()) else {
            continue;
        };
        if let Some(entry) = plan.node_entry(graph, position).and_then(|entry| entry.value.get(key)) {
            template.collect_templates(&entry.value, templates);
        }
    }
}

fn never_available(reference: &Reference, span: Span) -> Diagnostic {
    let (message, help) = match &reference.root {
        Root::Output(name) => (
            format!("`{}` has run on no path to here", shorten_name(name)),
            "refer to a node that runs before, or remove this",
        ),
        _ => (
            "there is no failure on any path to here".to_owned(),
            "refer to `error` in a node after an edge whose condition refers to `error`",
        ),
    };
    Diagnostic::new(Code::NeverThere, message).at(span).help(help)
}

fn sometimes_missing(reference: &Reference, choices: usize, span: Span) -> Diagnostic {
    let message = match &reference.root {
        _ if choices > 1 => "none of these is there on every path".to_owned(),
        Root::Output(name) => format!("`{}` has not run on every path to here", shorten_name(name)),
        _ => "there is not a failure on every path to here".to_owned(),
    };
    Diagnostic::new(Code::MayBeMissing, message)
        .at(span)
        .help("add a default, as in `${… ?? null}`, or let an edge test for it with `.exists`")
}
