//! Infers the types of outputs, inputs, `last` and items, also in broken text.
//!
//! Invariants: an inferred type holds for every run. The number of nodes followed is limited.

use super::expression_lexer::{self, Atom};
use super::partial_graph::{PartialGraph, visible_outputs};
use super::plan_format::{PlanLocation, built_in, failure_schema};
use super::syntax_tree::{PathStep, SyntaxTree, ValueForm};
use super::typed_expression::TypedExpression;
use super::value_type::ValueType;
use serde_json::{Map, Value as Json};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::{Syntax, Type};
use stepgraph_core::kind::passes_last;
use stepgraph_core::kind::settings::VALUES;
use stepgraph_core::value::Segment;

pub(crate) const MAX_HOPS: usize = 8;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Inference<'s, 't> {
    pub(crate) tree: &'s SyntaxTree<'t>,
    pub(crate) capabilities: &'s Capabilities,
}

impl Inference<'_, '_> {
    pub(crate) fn reference(&self, location: &PlanLocation, atom: &Atom<'_>, steps: usize) -> ValueType {
        self.reference_within(location, atom, steps, MAX_HOPS)
    }

    /// `left` limits the number of nodes followed.
    pub(crate) fn reference_within(
        &self,
        location: &PlanLocation,
        atom: &Atom<'_>,
        steps: usize,
        left: usize,
    ) -> ValueType {
        let mut segments = atom.segments.iter().take(steps);
        let Some(root) = segments.next().filter(|_| left > 0) else { return ValueType::default() };
        let start = match root.text.as_ref() {
            "last" => self.last(location, left - 1),
            "input" => self.input(location, left - 1),
            "error" => ValueType::from_schema(failure_schema()),
            "item" => self.item(location, left - 1),
            "output" => {
                let Some(name) = segments.next() else { return ValueType::default() };
                match name.text.as_ref() {
                    "input" => self.input(location, left - 1),
                    name => self.output(location, name, left - 1),
                }
            }
            "index" => ValueType::from_schema(serde_json::json!({"type": "integer"})),
            _ => ValueType::default(),
        };
        let step = |text: &str| match text.parse::<usize>() {
            Ok(at) => Segment::Index(at),
            Err(_) => Segment::Key(text.to_owned()),
        };
        segments.fold(start, |value_type, segment| value_type.step(&step(&segment.text)))
    }

    fn output(&self, location: &PlanLocation, name: &str, left: usize) -> ValueType {
        let found = visible_outputs(self.tree, location).into_iter().find(|output| output.name == name);
        match found {
            Some(found) if found.is_node_output => self.node(found.node, left),
            Some(found) => self.named_output(found.node, name),
            None => ValueType::default(),
        }
    }

    /// The type of a computed placeholder.
    fn computed(&self, item: usize, span: Span, left: usize) -> ValueType {
        let location = PlanLocation::of(self.tree, item);
        match TypedExpression::new(*self, &location, span, Syntax::default(), left).kind() {
            Type::Dyn => ValueType::default(),
            kind => ValueType::from_schema(kind.to_schema()),
        }
    }

    fn named_output(&self, node: usize, name: &str) -> ValueType {
        let schema = match name {
            "tool_calls" => built_in("plan")
                .and_then(|spec| spec.output_schema()?.pointer("/properties/tool_calls").cloned()),
            "answer" => Some(serde_json::json!({"type": "string"})),
            "plan" => self.tree.find(node, &["with", "plan"]).map(|item| json(self.tree, item)),
            _ => None,
        };
        schema.map_or_else(ValueType::default, ValueType::from_schema)
    }

