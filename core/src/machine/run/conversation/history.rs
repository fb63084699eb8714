//! Stores conversations for later nodes and failure reports.
//!
//! Source: `docs/agents.md`.

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
    pub(super) fn stored_conversation(&self, current: &CurrentNode<'_, V>) -> Option<&Conversation> {
        let name = current.agent()?.agent.conversation.as_deref()?;
        self.scope_state(current.scope)
            .conversations
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, stored)| stored)
    }

    pub(super) fn store_conversation(
        &mut self,
        current: &CurrentNode<'_, V>,
        conversation: &ActiveConversation,
    ) -> Result<(), Failure> {
        let Some(CompiledAgent { agent, .. }) = current.agent() else { return Ok(()) };
        let Some(name) = &agent.conversation else { return Ok(()) };
        let offered = || agent.tools.iter().map(|tool| tool.spec.clone()).collect();
        let tools = match self.stored_conversation(current) {
            Some(stored) if agent.tools.is_empty() => stored.tools.clone(),
            _ => offered(),
        };
        let all = Conversation { messages: conversation.request.messages.clone(), tools };
        let stored = match all.truncated(has_open_calls(&conversation.request.messages)) {
            Ok(stored) => stored,
            Err(_) if agent.strategy.as_ref().is_some_and(ModelStrategy::may_forget) => {
                self.remove_conversation(current);
                return Ok(());
            }
            Err(bytes) => {
                let message =
                    format!("conversation `{name}` has {bytes} bytes in its last question and answer alone");
                return Err(Failure::new("agent/conversation-limit", message));
            }
        };
        let conversations = &mut self.scope_state_mut(current.scope).conversations;
        match conversations.iter_mut().find(|(known, _)| known == name) {
            Some((_, place)) => *place = stored,
            None => conversations.push((name.clone(), stored)),
        }
        Ok(())
    }

    /// The next node that names it starts an empty one.
    pub(super) fn remove_conversation(&mut self, current: &CurrentNode<'_, V>) {
        let Some(name) = current.agent().and_then(|agent| agent.agent.conversation.as_deref()) else {
            return;
        };
        self.scope_state_mut(current.scope).conversations.retain(|(known, _)| known != name);
    }

    /// For the report, until the next event.
    pub(in super::super) fn save_partial_conversation(
        &mut self,
        scope: u32,
        conversation: &ActiveConversation,
    ) {
        let Some(said) = conversation.last_reply() else { return };
        let last = self.text(said);
        let messages: Json = conversation.request.messages.iter().map(Message::to_json).collect();
        let last_reply = Some((last, V::from_json(&self.space, &messages)));
        let scope_state = self.scope_state(scope);
        let (scope, node, visit, attempt) =
            (scope_state.scope.clone(), scope_state.node, scope_state.visit, scope_state.attempt);
        self.partial_results.push(PartialResult {
            scope,
            node,
            visit,
            attempt,
            values: Vec::new(),
            last_reply,
        });
    }
}
