//! Parses flow style, even unclosed.

use super::parser::SyntaxParser;
use super::{SyntaxItem, ValueForm};
use stepgraph_core::diagnostic::Span;

struct OpenBrackets {
    item: usize,
    map: bool,
    current: Option<usize>,
    from: usize,
}

impl SyntaxParser<'_> {
    /// Returns the offset after it. Indentation up to `column` ends unclosed brackets.
    pub(super) fn flow(&mut self, at: usize, item: usize, column: Option<usize>) -> usize {
        let mut frames: Vec<OpenBrackets> = Vec::new();
        let mut at = self.begin(&mut frames, item, at);
        while !frames.is_empty() {
            let next = self.skip(at);
            match self.byte(next) {
                0 if next >= self.text.len() => {
                    at = next;
                    break;
                }
                b'\n' | b'\r' => {
                    let line = self.next_line(next);
                    if self.is_left(line, column) {
                        at = next;
                        break;
                    }
                    at = line;
                }
                b'#' if self.is_blank(next.wrapping_sub(1)) || next == 0 => {
                    at = self.line_end(next);
                }
                b'{' | b'[' => {
                    let holder = self.slot(&mut frames, next);
                    at = self.begin(&mut frames, holder, next);
                }
                b'}' | b']' => {
                    at = next + 1;
                    self.finish(&mut frames, next);
                }
                b',' => {
                    at = next + 1;
                    self.separate(&mut frames, next);
                }
                b':' if self.is_colon(&frames, next) => {
                    at = next + 1;
                    self.colon(&frames, next);
                }
                _ => {
                    at = self.word(next);
                    self.put(&mut frames, Span::new(next, at));
                }
            }
        }
        self.abandon(&mut frames, at);
        at
    }

    fn begin(&mut self, frames: &mut Vec<OpenBrackets>, item: usize, at: usize) -> usize {
        let map = self.byte(at) == b'{';
        let form = if map { ValueForm::Map } else { ValueForm::List };
        self.change(item, |item| (item.form, item.flow, item.value) = (form, true, Span::new(at, at + 1)));
        frames.push(OpenBrackets { item, map, current: None, from: at + 1 });
        at + 1
    }

    fn is_left(&self, line: usize, column: Option<usize>) -> bool {
        let Some(column) = column else { return false };
        let content = self.skip(line);
        let blank = content >= self.text.len() || matches!(self.byte(content), b'\n' | b'\r' | b'#');
        // A closing bracket may be in the parent's column.
        !blank && content - line <= column && !matches!(self.byte(content), b'}' | b']' | b',')
    }

    fn slot(&mut self, frames: &mut [OpenBrackets], at: usize) -> usize {
        let Some(frame) = frames.last_mut() else { return 0 };
        if let Some(now) = frame.current.filter(|_| frame.map) {
            let item = self.items.get(now).copied().unwrap_or_default();
            if item.colon && item.form == ValueForm::Missing {
                return now;
            }
        }
        let (parent, from) = (frame.item, frame.from);
        let column = self.item(parent).column;
        let extent = Span::new(from, at);
        let item = self.add(SyntaxItem {
            parent,
            start: at,
            value: Span::at(at),
            column,
            extent,
            ..SyntaxItem::default()
        });
        if let Some(frame) = frames.last_mut() {
            (frame.current, frame.from) = (Some(item), at);
        }
        item
    }

    fn finish(&mut self, frames: &mut Vec<OpenBrackets>, at: usize) {
        let map = self.byte(at) == b'}';
        let Some(found) = frames.iter().rposition(|frame| frame.map == map) else { return };
        while frames.len() > found {
            let Some(frame) = frames.pop() else { return };
            self.extend(&frame, at);
            let end = if frames.len() == found { at + 1 } else { at };
            self.change(frame.item, |item| item.value.end = end);
        }
    }

    fn abandon(&mut self, frames: &mut Vec<OpenBrackets>, end: usize) {
        while let Some(frame) = frames.pop() {
            self.extend(&frame, end);
            self.change(frame.item, |item| item.value.end = end.max(item.value.start));
        }
    }

    fn extend(&mut self, frame: &OpenBrackets, at: usize) {
        if let Some(now) = frame.current {
            self.change(now, |item| item.extent.end = at.max(item.extent.start));
        }
    }

    fn separate(&mut self, frames: &mut [OpenBrackets], at: usize) {
        let Some(frame) = frames.last_mut() else { return };
        let done = OpenBrackets {
            item: frame.item,
            map: frame.map,
            current: frame.current.take(),
            from: frame.from,
        };
        frame.from = at + 1;
        self.extend(&done, at);
    }

    fn is_colon(&self, frames: &[OpenBrackets], at: usize) -> bool {
        let waits = frames.last().filter(|frame| frame.map).and_then(|frame| frame.current);
        waits.is_some_and(|now| !self.item(now).colon && self.item(now).key.is_some_and(|key| key.end <= at))
    }

    fn colon(&mut self, frames: &[OpenBrackets], at: usize) {
        if let Some(now) = frames.last().and_then(|frame| frame.current) {
            let place = if self.byte(at + 1) == b' ' { at + 2 } else { at + 1 };
            self.change(now, |item| (item.colon, item.value) = (true, Span::at(place)));
        }
    }

    fn word(&self, at: usize) -> usize {
        if matches!(self.byte(at), b'"' | b'\'') {
            return self.quote_end(at, self.line_end(at));
        }
        let mut end = at;
        let mut depth = 0_usize;
        while end < self.text.len() {
            match self.byte(end) {
                b'\n' | b'\r' => break,
                // A placeholder needs quotes here, but users often start without.
                b'{' if end > at && self.byte(end - 1) == b'$' => depth += 1,
                b'}' if depth > 0 => depth -= 1,
                b',' | b'[' | b']' | b'{' | b'}' if depth == 0 => break,
                b':' if self.is_blank(end + 1)
                    || matches!(self.byte(end + 1), b',' | b'}' | b']' | b'{' | b'[') =>
                {
                    break;
                }
                b'#' if end > at && self.is_blank(end - 1) => break,
                _ => {}
            }
            end += 1;
        }
        let end = self.trimmed(at, end);
        if end > at {
            end
        } else {
            at + self.slice(at, self.text.len()).chars().next().map_or(1, char::len_utf8)
        }
    }

    fn put(&mut self, frames: &mut [OpenBrackets], span: Span) {
        let Some(frame) = frames.last_mut() else { return };
        let now = frame.current.map(|now| (now, self.items.get(now).copied().unwrap_or_default()));
        match now {
            Some((now, item)) if frame.map && item.colon && item.form == ValueForm::Missing => {
                self.change(now, |item| (item.form, item.value) = (ValueForm::Scalar, span));
            }
            // Unquoted text may continue.
            Some((now, item))
                if item.form == ValueForm::Scalar
                    && (!frame.map || item.colon)
                    && !self.is_quoted(item.value) =>
            {
                self.change(now, |item| item.value.end = span.end);
            }
            _ => {
                let (parent, map, from) = (frame.item, frame.map, frame.from);
                if let Some((now, _)) = now {
                    self.change(now, |item| item.extent.end = span.start);
                }
                let extent = Span::new(if now.is_some() { span.start } else { from }, span.end);
                let column = self.item(parent).column;
                let new = SyntaxItem { parent, start: span.start, column, extent, ..SyntaxItem::default() };
                let new = if map {
                    SyntaxItem { key: Some(span), value: Span::at(span.end), ..new }
                } else {
                    SyntaxItem { form: ValueForm::Scalar, value: span, ..new }
                };
                let new = self.add(new);
                if let Some(frame) = frames.last_mut() {
                    frame.current = Some(new);
                }
            }
        }
    }

    fn is_quoted(&self, span: Span) -> bool {
        matches!(self.byte(span.start), b'"' | b'\'')
    }
}
