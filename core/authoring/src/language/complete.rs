//! Completion, also in broken text.
//!
//! Invariants:
//! 1. Every edit replaces exactly the text that was typed.
//! 2. Existing keys and items are not proposed again.
//! 3. The most likely completion comes first.
//!
//! Source: the Language Server Protocol, for what editors can show.

mod expressions;
mod insert_text;
mod keys;
mod quoting;
mod schemas;
mod typed;
mod values;

use super::Document;
use super::completion_context::{CompletionContext, InsertionKind};
use super::inference::Inference;
use super::plan_format::{PlanLocation, ValueSpec};
use super::syntax_tree::SyntaxTree;
pub(crate) use expressions::ROOTS;
use insert_text::InsertTextWriter;
pub(crate) use insert_text::{indent_width, newline};
pub(crate) use keys::{argument_doc, arguments_of, is_argument};
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::TextEdit;
pub(crate) use typed::describe;

const MAX_COMPLETIONS: usize = 1000;

/// A completion's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// Map key.
    Key,
    /// Node type.
    Type,
    /// A node.
    Node,
    /// A tool.
    Tool,
    /// A model.
    Model,
    /// A reference's root.
    Root,
    /// A value's property.
    Property,
    /// A comparison.
    Operator,
    /// A function.
    Function,
    /// A value.
    Value,
    /// Several lines.
    Snippet,
}

impl CompletionKind {
    /// JSON name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Type => "type",
            Self::Node => "node",
            Self::Tool => "tool",
            Self::Model => "model",
            Self::Root => "root",
            Self::Property => "property",
            Self::Operator => "operator",
            Self::Function => "function",
            Self::Value => "value",
            Self::Snippet => "snippet",
        }
    }
}

/// Inserted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// List label.
    pub label: String,
    /// The kind.
    pub kind: CompletionKind,
    /// Usually a type.
    pub detail: Option<String>,
    /// In Markdown.
    pub documentation: Option<String>,
    /// Its span contains the requested position.
    pub edit: TextEdit,
    /// In LSP syntax: `${1:name}`, `$0`, `\$` for a literal `$`.
    pub snippet: Option<String>,
    /// It starts like the replaced text.
    pub filter: String,
    /// The editor should ask again, as after `type: ` or a dot.
    pub retriggers: bool,
}

/// The most likely completions first.
///
/// # Units
/// `at` and the edits are in bytes.
///
/// # Example
/// ```
/// use stepgraph_authoring::language::{Document, complete};
/// use stepgraph_core::source::Format;
/// let text = "nodes:\n  a:\n    ty";
/// let document = Document::new(text.to_owned(), Format::Yaml);
/// let first = &complete(&document, text.len())[0];
/// assert_eq!((first.label.as_str(), first.edit.text.as_str()), ("type", "type: "));
/// ```
pub fn complete(document: &Document, at: usize) -> Vec<Completion> {
    let tree = SyntaxTree::new(document.text(), document.format());
    let at = document.text().floor_char_boundary(at.min(document.text().len()));
    let Some(mut context) = CompletionContext::new(&tree, at) else { return Vec::new() };
    let mut location = PlanLocation::new(&tree, &context.path, &context.items);
    if let (ValueSpec::List(inner) | ValueSpec::OneOrMany(inner), InsertionKind::ValueOrKey) =
        (location.spec, context.insertion)
    {
        // A list starts with its first item.
        (location.spec, context.insertion) = (*inner, InsertionKind::NewItem);
    }
    let writer = InsertTextWriter::new(&tree, &context);
    let inference = Inference { tree: &tree, capabilities: document.capabilities() };
    let mut asked = Completer { inference, context: &context, location, writer, at, completions: Vec::new() };
    asked.collect();
    asked.finish()
}

struct Candidate<'c> {
    rank: u32,
    kind: CompletionKind,
    label: &'c str,
    detail: &'c str,
    doc: Option<String>,
}

struct Completer<'s, 't> {
    inference: Inference<'s, 't>,
    context: &'s CompletionContext<'t>,
    location: PlanLocation,
    writer: InsertTextWriter<'s, 't>,
    at: usize,
    completions: Vec<(u32, Completion)>,
}

impl<'t> Completer<'_, 't> {
    fn tree(&self) -> &SyntaxTree<'t> {
        self.inference.tree
    }

    fn collect(&mut self) {
        match self.context.insertion {
            InsertionKind::Key => self.keys(),
            InsertionKind::Value => self.values(),
            InsertionKind::ValueOrKey => {
                self.keys();
                self.values();
            }
            InsertionKind::NewItem => {
                self.items();
                self.values();
            }
        }
        if self.context.insertion == InsertionKind::Value && self.context.flow {
            self.items();
        }
    }

    fn add(&mut self, rank: u32, completion: Completion) {
        self.completions.push((rank, completion));
    }

    fn add_word(&mut self, rank: u32, kind: CompletionKind, text: &str, detail: &str, doc: Option<String>) {
        let edit = self.writer.value(text);
        self.add_edit(Candidate { rank, kind, label: text, detail, doc }, edit);
    }

    fn add_edit(&mut self, candidate: Candidate<'_>, text: String) {
        let edit = TextEdit { span: self.context.span, text };
        let filter = self.writer.filter(candidate.label);
        self.add_candidate(candidate, edit, filter, false);
    }

    fn add_candidate(&mut self, candidate: Candidate<'_>, edit: TextEdit, filter: String, retriggers: bool) {
        let Candidate { rank, kind, label, detail, doc } = candidate;
        // The user is still typing the name.
        if label.trim().is_empty() {
            return;
        }
        let detail = (!detail.is_empty()).then(|| detail.to_owned());
        let (label, documentation) = (label.to_owned(), doc);
        self.add(
            rank,
            Completion { label, kind, detail, documentation, edit, snippet: None, filter, retriggers },
        );
    }

    fn finish(mut self) -> Vec<Completion> {
        let text = self.inference.tree.text;
        self.completions.retain(|(_, found)| {
            let typed =
                text.get(found.edit.span.start..self.at.max(found.edit.span.start)).unwrap_or_default();
            is_subsequence(typed, &found.filter)
        });
        let begins = |found: &Completion| {
            let typed =
                text.get(found.edit.span.start..self.at.max(found.edit.span.start)).unwrap_or_default();
            !found.filter.starts_with(typed)
        };
        self.completions.sort_by(|(a, one), (b, other)| {
            (begins(one), a, &one.label).cmp(&(begins(other), b, &other.label))
        });
        let mut list: Vec<Completion> = self.completions.into_iter().map(|(_, found)| found).collect_vec();
        list.dedup_by(|a, b| a.label == b.label && a.edit == b.edit);
        list.truncate(MAX_COMPLETIONS);
        list
    }

    fn spec(&self) -> ValueSpec {
        self.location.spec
    }
}

fn is_subsequence(typed: &str, text: &str) -> bool {
    let mut rest = text.chars().flat_map(char::to_lowercase);
    typed.chars().flat_map(char::to_lowercase).all(|c| rest.any(|other| other == c))
}
