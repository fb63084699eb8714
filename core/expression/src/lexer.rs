//! Splits an expression into tokens on request, as names after a dot follow other rules.

mod text;

use crate::base::{Span, parse_float};
use crate::error::{Error, MAX_ERRORS, OVERFLOW, SYNTAX, UNSUPPORTED};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token<'a> {
    End,
    /// Or a keyword.
    Ident(&'a str),
    /// Has no sign.
    Int(u64),
    /// Has point or exponent.
    Double(f64),
    Text(String),
    /// Or a bracket.
    Op(&'static str),
    Bad(char),
}

/// Longer operators come before their prefixes. Those of other languages give better errors.
const OPERATORS: [&str; 37] = [
    "===", "!==", "->", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "=>", "<>", "|>", "**", "${", "<",
    ">", "!", "+", "-", "*", "/", "%", "?", ":", "(", ")", "[", "]", "{", "}", ",", ".", "=", "&", "|",
];

#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    pub(crate) source: &'a str,
    /// First unread byte.
    pub(crate) at: usize,
    pub(crate) errors: Vec<Error>,
    /// After an operand, a dot selects a field and begins no number.
    pub(crate) after_operand: bool,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Self { source, at: 0, errors: Vec::new(), after_operand: false }
    }

    /// The first few are enough.
    fn report(&mut self, error: Error) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or("")
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn slice(&self, from: usize) -> &'a str {
        self.source.get(from..self.at).unwrap_or("")
    }

    pub(crate) fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let from = self.at;
        while let Some(next) = self.peek().filter(|next| keep(*next)) {
            self.at += next.len_utf8();
        }
        self.slice(from)
    }

    pub(crate) fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    pub(crate) fn next(&mut self) -> (Token<'a>, Span) {
        self.skip_blanks();
        let start = self.at;
        let token = match self.peek() {
            None => Token::End,
            Some(c) if is_name_start(c) => self.name(),
            Some('0'..='9') => self.number(),
            Some('.')
                if !self.after_operand && self.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit) =>
            {
                self.number()
            }
            Some('"' | '\'') => self.text(start, false, false),
            Some('“' | '”' | '„' | '‘' | '’' | '«') => self.typographic(start),
            Some(c) => match OPERATORS.iter().find(|operator| self.rest().starts_with(**operator)) {
                Some(operator) => self.operator(operator),
                None => {
                    self.at += c.len_utf8();
                    Token::Bad(c)
                }
            },
        };
        self.after_operand = match &token {
            Token::Op(operator) => matches!(*operator, ")" | "]" | "}"),
            Token::End | Token::Bad(_) => false,
            _ => true,
        };
        (token, Span::new(start, self.at))
    }

    fn operator(&mut self, operator: &'static str) -> Token<'a> {
        let after = self.rest().as_bytes().get(2);
        // `a ?.5 : b` is a conditional.
        let operator = if operator == "?." && after.is_some_and(u8::is_ascii_digit) { "?" } else { operator };
        self.at += operator.len();
        if operator.len() == 3 {
            // The error of `===` covers all further `=`, so its fix leaves none.
            self.take_while(|c| c == '=');
        }
        Token::Op(operator)
    }

    fn name(&mut self) -> Token<'a> {
        let start = self.at;
        let name = self.take_while(is_name_part);
        if matches!(self.peek(), Some('"' | '\'')) && name.len() <= 2 {
            let lower = name.to_ascii_lowercase();
            if matches!(lower.as_str(), "r" | "b" | "rb" | "br") {
                return self.text(start, lower.contains('r'), lower.contains('b'));
            }
        }
        Token::Ident(name)
    }

    fn number(&mut self) -> Token<'a> {
        let start = self.at;
        let token = if self.eat("0x") || self.eat("0X") { self.hex(start) } else { self.decimal(start) };
        let end = self.at;
        match self.take_while(is_name_part) {
            "" => {}
            "u" | "U" => {
                let span = Span::new(start, self.at);
                let error = Error::new(UNSUPPORTED, span, "there are no unsigned numbers");
                let fix = Span::new(end, self.at);
                self.report(error.help("write the number without `u`").fix(fix, ""));
            }
            rest => {
                let span = Span::new(start, self.at);
                if rest.bytes().all(|b| b == b'_' || b.is_ascii_digit()) {
                    let error = Error::new(SYNTAX, span, "a number has no `_`");
                    let digits = self.slice(start).replace('_', "");
                    self.report(error.help(&format!("write `{digits}`")).fix(span, &digits));
                    return token;
                }
                let error = Error::new(SYNTAX, span, "a number ends with letters");
                self.report(error.help("put a text in quotes, or an operator after the number"));
            }
        }
        token
    }

    fn hex(&mut self, start: usize) -> Token<'a> {
        let digits = self.take_while(|c| c.is_ascii_hexdigit());
        if digits.is_empty() {
            let error = Error::new(SYNTAX, Span::new(start, self.at), "digits are missing after `0x`");
            self.report(error.help("write hexadecimal digits, as in `0xff`"));
            return Token::Int(0);
        }
        self.whole(u64::from_str_radix(digits, 16).ok(), start)
    }

    fn decimal(&mut self, start: usize) -> Token<'a> {
        self.take_while(|c| c.is_ascii_digit());
        let whole = self.at;
        let mut ahead = self.rest().chars();
        if ahead.next() == Some('.') && ahead.next().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            self.take_while(|c| c.is_ascii_digit());
        }
        self.exponent();
        let text = self.slice(start);
        if self.at == whole {
            return self.whole(text.parse().ok(), start);
        }
        match parse_float(text).filter(|number| number.is_finite()) {
            Some(number) => Token::Double(number),
            None => {
                self.too_large(start);
                Token::Double(0.0)
            }
        }
    }

    fn exponent(&mut self) {
        let rest = self.rest();
        let Some(after) = rest.strip_prefix(['e', 'E']) else { return };
        let digits = after.strip_prefix(['+', '-']).unwrap_or(after);
        if digits.starts_with(|c: char| c.is_ascii_digit()) {
            self.at += rest.len() - digits.len();
            self.take_while(|c| c.is_ascii_digit());
        }
    }

    /// The parser knows the sign, so this accepts the smallest integer's magnitude.
    fn whole(&mut self, number: Option<u64>, start: usize) -> Token<'a> {
        if number.is_none() {
            self.too_large(start);
        }
        Token::Int(number.unwrap_or(0))
    }

    fn too_large(&mut self, start: usize) {
        let error = Error::new(OVERFLOW, Span::new(start, self.at), "the number is outside its range");
        self.report(error.help("write a whole number of up to 18 digits, or one with a point"));
    }
}

pub(crate) fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

pub(crate) fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
