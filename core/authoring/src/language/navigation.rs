//! Finds definitions and references of nodes, inputs, servers, tools, models, conversations and macro variables,
//! in linear time.
//!
//! Invariant: a reference resolves to the node in the nearest surrounding graph that has the name.
//!
//! Source: the scope rules of [`stepgraph_core::graph`].

use super::Document;
use super::expression_lexer::{self, Atom, inner};
use super::macro_variable::MacroVariable;
use super::partial_graph::nodes;
use super::plan_format::{KeyNames, PlanLocation, ValueSpec};
use super::syntax_tree::{SyntaxTree, ValueForm};
use std::borrow::Cow;
use std::collections::HashMap;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::Span;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entity<'t> {
    Node(usize),
    Input(Cow<'t, str>),
    Server(Cow<'t, str>),
    Tool(Cow<'t, str>),
    Model(Cow<'t, str>),
    Conversation(usize, Cow<'t, str>),
}

#[derive(Debug, Clone)]
pub(crate) struct Occurrence<'t> {
    pub(crate) entity: Entity<'t>,
    pub(crate) span: Span,
    pub(crate) is_definition: bool,
    /// An id that differs from the key.
    pub(crate) by_id: bool,
}

/// The definition of a node key, input, server or macro variable.
pub fn definition(document: &Document, at: usize) -> Option<Span> {
    if let Some(variable) = MacroVariable::at(document, at) {
        return variable.spans.first().copied();
    }
    let tree = SyntaxTree::new(document.text(), document.format());
    let occurrences = occurrences(&tree);
    let named = occurrence_at(&occurrences, at)?;
    let mut places =
        occurrences.iter().filter(|occurrence| occurrence.entity == named.entity && occurrence.is_definition);
    // The key precedes the id.
    places.next().map(|occurrence| occurrence.span)
}

/// All occurrences in text order, with the definition.
pub fn references(document: &Document, at: usize) -> Vec<Span> {
    if let Some(variable) = MacroVariable::at(document, at) {
        return variable.spans;
    }
    let tree = SyntaxTree::new(document.text(), document.format());
    let occurrences = occurrences(&tree);
    let Some(named) = occurrence_at(&occurrences, at) else { return Vec::new() };
    occurrences
        .iter()
        .filter(|occurrence| occurrence.entity == named.entity)
        .map(|occurrence| occurrence.span)
        .collect_vec()
}

pub(crate) fn occurrence_at<'m, 't>(
    occurrences: &'m [Occurrence<'t>],
    at: usize,
) -> Option<&'m Occurrence<'t>> {
    let after = occurrences.partition_point(|occurrence| occurrence.span.start <= at);
    // A full tool name contains its server's.
    let before = occurrences.get(..after)?.iter().rev().take(4);
    before
        .filter(|occurrence| at <= occurrence.span.end)
        .min_by_key(|occurrence| occurrence.span.end - occurrence.span.start)
}

#[derive(Debug, Default)]
struct NodeNames<'t> {
    keys: HashMap<Cow<'t, str>, usize>,
    ids: HashMap<Cow<'t, str>, usize>,
    outer: Option<usize>,
}

pub(crate) fn occurrences<'t>(tree: &SyntaxTree<'t>) -> Vec<Occurrence<'t>> {
    let locations = PlanLocation::all(tree);
    let mut finder = OccurrenceFinder { tree, names: HashMap::new(), occurrences: Vec::new() };
    for location in &locations {
        finder.add_graph(location.graph, &locations);
    }
    for (at, location) in locations.iter().enumerate().skip(1) {
        finder.item(at, location, locations.get(tree.item(at).parent));
    }
    let mut found = finder.occurrences;
    found.sort_by_key(|occurrence| (occurrence.span.start, occurrence.span.end));
    found
}

struct OccurrenceFinder<'s, 't> {
    tree: &'s SyntaxTree<'t>,
    names: HashMap<usize, NodeNames<'t>>,
    occurrences: Vec<Occurrence<'t>>,
}

