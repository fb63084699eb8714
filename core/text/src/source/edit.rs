//! Changes of a document as edits of its text, which leave everything else as it was written.
//!
//! Decides which bytes a change touches: comments, order, anchors, quotes, indentation, blank lines and line endings of all else
//! stay. What can't be written in place is refused, never done wrong: every change is read back and held to what it should mean.
//! Knows nothing of graphs.
//!
//! Files: `locate` where things stand · `compute` which edits a change takes · `block_style` and `flow_style` edits in either style · `emit` new values as text, `match_style` in the style of others · `relocate` what is moved · `comments` what stays beside what goes · `batch` changes that go together · `piece_table` many edits as one.
//!
//! Invariants: 1. the text after a change reads as the document with that change, order of keys included; 2. the edits of a result lie
//! in the order of the text, do not overlap and refer to the text that was given; 3. their inverse gives back the very same bytes.

mod batch;
mod block_style;
mod change;
mod comments;
mod compute;
mod emit;
mod flow_style;
mod locate;
mod match_style;
mod piece_table;
mod relocate;

pub use change::{Change, NewValue, keys};

use super::{Document, Format, Spanned, ValueKind, parse};
use crate::diagnostic::{Code, Diagnostic, Span, TextEdit};
use crate::value::{Segment, json_text};
use batch::Batch;
use locate::DocumentText;
use piece_table::PieceTable;
use serde_json::Value as Json;

/// A text after some changes.
#[derive(Debug, Clone)]
pub struct EditedText {
    /// The edits of the text that was given, in its order.
    pub edits: Vec<TextEdit>,
    /// The text after them.
    pub text: String,
    /// What that text says.
    pub document: Document,
}

/// Makes changes one after another, each in the document that the one before it left.
///
/// # Errors
/// `edit/unreadable` when the text can't be read, `edit/no-such-place` when there is nothing at a path, `edit/shared` when what is to be
/// changed stands for something else, too, `edit/not-in-place` when the text can't take the change.
///
/// # Example
/// ```
/// use stepgraph_text::source::{Format, edit::{Change, edit, keys}};
/// let text = "# greets\nnodes:\n  a: {type: log} # the first\n";
/// let set = Change::Set { path: keys(&["nodes", "a", "type"]), value: "noop".into() };
/// assert_eq!(edit(text, Format::Yaml, &[set]).unwrap().text, "# greets\nnodes:\n  a: {type: noop} # the first\n");
/// ```
pub fn edit(text: &str, format: Format, changes: &[Change]) -> Result<EditedText, Box<Diagnostic>> {
    let mut editor = Editor::new(text, parse(text, format))?;
    editor.apply(changes)?;
    Ok(editor.finish())
}

/// A text that is being changed.
#[derive(Debug)]
pub struct Editor<'t> {
    /// The text that was given.
    original: &'t str,
    edited: EditedText,
    pieces: PieceTable,
}

impl<'t> Editor<'t> {
    /// A text and what it says.
    pub fn new(text: &'t str, document: Document) -> Result<Self, Box<Diagnostic>> {
        if readable(&document).is_none() {
            return Err(Box::new(unreadable(&document)));
        }
        let edited = EditedText { edits: Vec::new(), text: text.to_owned(), document };
        Ok(Self { original: text, edited, pieces: PieceTable::new(text.len()) })
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.edited.text
    }

    /// What it says now.
    pub fn root(&self) -> &Spanned {
        // It was readable when it was given, and is read after every change.
        static NULL: Spanned = Spanned { kind: ValueKind::Null, span: Span { start: 0, end: 0 } };
        self.edited.document.root.as_ref().unwrap_or(&NULL)
    }

