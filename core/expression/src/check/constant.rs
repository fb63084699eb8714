//! Finds conditions that do not depend on the data.

use super::Checker;
use crate::arena::ExpressionArena;
use crate::ast::{Ast, Call, Expr, Kind, Literal};
use crate::error::{CONSTANT, Error};
use crate::evaluate::{Limits, help};
use crate::function::{Form, Function};
use crate::json::Roots;
use crate::parser::is_comparison;
use crate::program::Program;
use crate::value_source::JsonSource;

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

    /// Reports calls that always fail, such as `duration("3d")`.
    pub(super) fn report_failing(&mut self, call: &Call, expr: &Expr) {
        let is_literal = |arg: &Expr| matches!(arg.kind, Kind::Literal(_));
        let operands = || call.target.iter().map(|target| &**target).chain(&call.args);
        let is_operator = call.function.is_none_or(|function| function.form() == Form::Operator);
        if is_operator || !operands().all(is_literal) {
            return;
        }
        if let (Some(Err(error)), Some(function)) = (evaluated(expr), call.function) {
            let known = error.help.clone();
            self.errors.push(error.help(&known.unwrap_or_else(|| help(function))));
        }
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
        return evaluated(expr)?.ok()?;
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

/// Evaluates an expression without data, as a condition. `None` if it can't be compiled.
fn evaluated(expr: &Expr) -> Option<Result<Option<bool>, Error>> {
    let program = Program::compile(&Ast { root: expr.clone() }, &mut Roots::new(&[])).ok()?;
    let host = JsonSource::new(Vec::new());
    let limits = Limits { steps: 10_000, bytes: 100_000 };
    let arena = ExpressionArena::new();
    Some(program.evaluate(&host, &arena, limits).map(|outcome| outcome.truth()))
}
