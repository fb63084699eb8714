//! A model message's calls, and tool approvals.
//!
//! Agents and tool nodes ask before destructive tools run, unless the host allows them.
//!
//! Source: `docs/agents.md`.

use super::super::super::conversation::{ActiveConversation, ConversationWait, ToolCallState};
use super::super::super::event::{Answer, Decision};
use super::super::super::program::CompiledAgent;
use super::super::super::scope_state::Wait;
use super::super::super::trace::{ConversationEvent, StepSink};
use super::super::execute::{EnterResult, check_tool_arguments};
use super::super::{Next, Run};
use super::{CallResult, CurrentNode};
use crate::failure::Failure;
use crate::model::ToolCall;
use crate::node::Guard;
use crate::node::observation::{MAX_RESULT_BYTES, failure_text, too_large};
use crate::value::{Path, Value, View, json_text, number_text};
use serde_json::Value as Json;

impl<V: Value> Run<V> {
    pub(super) fn call_tools(
        &mut self,
        current: &CurrentNode<'_, V>,
        mut conversation: Box<ActiveConversation>,
        calls: &[ToolCall],
        sink: &mut impl StepSink<V>,
    ) -> Next {
        conversation.wait = ConversationWait::Tools(Vec::new());
        for (number, call) in calls.iter().enumerate() {
            let state = match self.resolve_tool_call(current, call) {
                Err(failure) => {
                    self.emit_tool_failed(current, (conversation.turn, number), &call.name, &failure, sink);
                    ToolCallState::Done { content: failure.message, failed: true }
                }
                Ok((tool, arguments)) => {
                    let offered = current.agent().and_then(|agent| agent.agent.tools.get(tool));
                    let approval = offered.is_some_and(|tool| tool.needs_approval);
                    if self.observe {
                        let name = offered.map_or("", |tool| &tool.name);
                        let mut data = vec![
                            ("tool", self.text(name)),
                            ("arguments", V::from_json(&self.space, &arguments)),
                        ];
                        if approval {
                            data.push(("approval", V::from_json(&self.space, &Json::Bool(true))));
                        }
                        self.emit_conversation_event(
                            current,
                            ConversationEvent::ToolAsked,
                            (conversation.turn, Some(number)),
                            data,
                            sink,
                        );
                    }
                    match if approval { Ok(()) } else { self.count_call() } {
                        Ok(()) => ToolCallState::Open { serial: self.next_serial(), approval, arguments },
                        Err(failure) => {
                            return self.conversation_stopped(current, conversation, failure, sink);
                        }
                    }
                }
            };
            if let ToolCallState::Open { serial, approval, arguments } = &state {
                self.emit_tool_call(
                    current,
                    conversation.turn,
                    number,
                    (*serial, *approval, arguments),
                    &call.name,
                    sink,
                );
            }
            if let ConversationWait::Tools(places) = &mut conversation.wait {
                places.push(state);
            }
        }
        self.continue_conversation(current, conversation, sink)
    }

    /// Returns the tool's position, and valid arguments without trusted ones.
    pub(super) fn resolve_tool_call(
        &self,
        current: &CurrentNode<'_, V>,
        call: &ToolCall,
    ) -> Result<(usize, Json), Failure> {
        self.check_call(current, call, Guard::strip_trusted)
    }

    fn resolve_edited_call(
        &self,
        current: &CurrentNode<'_, V>,
        call: &ToolCall,
        arguments: Json,
    ) -> Result<Json, Failure> {
        self.check_call(current, &ToolCall { arguments, ..call.clone() }, Guard::strip_edited)
            .map(|(_, arguments)| arguments)
    }

    fn check_call(
        &self,
        current: &CurrentNode<'_, V>,
        call: &ToolCall,
        strip: fn(&Guard, &str, Json, &Json) -> Result<Json, Failure>,
    ) -> Result<(usize, Json), Failure> {
        let Some(CompiledAgent { agent, .. }) = current.agent() else {
            return Err(Failure::new("tool/unknown", ""));
        };
        let (tool, arguments) =
            agent.resolve_call(call).map_err(|(code, message)| Failure::new(code, message))?;
        let name = agent.tools.get(tool).map_or("", |tool| &tool.name);
        let arguments = match &agent.guard {
            Some(guard) => strip(guard, name, arguments, &self.trusted_values())?,
            None => arguments,
        };
        self.check_agent_tool_arguments(current, (tool, &call.name), &arguments)?;
        Ok((tool, arguments))
    }

