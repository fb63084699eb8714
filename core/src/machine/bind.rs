//! Compiles a plan for a host.

mod expression;

use super::call_schema::{self, CallSchemaCache};
use super::program::{
    CompiledAgent, CompiledAtom, CompiledComputed, CompiledEdge, CompiledGraph, CompiledNode,
    CompiledNodeOptions, CompiledPart, CompiledPredicate, CompiledReference, CompiledValue, InputSource,
    Program, ReferenceRoot,
};
use crate::capabilities::{Capabilities, ChosenBy};
use crate::check;
use crate::collect::CollectVec;
use crate::diagnostic::Diagnostic;
use crate::expression::{Condition, Literal, Logic, Predicate, Reference, Root, Template, TemplatePart};
use crate::graph::{Edge, Graph, Node, PlanGraph, RunInputSchema, TemplateValue};
use crate::interner::{Interner, NameTable};
use crate::kind::CompositeKind;
use crate::kind::settings::VALUES;
use crate::node::{self, Action, Composite, Gatherer, OfferedTool};
use crate::value::{Path, Segment, Value};
use std::collections::HashMap;

/// Checks and compiles. Returns the warnings, too.
///
/// # Errors
/// All diagnostics, if one is an error.
pub fn bind<V: Value>(
    plan: &PlanGraph,
    capabilities: &Capabilities,
    space: &V::Arena,
) -> Result<(Program<V>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut diagnostics = check::check(plan, capabilities);
    if !capabilities.stubs.given.is_empty() {
        diagnostics.extend(check::misspelt_stubs(plan, capabilities));
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    let mut binder = Binder {
        space,
        capabilities,
        graphs: Vec::new(),
        nodes: Vec::new(),
        edges: Vec::new(),
        paths: Interner::default(),
        literals: Vec::new(),
        texts: HashMap::new(),
        atoms: Vec::new(),
        computed: Vec::new(),
        expression_roots: Vec::new(),
        outer: Vec::new(),
        chain: Vec::new(),
        call_schemas: CallSchemaCache::default(),
    };
    // Path 0 is the value itself.
    binder.paths.intern(Vec::new());
    binder.compile_graph(&plan.root, false);
    let program = Program {
        graphs: binder.graphs,
        nodes: binder.nodes.into_iter().flatten().collect_vec(),
        edges: binder.edges.into_iter().flatten().collect_vec(),
        atoms: binder.atoms,
        computed: binder.computed,
        expression_roots: binder.expression_roots,
        paths: paths_of(binder.paths),
        literals: binder.literals,
        outer: binder.outer,
        inputs: RunInputSchema::new(&plan.inputs, capabilities.patterns()),
        limits: plan.limits,
    };
    Ok((program, diagnostics))
}

/// A document of [`crate::source::MAX_BYTES`] holds fewer positions.
fn to_u32(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

fn paths_of(table: Interner<Vec<Segment>>) -> Vec<Path> {
    let path = |(i, segments)| Path { number: to_u32(i), segments };
    table.into_items().into_iter().enumerate().map(path).collect_vec()
}

struct Binder<'a, V: Value> {
    space: &'a V::Arena,
    capabilities: &'a Capabilities,
    graphs: Vec<CompiledGraph>,
    /// Compiled after their enclosing node.
    nodes: Vec<Option<CompiledNode<V>>>,
    edges: Vec<Option<CompiledEdge>>,
    paths: Interner<Vec<Segment>>,
    literals: Vec<Literal>,
    /// Hosts know a text by its first number.
    texts: HashMap<String, u32>,
    atoms: Vec<CompiledAtom>,
    computed: Vec<CompiledComputed>,
    expression_roots: Vec<ReferenceRoot>,
    outer: Vec<Vec<(u32, u32)>>,
    /// Outermost first.
    chain: Vec<Level>,
    call_schemas: CallSchemaCache,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    graph: usize,
    /// Whether it runs per list element.
    is_in_map: bool,
}

impl<V: Value> Binder<'_, V> {
    fn compile_graph(&mut self, graph: &Graph, is_in_map: bool) -> u32 {
        let position = self.graphs.len();
        let (first, first_edge) = (self.nodes.len(), self.edges.len());
        let mut names = NameTable::default();
        names.extend(graph.nodes.iter().map(|node| node.id.clone()));
        self.graphs.push(CompiledGraph {
            scope: graph.scope.clone(),
            first: to_u32(first),
            count: to_u32(graph.nodes.len()),
            // Unused: a plan without a start has an error.
            start: to_u32(first + graph.start.unwrap_or(0)),
            names,
            uses_index: false,
        });
        self.nodes.resize_with(first + graph.nodes.len(), || None);
        self.edges.resize_with(first_edge + graph.edges.len(), || None);
        self.chain.push(Level { graph: position, is_in_map });
        for (i, node) in graph.nodes.iter().enumerate() {
            let compiled = self.compile_node(graph, i, node, first, first_edge);
            if let Some(slot) = self.nodes.get_mut(first + i) {
                *slot = Some(compiled);
            }
        }
        for (i, edge) in graph.edges.iter().enumerate() {
            let code = self.compile_edge(edge, first);
            if let Some(slot) = self.edges.get_mut(first_edge + i) {
                *slot = Some(code);
            }
        }
        self.chain.pop();
        to_u32(position)
    }

    fn compile_node(
        &mut self,
        graph: &Graph,
        position: usize,
        node: &Node,
        first: usize,
        first_edge: usize,
    ) -> CompiledNode<V> {
        let action = node::action(node, &graph.node_path(node), self.capabilities).unwrap_or(Action::Pass);
        let input = node.input.as_ref().filter(|_| !action.ignores_input());
        let object =
            input.filter(|_| matches!(action, Action::Tool(_))).and_then(node::tool::parse_object_template);
        let input = object.as_ref().or(input);
        let edges = graph.outgoing.get(position);
        let edges =
            edges.map_or_else(Vec::new, |edges| edges.iter().map(|e| to_u32(first_edge + e)).collect_vec());
        let has_conditions = graph.edges_from(position).any(|edge| edge.condition != Condition::Fallback);
        let only = graph.edges_from(position).next().filter(|_| !has_conditions);
        CompiledNode {
            id: node.id.clone(),
            kind: node.kind.clone(),
            input: input.map_or(InputSource::Last, |input| InputSource::Own(self.compile_value(input))),
            options: self.node_options(node, &action).map(Box::new),
            action,
            visits: node.visits,
            has_conditions,
            unconditional_target: only.map(|edge| to_u32(first + edge.target)),
            edges,
        }
    }

    fn node_options(&mut self, node: &Node, action: &Action) -> Option<CompiledNodeOptions<V>> {
        let settings = match action {
            Action::Llm(settings)
            | Action::Agent(settings)
            | Action::Plan(settings)
            | Action::React(settings)
            | Action::Author(_, settings) => settings.as_ref().map(|settings| self.compile_value(settings)),
            Action::Set => {
                let values = node.with.as_ref().and_then(|with| with.get(VALUES));
                values.map(|values| self.compile_value(&values))
            }
            Action::Wait => node.with.as_ref().map(|settings| self.compile_value(settings)),
            _ => None,
        };
        let children = match action {
            Action::Composite(composite) => self.children(node, *composite),
            _ => Vec::new(),
        };
        // Hosts retry and time single calls. Only runs can retry several calls, or approvals.
        let hosted = self.capabilities.retries
            && matches!(action, Action::Handler(_) | Action::Tool(_) | Action::Llm(_));
        let waits = !hosted && !action.is_immediate();
        let retry = node.retry.clone().filter(|_| waits);
        let timeout_ms = node.timeout_ms.filter(|_| waits);
        let call_schema = call_schema::of_node(action, node, self.capabilities, &mut self.call_schemas);
        let agent = self.compile_agent(node, action).map(Box::new);
        let needs_approval = matches!(action, Action::Tool(name) if self.needs_approval(name));
        let gatherer = match action {
            Action::Gather(with, literal) => {
                Some(Box::new(Gatherer::of(with.as_ref(), *literal, self.capabilities)))
            }
            _ => None,
        };
        let parses_json =
            matches!(action, Action::Tool(_)) && node::settings::parses_json(node.with.as_ref());
        let any = call_schema.is_some()
            || parses_json
            || gatherer.is_some()
            || agent.is_some()
            || needs_approval
            || settings.is_some()
            || retry.is_some()
            || timeout_ms.is_some()
            || !children.is_empty();
        any.then_some(CompiledNodeOptions {
            settings,
            retry,
            timeout_ms,
            call_schema,
            children,
            agent,
            gatherer,
            needs_approval,
            parses_json,
        })
    }

    fn needs_approval(&self, name: &str) -> bool {
        let entry = self.capabilities.tools.as_ref().and_then(|tools| tools.entry(name));
        entry.is_some_and(|(name, tool)| self.capabilities.needs_approval(name, tool, ChosenBy::Plan))
    }

    fn compile_agent(&mut self, node: &Node, action: &Action) -> Option<CompiledAgent> {
        let agent = node::agent::of(&node.id, action, self.capabilities)?;
        let of_tool =
            |tool: &OfferedTool| call_schema::of_tool(&tool.name, self.capabilities, &mut self.call_schemas);
        let call_schemas = agent.tools.iter().map(of_tool).collect_vec();
        Some(CompiledAgent { agent, call_schemas })
    }

    fn children(&mut self, node: &Node, composite: Composite) -> Vec<(String, u32)> {
        let own = node.nested.iter().filter(|nested| nested.key == composite.kind.key());
        own.map(|nested| {
            (nested.name.clone(), self.compile_graph(&nested.graph, composite.kind == CompositeKind::Map))
        })
        .collect_vec()
    }

    fn compile_edge(&mut self, edge: &Edge, first: usize) -> CompiledEdge {
        let (base, computed_base) = (self.atoms.len(), self.computed.len());
        for atom in edge.condition.atoms() {
            let predicate = self.compile_predicate(&atom.predicate);
            let operand = self.compile_reference(&atom.reference);
            let (reference, is_reversed) = (atom.reference.to_string(), atom.is_reversed());
            self.atoms.push(CompiledAtom { operand, reference, predicate, is_reversed });
        }
        for computed in edge.condition.computed() {
            let operands = self.operands(computed);
            let compiled = self.compile_computed(computed, operands);
            self.computed.push(compiled);
        }
        CompiledEdge {
            target: to_u32(first + edge.target),
            index: to_u32(edge.index),
            condition_text: edge.condition_text.trim().to_owned(),
            expr: match &edge.condition {
                // Unreadable conditions were refused.
                Condition::Fallback | Condition::Unreadable => None,
                Condition::Expression(expression) => Some(shift_parts(&expression.root, base, computed_base)),
            },
            reads_error: edge.condition.references_error(),
        }
    }

    fn compile_predicate(&mut self, test: &Predicate) -> CompiledPredicate {
        match test {
            Predicate::Equals(literal) => CompiledPredicate::Equals(self.add_literal(literal)),
            Predicate::Differs(literal) => CompiledPredicate::Differs(self.add_literal(literal)),
            Predicate::Contains(literal) => CompiledPredicate::Contains(self.add_literal(literal)),
            Predicate::Less(bound) => CompiledPredicate::Less(*bound),
            Predicate::AtMost(bound) => CompiledPredicate::AtMost(*bound),
            Predicate::Greater(bound) => CompiledPredicate::Greater(*bound),
            Predicate::AtLeast(bound) => CompiledPredicate::AtLeast(*bound),
            Predicate::Exists => CompiledPredicate::Exists,
        }
    }

    fn compile_reference(&mut self, reference: &Reference) -> CompiledReference {
        CompiledReference {
            root: self.compile_root(&reference.root),
            path: self.paths.intern(reference.path.clone()),
        }
    }

    pub(super) fn compile_root(&mut self, root: &Root) -> ReferenceRoot {
        match root {
            Root::Last => ReferenceRoot::Last,
            Root::Input => ReferenceRoot::Input,
            Root::Memory => ReferenceRoot::Memory,
            Root::Context => ReferenceRoot::Context,
            Root::Error => ReferenceRoot::Error,
            Root::Item => {
                self.nearest_map().map_or(ReferenceRoot::Nowhere, |(depth, _)| ReferenceRoot::Item(depth))
            }
            Root::Index => self.index_root(),
            Root::Call => ReferenceRoot::Nowhere,
            Root::Output(name) => self.output_root(name),
        }
    }

    fn nearest_map(&self) -> Option<(u32, usize)> {
        let depth = self.chain.iter().rev().position(|level| level.is_in_map)?;
        self.chain.iter().rev().nth(depth).map(|level| (to_u32(depth), level.graph))
    }

    fn index_root(&mut self) -> ReferenceRoot {
        let Some((depth, graph)) = self.nearest_map() else { return ReferenceRoot::Nowhere };
        if let Some(graph) = self.graphs.get_mut(graph) {
            graph.uses_index = true;
        }
        ReferenceRoot::Index(depth)
    }

    /// In the nearest graph with such a node, or a graph before it, written by a handler.
    fn output_root(&mut self, name: &str) -> ReferenceRoot {
        let mut found = Vec::new();
        for (depth, level) in self.chain.iter().rev().enumerate() {
            let Some(graph) = self.graphs.get_mut(level.graph) else { continue };
            let slot = graph.names.intern(name.to_owned());
            found.push((to_u32(depth), slot));
            // Node ids come first.
            if slot < graph.count {
                break;
            }
        }
        match found.as_slice() {
            [(_, slot)] => ReferenceRoot::Output(*slot),
            _ => {
                self.outer.push(found);
                ReferenceRoot::Outer(to_u32(self.outer.len() - 1))
            }
        }
    }

    fn compile_value(&mut self, texts: &TemplateValue) -> CompiledValue<V> {
        match texts {
            TemplateValue::Constant(json) => CompiledValue::Constant(V::from_json(self.space, json)),
            TemplateValue::Template(template, _) => CompiledValue::Template(self.compile_parts(template)),
            TemplateValue::List(items) => {
                CompiledValue::List(items.iter().map(|item| self.compile_value(item)).collect_vec())
            }
            TemplateValue::Map(entries) => CompiledValue::Map(
                entries.iter().map(|(key, value)| (key.clone(), self.compile_value(value))).collect_vec(),
            ),
        }
    }

    fn compile_parts(&mut self, template: &Template) -> Vec<CompiledPart> {
        let piece = |part: &TemplatePart| match part {
            TemplatePart::Text(text) => CompiledPart::Text(text.clone()),
            TemplatePart::Placeholder { choices, fallback, .. } => CompiledPart::Placeholder {
                choices: choices
                    .iter()
                    .map(|reference| (self.compile_reference(reference), reference.to_string()))
                    .collect_vec(),
                fallback: fallback.clone(),
            },
            TemplatePart::Computed { computed, .. } => {
                CompiledPart::Computed(Box::new(self.compile_computed(computed, 0..0)))
            }
        };
        template.parts.iter().map(piece).collect_vec()
    }
}

/// Maps positions in the condition to the program's.
fn shift_parts(expr: &Logic, atoms: usize, computed: usize) -> Logic {
    let all = |parts: &[Logic]| parts.iter().map(|part| shift_parts(part, atoms, computed)).collect_vec();
    match expr {
        Logic::Atom(index) => Logic::Atom(atoms + index),
        Logic::Computed(index) => Logic::Computed(computed + index),
        Logic::Not(inner) => Logic::Not(Box::new(shift_parts(inner, atoms, computed))),
        Logic::All(parts) => Logic::All(all(parts)),
        Logic::Any(parts) => Logic::Any(all(parts)),
    }
}
