//! Commands and trace events of conversations. A resume repeats calls exactly.

use super::super::super::conversation::{ActiveConversation, ConversationWait, ToolCallState};
use super::super::super::event::{Call, CallId, Command, Request, SubCall, call_name};
use super::super::super::program::{CompiledAgent, Program};
use super::super::super::scope_state::Wait;
use super::super::super::trace::{ConversationEvent, StepSink, TraceEvent};
use super::super::Run;
use super::super::unreported::OpenModelCall;
use super::CurrentNode;
use crate::failure::Failure;
use crate::value::Value;
use serde_json::{Value as Json, json};

impl<V: Value> Run<V> {
    /// Reissues the snapshot's open calls.
    pub(in super::super) fn reissue_conversation_calls(
        &mut self,
        program: &Program<V>,
        scope: u32,
        sink: &mut impl StepSink<V>,
    ) {
        let scope_state = self.scope_state(scope);
        let (Wait::Conversation(conversation), Some(compiled)) =
            (&scope_state.wait, program.nodes.get(scope_state.node as usize))
        else {
            return;
        };
        let current = CurrentNode { program, compiled, scope, now_ms: 0.0 };
        match &conversation.wait {
            ConversationWait::Model(serial) => {
                let opened = self.emit_model_call(&current, conversation, *serial, sink);
                self.open_model_calls.extend(opened);
            }
            ConversationWait::Tools(calls) => {
                for (number, state) in calls.iter().enumerate() {
                    let ToolCallState::Open { serial, approval, arguments } = state else { continue };
                    let wire = conversation.calls().get(number).map_or("", |call| &call.name);
                    self.emit_tool_call(
                        &current,
                        conversation.turn,
                        number,
                        (*serial, *approval, arguments),
                        wire,
                        sink,
                    );
                }
            }
        }
    }

    pub(super) fn emit_model_call(
        &self,
        current: &CurrentNode<'_, V>,
        conversation: &ActiveConversation,
        serial: u32,
        sink: &mut impl StepSink<V>,
    ) -> Option<OpenModelCall> {
        let CompiledAgent { agent, .. } = current.agent()?;
        let kept = self.stored_conversation(current).map_or(&[][..], |stored| &stored.tools);
        let request = Request::Model(Box::new(conversation.next_request(agent, kept)));
        let part = (!agent.is_single_call).then(|| SubCall {
            turn: conversation.turn,
            index: None,
            tool: String::new(),
        });
        let input =
            self.node_input(current.program, current.scope, current.compiled).unwrap_or_else(|_| self.null());
        let opened = self.open_model_call(CallId { scope: current.scope, serial }, &request);
        self.emit_sub_call(current, serial, input, request, part, sink);
        opened
    }

    pub(in super::super) fn emit_tool_call(
        &self,
        current: &CurrentNode<'_, V>,
        turn: u32,
        index: usize,
        (serial, approval, arguments): (u32, bool, &Json),
        wire: &str,
        sink: &mut impl StepSink<V>,
    ) {
        let tool = current.tool_name(wire).to_owned();
        let given = V::from_json(&self.space, &self.sent_arguments(current, &tool, arguments));
        let (input, request) = if approval {
            let asked = vec![("tool".to_owned(), self.text(&tool)), ("arguments".to_owned(), given)];
            (V::map(&self.space, asked), Request::Approval)
        } else {
            (given.clone(), Request::Tool(given))
        };
        let part = Some(SubCall { turn, index: u32::try_from(index).ok(), tool });
        self.emit_sub_call(current, serial, input, request, part, sink);
    }

    fn sent_arguments(&self, current: &CurrentNode<'_, V>, tool: &str, arguments: &Json) -> Json {
        let mut arguments = arguments.clone();
        if let Some(given) = arguments.as_object_mut() {
            given.extend(self.trusted_arguments(current, tool));
        }
        arguments
    }

    pub(in super::super) fn trusted_arguments(
        &self,
        current: &CurrentNode<'_, V>,
        tool: &str,
    ) -> Vec<(String, Json)> {
        current.guard().map(|guard| guard.trusted_values(tool, &self.trusted_values())).unwrap_or_default()
    }

    pub(super) fn emit_sub_call(
        &self,
        current: &CurrentNode<'_, V>,
        serial: u32,
        input: V,
        request: Request<V>,
        part: Option<SubCall>,
        sink: &mut impl StepSink<V>,
    ) {
        let scope_state = self.scope_state(current.scope);
        sink.command(Command::Call(Call {
            id: CallId { scope: current.scope, serial },
            scope: scope_state.scope.clone(),
            node: scope_state.node,
            visit: scope_state.visit,
            attempt: scope_state.attempt,
            input,
            has_own_input: true,
            request,
            sub_call: part.map(Box::new),
        }));
    }

    pub(in super::super) fn emit_tool_failed(
        &self,
        current: &CurrentNode<'_, V>,
        (turn, index): (u32, usize),
        tool: &str,
        failure: &Failure,
        sink: &mut impl StepSink<V>,
    ) {
        if self.observe {
            let error = json!({"code": failure.code, "message": failure.message});
            let data = vec![("tool", self.text(tool)), ("error", V::from_json(&self.space, &error))];
            self.emit_conversation_event(
                current,
                ConversationEvent::ToolAnswered,
                (turn, Some(index)),
                data,
                sink,
            );
        }
    }

    pub(in super::super) fn emit_conversation_event(
        &self,
        current: &CurrentNode<'_, V>,
        event: ConversationEvent,
        (turn, index): (u32, Option<usize>),
        data: Vec<(&'static str, V)>,
        sink: &mut impl StepSink<V>,
    ) {
        let scope_state = self.scope_state(current.scope);
        let data = data.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let path = scope_state.scope.path.as_deref().unwrap_or_default();
        let part = index.map_or_else(String::new, |index| format!("/{index}"));
        sink.emit(TraceEvent::Conversation {
            at_ms: current.now_ms,
            scope: scope_state.scope.clone(),
            node: scope_state.node,
            event,
            call: format!(
                "{}/{turn}{part}",
                call_name(path, &current.compiled.id, scope_state.visit, scope_state.attempt)
            ),
            data: V::map(&self.space, data),
        });
    }

    pub(in super::super) fn write_outputs(&mut self, current: &CurrentNode<'_, V>, writes: Vec<(String, V)>) {
        for (name, value) in writes {
            self.scope_state_mut(current.scope).write_output(current.program, name, value);
        }
    }

    pub(in super::super) fn text(&self, text: &str) -> V {
        V::from_json(&self.space, &Json::from(text))
    }
}
