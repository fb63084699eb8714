//! Reports certain errors of arguments by the tool's schema. Values of templates are unknown.

use super::checked_node::CheckedNode;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Severity, Target, shorten_name};
use crate::graph::TemplateValue;
use crate::key::did_you_mean;
use crate::schema::{
    MisspeltKeyword, Partial, Patterns, Schema, UndeclaredProperty, Violation, misspelt_keywords, steps,
};
use crate::source::{Entry, Spanned, ValueKind};
use crate::tool::{ArgumentMismatch, ToolRegistry};
use crate::value::list_index;
use serde_json::Value as Json;

/// `input` is the document's value.
pub(super) fn check(
    CheckedNode { node, target, capabilities, .. }: CheckedNode<'_>,
    name: &str,
    input: Option<&Spanned>,
    diagnostics: &mut DiagnosticCollector,
) {
    let tools = capabilities.tools.as_ref();
    let Some(tools) = tools.filter(|tools| tools.get(name).is_some()) else { return };
    if let Some(Err(errors)) = tools.input_schema(name)
        && diagnostics.is_first_mention(name)
    {
        let why = errors.first().map_or("", |error| &error.message);
        let span = node.tool.as_ref().map_or(node.kind_span, |tool| tool.span);
        diagnostics.push(unreadable_schema(name, why).at(span).on(target.clone()));
    }
    let (Some(template), Some(input)) = (&node.input, input) else { return };
    let all = mismatches(template, name, tools);
    for mismatch in all.iter().filter(|mismatch| !all.iter().any(|other| is_same_problem(other, mismatch))) {
        let diagnostic = match mismatch {
            ArgumentMismatch::Violation(violation) => violation_diagnostic(violation, input, name),
            ArgumentMismatch::Undeclared(property) => undeclared_argument(property, input, name),
        };
        diagnostics.push(diagnostic.on(target.clone()));
    }
}

pub(super) fn mismatches(
    template: &TemplateValue,
    name: &str,
    tools: &ToolRegistry,
) -> Vec<ArgumentMismatch> {
    let around = super::tool::parse_object_template(template);
    let template = around.as_ref().unwrap_or(template);
    let object = template.as_constant().and_then(Json::as_str).and_then(super::tool::parse_object);
    let value = object.as_ref().map_or_else(|| template.to_partial(), Partial::Known);
    // A lone template may become anything.
    if matches!(template, TemplateValue::Template(..)) {
        return Vec::new();
    }
    tools.mismatches(name, &value, "the input")
}

fn is_same_problem(missing: &ArgumentMismatch, surplus: &ArgumentMismatch) -> bool {
    let ArgumentMismatch::Violation(missing) = missing else { return false };
    if missing.keyword != "required" || missing.suggestion.is_none() {
        return false;
    }
    let (map, name) = match surplus {
        ArgumentMismatch::Violation(surplus) if surplus.keyword != "required" => {
            (surplus.instance_path.rsplit_once('/').map(|(parent, _)| parent), surplus.name.as_ref())
        }
        ArgumentMismatch::Violation(_) => return false,
        ArgumentMismatch::Undeclared(property) => (Some(property.map.as_str()), Some(&property.name)),
    };
    missing.suggestion.as_ref() == name && map == Some(&missing.instance_path)
}

fn unreadable_schema(name: &str, why: &str) -> Diagnostic {
    let name = shorten_name(name);
    let message =
        format!("the schema of tool `{name}` can't be read in full, and is used as far as it can: {why}");
    Diagnostic::new(Code::ToolSchema, message)
        .help("correct the schema, or report this to the operator of its server")
}

fn undeclared_argument(
    UndeclaredProperty { map, name, suggestion: near }: &UndeclaredProperty,
    input: &Spanned,
    tool: &str,
) -> Diagnostic {
    let within = if map.is_empty() { String::new() } else { format!(" in `{}`", shorten_name(map)) };
    let message = format!(
        "the schema of tool `{}` names no argument `{}`{within}",
        shorten_name(tool),
        shorten_name(name)
    );
    let diagnostic = Diagnostic::new(Code::InvalidArguments, message);
    let (value, _) = find_pointer(input, map);
    let Some(entry) = value.get(name) else {
        return diagnostic.at(value.span).help(format!("remove `{}`", shorten_name(name)));
    };
    match near {
        Some(meant) => did_you_mean(diagnostic.at(entry.key_span), meant, &entry.key),
        None => diagnostic.at(entry.key_span).help(format!("remove `{}`", shorten_name(name))),
    }
}

/// `required` and `dependentRequired`.
fn is_requirement(keyword: &str) -> bool {
    keyword.ends_with("required") || keyword.ends_with("Required")
}

fn violation_diagnostic(violation: &Violation, input: &Spanned, tool: &str) -> Diagnostic {
    let (value, entry) = find_pointer(input, &violation.instance_path);
    let diagnostic = Diagnostic::new(Code::InvalidArguments, violation.message.as_str());
    let Some(name) = &violation.name else {
        return diagnostic
            .at(value.span)
            .help(format!("change it to match the schema of tool `{}`", shorten_name(tool)));
    };
    let missing = is_requirement(violation.keyword);
    let pair = match &violation.suggestion {
        Some(given) if missing => value.get(given).map(|entry| (entry, name)),
        Some(meant) => entry.map(|entry| (entry, meant)),
        None => None,
    };
    match (pair, entry) {
        (Some((entry, meant)), _) => did_you_mean(diagnostic.at(entry.key_span), meant, &entry.key),
        (None, Some(entry)) if !missing => {
            diagnostic.at(entry.key_span).help(format!("remove `{}`", shorten_name(name)))
        }
        _ if missing => diagnostic.at(value.span).help(format!("add `{}`", shorten_name(name))),
        _ => diagnostic.at(value.span).help(format!("remove `{}`", shorten_name(name))),
    }
}

