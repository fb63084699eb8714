//! Parts of conditions and templates: beginnings, names, properties, comparisons, what is compared with.

use super::keys::argument_doc;
use super::{Asked, CompletionKind};
use crate::diagnostic::{Span, TextEdit};
use crate::expr::is_key_char;
use crate::language::Completion;
use crate::language::context::Role;
use crate::language::expression::{self, Atom, Lexed};
use crate::language::markdown;
use crate::language::model::Meaning;
use crate::language::nodes::{When, about, described, seen};
use crate::language::shape::Shape;
use serde_json::Value as Json;

/// How references begin, and what that means.
pub(crate) const ROOTS: &[(&str, &str)] = &[
    ("last", "The output of the node before."),
    ("input", "What the run was given; inside a node, what that was given."),
    ("output", "The output of a node, by its id: `output.name`."),
    ("context", "A trusted value of the host: `context.name`."),
    ("memory", "What the host remembers."),
    ("item", "The element at hand, inside `map`."),
    ("index", "The position of the element at hand, from 0."),
    (
        "error",
        "The failure at hand: `code`, `message` and `node`. A condition that speaks of it is looked at after a failure.",
    ),
];

const OPERATORS: &[(&str, &str)] = &[
    ("==", "Whether they are equal: numbers by value, all else as text."),
    ("!=", "Whether they differ. Of what is not there nothing holds, this neither."),
    (".contains:", "Whether a text holds another, a list an element, a map a key."),
    (".exists", "Whether it is there."),
    (">", "Whether a number is larger."),
    (">=", "Whether a number is as large or larger."),
    ("<", "Whether a number is smaller."),
    ("<=", "Whether a number is as small or smaller."),
];

/// The text of a scalar without its quotes: where it begins, where it ends, and whether it is in double quotes.
pub(crate) fn inner(text: &str, value: Span) -> (Span, bool) {
    let raw = text.get(value.start..value.end).unwrap_or_default();
    let double = raw.starts_with('"');
    let start = value.start + usize::from(double || raw.starts_with('\''));
    let closed =
        raw.len() > 1 && (double && raw.ends_with('"') || raw.starts_with('\'') && raw.ends_with('\''));
    (Span::new(start, value.end - usize::from(closed)), double)
}

