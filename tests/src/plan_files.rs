//! Plans that run other files: `tests/suite/files/cases.yaml`.

use crate::expectation::Expectation;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use stepgraph_authoring::language::Document;
use stepgraph_core::diagnostic::Diagnostic;
use stepgraph_core::graph::{FileText, Parsed, PlanFiles, PlanGraph};
use stepgraph_core::interner::NameTable;
use stepgraph_core::source::{Format, SourceIndex};

/// A plan with its files.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilesCase {
    /// Purpose of the case.
    pub name: String,
    /// Plan's text.
    pub plan: String,
    /// Files by path.
    pub files: BTreeMap<String, Json>,
    /// Expected diagnostics.
    pub expect: Vec<String>,
    /// One-text plan with the same meaning.
    pub inlined: Option<String>,
    /// An editor's diagnostics with the files.
    pub editor: Option<Vec<String>>,
    /// An editor's diagnostics without the files.
    pub closed: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct File {
    cases: Vec<FilesCase>,
}

/// Returns all cases.
///
/// # Panics
/// If the file can't be read.
#[must_use]
pub fn cases() -> Vec<FilesCase> {
    let text = include_str!("../suite/files/cases.yaml");
    #[expect(clippy::expect_used, reason = "a broken fixture stops the test")]
    serde_yaml::from_str::<File>(text).expect("the cases").cases
}

impl FilesCase {
    /// Converts the files for the core.
    #[must_use]
    pub fn plan_files(&self) -> PlanFiles {
        let mut files = PlanFiles::default();
        for (path, file) in &self.files {
            let reason = file["unreadable"].as_str().map(|reason| FileText::Unreadable(reason.to_owned()));
            let text = file.as_str().map(|text| FileText::Text(text.to_owned()));
            files.insert(path, text.or(reason).unwrap_or(FileText::Outside));
        }
        files
    }

    /// Parses the plan with its files.
    #[must_use]
    pub fn parse(&self) -> Parsed {
        PlanGraph::parse_with(&self.plan, Format::Auto, NameTable::default(), &self.plan_files())
    }

    /// Returns diagnostics in the cases' notation.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<String> {
        let parsed = self.parse();
        let Some(plan) = &parsed.graph else {
            return written(&parsed.diagnostics, &self.plan, &SourceIndex::new(&self.plan));
        };
        written(&parsed.diagnostics, plan.source(), &plan.source_index())
    }

    /// Returns the diagnostics of an editor that may know the files.
    #[must_use]
    pub fn editor_diagnostics(&self, knows_files: bool) -> Vec<String> {
        let mut document = Document::new(self.plan.clone(), Format::Auto);
        if knows_files {
            document.set_files(self.plan_files());
        }
        written(document.diagnostics(), &self.plan, &SourceIndex::new(&self.plan))
    }
}

fn written(found: &[Diagnostic], text: &str, index: &SourceIndex<'_>) -> Vec<String> {
    let line = |problem: &Diagnostic| {
        let expectation = Expectation { place: None, ..Expectation::of_diagnostic(problem, text) };
        let place = problem.span.map(|span| {
            let (line, column) = index.line_col(span.start);
            let file = index.file(span.start).map(|file| format!("{file}:")).unwrap_or_default();
            format!("{file}{line}:{column} ")
        });
        format!("{}{expectation}", place.unwrap_or_default())
    };
    found.iter().map(line).collect()
}
