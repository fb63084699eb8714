//! Read access between events.

use super::super::event::{CallId, Counts, Outcome};
use super::super::lookup::ScopeView;
use super::super::program::Program;
use super::super::scope_state::ScopeState;
use super::{Run, RunStatus};
use crate::kind::CompositeKind;
use crate::node::Action;
use crate::value::Value;
use std::sync::Arc;

/// A nested graph or conversation in which the run ended.
#[derive(Debug)]
pub struct PartialScope<'a, V> {
    /// Such as `fan:1/a`.
    pub scope: String,
    /// Whether it had completed.
    pub completed: bool,
    /// Last output.
    pub last: &'a V,
    /// Outputs by name. Empty if it completed, since only `last` counts then.
    pub outputs: Vec<(&'a str, &'a V)>,
}

impl<V: Value> Run<V> {
    /// Compiled plan.
    pub fn program(&self) -> &Arc<Program<V>> {
        &self.program
    }

    /// Value space.
    pub fn space(&self) -> &V::Arena {
        &self.space
    }

    /// Previous output.
    pub fn last(&self) -> &V {
        &self.root.last
    }

    /// Previous output in a call's scope.
    pub fn last_of(&self, call: CallId) -> &V {
        &self.scope_state(call.scope).last
    }

    /// Input of a call's scope.
    pub fn input_of(&self, call: CallId) -> &V {
        &self.scope_state(call.scope).input
    }

    /// A call's or timer's scope, such as `fan:1/a`. Empty for the run itself.
    pub fn scope_path_of(&self, id: CallId) -> &str {
        self.scope_state_of(id).and_then(|scope_state| scope_state.scope.path.as_deref()).unwrap_or_default()
    }

    /// The plan's own outputs by name position, and those without.
    pub fn outputs_by_number(&self) -> (&[Option<V>], &[(String, V)]) {
        (&self.root.outputs, &self.root.other_outputs)
    }

    /// All values held, so that a host's table can clear others.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        let scope_states =
            std::iter::once(&self.root).chain(self.nested.iter().map(|scope_state| &**scope_state));
        self.memory.iter().chain(&self.context).chain(scope_states.flat_map(ScopeState::values))
    }

    /// Input and memory.
    pub fn initial_values(&self) -> (&V, Option<&V>) {
        (&self.root.input, self.memory.as_ref())
    }

    pub(in super::super) fn memory(&self) -> Option<&V> {
        self.memory.as_ref()
    }

    pub(in super::super) fn context(&self) -> Option<&V> {
        self.context.as_ref()
    }

    /// All outputs, `input` first.
    pub fn outputs(&self) -> impl Iterator<Item = (&str, &V)> {
        let memory = self.memory.as_ref().map(|memory| ("memory", memory));
        let given = [("input", &self.root.input)].into_iter().chain(memory);
        given.chain(self.root.named_outputs(&self.program))
    }

    /// Named output.
    pub fn output(&self, name: &str) -> Option<&V> {
        self.output_of(CallId { scope: 0, serial: 0 }, name)
    }

    /// Named output in a call's scope.
    pub fn output_of(&self, call: CallId, name: &str) -> Option<&V> {
        let scope_state = self.scope_state(call.scope);
        match name {
            "input" => return Some(&scope_state.input),
            "memory" => return self.memory.as_ref(),
            _ => {}
        }
        let view = ScopeView::new(self, &self.program, scope_state);
        view.scopes_outward().find_map(|frame| frame.output(&self.program, name))
    }

    /// Nested graphs that ended with the run, not part of its outputs.
    pub fn partial(&self) -> Vec<PartialScope<'_, V>> {
        let mut found = Vec::new();
        for kept in &self.partial_results {
            let Some(compiled) = self.program.nodes.get(kept.node as usize) else { continue };
            let branches = compiled.options.as_ref().map_or(&[][..], |options| options.children.as_slice());
            let mapped = matches!(compiled.action, Action::Composite(composite) if composite.kind == CompositeKind::Map);
            if let Some((last, said)) = &kept.last_reply {
                let scope = kept.scope.child_path(&compiled.id, (kept.visit, kept.attempt), Some(""), 0);
                found.push(PartialScope {
                    scope,
                    completed: false,
                    last,
                    outputs: vec![("conversation", said)],
                });
            }
            for (index, value) in &kept.values {
                let name = branches.get(*index).filter(|_| !mapped).map(|(name, _)| name.as_str());
                let scope = kept.scope.child_path(&compiled.id, (kept.visit, kept.attempt), name, *index);
                found.push(PartialScope { scope, completed: true, last: value, outputs: Vec::new() });
            }
        }
        for scope_state in self.ended_scopes.iter().map(|scope| self.scope_state(*scope)) {
            let outputs: Vec<_> = scope_state.named_outputs(&self.program).collect();
            if !outputs.is_empty() {
                let scope = scope_state.scope.to_string();
                found.push(PartialScope { scope, completed: false, last: &scope_state.last, outputs });
            }
        }
        found
    }

    /// Visited nodes of the main graph, in order.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    /// The counters.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Until the last event.
    pub fn duration_ms(&self) -> f64 {
        self.ended_ms - self.started_ms
    }

    /// The outcome, after the end.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.status {
            RunStatus::Finished(outcome) => Some(outcome),
            _ => None,
        }
    }

    pub(super) fn scope_state_of(&self, call: CallId) -> Option<&ScopeState<V>> {
        match (call.scope as usize).checked_sub(1) {
            None => Some(&self.root),
            Some(at) => self
                .nested
                .get(at)
                .map(|scope_state| &**scope_state)
                .filter(|scope_state| scope_state.is_alive),
        }
    }
}

impl<V: Value> Run<V> {
    pub(in super::super) fn scope(&self, scope: u32) -> &ScopeState<V> {
        self.scope_state(scope)
    }
}