impl<'t> Asked<'_, 't> {
    fn lexed(&self, holes: bool) -> Lexed<'t> {
        let text = self.given.sketch.text;
        let (span, double) = inner(text, self.place.span);
        let raw = text.get(span.start..span.end).unwrap_or_default();
        if holes {
            expression::template(raw, span.start, double)
        } else {
            expression::condition(raw, span.start, double)
        }
    }

    /// In a condition.
    pub(super) fn condition(&mut self) {
        let lexed = self.lexed(false);
        let atom = lexed
            .atoms
            .iter()
            .rev()
            .find(|atom| atom.span.start <= self.at && self.at <= atom.span.end.max(end(atom)))
            .cloned();
        let before = lexed.atoms.iter().rev().find(|atom| atom.span.end < self.at).cloned();
        let joined = before.as_ref().is_some_and(|atom| {
            let between = self.given.sketch.text.get(atom.span.end..self.at).unwrap_or_default();
            between.contains(['&', '|', '(', '!'])
        });
        match (atom, before) {
            (Some(atom), _) => self.in_atom(&atom, true),
            (None, Some(atom)) if !joined => self.behind(&atom),
            _ => {
                self.roots(Span::at(self.at), true);
                if self.place.typed.trim().is_empty() {
                    self.word(
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

    /// In a text that may have holes; whether the place is in a hole.
    pub(super) fn template(&mut self) -> bool {
        let lexed = self.lexed(true);
        let text = self.given.sketch.text;
        let within = |hole: &&Span| {
            let closed = text.get(hole.start..hole.end).is_some_and(|hole| hole.ends_with('}'));
            hole.start + 2 <= self.at && (self.at < hole.end || (!closed && self.at == hole.end))
        };
        let Some(hole) = lexed.holes.iter().find(within).copied() else { return false };
        let atom = lexed.atoms.iter().find(|atom| {
            atom.span.start >= hole.start && atom.span.start <= self.at && self.at <= atom.span.end
        });
        match atom.cloned() {
            Some(atom) => self.in_atom(&atom, false),
            None => {
                let typed = text.get(hole.start + 2..self.at).unwrap_or_default().trim_end();
                if typed.is_empty() || typed.ends_with("??") {
                    self.roots(Span::at(self.at), false);
                } else {
                    self.operator(
                        "??",
                        Span::at(self.at),
                        "What stands in when it is not there: `${… ?? null}`.",
                        0,
                    );
                }
            }
        }
        true
    }

    fn in_atom(&mut self, atom: &Atom<'_>, condition: bool) {
        if let Some(operator) = atom.operator.filter(|operator| self.at >= operator.end) {
            if let Some(literal) = atom.literal {
                self.literal(atom, operator, literal);
            }
            return;
        }
        let inside =
            |segment: &expression::Segment<'_>| segment.from < self.at && self.at <= segment.span.end;
        let at = atom.segments.iter().position(inside).or_else(|| (self.at == atom.span.start).then_some(0));
        let Some(at) = at else { return };
        let Some(segment) = atom.segments.get(at) else { return };
        let root = atom.segments.first().map(|root| root.text.to_string()).unwrap_or_default();
        match (at, root.as_str()) {
            (0, _) => self.roots(segment.span, condition),
            (1, "output") => self.outputs(segment),
            (1, "context") => self.context_names(segment),
            _ => {
                let shape = self.given.reference(&self.meaning, atom, at);
                self.path(segment, &shape);
            }
        }
        let whole = at + 1 == atom.segments.len() && self.at == segment.span.end && !segment.text.is_empty();
        if condition && whole && is_whole(atom) {
            let shape = self.given.reference(&self.meaning, atom, atom.segments.len());
            self.operators(Span::at(self.at), &shape, 300);
        }
    }

    /// The beginnings of references.
    fn roots(&mut self, span: Span, condition: bool) {
        let in_map = self
            .meaning
            .scopes(self.given.sketch)
            .iter()
            .any(|(graph, _)| self.given.sketch.key(*graph).is_some_and(|key| key == "do"));
        for (rank, (root, doc)) in (0..).zip(ROOTS) {
            if matches!(*root, "item" | "index") && !in_map {
                continue;
            }
            let shape = match *root {
                "output" | "context" => Shape::default(),
                root => self.given.reference(&self.meaning, &lone(root), 1),
            };
            let detail = shape.kind();
            let dot = matches!(*root, "output" | "context");
            let rank = if *root == "item" && in_map { 0 } else { rank };
            self.term(rank, CompletionKind::Root, root, root, span, &detail, Some((*doc).to_owned()), dot);
        }
        let _ = condition;
        // The whole of what is most often meant.
        for (rank, found) in (20..).zip(
            seen(self.given.sketch, &self.meaning)
                .into_iter()
                .filter(|seen| seen.when != When::Never)
                .take(200),
        ) {
            let name = named("output", &found.name);
            let detail = self.about(&found);
            self.term(
                rank + rank_of(found.when),
                CompletionKind::Node,
                &name,
                &name,
                span,
                &detail,
                None,
                false,
            );
        }
    }

    fn about(&self, found: &crate::language::nodes::Seen<'_>) -> String {
        let what = about(self.given.sketch, found.node);
        match found.when {
            When::Before => what,
            When::Perhaps => format!("{what}, perhaps not run"),
            When::Never => format!("{what}, not run before"),
        }
    }

    /// The nodes that `output` knows.
    fn outputs(&mut self, segment: &expression::Segment<'_>) {
        for (rank, found) in (0..).zip(seen(self.given.sketch, &self.meaning)) {
            let detail = self.about(&found);
            let doc = described(self.given.sketch, found.node).map(|doc| markdown::text(&doc));
            self.step(rank + rank_of(found.when), CompletionKind::Node, &found.name, segment, &detail, doc);
        }
    }

    /// The trusted values that the plan speaks of elsewhere.
    fn context_names(&mut self, segment: &expression::Segment<'_>) {
        let mut names = vec!["user_email".to_owned()];
        let sketch = self.given.sketch;
        for (at, meaning) in Meaning::all(sketch).iter().enumerate() {
            let lists = meaning.field.is_some_and(|field| field.key == "trusted");
            let map = sketch.key(sketch.item(at).parent).is_some_and(|key| key == "context")
                && meaning.node.is_none();
            let name = if map { sketch.key(at) } else { sketch.scalar(at).filter(|_| lists) };
            names.extend(name.map(std::borrow::Cow::into_owned).filter(|name| !names.contains(name)));
        }
        for name in names {
            self.step(0, CompletionKind::Property, &name, segment, "trusted value", None);
        }
    }

    /// The parts of a value.
    fn path(&mut self, segment: &expression::Segment<'_>, shape: &Shape) {
        for (rank, property) in (0..).zip(shape.properties()) {
            let detail = property.shape.kind();
            let doc = argument_doc(&property.shape);
            let rank = rank + if property.required { 0 } else { 50 };
            self.step(rank, CompletionKind::Property, &property.name, segment, &detail, doc);
        }
    }

    fn step(
        &mut self,
        rank: u32,
        kind: CompletionKind,
        name: &str,
        segment: &expression::Segment<'_>,
        detail: &str,
        doc: Option<String>,
    ) {
        let plain = is_plain(name);
        if plain && !segment.bracket {
            return self.term(rank, kind, name, name, segment.span, detail, doc, false);
        }
        let mark = if self.place.quote(self.given.sketch.text) == Some('"') || self.given.sketch.json {
            '\''
        } else {
            '"'
        };
        let text =
            format!("[{mark}{}{mark}]", name.replace('\\', "\\\\").replace(mark, &format!("\\{mark}")));
        let close = self
            .given
            .sketch
            .text
            .get(segment.span.end..)
            .is_some_and(|rest| segment.bracket && rest.starts_with(']'));
        let span = Span::new(segment.from, segment.span.end + usize::from(close));
        self.term(rank, kind, name, &text, span, detail, doc, false);
    }

    fn operators(&mut self, span: Span, shape: &Shape, first: u32) {
        let numbers = shape.kind();
        let ordered = |operator: &str| operator.starts_with(['<', '>']);
        let fits = |operator: &str| !ordered(operator) || numbers.is_empty() || numbers.contains("number");
        for (rank, (operator, doc)) in (first..).zip(OPERATORS.iter().filter(|(operator, _)| fits(operator)))
        {
            self.operator(operator, span, doc, rank);
        }
    }

    /// Behind a whole comparison, or a reference that is not compared yet.
    fn behind(&mut self, atom: &Atom<'_>) {
        let span = Span::at(self.at);
        if atom.operator.is_none() && is_whole(atom) {
            let shape = self.given.reference(&self.meaning, atom, atom.segments.len());
            return self.operators(span, &shape, 0);
        }
        self.operator("&&", span, "Whether both hold.", 0);
        self.operator("||", span, "Whether one of them holds.", 1);
    }

    fn operator(&mut self, operator: &str, span: Span, doc: &str, rank: u32) {
        let blank = matches!(operator, "&&" | "||" | "??");
        let text = if blank { format!("{operator} ") } else { operator.to_owned() };
        self.term(rank, CompletionKind::Operator, operator, &text, span, "", Some(doc.to_owned()), false);
    }

    /// What a reference may be compared with.
    fn literal(&mut self, atom: &Atom<'_>, operator: Span, literal: Span) {
        let shape = self.given.reference(&self.meaning, atom, atom.segments.len());
        let operator = self.given.sketch.text.get(operator.start..operator.end).unwrap_or_default();
        let shape = if operator == ".contains:" {
            Shape::either([shape.clone(), shape.step(&crate::value::Segment::Index(0))])
        } else {
            shape
        };
        let words = shape.values();
        // What other conditions compare the same with is worth a look where no schema says more.
        for (rank, value) in (0..).zip(words) {
            let label = match &value {
                Json::String(text) => text.clone(),
                other => crate::value::json_text(other),
            };
            let bare = !label.is_empty()
                && label.chars().all(|c| is_key_char(c) || c == ' ' || c == '.')
                && label.trim() == label
                && label != "null";
            let double = self.place.quote(self.given.sketch.text) == Some('"') || self.given.sketch.json;
            let mark = if double { '\'' } else { '"' };
            let text = if bare || !value.is_string() {
                label.clone()
            } else {
                format!("{mark}{}{mark}", label.replace('\\', "\\\\").replace(mark, &format!("\\{mark}")))
            };
            self.term(
                rank,
                CompletionKind::Value,
                &label,
                &text,
                literal,
                &shape.kind(),
                argument_doc(&shape),
                false,
            );
        }
    }

    /// References as whole values: where nothing is written yet.
    pub(super) fn whole_templates(&mut self, shape: &Shape) {
        let typed = self.given.sketch.part(self.place.span).trim_matches(['"', '\'', '$', '{', '}']);
        if !typed.is_empty() {
            return;
        }
        let wanted = shape.kind();
        let mut names: Vec<(String, String, u32)> =
            vec![("last".to_owned(), String::new(), 40), ("input".to_owned(), String::new(), 42)];
        for property in
            self.given.run_input().properties().into_iter().take(50).filter(|_| self.meaning.graph == 0)
        {
            let kind = property.shape.kind();
            let fits = !wanted.is_empty() && kind == wanted;
            names.push((named("input", &property.name), kind, if fits { 30 } else { 45 }));
        }
        for found in seen(self.given.sketch, &self.meaning)
            .into_iter()
            .filter(|seen| seen.when != When::Never)
            .take(100)
        {
            names.push((named("output", &found.name), self.about(&found), 50 + rank_of(found.when)));
        }
        // Where the value may be a map, its keys are more likely.
        let later = if self.place.role == Role::Value { 0 } else { 400 };
        for (name, detail, rank) in names.into_iter().map(|(name, detail, rank)| (name, detail, rank + later))
        {
            let hole = format!("${{{name}}}");
            let json = self.given.sketch.json;
            let quoted = match self.place.quote(self.given.sketch.text) {
                Some('\'') if !json && !hole.contains('\'') => format!("'{hole}'"),
                _ => Json::from(hole.as_str()).to_string(),
            };
            let text = self.writer.lead() + &quoted;
            self.put(rank, CompletionKind::Root, &hole, text, &detail, None);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all that is shown of one proposal, said once")]
    fn term(
        &mut self,
        rank: u32,
        kind: CompletionKind,
        label: &str,
        text: &str,
        span: Span,
        detail: &str,
        doc: Option<String>,
        dot: bool,
    ) {
        let text = if dot { format!("{text}.") } else { text.to_owned() };
        let old = self.given.sketch.text.get(span.start..self.at).unwrap_or_default();
        // Brackets before a name belong to what is replaced, but nobody types them to look for it.
        let lead: String = old.chars().take_while(|c| matches!(c, '.' | '[' | '"' | '\'')).collect();
        let filter = if lead.is_empty() { label.to_owned() } else { lead + label };
        let edit = self.in_scalar(TextEdit { span, text });
        let filter = if edit.span == span {
            filter
        } else {
            self.given.sketch.text.get(edit.span.start..span.start).unwrap_or_default().to_owned() + &filter
        };
        let detail = (!detail.is_empty()).then(|| detail.to_owned());
        self.add(
            rank,
            Completion {
                label: label.to_owned(),
                kind,
                detail,
                documentation: doc,
                edit,
                snippet: None,
                filter,
                again: dot,
            },
        );
    }

    /// An edit within the text of a scalar, whose quotes may have to be added or doubled for it.
    fn in_scalar(&self, edit: TextEdit) -> TextEdit {
        let text = self.given.sketch.text;
        let whole = self.place.span;
        let quote = self.place.quote(text);
        let raw = text.get(whole.start..whole.end).unwrap_or_default();
        let block = raw.starts_with(['|', '>']);
        match quote {
            Some('\'') => return TextEdit { text: edit.text.replace('\'', "''"), ..edit },
            Some(_) => return edit,
            None if block => return edit,
            None => {}
        }
        let before = text.get(whole.start..edit.span.start).unwrap_or_default();
        let after = text.get(edit.span.end..whole.end).unwrap_or_default();
        let all = format!("{before}{}{after}", edit.text);
        let lone = raw.is_empty();
        let lead = if lone { self.writer.lead() } else { String::new() };
        if self.given.sketch.json || !is_plain_scalar(&all, self.place.flow) {
            let quoted = if all.contains('"') && !all.contains('\'') && !self.given.sketch.json {
                format!("'{all}'")
            } else {
                Json::from(all.as_str()).to_string()
            };
            return TextEdit { span: whole, text: lead + &quoted };
        }
        TextEdit { text: lead + &edit.text, ..edit }
    }
}

/// Whether a text means itself where it stands without quotes.
fn is_plain_scalar(text: &str, flow: bool) -> bool {
    let begins = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '(' | '$' | '_'));
    let ends = text.contains(": ")
        || text.contains(" #")
        || text.trim_end().ends_with(':') && !text.ends_with(".contains:") && flow;
    begins && !ends && !(flow && text.contains([',', '[', ']', '{', '}']))
}

/// Whether what was written of a reference can be compared.
fn is_whole(atom: &Atom<'_>) -> bool {
    let root = atom.segments.first().map(|root| root.text.as_ref()).unwrap_or_default();
    let named = atom.segments.len() > 1 || !matches!(root, "output" | "context");
    let complete = atom.segments.iter().all(|segment| !segment.text.is_empty());
    named && complete && ROOTS.iter().any(|(known, _)| *known == root)
}

fn end(atom: &Atom<'_>) -> usize {
    atom.literal.map_or(atom.span.end, |literal| literal.end)
}

fn rank_of(when: When) -> u32 {
    match when {
        When::Before => 0,
        When::Perhaps => 10_000,
        When::Never => 20_000,
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_key_char) && !matches!(name, "exists" | "contains")
}

/// A reference to a name.
fn named(root: &str, name: &str) -> String {
    if is_plain(name) {
        format!("{root}.{name}")
    } else {
        format!("{root}['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}

/// A reference that is its beginning alone.
fn lone(root: &str) -> Atom<'_> {
    let segment = expression::Segment { text: root.into(), span: Span::default(), bracket: false, from: 0 };
    Atom { segments: vec![segment], ..Atom::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars() {
        for (text, flow, plain) in [
            ("last==a", false, true),
            ("last[0]==a", false, true),
            ("last[0]==a", true, false),
            ("!last==a", false, false),
            ("a: b", false, false),
        ] {
            assert_eq!(is_plain_scalar(text, flow), plain, "{text}");
        }
    }
}
