//! What is known of the values at a place: of outputs, inputs, `last`, elements.
//!
//! Decides from schemas of tools and models, from what types of nodes give, and from what leads where in the text, which may be broken.
//!
//! Invariants: nothing is claimed that some run could not have; how far a value is followed is bounded.

use super::expression::{self, Atom};
use super::model::{Meaning, built_in, failure};
use super::nodes::{Ways, seen};
use super::shape::Shape;
use super::sketch::{Form, Sketch, Step};
use serde_json::{Map, Value as Json};
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::list::List;
use stepgraph_core::value::Segment;

/// How far a value is followed from node to node.
const FARTHEST: usize = 8;

/// Who knows what values are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'s, 't> {
    /// The text.
    pub(crate) sketch: &'s Sketch<'t>,
    /// What the host offers.
    pub(crate) host: &'s Capabilities,
}

impl Given<'_, '_> {
    /// What a reference leads to, by its first steps.
    pub(crate) fn reference(&self, meaning: &Meaning, atom: &Atom<'_>, steps: usize) -> Shape {
        self.follow(meaning, atom, steps, FARTHEST)
    }

    fn follow(&self, meaning: &Meaning, atom: &Atom<'_>, steps: usize, left: usize) -> Shape {
        let mut segments = atom.segments.iter().take(steps);
        let Some(root) = segments.next().filter(|_| left > 0) else { return Shape::default() };
        let start = match root.text.as_ref() {
            "last" => self.last(meaning, left - 1),
            "input" => self.input(meaning, left - 1),
            "error" => Shape::of(failure()),
            "item" => self.item(meaning, left - 1),
            "output" => {
                let Some(name) = segments.next() else { return Shape::default() };
                match name.text.as_ref() {
                    "input" => self.input(meaning, left - 1),
                    name => self.output(meaning, name, left - 1),
                }
            }
            "index" => Shape::of(serde_json::json!({"type": "integer"})),
            _ => Shape::default(),
        };
        let step = |text: &str| match text.parse::<usize>() {
            Ok(at) => Segment::Index(at),
            Err(_) => Segment::Key(text.to_owned()),
        };
        segments.fold(start, |shape, segment| shape.step(&step(&segment.text)))
    }

    /// What the output of a name is.
    fn output(&self, meaning: &Meaning, name: &str, left: usize) -> Shape {
        let found = seen(self.sketch, meaning).into_iter().find(|seen| seen.name == name);
        match found {
            Some(found) if found.own => self.node(found.node, left),
            Some(found) => self.written(found.node, name),
            None => Shape::default(),
        }
    }

    /// What a node writes beside its output.
    fn written(&self, node: usize, name: &str) -> Shape {
        let schema = match name {
            "tool_calls" => {
                built_in("plan").and_then(|kind| kind.gives()?.pointer("/properties/tool_calls").cloned())
            }
            "answer" => Some(serde_json::json!({"type": "string"})),
            "plan" => self.sketch.find(node, &["with", "plan"]).map(|item| json(self.sketch, item)),
            _ => None,
        };
        schema.map_or_else(Shape::default, Shape::of)
    }

