//! Answers calls from stubs, without network and waiting.
//!
//! `stepgraph_plan::stub` defines the format.
//!
//! Source: `docs/stubs.md`.

pub use stepgraph_plan::stub::{Flaw, Group, StubAction, StubError, Stubs, find_flaws, flaws};

use crate::collect::CollectVec;
use crate::failure::Failure;
use crate::machine::{Answer, Call, Program, Request};
use crate::model::{ChatRequest, Role};
use crate::node::{Action, Handler};
use crate::value::{Path, Value};
use serde_json::Value as Json;

/// Stub answer.
#[derive(Debug)]
pub struct StubAnswer<V> {
    /// Its result.
    pub result: Result<Answer<V>, Failure>,
    /// Applied by the driver.
    pub delay_ms: f64,
}

/// `None` without a matching stub.
pub fn stub_answer<V: Value>(
    stubs: &mut Stubs,
    program: &Program<V>,
    space: &V::Arena,
    last: &V,
    call: &Call<V>,
) -> Option<StubAnswer<V>> {
    let Call { node, input, has_own_input, request, .. } = call;
    let action = &program.nodes.get(*node as usize)?.action;
    let (group, name, code) = match (action, request) {
        (Action::Handler(Handler::Id(id)), _) => (Group::Nodes, id.as_str(), "handler/failed"),
        (Action::Handler(Handler::Type(kind)), _) => (Group::Types, kind.as_str(), "handler/failed"),
        (_, Request::Tool(_)) => (Group::Tools, call.tool(action)?, "tool/failed"),
        (_, Request::Model(request)) => (Group::Models, stubbed_model(stubs, request), "model/failed"),
        _ => return None,
    };
    let null = || V::from_json(space, &Json::Null);
    let echo = || match request {
        Request::Handler | Request::Approval => input.clone(),
        Request::Tool(arguments) => arguments.clone(),
        Request::Model(request) => V::from_json(space, &last_user_text(request)),
    };
    let own = || if *has_own_input { input.clone() } else { null() };
    let given = || match request {
        Request::Tool(given) => given.json(&Path::default()).unwrap_or_default(),
        Request::Model(_) => Json::Null,
        _ => input.json(&Path::default()).unwrap_or_default(),
    };
    let (deed, delay_ms) = stubs.next_action(group, name, &given)?;
    let result = match deed {
        StubAction::Echo => Ok(Answer::Value(echo(), Vec::new())),
        StubAction::Input => Ok(Answer::Value(own(), Vec::new())),
        StubAction::Last => Ok(Answer::Value(last.clone(), Vec::new())),
        StubAction::Return { value, writes } => {
            let writes = writes.iter().map(|(name, value)| (name.clone(), V::from_json(space, value)));
            Ok(Answer::Value(V::from_json(space, value), writes.collect_vec()))
        }
        StubAction::Fail { message, code: own } => Err(Failure::new(own.as_deref().unwrap_or(code), message)),
    };
    Some(StubAnswer { result, delay_ms })
}

fn stubbed_model<'a>(stubs: &Stubs, request: &'a ChatRequest) -> &'a str {
    let name = request.model.as_deref().unwrap_or("default");
    if stubs.models().any(|known| known == name) { name } else { "default" }
}

fn last_user_text(request: &ChatRequest) -> Json {
    let user = request.messages.iter().rev().find(|message| message.role == Role::User);
    user.map_or(Json::Null, |message| Json::from(message.content.as_str()))
}
