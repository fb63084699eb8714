//! Finds who produced a value that nodes pass on.

use super::{Inference, Question, incoming};
use crate::expression::Condition;
use crate::node::{self, Action};
use std::collections::HashSet;

impl Inference<'_, '_> {
    /// The start of a chain, cached for all. Not recursive, since chains are long.
    pub(super) fn origin(&mut self, question: Question) -> Question {
        let mut seen = HashSet::from([question]);
        let mut at = question;
        loop {
            if let Some(known) = self.origins.get(&at) {
                at = *known;
                break;
            }
            // Nodes may form a loop.
            let Some(next) = self.previous_question(at).filter(|next| seen.insert(*next)) else { break };
            at = next;
        }
        for question in seen {
            if question != at {
                self.origins.insert(question, at);
            }
        }
        at
    }

    /// The question with the same answer, one step earlier.
    fn previous_question(&mut self, question: Question) -> Option<Question> {
        match question {
            Question::Output(scope, position) => {
                let (graph, node) = self.node(scope, position)?;
                let action = node::action(node, &graph.node_path(node), self.capabilities)?;
                let passes = action.passes_last() || action == Action::Log && node.input.is_none();
                passes.then_some(Question::Last(scope, position))
            }
            Question::Last(scope, position) => {
                let graph = self
                    .scopes
                    .list
                    .get(scope)
                    .map(|scope| scope.graph)
                    .filter(|graph| graph.has_all_edges)?;
                let incoming = self.incoming.entry(scope).or_insert_with(|| incoming(graph));
                let starts = graph.start == Some(position);
                match (incoming.get(position)?.as_slice(), starts) {
                    ([], true) => Some(Question::Input(scope)),
                    ([only], false) => {
                        let edge = graph.edges.get(*only)?;
                        let is_plain =
                            !edge.condition.references_error() && edge.condition != Condition::Unreadable;
                        is_plain.then_some(Question::Output(scope, edge.source))
                    }
                    _ => None,
                }
            }
            Question::Input(_) | Question::End(_) => None,
        }
    }
}
