//! Paths into what nodes give, as far as that is known.
//!
//! Decides which references lead into a value that can't be there: by a tool's output schema, a model's answer schema, or
//! what a node's own type makes of its branches. What a schema names nowhere is reported, too, unless the plan says what stands
//! in for it or asks whether it is there; then only where a name looks misspelt.

use crate::diagnostic::{Code, Diagnostic, Problems, Severity, Span, Target, TextEdit, brief, near};
use crate::expr::{Reference, Root, Test};
use crate::graph::mentions::{templates_of, unknown_output};
use crate::graph::scope::Scopes;
use crate::graph::spot::Spot;
use crate::graph::{Graph, Node, PlanGraph, Texts};
use crate::host::Capabilities;
use crate::list::List;
use crate::node::{self, Action, Join, Shape};
use crate::schema::{PathVerdict, Patterns, Schema};
use crate::tool::Catalogue;
use crate::value::Segment;
use std::collections::HashSet;

/// What is known of a value.
#[derive(Debug)]
enum Known<'a> {
    /// Nothing.
    Anything,
    /// Text, which has no parts.
    Text,
    /// What a schema in the plan says.
    Schema(Box<Schema>),
    /// What a tool's schema says, as far as it can be understood.
    Tool(&'a Schema),
    /// A map with these keys and no others.
    Map(Vec<(&'a str, Known<'a>)>),
    /// A list of such values.
    List(Box<Known<'a>>),
}

/// What a path comes to.
enum Found<'a> {
    Fine,
    /// The step at a position leads nowhere; these names would do.
    Nowhere(usize, Vec<&'a str>),
    /// It may lead nowhere: of the names known there one may be meant.
    Doubtful(usize, Vec<&'a str>),
}

/// Reports the paths that lead nowhere.
pub(super) fn check<'a>(plan: &'a PlanGraph, capabilities: &'a Capabilities, problems: &mut Problems) {
    let scopes = Scopes::new(plan);
    let patterns = capabilities.tools.as_ref().map(Catalogue::patterns).unwrap_or_default();
    let mut judge = Judge {
        scopes: &scopes,
        capabilities,
        patterns,
        known: scopes.list.iter().map(|_| Vec::new()).list(),
        failure: failure(),
        others: None,
        problems,
    };
    let mut templates = Vec::new();
    for (scope, place) in scopes.list.iter().enumerate() {
        let graph = place.graph;
        for edge in &graph.edges {
            let mut spot = Spot::new(&plan.source, edge.condition_span, &edge.text);
            for atom in edge.condition.atoms() {
                let target = || Target::Condition(graph.scope.clone(), edge.index);
                let needed = !matches!(atom.test, Test::Exists);
                judge.reference((&atom.reference, atom.reference_span), needed, scope, &mut spot, target);
            }
        }
        for (position, node) in graph.nodes.iter().enumerate() {
            templates_of(plan, graph, position, &mut templates);
            for (template, value) in templates.drain(..) {
                let mut spot = Spot::new(&plan.source, value.span, value.as_text().unwrap_or(""));
                for (reference, part, needed) in template.choices() {
                    judge.reference((reference, part), needed, scope, &mut spot, || graph.target(node));
                }
            }
        }
    }
}

struct Judge<'s, 'a> {
    scopes: &'s Scopes<'a>,
    capabilities: &'a Capabilities,
    patterns: Patterns,
    /// What nodes give, by scope and position.
    known: Vec<Vec<Option<Box<Known<'a>>>>>,
    failure: Known<'a>,
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
        scope: usize,
        spot: &mut Spot<'_>,
        target: impl Fn() -> Target,
    ) {
        let known = match &reference.root {
            Root::Output(name) if !self.scopes.is_named(scope, name) => {
                self.unknown(reference, name, scope, spot.of(part), target);
                return;
            }
            _ if reference.path.is_empty() => return,
            Root::Error => &self.failure,
            Root::Output(name) => {
                let Some(found) = self.scopes.find(scope, name) else { return };
                let Some(of_scope) = self.known.get_mut(found.0) else { return };
                if of_scope.len() <= found.1 {
                    of_scope.resize_with(found.1 + 1, || None);
                }
                let Some(place) = of_scope.get_mut(found.1) else { return };
                let given = || Box::new(given(self.scopes, self.capabilities, self.patterns, found));
                &**place.get_or_insert_with(given)
            }
            _ => return,
        };
        let (at, names, sure) = match follow(known, &reference.path, 0, self.patterns) {
            Found::Fine => return,
            Found::Nowhere(at, names) => (at, names, true),
            Found::Doubtful(at, names) => (at, names, false),
        };
        let wrong = match reference.path.get(at) {
            Some(Segment::Key(key)) => Some(key.as_str()),
            _ => None,
        };
        let meant = wrong.and_then(|wrong| near(wrong, names.iter().copied()));
        if meant.is_some() || sure || needed {
            let mut problem = report(reference, (at, wrong, meant), &names, part, spot);
            if !sure && !needed {
                problem.severity = Severity::Warning;
            }
            self.problems.push(problem.on(target()));
        }
    }

    /// Reports an output that nobody gives, as far as it is known who gives outputs.
    fn unknown(
        &mut self,
        reference: &Reference,
        name: &str,
        scope: usize,
        place: Span,
        on: impl Fn() -> Target,
    ) {
        let given = self.capabilities.outputs.as_ref().is_none_or(|outputs| outputs.contains(name));
        if given {
            return;
        }
        let others = self.others.get_or_insert_with(|| Others::of(self.scopes, self.capabilities));
        if others.handlers || others.written.contains(name) {
            return;
        }
        // For so many that they are only counted no names are gathered.
        let visible = if self.problems.is_full() { Vec::new() } else { self.scopes.visible(scope) };
        let meant = self.problems.near(name, visible.into_iter());
        self.problems.push(unknown_output(reference, name, meant, place).on(on()));
    }
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
            written.extend(node::may_write(&node.kind));
        }
        Self { handlers: nodes().any(is_handled), written }
    }
}

