//! Carrying out a tool plan: its calls are made, one after another or several at once, and what they give is put together.
//!
//! Decides when a call is made and what its answer leads to. A call that fails, or can't be made, is a result like any other; only a
//! bound of the run ends the node early.
//!
//! Source: `docs/planning.md`.

use super::super::contract;
use super::super::event::{Answer, CallId, Command, Decision, TimerOf};
use super::super::frame::Wait;
use super::super::gather::{Gathering, Spot};
use super::super::program::{Code, Program};
use super::super::timer::Timer;
use super::super::told::{Said, Sink};
use super::talk::{At, refused};
use super::walk::Act;
use super::{Next, Run};
use crate::diagnostic::brief;
use crate::failure::Failure;
use crate::node::gather::{Gathered, output};
use crate::node::{Gatherer, Planned};
use crate::toolplan::fill;
use crate::value::{Path, Value, number_text};
use serde_json::{Value as Json, json};

/// All calls of a node belong to one turn.
const TURN: u32 = 1;

/// What making calls came to.
enum Went<V> {
    /// Some are outstanding.
    On,
    /// All have ended.
    Over(V),
    /// A bound of the run forbids the next.
    Stopped(Failure),
}

impl<V: Value> Run<V> {
    /// Begins the calls of a tool plan.
    pub(super) fn gather(
        &mut self,
        at: &At<'_, V>,
        gatherer: &Gatherer,
        input: &V,
        sink: &mut impl Sink<V>,
    ) -> Act<V> {
        let plan = input.json(&Path::default()).unwrap_or_default();
        let calls = match gatherer.calls(&plan, &self.trusted_values()) {
            Ok(calls) => calls,
            Err(failure) => return Act::Failed(failure),
        };
        let place = |(call, wrong): (Planned, Option<Failure>)| {
            let ended =
                |failure| Spot::Done { sent: call.parameters.clone(), result: Err(failure), took_ms: 0.0 };
            let spot = wrong.map_or(Spot::Waiting, ended);
            (call, spot)
        };
        let (calls, places) = calls.into_iter().map(place).unzip();
        let gathering = Gathering { calls, places, began_ms: at.now_ms };
        match self.call_more(at, gatherer, Box::new(gathering), sink) {
            Went::On => Act::Asked,
            Went::Over(value) => Act::Value(value),
            Went::Stopped(failure) => Act::Stopped(failure),
        }
    }

