//! From a plan and a host to a program.
//!
//! Decides which number stands for which name, path and literal.

use super::program::{Ask, AtomCode, Code, EdgeCode, Fill, Input, Look, Piece, Program, Source};
use crate::diagnostic::Diagnostic;
use crate::expr::{Condition, Expr, Literal, Part, Reference, Root, Template, Test};
use crate::graph::{self, Edge, Graph, Node, PlanGraph, Texts};
use crate::host::Capabilities;
use crate::names::{Names, Numbered};
use crate::node::{self, Action};
use crate::value::{Path, Segment, Value};

/// Makes a plan ready to run, with what was found out about it on the way.
///
/// # Errors
/// All problems, when one of them is an error; nothing can run then.
pub fn bind<V: Value>(
    graph: &PlanGraph,
    capabilities: &Capabilities,
    space: &V::Space,
) -> Result<(Program<V>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let problems = graph::check(graph, capabilities);
    let plan = graph;
    let graph = &plan.root;
    let start = match graph.start {
        Some(start) if !problems.iter().any(Diagnostic::is_error) => number(start),
        _ => return Err(problems),
    };
    let mut binder = Binder {
        space,
        names: Numbered::default(),
        paths: Numbered::default(),
        literals: Vec::new(),
        atoms: Vec::new(),
    };
    // Path 0 is the value itself, whoever asks.
    binder.paths.number(Vec::new());
    for node in &graph.nodes {
        binder.names.number(node.id.clone());
    }
    let nodes: Vec<_> =
        graph.nodes.iter().enumerate().map(|(i, node)| binder.node(graph, i, node, capabilities)).collect();
    let edges = graph.edges.iter().map(|edge| binder.edge(edge)).collect();
    let program = Program {
        nodes,
        edges,
        atoms: binder.atoms,
        paths: paths_of(binder.paths),
        literals: binder.literals,
        names: binder.names,
        start,
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
    table.into_items().into_iter().enumerate().map(path).collect()
}

struct Binder<'a, V: Value> {
    space: &'a V::Space,
    names: Names,
    paths: Numbered<Vec<Segment>>,
    literals: Vec<Literal>,
    atoms: Vec<AtomCode>,
}

impl<V: Value> Binder<'_, V> {
    fn node(&mut self, graph: &Graph, position: usize, node: &Node, capabilities: &Capabilities) -> Code<V> {
        // The check found an action for every node, so the fallback is never run.
        let action = node::action(node, capabilities).unwrap_or(Action::Pass);
        let settings = match &action {
            Action::Llm(settings) => settings.as_ref().map(|settings| self.fill(settings)),
            _ => None,
        };
        // A node that passes on what came before ignores its input, holes and all.
        let input = node.input.as_ref().filter(|_| action != Action::Pass);
        let edges = graph
            .outgoing
            .get(position)
            .map_or_else(Vec::new, |edges| edges.iter().map(|e| number(*e)).collect());
        Code {
            id: node.id.clone(),
            kind: node.kind.clone(),
            action,
            input: input.map_or(Input::Last, |input| Input::Own(self.fill(input))),
            settings,
            visits: node.visits,
            has_tests: graph.edges_from(position).any(|edge| edge.condition != Condition::Fallback),
            edges,
        }
    }

    fn edge(&mut self, edge: &Edge) -> EdgeCode {
        let base = self.atoms.len();
        for atom in edge.condition.atoms() {
            let ask = self.ask(&atom.test);
            let look = self.look(&atom.reference);
            self.atoms.push(AtomCode { look, reference: atom.reference.to_string(), ask });
        }
        EdgeCode {
            target: number(edge.target),
            index: number(edge.index),
            text: edge.text.trim().to_owned(),
            test: match &edge.condition {
                Condition::Fallback => None,
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
            Root::Item | Root::Index => Source::Nowhere,
            Root::Output(name) => Source::Output(self.names.number(name.clone())),
        };
        Look { source, path: self.paths.number(reference.path.clone()) }
    }

    fn fill(&mut self, texts: &Texts) -> Fill<V> {
        match texts {
            Texts::Constant(json) => Fill::Constant(V::from_json(self.space, json)),
            Texts::Template(template, _) => Fill::Template(self.pieces(template)),
            Texts::List(items) => Fill::List(items.iter().map(|item| self.fill(item)).collect()),
            Texts::Map(entries) => {
                Fill::Map(entries.iter().map(|(key, value)| (key.clone(), self.fill(value))).collect())
            }
        }
    }

    fn pieces(&mut self, template: &Template) -> Vec<Piece> {
        let piece = |part: &Part| match part {
            Part::Text(text) => Piece::Text(text.clone()),
            Part::Hole { choices, fallback, .. } => Piece::Hole {
                choices: choices
                    .iter()
                    .map(|reference| (self.look(reference), reference.to_string()))
                    .collect(),
                fallback: fallback.clone(),
            },
        };
        template.parts.iter().map(piece).collect()
    }
}

/// The same expression with the comparisons numbered from `base` on.
fn shift(expr: &Expr, base: usize) -> Expr {
    match expr {
        Expr::Atom(index) => Expr::Atom(base + index),
        Expr::Not(inner) => Expr::Not(Box::new(shift(inner, base))),
        Expr::All(parts) => Expr::All(parts.iter().map(|part| shift(part, base)).collect()),
        Expr::Any(parts) => Expr::Any(parts.iter().map(|part| shift(part, base)).collect()),
    }
}
