//! One run of a program.

mod abandon;
mod complete;
mod conversation;
mod drive;
mod execute;
mod gather;
mod join;
mod limits;
mod query;
mod retry;
mod settings_action;
mod transition;
mod unreported;

pub use query::PartialScope;

use super::event::{Answer, CallId, Command, Counts, Decision, Event, Outcome, StepError, TransitionReason};
use super::program::Program;
use super::scope_state::{NodeFailure, PartialResult, ScopeInit, ScopeState, Wait};
use super::timer::Timer;
use super::trace::{ScopeRef, Step, StepSink, TraceEvent};
use crate::failure::Failure;
use crate::graph::Limits;
use crate::node::approve;
use crate::value::Value;
use serde_json::Value as Json;
use std::collections::VecDeque;
use std::sync::Arc;
use unreported::OpenModelCall;

/// Input and settings of a run.
#[derive(Debug, Clone)]
pub struct Options<V> {
    /// Becomes `input` and the first `last`.
    pub input: V,
    /// Initial outputs.
    pub outputs: Vec<(String, V)>,
    /// Host memory.
    pub memory: Option<V>,
    /// Trusted values, a map.
    pub context: Option<V>,
    /// Replace the plan's limits.
    pub limits: Option<Limits>,
    /// The time at `at_ms` 0, in milliseconds since 1970. If `None`, a `wait` node can't wait `until` a time, and the
    /// pause of a resumed run is no waiting.
    pub epoch_ms: Option<f64>,
    /// Whether to trace.
    pub observe: bool,
}

impl<V> Options<V> {
    /// Records a trace, and has no other settings.
    pub fn new(input: V) -> Self {
        Self {
            input,
            outputs: Vec::new(),
            memory: None,
            context: None,
            limits: None,
            epoch_ms: None,
            observe: true,
        }
    }
}

#[derive(Debug)]
pub(super) enum RunStatus {
    Ready,
    /// Restored at that time.
    Restored(f64),
    Running,
    Finished(Outcome),
}

#[derive(Debug)]
enum Next {
    Node(u32),
    Retry,
    Wait,
    End(TransitionReason),
    /// No failure edge matches.
    Fail(Box<NodeFailure>),
    Stop(Box<NodeFailure>),
}

/// Feed it events and execute its commands.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use stepgraph_core::graph::PlanGraph;
/// use stepgraph_core::capabilities::Capabilities;
/// use stepgraph_core::machine::{self, Command, Event, Options, Outcome, Run, TransitionReason};
/// use stepgraph_core::source::Format;
///
/// let graph = PlanGraph::parse("nodes: {hello: {type: log, input: hi}}", Format::Auto).graph.unwrap();
/// let (program, _) = machine::bind(&graph, &Capabilities::default(), &()).unwrap();
/// let mut run = Run::new(Arc::new(program), (), Options::new(Arc::new(serde_json::Value::Null)));
/// let step = run.step(Event::Start { at_ms: 0.0 }).unwrap();
/// assert!(matches!(step.commands[..], [Command::Finish(Outcome::Completed(TransitionReason::Terminal))]));
/// assert_eq!(**run.last(), serde_json::json!("hi"));
/// ```
#[derive(Debug)]
pub struct Run<V: Value> {
    pub(super) program: Arc<Program<V>>,
    pub(super) space: V::Arena,
    pub(super) limits: Limits,
    pub(super) observe: bool,
    /// At `at_ms` 0, in milliseconds since 1970.
    pub(super) epoch_ms: Option<f64>,
    pub(super) status: RunStatus,
    pub(super) memory: Option<V>,
    pub(super) context: Option<V>,
    pub(super) root: ScopeState<V>,
    /// Numbered from 1. Ended scopes stay until their slot is reused.
    pub(super) nested: Vec<Box<ScopeState<V>>>,
    pub(super) free: Vec<u32>,
    /// Ended in this step. The report may still read their values.
    pub(super) ended_scopes: Vec<u32>,
    /// Results of children whose node failed or was abandoned in this step.
    partial_results: Vec<PartialResult<V>>,
    /// Scopes that continue, and at which node.
    pub(super) ready: VecDeque<(u32, u32)>,
    pub(super) path: Vec<u32>,
    pub(super) counts: Counts,
    pub(super) started_ms: f64,
    pub(super) ended_ms: f64,
    /// Calls, timers and scopes so far.
    pub(super) serial: u32,
    pub(super) scopes: u32,
    /// The last serial before this step, then those that it issued and abandoned.
    serial_before_step: u32,
    withdrawn: Vec<u32>,
    open_model_calls: Vec<OpenModelCall>,
    /// In nodes and thousands of bytes from templates.
    pub(super) work: f64,
    pub(super) continue_requested: bool,
    pub(super) template_bytes: f64,
    pub(super) timer: Option<Timer>,
}

