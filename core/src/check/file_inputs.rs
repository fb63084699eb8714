//! Compares the input that a node passes to a plan file with the `inputs` of the file.
//!
//! Reports only certain mismatches of whole entries. A run does not validate them, so they are warnings.

use super::inference::Inference;
use super::value_list::value_list;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Span, shorten_name};
use crate::graph::{Graph, PlanGraph, TemplateValue};
use crate::schema::{PossibleValues, Schema};
use crate::source::{Entry, Spanned};
use crate::value::canonical_text;

pub(super) fn check<'a>(
    plan: &'a PlanGraph,
    (graph, scope, position): (&'a Graph, usize, usize),
    inference: &mut Inference<'_, 'a>,
    diagnostics: &mut DiagnosticCollector,
) {
    if !plan.files().is_empty() {
        check_files(plan, (graph, scope, position), inference, diagnostics);
    }
}

// Most plans run no files.
#[inline(never)]
fn check_files<'a>(
    plan: &'a PlanGraph,
    (graph, scope, position): (&'a Graph, usize, usize),
    inference: &mut Inference<'_, 'a>,
    diagnostics: &mut DiagnosticCollector,
) {
    let Some(node) = graph.nodes.get(position).filter(|node| !node.nested.is_empty()) else { return };
    let Some(written) = plan.node_entry(graph, position).map(|entry| &entry.value) else { return };
    let Some(input) = written.get("input").map(|entry| &entry.value) else { return };
    let mut report = |found: Mismatch, (file, declared, schema): (Span, &Entry, &Schema), at: Span| {
        let diagnostic = mismatch(plan, file, declared, schema, found).at(at);
        diagnostics.push(diagnostic.on(graph.target(node)));
    };
    for (file, is_element) in called_files(written) {
        for declared in plan.file_inputs(file) {
            let Ok(schema) = Schema::compile(&declared.value.to_json(), &(), inference.patterns) else {
                continue;
            };
            if is_element {
                // A computed list has no elements yet.
                let is_constant = node.input.as_ref().is_some_and(|input| input.as_constant().is_some());
                for given in elements(input, &declared.key).filter(|_| is_constant) {
                    if let Some(found) = constant_mismatch(given, &schema, inference) {
                        report(found, (file, declared, &schema), given.span);
                    }
                }
                continue;
            }
            let Some(given) = input.get(&declared.key) else { continue };
            let found = match node.input.as_ref().and_then(|input| entry(input, &declared.key)) {
                Some(template) => {
                    let known_value = inference.compiled_value(template, scope, position);
                    let possible = known_value.possible_values(&[]).filter(|possible| !possible.is_unknown());
                    possible
                        .filter(|possible| !possible.overlaps(&schema.possible(&[])))
                        .map(|it| Mismatch::Type(describe(&it)))
                }
                None => constant_mismatch(&given.value, &schema, inference),
            };
            if let Some(found) = found {
                report(found, (file, declared, &schema), given.value.span);
            }
        }
    }
}

fn elements<'a>(list: &'a Spanned, key: &str) -> impl Iterator<Item = &'a Spanned> {
    let items = list.as_list().unwrap_or_default().iter();
    items.filter_map(move |item| item.get(key).map(|entry| &entry.value))
}

/// The spans of the graphs, and whether they receive an element of the node's input instead of all of it.
fn called_files(node: &Spanned) -> Vec<(Span, bool)> {
    let branches = node.get("branches").and_then(|entry| entry.value.as_map()).unwrap_or_default();
    let whole = node.get("graph").into_iter().chain(branches).map(|entry| (entry.value.span, false));
    whole.chain(node.get("do").map(|entry| (entry.value.span, true))).collect()
}

/// `None` for a constant.
fn entry<'a>(input: &'a TemplateValue, key: &str) -> Option<&'a TemplateValue> {
    let TemplateValue::Map(entries) = input else { return None };
    let found = entries.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    found.filter(|value| value.as_constant().is_none())
}

enum Mismatch {
    /// What is passed.
    Type(String),
    /// What is wrong with a value of the right type.
    Part(String),
}

fn constant_mismatch(value: &Spanned, schema: &Schema, inference: &Inference<'_, '_>) -> Option<Mismatch> {
    let json = value.to_json();
    let report = schema.validate(&json, inference.patterns);
    let violation = report.violations.first().filter(|_| !report.is_incomplete)?;
    let (expected, given) = (schema.possible(&[]), PossibleValues::of_value(&json));
    Some(if expected.options.is_none() && expected.overlaps(&given) {
        Mismatch::Part(violation.message.clone())
    } else {
        Mismatch::Type(format!("`{}`", shorten_name(&canonical_text(&json))))
    })
}

/// The values, if they are few, or else their types.
fn describe(possible: &PossibleValues<'_>) -> String {
    let Some(options) = possible.options.as_ref().filter(|options| !options.is_empty()) else {
        return possible.describe();
    };
    value_list(options, " or ")
}

fn mismatch(plan: &PlanGraph, file: Span, declared: &Entry, schema: &Schema, found: Mismatch) -> Diagnostic {
    let (expected, name) = (schema.possible(&[]), shorten_name(&declared.key));
    let path = plan.files().iter().find(|known| known.span.start <= file.start && file.end <= known.span.end);
    let path = shorten_name(path.map_or("", |file| &file.path));
    let message = match found {
        Mismatch::Part(violation) => format!("the input `{name}` of `{path}` does not fit: {violation}"),
        Mismatch::Type(found) if expected.is_unknown() => {
            format!("`{path}` declares other values of its input `{name}` than {found}")
        }
        Mismatch::Type(found) => {
            format!("the input `{name}` of `{path}` is {}, not {found}", describe(&expected))
        }
    };
    Diagnostic::new(Code::FileInvalidInput, message)
        .label(declared.key_span, "declared here")
        .help(format!("pass what the file declares, or change the `inputs` of `{path}`"))
}
