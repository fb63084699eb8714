//! Infers what is known of values before a run: outputs, `last`, the input, elements of `map`.
//!
//! Decides from schemas of tools, answer schemas, declared inputs, constants, and from what built-in types pass on.
//!
//! Invariants:
//! 1. what is inferred covers every value that a run can have: a handler's answer is unknown, and so is a value that a loop feeds to
//!    itself;
//! 2. nodes that pass a value on are followed however many there are; other questions are nested [`MAX_DEPTH`] deep at most, and beyond
//!    that the value is unknown;
//! 3. an answer that a bound cut off is not kept, so the order of nodes in the file decides nothing.

mod composite;
mod origin;
mod written;

use super::known::{Known, Path, Shared};
use super::paths::is_given;
use crate::capabilities::Capabilities;
use crate::expr::{Condition, Root};
use crate::graph::scope::Scopes;
use crate::graph::{Edge, Graph, Named, Node, PlanGraph};
use crate::list::List;
use crate::node::{self, Action, gather};
use crate::schema::{Patterns, Schema};
use crate::tool::Catalogue;
use crate::value::Segment;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::rc::Rc;

/// How deep questions may be nested.
const MAX_DEPTH: usize = 40;
/// How many questions may be asked in all; beyond that values are unknown.
const PATIENCE: usize = 200_000;
/// How many alternatives a value may have before it is unknown.
const MAX_ALTERNATIVES: usize = 16;
/// The elements of a list that stand for all: the first two, whose schemas `prefixItems` may name, and a later one.
const ELEMENTS: [usize; 3] = [0, 1, 99];

/// A value that is inferred once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Question {
    /// What a node gives.
    Output(usize, usize),
    /// What `last` is when a run comes to a node.
    Last(usize, usize),
    /// What a graph is given.
    Input(usize),
    /// What a graph ends with.
    End(usize),
}

/// Where a reference stands in its graph.
#[derive(Debug, Clone, Copy)]
pub(super) enum At<'a> {
    /// In the condition of an edge.
    Edge(&'a Edge),
    /// In a node, by its position.
    Node(usize),
}

/// Answers what is known of the values of a plan.
#[derive(Debug)]
pub(super) struct Inference<'s, 'a> {
    scopes: &'s Scopes<'a>,
    capabilities: &'a Capabilities,
    plan: &'a PlanGraph,
    pub(super) patterns: Patterns,
    failure: Shared<'a>,
    /// The scopes inside each node.
    inside: HashMap<(usize, usize), Vec<usize>>,
    /// By scope: the edges that lead to each node.
    incoming: HashMap<usize, Vec<Vec<usize>>>,
    /// By scope and name: what nodes write under a name that no node has.
    written: HashMap<(usize, String), Shared<'a>>,
    /// What was inferred. Nothing marks a question that is under way: it finds loops.
    answers: HashMap<Question, Option<Shared<'a>>>,
    /// The questions that have the same answer as another.
    same: HashMap<Question, Question>,
    depth: usize,
    /// The edge whose condition was looked at last.
    looked_at: Option<LookedAt<'a>>,
    patience: usize,
    /// How often a bound cut a question off.
    cuts: usize,
}

/// What is known where the condition of an edge is looked at.
#[derive(Debug)]
struct LookedAt<'a> {
    scope: usize,
    edge: usize,
    last: Shared<'a>,
    /// Whether the condition speaks of a failure.
    is_of_failure: bool,
}

impl<'s, 'a> Inference<'s, 'a> {
    pub(super) fn new(scopes: &'s Scopes<'a>, plan: &'a PlanGraph, capabilities: &'a Capabilities) -> Self {
        let mut inside: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        for (at, scope) in scopes.list.iter().enumerate() {
            if let Some(owner) = scope.owner {
                inside.entry(owner).or_default().push(at);
            }
        }
        let patterns = capabilities.tools.as_ref().map(Catalogue::patterns).unwrap_or_default();
        Self {
            scopes,
            capabilities,
            plan,
            patterns,
            failure: Rc::new(failure()),
            inside,
            incoming: HashMap::new(),
            written: HashMap::new(),
            answers: HashMap::new(),
            same: HashMap::new(),
            depth: 0,
            looked_at: None,
            patience: PATIENCE,
            cuts: 0,
        }
    }

