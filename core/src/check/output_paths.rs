//! Checks paths into outputs of nodes.
//!
//! Decides which references can't have a value, by a tool's output schema, a model's answer schema, or the output that
//! a composite node builds. A name that no schema declares is reported, too. If the plan provides a fallback or tests
//! whether the value exists, only likely typos are reported.

use super::inference::{Inference, ReferenceSite};
use super::known_value::PathCheck;
use super::{comparisons, node_inputs};
use crate::capabilities::Capabilities;
use crate::collect::List;
use crate::diagnostic::{Code, Diagnostic, Problems, Severity, Span, Target, TextEdit, brief};
use crate::expr::{Reference, Root, Test};
use crate::graph::scope::Scopes;
use crate::graph::{Graph, LazySpan, Node, PlanGraph, templates_of, unknown_output};
use crate::kind;
use crate::node::{self, Action};
use crate::value::Segment;
use std::collections::HashSet;

/// Reports invalid paths.
pub(super) fn check<'a>(plan: &'a PlanGraph, capabilities: &'a Capabilities, problems: &mut Problems) {
    let scopes = Scopes::new(plan);
    let inference = Inference::new(&scopes, plan, capabilities);
    let mut judge =
        PathChecker { scopes: &scopes, plan, capabilities, inference, other_producers: None, problems };
    let mut templates = Vec::new();
    for (scope, place) in scopes.list.iter().enumerate() {
        let graph = place.graph;
        for edge in &graph.edges {
            let mut spot = LazySpan::new(plan.source(), edge.condition_span, &edge.condition_text);
            for atom in edge.atoms() {
                let target = || Target::Condition(graph.scope.clone(), edge.index);
                let needed = !matches!(atom.test, Test::Exists);
                let reference = (&atom.reference, atom.reference_span);
                judge.check_reference(
                    reference,
                    needed,
                    (scope, ReferenceSite::Edge(edge)),
                    &mut spot,
                    target,
                );
                if let Some(problem) =
                    comparisons::check(atom, (scope, edge), &mut judge.inference, &mut spot)
                {
                    judge.problems.push(problem.on(target()));
                }
            }
        }
        for (position, node) in graph.nodes.iter().enumerate() {
            let written = || plan.node_entry(graph, position)?.value.get("input").map(|entry| &entry.value);
            let place = (graph, scope, position);
            node_inputs::check(place, written, capabilities, &mut judge.inference, judge.problems);
            templates_of(plan, graph, position, &mut templates);
            for (template, value) in templates.drain(..) {
                let mut spot = LazySpan::new(plan.source(), value.span, value.as_text().unwrap_or(""));
                for (reference, part, needed) in template.choices() {
                    let at = (scope, ReferenceSite::Node(position));
                    judge.check_reference((reference, part), needed, at, &mut spot, || graph.target(node));
                }
            }
        }
    }
}

struct PathChecker<'s, 'a> {
    scopes: &'s Scopes<'a>,
    plan: &'a PlanGraph,
    capabilities: &'a Capabilities,
    inference: Inference<'s, 'a>,
    /// The other producers of outputs, computed on first use.
    other_producers: Option<OtherProducers>,
    problems: &'s mut Problems,
}

