//! Stubs: stand-ins for handlers, tools and models that need no network.
//!
//! Decides what each behaviour answers. Waits for nothing: a delay is told to the driver. `read` understands a description of
//! stubs, `told` what it says of tools, and `flaw` is what is wrong with it.
//!
//! Source: `docs/cli.md`, "Stubs".

mod flaw;
mod read;
mod told;

pub use flaw::{Flaw, StubError, find_flaws, flaws};

use crate::host::Capabilities;
use crate::list::List;
use crate::machine::{Answer, Call, Failure, Program, Request};
use crate::model::{ChatRequest, Role};
use crate::names::Names;
use crate::node::{Action, Handler};
use crate::tool::{Catalogue, ToolInfo};
use crate::value::{Path, Value, plain_text};
use serde_json::Value as Json;

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
    ///
    /// # Errors
    /// The first thing that is wrong with it; [`flaws`] gives all of them.
    pub fn from_json(json: &Json) -> Result<Self, StubError> {
        let (stubs, flaws) = read::read(json);
        match flaws.into_iter().next() {
            Some(flaw) => Err(flaw.into_error()),
            None => Ok(stubs),
        }
    }

    /// What can be understood of a description of stubs: for those that were judged before, such as those of a cassette.
    pub fn understood(json: &Json) -> Self {
        read::read(json).0
    }

    /// The types they stand in for.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.types.names()
    }

    /// The nodes they stand in for, by id.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.nodes.names()
    }

    /// The tools they stand in for.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.names()
    }

    /// The models they stand in for.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.models.names()
    }

    /// All that a model's stub returns; nothing where it may do something else.
    pub(crate) fn answers(&self, model: &str) -> Option<Vec<&Json>> {
        let (_, behaviour) = self.models.0.iter().find(|(known, _)| known == model)?;
        let mut values = Vec::new();
        behaviour.returned(&mut values).then_some(values)
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
        for entries in [&self.types, &self.nodes, &self.tools, &self.models] {
            entries.0.iter().for_each(|(_, behaviour)| behaviour.written(&mut capabilities.stand_ins.writes));
        }
        capabilities.ids.extend(self.nodes.names().map(str::to_owned));
        capabilities.types.get_or_insert_default().extend(self.types.names().map(str::to_owned));
        capabilities.models.get_or_insert_default().extend(self.models.names().map(str::to_owned));
        let known: Vec<ToolInfo> =
            capabilities.tools.iter().flat_map(Catalogue::iter).map(|(_, tool)| tool.clone()).list();
        // What a server says of its own tool goes before what a stub says.
        let missing = self.listed.iter().filter(|stub| !known.iter().any(|tool| tool.name == stub.name));
        let missing: Vec<ToolInfo> = missing.cloned().list();
        let silent = missing.iter().filter(|stub| stub.annotations.is_none());
        capabilities.stand_ins.tools.extend(silent.map(|stub| stub.name.clone()));
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

fn last_user_text(request: &ChatRequest) -> Json {
    let user = request.messages.iter().rev().find(|message| message.role == Role::User);
    user.map_or(Json::Null, |message| Json::from(message.content.as_str()))
}

impl Behaviour {
    /// Adds the names of outputs that it may write.
    fn written(&self, names: &mut Names) {
        match &self.kind {
            Kind::Return { writes, .. } => names.extend(writes.iter().map(|(name, _)| name.clone())),
            Kind::Sequence { list, .. } => list.iter().for_each(|behaviour| behaviour.written(names)),
            Kind::By { cases, other, .. } => {
                cases.0.iter().for_each(|(_, behaviour)| behaviour.written(names));
                other.written(names);
            }
            _ => {}
        }
    }

    /// Adds all that it returns; whether it does nothing else.
    fn returned<'a>(&'a self, values: &mut Vec<&'a Json>) -> bool {
        match &self.kind {
            Kind::Return { value, .. } => {
                values.push(value);
                true
            }
            Kind::Sequence { list, .. } => list.iter().all(|behaviour| behaviour.returned(values)),
            _ => false,
        }
    }

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
            (json!({"types": {"a": {"sequence": []}}}), "types.a.sequence"),
            (json!({"types": {"a": {"sequence": ["echo", 1]}}}), "types.a.sequence[1]"),
            (json!({"tools": {"a": {"return": 1, "delay_ms": -1}}}), "tools.a.delay_ms"),
            (json!({"tools": {"a": {"by": 1, "cases": {}}}}), "tools.a.by"),
            (json!({"tools": {"a": {"by": "b"}}}), "tools.a"),
            (json!({"tools": {"a": {"by": "b", "cases": {"c": 1}}}}), "tools.a.cases.c"),
            (json!({"tools": {"a": {"by": "b", "cases": {}, "else": []}}}), "tools.a.else"),
            (json!({"tools": {"a": {"fail": 1}}}), "tools.a.fail"),
            (json!({"tools": {"a": {"retrun": 1}}}), "tools.a.retrun"),
            (json!({"tools": {"a": {"input_schema": {}}}}), "tools.a"),
            (json!({"tools": {"a": {"return": 1, "description": 1}}}), "tools.a.description"),
            (json!({"tools": {"a": {"return": 1, "annotations": []}}}), "tools.a.annotations"),
            (
                json!({"tools": {"a": {"return": 1, "input_schema": {"type": "text"}}}}),
                "tools.a.input_schema.type",
            ),
            (json!({"tools": {"a": {"return": 1, "output_schema": true}}}), "tools.a.output_schema"),
            (
                json!({"tools": {"a": {"return": 1, "outputSchema": {"items": {"minimun": 2}}}}}),
                "tools.a.outputSchema.items.minimun",
            ),
            (json!({"models": {"a": {"return": 1, "description": "x"}}}), "models.a.description"),
            (
                json!({"tools": {"a": {"sequence": [{"return": 1, "description": "x"}]}}}),
                "tools.a.sequence[0].description",
            ),
        ] {
            assert_eq!(Stubs::from_json(&json).unwrap_err().place, place, "{json}");
        }
        assert!(Stubs::from_json(&json!(null)).is_ok(), "an empty file");
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

    #[test]
    fn all_mistakes_are_found_in_one_pass_where_they_stand() {
        let text = r"
toolz: {}
types: {a: ecko, b: {sequence: [echo, 1]}}
models: {default: {by: city, cases: {}}}
tools:
  get:
    return: {id: 1, name: x}
    fail: no
    code: tool/failed
    annotations: {readOnlyHit: true, read_only: true, destructiveHint: 'no', title: T, vendor: 1}
    outputSchema: {type: object, properties: {id: {type: string}}}
  by:
    by: ctiy
    cases: {Oslo: {return: 1, esle: 2}}
    input_schema: {type: object, properties: {city: {type: string}}}
  open: {by: any, cases: {a: echo}, input_schema: {type: object}, x-mine: 1}
  near: {retrun: 1}
";
        let (root, found) = find_flaws(text, crate::source::Format::Auto);
        assert!(root.is_some());
        let word = |problem: &crate::diagnostic::Diagnostic| {
            let span = problem.span.unwrap();
            format!(
                "{} {} {}",
                problem.code.slug(),
                text.get(span.start..span.end).unwrap(),
                problem.help.as_deref().unwrap()
            )
        };
        let found: Vec<String> = found.iter().map(word).collect();
        let expected = [
            "stub/unknown-key toolz did you mean `tools`?",
            "stub/wrong-shape ecko did you mean `echo`?",
            "stub/wrong-shape 1 write `echo`, `input`, `last`, `{return: …}` or `{fail: …}`",
            "stub/unknown-argument city write `sequence`, or one answer",
            "stub/wrong-result 1 return what the tool's output schema says, or write `fail`",
            "stub/contradiction fail keep `return` or `fail`",
            "stub/unknown-key code remove `code`",
            "stub/unknown-key readOnlyHit did you mean `readOnlyHint`?",
            "stub/unknown-key read_only did you mean `readOnlyHint`?",
            "stub/wrong-shape 'no' write `true` or `false`",
            "stub/unknown-argument ctiy did you mean `city`?",
            "stub/unknown-key esle did you mean `else`?",
            "stub/unknown-key retrun did you mean `return`?",
        ];
        assert_eq!(found, expected);
    }
}