    /// What the root of a reference is.
    pub(super) fn root(&mut self, root: &Root, scope: usize, at: At<'_>) -> Shared<'a> {
        match root {
            Root::Error => Rc::clone(&self.failure),
            // Whoever else gives an output of that name may give any value.
            Root::Output(name) if is_given(self.plan, self.capabilities, name) => anything(),
            Root::Output(name) => match self.scopes.find(scope, name) {
                Some((scope, node)) => self.ask(Question::Output(scope, node)),
                None => self.written(scope, name),
            },
            Root::Last => match at {
                At::Node(node) => self.ask(Question::Last(scope, node)),
                At::Edge(edge) => self.last_at(scope, edge),
            },
            Root::Input => self.ask(Question::Input(scope)),
            Root::Item => self.item(scope),
            Root::Index => Rc::new(Known::Scalar),
            Root::Context | Root::Memory | Root::Call => anything(),
        }
    }

    /// Whether the root of a reference in a condition is what a person decided.
    pub(super) fn is_decision(&mut self, root: &Root, scope: usize, edge: &Edge) -> bool {
        let found = match root {
            // After a failure `last` is what came before.
            Root::Last if !self.is_of_failure(scope, edge) => Some((scope, edge.source)),
            Root::Output(name) => self.scopes.find(scope, name),
            _ => None,
        };
        found.and_then(|(scope, node)| self.node(scope, node)).is_some_and(|(graph, node)| {
            let action = node::action(node, &graph.place(node), self.capabilities);
            matches!(action, Some(Action::Approve))
        })
    }

    /// What the node at a position of the plan's own graph gives.
    pub(super) fn given_by(&mut self, position: usize) -> Shared<'a> {
        self.ask(Question::Output(0, position))
    }

