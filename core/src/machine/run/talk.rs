//! The loop of an agent: the model is asked, its calls are made all at once, and it is asked again until it answers without calls.
//!
//! Decides what an answer of the model leads to; `calls` decides what its calls become, `reason` what they become where another node
//! makes them, `mind` what a node's type makes of an answer, `commands` how all of it is asked and told.
//! A mistake of the model's, or of a tool's, is an observation that the model is told; only what the model's own client fails at
//! fails the try.
//!
//! Invariants: 1. calls are named by turn and place, whatever the order of answers; 2. a bound of the run is looked at before every call;
//! 3. a conversation is kept when its node has completed, and else stays as it was.
//!
//! Source: `docs/agents.md`.

mod calls;
mod commands;
mod keep;
mod mind;
mod reason;

pub(super) use calls::refused;

use super::super::contract::WRONG_ANSWER;
use super::super::event::{Answer, CallId};
use super::super::frame::Wait;
use super::super::program::{AgentCode, Code, Program};
use super::super::talk::{Stage, Talk};
use super::super::told::{Said, Sink};
use super::walk::{Act, whole};
use super::{Next, Run};
use crate::check::check;
use crate::failure::Failure;
use crate::model::{ChatReply, Conversation, Finish, Message, Role};
use crate::node::{Asked, Gatherer, Guard, Mind, agent, llm};
use crate::value::{Path, Value, plain_text};
use serde_json::Value as Json;

/// What a result within a conversation came to.
type Given<V> = Result<Answer<V>, Failure>;

/// Where it is talked: the node at hand of a scope, now.
pub(super) struct At<'a, V: Value> {
    pub(super) program: &'a Program<V>,
    code: &'a Code<V>,
    pub(super) scope: u32,
    /// Milliseconds, as events have it.
    pub(super) now_ms: f64,
}

impl<V: Value> At<'_, V> {
    fn agent(&self) -> Option<&AgentCode> {
        self.code.extra.as_ref()?.agent.as_deref()
    }

    /// What fills the trusted parameters of calls that a model chose.
    fn guard(&self) -> Option<&Guard> {
        let extra = self.code.extra.as_ref()?;
        let gatherer = extra.gatherer.as_deref().map(Gatherer::guard);
        gatherer.or_else(|| extra.agent.as_deref()?.agent.guard.as_ref())
    }
}

