//! Formats JSON with two spaces a level. A list or map on one line stays there if it fits.

use crate::language::complete::newline;
use stepgraph_core::diagnostic::{Span, TextEdit};

/// For whole containers.
const MAX_LINE_CHARS: usize = 100;

#[derive(Debug, Clone, Copy)]
struct Token {
    span: Span,
    sign: u8,
    /// Distance from opening to closing bracket.
    close: usize,
}

pub(super) fn edits(text: &str) -> Vec<TextEdit> {
    let tokens = tokens(text);
    let mut edits = Vec::new();
    let mut put = |from: usize, to: usize, blank: &str| {
        if text.get(from..to) != Some(blank) {
            edits.push(TextEdit { span: Span::new(from, to), text: blank.to_owned() });
        }
    };
    let line = newline(text);
    let mut open: Vec<bool> = Vec::new();
    let mut column = 0;
    let mut end = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut before = 0;
    for (number, token) in tokens.iter().enumerate() {
        let closes = matches!(token.sign, b'}' | b']');
        if closes {
            open.pop()
                .filter(|wide| *wide && !matches!(before, b'{' | b'['))
                .into_iter()
                .for_each(|_| before = b'\n');
        }
        let wide = open.last().copied().unwrap_or(false);
        let breaks = match before {
            0 => false,
            b'\n' => true,
            b'{' | b'[' => wide && !closes,
            b',' => wide,
            _ => false,
        };
        let blank = if breaks {
            column = open.len() * 2;
            format!("{line}{}", " ".repeat(column))
        } else if matches!(before, b':' | b',') {
            column += 1;
            " ".to_owned()
        } else {
            String::new()
        };
        put(end, token.span.start, &blank);
        if matches!(token.sign, b'{' | b'[') {
            open.push(!fits_on_line(text, &tokens, number, column));
        }
        column += token.span.end - token.span.start;
        end = token.span.end;
        before = token.sign;
    }
    put(end, text.len(), line);
    edits
}

fn fits_on_line(text: &str, tokens: &[Token], number: usize, column: usize) -> bool {
    let Some(open) = tokens.get(number) else { return true };
    let inner = tokens.get(number..=open.close).unwrap_or_default();
    let last = inner.last().map_or(open.span.end, |token| token.span.end);
    let one_line = !text.get(open.span.start..last).unwrap_or_default().contains(['\n', '\r']);
    let blanks = inner.iter().filter(|token| matches!(token.sign, b':' | b',')).count();
    // A longer value cannot fit.
    let width: usize =
        inner.iter().take(MAX_LINE_CHARS + 1).map(|token| token.span.end - token.span.start).sum();
    inner.len() == 2 || (one_line && column + width + blanks <= MAX_LINE_CHARS)
}

fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens: Vec<Token> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    while let Some(byte) = bytes.get(at) {
        let start = at;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'"' => {
                at += 1;
                while bytes.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
                }
                at = (at + 1).min(text.len());
            }
            b'{' | b'[' | b'}' | b']' | b',' | b':' => at += 1,
            _ => {
                let ends =
                    |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}' | b':');
                while bytes.get(at).is_some_and(|byte| !ends(byte)) {
                    at += 1;
                }
            }
        }
        match byte {
            b'{' | b'[' => open.push(tokens.len()),
            b'}' | b']' => {
                let number = tokens.len();
                if let Some(partner) = open.pop().and_then(|open| tokens.get_mut(open)) {
                    partner.close = number;
                }
            }
            _ => {}
        }
        let close = tokens.len();
        tokens.push(Token { span: Span::new(start, at), sign: *byte, close });
    }
    tokens
}
