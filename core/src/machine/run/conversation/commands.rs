//! The commands and trace events of a conversation.
//!
//! Decides nothing. A call after a resume equals the call before the pause.

use super::super::super::conversation::{ActiveConversation, ConversationWait, ToolCallState};
use super::super::super::event::{Call, CallId, Command, Request, SubCall, call_name};
use super::super::super::program::{CompiledAgent, Program};
use super::super::super::scope_state::Wait;
use super::super::super::trace::{ConversationEvent, StepSink, TraceEvent};
use super::super::Run;
use super::CurrentNode;
use crate::failure::Failure;
use crate::value::Value;
use serde_json::{Value as Json, json};

impl<V: Value> Run<V> {
    /// Reissues the calls that were open when the snapshot was made.
    pub(in super::super) fn reissue_conversation_calls(
        &self,
        program: &Program<V>,
        scope: u32,
        sink: &mut impl StepSink<V>,
    ) {
        let frame = self.scope_state(scope);
        let (Wait::Conversation(talk), Some(code)) = (&frame.wait, program.nodes.get(frame.node as usize))
        else {
            return;
        };
        let at = CurrentNode { program, code, scope, now_ms: 0.0 };
        match &talk.wait {
            ConversationWait::Model(serial) => self.emit_model_call(&at, talk, *serial, sink),
            ConversationWait::Tools(places) => {
                for (number, place) in places.iter().enumerate() {
                    let ToolCallState::Open { serial, approval: leave, arguments } = place else { continue };
                    let wire = talk.calls().get(number).map_or("", |call| &call.name);
                    self.emit_tool_call(&at, talk.turn, number, (*serial, *leave, arguments), wire, sink);
                }
            }
        }
    }

    pub(super) fn emit_model_call(
        &self,
        at: &CurrentNode<'_, V>,
        talk: &ActiveConversation,
        serial: u32,
        sink: &mut impl StepSink<V>,
    ) {
        let Some(CompiledAgent { agent, .. }) = at.agent() else { return };
        let kept = self.stored_conversation(at).map_or(&[][..], |kept| &kept.tools);
        let request = Request::Model(Box::new(talk.next_request(agent, kept)));
        let part =
            (!agent.is_single_call).then(|| SubCall { turn: talk.turn, index: None, tool: String::new() });
        let input = self.node_input(at.program, at.scope, at.code).unwrap_or_else(|_| self.null());
        self.emit_sub_call(at, serial, input, request, part, sink);
    }

    /// Calls a tool, or asks for the approval of the call.
    pub(in super::super) fn emit_tool_call(
        &self,
        at: &CurrentNode<'_, V>,
        turn: u32,
        place: usize,
        (serial, leave, arguments): (u32, bool, &Json),
        wire: &str,
        sink: &mut impl StepSink<V>,
    ) {
        let tool = at.tool_name(wire).to_owned();
        let given = V::from_json(&self.space, &self.sent_arguments(at, &tool, arguments));
        let (input, request) = if leave {
            let asked = vec![("tool".to_owned(), self.text(&tool)), ("arguments".to_owned(), given)];
            (V::map(&self.space, asked), Request::Approval)
        } else {
            (given.clone(), Request::Tool(given))
        };
        let part = Some(SubCall { turn, index: u32::try_from(place).ok(), tool });
        self.emit_sub_call(at, serial, input, request, part, sink);
    }

    /// Returns the arguments as sent, with the run's own values in trusted parameters.
    fn sent_arguments(&self, at: &CurrentNode<'_, V>, tool: &str, arguments: &Json) -> Json {
        let mut arguments = arguments.clone();
        if let Some(given) = arguments.as_object_mut() {
            given.extend(self.trusted_arguments(at, tool));
        }
        arguments
    }

    /// Returns the run's own values for the arguments of a tool.
    pub(in super::super) fn trusted_arguments(
        &self,
        at: &CurrentNode<'_, V>,
        tool: &str,
    ) -> Vec<(String, Json)> {
        at.guard().map(|guard| guard.trusted_values(tool, &self.trusted_values())).unwrap_or_default()
    }

    pub(super) fn emit_sub_call(
        &self,
        at: &CurrentNode<'_, V>,
        serial: u32,
        input: V,
        request: Request<V>,
        part: Option<SubCall>,
        sink: &mut impl StepSink<V>,
    ) {
        let frame = self.scope_state(at.scope);
        sink.command(Command::Call(Call {
            id: CallId { scope: at.scope, serial },
            scope: frame.scope.clone(),
            node: frame.node,
            visit: frame.visit,
            attempt: frame.attempt,
            input,
            has_own_input: true,
            request,
            sub_call: part.map(Box::new),
        }));
    }

    pub(in super::super) fn emit_tool_failed(
        &self,
        at: &CurrentNode<'_, V>,
        (turn, place): (u32, usize),
        tool: &str,
        failure: &Failure,
        sink: &mut impl StepSink<V>,
    ) {
        if self.observe {
            let error = json!({"code": failure.code, "message": failure.message});
            let told = vec![("tool", self.text(tool)), ("error", V::from_json(&self.space, &error))];
            self.emit_conversation_event(
                at,
                ConversationEvent::ToolAnswered,
                (turn, Some(place)),
                told,
                sink,
            );
        }
    }

    pub(in super::super) fn emit_conversation_event(
        &self,
        at: &CurrentNode<'_, V>,
        said: ConversationEvent,
        (turn, place): (u32, Option<usize>),
        told: Vec<(&'static str, V)>,
        sink: &mut impl StepSink<V>,
    ) {
        let frame = self.scope_state(at.scope);
        let told = told.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let path = frame.scope.path.as_deref().unwrap_or_default();
        let place = place.map_or_else(String::new, |place| format!("/{place}"));
        sink.emit(TraceEvent::Conversation {
            at_ms: at.now_ms,
            scope: frame.scope.clone(),
            node: frame.node,
            event: said,
            call: format!("{}/{turn}{place}", call_name(path, &at.code.id, frame.visit, frame.attempt)),
            data: V::map(&self.space, told),
        });
    }

    pub(in super::super) fn write_outputs(&mut self, at: &CurrentNode<'_, V>, writes: Vec<(String, V)>) {
        for (name, value) in writes {
            self.scope_state_mut(at.scope).write_output(at.program, name, value);
        }
    }

    pub(in super::super) fn text(&self, text: &str) -> V {
        V::from_json(&self.space, &Json::from(text))
    }
}
