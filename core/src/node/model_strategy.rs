//! What a node makes of its conversation, beyond what an agent makes of one.
//!
//! Decides by the node's type what the model is told, and what becomes of its answer: an output and named outputs beside it, or a
//! refusal that the model is told. The conversation itself is the machine's.
//!
//! Source: `docs/planning.md`.

use super::author::Author;
use super::plan::Planner;
use super::react::Reasoner;
use super::strategy_input::{NodeOutput, StrategyInput};
use crate::failure::Failure;
use crate::model::{ChatRequest, Conversation, Message};
use serde_json::Value as Json;

/// A node type that judges the answers of its model.
#[derive(Debug)]
pub enum ModelStrategy {
    /// `plan`.
    Planner(Planner),
    /// A stage on the way from a request to a plan.
    Author(Box<Author>),
    /// `react`; the machine has a way of its own for what its model calls.
    Reasoner(Reasoner),
}

impl ModelStrategy {
    /// What the node gives without asking a model; nothing when one is to be asked.
    pub(crate) fn immediate_output(
        &self,
        strategy_input: &StrategyInput<'_>,
    ) -> Option<Result<NodeOutput, Failure>> {
        match self {
            Self::Planner(_) | Self::Reasoner(_) => None,
            Self::Author(author) => author.immediate_output(strategy_input).map(Ok),
        }
    }

    /// Makes a request of settings and input into what the model is to be asked; `continues` says whether its conversation goes on.
    pub(crate) fn prepare_request(
        &self,
        request: &mut ChatRequest,
        strategy_input: &StrategyInput<'_>,
        continues: bool,
    ) {
        match self {
            Self::Planner(planner) => {
                planner.prepare_request(request, strategy_input.input, strategy_input.context)
            }
            Self::Author(author) => author.prepare_request(request, strategy_input, continues),
            Self::Reasoner(_) => {}
        }
    }

    /// What an answer becomes.
    ///
    /// # Errors
    /// Why it will not do; the model is asked again, if it may be.
    pub(crate) fn parse_reply(
        &self,
        answer: &str,
        strategy_input: &StrategyInput<'_>,
    ) -> Result<NodeOutput, Failure> {
        match self {
            Self::Planner(planner) => {
                planner.parse_reply(answer, strategy_input.context).map(NodeOutput::from)
            }
            Self::Author(author) => author.parse_reply(answer, strategy_input),
            Self::Reasoner(_) => Ok(NodeOutput::from(Json::from(answer))),
        }
    }

    /// What an answer becomes that will not do when the model is not asked again.
    ///
    /// # Errors
    /// That the node fails.
    pub(crate) fn fallback_output(
        &self,
        answer: &str,
        strategy_input: &StrategyInput<'_>,
        failure: Failure,
    ) -> Result<NodeOutput, Failure> {
        match self {
            Self::Planner(_) | Self::Reasoner(_) => Err(failure),
            Self::Author(author) => author.fallback_output(answer, strategy_input, &failure),
        }
    }

    /// Whether a failure of the model is as good as an answer that will not do: a stage goes on with its default.
    pub(crate) fn accepts_failure(&self, failure: &Failure) -> bool {
        matches!(self, Self::Author(_)) && Author::accepts_failure(failure)
    }

    /// Whether a conversation that is too long to be kept may be forgotten: the next node begins one with all that is known.
    pub(crate) fn may_forget(&self) -> bool {
        matches!(self, Self::Author(_))
    }

    /// Cuts off an answer that will not do, before the model is told so.
    pub(crate) fn truncate_reply(&self, message: &mut Message) {
        if let Self::Author(_) = self {
            Author::truncate_reply(message);
        }
    }

    /// What the model is told of an answer that will not do.
    pub(crate) fn correction_message(&self, failure: &Failure) -> String {
        match self {
            Self::Planner(_) => Planner::correction_message(failure),
            Self::Author(author) => author.correction_message(failure),
            Self::Reasoner(_) => failure.message.clone(),
        }
    }

    /// Whether its conversation begins anew at this visit, though this was said before under its name.
    pub(crate) fn starts_new_conversation(&self, stored: &Conversation, visit: u32) -> bool {
        match self {
            Self::Planner(_) => false,
            Self::Author(author) => author.starts_new_conversation(stored),
            Self::Reasoner(_) => visit <= 1,
        }
    }

    /// Whether its model answers with text alone: calls mean nothing then, and an answer that is cut off is one that will not do.
    pub(crate) fn is_text_only(&self) -> bool {
        matches!(self, Self::Author(_) | Self::Planner(_))
    }

    /// Whether it goes on with a default where its model gives no answer that will do.
    pub(crate) fn has_default(&self) -> bool {
        matches!(self, Self::Author(_))
    }

    /// How long the model may take before that is told, in milliseconds.
    pub(crate) fn deadline_ms(&self) -> Option<f64> {
        match self {
            Self::Planner(_) | Self::Reasoner(_) => None,
            Self::Author(author) => author.deadline_ms,
        }
    }

    /// What judges the calls of its model, where that may make any.
    pub(crate) fn as_reasoner(&self) -> Option<&Reasoner> {
        match self {
            Self::Reasoner(reasoner) => Some(reasoner),
            Self::Planner(_) | Self::Author(_) => None,
        }
    }
}
