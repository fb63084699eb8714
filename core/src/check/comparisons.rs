//! Reports comparisons that no value can satisfy.
//!
//! Decides from schemas and from the outputs of node types: the literal has a kind that the value never has, or is not
//! in its `enum` or `const`. Ignores values of unknown kind.

use super::inference::{Inference, ReferenceSite};
use crate::collect::List;
use crate::diagnostic::{Code, Diagnostic, Severity, Span, TextEdit, brief, near};
use crate::expr::{Atom, Literal, Root, Test};
use crate::failure::failure_codes;
use crate::graph::{Edge, LazySpan};
use crate::node::{APPROVED, REJECTED};
use crate::schema::Possible;
use crate::value::Segment;
use serde_json::Value as Json;

const MAX_LISTED: usize = 8;

/// Checks one comparison on an edge.
pub(super) fn check(
    atom: &Atom,
    (scope, edge): (usize, &Edge),
    inference: &mut Inference<'_, '_>,
    spot: &mut LazySpan<'_>,
) -> Option<Diagnostic> {
    let root = inference.root(&atom.reference.root, scope, ReferenceSite::Edge(edge));
    let part = LocatedAtom { atom, text: &edge.condition_text };
    if atom.reference.root == Root::Error
        && let Some(problem) = part.check_failure_code(spot)
    {
        return Some(problem);
    }
    if atom.reference.path.is_empty() && inference.is_decision(&atom.reference.root, scope, edge) {
        return part.check_decision(spot);
    }
    let possible = root.possible_values(&atom.reference.path).filter(|possible| !possible.is_unknown())?;
    let mut problem = part.check_possible(&possible, spot)?;
    if !possible.is_declared {
        // This may be intended: the value breaks no declared schema, and the run takes another edge.
        problem.severity = Severity::Warning;
    }
    Some(problem)
}

/// A comparison in the text of its condition.
struct LocatedAtom<'a> {
    atom: &'a Atom,
    text: &'a str,
}

