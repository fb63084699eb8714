//! Timeouts of planned calls.

use super::{TURN, gatherer};
use crate::diagnostic::shorten_name;
use crate::failure::Failure;
use crate::machine::event::{CallId, Command, TimerPurpose};
use crate::machine::gather_state::PlannedCallState;
use crate::machine::program::Program;
use crate::machine::run::conversation::CurrentNode;
use crate::machine::run::{Next, Run};
use crate::machine::scope_state::Wait;
use crate::machine::timer::Timer;
use crate::machine::trace::StepSink;
use crate::node::Gatherer;
use crate::value::{Value, number_text};

impl<V: Value> Run<V> {
    pub(super) fn start_call_timeout(
        &mut self,
        current: &CurrentNode<'_, V>,
        gatherer: &Gatherer,
        index: usize,
        sink: &mut impl StepSink<V>,
    ) -> Option<Timer> {
        let after_ms = gatherer.call_timeout_ms?;
        let purpose = self.call_timer(current.scope, index);
        Some(self.set_timer(current.scope, purpose, after_ms, current.now_ms, sink))
    }

    pub(in super::super) fn call_timer(&self, scope: u32, index: usize) -> TimerPurpose {
        let scope_state = self.scope_state(scope);
        TimerPurpose::Call(
            scope_state.node,
            scope_state.visit,
            scope_state.attempt,
            u32::try_from(index).unwrap_or(u32::MAX),
        )
    }

    pub(in super::super) fn call_timed_out(
        &mut self,
        program: &Program<V>,
        (scope, index): (u32, usize),
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let wait = std::mem::replace(&mut self.scope_state_mut(scope).wait, Wait::Nothing);
        let code = program.nodes.get(self.scope_state(scope).node as usize);
        let (Wait::Gather(mut gather_state), Some(compiled)) = (wait, code) else { return Next::Wait };
        let Some(gatherer) = gatherer(compiled) else { return Next::Wait };
        let current = CurrentNode::new(program, compiled, scope, at_ms);
        let tool = gather_state.planned.get(index).map_or("", |call| call.tool.as_str()).to_owned();
        let limit = number_text(gatherer.call_timeout_ms.unwrap_or_default());
        let failure = Failure::new(
            "tool/timeout",
            format!("the call of tool `{}` took longer than {limit} ms", shorten_name(&tool)),
        );
        self.emit_tool_failed(&current, (TURN, index), &tool, &failure, sink);
        if let Some(state) = gather_state.calls.get_mut(index)
            && let PlannedCallState::Open { serial, sent, started_ms, .. } = state
        {
            self.cancel_wait(Command::Abandon(CallId { scope, serial: *serial }), sink);
            let sent = std::mem::take(sent);
            *state = PlannedCallState::Done { sent, result: Err(failure), took_ms: at_ms - *started_ms };
        }
        self.continue_gather(&current, gatherer, gather_state, sink)
    }
}
