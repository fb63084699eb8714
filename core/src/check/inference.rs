//! Infers values before a run: outputs, `last`, inputs, elements of `map`.
//!
//! Uses schemas, declared inputs, constants, and values passed on.
//!
//! Invariants:
//! 1. The result covers every possible value. Handlers' answers and values in loops are unknown.
//! 2. Chains that pass values on have any length. Other questions nest up to [`MAX_DEPTH`], then the value is unknown.
//! 3. Cut-off answers are not cached, so the order of nodes doesn't matter.

mod composite;
mod origin;
mod values;

use super::known_value::{KnownValue, Path, Shared};
use super::null_tests::NullTests;
use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::expression::check::ELEMENTS;
use crate::expression::{Condition, Root};
use crate::graph::scope::Scopes;
use crate::graph::{Edge, Graph, Named, Node, PlanGraph};
use crate::node::{self, Action, gather};
use crate::schema::{Patterns, Schema};
use crate::value::Segment;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::rc::Rc;

const MAX_DEPTH: usize = 40;
const QUESTION_BUDGET: usize = 200_000;
/// Questions asked again, because a limit cut off their answer. In a dense loop each would ask most others again.
const REPEAT_BUDGET: usize = 2_000;
const MAX_ALTERNATIVES: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Question {
    /// An output by scope and position.
    Output(usize, usize),
    /// On entry of the node.
    Last(usize, usize),
    Input(usize),
    End(usize),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ReferenceSite<'a> {
    Edge(&'a Edge),
    Node(usize),
}

#[derive(Debug)]
enum Answer<'a> {
    InProgress,
    Known(Shared<'a>),
    /// A limit cut off a part of it, so it may be another one next time.
    CutOff,
}

#[derive(Debug)]
pub(super) struct Inference<'s, 'a> {
    scopes: &'s Scopes<'a>,
    capabilities: &'a Capabilities,
    plan: &'a PlanGraph,
    pub(super) patterns: Patterns,
    failure: Shared<'a>,
    nested_scopes: HashMap<(usize, usize), Vec<usize>>,
    /// Keyed by scope.
    incoming: HashMap<usize, Vec<Vec<usize>>>,
    /// Outputs without node id, by scope and name.
    named_outputs: HashMap<(usize, String), Shared<'a>>,
    answers: HashMap<Question, Answer<'a>>,
    /// Each behind those that it holds.
    known: Vec<Shared<'a>>,
    /// By question: the first one of its chain.
    origins: HashMap<Question, Question>,
    depth: usize,
    evaluated_edge: Option<EvaluatedEdge<'a>>,
    remaining_questions: usize,
    remaining_repeats: usize,
    /// Questions cut off by limits.
    cut_count: usize,
    null_tests: Option<Rc<NullTests<'a>>>,
}

#[derive(Debug)]
struct EvaluatedEdge<'a> {
    scope: usize,
    edge: usize,
    last: Shared<'a>,
    reads_failure: bool,
}

impl Drop for Inference<'_, '_> {
    /// In another order, the end of a long chain of nodes would drop the values before it on one stack.
    fn drop(&mut self) {
        (self.evaluated_edge, self.null_tests) = (None, None);
        self.answers.clear();
        self.named_outputs.clear();
        while self.known.pop().is_some() {}
    }
}

impl<'s, 'a> Inference<'s, 'a> {
    pub(super) fn new(scopes: &'s Scopes<'a>, plan: &'a PlanGraph, capabilities: &'a Capabilities) -> Self {
        let mut nested_scopes: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        for (at, scope) in scopes.list.iter().enumerate() {
            if let Some(owner) = scope.owner {
                nested_scopes.entry(owner).or_default().push(at);
            }
        }
        let patterns = capabilities.patterns();
        Self {
            scopes,
            capabilities,
            plan,
            patterns,
            failure: Rc::new(failure()),
            nested_scopes,
            incoming: HashMap::new(),
            named_outputs: HashMap::new(),
            answers: HashMap::new(),
            known: Vec::new(),
            origins: HashMap::new(),
            depth: 0,
            evaluated_edge: None,
            remaining_questions: QUESTION_BUDGET,
            remaining_repeats: REPEAT_BUDGET,
            cut_count: 0,
            null_tests: None,
        }
    }

