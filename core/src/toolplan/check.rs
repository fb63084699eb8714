//! Checks one call: trusted parameters, references, and the tool's schema.

use super::reference_syntax::is_reference;
use super::{ToolPlanChecker, Trust};
use crate::collect::CollectVec;
use crate::diagnostic::{Code, Diagnostic, closest_name, shorten_name};
use crate::expression::{Reference, Root, TemplatePart};
use crate::graph::TemplateValue;
use crate::schema::{Partial, PathStatus, PossibleValues, UndeclaredProperty, Violation};
use crate::tool::{ArgumentMismatch, ToolInfo, ToolRegistry, template_arguments};
use crate::value::Segment;
use serde_json::{Map, Value as Json};

impl ToolPlanChecker<'_> {
    /// Returns the parameters without trusted ones, which join them at the call.
    pub(super) fn check_parameters(
        &mut self,
        at: usize,
        name: &str,
        mut given: Map<String, Json>,
        all: &[Json],
    ) -> Map<String, Json> {
        let Some(tool) = self.tools.get(name) else { return given };
        self.remove_trusted(at, tool, &mut given);
        let mut broken = Vec::new();
        let value = Json::Object(given);
        let template = if self.literal {
            TemplateValue::Constant(value.clone())
        } else {
            TemplateValue::from_json(&value, is_reference, &mut |text, error| {
                broken.push(format!("`{}` in `call[{at}]`: {}", shorten_name(text), error.message));
            })
        };
        for message in broken {
            let diagnostic = Diagnostic::new(Code::PlanBadReference, message);
            self.report(at, diagnostic.help("write `${call[0].path}`, or `$${` where the text is meant"));
        }
        self.check_references(at, &template, all);
        self.validate_parameters(at, (name, tool), &template);
        self.check_reference_types(at, name, &template, all);
        if let Json::Object(given) = value { given } else { Map::new() }
    }

    fn remove_trusted(&mut self, at: usize, tool: &ToolInfo, given: &mut Map<String, Json>) {
        let trust = self.trust;
        let written = trust.remove_trusted_parameters(tool, given);
        for (name, value) in &written {
            if trust.value(name) == Some(value) {
                continue;
            }
            add_unique(&mut self.discarded, name);
            let message = format!("the value of `call[{at}]` for `{name}` is discarded: the run sets it");
            let diagnostic = Diagnostic::new(Code::PlanUntrusted, message);
            self.report(at, diagnostic.help(format!("leave out `{name}`")));
        }
        for name in trust.names.iter().filter(|name| requires_parameter(tool, name)) {
            add_unique(&mut self.needed, name);
            if trust.value(name).is_some() {
                continue;
            }
            add_unique(&mut self.missing, name);
            let message = format!("`call[{at}]` needs `{name}`, which this run does not have");
            let diagnostic = Diagnostic::new(Code::PlanMissingContext, message);
            let is_written = written.iter().any(|(other, _)| other == name);
            self.report(
                at,
                diagnostic.help(if is_written {
                    format!("set `{name}` in the run's context: the tool plan can't set it")
                } else {
                    "plan without that tool, or say that the value is needed".to_owned()
                }),
            );
        }
    }

    fn check_references(&mut self, at: usize, texts: &TemplateValue, all: &[Json]) {
        match texts {
            TemplateValue::Constant(_) => {}
            TemplateValue::List(items) => {
                for item in items {
                    self.check_references(at, item, all);
                }
            }
            TemplateValue::Map(entries) => {
                for (_, value) in entries {
                    self.check_references(at, value, all);
                }
            }
            TemplateValue::Template(template, _) => {
                for (reference, _, is_last) in template.choices() {
                    if let Some((what, help)) = self.reference_error(at, reference, is_last, all) {
                        let message =
                            format!("`{}` in `call[{at}]` {what}", shorten_name(&reference.to_string()));
                        self.report(at, Diagnostic::new(Code::PlanBadReference, message).help(help));
                    }
                }
            }
        }
    }

    fn reference_error(
        &self,
        at: usize,
        reference: &Reference,
        is_last: bool,
        all: &[Json],
    ) -> Option<(String, String)> {
        let only = || "refer to the result of an earlier call: `${call[0].path}`".to_owned();
        let (Root::Call, Some(Segment::Index(number))) = (&reference.root, reference.path.first()) else {
            return Some(("is no result of a call".to_owned(), only()));
        };
        let number = *number;
        if number >= at {
            let what = if number == at {
                "is its own result"
            } else if number < all.len() {
                "is carried out later"
            } else {
                "is not there"
            };
            let help = if at == 0 {
                "write the value, or put another call before this one".to_owned()
            } else {
                only()
            };
            return Some((what.to_owned(), help));
        }
        let tool = all.get(number)?.get("tool_name")?.as_str()?;
        let schema = self.tools.lenient_schema(tool, false)?;
        let path = reference.path.get(1..)?;
        let from = match schema.path_status(path, self.tools.patterns()) {
            PathStatus::Impossible => 0,
            // References with fallbacks may be missing.
            PathStatus::Undeclared(at) if is_last => at,
            _ => return None,
        };
        let names = schema.names_at(path.get(..from)?);
        let help = match (path.get(from), names.is_empty()) {
            (_, true) => format!("use its whole result: `${{call[{number}]}}`"),
            (Some(Segment::Key(key)), _) if let Some(meant) = closest_name(key, names.clone()) => {
                format!("did you mean `{meant}`?")
            }
            _ => format!("use a field of its result: `{}`", names.join("`, `")),
        };
        Some((format!("is not in the result of `{}`", shorten_name(tool)), help))
    }

    fn check_reference_types(&mut self, at: usize, name: &str, parameters: &TemplateValue, all: &[Json]) {
        let tools = self.tools;
        let Some(schema) = tools.lenient_schema(name, true) else { return };
        for argument in template_arguments(parameters) {
            let Some(given) = result_type(argument.template, all, tools) else { continue };
            if let Some(message) = argument.mismatch(schema, &given) {
                let message = format!("`call[{at}]` of `{}`: {message}", shorten_name(name));
                let diagnostic = Diagnostic::new(Code::PlanInvalidType, message);
                self.report(at, diagnostic.help("refer to another field, or write the value"));
            }
        }
    }

    /// Models read the messages, so they never contain the run's values.
    fn validate_parameters(&mut self, at: usize, (name, tool): (&str, &ToolInfo), template: &TemplateValue) {
        let trust = self.trust;
        let own = trust.trusted_values(tool).unwrap_or_default();
        let with = |known: bool| with_trusted(template.to_partial(), &own, known);
        let misfits = self.tools.mismatches(name, &with(false), "the map of parameters");
        if misfits.is_empty() && !own.is_empty() {
            let whole = self.tools.mismatches(name, &with(true), "the map of parameters");
            if !whole.is_empty() {
                let names =
                    own.iter().map(|(name, _)| format!("`{}`", shorten_name(name))).collect_vec().join(", ");
                let message = format!(
                    "the run's value for {names} does not match the schema of `{}`, in `call[{at}]`",
                    shorten_name(name)
                );
                let diagnostic = Diagnostic::new(Code::PlanInvalidContext, message);
                self.report(at, diagnostic.help("set another value in the run's context"));
            }
        }
        for misfit in misfits {
            let diagnostic = match &misfit {
                ArgumentMismatch::Violation(violation) => {
                    // Already reported.
                    let own = violation.name.as_ref().is_some_and(|name| trust.names.contains(name));
                    if own && violation_code(violation) == Code::PlanMissingParameter {
                        continue;
                    }
                    violation_diagnostic(at, name, violation)
                }
                ArgumentMismatch::Undeclared(stranger) => undeclared_parameter(at, name, stranger),
            };
            self.report(at, diagnostic);
        }
    }
}

