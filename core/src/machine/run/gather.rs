//! Carrying out a tool plan: its calls are made, one after another or several at once, and what they give is put together.
//!
//! Decides when a call is made and what its answer leads to. A call that fails, or can't be made, is a result like any other; only a
//! bound of the run ends the node early.
//!
//! Source: `docs/planning.md`.

use super::super::call_schema;
use super::super::event::{Answer, CallId, Command, Decision, TimerPurpose};
use super::super::gather_state::{GatherState, PlannedCallState};
use super::super::program::{CompiledNode, Program};
use super::super::scope_state::Wait;
use super::super::timer::Timer;
use super::super::trace::{ConversationEvent, StepSink};
use super::conversation::{CurrentNode, refused};
use super::execute::EnterResult;
use super::{Next, Run};
use crate::diagnostic::brief;
use crate::failure::Failure;
use crate::node::gather::{GatheredCall, output};
use crate::node::{Gatherer, PlannedCall};
use crate::toolplan::fill;
use crate::value::{Path, Value, number_text};
use serde_json::{Value as Json, json};

/// All calls of a node belong to one turn.
const TURN: u32 = 1;

/// What making calls came to.
enum GatherProgress<V> {
    /// Some are outstanding.
    Waiting,
    /// All have ended.
    Completed(V),
    /// A bound of the run forbids the next.
    LimitExceeded(Failure),
}

impl<V: Value> Run<V> {
    /// Begins the calls of a tool plan.
    pub(super) fn gather(
        &mut self,
        at: &CurrentNode<'_, V>,
        gatherer: &Gatherer,
        input: &V,
        sink: &mut impl StepSink<V>,
    ) -> EnterResult<V> {
        let plan = input.json(&Path::default()).unwrap_or_default();
        let calls = match gatherer.calls(&plan, &self.trusted_values()) {
            Ok(calls) => calls,
            Err(failure) => return EnterResult::Failed(failure),
        };
        let place = |(call, wrong): (PlannedCall, Option<Failure>)| {
            let ended = |failure| PlannedCallState::Done {
                sent: call.parameters.clone(),
                result: Err(failure),
                took_ms: 0.0,
            };
            let spot = wrong.map_or(PlannedCallState::Waiting, ended);
            (call, spot)
        };
        let (calls, places) = calls.into_iter().map(place).unzip();
        let gathering = GatherState { calls, places, began_ms: at.now_ms };
        match self.call_more(at, gatherer, Box::new(gathering), sink) {
            GatherProgress::Waiting => EnterResult::Waiting,
            GatherProgress::Completed(value) => EnterResult::Value(value),
            GatherProgress::LimitExceeded(failure) => EnterResult::LimitExceeded(failure),
        }
    }

    /// Makes as many calls as may be under way at once.
    #[inline(never)]
    fn call_more(
        &mut self,
        at: &CurrentNode<'_, V>,
        gatherer: &Gatherer,
        mut gathering: Box<GatherState<V>>,
        sink: &mut impl StepSink<V>,
    ) -> GatherProgress<V> {
        while gathering.serials().count() < gatherer.concurrency as usize {
            let Some((place, failed)) = gathering.next(gatherer) else { break };
            let sent = match self.sent(at, &gathering, gatherer, place, failed) {
                Ok(sent) => sent,
                Err(failure) => {
                    self.never_made(at, &mut gathering, place, failure, sink);
                    continue;
                }
            };
            let tool = gathering.calls.get(place).map_or("", |call| call.tool.as_str()).to_owned();
            let leave = gatherer.asks(&tool);
            if let Err(failure) = if leave { Ok(()) } else { self.charge() } {
                self.frame_mut(at.scope).wait = Wait::Gather(gathering);
                return GatherProgress::LimitExceeded(failure);
            }
            if self.observe {
                let told = vec![("tool", self.text(&tool)), ("arguments", V::from_json(&self.space, &sent))];
                self.tell(at, ConversationEvent::ToolAsked, (TURN, Some(place)), told, sink);
            }
            let serial = self.next_serial();
            self.command_tool(at, TURN, place, (serial, leave, &sent), &tool, sink);
            // A person may take any time.
            let timer = if leave { None } else { self.watch_call(at, gatherer, place, sink) };
            if let Some(spot) = gathering.places.get_mut(place) {
                *spot = PlannedCallState::Open { serial, leave, sent, began_ms: at.now_ms, timer };
            }
        }
        if gathering.serials().next().is_some() {
            self.frame_mut(at.scope).wait = Wait::Gather(gathering);
            return GatherProgress::Waiting;
        }
        let GatherState { calls, places, began_ms } = *gathering;
        let gathered = calls.into_iter().zip(places).filter_map(|(call, spot)| match spot {
            PlannedCallState::Done { sent, result, took_ms } => {
                Some(GatheredCall { call, sent, result, took_ms })
            }
            _ => None,
        });
        GatherProgress::Completed(output(&self.space, gathered.collect(), at.now_ms - began_ms))
    }

