//! Reports `ms` and `until` of a `wait` node whose computed value can't be a time.

use super::inference::Inference;
use super::known_value::KnownValue;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector};
use crate::graph::{Graph, Node, TemplateValue};
use crate::kind::settings::{MS, UNTIL};
use crate::schema::PossibleValues;
use crate::source::Spanned;

/// `with` finds the settings in the document.
pub(super) fn check<'a>(
    (graph, scope, position): (&'a Graph, usize, usize),
    with: impl Fn() -> Option<&'a Spanned>,
    inference: &mut Inference<'_, 'a>,
    diagnostics: &mut DiagnosticCollector,
) {
    if let Some(node) = graph.nodes.get(position).filter(|node| node.kind == "wait")
        && let Some(TemplateValue::Map(settings)) = &node.with
    {
        let found = mistakes((node, settings), (scope, position), with(), inference);
        for diagnostic in found {
            diagnostics.push(diagnostic.on(graph.target(node)));
        }
    }
}

// Most plans wait for no computed time.
#[inline(never)]
fn mistakes<'a>(
    (node, settings): (&'a Node, &'a [(String, TemplateValue)]),
    (scope, position): (usize, usize),
    with: Option<&'a Spanned>,
    inference: &mut Inference<'_, 'a>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (key, value) in settings.iter().filter(|(_, value)| value.as_constant().is_none()) {
        let known_value = inference.compiled_value(value, scope, position);
        let possible = match &*known_value {
            // Text around a placeholder.
            KnownValue::Text => Some(PossibleValues::text()),
            KnownValue::Constant(json) => Some(PossibleValues::of_value(json)),
            other => other.possible_values(&[]),
        };
        let Some(possible) = possible.filter(|possible| !possible.is_unknown()) else { continue };
        let (fits, expected, help) = match key.as_str() {
            MS => (
                possible.may_be_number() || possible.may_be_text(),
                "a number of milliseconds or a duration",
                "write a number, or a duration as in `${duration(\"5s\")}`",
            ),
            UNTIL => (
                possible.may_be_text(),
                "a time",
                "write a time as in `2026-12-01T08:00:00Z`, or a timestamp as in `${timestamp(x) + duration(\"1h\")}`",
            ),
            _ => continue,
        };
        if fits {
            continue;
        }
        let span = with.and_then(|with| with.get(key)).map_or(node.kind_span, |entry| entry.value.span);
        let message = format!("`{key}` is {expected}, not {}", possible.describe());
        found.push(Diagnostic::new(Code::WrongShape, message).at(span).help(help));
    }
    found
}