    pub(super) fn root(&mut self, root: &Root, scope: usize, at: ReferenceSite<'_>) -> Shared<'a> {
        match root {
            Root::Error => Rc::clone(&self.failure),
            // Another producer may write any value.
            Root::Output(name) if has_other_producer(self.plan, self.capabilities, name) => unknown(),
            Root::Output(name) => match self.scopes.resolve(scope, name) {
                Some((scope, node)) => self.infer(Question::Output(scope, node)),
                None => self.named_output(scope, name),
            },
            Root::Last => match at {
                ReferenceSite::Node(node) => self.infer(Question::Last(scope, node)),
                ReferenceSite::Edge(edge) => self.last_for_edge(scope, edge),
            },
            Root::Input => self.infer(Question::Input(scope)),
            Root::Item => self.item(scope),
            Root::Index => Rc::new(KnownValue::Scalar),
            Root::Context | Root::Memory | Root::Call => unknown(),
        }
    }

    pub(super) fn is_decision(&mut self, root: &Root, scope: usize, edge: &Edge) -> bool {
        let found = match root {
            // After a failure, `last` precedes the node.
            Root::Last if !self.reads_failure(scope, edge) => Some((scope, edge.source)),
            Root::Output(name) => self.scopes.resolve(scope, name),
            _ => None,
        };
        found.and_then(|(scope, node)| self.node(scope, node)).is_some_and(|(graph, node)| {
            let action = node::action(node, &graph.node_path(node), self.capabilities);
            matches!(action, Some(Action::Approve))
        })
    }

    pub(super) fn output_at(&mut self, position: usize) -> Shared<'a> {
        self.infer(Question::Output(0, position))
    }

