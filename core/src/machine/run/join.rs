//! Starts a node's graphs, and joins their results.
//!
//! `docs/concurrency.md` defines each end's effect in a table, with which tests compare this file.
//!
//! Invariants:
//! 1. At most `concurrency` children run at once.
//! 2. Inner scopes end before their node.
//! 3. An ended child never changes.

use super::super::program::{CompiledNode, Program};
use super::super::scope_state::{
    ChildScopes, ChildState, NodeFailure, PartialResult, ScopeInit, ScopeState, Wait,
};
use super::super::trace::{ScopeRef, ScopeStatus, StepSink, TraceEvent};
use super::execute::EnterResult;
use super::{Next, Run};
use crate::failure::Failure;
use crate::kind::{CompositeKind, Join};
use crate::node::{Action, Composite};
use crate::value::{Path, Value, View};
use serde_json::Value as Json;

impl<V: Value> Run<V> {
    #[expect(clippy::too_many_arguments, reason = "all of them are at hand, and none belongs to another")]
    pub(super) fn start_children(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        composite: Composite,
        input: &V,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> EnterResult<V> {
        let graphs = compiled.options.as_ref().map_or(0, |options| options.children.len());
        let count = match (composite.kind, input.view(&Path::default())) {
            (CompositeKind::Map, View::List) => input.length(),
            (CompositeKind::Map, other) => {
                let message = format!("`map` runs over a list, and its input is {}", other.describe());
                return EnterResult::Failed(Failure::new("map/not-a-list", message));
            }
            _ => graphs,
        };
        if count == 0 {
            return match composite.join {
                Join::Any => EnterResult::Failed(Failure::new("join/none-completed", "the list is empty")),
                Join::All | Join::Settled => EnterResult::Value(V::list(&self.space, Vec::new())),
            };
        }
        let mut children = Vec::new();
        children.resize_with(count, || ChildState::Waiting);
        self.scope_state_mut(scope).wait = Wait::Children(Box::new(ChildScopes {
            children,
            next_child: 0,
            running: 0,
            input: input.clone(),
        }));
        self.start_more_children(program, scope, compiled, composite, at_ms, sink);
        EnterResult::Waiting
    }

    fn start_more_children(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        composite: Composite,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) {
        let Some(options) = &compiled.options else { return };
        while let Some(index) = self.next_child(scope, composite.concurrency) {
            let which = if composite.kind == CompositeKind::Map { 0 } else { index };
            let Some((name, graph)) = options.children.get(which) else { return };
            let Some(child) = self.create_child(program, scope, compiled, composite, (index, name), *graph)
            else {
                return;
            };
            let Some(start) = program.graphs.get(*graph as usize).map(|graph| graph.start) else { return };
            if let Wait::Children(children) = &mut self.scope_state_mut(scope).wait
                && let Some(state) = children.children.get_mut(index)
            {
                *state = ChildState::Running(child);
            }
            if self.observe {
                let node = self.scope_state(scope).node;
                let child = self.scope_state(child);
                let (scope, input) = (child.scope.clone(), child.input.clone());
                sink.emit(TraceEvent::ScopeStarted { at_ms, scope, node, input });
            }
            self.ready.push_back((child, start));
        }
    }

    fn next_child(&mut self, scope: u32, concurrency: u32) -> Option<usize> {
        let Wait::Children(children) = &mut self.scope_state_mut(scope).wait else { return None };
        if children.running >= concurrency || children.next_child >= children.children.len() {
            return None;
        }
        children.running += 1;
        children.next_child += 1;
        Some(children.next_child - 1)
    }

    fn create_child(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        composite: Composite,
        (place, name): (usize, &str),
        graph: u32,
    ) -> Option<u32> {
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        let scope_state = self.scope_state(scope);
        let Wait::Children(children) = &scope_state.wait else { return None };
        let item = if composite.kind == CompositeKind::Map {
            children.input.item(&self.space, number)
        } else {
            None
        };
        let mapped = item.is_some();
        let indexed = mapped && program.graphs.get(graph as usize).is_some_and(|graph| graph.uses_index);
        let path = child_path(scope_state, &compiled.id, if mapped { None } else { Some(name) }, place);
        let serial = self.scopes + 1;
        let init = ScopeInit {
            graph,
            scope: ScopeRef { serial, path: Some(path.into()) },
            parent: Some((scope, number)),
            input: item.clone().unwrap_or_else(|| children.input.clone()),
            index: indexed.then(|| V::from_json(&self.space, &Json::from(place))),
            item,
        };
        self.scopes = serial;
        let scope_state = ScopeState::new(program, init);
        if let Some(free) = self.free.pop() {
            *self.scope_state_mut(free) = scope_state;
            return Some(free);
        }
        self.nested.push(Box::new(scope_state));
        u32::try_from(self.nested.len()).ok()
    }

    /// Returns the node's next step.
    pub(super) fn child_ended(
        &mut self,
        program: &Program<V>,
        scope: u32,
        index: u32,
        result: Result<V, Box<NodeFailure>>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let Some(compiled) = program.nodes.get(self.scope_state(scope).node as usize) else {
            return Next::Wait;
        };
        let Action::Composite(composite) = compiled.action else { return Next::Wait };
        let ended = match (composite.join, &result) {
            (Join::All, Err(_)) | (Join::Any, Ok(_)) => None,
            (_, Ok(value)) => Some(ChildState::Completed(value.clone())),
            (_, Err(node_failure)) => Some(ChildState::Failed(self.error_value(program, node_failure, None))),
        };
        let Some(ended) = ended else {
            // One result suffices.
            self.abandon(scope, at_ms, sink);
            return match result {
                Ok(value) => self.complete_node(program, scope, value, at_ms, sink),
                Err(node_failure) => self.attempt_failed(program, scope, node_failure, at_ms, sink),
            };
        };
        if self.record_child_end(scope, index, ended) {
            return self.join_children(program, scope, compiled, composite, at_ms, sink);
        }
        self.start_more_children(program, scope, compiled, composite, at_ms, sink);
        Next::Wait
    }

    /// Returns whether it was the last.
    fn record_child_end(&mut self, scope: u32, index: u32, ended: ChildState<V>) -> bool {
        let Wait::Children(children) = &mut self.scope_state_mut(scope).wait else { return false };
        if let Some(state) = children.children.get_mut(index as usize) {
            *state = ended;
        }
        children.running = children.running.saturating_sub(1);
        children.running == 0 && children.next_child >= children.children.len()
    }

    fn join_children(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        composite: Composite,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let wait = std::mem::replace(&mut self.scope_state_mut(scope).wait, Wait::Nothing);
        let Wait::Children(children) = wait else { return Next::Wait };
        if composite.join == Join::Any {
            let failure = Failure::new("join/none-completed", no_child_completed(&children.children));
            return self.attempt_failed(program, scope, self.node_failure(scope, failure), at_ms, sink);
        }
        let mut values = children.children.into_iter().map(|child| self.child_value(child, composite.join));
        let value = match composite.kind {
            CompositeKind::Graph => values.next().unwrap_or_else(|| V::from_json(&self.space, &Json::Null)),
            CompositeKind::Map => V::list(&self.space, values.collect()),
            CompositeKind::Parallel => {
                let names = compiled
                    .options
                    .iter()
                    .flat_map(|options| &options.children)
                    .map(|(name, _)| name.clone());
                V::map(&self.space, names.zip(values).collect())
            }
        };
        self.complete_node(program, scope, value, at_ms, sink)
    }

    fn child_value(&self, child: ChildState<V>, join: Join) -> V {
        let word = |end: ScopeStatus| V::from_json(&self.space, &Json::from(end.as_str()));
        let entry = |end: ScopeStatus, key: &str, value: V| {
            V::map(&self.space, vec![("status".to_owned(), word(end)), (key.to_owned(), value)])
        };
        match (child, join) {
            (ChildState::Completed(value), Join::Settled) => entry(ScopeStatus::Completed, "value", value),
            (ChildState::Completed(value), _) => value,
            (ChildState::Failed(error), _) => entry(ScopeStatus::Failed, "error", error),
            (ChildState::Waiting | ChildState::Running(_), _) => V::from_json(&self.space, &Json::Null),
        }
    }

    /// Returns the enclosing scope and the child's index.
    pub(super) fn end_scope(
        &mut self,
        scope: u32,
        node_failure: Option<&NodeFailure>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> (u32, u32) {
        let end = if node_failure.is_some() { ScopeStatus::Failed } else { ScopeStatus::Completed };
        self.emit_scope_ended(scope, end, at_ms, sink);
        let scope_state = self.scope_state_mut(scope);
        scope_state.is_alive = false;
        let parent = scope_state.parent.unwrap_or_default();
        if node_failure.is_some() {
            self.ended_scopes.push(scope);
        } else {
            self.release_scope(scope);
        }
        parent
    }

    pub(super) fn emit_scope_ended(
        &self,
        scope: u32,
        end: ScopeStatus,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) {
        if self.observe {
            sink.emit(TraceEvent::ScopeEnded { at_ms, scope: self.scope_state(scope).scope.clone(), end });
        }
    }

    /// For the report, until the next event.
    pub(super) fn save_partial_children(&mut self, scope: u32, children: &[ChildState<V>]) {
        let mut values = Vec::new();
        for (index, child) in children.iter().enumerate() {
            if let ChildState::Completed(value) = child {
                values.push((index, value.clone()));
            }
        }
        self.save_partial_values(scope, values);
    }

    pub(super) fn save_partial_values(&mut self, scope: u32, values: Vec<(usize, V)>) {
        if !values.is_empty() {
            let scope_state = self.scope_state(scope);
            let (scope, node, visit, attempt) =
                (scope_state.scope.clone(), scope_state.node, scope_state.visit, scope_state.attempt);
            self.partial_results.push(PartialResult {
                scope,
                node,
                visit,
                attempt,
                values,
                last_reply: None,
            });
        }
    }

    /// Reports could read them until now.
    pub(super) fn free_ended_scopes(&mut self) {
        self.partial_results.clear();
        if !(self.ended_scopes.is_empty() || self.ready.is_empty()) {
            let mut ready = std::mem::take(&mut self.ready);
            ready.retain(|(scope, _)| self.scope_state(*scope).is_alive);
            self.ready = ready;
        }
        while let Some(scope) = self.ended_scopes.pop() {
            self.release_scope(scope);
        }
    }

    fn release_scope(&mut self, scope: u32) {
        let nothing = self.root.input.clone();
        self.scope_state_mut(scope).clear(nothing);
        self.free.push(scope);
    }
}

/// `fan:1/a` for a branch, `each:2/17` for an element.
fn child_path<V>(scope_state: &ScopeState<V>, id: &str, name: Option<&str>, index: usize) -> String {
    scope_state.scope.child_path(id, (scope_state.visit, scope_state.attempt), name, index)
}

fn no_child_completed<V: Value>(children: &[ChildState<V>]) -> String {
    const MAX_LISTED: usize = 3;
    let failed = children.iter().filter_map(|child| {
        if let ChildState::Failed(error) = child { error.json(&Path::default()) } else { None }
    });
    let messages = failed.filter_map(|error| error.get("message")?.as_str().map(str::to_owned));
    let shown: Vec<String> = messages.take(MAX_LISTED).collect();
    let more = children.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("none of {} completed: {}{rest}", children.len(), shown.join("; "))
}
