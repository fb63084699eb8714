//! Parses calls of functions, methods and macros.

use super::{Parser, broken};
use crate::ast::{Call, Comprehension, Expr, Kind, Literal, Name};
use crate::base::{Code, Span, shorten_name};
use crate::error::{ARGUMENTS, Error, MAX_ERRORS, SYNTAX, UNKNOWN_FUNCTION, UNSUPPORTED};
use crate::function::{Function, foreign_macro, foreign_name, missing_function, suggest};
use crate::lexer::Token;

impl Parser<'_> {
    pub(super) fn method(&mut self, field: &Name, operand: Expr) -> Expr {
        if let Kind::Ident(package) = &operand.kind
            && package.text == "math"
            && !self.is_variable("math")
        {
            let name =
                Name::new(format!("math.{}", field.text), Span::new(operand.span.start, field.span.end));
            return self.call(&name, None);
        }
        self.call(field, Some(operand))
    }

    pub(super) fn call(&mut self, name: &Name, target: Option<Expr>) -> Expr {
        let start = target.as_ref().map_or(name.span.start, |target| target.span.start);
        let function = Function::named(&name.text);
        match (function, target) {
            (Some(function), Some(range)) if function.is_comprehension() => {
                self.comprehension(start, function, name.span, range)
            }
            (function, target) => {
                let open = self.span.start;
                // Few errors, so the search for an arrow takes linear time.
                let is_broken = function.is_none() && self.errors.len() < MAX_ERRORS;
                if is_broken
                    && self.quiet_from.is_none()
                    && ["=>", "->"].iter().any(|arrow| self.lexer.rest().contains(arrow))
                {
                    self.quiet_from = Some(open);
                }
                let args = self.items(")");
                if !self.errors.is_empty() && args.iter().any(is_name_or_broken) {
                    self.explain_names(function, target.is_some(), &args, open);
                }
                let name = Name::new(function.map_or(name.text.as_str(), |it| it.name()), name.span);
                let call = Call { function, name, target: target.map(Box::new), args };
                self.check_call(&call);
                self.build(start, Kind::Call(call))
            }
        }
    }

    /// The error of a wrong call explains the names in it.
    #[inline(never)]
    fn explain_names(&mut self, function: Option<Function>, method: bool, args: &[Expr], open: usize) {
        if function.is_some_and(|it| accepts(it, method, args.len())) {
            return;
        }
        let (ended, is_visit) = (self.ended, is_visit(args));
        let is_inside = |span: Span| open < span.start && span.start <= ended;
        let explained = |error: &Error| is_visit || error.code == Code::UnknownRoot;
        self.errors.retain(|error| !is_inside(error.span) || !explained(error));
    }

    fn check_call(&mut self, call: &Call) {
        let span = call.name.span;
        let Some(function) = call.function else {
            return self.unknown_function(call);
        };
        let method = call.target.is_some();
        if !function.has_form(method) {
            return self.report(explained(wrong_form(function, method, span), call));
        }
        let count = call.args.len();
        if !accepts(function, method, count) {
            let message = format!("`{}` does not accept {}", call.name.text, arguments(count));
            self.report(explained(Error::new(ARGUMENTS, span, &message).help(&usage(function)), call));
        } else if function == Function::Has && !call.args.first().is_some_and(is_path) {
            let error = Error::new(ARGUMENTS, span, "`has` tests a path");
            self.report(error.help("write a path, as in `has(last.title)`"));
        }
    }

    fn unknown_function(&mut self, call: &Call) {
        let (name, span) = (&call.name.text, call.name.span);
        let message = format!("there is no function `{}`", shorten_name(name));
        let error = Error::new(UNKNOWN_FUNCTION, span, &message);
        let visits = call.target.is_some() && is_visit(&call.args);
        let by_element = if visits { foreign_macro(name) } else { None };
        let is_text = |arg: &Expr| matches!(arg.kind, Kind::Literal(Literal::Text(_)));
        let by_key = (name == "get" && call.args.iter().any(is_text)).then_some("x[\"key\"]");
        let known = by_element.or(by_key).or_else(|| foreign_name(name));
        let error = match (known, suggest(name)) {
            (Some(other), _) => error.help(&format!("write `{other}`")),
            (None, Some(other)) => error.help(&format!("did you mean `{other}`?")).fix(span, other),
            (None, None) => error.help(missing_function(name)),
        };
        self.report(error);
    }

    fn comprehension(&mut self, start: usize, function: Function, name: Span, range: Expr) -> Expr {
        let open = self.span;
        self.advance();
        let variable = self.variable(function);
        self.variables.push(variable.text.clone());
        let mut args = Vec::new();
        while !self.is(")") && self.token != Token::End {
            args.push(self.until(")"));
            if !self.eat(",") {
                break;
            }
        }
        self.variables.pop();
        self.close(")", open);
        let name = Name::new(function.name(), name);
        let most = if function == Function::Map { 2 } else { 1 };
        // A text in place of the variable has its error.
        if !variable.text.is_empty() && (args.is_empty() || args.len() > most) {
            self.wrong_macro(function, &name, args.len());
        }
        let body = args.pop().unwrap_or_else(|| broken(Span::at(self.ended), vec![]));
        let filter = args.pop().filter(|_| function == Function::Map).map(Box::new);
        let (range, body) = (Box::new(range), Box::new(body));
        self.build(
            start,
            Kind::Comprehension(Comprehension { function, name, range, variable, filter, body }),
        )
    }

    /// Includes the comma.
    fn variable(&mut self, function: Function) -> Name {
        let span = self.span;
        let rest = self.lexer.rest().trim_start();
        let word = match self.token {
            Token::Ident(word)
                if !matches!(word, "true" | "false" | "null" | "in")
                    && (rest.starts_with([',', ')']) || rest.starts_with("=>") || rest.starts_with("->")) =>
            {
                word
            }
            _ => {
                let name = function.name();
                let error =
                    Error::new(ARGUMENTS, span, &format!("the first argument of `{name}` is a variable"));
                self.report(if function == Function::Exists && self.is(")") {
                    error.help(
                        "write `has(x.field)` to test whether a value is there, or `list.exists(x, condition)`",
                    )
                } else {
                    error.help(&macro_usage(function))
                });
                // `.price` of jq, and functions as arguments.
                if matches!(self.token, Token::Op("." | "|") | Token::Ident("function" | "lambda" | "fn")) {
                    self.ignore_after(span.start);
                }
                return Name::new("", Span::at(span.start));
            }
        };
        self.advance();
        if self.is("=>") || self.is("->") {
            let error = Error::new(SYNTAX, self.span, "there are no arrow functions");
            self.report(error.help(&macro_usage(function)).fix(Span::new(self.ended, self.span.end), ","));
            self.advance();
        } else {
            self.eat(",");
        }
        Name::new(word, span)
    }

    fn wrong_macro(&mut self, function: Function, name: &Name, count: usize) {
        let message = format!("`{}` does not accept {}", name.text, arguments(count + 1));
        let error = match count {
            2 => Error::new(UNSUPPORTED, name.span, &format!("`{}` has one variable", name.text)),
            _ => Error::new(ARGUMENTS, name.span, &message),
        };
        self.report(error.help(&macro_usage(function)));
    }
}

