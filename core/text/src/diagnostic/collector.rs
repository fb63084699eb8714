//! Problems as they are found, so many and no more.
//!
//! Decides which are listed when a document is broken all over: the first [`MAX_PROBLEMS`] errors, as many others, and one
//! that counts the rest. Decides too which would only repeat another: where reading lost a part of the text, nobody is
//! told that the part is missing.
//!
//! Invariants: 1. an error is never hidden behind warnings; 2. time and memory are bounded however many there are.

use super::{Code, Diagnostic, Severity, closest_name, sorted_by_position};
use crate::source::MAX_PROBLEMS;
use std::collections::HashSet;

/// How many names may be compared in search of those that were meant, over all problems of a document.
const COMPARISON_BUDGET: usize = 300_000;

/// The problems of one document.
#[derive(Debug)]
pub struct DiagnosticCollector {
    errors: Vec<Diagnostic>,
    others: Vec<Diagnostic>,
    /// How many more there are, and whether one of them is an error.
    hidden: (usize, bool),
    /// What can't be judged, because a part of the text could not be read.
    suppressed: &'static [Code],
    comparison_budget: usize,
    /// What was told once and is not to be told again.
    mentioned: HashSet<String>,
}

/// What speaks of something that is not there.
const ABSENCE_CODES: &[Code] = &[
    Code::NoNodes,
    Code::MissingType,
    Code::MissingTool,
    Code::MissingEndpoint,
    Code::NoStart,
    Code::AmbiguousStart,
    Code::UnreachableNode,
    Code::EndlessLoop,
    Code::NeverThere,
    Code::MayBeMissing,
    Code::UnknownNode,
    Code::UnknownStart,
];

/// The same where the nodes are all there.
const ABSENCE_CODES_BUT_NODES: &[Code] = match ABSENCE_CODES {
    [rest @ .., _, _] => rest,
    _ => ABSENCE_CODES,
};

impl Default for DiagnosticCollector {
    fn default() -> Self {
        Self {
            errors: Vec::new(),
            others: Vec::new(),
            hidden: (0, false),
            suppressed: &[],
            comparison_budget: COMPARISON_BUDGET,
            mentioned: HashSet::new(),
        }
    }
}

impl DiagnosticCollector {
    /// Begins with what was found when `text` was read.
    pub fn after_reading(found: Vec<Diagnostic>, text: &str) -> Self {
        let mut diagnostics = Self::default();
        let loses_nodes = |diagnostic: &Diagnostic| {
            let word = diagnostic.span.and_then(|span| text.get(span.start..span.end)).unwrap_or_default();
            diagnostic.code != Code::DuplicateKey
                || matches!(word.trim_matches(['"', '\'']), "nodes" | "edges")
        };
        let unjudged = match found.as_slice() {
            [] => &[],
            found if found.iter().any(loses_nodes) => ABSENCE_CODES,
            _ => ABSENCE_CODES_BUT_NODES,
        };
        for diagnostic in found {
            diagnostics.push(diagnostic);
        }
        Self { suppressed: unjudged, ..diagnostics }
    }

    /// Notes a problem.
    ///
    /// An error takes the place of a warning that was not sure of the same.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.is_error() {
            self.others.retain(|other| other.code != diagnostic.code || other.span != diagnostic.span);
        }
        self.insert(diagnostic.code, diagnostic.is_error(), || diagnostic);
    }

    /// Notes a problem of a code, which is made only if it will be listed: of thousands most are only counted.
    pub fn push_with(&mut self, code: Code, make: impl FnOnce() -> Diagnostic) {
        self.insert(code, code.severity() == Severity::Error, make);
    }

    fn insert(&mut self, code: Code, is_error: bool, make: impl FnOnce() -> Diagnostic) {
        if self.suppressed.contains(&code) {
            return;
        }
        let list = if is_error { &mut self.errors } else { &mut self.others };
        if list.len() < MAX_PROBLEMS {
            list.push(make());
        } else {
            self.hidden = (self.hidden.0 + 1, self.hidden.1 || is_error);
        }
    }

    /// Whether further errors will only be counted, so that no pains need be taken over them.
    pub fn is_full(&self) -> bool {
        self.errors.len() >= MAX_PROBLEMS
    }

    /// Whether nothing was told of this name yet; from now on it was.
    pub fn is_first_mention(&mut self, name: &str) -> bool {
        self.mentioned.insert(name.to_owned())
    }

    /// The errors among them, as they were found.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// The name among `names` that was probably meant, while there is patience to look for it.
    pub fn closest_name<'a>(&mut self, wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        let (count, _) = names.size_hint();
        if self.is_full() || count > self.comparison_budget {
            return None;
        }
        self.comparison_budget -= count;
        closest_name(wrong, names)
    }

    /// All that are listed, in the order of the document.
    pub fn finish(self) -> Vec<Diagnostic> {
        let mut all = self.errors;
        all.extend(self.others);
        let mut all = sorted_by_position(all);
        let (more, with_error) = self.hidden;
        if more > 0 {
            let things = if more == 1 { "problem" } else { "problems" };
            let mut rest =
                Diagnostic::new(Code::TooManyProblems, format!("{more} more {things} are not listed"))
                    .help("mend the ones listed, then check again");
            rest.span = all.last().and_then(|diagnostic| diagnostic.span);
            rest.severity = if with_error { Severity::Error } else { Severity::Warning };
            all.push(rest);
        }
        all
    }
}
