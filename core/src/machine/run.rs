//! One run of a program.
//!
//! Decides which events make sense when, and hands each to the scope that waits for it.

mod bounds;
mod drive;
mod gather;
mod join;
mod look;
mod read;
mod talk;
mod tries;
mod walk;

pub(super) use bounds::fits;
pub use read::Partial;

use super::event::{Answer, CallId, Command, Counts, Decision, Event, Outcome, Reason, StepError};
use super::frame::{Birth, Fault, Frame, Kept, Wait};
use super::program::Program;
use super::timer::Timer;
use super::told::{ScopeRef, Sink, Step, TraceEvent};
use crate::failure::Failure;
use crate::graph::Limits;
use crate::node::approve;
use crate::value::Value;
use serde_json::Value as Json;
use std::collections::VecDeque;
use std::sync::Arc;

/// What a run is given.
#[derive(Debug, Clone)]
pub struct Options<V> {
    /// Its input: `input` and, at the start, `last`.
    pub input: V,
    /// Outputs that are there from the start.
    pub outputs: Vec<(String, V)>,
    /// What the host remembers.
    pub memory: Option<V>,
    /// The host's trusted values, a map.
    pub context: Option<V>,
    /// Bounds instead of the plan's own.
    pub limits: Option<Limits>,
    /// Whether anybody wants the trace.
    pub observe: bool,
}

impl<V> Options<V> {
    /// A run of `input`, observed, with nothing else.
    pub fn new(input: V) -> Self {
        Self { input, outputs: Vec::new(), memory: None, context: None, limits: None, observe: true }
    }
}

/// Where a run is.
#[derive(Debug)]
pub(super) enum State {
    Ready,
    /// Restored from a snapshot, which was made then.
    Frozen(f64),
    Running,
    Finished(Outcome),
}

/// Where a scope goes next.
#[derive(Debug)]
enum Next {
    /// To that node.
    Node(u32),
    /// To the same node once more.
    Again,
    /// Nowhere yet.
    Wait,
    /// Its graph is at an end.
    End(Reason),
    /// A node failed and no edge speaks of it.
    Fail(Box<Fault>),
    /// A bound of the whole run was passed.
    Stop(Box<Fault>),
}

/// A run: feed it events, carry out its commands.
///
/// # Example
/// ```
/// use std::sync::Arc;
/// use stepgraph_core::graph::PlanGraph;
/// use stepgraph_core::capabilities::Capabilities;
/// use stepgraph_core::machine::{self, Command, Event, Options, Outcome, Reason, Run};
/// use stepgraph_core::source::Format;
///
/// let graph = PlanGraph::parse("nodes: {hello: {type: log, input: hi}}", Format::Auto).graph.unwrap();
/// let (program, _) = machine::bind(&graph, &Capabilities::default(), &()).unwrap();
/// let mut run = Run::new(Arc::new(program), (), Options::new(Arc::new(serde_json::Value::Null)));
/// let step = run.step(Event::Start { at_ms: 0.0 }).unwrap();
/// assert!(matches!(step.commands[..], [Command::Finish(Outcome::Completed(Reason::Terminal))]));
/// assert_eq!(**run.last(), serde_json::json!("hi"));
/// ```
#[derive(Debug)]
pub struct Run<V: Value> {
    pub(super) program: Arc<Program<V>>,
    pub(super) space: V::Space,
    pub(super) limits: Limits,
    pub(super) observe: bool,
    pub(super) state: State,
    pub(super) memory: Option<V>,
    pub(super) context: Option<V>,
    /// The scope of the run itself; its number is 0.
    pub(super) root: Frame<V>,
    /// The scopes inside it, from number 1 on; those that ended stay until their place is used again.
    pub(super) nested: Vec<Box<Frame<V>>>,
    /// Numbers of scopes that ended.
    pub(super) free: Vec<u32>,
    /// Scopes that failed or were abandoned in this step: what they had is still there for the report.
    pub(super) dying: Vec<u32>,
    /// What children gave to nodes that gave up in this step.
    kept: Vec<Kept<V>>,
    /// Scopes that are to go on in this step, and where.
    pub(super) ready: VecDeque<(u32, u32)>,
    pub(super) path: Vec<u32>,
    pub(super) counts: Counts,
    pub(super) started_ms: f64,
    pub(super) ended_ms: f64,
    /// How many calls and timers there were, and how many scopes.
    pub(super) serial: u32,
    pub(super) scopes: u32,
    /// The last serial before this step, and what this step has asked and abandoned again.
    asked_before: u32,
    withdrawn: Vec<u32>,
    /// How much this step has done, in nodes and thousands of bytes that templates made.
    pub(super) work: f64,
    /// Whether an event was asked for to go on with what is ready.
    pub(super) goes_on: bool,
    /// Bytes that templates have made.
    pub(super) made_bytes: f64,
    /// The timer of the whole run.
    pub(super) timer: Option<Timer>,
}

