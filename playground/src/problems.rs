//! Problems list: diagnostics sorted by severity, then text order.

use stepgraph_authoring::language::Document;
use stepgraph_core::diagnostic::{Diagnostic, Severity, Span, Target, TextEdit};

/// Row of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Severity.
    pub severity: Severity,
    /// Stable code, the same in all languages.
    pub code: &'static str,
    /// Message.
    pub message: String,
    /// How to fix it, or empty.
    pub help: String,
    /// Line and column from 1, or `None` without a position.
    pub position: Option<(usize, usize)>,
    /// Span in bytes.
    pub span: Option<Span>,
    /// Affected element.
    pub target: Target,
    /// Edits that fix it.
    pub fix: Vec<TextEdit>,
}

/// Number of diagnostics by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Errors, which prevent a run.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
    /// Hints.
    pub hints: usize,
}

impl Counts {
    /// Counts the diagnostics of a document.
    pub fn from_document(document: &Document) -> Self {
        let of = |severity| document.diagnostics().iter().filter(|found| found.severity == severity).count();
        Self { errors: of(Severity::Error), warnings: of(Severity::Warning), hints: of(Severity::Hint) }
    }

    /// Returns the total.
    pub fn all(self) -> usize {
        self.errors + self.warnings + self.hints
    }
}

/// Returns the message with help.
pub fn message_with_help(problem: &Diagnostic) -> String {
    match &problem.help {
        Some(help) => [problem.message.as_str(), ": ", help].concat(),
        None => problem.message.clone(),
    }
}

/// Returns the rows. The core already limits their number.
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

/// Splits a message into text and code in backticks.
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