    pub(crate) fn node(&self, node: usize, left: usize) -> ValueType {
        let tree = self.tree;
        if left == 0 {
            return ValueType::default();
        }
        let kind = tree.text_of(node, "type").unwrap_or_default();
        if self.capabilities.handles_type(&kind) {
            return ValueType::default();
        }
        match kind.as_ref() {
            "tool" => tree.text_of(node, "tool").map_or_else(ValueType::default, |tool| self.tool(&tool)),
            "llm" | "agent" | "llm_call" if tree.find(node, &["with", "schema"]).is_some() => {
                let schema = tree.find(node, &["with", "schema"]).map(|item| json(tree, item));
                schema.filter(Json::is_object).map_or_else(ValueType::default, ValueType::from_schema)
            }
            kind if passes_last(kind) => self.last(&PlanLocation::of(tree, node), left - 1),
            "set" => tree
                .find(node, &["with", VALUES])
                .map_or_else(ValueType::default, |values| self.value(values, left - 1)),
            "log" => match tree.get(node, "input") {
                Some(input) => self.value(input, left - 1),
                None => self.last(&PlanLocation::of(tree, node), left - 1),
            },
            "graph" => tree
                .get(node, "graph")
                .map_or_else(ValueType::default, |graph| self.graph_output(graph, left - 1)),
            "map" => self.join(node, |own| Some(own.graph_output(tree.get(node, "do")?, left - 1).list())),
            "parallel" => self.join(node, |own| {
                let branches = tree.children(tree.get(node, "branches")?);
                let branch = |item| {
                    Some((
                        tree.key(item)?.into_owned(),
                        own.or_failure(node, own.graph_output(item, left - 1)),
                    ))
                };
                Some(ValueType::map(branches.filter_map(branch)))
            }),
            other => match built_in(other) {
                Some(spec) => spec.output_schema().map_or_else(ValueType::default, ValueType::from_schema),
                None => self.tool(other),
            },
        }
    }

    fn tool(&self, name: &str) -> ValueType {
        let tool = self.capabilities.tools.as_ref().and_then(|tools| tools.get(name));
        let schema = tool.and_then(|tool| tool.output_schema.clone());
        schema.map_or_else(ValueType::default, ValueType::from_schema)
    }

    /// Unknown for `join: any`.
    fn join(&self, node: usize, all: impl Fn(&Self) -> Option<ValueType>) -> ValueType {
        let join = self.tree.find(node, &["with", "join"]).and_then(|item| self.tree.scalar(item));
        if join.is_some_and(|join| join == "any") {
            ValueType::default()
        } else {
            all(self).unwrap_or_default()
        }
    }

    /// `join: settled` allows failures.
    fn or_failure(&self, node: usize, value_type: ValueType) -> ValueType {
        let join = self.tree.find(node, &["with", "join"]).and_then(|item| self.tree.scalar(item));
        if join.is_none_or(|join| join != "settled") {
            return value_type;
        }
        let status = ValueType::from_schema(serde_json::json!({"enum": ["completed", "failed"]}));
        ValueType::map([
            ("status".to_owned(), status),
            ("value".to_owned(), value_type),
            ("error".to_owned(), ValueType::from_schema(failure_schema())),
        ])
    }

    fn graph_output(&self, graph: usize, left: usize) -> ValueType {
        let partial = PartialGraph::new(self.tree, graph);
        let ends: Vec<usize> = partial.ends().take(MAX_HOPS).collect_vec();
        ValueType::union(
            ends.iter().filter_map(|at| partial.nodes.get(*at)).map(|node| self.node(node.item, left)),
        )
    }

    /// An edge's source or a node's predecessors decide.
    fn last(&self, location: &PlanLocation, left: usize) -> ValueType {
        if left == 0 {
            return ValueType::default();
        }
        let graph = PartialGraph::new(self.tree, location.graph);
        if let Some(edge) = location.edge {
            let from = self.tree.text_of(edge, "from").and_then(|from| graph.position(&from));
            return from
                .and_then(|at| graph.nodes.get(at))
                .map_or_else(ValueType::default, |node| self.node(node.item, left));
        }
        let Some(at) = graph.nodes.iter().position(|node| Some(node.item) == location.node) else {
            return ValueType::default();
        };
        let before = graph.before.get(at).map(Vec::as_slice).unwrap_or_default();
        if before.is_empty() {
            return self.input(location, left);
        }
        let before = before.iter().take(MAX_HOPS).filter_map(|at| graph.nodes.get(*at));
        ValueType::union(before.map(|node| self.node(node.item, left / 2)))
    }

    fn input(&self, location: &PlanLocation, left: usize) -> ValueType {
        if location.graph != 0 {
            return if self.tree.key(location.graph).is_some_and(|key| key == "do") {
                self.item(location, left)
            } else {
                let holder = PlanLocation::of(self.tree, self.tree.item(location.graph).parent);
                holder.node.map_or_else(ValueType::default, |node| self.input_of(node, left))
            };
        }
        self.run_input()
    }