/// What a failure is.
fn failure<'a>() -> Known<'a> {
    Known::Map(["code", "message", "node", "scope"].map(|key| (key, Known::Text)).into())
}

/// What a node gives.
fn given<'a>(
    scopes: &Scopes<'a>,
    capabilities: &'a Capabilities,
    patterns: Patterns,
    at: (usize, usize),
) -> Known<'a> {
    let place = scopes.list.get(at.0);
    let Some((graph, node)) = place.and_then(|place| Some((place.graph, place.graph.nodes.get(at.1)?)))
    else {
        return Known::Anything;
    };
    let compile = |schema: &serde_json::Value| {
        Schema::compile(schema, &(), patterns)
            .map_or(Known::Anything, |schema| Known::Schema(Box::new(schema)))
    };
    match node::action(node, &graph.place(node), capabilities) {
        Some(Action::Tool(name)) => {
            let tools = capabilities.tools.as_ref();
            tools.and_then(|tools| tools.understood(&name, false)).map_or(Known::Anything, Known::Tool)
        }
        Some(Action::Llm(settings) | Action::Agent(settings)) => {
            match settings.as_ref().and_then(|with| with.get("schema")) {
                None => Known::Text,
                Some(schema) => {
                    schema.constant().filter(|schema| schema.is_object()).map_or(Known::Anything, compile)
                }
            }
        }
        Some(Action::Fan(fan)) => match (fan.shape, fan.join) {
            // `with.join` may have holes; then nobody knows.
            _ if node
                .with
                .as_ref()
                .and_then(|with| with.get("join"))
                .is_some_and(|join| !is_fixed(&join)) =>
            {
                Known::Anything
            }
            (Shape::Graph, _) | (_, Join::Any) => Known::Anything,
            (Shape::Map, join) => Known::List(Box::new(ended(join))),
            (Shape::Parallel, join) => {
                let branches = node.nested.iter().filter(|nested| nested.key == fan.shape.key());
                Known::Map(branches.map(|branch| (branch.name.as_str(), ended(join))).list())
            }
        },
        _ => Known::Anything,
    }
}

fn is_fixed(texts: &Texts) -> bool {
    texts.constant().is_some()
}

/// What is known of one of several that ended.
fn ended<'a>(join: Join) -> Known<'a> {
    match join {
        Join::Settled => {
            Known::Map(vec![("status", Known::Text), ("value", Known::Anything), ("error", failure())])
        }
        _ => Known::Anything,
    }
}

fn follow<'k>(known: &'k Known<'_>, path: &[Segment], at: usize, patterns: Patterns) -> Found<'k> {
    let Some(step) = path.get(at) else { return Found::Fine };
    let is_index = match step {
        Segment::Index(_) => true,
        Segment::Key(key) => key.parse::<usize>().is_ok(),
    };
    match known {
        Known::Anything => Found::Fine,
        Known::Text => Found::Nowhere(at, Vec::new()),
        Known::List(item) if is_index => follow(item, path, at + 1, patterns),
        Known::List(_) => Found::Nowhere(at, Vec::new()),
        Known::Map(entries) => {
            match entries.iter().find(|(key, _)| matches!(step, Segment::Key(own) if own == key)) {
                Some((_, value)) => follow(value, path, at + 1, patterns),
                None => Found::Nowhere(at, entries.iter().map(|(key, _)| *key).list()),
            }
        }
        Known::Tool(schema) => by_schema(schema, path.get(at..).unwrap_or_default(), at, patterns),
        Known::Schema(schema) => by_schema(schema, path.get(at..).unwrap_or_default(), at, patterns),
    }
}

fn by_schema<'k>(schema: &'k Schema, rest: &[Segment], base: usize, patterns: Patterns) -> Found<'k> {
    let part = |length: usize| rest.get(..length).unwrap_or_default();
    match schema.path(rest, patterns) {
        PathVerdict::Impossible => {
            let fits = |length: &usize| schema.path(part(*length), patterns) != PathVerdict::Impossible;
            let at = (0..rest.len()).rev().find(fits).unwrap_or(0);
            Found::Nowhere(base + at, schema.names_at(part(at)))
        }
        PathVerdict::Undeclared(at) => Found::Doubtful(base + at, schema.names_at(part(at))),
        _ => Found::Fine,
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
