//! Edits a document: changes become minimal edits of its text.
//!
//! Invariants:
//! 1. The new text parses to the document with that change, including key order.
//! 2. A result's edits are in text order, do not overlap, and refer to the original text.
//! 3. Their inverse restores the original bytes.

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

use super::{DirtyRange, Format, IncrementalParse, Spanned, ValueKind};
use crate::diagnostic::{Code, Diagnostic, Span, TextEdit};
use crate::value::{Segment, json_text};
use batch::Batch;
use locate::DocumentText;
use piece_table::PieceTable;
use serde_json::Value as Json;

/// A changed text.
#[derive(Debug, Clone)]
pub struct EditedText {
    /// Edits of the original text, in order.
    pub edits: Vec<TextEdit>,
    /// New text.
    pub text: String,
    /// Parsed new text.
    pub parse: IncrementalParse,
}

impl EditedText {
    /// Parses only the changed region if possible.
    fn parse_after(&self, edits: &[TextEdit], text: &str) -> IncrementalParse {
        let mut parse = self.parse.clone();
        if let Some(dirty) = DirtyRange::of_edits(&self.text, edits) {
            parse.change(text, dirty);
        }
        parse
    }
}

/// Applies changes, each to the result of the previous one.
///
/// # Errors
/// - `edit/unreadable`: the text has syntax errors.
/// - `edit/no-such-place`: a path does not exist.
/// - `edit/shared`: the changed value also has an alias.
/// - `edit/not-in-place`: the text cannot express the change.
///
/// # Example
/// ```
/// use stepgraph_text::source::{Format, edit::{Change, edit, keys}};
/// let text = "# greets\nnodes:\n  a: {type: log} # the first\n";
/// let set = Change::Set { path: keys(&["nodes", "a", "type"]), value: "noop".into() };
/// assert_eq!(edit(text, Format::Yaml, &[set]).unwrap().text, "# greets\nnodes:\n  a: {type: noop} # the first\n");
/// ```
pub fn edit(text: &str, format: Format, changes: &[Change]) -> Result<EditedText, Box<Diagnostic>> {
    let mut editor = Editor::new(text, IncrementalParse::new(text, format))?;
    editor.apply(changes)?;
    Ok(editor.finish())
}

/// Edits one text.
#[derive(Debug)]
pub struct Editor<'t> {
    original: &'t str,
    edited: EditedText,
    pieces: PieceTable,
}

impl<'t> Editor<'t> {
    /// Refuses a text with errors.
    pub fn new(text: &'t str, parse: IncrementalParse) -> Result<Self, Box<Diagnostic>> {
        if readable(&parse).is_none() {
            return Err(Box::new(unreadable(&parse)));
        }
        let edited = EditedText { edits: Vec::new(), text: text.to_owned(), parse };
        Ok(Self { original: text, edited, pieces: PieceTable::new(text.len()) })
    }

    /// Current text.
    pub fn text(&self) -> &str {
        &self.edited.text
    }

    /// Current parse.
    pub fn parse(&self) -> &IncrementalParse {
        &self.edited.parse
    }

    /// Current document.
    pub fn root(&self) -> &Spanned {
        // `new` and every change check the root.
        static NULL: Spanned = Spanned { kind: ValueKind::Null, span: Span { start: 0, end: 0 } };
        self.edited.parse.tree().map_or(&NULL, AsRef::as_ref)
    }

    /// Applies changes in order.
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

    /// Applies the first changes that fit in one pass. On failure returns the number to apply one by one.
    fn apply_batch(&mut self, changes: &[Change]) -> Result<usize, usize> {
        let root = readable(&self.edited.parse).filter(|_| changes.len() > 1).ok_or(1_usize)?;
        let format = self.edited.parse.format();
        let document_text = DocumentText::new(&self.edited.text, root, format);
        let mut batch = Batch::default();
        let count = changes.iter().take_while(|change| batch.add(&document_text, change)).count();
        if count < 2 {
            return Err(1);
        }
        let mut meant = root.to_json();
        batch.apply(&mut meant).ok_or(count)?;
        let text = apply_edits(&self.edited.text, &batch.edits);
        let parse = self.edited.parse_after(&batch.edits, &text);
        if !readable(&parse).is_some_and(|root| equals_json(root, &meant)) {
            return Err(count);
        }
        self.pieces.apply(&batch.edits);
        (self.edited.text, self.edited.parse) = (text, parse);
        Ok(count)
    }

