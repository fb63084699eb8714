//! Completes conditions and templates.

use super::keys::argument_doc;
use super::quoting::reference_to;
use super::{Candidate, Completer, CompletionKind};
use crate::language::completion_context::InsertionKind;
use crate::language::expression_lexer::{self, Atom};
use crate::language::markdown;
use crate::language::partial_graph::{RunOrder, documentation, summary, visible_outputs};
use crate::language::plan_format::PlanLocation;
use crate::language::value_type::ValueType;
use serde_json::Value as Json;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::expression::{Function, is_key_char};

pub(crate) const ROOTS: &[(&str, &str)] = &[
    ("last", "The output of the node before."),
    ("input", "The input of the run; inside a composite node, the input of that node."),
    ("output", "The output of a node, by its id: `output.name`."),
    ("context", "A trusted value of the host: `context.name`."),
    ("memory", "What the host remembers."),
    ("item", "The current element, inside `map`."),
    ("index", "The index of the current element, from 0."),
    (
        "error",
        "The current failure: `code`, `message` and `node`. A condition that refers to it is evaluated after a failure.",
    ),
];

const OPERATORS: &[(&str, &str)] = &[
    ("==", "Whether they are equal: numbers by value, all else as text."),
    ("!=", "Whether they differ. If a value is missing, every comparison is false, even this one."),
    (".contains:", "Whether a text contains another, a list an element, a map a key."),
    (".exists", "Whether it is there."),
    (">", "Whether a number is larger."),
    (">=", "Whether a number is as large or larger."),
    ("<", "Whether a number is smaller."),
    ("<=", "Whether a number is as small or smaller."),
];

impl Completer<'_, '_> {
    pub(super) fn condition(&mut self) {
        if self.typed_member() {
            return;
        }
        let lexed = expression_lexer::scalar(self.inference.tree.text, self.context.span, true);
        let atom = lexed
            .atoms
            .iter()
            .rev()
            .find(|atom| atom.span.start <= self.at && self.at <= atom.span.end.max(atom_end(atom)))
            .cloned();
        let before = lexed.atoms.iter().rev().find(|atom| atom.span.end < self.at).cloned();
        let joined = before.as_ref().is_some_and(|atom| {
            let between = self.inference.tree.text.get(atom.span.end..self.at).unwrap_or_default();
            between.contains(['&', '|', '(', '!'])
        });
        match (atom, before) {
            (Some(atom), _) => self.in_atom(&atom, true),
            (None, Some(atom)) if !joined => self.after_atom(&atom),
            _ => {
                self.roots(Span::at(self.at));
                if self.context.typed.trim().is_empty() {
                    self.add_word(
                        90,
                        CompletionKind::Value,
                        "default",
                        "fallback",
                        Some("Taken when no condition of the node's other edges holds.".to_owned()),
                    );
                }
            }
        }
    }

    pub(super) fn template(&mut self) -> bool {
        let lexed = expression_lexer::scalar(self.inference.tree.text, self.context.span, false);
        let text = self.inference.tree.text;
        let within = |placeholder: &&Span| {
            let closed = text
                .get(placeholder.start..placeholder.end)
                .is_some_and(|placeholder| placeholder.ends_with('}'));
            placeholder.start + 2 <= self.at
                && (self.at < placeholder.end || (!closed && self.at == placeholder.end))
        };
        let Some(placeholder) = lexed.placeholders.iter().find(within).copied() else { return false };
        if self.typed_member() {
            return true;
        }
        let atom = lexed.atoms.iter().find(|atom| {
            atom.span.start >= placeholder.start && atom.span.start <= self.at && self.at <= atom.span.end
        });
        match atom.cloned() {
            Some(atom) => self.in_atom(&atom, false),
            None => {
                let typed = text.get(placeholder.start + 2..self.at).unwrap_or_default();
                if Self::expects_operand(typed) {
                    self.roots(Span::at(self.at));
                } else {
                    self.add_operator(
                        "??",
                        Span::at(self.at),
                        "A default for a missing value: `${… ?? null}`.",
                        0,
                    );
                }
            }
        }
        true
    }

    fn in_atom(&mut self, atom: &Atom<'_>, condition: bool) {
        if let Some(operator) = atom.operator.filter(|operator| self.at >= operator.end) {
            // Before an existing literal there is no text to replace.
            if let Some(literal) = atom.literal.filter(|literal| self.at >= literal.start) {
                self.literal(atom, operator, literal);
            }
            return;
        }
        let inside =
            |segment: &expression_lexer::Segment<'_>| segment.start < self.at && self.at <= segment.span.end;
        let at = atom.segments.iter().position(inside).or_else(|| (self.at == atom.span.start).then_some(0));
        let Some(at) = at else { return };
        let Some(segment) = atom.segments.get(at) else { return };
        let root = atom.segments.first().map(|root| root.text.to_string()).unwrap_or_default();
        match (at, root.as_str()) {
            (0, _) => self.roots(segment.span),
            (1, "output") => self.outputs(segment),
            (1, "context") => self.context_names(segment),
            _ => {
                let value_type = self.inference.reference(&self.location, atom, at);
                self.path(segment, &value_type);
            }
        }
        let whole = at + 1 == atom.segments.len() && self.at == segment.span.end && !segment.text.is_empty();
        if condition && whole && is_whole(atom) {
            let value_type = self.inference.reference(&self.location, atom, atom.segments.len());
            self.operators(Span::at(self.at), &value_type, 300);
        }
    }

