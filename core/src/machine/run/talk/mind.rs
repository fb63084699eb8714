//! What a node's type makes of the answer of its model, and of none.
//!
//! Decides what is written down beside its output, and when a default takes the place of an answer.
//!
//! Source: `docs/planning.md`, `docs/authoring.md`.

use super::super::super::talk::Talk;
use super::super::super::told::Sink;
use super::super::walk::whole;
use super::super::{Next, Run};
use super::{At, cut_short};
use crate::check::check;
use crate::failure::Failure;
use crate::kind::MISSED;
use crate::model::ChatReply;
use crate::node::{Asked, Mind, Told};
use crate::value::{Path, Value};
use serde_json::{Value as Json, json};

impl<V: Value> Run<V> {
    /// The model gave no answer. A stage that has a default for that goes on with it, in no conversation.
    pub(super) fn model_failed(
        &mut self,
        at: &At<'_, V>,
        talk: &Talk,
        failure: Failure,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let mind = at.agent().and_then(|code| code.agent.mind.as_ref());
        let Some(mind) = mind.filter(|mind| mind.forgives(&failure)) else {
            return self.talk_failed(at, talk, failure, sink);
        };
        match self.minded(at, mind, Err(&failure), false) {
            Ok(value) => {
                self.forget_conversation(at);
                self.complete_bounded(at.program, at.scope, value, at.now_ms, sink)
            }
            Err(failure) => self.talk_failed(at, talk, failure, sink),
        }
    }

    /// What a node's type makes of an answer; when the model is not asked `again`, what it makes of a bad one, too.
    pub(super) fn minded(
        &mut self,
        at: &At<'_, V>,
        mind: &Mind,
        reply: Result<&ChatReply, &Failure>,
        again: bool,
    ) -> Result<V, Failure> {
        // Nothing in reach has changed since the model was asked, so this is the same input.
        let input = whole(&self.input(at.program, at.scope, at.code)?);
        let context = self.trusted_values();
        let asked = Asked { input: &input, context: &context, visit: self.frame(at.scope).visit, check };
        let answer = reply.map_or("", |reply| reply.text.as_str());
        // What is cut off will not do, whatever can be read of it.
        let finished =
            reply.map_err(Failure::clone).and_then(|reply| cut_short(reply.finish).map_or(Ok(()), Err));
        let said = finished.and_then(|()| mind.output(answer, &asked));
        let told =
            said.or_else(
                |failure| if again { Err(failure) } else { mind.last_resort(answer, &asked, failure) },
            )?;
        self.watch_deadline(at, mind);
        Ok(self.told(at, told))
    }

    /// Writes down that a node's model took longer than it should, when it did. That is told, and never fails anything.
    fn watch_deadline(&mut self, at: &At<'_, V>, mind: &Mind) {
        let frame = self.frame(at.scope);
        let took_ms = at.now_ms - frame.started_ms;
        let Some(deadline_ms) = mind.deadline_ms().filter(|deadline| took_ms > *deadline) else { return };
        let known = frame.get(at.program, MISSED).and_then(|known| known.json(&Path::default()));
        let mut missed = known.as_ref().and_then(Json::as_array).cloned().unwrap_or_default();
        missed.push(json!({"node": at.code.id, "deadline_ms": deadline_ms, "took_ms": took_ms}));
        let missed = V::from_json(&self.space, &Json::Array(missed));
        self.write_all(at, vec![(MISSED.to_owned(), missed)]);
    }

    /// Writes down what a node gives beside its output, which it becomes.
    pub(super) fn told(&mut self, at: &At<'_, V>, Told { value, writes }: Told) -> V {
        let writes =
            writes.into_iter().map(|(name, value)| (name.to_owned(), V::from_json(&self.space, &value)));
        let writes = writes.collect();
        self.write_all(at, writes);
        V::from_json(&self.space, &value)
    }
}