    pub(crate) fn run_input(&self) -> ValueType {
        let Some(inputs) = self.tree.get(0, "inputs") else { return ValueType::default() };
        let mut properties = Map::new();
        for item in self.tree.children(inputs) {
            if let Some(name) = self.tree.key(item) {
                properties.insert(name.into_owned(), json(self.tree, item));
            }
        }
        let names: Vec<Json> = properties.keys().map(|name| Json::from(name.as_str())).collect_vec();
        ValueType::from_schema(
            serde_json::json!({"type": "object", "properties": properties, "required": names}),
        )
    }

    fn input_of(&self, node: usize, left: usize) -> ValueType {
        if left == 0 {
            return ValueType::default();
        }
        match self.tree.get(node, "input") {
            Some(input) => self.value(input, left - 1),
            None => self.last(&PlanLocation::of(self.tree, node), left - 1),
        }
    }

    fn item(&self, location: &PlanLocation, left: usize) -> ValueType {
        let scopes = location.scopes(self.tree);
        let inner = scopes.iter().position(|(graph, _)| self.tree.key(*graph).is_some_and(|key| key == "do"));
        let node = inner.and_then(|at| scopes.get(at + 1)).and_then(|(_, node)| *node);
        node.map_or_else(ValueType::default, |node| self.input_of(node, left).step(&Segment::Index(0)))
    }

    fn value(&self, item: usize, left: usize) -> ValueType {
        let tree = self.tree;
        let found = tree.item(item);
        match found.form {
            _ if left == 0 => ValueType::default(),
            ValueForm::Map => ValueType::map(
                tree.children(item)
                    .filter_map(|child| Some((tree.key(child)?.into_owned(), self.value(child, left - 1)))),
            ),
            ValueForm::Scalar => {
                let text = tree.slice(found.value);
                let inner = text.trim_matches(['"', '\'']);
                let start = found.value.start + text.find(inner).unwrap_or(0);
                let lexed = expression_lexer::template(inner, start, text.starts_with('"'));
                match (lexed.placeholders.as_slice(), lexed.atoms.as_slice()) {
                    ([], _) => ValueType::from_schema(scalar_schema(&json(tree, item))),
                    ([placeholder], [atom])
                        if placeholder.start == start
                            && placeholder.end == start + inner.len()
                            && inner.len() == atom.span.end - atom.span.start + "${}".len() =>
                    {
                        self.reference_within(
                            &PlanLocation::of(tree, item),
                            atom,
                            atom.segments.len(),
                            left - 1,
                        )
                    }
                    ([placeholder], _)
                        if placeholder.start == start && placeholder.end == start + inner.len() =>
                    {
                        let span = Span::new(start + 2, (placeholder.end - 1).max(start + 2));
                        self.computed(item, span, left - 1)
                    }
                    _ => ValueType::from_schema(serde_json::json!({"type": "string"})),
                }
            }
            _ => ValueType::default(),
        }
    }
}

fn scalar_schema(value: &Json) -> Json {
    let kind = match value {
        Json::String(_) => "string",
        Json::Number(_) => "number",
        Json::Bool(_) => "boolean",
        _ => return Json::Bool(true),
    };
    serde_json::json!({"type": kind})
}

pub(crate) fn json(tree: &SyntaxTree<'_>, item: usize) -> Json {
    let span = tree.item(item).value;
    // Further lines need their original indentation.
    let line = tree.line_start(span.start);
    let indent = " ".repeat(span.start - line);
    let text = format!("{indent}{}\n", tree.slice(span));
    let read = stepgraph_core::source::parse(&text, stepgraph_core::source::Format::Yaml);
    match read.root {
        Some(root) if read.diagnostics.is_empty() => root.to_json(),
        _ => Json::Null,
    }
}

pub(crate) fn segments(path: &[PathStep<'_>]) -> Vec<Segment> {
    let segment = |step: &PathStep<'_>| match step {
        PathStep::Key(key) => Segment::Key(key.to_string()),
        PathStep::Index(at) => Segment::Index(*at),
    };
    path.iter().map(segment).collect_vec()
}
