//! The calls of a model's message, and the leave of a person that a tool may need.
//!
//! Decides what is called, what is refused, and what the model is told of it. A tool that may destroy something waits for a person, in
//! an agent and in a tool node alike, unless the host allows it.
//!
//! Source: `docs/agents.md`.

use super::super::super::event::{Answer, Decision};
use super::super::super::frame::Wait;
use super::super::super::program::AgentCode;
use super::super::super::talk::{Place, Stage, Talk};
use super::super::super::told::{Said, Sink};
use super::super::walk::{Act, takes};
use super::super::{Next, Run};
use super::{At, Given};
use crate::failure::Failure;
use crate::model::ToolCall;
use crate::node::Guard;
use crate::node::observation::{MOST_RESULT, observation, too_large};
use crate::value::{Path, Value, View, json_text, number_text};
use serde_json::Value as Json;

impl<V: Value> Run<V> {
    /// Makes the calls of a message, all at once.
    pub(super) fn call_tools(
        &mut self,
        at: &At<'_, V>,
        mut talk: Box<Talk>,
        calls: &[ToolCall],
        sink: &mut impl Sink<V>,
    ) -> Next {
        talk.stage = Stage::Tools(Vec::new());
        for (number, call) in calls.iter().enumerate() {
            let place = match self.admitted(at, call) {
                Err(failure) => {
                    self.tell_failed_tool(at, (talk.turn, number), &call.name, &failure, sink);
                    Place::Done { content: failure.message, failed: true }
                }
                Ok((tool, arguments)) => {
                    let offered = at.agent().and_then(|code| code.agent.tools.get(tool));
                    let leave = offered.is_some_and(|tool| tool.asks);
                    if self.observe {
                        let name = offered.map_or("", |tool| &tool.name);
                        let mut told = vec![
                            ("tool", self.text(name)),
                            ("arguments", V::from_json(&self.space, &arguments)),
                        ];
                        if leave {
                            told.push(("approval", V::from_json(&self.space, &Json::Bool(true))));
                        }
                        self.tell(at, Said::ToolAsked, (talk.turn, Some(number)), told, sink);
                    }
                    match if leave { Ok(()) } else { self.charge() } {
                        Ok(()) => Place::Waits { serial: self.next_serial(), leave, arguments },
                        Err(failure) => return self.talk_stopped(at, talk, failure, sink),
                    }
                }
            };
            if let Place::Waits { serial, leave, arguments } = &place {
                self.command_tool(at, talk.turn, number, (*serial, *leave, arguments), &call.name, sink);
            }
            if let Stage::Tools(places) = &mut talk.stage {
                places.push(place);
            }
        }
        self.go_on_talking(at, talk, sink)
    }

    /// The tool that a call means, by position, and its arguments without trusted ones, when it will take them.
    pub(super) fn admitted(&self, at: &At<'_, V>, call: &ToolCall) -> Result<(usize, Json), Failure> {
        self.judged(at, call, Guard::admit)
    }

    /// The same of what a person put in the place of the arguments.
    fn edited(&self, at: &At<'_, V>, call: &ToolCall, arguments: Json) -> Result<Json, Failure> {
        self.judged(at, &ToolCall { arguments, ..call.clone() }, Guard::edited)
            .map(|(_, arguments)| arguments)
    }

    fn judged(
        &self,
        at: &At<'_, V>,
        call: &ToolCall,
        strip: fn(&Guard, &str, Json, &Json) -> Result<Json, Failure>,
    ) -> Result<(usize, Json), Failure> {
        let Some(AgentCode { agent, .. }) = at.agent() else { return Err(Failure::new("tool/unknown", "")) };
        let (tool, arguments) = agent.admit(call).map_err(|(code, message)| Failure::new(code, message))?;
        let name = agent.tools.get(tool).map_or("", |tool| &tool.name);
        let arguments = match &agent.guard {
            Some(guard) => strip(guard, name, arguments, &self.trusted_values())?,
            None => arguments,
        };
        self.agent_tool_takes(at, (tool, &call.name), &arguments)?;
        Ok((tool, arguments))
    }

