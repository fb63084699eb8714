//! What came of taking over a plan of another program.
//!
//! Decides how it is told what was kept of it: every construct that was understood or not is a finding at its place.
//!
//! Invariant: what has no exact equal is never taken over without a finding that says so.

use serde_json::{Map, Value as Json};
use stepgraph_core::diagnostic::{Code, Diagnostic, Span};
use stepgraph_core::graph::{Comments, print};

/// How much of a construct was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// The plan says the same.
    Exact,
    /// The plan says something like it; the finding tells the difference.
    Approximated,
    /// The plan does not say it.
    Lost,
}

impl Fidelity {
    /// The word used in JSON and on the terminal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Approximated => "approximated",
            Self::Lost => "lost",
        }
    }

    fn from_code(code: Code) -> Self {
        match code {
            Code::ImportExact => Self::Exact,
            Code::ImportUnreadable
            | Code::ImportSyntax
            | Code::ImportInvalid
            | Code::ImportAppearance
            | Code::ImportExpression
            | Code::ImportLost => Self::Lost,
            _ => Self::Approximated,
        }
    }
}

/// What became of one construct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportFinding {
    /// What it is called: `call.http`, `edge label`. A row of the table in `docs/interop.md`.
    pub construct: &'static str,
    /// How much of it was kept.
    pub fidelity: Fidelity,
    /// What there is to say, and where in the source.
    pub diagnostic: Diagnostic,
}

/// A plan that was taken over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportResult {
    /// The plan as YAML; nothing when the source could not be read.
    pub text: Option<String>,
    /// What became of its constructs, in the order of the source.
    pub findings: Vec<ImportFinding>,
}

impl ImportResult {
    /// A source that could not be read, and why.
    pub(super) fn unreadable(diagnostics: Vec<Diagnostic>) -> Self {
        let finding =
            |diagnostic| ImportFinding { construct: "the text", fidelity: Fidelity::Lost, diagnostic };
        Self { text: None, findings: diagnostics.into_iter().map(finding).collect() }
    }

    /// How many findings there are of a fidelity.
    pub fn count(&self, fidelity: Fidelity) -> usize {
        self.findings.iter().filter(|finding| finding.fidelity == fidelity).count()
    }
}

/// Findings as they are made.
#[derive(Debug, Default, Clone)]
pub(super) struct ImportReport {
    findings: Vec<ImportFinding>,
}

impl ImportReport {
    /// Notes what became of a construct: `help` says what to do about it, where something can be done.
    pub(super) fn add(
        &mut self,
        construct: &'static str,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: &str,
    ) {
        let mut diagnostic = Diagnostic::new(code, message).at(span);
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.findings.push(ImportFinding { construct, fidelity: Fidelity::from_code(code), diagnostic });
    }

    /// Notes that a construct has an equal.
    pub(super) fn add_exact(&mut self, construct: &'static str, span: Span, message: impl Into<String>) {
        self.add(construct, Code::ImportExact, span, message, "");
    }

    /// The plan with its report.
    pub(super) fn finish(self, plan: Map<String, Json>, comments: &Comments) -> ImportResult {
        let mut findings = self.findings;
        findings.sort_by_key(|finding| finding.diagnostic.span.map_or(0, |span| span.start));
        ImportResult { text: Some(print(&Json::Object(plan), comments)), findings }
    }
}
