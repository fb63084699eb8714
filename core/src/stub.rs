//! Stubs: stand-ins for handlers, tools and models that need no network.
//!
//! Decides what each behaviour answers. Waits for nothing: a delay is told to the driver.
//!
//! Source: `docs/cli.md`, "Stand-ins".

use crate::diagnostic::brief;
use crate::host::Capabilities;
use crate::list::List;
use crate::machine::{Answer, Call, Failure, Program, Request};
use crate::model::{ChatRequest, Role};
use crate::names::Names;
use crate::node::{Action, Handler};
use crate::schema::{Patterns, Schema};
use crate::tool::{Catalogue, ToolInfo};
use crate::value::{Path, Value, plain_text};
use serde_json::{Map, Value as Json};
use std::fmt;

/// Stand-ins by type, node id, tool and model.
///
/// # Shape
/// `{types: {T: B}, nodes: {id: B}, tools: {name: B}, models: {name: B}}`; `B` is `echo`, `input`, `last`,
/// `{return: v, writes?: {name: v}}`, `{sequence: [B, …]}`, `{by: argument, cases: {value: B}, else?: B}` or
/// `{fail: "message", code?}`, the maps with `delay_ms?`. A map that stands for a tool may also say of it what a server would:
/// `description`, `input_schema`, `output_schema`, `annotations`.
///
/// # Example
/// ```
/// use stepgraph_core::stub::Stubs;
/// let stubs = Stubs::from_json(&serde_json::json!({"types": {"emit": "input"}})).unwrap();
/// assert!(stubs.capabilities().handles_type("emit"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stubs {
    types: Entries,
    nodes: Entries,
    tools: Entries,
    models: Entries,
    /// The tools as a catalogue lists them, in the same order.
    listed: Vec<ToolInfo>,
}

/// Behaviours by name, in the order given; stubs are few.
#[derive(Debug, Clone, Default)]
struct Entries(Vec<(String, Behaviour)>);

impl Entries {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    fn get_mut(&mut self, name: &str) -> Option<&mut Behaviour> {
        self.0.iter_mut().find(|(known, _)| known == name).map(|(_, behaviour)| behaviour)
    }
}

/// What a stand-in does.
#[derive(Debug, Clone)]
struct Behaviour {
    kind: Kind,
    delay_ms: f64,
}

#[derive(Debug, Clone)]
enum Kind {
    Echo,
    Input,
    Last,
    Return {
        value: Json,
        writes: Vec<(String, Json)>,
    },
    Sequence {
        list: Vec<Behaviour>,
        next: usize,
    },
    /// By the text of a key of what it is given; the last one stands for all others.
    By {
        key: String,
        cases: Entries,
        other: Box<Behaviour>,
    },
    Fail {
        message: String,
        code: Option<String>,
    },
}

/// What is wrong with a description of stubs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubError {
    /// Where: `tools.search`.
    pub place: String,
    /// What.
    pub message: String,
}

impl StubError {
    fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// The slug.
    pub fn code(&self) -> &'static str {
        "stub/wrong-shape"
    }
}

impl fmt::Display for StubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stubs at `{}`: {}", self.place, self.message)
    }
}

impl std::error::Error for StubError {}

/// What a stand-in answers, and after how long.
#[derive(Debug)]
pub struct Stubbed<V> {
    /// The answer.
    pub result: Result<Answer<V>, Failure>,
    /// How long the driver is to wait before giving it.
    pub delay_ms: f64,
}

