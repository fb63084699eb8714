//! The `react` node: a model's answer decides the edge, and another node makes the calls.
//!
//! Valid calls stay open until the next visit answers them. If there are none, the node calls the model again.
//!
//! Source: `docs/planning.md`.

use super::super::super::conversation::{ActiveConversation, ConversationWait};
use super::super::super::program::CompiledAgent;
use super::super::super::trace::StepSink;
use super::super::{Next, Run};
use super::CurrentNode;
use crate::failure::Failure;
use crate::model::{ChatReply, Message, ToolCall};
use crate::node::NodeOutput;
use crate::node::observation::failure_text;
use crate::node::react::{self, Reasoner, RequestedCall};
use crate::value::Value;
use serde_json::{Value as Json, json};

impl<V: Value> Run<V> {
    pub(super) fn react_replied(
        &mut self,
        current: &CurrentNode<'_, V>,
        mut conversation: Box<ActiveConversation>,
        reasoner: &Reasoner,
        reply: &ChatReply,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let (id, calls) = (&current.compiled.id, &reply.tool_calls);
        if calls.len() > react::MAX_CALLS {
            return self.conversation_failed(current, &conversation, react::too_many(id, calls.len()), sink);
        }
        if calls.is_empty() && reply.text.trim().is_empty() {
            return self.conversation_failed(current, &conversation, react::empty_reply(id), sink);
        }
        if calls.is_empty() {
            return self.react_output(
                current,
                &conversation,
                react::ANSWERED,
                ("answer", Json::from(reply.text.as_str())),
                sink,
            );
        }
        let requested: Vec<_> =
            calls.iter().map(|call| self.classify_call(current, reasoner, call)).collect();
        let is_plan =
            |requested: &Result<RequestedCall, Failure>| matches!(requested, Ok(RequestedCall::Plan(_)));
        if let Some(index) = requested.iter().position(is_plan) {
            self.answer_all_calls(current, &mut conversation, calls, index, sink);
            let plan = requested.into_iter().nth(index);
            let Some(Ok(RequestedCall::Plan(plan))) = plan else { return Next::Wait };
            return self.react_output(current, &conversation, react::PLANNED, ("plan", plan), sink);
        }
        if let Some(call) = react::repeated_call(&conversation.request.messages) {
            return self.conversation_failed(
                current,
                &conversation,
                react::repeated_call_failure(id, call),
                sink,
            );
        }
        let limit = current.agent().map_or(0, |agent| agent.agent.max_turns);
        if react::turns_since_input(&conversation.request.messages) >= limit as usize {
            return self.conversation_failed(
                current,
                &conversation,
                react::turn_limit_failure(id, limit),
                sink,
            );
        }
        let mut made = Vec::new();
        for (index, (call, requested)) in calls.iter().zip(requested).enumerate() {
            match requested {
                Ok(RequestedCall::Tool(name, arguments)) => {
                    made.push(json!({"tool_name": name, "parameters": arguments}));
                }
                Ok(RequestedCall::Plan(_)) => {}
                Err(failure) => self.refuse_call(current, &mut conversation, (index, call), &failure, sink),
            }
        }
        if !made.is_empty() {
            return self.react_output(
                current,
                &conversation,
                react::ACTS,
                ("tool_calls", Json::Array(made)),
                sink,
            );
        }
        if let Some(failure) = self.model_limit_exceeded() {
            return self.conversation_stopped(current, conversation, failure, sink);
        }
        conversation.wait = ConversationWait::Tools(Vec::new());
        match self.call_model(current, conversation, sink) {
            Ok(()) => Next::Wait,
            Err(failure) => self.stop_at_limit(current, failure, sink),
        }
    }

    fn classify_call(
        &self,
        current: &CurrentNode<'_, V>,
        reasoner: &Reasoner,
        call: &ToolCall,
    ) -> Result<RequestedCall, Failure> {
        let Some(CompiledAgent { agent, .. }) = current.agent() else {
            return Err(Failure::new("tool/unknown", ""));
        };
        if call.name == react::SUBMIT {
            let admitted = agent.resolve_call(call).map_err(|(code, message)| Failure::new(code, message));
            return reasoner.validate_plan(admitted?.1).map(RequestedCall::Plan);
        }
        let (tool, arguments) = self.resolve_tool_call(current, call)?;
        let name = agent.tools.get(tool).map_or("", |tool| &tool.name);
        Ok(RequestedCall::Tool(name.to_owned(), arguments))
    }

    /// The call at `place` submitted the plan.
    fn answer_all_calls(
        &self,
        current: &CurrentNode<'_, V>,
        conversation: &mut ActiveConversation,
        calls: &[ToolCall],
        index: usize,
        sink: &mut impl StepSink<V>,
    ) {
        for (number, call) in calls.iter().enumerate() {
            if number == index {
                conversation.request.messages.push(Message::tool_result(call, "plan submitted", false));
            } else {
                let failure = Failure::new("react/not-executed", "not executed, plan submitted");
                self.refuse_call(current, conversation, (number, call), &failure, sink);
            }
        }
    }

    fn refuse_call(
        &self,
        current: &CurrentNode<'_, V>,
        conversation: &mut ActiveConversation,
        (index, call): (usize, &ToolCall),
        failure: &Failure,
        sink: &mut impl StepSink<V>,
    ) {
        self.emit_tool_failed(
            current,
            (conversation.turn, index),
            current.tool_name(&call.name),
            failure,
            sink,
        );
        conversation.request.messages.push(Message::tool_result(call, failure_text(failure), true));
    }

    fn react_output(
        &mut self,
        current: &CurrentNode<'_, V>,
        conversation: &ActiveConversation,
        route: &str,
        (name, given): (&'static str, Json),
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let output = NodeOutput { value: Json::from(route), named_outputs: vec![(name, given)] };
        let value = self.write_node_output(current, output);
        self.conversation_ended(current, conversation, value, sink)
    }
}
