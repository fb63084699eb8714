//! Finds references and their target nodes, also in broken conditions and templates, so that a rename reaches
//! those.

use super::plan_syntax::{NodeSyntax, PlanSyntax};
use stepgraph_core::diagnostic::{Span, TextEdit};
use stepgraph_core::expression::{Atom, Condition, Predicate, Reference, Root, Template, is_key_char};
use stepgraph_core::graph::scalar_text;
use stepgraph_core::kind::named_outputs;
use stepgraph_core::source::edit::Change;
use stepgraph_core::source::{Spanned, ValueKind};
use stepgraph_core::value::Segment;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceSite {
    Edge(usize),
    Node(usize),
}

#[derive(Debug, Clone)]
pub(super) struct ReferenceUse<'d> {
    pub(super) graph: usize,
    pub(super) site: ReferenceSite,
    pub(super) path: Vec<Segment>,
    pub(super) value: &'d Spanned,
    pub(super) root: Root,
    pub(super) reference_path: Vec<Segment>,
    pub(super) span: Span,
    pub(super) predicate: Option<Predicate>,
    pub(super) comparison_span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceTarget {
    Node((usize, usize)),
    /// It has a fixed name.
    NamedOutput((usize, usize)),
    Unknown,
}

#[derive(Debug, Clone)]
pub(super) struct OutputReference<'d> {
    pub(super) reference: ReferenceUse<'d>,
    pub(super) name: String,
    pub(super) target: ReferenceTarget,
}

pub(super) fn find_references<'d>(syntax: &PlanSyntax<'d>, word: &str) -> Vec<ReferenceUse<'d>> {
    let mut found = Vec::new();
    for (at, graph) in syntax.graphs.iter().enumerate() {
        for (index, edge) in graph.edges.iter().enumerate() {
            let Some(entry) = edge.value.get("condition") else { continue };
            if let Some(text) = scalar_text(&entry.value).filter(|text| text.contains(word)) {
                let place = ReferenceUse::new(
                    at,
                    ReferenceSite::Edge(index),
                    graph.edge_path(index, &["condition"]),
                    &entry.value,
                );
                find_in_condition(&place, &text, &mut found);
            }
        }
        for (index, node) in graph.nodes.iter().enumerate() {
            for key in ["input", "with"] {
                let Some(entry) = node.value.get(key).filter(|_| has_templates(node)) else { continue };
                let place = ReferenceUse::new(at, ReferenceSite::Node(index), Vec::new(), &entry.value);
                let base = || graph.path_to(&["nodes", node.key, key]);
                let mut search =
                    ValueSearch { place, word, base: &base, path: Vec::new(), found: &mut found };
                search.find(&entry.value);
            }
        }
    }
    found
}

pub(super) fn output_references<'d>(syntax: &PlanSyntax<'d>, name: Option<&str>) -> Vec<OutputReference<'d>> {
    let mut found = Vec::new();
    for reference in find_references(syntax, "output") {
        let Root::Output(of) = &reference.root else { continue };
        if name.is_none_or(|name| name == of) {
            let (target, name) = (syntax.resolve(reference.graph, of), of.clone());
            found.push(OutputReference { reference, name, target });
        }
    }
    found
}

fn has_templates(node: &NodeSyntax<'_>) -> bool {
    let setting = node.value.get("with").and_then(|with| with.value.get("templates"));
    setting.is_none_or(|entry| entry.value.kind != ValueKind::Bool(false))
}

impl PlanSyntax<'_> {
    pub(super) fn resolve(&self, graph: usize, name: &str) -> ReferenceTarget {
        for at in self.enclosing(graph) {
            let Some(graph) = self.graph(at) else { continue };
            if let Some(node) = graph.with_id(name) {
                return ReferenceTarget::Node((at, node));
            }
            if let Some(node) = graph.nodes.iter().position(|node| named_outputs(&node.kind).contains(&name))
            {
                return ReferenceTarget::NamedOutput((at, node));
            }
        }
        ReferenceTarget::Unknown
    }
}

impl<'d> ReferenceUse<'d> {
    fn new(graph: usize, site: ReferenceSite, path: Vec<Segment>, value: &'d Spanned) -> Self {
        let (root, way, span) = (Root::Last, Vec::new(), Span::default());
        Self {
            graph,
            site,
            path,
            value,
            root,
            reference_path: way,
            span,
            predicate: None,
            comparison_span: span,
        }
    }

    fn with_reference(&self, reference: &Reference, span: Span) -> Self {
        Self { root: reference.root.clone(), reference_path: reference.path.clone(), span, ..self.clone() }
    }

