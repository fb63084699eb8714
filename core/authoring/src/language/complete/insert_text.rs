//! Formats inserted text.

use crate::language::completion_context::{CompletionContext, InsertionKind};
use crate::language::plan_format::{FieldSpec, ValueSpec};
use crate::language::syntax_tree::{SyntaxTree, ValueForm};
use serde_json::Value as Json;
use std::fmt::Write as _;
use stepgraph_core::diagnostic::Span;
use stepgraph_core::source::scalar_style::{quote, scalar};

#[derive(Debug, Clone, Copy)]
pub(super) struct InsertTextWriter<'s, 't> {
    tree: &'s SyntaxTree<'t>,
    context: &'s CompletionContext<'t>,
    pub(super) indent_width: usize,
}

impl<'s, 't> InsertTextWriter<'s, 't> {
    pub(super) fn new(tree: &'s SyntaxTree<'t>, context: &'s CompletionContext<'t>) -> Self {
        Self { tree, context, indent_width: indent_width(tree) }
    }

    pub(super) fn text(&self, text: &str) -> String {
        let mut out = String::new();
        match self.context.quote(self.tree.text) {
            _ if self.tree.json => return Json::from(text).to_string(),
            Some('"') => return Json::from(text).to_string(),
            Some(_) if !text.contains(['\n', '\t']) => out = format!("'{}'", text.replace('\'', "''")),
            _ if text.is_empty() => quote(&mut out, text),
            _ => scalar(&mut out, text, self.context.flow),
        }
        out
    }

    /// Adds a space after a colon and a dash before a new item.
    pub(super) fn value(&self, text: &str) -> String {
        self.prefix() + &self.text(text)
    }

    pub(super) fn json(&self, value: &Json) -> String {
        match value {
            Json::String(text) => self.value(text),
            other => self.prefix() + &stepgraph_core::value::json_text(other),
        }
    }

    pub(super) fn prefix(&self) -> String {
        let before = self.tree.text.get(..self.context.span.start).unwrap_or_default();
        match self.context.insertion {
            InsertionKind::NewItem => "- ".to_owned(),
            InsertionKind::Value | InsertionKind::ValueOrKey if before.ends_with(':') => " ".to_owned(),
            InsertionKind::ValueOrKey
                if before.ends_with('-') && self.context.span == Span::at(self.context.span.start) =>
            {
                " ".to_owned()
            }
            _ => String::new(),
        }
    }

    pub(super) fn filter(&self, label: &str) -> String {
        match self.context.quote(self.tree.text) {
            Some(mark) => format!("{mark}{label}"),
            None => label.to_owned(),
        }
    }

    /// Plain and as snippet. Before a colon, only the key.
    pub(super) fn entry(
        &self,
        key: &str,
        value: ValueSpec,
        needs: &[(&str, ValueSpec)],
    ) -> (String, Option<String>) {
        let lead = if matches!(self.context.insertion, InsertionKind::ValueOrKey) {
            self.prefix()
        } else {
            String::new()
        };
        let text = lead + &self.text(key);
        let has_colon = self.context.entry.is_some_and(|entry| self.tree.item(entry).colon);
        if has_colon {
            return (text, None);
        }
        let (begin, end) = self.value_stop(value, needs);
        let snippet = format!("{}:{}$0{}", escape(&text), escape(&begin), escape(&end));
        (format!("{text}:{begin}{end}"), (!end.is_empty() || !begin.trim().is_empty()).then_some(snippet))
    }

    fn value_stop(&self, value: ValueSpec, needs: &[(&str, ValueSpec)]) -> (String, String) {
        let flow = self.context.flow || self.tree.json;
        let deeper = self.context.column + self.indent_width;
        let line = |column: usize| format!("{}{}", self.newline(), " ".repeat(column));
        match value {
            ValueSpec::Map(_) | ValueSpec::Named(..) | ValueSpec::Settings if flow => {
                (" {".to_owned(), "}".to_owned())
            }
            ValueSpec::List(_) if flow => (" [".to_owned(), "]".to_owned()),
            ValueSpec::Map(_) | ValueSpec::Named(..) | ValueSpec::Settings => {
                let first = needs.first().map(|(key, _)| format!("{key}: ")).unwrap_or_default();
                (line(deeper) + &first, String::new())
            }
            ValueSpec::List(_) => (line(deeper) + "- ", String::new()),
            ValueSpec::Text
            | ValueSpec::Prose
            | ValueSpec::NodeType
            | ValueSpec::NodeKey
            | ValueSpec::Tool
            | ValueSpec::Condition
            | ValueSpec::Template
            | ValueSpec::Model
                if self.tree.json =>
            {
                (" \"".to_owned(), "\"".to_owned())
            }
            _ => (" ".to_owned(), String::new()),
        }
    }

    pub(super) fn map(&self, fields: &[&FieldSpec], flow: bool) -> (String, String) {
        let (mut plain, mut snippet) = (String::new(), String::new());
        let column = self.context.column + 2;
        for (number, field) in fields.iter().enumerate() {
            let key = if self.tree.json { Json::from(field.key).to_string() } else { field.key.to_owned() };
            let joint = match (number, flow) {
                (0, true) => "{".to_owned(),
                (0, false) => String::new(),
                (_, true) => ", ".to_owned(),
                (_, false) => format!("{}{}", self.newline(), " ".repeat(column)),
            };
            let (open, close) = if self.tree.json { ("\"", "\"") } else { ("", "") };
            let _ = write!(plain, "{joint}{key}: {open}{close}");
            let _ = write!(snippet, "{}{}: {open}${{{}}}{close}", escape(&joint), escape(&key), number + 1);
        }
        if flow {
            plain.push('}');
            snippet.push_str("\\}");
        }
        (plain, snippet)
    }

    pub(super) fn newline(&self) -> &'static str {
        newline(self.tree.text)
    }
}

pub(crate) fn newline(text: &str) -> &'static str {
    let end = text.find('\n').and_then(|end| end.checked_sub(1));
    if end.is_some_and(|before| text.as_bytes().get(before) == Some(&b'\r')) { "\r\n" } else { "\n" }
}

/// The first nested map decides.
pub(crate) fn indent_width(tree: &SyntaxTree<'_>) -> usize {
    let deeper = tree.items.iter().skip(1).find_map(|item| {
        let holder = tree.item(item.parent);
        let nested = item.parent != 0
            && holder.key.is_some()
            && holder.form == ValueForm::Map
            && !holder.flow
            && item.key.is_some();
        item.column.checked_sub(holder.column).filter(|step| nested && *step > 0)
    });
    deeper.unwrap_or(2).clamp(1, 8)
}

pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '$' | '}' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
