//! Parses constants, names, groups, lists and maps.

use super::{Parser, broken};
use crate::ast::{Expr, Kind, Literal, Name};
use crate::base::{Span, closest_name, is_root, shorten_name};
use crate::error::{Error, OVERFLOW, SYNTAX, UNKNOWN_ROOT, UNSUPPORTED, unknown_root};
use crate::function::{foreign_constant, foreign_reference, foreign_root};
use crate::lexer::{Lexer, Token};

pub(crate) const TYPE_NAMES: [&str; 10] =
    ["bool", "double", "duration", "int", "list", "map", "null_type", "string", "timestamp", "type"];

impl<'a> Parser<'a> {
    pub(super) fn primary(&mut self) -> Expr {
        let start = self.span.start;
        match std::mem::replace(&mut self.token, Token::End) {
            Token::Int(number) => self.whole(start, number, false),
            Token::Double(number) => self.literal(start, Literal::Double(number)),
            Token::Text(text) => self.literal(start, Literal::Text(text)),
            Token::Ident("true") => self.literal(start, Literal::Bool(true)),
            Token::Ident("false") => self.literal(start, Literal::Bool(false)),
            Token::Ident("null") => self.literal(start, Literal::Null),
            Token::Ident(word) if word != "in" => self.name(word),
            Token::Op("-") if self.number_follows() => self.negative(start),
            Token::Op("(") => self.group(start),
            Token::Op("[") => self.list(start),
            Token::Op("{") => self.map(start),
            Token::Op("${") if self.syntax.bare_words => self.placeholder(),
            other => {
                self.token = other;
                self.missing_operand()
            }
        }
    }

    fn literal(&mut self, start: usize, literal: Literal) -> Expr {
        self.advance();
        self.build(start, Kind::Literal(literal))
    }

    fn negative(&mut self, start: usize) -> Expr {
        self.advance();
        match self.token {
            Token::Int(number) => self.whole(start, number, true),
            Token::Double(number) => self.literal(start, Literal::Double(-number)),
            _ => self.missing_operand(),
        }
    }

    fn whole(&mut self, start: usize, number: u64, negative: bool) -> Expr {
        let signed = if negative { 0_i64.checked_sub_unsigned(number) } else { i64::try_from(number).ok() };
        if signed.is_none() {
            let error = Error::new(OVERFLOW, self.span, "the number is outside its range");
            self.report(error.help("write a whole number of up to 18 digits, or one with a point"));
        }
        self.literal(start, Literal::Int(signed.unwrap_or(0)))
    }

    fn name(&mut self, word: &'a str) -> Expr {
        let name = Name::new(word, self.span);
        self.advance();
        if self.is("(") {
            return self.call(&name, None);
        }
        // `Type{…}` gets another error.
        if !self.is_known(word) && !self.is("{") {
            if word == "not" && self.at_operand() {
                return self.foreign_negation(name.span);
            }
            self.unknown_name(&name);
        }
        self.build(name.span.start, Kind::Ident(name))
    }

    fn is_known(&self, word: &str) -> bool {
        self.syntax.roots.is_empty()
            || self.syntax.roots.contains(&word)
            || self.is_variable(word)
            || TYPE_NAMES.contains(&word)
            || matches!(word, "math" | "google") && self.is(".")
    }

    pub(super) fn is_variable(&self, word: &str) -> bool {
        self.variables.iter().any(|variable| variable == word)
    }

    fn unknown_name(&mut self, name: &Name) {
        let (word, span) = (shorten_name(&name.text), name.span);
        let error = Error::new(UNKNOWN_ROOT, span, &format!("`{word}` is not the beginning of a reference"));
        let known = self.syntax.roots.iter().copied().chain(self.variables.iter().map(String::as_str));
        let error = match closest_name(&name.text, known) {
            _ if is_root(&name.text) => unknown_root(&name.text, span),
            _ if self.is("=>") || self.is("->") => {
                self.ignore_after(self.span.start);
                Error::new(SYNTAX, self.span, "there are no arrow functions")
                    .help("write `list.map(x, value)` or `list.filter(x, condition)`")
            }
            _ if let Some(help) = foreign_root(&name.text) => {
                self.report(error.help(help));
                return self.ignore_after(span.start);
            }
            _ if let Some(meant) = foreign_constant(&name.text) => {
                let help = if meant == "null" {
                    "write `null`, or `has(x)` to test whether a value is there".to_owned()
                } else {
                    format!("write `{meant}`")
                };
                error.help(&help).fix(span, meant)
            }
            _ if word == "Math" && self.is(".") => {
                error.help("write `math.least(x, y)`, `math.greatest(x, y)`, `abs(x)` or `round(x)`")
            }
            Some(known) => error.help(&format!("did you mean `{known}`?")).fix(span, known),
            None if let Some(help) = foreign_reference(&name.text) => error.help(help),
            None if self.syntax.roots == [""] => error.help("put a text in quotes"),
            None => error.vague_help(&format!(
                "put a text in quotes, or begin with `{}`",
                self.syntax.roots.join("`, `")
            )),
        };
        self.report(error);
    }

    fn group(&mut self, start: usize) -> Expr {
        let open = self.span;
        self.advance();
        let mut inner = self.until(")");
        if self.is(",") {
            return self.tuple(start, open, inner);
        }
        self.close(")", open);
        inner.span = self.since(start);
        inner
    }

    /// Reports `(1, 2)`, as in SQL and Python.
    fn tuple(&mut self, start: usize, open: Span, first: Expr) -> Expr {
        let mut items = vec![first];
        while self.eat(",") && !self.is(")") && self.token != Token::End {
            items.push(self.until(")"));
        }
        let inside = self.lexer.source.get(open.end..self.ended).unwrap_or("").trim();
        let list = format!("[{inside}]");
        let is_closed = self.eat(")");
        let span = self.since(start);
        let error = Error::new(SYNTAX, span, "a list has square brackets");
        let error = error.help(&format!("write `{}`", shorten_name(&list)));
        self.report(if is_closed { error.fix(span, &list) } else { error });
        self.build(start, Kind::List(items))
    }

