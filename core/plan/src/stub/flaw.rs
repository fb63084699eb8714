//! Errors of a stubs description, by path, since host data has no text.

use crate::key::did_you_mean;
use std::fmt;
use stepgraph_text::diagnostic::{Code, Diagnostic, Span};
use stepgraph_text::source::{Spanned, ValueKind};
use stepgraph_text::value::Segment;

/// A flaw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// Path from the root.
    pub path: Vec<Segment>,
    /// Whether the last key, not its value, is wrong.
    pub is_key: bool,
    /// Diagnostic code.
    pub code: Code,
    /// The message.
    pub message: String,
    /// Unused with a `suggestion`.
    pub help: String,
    /// Probable name.
    pub suggestion: Option<String>,
}

/// A flaw without source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubError {
    /// Such as `tools.search`.
    pub path: String,
    /// The message.
    pub message: String,
    /// Remedy.
    pub help: String,
    /// Diagnostic code.
    pub code: Code,
}

impl fmt::Display for StubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stubs at `{}`: {}", self.path, self.message)
    }
}

impl std::error::Error for StubError {}

impl Flaw {
    /// The error has no source text.
    pub fn into_error(self) -> StubError {
        let Self { path, code, message, help, suggestion, .. } = self;
        let help = suggestion.map_or(help, |name| format!("did you mean `{name}`?"));
        StubError { path: format_path(&path), message, help, code }
    }

    /// The diagnostic; `root` is the tree of stubs.
    pub fn diagnose(&self, root: &Spanned) -> Diagnostic {
        let (span, word) = self.find(root);
        let diagnostic = Diagnostic::new(self.code, self.message.clone()).at(span);
        match (&self.suggestion, word) {
            (Some(name), Some(word)) => did_you_mean(diagnostic, name, word),
            _ => diagnostic.help(self.help.clone()),
        }
    }

    fn find<'a>(&'a self, root: &'a Spanned) -> (Span, Option<&'a str>) {
        let (mut value, mut key) = (root, None);
        for step in &self.path {
            let next = match (step, &value.kind) {
                (Segment::Key(name), ValueKind::Map(_)) => {
                    value.get(name).map(|entry| (&entry.value, Some(entry)))
                }
                (Segment::Key(digits), ValueKind::List(items)) => {
                    digits.parse().ok().and_then(|at: usize| items.get(at)).map(|item| (item, None))
                }
                (Segment::Index(at), ValueKind::List(items)) => items.get(*at).map(|item| (item, None)),
                _ => None,
            };
            // A missing value is reported at its nearest ancestor.
            let Some(found) = next else { return (value.span, None) };
            (value, key) = found;
        }
        match key.filter(|_| self.is_key) {
            Some(entry) => (entry.key_span, Some(&entry.key)),
            None => (value.span, value.as_text()),
        }
    }
}

fn format_path(path: &[Segment]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Segment::Key(key) if text.is_empty() => text.push_str(key),
            Segment::Key(key) => text = format!("{text}.{key}"),
            Segment::Index(at) => text = format!("{text}[{at}]"),
        }
    }
    text
}
