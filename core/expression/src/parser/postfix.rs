//! Parses fields, methods and indices.

use super::{Parser, Syntax, broken, parse};
use crate::ast::{Call, Expr, Index, Kind, Literal, Name, Select};
use crate::base::Span;
use crate::error::{Error, MAX_ERRORS, SYNTAX, TOO_DEEP, TOO_LONG, UNCLOSED_QUOTE, UNSUPPORTED};
use crate::function::{Function, suggest};
use crate::lexer::{Token, is_name_part, is_name_start};
use crate::literal::number_of;

impl Parser<'_> {
    pub(super) fn postfix(&mut self) -> Expr {
        let start = self.span.start;
        let mut expr = self.primary();
        loop {
            expr = match self.token {
                Token::Op(".") => self.dot(start, expr),
                Token::Op("?.") => {
                    let error = Error::new(UNSUPPORTED, self.span, "there is no `?.`");
                    let error = error.help("write `.`: a path that leads nowhere is missing, not an error");
                    self.report(error.fix(self.span, "."));
                    self.dot(start, expr)
                }
                Token::Op("[") => self.index(start, expr),
                Token::Op("{") if is_type_name(&expr) => self.message(start, expr),
                _ => return expr,
            };
        }
    }

    /// Also parses `.exists` and `.contains:text` of conditions. Starts after the dot.
    fn dot(&mut self, start: usize, operand: Expr) -> Expr {
        let dot = self.span;
        self.lexer.skip_blanks();
        let mut field = self.field();
        if field.text.is_empty() {
            field = self.missing_field(dot, field);
        }
        self.span = field.span;
        self.lexer.after_operand = true;
        self.advance();
        if self.is("(") {
            return self.method(&field, operand);
        }
        let is_quoted = self.lexer.source.get(field.span.start..).is_some_and(|rest| rest.starts_with('`'));
        if self.syntax.bare_words && !is_quoted {
            match field.text.as_str() {
                "exists" if !self.is(".") && !self.is("[") => {
                    if !super::call::is_path(&operand) {
                        let error = Error::new(SYNTAX, field.span, "`.exists` follows a path");
                        self.report(error.help("write `last.title.exists`, or `has(last.title)`"));
                    }
                    let name = Name::new("has", field.span);
                    return self.operator(start, Function::Has, name, vec![operand]);
                }
                "contains" if self.is(":") && self.span.start == field.span.end => {
                    let args = vec![self.bare_literal()];
                    let target = Some(Box::new(operand));
                    let call = Call { function: Some(Function::Contains), name: field, target, args };
                    return self.build(start, Kind::Call(call));
                }
                _ => {}
            }
        }
        self.build(start, Kind::Select(Select { operand: Box::new(operand), field }))
    }

    fn missing_field(&mut self, dot: Span, field: Name) -> Name {
        let span = Span::new(dot.start, field.span.end);
        if self.lexer.eat("?") {
            let error = Error::new(UNSUPPORTED, span, "there are no optional fields");
            self.report(error.help("write `.name`: a path that leads nowhere is missing, not an error"));
            return self.field();
        }
        let error = Error::new(SYNTAX, span, "a name is missing after the dot");
        self.report(error.help("write a name, or `[\"…\"]` for a name with other characters"));
        field
    }

    fn field(&mut self) -> Name {
        let start = self.lexer.at;
        if self.lexer.eat("`") {
            let text = self.lexer.take_while(|c| c != '`' && c != '\n').to_owned();
            if !self.lexer.eat("`") {
                let error = Error::new(SYNTAX, Span::new(start, start + 1), UNCLOSED_QUOTE);
                self.report(error.help("add a back-tick at the end of the name"));
            }
            return Name::new(text, Span::new(start, self.lexer.at));
        }
        if self.syntax.dashed_names {
            self.dashed_field();
        } else if self.lexer.peek().is_some_and(is_name_start) {
            self.lexer.take_while(is_name_part);
        }
        let span = Span::new(start, self.lexer.at);
        Name::new(self.lexer.source.get(start..span.end).unwrap_or(""), span)
    }

    /// A dash between name characters belongs to the name. Next to a space it subtracts.
    fn dashed_field(&mut self) {
        loop {
            let before = self.lexer.at;
            self.lexer.take_while(is_field_part);
            let end = self.lexer.at;
            let dashes = self.lexer.take_while(|c| c == '-').len();
            if end == before || dashes == 0 || !self.lexer.peek().is_some_and(is_field_part) {
                self.lexer.at = end;
                return;
            }
        }
    }

    /// The literal may be quoted.
    fn bare_literal(&mut self) -> Expr {
        self.lexer.skip_blanks();
        if matches!(self.lexer.peek(), Some('"' | '\'')) {
            self.advance();
            return self.primary();
        }
        let start = self.lexer.at;
        let text = self.lexer.bare_word(self.closing(), !self.variables.is_empty());
        self.span = Span::new(start, start + text.len());
        self.advance();
        self.build(start, Kind::Literal(Literal::Text(text)))
    }

    /// Reads unquoted text, unless an expression follows.
    pub(super) fn bare_word_follows(&mut self, function: Function, left: &Expr) -> Option<Expr> {
        // Only a path is compared with a bare word: `type(x) == string` names a type.
        let is_equality = matches!(function, Function::Equal | Function::NotEqual);
        let left = self.negated(left).unwrap_or(left);
        let allowed = self.syntax.bare_words && is_equality && super::call::is_path(left);
        // After many errors it need not search: each search may read the whole rest.
        let reads = allowed && self.errors.len() < MAX_ERRORS;
        (reads && !self.expression_follows()).then(|| self.bare_literal())
    }

    fn expression_follows(&self) -> bool {
        let mut ahead = self.lexer.clone();
        ahead.skip_blanks();
        let text = ahead.bare_word(self.closing(), !self.variables.is_empty());
        is_expression(&text, self.syntax.roots, &|word| self.is_variable(word))
    }

    fn index(&mut self, start: usize, operand: Expr) -> Expr {
        let open = self.span;
        self.advance();
        self.refuse_optional();
        self.refuse_all_elements();
        let index = Box::new(self.until("]"));
        self.close("]", open);
        self.build(start, Kind::Index(Index { operand: Box::new(operand), index }))
    }

    /// Reports `list[]` and `list[*]` of other languages.
    fn refuse_all_elements(&mut self) {
        let is_star = self.is("*") && self.lexer.rest().trim_start().starts_with(']');
        if is_star || self.is("]") {
            self.missing_position();
        }
    }

    #[inline(never)]
    fn missing_position(&mut self) {
        let error = Error::new(SYNTAX, self.span, "the position in the list is missing");
        self.report(error.help("write `list.map(x, x.name)` for all elements, or `list[0]` for one"));
        self.ignore_after(self.span.start);
    }

    /// Reports `Type{field: value}`, which creates a Protocol Buffers message in CEL.
    fn message(&mut self, start: usize, operand: Expr) -> Expr {
        let error = Error::new(UNSUPPORTED, operand.span, "there are no types to make values of");
        self.report(error.help("write a map, as in `{\"key\": value}`"));
        let fields = self.primary();
        broken(self.since(start), vec![operand, fields])
    }
}

