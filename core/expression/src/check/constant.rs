//! Finds conditions that do not depend on the data.

use super::Checker;
use crate::ast::{Ast, Expr, Kind, Literal};
use crate::error::{CONSTANT, Error};
use crate::evaluate::Limits;
use crate::function::Function;
use crate::host::JsonHost;
use crate::json::Roots;
use crate::memory::Memory;
use crate::program::Program;

impl Checker<'_> {
    /// Reports a condition that is always true or always false. A condition that already has an error gets no second
    /// one.
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
}

/// Returns the value of a condition that no data can change.
fn constant(expr: &Expr) -> Option<bool> {
    if let Kind::Literal(Literal::Bool(truth)) = &expr.kind {
        return Some(*truth);
    }
    if !refers(expr) {
        return evaluated(expr);
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
fn refers(expr: &Expr) -> bool {
    if matches!(expr.kind, Kind::Ident(_) | Kind::Broken(_)) {
        return true;
    }
    let mut found = false;
    expr.each(&mut |part| found = found || refers(part));
    found
}

fn evaluated(expr: &Expr) -> Option<bool> {
    let program = Program::compile(&Ast { root: expr.clone() }, &mut Roots::new(&[])).ok()?;
    let host = JsonHost::new(Vec::new());
    let limits = Limits { steps: 10_000, bytes: 100_000 };
    let memory = Memory::new();
    let outcome = program.evaluate(&host, &memory, limits).ok()?;
    outcome.truth()
}
