//! Words that authors write for a decision, and a decision where a condition has to be.

use super::inference::Inference;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::expression::{Computed, Reference};
use crate::graph::{Edge, LazySpan};
use crate::node::{APPROVED, REJECTED};
use crate::value::Segment;

/// The decision behind an answer such as "yes".
pub(super) fn suggested_decision(text: &str) -> Option<&'static str> {
    let is_one = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is_one(&["true", "yes", "ok", "accept", "accepted"]) {
        return Some(APPROVED);
    }
    is_one(&["false", "no", "deny", "denied", "declined", "refused"]).then_some(REJECTED)
}

/// As in `last.approved`.
pub(super) fn decision_field(reference: &Reference) -> Option<&str> {
    let [Segment::Key(key)] = &*reference.path else { return None };
    let is_one = [APPROVED, REJECTED, "decision"].contains(&key.as_str());
    (is_one || suggested_decision(key.as_str()).is_some()).then_some(key.as_str())
}

/// A decision where a condition has to be, as in `last` or `!last`.
pub(super) fn bare_decision(
    computed: &Computed,
    (scope, edge): (usize, &Edge),
    inference: &mut Inference<'_, '_>,
    lazy_span: &mut LazySpan<'_>,
) -> Option<Diagnostic> {
    let [only] = computed.references.as_slice() else { return None };
    let field = decision_field(&only.reference);
    let is_whole = only.span == computed.span && (only.reference.path.is_empty() || field.is_some());
    if !is_whole || !inference.is_decision(&only.reference.root, scope, edge) {
        return None;
    }
    let path = Reference { root: only.reference.root.clone(), path: Vec::new() };
    let meant = field.and_then(suggested_decision).unwrap_or(APPROVED);
    let comparison = format!("{path} == \"{meant}\"");
    let message = match field {
        Some(field) => format!("a decision is `{APPROVED}` or `{REJECTED}`, and has no `{field}`"),
        None => format!("a decision is `{APPROVED}` or `{REJECTED}`, and no condition"),
    };
    let mut diagnostic = Diagnostic::new(Code::ExpressionType, message).at(lazy_span.locate(only.span));
    // A person may answer with another value.
    diagnostic.severity = Severity::Warning;
    // `!last == "approved"` would be ambiguous.
    if edge.condition_text.get(..only.span.start).is_none_or(|before| before.trim_end().ends_with('!')) {
        return Some(diagnostic.help(format!("write a comparison, as in `{comparison}`")));
    }
    let edit = lazy_span.to_file_edit(&TextEdit { span: only.span, text: comparison.clone() });
    diagnostic.fix = edit.into_iter().collect_vec();
    Some(diagnostic.help(format!("write `{comparison}`")))
}
