//! Parses an expression: precedence, and the likely intent of a mistake.
//!
//! It reports several errors and keeps all parsed parts, so editors can complete.
//!
//! Invariants:
//! 1. Parsing takes linear time. Every recursion goes through [`Parser::nested`], which limits its depth.
//! 2. The tree has a [`Kind::Broken`] part only if there is an error.

mod call;
mod foreign;
mod operand;
mod parsed;
mod postfix;

pub(crate) use call::{is_path, usage};
pub(crate) use foreign::{NEGATION_HELP, is_comparison};
pub(crate) use operand::TYPE_NAMES;
pub use parsed::Parsed;
pub(crate) use postfix::{is_expression, is_field_part, last_path, refers_to};

use crate::ast::{Ast, Call, Expr, Kind, Name};
use crate::base::Span;
use crate::error::{Error, MAX_ERRORS, SYNTAX, TOO_DEEP, TOO_LONG, UNKNOWN_ROOT, in_order};
use crate::function::Function;
use crate::lexer::{Lexer, Token};

pub(crate) const MAX_DEPTH: usize = 96;
/// In bytes.
const MAX_LENGTH: usize = 64 * 1024;
const MAX_LEFTOVERS: usize = 10;

/// Allowed names and forms.
#[derive(Debug, Clone, Copy)]
pub struct Syntax<'a> {
    /// Allowed beginnings, empty for any.
    pub roots: &'a [&'a str],
    /// Whether a name after a dot may contain `-`, as node ids do.
    pub dashed_names: bool,
    /// Whether unquoted text after `==` and `!=`, and the tests `.exists` and `.contains:text` are allowed.
    pub bare_words: bool,
}

impl Default for Syntax<'_> {
    fn default() -> Self {
        Self { roots: &[], dashed_names: true, bare_words: false }
    }
}

impl Syntax<'_> {
    /// Plus `??`.
    pub const CEL: Syntax<'static> = Syntax { roots: &[], dashed_names: false, bare_words: false };
}

/// Parses an expression.
///
/// # Example
/// ```
/// use stepgraph_expression::{Syntax, parse};
/// let parsed = parse("last.count>1&&'hot' in last.tags", Syntax::default());
/// assert!(parsed.errors.is_empty());
/// assert_eq!(parsed.ast.to_string(), r#"last.count > 1 && "hot" in last.tags"#);
/// ```
pub fn parse(text: &str, syntax: Syntax<'_>) -> Parsed {
    if text.len() > MAX_LENGTH {
        let error = Error::new(TOO_LONG, Span::new(0, text.len()), "the expression is too long");
        let error = error.vague_help(&format!("write at most {MAX_LENGTH} bytes"));
        return Parsed { ast: Ast { root: broken(Span::at(0), vec![]) }, errors: vec![error] };
    }
    let mut parser = Parser::new(text, syntax);
    parser.advance();
    let root = parser.until("");
    let mut errors = parser.errors;
    errors.append(&mut parser.lexer.errors);
    let mut errors = in_order(errors);
    errors.truncate(MAX_ERRORS);
    Parsed { ast: Ast { root }, errors }
}

/// The expression begins at byte `at`. Returns the position after its `}`, or `None` without it.
pub(crate) fn parse_placeholder(text: &str, at: usize, syntax: Syntax<'_>) -> (Parsed, Option<usize>) {
    let mut parser = Parser::new(text, syntax);
    parser.lexer.at = at;
    parser.advance();
    // Else `}` would be an unexpected character.
    parser.open.push("");
    let root = parser.until("}");
    let end = parser.is("}").then_some(parser.span.end);
    let mut errors = parser.errors;
    errors.append(&mut parser.lexer.errors);
    (Parsed { ast: Ast { root }, errors: in_order(errors) }, end)
}

