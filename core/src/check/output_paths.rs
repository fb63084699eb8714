//! Reports references that can't have a value, by schemas of tools and answers or by a composite's output, and
//! undeclared names. After a fallback or an existence test, an uncertain path counts only if it looks like a typo.

use super::decision_words::bare_decision;
use super::inference::{Inference, ReferenceSite, has_other_producer};
use super::known_value::PathCheck;
use super::other_producers::OtherProducers;
use super::part_help::part_help;
use super::value_list::{MAX_LISTED, name_list};
use super::{comparisons, existence, expressions, file_inputs, missed_templates, node_inputs, wait_times};
use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{
    Code, Diagnostic, DiagnosticCollector, Severity, Span, Target, TextEdit, is_typo, shorten_name,
};
use crate::expression::check::RUN_TIME_CODES;
use crate::expression::{Computed, Condition, Predicate, Purpose, Reference, Root, Template, TemplatePart};
use crate::graph::scope::Scopes;
use crate::graph::{Edge, Graph, LazySpan, PlanGraph, templates_of, unknown_output};
use crate::source::Spanned;
use crate::value::Segment;

pub(super) fn check<'a>(
    plan: &'a PlanGraph,
    capabilities: &'a Capabilities,
    diagnostics: &mut DiagnosticCollector,
) {
    let scopes = Scopes::new(plan);
    let inference = Inference::new(&scopes, plan, capabilities);
    let mut checker = PathChecker {
        scopes: &scopes,
        plan,
        capabilities,
        inference,
        has_signs: !capabilities.errors_only && missed_templates::has_signs(plan),
        other_producers: None,
        problems: diagnostics,
    };
    let mut templates = Vec::new();
    for (scope, place) in scopes.list.iter().enumerate() {
        for edge in &place.graph.edges {
            checker.check_edge(place.graph, scope, edge);
        }
        for position in 0..place.graph.nodes.len() {
            checker.check_node((place.graph, scope, position), &mut templates);
        }
    }
}

struct PathChecker<'s, 'a> {
    scopes: &'s Scopes<'a>,
    plan: &'a PlanGraph,
    capabilities: &'a Capabilities,
    inference: Inference<'s, 'a>,
    /// Whether some text or comment may hold a template.
    has_signs: bool,
    /// Lazy.
    other_producers: Option<OtherProducers>,
    problems: &'s mut DiagnosticCollector,
}

