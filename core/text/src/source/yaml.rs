//! Builds a tree from the events of the YAML parser.
//!
//! Invariants:
//! 1. The event loop is not recursive, so depth costs no stack.
//! 2. `<<` is a key like any other, as in YAML 1.2.
//! 3. The cursor is at the end of the last token.
//!
//! Source: YAML 1.2.2, core schema.

mod alias;
mod fast_path;
mod indent;
pub(super) mod partial;
mod scalar;

use super::anchor::{Anchors, MAX_EXPANDED};
use super::lexeme::{
    CharOffsets, block_end, byte, is_space, nth_separator, property_end, quote_end, skip_whitespace,
};
use super::tree_builder::{Container, ParseAborted, TreeBuilder, too_deep};
use super::{Document, Format, MAX_DEPTH, Spanned, ValueKind, core_schema, syntax_message, unclosed};
use crate::diagnostic::{Code, Diagnostic, Span, shorten_name};
use indent::Enclosing;
use std::borrow::Cow;
use stepgraph_yaml::{Event, Marker, ParserEvents, ScalarStyle, ScanError, Tag, TextStats};

type ParserSpan = stepgraph_yaml::Span;

/// The parser stores about 100 bytes for each item in open brackets. Block style costs nothing, so large
/// plans stay far below the limit.
pub(super) const MAX_SEPARATORS: usize = 1_000_000;

pub(super) fn parse(text: &str) -> Document {
    parse_with_stats(text).0
}

pub(super) fn parse_with_stats(text: &str) -> (Document, ParseStats) {
    parse_as(text, true)
}

pub(super) fn parse_as(text: &str, plain: bool) -> (Document, ParseStats) {
    let mut stats = TextStats::of(text);
    let mut reader = YamlParser::new(text);
    let mut outcome = reader.check_text(stats);
    if outcome.is_ok() && (stats.is_odd || !plain || !reader.parse_fast()) {
        reader = YamlParser::new(text);
        outcome = reader.events();
    }
    // It is not part of the text.
    if let Some(rest) = text.strip_prefix(BYTE_ORDER_MARK) {
        stats.is_odd = TextStats::of(rest).is_odd;
    }
    if outcome.is_ok() && reader.documents == 0 {
        // The only value never fails.
        let _ = reader.builder.add(Spanned { kind: ValueKind::Null, span: Span::at(reader.cursor) });
    }
    let stats = ParseStats {
        is_odd: reader.has_properties || stats.is_odd,
        values: reader.builder.values(),
        separators: stats.separators,
    };
    (reader.builder.finish(outcome, Format::Yaml), stats)
}

pub(super) fn diagnostics_of(text: &str) -> Vec<Diagnostic> {
    let mut reader = YamlParser { is_fix_trial: true, ..YamlParser::new(text) };
    let outcome = reader.events();
    reader.builder.finish(outcome, Format::Yaml).diagnostics
}

const BYTE_ORDER_MARK: char = '\u{feff}';

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ParseStats {
    /// Anchors, aliases, tags, byte order marks or document ends.
    pub(super) is_odd: bool,
    pub(super) values: usize,
    /// At least the commas and opening brackets.
    pub(super) separators: usize,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    start: usize,
    is_flow: bool,
    anchor: usize,
}

#[derive(Debug, Clone, Copy)]
struct ValueHead {
    start: usize,
    /// A value without text: after the last indicator, anchor or tag.
    empty_at: usize,
    tag: Option<Span>,
}

pub(super) struct YamlParser<'t> {
    text: &'t str,
    cursor: usize,
    chars: CharOffsets<'t>,
    levels: Vec<Level>,
    builder: TreeBuilder,
    anchors: Anchors,
    documents: usize,
    has_properties: bool,
    is_fix_trial: bool,
}

