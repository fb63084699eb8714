//! Compares the input that a node passes to a plan file with the `inputs` of the file.
//!
//! Reports only certain mismatches of whole entries. A run does not validate them, so they are warnings.

use super::inference::Inference;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Span, shorten_name};
use crate::graph::{Graph, PlanGraph, TemplateValue};
use crate::schema::{PossibleValues, Schema};
use crate::source::{Entry, Spanned};
use crate::value::canonical_text;
use serde_json::Value as Json;

const MAX_LISTED: usize = 8;

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
    for file in called_files(written) {
        for declared in plan.file_inputs(file) {
            let Some(given) = input.get(&declared.key) else { continue };
            let Ok(schema) = Schema::compile(&declared.value.to_json(), &(), inference.patterns) else {
                continue;
            };
            let found = match node.input.as_ref().and_then(|input| entry(input, &declared.key)) {
                Some(template) => {
                    let known_value = inference.compiled_value(template, scope, position);
                    let possible = known_value.possible_values(&[]).filter(|possible| !possible.is_unknown());
                    possible
                        .filter(|possible| !possible.overlaps(&schema.possible(&[])))
                        .map(|it| describe(&it))
                }
                None => constant_mismatch(&given.value, &schema, inference),
            };
            if let Some(found) = found {
                let diagnostic = mismatch(plan, file, declared, &schema, &found).at(given.value.span);
                diagnostics.push(diagnostic.on(graph.target(node)));
            }
        }
    }
}

/// The spans of graphs that receive the node's input. Elements of `map` differ from it.
fn called_files(node: &Spanned) -> Vec<Span> {
    let branches = node.get("branches").and_then(|entry| entry.value.as_map()).unwrap_or_default();
    let own = node.get("graph").into_iter();
    own.chain(branches).map(|entry| entry.value.span).collect()
}

/// `None` for a constant.
fn entry<'a>(input: &'a TemplateValue, key: &str) -> Option<&'a TemplateValue> {
    let TemplateValue::Map(entries) = input else { return None };
    let found = entries.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    found.filter(|value| value.as_constant().is_none())
}

fn constant_mismatch(value: &Spanned, schema: &Schema, inference: &Inference<'_, '_>) -> Option<String> {
    let json = value.to_json();
    let report = schema.validate(&json, inference.patterns);
    let is_certain = !report.is_incomplete && !report.violations.is_empty();
    is_certain.then(|| format!("`{}`", shorten_name(&canonical_text(&json))))
}

/// The values, if they are few, or else their types.
fn describe(possible: &PossibleValues<'_>) -> String {
    let Some(options) = possible.options.as_ref().filter(|options| !options.is_empty()) else {
        return possible.describe();
    };
    let listed = options.iter().take(MAX_LISTED).map(|option| format!("`{}`", option_text(option)));
    let more = if options.len() > MAX_LISTED { " or another of its values" } else { "" };
    format!("{}{more}", listed.collect_vec().join(" or "))
}

/// Quotes only text that would read as another value, such as `"5"`.
fn option_text(option: &Json) -> String {
    match option {
        Json::String(text)
            if text.starts_with(char::is_alphabetic)
                && !["true", "false", "null"].contains(&text.as_str()) =>
        {
            shorten_name(text)
        }
        other => shorten_name(&canonical_text(other)),
    }
}

fn mismatch(plan: &PlanGraph, file: Span, declared: &Entry, schema: &Schema, found: &str) -> Diagnostic {
    let (expected, name) = (schema.possible(&[]), shorten_name(&declared.key));
    let path = plan.files().iter().find(|known| known.span.start <= file.start && file.end <= known.span.end);
    let path = shorten_name(path.map_or("", |file| &file.path));
    let message = if expected.is_unknown() {
        format!("`{path}` declares other values of its input `{name}` than {found}")
    } else {
        format!("the input `{name}` of `{path}` is {}, not {found}", describe(&expected))
    };
    Diagnostic::new(Code::FileInvalidInput, message)
        .label(declared.key_span, "declared here")
        .help(format!("pass what the file declares, or change the `inputs` of `{path}`"))
}
