//! The conversation of an agent, or the approval of a tool node's call.
//!
//! Decides which calls are pending, and builds requests. Knows nothing of scopes or hosts.
//!
//! Invariants:
//! 1. One tool message answers each call, in order.
//! 2. Messages never change, so each request begins with the previous one.
//! 3. The node never waits for model and calls at once.
//!
//! Source: `docs/agents.md`.

use crate::graph::short_hash;
use crate::model::{ChatRequest, Conversation, Message, Role, ToolCall, ToolChoice, ToolSpec};
use crate::node::Agent;
use crate::node::react::{has_open_calls, with_results};
use serde_json::{Value as Json, json};

#[derive(Debug)]
pub(super) struct ActiveConversation {
    /// Request number, from 1. It is 0 if a tool node waits for approval.
    pub(super) turn: u32,
    /// Messages before this node's own.
    pub(super) history: usize,
    /// Whether the model must repeat its answer in the schema's form.
    pub(super) wants_structured: bool,
    /// Has no tools. Its messages are the whole conversation.
    pub(super) request: ChatRequest,
    pub(super) wait: ConversationWait,
}

#[derive(Debug)]
pub(super) enum ConversationWait {
    Model(u32),
    /// In message order.
    Tools(Vec<ToolCallState>),
}

#[derive(Debug)]
pub(super) enum ToolCallState {
    Open { serial: u32, approval: bool, arguments: Json },
    Done { content: String, failed: bool },
}

impl ActiveConversation {
    /// `results` answer the stored open calls for which this node waited.
    pub(super) fn new(
        mut request: ChatRequest,
        stored: Option<&Conversation>,
        results: Option<&Json>,
    ) -> Self {
        let mut history = 0;
        if let Some(stored) = stored {
            let own = request.messages.first().is_some_and(|message| message.role == Role::System);
            let theirs = stored.messages.first().is_some_and(|message| message.role == Role::System);
            // The node's instructions replace the stored ones.
            let said = with_results(&stored.messages, results).into_iter().skip(usize::from(own && theirs));
            if results.is_some() && has_open_calls(&stored.messages) {
                // No new question after calls.
                request.messages.pop();
            }
            request.messages.splice(usize::from(own)..usize::from(own), said);
            let answered = request.messages.last().is_some_and(|message| message.role == Role::Tool);
            let spoken = request.messages.iter().rposition(|message| message.role == Role::Assistant);
            let asked = if answered { spoken.map(|at| at + 1) } else { None };
            history = asked.unwrap_or(request.messages.len().saturating_sub(1));
        }
        // Providers find their prompt cache by a request's start.
        request.cache_key =
            request.messages.first().map(|first| short_hash(&Json::from(first.content.as_str())));
        Self { turn: 0, history, wants_structured: false, request, wait: ConversationWait::Tools(Vec::new()) }
    }

    pub(super) fn for_tool_node(serial: u32, arguments: Json) -> Self {
        let wait = ConversationWait::Tools(vec![ToolCallState::Open { serial, approval: true, arguments }]);
        Self { turn: 0, history: 0, wants_structured: false, request: ChatRequest::default(), wait }
    }

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

    pub(super) fn open_tools(&self) -> impl Iterator<Item = &str> {
        let calls = match &self.wait {
            ConversationWait::Model(_) => &[][..],
            ConversationWait::Tools(calls) => calls.as_slice(),
        };
        let waits = |(_, state): &(&ToolCall, &ToolCallState)| matches!(state, ToolCallState::Open { .. });
        self.calls().iter().zip(calls).filter(waits).map(|(call, _)| call.name.as_str())
    }

    pub(super) fn call_index(&self, serial: u32) -> Option<usize> {
        let ConversationWait::Tools(calls) = &self.wait else { return None };
        calls
            .iter()
            .position(|state| matches!(state, ToolCallState::Open { serial: known, .. } if *known == serial))
    }

    pub(super) fn call_mut(&mut self, at: usize) -> Option<&mut ToolCallState> {
        match &mut self.wait {
            ConversationWait::Tools(calls) => calls.get_mut(at),
            ConversationWait::Model(_) => None,
        }
    }

    pub(super) fn calls(&self) -> &[ToolCall] {
        self.request.messages.last().map_or(&[], |message| &message.tool_calls)
    }

    /// Returns whether all calls have ended.
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

    /// Structured mode is for the last turn: many providers accept tools or a schema, not both.
    fn is_structured_turn(&self, agent: &Agent) -> bool {
        agent.tools.is_empty() || self.wants_structured || self.turn >= agent.max_turns
    }

    /// `kept` are a stored conversation's tools.
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
        // Keeps the tools, so that requests start equally, but forbids calls.
        let closed = agent.tools.is_empty() || (structured && asked.schema.is_some());
        if closed && !asked.tools.is_empty() {
            asked.tool_choice = ToolChoice::None;
        }
        let system = asked.messages.first().is_some_and(|message| message.role == Role::System);
        let retry = agent.max_turns > 1 || agent.conversation.is_some();
        let marks = [
            system.then_some(0),
            self.history.checked_sub(1),
            asked.messages.len().checked_sub(1).filter(|_| retry),
        ];
        for at in marks.into_iter().flatten() {
            if let Some(message) = asked.messages.get_mut(at) {
                message.cache = true;
            }
        }
        asked
    }

    /// Since the previous request, or all.
    pub(super) fn new_messages(&self) -> &[Message] {
        let messages = &self.request.messages;
        let last = messages.iter().rposition(|message| message.role == Role::Assistant);
        let answered = messages.last().is_some_and(|message| message.role == Role::Tool);
        let from = if self.turn <= 1 && !answered { 0 } else { last.map_or(0, |at| at + 1) };
        messages.get(from..).unwrap_or_default()
    }

    pub(super) fn reply_count(&self) -> u32 {
        let spoken = self.request.messages.iter().filter(|message| message.role == Role::Assistant);
        u32::try_from(spoken.count()).unwrap_or(u32::MAX)
    }

    /// The reply comes from within this node.
    pub(super) fn last_reply(&self) -> Option<&str> {
        let own = self.request.messages.get(self.history..).unwrap_or_default();
        let said = own.iter().rfind(|message| message.role == Role::Assistant)?;
        Some(&said.content)
    }

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

    /// `None` if invalid for `agent`, or for a tool node without one.
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
        let limit = agent.map_or(0, |agent| agent.max_turns);
        let fits = match &conversation.wait {
            ConversationWait::Model(_) => conversation.turn >= 1,
            ConversationWait::Tools(calls) if agent.is_none() => calls.len() == 1,
            // A reasoning model's calls run in another node.
            ConversationWait::Tools(_) if agent.is_some_and(|agent| agent.strategy.is_some()) => false,
            ConversationWait::Tools(calls) => {
                // Pending calls must be possible.
                let sound = |(state, call): (&ToolCallState, &ToolCall)| {
                    matches!(state, ToolCallState::Done { .. })
                        || agent.is_some_and(|agent| agent.resolve_call(call).is_ok())
                };
                conversation.turn >= 1
                    && calls.len() == conversation.calls().len()
                    && calls.iter().zip(conversation.calls()).all(sound)
            }
        };
        (fits && conversation.turn <= limit && conversation.open_serials().next().is_some())
            .then_some(conversation)
    }
}