impl PathChecker<'_, '_> {
    /// Checks a reference. It is `needed` if it has no fallback and no condition tests whether it exists.
    fn check_reference(
        &mut self,
        (reference, part): (&Reference, Span),
        needed: bool,
        (scope, place): (usize, ReferenceSite<'_>),
        spot: &mut LazySpan<'_>,
        target: impl Fn() -> Target,
    ) {
        if let Root::Output(name) = &reference.root
            && !self.scopes.is_defined(scope, name)
        {
            self.check_unknown_output(reference, name, scope, spot.locate(part), &target);
            if !self.other_producers().named_outputs.contains(name.as_str()) {
                return;
            }
        }
        if reference.path.is_empty() {
            return;
        }
        let known = self.inference.root(&reference.root, scope, place);
        let (at, names, sure) = match known.check_path(&reference.path, self.inference.patterns) {
            PathCheck::Valid => return,
            PathCheck::Invalid(at, names) => (at, names, true),
            PathCheck::Uncertain(at, names) => (at, names, false),
        };
        let wrong = match reference.path.get(at) {
            Some(Segment::Key(key)) => Some(key.as_str()),
            _ => None,
        };
        let meant = wrong.and_then(|wrong| self.problems.near(wrong, names.iter().copied()));
        if meant.is_some() || sure || needed {
            let mut problem = report(reference, (at, wrong, meant), &names, part, spot);
            // A condition that tests for existence expects missing values.
            let is_asked = !needed && meant.is_none() && matches!(place, ReferenceSite::Edge(_));
            if is_asked || !sure && !needed {
                problem.severity = Severity::Warning;
            }
            self.problems.push(problem.on(target()));
        }
    }

    fn other_producers(&mut self) -> &OtherProducers {
        self.other_producers.get_or_insert_with(|| OtherProducers::of(self.scopes, self.capabilities))
    }

    /// Reports an output without a producer, if all producers are known.
    fn check_unknown_output(
        &mut self,
        reference: &Reference,
        name: &str,
        scope: usize,
        place: Span,
        on: &impl Fn() -> Target,
    ) {
        if self.capabilities.outputs.is_none() || has_other_producer(self.plan, self.capabilities, name) {
            return;
        }
        let others = self.other_producers();
        if others.handlers || others.named_outputs.contains(name) {
            return;
        }
        // When the list of diagnostics is full, they are only counted and need no names.
        let visible = if self.problems.is_full() { Vec::new() } else { self.scopes.visible(scope) };
        let meant = self.problems.near(name, visible.into_iter());
        self.problems.push(unknown_output(reference, name, meant, place).on(on()));
    }
}

/// Whether the caller, the host or a stub produces an output of this name.
pub(super) fn has_other_producer(plan: &PlanGraph, capabilities: &Capabilities, name: &str) -> bool {
    plan.is_external_output(name) || capabilities.has_external_output(name)
}

struct OtherProducers {
    /// Whether the host may answer for a node. Handlers write outputs of any name.
    handlers: bool,
    /// Names that some nodes write in some runs.
    named_outputs: HashSet<&'static str>,
}

impl OtherProducers {
    fn of(scopes: &Scopes<'_>, capabilities: &Capabilities) -> Self {
        let nodes =
            || scopes.list.iter().flat_map(|scope| scope.graph.nodes.iter().map(|node| (scope.graph, node)));
        let is_handled = |(graph, node): (&Graph, &Node)| {
            matches!(
                node::action(node, &graph.node_path(node), capabilities),
                None | Some(Action::Handler(_))
            )
        };
        let mut written = HashSet::new();
        for (_, node) in nodes() {
            written.extend(kind::possible_named_outputs(&node.kind));
        }
        Self { handlers: nodes().any(is_handled), named_outputs: written }
    }
}

/// The invalid segment: its index, its key, and the name that was probably meant.
type InvalidStep<'w> = (usize, Option<&'w str>, Option<&'w str>);

fn report(
    reference: &Reference,
    (at, wrong, meant): InvalidStep<'_>,
    names: &[&str],
    part: Span,
    spot: &mut LazySpan<'_>,
) -> Diagnostic {
    let before = Reference {
        root: reference.root.clone(),
        path: reference.path.get(..at).unwrap_or_default().to_vec(),
    };
    let step = wrong.map_or_else(|| "such element".to_owned(), |key| format!("`{}`", brief(key)));
    let message = format!("`{}` has no {step}", brief(&before.to_string()));
    let place = spot.locate(part);
    let problem = Diagnostic::new(Code::UnknownPath, message).at(place);
    let (Some(meant), Some(wrong)) = (meant, wrong) else {
        let known: Vec<String> = names.iter().take(8).map(|name| format!("`{}`", brief(name))).list();
        return match known.as_slice() {
            [] => problem
                .help(format!("write `{}`, which has no parts of that kind", brief(&before.to_string()))),
            known => problem.help(format!("write one of {}", known.join(", "))),
        };
    };
    let mut problem = problem.help(format!("did you mean `{}`?", brief(meant)));
    let written = spot.source.get(place.start..place.end).unwrap_or("");
    let plain = meant.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    // Only if the key follows a dot and the text before it is in printed form.
    let from = format!("{before}.");
    if plain && written.strip_prefix(&from).is_some_and(|rest| rest.starts_with(wrong)) {
        let start = place.start + from.len();
        problem.fix = vec![TextEdit { span: Span::new(start, start + wrong.len()), text: meant.to_owned() }];
    }
    problem
}