impl Stubs {
    /// Reads a description of stubs.
    pub fn from_json(json: &Json) -> Result<Self, StubError> {
        let map = json.as_object().ok_or_else(|| StubError::new("", "stubs are a map"))?;
        let known = ["types", "nodes", "tools", "models"];
        if let Some(key) = map.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(StubError::new(key, "known here are `types`, `nodes`, `tools` and `models`"));
        }
        let [types, nodes, tools, models] = known.map(|group| entries(map.get(group), group));
        let tools = tools?;
        let listed = map.get("tools").and_then(Json::as_object).into_iter().flatten();
        let listed = listed.map(|(name, json)| listing(name, json)).collect::<Result<_, _>>()?;
        Ok(Self { types: types?, nodes: nodes?, tools, models: models?, listed })
    }

    /// The types they stand in for.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.types.names()
    }

    /// The tools they stand in for.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.names()
    }

    /// What these stubs can stand in for, as a host that knows of nothing else.
    pub fn capabilities(&self) -> Capabilities {
        let mut capabilities = Capabilities {
            types: Some(Names::default()),
            models: Some(Names::default()),
            ..Capabilities::default()
        };
        capabilities.tools = Some(Catalogue::default());
        self.add_to(&mut capabilities);
        capabilities
    }

    /// Adds what these stubs stand in for to what a host can do.
    pub fn add_to(&self, capabilities: &mut Capabilities) {
        capabilities.ids.extend(self.nodes.names().map(str::to_owned));
        capabilities.types.get_or_insert_default().extend(self.types.names().map(str::to_owned));
        capabilities.models.get_or_insert_default().extend(self.models.names().map(str::to_owned));
        let known: Vec<ToolInfo> =
            capabilities.tools.iter().flat_map(Catalogue::iter).map(|(_, tool)| tool.clone()).list();
        // What a server says of its own tool goes before what a stub says.
        let missing = self.listed.iter().filter(|stub| !known.iter().any(|tool| tool.name == stub.name));
        let missing: Vec<ToolInfo> = missing.cloned().list();
        let silent = missing.iter().filter(|stub| stub.annotations.is_none());
        capabilities.stand_ins.extend(silent.map(|stub| stub.name.clone()));
        let patterns = capabilities.tools.as_ref().map(Catalogue::patterns).unwrap_or_default();
        let servers = capabilities.tools.as_ref().map(Catalogue::servers).unwrap_or_default();
        let tools = Catalogue::among(known.into_iter().chain(missing), servers).with_patterns(patterns);
        capabilities.tools = Some(tools);
    }

    /// What the stand-in for a call answers; `None` when nothing stands in for it.
    pub fn answer<V: Value>(
        &mut self,
        program: &Program<V>,
        space: &V::Space,
        last: &V,
        call: &Call<V>,
    ) -> Option<Stubbed<V>> {
        let Call { node, input, own_input, request, .. } = call;
        let action = &program.nodes.get(*node as usize)?.action;
        let (behaviour, code) = match (action, request) {
            (Action::Handler(Handler::Id(id)), _) => (self.nodes.get_mut(id)?, "handler/failed"),
            (Action::Handler(Handler::Type(kind)), _) => (self.types.get_mut(kind)?, "handler/failed"),
            (_, Request::Tool(_)) => (self.tools.get_mut(call.tool(action)?)?, "tool/failed"),
            (_, Request::Model(request)) => (self.model(request)?, "model/failed"),
            _ => return None,
        };
        let null = || V::from_json(space, &Json::Null);
        let echo = || match request {
            Request::Handler | Request::Approval => input.clone(),
            Request::Tool(arguments) => arguments.clone(),
            Request::Model(request) => V::from_json(space, &last_user_text(request)),
        };
        let own = || if *own_input { input.clone() } else { null() };
        let mut delay_ms = 0.0;
        let given = || match request {
            Request::Tool(given) => given.json(&Path::default()).unwrap_or_default(),
            Request::Model(_) => Json::Null,
            _ => input.json(&Path::default()).unwrap_or_default(),
        };
        let result = match behaviour.next(&mut delay_ms, &given) {
            Kind::Echo => Ok(Answer::Value(echo(), Vec::new())),
            Kind::Input => Ok(Answer::Value(own(), Vec::new())),
            Kind::Last => Ok(Answer::Value(last.clone(), Vec::new())),
            Kind::Return { value, writes } => {
                let writes = writes.iter().map(|(name, value)| (name.clone(), V::from_json(space, value)));
                Ok(Answer::Value(V::from_json(space, value), writes.list()))
            }
            Kind::Fail { message, code: own } => Err(Failure::new(own.as_deref().unwrap_or(code), message)),
            // `next` goes on until it finds something else.
            Kind::Sequence { .. } | Kind::By { .. } => Ok(Answer::Value(null(), Vec::new())),
        };
        Some(Stubbed { result, delay_ms })
    }

    fn model(&mut self, request: &ChatRequest) -> Option<&mut Behaviour> {
        let name = request.model.as_deref().unwrap_or("default");
        let name = if self.models.names().any(|known| known == name) { name } else { "default" };
        self.models.get_mut(name)
    }
}

/// What a map that stands for a tool may say of it besides what it does.
const TOLD: [&str; 4] = ["description", "input_schema", "output_schema", "annotations"];

