//! Leads a failure to another attempt, a failure edge, or the scope's end.
//!
//! Delays have no jitter, so that replays issue the same commands.

use super::super::conversation::ActiveConversation;
use super::super::event::{CallId, Command, Request, TimerPurpose};
use super::super::program::{CompiledNode, Program};
use super::super::scope_state::{NodeFailure, Wait};
use super::super::timer::{Timer, WaitTimer};
use super::super::trace::{StepSink, TraceEvent};
use super::gather::gatherer;
use super::{Next, Outcome, Run, RunStatus};
use crate::failure::Failure;
use crate::graph::Retry;
use crate::value::{Path, Value, number_text};

impl<V: Value> Run<V> {
    pub(super) fn set_timer(
        &mut self,
        scope: u32,
        purpose: TimerPurpose,
        after_ms: f64,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Timer {
        self.serial += 1;
        let serial = self.serial;
        sink.command(Command::SetTimer { timer: CallId { scope, serial }, after_ms, purpose });
        Timer { serial, due_ms: at_ms + after_ms }
    }

    pub(super) fn attempt_timer(
        &self,
        scope: u32,
        purpose: fn(u32, u32, u32) -> TimerPurpose,
    ) -> TimerPurpose {
        let scope_state = self.scope_state(scope);
        purpose(scope_state.node, scope_state.visit, scope_state.attempt)
    }

    pub(super) fn is_timer_set(&self, timer: CallId) -> bool {
        let same = |set: &Timer| set.serial == timer.serial;
        if timer.scope == CallId::RUN {
            return self.timer.as_ref().is_some_and(same);
        }
        self.scope_state_of(timer).is_some_and(|scope_state| {
            scope_state.timeout.as_ref().is_some_and(same)
                || match &scope_state.wait {
                    Wait::Backoff(set) | Wait::Delay(WaitTimer { timer: set, .. }) => same(set),
                    Wait::Gather(gather_state) => gather_state.timed_call(timer.serial).is_some(),
                    _ => false,
                }
        })
    }

    pub(super) fn timer_fired(
        &mut self,
        program: &Program<V>,
        timer: CallId,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) {
        if timer.scope == CallId::RUN {
            self.timer = None;
            let took = self.limits.timeout_ms.unwrap_or_default();
            let raise =
                super::limits::raise("timeout_ms", self.limits.timeout_ms == self.program.limits.timeout_ms);
            let outcome = Outcome::Failed {
                code: "run/timeout".to_owned(),
                message: format!("the run took longer than {} ms: {raise}", number_text(took)),
                node: Some((self.root.node, self.root.scope.clone())),
            };
            return self.finish(outcome, at_ms, sink);
        }
        let scope = timer.scope;
        let call = match &self.scope_state(scope).wait {
            Wait::Gather(gather_state) => gather_state.timed_call(timer.serial),
            _ => None,
        };
        let next = match (call, &self.scope_state(scope).wait) {
            (Some(index), _) => self.call_timed_out(program, (scope, index), at_ms, sink),
            (None, Wait::Backoff(_)) => {
                self.scope_state_mut(scope).wait = Wait::Nothing;
                Next::Retry
            }
            (None, Wait::Delay(delay)) if delay.timer.serial == timer.serial => {
                self.delay_over(program, scope, at_ms, sink)
            }
            _ => self.attempt_timed_out(program, scope, at_ms, sink),
        };
        self.drive(program, scope, next, at_ms, sink);
    }

    fn attempt_timed_out(
        &mut self,
        program: &Program<V>,
        scope: u32,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        // A fired timer needs no clearing.
        self.scope_state_mut(scope).timeout = None;
        self.scope_state_mut(scope).partial = self.partial_gather(scope, at_ms);
        self.abandon(scope, at_ms, sink);
        let code = program.nodes.get(self.scope_state(scope).node as usize);
        let limit = code.and_then(|compiled| compiled.options.as_ref()?.timeout_ms).unwrap_or_default();
        let id = code.map_or("", |compiled| compiled.id.as_str());
        let failure =
            Failure::new("node/timeout", format!("node `{id}` took longer than {} ms", number_text(limit)));
        self.attempt_failed(program, scope, self.node_failure(scope, failure), at_ms, sink)
    }

    pub(super) fn start_attempt_timeout(
        &mut self,
        scope: u32,
        compiled: &CompiledNode<V>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) {
        if let Some(after_ms) = compiled.options.as_ref().and_then(|options| options.timeout_ms) {
            let purpose = self.attempt_timer(scope, TimerPurpose::Attempt);
            let timer = self.set_timer(scope, purpose, after_ms, at_ms, sink);
            self.scope_state_mut(scope).timeout = Some(timer);
        }
    }

    pub(super) fn clear_attempt_timeout(&mut self, scope: u32, sink: &mut impl StepSink<V>) {
        if let Some(timer) = self.scope_state_mut(scope).timeout.take() {
            self.cancel_wait(Command::ClearTimer(CallId { scope, serial: timer.serial }), sink);
        }
    }

    pub(super) fn attempt_failed(
        &mut self,
        program: &Program<V>,
        scope: u32,
        node_failure: Box<NodeFailure>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        self.clear_attempt_timeout(scope, sink);
        let attempt = self.scope_state(scope).attempt;
        let code = program.nodes.get(self.scope_state(scope).node as usize);
        let retry = code.and_then(|compiled| compiled.options.as_ref()?.retry.as_ref());
        let Some(retry) =
            retry.filter(|retry| attempt < retry.attempts && is_retryable(retry, &node_failure.failure.code))
        else {
            return self.node_failed(program, scope, node_failure, at_ms, sink);
        };
        let delay_ms = backoff_delay_ms(retry, attempt);
        if self.observe {
            let scope_state = self.scope_state(scope);
            sink.emit(TraceEvent::NodeRetried {
                at_ms,
                scope: scope_state.scope.clone(),
                node: scope_state.node,
                visit: scope_state.visit,
                attempt,
                failure: node_failure.failure,
                delay_ms,
            });
        }
        self.scope_state_mut(scope).partial = None;
        self.counts.retries += 1;
        self.scope_state_mut(scope).attempt += 1;
        if delay_ms <= 0.0 {
            return Next::Retry;
        }
        let purpose = self.attempt_timer(scope, TimerPurpose::Backoff);
        let timer = self.set_timer(scope, purpose, delay_ms, at_ms, sink);
        self.scope_state_mut(scope).wait = Wait::Backoff(timer);
        Next::Wait
    }

    /// Takes a matching failure edge.
    pub(super) fn node_failed(
        &mut self,
        program: &Program<V>,
        scope: u32,
        node_failure: Box<NodeFailure>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        self.emit_node_failed(scope, &node_failure, at_ms, sink);
        let code = program.nodes.get(self.scope_state(scope).node as usize);
        let speaks = |edge: &u32| program.edges.get(*edge as usize).is_some_and(|edge| edge.reads_error);
        if code.is_some_and(|compiled| compiled.edges.iter().any(speaks)) {
            let partial = self.scope_state_mut(scope).partial.take();
            let error = self.error_value(program, &node_failure, partial);
            self.scope_state_mut(scope).error = Some(error);
            if let Ok(Some(next)) = self.choose_transition(program, scope, true, at_ms, sink) {
                return next;
            }
        }
        Next::Fail(node_failure)
    }

    /// `partial` are the results so far.
    pub(super) fn error_value(
        &self,
        program: &Program<V>,
        node_failure: &NodeFailure,
        partial: Option<V>,
    ) -> V {
        let id = program.nodes.get(node_failure.node as usize).map_or("", |node| node.id.as_str());
        let failure = &node_failure.failure;
        let texts =
            [("code", Some(&*failure.code)), ("message", Some(&*failure.message)), ("node", Some(id))];
        let texts = texts.into_iter().chain([("scope", node_failure.scope.path.as_deref())]);
        let entry = |(key, text): (&str, Option<&str>)| Some((key.to_owned(), self.text(text?)));
        let mut entries: Vec<(String, V)> = texts.filter_map(entry).collect();
        entries.extend(partial.map(|partial| ("partial".to_owned(), partial)));
        V::map(&self.space, entries)
    }

    pub(super) fn emit_node_failed(
        &self,
        scope: u32,
        node_failure: &NodeFailure,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) {
        if !self.observe {
            return;
        }
        let scope_state = self.scope_state(scope);
        sink.emit(TraceEvent::NodeFailed {
            at_ms,
            scope: scope_state.scope.clone(),
            node: scope_state.node,
            visit: scope_state.visit,
            failure: node_failure.failure.clone(),
            duration_ms: at_ms - scope_state.started_ms,
        });
    }

    /// Reissues all open calls under the same names.
    pub(super) fn resume(&mut self, program: &Program<V>, at_ms: f64, sink: &mut impl StepSink<V>) {
        let RunStatus::Restored(frozen_ms) = self.status else { return };
        self.status = RunStatus::Running;
        // The pause is no run time.
        self.shift_times(at_ms - frozen_ms);
        if self.observe {
            let alive = self.nested.iter().filter(|scope_state| scope_state.is_alive);
            let scopes = alive.map(|scope_state| scope_state.scope.clone()).collect();
            sink.emit(TraceEvent::RunResumed { at_ms, scopes });
        }
        let again = |timer: Timer, scope: u32, purpose: TimerPurpose| timer.reissue(scope, purpose, at_ms);
        if let Some(timer) = self.timer {
            sink.command(again(timer, CallId::RUN, TimerPurpose::Run));
        }
        for scope in 0..=u32::try_from(self.nested.len()).unwrap_or(u32::MAX) {
            let scope_state = self.scope_state(scope);
            if !scope_state.is_alive {
                continue;
            }
            self.update_approvals(program, scope);
            let scope_state = self.scope_state(scope);
            let (timeout, wait) = (scope_state.timeout, &scope_state.wait);
            let delay = match wait {
                Wait::Backoff(timer) => Some((*timer, TimerPurpose::Backoff as fn(u32, u32, u32) -> _)),
                Wait::Delay(delay) => Some((delay.timer, TimerPurpose::Wait as _)),
                _ => None,
            };
            if let Wait::Call(serial) = *wait
                && let Err(node_failure) = self.reissue_call(program, scope, serial, sink)
            {
                let next = self.node_failed(program, scope, node_failure, at_ms, sink);
                self.drive(program, scope, next, at_ms, sink);
                continue;
            }
            self.reissue_conversation_calls(program, scope, sink);
            self.reissue_gather_calls(program, scope, at_ms, sink);
            // A wait may end at its node's timeout and still complete the node.
            if let Some((timer, purpose)) = delay {
                sink.command(again(timer, scope, self.attempt_timer(scope, purpose)));
            }
            if let Some(timer) = timeout {
                sink.command(again(timer, scope, self.attempt_timer(scope, TimerPurpose::Attempt)));
            }
        }
        if !self.ready.is_empty() {
            self.continue_requested = true;
            sink.command(Command::Continue);
        }
    }

    /// A snapshot is no proof of approval, and the host's settings may have changed.
    fn update_approvals(&mut self, program: &Program<V>, scope: u32) {
        let Some(compiled) = program.nodes.get(self.scope_state(scope).node as usize) else { return };
        let node_asks = compiled.options.as_ref().is_some_and(|options| options.needs_approval);
        let called = match self.scope_state(scope).wait {
            Wait::Call(serial) if node_asks => {
                let input = self.node_input(program, scope, compiled);
                // An impossible request fails when reissued.
                let request =
                    input.and_then(|input| self.build_request(program, scope, compiled, &input)).ok();
                request.map(|request| (serial, request))
            }
            _ => None,
        };
        let agent =
            compiled.options.as_ref().and_then(|options| options.agent.as_deref()).map(|code| &code.agent);
        match (called, &mut self.scope_state_mut(scope).wait) {
            (Some((serial, Request::Tool(arguments))), wait) => {
                let arguments = arguments.json(&Path::default()).unwrap_or_default();
                *wait = Wait::Conversation(Box::new(ActiveConversation::for_tool_node(serial, arguments)));
            }
            (_, Wait::Conversation(conversation)) => conversation.update_approvals(node_asks, agent),
            (_, Wait::Gather(gather_state)) => {
                if let Some(gatherer) = gatherer(compiled) {
                    gather_state.update_approvals(gatherer);
                }
            }
            _ => {}
        }
    }

    fn reissue_call(
        &mut self,
        program: &Program<V>,
        scope: u32,
        serial: u32,
        sink: &mut impl StepSink<V>,
    ) -> Result<(), Box<NodeFailure>> {
        let Some(compiled) = program.nodes.get(self.scope_state(scope).node as usize) else { return Ok(()) };
        // Its values are unchanged, except perhaps the host's trusted ones.
        let asked: Result<(V, Request<V>), Failure> = self
            .node_input(program, scope, compiled)
            .and_then(|input| Ok((input.clone(), self.build_request(program, scope, compiled, &input)?)));
        let (input, request) = asked.map_err(|failure| self.node_failure(scope, failure))?;
        self.model_called(CallId { scope, serial }, &request);
        self.emit_call(scope, serial, compiled, input, request, sink);
        Ok(())
    }

    pub(super) fn skip_paused_time(&mut self, at_ms: f64) {
        match self.status {
            RunStatus::Ready => self.started_ms = at_ms,
            RunStatus::Restored(frozen_ms) => self.shift_times(at_ms - frozen_ms),
            RunStatus::Running | RunStatus::Finished(_) => {}
        }
    }

    fn shift_times(&mut self, by_ms: f64) {
        let epoch_ms = self.epoch_ms;
        self.started_ms += by_ms;
        if let Some(timer) = &mut self.timer {
            timer.due_ms += by_ms;
        }
        for scope_state in std::iter::once(&mut self.root)
            .chain(self.nested.iter_mut().map(|scope_state| &mut **scope_state))
        {
            scope_state.started_ms += by_ms;
            let backoff = if let Wait::Backoff(timer) = &mut scope_state.wait { Some(timer) } else { None };
            for timer in scope_state.timeout.iter_mut().chain(backoff) {
                timer.due_ms += by_ms;
            }
            match &mut scope_state.wait {
                Wait::Gather(gather_state) => {
                    gather_state.timers().for_each(|(_, timer)| timer.due_ms += by_ms);
                }
                Wait::Delay(delay) => delay.shift(by_ms, epoch_ms),
                _ => {}
            }
        }
    }
}

fn is_retryable(retry: &Retry, code: &str) -> bool {
    let stage = |pattern: &str| {
        pattern.strip_suffix('*').is_some_and(|stage| stage.ends_with('/') && code.starts_with(stage))
    };
    retry.on.is_empty() || retry.on.iter().any(|pattern| pattern == code || stage(pattern))
}

/// Attempts count from 1.
fn backoff_delay_ms(retry: &Retry, attempt: u32) -> f64 {
    let exponent = i32::try_from(attempt.saturating_sub(1)).unwrap_or(i32::MAX);
    (retry.backoff_ms * retry.factor.powi(exponent)).min(retry.max_ms)
}
