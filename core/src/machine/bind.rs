//! From a plan and a host to a program.
//!
//! Decides which number stands for which name, path and literal.

use super::contract::{self, Contracts};
use super::program::{
    AgentCode, Ask, AtomCode, Code, EdgeCode, Extra, Fill, GraphCode, Input, Look, Piece, Program, Source,
};
use crate::capabilities::{Capabilities, Chosen};
use crate::check;
use crate::diagnostic::Diagnostic;
use crate::expr::{Condition, Expr, Literal, Part, Reference, Root, Template, Test};
use crate::graph::{Edge, Graph, Inputs, Node, PlanGraph, Texts};
use crate::kind::Shape;
use crate::list::List;
use crate::names::{Names, Numbered};
use crate::node::{self, Action, Fan, Gatherer, Offered};
use crate::value::{Path, Segment, Value};

/// Makes a plan ready to run, with what was found out about it on the way.
///
/// # Errors
/// All problems, when one of them is an error; nothing can run then.
pub fn bind<V: Value>(
    plan: &PlanGraph,
    capabilities: &Capabilities,
    space: &V::Space,
) -> Result<(Program<V>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let problems = check::check(plan, capabilities);
    if problems.iter().any(Diagnostic::is_error) {
        return Err(problems);
    }
    let mut binder = Binder {
        space,
        capabilities,
        graphs: Vec::new(),
        nodes: Vec::new(),
        edges: Vec::new(),
        paths: Numbered::default(),
        literals: Vec::new(),
        atoms: Vec::new(),
        outer: Vec::new(),
        chain: Vec::new(),
        contracts: Contracts::default(),
    };
    // Path 0 is the value itself, whoever asks.
    binder.paths.number(Vec::new());
    binder.graph(&plan.root, false);
    let program = Program {
        graphs: binder.graphs,
        nodes: binder.nodes.into_iter().flatten().list(),
        edges: binder.edges.into_iter().flatten().list(),
        atoms: binder.atoms,
        paths: paths_of(binder.paths),
        literals: binder.literals,
        outer: binder.outer,
        inputs: Inputs::of(&plan.inputs, capabilities.patterns()),
        limits: plan.limits,
    };
    Ok((program, problems))
}

/// Positions fit 32 bits: a document of [`crate::source::MAX_BYTES`] can't hold more things.
fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

fn paths_of(table: Numbered<Vec<Segment>>) -> Vec<Path> {
    let path = |(i, segments)| Path { number: number(i), segments };
    table.into_items().into_iter().enumerate().map(path).list()
}

struct Binder<'a, V: Value> {
    space: &'a V::Space,
    capabilities: &'a Capabilities,
    graphs: Vec<GraphCode>,
    /// Nodes and edges at their positions; those of graphs inside a node are bound after it is.
    nodes: Vec<Option<Code<V>>>,
    edges: Vec<Option<EdgeCode>>,
    paths: Numbered<Vec<Segment>>,
    literals: Vec<Literal>,
    atoms: Vec<AtomCode>,
    outer: Vec<Vec<(u32, u32)>>,
    /// The graph at hand and those around it, outermost first.
    chain: Vec<Level>,
    /// What the calls of tools are held to.
    contracts: Contracts,
}

/// A graph that is being bound.
#[derive(Debug, Clone, Copy)]
struct Level {
    graph: usize,
    /// Whether it is run for each element of a list.
    mapped: bool,
}

