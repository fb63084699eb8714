//! Applies a node type's strategy to a model's answer, or a missing one.
//!
//! Source: `docs/planning.md`, `docs/authoring.md`.

use super::super::super::conversation::ActiveConversation;
use super::super::super::trace::StepSink;
use super::super::execute::to_json;
use super::super::{Next, Run};
use super::{CurrentNode, truncation_failure};
use crate::check::check;
use crate::failure::Failure;
use crate::kind::MISSED_DEADLINES;
use crate::model::ChatReply;
use crate::node::{ModelStrategy, NodeOutput, StrategyInput};
use crate::value::{Path, Value};
use serde_json::{Value as Json, json};

impl<V: Value> Run<V> {
    /// A stage with a default continues without a conversation.
    pub(super) fn model_failed(
        &mut self,
        current: &CurrentNode<'_, V>,
        conversation: &ActiveConversation,
        failure: Failure,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let strategy = current.agent().and_then(|agent| agent.agent.strategy.as_ref());
        let Some(strategy) = strategy.filter(|strategy| strategy.accepts_failure(&failure)) else {
            return self.conversation_failed(current, conversation, failure, sink);
        };
        match self.apply_strategy(current, strategy, Err(&failure), false) {
            Ok(value) => {
                self.remove_conversation(current);
                self.complete_within_limits(current.program, current.scope, value, current.now_ms, sink)
            }
            Err(failure) => self.conversation_failed(current, conversation, failure, sink),
        }
    }

    /// Unless the model is called `again`, a bad answer yields the fallback.
    pub(super) fn apply_strategy(
        &mut self,
        current: &CurrentNode<'_, V>,
        strategy: &ModelStrategy,
        reply: Result<&ChatReply, &Failure>,
        retry: bool,
    ) -> Result<V, Failure> {
        // The input's values have not changed since the call.
        let input = to_json(&self.node_input(current.program, current.scope, current.compiled)?);
        let context = self.trusted_values();
        let strategy_input = StrategyInput {
            input: &input,
            context: &context,
            visit: self.scope_state(current.scope).visit,
            check,
        };
        let answer = reply.map_or("", |reply| reply.text.as_str());
        // Truncated answers are unusable, even if they parse.
        let finished = reply
            .map_err(Failure::clone)
            .and_then(|reply| truncation_failure(reply.finish).map_or(Ok(()), Err));
        let said = finished.and_then(|()| strategy.parse_reply(answer, &strategy_input));
        let output = said.or_else(|failure| {
            if retry { Err(failure) } else { strategy.fallback_output(answer, &strategy_input, failure) }
        })?;
        self.record_missed_deadline(current, strategy);
        Ok(self.write_node_output(current, output))
    }

    /// Never fails the node.
    fn record_missed_deadline(&mut self, current: &CurrentNode<'_, V>, strategy: &ModelStrategy) {
        let scope_state = self.scope_state(current.scope);
        let took_ms = current.now_ms - scope_state.started_ms;
        let Some(deadline_ms) = strategy.deadline_ms().filter(|deadline| took_ms > *deadline) else { return };
        let known = scope_state
            .output(current.program, MISSED_DEADLINES)
            .and_then(|known| known.json(&Path::default()));
        let mut missed = known.as_ref().and_then(Json::as_array).cloned().unwrap_or_default();
        missed.push(json!({"node": current.compiled.id, "deadline_ms": deadline_ms, "took_ms": took_ms}));
        let missed = V::from_json(&self.space, &Json::Array(missed));
        self.write_outputs(current, vec![(MISSED_DEADLINES.to_owned(), missed)]);
    }

    pub(super) fn write_node_output(
        &mut self,
        current: &CurrentNode<'_, V>,
        NodeOutput { value, named_outputs }: NodeOutput,
    ) -> V {
        let writes = named_outputs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), V::from_json(&self.space, &value)));
        let writes = writes.collect();
        self.write_outputs(current, writes);
        V::from_json(&self.space, &value)
    }
}
