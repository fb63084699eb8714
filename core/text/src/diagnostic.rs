//! Diagnostics: errors, warnings and hints about a document.
//!
//! Invariants:
//! 1. One table contains every [`Code`]. The docs, the TypeScript union and the coverage test come from it.
//! 2. A slug never changes its meaning.
//! 3. Spans are byte offsets into the original text. Only the JavaScript boundary converts them to UTF-16.
//!
//! Source: `docs/diagnostics.md`.

mod code;
mod collector;
mod suggest;

pub use code::{Code, CodeInfo};
pub use collector::{DiagnosticCollector, MAX_PROBLEMS};
use std::fmt;
pub use suggest::closest_name;

/// The severity of a diagnostic. Errors prevent a run, except those in tests and stubs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A mistake.
    Error,
    /// Probably a mistake.
    Warning,
    /// A possible improvement.
    Hint,
}

impl Severity {
    /// Returns the name in JSON and on the terminal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// A half-open range of bytes of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Creates the span from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Creates an empty span.
    pub fn at(at: usize) -> Self {
        Self { start: at, end: at }
    }

    /// Returns the span moved forward by `by` bytes. A `by` that wraps around moves it back.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self { start: self.start.wrapping_add(by), end: self.end.wrapping_add(by) }
    }

    /// Returns the part from `from` to `to`, both relative to the start of this span.
    #[must_use]
    pub fn slice(self, from: usize, to: usize) -> Self {
        Self::new((self.start + from).min(self.end), (self.start + to).min(self.end))
    }
}

/// The part of the plan that a diagnostic refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// The whole document.
    #[default]
    Document,
    /// A node: its scope, then its key in `nodes`, as in `fan/a/fetch`.
    Node(String),
    /// An edge: its scope, and its index in `edges`. The plan's own graph has an empty scope.
    Edge(String, usize),
    /// The condition of an edge: the scope, and the edge's index.
    Condition(String, usize),
    /// A planned tool call: its index in `tool_calls`.
    Call(usize),
}

/// A second span that explains the diagnostic, with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The labelled span.
    pub span: Span,
    /// The text of the label, such as "first defined here".
    pub message: String,
}

/// One replacement in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The range to replace. Empty to insert.
    pub span: Span,
    /// The new text. Empty to delete.
    pub text: String,
}

/// One diagnostic of a document.
///
/// # Shape
/// `message` is lower-case, without a period, with names in back-ticks. `help` is one imperative sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of the diagnostic.
    pub code: Code,
    /// The severity, which may differ from the code's default.
    pub severity: Severity,
    /// The description of the error.
    pub message: String,
    /// The part of the plan.
    pub target: Target,
    /// The range in the text, if the graph came from a text.
    pub span: Option<Span>,
    /// Further ranges that explain the diagnostic.
    pub labels: Vec<Label>,
    /// How to fix it.
    pub help: Option<String>,
    /// The edits that fix it.
    pub fix: Vec<TextEdit>,
}

impl Diagnostic {
    /// Creates a diagnostic with the code's default severity and no location.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            target: Target::Document,
            span: None,
            labels: Vec::new(),
            help: None,
            fix: Vec::new(),
        }
    }

    /// Sets the part of the plan.
    #[must_use]
    pub fn on(mut self, target: Target) -> Self {
        self.target = target;
        self
    }

    /// Sets the range in the text.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Sets the help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a label.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds an edit to the fix.
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix.push(TextEdit { span, text: text.into() });
        self
    }

    /// Returns all spans of the diagnostic.
    pub fn spans_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        let labels = self.labels.iter_mut().map(|label| &mut label.span);
        self.span.iter_mut().chain(labels).chain(self.fix.iter_mut().map(|edit| &mut edit.span))
    }

    /// Returns the range from the first to the last span.
    pub fn extent(&self) -> Option<Span> {
        let labels = self.labels.iter().map(|label| label.span);
        let all = self.span.into_iter().chain(labels).chain(self.fix.iter().map(|edit| edit.span));
        all.reduce(|a, b| Span { start: a.start.min(b.start), end: a.end.max(b.end) })
    }

    /// Returns whether this prevents a run. Errors in tests and stubs do not.
    pub fn blocks_runs(&self) -> bool {
        let of_test = self.code == Code::UnknownInTest || self.code.slug().starts_with("stub/");
        self.is_error() && !of_test
    }

    /// Returns whether the severity is [`Severity::Error`].
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity.as_str(), self.code.slug(), self.message)
    }
}

/// Sorts diagnostics by their position in the document. The sort is stable. Diagnostics without a span come first.
///
/// Insertion sort is enough, as the number of diagnostics is limited. A library sort would add a lot of code.
pub fn sorted_by_position(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let start = |diagnostic: &Diagnostic| diagnostic.span.map_or(0, |span| span.start);
    let mut ordered: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics {
        let at = ordered.partition_point(|earlier| start(earlier) <= start(&diagnostic));
        ordered.insert(at, diagnostic);
    }
    ordered
}

/// Shortens a name for messages, and escapes line breaks and other control characters.
pub fn shorten_name(name: &str) -> String {
    const MAX_NAME_CHARS: usize = 40;
    let mut short = String::new();
    for (at, c) in name.chars().enumerate() {
        if at == MAX_NAME_CHARS {
            short.push('…');
            break;
        }
        if c.is_control() { short.extend(c.escape_default()) } else { short.push(c) }
    }
    short
}