impl LocatedAtom<'_> {
    fn check_possible(&self, possible: &Possible<'_>, spot: &mut LazySpan<'_>) -> Option<Diagnostic> {
        let name = brief(&self.atom.reference.to_string());
        match &self.atom.test {
            Test::Equals(literal) | Test::Differs(literal) if !possible.may_equal(literal) => {
                let mut problem = self.never_equal(&name, literal, possible, spot);
                if matches!(self.atom.test, Test::Differs(_)) {
                    // The plan may want to continue in any case.
                    problem.severity = Severity::Warning;
                }
                Some(problem)
            }
            Test::Contains(_) if !possible.may_contain() => {
                let message = format!("`{name}` is {}, which contains nothing", possible.describe());
                Some(self.diagnostic(message, spot).help("compare it with `==`"))
            }
            Test::Less(_) | Test::AtMost(_) | Test::Greater(_) | Test::AtLeast(_)
                if !possible.may_be_number() =>
            {
                let message = format!("`{name}` is {}, and only numbers have an order", possible.describe());
                Some(self.diagnostic(message, spot).help("compare it with `==`, or refer to a number"))
            }
            _ => None,
        }
    }

    fn never_equal(
        &self,
        name: &str,
        literal: &Literal,
        possible: &Possible<'_>,
        spot: &mut LazySpan<'_>,
    ) -> Diagnostic {
        let short = brief(&literal.text);
        let Some(options) = &possible.options else {
            let kind = possible.describe();
            let problem = self.diagnostic(format!("`{name}` is {kind}, and never `{short}`"), spot);
            return problem.help(format!("compare it with {kind}"));
        };
        let problem = self.diagnostic(format!("`{name}` is never `{short}`"), spot);
        let words = options.iter().filter_map(|option| option.as_str());
        let other_case = |word: &&str| word.eq_ignore_ascii_case(&literal.text);
        if let Some(meant) = near(&literal.text, words.clone()).or_else(|| words.clone().find(other_case)) {
            return self.with_suggestion(problem, literal, meant, spot);
        }
        let listed =
            options.iter().take(MAX_LISTED).map(|option| format!("`{}`", literal_text(option))).list();
        let more = if options.len() > MAX_LISTED { " or another of its values" } else { "" };
        problem.help(format!("write one of {}{more}", listed.join(", ")))
    }

    /// Reports a typo of one of the two decisions. An approver may replace them with any other value.
    fn check_decision(&self, spot: &mut LazySpan<'_>) -> Option<Diagnostic> {
        let (Test::Equals(literal) | Test::Differs(literal)) = &self.atom.test else { return None };
        let words = [APPROVED, REJECTED];
        let same = |word: &&str| word.eq_ignore_ascii_case(&literal.text) && *word != literal.text;
        let meant = near(&literal.text, words)
            .or_else(|| words.into_iter().find(same))
            .or_else(|| suggested_decision(&literal.text))?;
        if words.contains(&literal.text.as_str()) {
            return None;
        }
        let message = format!(
            "a decision is `{APPROVED}` or `{REJECTED}`, and `{}` only if a person writes that",
            brief(&literal.text)
        );
        let mut problem = self.diagnostic(message, spot);
        problem.severity = Severity::Warning;
        Some(self.with_suggestion(problem, literal, meant, spot))
    }

    /// Reports a typo of a known failure code. Handlers and stubs have codes of their own.
    fn check_failure_code(&self, spot: &mut LazySpan<'_>) -> Option<Diagnostic> {
        let (Test::Equals(literal) | Test::Differs(literal)) = &self.atom.test else { return None };
        let is_code = matches!(&*self.atom.reference.path, [Segment::Key(key)] if key == "code");
        if !is_code || failure_codes().any(|code| code == literal.text) {
            return None;
        }
        let meant = near(&literal.text, failure_codes())?;
        let message = format!("no failure is known whose code is `{}`", brief(&literal.text));
        let mut problem = self.diagnostic(message, spot);
        problem.severity = Severity::Warning;
        Some(self.with_suggestion(problem, literal, meant, spot))
    }

    fn diagnostic(&self, message: String, spot: &mut LazySpan<'_>) -> Diagnostic {
        let written = self.text.get(self.atom.span.start..self.atom.span.end).unwrap_or_default();
        let span = Span::new(self.atom.span.start, self.atom.span.start + written.trim_end().len());
        Diagnostic::new(Code::NeverTrue, message).at(spot.locate(span))
    }

    fn with_suggestion(
        &self,
        problem: Diagnostic,
        literal: &Literal,
        meant: &str,
        spot: &mut LazySpan<'_>,
    ) -> Diagnostic {
        let mut problem = problem.help(format!("did you mean `{}`?", brief(meant)));
        let plain = meant.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
        let edit = self.literal_span(literal).map(|span| TextEdit { span, text: meant.to_owned() });
        problem.fix = edit.filter(|_| plain).and_then(|edit| spot.to_file_edit(&edit)).into_iter().list();
        problem
    }

    fn literal_span(&self, literal: &Literal) -> Option<Span> {
        let written = self.text.get(self.atom.span.start..self.atom.span.end)?.trim_end();
        let inner = if literal.quoted { written.get(..written.len() - 1)? } else { written };
        let start = inner.strip_suffix(literal.text.as_str())?.len();
        let at = self.atom.span.start + start;
        Some(Span::new(at, at + literal.text.len()))
    }
}

/// Returns the decision that an answer such as "yes" means.
fn suggested_decision(text: &str) -> Option<&'static str> {
    let is_one = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is_one(&["true", "yes", "ok"]) {
        return Some(APPROVED);
    }
    is_one(&["false", "no"]).then_some(REJECTED)
}

/// Formats a value as in a condition.
fn literal_text(value: &Json) -> String {
    match value {
        Json::String(text) => brief(text),
        other => brief(&other.to_string()),
    }
}
