//! An imported plan, with a finding for every inexact construct.

use serde_json::{Map, Value as Json};
use stepgraph_core::diagnostic::{Code, Diagnostic, Span};
use stepgraph_core::graph::{Comments, print};

/// A construct's fidelity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// The same meaning.
    Exact,
    /// Similar, as the finding explains.
    Approximated,
    /// It is missing.
    Lost,
}

impl Fidelity {
    /// In JSON and the terminal.
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

/// A construct's outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportFinding {
    /// `call.http`, `edge label`: a row of the table in `docs/interop.md`.
    pub construct: &'static str,
    /// Its fidelity.
    pub fidelity: Fidelity,
    /// Includes its position in the source.
    pub diagnostic: Diagnostic,
}

/// Imported plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportResult {
    /// `None` if the source does not parse.
    pub text: Option<String>,
    /// In source order.
    pub findings: Vec<ImportFinding>,
}

impl ImportResult {
    pub(super) fn unreadable(diagnostics: Vec<Diagnostic>) -> Self {
        let finding =
            |diagnostic| ImportFinding { construct: "the text", fidelity: Fidelity::Lost, diagnostic };
        Self { text: None, findings: diagnostics.into_iter().map(finding).collect() }
    }

    /// Counts a fidelity.
    pub fn count(&self, fidelity: Fidelity) -> usize {
        self.findings.iter().filter(|finding| finding.fidelity == fidelity).count()
    }
}

#[derive(Debug, Default, Clone)]
pub(super) struct ImportReport {
    findings: Vec<ImportFinding>,
}

impl ImportReport {
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

    pub(super) fn add_exact(&mut self, construct: &'static str, span: Span, message: impl Into<String>) {
        self.add(construct, Code::ImportExact, span, message, "");
    }

    pub(super) fn finish(self, plan: Map<String, Json>, comments: &Comments) -> ImportResult {
        let mut findings = self.findings;
        findings.sort_by_key(|finding| finding.diagnostic.span.map_or(0, |span| span.start));
        ImportResult { text: Some(print(&Json::Object(plan), comments)), findings }
    }
}