    /// Sets the timer of a call that is made now.
    fn watch_call(
        &mut self,
        at: &CurrentNode<'_, V>,
        gatherer: &Gatherer,
        place: usize,
        sink: &mut impl StepSink<V>,
    ) -> Option<Timer> {
        let after_ms = gatherer.call_timeout_ms?;
        let of = self.call_timer(at.scope, place);
        Some(self.set_timer(at.scope, of, after_ms, at.now_ms, sink))
    }

    /// What the timer of one of several calls is for.
    pub(super) fn call_timer(&self, scope: u32, place: usize) -> TimerPurpose {
        let frame = self.frame(scope);
        TimerPurpose::Call(frame.node, frame.visit, frame.attempt, u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// The time of a call is up: it has failed, and the others go on.
    pub(super) fn call_timed_out(
        &mut self,
        program: &Program<V>,
        (scope, place): (u32, usize),
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let wait = std::mem::replace(&mut self.frame_mut(scope).wait, Wait::Nothing);
        let code = program.nodes.get(self.frame(scope).node as usize);
        let (Wait::Gather(mut gathering), Some(code)) = (wait, code) else { return Next::Wait };
        let Some(gatherer) = gatherer(code) else { return Next::Wait };
        let at = CurrentNode::new(program, code, scope, at_ms);
        let tool = gathering.calls.get(place).map_or("", |call| call.tool.as_str()).to_owned();
        let most = number_text(gatherer.call_timeout_ms.unwrap_or_default());
        let failure = Failure::new(
            "tool/timeout",
            format!("the call of tool `{}` took longer than {most} ms", brief(&tool)),
        );
        self.tell_failed_tool(&at, (TURN, place), &tool, &failure, sink);
        if let Some(spot) = gathering.places.get_mut(place)
            && let PlannedCallState::Open { serial, sent, began_ms, .. } = spot
        {
            self.drop_wait(Command::Abandon(CallId { scope, serial: *serial }), sink);
            let sent = std::mem::take(sent);
            *spot = PlannedCallState::Done { sent, result: Err(failure), took_ms: at_ms - *began_ms };
        }
        self.gather_on(&at, gatherer, gathering, sink)
    }

    /// The parameters of a call, its references filled.
    fn sent(
        &self,
        at: &CurrentNode<'_, V>,
        gathering: &GatherState<V>,
        gatherer: &Gatherer,
        place: usize,
        failed: Option<usize>,
    ) -> Result<Json, Failure> {
        if let Some(other) = failed {
            let message = format!("`call[{other}]` gave nothing, and `call[{place}]` refers to it");
            return Err(Failure::new("plan/bad-reference", message));
        }
        let Some(call) = gathering.calls.get(place) else { return Ok(json!({})) };
        let result = |number: usize| match gathering.places.get(number) {
            Some(PlannedCallState::Done { result: Ok(value), .. }) => value.json(&Path::default()),
            _ => None,
        };
        let filled = fill(&gatherer.texts(call), &result);
        let filled = filled.map_err(|message| Failure::new("plan/bad-reference", message))?;
        call_schema::taken(gatherer.tools(), &call.tool, &filled, &self.own_values(at, &call.tool))?;
        Ok(filled)
    }

    /// A call that can't be made has its result at once.
    fn never_made(
        &self,
        at: &CurrentNode<'_, V>,
        gathering: &mut GatherState<V>,
        place: usize,
        failure: Failure,
        sink: &mut impl StepSink<V>,
    ) {
        let (tool, sent) = match gathering.calls.get(place) {
            Some(call) => (call.tool.clone(), call.parameters.clone()),
            None => Default::default(),
        };
        self.tell_failed_tool(at, (TURN, place), &tool, &failure, sink);
        if let Some(spot) = gathering.places.get_mut(place) {
            *spot = PlannedCallState::Done { sent, result: Err(failure), took_ms: 0.0 };
        }
    }

    /// A call of a tool plan was answered.
    pub(super) fn gathered(
        &mut self,
        program: &Program<V>,
        call: CallId,
        result: Result<Answer<V>, Failure>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let scope = call.scope;
        let wait = std::mem::replace(&mut self.frame_mut(scope).wait, Wait::Nothing);
        let code = program.nodes.get(self.frame(scope).node as usize);
        let (Wait::Gather(mut gathering), Some(code)) = (wait, code) else { return Next::Wait };
        let Some(gatherer) = gatherer(code) else { return Next::Wait };
        let at = CurrentNode::new(program, code, scope, at_ms);
        let Some(place) = gathering.place(call.serial) else { return Next::Wait };
        let tool = gathering.calls.get(place).map_or("", |call| call.tool.as_str()).to_owned();
        let Some(PlannedCallState::Open { sent, began_ms, timer, .. }) = gathering.places.get(place) else {
            return Next::Wait;
        };
        let (mut sent, began_ms) = (sent.clone(), *began_ms);
        if let Some(timer) = timer {
            self.drop_wait(Command::ClearTimer(CallId { scope, serial: timer.serial }), sink);
        }
        let mut bytes = 0.0;
        let given = match result {
            Ok(Answer::Value(value, writes)) => {
                self.write_all(&at, writes);
                bytes = value.bytes();
                call_schema::given(&self.space, gatherer.tools(), (&tool, gatherer.parses), value)
            }
            Ok(Answer::Decided(decision)) => {
                let edited = match decision {
                    Decision::Approved => Ok(sent.clone()),
                    Decision::Edited(value) => gatherer.guard().edited(
                        &tool,
                        value.json(&Path::default()).unwrap_or_default(),
                        &self.trusted_values(),
                    ),
                    Decision::Rejected => Err(refused(&tool)),
                };
                let taken = edited.and_then(|edited| {
                    sent = edited;
                    call_schema::taken(gatherer.tools(), &tool, &sent, &self.own_values(&at, &tool))
                });
                match taken {
                    Ok(()) => return self.leave_to_call(&at, gatherer, gathering, (place, sent), sink),
                    Err(failure) => Err(failure),
                }
            }
            Ok(Answer::Reply(_)) => Err(Failure::new("tool/bad-reply", "the tool gave no value")),
            Err(failure) => Err(failure),
        };
        match &given {
            Ok(value) if self.observe => {
                let told = vec![("tool", self.text(&tool)), ("output", value.clone())];
                self.tell(&at, ConversationEvent::ToolAnswered, (TURN, Some(place)), told, sink);
            }
            Ok(_) => {}
            Err(failure) => self.tell_failed_tool(&at, (TURN, place), &tool, failure, sink),
        }
        if let Some(spot) = gathering.places.get_mut(place) {
            *spot = PlannedCallState::Done { sent, result: given, took_ms: at_ms - began_ms };
        }
        if let Some(failure) = self.bytes_passed(bytes) {
            self.frame_mut(scope).wait = Wait::Gather(gathering);
            return self.stopped(&at, failure, sink);
        }
        self.gather_on(&at, gatherer, gathering, sink)
    }

    /// A person gave leave: the tool is called.
    fn leave_to_call(
        &mut self,
        at: &CurrentNode<'_, V>,
        gatherer: &Gatherer,
        mut gathering: Box<GatherState<V>>,
        (place, sent): (usize, Json),
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let tool = gathering.calls.get(place).map_or("", |call| call.tool.as_str()).to_owned();
        let charged = self.charge();
        let spot = match &charged {
            Ok(()) => {
                let serial = self.next_serial();
                self.command_tool(at, TURN, place, (serial, false, &sent), &tool, sink);
                let timer = self.watch_call(at, gatherer, place, sink);
                PlannedCallState::Open { serial, leave: false, sent, began_ms: at.now_ms, timer }
            }
            // The person has answered: that is no longer to be given up.
            Err(failure) => PlannedCallState::Done { sent, result: Err(failure.clone()), took_ms: 0.0 },
        };
        if let Some(place) = gathering.places.get_mut(place) {
            *place = spot;
        }
        self.frame_mut(at.scope).wait = Wait::Gather(gathering);
        match charged {
            Ok(()) => Next::Wait,
            Err(failure) => self.stopped(at, failure, sink),
        }
    }

    fn gather_on(
        &mut self,
        at: &CurrentNode<'_, V>,
        gatherer: &Gatherer,
        gathering: Box<GatherState<V>>,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        match self.call_more(at, gatherer, gathering, sink) {
            GatherProgress::Waiting => Next::Wait,
            GatherProgress::Completed(value) => self.complete(at.program, at.scope, value, at.now_ms, sink),
            GatherProgress::LimitExceeded(failure) => self.stopped(at, failure, sink),
        }
    }

    /// Asks once more for all that was outstanding when a snapshot was made.
    pub(super) fn gather_again(
        &mut self,
        program: &Program<V>,
        scope: u32,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) {
        let Some(code) = program.nodes.get(self.frame(scope).node as usize) else { return };
        let mut gathering = match std::mem::replace(&mut self.frame_mut(scope).wait, Wait::Nothing) {
            Wait::Gather(gathering) => gathering,
            other => {
                self.frame_mut(scope).wait = other;
                return;
            }
        };
        let at = CurrentNode::new(program, code, scope, at_ms);
        for (number, (spot, call)) in gathering.places.iter_mut().zip(&gathering.calls).enumerate() {
            let PlannedCallState::Open { serial, leave, sent, timer, .. } = spot else { continue };
            self.command_tool(&at, TURN, number, (*serial, *leave, sent), &call.tool, sink);
            match timer {
                Some(timer) => sink.command(timer.again(scope, self.call_timer(scope, number), at_ms)),
                None if *leave => {}
                None => {
                    *timer = gatherer(code).and_then(|gatherer| self.watch_call(&at, gatherer, number, sink));
                }
            }
        }
        self.frame_mut(scope).wait = Wait::Gather(gathering);
    }

    /// What a node has gathered that gives up now: a call that has not ended counts as failed.
    pub(super) fn gathered_so_far(&self, scope: u32, at_ms: f64) -> Option<V> {
        let Wait::Gather(gathering) = &self.frame(scope).wait else { return None };
        let unfinished = |message: &str| Err(Failure::new("node/timeout", message));
        let ended = |(call, spot): (&PlannedCall, &PlannedCallState<V>)| {
            let (sent, result, took_ms) = match spot {
                PlannedCallState::Done { sent, result, took_ms } => (sent.clone(), result.clone(), *took_ms),
                PlannedCallState::Open { sent, began_ms, .. } => {
                    (sent.clone(), unfinished("the call did not end in time"), at_ms - began_ms)
                }
                PlannedCallState::Waiting => {
                    (call.parameters.clone(), unfinished("the call was not begun in time"), 0.0)
                }
            };
            GatheredCall { call: call.clone(), sent, result, took_ms }
        };
        let gathered = gathering.calls.iter().zip(&gathering.places).map(ended).collect();
        Some(output(&self.space, gathered, at_ms - gathering.began_ms))
    }

    /// Keeps what calls gave to a node that now gives up, until the next event: the report may want it.
    pub(super) fn keep_gathered(&mut self, scope: u32, gathering: &GatherState<V>) {
        let values: Vec<(usize, V)> = gathering.values().map(|(at, value)| (at, value.clone())).collect();
        self.keep_values(scope, values);
    }
}

/// What a node that gathers knows.
pub(super) fn gatherer<V>(code: &CompiledNode<V>) -> Option<&Gatherer> {
    code.extra.as_ref()?.gatherer.as_deref()
}