pub(crate) fn broken(span: Span, parts: Vec<Expr>) -> Expr {
    Expr::new(span, Kind::Broken(parts))
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    syntax: Syntax<'a>,
    token: Token<'a>,
    span: Span,
    /// Previous token's end.
    ended: usize,
    depth: usize,
    /// Variables of enclosing macros.
    variables: Vec<String>,
    errors: Vec<Error>,
    /// The start of the last error after which text may be lost.
    broken_from: Option<usize>,
    /// After an arrow function of an unknown method, or syntax of another language, further errors explain
    /// nothing.
    quiet_from: Option<usize>,
    /// The next `&&` or `||` within at most so many brackets ends that.
    quiet_depth: usize,
    /// Closing brackets to come, where errors inside end.
    open: Vec<&'static str>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, syntax: Syntax<'a>) -> Self {
        let (lexer, span) = (Lexer::new(text), Span::at(0));
        let (token, ended, depth) = (Token::End, 0, 0);
        let (variables, errors, open) = (Vec::new(), Vec::new(), Vec::new());
        let (broken_from, quiet_from, quiet_depth) = (None, None, 0);
        Self {
            lexer,
            syntax,
            token,
            span,
            ended,
            depth,
            variables,
            errors,
            broken_from,
            quiet_from,
            quiet_depth,
            open,
        }
    }

    fn advance(&mut self) {
        self.ended = self.span.end;
        (self.token, self.span) = self.lexer.next();
    }

    fn is(&self, operator: &str) -> bool {
        matches!(self.token, Token::Op(found) if found == operator)
    }

    fn eat(&mut self, operator: &str) -> bool {
        let found = self.is(operator);
        if found {
            self.advance();
        }
        found
    }

    /// Reports one error for each position. Errors of inner parts come before those of outer parts.
    fn report(&mut self, error: Error) {
        if self.quiet_from.is_some_and(|from| error.span.start > from) {
            return;
        }
        if error.code != UNKNOWN_ROOT {
            self.broken_from = self.broken_from.max(Some(error.span.start));
        }
        let at = self.errors.partition_point(|other| other.span.start < error.span.start);
        if self.errors.get(at).is_none_or(|other| other.span.start != error.span.start) {
            self.errors.insert(at, error);
            self.errors.truncate(MAX_ERRORS);
        }
    }

    /// Further errors would explain nothing, up to the next condition.
    fn ignore_after(&mut self, start: usize) {
        if self.quiet_from.is_none() {
            (self.quiet_from, self.quiet_depth) = (Some(start), self.open.len());
        }
    }

    fn end_ignoring(&mut self) {
        if self.open.len() <= self.quiet_depth && (self.is("&&") || self.is("||")) {
            (self.quiet_from, self.quiet_depth) = (None, 0);
        }
    }

    fn since(&self, start: usize) -> Span {
        Span::new(start, self.ended.max(start))
    }

    fn build(&mut self, start: usize, kind: Kind) -> Expr {
        let expr = Expr::new(self.since(start), kind);
        self.flat(expr)
    }

    fn flat(&mut self, expr: Expr) -> Expr {
        if expr.height() > MAX_DEPTH { self.too_deep() } else { expr }
    }

    fn too_deep(&mut self) -> Expr {
        let error = Error::new(TOO_DEEP, self.span, "the expression is nested too deeply");
        self.report(
            error.help(&format!("nest at most {MAX_DEPTH} levels, or compute a part in a node of its own")),
        );
        // The rest cannot be parsed.
        self.lexer.at = self.lexer.source.len();
        self.token = Token::End;
        broken(self.span, vec![])
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Expr) -> Expr {
        if self.depth >= MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        let expr = parse(self);
        self.depth -= 1;
        expr
    }

    /// Ends at `close`, or at the end if empty. Reports leftover text.
    fn until(&mut self, close: &'static str) -> Expr {
        self.open.push(close);
        let start = self.span.start;
        let first = self.expression();
        let expr = if self.at_end() { first } else { self.leftover(start, first) };
        self.open.pop();
        expr
    }

    /// Whether the text or an enclosing bracket ends.
    fn at_end(&self) -> bool {
        match self.token {
            Token::End => true,
            Token::Op("," | ":") => self.open.len() > 1,
            Token::Op(operator) => self.open.contains(&operator),
            _ => false,
        }
    }

    /// Empty outside groups.
    fn closing(&self) -> &'static str {
        self.open.last().copied().unwrap_or("")
    }

    fn at_operand(&self) -> bool {
        match self.token {
            Token::Ident(word) => word != "in",
            Token::Op(operator) => matches!(operator, "(" | "[" | "{" | "!" | "-"),
            Token::Int(_) | Token::Double(_) | Token::Text(_) => true,
            Token::End | Token::Bad(_) => false,
        }
    }

    /// Continues where the expression should have ended.
    fn leftover(&mut self, start: usize, first: Expr) -> Expr {
        let mut parts = vec![first];
        while !self.at_end() {
            let before = self.span.start;
            self.report_leftover();
            if !self.at_operand() {
                self.advance();
            }
            // Each may read the whole rest to find the end of a text without quotes. More parts help no reader.
            if self.at_operand() && parts.len() <= MAX_LEFTOVERS {
                parts.push(self.expression());
            }
            if self.span.start == before && !self.at_end() {
                self.advance();
            }
        }
        broken(self.since(start), parts)
    }

    /// Parses `condition ? a : b` and all that binds tighter.
    fn expression(&mut self) -> Expr {
        self.nested(|parser| {
            let start = parser.span.start;
            let condition = parser.binary(0);
            if !parser.is("?") {
                return condition;
            }
            let name = Name::new("?:", parser.span);
            parser.advance();
            // Unquoted text ends at the colon.
            parser.open.push(":");
            let then = parser.expression();
            parser.open.pop();
            if !parser.eat(":") {
                let error = Error::new(SYNTAX, parser.span, "`:` is missing");
                parser.report(error.help("write `condition ? value : other value`"));
            }
            let other = parser.expression();
            parser.operator(start, Function::Conditional, name, vec![condition, then, other])
        })
    }

    fn binary(&mut self, least: u8) -> Expr {
        let start = self.span.start;
        let mut left = self.unary();
        // `a && b && c` is one call.
        let mut chain = None;
        while let Some((function, level)) = self.operator_here().filter(|(_, level)| *level >= least) {
            self.end_ignoring();
            let name = Name::new(function.name(), self.span);
            self.refuse_ambiguous_negation(function, &left);
            let bare = self.bare_word_follows(function, &left);
            let right = match bare {
                Some(text) => text,
                None => {
                    self.advance();
                    self.nested(|parser| parser.binary(level + 1))
                }
            };
            left = if chain == Some(function) && matches!(left.kind, Kind::Call(_)) {
                let end = self.since(start).end;
                self.flat(left.extended(right, end))
            } else {
                self.operator(start, function, name, vec![left, right])
            };
            let joins = matches!(function, Function::And | Function::Or | Function::Coalesce);
            chain = Some(function).filter(|_| joins);
        }
        left
    }

    fn operator(&mut self, start: usize, function: Function, name: Name, args: Vec<Expr>) -> Expr {
        self.build(start, Kind::Call(Call { function: Some(function), name, target: None, args }))
    }

    fn operator_here(&mut self) -> Option<(Function, u8)> {
        let function = match &self.token {
            Token::Op(operator) => match *operator {
                "??" => Function::Coalesce,
                "||" => Function::Or,
                "&&" => Function::And,
                "==" => Function::Equal,
                "!=" => Function::NotEqual,
                "<" => Function::Less,
                "<=" => Function::LessEqual,
                ">" => Function::Greater,
                ">=" => Function::GreaterEqual,
                "+" => Function::Add,
                "-" => Function::Subtract,
                "*" => Function::Multiply,
                "/" => Function::Divide,
                "%" => Function::Modulo,
                other => self.foreign_operator(other)?,
            },
            Token::Ident("in") => Function::In,
            Token::Ident(word) => self.foreign_word(word)?,
            _ => return None,
        };
        Some((function, level(function)))
    }

    fn unary(&mut self) -> Expr {
        let start = self.span.start;
        let function = match self.token {
            Token::Op("!") => Function::Not,
            Token::Op("-") if !self.number_follows() => Function::Negate,
            _ => return self.postfix(),
        };
        let name = Name::new(function.name(), self.span);
        self.advance();
        let operand = self.nested(Self::unary);
        self.operator(start, function, name, vec![operand])
    }

    /// Whether a number follows a minus sign, which then belongs to it.
    fn number_follows(&self) -> bool {
        let rest = self.lexer.rest().trim_start();
        rest.strip_prefix('.').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit())
    }
}

/// Higher levels bind tighter.
pub(crate) fn level(function: Function) -> u8 {
    match function {
        Function::Conditional => 0,
        Function::Coalesce => 1,
        Function::Or => 2,
        Function::And => 3,
        Function::Multiply | Function::Divide | Function::Modulo => 6,
        Function::Add | Function::Subtract => 5,
        Function::Not | Function::Negate => 7,
        _ => 4,
    }
}
