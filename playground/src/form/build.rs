//! Builds the forms of plans, nodes and edges.

use super::form_target::FormTarget;
use super::{Control, Field, FieldProblem, Form, MAX_DEPTH, MAX_FIELDS, Owner, Section, SectionKind};
use crate::i18n::Lang;
use std::collections::HashMap;
use stepgraph_authoring::language::Document;
use stepgraph_authoring::language::plan_format::{self, FieldSpec as Known, ValueSpec, built_in};
use stepgraph_core::diagnostic::{Span, Target};
use stepgraph_core::graph::scoped_name;
use stepgraph_core::source::{Entry, LineIndex, Spanned, ValueKind};
use stepgraph_core::value::Segment;

/// A form's subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// One owner.
    One(Owner),
    /// Nodes by scope and key.
    Several(Vec<(String, String)>),
}

/// Settings that most users need.
const COMMON: [&str; 7] = ["model", "system", "tools", "schema", "plan", "join", "concurrency"];
const KEYS_OUTSIDE_FORM: [&str; 4] = ["type", "graph", "branches", "do"];
const KEYS_ON_CANVAS: [&str; 3] = ["nodes", "edges", "layout"];

/// Form of an existing selection whose text parses.
pub fn build_form(document: &Document, subject: &Subject, lang: Lang) -> Option<Form> {
    match subject {
        Subject::One(owner) => form_of_owner(document, owner, lang),
        Subject::Several(nodes) => form_of_nodes(document, nodes, lang),
    }
}

fn form_of_owner(document: &Document, owner: &Owner, lang: Lang) -> Option<Form> {
    let mut builder = FormBuilder::new(document, owner, lang)?;
    let sections = match owner {
        Owner::Plan => builder.plan_sections(),
        Owner::Node(..) => builder.node_sections(),
        Owner::Edge(..) => builder.edge_sections(),
    };
    Some(builder.finish(sections))
}

fn form_of_nodes(document: &Document, nodes: &[(String, String)], lang: Lang) -> Option<Form> {
    let own = |(scope, key): &(String, String)| Owner::Node(scope.clone(), key.clone());
    let mut forms =
        nodes.iter().take(MAX_FIELDS).filter_map(|node| form_of_owner(document, &own(node), lang));
    let mut first = forms.next()?;
    let path = |field: &Field| (field.path.clone(), field.value.clone());
    let others: Vec<HashMap<_, _>> = forms.map(|form| form.fields.values().map(path).collect()).collect();
    let common = |field: &Field| {
        let plain = !matches!(field.control, Control::Group | Control::Variants { .. });
        plain && field.item.is_none() && others.iter().all(|other| other.contains_key(&field.path))
    };
    first.sections.retain(|section| {
        matches!(section.kind, SectionKind::Settings | SectionKind::Advanced | SectionKind::Limits)
    });
    for section in &mut first.sections {
        let inner =
            |id: &String| first.fields.get(id).map(|field| field.children.clone()).unwrap_or_default();
        let flat = section.fields.iter().flat_map(|id| [vec![id.clone()], inner(id)].concat());
        section.fields = flat.filter(|id| first.fields.get(id).is_some_and(common)).collect();
    }
    first.sections.retain(|section| !section.fields.is_empty());
    let kept: Vec<String> = first.sections.iter().flat_map(|section| section.fields.clone()).collect();
    first.fields.retain(|id, _| kept.contains(id));
    for field in first.fields.values_mut() {
        let same = |other: &HashMap<_, _>| other.get(&field.path).is_some_and(|value| *value == field.value);
        field.is_mixed = !others.iter().all(same);
        field.value = field.value.take().filter(|_| !field.is_mixed);
        (field.line, field.span, field.problems) = (None, None, Vec::new());
        field.id = format!("all:{}", field.id);
    }
    first.fields = first.fields.into_values().map(|field| (field.id.clone(), field)).collect();
    for section in &mut first.sections {
        section.fields.iter_mut().for_each(|id| *id = format!("all:{id}"));
    }
    first.owners = nodes.iter().map(own).collect();
    first.problems = Vec::new();
    Some(first)
}