impl<V: Value> Run<V> {
    /// An unstarted run.
    pub fn new(program: Arc<Program<V>>, space: V::Arena, options: Options<V>) -> Self {
        let init = ScopeInit {
            graph: 0,
            scope: ScopeRef::default(),
            parent: None,
            input: options.input,
            item: None,
            index: None,
        };
        let mut root = ScopeState::new(&program, init);
        for (name, value) in options.outputs {
            root.write_output(&program, name, value);
        }
        Self {
            limits: effective_limits(options.limits, program.limits),
            observe: options.observe,
            epoch_ms: options.epoch_ms,
            status: RunStatus::Ready,
            memory: options.memory,
            context: options.context,
            root,
            nested: Vec::new(),
            free: Vec::new(),
            ended_scopes: Vec::new(),
            partial_results: Vec::new(),
            ready: VecDeque::new(),
            path: Vec::new(),
            counts: Counts::default(),
            started_ms: 0.0,
            ended_ms: 0.0,
            serial: 0,
            scopes: 0,
            serial_before_step: 0,
            withdrawn: Vec::new(),
            open_model_calls: Vec::new(),
            work: 0.0,
            continue_requested: false,
            template_bytes: 0.0,
            timer: None,
            space,
            program,
        }
    }

    /// Takes an event and returns all consequences.
    ///
    /// # Errors
    /// The event is not valid now. The run is unchanged.
    pub fn step(&mut self, event: Event<V>) -> Result<Step<V>, StepError> {
        let mut step = Step::default();
        self.step_into(event, &mut step)?;
        Ok(step)
    }

    /// Passes consequences to `sink` as they occur.
    pub fn step_into(&mut self, event: Event<V>, sink: &mut impl StepSink<V>) -> Result<(), StepError> {
        let program = Arc::clone(&self.program);
        self.check_event(&event)?;
        self.free_ended_scopes();
        // Resumed runs reissue calls under old serials.
        self.serial_before_step = if matches!(event, Event::Resume { .. }) { 0 } else { self.serial };
        self.work = 0.0;
        match event {
            Event::CallDone { call, result, at_ms } => {
                let next = self.handle_answer(&program, call, result, at_ms, sink);
                self.drive(&program, call.scope, next, at_ms, sink);
            }
            Event::Start { at_ms } => self.start(&program, at_ms, sink),
            Event::TimerFired { timer, at_ms } => self.timer_fired(&program, timer, at_ms, sink),
            Event::Resume { at_ms } => self.resume(&program, at_ms, sink),
            Event::Continue { at_ms } => {
                self.continue_requested = false;
                self.drive(&program, 0, Next::Wait, at_ms, sink);
            }
            Event::Cancel { at_ms } => {
                self.skip_paused_time(at_ms);
                self.finish(Outcome::Cancelled, at_ms, sink);
            }
        }
        self.withdraw(sink);
        Ok(())
    }