    pub(super) fn run_output(&mut self) -> Shared<'a> {
        self.infer(Question::End(0))
    }

    pub(super) fn input_of(&mut self, scope: usize, position: usize) -> Shared<'a> {
        match self.node(scope, position).map(|(_, node)| &node.input) {
            Some(Some(template)) => self.compiled_value(template, scope, position),
            Some(None) => self.infer(Question::Last(scope, position)),
            None => unknown(),
        }
    }

    pub(super) fn node(&self, scope: usize, position: usize) -> Option<(&'a Graph, &'a Node)> {
        let graph = self.scopes.list.get(scope)?.graph;
        Some((graph, graph.nodes.get(position)?))
    }

    fn infer(&mut self, question: Question) -> Shared<'a> {
        let question = self.origin(question);
        let is_repeat = match self.answers.get(&question) {
            Some(Answer::Known(answer)) => return Rc::clone(answer),
            // The value depends on itself.
            Some(Answer::InProgress) => return unknown(),
            Some(Answer::CutOff) => true,
            None => false,
        };
        if self.depth >= MAX_DEPTH
            || self.remaining_questions == 0
            || is_repeat && self.remaining_repeats == 0
        {
            self.cut_count += 1;
            return unknown();
        }
        self.remaining_repeats -= usize::from(is_repeat);
        let cuts = self.cut_count;
        self.answers.insert(question, Answer::InProgress);
        self.depth += 1;
        self.remaining_questions -= 1;
        let answer = match question {
            Question::Output(scope, node) => self.output(scope, node),
            Question::Last(scope, node) => self.last(scope, node),
            Question::Input(scope) => self.input(scope),
            Question::End(scope) => self.graph_output(scope),
        };
        self.depth -= 1;
        let known = if self.cut_count == cuts {
            self.known.push(Rc::clone(&answer));
            Answer::Known(Rc::clone(&answer))
        } else {
            Answer::CutOff
        };
        self.answers.insert(question, known);
        answer
    }

    fn output(&mut self, scope: usize, position: usize) -> Shared<'a> {
        let Some((graph, node)) = self.node(scope, position) else { return unknown() };
        match node::action(node, &graph.node_path(node), self.capabilities) {
            Some(Action::Tool(name)) => {
                let tools = self.capabilities.tools.as_ref();
                let parses = node::settings::parses_json(node.with.as_ref());
                let schema = tools.and_then(|tools| tools.lenient_schema(&name, false)).filter(|_| !parses);
                schema.map_or_else(unknown, |schema| Rc::new(KnownValue::Tool(schema)))
            }
            Some(Action::Llm(with) | Action::Agent(with)) => {
                match with.as_ref().and_then(|with| with.get("schema")) {
                    None => Rc::new(KnownValue::Text),
                    Some(schema) => self.schema_value(schema.as_constant()),
                }
            }
            Some(Action::Set) => self.set_output(node, scope, position),
            Some(Action::Pass | Action::Wait) => self.infer(Question::Last(scope, position)),
            Some(Action::Log) => self.input_of(scope, position),
            Some(Action::Composite(composite)) => self.composite_output(composite, scope, position),
            Some(action @ (Action::Plan(_) | Action::React(_))) => {
                self.schema_value(node::output_schema(&action).as_ref())
            }
            Some(action @ Action::Gather(..)) => Rc::new(KnownValue::ExtensibleMap(
                self.schema_value(node::output_schema(&action).as_ref()),
                gather::DATA_SUFFIX,
            )),
            _ => unknown(),
        }
    }

    fn schema_value(&self, schema: Option<&Json>) -> Shared<'a> {
        let schema = schema.filter(|schema| schema.is_object());
        let compiled = schema.and_then(|schema| Schema::compile(schema, &(), self.patterns).ok());
        compiled.map_or_else(unknown, |schema| Rc::new(KnownValue::Schema(Box::new(schema))))
    }

    fn last(&mut self, scope: usize, position: usize) -> Shared<'a> {
        let Some(graph) = self.scopes.list.get(scope).map(|scope| scope.graph) else { return unknown() };
        let incoming = self.incoming.entry(scope).or_insert_with(|| incoming(graph));
        let edges = incoming.get(position).cloned().unwrap_or_default();
        if !graph.has_all_edges || edges.len() > MAX_ALTERNATIVES {
            return unknown();
        }
        let mut known_values = Vec::new();
        if graph.start == Some(position) {
            known_values.push(self.infer(Question::Input(scope)));
        }
        for edge in edges.into_iter().filter_map(|at| graph.edges.get(at)) {
            known_values.push(self.infer_last_on_edge(scope, edge));
        }
        one_of(known_values)
    }

    /// Cached for all comparisons of a condition.
    fn last_for_edge(&mut self, scope: usize, edge: &Edge) -> Shared<'a> {
        match &self.evaluated_edge {
            Some(evaluated) if (evaluated.scope, evaluated.edge) == (scope, edge.index) => {
                Rc::clone(&evaluated.last)
            }
            _ => {
                let last = self.infer_last_on_edge(scope, edge);
                let reads_failure = edge.condition.references_error();
                let evaluated =
                    EvaluatedEdge { scope, edge: edge.index, last: Rc::clone(&last), reads_failure };
                self.evaluated_edge = Some(evaluated);
                last
            }
        }
    }

    fn reads_failure(&mut self, scope: usize, edge: &Edge) -> bool {
        self.last_for_edge(scope, edge);
        self.evaluated_edge.as_ref().is_some_and(|evaluated| evaluated.reads_failure)
    }

    /// The source's output, or after a failure the value before that node.
    fn infer_last_on_edge(&mut self, scope: usize, edge: &Edge) -> Shared<'a> {
        let output = self.infer(Question::Output(scope, edge.source));
        if !edge.condition.references_error() && edge.condition != Condition::Unreadable {
            return output;
        }
        let before = self.infer(Question::Last(scope, edge.source));
        one_of(vec![output, before])
    }

    fn input(&mut self, scope: usize) -> Shared<'a> {
        let Some(place) = self.scopes.list.get(scope) else { return unknown() };
        match place.owner {
            None => self.run_input(),
            Some((outer, node)) if place.is_element => {
                let list = self.input_of(outer, node);
                element_of(&list)
            }
            Some((outer, node)) => self.input_of(outer, node),
        }
    }

    fn run_input(&self) -> Shared<'a> {
        if self.plan.inputs.is_empty() {
            return unknown();
        }
        let known =
            |(named, schema): &'a (Named, Json)| (named.name.as_str(), self.schema_value(Some(schema)));
        Rc::new(KnownValue::map(self.plan.inputs.iter().map(known).collect_vec(), false))
    }

    fn item(&mut self, scope: usize) -> Shared<'a> {
        let around = std::iter::successors(Some(scope), |at| Some(self.scopes.list.get(*at)?.owner?.0));
        let mut around = around.filter_map(|at| self.scopes.list.get(at).map(|place| (at, place)));
        match around.find(|(_, place)| place.is_element) {
            Some((at, _)) => self.infer(Question::Input(at)),
            None => unknown(),
        }
    }
}

fn unknown<'a>() -> Shared<'a> {
    Rc::new(KnownValue::Anything)
}

