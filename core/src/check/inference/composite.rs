//! Infers outputs of `graph`, `parallel` and `map`.

use super::{Inference, MAX_ALTERNATIVES, Question, one_of, unknown};
use crate::check::known_value::{KnownValue, Shared};
use crate::collect::CollectVec;
use crate::expression::Condition;
use crate::graph::TemplateValue;
use crate::kind::{CompositeKind, Join};
use crate::node::Composite;
use std::rc::Rc;

impl<'a> Inference<'_, 'a> {
    pub(super) fn composite_output(
        &mut self,
        composite: Composite,
        scope: usize,
        position: usize,
    ) -> Shared<'a> {
        let Some((_, node)) = self.node(scope, position) else { return unknown() };
        let is_variable = |join: TemplateValue| join.as_constant().is_none();
        if node.with.as_ref().and_then(|with| with.get("join")).is_some_and(is_variable) {
            return unknown();
        }
        let inside = self.nested_scopes.get(&(scope, position)).cloned().unwrap_or_default();
        let nested = node.nested.iter().zip(inside).filter(|(nested, _)| nested.key == composite.kind.key());
        let mut ends = nested.map(|(nested, scope)| (nested.name.as_str(), scope));
        match (composite.kind, composite.join) {
            (CompositeKind::Graph, _) => {
                ends.next().map_or_else(unknown, |(_, scope)| self.infer(Question::End(scope)))
            }
            (_, Join::Any) => {
                let ends = ends.map(|(_, scope)| self.infer(Question::End(scope))).collect_vec();
                one_of(ends)
            }
            (CompositeKind::Map, join) => {
                let end = ends.next().map_or_else(unknown, |(_, scope)| self.infer(Question::End(scope)));
                Rc::new(KnownValue::List(self.child_result(join, end)))
            }
            (CompositeKind::Parallel, join) => {
                let mut entries = Vec::new();
                for (name, scope) in ends {
                    let end = self.infer(Question::End(scope));
                    entries.push((name, self.child_result(join, end)));
                }
                Rc::new(KnownValue::map(entries, true))
            }
        }
    }

    fn child_result(&self, join: Join, end: Shared<'a>) -> Shared<'a> {
        if join != Join::Settled {
            return end;
        }
        let status = Rc::new(KnownValue::Text);
        let entries = vec![("status", status), ("value", end), ("error", Rc::clone(&self.failure))];
        Rc::new(KnownValue::map(entries, true))
    }

    /// The output of any node without a fallback edge.
    pub(super) fn graph_output(&mut self, scope: usize) -> Shared<'a> {
        let Some(graph) = self.scopes.list.get(scope).map(|scope| scope.graph) else { return unknown() };
        if !graph.has_all_edges {
            return unknown();
        }
        let falls_back = |at: usize| graph.edges_from(at).any(|edge| edge.condition == Condition::Fallback);
        let ends =
            (0..graph.nodes.len()).filter(|at| !falls_back(*at)).take(MAX_ALTERNATIVES + 1).collect_vec();
        if ends.len() > MAX_ALTERNATIVES {
            return unknown();
        }
        one_of(ends.into_iter().map(|at| self.infer(Question::Output(scope, at))).collect_vec())
    }
}
