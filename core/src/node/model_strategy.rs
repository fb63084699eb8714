//! A node type's prompt, reply parser and defaults for its model conversation, which the machine runs.
//!
//! Source: `docs/planning.md`.

use super::author::Author;
use super::plan::Planner;
use super::react::Reasoner;
use super::strategy_input::{NodeOutput, StrategyInput};
use crate::failure::Failure;
use crate::model::{ChatRequest, Conversation, Message};
use serde_json::Value as Json;

/// Strategy of a node type.
#[derive(Debug)]
pub enum ModelStrategy {
    /// `plan`.
    Planner(Planner),
    /// Planner stage.
    Author(Box<Author>),
    /// `react`. The machine handles its calls.
    Reasoner(Reasoner),
}

impl ModelStrategy {
    pub(crate) fn immediate_output(
        &self,
        strategy_input: &StrategyInput<'_>,
    ) -> Option<Result<NodeOutput, Failure>> {
        match self {
            Self::Planner(_) | Self::Reasoner(_) => None,
            Self::Author(author) => author.immediate_output(strategy_input).map(Ok),
        }
    }

    /// `continues` tells whether its conversation continues.
    pub(crate) fn prepare_request(
        &self,
        request: &mut ChatRequest,
        strategy_input: &StrategyInput<'_>,
        continues: bool,
    ) {
        match self {
            Self::Planner(planner) => {
                planner.prepare_request(request, strategy_input.input, strategy_input.context);
            }
            Self::Author(author) => author.prepare_request(request, strategy_input, continues),
            Self::Reasoner(_) => {}
        }
    }

    /// Parses a reply.
    ///
    /// # Errors
    /// Why it is invalid. The model may get another attempt.
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

    /// After the last invalid reply.
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

    /// Whether the stage's default replaces a failed model.
    pub(crate) fn accepts_failure(&self, failure: &Failure) -> bool {
        matches!(self, Self::Author(_)) && Author::accepts_failure(failure)
    }

    /// Whether an overlong conversation may be dropped: the next stage starts one with all data.
    pub(crate) fn may_forget(&self) -> bool {
        matches!(self, Self::Author(_))
    }

    pub(crate) fn truncate_reply(&self, message: &mut Message) {
        if let Self::Author(_) = self {
            Author::truncate_reply(message);
        }
    }

    pub(crate) fn correction_message(&self, failure: &Failure) -> String {
        match self {
            Self::Planner(_) => Planner::correction_message(failure),
            Self::Author(author) => author.correction_message(failure),
            Self::Reasoner(_) => failure.message.clone(),
        }
    }

    pub(crate) fn starts_new_conversation(&self, stored: &Conversation, visit: u32) -> bool {
        match self {
            Self::Planner(_) => false,
            Self::Author(author) => author.starts_new_conversation(stored),
            Self::Reasoner(_) => visit <= 1,
        }
    }

    /// Whether calls are ignored, and truncated replies invalid.
    pub(crate) fn is_text_only(&self) -> bool {
        matches!(self, Self::Author(_) | Self::Planner(_))
    }

    pub(crate) fn has_default(&self) -> bool {
        matches!(self, Self::Author(_))
    }

    pub(crate) fn deadline_ms(&self) -> Option<f64> {
        match self {
            Self::Planner(_) | Self::Reasoner(_) => None,
            Self::Author(author) => author.deadline_ms,
        }
    }

    pub(crate) fn as_reasoner(&self) -> Option<&Reasoner> {
        match self {
            Self::Reasoner(reasoner) => Some(reasoner),
            Self::Planner(_) | Self::Author(_) => None,
        }
    }
}
