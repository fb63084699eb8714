//! What is wrong with a document, as a value.
//!
//! Decides the shape of every problem a user can be told about: a code, a severity, a message, a place in the graph, a
//! place in the text, further labels, one imperative help, a fix. Knows nothing of rendering or of JavaScript.
//!
//! Invariants:
//! 1. every [`Code`] stands in one table, which also yields the docs, the TypeScript union and the coverage test;
//! 2. a slug never changes its meaning;
//! 3. spans are byte offsets into the text as given; they become UTF-16 at the JavaScript edge and only there.
//!
//! Source: `docs/diagnostics.md`.

mod code;
mod collector;
mod suggest;

pub use code::{Code, CodeInfo};
pub use collector::DiagnosticCollector;
use std::fmt;
pub use suggest::closest_name;

/// How bad a problem is: a graph with warnings runs, one with errors does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing runs.
    Error,
    /// Probably not what was meant.
    Warning,
    /// Could be better.
    Hint,
}

impl Severity {
    /// The word used in JSON and on the terminal.
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
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// From `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// An empty range at `at`.
    pub fn at(at: usize) -> Self {
        Self { start: at, end: at }
    }

    /// The same so many bytes further on, or back where `by` wraps around.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self { start: self.start.wrapping_add(by), end: self.end.wrapping_add(by) }
    }

    /// The part of this span that stands `from..to` bytes into it.
    #[must_use]
    pub fn slice(self, from: usize, to: usize) -> Self {
        Self::new((self.start + from).min(self.end), (self.start + to).min(self.end))
    }
}

/// Where in the graph a problem is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// The document as a whole.
    #[default]
    Document,
    /// A node, by its key in `nodes`, after the scope it stands in: `fan/a/fetch`.
    Node(String),
    /// An edge, by its position in `edges` of the graph at that scope, which is empty for the plan's own.
    Edge(String, usize),
    /// The condition of an edge, by scope and the edge's position.
    Condition(String, usize),
    /// A call of a tool that a model planned, by its position in `tool_calls`.
    Call(usize),
}

/// A second place that explains the problem, with a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there: "first defined here".
    pub message: String,
}

/// One replacement in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// What is replaced; empty to insert.
    pub span: Span,
    /// What is put there; empty to delete.
    pub text: String,
}

/// One problem of a document.
///
/// # Shape
/// `message` is lower-case, without a period, names in back-ticks; `help` is one imperative sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind of problem.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The place in the graph.
    pub target: Target,
    /// The place in the text, when the graph came from a text.
    pub span: Option<Span>,
    /// Further places that explain it.
    pub labels: Vec<Label>,
    /// How to mend it.
    pub help: Option<String>,
    /// The edits that mend it.
    pub fix: Vec<TextEdit>,
}

impl Diagnostic {
    /// A problem of the code's own severity, so far without a place.
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

    /// The same at a place in the graph.
    #[must_use]
    pub fn on(mut self, target: Target) -> Self {
        self.target = target;
        self
    }

    /// The same at a place in the text.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// The same with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with a second place.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// The same with an edit that mends it.
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix.push(TextEdit { span, text: text.into() });
        self
    }

    /// All places that it speaks of.
    pub fn spans_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        let labels = self.labels.iter_mut().map(|label| &mut label.span);
        self.span.iter_mut().chain(labels).chain(self.fix.iter_mut().map(|edit| &mut edit.span))
    }

    /// From the first to the last place that it speaks of.
    pub fn extent(&self) -> Option<Span> {
        let labels = self.labels.iter().map(|label| label.span);
        let all = self.span.into_iter().chain(labels).chain(self.fix.iter().map(|edit| edit.span));
        all.reduce(|a, b| Span { start: a.start.min(b.start), end: a.end.max(b.end) })
    }

    /// Whether a plan can't run because of it. What is wrong with tests is an error, and keeps nothing from running.
    pub fn blocks_runs(&self) -> bool {
        let of_test = self.code == Code::UnknownInTest || self.code.slug().starts_with("stub/");
        self.is_error() && !of_test
    }

    /// Whether it has to be mended.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity.as_str(), self.code.slug(), self.message)
    }
}

/// The same problems in the order of the document; those without a place first, equals as they were.
///
/// By insertion: only so many are ever listed, and the code of a sort is large.
pub fn sorted_by_position(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let start = |diagnostic: &Diagnostic| diagnostic.span.map_or(0, |span| span.start);
    let mut ordered: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics {
        let at = ordered.partition_point(|earlier| start(earlier) <= start(&diagnostic));
        ordered.insert(at, diagnostic);
    }
    ordered
}

/// The beginning of a long name, for messages; line breaks and other controls escaped.
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