    /// The result.
    pub fn finish(self) -> EditedText {
        let Self { original: given, mut edited, pieces } = self;
        // Swapped equal items leave the text unchanged.
        if edited.text == given {
            return edited;
        }
        edited.edits = pieces.edits().into_iter().filter_map(|edit| trim_edit(given, edit)).collect();
        edited
    }
}

/// Trims unchanged characters from both ends.
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

/// Returns the edits that undo `edits` of `text`.
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

/// Applies edits in text order.
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

fn apply_change(edited: &mut EditedText, change: &Change) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
    let Some(root) = readable(&edited.parse) else { return Err(Box::new(unreadable(&edited.parse))) };
    let format = edited.parse.format();
    let mut meant = root.to_json();
    change.apply(&mut meant).ok_or_else(|| Box::new(no_such_path(change)))?;
    let document_text = DocumentText::new(&edited.text, root, format);
    let place = document_text.span_of(change.path());
    let mut edits = document_text.edits(change, &meant).ok_or_else(|| Box::new(not_in_place(place)))?;
    let mut text = apply_edits(&edited.text, &edits);
    let mut parse = edited.parse_after(&edits, &text);
    if ends_in_open_block(&text, &parse) && !ends_in_open_block(&edited.text, &edited.parse) {
        end_line(&mut edits, edited.text.len(), document_text.newline);
        text = apply_edits(&edited.text, &edits);
        parse = edited.parse_after(&edits, &text);
    }
    if !readable(&parse).is_some_and(|root| equals_json(root, &meant)) {
        let diagnostic =
            if document_text.has_aliases() { shared_by_alias(place) } else { not_in_place(place) };
        return Err(Box::new(diagnostic));
    }
    (edited.text, edited.parse) = (text, parse);
    Ok(edits)
}

/// Whether comments belong to the map at `path`, not to its entries.
pub fn has_own_comments(text: &str, root: &Spanned, path: &[Segment]) -> bool {
    let document = DocumentText::new(text, root, Format::Yaml);
    let slots = document.resolve_path(path).unwrap_or_default();
    slots.last().is_some_and(|holder| document.has_own_comments(*holder))
}

/// The block scalar should keep a last line break, which some parsers drop here.
fn ends_in_open_block(text: &str, parse: &IncrementalParse) -> bool {
    let Some(mut last) = parse.tree().map(AsRef::as_ref).filter(|_| !text.ends_with(['\n', '\r'])) else {
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

fn end_line(edits: &mut Vec<TextEdit>, length: usize, newline: &str) {
    match edits.last_mut().filter(|edit| edit.span.end == length) {
        Some(edit) => edit.text.push_str(newline),
        None => edits.push(TextEdit { span: Span::at(length), text: newline.to_owned() }),
    }
}

/// Compares key order too. The depth limit makes recursion safe.
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

/// `None` if it has errors.
fn readable(parse: &IncrementalParse) -> Option<&Spanned> {
    parse.tree().map(AsRef::as_ref).filter(|_| !parse.diagnostics().iter().any(Diagnostic::is_error))
}

fn unreadable(parse: &IncrementalParse) -> Diagnostic {
    let first = parse.diagnostics().iter().find(|diagnostic| diagnostic.is_error());
    let why = first.map_or_else(String::new, |diagnostic| format!(": {}", diagnostic.message));
    let diagnostic =
        Diagnostic::new(Code::EditUnreadable, format!("the text can't be changed as it is{why}"));
    diagnostic.at(first.and_then(|diagnostic| diagnostic.span).unwrap_or_default()).help("fix the text first")
}

fn no_such_path(change: &Change) -> Diagnostic {
    let message = format!("there is no `{}` to be changed", change::show(change.path()));
    Diagnostic::new(Code::EditNowhere, message).help("name a path that exists")
}

fn shared_by_alias(place: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(Code::EditShared, "this value is also used elsewhere, by an anchor and its alias");
    diagnostic.at(place).help("write out the alias first, or edit the text directly")
}

fn not_in_place(place: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(Code::EditNotInPlace, "the notation of this text does not allow the change");
    diagnostic.at(place).help("edit the text directly")
}

#[cfg(test)]
mod tests;
