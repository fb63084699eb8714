//! What a node makes of its conversation, beyond what an agent makes of one.
//!
//! Decides by the node's type what the model is told, and what becomes of its answer: an output and named outputs beside it, or a
//! refusal that the model is told. The conversation itself is the machine's.
//!
//! Source: `docs/planning.md`.

use super::asked::{Asked, Told};
use super::author::Author;
use super::plan::Planner;
use super::react::Reasoner;
use crate::failure::Failure;
use crate::model::{ChatRequest, Conversation, Message};
use serde_json::Value as Json;

/// A node type that judges the answers of its model.
#[derive(Debug)]
pub enum Mind {
    /// `plan`.
    Planner(Planner),
    /// A stage on the way from a request to a plan.
    Author(Box<Author>),
    /// `react`; the machine has a way of its own for what its model calls.
    Reasoner(Reasoner),
}

impl Mind {
    /// What the node gives without asking a model; nothing when one is to be asked.
    pub(crate) fn at_once(&self, asked: &Asked<'_>) -> Option<Result<Told, Failure>> {
        match self {
            Self::Planner(_) | Self::Reasoner(_) => None,
            Self::Author(author) => author.at_once(asked).map(Ok),
        }
    }

    /// Makes a request of settings and input into what the model is to be asked; `continues` says whether its conversation goes on.
    pub(crate) fn dress(&self, request: &mut ChatRequest, asked: &Asked<'_>, continues: bool) {
        match self {
            Self::Planner(planner) => planner.dress(request, asked.input, asked.context),
            Self::Author(author) => author.dress(request, asked, continues),
            Self::Reasoner(_) => {}
        }
    }

    /// What an answer becomes.
    ///
    /// # Errors
    /// Why it will not do; the model is asked again, if it may be.
    pub(crate) fn output(&self, answer: &str, asked: &Asked<'_>) -> Result<Told, Failure> {
        match self {
            Self::Planner(planner) => planner.output(answer, asked.context).map(Told::from),
            Self::Author(author) => author.output(answer, asked),
            Self::Reasoner(_) => Ok(Told::from(Json::from(answer))),
        }
    }

    /// What an answer becomes that will not do when the model is not asked again.
    ///
    /// # Errors
    /// That the node fails.
    pub(crate) fn last_resort(
        &self,
        answer: &str,
        asked: &Asked<'_>,
        failure: Failure,
    ) -> Result<Told, Failure> {
        match self {
            Self::Planner(_) | Self::Reasoner(_) => Err(failure),
            Self::Author(author) => author.last_resort(answer, asked, &failure),
        }
    }

    /// Whether a failure of the model is as good as an answer that will not do: a stage goes on with its default.
    pub(crate) fn forgives(&self, failure: &Failure) -> bool {
        matches!(self, Self::Author(_)) && Author::forgives(failure)
    }

    /// Whether a conversation that is too long to be kept may be forgotten: the next node begins one with all that is known.
    pub(crate) fn forgets(&self) -> bool {
        matches!(self, Self::Author(_))
    }

    /// Cuts off an answer that will not do, before the model is told so.
    pub(crate) fn shorten(&self, message: &mut Message) {
        if let Self::Author(_) = self {
            Author::shorten(message);
        }
    }

    /// What the model is told of an answer that will not do.
    pub(crate) fn again(&self, failure: &Failure) -> String {
        match self {
            Self::Planner(_) => Planner::again(failure),
            Self::Author(author) => author.again(failure),
            Self::Reasoner(_) => failure.message.clone(),
        }
    }

    /// Whether its conversation begins anew at this visit, though this was said before under its name.
    pub(crate) fn begins(&self, kept: &Conversation, visit: u32) -> bool {
        match self {
            Self::Planner(_) => false,
            Self::Author(author) => author.begins(kept),
            Self::Reasoner(_) => visit <= 1,
        }
    }

    /// Whether its model answers with text alone: calls mean nothing then, and an answer that is cut off is one that will not do.
    pub(crate) fn only_text(&self) -> bool {
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
    pub(crate) fn reasoner(&self) -> Option<&Reasoner> {
        match self {
            Self::Reasoner(reasoner) => Some(reasoner),
            Self::Planner(_) | Self::Author(_) => None,
        }
    }
}
