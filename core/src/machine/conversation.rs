//! A conversation under way within one node: an agent's, or the leave of a person that a tool needs.
//!
//! Decides what is outstanding and what the next question to the model says. Knows nothing of scopes or of who answers.
//!
//! Invariants: 1. every call of a message is answered by one message of a tool, in the order of the calls; 2. what was said is never
//! changed, so each question begins with the one before it; 3. either the model is asked or its calls are worked on, never both.
//!
//! Source: `docs/agents.md`.

use crate::graph::short_hash;
use crate::model::{ChatRequest, Conversation, Message, Role, ToolCall, ToolChoice, ToolSpec};
use crate::node::Agent;
use crate::node::react::{has_open_calls, with_results};
use serde_json::{Value as Json, json};

/// A conversation under way.
#[derive(Debug)]
pub(super) struct ActiveConversation {
    /// Which question to the model is at hand, from 1; 0 where only a person is asked for a tool node.
    pub(super) turn: u32,
    /// How many messages were there before this node's own.
    pub(super) history: usize,
    /// Whether the model said what it had to say, and is now asked to say it as the schema has it.
    pub(super) wants_structured: bool,
    /// What is asked, without tools; its messages are all that was said.
    pub(super) request: ChatRequest,
    pub(super) wait: ConversationWait,
}

/// What a conversation waits for.
#[derive(Debug)]
pub(super) enum ConversationWait {
    /// The model, by the number of the call.
    Model(u32),
    /// The calls of its last message, in their order.
    Tools(Vec<ToolCallState>),
}

/// One call of a message.
#[derive(Debug)]
pub(super) enum ToolCallState {
    /// Under way: a person is asked for `leave`, or the tool is called.
    Open { serial: u32, approval: bool, arguments: Json },
    /// Answered, with what the model is told.
    Done { content: String, failed: bool },
}

impl ActiveConversation {
    /// One that begins: what a node asks, after what was said before.
    /// `results` are those of the calls that are open there, when this node is the one that waited for them.
    pub(super) fn new(
        mut request: ChatRequest,
        stored: Option<&Conversation>,
        results: Option<&Json>,
    ) -> Self {
        let mut history = 0;
        if let Some(stored) = stored {
            let own = request.messages.first().is_some_and(|message| message.role == Role::System);
            let theirs = stored.messages.first().is_some_and(|message| message.role == Role::System);
            // The node's own instructions, if it has any, stand in the place of those that were there.
            let said = with_results(&stored.messages, results).into_iter().skip(usize::from(own && theirs));
            if results.is_some() && has_open_calls(&stored.messages) {
                // It goes on with what it asked for: there is no new question.
                request.messages.pop();
            }
            request.messages.splice(usize::from(own)..usize::from(own), said);
            let answered = request.messages.last().is_some_and(|message| message.role == Role::Tool);
            let spoken = request.messages.iter().rposition(|message| message.role == Role::Assistant);
            let asked = if answered { spoken.map(|at| at + 1) } else { None };
            history = asked.unwrap_or(request.messages.len().saturating_sub(1));
        }
        // What every question begins with: whoever keeps prompts finds them by it.
        request.cache_key =
            request.messages.first().map(|first| short_hash(&Json::from(first.content.as_str())));
        Self { turn: 0, history, wants_structured: false, request, wait: ConversationWait::Tools(Vec::new()) }
    }

    /// A tool node that waits for a person's leave.
    pub(super) fn for_tool_node(serial: u32, arguments: Json) -> Self {
        let wait = ConversationWait::Tools(vec![ToolCallState::Open { serial, approval: true, arguments }]);
        Self { turn: 0, history: 0, wants_structured: false, request: ChatRequest::default(), wait }
    }

    /// Says anew of each call whether a person is asked first.
    pub(super) fn update_approvals(&mut self, node_asks: bool, agent: Option<&Agent>) {
        let calls: Vec<String> = self.calls().iter().map(|call| call.name.clone()).collect();
        let ConversationWait::Tools(places) = &mut self.wait else { return };
        for (number, state) in places.iter_mut().enumerate() {
            let ToolCallState::Open { approval, .. } = state else { continue };
            let name = calls.get(number);
            let offered = |agent: &&Agent| {
                agent.tools.iter().any(|tool| tool.needs_approval && Some(&tool.spec.name) == name)
            };
            *approval = agent.map_or(node_asks, |agent| offered(&agent));
        }
    }