    fn roots(&mut self, span: Span) {
        self.variables(span);
        let in_map = self
            .location
            .scopes(self.inference.tree)
            .iter()
            .any(|(graph, _)| self.inference.tree.key(*graph).is_some_and(|key| key == "do"));
        for (rank, (root, doc)) in (10..).zip(ROOTS) {
            if matches!(*root, "item" | "index") && !in_map {
                continue;
            }
            let value_type = match *root {
                "output" | "context" => ValueType::default(),
                root => self.inference.reference(&self.location, &root_atom(root), 1),
            };
            let detail = value_type.describe();
            let dot = matches!(*root, "output" | "context");
            let rank = if *root == "item" && in_map { 0 } else { rank };
            let doc = Some((*doc).to_owned());
            let candidate = Candidate { rank, kind: CompletionKind::Root, label: root, detail: &detail, doc };
            self.add_term(candidate, root, span, dot);
        }
        self.functions(span);
        // Whole references to outputs are the most common.
        for (rank, found) in (20..).zip(
            visible_outputs(self.inference.tree, &self.location)
                .into_iter()
                .filter(|output| output.run_order != RunOrder::Never)
                .take(200),
        ) {
            let name = reference_to("output", &found.name);
            let detail = self.output_detail(&found);
            let rank = rank + rank_of(found.run_order);
            let kind = CompletionKind::Node;
            let candidate = Candidate { rank, kind, label: &name, detail: &detail, doc: None };
            self.add_term(candidate, &name, span, false);
        }
    }

    fn output_detail(&self, found: &crate::language::partial_graph::VisibleOutput<'_>) -> String {
        let what = summary(self.inference.tree, found.node);
        match found.run_order {
            RunOrder::Before => what,
            RunOrder::Maybe => format!("{what}, perhaps not run"),
            RunOrder::Never => format!("{what}, not run before"),
        }
    }

    fn outputs(&mut self, segment: &expression_lexer::Segment<'_>) {
        for (rank, found) in (0..).zip(visible_outputs(self.inference.tree, &self.location)) {
            let detail = self.output_detail(&found);
            let doc = documentation(self.inference.tree, found.node).map(|doc| markdown::text(&doc));
            let rank = rank + rank_of(found.run_order);
            let kind = CompletionKind::Node;
            self.add_step(Candidate { rank, kind, label: &found.name, detail: &detail, doc }, segment);
        }
    }

    fn context_names(&mut self, segment: &expression_lexer::Segment<'_>) {
        let mut names = vec!["user_email".to_owned()];
        let tree = self.inference.tree;
        for (at, location) in PlanLocation::all(tree).iter().enumerate() {
            let lists = location.field.is_some_and(|field| field.key == "trusted");
            let map =
                tree.key(tree.item(at).parent).is_some_and(|key| key == "context") && location.node.is_none();
            let name = if map { tree.key(at) } else { tree.scalar(at).filter(|_| lists) };
            names.extend(name.map(std::borrow::Cow::into_owned).filter(|name| !names.contains(name)));
        }
        for name in names {
            let (kind, detail) = (CompletionKind::Property, "trusted value");
            self.add_step(Candidate { rank: 0, kind, label: &name, detail, doc: None }, segment);
        }
    }

    pub(super) fn path(&mut self, segment: &expression_lexer::Segment<'_>, value_type: &ValueType) {
        for (rank, property) in (0..).zip(value_type.properties()) {
            let detail = property.value_type.describe();
            let doc = argument_doc(&property.value_type);
            let rank = rank + if property.required { 0 } else { 50 };
            let kind = CompletionKind::Property;
            self.add_step(Candidate { rank, kind, label: &property.name, detail: &detail, doc }, segment);
        }
        self.methods(segment.span, value_type);
    }

    /// For unknown types, methods would hide the fields.
    fn methods(&mut self, span: Span, value_type: &ValueType) {
        let kind = value_type.describe();
        match kind.as_str() {
            "text" => self.methods_of("string", span),
            _ if kind.starts_with("list") => self.methods_of("list", span),
            _ => {}
        }
    }

    /// No value precedes them.
    fn functions(&mut self, span: Span) {
        for (rank, function) in (500..).zip(Function::functions().filter(|function| function.has_form(false)))
        {
            self.function(rank, (function.name(), function), span);
        }
    }

    fn operators(&mut self, span: Span, value_type: &ValueType, first: u32) {
        let numbers = value_type.describe();
        let ordered = |operator: &str| operator.starts_with(['<', '>']);
        let fits = |operator: &str| !ordered(operator) || numbers.is_empty() || numbers.contains("number");
        for (rank, (operator, doc)) in (first..).zip(OPERATORS.iter().filter(|(operator, _)| fits(operator)))
        {
            self.add_operator(operator, span, doc, rank);
        }
    }