/// `None` unless the template is one field of a declared result.
fn result_type<'t>(
    template: &TemplateValue,
    all: &[Json],
    tools: &'t ToolRegistry,
) -> Option<PossibleValues<'t>> {
    let TemplateValue::Template(template, _) = template else { return None };
    let [TemplatePart::Placeholder { choices, fallback: None, .. }] = template.parts.as_slice() else {
        return None;
    };
    let [Reference { root: Root::Call, path }] = choices.as_slice() else { return None };
    let (Segment::Index(number), path) = path.split_first()? else { return None };
    let tool = all.get(*number)?.get("tool_name")?.as_str()?;
    Some(tools.lenient_schema(tool, false)?.possible(path))
}

fn undeclared_parameter(
    at: usize,
    tool: &str,
    UndeclaredProperty { map, name, suggestion: near }: &UndeclaredProperty,
) -> Diagnostic {
    let within = if map.is_empty() { String::new() } else { format!(" in `{}`", shorten_name(map)) };
    let (tool, name) = (shorten_name(tool), shorten_name(name));
    let message = format!("`call[{at}]`: `{tool}` does not speak of a parameter `{name}`{within}");
    let help = match near {
        Some(meant) => format!("did you mean `{}`?", shorten_name(meant)),
        None => format!("leave out `{name}`"),
    };
    Diagnostic::new(Code::PlanUnknownParameter, message).help(help)
}