    fn check_agent_tool_arguments(
        &self,
        current: &CurrentNode<'_, V>,
        (tool, wire): (usize, &str),
        arguments: &Json,
    ) -> Result<(), Failure> {
        let call_schema = current.agent().and_then(|agent| agent.call_schemas.get(tool)?.as_ref());
        let Some(call_schema) = call_schema else { return Ok(()) };
        call_schema.check_arguments_with(
            wire,
            arguments,
            &self.trusted_arguments(current, current.tool_name(wire)),
        )
    }

    pub(super) fn tool_call_done(
        &mut self,
        current: &CurrentNode<'_, V>,
        mut conversation: Box<ActiveConversation>,
        index: usize,
        result: CallResult<V>,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let call = conversation.calls().get(index).cloned();
        let (Some(call), Some(ToolCallState::Open { arguments, .. })) = (call, conversation.call_mut(index))
        else {
            return Next::Wait;
        };
        let mut bytes = 0.0;
        let told = match result {
            Ok(Answer::Value(value, writes)) => {
                self.write_outputs(current, writes);
                bytes = value.bytes();
                result_text(&self.space, current, &call, value, bytes)
            }
            Ok(Answer::Decided(decision)) => {
                let admitted = match decision {
                    Decision::Approved => Ok(arguments.clone()),
                    // Edited arguments must be valid, too.
                    Decision::Edited(value) => self.resolve_edited_call(
                        current,
                        &call,
                        value.json(&Path::default()).unwrap_or_default(),
                    ),
                    Decision::Rejected => Err(rejection(&call.name)),
                };
                match admitted {
                    Ok(arguments) => {
                        return self.tool_call_approved(current, conversation, index, arguments, sink);
                    }
                    Err(failure) => Err(failure),
                }
            }
            Ok(Answer::Reply(_)) => Err(Failure::new("tool/bad-reply", "the tool returned no value")),
            Err(failure) => Err(failure),
        };
        let (content, failed) = match &told {
            Ok((_, text)) => (text.clone(), false),
            Err(failure) => (failure_text(failure), true),
        };
        if let Some(state) = conversation.call_mut(index) {
            *state = ToolCallState::Done { content, failed };
        }
        match told {
            Ok((value, _)) if self.observe => {
                let data = vec![("tool", self.text(current.tool_name(&call.name))), ("output", value)];
                self.emit_conversation_event(
                    current,
                    ConversationEvent::ToolAnswered,
                    (conversation.turn, Some(index)),
                    data,
                    sink,
                );
            }
            Ok(_) => {}
            Err(failure) => {
                self.emit_tool_failed(
                    current,
                    (conversation.turn, index),
                    current.tool_name(&call.name),
                    &failure,
                    sink,
                );
            }
        }
        if let Some(failure) = self.output_limit_exceeded(bytes) {
            return self.conversation_stopped(current, conversation, failure, sink);
        }
        self.continue_conversation(current, conversation, sink)
    }

    pub(super) fn tool_call_approved(
        &mut self,
        current: &CurrentNode<'_, V>,
        mut conversation: Box<ActiveConversation>,
        index: usize,
        arguments: Json,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let wire = conversation.calls().get(index).map_or_else(String::new, |call| call.name.clone());
        if let Err(failure) = self.count_call() {
            // An ended approval must not be abandoned.
            if let Some(state) = conversation.call_mut(index) {
                *state = ToolCallState::Done { content: failure.message.clone(), failed: true };
            }
            return self.conversation_stopped(current, conversation, failure, sink);
        }
        let serial = self.next_serial();
        self.emit_tool_call(current, conversation.turn, index, (serial, false, &arguments), &wire, sink);
        if let Some(state) = conversation.call_mut(index) {
            *state = ToolCallState::Open { serial, approval: false, arguments };
        }
        self.scope_state_mut(current.scope).wait = Wait::Conversation(conversation);
        Next::Wait
    }