/// A stub's tool as a server would list it.
fn listing(name: &str, json: &Json) -> Result<ToolInfo, StubError> {
    let mut about = Map::new();
    for key in TOLD {
        let Some(value) = json.get(key).filter(|value| !value.is_null()) else { continue };
        let wrong = match key {
            "description" if !value.is_string() => Some("this is text"),
            "description" => None,
            _ if !value.is_object() => Some("this is a map"),
            _ => None,
        };
        let error = |message: &str| StubError::new(format!("tools.{name}.{key}"), message);
        if let Some(message) = wrong {
            return Err(error(message));
        }
        if key.ends_with("schema")
            && let Err(errors) = Schema::compile(value, &(), Patterns::default())
        {
            return Err(error(errors.first().map_or("", |error| &error.message)));
        }
        about.insert(key.to_owned(), value.clone());
    }
    if about.is_empty() {
        about.insert("description".to_owned(), "a stub".into());
    }
    about.insert("name".to_owned(), name.into());
    ToolInfo::from_json(&Json::Object(about)).ok_or_else(|| StubError::new("tools", "a tool has a name"))
}

fn last_user_text(request: &ChatRequest) -> Json {
    let user = request.messages.iter().rev().find(|message| message.role == Role::User);
    user.map_or(Json::Null, |message| Json::from(message.content.as_str()))
}

impl Behaviour {
    /// What it does this time with what it is `given`, adding up the delays on the way.
    fn next(&mut self, delay_ms: &mut f64, given: &dyn Fn() -> Json) -> &Kind {
        *delay_ms += self.delay_ms;
        match &mut self.kind {
            Kind::Sequence { list, next } => {
                let at = (*next).min(list.len().saturating_sub(1));
                *next += 1;
                // Reading refuses an empty sequence, so there is always an element.
                list.get_mut(at).map_or(&Kind::Last, |behaviour| behaviour.next(delay_ms, given))
            }
            Kind::By { key, cases, other } => {
                let found = given().get(key.as_str()).map(plain_text).unwrap_or_default();
                match cases.get_mut(&found) {
                    Some(behaviour) => behaviour.next(delay_ms, given),
                    None => other.next(delay_ms, given),
                }
            }
            kind => kind,
        }
    }
}

fn entries(json: Option<&Json>, group: &str) -> Result<Entries, StubError> {
    let Some(json) = json.filter(|json| !json.is_null()) else { return Ok(Entries::default()) };
    let map =
        json.as_object().ok_or_else(|| StubError::new(group, "this is a map from name to behaviour"))?;
    map.iter()
        .map(|(name, json)| Ok((name.clone(), behaviour(json, &format!("{group}.{name}"), 0)?)))
        .collect::<Result<_, _>>()
        .map(Entries)
}

fn behaviour(json: &Json, place: &str, depth: usize) -> Result<Behaviour, StubError> {
    let error = |message: &str| StubError::new(place, message);
    let kind = match json {
        Json::String(word) => match word.as_str() {
            "echo" => Kind::Echo,
            "input" => Kind::Input,
            "last" => Kind::Last,
            _ => return Err(error("a word here is `echo`, `input` or `last`")),
        },
        Json::Object(map) if depth < 16 => kind(map, place, depth)?,
        _ => return Err(error("a behaviour is a word, or a map with `return`, `sequence`, `by` or `fail`")),
    };
    let delay_ms = match json.get("delay_ms") {
        None | Some(Json::Null) => 0.0,
        Some(delay) => {
            delay.as_f64().filter(|ms| *ms >= 0.0).ok_or_else(|| error("`delay_ms` is a number from 0 up"))?
        }
    };
    Ok(Behaviour { kind, delay_ms })
}

