//! What the name at a place stands for, where it is given, and everywhere it is spoken of.
//!
//! Decides which words of a text are names, and of what: nodes by key and by id, inputs, servers, tools, models, conversations. Sees the
//! present text, however broken.
//!
//! Invariants: 1. one pass over the text, linear in it; 2. a reference means the node of the nearest graph around it that has the name.
//!
//! Source: [`stepgraph_core::graph`]'s rules of scope.

use super::Document;
use super::expression::{self, Atom, inner};
use super::model::{Meaning, Names, What};
use super::nodes::nodes;
use super::sketch::{Form, Sketch};
use std::borrow::Cow;
use std::collections::HashMap;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::list::List;

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entity<'t> {
    /// A node, by its entry.
    Node(usize),
    /// An input of the plan.
    Input(Cow<'t, str>),
    /// A server of the plan.
    Server(Cow<'t, str>),
    /// A tool.
    Tool(Cow<'t, str>),
    /// A model.
    Model(Cow<'t, str>),
    /// A conversation of a graph.
    Conversation(usize, Cow<'t, str>),
}

/// A place at which something is named.
#[derive(Debug, Clone)]
pub(crate) struct Mention<'t> {
    /// What is named.
    pub(crate) entity: Entity<'t>,
    /// Where, without quotes.
    pub(crate) span: Span,
    /// Whether the name is given there.
    pub(crate) gives: bool,
    /// Whether the name is an id, where that is not the key.
    pub(crate) by_id: bool,
}

/// Where the name at a place is given: the key of a node, an input, a server.
pub fn definition(document: &Document, at: usize) -> Option<Span> {
    let sketch = Sketch::new(document.text(), document.format());
    let mentions = mentions(&sketch);
    let named = at_place(&mentions, at)?;
    let mut places = mentions.iter().filter(|mention| mention.entity == named.entity && mention.gives);
    // The key stands before the id.
    places.next().map(|mention| mention.span)
}

/// Everywhere the name at a place stands, in the order of the text; where it is given is among them.
pub fn references(document: &Document, at: usize) -> Vec<Span> {
    let sketch = Sketch::new(document.text(), document.format());
    let mentions = mentions(&sketch);
    let Some(named) = at_place(&mentions, at) else { return Vec::new() };
    mentions.iter().filter(|mention| mention.entity == named.entity).map(|mention| mention.span).list()
}

/// The mention at a place.
pub(crate) fn at_place<'m, 't>(mentions: &'m [Mention<'t>], at: usize) -> Option<&'m Mention<'t>> {
    let after = mentions.partition_point(|mention| mention.span.start <= at);
    // Of a tool's name in full its server is a part.
    let before = mentions.get(..after)?.iter().rev().take(4);
    before
        .filter(|mention| at <= mention.span.end)
        .min_by_key(|mention| mention.span.end - mention.span.start)
}

/// The nodes of a graph by their names.
#[derive(Debug, Default)]
struct Known<'t> {
    keys: HashMap<Cow<'t, str>, usize>,
    ids: HashMap<Cow<'t, str>, usize>,
    outer: Option<usize>,
}

/// All names of a text, in its order.
pub(crate) fn mentions<'t>(sketch: &Sketch<'t>) -> Vec<Mention<'t>> {
    let meanings = Meaning::all(sketch);
    let mut finder = Finder { sketch, known: HashMap::new(), found: Vec::new() };
    for meaning in &meanings {
        finder.learn(meaning.graph, &meanings);
    }
    for (at, meaning) in meanings.iter().enumerate().skip(1) {
        finder.item(at, meaning, meanings.get(sketch.item(at).parent));
    }
    let mut found = finder.found;
    found.sort_by_key(|mention| (mention.span.start, mention.span.end));
    found
}

struct Finder<'s, 't> {
    sketch: &'s Sketch<'t>,
    known: HashMap<usize, Known<'t>>,
    found: Vec<Mention<'t>>,
}

