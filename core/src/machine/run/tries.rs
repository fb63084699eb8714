//! What a failure leads to: another try, an edge that speaks of it, or the end of the scope. And timers.
//!
//! Decides how long it is waited between tries and when a try has taken too long. Deterministic: no randomness is added to
//! the waits, so that a replay meets the same commands.

use super::super::event::{CallId, Command, Request, TimerOf};
use super::super::frame::{Fault, Wait};
use super::super::program::{Code, Program};
use super::super::talk::Talk;
use super::super::timer::Timer;
use super::super::told::{Sink, TraceEvent};
use super::gather::gatherer;
use super::{Next, Outcome, Run, State};
use crate::failure::Failure;
use crate::graph::Retry;
use crate::value::{Path, Value, number_text};

impl<V: Value> Run<V> {
    pub(super) fn set_timer(
        &mut self,
        scope: u32,
        of: TimerOf,
        after_ms: f64,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Timer {
        self.serial += 1;
        let serial = self.serial;
        sink.command(Command::SetTimer { timer: CallId { scope, serial }, after_ms, of });
        Timer { serial, due_ms: at_ms + after_ms }
    }

    /// What a timer of the try at hand is for.
    fn timer_of(&self, scope: u32, of: fn(u32, u32, u32) -> TimerOf) -> TimerOf {
        let frame = self.frame(scope);
        of(frame.node, frame.visit, frame.attempt)
    }

    /// Whether that timer is set.
    pub(super) fn is_set(&self, timer: CallId) -> bool {
        let same = |set: &Timer| set.serial == timer.serial;
        if timer.scope == CallId::RUN {
            return self.timer.as_ref().is_some_and(same);
        }
        self.frame_at(timer).is_some_and(|frame| {
            frame.timeout.as_ref().is_some_and(same)
                || match &frame.wait {
                    Wait::Backoff(set) => same(set),
                    Wait::Gather(gathering) => gathering.timed(timer.serial).is_some(),
                    _ => false,
                }
        })
    }

    /// The time of a timer has come.
    pub(super) fn fired(&mut self, program: &Program<V>, timer: CallId, at_ms: f64, sink: &mut impl Sink<V>) {
        if timer.scope == CallId::RUN {
            self.timer = None;
            let took = self.limits.timeout_ms.unwrap_or_default();
            let outcome = Outcome::Failed {
                code: "run/timeout".to_owned(),
                message: format!("the run took longer than {} ms", number_text(took)),
                node: Some((self.root.node, self.root.scope.clone())),
            };
            return self.finish(outcome, at_ms, sink);
        }
        let scope = timer.scope;
        let call = match &self.frame(scope).wait {
            Wait::Gather(gathering) => gathering.timed(timer.serial),
            _ => None,
        };
        let next = if let Some(place) = call {
            self.call_timed_out(program, (scope, place), at_ms, sink)
        } else if matches!(self.frame(scope).wait, Wait::Backoff(_)) {
            self.frame_mut(scope).wait = Wait::Nothing;
            Next::Again
        } else {
            self.timed_out(program, scope, at_ms, sink)
        };
        self.drive(program, scope, next, at_ms, sink);
    }

    fn timed_out(&mut self, program: &Program<V>, scope: u32, at_ms: f64, sink: &mut impl Sink<V>) -> Next {
        // It has fired, so there is nothing to clear.
        self.frame_mut(scope).timeout = None;
        self.frame_mut(scope).partial = self.gathered_so_far(scope, at_ms);
        self.abandon(scope, at_ms, sink);
        let code = program.nodes.get(self.frame(scope).node as usize);
        let most = code.and_then(|code| code.extra.as_ref()?.timeout_ms).unwrap_or_default();
        let id = code.map_or("", |code| code.id.as_str());
        let failure =
            Failure::new("node/timeout", format!("node `{id}` took longer than {} ms", number_text(most)));
        self.failed(program, scope, self.fault(scope, failure), at_ms, sink)
    }

    /// Sets the timer of the try that has just begun.
    pub(super) fn watch(&mut self, scope: u32, code: &Code<V>, at_ms: f64, sink: &mut impl Sink<V>) {
        if let Some(after_ms) = code.extra.as_ref().and_then(|extra| extra.timeout_ms) {
            let of = self.timer_of(scope, TimerOf::Try);
            let timer = self.set_timer(scope, of, after_ms, at_ms, sink);
            self.frame_mut(scope).timeout = Some(timer);
        }
    }

    /// The try at hand is over.
    pub(super) fn unwatch(&mut self, scope: u32, sink: &mut impl Sink<V>) {
        if let Some(timer) = self.frame_mut(scope).timeout.take() {
            self.drop_wait(Command::ClearTimer(CallId { scope, serial: timer.serial }), sink);
        }
    }

    /// A try failed after it had asked something: perhaps there is another.
    pub(super) fn failed(
        &mut self,
        program: &Program<V>,
        scope: u32,
        fault: Box<Fault>,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        self.unwatch(scope, sink);
        let attempt = self.frame(scope).attempt;
        let code = program.nodes.get(self.frame(scope).node as usize);
        let retry = code.and_then(|code| code.extra.as_ref()?.retry.as_ref());
        let Some(retry) =
            retry.filter(|retry| attempt < retry.attempts && covers(retry, &fault.failure.code))
        else {
            return self.give_up(program, scope, fault, at_ms, sink);
        };
        let delay_ms = delay(retry, attempt);
        if self.observe {
            let frame = self.frame(scope);
            sink.happened(TraceEvent::NodeRetried {
                at_ms,
                scope: frame.scope.clone(),
                node: frame.node,
                visit: frame.visit,
                attempt,
                failure: fault.failure,
                delay_ms,
            });
        }
        self.frame_mut(scope).partial = None;
        self.counts.retries += 1;
        self.frame_mut(scope).attempt += 1;
        if delay_ms <= 0.0 {
            return Next::Again;
        }
        let of = self.timer_of(scope, TimerOf::Backoff);
        let timer = self.set_timer(scope, of, delay_ms, at_ms, sink);
        self.frame_mut(scope).wait = Wait::Backoff(timer);
        Next::Wait
    }

    /// A node failed for good; where to go from there, if an edge speaks of it.
    pub(super) fn give_up(
        &mut self,
        program: &Program<V>,
        scope: u32,
        fault: Box<Fault>,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        self.tell_failed(scope, &fault, at_ms, sink);
        let code = program.nodes.get(self.frame(scope).node as usize);
        let speaks = |edge: &u32| program.edges.get(*edge as usize).is_some_and(|edge| edge.mentions_error);
        if code.is_some_and(|code| code.edges.iter().any(speaks)) {
            let partial = self.frame_mut(scope).partial.take();
            let error = self.error(program, &fault, partial);
            self.frame_mut(scope).error = Some(error);
            if let Some(next) = self.decide(program, scope, true, at_ms, sink) {
                return next;
            }
        }
        Next::Fail(fault)
    }

    /// What `error` is for a failure; `partial` is what its node had gathered.
    pub(super) fn error(&self, program: &Program<V>, fault: &Fault, partial: Option<V>) -> V {
        let id = program.nodes.get(fault.node as usize).map_or("", |node| node.id.as_str());
        let failure = &fault.failure;
        let texts =
            [("code", Some(&*failure.code)), ("message", Some(&*failure.message)), ("node", Some(id))];
        let texts = texts.into_iter().chain([("scope", fault.scope.path.as_deref())]);
        let entry = |(key, text): (&str, Option<&str>)| Some((key.to_owned(), self.text(text?)));
        let mut entries: Vec<(String, V)> = texts.filter_map(entry).collect();
        entries.extend(partial.map(|partial| ("partial".to_owned(), partial)));
        V::map(&self.space, entries)
    }

    pub(super) fn tell_failed(&self, scope: u32, fault: &Fault, at_ms: f64, sink: &mut impl Sink<V>) {
        if !self.observe {
            return;
        }
        let frame = self.frame(scope);
        sink.happened(TraceEvent::NodeFailed {
            at_ms,
            scope: frame.scope.clone(),
            node: frame.node,
            visit: frame.visit,
            failure: fault.failure.clone(),
            duration_ms: at_ms - frame.started_ms,
        });
    }

    /// Goes on from a snapshot: everything outstanding is asked again, under the same names.
    pub(super) fn resume(&mut self, program: &Program<V>, at_ms: f64, sink: &mut impl Sink<V>) {
        let State::Frozen(frozen_ms) = self.state else { return };
        self.state = State::Running;
        // The time between does not count: for the run it did not pass.
        self.shift(at_ms - frozen_ms);
        if self.observe {
            let alive = self.nested.iter().filter(|frame| frame.alive);
            let scopes = alive.map(|frame| frame.scope.clone()).collect();
            sink.happened(TraceEvent::RunResumed { at_ms, scopes });
        }
        let again = |timer: Timer, scope: u32, of: TimerOf| timer.again(scope, of, at_ms);
        if let Some(timer) = self.timer {
            sink.command(again(timer, CallId::RUN, TimerOf::Run));
        }
        for scope in 0..=u32::try_from(self.nested.len()).unwrap_or(u32::MAX) {
            let frame = self.frame(scope);
            if !frame.alive {
                continue;
            }
            self.decide_leave(program, scope);
            let frame = self.frame(scope);
            let (timeout, wait) = (frame.timeout, &frame.wait);
            let backoff = if let Wait::Backoff(timer) = wait { Some(*timer) } else { None };
            if let Wait::Call(serial) = *wait
                && let Err(fault) = self.ask_again(program, scope, serial, sink)
            {
                let next = self.give_up(program, scope, fault, at_ms, sink);
                self.drive(program, scope, next, at_ms, sink);
                continue;
            }
            self.talk_again(program, scope, sink);
            self.gather_again(program, scope, at_ms, sink);
            if let Some(timer) = timeout {
                sink.command(again(timer, scope, self.timer_of(scope, TimerOf::Try)));
            }
            if let Some(timer) = backoff {
                sink.command(again(timer, scope, self.timer_of(scope, TimerOf::Backoff)));
            }
        }
        if !self.ready.is_empty() {
            self.goes_on = true;
            sink.command(Command::Continue);
        }
    }

    /// Decides anew for every call that is asked again whether a person is asked first: what a snapshot says of that is no
    /// leave, and the host may allow more or less by now.
    fn decide_leave(&mut self, program: &Program<V>, scope: u32) {
        let Some(code) = program.nodes.get(self.frame(scope).node as usize) else { return };
        let node_asks = code.extra.as_ref().is_some_and(|extra| extra.asks);
        let called = match self.frame(scope).wait {
            Wait::Call(serial) if node_asks => {
                let input = self.input(program, scope, code);
                // What can't be asked for any more fails when it is asked again.
                let request = input.and_then(|input| self.request(program, scope, code, &input)).ok();
                request.map(|request| (serial, request))
            }
            _ => None,
        };
        let agent = code.extra.as_ref().and_then(|extra| extra.agent.as_deref()).map(|code| &code.agent);
        match (called, &mut self.frame_mut(scope).wait) {
            (Some((serial, Request::Tool(arguments))), wait) => {
                let arguments = arguments.json(&Path::default()).unwrap_or_default();
                *wait = Wait::Talk(Box::new(Talk::of_tool(serial, arguments)));
            }
            (_, Wait::Talk(talk)) => talk.decide_leave(node_asks, agent),
            (_, Wait::Gather(gathering)) => {
                if let Some(gatherer) = gatherer(code) {
                    gathering.decide_leave(gatherer);
                }
            }
            _ => {}
        }
    }

    fn ask_again(
        &self,
        program: &Program<V>,
        scope: u32,
        serial: u32,
        sink: &mut impl Sink<V>,
    ) -> Result<(), Box<Fault>> {
        let Some(code) = program.nodes.get(self.frame(scope).node as usize) else { return Ok(()) };
        // What was asked is found out anew: nothing in reach has changed since, unless the host gives other trusted values.
        let asked: Result<(V, Request<V>), Failure> = self
            .input(program, scope, code)
            .and_then(|input| Ok((input.clone(), self.request(program, scope, code, &input)?)));
        let (input, request) = asked.map_err(|failure| self.fault(scope, failure))?;
        self.command_call(scope, serial, code, input, request, sink);
        Ok(())
    }

    /// The time in which a run was not under way does not count.
    pub(super) fn catch_up(&mut self, at_ms: f64) {
        match self.state {
            State::Ready => self.started_ms = at_ms,
            State::Frozen(frozen_ms) => self.shift(at_ms - frozen_ms),
            State::Running | State::Finished(_) => {}
        }
    }

    /// Moves all times of the run.
    fn shift(&mut self, by_ms: f64) {
        self.started_ms += by_ms;
        if let Some(timer) = &mut self.timer {
            timer.due_ms += by_ms;
        }
        for frame in std::iter::once(&mut self.root).chain(self.nested.iter_mut().map(|frame| &mut **frame)) {
            frame.started_ms += by_ms;
            let backoff = if let Wait::Backoff(timer) = &mut frame.wait { Some(timer) } else { None };
            for timer in frame.timeout.iter_mut().chain(backoff) {
                timer.due_ms += by_ms;
            }
            if let Wait::Gather(gathering) = &mut frame.wait {
                gathering.timers().for_each(|(_, timer)| timer.due_ms += by_ms);
            }
        }
    }
}

/// Whether a failure of that code is tried again.
fn covers(retry: &Retry, code: &str) -> bool {
    let stage = |pattern: &str| {
        pattern.strip_suffix('*').is_some_and(|stage| stage.ends_with('/') && code.starts_with(stage))
    };
    retry.on.is_empty() || retry.on.iter().any(|pattern| pattern == code || stage(pattern))
}

/// How long it is waited after a try, from 1.
fn delay(retry: &Retry, attempt: u32) -> f64 {
    let exponent = i32::try_from(attempt.saturating_sub(1)).unwrap_or(i32::MAX);
    (retry.backoff_ms * retry.factor.powi(exponent)).min(retry.max_ms)
}
