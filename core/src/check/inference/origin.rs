//! Where a value comes from that nodes only pass on.
//!
//! Decides which nodes give what came before as it is. Chains of them are long, so they are followed without nesting, and once.

use super::{Inference, Question, incoming};
use crate::expr::Condition;
use crate::node::{self, Action};
use std::collections::HashSet;

impl Inference<'_, '_> {
    /// The question whose answer nodes only pass on until it is this one's. Chains of such nodes are long, so they are followed here
    /// without nesting, and once.
    pub(super) fn origin(&mut self, question: Question) -> Question {
        let mut seen = HashSet::from([question]);
        let mut at = question;
        loop {
            if let Some(known) = self.same.get(&at) {
                at = *known;
                break;
            }
            // A loop of nodes that pass on comes back to where it was.
            let Some(next) = self.before(at).filter(|next| seen.insert(*next)) else { break };
            at = next;
        }
        for question in seen {
            if question != at {
                self.same.insert(question, at);
            }
        }
        at
    }

    /// The question that has the same answer, one step back along the run.
    fn before(&mut self, question: Question) -> Option<Question> {
        match question {
            Question::Output(scope, position) => {
                let (graph, node) = self.node(scope, position)?;
                let action = node::action(node, &graph.place(node), self.capabilities)?;
                let passes = action == Action::Pass || action == Action::Log && node.input.is_none();
                passes.then_some(Question::Last(scope, position))
            }
            Question::Last(scope, position) => {
                let graph =
                    self.scopes.list.get(scope).map(|scope| scope.graph).filter(|graph| graph.whole)?;
                let incoming = self.incoming.entry(scope).or_insert_with(|| incoming(graph));
                let starts = graph.start == Some(position);
                match (incoming.get(position)?.as_slice(), starts) {
                    ([], true) => Some(Question::Input(scope)),
                    ([only], false) => {
                        let edge = graph.edges.get(*only)?;
                        let is_plain =
                            !edge.condition.mentions_error() && edge.condition != Condition::Unreadable;
                        is_plain.then_some(Question::Output(scope, edge.source))
                    }
                    _ => None,
                }
            }
            Question::Input(_) | Question::End(_) => None,
        }
    }
}