impl<'t> OccurrenceFinder<'_, 't> {
    fn add_graph(&mut self, graph: usize, locations: &[PlanLocation]) {
        if self.names.contains_key(&graph) {
            return;
        }
        let outer = (graph != 0)
            .then(|| locations.get(self.tree.item(graph).parent).map(|location| location.graph))
            .flatten();
        let mut known = NodeNames { outer: outer.filter(|outer| *outer < graph), ..NodeNames::default() };
        for node in nodes(self.tree, graph) {
            known.keys.insert(node.key, node.item);
            for name in stepgraph_core::kind::named_outputs(&node.kind) {
                known.ids.entry(Cow::Borrowed(*name)).or_insert(node.item);
            }
            known.ids.insert(node.id, node.item);
        }
        self.names.insert(graph, known);
    }

    fn by_key(&self, graph: usize, name: &str) -> Option<usize> {
        self.names.get(&graph)?.keys.get(name).copied()
    }

    fn by_id(&self, graph: usize, name: &str) -> Option<usize> {
        let outward = |graph: &usize| self.names.get(graph)?.outer;
        std::iter::successors(Some(graph), outward)
            .find_map(|graph| self.names.get(&graph)?.ids.get(name).copied())
    }

    fn add(&mut self, entity: Entity<'t>, span: Span, is_definition: bool) {
        self.occurrences.push(Occurrence { entity, span, is_definition, by_id: false });
    }

    fn add_id(&mut self, node: usize, span: Span, is_definition: bool) {
        let by_id = self.tree.text_of(node, "id").is_some();
        self.occurrences.push(Occurrence { entity: Entity::Node(node), span, is_definition, by_id });
    }

    fn item(&mut self, at: usize, location: &PlanLocation, holder: Option<&PlanLocation>) {
        let item = self.tree.item(at);
        if let (Some(key), Some(name), Some(holder)) = (item.key, self.tree.key(at), holder) {
            self.key(at, unquoted(self.tree, key), name, holder, location);
        }
        if item.form != ValueForm::Scalar {
            return;
        }
        let span = unquoted(self.tree, item.value);
        let Some(text) = self.tree.scalar(at).filter(|text| !text.is_empty()) else { return };
        match location.spec {
            ValueSpec::NodeKey => {
                if let Some(node) = self.by_key(location.graph, &text) {
                    self.add(Entity::Node(node), span, false);
                }
            }
            ValueSpec::NodeId => {
                if let Some(node) = self.by_id(0, &text) {
                    self.add_id(node, span, false);
                }
            }
            ValueSpec::Tool => self.tool(text, span),
            ValueSpec::NodeType => self.kind(text, span),
            ValueSpec::Model => self.add(Entity::Model(text), span, false),
            ValueSpec::Text if location.field.is_some_and(|field| field.key == "id") => {
                if let Some(node) = location.node.filter(|node| self.tree.item(at).parent == *node) {
                    self.add_id(node, span, true);
                }
            }
            ValueSpec::Text if location.field.is_some_and(|field| field.key == "conversation") => {
                self.add(Entity::Conversation(location.graph, text), span, false);
            }
            ValueSpec::Condition => self.expression(item.value, location, true),
            ValueSpec::Input | ValueSpec::Template | ValueSpec::NumberTemplate | ValueSpec::Schema
                if self.tree.slice(item.value).contains("${") =>
            {
                self.expression(item.value, location, false);
            }
            _ => {}
        }
    }

    fn key(
        &mut self,
        at: usize,
        span: Span,
        name: Cow<'t, str>,
        holder: &PlanLocation,
        location: &PlanLocation,
    ) {
        match holder.spec {
            ValueSpec::Named(KeyNames::DeclaredNodes, _) => self.add(Entity::Node(at), span, true),
            ValueSpec::Named(KeyNames::NodeKeys, _) => {
                if let Some(node) = self.by_key(holder.graph, &name) {
                    self.add(Entity::Node(node), span, false);
                }
            }
            ValueSpec::Named(KeyNames::NodeIds, _) => {
                let name = name.split(':').next().unwrap_or_default();
                if let Some(node) = self.by_id(0, name) {
                    let span = Span::new(span.start, (span.start + name.len()).min(span.end));
                    self.add_id(node, span, false);
                }
            }
            ValueSpec::Named(KeyNames::Tools, _) => self.tool(name, span),
            ValueSpec::Named(KeyNames::Models, _) => self.add(Entity::Model(name), span, false),
            ValueSpec::Named(..)
                if location.field.is_none() && matches!(location.spec, ValueSpec::Schema) =>
            {
                self.add(Entity::Input(name), span, true);
            }
            ValueSpec::Named(..) if matches!(location.spec, ValueSpec::Map(map_spec) if map_spec.title == "a server") =>
            {
                self.add(Entity::Server(name), span, true);
            }
            _ => {}
        }
    }

    fn tool(&mut self, name: Cow<'t, str>, span: Span) {
        if let Some((server, _)) = name.split_once('.') {
            let length = server.len();
            if self.tree.find(0, &["servers", server]).is_some() {
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
        if super::plan_format::built_in(&name).is_none() {
            self.tool(name, span);
        }
    }

    fn expression(&mut self, value: Span, location: &PlanLocation, condition: bool) {
        let lexed = expression_lexer::scalar(self.tree.text, value, condition);
        for atom in &lexed.atoms {
            self.reference(atom, location);
        }
    }

    fn reference(&mut self, atom: &Atom<'t>, location: &PlanLocation) {
        let mut segments = atom.segments.iter();
        let Some(root) = segments.next() else { return };
        let Some(name) = segments.next().filter(|name| !name.text.is_empty()) else { return };
        let span = unquoted(self.tree, name.span);
        let input = |segment: &expression_lexer::Segment<'t>| {
            (segment.text.clone(), unquoted(self.tree, segment.span))
        };
        let outermost = location.graph == 0;
        let input = match root.text.as_ref() {
            "input" if outermost => Some(input(name)),
            "output" if name.text == "input" && outermost => segments.next().map(input),
            _ => None,
        };
        if let Some((name, span)) = input {
            let given = self.tree.get(0, "inputs").and_then(|inputs| self.tree.get(inputs, &name));
            if given.is_some() {
                self.add(Entity::Input(name), span, false);
            }
        } else if root.text == "output"
            && let Some(node) = self.by_id(location.graph, &name.text)
        {
            self.add_id(node, span, false);
        }
    }
}

pub(crate) fn unquoted(tree: &SyntaxTree<'_>, span: Span) -> Span {
    let text = tree.slice(span);
    if text.starts_with("\\\"") {
        return Span::new(
            span.start + 2,
            span.end - if text.len() > 3 && text.ends_with("\\\"") { 2 } else { 0 },
        );
    }
    inner(tree.text, span).0
}
