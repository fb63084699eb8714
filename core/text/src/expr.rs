//! References, conditions and templates: read once, when the plan is read.
//!
//! Decides the two small languages of a plan file. Knows nothing of graphs, runs or values; the engine evaluates.
//!
//! Invariants:
//! 1. reading never panics and takes linear time; nesting is bounded;
//! 2. what was read prints back to text that reads the same.

pub mod condition;
mod cursor;
pub mod literal;
pub mod reference;
pub mod template;

pub use condition::{Atom, Condition, Expr, Predicate};
pub use literal::Literal;
pub use reference::{Reference, Root};
pub use reference::{is_key_char, is_root};
pub use template::{Template, TemplatePart};

use crate::diagnostic::{Code, Diagnostic, Span, TextEdit};
use crate::source::source_map::SourceMap;

/// What is wrong with a condition or a template, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExprError {
    /// Which kind of problem.
    pub code: Code,
    /// Where, in bytes of the expression's own text.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: Option<String>,
    /// The edit that mends it, in bytes of the expression's own text.
    pub fix: Option<TextEdit>,
}

impl ExprError {
    /// The problem with its place in the file.
    pub fn into_diagnostic(self, source_map: &SourceMap<'_>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code, self.message).at(source_map.to_file(self.span));
        diagnostic.help = self.help;
        diagnostic.fix = self.fix.and_then(|edit| source_map.edit_in_file(&edit)).into_iter().collect();
        diagnostic
    }

    fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { code, span, message: message.into(), help: None, fix: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix = Some(TextEdit { span, text: text.into() });
        self
    }
}
