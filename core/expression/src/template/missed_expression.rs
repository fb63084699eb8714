//! Finds texts that calculate nothing: expressions without `${}`, and operators beside it.

use super::foreign_syntax::foreign_placeholder;
use crate::ast::{Expr, Kind, Literal};
use crate::base::{Code, ROOTS, Span, shorten_name};
use crate::computed::Computed;
use crate::error::Error;
use crate::function::Function;
use crate::parser::{Syntax, is_path, parse, refers_to};

/// The expression that a text may be meant to be, and the warning that it is text.
pub fn missed_expression(text: &str) -> Option<(Computed, Error)> {
    if text.contains('$') {
        return if text.contains("${") { missed_operator(text) } else { None };
    }
    let (computed, is_sound) = read(text).filter(|(computed, _)| !is_path(&computed.ast.root))?;
    let error = foreign_placeholder(text, Span::new(0, text.len()), text)?;
    let fix = error.fix.clone().filter(|_| is_sound);
    Some((computed, Error { fix, ..error }))
}

/// An expression with paths of values, and whether it has no mistake. Few texts have both a path and no mistake.
fn read(text: &str) -> Option<(Computed, bool)> {
    if !refers_to(text, &ROOTS) {
        return None;
    }
    let parsed = parse(text, Syntax { roots: &ROOTS, ..Syntax::default() });
    // A call with a wrong argument is no prose either.
    let is_call = || {
        let name = text.split('(').next().and_then(Function::named);
        name.is_some() && text.ends_with(')')
    };
    if !parsed.is_whole() || !parsed.errors.is_empty() && !is_call() {
        return None;
    }
    let (computed, errors) = Computed::of(parsed, Code::TemplateSyntax).ok()?;
    Some((computed, errors.is_empty()))
}

/// Reports `${input.n} * 2`. A sign between two templates may be meant as text, as in `${item.a} + ${item.b}`.
fn missed_operator(text: &str) -> Option<(Computed, Error)> {
    let (before, rest) = text.split_once("${")?;
    let (inner, after) = rest.split_once('}')?;
    let is_alone = before.is_empty() && after.is_empty();
    if is_alone || [before, inner, after].iter().any(|part| part.contains(['{', '}', '$', '"', '\''])) {
        return None;
    }
    let whole = format!("{before}({inner}){after}");
    let (computed, _) = read(&whole).filter(|(computed, _)| calculates(&computed.ast.root))?;
    let meant = format!("${{{}}}", computed.ast);
    let span = Span::new(0, text.len());
    let message = format!("`{}` is text and calculates nothing", shorten_name(text));
    let error = Error::new(Code::ForeignTemplate, span, &message);
    let error = error.help(&format!("write `{}`", shorten_name(&meant))).fix(span, &meant);
    Some((computed, error))
}

/// Whether an operator joins a path with a number or another path. A fraction such as `3 / 5` may be a text.
fn calculates(expr: &Expr) -> bool {
    use Function::{Add, Equal, Greater, GreaterEqual, Less, LessEqual, Modulo, Multiply, NotEqual};
    let Kind::Call(call) = &expr.kind else { return false };
    let is_number = |arg: &Expr| matches!(arg.kind, Kind::Literal(Literal::Int(_) | Literal::Double(_)));
    match call.function {
        Some(Multiply | Modulo | Equal | NotEqual | LessEqual | GreaterEqual) => true,
        Some(Add | Less | Greater) => call.args.iter().any(is_number),
        _ => false,
    }
}
