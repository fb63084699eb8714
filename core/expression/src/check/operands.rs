//! Reports operands that an operator or a function does not accept, and says what to write.

use super::Checker;
use super::call::{Fit, fit_type, operands, parameter};
use crate::ast::{Call, Expr, Kind, Literal};
use crate::base::{Span, parse_float, shorten_name};
use crate::error::{CONSTANT, Error, MAY_BE_NULL, TYPE};
use crate::evaluate::{JOIN_HELP, TEXT_HELP, help, time_help};
use crate::function::{Form, Function, Signature};
use crate::parser::{is_comparison, is_path};
use crate::types::Type;

impl Checker<'_> {
    /// Reports `last.n in ["a"]` and `["a"].contains(last.n)`: no element can be equal.
    #[inline(never)]
    pub(super) fn report_no_member(
        &mut self,
        function: Function,
        call: &Call,
        args: &[(Span, Type)],
        expr: &Expr,
    ) {
        let mut sides: Vec<_> = operands(call).zip(args.iter().map(|(_, kind)| kind)).collect();
        if function == Function::Contains {
            sides.reverse();
        }
        let [(member, kind), (list, Type::List(element))] = sides.as_slice() else { return };
        if kind.overlaps(element) {
            return;
        }
        let message =
            format!("the comparison never holds: {} differs from {}", kind.describe(), element.describe());
        let error = Error::new(CONSTANT, expr.span, &message);
        self.errors.push(with_number(error, member, list, kind, element));
    }

    /// Reports operands whose schema allows `null` where the function does not.
    pub(super) fn report_null(&mut self, function: Function, call: &Call, args: &[(Span, Type)]) {
        for (at, (operand, (_, kind))) in operands(call).zip(args).enumerate() {
            if kind.may_be_null() {
                if !accepts_null(function, call, at) {
                    self.hint_null(Some((function, at)), operand, kind);
                }
            } else if may_hold_null(kind) && compares_elements(function) {
                self.hint_null_element(function, operand);
            }
        }
    }

    /// `by` does not accept `null`: an operand of a function, or `None` for a condition.
    #[inline(never)]
    pub(super) fn hint_null(&mut self, by: Option<(Function, usize)>, operand: &Expr, kind: &Type) {
        if self.is_tested(operand) {
            return;
        }
        let (written, name) =
            (shorten_name(&operand.to_string()), by.map_or("a condition".to_owned(), |(it, _)| called(it)));
        let message = format!("`{written}` may be null, which {name} does not accept");
        let help = null_help(by, if is_path(operand) { &written } else { "x" }, &kind.without_null());
        self.errors.push(Error::new(MAY_BE_NULL, operand.span, &message).help(&help));
    }

    #[inline(never)]
    fn hint_null_element(&mut self, function: Function, operand: &Expr) {
        let written = shorten_name(&operand.to_string());
        let message =
            format!("an element of `{written}` may be null, which {} does not accept", called(function));
        let list = if is_path(operand) { written.as_str() } else { "list" };
        let help = format!("leave it out, as in `{list}.filter(x, x != null)`");
        self.errors.push(Error::new(MAY_BE_NULL, operand.span, &message).help(&help));
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
            // The parser has reported the count. The call can't be evaluated.
            self.outermost = 0;
            return;
        }
        let name = function.name();
        if let ([(_, a), (_, b)], Form::Operator) = (args, function.form()) {
            let message = format!("`{name}` does not accept {} and {}", a.describe(), b.describe());
            let is_time = |kind: &Type| matches!(kind, Type::Timestamp | Type::Duration);
            let dates = call.args.iter().any(is_date);
            let plain =
                || if is_time(a) || is_time(b) || dates { time_help(function) } else { help(function) };
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
            let folds =
                matches!(function, Function::Join | Function::Least | Function::Greatest | Function::Sum);
            let elements = kind.members().iter().find_map(|kind| match kind {
                Type::List(element) if folds => Some(element.describe()),
                _ => None,
            });
            let error = |message: &str| Error::new(TYPE, *span, message);
            self.errors.push(match elements {
                Some(element) if function == Function::Join => {
                    error(&format!("`join` joins texts, not {element}")).help(JOIN_HELP)
                }
                Some(element) if function == Function::Sum => {
                    error(&format!("`sum` adds up numbers, not {element}"))
                        .help("write what to add up, as in `list.map(x, x.price).sum()`")
                }
                Some(element) => error(&format!("`{name}` compares numbers, not {element}"))
                    .help(&format!("write `{name}(list.map(x, double(x)))` to read numbers from texts")),
                None => error(&format!("`{name}` does not accept {}", kind.describe()))
                    .help(&argument_help(function, kind)),
            });
        }
    }
}

/// A text such as `"2026-01-31"`.
fn is_date(expr: &Expr) -> bool {
    let Kind::Literal(Literal::Text(text)) = &expr.kind else { return false };
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..4).all(is_digit) && bytes.get(4) == Some(&b'-') && (5..7).all(is_digit) && bytes.get(7) == Some(&b'-')
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
        Type::String if function.name().starts_with("get") => {
            format!("write `timestamp(x).{}()` to read a time from text", function.name())
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
/// As in messages.
fn called(function: Function) -> String {
    ["`", function.name(), "`"].concat()
}

fn may_hold_null(kind: &Type) -> bool {
    kind.members().iter().any(|member| matches!(member, Type::List(element) if element.may_be_null()))
}

fn compares_elements(function: Function) -> bool {
    use Function::{Greatest, Join, Least, Sort, Sum};
    matches!(function, Greatest | Join | Least | Sort | Sum)
}

/// What to write for an operand that may be `null`: a path, or `x`.
fn null_help(by: Option<(Function, usize)>, operand: &str, kind: &Type) -> String {
    use Function::{Bool, Divide, Double, Duration, Int, Modulo, Timestamp};
    let default = match by {
        // No text is certain to be one that they read.
        Some((function @ (Bool | Double | Duration | Int | Timestamp), _))
            if kind.overlaps(&Type::String) =>
        {
            let call = format!("{}({operand})", function.name());
            return format!("test it first, as in `{operand} != null ? {call} : …`");
        }
        Some((Divide | Modulo, 1)) => "1",
        _ => empty_value(kind),
    };
    let help = format!("write a default, as in `({operand} ?? {default})`");
    if operand == "x" { help } else { format!("{help}, or test `{operand} != null` first") }
}

fn empty_value(kind: &Type) -> &'static str {
    match kind.members().first() {
        Some(Type::String) => "\"\"",
        Some(Type::Bool) => "false",
        Some(Type::List(_)) => "[]",
        Some(Type::Map(_) | Type::Object(_)) => "{}",
        _ => "0",
    }
}

fn accepts_null(function: Function, call: &Call, at: usize) -> bool {
    let accepts = |signature: Signature<'_>| {
        let wanted = parameter(&signature, at);
        wanted.is_some_and(|wanted| fit_type(wanted, &Type::Null, &mut Vec::new()) < Fit::Never)
    };
    match function {
        // Membership accepts it on both sides.
        Function::In => true,
        // Any other scalar becomes text.
        Function::String => false,
        _ => function.signatures().filter(|it| it.receiver.is_some() == call.target.is_some()).any(accepts),
    }
}

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