fn wrong_form(function: Function, method: bool, span: Span) -> Error {
    let name = function.name();
    let message = if method { format!("`{name}` is not a method") } else { format!("`{name}` is a method") };
    let help = match function {
        Function::Exists => "write `has(x.field)`, or `x.exists(e, condition)` for a list".to_owned(),
        _ if function.is_comprehension() => macro_usage(function),
        _ => usage(function),
    };
    Error::new(ARGUMENTS, span, &message).help(&help)
}

/// With the call to write, if the arguments visit the elements of a list.
#[inline(never)]
fn explained(error: Error, call: &Call) -> Error {
    let other = if is_visit(&call.args) { foreign_macro(&call.name.text) } else { None };
    match other {
        Some(other) => error.help(&format!("write `{other}`")),
        None => error,
    }
}

fn accepts(function: Function, method: bool, count: usize) -> bool {
    function.signatures().any(|it| it.receiver.is_some() == method && it.accepts(count))
}

fn is_name_or_broken(expr: &Expr) -> bool {
    matches!(expr.kind, Kind::Ident(_) | Kind::Broken(_))
}

/// `x, x > 1` or `x => x > 1`, as the macros of other languages have it.
fn is_visit(args: &[Expr]) -> bool {
    let is_name = |expr: &Expr| matches!(expr.kind, Kind::Ident(_));
    match args {
        [only] => matches!(&only.kind, Kind::Broken(parts) if parts.first().is_some_and(is_name)),
        [first, ..] => is_name_or_broken(first),
        [] => false,
    }
}

/// A name with fields and indices.
pub(crate) fn is_path(expr: &Expr) -> bool {
    matches!(expr.kind, Kind::Ident(_) | Kind::Broken(_) | Kind::Select(_) | Kind::Index(_))
}

fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "one argument".to_owned(),
        count => format!("{count} arguments"),
    }
}

/// As help of an error.
pub(crate) fn usage(function: Function) -> String {
    if function == Function::Has {
        return "write a path, as in `has(last.title)`".to_owned();
    }
    if function.is_comprehension() {
        return macro_usage(function);
    }
    let name = function.name();
    let mut forms: Vec<String> = Vec::new();
    for signature in function.signatures() {
        let parameters: Vec<&str> = signature.parameters.iter().map(|it| plain_kind(it.kind)).collect();
        let parameters = parameters.join(", ");
        let form = match signature.receiver.map(plain_kind) {
            Some(receiver) => format!("`{receiver}.{name}({parameters})`"),
            None => format!("`{name}({parameters})`"),
        };
        if !forms.contains(&form) && forms.len() < 3 {
            forms.push(form);
        }
    }
    format!("write {}", forms.join(" or "))
}

/// Without types of elements and type variables.
fn plain_kind(kind: &str) -> &str {
    match kind.split_once('(') {
        Some((outer, _)) => outer,
        None if kind == "dyn" || kind.len() == 1 => "x",
        None if matches!(kind, "int" | "double") => "number",
        None => kind,
    }
}

pub(super) fn usage_of(name: &str) -> String {
    match Function::named(name) {
        Some(function) if function.is_comprehension() => macro_usage(function),
        Some(function) => usage(function),
        None => String::new(),
    }
}

fn macro_usage(function: Function) -> String {
    let name = function.name();
    let result = if matches!(function, Function::Map | Function::SortBy) { "value" } else { "condition" };
    format!("write `list.{name}(x, {result})`")
}