    /// Whether a tool of an agent takes these arguments, once the run's own values have joined them.
    fn agent_tool_takes(
        &self,
        at: &At<'_, V>,
        (tool, wire): (usize, &str),
        arguments: &Json,
    ) -> Result<(), Failure> {
        let contract = at.agent().and_then(|code| code.contracts.get(tool)?.as_ref());
        let Some(contract) = contract else { return Ok(()) };
        contract.takes_with(wire, arguments, &self.own_values(at, at.tool_name(wire)))
    }

    /// A tool of an agent answered, or a person did for it.
    pub(super) fn tool_gave(
        &mut self,
        at: &At<'_, V>,
        mut talk: Box<Talk>,
        place: usize,
        result: Given<V>,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let call = talk.calls().get(place).cloned();
        let (Some(call), Some(Place::Waits { arguments, .. })) = (call, talk.place_mut(place)) else {
            return Next::Wait;
        };
        let mut bytes = 0.0;
        let told = match result {
            Ok(Answer::Value(value, writes)) => {
                self.write_all(at, writes);
                bytes = value.bytes();
                given_text(&self.space, at, &call, value, bytes)
            }
            Ok(Answer::Decided(decision)) => {
                let admitted = match decision {
                    Decision::Approved => Ok(arguments.clone()),
                    // What a person put in the place of the arguments must fit as well.
                    Decision::Edited(value) => {
                        self.edited(at, &call, value.json(&Path::default()).unwrap_or_default())
                    }
                    Decision::Rejected => Err(refused(&call.name)),
                };
                match admitted {
                    Ok(arguments) => return self.leave_given(at, talk, place, arguments, sink),
                    Err(failure) => Err(failure),
                }
            }
            Ok(Answer::Reply(_)) => Err(Failure::new("tool/bad-reply", "the tool gave no value")),
            Err(failure) => Err(failure),
        };
        let (content, failed) = match &told {
            Ok((_, text)) => (text.clone(), false),
            Err(failure) => (observation(failure), true),
        };
        if let Some(state) = talk.place_mut(place) {
            *state = Place::Done { content, failed };
        }
        match told {
            Ok((value, _)) if self.observe => {
                let told = vec![("tool", self.text(at.tool_name(&call.name))), ("output", value)];
                self.tell(at, Said::ToolAnswered, (talk.turn, Some(place)), told, sink);
            }
            Ok(_) => {}
            Err(failure) => {
                self.tell_failed_tool(at, (talk.turn, place), at.tool_name(&call.name), &failure, sink);
            }
        }
        if let Some(failure) = self.bytes_passed(bytes) {
            return self.talk_stopped(at, talk, failure, sink);
        }
        self.go_on_talking(at, talk, sink)
    }

    /// A person gave leave: the tool is called.
    pub(super) fn leave_given(
        &mut self,
        at: &At<'_, V>,
        mut talk: Box<Talk>,
        place: usize,
        arguments: Json,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let wire = talk.calls().get(place).map_or_else(String::new, |call| call.name.clone());
        if let Err(failure) = self.charge() {
            // The person has answered: that is no longer to be given up.
            if let Some(state) = talk.place_mut(place) {
                *state = Place::Done { content: failure.message.clone(), failed: true };
            }
            return self.talk_stopped(at, talk, failure, sink);
        }
        let serial = self.next_serial();
        self.command_tool(at, talk.turn, place, (serial, false, &arguments), &wire, sink);
        if let Some(state) = talk.place_mut(place) {
            *state = Place::Waits { serial, leave: false, arguments };
        }
        self.frame_mut(at.scope).wait = Wait::Talk(talk);
        Next::Wait
    }

