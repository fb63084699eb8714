//! Finds texts that calculate nothing: expressions without `${}`, and operators beside it.

use super::foreign_syntax::foreign_placeholder;
use super::{Template, TemplatePart};
use crate::ast::{Expr, Kind};
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

/// Whether a text has a path such as `input.title`.
pub fn refers_to_value(text: &str) -> bool {
    refers_to(text, &ROOTS)
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

/// Reports `${input.n} * 2`, `size(${input.items})` and `${input.title} ?? "x"`.
fn missed_operator(text: &str) -> Option<(Computed, Error)> {
    let template = Template::parse(text).ok()??;
    let [_, _, ..] = template.parts.as_slice() else { return None };
    let mut whole = String::new();
    for part in &template.parts {
        match part {
            TemplatePart::Text(text) => whole.push_str(text),
            TemplatePart::Placeholder { span, .. } | TemplatePart::Computed { span, .. } => {
                let inner = text.get(span.start + "${".len()..span.end.checked_sub(1)?)?;
                whole.extend(["(", inner, ")"]);
            }
        }
    }
    let (computed, is_sound) = read(&whole).filter(|(computed, _)| calculates(&computed.ast.root))?;
    let meant = format!("${{{}}}", computed.ast);
    let span = Span::new(0, text.len());
    let message = format!("`{}` is text and calculates nothing", shorten_name(text));
    let error = Error::new(Code::ForeignTemplate, span, &message);
    let error = error.help(&format!("write `{}`", shorten_name(&meant)));
    Some((computed, if is_sound { error.fix(span, &meant) } else { error }))
}

/// Whether the signs around templates can hardly be meant as text. `3 / 5`, `3 - 5` and `a > b` can.
fn calculates(expr: &Expr) -> bool {
    use Function::{Add, Divide, Greater, In, Less, Negate, Subtract};
    match &expr.kind {
        Kind::Call(call) => match call.function {
            Some(Divide | In | Negate | Subtract) => false,
            Some(Add | Less | Greater) => call.args.iter().any(|arg| matches!(arg.kind, Kind::Literal(_))),
            _ => true,
        },
        Kind::Comprehension(_) => true,
        Kind::Index(index) => matches!(index.index.kind, Kind::Literal(_)),
        _ => false,
    }
}
