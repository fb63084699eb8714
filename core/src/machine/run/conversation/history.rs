//! Stores conversations for later nodes, and for the report when a node fails.
//!
//! Decides where a conversation is stored, and how much of it. Source: `docs/agents.md`.

use super::super::super::conversation::ActiveConversation;
use super::super::super::program::CompiledAgent;
use super::super::super::scope_state::PartialResult;
use super::super::Run;
use super::CurrentNode;
use crate::failure::Failure;
use crate::model::{Conversation, Message};
use crate::node::ModelStrategy;
use crate::node::react::has_open_calls;
use crate::value::Value;
use serde_json::Value as Json;

impl<V: Value> Run<V> {
    /// Returns the conversation stored under the node's name for it.
    pub(super) fn stored_conversation(&self, at: &CurrentNode<'_, V>) -> Option<&Conversation> {
        let name = at.agent()?.agent.conversation.as_deref()?;
        self.scope_state(at.scope).conversations.iter().find(|(known, _)| known == name).map(|(_, kept)| kept)
    }

    /// Stores the conversation, if the node names one.
    pub(super) fn store_conversation(
        &mut self,
        at: &CurrentNode<'_, V>,
        talk: &ActiveConversation,
    ) -> Result<(), Failure> {
        let Some(CompiledAgent { agent, .. }) = at.agent() else { return Ok(()) };
        let Some(name) = &agent.conversation else { return Ok(()) };
        let offered = || agent.tools.iter().map(|tool| tool.spec.clone()).collect();
        let tools = match self.stored_conversation(at) {
            Some(kept) if agent.tools.is_empty() => kept.tools.clone(),
            _ => offered(),
        };
        let all = Conversation { messages: talk.request.messages.clone(), tools };
        let kept = match all.truncated(has_open_calls(&talk.request.messages)) {
            Ok(kept) => kept,
            Err(_) if agent.strategy.as_ref().is_some_and(ModelStrategy::may_forget) => {
                self.remove_conversation(at);
                return Ok(());
            }
            Err(bytes) => {
                let message =
                    format!("conversation `{name}` has {bytes} bytes in its last question and answer alone");
                return Err(Failure::new("agent/conversation-limit", message));
            }
        };
        let conversations = &mut self.scope_state_mut(at.scope).conversations;
        match conversations.iter_mut().find(|(known, _)| known == name) {
            Some((_, place)) => *place = kept,
            None => conversations.push((name.clone(), kept)),
        }
        Ok(())
    }

    /// Removes the stored conversation. The next node that names it starts a new one.
    pub(super) fn remove_conversation(&mut self, at: &CurrentNode<'_, V>) {
        let Some(name) = at.agent().and_then(|code| code.agent.conversation.as_deref()) else { return };
        self.scope_state_mut(at.scope).conversations.retain(|(known, _)| known != name);
    }

    /// Saves the conversation of a failed or abandoned node until the next event, for the report.
    pub(in super::super) fn save_partial_conversation(&mut self, scope: u32, talk: &ActiveConversation) {
        let Some(said) = talk.last_reply() else { return };
        let last = self.text(said);
        let messages: Json = talk.request.messages.iter().map(Message::to_json).collect();
        let said = Some((last, V::from_json(&self.space, &messages)));
        let frame = self.scope_state(scope);
        let (scope, node, visit, attempt) = (frame.scope.clone(), frame.node, frame.visit, frame.attempt);
        self.partial_results.push(PartialResult {
            scope,
            node,
            visit,
            attempt,
            values: Vec::new(),
            last_reply: said,
        });
    }
}
