//! How a run goes on within one event: from node to node, until every scope waits.
//!
//! Decides what comes next, and when the step has done enough: a host that is held up sees neither its clock nor whoever
//! cancels.

use super::super::call_schema::complete_input;
use super::super::event::{CallId, Command, Outcome, TimerPurpose};
use super::super::program::Program;
use super::super::trace::{StepSink, TraceEvent};
use super::{Next, Run, RunStatus};
use crate::failure::Failure;
use crate::value::Value;

/// How much a step does before it asks to go on: some milliseconds.
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

    /// Goes on until every scope waits, or the run is over. A loop, not a recursion: a million nodes that need no answer
    /// take no stack.
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
                    let (parent, place) = self.end_scope(scope, None, at_ms, sink);
                    scope = parent;
                    self.child_ended(program, parent, place, Ok(value), at_ms, sink)
                }
                Next::Fail(node_failure) => {
                    let (parent, place) = self.end_scope(scope, Some(&node_failure), at_ms, sink);
                    scope = parent;
                    self.child_ended(program, parent, place, Err(node_failure), at_ms, sink)
                }
            };
        }
    }

    /// Leaves the rest for an event of its own, so that a host is not held up.
    #[cold]
    #[inline(never)]
    fn yield_to_host(&mut self, scope: u32, node: u32, sink: &mut impl StepSink<V>) {
        // Whoever else is ready comes first, so that no scope keeps the others from beginning.
        self.ready.push_back((scope, node));
        if !self.continue_requested {
            self.continue_requested = true;
            sink.command(Command::Continue);
        }
    }

    /// A scope that was begun and not abandoned since.
    fn next_ready(&mut self) -> Option<(u32, u32)> {
        loop {
            let (scope, node) = self.ready.pop_front()?;
            if self.scope_state(scope).is_alive {
                return Some((scope, node));
            }
        }
    }
}