impl Trust {
    /// The run's values for a tool.
    ///
    /// # Errors
    /// The required name that the run lacks.
    pub(crate) fn trusted_values(&self, tool: &ToolInfo) -> Result<Vec<(&str, &Json)>, &str> {
        let mut values = Vec::new();
        for name in &self.names {
            match self.value(name) {
                Some(own) if has_parameter(tool, name) => values.push((name.as_str(), own)),
                None if requires_parameter(tool, name) => return Err(name),
                _ => {}
            }
        }
        Ok(values)
    }

    /// If parameters are unknown, those without a run value stay, since they may not be trusted.
    pub(crate) fn remove_trusted_parameters(
        &self,
        tool: &ToolInfo,
        given: &mut Map<String, Json>,
    ) -> Vec<(String, Json)> {
        let mut written = Vec::new();
        for name in &self.names {
            if self.value(name).is_some() || !is_unknown(tool) {
                written.extend(given.shift_remove(name).map(|value| (name.clone(), value)));
            }
        }
        written
    }
}

fn add_unique(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// Merges the run's values, `known` or not.
fn with_trusted<'a>(parameters: Partial<'a>, own: &[(&'a str, &'a Json)], known: bool) -> Partial<'a> {
    let mut entries = match parameters {
        Partial::Known(Json::Object(entries)) => {
            entries.iter().map(|(key, value)| (key.as_str(), Partial::Known(value))).collect_vec()
        }
        Partial::Map(entries) => entries,
        other => return other,
    };
    let value = |own: &'a Json| if known { Partial::Known(own) } else { Partial::Unknown };
    entries.extend(own.iter().map(|(name, own)| (*name, value(own))));
    Partial::Map(entries)
}

/// MCP requires object schemas, so servers list no such tool.
fn is_unknown(tool: &ToolInfo) -> bool {
    tool.input_schema.as_object().is_some_and(Map::is_empty)
}

fn has_parameter(tool: &ToolInfo, name: &str) -> bool {
    let declares = |schema: &Json| declared_parameter(schema, name).is_some();
    requires_parameter(tool, name)
        || argument_subschemas(&tool.input_schema, REQUIRING_KEYWORDS).into_iter().any(declares)
}

fn declared_parameter<'s>(schema: &'s Json, name: &str) -> Option<&'s Json> {
    schema.get("properties")?.get(name)
}

fn requires_parameter(tool: &ToolInfo, name: &str) -> bool {
    let requires = |schema: &Json| {
        let required = schema.get("required").and_then(Json::as_array);
        // An older draft puts it next to the type.
        let marked =
            declared_parameter(schema, name).and_then(|one| one.get("required")) == Some(&Json::Bool(true));
        marked || required.is_some_and(|required| required.iter().any(|other| other == name))
    };
    argument_subschemas(&tool.input_schema, &["allOf"]).into_iter().any(requires)
}

pub(crate) const SAME_VALUE_KEYWORDS: [&str; 9] =
    ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies", "not"];
const REQUIRING_KEYWORDS: &[&str] = SAME_VALUE_KEYWORDS.split_at(8).0;

const MAX_SUBSCHEMAS: usize = 1000;

/// Follows these keywords, and references within the schema.
pub(crate) fn argument_subschemas<'s>(schema: &'s Json, keywords: &[&str]) -> Vec<&'s Json> {
    let mut found: Vec<&Json> = Vec::new();
    let mut work = vec![schema];
    while let Some(at) = work.pop().filter(|_| found.len() < MAX_SUBSCHEMAS) {
        if found.iter().any(|known| std::ptr::eq(*known, at)) {
            continue;
        }
        found.push(at);
        let names = ["$ref", "$dynamicRef"].into_iter().filter_map(|key| at.get(key)?.as_str());
        work.extend(names.filter_map(|name| resolve_ref(schema, name)));
        for inner in keywords.iter().filter_map(|keyword| at.get(keyword)) {
            match inner {
                Json::Array(schemas) => work.extend(schemas),
                Json::Object(map) if map.values().all(|value| value.is_object() || value.is_boolean()) => {
                    work.extend(map.values());
                    work.push(inner);
                }
                schema => work.push(schema),
            }
        }
    }
    found
}

