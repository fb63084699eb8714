//! Validates a run's values: arguments, results, answers, the run's input. The plan's check reported everything that no
//! run value affects.

use crate::capabilities::Capabilities;
use crate::collect::CollectVec;
use crate::diagnostic::{Code, shorten_name};
use crate::failure::Failure;
use crate::graph::{Node, RunInputSchema, TemplateValue};
use crate::node::Action;
use crate::schema::{Partial, Patterns, Schema};
use crate::tool::ToolRegistry;
use crate::value::{Path, Value, View};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::sync::Arc;

/// Begins messages about mismatches.
pub(super) const MODEL_ANSWER: &str = "the model's answer";

/// Input and output schemas.
#[derive(Debug, Default)]
pub struct CallSchema {
    input: Option<Schema>,
    output: Option<Schema>,
    patterns: Patterns,
}

/// Keyed by tool: a thousand nodes may call one.
pub(super) type CallSchemaCache = HashMap<String, Option<Arc<CallSchema>>>;

/// Ignores a server's invalid schema.
pub(super) fn of_node(
    action: &Action,
    node: &Node,
    capabilities: &Capabilities,
    cache: &mut CallSchemaCache,
) -> Option<Arc<CallSchema>> {
    let patterns = capabilities.patterns();
    let read = |schema: &Json| Schema::compile(schema, &(), patterns).ok();
    match action {
        Action::Tool(name) => of_tool(name, capabilities, cache),
        Action::Llm(_) | Action::Agent(_) => {
            let schema = node.with.as_ref().and_then(|with| with.get("schema"));
            let output = schema.as_ref().and_then(TemplateValue::as_constant).and_then(read)?;
            Some(Arc::new(CallSchema { input: None, output: Some(output), patterns }))
        }
        _ => None,
    }
}

pub(super) fn of_tool(
    name: &str,
    capabilities: &Capabilities,
    cache: &mut CallSchemaCache,
) -> Option<Arc<CallSchema>> {
    if let Some(call_schema) = cache.get(name) {
        return call_schema.clone();
    }
    let patterns = capabilities.patterns();
    let read = |schema: &Json| server_schema(schema, patterns);
    let tool = capabilities.tools.as_ref().and_then(|tools| tools.get(name));
    let call_schema = tool.map(|tool| CallSchema {
        input: read(&tool.input_schema),
        output: tool.output_schema.as_ref().and_then(read),
        patterns,
    });
    let call_schema = call_schema.filter(|it| it.input.is_some() || it.output.is_some()).map(Arc::new);
    cache.insert(name.to_owned(), call_schema.clone());
    call_schema
}

/// `own` are the run's merged values.
pub(super) fn check_planned_arguments(
    tools: &ToolRegistry,
    tool: &str,
    arguments: &Json,
    own: &[(String, Json)],
) -> Result<(), Failure> {
    match tools.lenient_schema(tool, true) {
        Some(schema) => validate_with_trusted(schema, tools.patterns(), tool, arguments, own),
        None => Ok(()),
    }
}

fn server_schema(schema: &Json, patterns: Patterns) -> Option<Schema> {
    let (schema, errors) = Schema::compile_lenient(schema, patterns);
    errors.is_empty().then_some(schema)
}

/// For tools named at run time only.
pub(super) fn check_late_result<V: Value>(
    space: &V::Arena,
    tools: &ToolRegistry,
    (tool, parses): (&str, bool),
    value: V,
) -> Result<V, Failure> {
    let patterns = tools.patterns();
    let schema = tools.get(tool).and_then(|tool| tool.output_schema.as_ref());
    let output = schema.and_then(|schema| server_schema(schema, patterns));
    CallSchema { input: None, output, patterns }.check_tool_result(space, (tool, parses), value)
}

fn parse_json_text<V: Value>(space: &V::Arena, value: &V) -> Option<V> {
    let whole = Path::default();
    let text = matches!(value.view(&whole), View::Text(_)).then(|| value.text(&whole))??;
    crate::json::parse(text.trim()).map(|json| V::from_json(space, &json))
}

impl CallSchema {
    pub(super) fn check_arguments<V: Value>(&self, tool: &str, arguments: &V) -> Result<(), Failure> {
        let Some(schema) = &self.input else { return Ok(()) };
        let given = arguments.json(&Path::default()).unwrap_or_default();
        validate_arguments(schema, self.patterns, tool, &given)
    }

