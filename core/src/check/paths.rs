//! Paths into what nodes give, as far as that is known.
//!
//! Decides which references lead into a value that can't be there: by a tool's output schema, a model's answer schema, or
//! what a node's own type makes of its branches. What a schema names nowhere is reported, too, unless the plan says what stands
//! in for it or asks whether it is there; then only where a name looks misspelt.

use super::inference::{At, Inference};
use super::known::Found;
use super::{compared, given};
use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, Diagnostic, Problems, Severity, Span, Target, TextEdit, brief};
use crate::expr::{Reference, Root, Test};
use crate::graph::scope::Scopes;
use crate::graph::{Graph, Node, PlanGraph, Spot, templates_of, unknown_output};
use crate::kind;
use crate::list::List;
use crate::node::{self, Action};
use crate::value::Segment;
use std::collections::HashSet;

/// Reports the paths that lead nowhere.
pub(super) fn check<'a>(plan: &'a PlanGraph, capabilities: &'a Capabilities, problems: &mut Problems) {
    let scopes = Scopes::new(plan);
    let inference = Inference::new(&scopes, plan, capabilities);
    let mut judge = Judge { scopes: &scopes, plan, capabilities, inference, others: None, problems };
    let mut templates = Vec::new();
    for (scope, place) in scopes.list.iter().enumerate() {
        let graph = place.graph;
        for edge in &graph.edges {
            let mut spot = Spot::new(plan.source(), edge.condition_span, &edge.text);
            for atom in edge.atoms() {
                let target = || Target::Condition(graph.scope.clone(), edge.index);
                let needed = !matches!(atom.test, Test::Exists);
                let reference = (&atom.reference, atom.reference_span);
                judge.reference(reference, needed, (scope, At::Edge(edge)), &mut spot, target);
                if let Some(problem) = compared::check(atom, (scope, edge), &mut judge.inference, &mut spot) {
                    judge.problems.push(problem.on(target()));
                }
            }
        }
        for (position, node) in graph.nodes.iter().enumerate() {
            let written = || plan.entry(graph, position)?.value.get("input").map(|entry| &entry.value);
            let place = (graph, scope, position);
            given::check(place, written, capabilities, &mut judge.inference, judge.problems);
            templates_of(plan, graph, position, &mut templates);
            for (template, value) in templates.drain(..) {
                let mut spot = Spot::new(plan.source(), value.span, value.as_text().unwrap_or(""));
                for (reference, part, needed) in template.choices() {
                    let at = (scope, At::Node(position));
                    judge.reference((reference, part), needed, at, &mut spot, || graph.target(node));
                }
            }
        }
    }
}

struct Judge<'s, 'a> {
    scopes: &'s Scopes<'a>,
    plan: &'a PlanGraph,
    capabilities: &'a Capabilities,
    inference: Inference<'s, 'a>,
    /// Who else may give outputs, once that was asked.
    others: Option<Others>,
    problems: &'s mut Problems,
}

impl Judge<'_, '_> {
    /// Judges a reference. It is `needed` where nothing stands in for what it leads to, and nobody asks whether that is there.
    fn reference(
        &mut self,
        (reference, part): (&Reference, Span),
        needed: bool,
        (scope, place): (usize, At<'_>),
        spot: &mut Spot<'_>,
        target: impl Fn() -> Target,
    ) {
        if let Root::Output(name) = &reference.root
            && !self.scopes.is_named(scope, name)
        {
            self.unknown(reference, name, scope, spot.of(part), &target);
            if !self.others().written.contains(name.as_str()) {
                return;
            }
        }
        if reference.path.is_empty() {
            return;
        }
        let known = self.inference.root(&reference.root, scope, place);
        let (at, names, sure) = match known.follow(&reference.path, self.inference.patterns) {
            Found::Fine => return,
            Found::Nowhere(at, names) => (at, names, true),
            Found::Doubtful(at, names) => (at, names, false),
        };
        let wrong = match reference.path.get(at) {
            Some(Segment::Key(key)) => Some(key.as_str()),
            _ => None,
        };
        let meant = wrong.and_then(|wrong| self.problems.near(wrong, names.iter().copied()));
        if meant.is_some() || sure || needed {
            let mut problem = report(reference, (at, wrong, meant), &names, part, spot);
            // A condition that asks whether it is there knows that it may not be.
            let is_asked = !needed && meant.is_none() && matches!(place, At::Edge(_));
            if is_asked || !sure && !needed {
                problem.severity = Severity::Warning;
            }
            self.problems.push(problem.on(target()));
        }
    }

    fn others(&mut self) -> &Others {
        self.others.get_or_insert_with(|| Others::of(self.scopes, self.capabilities))
    }

    /// Reports an output that nobody gives, as far as it is known who gives outputs.
    fn unknown(
        &mut self,
        reference: &Reference,
        name: &str,
        scope: usize,
        place: Span,
        on: &impl Fn() -> Target,
    ) {
        if self.capabilities.outputs.is_none() || is_given(self.plan, self.capabilities, name) {
            return;
        }
        let others = self.others();
        if others.handlers || others.written.contains(name) {
            return;
        }
        // For so many that they are only counted no names are gathered.
        let visible = if self.problems.is_full() { Vec::new() } else { self.scopes.visible(scope) };
        let meant = self.problems.near(name, visible.into_iter());
        self.problems.push(unknown_output(reference, name, meant, place).on(on()));
    }
}

/// Whether somebody besides the nodes gives an output of this name: the caller, a stub, or one of a test.
pub(super) fn is_given(plan: &PlanGraph, capabilities: &Capabilities, name: &str) -> bool {
    plan.is_given(name) || capabilities.gives_output(name)
}

/// Who gives outputs under names that no node has.
struct Others {
    /// Whether the host itself answers for a node, or may: handlers give outputs of any name.
    handlers: bool,
    /// The names that nodes write on some ways.
    written: HashSet<&'static str>,
}

impl Others {
    fn of(scopes: &Scopes<'_>, capabilities: &Capabilities) -> Self {
        let nodes =
            || scopes.list.iter().flat_map(|scope| scope.graph.nodes.iter().map(|node| (scope.graph, node)));
        let is_handled = |(graph, node): (&Graph, &Node)| {
            matches!(node::action(node, &graph.place(node), capabilities), None | Some(Action::Handler(_)))
        };
        let mut written = HashSet::new();
        for (_, node) in nodes() {
            written.extend(kind::may_write(&node.kind));
        }
        Self { handlers: nodes().any(is_handled), written }
    }
}

/// The step that leads nowhere: its position, its key, the name that was probably meant.
type Wrong<'w> = (usize, Option<&'w str>, Option<&'w str>);

fn report(
    reference: &Reference,
    (at, wrong, meant): Wrong<'_>,
    names: &[&str],
    part: Span,
    spot: &mut Spot<'_>,
) -> Diagnostic {
    let before = Reference {
        root: reference.root.clone(),
        path: reference.path.get(..at).unwrap_or_default().to_vec(),
    };
    let step = wrong.map_or_else(|| "such element".to_owned(), |key| format!("`{}`", brief(key)));
    let message = format!("`{}` has no {step}", brief(&before.to_string()));
    let place = spot.of(part);
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
    // Only where the key stands after a dot, and everything before it is written as it is printed.
    let from = format!("{before}.");
    if plain && written.strip_prefix(&from).is_some_and(|rest| rest.starts_with(wrong)) {
        let start = place.start + from.len();
        problem.fix = vec![TextEdit { span: Span::new(start, start + wrong.len()), text: meant.to_owned() }];
    }
    problem
}
