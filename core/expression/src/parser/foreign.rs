//! Reports operators of other languages, and text in places that allow no expression.

use super::Parser;
use crate::ast::{Expr, Kind};
use crate::base::{Span, shorten_name};
use crate::error::{Error, SYNTAX, UNKNOWN_ROOT};
use crate::function::{Function, foreign_name, foreign_root};
use crate::lexer::{Token, is_name_part};

/// Identifies the error.
pub(crate) const NEGATION_HELP: &str = "write `!(a == b)` or `(!a) == b`";

impl Parser<'_> {
    /// Returns the equivalent operator.
    #[inline(never)]
    pub(super) fn foreign_operator(&mut self, operator: &str) -> Option<Function> {
        let rest = self.lexer.rest();
        let function = match operator {
            "=" if rest.starts_with(['<', '~']) => {
                let sign = if rest.starts_with('<') { "=<" } else { "=~" };
                self.report_sign(sign);
                self.lexer.at += 1;
                return Some(Function::LessEqual);
            }
            "|" if self.pipes_into(rest) => return Some(Function::Or),
            "=" | "===" => Function::Equal,
            "!==" | "<>" => Function::NotEqual,
            "&" => Function::And,
            "|" => Function::Or,
            _ => return None,
        };
        self.report_operator(operator, function);
        Some(function)
    }

    /// Reports `x | length` of jq and of templates.
    #[inline(never)]
    fn pipes_into(&mut self, rest: &str) -> bool {
        let rest = rest.trim_start();
        let word = rest.get(..rest.find(|c| !is_name_part(c)).unwrap_or(rest.len())).unwrap_or("");
        let is_function = Function::named(word).is_some() || foreign_name(word).is_some();
        if !is_function || self.syntax.roots.contains(&word) || self.is_variable(word) {
            return false;
        }
        let error = Error::new(SYNTAX, self.span, "there are no pipes");
        self.report(error.help(&use_of(word)));
        self.ignore_after(self.span.start);
        true
    }

    /// Reports a sign of other languages that begins here.
    #[inline(never)]
    fn report_sign(&mut self, sign: &str) {
        let span = Span::new(self.span.start, self.span.start + sign.len());
        let error = Error::new(SYNTAX, span, &format!("there is no operator `{sign}`"));
        self.report(match sign {
            "=<" => error.help("write `<=`").fix(span, "<="),
            "=>" => error.help("write `>=`").fix(span, ">="),
            "^" | "**" => error.help("multiply, as in `x * x`"),
            "!~" => error.help("write `!text.matches(pattern)`"),
            _ => error.help("write `text.matches(pattern)`"),
        });
    }

    /// The same for words.
    #[inline(never)]
    pub(super) fn foreign_word(&mut self, word: &str) -> Option<Function> {
        let function = match word {
            "and" | "AND" => Function::And,
            "or" | "OR" => Function::Or,
            "is" if self.lexer.rest().trim_start().starts_with("not ") => {
                let rest = self.lexer.rest();
                self.lexer.at += rest.len() - rest.trim_start().len() + "not".len();
                self.span.end = self.lexer.at;
                self.report_operator("is not", Function::NotEqual);
                return Some(Function::NotEqual);
            }
            "is" | "eq" => Function::Equal,
            "ne" => Function::NotEqual,
            "lt" => Function::Less,
            "gt" => Function::Greater,
            "mod" => Function::Modulo,
            _ => return None,
        };
        self.report_operator(word, function);
        Some(function)
    }

    /// Reports `!a == b`: here the `!` applies to the comparison, but in CEL to the value.
    pub(super) fn refuse_ambiguous_negation(&mut self, function: Function, left: &Expr) {
        if self.syntax.bare_words && self.negated(left).is_some() && is_comparison(function) {
            let message =
                format!("`!` may apply to the comparison or to the value before `{}`", function.name());
            let error = Error::new(SYNTAX, Span::new(left.span.start, left.span.start + 1), &message);
            self.report(error.help(NEGATION_HELP));
        }
    }

    /// The value after a `!` that is not in parentheses.
    pub(super) fn negated<'e>(&self, left: &'e Expr) -> Option<&'e Expr> {
        let Kind::Call(call) = &left.kind else { return None };
        // A group's span begins at its parenthesis.
        let is_bare = self.lexer.source.get(left.span.start..).is_some_and(|rest| rest.starts_with('!'));
        call.args.first().filter(|_| is_bare && call.function == Some(Function::Not))
    }

    /// Parses the operand of a `not`.
    pub(super) fn foreign_negation(&mut self, not: Span) -> Expr {
        let error = Error::new(SYNTAX, not, "there is no operator `not`").help("write `!(x in y)` or `!x`");
        self.report(error.fix(Span::new(not.start, self.span.start), "!"));
        let operand = self.nested(Self::unary);
        super::broken(Span::new(not.start, operand.span.end), vec![operand])
    }

    fn report_operator(&mut self, written: &str, meant: Function) {
        let (name, span) = (meant.name(), self.span);
        let error = Error::new(SYNTAX, span, &format!("there is no operator `{written}`"));
        self.report(error.help(&format!("write `{name}`")).fix(span, name));
    }

    /// Reports text after the end of an expression.
    #[inline(never)]
    pub(super) fn report_leftover(&mut self) {
        let sign = match &self.token {
            Token::Op(sign @ ("**" | "=>")) => *sign,
            Token::Op("!") if self.lexer.rest().starts_with('~') => "!~",
            Token::Bad('~') => "~",
            Token::Bad('^') => "^",
            _ => "",
        };
        if !sign.is_empty() {
            self.report_sign(sign);
            if sign != "=>" {
                self.ignore_after(self.span.start);
            }
            return;
        }
        // While errors are ignored, `for` reports none in their place.
        if self.token == Token::Ident("for") && self.quiet_from.is_none() {
            // The names before it are those of a comprehension of Python.
            self.errors.retain(|error| error.code != UNKNOWN_ROOT);
        }
        let error = |message: &str| Error::new(SYNTAX, self.span, message);
        let error = match &self.token {
            Token::Ident("not") => error("there is no operator `not`").help("write `!(x in y)` or `!x`"),
            Token::Ident(word)
                if Function::named(word).is_some()
                    || foreign_name(word).is_some()
                    || foreign_root(word).is_some() =>
            {
                let error = error(&format!("`{word}` is not an operator")).help(&use_of(word));
                self.report(error);
                return self.ignore_after(self.span.start);
            }
            Token::Ident(word) => error(&format!("an operator is missing before `{}`", shorten_name(word)))
                .help("write an operator such as `==` or `&&`, or put a text in quotes"),
            Token::Int(_) | Token::Double(_) | Token::Text(_) => error("an operator is missing")
                .help("write an operator such as `==` or `&&` between two values"),
            Token::Op("!") => {
                error("`!` stands before one value").help("write `!=`, or `!` before a condition")
            }
            Token::Op(closing @ (")" | "]" | "}")) => {
                let error =
                    error(&format!("`{closing}` closes nothing")).help(&format!("remove `{closing}`"));
                // One edit removes only the first of several.
                let is_last = !self.lexer.rest().trim_start().starts_with([')', ']', '}']);
                if is_last { error.fix(self.span, "") } else { error }
            }
            Token::Op("|>") => error("there are no pipes").help("write a method, as in `x.map(e, e.name)`"),
            Token::Op("${") => error("a placeholder is inside an expression")
                .help("write the reference without `${` and `}`"),
            Token::Op(operator) => error(&format!("`{operator}` is not expected here")).help("remove it"),
            Token::Bad(c) => bad_character(*c, self.span),
            Token::End => return,
        };
        self.report(error);
    }

    pub(super) fn report_missing_operand(&mut self) {
        let error = match &self.token {
            Token::End if self.lexer.source.trim().is_empty() => {
                Error::new(SYNTAX, self.span, "the expression is empty")
                    .help("write a value, as in `last.title`")
            }
            Token::Bad(c) => {
                let error = bad_character(*c, self.span);
                if *c == '`' {
                    self.ignore_after(self.span.start);
                }
                return self.report(error);
            }
            Token::Op("${") => Error::new(SYNTAX, self.span, "a placeholder is inside an expression")
                .help("write the reference without `${` and `}`"),
            Token::Op("=") => Error::new(SYNTAX, self.span, "an expression assigns no value")
                .help("write `==` to compare, or name the value in a `set` node"),
            Token::Op("+") => Error::new(SYNTAX, self.span, "`+` stands between two values")
                .help("write `x + 1` to add, and a number without `+`"),
            Token::Op("/") => {
                let error = Error::new(SYNTAX, self.span, "there are no patterns between slashes");
                self.report(error.help("write `text.matches(\"pattern\")`"));
                return self.ignore_after(self.span.start);
            }
            Token::Op(".") => Error::new(SYNTAX, self.span, "a name is missing before the dot")
                .help("begin with a root, as in `last.title`"),
            _ => {
                // At the end, the error points right after the last token.
                let span = if self.token == Token::End { Span::at(self.ended) } else { self.span };
                Error::new(SYNTAX, span, "a value is missing")
                    .vague_help("write a path, a text in quotes or a number")
            }
        };
        self.report(error);
    }
}