#[derive(Debug)]
pub(super) struct FormBuilder<'d> {
    pub(super) target: FormTarget<'d>,
    pub(super) lang: Lang,
    lines: LineIndex<'d>,
    owner: Owner,
    pub(super) fields: HashMap<String, Field>,
}

#[derive(Debug, Clone)]
pub(super) struct FieldTarget<'d> {
    pub(super) path: Vec<Segment>,
    pub(super) key: String,
    pub(super) key_span: Option<Span>,
    pub(super) value: Option<&'d Spanned>,
    pub(super) depth: usize,
}

impl<'d> FieldTarget<'d> {
    /// The entry may be missing.
    pub(super) fn entry(path: &[Segment], key: &str, parent: Option<&'d Spanned>, depth: usize) -> Self {
        let entry = parent.and_then(|parent| parent.get(key));
        let path = [path, &[Segment::Key(key.to_owned())]].concat();
        Self {
            path,
            key: key.to_owned(),
            key_span: entry.map(|entry| entry.key_span),
            value: entry.map(|entry| &entry.value),
            depth,
        }
    }

    pub(super) fn item(&self, at: usize, value: &'d Spanned) -> Self {
        let path = [&self.path[..], &[Segment::Index(at)]].concat();
        Self { path, key: (at + 1).to_string(), key_span: None, value: Some(value), depth: self.depth + 1 }
    }

    pub(super) fn child(&self, key: &str) -> Self {
        Self::entry(&self.path, key, self.value, self.depth + 1)
    }

    pub(super) fn value_kind(&self) -> Option<&'d ValueKind> {
        self.value.map(|value| &value.kind).filter(|kind| **kind != ValueKind::Null)
    }
}

impl<'d> FormBuilder<'d> {
    fn new(document: &'d Document, owner: &Owner, lang: Lang) -> Option<Self> {
        let target = FormTarget::new(document, owner)?;
        Some(Self {
            target,
            lang,
            lines: document.line_index(),
            owner: owner.clone(),
            fields: HashMap::new(),
        })
    }

    fn node_sections(&mut self) -> Vec<Section> {
        let kind = self.target.text("type").unwrap_or_default();
        let tool = self.tool_of(kind);
        let mut basics = vec!["description"];
        if kind == "tool" || (self.target.value.get("tool").is_some() && built_in(kind).is_some()) {
            basics.push("tool");
        }
        let basics = self.fields_of_keys(&basics);
        let input = FieldTarget::entry(&[], "input", Some(self.target.value), 0);
        let schema = tool.as_deref().and_then(|tool| self.input_schema(tool));
        let input = match (schema, input.value_kind()) {
            // A scalar passes a whole value, so no arguments have names.
            (Some(schema), None | Some(ValueKind::Map(_))) => self.argument_fields(&schema, &input),
            _ => self.untyped_input(&input),
        };
        let parent = self.target.value.get("with").map(|entry| &entry.value);
        let known = built_in(kind).map_or(&[][..], |kind| kind.settings);
        let (mut main, mut more) = (Vec::new(), Vec::new());
        for field in known {
            let id = self.key_field(field, &FieldTarget::entry(&with_path(), field.key, parent, 0));
            if COMMON.contains(&field.key) { main.push(id) } else { more.push(id) }
        }
        let unknown =
            self.unknown_fields(&with_path(), parent, |key| known.iter().any(|field| field.key == key));
        main.extend(unknown);
        let bounds = self.fields_of_keys(&["retry", "timeout_ms", "visits"]);
        let mut other = self.fields_of_keys(&["id", "metadata"]);
        let is_known = |key: &str| plan_format::NODE.field(key).is_some();
        other.extend(self.unknown_fields(&[], Some(self.target.value), |key| {
            is_known(key) || KEYS_OUTSIDE_FORM.contains(&key)
        }));
        vec![
            self.section(SectionKind::Basics, basics, false),
            self.section(SectionKind::Input, vec![input], false),
            self.section(SectionKind::Settings, main, false),
            self.section(SectionKind::Advanced, more, true),
            self.section(SectionKind::Limits, bounds, true),
            self.section(SectionKind::Other, other, true),
        ]
    }