    /// What a run ends with that is completed.
    pub(super) fn ending(&mut self) -> Shared<'a> {
        self.ask(Question::End(0))
    }

    /// What a node is given: its input, or what came before.
    pub(super) fn input_of(&mut self, scope: usize, position: usize) -> Shared<'a> {
        match self.node(scope, position).map(|(_, node)| &node.input) {
            Some(Some(texts)) => self.value(texts, scope, position),
            Some(None) => self.ask(Question::Last(scope, position)),
            None => anything(),
        }
    }

    fn node(&self, scope: usize, position: usize) -> Option<(&'a Graph, &'a Node)> {
        let graph = self.scopes.list.get(scope)?.graph;
        Some((graph, graph.nodes.get(position)?))
    }

    fn ask(&mut self, question: Question) -> Shared<'a> {
        let question = self.origin(question);
        match self.answers.get(&question) {
            Some(Some(answer)) => return Rc::clone(answer),
            // A loop feeds the value to itself.
            Some(None) => return anything(),
            None if self.depth >= MAX_DEPTH || self.patience == 0 => {
                self.cuts += 1;
                return anything();
            }
            None => {}
        }
        let cuts = self.cuts;
        self.answers.insert(question, None);
        self.depth += 1;
        self.patience -= 1;
        let answer = match question {
            Question::Output(scope, node) => self.output(scope, node),
            Question::Last(scope, node) => self.last(scope, node),
            Question::Input(scope) => self.input(scope),
            Question::End(scope) => self.end(scope),
        };
        self.depth -= 1;
        if self.cuts == cuts {
            self.answers.insert(question, Some(Rc::clone(&answer)));
        } else {
            self.answers.remove(&question);
        }
        answer
    }

    fn output(&mut self, scope: usize, position: usize) -> Shared<'a> {
        let Some((graph, node)) = self.node(scope, position) else { return anything() };
        match node::action(node, &graph.place(node), self.capabilities) {
            Some(Action::Tool(name)) => {
                let tools = self.capabilities.tools.as_ref();
                // A text may be JSON, which it then becomes.
                let parses = node::settings::parses(node.with.as_ref());
                let schema = tools.and_then(|tools| tools.understood(&name, false)).filter(|_| !parses);
                schema.map_or_else(anything, |schema| Rc::new(Known::Tool(schema)))
            }
            Some(Action::Llm(with) | Action::Agent(with)) => {
                match with.as_ref().and_then(|with| with.get("schema")) {
                    None => Rc::new(Known::Text),
                    Some(schema) => self.described(schema.constant()),
                }
            }
            Some(Action::Pass) => self.ask(Question::Last(scope, position)),
            Some(Action::Log) => self.input_of(scope, position),
            Some(Action::Fan(fan)) => self.joined(fan, scope, position),
            Some(action @ (Action::Plan(_) | Action::React(_))) => {
                self.described(node::gives(&action).as_ref())
            }
            Some(action @ Action::Gather(..)) => {
                Rc::new(Known::Open(self.described(node::gives(&action).as_ref()), gather::DATA))
            }
            _ => anything(),
        }
    }

    /// What a schema of the plan says.
    fn described(&self, schema: Option<&Json>) -> Shared<'a> {
        let schema = schema.filter(|schema| schema.is_object());
        let compiled = schema.and_then(|schema| Schema::compile(schema, &(), self.patterns).ok());
        compiled.map_or_else(anything, |schema| Rc::new(Known::Schema(Box::new(schema))))
    }

    /// What `last` is when a run comes to a node.
    fn last(&mut self, scope: usize, position: usize) -> Shared<'a> {
        let Some(graph) = self.scopes.list.get(scope).map(|scope| scope.graph) else { return anything() };
        let incoming = self.incoming.entry(scope).or_insert_with(|| incoming(graph));
        let edges = incoming.get(position).cloned().unwrap_or_default();
        if !graph.whole || edges.len() > MAX_ALTERNATIVES {
            return anything();
        }
        let mut found = Vec::new();
        if graph.start == Some(position) {
            found.push(self.ask(Question::Input(scope)));
        }
        for edge in edges.into_iter().filter_map(|at| graph.edges.get(at)) {
            found.push(self.last_on(scope, edge));
        }
        either(found)
    }

    /// The same, found once for all comparisons of a condition: there may be many.
    fn last_at(&mut self, scope: usize, edge: &Edge) -> Shared<'a> {
        match &self.looked_at {
            Some(seen) if (seen.scope, seen.edge) == (scope, edge.index) => Rc::clone(&seen.last),
            _ => {
                let last = self.last_on(scope, edge);
                let is_of_failure = edge.condition.mentions_error();
                let seen = LookedAt { scope, edge: edge.index, last: Rc::clone(&last), is_of_failure };
                self.looked_at = Some(seen);
                last
            }
        }
    }

    fn is_of_failure(&mut self, scope: usize, edge: &Edge) -> bool {
        self.last_at(scope, edge);
        self.looked_at.as_ref().is_some_and(|seen| seen.is_of_failure)
    }

    /// What `last` is when an edge is looked at: the output of the node it leaves, or after a failure what came before that.
    fn last_on(&mut self, scope: usize, edge: &Edge) -> Shared<'a> {
        let output = self.ask(Question::Output(scope, edge.source));
        if !edge.condition.mentions_error() && edge.condition != Condition::Unreadable {
            return output;
        }
        let before = self.ask(Question::Last(scope, edge.source));
        either(vec![output, before])
    }

    /// What a graph is given: the run's input, or what its node is given, or an element of that.
    fn input(&mut self, scope: usize) -> Shared<'a> {
        let Some(place) = self.scopes.list.get(scope) else { return anything() };
        match place.owner {
            None => self.run_input(),
            Some((outer, node)) if place.is_element => {
                let list = self.input_of(outer, node);
                element(&list)
            }
            Some((outer, node)) => self.input_of(outer, node),
        }
    }

    fn run_input(&self) -> Shared<'a> {
        if self.plan.inputs.is_empty() {
            return anything();
        }
        let known = |(named, schema): &'a (Named, Json)| (named.name.as_str(), self.described(Some(schema)));
        Rc::new(Known::Map { entries: self.plan.inputs.iter().map(known).list(), is_closed: false })
    }

    /// The element of the nearest `map` around.
    fn item(&mut self, scope: usize) -> Shared<'a> {
        let around = std::iter::successors(Some(scope), |at| Some(self.scopes.list.get(*at)?.owner?.0));
        let mut around = around.filter_map(|at| self.scopes.list.get(at).map(|place| (at, place)));
        match around.find(|(_, place)| place.is_element) {
            Some((at, _)) => self.ask(Question::Input(at)),
            None => anything(),
        }
    }
}