fn resolve_ref<'s>(schema: &'s Json, name: &str) -> Option<&'s Json> {
    if let Some(pointer) = name.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        return schema.pointer(pointer);
    }
    let is_called = |one: &&Json| {
        ["$anchor", "$dynamicAnchor"]
            .iter()
            .any(|key| one.get(key).and_then(Json::as_str) == name.strip_prefix('#'))
            || one.get("$id").and_then(Json::as_str) == Some(name)
    };
    let definitions = ["$defs", "definitions"].into_iter().filter_map(|key| schema.get(key)?.as_object());
    definitions.flat_map(Map::values).chain([schema]).find(is_called)
}

fn violation_code(violation: &Violation) -> Code {
    match violation.keyword {
        "required" | "dependentRequired" => Code::PlanMissingParameter,
        _ if violation.is_type_mismatch() => Code::PlanInvalidType,
        "additionalProperties" | "unevaluatedProperties" | "propertyNames" | "patternProperties"
            if violation.name.is_some() =>
        {
            Code::PlanUnknownParameter
        }
        _ => Code::PlanInvalidValue,
    }
}

fn violation_diagnostic(at: usize, tool: &str, violation: &Violation) -> Diagnostic {
    let code = violation_code(violation);
    let diagnostic =
        Diagnostic::new(code, format!("`call[{at}]` of `{}`: {}", shorten_name(tool), violation.message));
    let help = match (&violation.suggestion, &violation.name, code) {
        (Some(given), Some(name), Code::PlanMissingParameter) => {
            format!("write `{}` instead of `{}`", shorten_name(name), shorten_name(given))
        }
        (Some(meant), _, Code::PlanUnknownParameter) => format!("did you mean `{}`?", shorten_name(meant)),
        (_, Some(name), Code::PlanUnknownParameter) => format!("leave out `{}`", shorten_name(name)),
        (_, Some(name), _) => format!("add `{}`", shorten_name(name)),
        _ => "change it to match the tool's schema".to_owned(),
    };
    diagnostic.help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolplan::check;
    use serde_json::json;

    /// Only the run's value reaches a tool, and only if declared.
    #[test]
    fn trusted_parameters_are_found_wherever_a_schema_names_them() {
        let email = json!({"properties": {"user_email": {"type": "string"}}, "required": ["user_email"]});
        for schema in [
            email.clone(),
            json!({"$ref": "#/$defs/a", "$defs": {"a": email}}),
            json!({"type": "object", "allOf": [email]}),
            json!({"oneOf": [{"type": "null"}, email]}),
            json!({"anyOf": [email]}),
            json!({"if": {"required": ["x"]}, "then": email}),
            json!({"dependentSchemas": {"x": email}}),
            json!({"patternProperties": {"^user": {}}}),
            json!({"type": "object"}),
            json!({"additionalProperties": {"type": "string"}}),
            json!({"$ref": "#"}),
        ] {
            let tool = ToolInfo::from_json(&json!({"name": "t", "input_schema": schema})).unwrap();
            let tools = ToolRegistry::new([tool.clone()]);
            let plan =
                json!({"tool_calls": [{"tool_name": "t", "parameters": {"user_email": "evil@x", "y": 1}}]});
            for context in [json!({"user_email": "me@x"}), Json::Null] {
                let trust = Trust { context: context.clone(), ..Trust::default() };
                let checked = check(&plan, &tools, &trust).plan;
                assert_eq!(checked["tool_calls"][0]["parameters"], json!({"y": 1}), "{schema} {context}");
                assert_eq!(checked["discarded"], json!(["user_email"]), "{schema} {context}");
                let names = schema.to_string().contains("user_email");
                let own = context.get("user_email").filter(|_| names).map(|own| ("user_email", own));
                let values = trust.trusted_values(&tool).unwrap_or_default();
                assert_eq!(values, own.into_iter().collect::<Vec<_>>(), "{schema} {context}");
            }
        }
    }
}