    pub(super) fn check_arguments_with(
        &self,
        tool: &str,
        arguments: &Json,
        own: &[(String, Json)],
    ) -> Result<(), Failure> {
        match &self.input {
            Some(schema) => validate_with_trusted(schema, self.patterns, tool, arguments, own),
            None => Ok(()),
        }
    }

    /// `parses` decides whether texts of tools are JSON.
    pub(super) fn check_result<V: Value>(
        &self,
        space: &V::Arena,
        (action, parses): (&Action, bool),
        value: V,
    ) -> Result<V, Failure> {
        match action {
            Action::Tool(name) => self.check_tool_result(space, (name, parses), value),
            _ => self.validate_against(&value, MODEL_ANSWER, "model/bad-reply").map(|()| value),
        }
    }

    /// Parses JSON text if the node asks, or if the tool's schema forbids text.
    pub(super) fn check_tool_result<V: Value>(
        &self,
        space: &V::Arena,
        (tool, parses): (&str, bool),
        value: V,
    ) -> Result<V, Failure> {
        const CODE: &str = "tool/invalid-result";
        let what = format!("the result of tool `{}`", shorten_name(tool));
        let is_text = matches!(value.view(&Path::default()), View::Text(_));
        if parses && is_text {
            let read = parse_json_text(space, &value);
            let read = read.ok_or_else(|| {
                Failure::new(
                    CODE,
                    format!("{what} is text that can't be read as JSON, which `parse: json` asks for"),
                )
            })?;
            return self.validate_against(&read, &what, CODE).map(|()| read);
        }
        let Err(failure) = self.validate_against(&value, &what, CODE) else { return Ok(value) };
        let read =
            parse_json_text(space, &value).filter(|read| self.validate_against(read, &what, CODE).is_ok());
        read.ok_or(failure)
    }

    fn validate_against<V: Value>(&self, value: &V, what: &str, code: &str) -> Result<(), Failure> {
        let Some(schema) = &self.output else { return Ok(()) };
        let given = value.json(&Path::default()).unwrap_or(Json::Null);
        schema.validate(&given, self.patterns).to_result(what).map_err(|message| Failure::new(code, message))
    }
}

/// Adds the plan's defaults.
pub(super) fn complete_input<V: Value>(
    inputs: &RunInputSchema,
    space: &V::Arena,
    input: &V,
) -> Result<V, Failure> {
    let given = input.json(&Path::default()).unwrap_or_default();
    match inputs.complete_input(given) {
        Ok(Some(completed)) => Ok(V::from_json(space, &completed)),
        Ok(None) => Ok(input.clone()),
        Err(message) => Err(Failure::new("run/invalid-input", message)),
    }
}

fn validate_arguments(schema: &Schema, patterns: Patterns, tool: &str, given: &Json) -> Result<(), Failure> {
    // No arguments equal an empty map.
    let nothing = json!({});
    let given = if given.is_null() { &nothing } else { given };
    let what = format!("the arguments of tool `{}`", shorten_name(tool));
    schema
        .validate(given, patterns)
        .to_result(&what)
        .map_err(|message| Failure::new("tool/invalid-arguments", message))
}

/// Messages reach models and files, so they never contain the merged values.
fn validate_with_trusted(
    schema: &Schema,
    patterns: Patterns,
    tool: &str,
    arguments: &Json,
    own: &[(String, Json)],
) -> Result<(), Failure> {
    let (Some(given), false) = (arguments.as_object(), own.is_empty()) else {
        return validate_arguments(schema, patterns, tool, arguments);
    };
    let what = format!("the arguments of tool `{}`", shorten_name(tool));
    let mut parts = Vec::with_capacity(given.len() + own.len());
    parts.extend(given.iter().map(|(key, value)| (key.as_str(), Partial::Known(value))));
    parts.extend(own.iter().map(|(key, _)| (key.as_str(), Partial::Unknown)));
    schema
        .validate_partial(&Partial::Map(parts), patterns, &what)
        .to_result(&what)
        .map_err(|message| Failure::new("tool/invalid-arguments", message))?;
    let mut sent = given.clone();
    sent.extend(own.iter().cloned());
    if schema.validate(&Json::Object(sent), patterns).is_valid() {
        return Ok(());
    }
    let names = own.iter().map(|(name, _)| format!("`{}`", shorten_name(name))).collect_vec().join(", ");
    let message =
        format!("the run's value for {names} does not match the schema of tool `{}`", shorten_name(tool));
    Err(Failure::new(Code::PlanInvalidContext.slug(), message))
}
