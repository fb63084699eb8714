//! Diagnostics by severity, then text order.

use stepgraph_authoring::language::Document;
use stepgraph_core::diagnostic::{Diagnostic, Severity, Span, Target, TextEdit};

/// List row.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Severity.
    pub severity: Severity,
    /// Same in all languages.
    pub code: &'static str,
    /// Message.
    pub message: String,
    /// Remedy, or empty.
    pub help: String,
    /// Counted from 1. `None` if unknown.
    pub position: Option<(usize, usize)>,
    /// In bytes.
    pub span: Option<Span>,
    /// Affected element.
    pub target: Target,
    /// Fixing edits.
    pub fix: Vec<TextEdit>,
}

/// Diagnostics by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Prevent runs.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Hints.
    pub hints: usize,
}

impl Counts {
    /// Counts a document's.
    pub fn from_document(document: &Document) -> Self {
        let of = |severity| document.diagnostics().iter().filter(|found| found.severity == severity).count();
        Self { errors: of(Severity::Error), warnings: of(Severity::Warning), hints: of(Severity::Hint) }
    }

    /// The sum.
    pub fn all(self) -> usize {
        self.errors + self.warnings + self.hints
    }
}

/// Message and help.
pub fn message_with_help(problem: &Diagnostic) -> String {
    match &problem.help {
        Some(help) => [problem.message.as_str(), ": ", help].concat(),
        None => problem.message.clone(),
    }
}

/// The core limits them.
pub fn problem_rows(document: &Document) -> Vec<Row> {
    let mut problems: Vec<&Diagnostic> = document.diagnostics().iter().collect();
    problems.sort_by_key(|problem| problem.severity);
    let lines = document.line_index();
    let row = |problem: &Diagnostic| Row {
        severity: problem.severity,
        code: problem.code.slug(),
        message: problem.message.clone(),
        help: problem.help.clone().unwrap_or_default(),
        position: problem.span.map(|span| lines.line_col(span.start)),
        span: problem.span,
        target: problem.target.clone(),
        fix: problem.fix.clone(),
    };
    problems.into_iter().map(row).collect()
}

/// Splits at backticks into text and code.
///
/// # Example
/// ```
/// use stepgraph_playground::problems::split_code;
/// assert_eq!(split_code("there is no node `a`"), [("there is no node ", false), ("a", true)]);
/// assert_eq!(split_code("a ` alone"), [("a ` alone", false)]);
/// ```
pub fn split_code(message: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut rest = message;
    while let Some((words, code, behind)) = next_code(rest) {
        found.push((words, false));
        found.push((code, true));
        rest = behind;
    }
    found.push((rest, false));
    found.retain(|(text, _)| !text.is_empty());
    found
}

fn next_code(text: &str) -> Option<(&str, &str, &str)> {
    let (words, rest) = text.split_once('`')?;
    let (code, behind) = rest.split_once('`')?;
    Some((words, code, behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan_editor::PlanEditor;

    #[test]
    fn sorts_by_severity_with_positions() {
        let editor = PlanEditor::new(
            "id: red # é😀\nstart: a\nnodes:\n  a: {type: lgo}\nedges:\n  - {from: a, to: 😀b}\n",
        );
        let rows = problem_rows(editor.document());
        let severities: Vec<Severity> = rows.iter().map(|row| row.severity).collect();
        assert!(severities.is_sorted() && severities.len() >= 2, "{rows:?}");
        let first = rows.first().unwrap();
        assert_eq!((first.code, first.position), ("graph/unknown-node", Some((6, 19))));
        assert_eq!(first.target, Target::Edge(String::new(), 0));
        let counts = Counts::from_document(editor.document());
        assert_eq!((counts.errors, counts.all()), (1, rows.len()));
    }

    #[test]
    fn limits_the_list() {
        let edges: String =
            (0..500).map(|at| format!("  - {{from: a, to: n{at}}}\n")).collect::<Vec<_>>().concat();
        let editor = PlanEditor::new(&format!("nodes:\n  a: {{type: log}}\nedges:\n{edges}"));
        let listed = problem_rows(editor.document()).len();
        assert_eq!(Counts::from_document(editor.document()).all(), listed);
        assert!((100..500).contains(&listed), "{listed}");
    }
}