    /// Asks the model again when all its calls are answered.
    pub(super) fn go_on_talking(
        &mut self,
        at: &At<'_, V>,
        mut talk: Box<Talk>,
        sink: &mut impl Sink<V>,
    ) -> Next {
        if !talk.gather() {
            self.frame_mut(at.scope).wait = Wait::Talk(talk);
            return Next::Wait;
        }
        match self.ask_model(at, talk, sink) {
            Ok(()) => Next::Wait,
            Err(failure) => self.stopped(at, failure, sink),
        }
    }

    /// Asks a person for leave before a tool node calls its tool.
    pub(in super::super) fn ask_leave(
        &mut self,
        at: &At<'_, V>,
        arguments: &V,
        sink: &mut impl Sink<V>,
    ) -> Act<V> {
        let arguments = arguments.json(&Path::default()).unwrap_or_default();
        let serial = self.next_serial();
        self.command_tool(at, 0, 0, (serial, true, &arguments), "", sink);
        self.frame_mut(at.scope).wait = Wait::Talk(Box::new(Talk::of_tool(serial, arguments)));
        Act::Asked
    }

    /// A person answered for a tool node, or then its tool did.
    pub(super) fn tool_node_told(
        &mut self,
        at: &At<'_, V>,
        mut talk: Box<Talk>,
        result: Given<V>,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let Some(Place::Waits { arguments, .. }) = talk.place_mut(0) else { return Next::Wait };
        let arguments = std::mem::take(arguments);
        let given = match result {
            Ok(Answer::Decided(Decision::Approved)) => return self.leave_given(at, talk, 0, arguments, sink),
            Ok(Answer::Decided(Decision::Edited(value))) => match takes(at.code, &value) {
                Ok(()) => {
                    let arguments = value.json(&Path::default()).unwrap_or_default();
                    return self.leave_given(at, talk, 0, arguments, sink);
                }
                Err(failure) => Err(failure),
            },
            Ok(Answer::Decided(Decision::Rejected)) => {
                // Whoever said no is not asked once more by another try.
                self.unwatch(at.scope, sink);
                let fault = self.fault(at.scope, refused(at.tool_name("")));
                return self.give_up(at.program, at.scope, fault, at.now_ms, sink);
            }
            Ok(Answer::Value(value, writes)) => {
                self.write_all(at, writes);
                self.held(at.program, at.scope, value)
            }
            Ok(Answer::Reply(_)) => Err(Failure::new("tool/bad-reply", "the tool gave no value")),
            Err(failure) => Err(failure),
        };
        match given {
            Ok(value) => self.complete_bounded(at.program, at.scope, value, at.now_ms, sink),
            Err(failure) => self.failed(at.program, at.scope, self.fault(at.scope, failure), at.now_ms, sink),
        }
    }
}

/// What a tool gave, with the text that the model is told.
fn given_text<V: Value>(
    space: &V::Space,
    at: &At<'_, V>,
    call: &ToolCall,
    value: V,
    bytes: f64,
) -> Result<(V, String), Failure> {
    let code = at.agent();
    let tool = code.and_then(|code| code.agent.tools.iter().position(|tool| tool.spec.name == call.name));
    let contract = tool.and_then(|at| code?.contracts.get(at)?.as_ref());
    let value = match contract {
        Some(contract) => contract.gives_of_tool(space, (&call.name, false), value)?,
        None => value,
    };
    #[expect(clippy::cast_precision_loss, reason = "a bound of a few thousand")]
    if bytes > MOST_RESULT as f64 {
        return Err(too_large(&number_text(bytes)));
    }
    let whole = Path::default();
    let text = match value.view(&whole) {
        View::Text(_) => value.text(&whole).unwrap_or_default(),
        _ => json_text(&value.json(&whole).unwrap_or_default()),
    };
    Ok((value, text))
}

/// A person said no.
pub(in super::super) fn refused(tool: &str) -> Failure {
    Failure::new("tool/refused", format!("a person refused the call of tool `{tool}`"))
}
