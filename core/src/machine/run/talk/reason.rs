//! The answer of a model whose calls another node makes: what it wants becomes the way that the run takes.
//!
//! Decides the route and what every call of the message is answered. Calls that can be made are left open: the next visit of the node
//! answers them with what became of them. When none can be, the model is asked again at once, as there is nothing to carry out.
//!
//! Source: `docs/planning.md`.

use super::super::super::program::AgentCode;
use super::super::super::talk::{Stage, Talk};
use super::super::super::told::Sink;
use super::super::{Next, Run};
use super::At;
use crate::failure::Failure;
use crate::model::{ChatReply, Message, ToolCall};
use crate::node::Told;
use crate::node::observation::observation;
use crate::node::react::{self, Reasoner, Wanted};
use crate::value::Value;
use serde_json::{Value as Json, json};

impl<V: Value> Run<V> {
    /// The model has answered.
    pub(super) fn reasoned(
        &mut self,
        at: &At<'_, V>,
        mut talk: Box<Talk>,
        reasoner: &Reasoner,
        reply: &ChatReply,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let (id, calls) = (&at.code.id, &reply.tool_calls);
        if calls.len() > react::MOST_CALLS {
            return self.talk_failed(at, &talk, react::too_many(id, calls.len()), sink);
        }
        if calls.is_empty() && reply.text.trim().is_empty() {
            return self.talk_failed(at, &talk, react::no_answer(id), sink);
        }
        if calls.is_empty() {
            return self.routed(
                at,
                &talk,
                react::ANSWERED,
                ("answer", Json::from(reply.text.as_str())),
                sink,
            );
        }
        let wanted: Vec<_> = calls.iter().map(|call| self.wanted(at, reasoner, call)).collect();
        let is_plan = |wanted: &Result<Wanted, Failure>| matches!(wanted, Ok(Wanted::Plan(_)));
        if let Some(place) = wanted.iter().position(is_plan) {
            self.answer_all(at, &mut talk, calls, place, sink);
            let plan = wanted.into_iter().nth(place);
            let Some(Ok(Wanted::Plan(plan))) = plan else { return Next::Wait };
            return self.routed(at, &talk, react::PLANNED, ("plan", plan), sink);
        }
        if let Some(call) = react::stuck(&talk.request.messages) {
            return self.talk_failed(at, &talk, react::repeats(id, call), sink);
        }
        let most = at.agent().map_or(0, |code| code.agent.max_turns);
        if react::turns(&talk.request.messages) >= most as usize {
            return self.talk_failed(at, &talk, react::out_of_turns(id, most), sink);
        }
        let mut made = Vec::new();
        for (place, (call, wanted)) in calls.iter().zip(wanted).enumerate() {
            match wanted {
                Ok(Wanted::Tool(name, arguments)) => {
                    made.push(json!({"tool_name": name, "parameters": arguments}));
                }
                Ok(Wanted::Plan(_)) => {}
                Err(failure) => self.refuse(at, &mut talk, (place, call), &failure, sink),
            }
        }
        if !made.is_empty() {
            return self.routed(at, &talk, react::ACTS, ("tool_calls", Json::Array(made)), sink);
        }
        if let Some(failure) = self.tokens_passed() {
            return self.talk_stopped(at, talk, failure, sink);
        }
        talk.stage = Stage::Tools(Vec::new());
        match self.ask_model(at, talk, sink) {
            Ok(()) => Next::Wait,
            Err(failure) => self.stopped(at, failure, sink),
        }
    }

    /// What a call is.
    fn wanted(&self, at: &At<'_, V>, reasoner: &Reasoner, call: &ToolCall) -> Result<Wanted, Failure> {
        let Some(AgentCode { agent, .. }) = at.agent() else {
            return Err(Failure::new("tool/unknown", ""));
        };
        if call.name == react::SUBMIT {
            let admitted = agent.admit(call).map_err(|(code, message)| Failure::new(code, message));
            return reasoner.submitted(admitted?.1).map(Wanted::Plan);
        }
        let (tool, arguments) = self.admitted(at, call)?;
        let name = agent.tools.get(tool).map_or("", |tool| &tool.name);
        Ok(Wanted::Tool(name.to_owned(), arguments))
    }

    /// Answers every call of a message that submitted the plan at `place`.
    fn answer_all(
        &self,
        at: &At<'_, V>,
        talk: &mut Talk,
        calls: &[ToolCall],
        place: usize,
        sink: &mut impl Sink<V>,
    ) {
        for (number, call) in calls.iter().enumerate() {
            if number == place {
                talk.request.messages.push(Message::answer(call, "plan submitted", false));
            } else {
                let failure = Failure::new("react/not-executed", "not executed, plan submitted");
                self.refuse(at, talk, (number, call), &failure, sink);
            }
        }
    }

    /// Tells the model that a call of its is not made, and why.
    fn refuse(
        &self,
        at: &At<'_, V>,
        talk: &mut Talk,
        (place, call): (usize, &ToolCall),
        failure: &Failure,
        sink: &mut impl Sink<V>,
    ) {
        self.tell_failed_tool(at, (talk.turn, place), at.tool_name(&call.name), failure, sink);
        talk.request.messages.push(Message::answer(call, observation(failure), true));
    }

    /// The node has its answer: the way that the run takes, and what is to be done there.
    fn routed(
        &mut self,
        at: &At<'_, V>,
        talk: &Talk,
        route: &str,
        (name, given): (&'static str, Json),
        sink: &mut impl Sink<V>,
    ) -> Next {
        let told = Told { value: Json::from(route), writes: vec![(name, given)] };
        let value = self.told(at, told);
        self.talk_ended(at, talk, value, sink)
    }
}
