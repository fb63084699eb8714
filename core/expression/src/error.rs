//! Every error that an expression can have, before and during evaluation.

use crate::base::{Code, OpId, Segment, SourceMap, Span, TextEdit, is_root, shorten_name};
use stepgraph_text::diagnostic::Diagnostic;

pub(crate) const MAX_ERRORS: usize = 10;

pub(crate) const SYNTAX: Code = Code::ExpressionSyntax;
pub(crate) const UNSUPPORTED: Code = Code::ExpressionUnsupported;
pub(crate) const TOO_DEEP: Code = Code::ExpressionTooDeep;
pub(crate) const TOO_LONG: Code = Code::ExpressionTooLong;
pub(crate) const UNKNOWN_ROOT: Code = Code::UnknownRoot;
pub(crate) const UNKNOWN_FUNCTION: Code = Code::ExpressionUnknownFunction;
pub(crate) const ARGUMENTS: Code = Code::ExpressionArguments;
pub(crate) const TYPE: Code = Code::ExpressionType;
pub(crate) const UNKNOWN_FIELD: Code = Code::ExpressionUnknownField;
pub(crate) const CONSTANT: Code = Code::ExpressionConstant;
pub(crate) const MAY_BE_NULL: Code = Code::ExpressionNull;
pub(crate) const OVERFLOW: Code = Code::ExpressionOverflow;
pub(crate) const DIVIDE_BY_ZERO: Code = Code::ExpressionDivideByZero;
pub(crate) const OUT_OF_RANGE: Code = Code::ExpressionOutOfRange;
pub(crate) const INVALID_VALUE: Code = Code::ExpressionInvalidValue;
pub(crate) const TOO_COSTLY: Code = Code::ExpressionTooCostly;

/// The message for a quoted text without an end.
pub const UNCLOSED_QUOTE: &str = "a quote is not closed";

/// In diagnostics order.
pub const CODES: &[Code] = &[
    SYNTAX,
    UNSUPPORTED,
    TOO_DEEP,
    TOO_LONG,
    UNKNOWN_ROOT,
    UNKNOWN_FUNCTION,
    ARGUMENTS,
    TYPE,
    UNKNOWN_FIELD,
    CONSTANT,
    MAY_BE_NULL,
    OVERFLOW,
    DIVIDE_BY_ZERO,
    OUT_OF_RANGE,
    INVALID_VALUE,
    TOO_COSTLY,
];

/// For a name that is no root, variable or type.
pub(crate) fn unknown_root(name: &str, span: Span) -> Error {
    let short = shorten_name(name);
    if is_root(name) {
        let error = Error::new(UNKNOWN_ROOT, span, &format!("no type or value of `{short}` was passed"));
        return error.help(&format!(
            "pass `{short}` to the check with its type, or to the evaluation with its value"
        ));
    }
    let error = Error::new(UNKNOWN_ROOT, span, &format!("`{short}` is not the beginning of a reference"));
    error.vague_help("put a text in quotes, or begin with a known root such as `last`")
}

/// A mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Its code.
    pub code: Code,
    /// In the expression's bytes.
    pub span: Span,
    /// The message.
    pub message: String,
    /// How to correct it.
    pub help: Option<String>,
    /// Corrects it, in the expression's bytes.
    pub fix: Option<TextEdit>,
    /// The element of the outermost macro around it.
    pub(crate) element: Option<Box<Element>>,
    /// Whether the help names the forms of the language, not the way out of this mistake.
    pub(crate) is_vague: bool,
}

/// An element that a macro could not evaluate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    /// Computes the list or map.
    pub(crate) range: OpId,
    /// Its position or key.
    pub(crate) at: Segment,
    /// Of a macro inside.
    pub(crate) inner: Option<Box<Element>>,
}

impl Error {
    // Each call must be small, as there are about a hundred.
    #[inline(never)]
    pub(crate) fn new(code: Code, span: Span, message: &str) -> Self {
        Self {
            code,
            span,
            message: message.to_owned(),
            help: None,
            fix: None,
            element: None,
            is_vague: false,
        }
    }

    /// Whether this error of the expression parser explains more than that of the simpler parser: it came
    /// further, or knows more than the syntax, or the other one names no remedy of its own. A fix shows that the
    /// simpler parser knows the intent.
    pub(crate) fn explains_more(&self, plain: &Self) -> bool {
        let is_specific = matches!(self.code, UNKNOWN_FUNCTION | ARGUMENTS | UNSUPPORTED);
        let is_clearer = self.span.start == plain.span.start && plain.is_vague && !self.is_vague;
        plain.fix.is_none() && (self.span.start > plain.span.start || is_specific || is_clearer)
    }

    /// The text begins `by` bytes earlier.
    #[must_use]
    pub(crate) fn shifted(mut self, by: usize) -> Self {
        self.span = self.span.shifted(by);
        self.fix = self.fix.map(|edit| TextEdit { span: edit.span.shifted(by), ..edit });
        self
    }

    /// Places the error in the file.
    pub fn into_diagnostic(self, source_map: &SourceMap<'_>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code, self.message).at(source_map.to_file(self.span));
        diagnostic.help = self.help;
        diagnostic.fix = self.fix.and_then(|edit| source_map.edit_in_file(&edit)).into_iter().collect();
        diagnostic
    }

    #[must_use]
    #[inline(never)]
    pub(crate) fn help(mut self, help: &str) -> Self {
        (self.help, self.is_vague) = (Some(help.to_owned()), false);
        self
    }

    /// Help that fits many mistakes. Another parser's error may explain more.
    #[must_use]
    pub(crate) fn vague_help(self, help: &str) -> Self {
        Self { is_vague: true, ..self.help(help) }
    }

    #[must_use]
    #[inline(never)]
    pub(crate) fn fix(mut self, span: Span, text: &str) -> Self {
        self.fix = Some(TextEdit { span, text: text.to_owned() });
        self
    }
}

/// Sorts by position. The sort of `std` adds 3 kB of WebAssembly.
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
        write!(f, "error[{}]: {}", self.code.slug(), self.message)
    }
}

impl std::error::Error for Error {}
