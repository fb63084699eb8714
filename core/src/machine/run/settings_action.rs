//! Nodes that only evaluate settings: `set` and `wait`.

use super::super::event::TimerPurpose;
use super::super::interpolate::interpolate;
use super::super::lookup::ScopeView;
use super::super::program::{CompiledNode, Program};
use super::super::scope_state::Wait;
use super::super::timer::WaitTimer;
use super::super::trace::StepSink;
use super::execute::{EnterResult, to_json};
use super::{Next, Run};
use crate::failure::Failure;
use crate::node::wait;
use crate::value::Value;

impl<V: Value> Run<V> {
    /// Fills placeholders, and counts their bytes.
    fn settings(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        key: &str,
    ) -> Result<V, Failure> {
        let view = ScopeView::new(self, program, self.scope_state(scope));
        let settings = compiled.options.as_ref().and_then(|options| options.settings.as_ref());
        let settings =
            settings.map_or_else(|| Ok(self.null()), |settings| interpolate(key, settings, &view))?;
        self.count_template_bytes(&settings)?;
        Ok(settings)
    }

    pub(super) fn set_values(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
    ) -> EnterResult<V> {
        self.settings(program, scope, compiled, "with.values")
            .map_or_else(EnterResult::failed, EnterResult::Value)
    }

    pub(super) fn start_wait(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> EnterResult<V> {
        let now_ms = self.epoch_ms.map(|epoch_ms| epoch_ms + at_ms);
        let delay_ms = self.settings(program, scope, compiled, "with");
        match delay_ms.and_then(|settings| wait::delay_ms(&to_json(&settings), now_ms)) {
            Ok(delay_ms) if delay_ms > 0.0 => {
                let purpose = self.attempt_timer(scope, TimerPurpose::Wait);
                let timer = self.set_timer(scope, purpose, delay_ms, at_ms, sink);
                let end_ms = now_ms.map(|now_ms| now_ms + delay_ms);
                self.scope_state_mut(scope).wait = Wait::Delay(WaitTimer { timer, end_ms });
                EnterResult::Waiting
            }
            Ok(_) => EnterResult::Value(self.scope_state(scope).last.clone()),
            Err(failure) => EnterResult::failed(failure),
        }
    }

    pub(super) fn delay_over(
        &mut self,
        program: &Program<V>,
        scope: u32,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let scope_state = self.scope_state_mut(scope);
        scope_state.wait = Wait::Nothing;
        let last = scope_state.last.clone();
        self.complete_node(program, scope, last, at_ms, sink)
    }
}
