//! The agent loop: call the model, make its tool calls at once, repeat until it answers without calls.
//!
//! `tool_calls` handles its calls, `react` those of another node, `strategy` applies the node type to answers,
//! `commands` issues calls and trace events. The model observes its own and tools' errors. Only an error of the model's
//! client fails the attempt.
//!
//! Invariants:
//! 1. Calls are named by turn and index, not by the order of answers.
//! 2. Run limits precede every call.
//! 3. Only a node's completion stores its conversation.
//!
//! Source: `docs/agents.md`.

mod commands;
mod current_node;
mod history;
mod react;
mod strategy;
mod tool_calls;

pub(super) use current_node::CurrentNode;
pub(super) use tool_calls::rejection;

use super::super::call_schema::MODEL_ANSWER;
use super::super::conversation::{ActiveConversation, ConversationWait};
use super::super::event::{Answer, CallId};
use super::super::program::{CompiledAgent, CompiledNode, Program};
use super::super::scope_state::Wait;
use super::super::trace::{ConversationEvent, StepSink};
use super::execute::{EnterResult, to_json};
use super::{Next, Run};
use crate::check::check;
use crate::failure::Failure;
use crate::model::{ChatReply, Conversation, FinishReason, Message, Role};
use crate::node::{ModelStrategy, StrategyInput, agent, llm};
use crate::value::{Path, Value, plain_text};
use serde_json::Value as Json;

type CallResult<V> = Result<Answer<V>, Failure>;

