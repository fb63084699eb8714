//! What is wrong with a description of stubs, and where.
//!
//! Decides how a flaw becomes a diagnostic in a text. A flaw itself knows only its way through the description, since stubs
//! come as files, as a part of a plan's tests, and as plain data of a host.

use crate::key::did_you_mean;
use std::fmt;
use stepgraph_text::diagnostic::{Code, Diagnostic, Span};
use stepgraph_text::source::{Spanned, ValueKind};
use stepgraph_text::value::Segment;

/// One thing that is wrong with a description of stubs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The way to it from the top.
    pub path: Vec<Segment>,
    /// Whether the last key of the way is what is wrong, and not its value.
    pub is_key: bool,
    /// Which kind of mistake it is.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What to do about it; of no use where there is a name that was meant.
    pub help: String,
    /// The name that was probably meant by the key, or by the text that is the value.
    pub suggestion: Option<String>,
}

/// What is wrong with a description of stubs, for those who have no text to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubError {
    /// Where: `tools.search`.
    pub path: String,
    /// What.
    pub message: String,
    /// What to do about it.
    pub help: String,
    /// Which kind of mistake it is.
    pub code: Code,
}

impl fmt::Display for StubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stubs at `{}`: {}", self.path, self.message)
    }
}

impl std::error::Error for StubError {}

impl Flaw {
    /// The same for those who have no text.
    pub fn into_error(self) -> StubError {
        let Self { path, code, message, help, suggestion, .. } = self;
        let help = suggestion.map_or(help, |name| format!("did you mean `{name}`?"));
        StubError { path: format_path(&path), message, help, code }
    }

    /// The same as a problem of the text whose tree of stubs is `root`.
    pub fn diagnose(&self, root: &Spanned) -> Diagnostic {
        let (span, word) = self.find(root);
        let diagnostic = Diagnostic::new(self.code, self.message.clone()).at(span);
        match (&self.suggestion, word) {
            (Some(name), Some(word)) => did_you_mean(diagnostic, name, word),
            _ => diagnostic.help(self.help.clone()),
        }
    }

    /// Where it stands, and the word that stands there.
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
            // What is not there is missing from what was reached.
            let Some(found) = next else { return (value.span, None) };
            (value, key) = found;
        }
        match key.filter(|_| self.is_key) {
            Some(entry) => (entry.key_span, Some(&entry.key)),
            None => (value.span, value.as_text()),
        }
    }
}

fn format_path(way: &[Segment]) -> String {
    let mut text = String::new();
    for step in way {
        match step {
            Segment::Key(key) if text.is_empty() => text.push_str(key),
            Segment::Key(key) => text = format!("{text}.{key}"),
            Segment::Index(at) => text = format!("{text}[{at}]"),
        }
    }
    text
}
