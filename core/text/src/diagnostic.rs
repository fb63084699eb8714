//! Diagnostics: errors, warnings and hints about a document.
//!
//! Invariants:
//! 1. One table contains every [`Code`].
//! 2. A slug never changes its meaning.
//! 3. Spans are byte offsets. Only the JavaScript boundary converts them to UTF-16.
//!
//! Source: `docs/diagnostics.md`.

mod code;
mod collector;
mod suggest;

pub use code::{Code, CodeInfo};
pub use collector::{DiagnosticCollector, MAX_PROBLEMS};
use std::fmt;
pub use suggest::{closest_name, is_typo};

/// The severity of a diagnostic.
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
    /// The name in JSON and on the terminal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// A half-open range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// After the last byte.
    pub end: usize,
}

impl Span {
    /// Creates a span.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Creates an empty span.
    pub fn at(at: usize) -> Self {
        Self { start: at, end: at }
    }

    /// Moves the span by `by` bytes, back if `by` wraps around.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self { start: self.start.wrapping_add(by), end: self.end.wrapping_add(by) }
    }

    /// Returns a part, relative to `start`.
    #[must_use]
    pub fn slice(self, from: usize, to: usize) -> Self {
        Self::new((self.start + from).min(self.end), (self.start + to).min(self.end))
    }
}

/// The subject of a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// The whole document.
    #[default]
    Document,
    /// A node's scope and key, as in `fan/a/fetch`.
    Node(String),
    /// An edge's scope (empty for the plan's own graph) and index.
    Edge(String, usize),
    /// An edge's condition.
    Condition(String, usize),
    /// The index of a planned tool call.
    Call(usize),
}

/// A second span with an explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Labelled span.
    pub span: Span,
    /// Its text.
    pub message: String,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// Empty to insert.
    pub span: Span,
    /// Empty to delete.
    pub text: String,
}

/// One diagnostic.
///
/// # Shape
/// `message` is lower-case, without a period, with names in back-ticks. `help` is one imperative sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind.
    pub code: Code,
    /// It may differ from the code's default.
    pub severity: Severity,
    /// The problem.
    pub message: String,
    /// The place in the plan.
    pub target: Target,
    /// `None` if the graph came from no text.
    pub span: Option<Span>,
    /// Explaining spans.
    pub labels: Vec<Label>,
    /// The remedy.
    pub help: Option<String>,
    /// The remedy's edits.
    pub fix: Vec<TextEdit>,
}

impl Diagnostic {
    /// Creates one with the code's default severity and no location.
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

    /// Sets the target.
    #[must_use]
    pub fn on(mut self, target: Target) -> Self {
        self.target = target;
        self
    }

    /// Sets the span.
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

    /// All spans of the diagnostic.
    pub fn spans_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        let labels = self.labels.iter_mut().map(|label| &mut label.span);
        self.span.iter_mut().chain(labels).chain(self.fix.iter_mut().map(|edit| &mut edit.span))
    }

    /// The range from the first to the last span.
    pub fn extent(&self) -> Option<Span> {
        let labels = self.labels.iter().map(|label| label.span);
        let all = self.span.into_iter().chain(labels).chain(self.fix.iter().map(|edit| edit.span));
        all.reduce(|a, b| Span { start: a.start.min(b.start), end: a.end.max(b.end) })
    }

    /// Whether this prevents a run, unlike errors in tests and stubs.
    pub fn blocks_runs(&self) -> bool {
        let of_test = matches!(self.code, Code::UnknownInTest | Code::UnusedStub)
            || self.code.slug().starts_with("stub/");
        self.is_error() && !of_test
    }

    /// Whether it's an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity.as_str(), self.code.slug(), self.message)
    }
}

/// Sorts stably by position, those without a span first.
///
/// A library sort would add much code.
pub fn sorted_by_position(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let start = |diagnostic: &Diagnostic| diagnostic.span.map_or(0, |span| span.start);
    let mut ordered: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics {
        let at = ordered.partition_point(|earlier| start(earlier) <= start(&diagnostic));
        ordered.insert(at, diagnostic);
    }
    ordered
}

/// Shortens a name for messages, and escapes control characters.
pub fn shorten_name(name: &str) -> String {
    const MAX_NAME_CHARS: usize = 80;
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
