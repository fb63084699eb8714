//! Turns successive edits into edits of the original text.

use crate::diagnostic::{Span, TextEdit};

#[derive(Debug, Clone)]
enum Piece {
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

    fn slice(&self, from: usize, to: usize) -> Self {
        match self {
            Self::Original(span) => Self::Original(span.slice(from, to)),
            Self::New(text) => Self::New(text.get(from..to).unwrap_or_default().to_owned()),
        }
    }
}

#[derive(Debug)]
pub(super) struct PieceTable {
    length: usize,
    list: Vec<Piece>,
}

impl PieceTable {
    pub(super) fn new(length: usize) -> Self {
        Self { length, list: vec![Piece::Original(Span::new(0, length))] }
    }

    /// Edits of the current text, in order.
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