/// How to use the function behind a word.
fn use_of(word: &str) -> String {
    match (Function::named(word), foreign_name(word), foreign_root(word)) {
        (Some(_), ..) => super::call::usage_of(word),
        (None, Some(other), _) => format!("write `{other}`"),
        (None, None, help) => help.unwrap_or_default().to_owned(),
    }
}

/// Conditions of paths and literals have these too.
pub(crate) fn is_comparison(function: Function) -> bool {
    use Function::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(function, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

fn bad_character(c: char, span: Span) -> Error {
    let error = |message: String| Error::new(SYNTAX, span, &message);
    match c {
        '`' => error("a back-tick is not a quote".to_owned()).help("write `\"`"),
        '≤' => error("`≤` is not an operator".to_owned()).help("write `<=`").fix(span, "<="),
        '≥' => error("`≥` is not an operator".to_owned()).help("write `>=`").fix(span, ">="),
        '≠' => error("`≠` is not an operator".to_owned()).help("write `!=`").fix(span, "!="),
        '$' => error("`$` begins no name".to_owned()).help("write a root, as in `last.title`"),
        c if c.is_alphabetic() => {
            error(format!("`{c}` begins no name")).help("put a text in quotes, or write `[\"…\"]` for a key")
        }
        c => error(format!("`{}` is not expected here", shorten_name(c.encode_utf8(&mut [0; 4]))))
            .help("remove it"),
    }
}