fn anything<'a>() -> Shared<'a> {
    Rc::new(Known::Anything)
}

/// One of several values. Of none nothing is known.
fn either(mut values: Vec<Shared<'_>>) -> Shared<'_> {
    if values.iter().any(|value| matches!(**value, Known::Anything)) {
        return anything();
    }
    values.dedup_by(|a, b| Rc::ptr_eq(a, b));
    match values.len() {
        1 => values.remove(0),
        0 => anything(),
        count if count > MAX_ALTERNATIVES => anything(),
        _ => Rc::new(Known::Either(values)),
    }
}

fn part(value: Shared<'_>, path: Path) -> Shared<'_> {
    match &*value {
        _ if path.is_empty() => value,
        Known::Anything => value,
        _ => Rc::new(Known::Part(value, path)),
    }
}

/// An element of a list.
fn element<'a>(list: &Shared<'a>) -> Shared<'a> {
    if let Known::Constant(Json::Array(items)) = &**list {
        return either(items.iter().map(|item| Rc::new(Known::Constant(item))).list());
    }
    either(ELEMENTS.map(|at| part(Rc::clone(list), vec![Segment::Index(at)])).into())
}

/// The edges that lead to each node.
fn incoming(graph: &Graph) -> Vec<Vec<usize>> {
    let mut incoming = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        if let Some(edges) = incoming.get_mut(edge.target) {
            edges.push(edge.index);
        }
    }
    incoming
}

/// What a failure is.
fn failure<'a>() -> Known<'a> {
    let text = || Rc::new(Known::Text);
    let mut entries: Vec<(&str, Shared<'_>)> =
        ["code", "message", "node", "scope"].map(|key| (key, text())).into();
    entries.push(("partial", anything()));
    Known::Map { entries, is_closed: true }
}

#[cfg(test)]
mod tests {
    use crate::capabilities::Capabilities;
    use crate::check;
    use crate::graph::PlanGraph;
    use crate::source::Format;
    use serde_json::json;

    /// The messages of a plan whose value goes through `count` nodes of a type, before two nodes that ask for what it has not.
    fn check(kind: &str, count: usize, is_reversed: bool) -> Vec<String> {
        let passing =
            if kind == "log" { json!({"type": "log", "input": "${last}"}) } else { json!({"type": kind}) };
        let mut nodes = vec![("first".to_owned(), json!({"type": "log", "input": {"key": 1}}))];
        nodes.extend((0..count).map(|at| (format!("p{at}"), passing.clone())));
        nodes.push(("early".to_owned(), json!({"type": "log", "input": "${output.p5.kye}"})));
        nodes.push(("late".to_owned(), json!({"type": "log", "input": ["${last.kye}", "${output.p9.kye}"]})));
        let edges: Vec<_> = nodes
            .windows(2)
            .filter_map(|pair| Some(json!({"from": pair.first()?.0, "to": pair.get(1)?.0})))
            .collect();
        if is_reversed {
            nodes.reverse();
        }
        let nodes: serde_json::Map<_, _> = nodes.into_iter().collect();
        let plan = json!({"start": "first", "nodes": nodes, "edges": edges}).to_string();
        let plan = PlanGraph::parse(&plan, Format::Json).graph.unwrap();
        let mut found: Vec<String> = check::check(&plan, &Capabilities::default())
            .into_iter()
            .map(|problem| problem.message)
            .collect();
        found.sort();
        found
    }

    #[test]
    fn the_order_of_nodes_decides_nothing() {
        for kind in ["noop", "log"] {
            for count in [10, 25, 39, 60] {
                assert_eq!(check(kind, count, false), check(kind, count, true), "{count} of {kind}");
            }
        }
    }

    #[test]
    fn nodes_that_pass_a_value_on_are_followed_however_many_there_are() {
        assert_eq!(check("noop", 5_000, false).len(), 2);
        assert_eq!(check("noop", 5_000, true).len(), 2);
    }
}