/// Whether an unquoted right side is an expression. The first characters decide. Text neither parses nor
/// refers to anything.
pub(crate) fn is_expression(text: &str, roots: &[&str], is_variable: &dyn Fn(&str) -> bool) -> bool {
    let word = text.get(..text.find(|c| !is_name_part(c)).unwrap_or(text.len())).unwrap_or("");
    let after = text.get(word.len()..).unwrap_or("");
    // In `nullé` the word goes on.
    let word = if after.starts_with(char::is_alphanumeric) { "" } else { word };
    let syntax = Syntax { roots, ..Syntax::default() };
    // An expression beyond the limits is no text.
    let is_at_limit = |error: &Error| matches!(error.code, TOO_DEEP | TOO_LONG);
    let reads = || refers_to(text, roots) || parse(text, syntax).errors.iter().all(is_at_limit);
    // `r"…"` is a text too, and `b"…"` gets an error of its own.
    let is_prefix = matches!(word, "r" | "R" | "b" | "B" | "rb" | "RB" | "br" | "BR");
    match text.chars().next() {
        Some('"' | '\'') => true,
        _ if is_prefix && after.starts_with(['"', '\'']) => reads() || !word.eq_ignore_ascii_case("r"),
        Some('(' | '[' | '{') => reads(),
        // Dates, versions and phone numbers are text: only dashes, slashes and plus signs join their digits.
        Some('.') if !text.get(1..).unwrap_or("").starts_with(|c: char| c.is_ascii_digit()) => false,
        Some('.' | '0'..='9' | '-' | '+') => {
            let calculates = text.contains([' ', '(', '*', '%']);
            number_of(text).is_some() || (refers_to(text, roots) || calculates) && reads()
        }
        Some('$') => text.starts_with("${"),
        _ if matches!(word, "true" | "false" | "null") => reads(),
        _ if is_variable(word) => true,
        _ if after.starts_with('(') => {
            Function::named(word).is_some() || suggest(word).is_some() || refers_to(text, roots)
        }
        _ if after.starts_with(['.', '[']) => word == "math" || roots.contains(&word),
        _ => false,
    }
}

pub(crate) fn refers_to(text: &str, roots: &[&str]) -> bool {
    roots.iter().any(|root| paths(text, root).next().is_some())
}

/// Where the last path such as `input.title` begins.
pub(crate) fn last_path(text: &str, roots: &[&str]) -> Option<usize> {
    roots.iter().filter_map(|root| paths(text, root).last()).max()
}

fn paths(text: &str, root: &str) -> impl Iterator<Item = usize> {
    text.match_indices(root).map(|(at, _)| at).filter(move |at| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let after = text.get(at + root.len()..).unwrap_or("");
        !before.is_some_and(|c| is_name_part(c) || c == '.') && after.starts_with(['.', '['])
    })
}

fn is_type_name(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Ident(_) => true,
        Kind::Select(select) => is_type_name(&select.operand),
        _ => false,
    }
}

/// Dashes have their own rules.
pub(crate) fn is_field_part(c: char) -> bool {
    if c.is_ascii() {
        return is_name_part(c) || matches!(c, '@' | '#' | '~' | '^');
    }
    !c.is_whitespace() && !c.is_control()
}
