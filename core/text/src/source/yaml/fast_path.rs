//! A fast path for plain YAML: derives containers from the columns of [`LineLexer`] tokens, four times as
//! fast as the parser.
//!
//! The parser reads values that are not plain, and the whole text if anything else is not plain or has a
//! diagnostic.
//!
//! Invariants: 1. A tree equals the parser's if there are no diagnostics. 2. The time is linear.
//!
//! Source: YAML 1.2.2 chapter 8.

use super::{Spanned, ValueKind, YamlParser};
use crate::diagnostic::Span;
use crate::source::incremental::shift;
use crate::source::{Format, MAX_DEPTH};
use std::borrow::Cow;
use stepgraph_yaml::{FlowLexer, FlowToken, LineLexer, LineToken, TokenSpan};

/// The text needs the parser.
struct NotPlain;

/// The parser may always read this many alone.
const MIN_PARSED_VALUES: usize = 32;

/// The parser may read one in this many further values. If there are more, a full parse is faster.
const ENTRIES_PER_PARSED_VALUE: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OpenBlock {
    column: usize,
    list: bool,
}

struct FastPath<'r, 't> {
    reader: &'r mut YamlParser<'t>,
    lexer: LineLexer<'t>,
    open: Vec<OpenBlock>,
    /// The innermost block expects a value.
    awaits_value: bool,
    parsed_values: usize,
}

impl YamlParser<'_> {
    /// After `false`, the builder's content is useless.
    pub(in crate::source) fn parse_fast(&mut self) -> bool {
        let lexer = LineLexer::new(self.text);
        let mut plain =
            FastPath { reader: self, lexer, open: Vec::new(), awaits_value: false, parsed_values: 0 };
        plain.parse().is_ok() && self.documents > 0 && self.builder.has_no_diagnostics()
    }
}

impl FastPath<'_, '_> {
    fn parse(&mut self) -> Result<(), NotPlain> {
        loop {
            match self.lexer.next_token() {
                LineToken::Key(place) => {
                    self.entry(place, false)?;
                    self.scalar(place.start, place.end, place.quote)?;
                    self.reader.cursor = place.end + 1;
                    self.awaits_value = true;
                }
                LineToken::Dash(place) => {
                    self.entry(place, true)?;
                    self.reader.cursor = place.end;
                    self.awaits_value = true;
                }
                LineToken::Value(place) if self.awaits_value && !place.first => {
                    self.scalar(place.start, place.end, place.quote)?;
                    self.reader.cursor = place.end;
                    self.awaits_value = false;
                }
                LineToken::Flow(place) if self.awaits_value => {
                    self.brackets(place)?;
                    self.reader.cursor = place.end;
                    self.awaits_value = false;
                }
                LineToken::Value(place) | LineToken::Flow(place) | LineToken::NotPlain(place) => {
                    self.parse_value(place)?;
                }
                LineToken::End => return self.close_until(None),
            }
        }
    }

    /// Leaves the entry's parent innermost.
    fn entry(&mut self, place: TokenSpan, list: bool) -> Result<(), NotPlain> {
        let block = OpenBlock { column: place.column, list };
        let Some(top) = self.open.last().copied() else {
            self.reader.documents = 1;
            return self.open(block, place.start);
        };
        let inside = place.column > top.column || (place.column == top.column && list && !top.list);
        if self.awaits_value && inside {
            return self.open(block, place.start);
        }
        if place.first { self.close_until(Some(block)) } else { Err(NotPlain) }
    }

    fn open(&mut self, block: OpenBlock, start: usize) -> Result<(), NotPlain> {
        self.awaits_value = false;
        self.open.push(block);
        let builder = &mut self.reader.builder;
        let opened = if block.list { builder.open_list(start) } else { builder.open_map(start) };
        opened.map_err(|_| NotPlain)
    }

    fn close_until(&mut self, block: Option<OpenBlock>) -> Result<(), NotPlain> {
        if self.awaits_value {
            self.awaits_value = false;
            self.add(Spanned { kind: ValueKind::Null, span: Span::at(self.reader.cursor) })?;
        }
        while let Some(top) = self.open.last().copied() {
            if Some(top) == block {
                return Ok(());
            }
            // A list may have its key's column.
            let ends = block
                .is_none_or(|block| top.column > block.column || (top.column == block.column && top.list));
            if !ends {
                return Err(NotPlain);
            }
            self.open.pop();
            let value = self.reader.builder.close(self.reader.cursor).ok_or(NotPlain)?;
            self.add(value)?;
        }
        if block.is_none() { Ok(()) } else { Err(NotPlain) }
    }

