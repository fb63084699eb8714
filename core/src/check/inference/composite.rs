//! What nodes give that run graphs: `graph`, `parallel`, `map`.
//!
//! Decides from the ends of those graphs and from how the node joins them.

use super::{Inference, MAX_ALTERNATIVES, Question, anything, either};
use crate::check::known::{Known, Shared};
use crate::expr::Condition;
use crate::graph::Texts;
use crate::kind::{Join, Shape};
use crate::list::List;
use crate::node::Fan;
use std::rc::Rc;

impl<'a> Inference<'_, 'a> {
    /// What a node makes of the graphs inside it.
    pub(super) fn joined(&mut self, fan: Fan, scope: usize, position: usize) -> Shared<'a> {
        let Some((_, node)) = self.node(scope, position) else { return anything() };
        let is_variable = |join: Texts| join.constant().is_none();
        if node.with.as_ref().and_then(|with| with.get("join")).is_some_and(is_variable) {
            return anything();
        }
        let inside = self.inside.get(&(scope, position)).cloned().unwrap_or_default();
        let nested = node.nested.iter().zip(inside).filter(|(nested, _)| nested.key == fan.shape.key());
        let mut ends = nested.map(|(nested, scope)| (nested.name.as_str(), scope));
        match (fan.shape, fan.join) {
            (Shape::Graph, _) => {
                ends.next().map_or_else(anything, |(_, scope)| self.ask(Question::End(scope)))
            }
            (_, Join::Any) => {
                let ends = ends.map(|(_, scope)| self.ask(Question::End(scope))).list();
                either(ends)
            }
            (Shape::Map, join) => {
                let end = ends.next().map_or_else(anything, |(_, scope)| self.ask(Question::End(scope)));
                Rc::new(Known::List(self.ended(join, end)))
            }
            (Shape::Parallel, join) => {
                let mut entries = Vec::new();
                for (name, scope) in ends {
                    let end = self.ask(Question::End(scope));
                    entries.push((name, self.ended(join, end)));
                }
                Rc::new(Known::Map { entries, is_closed: true })
            }
        }
    }

    /// What one of several graphs gives that ended.
    fn ended(&self, join: Join, end: Shared<'a>) -> Shared<'a> {
        if join != Join::Settled {
            return end;
        }
        let status = Rc::new(Known::Text);
        let entries = vec![("status", status), ("value", end), ("error", Rc::clone(&self.failure))];
        Rc::new(Known::Map { entries, is_closed: true })
    }

    /// What a graph ends with: the output of any node that no fallback leaves.
    pub(super) fn end(&mut self, scope: usize) -> Shared<'a> {
        let Some(graph) = self.scopes.list.get(scope).map(|scope| scope.graph) else { return anything() };
        if !graph.whole {
            return anything();
        }
        let falls_back = |at: usize| graph.edges_from(at).any(|edge| edge.condition == Condition::Fallback);
        let ends = (0..graph.nodes.len()).filter(|at| !falls_back(*at)).take(MAX_ALTERNATIVES + 1).list();
        if ends.len() > MAX_ALTERNATIVES {
            return anything();
        }
        either(ends.into_iter().map(|at| self.ask(Question::Output(scope, at))).list())
    }
}
