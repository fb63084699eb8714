//! A text as pieces of another one, so that edits one after another become edits of the first.
//!
//! Invariants: pieces that are kept stand in the order of the text they are from.

use crate::diagnostic::{Span, TextEdit};

/// A piece of the text as it is now.
#[derive(Debug, Clone)]
enum Piece {
    /// Kept from the first text.
    Original(Span),
    New(String),
}

impl Piece {
    fn len(&self) -> usize {
        match self {
            Self::Original(span) => span.end - span.start,
            Self::New(text) => text.len(),
        }
    }

    /// The part of it from one of its bytes up to another.
    fn slice(&self, from: usize, to: usize) -> Self {
        match self {
            Self::Original(span) => Self::Original(span.slice(from, to)),
            Self::New(text) => Self::New(text.get(from..to).unwrap_or_default().to_owned()),
        }
    }
}

/// A text as it is now.
#[derive(Debug)]
pub(super) struct PieceTable {
    length: usize,
    list: Vec<Piece>,
}

impl PieceTable {
    /// A text of that many bytes, as it was.
    pub(super) fn new(length: usize) -> Self {
        Self { length, list: vec![Piece::Original(Span::new(0, length))] }
    }

    /// Edits the text as it is now; the edits are in its order.
    pub(super) fn apply(&mut self, edits: &[TextEdit]) {
        let mut list = Vec::with_capacity(self.list.len() + 2 * edits.len());
        let mut rest = edits.iter().peekable();
        let (mut at, mut gone) = (0, 0);
        for piece in &self.list {
            let (start, end) = (at, at + piece.len());
            at = end;
            let mut from = start.max(gone).min(end);
            while let Some(edit) = rest.next_if(|edit| edit.span.start < end) {
                if edit.span.start > from {
                    list.push(piece.slice(from - start, edit.span.start - start));
                }
                list.push(Piece::New(edit.text.clone()));
                gone = edit.span.end;
                from = gone.max(from).min(end);
            }
            if from < end {
                list.push(piece.slice(from - start, end - start));
            }
        }
        list.extend(rest.map(|edit| Piece::New(edit.text.clone())));
        list.retain(|piece| piece.len() > 0);
        self.list = list;
    }

    /// What was done to the first text.
    pub(super) fn edits(&self) -> Vec<TextEdit> {
        let mut edits: Vec<TextEdit> = Vec::new();
        let (mut at, mut new) = (0, String::new());
        let end = Piece::Original(Span::at(self.length));
        for piece in self.list.iter().chain([&end]) {
            match piece {
                Piece::New(text) => new.push_str(text),
                Piece::Original(span) => {
                    if span.start > at || !new.is_empty() {
                        edits.push(TextEdit {
                            span: Span::new(at, span.start),
                            text: std::mem::take(&mut new),
                        });
                    }
                    at = span.end;
                }
            }
        }
        edits
    }
}
