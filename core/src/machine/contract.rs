//! What a run holds calls to while it runs: the schemas of a tool's arguments and results, of a model's answer, of its own input.
//!
//! Decides whether a value that is known only now fits. What could be told from the plan alone was told before the run.

use super::event::Failure;
use crate::diagnostic::{Code, brief, near};
use crate::graph::{Named, Node, Texts};
use crate::host::Capabilities;
use crate::list::List;
use crate::node::Action;
use crate::schema::{Partial, Patterns, Report, Schema};
use crate::tool::Catalogue;
use crate::value::{Path, Value, View};
use serde_json::{Map, Value as Json, json};
use std::collections::HashMap;
use std::sync::Arc;

/// What is said of an answer that does not fit, before why.
pub(super) const WRONG_ANSWER: &str = "the model's answer";

/// What is said of an input that does not fit, before why.
const RUN_INPUT: &str = "the run's input";

/// What a call is given and gives.
#[derive(Debug, Default)]
pub struct Contract {
    input: Option<Schema>,
    output: Option<Schema>,
    patterns: Patterns,
}

/// What a run must be given.
#[derive(Debug)]
pub struct Inputs {
    schema: Schema,
    /// The names that the plan declares.
    names: Vec<String>,
    /// What is there when nothing else is given.
    defaults: Vec<(String, Json)>,
    patterns: Patterns,
}

/// The contracts made so far, by tool: a tool that a thousand nodes call has one.
pub(super) type Contracts = HashMap<String, Option<Arc<Contract>>>;

/// What a node's call is held to, if anything. A server's schema that can't be used holds it to nothing.
pub(super) fn of_node(
    action: &Action,
    node: &Node,
    capabilities: &Capabilities,
    known: &mut Contracts,
) -> Option<Arc<Contract>> {
    let patterns = capabilities.patterns();
    let read = |schema: &Json| Schema::compile(schema, &(), patterns).ok();
    match action {
        Action::Tool(name) => of_tool(name, capabilities, known),
        Action::Llm(_) | Action::Agent(_) => {
            let schema = node.with.as_ref().and_then(|with| with.get("schema"));
            let output = schema.as_ref().and_then(Texts::constant).and_then(read)?;
            Some(Arc::new(Contract { input: None, output: Some(output), patterns }))
        }
        _ => None,
    }
}

/// What the calls of a tool are held to.
pub(super) fn of_tool(
    name: &str,
    capabilities: &Capabilities,
    known: &mut Contracts,
) -> Option<Arc<Contract>> {
    if let Some(contract) = known.get(name) {
        return contract.clone();
    }
    let patterns = capabilities.patterns();
    let read = |schema: &Json| of_server(schema, patterns);
    let tool = capabilities.tools.as_ref().and_then(|tools| tools.get(name));
    let contract = tool.map(|tool| Contract {
        input: read(&tool.input_schema),
        output: tool.output_schema.as_ref().and_then(read),
        patterns,
    });
    let contract = contract.filter(|it| it.input.is_some() || it.output.is_some()).map(Arc::new);
    known.insert(name.to_owned(), contract.clone());
    contract
}

/// Whether the arguments of a call will do, by the schema that the catalogue has read. `own` are the run's values that join them.
pub(super) fn taken(
    tools: &Catalogue,
    tool: &str,
    arguments: &Json,
    own: &[(String, Json)],
) -> Result<(), Failure> {
    match tools.understood(tool, true) {
        Some(schema) => fit_with(schema, tools.patterns(), tool, arguments, own),
        None => Ok(()),
    }
}

/// A server's schema, unless something is wrong with it.
fn of_server(schema: &Json, patterns: Patterns) -> Option<Schema> {
    let (schema, errors) = Schema::tolerant(schema, patterns);
    errors.is_empty().then_some(schema)
}

/// What a tool gave, when its name is known only now.
pub(super) fn given<V: Value>(
    space: &V::Space,
    tools: &Catalogue,
    (tool, parses): (&str, bool),
    value: V,
) -> Result<V, Failure> {
    let patterns = tools.patterns();
    let schema = tools.get(tool).and_then(|tool| tool.output_schema.as_ref());
    let output = schema.and_then(|schema| of_server(schema, patterns));
    Contract { input: None, output, patterns }.gives_of_tool(space, (tool, parses), value)
}

