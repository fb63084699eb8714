//! Problems of expressions, placed in the file.
//!
//! Decides nothing: where a part of a text stands is found out by [`crate::source::places`].

pub(super) use crate::source::places::Places;

use crate::diagnostic::Diagnostic;
use crate::expr::ExprError;
use crate::list::List;

impl Places<'_> {
    /// A problem of an expression, placed in the file.
    pub(super) fn place(&self, error: ExprError) -> Diagnostic {
        let mut problem = Diagnostic::new(error.code, error.message).at(self.of(error.span));
        problem.help = error.help;
        problem.fix = error.fix.and_then(|edit| self.edit(&edit)).into_iter().list();
        problem
    }
}