impl<'t> Finder<'_, 't> {
    fn learn(&mut self, graph: usize, meanings: &[Meaning]) {
        if self.known.contains_key(&graph) {
            return;
        }
        let outer = (graph != 0)
            .then(|| meanings.get(self.sketch.item(graph).parent).map(|meaning| meaning.graph))
            .flatten();
        let mut known = Known { outer: outer.filter(|outer| *outer < graph), ..Known::default() };
        for node in nodes(self.sketch, graph) {
            known.keys.insert(node.key, node.item);
            for name in stepgraph_core::kind::named_outputs(&node.kind) {
                known.ids.entry(Cow::Borrowed(*name)).or_insert(node.item);
            }
            known.ids.insert(node.id, node.item);
        }
        self.known.insert(graph, known);
    }

    fn by_key(&self, graph: usize, name: &str) -> Option<usize> {
        self.known.get(&graph)?.keys.get(name).copied()
    }

    fn by_id(&self, graph: usize, name: &str) -> Option<usize> {
        let outward = |graph: &usize| self.known.get(graph)?.outer;
        std::iter::successors(Some(graph), outward)
            .find_map(|graph| self.known.get(&graph)?.ids.get(name).copied())
    }

    fn add(&mut self, entity: Entity<'t>, span: Span, gives: bool) {
        self.found.push(Mention { entity, span, gives, by_id: false });
    }

    /// A name that goes by the id of a node.
    fn add_id(&mut self, node: usize, span: Span, gives: bool) {
        let by_id = self.sketch.text_of(node, "id").is_some();
        self.found.push(Mention { entity: Entity::Node(node), span, gives, by_id });
    }

    fn item(&mut self, at: usize, meaning: &Meaning, holder: Option<&Meaning>) {
        let item = self.sketch.item(at);
        if let (Some(key), Some(name), Some(holder)) = (item.key, self.sketch.key(at), holder) {
            self.key(at, unquoted(self.sketch, key), name, holder, meaning);
        }
        if item.form != Form::Scalar {
            return;
        }
        let span = unquoted(self.sketch, item.value);
        let Some(text) = self.sketch.scalar(at).filter(|text| !text.is_empty()) else { return };
        match meaning.what {
            What::NodeKey => {
                if let Some(node) = self.by_key(meaning.graph, &text) {
                    self.add(Entity::Node(node), span, false);
                }
            }
            What::NodeId => {
                if let Some(node) = self.by_id(0, &text) {
                    self.add_id(node, span, false);
                }
            }
            What::Tool => self.tool(text, span),
            What::Kind => self.kind(text, span),
            What::Model => self.add(Entity::Model(text), span, false),
            What::Text if meaning.field.is_some_and(|field| field.key == "id") => {
                if let Some(node) = meaning.node.filter(|node| self.sketch.item(at).parent == *node) {
                    self.add_id(node, span, true);
                }
            }
            What::Text if meaning.field.is_some_and(|field| field.key == "conversation") => {
                self.add(Entity::Conversation(meaning.graph, text), span, false);
            }
            What::Condition => self.expression(item.value, meaning, true),
            What::Input | What::Template | What::Schema if self.sketch.part(item.value).contains("${") => {
                self.expression(item.value, meaning, false);
            }
            _ => {}
        }
    }

    fn key(&mut self, at: usize, span: Span, name: Cow<'t, str>, holder: &Meaning, meaning: &Meaning) {
        match holder.what {
            What::Named(Names::Nodes, _) => self.add(Entity::Node(at), span, true),
            What::Named(Names::NodeKeys, _) => {
                if let Some(node) = self.by_key(holder.graph, &name) {
                    self.add(Entity::Node(node), span, false);
                }
            }
            What::Named(Names::NodeIds, _) => {
                let name = name.split(':').next().unwrap_or_default();
                if let Some(node) = self.by_id(0, name) {
                    let span = Span::new(span.start, (span.start + name.len()).min(span.end));
                    self.add_id(node, span, false);
                }
            }
            What::Named(Names::Tools, _) => self.tool(name, span),
            What::Named(Names::Models, _) => self.add(Entity::Model(name), span, false),
            What::Named(..) if meaning.field.is_none() && matches!(meaning.what, What::Schema) => {
                self.add(Entity::Input(name), span, true);
            }
            What::Named(..) if matches!(meaning.what, What::Map(object) if object.what == "a server") => {
                self.add(Entity::Server(name), span, true);
            }
            _ => {}
        }
    }

    fn tool(&mut self, name: Cow<'t, str>, span: Span) {
        if let Some((server, _)) = name.split_once('.') {
            let length = server.len();
            if self.sketch.find(0, &["servers", server]).is_some() {
                let server = Cow::Owned(server.to_owned());
                self.add(
                    Entity::Server(server),
                    Span::new(span.start, (span.start + length).min(span.end)),
                    false,
                );
            }
        }
        self.add(Entity::Tool(name), span, false);
    }

    fn kind(&mut self, name: Cow<'t, str>, span: Span) {
        if super::model::built_in(&name).is_none() {
            self.tool(name, span);
        }
    }

    fn expression(&mut self, value: Span, meaning: &Meaning, condition: bool) {
        let lexed = expression::scalar(self.sketch.text, value, condition);
        for atom in &lexed.atoms {
            self.reference(atom, meaning);
        }
    }

    fn reference(&mut self, atom: &Atom<'t>, meaning: &Meaning) {
        let mut segments = atom.segments.iter();
        let Some(root) = segments.next() else { return };
        let Some(name) = segments.next().filter(|name| !name.text.is_empty()) else { return };
        let span = unquoted(self.sketch, name.span);
        let input =
            |segment: &expression::Segment<'t>| (segment.text.clone(), unquoted(self.sketch, segment.span));
        let outermost = meaning.graph == 0;
        let input = match root.text.as_ref() {
            "input" if outermost => Some(input(name)),
            "output" if name.text == "input" && outermost => segments.next().map(input),
            _ => None,
        };
        if let Some((name, span)) = input {
            let given = self.sketch.get(0, "inputs").and_then(|inputs| self.sketch.get(inputs, &name));
            if given.is_some() {
                self.add(Entity::Input(name), span, false);
            }
        } else if root.text == "output"
            && let Some(node) = self.by_id(meaning.graph, &name.text)
        {
            self.add_id(node, span, false);
        }
    }
}

/// A span without the quotes around it.
pub(crate) fn unquoted(sketch: &Sketch<'_>, span: Span) -> Span {
    let text = sketch.part(span);
    if text.starts_with("\\\"") {
        return Span::new(
            span.start + 2,
            span.end - if text.len() > 3 && text.ends_with("\\\"") { 2 } else { 0 },
        );
    }
    inner(sketch.text, span).0
}