    /// Calls the model after all calls ended.
    pub(super) fn continue_conversation(
        &mut self,
        current: &CurrentNode<'_, V>,
        mut conversation: Box<ActiveConversation>,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        if !conversation.collect_results() {
            self.scope_state_mut(current.scope).wait = Wait::Conversation(conversation);
            return Next::Wait;
        }
        match self.call_model(current, conversation, sink) {
            Ok(()) => Next::Wait,
            Err(failure) => self.stop_at_limit(current, failure, sink),
        }
    }

    pub(in super::super) fn request_approval(
        &mut self,
        current: &CurrentNode<'_, V>,
        arguments: &V,
        sink: &mut impl StepSink<V>,
    ) -> EnterResult<V> {
        let arguments = arguments.json(&Path::default()).unwrap_or_default();
        let serial = self.next_serial();
        self.emit_tool_call(current, 0, 0, (serial, true, &arguments), "", sink);
        self.scope_state_mut(current.scope).wait =
            Wait::Conversation(Box::new(ActiveConversation::for_tool_node(serial, arguments)));
        EnterResult::Waiting
    }

    pub(super) fn tool_node_call_done(
        &mut self,
        current: &CurrentNode<'_, V>,
        mut conversation: Box<ActiveConversation>,
        result: CallResult<V>,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let Some(ToolCallState::Open { arguments, .. }) = conversation.call_mut(0) else { return Next::Wait };
        let arguments = std::mem::take(arguments);
        let given = match result {
            Ok(Answer::Decided(Decision::Approved)) => {
                return self.tool_call_approved(current, conversation, 0, arguments, sink);
            }
            Ok(Answer::Decided(Decision::Edited(value))) => {
                match check_tool_arguments(current.compiled, &value) {
                    Ok(()) => {
                        let arguments = value.json(&Path::default()).unwrap_or_default();
                        return self.tool_call_approved(current, conversation, 0, arguments, sink);
                    }
                    Err(failure) => Err(failure),
                }
            }
            Ok(Answer::Decided(Decision::Rejected)) => {
                // Rejections are final: a retry would ask again.
                self.clear_attempt_timeout(current.scope, sink);
                let node_failure = self.node_failure(current.scope, rejection(current.tool_name("")));
                return self.node_failed(current.program, current.scope, node_failure, current.now_ms, sink);
            }
            Ok(Answer::Value(value, writes)) => {
                self.write_outputs(current, writes);
                self.check_answer(current.program, current.scope, value)
            }
            Ok(Answer::Reply(_)) => Err(Failure::new("tool/bad-reply", "the tool returned no value")),
            Err(failure) => Err(failure),
        };
        match given {
            Ok(value) => {
                self.complete_within_limits(current.program, current.scope, value, current.now_ms, sink)
            }
            Err(failure) => self.attempt_failed(
                current.program,
                current.scope,
                self.node_failure(current.scope, failure),
                current.now_ms,
                sink,
            ),
        }
    }
}

fn result_text<V: Value>(
    space: &V::Arena,
    current: &CurrentNode<'_, V>,
    call: &ToolCall,
    value: V,
    bytes: f64,
) -> Result<(V, String), Failure> {
    let agent = current.agent();
    let tool = agent.and_then(|agent| agent.agent.tools.iter().position(|tool| tool.spec.name == call.name));
    let call_schema = tool.and_then(|at| agent?.call_schemas.get(at)?.as_ref());
    let value = match call_schema {
        Some(call_schema) => call_schema.check_tool_result(space, (&call.name, false), value)?,
        None => value,
    };
    #[expect(clippy::cast_precision_loss, reason = "a bound of a few thousand")]
    if bytes > MAX_RESULT_BYTES as f64 {
        return Err(too_large(&number_text(bytes)));
    }
    let whole = Path::default();
    let text = match value.view(&whole) {
        View::Text(_) => value.text(&whole).unwrap_or_default(),
        _ => json_text(&value.json(&whole).unwrap_or_default()),
    };
    Ok((value, text))
}

pub(in super::super) fn rejection(tool: &str) -> Failure {
    Failure::new("tool/refused", format!("a person refused the call of tool `{tool}`"))
}