/// A text as the JSON that it holds.
fn parsed<V: Value>(space: &V::Space, value: &V) -> Option<V> {
    let whole = Path::default();
    let text = matches!(value.view(&whole), View::Text(_)).then(|| value.text(&whole))??;
    crate::json::parse(text.trim()).map(|json| V::from_json(space, &json))
}

impl Contract {
    /// Whether the arguments of a call will do.
    pub(super) fn takes<V: Value>(&self, tool: &str, arguments: &V) -> Result<(), Failure> {
        let Some(schema) = &self.input else { return Ok(()) };
        let given = arguments.json(&Path::default()).unwrap_or_default();
        arguments_fit(schema, self.patterns, tool, &given)
    }

    /// The same of arguments that the run's `own` values join.
    pub(super) fn takes_with(
        &self,
        tool: &str,
        arguments: &Json,
        own: &[(String, Json)],
    ) -> Result<(), Failure> {
        match &self.input {
            Some(schema) => fit_with(schema, self.patterns, tool, arguments, own),
            None => Ok(()),
        }
    }

    /// What a call gave, when it will do; `parses` says whether texts of tools are read as JSON.
    pub(super) fn gives<V: Value>(
        &self,
        space: &V::Space,
        (action, parses): (&Action, bool),
        value: V,
    ) -> Result<V, Failure> {
        match action {
            Action::Tool(name) => self.gives_of_tool(space, (name, parses), value),
            _ => self.given(&value, WRONG_ANSWER, "model/bad-reply").map(|()| value),
        }
    }

    /// What a tool gave, when it will do. A text that holds JSON is read as that where the node says so, or where the schema of the
    /// tool allows no such text.
    pub(super) fn gives_of_tool<V: Value>(
        &self,
        space: &V::Space,
        (tool, parses): (&str, bool),
        value: V,
    ) -> Result<V, Failure> {
        const CODE: &str = "tool/invalid-result";
        let what = format!("the result of tool `{}`", brief(tool));
        let is_text = matches!(value.view(&Path::default()), View::Text(_));
        if parses && is_text {
            let read = parsed(space, &value);
            let read = read.ok_or_else(|| {
                Failure::new(
                    CODE,
                    format!("{what} is text that can't be read as JSON, which `parse: json` asks for"),
                )
            })?;
            return self.given(&read, &what, CODE).map(|()| read);
        }
        let Err(failure) = self.given(&value, &what, CODE) else { return Ok(value) };
        let read = parsed(space, &value).filter(|read| self.given(read, &what, CODE).is_ok());
        read.ok_or(failure)
    }

    fn given<V: Value>(&self, value: &V, what: &str, code: &str) -> Result<(), Failure> {
        let Some(schema) = &self.output else { return Ok(()) };
        let given = value.json(&Path::default()).unwrap_or(Json::Null);
        fits(schema, &given, self.patterns, what).map_err(|message| Failure::new(code, message))
    }
}

impl Inputs {
    /// What a run of a plan must be given; nothing when the plan says nothing of it.
    pub(crate) fn of(inputs: &[(Named, Json)], patterns: Patterns) -> Option<Self> {
        if inputs.is_empty() {
            return None;
        }
        let default = |schema: &Json| schema.get("default").cloned();
        let required: Vec<&str> = inputs
            .iter()
            .filter(|(_, schema)| default(schema).is_none())
            .map(|(named, _)| named.name.as_str())
            .list();
        let properties: Map<String, Json> =
            inputs.iter().map(|(named, schema)| (named.name.clone(), schema.clone())).collect();
        let schema = json!({"type": "object", "properties": properties, "required": required});
        let defaults =
            inputs.iter().filter_map(|(named, schema)| Some((named.name.clone(), default(schema)?)));
        // The check read every schema before.
        let schema = Schema::compile(&schema, &(), patterns).ok()?;
        let names = inputs.iter().map(|(named, _)| named.name.clone()).list();
        Some(Self { schema, names, defaults: defaults.list(), patterns })
    }

    /// The run's input with what the plan gives where nothing is given.
    pub(super) fn take<V: Value>(&self, space: &V::Space, input: &V) -> Result<V, Failure> {
        let given = input.json(&Path::default()).unwrap_or_default();
        match self.complete(given) {
            Ok(Some(completed)) => Ok(V::from_json(space, &completed)),
            Ok(None) => Ok(input.clone()),
            Err(message) => Err(Failure::new("run/invalid-input", message)),
        }
    }