impl<V: Value> Run<V> {
    /// Begins the conversation of a node.
    pub(super) fn converse(
        &mut self,
        program: &Program<V>,
        scope: u32,
        code: &Code<V>,
        input: &V,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Act<V> {
        let at = At { program, code, scope, now_ms: at_ms };
        let mind = at.agent().and_then(|code| code.agent.mind.as_ref());
        let input = whole(input);
        let context = mind.map(|_| self.trusted_values()).unwrap_or_default();
        let asked = Asked { input: &input, context: &context, visit: self.frame(scope).visit, check };
        if let Some(told) = mind.and_then(|mind| mind.at_once(&asked)) {
            return match told {
                Ok(told) => Act::Value(self.told(&at, told)),
                Err(failure) => Act::Failed(failure),
            };
        }
        let mut request = match self.chat(program, scope, code, &input) {
            Ok(request) => request,
            Err(failure) => return Act::Failed(failure),
        };
        let frame = self.frame(scope);
        let begins = |kept: &Conversation| mind.is_some_and(|mind| mind.begins(kept, asked.visit));
        let kept = self.kept_conversation(&at).filter(|kept| !begins(kept));
        if let Some(mind) = mind {
            mind.dress(&mut request, &asked, kept.is_some());
        }
        let results = mind.and_then(Mind::reasoner).and_then(|_| frame.last.json(&Path::default()));
        let talk = Box::new(Talk::begun(request, kept, results.as_ref()));
        match self.ask_model(&at, talk, sink) {
            Ok(()) => Act::Asked,
            Err(failure) => Act::Stopped(failure),
        }
    }

    /// Asks the model once more.
    ///
    /// # Errors
    /// The bound of the run that forbids it.
    fn ask_model(
        &mut self,
        at: &At<'_, V>,
        mut talk: Box<Talk>,
        sink: &mut impl Sink<V>,
    ) -> Result<(), Failure> {
        if let Err(failure) = self.charge() {
            self.keep_talk(at.scope, &talk);
            return Err(failure);
        }
        let serial = self.next_serial();
        talk.turn += 1;
        talk.stage = Stage::Model(serial);
        if self.observe && at.agent().is_some_and(|code| !code.agent.once) {
            let news: Json = talk.news().iter().map(Message::to_json).collect();
            let told = vec![("messages", V::from_json(&self.space, &news))];
            self.tell(at, Said::ModelAsked, (talk.turn, None), told, sink);
        }
        self.command_model(at, &talk, serial, sink);
        self.frame_mut(at.scope).wait = Wait::Talk(talk);
        Ok(())
    }

    /// A call of a conversation was answered.
    pub(super) fn talked(
        &mut self,
        program: &Program<V>,
        call: CallId,
        result: Given<V>,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let scope = call.scope;
        let wait = std::mem::replace(&mut self.frame_mut(scope).wait, Wait::Nothing);
        let code = program.nodes.get(self.frame(scope).node as usize);
        let (Wait::Talk(talk), Some(code)) = (wait, code) else { return Next::Wait };
        let at = At { program, code, scope, now_ms: at_ms };
        match (talk.place(call.serial), at.agent().is_some()) {
            (None, _) => self.model_said(&at, talk, result, sink),
            (Some(_), false) => self.tool_node_told(&at, talk, result, sink),
            (Some(place), true) => self.tool_gave(&at, talk, place, result, sink),
        }
    }

    fn model_said(
        &mut self,
        at: &At<'_, V>,
        mut talk: Box<Talk>,
        result: Given<V>,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let Some(AgentCode { agent, .. }) = at.agent() else { return Next::Wait };
        let mut given = None;
        let mut reply = match result {
            Ok(Answer::Reply(reply)) => reply,
            Ok(Answer::Value(value, writes)) => {
                self.write_all(at, writes);
                let said = whole(&value);
                // A stand-in for a model that plans gives the plan itself, whose `tool_calls` are none of the model's.
                let reply = match &agent.mind {
                    Some(mind) if mind.reasoner().is_none() => ChatReply::new(plain_text(&said)),
                    _ => agent::said(&said),
                };
                given = Some(value);
                reply
            }
            Ok(Answer::Decided(_)) => return self.talk_failed(at, &talk, no_reply(), sink),
            Err(failure) => return self.model_failed(at, &talk, failure, sink),
        };
        self.spend(&reply);
        if agent.once {
            return self.said_once(at, talk, &reply, given, sink);
        }
        let only_text = agent.mind.as_ref().is_some_and(Mind::only_text);
        if only_text {
            // It was offered no tools, and nobody will answer what it calls.
            reply.tool_calls.clear();
        }
        agent::name_calls(&mut reply.tool_calls, talk.spoken() + 1);
        if self.observe {
            let told = vec![("reply", V::from_json(&self.space, &told_reply(&reply)))];
            self.tell(at, Said::ModelReplied, (talk.turn, None), told, sink);
        }
        talk.request.messages.push(reply.message());
        if let Some(failure) =
            cut_short(reply.finish).filter(|_| !(only_text && reply.finish == Finish::Length))
        {
            return self.talk_failed(at, &talk, failure, sink);
        }
        if let Some(reasoner) = agent.mind.as_ref().and_then(Mind::reasoner) {
            return self.reasoned(at, talk, reasoner, &reply, sink);
        }
        if reply.tool_calls.is_empty() {
            return self.concluded(at, talk, &reply, sink);
        }
        if let Some(failure) = self.tokens_passed() {
            return self.talk_stopped(at, talk, failure, sink);
        }
        if talk.turn >= agent.max_turns {
            let (id, turns) = (&at.code.id, agent.max_turns);
            let message = format!("agent `{id}` still wanted to call tools after {turns} turns");
            return self.talk_failed(at, &talk, Failure::new("agent/turn-limit", message), sink);
        }
        self.call_tools(at, talk, &reply.tool_calls, sink)
    }

    /// The model answered without calls.
    fn concluded(
        &mut self,
        at: &At<'_, V>,
        mut talk: Box<Talk>,
        reply: &ChatReply,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let Some(AgentCode { agent, .. }) = at.agent() else { return Next::Wait };
        let structured = talk.request.schema.is_some();
        // What is too long twice is too long for this model.
        let is_too_long = reply.finish == Finish::Length
            && talk.turn > 1
            && agent.mind.as_ref().is_some_and(Mind::has_default);
        let again = talk.turn < agent.max_turns && self.tokens_passed().is_none() && !is_too_long;
        let value = match &agent.mind {
            Some(mind) => self.minded(at, mind, Ok(reply), again),
            None => self.answer_of(at, reply, structured),
        };
        match value {
            Ok(value) => self.talk_ended(at, &talk, value, sink),
            Err(failure) if again => {
                talk.closing = true;
                if let (Some(mind), Some(said)) = (&agent.mind, talk.request.messages.last_mut()) {
                    mind.shorten(said);
                }
                let told = match (&agent.mind, failure.message.strip_prefix(WRONG_ANSWER)) {
                    (Some(mind), _) => mind.again(&failure),
                    (None, Some(why)) => format!("Give the answer as JSON that fits the schema{why}."),
                    (None, None) => "Give the answer as JSON that fits the schema.".to_owned(),
                };
                talk.request.messages.push(Message::new(Role::User, told));
                talk.stage = Stage::Tools(Vec::new());
                match self.ask_model(at, talk, sink) {
                    Ok(()) => Next::Wait,
                    Err(failure) => self.stopped(at, failure, sink),
                }
            }
            Err(failure) => self.talk_failed(at, &talk, failure, sink),
        }
    }

    /// What an answer gives, held to the node's schema.
    fn answer_of(&self, at: &At<'_, V>, reply: &ChatReply, structured: bool) -> Result<V, Failure> {
        let json =
            llm::output(reply, structured).map_err(|message| Failure::new("model/bad-reply", message))?;
        self.held(at.program, at.scope, V::from_json(&self.space, &json))
    }

    /// The answer to an `llm` that shares a conversation.
    fn said_once(
        &mut self,
        at: &At<'_, V>,
        mut talk: Box<Talk>,
        reply: &ChatReply,
        given: Option<V>,
        sink: &mut impl Sink<V>,
    ) -> Next {
        // Calls that nobody will answer would make the conversation unfit to go on with.
        talk.request.messages.push(Message { tool_calls: Vec::new(), ..reply.message() });
        let structured = talk.request.schema.is_some();
        let value = match given {
            Some(value) => self.held(at.program, at.scope, value),
            None => self.answer_of(at, reply, structured),
        };
        match value {
            Ok(value) => self.talk_ended(at, &talk, value, sink),
            Err(failure) => self.talk_failed(at, &talk, failure, sink),
        }
    }

    /// The node has its answer: the conversation is kept, and the run goes on.
    fn talk_ended(&mut self, at: &At<'_, V>, talk: &Talk, value: V, sink: &mut impl Sink<V>) -> Next {
        if let Err(failure) = self.keep_conversation(at, talk) {
            return self.talk_failed(at, talk, failure, sink);
        }
        self.complete_bounded(at.program, at.scope, value, at.now_ms, sink)
    }

    /// The try has failed; nothing of it is outstanding.
    fn talk_failed(
        &mut self,
        at: &At<'_, V>,
        talk: &Talk,
        failure: Failure,
        sink: &mut impl Sink<V>,
    ) -> Next {
        self.keep_talk(at.scope, talk);
        self.failed(at.program, at.scope, self.fault(at.scope, failure), at.now_ms, sink)
    }

    /// A bound of the run was passed while something may be outstanding.
    fn talk_stopped(
        &mut self,
        at: &At<'_, V>,
        talk: Box<Talk>,
        failure: Failure,
        sink: &mut impl Sink<V>,
    ) -> Next {
        self.frame_mut(at.scope).wait = Wait::Talk(talk);
        self.stopped(at, failure, sink)
    }

    pub(super) fn stopped(&mut self, at: &At<'_, V>, failure: Failure, sink: &mut impl Sink<V>) -> Next {
        let fault = self.fault(at.scope, failure);
        self.tell_failed(at.scope, &fault, at.now_ms, sink);
        Next::Stop(fault)
    }
}

impl<'a, V: Value> At<'a, V> {
    /// The name in the catalogue of a tool that a model or a node calls.
    fn tool_name<'b>(&'b self, wire: &'b str) -> &'b str {
        match (self.agent(), self.code.action.tool()) {
            (Some(code), _) => {
                code.agent.tools.iter().find(|tool| tool.spec.name == wire).map_or(wire, |tool| &tool.name)
            }
            (None, Some(name)) => name,
            (None, None) => wire,
        }
    }

    /// The node at hand of that scope.
    pub(super) fn new(program: &'a Program<V>, code: &'a Code<V>, scope: u32, at_ms: f64) -> Self {
        Self { program, code, scope, now_ms: at_ms }
    }
}

/// A reply without what only its provider reads.
fn told_reply(reply: &ChatReply) -> Json {
    ChatReply { provider: None, ..reply.clone() }.to_json()
}

fn no_reply() -> Failure {
    Failure::new("model/bad-reply", "the model client gave no reply of the agreed shape")
}

/// Why an answer that ends like this is of no use.
fn cut_short(finish: Finish) -> Option<Failure> {
    match finish {
        Finish::Length => Some(Failure::new(
            "agent/cut-off",
            "the model's answer is cut off: it reached the most tokens it may have",
        )),
        Finish::Filtered => {
            Some(Failure::new("agent/filtered", "the provider's filter stopped the model's answer"))
        }
        Finish::Stop | Finish::ToolCalls | Finish::Other => None,
    }
}
