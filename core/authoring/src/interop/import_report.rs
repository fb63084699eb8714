//! The result of an import: the plan, and a finding for each construct.
//!
//! Invariant: every construct without an exact equivalent has a finding.

use serde_json::{Map, Value as Json};
use stepgraph_core::diagnostic::{Code, Diagnostic, Span};
use stepgraph_core::graph::{Comments, print};

/// How completely a construct was imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fidelity {
    /// The plan has the same meaning.
    Exact,
    /// The plan has a similar meaning. The finding explains the difference.
    Approximated,
    /// The plan does not contain it.
    Lost,
}

impl Fidelity {
    /// Returns the name for JSON and the terminal.
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

/// The outcome for one construct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportFinding {
    /// The name of the construct: `call.http`, `edge label`. It is a row of the table in `docs/interop.md`.
    pub construct: &'static str,
    /// How completely it was imported.
    pub fidelity: Fidelity,
    /// The explanation, with its position in the source.
    pub diagnostic: Diagnostic,
}

/// An imported plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportResult {
    /// The plan as YAML. `None` if the source does not parse.
    pub text: Option<String>,
    /// The findings in source order.
    pub findings: Vec<ImportFinding>,
}

impl ImportResult {
    pub(super) fn unreadable(diagnostics: Vec<Diagnostic>) -> Self {
        let finding =
            |diagnostic| ImportFinding { construct: "the text", fidelity: Fidelity::Lost, diagnostic };
        Self { text: None, findings: diagnostics.into_iter().map(finding).collect() }
    }

    /// Counts the findings of a fidelity.
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