impl<V: Value> Run<V> {
    pub(super) fn start_conversation(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        input: &V,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> EnterResult<V> {
        let current = CurrentNode { program, compiled, scope, now_ms: at_ms };
        let strategy = current.agent().and_then(|agent| agent.agent.strategy.as_ref());
        let input = to_json(input);
        let context = strategy.map(|_| self.trusted_values()).unwrap_or_default();
        let strategy_input =
            StrategyInput { input: &input, context: &context, visit: self.scope_state(scope).visit, check };
        if let Some(told) = strategy.and_then(|strategy| strategy.immediate_output(&strategy_input)) {
            return match told {
                Ok(output) => EnterResult::Value(self.write_node_output(&current, output)),
                Err(failure) => EnterResult::Failed(failure),
            };
        }
        let mut request = match self.chat_request(program, scope, compiled, &input) {
            Ok(request) => request,
            Err(failure) => return EnterResult::Failed(failure),
        };
        let scope_state = self.scope_state(scope);
        let begins = |stored: &Conversation| {
            strategy.is_some_and(|strategy| strategy.starts_new_conversation(stored, strategy_input.visit))
        };
        let stored = self.stored_conversation(&current).filter(|stored| !begins(stored));
        if let Some(strategy) = strategy {
            strategy.prepare_request(&mut request, &strategy_input, stored.is_some());
        }
        let results = strategy
            .and_then(ModelStrategy::as_reasoner)
            .and_then(|_| scope_state.last.json(&Path::default()));
        let conversation = Box::new(ActiveConversation::new(request, stored, results.as_ref()));
        match self.call_model(&current, conversation, sink) {
            Ok(()) => EnterResult::Waiting,
            Err(failure) => EnterResult::LimitExceeded(failure),
        }
    }

    fn call_model(
        &mut self,
        current: &CurrentNode<'_, V>,
        mut conversation: Box<ActiveConversation>,
        sink: &mut impl StepSink<V>,
    ) -> Result<(), Failure> {
        if let Err(failure) = self.count_call() {
            self.save_partial_conversation(current.scope, &conversation);
            return Err(failure);
        }
        let serial = self.next_serial();
        conversation.turn += 1;
        conversation.wait = ConversationWait::Model(serial);
        if self.observe && current.agent().is_some_and(|agent| !agent.agent.is_single_call) {
            let news: Json = conversation.new_messages().iter().map(Message::to_json).collect();
            let data = vec![("messages", V::from_json(&self.space, &news))];
            self.emit_conversation_event(
                current,
                ConversationEvent::ModelAsked,
                (conversation.turn, None),
                data,
                sink,
            );
        }
        let opened = self.emit_model_call(current, &conversation, serial, sink);
        self.open_model_calls.extend(opened);
        self.scope_state_mut(current.scope).wait = Wait::Conversation(conversation);
        Ok(())
    }

    pub(super) fn conversation_call_done(
        &mut self,
        program: &Program<V>,
        call: CallId,
        result: CallResult<V>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let scope = call.scope;
        let wait = std::mem::replace(&mut self.scope_state_mut(scope).wait, Wait::Nothing);
        let code = program.nodes.get(self.scope_state(scope).node as usize);
        let (Wait::Conversation(conversation), Some(compiled)) = (wait, code) else { return Next::Wait };
        let current = CurrentNode { program, compiled, scope, now_ms: at_ms };
        match (conversation.call_index(call.serial), current.agent().is_some()) {
            (None, _) => self.model_replied(&current, conversation, result, sink),
            (Some(_), false) => self.tool_node_call_done(&current, conversation, result, sink),
            (Some(index), true) => self.tool_call_done(&current, conversation, index, result, sink),
        }
    }

    fn model_replied(
        &mut self,
        current: &CurrentNode<'_, V>,
        mut conversation: Box<ActiveConversation>,
        result: CallResult<V>,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let Some(CompiledAgent { agent, .. }) = current.agent() else { return Next::Wait };
        let mut given = None;
        let mut reply = match result {
            Ok(Answer::Reply(reply)) => reply,
            Ok(Answer::Value(value, writes)) => {
                self.write_outputs(current, writes);
                let said = to_json(&value);
                // A planning model's stub returns the plan, whose `tool_calls` are no calls of the model.
                let reply = match &agent.strategy {
                    Some(strategy) if strategy.as_reasoner().is_none() => ChatReply::new(plain_text(&said)),
                    _ => agent::stub_reply(&said),
                };
                given = Some(value);
                reply
            }
            Ok(Answer::Decided(_)) => {
                return self.conversation_failed(current, &conversation, missing_reply(), sink);
            }
            Err(failure) => return self.model_failed(current, &conversation, failure, sink),
        };
        self.count_usage(&reply, given.is_some());
        if agent.is_single_call {
            return self.single_reply(current, conversation, &reply, given, sink);
        }
        let only_text = agent.strategy.as_ref().is_some_and(ModelStrategy::is_text_only);
        if only_text {
            // The model had no tools to call.
            reply.tool_calls.clear();
        }
        agent::assign_call_ids(&mut reply.tool_calls, conversation.reply_count() + 1);
        if self.observe {
            let data = vec![("reply", V::from_json(&self.space, &reply_json(&reply)))];
            self.emit_conversation_event(
                current,
                ConversationEvent::ModelReplied,
                (conversation.turn, None),
                data,
                sink,
            );
        }
        conversation.request.messages.push(reply.message());
        if let Some(failure) =
            truncation_failure(reply.finish).filter(|_| !(only_text && reply.finish == FinishReason::Length))
        {
            return self.conversation_failed(current, &conversation, failure, sink);
        }
        if let Some(reasoner) = agent.strategy.as_ref().and_then(ModelStrategy::as_reasoner) {
            return self.react_replied(current, conversation, reasoner, &reply, sink);
        }
        if reply.tool_calls.is_empty() {
            return self.reply_without_calls(current, conversation, &reply, sink);
        }
        if let Some(failure) = self.model_limit_exceeded() {
            return self.conversation_stopped(current, conversation, failure, sink);
        }
        if conversation.turn >= agent.max_turns {
            let (id, turns) = (&current.compiled.id, agent.max_turns);
            let message = format!("agent `{id}` still wanted to call tools after {turns} turns");
            return self.conversation_failed(
                current,
                &conversation,
                Failure::new("agent/turn-limit", message),
                sink,
            );
        }
        self.call_tools(current, conversation, &reply.tool_calls, sink)
    }

    fn reply_without_calls(
        &mut self,
        current: &CurrentNode<'_, V>,
        mut conversation: Box<ActiveConversation>,
        reply: &ChatReply,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let Some(CompiledAgent { agent, .. }) = current.agent() else { return Next::Wait };
        let structured = conversation.request.schema.is_some();
        // A second overlong answer: the model can't stay within its limit.
        let is_too_long = reply.finish == FinishReason::Length
            && conversation.turn > 1
            && agent.strategy.as_ref().is_some_and(ModelStrategy::has_default);
        let retry =
            conversation.turn < agent.max_turns && self.model_limit_exceeded().is_none() && !is_too_long;
        let value = match &agent.strategy {
            Some(strategy) => self.apply_strategy(current, strategy, Ok(reply), retry),
            None => self.reply_output(current, reply, structured),
        };
        match value {
            Ok(value) => self.conversation_ended(current, &conversation, value, sink),
            Err(failure) if retry => {
                conversation.wants_structured = true;
                if let (Some(strategy), Some(message)) =
                    (&agent.strategy, conversation.request.messages.last_mut())
                {
                    strategy.truncate_reply(message);
                }
                let told = match (&agent.strategy, failure.message.strip_prefix(MODEL_ANSWER)) {
                    (Some(strategy), _) => strategy.correction_message(&failure),
                    (None, Some(why)) => format!("Give the answer as JSON that fits the schema{why}."),
                    (None, None) => "Give the answer as JSON that fits the schema.".to_owned(),
                };
                conversation.request.messages.push(Message::new(Role::User, told));
                conversation.wait = ConversationWait::Tools(Vec::new());
                match self.call_model(current, conversation, sink) {
                    Ok(()) => Next::Wait,
                    Err(failure) => self.stop_at_limit(current, failure, sink),
                }
            }
            Err(failure) => self.conversation_failed(current, &conversation, failure, sink),
        }
    }

    /// Validated against the node's schema.
    fn reply_output(
        &self,
        current: &CurrentNode<'_, V>,
        reply: &ChatReply,
        structured: bool,
    ) -> Result<V, Failure> {
        let json = llm::parse_reply(reply, structured)
            .map_err(|message| Failure::new("model/bad-reply", message))?;
        self.check_answer(current.program, current.scope, V::from_json(&self.space, &json))
    }

    fn single_reply(
        &mut self,
        current: &CurrentNode<'_, V>,
        mut conversation: Box<ActiveConversation>,
        reply: &ChatReply,
        given: Option<V>,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        // Unanswered calls would block later nodes.
        conversation.request.messages.push(Message { tool_calls: Vec::new(), ..reply.message() });
        let structured = conversation.request.schema.is_some();
        let value = match given {
            Some(value) => self.check_answer(current.program, current.scope, value),
            None => self.reply_output(current, reply, structured),
        };
        match value {
            Ok(value) => self.conversation_ended(current, &conversation, value, sink),
            Err(failure) => self.conversation_failed(current, &conversation, failure, sink),
        }
    }

    fn conversation_ended(
        &mut self,
        current: &CurrentNode<'_, V>,
        conversation: &ActiveConversation,
        value: V,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        if let Err(failure) = self.store_conversation(current, conversation) {
            return self.conversation_failed(current, conversation, failure, sink);
        }
        self.complete_within_limits(current.program, current.scope, value, current.now_ms, sink)
    }

    /// Fails the attempt. No call may be open.
    fn conversation_failed(
        &mut self,
        current: &CurrentNode<'_, V>,
        conversation: &ActiveConversation,
        failure: Failure,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        self.save_partial_conversation(current.scope, conversation);
        self.attempt_failed(
            current.program,
            current.scope,
            self.node_failure(current.scope, failure),
            current.now_ms,
            sink,
        )
    }

    /// Stops at a run limit. Calls may be open.
    fn conversation_stopped(
        &mut self,
        current: &CurrentNode<'_, V>,
        conversation: Box<ActiveConversation>,
        failure: Failure,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        self.scope_state_mut(current.scope).wait = Wait::Conversation(conversation);
        self.stop_at_limit(current, failure, sink)
    }

    pub(super) fn stop_at_limit(
        &mut self,
        current: &CurrentNode<'_, V>,
        failure: Failure,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let node_failure = self.node_failure(current.scope, failure);
        self.emit_node_failed(current.scope, &node_failure, current.now_ms, sink);
        Next::Stop(node_failure)
    }
}

/// Omits provider data.
fn reply_json(reply: &ChatReply) -> Json {
    ChatReply { provider: None, ..reply.clone() }.to_json()
}

fn missing_reply() -> Failure {
    Failure::new("model/bad-reply", "the model client returned no reply of the agreed shape")
}

fn truncation_failure(finish: FinishReason) -> Option<Failure> {
    match finish {
        FinishReason::Length => {
            Some(Failure::new("agent/cut-off", "the model's answer is truncated: it reached its token limit"))
        }
        FinishReason::Filtered => {
            Some(Failure::new("agent/filtered", "the provider's filter stopped the model's answer"))
        }
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other => None,
    }
}