fn kind(map: &Map<String, Json>, place: &str, depth: usize) -> Result<Kind, StubError> {
    let error = |message: &str| StubError::new(place, message);
    let known = ["return", "writes", "sequence", "by", "cases", "else", "fail", "code", "delay_ms"];
    let told = |key: &str| depth == 0 && place.starts_with("tools.") && TOLD.contains(&key);
    if let Some(key) = map.keys().find(|key| !known.contains(&key.as_str()) && !told(key)) {
        return Err(error(&format!("`{}` means nothing here", brief(key))));
    }
    if let Some(value) = map.get("return") {
        let writes = match map.get("writes") {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Object(writes)) => {
                writes.iter().map(|(name, value)| (name.clone(), value.clone())).list()
            }
            Some(_) => return Err(error("`writes` is a map from name to value")),
        };
        return Ok(Kind::Return { value: value.clone(), writes });
    }
    if let Some(list) = map.get("sequence") {
        let list = list.as_array().filter(|list| !list.is_empty());
        let list = list.ok_or_else(|| error("`sequence` is a list of at least one behaviour"))?;
        let item = |(i, json)| behaviour(json, &format!("{place}.sequence[{i}]"), depth + 1);
        let list = list.iter().enumerate().map(item).collect::<Result<_, _>>()?;
        return Ok(Kind::Sequence { list, next: 0 });
    }
    if let Some(key) = map.get("by") {
        let key = key.as_str().ok_or_else(|| error("`by` is the name of an argument"))?;
        let cases = map.get("cases").and_then(Json::as_object);
        let cases = cases.ok_or_else(|| error("`cases` is a map from value to behaviour"))?;
        let case = |(value, json): (&String, &Json)| {
            Ok((value.clone(), behaviour(json, &format!("{place}.cases.{value}"), depth + 1)?))
        };
        let cases = Entries(cases.iter().map(case).collect::<Result<_, _>>()?);
        let other = match map.get("else") {
            Some(json) => behaviour(json, &format!("{place}.else"), depth + 1)?,
            None => {
                let message = format!("there is no case for this `{}`", brief(key));
                Behaviour { kind: Kind::Fail { message, code: None }, delay_ms: 0.0 }
            }
        };
        return Ok(Kind::By { key: key.to_owned(), cases, other: Box::new(other) });
    }
    let message = map.get("fail").and_then(Json::as_str);
    let message =
        message.ok_or_else(|| error("a map here has `return`, `sequence`, `by`, or a text in `fail`"))?;
    Ok(Kind::Fail {
        message: message.to_owned(),
        code: map.get("code").and_then(Json::as_str).map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn wrong_shapes_say_where() {
        for (json, place) in [
            (json!([]), ""),
            (json!({"nods": {}}), "nods"),
            (json!({"types": []}), "types"),
            (json!({"types": {"a": "ecko"}}), "types.a"),
            (json!({"types": {"a": {"sequence": []}}}), "types.a"),
            (json!({"types": {"a": {"sequence": ["echo", 1]}}}), "types.a.sequence[1]"),
            (json!({"tools": {"a": {"return": 1, "delay_ms": -1}}}), "tools.a"),
            (json!({"tools": {"a": {"by": 1, "cases": {}}}}), "tools.a"),
            (json!({"tools": {"a": {"by": "b"}}}), "tools.a"),
            (json!({"tools": {"a": {"by": "b", "cases": {"c": 1}}}}), "tools.a.cases.c"),
            (json!({"tools": {"a": {"by": "b", "cases": {}, "else": []}}}), "tools.a.else"),
            (json!({"tools": {"a": {"fail": 1}}}), "tools.a"),
            (json!({"tools": {"a": {"retrun": 1}}}), "tools.a"),
            (json!({"tools": {"a": {"input_schema": {}}}}), "tools.a"),
            (json!({"tools": {"a": {"return": 1, "description": 1}}}), "tools.a.description"),
            (json!({"tools": {"a": {"return": 1, "annotations": []}}}), "tools.a.annotations"),
            (
                json!({"tools": {"a": {"return": 1, "input_schema": {"type": "text"}}}}),
                "tools.a.input_schema",
            ),
            (json!({"tools": {"a": {"return": 1, "output_schema": true}}}), "tools.a.output_schema"),
            (json!({"models": {"a": {"return": 1, "description": "x"}}}), "models.a"),
            (
                json!({"tools": {"a": {"sequence": [{"return": 1, "description": "x"}]}}}),
                "tools.a.sequence[0]",
            ),
        ] {
            assert_eq!(Stubs::from_json(&json).unwrap_err().place, place, "{json}");
        }
    }

    #[test]
    fn a_stub_lists_its_tool_as_a_server_would() {
        let schema = json!({"type": "object", "required": ["q"]});
        let stubs = Stubs::from_json(&json!({"tools": {
            "plain": "echo",
            "said": {"return": 1, "description": "finds", "input_schema": schema, "annotations": {"readOnlyHint": true}},
        }}));
        let tools = stubs.unwrap().capabilities().tools.unwrap();
        let plain = tools.get("plain").unwrap();
        assert_eq!((plain.description.as_deref(), &plain.input_schema), (Some("a stub"), &json!({})));
        let said = json!({"name": "said", "description": "finds", "input_schema": schema, "annotations": {"readOnlyHint": true}});
        assert_eq!(tools.get("said").unwrap().to_json(), said);
    }
}