pub(crate) fn check_schema(
    json: &Json,
    value: &Spanned,
    patterns: Patterns,
    target: &Target,
    diagnostics: &mut DiagnosticCollector,
) {
    for slip in misspelt_keywords(json) {
        let (place, _) = descend(value, slip.path.iter().map(String::as_str));
        let Some(entry) = place.get(&slip.keyword) else { continue };
        diagnostics.push(explain_keyword(&slip, entry).on(target.clone()));
    }
    let Err(errors) = Schema::compile(json, &(), patterns) else { return };
    for error in errors {
        let (place, _) = find_pointer(value, &error.path);
        let diagnostic = Diagnostic::new(Code::SchemaInvalid, error.message).at(place.span);
        diagnostics.push(with_schema_help(diagnostic, &error.path, place).on(target.clone()));
    }
}

stepgraph_lazy::lazy! {
    /// Lazy, because most schemas have no mistakes.
    fn explain_keyword(slip: &MisspeltKeyword, entry: &Entry) -> Diagnostic = no_keyword;

    fn with_schema_help(diagnostic: Diagnostic, path: &str, place: &Spanned) -> Diagnostic = add_schema_help;
}

#[inline(never)]
fn no_keyword(slip: &MisspeltKeyword, entry: &Entry) -> Diagnostic {
    let message = format!("`{}` is no keyword of JSON Schema", shorten_name(&slip.keyword));
    let diagnostic = Diagnostic::new(Code::SchemaInvalid, message);
    match slip.keyword.as_str() {
        "length" => {
            let least = slip.intended.replace("max", "min");
            diagnostic.at(entry.key_span).help(format!("write `{least}` or `{}`", slip.intended))
        }
        "optional" if slip.path.is_empty() => {
            diagnostic.at(entry.key_span).help("give it a `default`: each other input is required")
        }
        "optional" => {
            let help = "remove it: only the names in `required` of the map around it are required";
            diagnostic.at(entry.key_span).help(help)
        }
        // It has no effect, and other programs may read the plan.
        "nullable" => {
            let help = "write the types, as in `type: [number, \"null\"]`";
            Diagnostic { severity: Severity::Warning, ..diagnostic.at(entry.key_span).help(help) }
        }
        _ => did_you_mean(diagnostic.at(entry.key_span), slip.intended, &entry.key),
    }
}

#[inline(never)]
fn add_schema_help(diagnostic: Diagnostic, path: &str, place: &Spanned) -> Diagnostic {
    let is_null = |value: &&Spanned| value.kind == ValueKind::Null;
    let null = match &place.kind {
        ValueKind::List(items) => items.iter().find(is_null),
        _ => Some(place).filter(is_null),
    };
    let keyword = path.rsplit('/').next().unwrap_or_default();
    match (keyword, &place.kind, null) {
        ("type", _, Some(null)) => {
            let diagnostic = diagnostic.help("write `\"null\"` in quotes, which is the name of a type");
            if null.span.start < null.span.end { diagnostic.fix(null.span, "\"null\"") } else { diagnostic }
        }
        ("required", ValueKind::Bool(_), _) if path.contains("/properties/") => {
            diagnostic.help("name it in `required` of the map around it, as in `required: [name]`")
        }
        ("required", ValueKind::Bool(_), _) => {
            diagnostic.help("remove it: each input without a `default` is required")
        }
        _ if keyword.ends_with("Ref") || keyword.ends_with("$ref") => {
            diagnostic.help("put what is referred to into `$defs`")
        }
        _ => diagnostic.help("write it as JSON Schema, draft 2020-12, has it"),
    }
}

pub(crate) fn check_input(
    name: &str,
    json: &Json,
    value: &Spanned,
    patterns: Patterns,
    diagnostics: &mut DiagnosticCollector,
) {
    check_schema(json, value, patterns, &Target::Document, diagnostics);
    let Some(entry) = value.get("default") else { return };
    let Ok(schema) = Schema::compile(json, &(), patterns) else { return };
    let report = schema.validate(&entry.value.to_json(), patterns);
    let Some(violation) = report.violations.first().filter(|_| !report.is_incomplete) else { return };
    let (place, _) = find_pointer(&entry.value, &violation.instance_path);
    let message =
        format!("the default of input `{}` does not fit: {}", shorten_name(name), violation.message);
    let diagnostic = Diagnostic::new(Code::DefaultInvalid, message).at(place.span);
    diagnostics.push(diagnostic.help("change the default, or its schema").on(Target::Document));
}

/// Follows a JSON pointer as far as possible.
pub(crate) fn find_pointer<'a>(value: &'a Spanned, pointer: &str) -> (&'a Spanned, Option<&'a Entry>) {
    descend(value, steps(pointer))
}

/// Follows keys and positions as far as possible.
pub(crate) fn descend<S: AsRef<str>>(
    value: &Spanned,
    path: impl Iterator<Item = S>,
) -> (&Spanned, Option<&Entry>) {
    let (mut value, mut entry) = (value, None);
    for step in path {
        let step = step.as_ref();
        match &value.kind {
            ValueKind::Map(_) => match value.get(step) {
                Some(found) => (value, entry) = (&found.value, Some(found)),
                None => break,
            },
            ValueKind::List(items) => match list_index(step).and_then(|at| items.get(at)) {
                Some(item) => (value, entry) = (item, None),
                None => break,
            },
            _ => break,
        }
    }
    (value, entry)
}
