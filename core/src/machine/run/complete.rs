//! Records outputs of completed nodes, and continues.

use super::super::program::Program;
use super::super::trace::{StepSink, TraceEvent};
use super::{Next, Run};
use crate::value::Value;

impl<V: Value> Run<V> {
    /// Records the output even beyond a limit.
    pub(super) fn complete_within_limits(
        &mut self,
        program: &Program<V>,
        scope: u32,
        value: V,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let bounded =
            self.limits.tokens.is_some() || self.limits.usd.is_some() || self.limits.output_bytes.is_some();
        let Some(failure) = (if bounded { self.exceeded_limit(&value) } else { None }) else {
            return self.complete_node(program, scope, value, at_ms, sink);
        };
        self.record_output(scope, value, at_ms, sink);
        Next::Stop(self.node_failure(scope, failure))
    }

    pub(super) fn complete_node(
        &mut self,
        program: &Program<V>,
        scope: u32,
        value: V,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        self.record_output(scope, value, at_ms, sink);
        match self.choose_transition(program, scope, false, at_ms, sink) {
            Ok(next) => next.unwrap_or(Next::Wait),
            Err(failure) => self.condition_failed(program, scope, failure, at_ms, sink),
        }
    }

    fn record_output(&mut self, scope: u32, value: V, at_ms: f64, sink: &mut impl StepSink<V>) {
        self.clear_attempt_timeout(scope, sink);
        if self.observe {
            let scope_state = self.scope_state(scope);
            sink.emit(TraceEvent::NodeCompleted {
                at_ms,
                scope: scope_state.scope.clone(),
                node: scope_state.node,
                visit: scope_state.visit,
                output: value.clone(),
                duration_ms: at_ms - scope_state.started_ms,
            });
        }
        let scope_state = self.scope_state_mut(scope);
        if let Some(slot) = scope_state.outputs.get_mut((scope_state.node - scope_state.first) as usize) {
            *slot = Some(value.clone());
        }
        scope_state.last = value;
        // `error` is the current node's failure, not an earlier handled one.
        scope_state.error = None;
    }
}