impl<'t> YamlParser<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            cursor: if text.starts_with(BYTE_ORDER_MARK) { 3 } else { 0 },
            chars: CharOffsets::new(text),
            levels: Vec::new(),
            builder: TreeBuilder::default(),
            anchors: Anchors::default(),
            documents: 0,
            has_properties: false,
            is_fix_trial: false,
        }
    }

    /// The parser would misread such texts, or buffer them.
    fn check_text(&mut self, stats: TextStats) -> Result<(), ParseAborted> {
        if let Some(at) = stats.control_char {
            let diagnostic = Diagnostic::new(Code::SourceSyntax, "a control character is not allowed here");
            return self.stop(
                diagnostic
                    .at(Span::new(at, at + 1))
                    .help("remove it, or write it as an escape in double quotes"),
            );
        }
        if stats.separators > MAX_SEPARATORS {
            let at = nth_separator(self.text, MAX_SEPARATORS).unwrap_or(0);
            let message = format!("the file has more than {MAX_SEPARATORS} commas and opening brackets");
            let diagnostic = Diagnostic::new(Code::SourceTooLarge, message).at(Span::new(at, at + 1));
            return self.stop(diagnostic.help("move large data out of the plan, or write it as JSON"));
        }
        Ok(())
    }

    fn events(&mut self) -> Result<(), ParseAborted> {
        let mut parser = ParserEvents::new(self.text);
        while let Some(next) = parser.next_event() {
            match next {
                Ok((Event::DocumentStart(_), mark)) if self.documents > 0 => {
                    self.second_document(mark);
                    break;
                }
                Ok((event, mark)) => self.event(event, mark)?,
                // The parser can continue after the alias.
                Err(error) if error.info().contains("unknown anchor") => self.unknown_alias()?,
                Err(error) => return self.syntax(&error),
            }
        }
        Ok(())
    }

    fn event(&mut self, event: Event<'t>, mark: ParserSpan) -> Result<(), ParseAborted> {
        match event {
            Event::DocumentStart(explicit) => {
                self.documents += 1;
                if explicit {
                    self.cursor = self.byte(mark.end);
                }
                Ok(())
            }
            Event::Alias(anchor) => self.alias(anchor),
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, style, anchor, tag.as_ref(), mark),
            Event::SequenceStart(anchor, tag) => self.open(Container::List, anchor, tag.as_ref(), mark),
            Event::MappingStart(anchor, tag) => self.open(Container::Map, anchor, tag.as_ref(), mark),
            Event::SequenceEnd | Event::MappingEnd => self.close(mark),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn head(&mut self, anchor: bool, tag: bool) -> ValueHead {
        self.has_properties |= anchor || tag;
        self.indicator();
        let mut head =
            ValueHead { start: skip_whitespace(self.text, self.cursor), empty_at: self.cursor, tag: None };
        for _ in 0..usize::from(anchor) + usize::from(tag) {
            let end = property_end(self.text, head.start);
            self.check_gap(end);
            if byte(self.text, head.start) == b'!' {
                head.tag = Some(Span::new(head.start, end));
            }
            head.empty_at = end;
            head.start = skip_whitespace(self.text, end);
        }
        head
    }

    fn indicator(&mut self) {
        let flow = self.levels.last().is_some_and(|level| level.is_flow);
        match self.builder.top() {
            Container::None => {}
            Container::List if flow => self.step(b',', false),
            Container::List => self.step(b'-', true),
            Container::Map if self.builder.wants_key() => {
                if flow {
                    self.step(b',', false);
                }
                self.step(b'?', true);
            }
            Container::Map => self.step(b':', false),
        }
    }

    fn step(&mut self, sign: u8, before_space: bool) {
        let at = skip_whitespace(self.text, self.cursor);
        if byte(self.text, at) == sign && (!before_space || is_space(byte(self.text, at + 1))) {
            self.cursor = at + 1;
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Cow<'t, Tag>>,
        mark: ParserSpan,
    ) -> Result<(), ParseAborted> {
        let head = self.head(anchor > 0, tag.is_some());
        let span = self.place(&text, style, head, mark);
        self.check_word(&text, style, span)?;
        if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
            self.check_indent(span, Enclosing::Quotes)?;
        }
        self.cursor = span.end;
        let is_key = self.builder.wants_key();
        if let Some(text) = tag.and_then(|_| self.negation(head.tag, span)) {
            return self.finish(text, anchor);
        }
        let kind = match tag {
            None if style != ScalarStyle::Plain => ValueKind::Text(text.into_owned()),
            None => self.plain(text, span, is_key),
            Some(tag) => self.tagged(&text, tag, head.tag.unwrap_or(span), span),
        };
        self.finish(Spanned { kind, span }, anchor)
    }

    fn place(&mut self, text: &str, style: ScalarStyle, head: ValueHead, mark: ParserSpan) -> Span {
        let ValueHead { start, empty_at: empty, .. } = head;
        match style {
            ScalarStyle::Plain if text.is_empty() => Span::at(empty),
            ScalarStyle::Plain => Span::new(start, self.byte(mark.end)),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                Span::new(start, quote_end(self.text, start))
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let limit = self.byte(mark.end);
                Span::new(start, block_end(self.text, start, limit))
            }
        }
    }

    /// An infinite number is valid as a key.
    fn plain(&mut self, word: Cow<'_, str>, span: Span, is_key: bool) -> ValueKind {
        match core_schema::resolve_plain(&word) {
            Ok(Some(kind)) => kind,
            Err(core_schema::NotFinite) if !is_key => self.builder.not_finite(&word, span),
            _ => ValueKind::Text(word.into_owned()),
        }
    }

    /// Also stores an anchor's value for aliases.
    fn finish(&mut self, value: Spanned, anchor: usize) -> Result<(), ParseAborted> {
        if anchor > 0 && self.anchors.define(anchor, &value).is_err() {
            let diagnostic = Diagnostic::new(Code::SourceTooManyAliases, "anchors name too much of the text");
            return self.stop(diagnostic.at(value.span).help("remove anchors inside other anchors"));
        }
        if !self.builder.wants_key() {
            return self.builder.add(value);
        }
        self.key(value);
        Ok(())
    }

    /// Numbers and booleans become keys as written.
    fn key(&mut self, key: Spanned) {
        match key.kind {
            ValueKind::Text(name) => self.builder.key(name, key.span),
            ValueKind::Bool(_) | ValueKind::Number(_) => {
                let name = self.text.get(key.span.start..key.span.end).unwrap_or_default().to_owned();
                self.builder.key(name, key.span);
            }
            kind => self.builder.bad_key(key.span, &kind),
        }
    }

    fn open(
        &mut self,
        what: Container,
        anchor: usize,
        tag: Option<&Cow<'t, Tag>>,
        mark: ParserSpan,
    ) -> Result<(), ParseAborted> {
        let head = self.head(anchor > 0, tag.is_some());
        let bracket = if what == Container::Map { b'{' } else { b'[' };
        // A block map or implicit pair may also begin with a bracket, but its mark is empty.
        let flow = byte(self.text, head.start) == bracket && head.start < self.byte(mark.end);
        let expected = if what == Container::Map { "map" } else { "seq" };
        if let (Some(tag), Some(place)) = (tag, head.tag)
            && core_schema::core_tag(&tag.handle, &tag.suffix, expected) != Some(expected)
        {
            self.bad_tag(place, None);
        }
        if !flow {
            self.check_tabs(head.start)?;
        }
        self.cursor = if flow { head.start + 1 } else { head.start };
        self.levels.push(Level { start: head.start, is_flow: flow, anchor });
        match what {
            Container::Map => self.builder.open_map(head.start),
            _ => self.builder.open_list(head.start),
        }
    }

    fn close(&mut self, mark: ParserSpan) -> Result<(), ParseAborted> {
        let level = self.levels.pop();
        if let Some(level) = level.filter(|level| level.is_flow) {
            self.cursor = self.bracket_end(mark);
            if !self.levels.iter().any(|outer| outer.is_flow) {
                self.check_indent(Span::new(level.start, self.cursor), Enclosing::Brackets)?;
            }
        }
        let Some(value) = self.builder.close(self.cursor) else { return Ok(()) };
        self.finish(value, level.map_or(0, |level| level.anchor))
    }

    /// After a trailing comma, the parser's mark is at the comma.
    fn bracket_end(&mut self, mark: ParserSpan) -> usize {
        self.step(b',', false);
        let at = skip_whitespace(self.text, self.cursor);
        let closes = matches!(byte(self.text, at), b'}' | b']');
        1 + if closes { at } else { self.byte(mark.start) }
    }

    /// The parser keeps the first document.
    fn second_document(&mut self, mark: ParserSpan) {
        let start = self.byte(mark.start);
        let diagnostic = Diagnostic::new(Code::SourceSeveralDocuments, "a second document begins here");
        let span = Span::new(start, self.byte(mark.end).min(start + 3));
        self.builder.report(diagnostic.at(span).help("put it into a file of its own, or remove the `---`"));
    }

    fn syntax(&mut self, error: &ScanError) -> Result<(), ParseAborted> {
        let at = self.byte(*error.marker());
        let diagnostic = self.explained(syntax_message::explain(self.text, at, error.info()), self.text, 0);
        self.stop(diagnostic)
    }

    /// The parsed text begins `shift` bytes into `whole`.
    fn explained(&self, diagnostic: Diagnostic, whole: &str, shift: usize) -> Diagnostic {
        let mut open = Vec::new();
        for level in self.levels.iter().filter(|level| level.is_flow) {
            open.push(level.start.wrapping_add(shift));
        }
        let place = (open.as_slice(), self.cursor.wrapping_add(shift));
        explain_unclosed(whole, diagnostic, place, self.is_fix_trial)
    }

    fn stop(&mut self, diagnostic: Diagnostic) -> Result<(), ParseAborted> {
        self.builder.stop(diagnostic)
    }

    fn byte(&mut self, marker: Marker) -> usize {
        self.chars.byte(marker.index())
    }
}

stepgraph_lazy::lazy! {
    /// Lazy, as most texts have no syntax error.
    fn explain_unclosed(whole: &str, diagnostic: Diagnostic, place: (&[usize], usize), is_trial: bool) -> Diagnostic = unclosed::explain;
}