    fn after_atom(&mut self, atom: &Atom<'_>) {
        let span = Span::at(self.at);
        if atom.operator.is_none() && is_whole(atom) {
            let value_type = self.inference.reference(&self.location, atom, atom.segments.len());
            return self.operators(span, &value_type, 0);
        }
        self.add_operator("&&", span, "Whether both hold.", 0);
        self.add_operator("||", span, "Whether one of them holds.", 1);
    }

    fn literal(&mut self, atom: &Atom<'_>, operator: Span, literal: Span) {
        let value_type = self.inference.reference(&self.location, atom, atom.segments.len());
        let operator = self.inference.tree.text.get(operator.start..operator.end).unwrap_or_default();
        let value_type = if operator == ".contains:" {
            ValueType::union([value_type.clone(), value_type.step(&stepgraph_core::value::Segment::Index(0))])
        } else {
            value_type
        };
        let words = value_type.values();
        if words.is_empty() && operator != ".contains:" {
            self.roots(literal);
        }
        // If there is no schema, literals from other conditions help.
        for (rank, value) in (0..).zip(words) {
            let label = match &value {
                Json::String(text) => text.clone(),
                other => stepgraph_core::value::json_text(other),
            };
            let bare = !label.is_empty()
                && label.chars().all(|c| is_key_char(c) || c == ' ' || c == '.')
                && label.trim() == label
                && label != "null";
            let double =
                self.context.quote(self.inference.tree.text) == Some('"') || self.inference.tree.json;
            let mark = if double { '\'' } else { '"' };
            let text = if bare || !value.is_string() {
                label.clone()
            } else {
                format!("{mark}{}{mark}", label.replace('\\', "\\\\").replace(mark, &format!("\\{mark}")))
            };
            let (kind, detail, doc) =
                (CompletionKind::Value, &value_type.describe(), argument_doc(&value_type));
            self.add_term(Candidate { rank, kind, label: &label, detail, doc }, &text, literal, false);
        }
    }

    pub(super) fn whole_templates(&mut self, value_type: &ValueType) {
        let typed = self.inference.tree.slice(self.context.span).trim_matches(['"', '\'', '$', '{', '}']);
        if !typed.is_empty() {
            return;
        }
        let wanted = value_type.describe();
        let mut names: Vec<(String, String, u32)> =
            vec![("last".to_owned(), String::new(), 40), ("input".to_owned(), String::new(), 42)];
        for property in
            self.inference.run_input().properties().into_iter().take(50).filter(|_| self.location.graph == 0)
        {
            let kind = property.value_type.describe();
            let fits = !wanted.is_empty() && kind == wanted;
            names.push((reference_to("input", &property.name), kind, if fits { 30 } else { 45 }));
        }
        for found in visible_outputs(self.inference.tree, &self.location)
            .into_iter()
            .filter(|output| output.run_order != RunOrder::Never)
            .take(100)
        {
            names.push((
                reference_to("output", &found.name),
                self.output_detail(&found),
                50 + rank_of(found.run_order),
            ));
        }
        // If the value may be a map, its keys are more likely.
        let later = if self.context.insertion == InsertionKind::Value { 0 } else { 400 };
        for (name, detail, rank) in names.into_iter().map(|(name, detail, rank)| (name, detail, rank + later))
        {
            let placeholder = format!("${{{name}}}");
            let json = self.inference.tree.json;
            let quoted = match self.context.quote(self.inference.tree.text) {
                Some('\'') if !json && !placeholder.contains('\'') => format!("'{placeholder}'"),
                _ => Json::from(placeholder.as_str()).to_string(),
            };
            let text = self.writer.prefix() + &quoted;
            let kind = CompletionKind::Root;
            self.add_edit(Candidate { rank, kind, label: &placeholder, detail: &detail, doc: None }, text);
        }
    }
}

fn is_whole(atom: &Atom<'_>) -> bool {
    let root = atom.segments.first().map(|root| root.text.as_ref()).unwrap_or_default();
    let named = atom.segments.len() > 1 || !matches!(root, "output" | "context");
    let complete = atom.segments.iter().all(|segment| !segment.text.is_empty());
    named && complete && ROOTS.iter().any(|(known, _)| *known == root)
}

fn atom_end(atom: &Atom<'_>) -> usize {
    atom.literal.map_or(atom.span.end, |literal| literal.end)
}

fn rank_of(order: RunOrder) -> u32 {
    match order {
        RunOrder::Before => 0,
        RunOrder::Maybe => 10_000,
        RunOrder::Never => 20_000,
    }
}

fn root_atom(root: &str) -> Atom<'_> {
    let segment =
        expression_lexer::Segment { text: root.into(), span: Span::default(), in_brackets: false, start: 0 };
    Atom { segments: vec![segment], ..Atom::default() }
}
