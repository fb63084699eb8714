//! What stays of a conversation: for nodes that go on with it, and for the report when its node gives up.
//!
//! Decides where it is kept, and how much of it. Source: `docs/agents.md`.

use super::super::super::frame::Kept;
use super::super::super::program::AgentCode;
use super::super::super::talk::Talk;
use super::super::Run;
use super::At;
use crate::failure::Failure;
use crate::model::{Conversation, Message};
use crate::node::Mind;
use crate::node::react::is_open;
use crate::value::Value;
use serde_json::Value as Json;

impl<V: Value> Run<V> {
    /// What was said before under the name that the node gives.
    pub(super) fn kept_conversation(&self, at: &At<'_, V>) -> Option<&Conversation> {
        let name = at.agent()?.agent.conversation.as_deref()?;
        self.frame(at.scope).conversations.iter().find(|(known, _)| known == name).map(|(_, kept)| kept)
    }

    /// Keeps what was said under the name that the node gives, if it gives any.
    pub(super) fn keep_conversation(&mut self, at: &At<'_, V>, talk: &Talk) -> Result<(), Failure> {
        let Some(AgentCode { agent, .. }) = at.agent() else { return Ok(()) };
        let Some(name) = &agent.conversation else { return Ok(()) };
        let offered = || agent.tools.iter().map(|tool| tool.spec.clone()).collect();
        let tools = match self.kept_conversation(at) {
            Some(kept) if agent.tools.is_empty() => kept.tools.clone(),
            _ => offered(),
        };
        let all = Conversation { messages: talk.request.messages.clone(), tools };
        let kept = match all.shortened(is_open(&talk.request.messages)) {
            Ok(kept) => kept,
            Err(_) if agent.mind.as_ref().is_some_and(Mind::forgets) => {
                self.forget_conversation(at);
                return Ok(());
            }
            Err(bytes) => {
                let message =
                    format!("conversation `{name}` has {bytes} bytes in its last question and answer alone");
                return Err(Failure::new("agent/conversation-limit", message));
            }
        };
        let conversations = &mut self.frame_mut(at.scope).conversations;
        match conversations.iter_mut().find(|(known, _)| known == name) {
            Some((_, place)) => *place = kept,
            None => conversations.push((name.clone(), kept)),
        }
        Ok(())
    }

    /// Forgets what was said under the name that the node gives: who goes on with it begins anew.
    pub(super) fn forget_conversation(&mut self, at: &At<'_, V>) {
        let Some(name) = at.agent().and_then(|code| code.agent.conversation.as_deref()) else { return };
        self.frame_mut(at.scope).conversations.retain(|(known, _)| known != name);
    }

    /// Keeps what was said in a node that now gives up, until the next event: the report may want it.
    pub(in super::super) fn keep_talk(&mut self, scope: u32, talk: &Talk) {
        let Some(said) = talk.said() else { return };
        let last = self.text(said);
        let messages: Json = talk.request.messages.iter().map(Message::to_json).collect();
        let said = Some((last, V::from_json(&self.space, &messages)));
        let frame = self.frame(scope);
        let (scope, node, visit, attempt) = (frame.scope.clone(), frame.node, frame.visit, frame.attempt);
        self.kept.push(Kept { scope, node, visit, attempt, values: Vec::new(), said });
    }
}