    /// Takes a call's single value, without building an [`Event`], for runs of a million such steps.
    ///
    /// # Errors
    /// The call is not open. The run is unchanged.
    pub fn complete_call(
        &mut self,
        call: CallId,
        value: V,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Result<(), StepError> {
        if !(matches!(self.status, RunStatus::Running)
            && self.scope_state_of(call).is_some_and(|scope_state| scope_state.awaits_only(call)))
        {
            return self.step_into(
                Event::CallDone { call, result: Ok(Answer::Value(value, Vec::new())), at_ms },
                sink,
            );
        }
        let program = Arc::clone(&self.program);
        self.free_ended_scopes();
        self.serial_before_step = self.serial;
        self.work = 0.0;
        self.scope_state_mut(call.scope).wait = Wait::Nothing;
        let next = self.complete_within_limits(&program, call.scope, value, at_ms, sink);
        self.drive(&program, call.scope, next, at_ms, sink);
        self.withdraw(sink);
        Ok(())
    }

    fn awaits(&self, call: CallId) -> bool {
        matches!(self.status, RunStatus::Running)
            && self.scope_state_of(call).is_some_and(|scope_state| scope_state.awaits(call))
    }

    fn check_event(&self, event: &Event<V>) -> Result<(), StepError> {
        match (&self.status, event) {
            (RunStatus::Running, Event::CallDone { call, .. }) if self.awaits(*call) => Ok(()),
            (RunStatus::Running, Event::TimerFired { timer, .. }) if self.is_timer_set(*timer) => Ok(()),
            (RunStatus::Finished(_), _) => Err(StepError::Finished),
            (_, Event::Cancel { .. }) => Ok(()),
            (RunStatus::Running, Event::CallDone { call, .. }) => Err(StepError::UnknownCall(*call)),
            (RunStatus::Running, Event::TimerFired { timer, .. }) => Err(StepError::UnknownTimer(*timer)),
            (RunStatus::Ready, Event::Start { .. }) | (RunStatus::Restored(_), Event::Resume { .. }) => {
                Ok(())
            }
            (RunStatus::Running, Event::Continue { .. }) if self.continue_requested => Ok(()),
            (RunStatus::Running, Event::Continue { .. }) => Err(StepError::NothingToDo),
            (_, Event::Resume { .. }) => Err(StepError::NotRestored),
            (_, Event::Start { .. }) => Err(StepError::AlreadyStarted),
            _ => Err(StepError::NotStarted),
        }
    }

    fn handle_answer(
        &mut self,
        program: &Program<V>,
        call: CallId,
        result: Result<Answer<V>, Failure>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let scope = call.scope;
        self.model_call_ended(call, &result);
        let scope_state = self.scope_state_mut(scope);
        match scope_state.wait {
            Wait::Conversation(_) => return self.conversation_call_done(program, call, result, at_ms, sink),
            Wait::Gather(_) => return self.gather_call_done(program, call, result, at_ms, sink),
            _ => {}
        }
        scope_state.wait = Wait::Nothing;
        let value = match result {
            Ok(Answer::Value(value, writes)) => {
                for (name, value) in writes {
                    scope_state.write_output(program, name, value);
                }
                Ok(value)
            }
            Ok(Answer::Reply(reply)) => {
                self.count_usage(&reply, false);
                self.reply_value(program, scope, &reply)
            }
            Ok(Answer::Decided(decision)) => Ok(self.decision_value(decision)),
            Err(failure) => Err(failure),
        };
        match value.and_then(|value| self.check_answer(program, scope, value)) {
            Ok(value) => self.complete_within_limits(program, scope, value, at_ms, sink),
            Err(failure) => {
                self.attempt_failed(program, scope, self.node_failure(scope, failure), at_ms, sink)
            }
        }
    }

    fn check_answer(&self, program: &Program<V>, scope: u32, value: V) -> Result<V, Failure> {
        let code = program.nodes.get(self.scope_state(scope).node as usize);
        let options = code.and_then(|compiled| Some((compiled, compiled.options.as_deref()?)));
        let Some((compiled, options)) = options else { return Ok(value) };
        match &options.call_schema {
            Some(call_schema) => {
                call_schema.check_result(&self.space, (&compiled.action, options.parses_json), value)
            }
            None if options.parses_json => super::call_schema::CallSchema::default().check_result(
                &self.space,
                (&compiled.action, options.parses_json),
                value,
            ),
            None => Ok(value),
        }
    }

    fn decision_value(&self, decision: Decision<V>) -> V {
        let word = match decision {
            Decision::Edited(value) => return value,
            Decision::Approved => approve::APPROVED,
            Decision::Rejected => approve::REJECTED,
        };
        V::from_json(&self.space, &Json::from(word))
    }

    fn fail(&mut self, node_failure: NodeFailure, at_ms: f64, sink: &mut impl StepSink<V>) {
        let NodeFailure { failure: Failure { code, message }, node, scope } = node_failure;
        self.finish(Outcome::Failed { code, message, node: Some((node, scope)) }, at_ms, sink);
    }

    fn finish(&mut self, outcome: Outcome, at_ms: f64, sink: &mut impl StepSink<V>) {
        self.ended_ms = at_ms;
        self.ready.clear();
        self.continue_requested = false;
        self.abandon(0, at_ms, sink);
        if let Some(timer) = self.timer.take() {
            self.cancel_wait(Command::ClearTimer(CallId { scope: CallId::RUN, serial: timer.serial }), sink);
        }
        if self.observe {
            sink.emit(TraceEvent::RunEnded { at_ms, outcome: outcome.clone() });
        }
        sink.command(Command::Finish(outcome.clone()));
        self.status = RunStatus::Finished(outcome);
    }
}

/// Hosts override the plan's limits, but can't raise the limit in US dollars.
fn effective_limits(host: Option<Limits>, own: Limits) -> Limits {
    let limits = host.unwrap_or(own);
    let usd = match (limits.usd, own.usd) {
        (Some(host), Some(own)) => Some(host.min(own)),
        (host, own) => host.or(own),
    };
    Limits { usd, ..limits }
}
