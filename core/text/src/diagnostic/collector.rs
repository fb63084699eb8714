//! Collects up to [`MAX_PROBLEMS`] errors and as many other diagnostics, and counts the rest.
//!
//! Invariants: 1. Warnings never hide an error. 2. Time and memory are limited. 3. A part that the parser
//! lost is not reported as missing.

use super::{Code, Diagnostic, Severity, closest_name, sorted_by_position};
use std::collections::HashSet;

/// The limit of a text.
pub const MAX_PROBLEMS: usize = 100;

/// Names to compare for suggestions in one document.
const COMPARISON_BUDGET: usize = 300_000;

/// The diagnostics of one document.
#[derive(Debug)]
pub struct DiagnosticCollector {
    errors: Vec<Diagnostic>,
    others: Vec<Diagnostic>,
    hidden: (usize, bool),
    /// Codes of parts that the parser lost.
    suppressed: &'static [Code],
    comparison_budget: usize,
    /// The names that already have a diagnostic.
    mentioned: HashSet<String>,
    is_distinct: bool,
}

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
            is_distinct: false,
        }
    }
}

impl DiagnosticCollector {
    /// Starts with the parser's diagnostics for `text`.
    pub fn after_reading(found: Vec<Diagnostic>, text: &str) -> Self {
        let mut diagnostics = Self::default();
        diagnostics.add_reading(found, text);
        diagnostics
    }

    /// Adds the parser's diagnostics for a part.
    pub fn add_reading(&mut self, found: Vec<Diagnostic>, text: &str) {
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
            self.push(diagnostic);
        }
        if unjudged.len() > self.suppressed.len() {
            self.suppressed = unjudged;
        }
    }

    /// Counts later equal diagnostics of one span once: a file used twice is checked twice.
    pub fn skip_repeated(&mut self) {
        self.is_distinct = true;
    }

    /// An error replaces a warning with the same code and span.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.is_error() {
            self.others.retain(|other| other.code != diagnostic.code || other.span != diagnostic.span);
        }
        self.insert(diagnostic.code, diagnostic.is_error(), || diagnostic);
    }

    /// Calls `make` only for a listed diagnostic.
    pub fn push_with(&mut self, code: Code, make: impl FnOnce() -> Diagnostic) {
        self.insert(code, code.severity() == Severity::Error, make);
    }

    fn insert(&mut self, code: Code, is_error: bool, make: impl FnOnce() -> Diagnostic) {
        if self.suppressed.contains(&code) {
            return;
        }
        let list = if is_error { &mut self.errors } else { &mut self.others };
        if list.len() < MAX_PROBLEMS {
            let made = make();
            let same = |other: &Diagnostic| {
                (other.span, &other.message) == (made.span, &made.message) && other.code == code
            };
            if !self.is_distinct || !list.iter().any(same) {
                list.push(made);
            }
        } else {
            self.hidden = (self.hidden.0 + 1, self.hidden.1 || is_error);
        }
    }

    /// Whether further errors are only counted.
    pub fn is_full(&self) -> bool {
        self.errors.len() >= MAX_PROBLEMS
    }

    /// Records the name, and returns whether it is new.
    pub fn is_first_mention(&mut self, name: &str) -> bool {
        self.mentioned.insert(name.to_owned())
    }

    /// Errors in order of discovery.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// The most similar name. `None` if the list of errors is full or the budget spent.
    pub fn closest_name<'a>(&mut self, wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        let (count, _) = names.size_hint();
        if self.is_full() || count > self.comparison_budget {
            return None;
        }
        self.comparison_budget -= count;
        closest_name(wrong, names)
    }

    /// In document order.
    pub fn finish(self) -> Vec<Diagnostic> {
        let mut all = self.errors;
        all.extend(self.others);
        let mut all = sorted_by_position(all);
        let (more, with_error) = self.hidden;
        if more > 0 {
            let things = if more == 1 { "problem" } else { "problems" };
            let mut rest =
                Diagnostic::new(Code::TooManyProblems, format!("{more} more {things} are not listed"))
                    .help("fix the ones listed, then check again");
            rest.span = all.last().and_then(|diagnostic| diagnostic.span);
            rest.severity = if with_error { Severity::Error } else { Severity::Warning };
            all.push(rest);
        }
        all
    }
}