impl<'a> PathChecker<'_, 'a> {
    fn check_edge(&mut self, graph: &'a Graph, scope: usize, edge: &'a Edge) {
        let mut lazy_span = LazySpan::new(self.plan.source(), edge.condition_span, &edge.condition_text);
        let site = (scope, ReferenceSite::Edge(edge));
        let target = || Target::Condition(graph.scope.clone(), edge.index);
        for atom in edge.atoms() {
            let needed = !matches!(atom.predicate, Predicate::Exists);
            let reference = (&atom.reference, atom.reference_span);
            self.check_reference(reference, needed, site, &mut lazy_span, target);
            let found = comparisons::check(atom, (scope, edge), &mut self.inference, &mut lazy_span);
            if let Some(diagnostic) = found {
                self.problems.push(diagnostic.on(target()));
            }
        }
        // Other conditions have no contradiction, and need no part of the program that finds one.
        if !self.capabilities.errors_only && has_repeated_reference(&edge.condition) {
            for diagnostic in comparisons::contradictions(edge, &mut lazy_span) {
                self.problems.push(diagnostic.on(target()));
            }
        }
        let excused = edge.condition.excused();
        for (at, computed) in edge.computed().iter().enumerate() {
            for found in &computed.references {
                let reference = (&found.reference, found.span);
                self.check_reference(reference, !found.is_optional, site, &mut lazy_span, target);
            }
            let bare = bare_decision(computed, (scope, edge), &mut self.inference, &mut lazy_span);
            if let Some(diagnostic) = bare {
                self.problems.push(diagnostic.on(target()));
            }
            let ignored: &[Code] = if excused.contains(&at) { &RUN_TIME_CODES } else { &[] };
            self.check_types((computed, Purpose::Condition, ignored), site, &mut lazy_span, target);
        }
    }

    fn check_node(
        &mut self,
        (graph, scope, position): (&'a Graph, usize, usize),
        templates: &mut Vec<(&'a Template, &'a Spanned)>,
    ) {
        let Some(node) = graph.nodes.get(position) else { return };
        let plan = self.plan;
        let written = || plan.node_entry(graph, position)?.value.get("input").map(|entry| &entry.value);
        let place = (graph, scope, position);
        node_inputs::check(place, written, self.capabilities, &mut self.inference, self.problems);
        let settings = || plan.node_entry(graph, position)?.value.get("with").map(|entry| &entry.value);
        wait_times::check(place, settings, &mut self.inference, self.problems);
        if !self.capabilities.errors_only {
            missed_templates::check((plan, self.scopes, self.has_signs), place, self.problems);
        }
        file_inputs::check(plan, place, &mut self.inference, self.problems);
        templates_of(plan, graph, position, templates);
        for (template, value) in templates.drain(..) {
            let mut lazy_span = LazySpan::new(plan.source(), value.span, value.as_text().unwrap_or(""));
            let site = (scope, ReferenceSite::Node(position));
            let target = || graph.target(node);
            let computed = || {
                template.parts.iter().filter_map(|part| match part {
                    TemplatePart::Computed { computed, .. } => Some(computed),
                    _ => None,
                })
            };
            let references = computed().flat_map(|computed| &computed.references);
            let computed_from: Vec<Span> =
                references.filter(|found| !found.is_optional).map(|found| found.span).collect();
            for (reference, part, needed) in template.choices() {
                let needed = needed || computed_from.contains(&part);
                self.check_reference((reference, part), needed, site, &mut lazy_span, target);
            }
            for computed in computed() {
                self.check_types((computed, Purpose::Value, &[]), site, &mut lazy_span, target);
            }
        }
    }

    /// `needed` without a fallback or an existence test.
    fn check_reference(
        &mut self,
        (reference, part): (&Reference, Span),
        needed: bool,
        (scope, place): (usize, ReferenceSite<'_>),
        lazy_span: &mut LazySpan<'_>,
        target: impl Fn() -> Target,
    ) {
        if let Root::Output(name) = &reference.root
            && !self.scopes.is_defined(scope, name)
        {
            self.check_unknown_output(reference, name, scope, lazy_span.locate(part), &target);
            if !self.other_producers().named_outputs.contains(name.as_str()) {
                return;
            }
        }
        if reference.path.is_empty() {
            return;
        }
        let known_value = self.inference.root(&reference.root, scope, place);
        let (at, names, sure) = match known_value.check_path(&reference.path, self.inference.patterns) {
            PathCheck::Valid => {
                let is_known = |at: usize| {
                    let before = known_value.possible_values(reference.path.get(..at).unwrap_or_default());
                    before.is_some_and(|possible| !possible.is_unknown())
                };
                if let Some(at) = subtraction(reference).filter(|at| !is_known(*at))
                    && let Some(diagnostic) = one_name(reference, at, part, lazy_span)
                {
                    self.problems.push(diagnostic.on(target()));
                }
                if let Some(diagnostic) = existence::misplaced_test(reference, &known_value, part, lazy_span)
                {
                    self.problems.push(diagnostic.on(target()));
                }
                return;
            }
            PathCheck::Invalid(at, names) => (at, names, true),
            PathCheck::Uncertain(at, names) => (at, names, false),
        };
        let wrong = match reference.path.get(at) {
            Some(Segment::Key(key)) => Some(key.as_str()),
            _ => None,
        };
        // The node that runs the file has the diagnostic.
        let is_missing_input = at == 0 && reference.root == Root::Input && !self.plan.files().is_empty();
        if is_missing_input
            && wrong.is_some_and(|wrong| self.plan.declares_input(lazy_span.locate(part).start, wrong))
        {
            return;
        }
        let meant = wrong.and_then(|wrong| self.problems.closest_name(wrong, names.iter().copied()));
        if meant.is_some() || sure || needed {
            let mut diagnostic = report(reference, (at, wrong, meant), &names, part, lazy_span);
            if names.is_empty()
                && diagnostic.fix.is_empty()
                && let Some(help) = part_help(reference, at, &known_value)
            {
                diagnostic.help = Some(help);
            }
            if reference.root == Root::Input
                && meant.is_none()
                && let Some(help) = self.inner_input_help(scope)
            {
                diagnostic.help = Some(help);
            }
            // Existence tests expect missing values.
            let is_asked = !needed && meant.is_none() && matches!(place, ReferenceSite::Edge(_));
            if is_asked || !sure && !needed {
                diagnostic.severity = Severity::Warning;
            }
            self.problems.push(diagnostic.on(target()));
        }
    }

    /// In a nested graph whose node has no `input`, the input is the last output before the node.
    #[inline(never)]
    fn inner_input_help(&self, scope: usize) -> Option<String> {
        let (outer, position) = self.scopes.list.get(scope)?.owner?;
        let node = self.scopes.list.get(outer)?.graph.nodes.get(position)?;
        let name = shorten_name(&node.key);
        node.input.is_none().then(|| {
            format!("`input` is the input of `{name}` here; write `input: ${{input}}` in `{name}` to pass the outer one on")
        })
    }

    /// Outputs of a nested graph are its own.
    #[inline(never)]
    fn inner_output_help(&self, name: &str) -> Option<String> {
        let has_node = |graph: &Graph| graph.nodes.iter().any(|node| node.id == name);
        let scope = self.scopes.list.iter().find(|scope| has_node(scope.graph))?;
        let (outer, position) = scope.owner?;
        let around = self.scopes.list.get(outer)?.graph.nodes.get(position)?;
        let around = shorten_name(&around.id);
        Some(format!(
            "`{}` runs in a graph of its own, inside `{around}`; after that, read `output.{around}`",
            shorten_name(name)
        ))
    }

    fn check_types(
        &mut self,
        (computed, purpose, ignored): (&Computed, Purpose, &[Code]),
        site: (usize, ReferenceSite<'_>),
        lazy_span: &mut LazySpan<'_>,
        target: impl Fn() -> Target,
    ) {
        for diagnostic in expressions::check((computed, purpose, site), &mut self.inference, lazy_span) {
            if !ignored.contains(&diagnostic.code) {
                self.problems.push(diagnostic.on(target()));
            }
        }
    }

    fn other_producers(&mut self) -> &OtherProducers {
        self.other_producers.get_or_insert_with(|| OtherProducers::of(self.scopes, self.capabilities))
    }

    fn check_unknown_output(
        &mut self,
        reference: &Reference,
        name: &str,
        scope: usize,
        span: Span,
        on: &impl Fn() -> Target,
    ) {
        if self.capabilities.outputs.is_none() || has_other_producer(self.plan, self.capabilities, name) {
            return;
        }
        let others = self.other_producers();
        if others.handlers || others.named_outputs.contains(name) {
            return;
        }
        // A full list only counts, without names.
        let visible = if self.problems.is_full() { Vec::new() } else { self.scopes.visible(scope) };
        let meant = self.problems.closest_name(name, visible.into_iter());
        let mut diagnostic = unknown_output(reference, name, meant, span).on(on());
        if meant.is_none()
            && let Some(help) = self.inner_output_help(name)
        {
            diagnostic.help = Some(help);
        }
        self.problems.push(diagnostic);
    }
}

#[inline(never)]
fn has_repeated_reference(condition: &Condition) -> bool {
    const MAX_COMPARED: usize = 64;
    let references = || condition.references().map(|(reference, _)| reference);
    let mut numbered = references().take(MAX_COMPARED).enumerate();
    numbered.any(|(at, reference)| references().take(at).any(|earlier| earlier == reference))
}

/// Index, key and probable name of a segment.
type InvalidStep<'w> = (usize, Option<&'w str>, Option<&'w str>);

fn report(
    reference: &Reference,
    (at, wrong, meant): InvalidStep<'_>,
    names: &[&str],
    part: Span,
    lazy_span: &mut LazySpan<'_>,
) -> Diagnostic {
    let before = Reference {
        root: reference.root.clone(),
        path: reference.path.get(..at).unwrap_or_default().to_vec(),
    };
    let step = wrong.map_or_else(|| "such element".to_owned(), |key| format!("`{}`", shorten_name(key)));
    let message = format!("`{}` has no {step}", shorten_name(&before.to_string()));
    let span = lazy_span.locate(part);
    let diagnostic = Diagnostic::new(Code::UnknownPath, message).at(span);
    let lengths = ["length", "len", "size", "count"];
    let is_length =
        |wrong: &str| lengths.contains(&wrong) || lengths.iter().any(|length| is_typo(wrong, length));
    if names.is_empty() && wrong.is_some_and(is_length) {
        let call = format!("size({before})");
        let diagnostic = diagnostic.help(format!("write `{}`", shorten_name(&call)));
        return if at + 1 == reference.path.len() { diagnostic.fix(span, &call) } else { diagnostic };
    }
    let split = wrong.and_then(|wrong| wrong.split_once('-'));
    if let Some((left, right)) = split.filter(|(left, _)| names.contains(left)) {
        let help =
            format!("write `{} - {}` with blanks to subtract", shorten_name(left), shorten_name(right));
        let mut diagnostic = diagnostic.help(help);
        diagnostic.fix = blanks_around_dash(&format!("{left}-{right}"), left.len(), span, lazy_span);
        return diagnostic;
    }
    let (Some(meant), Some(wrong)) = (meant, wrong) else {
        // Alternatives may have the same name.
        let mut known: Vec<&str> = Vec::new();
        for name in names.iter().copied() {
            if known.len() <= MAX_LISTED && !known.contains(&name) {
                known.push(name);
            }
        }
        return match known.as_slice() {
            [] => diagnostic.help(format!(
                "write `{}`, which has no parts of that kind",
                shorten_name(&before.to_string())
            )),
            known => diagnostic.help(format!("write one of {}", name_list(known))),
        };
    };
    let mut diagnostic = diagnostic.help(format!("did you mean `{}`?", shorten_name(meant)));
    let written = lazy_span.source.get(span.start..span.end).unwrap_or("");
    let plain = meant.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    // Only for a key after a dot, with printed text before it.
    let from = format!("{before}.");
    if plain && written.strip_prefix(&from).is_some_and(|rest| rest.starts_with(wrong)) {
        let start = span.start + from.len();
        diagnostic.fix =
            vec![TextEdit { span: Span::new(start, start + wrong.len()), text: meant.to_owned() }];
    }
    diagnostic
}

/// The position of `total-input` in `input.total-input.discount`, which probably subtracts.
fn subtraction(reference: &Reference) -> Option<usize> {
    let root = reference.root.word();
    let before_last = reference.path.len().checked_sub(1)?;
    let subtracts = |segment: &Segment| match segment {
        Segment::Key(key) => key.split_once('-').is_some_and(|(_, right)| right == root),
        Segment::Index(_) => false,
    };
    reference.path.iter().take(before_last).position(subtracts)
}

/// `None` if the name is in brackets.
#[inline(never)]
fn one_name(
    reference: &Reference,
    at: usize,
    part: Span,
    lazy_span: &mut LazySpan<'_>,
) -> Option<Diagnostic> {
    let key = match reference.path.get(at) {
        Some(Segment::Key(key)) => key.as_str(),
        _ => "",
    };
    let span = lazy_span.locate(part);
    let message = format!("`{}` is one name, with a dash in it", shorten_name(key));
    let mut diagnostic = Diagnostic::new(Code::UnknownPath, message).at(span);
    diagnostic.severity = Severity::Warning;
    diagnostic.fix = blanks_around_dash(key, key.find('-').unwrap_or(0), span, lazy_span);
    let is_bare = !diagnostic.fix.is_empty();
    let help = "write blanks around the dash to subtract, or `[\"…\"]` around the name";
    is_bare.then(|| diagnostic.help(help))
}

/// `dash` is its position in the key.
#[inline(never)]
fn blanks_around_dash(key: &str, dash: usize, span: Span, lazy_span: &LazySpan<'_>) -> Vec<TextEdit> {
    let written = lazy_span.source.get(span.start..span.end).unwrap_or("");
    let found = written.find(&format!(".{key}")).map(|at| span.start + at + 1 + dash);
    let edit = |at: usize| TextEdit { span: Span::new(at, at + 1), text: " - ".to_owned() };
    found.map(edit).into_iter().collect_vec()
}