    fn placeholder(&mut self) -> Expr {
        let open = self.span;
        self.advance();
        let inner = self.until("}");
        self.close("}", open);
        inner
    }

    pub(super) fn close(&mut self, bracket: &'static str, open: Span) {
        if self.eat(bracket) {
            return;
        }
        // An earlier error, such as an unclosed quote, may have consumed the bracket.
        let is_lost = self.broken_from.is_some_and(|from| from >= open.start)
            || self.lexer.errors.iter().any(|error| error.span.start >= open.start);
        if !is_lost && bracket == "]" && self.is(":") {
            let error = Error::new(SYNTAX, self.span, "there are no slices");
            self.report(error.help(
                "write `list.slice(from, to)`, `text.substring(from, to)`, or `list[0]` for one element",
            ));
            self.ignore_after(self.span.start);
        } else if !is_lost {
            // The brackets around it end here too, up to the one that the next token closes.
            let around = self.open.iter().rev().take_while(|close| !self.is(close)).copied();
            let around = around.filter(|close| *close != ":");
            let missing: String = std::iter::once(bracket).chain(around).collect();
            let error = Error::new(SYNTAX, open, "a bracket is not closed");
            let error = error.help(&format!("add `{missing}`"));
            // Unquoted text with an open bracket would take the added one.
            let inside = self.lexer.source.get(open.start..self.ended).unwrap_or("");
            let is_balanced = [('(', ")"), ('[', "]"), ('{', "}")].iter().all(|(begin, end)| {
                inside.matches(*begin).count() == inside.matches(end).count() + usize::from(*end == bracket)
            });
            self.report(if is_balanced { error.fix(Span::at(self.ended), &missing) } else { error });
        }
    }

    /// Allows a trailing comma.
    pub(super) fn items(&mut self, bracket: &'static str) -> Vec<Expr> {
        let open = self.span;
        self.advance();
        let mut items = Vec::new();
        while !self.is(bracket) && self.token != Token::End {
            self.refuse_optional();
            items.push(self.until(bracket));
            if !self.eat(",") {
                break;
            }
        }
        self.close(bracket, open);
        items
    }

    fn list(&mut self, start: usize) -> Expr {
        let items = self.items("]");
        self.build(start, Kind::List(items))
    }

    fn map(&mut self, start: usize) -> Expr {
        let open = self.span;
        self.advance();
        let mut entries = Vec::new();
        while !self.is("}") && self.token != Token::End {
            self.refuse_optional();
            let key = self.key();
            if !self.eat(":") {
                let error = Error::new(SYNTAX, self.span, "`:` is missing after a key");
                self.report(error.help("write `{\"key\": value}`"));
            }
            let value = self.until("}");
            entries.push((key, value));
            if !self.eat(",") {
                break;
            }
        }
        self.close("}", open);
        self.build(start, Kind::Map(entries))
    }

    /// An unquoted key is a text in other languages, but a name here.
    fn key(&mut self) -> Expr {
        let bare = match self.token {
            Token::Ident(word) if !self.is_known_key(word) => Some(word),
            _ => None,
        };
        let Some(word) = bare.filter(|_| self.lexer.rest().trim_start().starts_with(':')) else {
            return self.until("}");
        };
        let (start, span) = (self.span.start, self.span);
        let error = Error::new(SYNTAX, span, &format!("the key `{word}` is not in quotes"));
        self.report(error.help(&format!("write `\"{word}\"`")).fix(span, &format!("\"{word}\"")));
        self.literal(start, Literal::Text(word.to_owned()))
    }

    fn is_known_key(&self, word: &str) -> bool {
        matches!(word, "true" | "false" | "null")
            || self.syntax.roots.is_empty()
            || self.syntax.roots.contains(&word)
            || self.is_variable(word)
    }

    /// Reports CEL's `[?x]` and `{?key: value}`.
    pub(super) fn refuse_optional(&mut self) {
        if self.is("?") {
            let error = Error::new(UNSUPPORTED, self.span, "there are no optional entries");
            self.report(error.help("write `x ?? default` for a value that may be missing"));
            self.advance();
        }
    }

    fn missing_operand(&mut self) -> Expr {
        let hole = Span::new(self.ended, self.span.start);
        self.report_missing_operand();
        let not_here = matches!(self.token, Token::Bad(_)) || self.is(".") || self.is("${");
        if not_here {
            self.advance();
            // The next tokens are probably the intended operand.
            return self.nested(Self::postfix);
        }
        broken(hole, vec![])
    }
}

impl Lexer<'_> {
    /// Ends at `&&`, `||`, the group's closing bracket, or a comma between arguments.
    pub(super) fn bare_word(&mut self, close: &str, argument: bool) -> String {
        let start = self.at;
        let opens = match close {
            ")" => '(',
            "]" => '[',
            ":" => '?',
            _ => '{',
        };
        let mut open = 0_usize;
        while let Some(next) = self.peek() {
            let rest = self.rest();
            let is_close = !close.is_empty() && rest.starts_with(close);
            let ends = open == 0 && (is_close || argument && next == ',');
            if ends || rest.starts_with("&&") || rest.starts_with("||") {
                break;
            }
            if is_close {
                open = open.saturating_sub(1);
            }
            open += usize::from(next == opens);
            self.at += next.len_utf8();
        }
        self.source.get(start..self.at).unwrap_or("").trim_end().to_owned()
    }
}