impl<V: Value> Run<V> {
    /// A run that was not started yet.
    pub fn new(program: Arc<Program<V>>, space: V::Space, options: Options<V>) -> Self {
        let birth = Birth {
            graph: 0,
            scope: ScopeRef::default(),
            parent: None,
            input: options.input,
            item: None,
            index: None,
        };
        let mut root = Frame::new(&program, birth);
        for (name, value) in options.outputs {
            root.write(&program, name, value);
        }
        Self {
            limits: options.limits.unwrap_or(program.limits),
            observe: options.observe,
            state: State::Ready,
            memory: options.memory,
            context: options.context,
            root,
            nested: Vec::new(),
            free: Vec::new(),
            dying: Vec::new(),
            kept: Vec::new(),
            ready: VecDeque::new(),
            path: Vec::new(),
            counts: Counts::default(),
            started_ms: 0.0,
            ended_ms: 0.0,
            serial: 0,
            scopes: 0,
            asked_before: 0,
            withdrawn: Vec::new(),
            work: 0.0,
            goes_on: false,
            made_bytes: 0.0,
            timer: None,
            space,
            program,
        }
    }

    /// Takes one event and gives back all its consequences.
    ///
    /// # Errors
    /// An event that makes no sense now; nothing has changed then.
    pub fn step(&mut self, event: Event<V>) -> Result<Step<V>, StepError> {
        let mut step = Step::default();
        self.step_into(event, &mut step)?;
        Ok(step)
    }

    /// The same, with the consequences passed on as they come.
    pub fn step_into(&mut self, event: Event<V>, sink: &mut impl Sink<V>) -> Result<(), StepError> {
        let program = Arc::clone(&self.program);
        self.accepts(&event)?;
        self.bury();
        // A resumed run asks again under old serials.
        self.asked_before = if matches!(event, Event::Resume { .. }) { 0 } else { self.serial };
        self.work = 0.0;
        match event {
            Event::CallDone { call, result, at_ms } => {
                let next = self.answered(&program, call, result, at_ms, sink);
                self.drive(&program, call.scope, next, at_ms, sink);
            }
            Event::Start { at_ms } => self.start(&program, at_ms, sink),
            Event::TimerFired { timer, at_ms } => self.fired(&program, timer, at_ms, sink),
            Event::Resume { at_ms } => self.resume(&program, at_ms, sink),
            Event::Continue { at_ms } => {
                self.goes_on = false;
                self.drive(&program, 0, Next::Wait, at_ms, sink);
            }
            Event::Cancel { at_ms } => {
                self.catch_up(at_ms);
                self.finish(Outcome::Cancelled, at_ms, sink);
            }
        }
        self.withdraw(sink);
        Ok(())
    }