    fn edge_sections(&mut self) -> Vec<Section> {
        let Some(ValueSpec::List(ValueSpec::Map(edge))) =
            plan_format::PLAN.field("edges").map(|field| field.value)
        else {
            return Vec::new();
        };
        let order = ["condition", "from", "to"];
        let fields = order.iter().filter_map(|key| edge.field(key));
        let fields: Vec<String> = fields
            .map(|field| {
                self.key_field(field, &FieldTarget::entry(&[], field.key, Some(self.target.value), 0))
            })
            .collect();
        let other = self.unknown_fields(&[], Some(self.target.value), |key| order.contains(&key));
        vec![self.section(SectionKind::Basics, fields, false), self.section(SectionKind::Other, other, true)]
    }

    fn plan_sections(&mut self) -> Vec<Section> {
        let basics = self.fields_of_keys(&["id", "description", "start"]);
        let (inputs, servers) = (self.fields_of_keys(&["inputs"]), self.fields_of_keys(&["servers"]));
        let (limits, tests) = (self.fields_of_keys(&["limits"]), self.fields_of_keys(&["tests"]));
        // The section already has the field's name.
        let parts = limits.first().and_then(|id| self.get(id)).map(|field| field.children.clone());
        let limits = parts.filter(|parts| !parts.is_empty()).unwrap_or(limits);
        let mut other = Vec::new();
        if self.target.value.get("format").is_some() {
            other = self.fields_of_keys(&["format"]);
        }
        let is_known = |key: &str| plan_format::PLAN.field(key).is_some() || KEYS_ON_CANVAS.contains(&key);
        other.extend(self.unknown_fields(&[], Some(self.target.value), is_known));
        vec![
            self.section(SectionKind::Basics, basics, false),
            self.section(SectionKind::Inputs, inputs, false),
            self.section(SectionKind::Servers, servers, false),
            self.section(SectionKind::Limits, limits, true),
            self.section(SectionKind::Tests, tests, true),
            self.section(SectionKind::Other, other, true),
        ]
    }

    fn fields_of_keys(&mut self, keys: &[&str]) -> Vec<String> {
        let object = if self.owner == Owner::Plan { &plan_format::PLAN } else { &plan_format::NODE };
        let known: Vec<&'static Known> = keys.iter().filter_map(|key| object.field(key)).collect();
        let value = self.target.value;
        known
            .into_iter()
            .map(|field| self.key_field(field, &FieldTarget::entry(&[], field.key, Some(value), 0)))
            .collect()
    }

    fn unknown_fields(
        &mut self,
        path: &[Segment],
        parent: Option<&'d Spanned>,
        is_known: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let entries = parent.and_then(Spanned::as_map).unwrap_or_default();
        let unknown: Vec<&Entry> = entries.iter().filter(|entry| !is_known(&entry.key)).collect();
        let field = |entry: &Entry| {
            let mut field = self.untyped_field(&FieldTarget::entry(path, &entry.key, parent, 0), false);
            field.is_removable = true;
            self.add_field(field)
        };
        unknown.into_iter().map(field).collect()
    }

    fn section(&self, kind: SectionKind, fields: Vec<String>, folded: bool) -> Section {
        let written = |id: &&String| self.get(id).is_some_and(|field| field.value.is_some());
        let written = fields.iter().filter(written).count();
        Section { kind, fields, is_collapsed: folded, set_count: written }
    }

    pub(super) fn field(&self, target: &FieldTarget<'d>, label: String, control: Control) -> Field {
        let span = target.value.map(|value| {
            let start = target.key_span.map_or(value.span.start, |key| key.start);
            Span::new(start.min(value.span.start), value.span.end)
        });
        Field {
            id: self.id(&target.path),
            key: target.key.clone(),
            path: target.path.clone(),
            label,
            help: String::new(),
            hint: String::new(),
            control,
            value: target.value.map(Spanned::to_json),
            source: None,
            default_text: String::new(),
            is_required: false,
            is_template: false,
            is_removable: false,
            is_mixed: false,
            item: None,
            line: span.map(|span| self.lines.line_col(span.start).0),
            span,
            problems: Vec::new(),
            children: Vec::new(),
            addition: None,
            hidden_count: 0,
        }
    }

