//! Decides what `output.<name>` refers to: a node of the current graph, or of the nearest enclosing one.

use super::{Graph, Node, PlanGraph};
use crate::kind;
use std::collections::HashMap;
use stepgraph_text::diagnostic::{Code, Diagnostic, DiagnosticCollector, shorten_name};

/// A plan's graphs, outer before inner.
#[derive(Debug)]
pub struct Scopes<'a> {
    /// All graphs.
    pub list: Vec<Scope<'a>>,
}

/// A graph in its scope.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// Scope and node.
    pub owner: Option<(usize, usize)>,
    /// Perhaps indirectly.
    pub(super) in_map: bool,
    /// Whether it runs per list element.
    pub is_element: bool,
    ids: HashMap<&'a str, usize>,
    /// Nodes by additional output. `None` for several writers.
    named_outputs: HashMap<&'static str, Option<usize>>,
}

impl<'a> Scopes<'a> {
    /// A plan's scopes.
    pub fn new(plan: &'a PlanGraph) -> Self {
        let mut scopes = Self { list: vec![Scope::new(&plan.root, None, false)] };
        let mut next = 0;
        while let Some(scope) = scopes.list.get(next) {
            let (graph, in_map) = (scope.graph, scope.in_map);
            for (position, node) in graph.nodes.iter().enumerate() {
                for nested in &node.nested {
                    let is_element = nested.key == "do";
                    let inner = Scope::new(&nested.graph, Some((next, position)), in_map || is_element);
                    scopes.list.push(Scope { is_element, ..inner });
                }
            }
            next += 1;
        }
        scopes
    }

    /// The scope and node behind a name.
    pub fn resolve(&self, scope: usize, name: &str) -> Option<(usize, usize)> {
        self.enclosing(scope).find_map(|at| Some((at, *self.list.get(at)?.ids.get(name)?)))
    }

    /// Whether a node has or writes the name.
    pub fn is_defined(&self, scope: usize, name: &str) -> bool {
        self.enclosing(scope)
            .filter_map(|at| self.list.get(at))
            .any(|scope| scope.own(name).is_some() || scope.named_outputs.contains_key(name))
    }

    /// The scope and node that write a name.
    pub(super) fn producer(&self, scope: usize, name: &str) -> Option<(usize, usize)> {
        self.enclosing(scope).find_map(|at| Some((at, self.own_producer(at, name)?)))
    }

    pub(super) fn own_producer(&self, scope: usize, name: &str) -> Option<usize> {
        self.list.get(scope)?.own(name)
    }

    /// Visible names.
    pub fn visible(&self, scope: usize) -> Vec<&'a str> {
        let graphs = self.enclosing(scope).filter_map(|at| self.list.get(at));
        let names = |scope: &'_ Scope<'a>| -> Vec<&'a str> {
            let ids = scope.graph.nodes.iter().map(|node| node.id.as_str());
            ids.chain(
                scope.graph.nodes.iter().flat_map(|node| kind::named_outputs(&node.kind).iter().copied()),
            )
            .collect()
        };
        graphs.flat_map(names).collect()
    }

    /// Warns of hidden names, except between files.
    pub(super) fn report_shadowing(&self, plan: &PlanGraph, diagnostics: &mut DiagnosticCollector) {
        for scope in &self.list {
            let Some((outer, _)) = scope.owner else { continue };
            for node in &scope.graph.nodes {
                let hidden = self.resolve(outer, &node.id);
                let hidden = hidden.and_then(|(at, node)| self.list.get(at)?.graph.nodes.get(node));
                let is_same_file =
                    |hidden: &&Node| plan.file_at(hidden.id_span.start) == plan.file_at(node.id_span.start);
                let Some(hidden) = hidden.filter(is_same_file) else { continue };
                let message =
                    format!("`{}` hides a node of the same name around this graph", shorten_name(&node.id));
                diagnostics.push(
                    Diagnostic::new(Code::ShadowedName, message)
                        .on(scope.graph.target(node))
                        .at(node.id_span)
                        .label(hidden.id_span, "this one can't be referred to from there")
                        .help("give one of them another name"),
                );
            }
        }
    }

    /// Iterates from inside out.
    pub fn enclosing(&self, scope: usize) -> impl Iterator<Item = usize> + '_ {
        let outer = |at: &usize| Some(self.list.get(*at)?.owner?.0);
        std::iter::successors(Some(scope), outer)
    }
}

impl<'a> Scope<'a> {
    fn new(graph: &'a Graph, owner: Option<(usize, usize)>, in_map: bool) -> Self {
        let ids = graph.nodes.iter().enumerate().map(|(i, node)| (node.id.as_str(), i)).collect();
        let mut named_outputs = HashMap::new();
        for (at, node) in graph.nodes.iter().enumerate() {
            for name in kind::named_outputs(&node.kind) {
                named_outputs.entry(*name).and_modify(|maker| *maker = None).or_insert(Some(at));
            }
        }
        Self { graph, owner, in_map, is_element: false, ids, named_outputs }
    }

    fn own(&self, name: &str) -> Option<usize> {
        self.ids.get(name).copied().or_else(|| self.named_outputs.get(name).copied().flatten())
    }
}
