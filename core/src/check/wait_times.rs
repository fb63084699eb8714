//! Reports `ms` and `until` of a `wait` node whose computed value can't be a time.

use super::expressions;
use super::inference::{Inference, ReferenceSite};
use super::known_value::KnownValue;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector};
use crate::expression::{Purpose, TemplatePart, duration_ms};
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
            other => other.possible_values(&[]).or_else(|| other.possible_constants(&[])),
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
        let is_duration = key == UNTIL && is_duration(value, (scope, position), inference);
        if fits && !is_duration {
            continue;
        }
        let span = with.and_then(|with| with.get(key)).map_or(node.kind_span, |entry| entry.value.span);
        let found_type = if is_duration { "a duration".to_owned() } else { possible.describe() };
        let message = format!("`{key}` is {expected}, not {found_type}");
        found.push(Diagnostic::new(Code::WrongShape, message).at(span).help(help));
    }
    found
}

/// A duration becomes text, which is no time.
fn is_duration<'a>(
    value: &'a TemplateValue,
    (scope, position): (usize, usize),
    inference: &mut Inference<'_, 'a>,
) -> bool {
    if let TemplateValue::Template(template, _) = value
        && let [TemplatePart::Computed { computed, .. }] = &*template.parts
    {
        let site = (scope, ReferenceSite::Node(position));
        return expressions::is_duration((computed, Purpose::Value, site), inference);
    }
    let known_value = inference.compiled_value(value, scope, position);
    let constant = known_value.possible_constants(&[]);
    let options = constant.as_ref().and_then(|possible| possible.options.as_ref());
    options.is_some_and(|options| {
        options.iter().all(|option| option.as_str().is_some_and(|text| duration_ms(text).is_some()))
    })
}
