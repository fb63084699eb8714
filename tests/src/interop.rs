//! Plans of other programs, each with its expected import.

use crate::Case;
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use stepgraph_authoring::interop::{ImportResult, Source, import};
use stepgraph_core::source::LineIndex;

/// A source file.
#[derive(Debug)]
pub struct ImportSource {
    /// The path.
    pub path: PathBuf,
    /// The text.
    pub text: String,
    /// The format.
    pub source: Source,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suite/interop")
}

/// Returns the suite's sources, sorted.
pub fn sources() -> Vec<ImportSource> {
    let mut found = Vec::new();
    for source in [Source::Mermaid, Source::Serverless] {
        let entries = std::fs::read_dir(folder().join(source.as_str())).into_iter().flatten();
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let known = path.extension().is_some_and(|ending| ending != "expect");
            if let Some(text) = std::fs::read_to_string(&path).ok().filter(|_| known) {
                found.push(ImportSource { path, text, source });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

impl ImportSource {
    /// Imports the source.
    pub fn import(&self) -> ImportResult {
        import(&self.text, self.source)
    }

    /// Returns the expected import's path.
    pub fn expectation(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".expect");
        name.into()
    }
}

/// Formats an import as in the suite: one line per finding, then the plan.
pub fn describe_import(imported: &ImportResult, source: &str) -> String {
    let lines = LineIndex::new(source);
    let mut told = String::new();
    for finding in &imported.findings {
        let span = finding.diagnostic.span.unwrap_or_default();
        let (line, column) = lines.line_col(span.start);
        let words = source.get(span.start..span.end).unwrap_or("outside");
        let words: String = words.chars().take(30).collect();
        let (fidelity, construct) = (finding.fidelity.as_str(), finding.construct);
        let problem = &finding.diagnostic;
        let _ = writeln!(
            told,
            "{line}:{column} {fidelity} {}: {construct} {words:?}: {}",
            problem.code.slug(),
            problem.message
        );
    }
    let _ = write!(told, "----\n{}", imported.text.as_deref().unwrap_or("no plan\n"));
    told
}

/// Returns the cases that run imports.
///
/// # Panics
/// If the file is no suite.
#[expect(clippy::expect_used, reason = "a suite that can't be read is a broken checkout")]
pub fn runs() -> Vec<Case> {
    let file: Json = std::fs::read_to_string(folder().join("runs.yaml"))
        .ok()
        .and_then(|text| serde_yaml::from_str(&text).ok())
        .expect("tests/suite/interop/runs.yaml");
    let runs = file["runs"].as_array().cloned().unwrap_or_default();
    let sources = sources();
    let case = |run: &Json| {
        let mut run = run.clone();
        let name = run.as_object_mut().and_then(|run| run.remove("file"));
        let name = name.as_ref().and_then(Json::as_str).unwrap_or_default();
        let mut case: Case = serde_json::from_value(run).expect("tests/suite/interop/runs.yaml");
        let source = sources.iter().find(|source| source.path.ends_with(name));
        case.source = source.and_then(|source| source.import().text);
        case
    };
    runs.iter().map(case).collect()
}
