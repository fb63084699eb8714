//! Tool nodes. A text input that is a JSON object becomes that object.
//!
//! Invariant: A placeholder's value stays a value: texts are parsed as JSON before placeholders are filled.

use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, DiagnosticCollector, Span, Target, shorten_name};
use crate::expression::{Template, TemplatePart};
use crate::graph::{Node, TemplateValue};
use crate::key::did_you_mean;
use crate::kind::settings::is_name;
use crate::source::{Spanned, ValueKind};
use crate::value::{Path, Value, View};
use serde_json::Value as Json;

pub(super) fn check(
    node: &Node,
    name: &str,
    capabilities: &Capabilities,
    diagnostics: &mut DiagnosticCollector,
) -> Option<Diagnostic> {
    let span = node.tool.as_ref().map_or(node.kind_span, |tool| tool.span);
    unknown_tool(name, span, capabilities, diagnostics)
}

pub(super) fn unknown_tool(
    name: &str,
    span: Span,
    capabilities: &Capabilities,
    diagnostics: &mut DiagnosticCollector,
) -> Option<Diagnostic> {
    let tools = capabilities.tools.as_ref()?;
    if tools.get(name).is_some() {
        return None;
    }
    if let Some(diagnostic) = unavailable(name, capabilities) {
        return Some(diagnostic.at(span));
    }
    if let Some(diagnostic) = ambiguous_name(name, capabilities, diagnostics) {
        return Some(diagnostic.at(span));
    }
    let message = format!("there is no tool `{}`", shorten_name(name));
    let diagnostic = Diagnostic::new(Code::UnknownTool, message).at(span);
    Some(match diagnostics.closest_name(name, tools.names()) {
        Some(meant) => did_you_mean(diagnostic, meant, name),
        None if tools.is_empty() => diagnostic.help("connect the server that offers it"),
        // The list of errors is full, so nobody reads the help.
        None if diagnostics.is_full() => diagnostic,
        None => diagnostic.help(format!("use one of {}", quoted_names(tools.names()))),
    })
}

pub(super) fn check_named(
    items: &[Spanned],
    capabilities: &Capabilities,
    target: &Target,
    diagnostics: &mut DiagnosticCollector,
) {
    if capabilities.tools.is_none() {
        return;
    }
    for item in items {
        if let ValueKind::Text(name) = &item.kind
            && is_name(name)
            && let Some(diagnostic) = unknown_tool(name, item.span, capabilities, diagnostics)
        {
            diagnostics.push(diagnostic.on(target.clone()));
        }
    }
}

/// A listed tool that can't be called.
pub(super) fn unavailable(name: &str, capabilities: &Capabilities) -> Option<Diagnostic> {
    let reason = capabilities.tools.as_ref()?.unavailable(name)?;
    let message = format!("the tool `{}` can't be called: {reason}", shorten_name(name));
    Some(Diagnostic::new(Code::UnavailableTool, message).help("use another tool"))
}

/// Several servers use the name.
pub(super) fn ambiguous_name(
    name: &str,
    capabilities: &Capabilities,
    diagnostics: &DiagnosticCollector,
) -> Option<Diagnostic> {
    let tools = capabilities.tools.as_ref().filter(|_| !diagnostics.is_full())?;
    let clashes = tools.ambiguous_names(name)?;
    let diagnostic =
        Diagnostic::new(Code::UnknownTool, format!("several servers offer a tool `{}`", shorten_name(name)));
    Some(diagnostic.help(if clashes.is_empty() {
        "give one of the servers another name".to_owned()
    } else {
        format!("write one of {}", quoted_names(clashes.iter().map(String::as_str)))
    }))
}

fn quoted_names<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    let first: Vec<String> =
        names.by_ref().take(8).map(|name| format!("`{}`", shorten_name(name))).collect_vec();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

pub(crate) fn to_arguments<V: Value>(space: &V::Arena, input: V) -> V {
    let whole = Path::default();
    if !matches!(input.view(&whole), View::Text(_)) {
        return input;
    }
    match input.text(&whole).and_then(|text| parse_object(&text)) {
        Some(json) => V::from_json(space, &json),
        None => input,
    }
}

/// Surrounds placeholder numbers during parsing. A private-use character.
const PLACEHOLDER_MARK: char = '\u{E000}';

/// Keeps placeholders.
pub(crate) fn parse_object_template(texts: &TemplateValue) -> Option<TemplateValue> {
    let TemplateValue::Template(template, span) = texts else { return None };
    let object = parse_object(&mark_placeholders(&template.parts)?)?;
    restore_placeholders(object, &template.parts, *span)
}