/// Empty unions are unknown.
fn one_of(mut values: Vec<Shared<'_>>) -> Shared<'_> {
    if values.iter().any(|value| matches!(**value, KnownValue::Anything)) {
        return unknown();
    }
    values.dedup_by(|a, b| Rc::ptr_eq(a, b));
    match values.len() {
        1 => values.remove(0),
        0 => unknown(),
        count if count > MAX_ALTERNATIVES => unknown(),
        _ => Rc::new(KnownValue::OneOf(values)),
    }
}

fn part_of(value: Shared<'_>, path: Path) -> Shared<'_> {
    match &*value {
        _ if path.is_empty() => value,
        KnownValue::Anything => value,
        _ => Rc::new(KnownValue::Part(value, path)),
    }
}

fn element_of<'a>(list: &Shared<'a>) -> Shared<'a> {
    if let KnownValue::Constant(Json::Array(items)) = &**list {
        return one_of(items.iter().map(|item| Rc::new(KnownValue::Constant(item))).collect_vec());
    }
    one_of(ELEMENTS.map(|at| part_of(Rc::clone(list), vec![Segment::Index(at)])).into())
}

fn incoming(graph: &Graph) -> Vec<Vec<usize>> {
    let mut incoming = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        if let Some(edges) = incoming.get_mut(edge.target) {
            edges.push(edge.index);
        }
    }
    incoming
}

fn failure<'a>() -> KnownValue<'a> {
    let text = || Rc::new(KnownValue::Text);
    let mut entries: Vec<(&str, Shared<'_>)> =
        ["code", "message", "node", "scope"].map(|key| (key, text())).into();
    entries.push(("partial", unknown()));
    KnownValue::map(entries, true)
}

pub(super) fn has_other_producer(plan: &PlanGraph, capabilities: &Capabilities, name: &str) -> bool {
    plan.is_external_output(name) || capabilities.has_external_output(name)
}

#[cfg(test)]
mod tests {
    use crate::capabilities::Capabilities;
    use crate::check;
    use crate::graph::PlanGraph;
    use crate::source::Format;
    use serde_json::json;

    /// Passes a value through `count` nodes to two nodes with invalid references.
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
            .map(|diagnostic| diagnostic.message)
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

    /// Each node of a loop adds up the values of all others.
    #[test]
    fn a_dense_loop_of_computed_values_ends() {
        let count = 60;
        let name = |at: usize| format!("n{at}");
        let sum = |at: usize| {
            let others =
                (0..count).filter(|other| *other != at).map(|other| format!("(output.n{other}.v ?? 0)"));
            format!("${{{}}}", others.collect::<Vec<_>>().join(" + "))
        };
        let node = |at: usize| (name(at), json!({"type": "set", "with": {"values": {"v": sum(at)}}}));
        let nodes: serde_json::Map<_, _> = (0..count).map(node).collect();
        let edge = |at: usize| json!({"from": name(at), "to": name((at + 1) % count)});
        let edges: Vec<_> = (0..count).map(edge).collect();
        let plan = json!({"start": "n0", "nodes": nodes, "edges": edges}).to_string();
        let plan = PlanGraph::parse(&plan, Format::Json).graph.unwrap();
        let errors = check::check(&plan, &Capabilities::default());
        assert!(errors.iter().all(|found| found.code.slug() == "graph/endless-loop"), "{errors:?}");
    }

    #[test]
    fn nodes_that_pass_a_value_on_are_followed_however_many_there_are() {
        assert_eq!(check("noop", 5_000, false).len(), 2);
        assert_eq!(check("noop", 5_000, true).len(), 2);
    }

    /// Each node reads a part of the one before.
    #[test]
    fn a_long_chain_needs_little_stack() {
        let node = |at: usize| format!("  n{at}: {{type: log, input: '${{last.a.b ?? input.x}}'}}\n");
        let edge = |at: usize| format!("  - {{from: n{}, to: n{at}}}\n", at - 1);
        let nodes = (0..10_000).map(node).collect::<Vec<_>>().concat();
        let edges = (1..10_000).map(edge).collect::<Vec<_>>().concat();
        let text = format!("start: n0\ninputs: {{a: {{}}, x: {{}}}}\nnodes:\n{nodes}edges:\n{edges}");
        let plan = PlanGraph::parse(&text, Format::Yaml).graph.unwrap();
        let check = move || check::check(&plan, &Capabilities::default()).len();
        let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(check);
        assert_eq!(thread.unwrap().join().ok(), Some(0));
    }
}