    fn brackets(&mut self, place: TokenSpan) -> Result<(), NotPlain> {
        let mut pieces = FlowLexer::new(self.reader.text.as_bytes(), place.start);
        while let Some(piece) = pieces.next_token() {
            let builder = &mut self.reader.builder;
            match piece {
                FlowToken::Open { start, list: true } => builder.open_list(start).map_err(|_| NotPlain)?,
                FlowToken::Open { start, list: false } => builder.open_map(start).map_err(|_| NotPlain)?,
                FlowToken::Text { start, end, quote } => self.scalar(start, end, quote)?,
                FlowToken::Close { end } => {
                    let value = builder.close(end).ok_or(NotPlain)?;
                    self.add(value)?;
                }
            }
        }
        Ok(())
    }

    fn scalar(&mut self, start: usize, end: usize, quote: u8) -> Result<(), NotPlain> {
        let span = Span::new(start, end);
        let text = self.reader.text;
        let kind = if quote == 0 {
            let word = text.get(start..end).ok_or(NotPlain)?;
            let is_key = self.reader.builder.wants_key();
            self.reader.plain(Cow::Borrowed(word), span, is_key)
        } else {
            let word = text.get(start + 1..end - 1).ok_or(NotPlain)?;
            ValueKind::Text(word.to_owned())
        };
        self.add(Spanned { kind, span })
    }

    fn add(&mut self, value: Spanned) -> Result<(), NotPlain> {
        self.reader.finish(value, 0).map_err(|_| NotPlain)
    }

    /// It extends to the next entry.
    fn parse_value(&mut self, place: TokenSpan) -> Result<(), NotPlain> {
        let holder = self.open.last().copied().ok_or(NotPlain)?;
        self.parsed_values += 1;
        let rare = self.parsed_values <= MIN_PARSED_VALUES
            || self.parsed_values * ENTRIES_PER_PARSED_VALUE < self.reader.builder.values();
        if !self.awaits_value || place.column <= holder.column || !rare {
            return Err(NotPlain);
        }
        let end = self.lexer.skip_to(place.start, holder.column);
        let value = self.parse_alone(place, holder, end)?;
        self.reader.cursor = value.span.end;
        self.awaits_value = false;
        self.add(value)
    }

    fn parse_alone(&mut self, place: TokenSpan, holder: OpenBlock, end: usize) -> Result<Spanned, NotPlain> {
        let text = self.reader.text;
        let follows = usize::from(end < text.len());
        let mut piece = String::new();
        push_spaces(&mut piece, holder.column);
        piece.push_str(if holder.list { "-" } else { "k:" });
        let start = if place.first {
            piece.push('\n');
            place.start - place.column
        } else {
            push_spaces(&mut piece, place.column);
            place.start
        };
        let begins = piece.len();
        piece.push_str(text.get(start..end).ok_or(NotPlain)?);
        if follows > 0 {
            let length = piece.len() + holder.column;
            push_spaces(&mut piece, length);
            piece.push_str(if holder.list { "- 0\n" } else { "l: 0\n" });
        }
        let mut reader = YamlParser::new(&piece);
        let read = reader.events();
        let sound = read.is_ok() && !reader.has_properties && reader.builder.has_no_diagnostics();
        let (values, deepest) = (reader.builder.values(), reader.builder.deepest());
        let mut value = match reader.builder.finish(read, Format::Yaml).root.ok_or(NotPlain)?.kind {
            ValueKind::List(mut items) if items.len() == 1 + follows => items.swap_remove(0),
            ValueKind::Map(mut entries) if entries.len() == 1 + follows => entries.swap_remove(0).value,
            _ => return Err(NotPlain),
        };
        // A value without text would have its span before.
        if !sound || value.span.start < begins || self.open.len() + deepest > MAX_DEPTH + 1 {
            return Err(NotPlain);
        }
        shift(&mut value, start.wrapping_sub(begins));
        // Excludes itself, its container and the next entry.
        self.reader.builder.count(values - 2 - follows, value.span).map_err(|_| NotPlain)?;
        Ok(value)
    }
}

fn push_spaces(text: &mut String, length: usize) {
    while text.len() < length {
        text.push(' ');
    }
}