    /// Makes changes one after another.
    pub fn apply(&mut self, changes: &[Change]) -> Result<(), Box<Diagnostic>> {
        let (mut rest, mut alone) = (changes, 0);
        while let Some((change, others)) = rest.split_first() {
            if alone == 0 {
                match self.apply_batch(rest) {
                    Ok(made) => rest = rest.get(made..).unwrap_or_default(),
                    Err(apart) => alone = apart.max(1),
                }
                continue;
            }
            let edits = apply_change(&mut self.edited, change)?;
            self.pieces.apply(&edits);
            (rest, alone) = (others, alone - 1);
        }
        Ok(())
    }

    /// Makes as many of the first changes as go together, in one reading, and says how many; or how many have to be made one by one.
    fn apply_batch(&mut self, changes: &[Change]) -> Result<usize, usize> {
        let root = readable(&self.edited.document).filter(|_| changes.len() > 1).ok_or(1_usize)?;
        let format = self.edited.document.format;
        let document_text = DocumentText::new(&self.edited.text, root, format);
        let mut batch = Batch::default();
        let count = changes.iter().take_while(|change| batch.add(&document_text, change)).count();
        if count < 2 {
            return Err(1);
        }
        let mut meant = root.to_json();
        batch.apply(&mut meant).ok_or(count)?;
        let text = apply_edits(&self.edited.text, &batch.edits);
        let document = parse(&text, format);
        if !readable(&document).is_some_and(|root| equals_json(root, &meant)) {
            return Err(count);
        }
        self.pieces.apply(&batch.edits);
        (self.edited.text, self.edited.document) = (text, document);
        Ok(count)
    }

    /// What came of it.
    pub fn finish(self) -> EditedText {
        let Self { original: given, mut edited, pieces } = self;
        // One of two equal items that changes places with the other leaves the text as it was.
        if edited.text == given {
            return edited;
        }
        edited.edits = pieces.edits().into_iter().filter_map(|edit| trim_edit(given, edit)).collect();
        edited
    }
}

/// An edit without what it puts back as it was; nothing when that is all.
fn trim_edit(text: &str, edit: TextEdit) -> Option<TextEdit> {
    let TextEdit { span, text: new } = edit;
    let old = text.get(span.start..span.end).unwrap_or_default();
    let pairs = old.char_indices().zip(new.chars());
    let head: usize = pairs.take_while(|((_, a), b)| a == b).map(|(_, b)| b.len_utf8()).sum();
    let (old, new) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let pairs = old.chars().rev().zip(new.chars().rev());
    let tail: usize = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let new = new.get(..new.len() - tail).unwrap_or_default();
    let span = Span::new(span.start + head, span.end - tail);
    (span.end > span.start || !new.is_empty()).then(|| TextEdit { span, text: new.to_owned() })
}

/// What takes back edits of a text: edits of the text after them.
pub fn inverse(text: &str, edits: &[TextEdit]) -> Vec<TextEdit> {
    let mut shift = 0;
    let mut back = Vec::with_capacity(edits.len());
    for TextEdit { span, text: new } in edits {
        let start = span.start.wrapping_add(shift);
        let old = text.get(span.start..span.end).unwrap_or_default();
        back.push(TextEdit { span: Span::new(start, start.wrapping_add(new.len())), text: old.to_owned() });
        shift = shift.wrapping_add(new.len()).wrapping_sub(old.len());
    }
    back
}

/// The text after edits that are in its order.
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.span.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.span.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Makes one change; gives its edits of the text as it was before.
fn apply_change(edited: &mut EditedText, change: &Change) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
    let Some(root) = readable(&edited.document) else { return Err(Box::new(unreadable(&edited.document))) };
    let format = edited.document.format;
    let mut meant = root.to_json();
    change.apply(&mut meant).ok_or_else(|| Box::new(no_such_path(change)))?;
    let document_text = DocumentText::new(&edited.text, root, format);
    let place = document_text.span_of(change.path());
    let mut edits = document_text.edits(change, &meant).ok_or_else(|| Box::new(not_in_place(place)))?;
    let mut text = apply_edits(&edited.text, &edits);
    let mut document = parse(&text, format);
    if ends_in_open_block(&text, &document) && !ends_in_open_block(&edited.text, &edited.document) {
        end_line(&mut edits, edited.text.len(), document_text.newline);
        text = apply_edits(&edited.text, &edits);
        document = parse(&text, format);
    }
    if !readable(&document).is_some_and(|root| equals_json(root, &meant)) {
        let diagnostic =
            if document_text.has_aliases() { shared_by_alias(place) } else { not_in_place(place) };
        return Err(Box::new(diagnostic));
    }
    (edited.text, edited.document) = (text, document);
    Ok(edits)
}

