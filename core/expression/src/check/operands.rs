//! Reports operands that an operator or a function does not accept, and says what to write.

use super::Checker;
use super::call::{Fit, fit_type, parameter};
use crate::ast::{Call, Expr, Kind, Literal};
use crate::base::{Span, parse_float};
use crate::error::{Error, MAY_BE_NULL, TYPE};
use crate::evaluate::{JOIN_HELP, TEXT_HELP, help, time_help};
use crate::function::{Form, Function, Signature};
use crate::parser::{is_comparison, is_path};
use crate::types::Type;

impl Checker<'_> {
    /// Reports operands of arithmetic and order whose schema allows `null`. Membership accepts it.
    pub(super) fn report_null(&mut self, function: Function, call: &Call, args: &[(Span, Type)]) {
        for (operand, (_, kind)) in call.args.iter().zip(args) {
            let may_be_null = kind.members().len() > 1 && kind.members().contains(&Type::Null);
            if function != Function::In && may_be_null && is_path(operand) {
                self.may_be_null(function, operand, kind);
            }
        }
    }

    #[inline(never)]
    fn may_be_null(&mut self, function: Function, operand: &Expr, kind: &Type) {
        let message = format!("`{operand}` may be null, which `{}` does not accept", function.name());
        let error = Error::new(MAY_BE_NULL, operand.span, &message);
        let default = if kind.members().contains(&Type::String) { "\"\"" } else { "0" };
        let help =
            format!("write a default, as in `({operand} ?? {default})`, or test `{operand} != null` first");
        self.errors.push(error.help(&help));
    }

    pub(super) fn report_operands(
        &mut self,
        function: Function,
        call: &Call,
        expr: &Expr,
        args: &[(Span, Type)],
    ) {
        let fits = function
            .signatures()
            .any(|it| it.receiver.is_some() == call.target.is_some() && it.accepts(call.args.len()));
        if !fits {
            // The parser has reported the count.
            return;
        }
        let name = function.name();
        if let ([(_, a), (_, b)], Form::Operator) = (args, function.form()) {
            let message = format!("`{name}` does not accept {} and {}", a.describe(), b.describe());
            let is_time = |kind: &Type| matches!(kind, Type::Timestamp | Type::Duration);
            let plain = || if is_time(a) || is_time(b) { time_help(function) } else { help(function) };
            let help = chain_help(function, call).unwrap_or_else(plain);
            let error = Error::new(TYPE, expr.span, &message).help(&help);
            let error = match call.args.as_slice() {
                [left, right] => with_number(error, left, right, a, b),
                _ => error,
            };
            return self.errors.push(error);
        }
        let wrong =
            (0..args.len()).find(|at| !accepts_up_to(function, call, args.get(..=*at).unwrap_or_default()));
        if let Some((span, kind)) = wrong.and_then(|at| args.get(at)) {
            let folds = matches!(function, Function::Join | Function::Least | Function::Greatest);
            let elements = kind.members().iter().find_map(|kind| match kind {
                Type::List(element) if folds => Some(element.describe()),
                _ => None,
            });
            let error = |message: &str| Error::new(TYPE, *span, message);
            self.errors.push(match elements {
                Some(element) if function == Function::Join => {
                    error(&format!("`join` joins texts, not {element}")).help(JOIN_HELP)
                }
                Some(element) => error(&format!("`{name}` compares numbers, not {element}"))
                    .help(&format!("write `{name}(list.map(x, double(x)))` to read numbers from texts")),
                None => error(&format!("`{name}` does not accept {}", kind.describe()))
                    .help(&argument_help(function, kind)),
            });
        }
    }
}

fn argument_help(function: Function, kind: &Type) -> String {
    let is_number = |kind: &str| matches!(kind, "int" | "double" | "number");
    let reads_numbers =
        |signature: Signature<'_>| signature.parameters.iter().any(|parameter| is_number(parameter.kind));
    match kind {
        Type::Timestamp | Type::Duration => time_help(function),
        Type::Null | Type::List(_) | Type::Map(_) | Type::Object(_) if function == Function::String => {
            TEXT_HELP.to_owned()
        }
        Type::String if function.form() != Form::Operator && function.signatures().all(reads_numbers) => {
            format!("{}; `double(x)` reads a number from text", help(function))
        }
        _ => help(function),
    }
}

/// `!x in list` negates `x`.
#[inline(never)]
pub(super) fn explain_negation(function: Function, call: &Call, errors: &mut [Error]) {
    let ([left, right], true) = (call.args.as_slice(), function == Function::In || is_comparison(function))
    else {
        return;
    };
    let Kind::Call(Call { function: Some(Function::Not), args, .. }) = &left.kind else { return };
    if let ([value], [error, ..]) = (args.as_slice(), errors)
        && error.code == TYPE
        && error.span == value.span
    {
        error.message = format!("`!` applies to `{value}` alone");
        error.help = Some(format!("write `!({value} {} {right})`", function.name()));
    }
}

/// `1 < x < 5` compares a truth value with 5.
fn chain_help(function: Function, call: &Call) -> Option<String> {
    let ([left, right], Kind::Call(inner)) = (call.args.as_slice(), &call.args.first()?.kind) else {
        return None;
    };
    let middle = inner.args.last().filter(|_| inner.function.is_some_and(is_comparison))?;
    is_comparison(function).then(|| format!("write `{left} && {middle} {} {right}`", function.name()))
}

pub(super) fn with_number(error: Error, left: &Expr, right: &Expr, a: &Type, b: &Type) -> Error {
    for (quoted, other) in [(left, b), (right, a)] {
        let Kind::Literal(Literal::Text(text)) = &quoted.kind else { continue };
        if other.members().iter().any(Type::is_number) && parse_float(text).is_some_and(f64::is_finite) {
            return error.help(&format!("write `{text}` without quotes")).fix(quoted.span, text);
        }
    }
    if error.help.is_some() {
        error
    } else {
        error.help("compare values of one type, or convert one of them")
    }
}

/// Whether some signature accepts these first operands.
fn accepts_up_to(function: Function, call: &Call, args: &[(Span, Type)]) -> bool {
    let method = call.target.is_some();
    function.signatures().filter(|it| it.receiver.is_some() == method).any(|it| {
        args.iter().enumerate().all(|(at, (_, kind))| {
            parameter(&it, at).is_some_and(|wanted| fit_type(wanted, kind, &mut Vec::new()) != Fit::Never)
        })
    })
}
