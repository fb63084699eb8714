//! How a conversation is asked and told: its commands and its part of the trace.
//!
//! Decides nothing; what is asked again after a pause is what was asked before it.

use super::super::super::event::{Call, CallId, Command, Part, Request, call_name};
use super::super::super::frame::Wait;
use super::super::super::program::{AgentCode, Program};
use super::super::super::talk::{Place, Stage, Talk};
use super::super::super::told::{Said, Sink, TraceEvent};
use super::super::Run;
use super::At;
use crate::failure::Failure;
use crate::value::Value;
use serde_json::{Value as Json, json};

impl<V: Value> Run<V> {
    /// Asks once more for all that was outstanding when a snapshot was made.
    pub(in super::super) fn talk_again(&self, program: &Program<V>, scope: u32, sink: &mut impl Sink<V>) {
        let frame = self.frame(scope);
        let (Wait::Talk(talk), Some(code)) = (&frame.wait, program.nodes.get(frame.node as usize)) else {
            return;
        };
        let at = At { program, code, scope, now_ms: 0.0 };
        match &talk.stage {
            Stage::Model(serial) => self.command_model(&at, talk, *serial, sink),
            Stage::Tools(places) => {
                for (number, place) in places.iter().enumerate() {
                    let Place::Waits { serial, leave, arguments } = place else { continue };
                    let wire = talk.calls().get(number).map_or("", |call| &call.name);
                    self.command_tool(&at, talk.turn, number, (*serial, *leave, arguments), wire, sink);
                }
            }
        }
    }

    pub(super) fn command_model(&self, at: &At<'_, V>, talk: &Talk, serial: u32, sink: &mut impl Sink<V>) {
        let Some(AgentCode { agent, .. }) = at.agent() else { return };
        let kept = self.kept_conversation(at).map_or(&[][..], |kept| &kept.tools);
        let request = Request::Model(Box::new(talk.question(agent, kept)));
        let part = (!agent.once).then(|| Part { turn: talk.turn, place: None, tool: String::new() });
        let input = self.input(at.program, at.scope, at.code).unwrap_or_else(|_| self.null());
        self.command_part(at, serial, input, request, part, sink);
    }

    /// Calls a tool, or asks a person whether it may be called.
    pub(in super::super) fn command_tool(
        &self,
        at: &At<'_, V>,
        turn: u32,
        place: usize,
        (serial, leave, arguments): (u32, bool, &Json),
        wire: &str,
        sink: &mut impl Sink<V>,
    ) {
        let tool = at.tool_name(wire).to_owned();
        let given = V::from_json(&self.space, &self.as_sent(at, &tool, arguments));
        let (input, request) = if leave {
            let asked = vec![("tool".to_owned(), self.text(&tool)), ("arguments".to_owned(), given)];
            (V::map(&self.space, asked), Request::Approval)
        } else {
            (given.clone(), Request::Tool(given))
        };
        let part = Some(Part { turn, place: u32::try_from(place).ok(), tool });
        self.command_part(at, serial, input, request, part, sink);
    }

    /// The arguments of a call as they are sent: with the run's own values in trusted parameters.
    fn as_sent(&self, at: &At<'_, V>, tool: &str, arguments: &Json) -> Json {
        let mut arguments = arguments.clone();
        if let Some(given) = arguments.as_object_mut() {
            given.extend(self.own_values(at, tool));
        }
        arguments
    }

    /// The run's own values that join the arguments of a tool.
    pub(in super::super) fn own_values(&self, at: &At<'_, V>, tool: &str) -> Vec<(String, Json)> {
        at.guard().map(|guard| guard.own(tool, &self.trusted_values())).unwrap_or_default()
    }

    pub(super) fn command_part(
        &self,
        at: &At<'_, V>,
        serial: u32,
        input: V,
        request: Request<V>,
        part: Option<Part>,
        sink: &mut impl Sink<V>,
    ) {
        let frame = self.frame(at.scope);
        sink.command(Command::Call(Call {
            id: CallId { scope: at.scope, serial },
            scope: frame.scope.clone(),
            node: frame.node,
            visit: frame.visit,
            attempt: frame.attempt,
            input,
            own_input: true,
            request,
            part: part.map(Box::new),
        }));
    }

    pub(in super::super) fn tell_failed_tool(
        &self,
        at: &At<'_, V>,
        (turn, place): (u32, usize),
        tool: &str,
        failure: &Failure,
        sink: &mut impl Sink<V>,
    ) {
        if self.observe {
            let error = json!({"code": failure.code, "message": failure.message});
            let told = vec![("tool", self.text(tool)), ("error", V::from_json(&self.space, &error))];
            self.tell(at, Said::ToolAnswered, (turn, Some(place)), told, sink);
        }
    }

    /// Tells of something that was said in a conversation.
    pub(in super::super) fn tell(
        &self,
        at: &At<'_, V>,
        said: Said,
        (turn, place): (u32, Option<usize>),
        told: Vec<(&'static str, V)>,
        sink: &mut impl Sink<V>,
    ) {
        let frame = self.frame(at.scope);
        let told = told.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let path = frame.scope.path.as_deref().unwrap_or_default();
        let place = place.map_or_else(String::new, |place| format!("/{place}"));
        sink.happened(TraceEvent::Said {
            at_ms: at.now_ms,
            scope: frame.scope.clone(),
            node: frame.node,
            said,
            call: format!("{}/{turn}{place}", call_name(path, &at.code.id, frame.visit, frame.attempt)),
            told: V::map(&self.space, told),
        });
    }

    pub(in super::super) fn write_all(&mut self, at: &At<'_, V>, writes: Vec<(String, V)>) {
        for (name, value) in writes {
            self.frame_mut(at.scope).write(at.program, name, value);
        }
    }

    pub(in super::super) fn text(&self, text: &str) -> V {
        V::from_json(&self.space, &Json::from(text))
    }
}
