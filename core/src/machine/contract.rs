//! What a run holds calls to while it runs: the schemas of a tool's arguments and results, of a model's answer, of its own input.
//!
//! Decides whether a value that is known only now fits. What could be told from the plan alone was told before the run.

use crate::capabilities::Capabilities;
use crate::diagnostic::{Code, brief};
use crate::failure::Failure;
use crate::graph::{Inputs, Node, Texts};
use crate::list::List;
use crate::node::Action;
use crate::schema::{Partial, Patterns, Schema};
use crate::tool::Catalogue;
use crate::value::{Path, Value, View};
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::sync::Arc;

/// What is said of an answer that does not fit, before why.
pub(super) const WRONG_ANSWER: &str = "the model's answer";

/// What a call is given and gives.
#[derive(Debug, Default)]
pub struct Contract {
    input: Option<Schema>,
    output: Option<Schema>,
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
        schema.validate(&given, self.patterns).to_result(what).map_err(|message| Failure::new(code, message))
    }
}

/// The run's input with what the plan gives where nothing is given.
pub(super) fn taken_input<V: Value>(inputs: &Inputs, space: &V::Space, input: &V) -> Result<V, Failure> {
    let given = input.json(&Path::default()).unwrap_or_default();
    match inputs.complete(given) {
        Ok(Some(completed)) => Ok(V::from_json(space, &completed)),
        Ok(None) => Ok(input.clone()),
        Err(message) => Err(Failure::new("run/invalid-input", message)),
    }
}

fn arguments_fit(schema: &Schema, patterns: Patterns, tool: &str, given: &Json) -> Result<(), Failure> {
    // No arguments are the same as an empty map of them.
    let nothing = json!({});
    let given = if given.is_null() { &nothing } else { given };
    let what = format!("the arguments of tool `{}`", brief(tool));
    schema
        .validate(given, patterns)
        .to_result(&what)
        .map_err(|message| Failure::new("tool/invalid-arguments", message))
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
    schema
        .validate_partial(&Partial::Map(parts), patterns, &what)
        .to_result(&what)
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
