//! Reads the plainest YAML without the parser: see [`Words`] for what is so plain.
//!
//! Decides by their columns which lists and maps the words make. A value that is not plain is read by the parser, alone, in the column
//! where it stands. Where anything else is not plain, or where there is any problem, the parser reads the text from its beginning: so
//! every problem is told by one reader, and this one knows only what is right.
//!
//! Invariants: where there is a tree, the parser would give the same, without any problem; reading stays linear in the text.
//!
//! Source: YAML 1.2.2 chapter 8.

use super::{Kind, Reader, Spanned};
use crate::diagnostic::Span;
use crate::source::incremental::shift;
use crate::source::{Format, MAX_DEPTH};
use std::borrow::Cow;
use stepgraph_events::{Piece, Pieces, Place, Word, Words};

/// Something that only the parser can tell.
struct Other;

/// So many values that are not plain are read one by one whatever there is beside them.
const FEW: usize = 32;

/// Past those, of so many entries one: with more, the parser is quicker with all of the text.
const RARE: usize = 4;

/// A list or a map that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    column: usize,
    list: bool,
}

/// The reader while all is plain.
struct Plain<'r, 't> {
    reader: &'r mut Reader<'t>,
    words: Words<'t>,
    open: Vec<Block>,
    /// Whether the innermost one waits for the value of its last key or dash.
    waits: bool,
    /// How many values were read by the parser.
    others: usize,
}

impl Reader<'_> {
    /// Whether all of the text was plain, and was read; if not, nothing that was read is of use.
    pub(in crate::source) fn read_plain(&mut self) -> bool {
        let words = Words::new(self.text);
        let mut plain = Plain { reader: self, words, open: Vec::new(), waits: false, others: 0 };
        plain.read().is_ok() && self.documents > 0 && self.builder.is_flawless()
    }
}

impl Plain<'_, '_> {
    fn read(&mut self) -> Result<(), Other> {
        loop {
            match self.words.next_word() {
                Word::Key(place) => {
                    self.entry(place, false)?;
                    self.scalar(place.start, place.end, place.quote)?;
                    self.reader.cursor = place.end + 1;
                    self.waits = true;
                }
                Word::Dash(place) => {
                    self.entry(place, true)?;
                    self.reader.cursor = place.end;
                    self.waits = true;
                }
                Word::Value(place) if self.waits && !place.first => {
                    self.scalar(place.start, place.end, place.quote)?;
                    self.reader.cursor = place.end;
                    self.waits = false;
                }
                Word::Brackets(place) if self.waits => {
                    self.brackets(place)?;
                    self.reader.cursor = place.end;
                    self.waits = false;
                }
                Word::Value(place) | Word::Brackets(place) | Word::Other(place) => self.other(place)?,
                Word::End => return self.close_until(None),
            }
        }
    }

    /// Makes the list or map the innermost one that an entry at this place belongs to.
    fn entry(&mut self, place: Place, list: bool) -> Result<(), Other> {
        let block = Block { column: place.column, list };
        let Some(top) = self.open.last().copied() else {
            self.reader.documents = 1;
            return self.open(block, place.start);
        };
        let inside = place.column > top.column || (place.column == top.column && list && !top.list);
        if self.waits && inside {
            return self.open(block, place.start);
        }
        if place.first { self.close_until(Some(block)) } else { Err(Other) }
    }

    fn open(&mut self, block: Block, start: usize) -> Result<(), Other> {
        self.waits = false;
        self.open.push(block);
        let builder = &mut self.reader.builder;
        let opened = if block.list { builder.open_list(start) } else { builder.open_map(start) };
        opened.map_err(|_| Other)
    }

    /// Closes what is inside a list or map, or everything.
    fn close_until(&mut self, block: Option<Block>) -> Result<(), Other> {
        if self.waits {
            self.waits = false;
            self.add(Spanned { kind: Kind::Null, span: Span::at(self.reader.cursor) })?;
        }
        while let Some(top) = self.open.last().copied() {
            if Some(top) == block {
                return Ok(());
            }
            // A list may stand in the column of the key that it belongs to.
            let ends = block
                .is_none_or(|block| top.column > block.column || (top.column == block.column && top.list));
            if !ends {
                return Err(Other);
            }
            self.open.pop();
            let value = self.reader.builder.close(self.reader.cursor).ok_or(Other)?;
            self.add(value)?;
        }
        if block.is_none() { Ok(()) } else { Err(Other) }
    }

