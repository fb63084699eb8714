//! Reports literal operands with which a function always fails.

use super::Checker;
use crate::ast::{Call, Expr, Kind, Literal};
use crate::base::{Span, is_root};
use crate::error::{CONSTANT, DIVIDE_BY_ZERO, Error, OUT_OF_RANGE, TYPE};
use crate::evaluate::{SLICE_HELP, invalid_zone};
use crate::function::Function;
use crate::program::path_of;
use crate::time::offset;

impl Checker<'_> {
    pub(super) fn report_literals(&mut self, function: Function, call: &Call) {
        match (function, call.args.as_slice()) {
            (Function::Divide | Function::Modulo, [_, divisor]) => self.report_zero(divisor),
            (Function::Slice, [from, to]) => self.report_slice(from, to),
            (_, [zone]) => self.report_zone(function, zone),
            _ => {}
        }
    }

    fn report_zero(&mut self, divisor: &Expr) {
        let zero = match &divisor.kind {
            Kind::Literal(Literal::Int(number)) => *number == 0,
            Kind::Literal(Literal::Double(number)) => *number == 0.0,
            _ => false,
        };
        if zero {
            let error = Error::new(DIVIDE_BY_ZERO, divisor.span, "a number is divided by zero");
            self.errors.push(error.help("divide by another number"));
        }
    }

    /// Reports `list.slice(2, 0)` and `list.slice(-1, 2)`.
    #[inline(never)]
    fn report_slice(&mut self, from: &Expr, to: &Expr) {
        let position = |expr: &Expr| match expr.kind {
            Kind::Literal(Literal::Int(number)) => Some(number),
            _ => None,
        };
        let negative = [from, to].into_iter().find(|expr| position(expr).is_some_and(|at| at < 0));
        let ends_early = position(from).zip(position(to)).is_some_and(|(from, to)| from > to);
        let (span, message) = match negative {
            Some(expr) => (expr.span, "a position in a list is not negative"),
            None if ends_early => (to.span, "`slice` ends before it starts"),
            None => return,
        };
        self.errors.push(Error::new(OUT_OF_RANGE, span, message).help(SLICE_HELP));
    }

    /// Reports `type(last.n) == int`.
    pub(super) fn report_type_of_data(
        &mut self,
        function: Function,
        sides: (&Expr, &Expr),
        span: Span,
    ) -> bool {
        let tested = |(left, right): (&Expr, &Expr)| match (&left.kind, &right.kind) {
            (Kind::Call(Call { function: Some(Function::TypeOf), args, .. }), Kind::Ident(name)) => {
                let of_data = args.first().is_some_and(|arg| self.is_data(arg));
                (of_data && matches!(name.text.as_str(), "int" | "uint")).then(|| name.clone())
            }
            _ => None,
        };
        let Some(name) = tested(sides).or_else(|| tested((sides.1, sides.0))) else { return false };
        let always = result_of_unequal(function);
        let message = format!("the comparison {always}: data has no `{}`", name.text);
        let error = Error::new(CONSTANT, span, &message);
        let help = "numbers of the data are doubles: write `double`";
        self.errors.push(error.help(help).fix(name.span, "double"));
        true
    }

    /// Whether it is a path of data, and of no variable.
    fn is_data(&self, expr: &Expr) -> bool {
        let (base, _) = path_of(expr);
        matches!(&base.kind, Kind::Ident(name) if self.variable(&name.text).is_none() && is_root(&name.text))
    }

    /// Reports `x.getHours("Europe/Berlin")`.
    fn report_zone(&mut self, function: Function, zone: &Expr) {
        if let Kind::Literal(Literal::Text(text)) = &zone.kind
            && function.signatures().any(|it| it.receiver == Some("timestamp"))
            && offset(text).is_none()
        {
            self.errors.push(invalid_zone(text, zone.span));
        }
    }
}

/// Of values that are never equal. A missing value satisfies no comparison.
pub(super) fn result_of_unequal(function: Function) -> &'static str {
    if function == Function::Equal { "never holds" } else { "holds for each value" }
}

#[inline(never)]
pub(super) fn quoted_number(span: Span, text: &str) -> Error {
    let message = format!("\"{text}\" is text, and texts of digits have another order");
    let help = "write the number without quotes, or `string(…)` around the other side";
    Error::new(TYPE, span, &message).help(help).fix(span, text)
}