/// Outside of quotes a placeholder becomes a whole value.
fn mark_placeholders(parts: &[TemplatePart]) -> Option<String> {
    let mut out = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for (number, part) in parts.iter().enumerate() {
        match part {
            TemplatePart::Placeholder { .. } | TemplatePart::Computed { .. } if quoted => {
                out.extend([PLACEHOLDER_MARK.to_string(), number.to_string(), PLACEHOLDER_MARK.to_string()]);
            }
            TemplatePart::Placeholder { .. } | TemplatePart::Computed { .. } => {
                out.extend([
                    "\"".to_owned(),
                    PLACEHOLDER_MARK.to_string(),
                    number.to_string(),
                    PLACEHOLDER_MARK.to_string(),
                    "\"".to_owned(),
                ]);
            }
            TemplatePart::Text(text) if text.contains(PLACEHOLDER_MARK) => return None,
            TemplatePart::Text(text) => {
                for c in text.chars() {
                    (quoted, escaped) = match (c, escaped) {
                        (_, true) => (quoted, false),
                        ('"', false) => (!quoted, false),
                        ('\\', false) => (quoted, true),
                        _ => (quoted, false),
                    };
                }
                out.push_str(text);
            }
        }
    }
    Some(out)
}

fn restore_placeholders(value: Json, parts: &[TemplatePart], span: Span) -> Option<TemplateValue> {
    Some(match value {
        Json::String(text) if text.contains(PLACEHOLDER_MARK) => {
            let mut found = Vec::new();
            for (at, piece) in text.split(PLACEHOLDER_MARK).enumerate() {
                match piece.parse::<usize>().ok().filter(|_| at % 2 == 1) {
                    Some(number) => found.push(parts.get(number)?.clone()),
                    None if piece.is_empty() => {}
                    None => found.push(TemplatePart::Text(piece.to_owned())),
                }
            }
            TemplateValue::Template(Template { parts: found }, span)
        }
        Json::Array(items) => TemplateValue::List(
            items.into_iter().map(|item| restore_placeholders(item, parts, span)).collect::<Option<_>>()?,
        ),
        Json::Object(entries) => {
            let plain = |(key, value): (String, Json)| {
                let value = restore_placeholders(value, parts, span)?;
                (!key.contains(PLACEHOLDER_MARK)).then_some((key, value))
            };
            TemplateValue::Map(entries.into_iter().map(plain).collect::<Option<_>>()?)
        }
        constant => TemplateValue::Constant(constant),
    })
}

pub(super) fn parse_object(text: &str) -> Option<Json> {
    let object = text.trim_start().starts_with('{').then(|| crate::json::parse(text))?;
    object.filter(Json::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Format;

    fn read(text: &str) -> Option<Json> {
        let plan = serde_json::json!({"nodes": {"a": {"type": "tool", "tool": "t", "input": text}}});
        let graph = crate::graph::PlanGraph::parse(&plan.to_string(), Format::Json).graph?;
        with_placeholder_names(&parse_object_template(graph.root.nodes.first()?.input.as_ref()?)?)
    }

    /// Shows placeholders as `<hole>`.
    fn with_placeholder_names(texts: &TemplateValue) -> Option<Json> {
        Some(match texts {
            TemplateValue::Constant(json) => json.clone(),
            TemplateValue::List(items) => {
                items.iter().map(with_placeholder_names).collect::<Option<Vec<_>>>()?.into()
            }
            TemplateValue::Map(entries) => Json::Object(
                entries
                    .iter()
                    .map(|(key, value)| Some((key.clone(), with_placeholder_names(value)?)))
                    .collect::<Option<_>>()?,
            ),
            TemplateValue::Template(template, _) => template
                .parts
                .iter()
                .map(|part| if let TemplatePart::Text(text) = part { text.as_str() } else { "<hole>" })
                .collect::<String>()
                .into(),
        })
    }

    #[test]
    fn holes_stay_values() {
        use serde_json::json;
        for (text, expect) in [
            (r#"{"to":"${input}"}"#, Some(json!({"to": "<hole>"}))),
            (r#"{"to":"Dear ${input}, hi","n":1}"#, Some(json!({"to": "Dear <hole>, hi", "n": 1}))),
            (r#" {"n": ${input}, "l": [${last}, 2]}"#, Some(json!({"n": "<hole>", "l": ["<hole>", 2]}))),
            (r#"{"a":"\"${input}\\","b":${last}}"#, Some(json!({"a": "\"<hole>\\", "b": "<hole>"}))),
            (r#"{"${input}": 1}"#, None),
            (r#"{"a": ${input}"#, None),
            ("${input}", None),
            ("to ${input}", None),
            ("{\"a\": \"\u{E000}0\u{E000}${input}\"}", None),
        ] {
            assert_eq!(read(text), expect, "{text}");
        }
    }
}