    /// What a node gives.
    pub(crate) fn node(&self, node: usize, left: usize) -> Shape {
        let sketch = self.sketch;
        if left == 0 {
            return Shape::default();
        }
        let kind = sketch.text_of(node, "type").unwrap_or_default();
        if self.host.handles_type(&kind) {
            return Shape::default();
        }
        match kind.as_ref() {
            "tool" => sketch.text_of(node, "tool").map_or_else(Shape::default, |tool| self.tool(&tool)),
            "llm" | "agent" | "llm_call" if sketch.find(node, &["with", "schema"]).is_some() => {
                let schema = sketch.find(node, &["with", "schema"]).map(|item| json(sketch, item));
                schema.filter(Json::is_object).map_or_else(Shape::default, Shape::of)
            }
            "decision" | "noop" | "validation" => self.last(&Meaning::of(sketch, node), left - 1),
            "log" => match sketch.get(node, "input") {
                Some(input) => self.value(input, left - 1),
                None => self.last(&Meaning::of(sketch, node), left - 1),
            },
            "graph" => {
                sketch.get(node, "graph").map_or_else(Shape::default, |graph| self.end(graph, left - 1))
            }
            "map" => self.join(node, |own| Some(own.end(sketch.get(node, "do")?, left - 1).list())),
            "parallel" => self.join(node, |own| {
                let branches = sketch.children(sketch.get(node, "branches")?);
                let branch =
                    |item| Some((sketch.key(item)?.into_owned(), own.ended(node, own.end(item, left - 1))));
                Some(Shape::map(branches.filter_map(branch)))
            }),
            other => match built_in(other) {
                Some(kind) => kind.gives().map_or_else(Shape::default, Shape::of),
                None => self.tool(other),
            },
        }
    }

    fn tool(&self, name: &str) -> Shape {
        let tool = self.host.tools.as_ref().and_then(|tools| tools.get(name));
        let schema = tool.and_then(|tool| tool.output_schema.clone());
        schema.map_or_else(Shape::default, Shape::of)
    }

    /// What a node gives that waits for all; of one that takes the first, nothing is known.
    fn join(&self, node: usize, all: impl Fn(&Self) -> Option<Shape>) -> Shape {
        let join = self.sketch.find(node, &["with", "join"]).and_then(|item| self.sketch.scalar(item));
        if join.is_some_and(|join| join == "any") { Shape::default() } else { all(self).unwrap_or_default() }
    }

    /// What is known of one of several that ended.
    fn ended(&self, node: usize, shape: Shape) -> Shape {
        let join = self.sketch.find(node, &["with", "join"]).and_then(|item| self.sketch.scalar(item));
        if join.is_none_or(|join| join != "settled") {
            return shape;
        }
        let status = Shape::of(serde_json::json!({"enum": ["completed", "failed"]}));
        Shape::map([
            ("status".to_owned(), status),
            ("value".to_owned(), shape),
            ("error".to_owned(), Shape::of(failure())),
        ])
    }

    /// What a graph inside a node ends with.
    fn end(&self, graph: usize, left: usize) -> Shape {
        let ways = Ways::new(self.sketch, graph);
        let ends: Vec<usize> = ways.ends().take(FARTHEST).list();
        Shape::either(ends.iter().filter_map(|at| ways.nodes.get(*at)).map(|node| self.node(node.item, left)))
    }

    /// What `last` is: the output of the node that an edge leaves, or of those that lead to a node.
    fn last(&self, meaning: &Meaning, left: usize) -> Shape {
        if left == 0 {
            return Shape::default();
        }
        let ways = Ways::new(self.sketch, meaning.graph);
        if let Some(edge) = meaning.edge {
            let from = self.sketch.text_of(edge, "from").and_then(|from| ways.place(&from));
            return from
                .and_then(|at| ways.nodes.get(at))
                .map_or_else(Shape::default, |node| self.node(node.item, left));
        }
        let Some(at) = ways.nodes.iter().position(|node| Some(node.item) == meaning.node) else {
            return Shape::default();
        };
        let before = ways.before.get(at).map(Vec::as_slice).unwrap_or_default();
        if before.is_empty() {
            return self.input(meaning, left);
        }
        let before = before.iter().take(FARTHEST).filter_map(|at| ways.nodes.get(*at));
        Shape::either(before.map(|node| self.node(node.item, left / 2)))
    }

    /// What the run was given, or the graph inside a node.
    fn input(&self, meaning: &Meaning, left: usize) -> Shape {
        if meaning.graph != 0 {
            return if self.sketch.key(meaning.graph).is_some_and(|key| key == "do") {
                self.item(meaning, left)
            } else {
                let holder = Meaning::of(self.sketch, self.sketch.item(meaning.graph).parent);
                holder.node.map_or_else(Shape::default, |node| self.input_of(node, left))
            };
        }
        self.run_input()
    }

