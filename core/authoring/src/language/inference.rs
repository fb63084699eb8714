//! What is known of the values at a place: of outputs, inputs, `last`, elements.
//!
//! Decides from schemas of tools and models, from what types of nodes give, and from what leads where in the text, which may be broken.
//!
//! Invariants: nothing is claimed that some run could not have; how far a value is followed is bounded.

use super::expression_lexer::{self, Atom};
use super::partial_graph::{PartialGraph, visible_outputs};
use super::plan_format::{PlanLocation, built_in, failure_schema};
use super::syntax_tree::{PathStep, SyntaxTree, ValueForm};
use super::value_type::ValueType;
use serde_json::{Map, Value as Json};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::list::List;
use stepgraph_core::value::Segment;

/// How far a value is followed from node to node.
const MAX_HOPS: usize = 8;

/// Who knows what values are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inference<'s, 't> {
    /// The text.
    pub(crate) tree: &'s SyntaxTree<'t>,
    /// What the host offers.
    pub(crate) capabilities: &'s Capabilities,
}

impl Inference<'_, '_> {
    /// What a reference leads to, by its first steps.
    pub(crate) fn reference(&self, meaning: &PlanLocation, atom: &Atom<'_>, steps: usize) -> ValueType {
        self.reference_within(meaning, atom, steps, MAX_HOPS)
    }

    fn reference_within(
        &self,
        meaning: &PlanLocation,
        atom: &Atom<'_>,
        steps: usize,
        left: usize,
    ) -> ValueType {
        let mut segments = atom.segments.iter().take(steps);
        let Some(root) = segments.next().filter(|_| left > 0) else { return ValueType::default() };
        let start = match root.text.as_ref() {
            "last" => self.last(meaning, left - 1),
            "input" => self.input(meaning, left - 1),
            "error" => ValueType::from_schema(failure_schema()),
            "item" => self.item(meaning, left - 1),
            "output" => {
                let Some(name) = segments.next() else { return ValueType::default() };
                match name.text.as_ref() {
                    "input" => self.input(meaning, left - 1),
                    name => self.output(meaning, name, left - 1),
                }
            }
            "index" => ValueType::from_schema(serde_json::json!({"type": "integer"})),
            _ => ValueType::default(),
        };
        let step = |text: &str| match text.parse::<usize>() {
            Ok(at) => Segment::Index(at),
            Err(_) => Segment::Key(text.to_owned()),
        };
        segments.fold(start, |shape, segment| shape.step(&step(&segment.text)))
    }

    /// What the output of a name is.
    fn output(&self, meaning: &PlanLocation, name: &str, left: usize) -> ValueType {
        let found = visible_outputs(self.tree, meaning).into_iter().find(|seen| seen.name == name);
        match found {
            Some(found) if found.is_node_output => self.node(found.node, left),
            Some(found) => self.named_output(found.node, name),
            None => ValueType::default(),
        }
    }

    /// What a node writes beside its output.
    fn named_output(&self, node: usize, name: &str) -> ValueType {
        let schema = match name {
            "tool_calls" => built_in("plan")
                .and_then(|kind| kind.output_schema()?.pointer("/properties/tool_calls").cloned()),
            "answer" => Some(serde_json::json!({"type": "string"})),
            "plan" => self.tree.find(node, &["with", "plan"]).map(|item| json(self.tree, item)),
            _ => None,
        };
        schema.map_or_else(ValueType::default, ValueType::from_schema)
    }