    /// The same for what nearly every event is: a call gave a value and nothing else. A million steps are a million of these,
    /// so this one is not carried about as an [`Event`].
    ///
    /// # Errors
    /// No such call is outstanding; nothing has changed then.
    pub fn answer_into(
        &mut self,
        call: CallId,
        value: V,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Result<(), StepError> {
        if !(matches!(self.state, State::Running)
            && self.frame_at(call).is_some_and(|frame| frame.awaits_only(call)))
        {
            return self.step_into(
                Event::CallDone { call, result: Ok(Answer::Value(value, Vec::new())), at_ms },
                sink,
            );
        }
        let program = Arc::clone(&self.program);
        self.bury();
        self.asked_before = self.serial;
        self.work = 0.0;
        self.frame_mut(call.scope).wait = Wait::Nothing;
        let next = self.complete_bounded(&program, call.scope, value, at_ms, sink);
        self.drive(&program, call.scope, next, at_ms, sink);
        self.withdraw(sink);
        Ok(())
    }

    /// Whether that call is outstanding.
    fn awaits(&self, call: CallId) -> bool {
        matches!(self.state, State::Running) && self.frame_at(call).is_some_and(|frame| frame.awaits(call))
    }

    /// Whether an event makes sense now.
    fn accepts(&self, event: &Event<V>) -> Result<(), StepError> {
        match (&self.state, event) {
            (State::Running, Event::CallDone { call, .. }) if self.awaits(*call) => Ok(()),
            (State::Running, Event::TimerFired { timer, .. }) if self.is_set(*timer) => Ok(()),
            (State::Finished(_), _) => Err(StepError::Finished),
            (_, Event::Cancel { .. }) => Ok(()),
            (State::Running, Event::CallDone { call, .. }) => Err(StepError::UnknownCall(*call)),
            (State::Running, Event::TimerFired { timer, .. }) => Err(StepError::UnknownTimer(*timer)),
            (State::Ready, Event::Start { .. }) | (State::Frozen(_), Event::Resume { .. }) => Ok(()),
            (State::Running, Event::Continue { .. }) if self.goes_on => Ok(()),
            (State::Running, Event::Continue { .. }) => Err(StepError::NothingToDo),
            (_, Event::Resume { .. }) => Err(StepError::NotFrozen),
            (_, Event::Start { .. }) => Err(StepError::AlreadyStarted),
            _ => Err(StepError::NotStarted),
        }
    }

    fn answered(
        &mut self,
        program: &Program<V>,
        call: CallId,
        result: Result<Answer<V>, Failure>,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let scope = call.scope;
        let frame = self.frame_mut(scope);
        match frame.wait {
            Wait::Talk(_) => return self.talked(program, call, result, at_ms, sink),
            Wait::Gather(_) => return self.gathered(program, call, result, at_ms, sink),
            _ => {}
        }
        frame.wait = Wait::Nothing;
        let value = match result {
            Ok(Answer::Value(value, writes)) => {
                for (name, value) in writes {
                    frame.write(program, name, value);
                }
                Ok(value)
            }
            Ok(Answer::Reply(reply)) => {
                self.spend(&reply);
                self.reply(program, scope, &reply)
            }
            Ok(Answer::Decided(decision)) => Ok(self.decided(decision)),
            Err(failure) => Err(failure),
        };
        match value.and_then(|value| self.held(program, scope, value)) {
            Ok(value) => self.complete_bounded(program, scope, value, at_ms, sink),
            Err(failure) => self.failed(program, scope, self.fault(scope, failure), at_ms, sink),
        }
    }

    /// What a call gave, when it is what it should be.
    fn held(&self, program: &Program<V>, scope: u32, value: V) -> Result<V, Failure> {
        let code = program.nodes.get(self.frame(scope).node as usize);
        let extra = code.and_then(|code| Some((code, code.extra.as_deref()?)));
        let Some((code, extra)) = extra else { return Ok(value) };
        match &extra.contract {
            Some(contract) => contract.gives(&self.space, (&code.action, extra.parses), value),
            None if extra.parses => {
                super::contract::Contract::default().gives(&self.space, (&code.action, extra.parses), value)
            }
            None => Ok(value),
        }
    }

    /// What a person's decision becomes.
    fn decided(&self, decision: Decision<V>) -> V {
        let word = match decision {
            Decision::Edited(value) => return value,
            Decision::Approved => approve::APPROVED,
            Decision::Rejected => approve::REJECTED,
        };
        V::from_json(&self.space, &Json::from(word))
    }

    fn fail(&mut self, fault: Fault, at_ms: f64, sink: &mut impl Sink<V>) {
        let Fault { failure: Failure { code, message }, node, scope } = fault;
        self.finish(Outcome::Failed { code, message, node: Some((node, scope)) }, at_ms, sink);
    }

    fn finish(&mut self, outcome: Outcome, at_ms: f64, sink: &mut impl Sink<V>) {
        self.ended_ms = at_ms;
        self.ready.clear();
        self.goes_on = false;
        self.abandon(0, at_ms, sink);
        if let Some(timer) = self.timer.take() {
            self.drop_wait(Command::ClearTimer(CallId { scope: CallId::RUN, serial: timer.serial }), sink);
        }
        if self.observe {
            sink.happened(TraceEvent::RunEnded { at_ms, outcome: outcome.clone() });
        }
        sink.command(Command::Finish(outcome.clone()));
        self.state = State::Finished(outcome);
    }
}