    fn name_span(&self, text: &str) -> Option<Span> {
        let start = self.span.start + "output".len();
        let length = name_length(text.get(start..self.span.end)?)?;
        Some(Span::new(start, start + length))
    }
}

fn find_in_condition<'d>(place: &ReferenceUse<'d>, text: &str, found: &mut Vec<ReferenceUse<'d>>) {
    match Condition::parse(text) {
        Ok(condition) => {
            for Atom { reference, predicate: test, span, reference_span } in condition.atoms() {
                let reference_use = place.with_reference(reference, *reference_span);
                found.push(ReferenceUse {
                    predicate: Some(test.clone()),
                    comparison_span: *span,
                    ..reference_use
                });
            }
            for reference_use in condition.computed().iter().flat_map(|computed| &computed.references) {
                found.push(place.with_reference(&reference_use.reference, reference_use.span));
            }
        }
        Err(_) => find_in_broken(place, text, found),
    }
}

struct ValueSearch<'d, 's> {
    place: ReferenceUse<'d>,
    /// A template must contain it.
    word: &'s str,
    base: &'s dyn Fn() -> Vec<Segment>,
    path: Vec<Segment>,
    found: &'s mut Vec<ReferenceUse<'d>>,
}

impl<'d> ValueSearch<'d, '_> {
    fn find(&mut self, value: &'d Spanned) {
        match &value.kind {
            ValueKind::Text(text) if text.contains("${") && text.contains(self.word) => {
                self.place.path = [(self.base)(), self.path.clone()].concat();
                self.place.value = value;
                match Template::parse(text) {
                    Ok(template) => {
                        let template = template.unwrap_or(Template { parts: Vec::new() });
                        self.found.extend(
                            template
                                .references()
                                .map(|(reference, span)| self.place.with_reference(reference, span)),
                        );
                    }
                    Err(_) => find_in_broken(&self.place, text, self.found),
                }
            }
            ValueKind::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.find_at(Segment::Index(index), item);
                }
            }
            ValueKind::Map(entries) => {
                for entry in entries {
                    self.find_at(Segment::Key(entry.key.clone()), &entry.value);
                }
            }
            _ => {}
        }
    }

    fn find_at(&mut self, segment: Segment, value: &'d Spanned) {
        self.path.push(segment);
        self.find(value);
        self.path.pop();
    }
}

fn find_in_broken<'d>(place: &ReferenceUse<'d>, text: &str, found: &mut Vec<ReferenceUse<'d>>) {
    for (start, word) in text.match_indices("output") {
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let rest = text.get(start + word.len()..).unwrap_or_default();
        let Some(length) = name_length(rest).filter(|_| !before.is_some_and(|c| is_key_char(c) || c == '.'))
        else {
            continue;
        };
        let span = Span::new(start, start + word.len() + length);
        if let Ok(reference) = text.get(span.start..span.end).map_or(Reference::parse(""), Reference::parse) {
            found.push(place.with_reference(&reference, span));
        }
    }
}

/// The first step is `.name` or `["name"]`.
fn name_length(rest: &str) -> Option<usize> {
    if let Some(quoted) = rest.strip_prefix(".`") {
        return quoted.find('`').map(|end| end + 3);
    }
    if let Some(name) = rest.strip_prefix('.') {
        let length: usize = name.chars().take_while(|c| is_key_char(*c)).map(char::len_utf8).sum();
        return (length > 0).then_some(length + 1);
    }
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in rest.strip_prefix('[').map(|_| rest.char_indices().skip(1))? {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, ']') => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Keeps the style. `double` means double quotes around the text.
fn name_step(old: &str, name: &str, double: bool) -> String {
    let plain = name.chars().all(is_key_char) && !matches!(name, "exists" | "contains" | "");
    if old.starts_with('.') && plain {
        return format!(".{name}");
    }
    let open = old.chars().find(|c| matches!(c, '"' | '\''));
    let quote = open.unwrap_or(if double { '\'' } else { '"' });
    let mut out = format!("[{quote}");
    for c in name.chars() {
        if c == quote || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push(quote);
    out.push(']');
    out
}

pub(super) fn uses_error(condition: &str) -> bool {
    match Condition::parse(condition) {
        Ok(condition) => condition.references_error(),
        Err(_) => condition.contains("error"),
    }
}

impl OutputReference<'_> {
    pub(super) fn rename(&self, name: &str, double: bool) -> Option<Change> {
        let text = scalar_text(self.reference.value)?;
        let span = self.reference.name_span(&text)?;
        let step = name_step(text.get(span.start..span.end)?, name, double);
        Some(Change::Splice { path: self.reference.path.clone(), edits: vec![TextEdit { span, text: step }] })
    }
}