/// Whether the map at `path` has comments of its own, which would go with it and not with its entries.
pub fn has_own_comments(text: &str, root: &Spanned, path: &[Segment]) -> bool {
    let document = DocumentText::new(text, root, Format::Yaml);
    let slots = document.resolve_path(path).unwrap_or_default();
    slots.last().is_some_and(|holder| document.has_own_comments(*holder))
}

/// Whether a text ends in a block of text that keeps its last line break, and has none there. Some readers take that
/// block without it.
fn ends_in_open_block(text: &str, document: &Document) -> bool {
    let Some(mut last) = document.root.as_ref().filter(|_| !text.ends_with(['\n', '\r'])) else {
        return false;
    };
    loop {
        let inner = match &last.kind {
            ValueKind::List(items) => items.last(),
            ValueKind::Map(entries) => entries.last().map(|entry| &entry.value),
            _ => None,
        };
        let Some(inner) = inner else { break };
        last = inner;
    }
    let written = text.get(last.span.start..last.span.end).unwrap_or_default();
    written.starts_with(['|', '>']) && last.as_text().is_some_and(|text| text.ends_with('\n'))
}

/// Adds a line break behind edits of a text of that many bytes.
fn end_line(edits: &mut Vec<TextEdit>, length: usize, newline: &str) {
    match edits.last_mut().filter(|edit| edit.span.end == length) {
        Some(edit) => edit.text.push_str(newline),
        None => edits.push(TextEdit { span: Span::at(length), text: newline.to_owned() }),
    }
}

/// Whether a tree says what plain data does, in the same order. Recursion is safe because trees are shallow.
fn equals_json(value: &Spanned, meant: &Json) -> bool {
    match (&value.kind, meant) {
        (ValueKind::Null, Json::Null) => true,
        (ValueKind::Bool(a), Json::Bool(b)) => a == b,
        (ValueKind::Number(a), Json::Number(b)) => {
            a == b || json_text(&Json::Number(a.clone())) == json_text(meant)
        }
        (ValueKind::Text(a), Json::String(b)) => a == b,
        (ValueKind::List(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equals_json(a, b))
        }
        (ValueKind::Map(a), Json::Object(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, (key, b))| a.key == *key && equals_json(&a.value, b))
        }
        _ => false,
    }
}

/// The tree of a document that says all that its text says.
fn readable(document: &Document) -> Option<&Spanned> {
    document.root.as_ref().filter(|_| !document.diagnostics.iter().any(Diagnostic::is_error))
}

fn unreadable(document: &Document) -> Diagnostic {
    let first = document.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let why = first.map_or_else(String::new, |diagnostic| format!(": {}", diagnostic.message));
    let diagnostic =
        Diagnostic::new(Code::EditUnreadable, format!("the text can't be changed as it is{why}"));
    diagnostic
        .at(first.and_then(|diagnostic| diagnostic.span).unwrap_or_default())
        .help("mend the text first")
}

fn no_such_path(change: &Change) -> Diagnostic {
    let message = format!("there is no `{}` to be changed", change::show(change.path()));
    Diagnostic::new(Code::EditNowhere, message).help("name a place that is there")
}

fn shared_by_alias(place: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(Code::EditShared, "this stands for something else, too, by an anchor and its alias");
    diagnostic.at(place).help("write out the alias first, or change the text by hand")
}

fn not_in_place(place: Span) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::EditNotInPlace, "the way this is written can't take the change");
    diagnostic.at(place).help("change the text by hand")
}

#[cfg(test)]
mod tests;
