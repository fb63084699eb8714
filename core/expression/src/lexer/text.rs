//! Quoted text: escapes, raw text, triple quotes.

use super::{Lexer, Token};
use crate::base::Span;
use crate::error::{Error, SYNTAX, UNCLOSED_QUOTE, UNSUPPORTED};

impl<'a> Lexer<'a> {
    /// `start` is the prefix.
    pub(super) fn text(&mut self, start: usize, raw: bool, bytes: bool) -> Token<'a> {
        let from = self.at;
        let quote = self.quote();
        let mut text = String::new();
        let closed = self.text_body(quote, raw, &mut text);
        let span = Span::new(start, self.at);
        if bytes {
            let error = Error::new(UNSUPPORTED, span, "there are no byte strings");
            self.report(error.help("write a text without `b`"));
        } else if !closed {
            // Unclosed text extends over the rest.
            let error = Error::new(SYNTAX, Span::new(from, from + quote.len()), UNCLOSED_QUOTE);
            self.report(error.help(&format!("add `{quote}` at its end")));
        }
        Token::Text(text)
    }

    /// Word processors write typographic quotes.
    pub(super) fn typographic(&mut self, start: usize) -> Token<'a> {
        let quotes = ['“', '”', '„', '‘', '’', '«', '»'];
        let open = self.peek().unwrap_or('"');
        self.at += open.len_utf8();
        let text = self.take_while(|c| !quotes.contains(&c) && c != '"' && c != '\\' && c != '\n');
        if let Some(close) = self.peek().filter(|c| quotes.contains(c)) {
            self.at += close.len_utf8();
        }
        let span = Span::new(start, self.at);
        let error = Error::new(SYNTAX, span, &format!("`{open}` is not a quote"));
        self.report(error.help("write `\"`").fix(span, &format!("\"{text}\"")));
        Token::Text(text.to_owned())
    }

    fn quote(&mut self) -> &'static str {
        for quote in ["\"\"\"", "'''", "\"", "'"] {
            if self.eat(quote) {
                return quote;
            }
        }
        ""
    }

    fn text_body(&mut self, quote: &str, raw: bool, out: &mut String) -> bool {
        loop {
            if self.eat(quote) {
                return true;
            }
            let Some(next) = self.peek() else { return false };
            if matches!(next, '\n' | '\r') && quote.len() == 1 {
                return false;
            }
            self.at += next.len_utf8();
            match next {
                '\\' if !raw => self.escape(out),
                '\r' if self.eat("\n") => out.push_str("\r\n"),
                other => out.push(other),
            }
        }
    }

    /// Starts after the backslash.
    fn escape(&mut self, out: &mut String) {
        let start = self.at - 1;
        let Some(next) = self.peek() else { return };
        self.at += next.len_utf8();
        let found = match next {
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            '\\' | '?' | '"' | '\'' | '`' | '/' => Some(next),
            'x' | 'X' => self.code_point(2, 16),
            'u' => self.code_point(4, 16),
            'U' => self.code_point(8, 16),
            '0'..='3' => {
                self.at -= 1;
                self.code_point(3, 8)
            }
            _ => None,
        };
        match found {
            Some(found) => out.push(found),
            None => {
                let error = Error::new(SYNTAX, Span::new(start, self.at), "an unknown escape");
                self.report(
                    error.help("write `\\\\` for a backslash, or `r\"…\"` for a text without escapes"),
                );
            }
        }
    }

    fn code_point(&mut self, digits: usize, radix: u32) -> Option<char> {
        let text = self.rest().get(..digits).filter(|text| text.chars().all(|c| c.is_digit(radix)))?;
        self.at += digits;
        char::from_u32(u32::from_str_radix(text, radix).ok()?)
    }
}