    /// What a run must be given.
    pub(crate) fn run_input(&self) -> Shape {
        let Some(inputs) = self.sketch.get(0, "inputs") else { return Shape::default() };
        let mut properties = Map::new();
        for item in self.sketch.children(inputs) {
            if let Some(name) = self.sketch.key(item) {
                properties.insert(name.into_owned(), json(self.sketch, item));
            }
        }
        let names: Vec<Json> = properties.keys().map(|name| Json::from(name.as_str())).list();
        Shape::of(serde_json::json!({"type": "object", "properties": properties, "required": names}))
    }

    /// What a node is given.
    fn input_of(&self, node: usize, left: usize) -> Shape {
        if left == 0 {
            return Shape::default();
        }
        match self.sketch.get(node, "input") {
            Some(input) => self.value(input, left - 1),
            None => self.last(&Meaning::of(self.sketch, node), left - 1),
        }
    }

    /// What the element at hand of the nearest `map` is.
    fn item(&self, meaning: &Meaning, left: usize) -> Shape {
        let scopes = meaning.scopes(self.sketch);
        let inner =
            scopes.iter().position(|(graph, _)| self.sketch.key(*graph).is_some_and(|key| key == "do"));
        let node = inner.and_then(|at| scopes.get(at + 1)).and_then(|(_, node)| *node);
        node.map_or_else(Shape::default, |node| self.input_of(node, left).step(&Segment::Index(0)))
    }

    /// What a written value is, holes filled.
    fn value(&self, item: usize, left: usize) -> Shape {
        let sketch = self.sketch;
        let found = sketch.item(item);
        match found.form {
            _ if left == 0 => Shape::default(),
            Form::Map => Shape::map(
                sketch
                    .children(item)
                    .filter_map(|child| Some((sketch.key(child)?.into_owned(), self.value(child, left - 1)))),
            ),
            Form::Scalar => {
                let text = sketch.part(found.value);
                let inner = text.trim_matches(['"', '\'']);
                let start = found.value.start + text.find(inner).unwrap_or(0);
                let lexed = expression::template(inner, start, text.starts_with('"'));
                match (lexed.holes.as_slice(), lexed.atoms.as_slice()) {
                    ([], _) => Shape::of(kind_of(&json(sketch, item))),
                    ([hole], [atom]) if hole.start == start && hole.end == start + inner.len() => {
                        self.follow(&Meaning::of(sketch, item), atom, atom.segments.len(), left - 1)
                    }
                    ([hole], _) if hole.start == start && hole.end == start + inner.len() => Shape::default(),
                    _ => Shape::of(serde_json::json!({"type": "string"})),
                }
            }
            _ => Shape::default(),
        }
    }
}

fn kind_of(value: &Json) -> Json {
    let kind = match value {
        Json::String(_) => "string",
        Json::Number(_) => "number",
        Json::Bool(_) => "boolean",
        _ => return Json::Bool(true),
    };
    serde_json::json!({"type": kind})
}

/// What stands at an item, as JSON; what is broken is left out.
pub(crate) fn json(sketch: &Sketch<'_>, item: usize) -> Json {
    let span = sketch.item(item).value;
    // What can be read is read as it is everywhere. Deeper lines keep their indentation, which reading needs.
    let line = sketch.line_start(span.start);
    let indent = " ".repeat(span.start - line);
    let text = format!("{indent}{}\n", sketch.part(span));
    let read = stepgraph_core::source::read(&text, stepgraph_core::source::Format::Yaml);
    match read.root {
        Some(root) if read.diagnostics.is_empty() => root.to_json(),
        _ => Json::Null,
    }
}

/// The steps of a path as segments.
pub(crate) fn segments(path: &[Step<'_>]) -> Vec<Segment> {
    let segment = |step: &Step<'_>| match step {
        Step::Key(key) => Segment::Key(key.to_string()),
        Step::Index(at) => Segment::Index(*at),
    };
    path.iter().map(segment).list()
}