    fn brackets(&mut self, place: Place) -> Result<(), Other> {
        let mut pieces = Pieces::new(self.reader.text.as_bytes(), place.start);
        while let Some(piece) = pieces.next_piece() {
            let builder = &mut self.reader.builder;
            match piece {
                Piece::Open { start, list: true } => builder.open_list(start).map_err(|_| Other)?,
                Piece::Open { start, list: false } => builder.open_map(start).map_err(|_| Other)?,
                Piece::Text { start, end, quote } => self.scalar(start, end, quote)?,
                Piece::Close { end } => {
                    let value = builder.close(end).ok_or(Other)?;
                    self.add(value)?;
                }
            }
        }
        Ok(())
    }

    fn scalar(&mut self, start: usize, end: usize, quote: u8) -> Result<(), Other> {
        let span = Span::new(start, end);
        let text = self.reader.text;
        let kind = if quote == 0 {
            let word = text.get(start..end).ok_or(Other)?;
            let is_key = self.reader.builder.wants_key();
            self.reader.plain(Cow::Borrowed(word), span, is_key)
        } else {
            let word = text.get(start + 1..end - 1).ok_or(Other)?;
            Kind::Text(word.to_owned())
        };
        self.add(Spanned { kind, span })
    }

    fn add(&mut self, value: Spanned) -> Result<(), Other> {
        self.reader.finish(value, 0).map_err(|_| Other)
    }

    /// Reads a value that is not plain: it reaches up to the line of the next entry.
    fn other(&mut self, place: Place) -> Result<(), Other> {
        let holder = self.open.last().copied().ok_or(Other)?;
        self.others += 1;
        let rare = self.others <= FEW || self.others * RARE < self.reader.builder.values();
        if !self.waits || place.column <= holder.column || !rare {
            return Err(Other);
        }
        let end = self.words.skip_to(place.start, holder.column);
        let value = self.alone(place, holder, end)?;
        self.reader.cursor = value.span.end;
        self.waits = false;
        self.add(value)
    }

    /// What the parser finds in the lines of a value up to `end`, where the text ends or another entry may begin.
    fn alone(&mut self, place: Place, holder: Block, end: usize) -> Result<Spanned, Other> {
        let text = self.reader.text;
        let follows = usize::from(end < text.len());
        let mut piece = String::new();
        indent(&mut piece, holder.column);
        piece.push_str(if holder.list { "-" } else { "k:" });
        let start = if place.first {
            piece.push('\n');
            place.start - place.column
        } else {
            indent(&mut piece, place.column);
            place.start
        };
        let begins = piece.len();
        piece.push_str(text.get(start..end).ok_or(Other)?);
        if follows > 0 {
            let length = piece.len() + holder.column;
            indent(&mut piece, length);
            piece.push_str(if holder.list { "- 0\n" } else { "l: 0\n" });
        }
        let mut reader = Reader::new(&piece);
        let read = reader.events();
        let sound = read.is_ok() && !reader.named && reader.builder.is_flawless();
        let (values, deepest) = (reader.builder.values(), reader.builder.deepest());
        let mut value = match reader.builder.finish(read, Format::Yaml).root.ok_or(Other)?.kind {
            Kind::List(mut items) if items.len() == 1 + follows => items.swap_remove(0),
            Kind::Map(mut entries) if entries.len() == 1 + follows => entries.swap_remove(0).value,
            _ => return Err(Other),
        };
        // A value without text would stand before all that is its own.
        if !sound || value.span.start < begins || self.open.len() + deepest > MAX_DEPTH + 1 {
            return Err(Other);
        }
        shift(&mut value, start.wrapping_sub(begins));
        // All but the value itself, what holds it and what follows it.
        self.reader.builder.count(values - 2 - follows, value.span).map_err(|_| Other)?;
        Ok(value)
    }
}

/// Adds blanks up to a length.
fn indent(text: &mut String, length: usize) {
    while text.len() < length {
        text.push(' ');
    }
}
