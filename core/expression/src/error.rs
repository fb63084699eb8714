//! Error codes, and errors with their position.
//!
//! Defines every error that an expression can have, before and during evaluation.

use crate::base::{Span, TextEdit};

/// The maximum number of reported errors in one expression.
pub(crate) const MAX_ERRORS: usize = 10;

/// Defines a constant, a slug and a one-line summary for each code.
macro_rules! codes {
    ($($name:ident $slug:literal $summary:literal;)*) => {
        $(#[doc = $summary] pub const $name: &str = $slug;)*
        /// Every code with its summary, in the order of the table.
        pub const CODES: &[(&str, &str)] = &[$(($slug, $summary),)*];
    };
}

codes! {
    SYNTAX "expression/syntax" "the text is not an expression";
    UNSUPPORTED "expression/unsupported" "a part of CEL that JSON values have no use for";
    TOO_DEEP "expression/too-deep" "the expression is nested too deeply";
    TOO_LONG "expression/too-long" "the expression is too long";
    UNKNOWN_ROOT "reference/unknown-root" "a name that is neither a root nor a variable";
    UNKNOWN_FUNCTION "expression/unknown-function" "no function has this name";
    ARGUMENTS "expression/arguments" "a function has too few or too many arguments";
    TYPE "expression/type" "an operator or a function does not accept a value of this type";
    UNKNOWN_FIELD "expression/unknown-field" "the value has no field of this name";
    CONSTANT "expression/constant" "the result does not depend on the data";
    OVERFLOW "expression/overflow" "a number is outside its range";
    DIVIDE_BY_ZERO "expression/divide-by-zero" "a number is divided by zero";
    OUT_OF_RANGE "expression/out-of-range" "a position is outside its text or list";
    INVALID_VALUE "expression/invalid-value" "a text can't be converted, or is not a valid pattern";
    TOO_COSTLY "expression/too-costly" "the evaluation takes more steps or memory than allowed";
}

/// An error in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Its code, one of [`CODES`].
    pub code: &'static str,
    /// Its position, in bytes of the expression's text.
    pub span: Span,
    /// The message.
    pub message: String,
    /// A hint how to correct it.
    pub help: Option<String>,
    /// An edit that corrects it, in bytes of the expression's text.
    pub fix: Option<TextEdit>,
}

impl Error {
    // About a hundred call sites exist, so each call must be small.
    #[inline(never)]
    pub(crate) fn new(code: &'static str, span: Span, message: &str) -> Self {
        Self { code, span, message: message.to_owned(), help: None, fix: None }
    }

    #[must_use]
    #[inline(never)]
    pub(crate) fn help(mut self, help: &str) -> Self {
        self.help = Some(help.to_owned());
        self
    }

    #[must_use]
    #[inline(never)]
    pub(crate) fn fix(mut self, span: Span, text: &str) -> Self {
        self.fix = Some(TextEdit { span, text: text.to_owned() });
        self
    }
}

/// Sorts a few errors by position. Uses insertion, because the sort of `std` adds 3 kB of WebAssembly.
pub(crate) fn in_order(errors: Vec<Error>) -> Vec<Error> {
    let mut ordered: Vec<Error> = Vec::with_capacity(errors.len());
    for error in errors {
        let at = ordered.partition_point(|other| other.span.start <= error.span.start);
        ordered.insert(at, error);
    }
    ordered
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "error[{}]: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}
