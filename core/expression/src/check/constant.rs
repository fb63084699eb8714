//! Finds conditions that do not depend on the data, and parts without data that always fail.

use super::Checker;
use crate::arena::ExpressionArena;
use crate::ast::{Ast, Expr, Kind, Literal};
use crate::base::Code;
use crate::error::{CONSTANT, DIVIDE_BY_ZERO, Error, INVALID_VALUE, OUT_OF_RANGE, OVERFLOW, TOO_COSTLY};
use crate::evaluate::{Limits, help};
use crate::function::Function;
use crate::parser::is_comparison;
use crate::program::Program;
use crate::value_source::JsonSource;

const LIMITS: Limits = Limits { steps: 10_000, bytes: 100_000 };

/// The cost of all programs that a check evaluates.
pub(super) const BUDGET: usize = 100_000;

/// Codes of evaluations, which do not count if another operand of `&&` or `||` decides.
pub const RUN_TIME_CODES: [Code; 4] = [OVERFLOW, DIVIDE_BY_ZERO, OUT_OF_RANGE, INVALID_VALUE];

impl Checker<'_> {
    /// A condition that already has an error gets no second one.
    pub(super) fn report_constant(&mut self, expr: &Expr) {
        let Some(truth) = constant(expr) else { return };
        let known = |error: &Error| error.span.start >= expr.span.start && error.span.end <= expr.span.end;
        if self.errors.iter().any(known) {
            return;
        }
        let message = format!("the condition is always {truth}");
        let error = Error::new(CONSTANT, expr.span, &message);
        self.errors.push(error.help("compare data, as in `last.count > 1`, or remove the condition"));
    }

    /// Reports a part without data whose evaluation fails, such as `math.least([])` or `9223372036854775807 + 1`,
    /// and one that is always missing, such as `[1][3]`. Of nested parts it reports the innermost. The errors from
    /// `known` on are those of its parts.
    pub(super) fn report_failing(&mut self, expr: &Expr, known: usize) {
        if self.errors.len() > known {
            return self.forgive_decided(expr, known);
        }
        let reads = matches!(expr.kind, Kind::Index(_) | Kind::Select(_));
        let error = match self.constant_part(expr) {
            Some(Err(error)) if error.code != TOO_COSTLY => error,
            Some(Ok(constant)) if reads && constant.is_missing => {
                let error = Error::new(CONSTANT, expr.span, "the value is always missing");
                error.help("write a position or a key that the value has")
            }
            _ => return,
        };
        let usage = match &expr.kind {
            Kind::Call(call) if error.help.is_none() => call.function.map(help),
            _ => None,
        };
        self.errors.push(match usage {
            Some(usage) => error.help(&usage),
            None => error,
        });
    }

    /// In `1 / 0 == 1 || true` the right side decides, so the error of the left side does not count.
    #[inline(never)]
    fn forgive_decided(&mut self, expr: &Expr, known: usize) {
        let function = if let Kind::Call(call) = &expr.kind { call.function } else { None };
        let joins = matches!(function, Some(Function::And | Function::Or));
        let fails_later = |error: &Error| RUN_TIME_CODES.contains(&error.code);
        let errors = self.errors.get(known..).unwrap_or_default();
        if joins && errors.iter().all(fails_later) && matches!(self.evaluated_part(expr), Some(Ok(_))) {
            self.errors.truncate(known);
        }
    }

    fn constant_part(&mut self, expr: &Expr) -> Option<Result<Constant, Error>> {
        use Function::{And, Coalesce, Conditional, Has, Or};
        let may_fail = match &expr.kind {
            // Other parts of these have been evaluated.
            Kind::Call(call) => !matches!(call.function?, And | Or | Coalesce | Conditional | Has),
            Kind::Index(_) | Kind::Select(_) | Kind::Comprehension(_) => true,
            _ => false,
        };
        if may_fail { self.evaluated_part(expr) } else { None }
    }

    #[inline(never)]
    fn evaluated_part(&mut self, expr: &Expr) -> Option<Result<Constant, Error>> {
        if self.budget == 0 {
            return None;
        }
        let program = Program::of_part(expr).ok()?;
        // A part is evaluated again in each part around it.
        self.budget = self.budget.saturating_sub(program.cost());
        (self.budget > 0).then(|| evaluated(&program))
    }
}

/// Reports a comparison whose operands are constants.
pub(crate) fn constant_comparison(ast: &Ast) -> Option<Error> {
    let Kind::Call(call) = &ast.root.kind else { return None };
    let truth = constant(&ast.root).filter(|_| call.function.is_some_and(is_comparison))?;
    let error = Error::new(CONSTANT, ast.root.span, &format!("the comparison is always {truth}"));
    Some(error.help("compare data, as in `last.count > 1`"))
}

/// `None` if data can change it.
fn constant(expr: &Expr) -> Option<bool> {
    if let Kind::Literal(Literal::Bool(truth)) = &expr.kind {
        return Some(*truth);
    }
    if !has_name(expr) {
        return evaluated(&Program::of_part(expr).ok()?).ok()?.truth;
    }
    let Kind::Call(call) = &expr.kind else { return None };
    let mut parts = call.args.iter().map(constant);
    match call.function {
        // One decisive operand is enough.
        Some(Function::Or) => parts.any(|part| part == Some(true)).then_some(true),
        Some(Function::And) => parts.any(|part| part == Some(false)).then_some(false),
        Some(Function::Not) => parts.next().flatten().map(|truth| !truth),
        _ => None,
    }
}

/// Whether an expression contains a name or could not be parsed.
fn has_name(expr: &Expr) -> bool {
    if matches!(expr.kind, Kind::Ident(_) | Kind::Broken(_)) {
        return true;
    }
    let mut found = false;
    expr.each(&mut |part| found = found || has_name(part));
    found
}

struct Constant {
    truth: Option<bool>,
    is_missing: bool,
}

/// Evaluates without data.
fn evaluated(program: &Program) -> Result<Constant, Error> {
    let host = JsonSource::new(Vec::new());
    let arena = ExpressionArena::new();
    let outcome = program.evaluate(&host, &arena, LIMITS)?;
    Ok(Constant { truth: outcome.truth(), is_missing: outcome.is_missing() })
}