    fn id(&self, path: &[Segment]) -> String {
        let mut id = match &self.owner {
            Owner::Plan => "plan".to_owned(),
            Owner::Node(scope, key) => ["node:", &scoped_name(scope, key)].concat(),
            Owner::Edge(scope, at) => ["edge:", scope, "#", &at.to_string()].concat(),
        };
        for step in path {
            match step {
                Segment::Key(key) => id.extend([".", key.as_str()]),
                Segment::Index(at) => id.extend(["[", at.to_string().as_str(), "]"]),
            }
        }
        // Whitespace separates ids in HTML.
        id.replace(|c: char| c.is_ascii_whitespace(), "\u{a0}")
    }

    pub(super) fn add_field(&mut self, field: Field) -> String {
        let id = field.id.clone();
        self.fields.insert(id.clone(), field);
        id
    }

    pub(super) fn get(&self, id: &str) -> Option<&Field> {
        self.fields.get(id)
    }

    pub(super) fn can_nest(&self, target: &FieldTarget<'d>) -> bool {
        target.depth < MAX_DEPTH && self.fields.len() < MAX_FIELDS
    }

    pub(super) fn remaining_fields(&self) -> usize {
        MAX_FIELDS.saturating_sub(self.fields.len())
    }

    pub(super) fn source_text(&self, value: &Spanned) -> String {
        let text = self.target.document.text();
        let slice = text.get(value.span.start..value.span.end).unwrap_or_default();
        let line = text.get(..value.span.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let indent = " ".repeat(value.span.start - line);
        let lines: Vec<&str> =
            slice.lines().map(|line| line.strip_prefix(indent.as_str()).unwrap_or(line)).collect();
        lines.join("\n").trim_end().to_owned()
    }

    fn finish(mut self, mut sections: Vec<Section>) -> Form {
        let span = self
            .target
            .entry
            .map_or(self.target.value.span, |entry| Span::new(entry.key_span.start, entry.value.span.end));
        let problems = self.assign_problems(span);
        sections.retain(|section| !section.fields.is_empty());
        let line = self.lines.line_col(span.start).0;
        Form { owners: vec![self.owner], sections, fields: self.fields, problems, line, span }
    }

    fn assign_problems(&mut self, span: Span) -> Vec<FieldProblem> {
        let mut rest = Vec::new();
        for problem in self.target.document.diagnostics() {
            let ours = match (&self.owner, &problem.target) {
                (Owner::Plan, Target::Document) => true,
                (Owner::Node(scope, key), Target::Node(node_path)) => *node_path == scoped_name(scope, key),
                (Owner::Edge(scope, at), Target::Edge(own, edge) | Target::Condition(own, edge)) => {
                    scope == own && at == edge
                }
                _ => false,
            };
            let inside = problem.span.is_some_and(|at| span.start <= at.start && at.end <= span.end);
            // The plan's form shows only its fields' diagnostics.
            let is_integer = self.owner == Owner::Plan;
            if !(ours || (inside && !is_integer && problem.target == Target::Document)) {
                continue;
            }
            let holds = |field: &&mut Field| {
                field
                    .span
                    .zip(problem.span)
                    .is_some_and(|(own, at)| own.start <= at.start && at.end <= own.end)
            };
            let length = |field: &&mut Field| field.span.map_or(usize::MAX, |span| span.end - span.start);
            match self.fields.values_mut().filter(holds).min_by_key(length) {
                Some(field) => field.problems.push(FieldProblem::from_diagnostic(problem)),
                None if !is_integer => rest.push(FieldProblem::from_diagnostic(problem)),
                None => {}
            }
        }
        rest
    }
}

pub(super) fn type_control(document: &Document, owner: &Owner, lang: Lang) -> Option<Control> {
    Some(Control::Combobox(FormBuilder::new(document, owner, lang)?.type_choices()))
}

fn with_path() -> [Segment; 1] {
    [Segment::Key("with".to_owned())]
}