impl<V: Value> Binder<'_, V> {
    /// Binds a graph and gives its number.
    fn graph(&mut self, graph: &Graph, mapped: bool) -> u32 {
        let position = self.graphs.len();
        let (first, first_edge) = (self.nodes.len(), self.edges.len());
        let mut names = Names::default();
        names.extend(graph.nodes.iter().map(|node| node.id.clone()));
        self.graphs.push(GraphCode {
            scope: graph.scope.clone(),
            first: number(first),
            count: number(graph.nodes.len()),
            // A plan without a start has an error, and is not bound.
            start: number(first + graph.start.unwrap_or(0)),
            names,
            indexed: false,
        });
        self.nodes.resize_with(first + graph.nodes.len(), || None);
        self.edges.resize_with(first_edge + graph.edges.len(), || None);
        self.chain.push(Level { graph: position, mapped });
        for (i, node) in graph.nodes.iter().enumerate() {
            let code = self.node(graph, i, node, first, first_edge);
            if let Some(place) = self.nodes.get_mut(first + i) {
                *place = Some(code);
            }
        }
        for (i, edge) in graph.edges.iter().enumerate() {
            let code = self.edge(edge, first);
            if let Some(place) = self.edges.get_mut(first_edge + i) {
                *place = Some(code);
            }
        }
        self.chain.pop();
        number(position)
    }

    fn node(
        &mut self,
        graph: &Graph,
        position: usize,
        node: &Node,
        first: usize,
        first_edge: usize,
    ) -> Code<V> {
        // The check found an action for every node, so the fallback is never run.
        let action = node::action(node, &graph.place(node), self.capabilities).unwrap_or(Action::Pass);
        // A node that passes on what came before ignores its input, holes and all.
        let input = node.input.as_ref().filter(|_| action != Action::Pass);
        let object = input.filter(|_| matches!(action, Action::Tool(_))).and_then(node::tool::object_around);
        let input = object.as_ref().or(input);
        let edges = graph.outgoing.get(position);
        let edges = edges.map_or_else(Vec::new, |edges| edges.iter().map(|e| number(first_edge + e)).list());
        let has_tests = graph.edges_from(position).any(|edge| edge.condition != Condition::Fallback);
        let only = graph.edges_from(position).next().filter(|_| !has_tests);
        Code {
            id: node.id.clone(),
            kind: node.kind.clone(),
            input: input.map_or(Input::Last, |input| Input::Own(self.fill(input))),
            extra: self.extra(node, &action).map(Box::new),
            action,
            visits: node.visits,
            has_tests,
            straight: only.map(|edge| number(first + edge.target)),
            edges,
        }
    }

    fn extra(&mut self, node: &Node, action: &Action) -> Option<Extra<V>> {
        let settings = match action {
            Action::Llm(settings)
            | Action::Agent(settings)
            | Action::Plan(settings)
            | Action::React(settings)
            | Action::Author(_, settings) => settings.as_ref().map(|settings| self.fill(settings)),
            _ => None,
        };
        let children = match action {
            Action::Fan(fan) => self.children(node, *fan),
            _ => Vec::new(),
        };
        // What is one call the host can try again and time; what is several, or a person, only the run can.
        let hosted = self.capabilities.retries
            && matches!(action, Action::Handler(_) | Action::Tool(_) | Action::Llm(_));
        let waits = !hosted && !matches!(action, Action::Pass | Action::Log);
        let retry = node.retry.clone().filter(|_| waits);
        let timeout_ms = node.timeout_ms.filter(|_| waits);
        let contract = contract::of_node(action, node, self.capabilities, &mut self.contracts);
        let agent = self.agent(node, action).map(Box::new);
        let asks = matches!(action, Action::Tool(name) if self.asks_first(name));
        let gatherer = match action {
            Action::Gather(with, literal) => {
                Some(Box::new(Gatherer::of(with.as_ref(), *literal, self.capabilities)))
            }
            _ => None,
        };
        let parses = matches!(action, Action::Tool(_)) && node::settings::parses(node.with.as_ref());
        let any = contract.is_some()
            || parses
            || gatherer.is_some()
            || agent.is_some()
            || asks
            || settings.is_some()
            || retry.is_some()
            || timeout_ms.is_some()
            || !children.is_empty();
        any.then_some(Extra {
            settings,
            retry,
            timeout_ms,
            contract,
            children,
            agent,
            gatherer,
            asks,
            parses,
        })
    }

    /// Whether a person is asked before that tool is called.
    fn asks_first(&self, name: &str) -> bool {
        let entry = self.capabilities.tools.as_ref().and_then(|tools| tools.entry(name));
        entry.is_some_and(|(name, tool)| self.capabilities.asks_first(name, tool, Chosen::ByPlan))
    }

    fn agent(&mut self, node: &Node, action: &Action) -> Option<AgentCode> {
        let agent = node::agent::of(&node.id, action, self.capabilities)?;
        let of_tool = |tool: &Offered| contract::of_tool(&tool.name, self.capabilities, &mut self.contracts);
        let contracts = agent.tools.iter().map(of_tool).list();
        Some(AgentCode { agent, contracts })
    }

    fn children(&mut self, node: &Node, fan: Fan) -> Vec<(String, u32)> {
        let own = node.nested.iter().filter(|nested| nested.key == fan.shape.key());
        own.map(|nested| (nested.name.clone(), self.graph(&nested.graph, fan.shape == Shape::Map))).list()
    }

    fn edge(&mut self, edge: &Edge, first: usize) -> EdgeCode {
        let base = self.atoms.len();
        for atom in edge.condition.atoms() {
            let ask = self.ask(&atom.test);
            let look = self.look(&atom.reference);
            self.atoms.push(AtomCode { look, reference: atom.reference.to_string(), ask });
        }
        EdgeCode {
            target: number(first + edge.target),
            index: number(edge.index),
            text: edge.text.trim().to_owned(),
            test: match &edge.condition {
                // A plan with a condition that can't be read was refused.
                Condition::Fallback | Condition::Unreadable => None,
                Condition::Test(expression) => Some(shift(&expression.root, base)),
            },
            mentions_error: edge.condition.mentions_error(),
        }
    }

    fn ask(&mut self, test: &Test) -> Ask {
        match test {
            Test::Equals(literal) => Ask::Equals(self.literal(literal)),
            Test::Differs(literal) => Ask::Differs(self.literal(literal)),
            Test::Contains(literal) => Ask::Contains(self.literal(literal)),
            Test::Less(bound) => Ask::Less(*bound),
            Test::AtMost(bound) => Ask::AtMost(*bound),
            Test::Greater(bound) => Ask::Greater(*bound),
            Test::AtLeast(bound) => Ask::AtLeast(*bound),
            Test::Exists => Ask::Exists,
        }
    }

    fn literal(&mut self, literal: &Literal) -> u32 {
        self.literals.push(literal.clone());
        number(self.literals.len() - 1)
    }

    fn look(&mut self, reference: &Reference) -> Look {
        let source = match &reference.root {
            Root::Last => Source::Last,
            Root::Input => Source::Input,
            Root::Memory => Source::Memory,
            Root::Context => Source::Context,
            Root::Error => Source::Error,
            Root::Item => self.mapped().map_or(Source::Nowhere, |(depth, _)| Source::Item(depth)),
            Root::Index => self.index(),
            Root::Call => Source::Nowhere,
            Root::Output(name) => self.output(name),
        };
        Look { source, path: self.paths.number(reference.path.clone()) }
    }

    /// How many scopes outward the nearest list is, and the number of the graph that is run for its elements.
    fn mapped(&self) -> Option<(u32, usize)> {
        let depth = self.chain.iter().rev().position(|level| level.mapped)?;
        self.chain.iter().rev().nth(depth).map(|level| (number(depth), level.graph))
    }

    fn index(&mut self) -> Source {
        let Some((depth, graph)) = self.mapped() else { return Source::Nowhere };
        if let Some(graph) = self.graphs.get_mut(graph) {
            graph.indexed = true;
        }
        Source::Index(depth)
    }

    /// Where an output of that name is found: in the nearest graph that has such a node, or on the way there, where a
    /// handler may have written it.
    fn output(&mut self, name: &str) -> Source {
        let mut found = Vec::new();
        for (depth, level) in self.chain.iter().rev().enumerate() {
            let Some(graph) = self.graphs.get_mut(level.graph) else { continue };
            let slot = graph.names.number(name.to_owned());
            found.push((number(depth), slot));
            // The ids of its nodes come first among a graph's names.
            if slot < graph.count {
                break;
            }
        }
        match found.as_slice() {
            [(_, slot)] => Source::Output(*slot),
            _ => {
                self.outer.push(found);
                Source::Outer(number(self.outer.len() - 1))
            }
        }
    }

    fn fill(&mut self, texts: &Texts) -> Fill<V> {
        match texts {
            Texts::Constant(json) => Fill::Constant(V::from_json(self.space, json)),
            Texts::Template(template, _) => Fill::Template(self.pieces(template)),
            Texts::List(items) => Fill::List(items.iter().map(|item| self.fill(item)).list()),
            Texts::Map(entries) => {
                Fill::Map(entries.iter().map(|(key, value)| (key.clone(), self.fill(value))).list())
            }
        }
    }

    fn pieces(&mut self, template: &Template) -> Vec<Piece> {
        let piece = |part: &Part| match part {
            Part::Text(text) => Piece::Text(text.clone()),
            Part::Hole { choices, fallback, .. } => Piece::Hole {
                choices: choices.iter().map(|reference| (self.look(reference), reference.to_string())).list(),
                fallback: fallback.clone(),
            },
        };
        template.parts.iter().map(piece).list()
    }
}

/// The same expression with the comparisons numbered from `base` on.
fn shift(expr: &Expr, base: usize) -> Expr {
    match expr {
        Expr::Atom(index) => Expr::Atom(base + index),
        Expr::Not(inner) => Expr::Not(Box::new(shift(inner, base))),
        Expr::All(parts) => Expr::All(parts.iter().map(|part| shift(part, base)).list()),
        Expr::Any(parts) => Expr::Any(parts.iter().map(|part| shift(part, base)).list()),
    }
}
