//! Continues a run within an event, until every scope waits.
//!
//! A step blocks the host's clock and cancellation.

use super::super::call_schema::complete_input;
use super::super::event::{CallId, Command, Outcome, TimerPurpose};
use super::super::program::Program;
use super::super::trace::{StepSink, TraceEvent};
use super::{Next, Run, RunStatus};
use crate::failure::Failure;
use crate::value::Value;

/// Worth some milliseconds.
const STEP_WORK_BUDGET: f64 = 10_000.0;

impl<V: Value> Run<V> {
    pub(super) fn start(&mut self, program: &Program<V>, at_ms: f64, sink: &mut impl StepSink<V>) {
        self.status = RunStatus::Running;
        self.started_ms = at_ms;
        if self.observe {
            sink.emit(TraceEvent::RunStarted { at_ms, input: self.root.input.clone() });
        }
        if let Some(after_ms) = self.limits.timeout_ms {
            let timer = self.set_timer(CallId::RUN, TimerPurpose::Run, after_ms, at_ms, sink);
            self.timer = Some(timer);
        }
        if let Some(inputs) = &program.inputs {
            match complete_input(inputs, &self.space, &self.root.input) {
                Ok(input) => (self.root.last, self.root.input) = (input.clone(), input),
                Err(Failure { code, message }) => {
                    return self.finish(Outcome::Failed { code, message, node: None }, at_ms, sink);
                }
            }
        }
        self.drive(program, 0, Next::Node(program.root().start), at_ms, sink);
    }

    /// A loop, so that a million nodes without calls use no stack.
    pub(super) fn drive(
        &mut self,
        program: &Program<V>,
        scope: u32,
        next: Next,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) {
        let (mut scope, mut next) = (scope, next);
        loop {
            next = match next {
                Next::Node(node) if self.work >= STEP_WORK_BUDGET => {
                    return self.yield_to_host(scope, node, sink);
                }
                Next::Node(node) => {
                    self.work += 1.0;
                    self.enter(program, scope, node, at_ms, sink)
                }
                Next::Retry => self.start_attempt(program, scope, at_ms, sink),
                Next::Wait => match self.next_ready() {
                    Some((ready, node)) => {
                        scope = ready;
                        Next::Node(node)
                    }
                    None => return,
                },
                Next::End(reason) if scope == 0 => {
                    return self.finish(Outcome::Completed(reason), at_ms, sink);
                }
                Next::Stop(node_failure) => return self.fail(*node_failure, at_ms, sink),
                Next::Fail(node_failure) if scope == 0 => return self.fail(*node_failure, at_ms, sink),
                Next::End(_) => {
                    let value = self.scope_state(scope).last.clone();
                    let (parent, index) = self.end_scope(scope, None, at_ms, sink);
                    scope = parent;
                    self.child_ended(program, parent, index, Ok(value), at_ms, sink)
                }
                Next::Fail(node_failure) => {
                    let (parent, index) = self.end_scope(scope, Some(&node_failure), at_ms, sink);
                    scope = parent;
                    self.child_ended(program, parent, index, Err(node_failure), at_ms, sink)
                }
            };
        }
    }

    /// Defers work, so that the host stays responsive.
    #[cold]
    #[inline(never)]
    fn yield_to_host(&mut self, scope: u32, node: u32, sink: &mut impl StepSink<V>) {
        // Other ready scopes come first.
        self.ready.push_back((scope, node));
        if !self.continue_requested {
            self.continue_requested = true;
            sink.command(Command::Continue);
        }
    }

    fn next_ready(&mut self) -> Option<(u32, u32)> {
        loop {
            let (scope, node) = self.ready.pop_front()?;
            if self.scope_state(scope).is_alive {
                return Some((scope, node));
            }
        }
    }
}