    /// Every call that is outstanding, in order.
    pub(super) fn open_serials(&self) -> impl Iterator<Item = u32> {
        let (model, calls) = match &self.wait {
            ConversationWait::Model(serial) => (Some(*serial), &[][..]),
            ConversationWait::Tools(calls) => (None, calls.as_slice()),
        };
        let waits = |state: &ToolCallState| match state {
            ToolCallState::Open { serial, .. } => Some(*serial),
            ToolCallState::Done { .. } => None,
        };
        model.into_iter().chain(calls.iter().filter_map(waits))
    }

    /// The tools of the calls that are outstanding, by the names that the model was told.
    pub(super) fn open_tools(&self) -> impl Iterator<Item = &str> {
        let calls = match &self.wait {
            ConversationWait::Model(_) => &[][..],
            ConversationWait::Tools(calls) => calls.as_slice(),
        };
        let waits = |(_, state): &(&ToolCall, &ToolCallState)| matches!(state, ToolCallState::Open { .. });
        self.calls().iter().zip(calls).filter(waits).map(|(call, _)| call.name.as_str())
    }

    /// Where the call of that number stands among those of the message.
    pub(super) fn call_index(&self, serial: u32) -> Option<usize> {
        let ConversationWait::Tools(calls) = &self.wait else { return None };
        calls
            .iter()
            .position(|state| matches!(state, ToolCallState::Open { serial: known, .. } if *known == serial))
    }

    /// The same call.
    pub(super) fn call_mut(&mut self, at: usize) -> Option<&mut ToolCallState> {
        match &mut self.wait {
            ConversationWait::Tools(calls) => calls.get_mut(at),
            ConversationWait::Model(_) => None,
        }
    }

    /// The calls of the last message.
    pub(super) fn calls(&self) -> &[ToolCall] {
        self.request.messages.last().map_or(&[], |message| &message.tool_calls)
    }

    /// Puts the answers to all calls into the conversation; whether they were all there.
    pub(super) fn collect_results(&mut self) -> bool {
        if self.open_serials().next().is_some() {
            return false;
        }
        let ConversationWait::Tools(calls) = &mut self.wait else { return false };
        let answers: Vec<Message> = std::mem::take(calls)
            .into_iter()
            .zip(self.calls())
            .filter_map(|(state, call)| match state {
                ToolCallState::Done { content, failed } => Some(Message::tool_result(call, content, failed)),
                ToolCallState::Open { .. } => None,
            })
            .collect();
        self.request.messages.extend(answers);
        true
    }

    /// Whether the answer is asked for in the provider's structured mode: in the last turn, since many providers offer tools or a
    /// schema and not both.
    fn is_structured_turn(&self, agent: &Agent) -> bool {
        agent.tools.is_empty() || self.wants_structured || self.turn >= agent.max_turns
    }

    /// The question at hand. `kept` are the tools of a conversation that is only gone on with.
    pub(super) fn next_request(&self, agent: &Agent, kept: &[ToolSpec]) -> ChatRequest {
        let mut asked = self.request.clone();
        let structured = self.is_structured_turn(agent);
        if !structured {
            asked.schema = None;
        }
        asked.tools = kept.to_vec();
        if !agent.tools.is_empty() {
            asked.tools = agent.tools.iter().map(|tool| tool.spec.clone()).collect();
        }
        // The tools stay where they are, so that the request begins as the one before; they are only not to be called.
        let closed = agent.tools.is_empty() || (structured && asked.schema.is_some());
        if closed && !asked.tools.is_empty() {
            asked.tool_choice = ToolChoice::None;
        }
        let system = asked.messages.first().is_some_and(|message| message.role == Role::System);
        let again = agent.max_turns > 1 || agent.conversation.is_some();
        let marks = [
            system.then_some(0),
            self.history.checked_sub(1),
            asked.messages.len().checked_sub(1).filter(|_| again),
        ];
        for at in marks.into_iter().flatten() {
            if let Some(message) = asked.messages.get_mut(at) {
                message.cache = true;
            }
        }
        asked
    }

