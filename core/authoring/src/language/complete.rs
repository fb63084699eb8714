//! What can be written at a place.
//!
//! Decides which keys, names, references, operators and values fit there, what is said of each, and with which edit it comes to stand in the
//! text as a person would write it. Works on the present text however broken it is; nothing is read again but its outline.
//!
//! Files: `keys` of maps · `values` words and names · `expressions` parts of conditions and templates · `quoting` how those are written · `schemas` keywords of JSON Schema · `insert_text`
//! quotes, indentation, places for the cursor.
//!
//! Invariants: 1. every edit replaces what was typed at the place and nothing else; 2. what is there already is not proposed once more;
//! 3. the most likely stands first.
//!
//! Source: the Language Server Protocol for what editors can show.

mod expressions;
mod insert_text;
mod keys;
mod quoting;
mod schemas;
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
use stepgraph_core::diagnostic::TextEdit;
use stepgraph_core::list::List;

/// How many completions are given at most.
const MAX_COMPLETIONS: usize = 1000;

/// What kind of thing is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// A key of a map.
    Key,
    /// A type of node.
    Type,
    /// A node.
    Node,
    /// A tool.
    Tool,
    /// A model.
    Model,
    /// The beginning of a reference.
    Root,
    /// A part of a value.
    Property,
    /// A comparison.
    Operator,
    /// A value.
    Value,
    /// Several lines at once.
    Snippet,
}

impl CompletionKind {
    /// Its name in JSON.
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
            Self::Value => "value",
            Self::Snippet => "snippet",
        }
    }
}

/// Something that can be written at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What is shown in the list.
    pub label: String,
    /// What kind of thing it is.
    pub kind: CompletionKind,
    /// A few words beside the label: a type, mostly.
    pub detail: Option<String>,
    /// What it means, as Markdown.
    pub documentation: Option<String>,
    /// What is done to the text. Its span holds the place that was asked for.
    pub edit: TextEdit,
    /// The text of the edit with stops for the cursor, as language servers write them: `${1:name}`, `$0`; a `$` that is meant is `\$`.
    pub snippet: Option<String>,
    /// What the typed text is compared with; begins as the replaced text does.
    pub filter: String,
    /// Whether more can be proposed once this is written: behind `type: `, or a dot.
    pub retriggers: bool,
}

/// What can be written at a place, the most likely first.
///
/// # Units
/// `at` and the edits are in bytes of the document's text.
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
        // On a line of its own a list begins with its first item.
        (location.spec, context.insertion) = (*inner, InsertionKind::NewItem);
    }
    let writer = InsertTextWriter::new(&tree, &context);
    let inference = Inference { tree: &tree, capabilities: document.capabilities() };
    let mut asked = Completer { inference, context: &context, location, writer, at, completions: Vec::new() };
    asked.collect();
    asked.finish()
}

/// A question, and what was found so far.
struct Completer<'s, 't> {
    inference: Inference<'s, 't>,
    context: &'s CompletionContext<'t>,
    location: PlanLocation,
    writer: InsertTextWriter<'s, 't>,
    at: usize,
    /// What can be written, each with a rank: the smaller the earlier.
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

    /// A word in the place of what was typed.
    fn add_word(&mut self, rank: u32, kind: CompletionKind, text: &str, detail: &str, doc: Option<String>) {
        let edit = self.writer.value(text);
        self.add_edit(rank, kind, text, edit, detail, doc);
    }

    fn add_edit(
        &mut self,
        rank: u32,
        kind: CompletionKind,
        label: &str,
        text: String,
        detail: &str,
        doc: Option<String>,
    ) {
        // A name that is not written yet is none.
        if label.trim().is_empty() {
            return;
        }
        let detail = (!detail.is_empty()).then(|| detail.to_owned());
        let filter = self.writer.filter(label);
        let edit = TextEdit { span: self.context.span, text };
        let (label, again) = (label.to_owned(), false);
        self.add(
            rank,
            Completion {
                label,
                kind,
                detail,
                documentation: doc,
                edit,
                snippet: None,
                filter,
                retriggers: again,
            },
        );
    }

    /// Those that what was typed may be the beginning of, in order.
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
        let mut list: Vec<Completion> = self.completions.into_iter().map(|(_, found)| found).list();
        list.dedup_by(|a, b| a.label == b.label && a.edit == b.edit);
        list.truncate(MAX_COMPLETIONS);
        list
    }

    fn spec(&self) -> ValueSpec {
        self.location.spec
    }
}

/// Whether all that was typed stands in a text in that order, capitals or not.
fn is_subsequence(typed: &str, text: &str) -> bool {
    let mut rest = text.chars().flat_map(char::to_lowercase);
    typed.chars().flat_map(char::to_lowercase).all(|c| rest.any(|other| other == c))
}