    /// What a node gives.
    pub(crate) fn node(&self, node: usize, left: usize) -> ValueType {
        let sketch = self.tree;
        if left == 0 {
            return ValueType::default();
        }
        let kind = sketch.text_of(node, "type").unwrap_or_default();
        if self.capabilities.handles_type(&kind) {
            return ValueType::default();
        }
        match kind.as_ref() {
            "tool" => sketch.text_of(node, "tool").map_or_else(ValueType::default, |tool| self.tool(&tool)),
            "llm" | "agent" | "llm_call" if sketch.find(node, &["with", "schema"]).is_some() => {
                let schema = sketch.find(node, &["with", "schema"]).map(|item| json(sketch, item));
                schema.filter(Json::is_object).map_or_else(ValueType::default, ValueType::from_schema)
            }
            "decision" | "noop" | "validation" => self.last(&PlanLocation::of(sketch, node), left - 1),
            "log" => match sketch.get(node, "input") {
                Some(input) => self.value(input, left - 1),
                None => self.last(&PlanLocation::of(sketch, node), left - 1),
            },
            "graph" => sketch
                .get(node, "graph")
                .map_or_else(ValueType::default, |graph| self.graph_output(graph, left - 1)),
            "map" => self.join(node, |own| Some(own.graph_output(sketch.get(node, "do")?, left - 1).list())),
            "parallel" => self.join(node, |own| {
                let branches = sketch.children(sketch.get(node, "branches")?);
                let branch = |item| {
                    Some((
                        sketch.key(item)?.into_owned(),
                        own.or_failure(node, own.graph_output(item, left - 1)),
                    ))
                };
                Some(ValueType::map(branches.filter_map(branch)))
            }),
            other => match built_in(other) {
                Some(kind) => kind.output_schema().map_or_else(ValueType::default, ValueType::from_schema),
                None => self.tool(other),
            },
        }
    }

    fn tool(&self, name: &str) -> ValueType {
        let tool = self.capabilities.tools.as_ref().and_then(|tools| tools.get(name));
        let schema = tool.and_then(|tool| tool.output_schema.clone());
        schema.map_or_else(ValueType::default, ValueType::from_schema)
    }

    /// What a node gives that waits for all; of one that takes the first, nothing is known.
    fn join(&self, node: usize, all: impl Fn(&Self) -> Option<ValueType>) -> ValueType {
        let join = self.tree.find(node, &["with", "join"]).and_then(|item| self.tree.scalar(item));
        if join.is_some_and(|join| join == "any") {
            ValueType::default()
        } else {
            all(self).unwrap_or_default()
        }
    }

    /// What is known of one of several that ended.
    fn or_failure(&self, node: usize, shape: ValueType) -> ValueType {
        let join = self.tree.find(node, &["with", "join"]).and_then(|item| self.tree.scalar(item));
        if join.is_none_or(|join| join != "settled") {
            return shape;
        }
        let status = ValueType::from_schema(serde_json::json!({"enum": ["completed", "failed"]}));
        ValueType::map([
            ("status".to_owned(), status),
            ("value".to_owned(), shape),
            ("error".to_owned(), ValueType::from_schema(failure_schema())),
        ])
    }

    /// What a graph inside a node ends with.
    fn graph_output(&self, graph: usize, left: usize) -> ValueType {
        let ways = PartialGraph::new(self.tree, graph);
        let ends: Vec<usize> = ways.ends().take(MAX_HOPS).list();
        ValueType::union(
            ends.iter().filter_map(|at| ways.nodes.get(*at)).map(|node| self.node(node.item, left)),
        )
    }

    /// What `last` is: the output of the node that an edge leaves, or of those that lead to a node.
    fn last(&self, meaning: &PlanLocation, left: usize) -> ValueType {
        if left == 0 {
            return ValueType::default();
        }
        let ways = PartialGraph::new(self.tree, meaning.graph);
        if let Some(edge) = meaning.edge {
            let from = self.tree.text_of(edge, "from").and_then(|from| ways.position(&from));
            return from
                .and_then(|at| ways.nodes.get(at))
                .map_or_else(ValueType::default, |node| self.node(node.item, left));
        }
        let Some(at) = ways.nodes.iter().position(|node| Some(node.item) == meaning.node) else {
            return ValueType::default();
        };
        let before = ways.before.get(at).map(Vec::as_slice).unwrap_or_default();
        if before.is_empty() {
            return self.input(meaning, left);
        }
        let before = before.iter().take(MAX_HOPS).filter_map(|at| ways.nodes.get(*at));
        ValueType::union(before.map(|node| self.node(node.item, left / 2)))
    }