    /// Makes as many calls as may be under way at once.
    #[inline(never)]
    fn call_more(
        &mut self,
        at: &At<'_, V>,
        gatherer: &Gatherer,
        mut gathering: Box<Gathering<V>>,
        sink: &mut impl Sink<V>,
    ) -> Went<V> {
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
                return Went::Stopped(failure);
            }
            if self.observe {
                let told = vec![("tool", self.text(&tool)), ("arguments", V::from_json(&self.space, &sent))];
                self.tell(at, Said::ToolAsked, (TURN, Some(place)), told, sink);
            }
            let serial = self.next_serial();
            self.command_tool(at, TURN, place, (serial, leave, &sent), &tool, sink);
            // A person may take any time.
            let timer = if leave { None } else { self.watch_call(at, gatherer, place, sink) };
            if let Some(spot) = gathering.places.get_mut(place) {
                *spot = Spot::Asked { serial, leave, sent, began_ms: at.now_ms, timer };
            }
        }
        if gathering.serials().next().is_some() {
            self.frame_mut(at.scope).wait = Wait::Gather(gathering);
            return Went::On;
        }
        let Gathering { calls, places, began_ms } = *gathering;
        let gathered = calls.into_iter().zip(places).filter_map(|(call, spot)| match spot {
            Spot::Done { sent, result, took_ms } => Some(Gathered { call, sent, result, took_ms }),
            _ => None,
        });
        Went::Over(output(&self.space, gathered.collect(), at.now_ms - began_ms))
    }

    /// Sets the timer of a call that is made now.
    fn watch_call(
        &mut self,
        at: &At<'_, V>,
        gatherer: &Gatherer,
        place: usize,
        sink: &mut impl Sink<V>,
    ) -> Option<Timer> {
        let after_ms = gatherer.call_timeout_ms?;
        let of = self.call_timer(at.scope, place);
        Some(self.set_timer(at.scope, of, after_ms, at.now_ms, sink))
    }

    /// What the timer of one of several calls is for.
    pub(super) fn call_timer(&self, scope: u32, place: usize) -> TimerOf {
        let frame = self.frame(scope);
        TimerOf::Call(frame.node, frame.visit, frame.attempt, u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// The time of a call is up: it has failed, and the others go on.
    pub(super) fn call_timed_out(
        &mut self,
        program: &Program<V>,
        (scope, place): (u32, usize),
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let wait = std::mem::replace(&mut self.frame_mut(scope).wait, Wait::Nothing);
        let code = program.nodes.get(self.frame(scope).node as usize);
        let (Wait::Gather(mut gathering), Some(code)) = (wait, code) else { return Next::Wait };
        let Some(gatherer) = gatherer(code) else { return Next::Wait };
        let at = At::new(program, code, scope, at_ms);
        let tool = gathering.calls.get(place).map_or("", |call| call.tool.as_str()).to_owned();
        let most = number_text(gatherer.call_timeout_ms.unwrap_or_default());
        let failure = Failure::new(
            "tool/timeout",
            format!("the call of tool `{}` took longer than {most} ms", brief(&tool)),
        );
        self.tell_failed_tool(&at, (TURN, place), &tool, &failure, sink);
        if let Some(spot) = gathering.places.get_mut(place)
            && let Spot::Asked { serial, sent, began_ms, .. } = spot
        {
            self.drop_wait(Command::Abandon(CallId { scope, serial: *serial }), sink);
            let sent = std::mem::take(sent);
            *spot = Spot::Done { sent, result: Err(failure), took_ms: at_ms - *began_ms };
        }
        self.gather_on(&at, gatherer, gathering, sink)
    }

    /// The parameters of a call, its references filled.
    fn sent(
        &self,
        at: &At<'_, V>,
        gathering: &Gathering<V>,
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
            Some(Spot::Done { result: Ok(value), .. }) => value.json(&Path::default()),
            _ => None,
        };
        let filled = fill(&gatherer.texts(call), &result);
        let filled = filled.map_err(|message| Failure::new("plan/bad-reference", message))?;
        contract::taken(gatherer.tools(), &call.tool, &filled, &self.own_values(at, &call.tool))?;
        Ok(filled)
    }

    /// A call that can't be made has its result at once.
    fn never_made(
        &self,
        at: &At<'_, V>,
        gathering: &mut Gathering<V>,
        place: usize,
        failure: Failure,
        sink: &mut impl Sink<V>,
    ) {
        let (tool, sent) = match gathering.calls.get(place) {
            Some(call) => (call.tool.clone(), call.parameters.clone()),
            None => Default::default(),
        };
        self.tell_failed_tool(at, (TURN, place), &tool, &failure, sink);
        if let Some(spot) = gathering.places.get_mut(place) {
            *spot = Spot::Done { sent, result: Err(failure), took_ms: 0.0 };
        }
    }

    /// A call of a tool plan was answered.
    pub(super) fn gathered(
        &mut self,
        program: &Program<V>,
        call: CallId,
        result: Result<Answer<V>, Failure>,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let scope = call.scope;
        let wait = std::mem::replace(&mut self.frame_mut(scope).wait, Wait::Nothing);
        let code = program.nodes.get(self.frame(scope).node as usize);
        let (Wait::Gather(mut gathering), Some(code)) = (wait, code) else { return Next::Wait };
        let Some(gatherer) = gatherer(code) else { return Next::Wait };
        let at = At::new(program, code, scope, at_ms);
        let Some(place) = gathering.place(call.serial) else { return Next::Wait };
        let tool = gathering.calls.get(place).map_or("", |call| call.tool.as_str()).to_owned();
        let Some(Spot::Asked { sent, began_ms, timer, .. }) = gathering.places.get(place) else {
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
                contract::given(&self.space, gatherer.tools(), (&tool, gatherer.parses), value)
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
                    contract::taken(gatherer.tools(), &tool, &sent, &self.own_values(&at, &tool))
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
                self.tell(&at, Said::ToolAnswered, (TURN, Some(place)), told, sink);
            }
            Ok(_) => {}
            Err(failure) => self.tell_failed_tool(&at, (TURN, place), &tool, failure, sink),
        }
        if let Some(spot) = gathering.places.get_mut(place) {
            *spot = Spot::Done { sent, result: given, took_ms: at_ms - began_ms };
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
        at: &At<'_, V>,
        gatherer: &Gatherer,
        mut gathering: Box<Gathering<V>>,
        (place, sent): (usize, Json),
        sink: &mut impl Sink<V>,
    ) -> Next {
        let tool = gathering.calls.get(place).map_or("", |call| call.tool.as_str()).to_owned();
        let charged = self.charge();
        let spot = match &charged {
            Ok(()) => {
                let serial = self.next_serial();
                self.command_tool(at, TURN, place, (serial, false, &sent), &tool, sink);
                let timer = self.watch_call(at, gatherer, place, sink);
                Spot::Asked { serial, leave: false, sent, began_ms: at.now_ms, timer }
            }
            // The person has answered: that is no longer to be given up.
            Err(failure) => Spot::Done { sent, result: Err(failure.clone()), took_ms: 0.0 },
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
        at: &At<'_, V>,
        gatherer: &Gatherer,
        gathering: Box<Gathering<V>>,
        sink: &mut impl Sink<V>,
    ) -> Next {
        match self.call_more(at, gatherer, gathering, sink) {
            Went::On => Next::Wait,
            Went::Over(value) => self.complete(at.program, at.scope, value, at.now_ms, sink),
            Went::Stopped(failure) => self.stopped(at, failure, sink),
        }
    }

    /// Asks once more for all that was outstanding when a snapshot was made.
    pub(super) fn gather_again(
        &mut self,
        program: &Program<V>,
        scope: u32,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) {
        let Some(code) = program.nodes.get(self.frame(scope).node as usize) else { return };
        let mut gathering = match std::mem::replace(&mut self.frame_mut(scope).wait, Wait::Nothing) {
            Wait::Gather(gathering) => gathering,
            other => {
                self.frame_mut(scope).wait = other;
                return;
            }
        };
        let at = At::new(program, code, scope, at_ms);
        for (number, (spot, call)) in gathering.places.iter_mut().zip(&gathering.calls).enumerate() {
            let Spot::Asked { serial, leave, sent, timer, .. } = spot else { continue };
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
        let ended = |(call, spot): (&Planned, &Spot<V>)| {
            let (sent, result, took_ms) = match spot {
                Spot::Done { sent, result, took_ms } => (sent.clone(), result.clone(), *took_ms),
                Spot::Asked { sent, began_ms, .. } => {
                    (sent.clone(), unfinished("the call did not end in time"), at_ms - began_ms)
                }
                Spot::Waiting => (call.parameters.clone(), unfinished("the call was not begun in time"), 0.0),
            };
            Gathered { call: call.clone(), sent, result, took_ms }
        };
        let gathered = gathering.calls.iter().zip(&gathering.places).map(ended).collect();
        Some(output(&self.space, gathered, at_ms - gathering.began_ms))
    }

    /// Keeps what calls gave to a node that now gives up, until the next event: the report may want it.
    pub(super) fn keep_gathered(&mut self, scope: u32, gathering: &Gathering<V>) {
        let values: Vec<(usize, V)> = gathering.values().map(|(at, value)| (at, value.clone())).collect();
        self.keep_values(scope, values);
    }
}

/// What a node that gathers knows.
pub(super) fn gatherer<V>(code: &Code<V>) -> Option<&Gatherer> {
    code.extra.as_ref()?.gatherer.as_deref()
}