    /// The same of JSON: nothing where all was given. What is wrong with it otherwise, in words.
    pub(crate) fn complete(&self, given: Json) -> Result<Option<Json>, String> {
        let mut added = given.is_null();
        let mut given = if added { json!({}) } else { given };
        if let Some(map) = given.as_object_mut() {
            for (name, default) in &self.defaults {
                if !map.contains_key(name) {
                    map.insert(name.clone(), default.clone());
                    added = true;
                }
            }
        }
        let fit = fits(&self.schema, &given, self.patterns, RUN_INPUT).err();
        match (fit, self.undeclared(&given)) {
            (None, None) => Ok(added.then_some(given)),
            (None, Some(undeclared)) => Err(format!("{RUN_INPUT}: {undeclared}")),
            (Some(fit), None) => Err(fit),
            (Some(fit), Some(undeclared)) => Err(format!("{fit}; {undeclared}")),
        }
    }

    /// Names that the plan doesn't declare, in words: misspelt, they would be ignored, and a default taken in their place.
    fn undeclared(&self, given: &Json) -> Option<String> {
        const SHOWN: usize = 3;
        let is_known = |name: &&String| !self.names.iter().any(|known| known == *name);
        let unknown: Vec<&String> = given.as_object()?.keys().filter(is_known).list();
        let told = unknown.iter().take(SHOWN).map(|name| {
            let meant = near(name, self.names.iter().map(String::as_str));
            let meant =
                meant.map_or_else(String::new, |meant| format!(" (did you mean `{}`?)", brief(meant)));
            format!("the plan declares no input `{}`{meant}", brief(name))
        });
        let told = told.list().join("; ");
        match unknown.len().saturating_sub(SHOWN) {
            _ if unknown.is_empty() => None,
            0 => Some(told),
            more => Some(format!("{told}; and {more} more")),
        }
    }
}

fn arguments_fit(schema: &Schema, patterns: Patterns, tool: &str, given: &Json) -> Result<(), Failure> {
    // No arguments are the same as an empty map of them.
    let nothing = json!({});
    let given = if given.is_null() { &nothing } else { given };
    let what = format!("the arguments of tool `{}`", brief(tool));
    fits(schema, given, patterns, &what).map_err(|message| Failure::new("tool/invalid-arguments", message))
}

/// Whether arguments will do once the run's own values have joined them.
///
/// What is wrong is told to models and kept in files, so no message says anything of those values.
fn fit_with(
    schema: &Schema,
    patterns: Patterns,
    tool: &str,
    arguments: &Json,
    own: &[(String, Json)],
) -> Result<(), Failure> {
    let (Some(given), false) = (arguments.as_object(), own.is_empty()) else {
        return arguments_fit(schema, patterns, tool, arguments);
    };
    let what = format!("the arguments of tool `{}`", brief(tool));
    let mut parts = Vec::with_capacity(given.len() + own.len());
    parts.extend(given.iter().map(|(key, value)| (key.as_str(), Partial::Known(value))));
    parts.extend(own.iter().map(|(key, _)| (key.as_str(), Partial::Hole)));
    told(&schema.validate_partial(&Partial::Map(parts), patterns, &what), &what)
        .map_err(|message| Failure::new("tool/invalid-arguments", message))?;
    let mut sent = given.clone();
    sent.extend(own.iter().cloned());
    if schema.validate(&Json::Object(sent), patterns).is_valid() {
        return Ok(());
    }
    let names = own.iter().map(|(name, _)| format!("`{}`", brief(name))).list().join(", ");
    let message = format!("the run's value for {names} is not what tool `{}` takes", brief(tool));
    Err(Failure::new(Code::PlanInvalidContext.slug(), message))
}

/// Whether a value fits a schema; why not, in words.
pub(crate) fn fits(schema: &Schema, value: &Json, patterns: Patterns, what: &str) -> Result<(), String> {
    told(&schema.validate(value, patterns), what)
}

fn told(report: &Report, what: &str) -> Result<(), String> {
    const SHOWN: usize = 3;
    if report.is_valid() {
        return Ok(());
    }
    let mut message = format!("{what}: ");
    for (i, violation) in report.violations.iter().take(SHOWN).enumerate() {
        message.push_str(if i > 0 { "; " } else { "" });
        message.push_str(&violation.message);
    }
    let more = report.more + report.violations.len().saturating_sub(SHOWN);
    if more > 0 {
        message = format!("{message}; and {more} more");
    }
    Err(message)
}