    /// What the run was given, or the graph inside a node.
    fn input(&self, meaning: &PlanLocation, left: usize) -> ValueType {
        if meaning.graph != 0 {
            return if self.tree.key(meaning.graph).is_some_and(|key| key == "do") {
                self.item(meaning, left)
            } else {
                let holder = PlanLocation::of(self.tree, self.tree.item(meaning.graph).parent);
                holder.node.map_or_else(ValueType::default, |node| self.input_of(node, left))
            };
        }
        self.run_input()
    }

    /// What a run must be given.
    pub(crate) fn run_input(&self) -> ValueType {
        let Some(inputs) = self.tree.get(0, "inputs") else { return ValueType::default() };
        let mut properties = Map::new();
        for item in self.tree.children(inputs) {
            if let Some(name) = self.tree.key(item) {
                properties.insert(name.into_owned(), json(self.tree, item));
            }
        }
        let names: Vec<Json> = properties.keys().map(|name| Json::from(name.as_str())).list();
        ValueType::from_schema(
            serde_json::json!({"type": "object", "properties": properties, "required": names}),
        )
    }

    /// What a node is given.
    fn input_of(&self, node: usize, left: usize) -> ValueType {
        if left == 0 {
            return ValueType::default();
        }
        match self.tree.get(node, "input") {
            Some(input) => self.value(input, left - 1),
            None => self.last(&PlanLocation::of(self.tree, node), left - 1),
        }
    }

    /// What the element at hand of the nearest `map` is.
    fn item(&self, meaning: &PlanLocation, left: usize) -> ValueType {
        let scopes = meaning.scopes(self.tree);
        let inner = scopes.iter().position(|(graph, _)| self.tree.key(*graph).is_some_and(|key| key == "do"));
        let node = inner.and_then(|at| scopes.get(at + 1)).and_then(|(_, node)| *node);
        node.map_or_else(ValueType::default, |node| self.input_of(node, left).step(&Segment::Index(0)))
    }

    /// What a written value is, holes filled.
    fn value(&self, item: usize, left: usize) -> ValueType {
        let sketch = self.tree;
        let found = sketch.item(item);
        match found.form {
            _ if left == 0 => ValueType::default(),
            ValueForm::Map => ValueType::map(
                sketch
                    .children(item)
                    .filter_map(|child| Some((sketch.key(child)?.into_owned(), self.value(child, left - 1)))),
            ),
            ValueForm::Scalar => {
                let text = sketch.slice(found.value);
                let inner = text.trim_matches(['"', '\'']);
                let start = found.value.start + text.find(inner).unwrap_or(0);
                let lexed = expression_lexer::template(inner, start, text.starts_with('"'));
                match (lexed.placeholders.as_slice(), lexed.atoms.as_slice()) {
                    ([], _) => ValueType::from_schema(scalar_schema(&json(sketch, item))),
                    ([hole], [atom]) if hole.start == start && hole.end == start + inner.len() => self
                        .reference_within(
                            &PlanLocation::of(sketch, item),
                            atom,
                            atom.segments.len(),
                            left - 1,
                        ),
                    ([hole], _) if hole.start == start && hole.end == start + inner.len() => {
                        ValueType::default()
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

/// What stands at an item, as JSON; what is broken is left out.
pub(crate) fn json(sketch: &SyntaxTree<'_>, item: usize) -> Json {
    let span = sketch.item(item).value;
    // What can be read is read as it is everywhere. Deeper lines keep their indentation, which reading needs.
    let line = sketch.line_start(span.start);
    let indent = " ".repeat(span.start - line);
    let text = format!("{indent}{}\n", sketch.slice(span));
    let read = stepgraph_core::source::read(&text, stepgraph_core::source::Format::Yaml);
    match read.root {
        Some(root) if read.diagnostics.is_empty() => root.to_json(),
        _ => Json::Null,
    }
}

/// The steps of a path as segments.
pub(crate) fn segments(path: &[PathStep<'_>]) -> Vec<Segment> {
    let segment = |step: &PathStep<'_>| match step {
        PathStep::Key(key) => Segment::Key(key.to_string()),
        PathStep::Index(at) => Segment::Index(*at),
    };
    path.iter().map(segment).list()
}
