//! Reports the test `.exists` outside of conditions, where it reads a field of that name.

use super::known_value::KnownValue;
use crate::diagnostic::{Code, Diagnostic, Severity, Span, shorten_name};
use crate::expression::Reference;
use crate::graph::LazySpan;
use crate::value::Segment;

/// `part` is the reference's position.
#[inline(never)]
pub(super) fn misplaced_test(
    reference: &Reference,
    known_value: &KnownValue<'_>,
    part: Span,
    lazy_span: &mut LazySpan<'_>,
) -> Option<Diagnostic> {
    let (Segment::Key(key), before) = reference.path.split_last()? else { return None };
    let is_known = || {
        let possible = known_value.possible_constants(&reference.path);
        possible.is_some_and(|possible| !possible.is_unknown())
    };
    if key != "exists" || is_known() {
        return None;
    }
    let span = lazy_span.locate(part);
    // In brackets it is a field.
    lazy_span.source.get(span.start..span.end).filter(|written| written.ends_with(".exists"))?;
    let tested = Reference { root: reference.root.clone(), path: before.to_vec() }.to_string();
    let call = format!("has({tested})");
    let message = "`.exists` is a test of conditions, and here it reads a field called `exists`";
    let mut diagnostic = Diagnostic::new(Code::UnknownPath, message).at(span);
    diagnostic.severity = Severity::Warning;
    Some(diagnostic.help(format!("write `{}`", shorten_name(&call))).fix(span, &call))
}