    /// What was said since the question before this one; all of it at the first.
    pub(super) fn new_messages(&self) -> &[Message] {
        let messages = &self.request.messages;
        let last = messages.iter().rposition(|message| message.role == Role::Assistant);
        let answered = messages.last().is_some_and(|message| message.role == Role::Tool);
        let from = if self.turn <= 1 && !answered { 0 } else { last.map_or(0, |at| at + 1) };
        messages.get(from..).unwrap_or_default()
    }

    /// How often the model has spoken in the whole conversation.
    pub(super) fn reply_count(&self) -> u32 {
        let spoken = self.request.messages.iter().filter(|message| message.role == Role::Assistant);
        u32::try_from(spoken.count()).unwrap_or(u32::MAX)
    }

    /// The last that the model said, if this node has heard anything of it.
    pub(super) fn last_reply(&self) -> Option<&str> {
        let own = self.request.messages.get(self.history..).unwrap_or_default();
        let said = own.iter().rfind(|message| message.role == Role::Assistant)?;
        Some(&said.content)
    }

    /// As data.
    pub(super) fn to_json(&self) -> Json {
        let state = |state: &ToolCallState| match state {
            ToolCallState::Open { serial, approval, arguments } => {
                json!({"call": serial, "approval": approval, "arguments": arguments})
            }
            ToolCallState::Done { content, failed } => json!({"content": content, "failed": failed}),
        };
        let stage = match &self.wait {
            ConversationWait::Model(serial) => json!({"model": serial}),
            ConversationWait::Tools(calls) => json!({"tools": calls.iter().map(state).collect::<Json>()}),
        };
        json!({
            "turn": self.turn, "history": self.history, "wants_structured": self.wants_structured, "request": self.request.to_json(),
            "wait": stage,
        })
    }

    /// From data; nothing that makes no sense for `agent`, or for a tool node where there is none.
    pub(super) fn from_json(json: &Json, agent: Option<&Agent>) -> Option<Self> {
        let whole = |json: &Json, key: &str| u32::try_from(json.get(key)?.as_u64()?).ok();
        let flag = |json: &Json, key: &str| json.get(key)?.as_bool();
        let state = |json: &Json| match json.get("content") {
            Some(content) => Some(ToolCallState::Done {
                content: content.as_str()?.to_owned(),
                failed: flag(json, "failed")?,
            }),
            None => Some(ToolCallState::Open {
                serial: whole(json, "call")?,
                approval: flag(json, "approval")?,
                arguments: json.get("arguments").filter(|json| json.is_object() || agent.is_none())?.clone(),
            }),
        };
        let stage = json.get("wait")?;
        let wait = match stage.get("tools").and_then(Json::as_array) {
            Some(places) => ConversationWait::Tools(places.iter().map(state).collect::<Option<_>>()?),
            None => ConversationWait::Model(whole(stage, "model")?),
        };
        let conversation = Self {
            turn: whole(json, "turn")?,
            history: usize::try_from(json.get("history")?.as_u64()?).ok()?,
            wants_structured: flag(json, "wants_structured")?,
            request: ChatRequest::from_json(json.get("request")?),
            wait,
        };
        let most = agent.map_or(0, |agent| agent.max_turns);
        let fits = match &conversation.wait {
            ConversationWait::Model(_) => conversation.turn >= 1,
            ConversationWait::Tools(calls) if agent.is_none() => calls.len() == 1,
            // A model that reasons has its calls made by another node.
            ConversationWait::Tools(_) if agent.is_some_and(|agent| agent.strategy.is_some()) => false,
            ConversationWait::Tools(calls) => {
                // Whatever waits must be a call that would be made.
                let sound = |(state, call): (&ToolCallState, &ToolCall)| {
                    matches!(state, ToolCallState::Done { .. })
                        || agent.is_some_and(|agent| agent.resolve_call(call).is_ok())
                };
                conversation.turn >= 1
                    && calls.len() == conversation.calls().len()
                    && calls.iter().zip(conversation.calls()).all(sound)
            }
        };
        (fits && conversation.turn <= most && conversation.open_serials().next().is_some())
            .then_some(conversation)
    }
}
