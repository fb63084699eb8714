//! The result of parsing, and whether its tree is whole.

use crate::ast::{Ast, Expr};
use crate::error::{ARGUMENTS, Error, UNKNOWN_FUNCTION, UNKNOWN_ROOT};

/// Parsed text.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The tree.
    pub ast: Ast,
    /// In text order.
    pub errors: Vec<Error>,
}

impl Parsed {
    /// Whether the errors left no gap in the tree, so that its types can be checked: unknown names and wrong
    /// arguments.
    pub(crate) fn is_whole(&self) -> bool {
        let leaves_no_gap = |error: &Error| matches!(error.code, UNKNOWN_FUNCTION | UNKNOWN_ROOT | ARGUMENTS);
        self.errors.is_empty() || self.errors.iter().all(leaves_no_gap) && !has_gap(&self.ast.root)
    }
}

fn has_gap(expr: &Expr) -> bool {
    let mut found = expr.is_broken();
    expr.each(&mut |part| found = found || has_gap(part));
    found
}
