//! Finds the boundaries of tokens in a valid YAML text.
//!
//! The parser's marks count characters, include whitespace after quotes, and omit the header of block
//! scalars. So only the ends of plain and block scalars come from them.
//!
//! Invariant: Every position is on a character boundary.
//!
//! Source: YAML 1.2.2 chapters 5 to 8.

#[derive(Debug)]
pub(super) struct CharOffsets<'t> {
    text: &'t str,
    ascii: bool,
    index: usize,
    byte: usize,
}

impl<'t> CharOffsets<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, ascii: text.is_ascii(), index: 0, byte: 0 }
    }

    pub(super) fn byte(&mut self, index: usize) -> usize {
        if self.ascii {
            return index.min(self.text.len());
        }
        let bytes = self.text.as_bytes();
        let inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
        while self.index < index && self.byte < bytes.len() {
            self.index += 1;
            self.byte += 1;
            while inside(self.byte) {
                self.byte += 1;
            }
        }
        while self.index > index && self.byte > 0 {
            self.index -= 1;
            self.byte -= 1;
            while inside(self.byte) {
                self.byte -= 1;
            }
        }
        self.byte
    }
}

/// NUL after the end. Parsed texts never contain it.
pub(super) fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0)
}

pub(super) fn skip_whitespace(text: &str, mut at: usize) -> usize {
    loop {
        match byte(text, at) {
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            b'#' if at == 0 || is_space(byte(text, at - 1)) || byte(text, at - 1) == 0xbf => {
                at = line_end(text, at);
            }
            _ => return at,
        }
    }
}

pub(super) fn property_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = if rest.starts_with("!<") {
        rest.find('>').map(|end| end + 1)
    } else {
        rest.bytes().position(|b| is_space(b) || matches!(b, b',' | b'[' | b']' | b'{' | b'}'))
    };
    at + length.unwrap_or(rest.len())
}

pub(super) fn quote_end(text: &str, at: usize) -> usize {
    let quote = byte(text, at);
    let bytes = text.as_bytes();
    let mut end = at + 1;
    while let Some(b) = bytes.get(end) {
        let doubled = quote == b'\'' && bytes.get(end + 1) == Some(&quote);
        match b {
            b if *b == quote && !doubled => return end + 1,
            b'\\' if quote == b'"' => end += 2,
            b if *b == quote => end += 2,
            _ => end += 1,
        }
    }
    // Unreachable. A wrong position is better than a panic.
    text.len()
}

/// Excludes its last line break. The parser read up to `limit`.
pub(super) fn block_end(text: &str, at: usize, limit: usize) -> usize {
    let header_end = line_end(text, at);
    let header = text.get(at..header_end).unwrap_or_default();
    let body = text.get(header_end..limit).unwrap_or_default();
    let header_end = at + header.split(" #").next().unwrap_or_default().trim_end().len();
    // The parser may have consumed the next line's indentation.
    let body = match body.rfind(['\n', '\r']) {
        Some(last)
            if body.get(last + 1..).is_some_and(|rest| rest.bytes().all(|b| b == b' '))
                && !at_end(text, limit) =>
        {
            body.get(..=last).unwrap_or_default()
        }
        _ => body,
    };
    let keep = header.bytes().skip(1).take(2).any(|b| b == b'+');
    let body = if keep { without_break(body) } else { without_empty_lines(body) };
    if body.is_empty() { header_end } else { line_end(text, at) + body.len() }
}

fn at_end(text: &str, at: usize) -> bool {
    at >= text.len()
}

fn without_empty_lines(body: &str) -> &str {
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let first = body.split(['\n', '\r']).find(|line| !line.trim().is_empty());
    let indent = first.map_or(usize::MAX, indentation);
    let mut body = body;
    while let Some(last) = body.rfind(['\n', '\r']) {
        let line = body.get(last + 1..).unwrap_or_default();
        if !line.trim_start_matches(' ').is_empty() || line.len() > indent {
            break;
        }
        body = without_break(body.get(..=last).unwrap_or_default());
    }
    body
}

fn without_break(body: &str) -> &str {
    let body = body.strip_suffix('\n').unwrap_or(body);
    body.strip_suffix('\r').unwrap_or(body)
}

pub(super) fn line_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len())
}

/// After a byte order mark.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    if start == 0 && text.starts_with('\u{feff}') && at >= 3 { 3 } else { start }
}

/// A comma or opening bracket with `count` others before it.
pub(super) fn nth_separator(text: &str, count: usize) -> Option<usize> {
    if text.len() <= count {
        return None;
    }
    text.bytes().enumerate().filter(|(_, b)| is_separator(*b)).nth(count).map(|(at, _)| at)
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b'{')
}
