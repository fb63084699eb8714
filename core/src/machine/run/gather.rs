//! Makes a tool plan's calls, in sequence or parallel, and collects results.
//!
//! Failed or impossible calls have results, too. Only a run limit ends the node early.
//!
//! Source: `docs/planning.md`.

mod call_timeout;

use super::super::call_schema;
use super::super::event::{Answer, CallId, Command, Decision};
use super::super::gather_state::{GatherState, PlannedCallState};
use super::super::program::{CompiledNode, Program};
use super::super::scope_state::Wait;
use super::super::trace::{ConversationEvent, StepSink};
use super::conversation::{CurrentNode, rejection};
use super::execute::EnterResult;
use super::{Next, Run};
use crate::failure::Failure;
use crate::node::gather::{GatheredCall, output};
use crate::node::{Gatherer, PlannedCall};
use crate::toolplan::resolve;
use crate::value::{Path, Value};
use serde_json::{Value as Json, json};

/// A node's calls share one turn.
const TURN: u32 = 1;

enum GatherProgress<V> {
    Waiting,
    Completed(V),
    /// A run limit forbids the next call.
    LimitExceeded(Failure),
}

impl<V: Value> Run<V> {
    pub(super) fn start_gather(
        &mut self,
        current: &CurrentNode<'_, V>,
        gatherer: &Gatherer,
        input: &V,
        sink: &mut impl StepSink<V>,
    ) -> EnterResult<V> {
        let plan = input.json(&Path::default()).unwrap_or_default();
        let calls = match gatherer.calls(&plan, &self.trusted_values()) {
            Ok(calls) => calls,
            Err(failure) => return EnterResult::Failed(failure),
        };
        let state = |(call, wrong): (PlannedCall, Option<Failure>)| {
            let ended = |failure| PlannedCallState::Done {
                sent: call.parameters.clone(),
                result: Err(failure),
                took_ms: 0.0,
            };
            let spot = wrong.map_or(PlannedCallState::Waiting, ended);
            (call, spot)
        };
        let (planned, states) = calls.into_iter().map(state).unzip();
        let gather_state = GatherState { planned, calls: states, started_ms: current.now_ms };
        match self.start_calls(current, gatherer, Box::new(gather_state), sink) {
            GatherProgress::Waiting => EnterResult::Waiting,
            GatherProgress::Completed(value) => EnterResult::Value(value),
            GatherProgress::LimitExceeded(failure) => EnterResult::LimitExceeded(failure),
        }
    }

    /// As many as may run in parallel.
    #[inline(never)]
    fn start_calls(
        &mut self,
        current: &CurrentNode<'_, V>,
        gatherer: &Gatherer,
        mut gather_state: Box<GatherState<V>>,
        sink: &mut impl StepSink<V>,
    ) -> GatherProgress<V> {
        while gather_state.open_serials().count() < gatherer.concurrency as usize {
            let Some((index, failed)) = gather_state.next(gatherer) else { break };
            let sent = match self.resolve_parameters(current, &gather_state, gatherer, index, failed) {
                Ok(sent) => sent,
                Err(failure) => {
                    self.record_unsent_call(current, &mut gather_state, index, failure, sink);
                    continue;
                }
            };
            let tool = gather_state.planned.get(index).map_or("", |call| call.tool.as_str()).to_owned();
            let approval = gatherer.needs_approval(&tool);
            if let Err(failure) = if approval { Ok(()) } else { self.count_call() } {
                self.scope_state_mut(current.scope).wait = Wait::Gather(gather_state);
                return GatherProgress::LimitExceeded(failure);
            }
            if self.observe {
                let data = vec![("tool", self.text(&tool)), ("arguments", V::from_json(&self.space, &sent))];
                self.emit_conversation_event(
                    current,
                    ConversationEvent::ToolAsked,
                    (TURN, Some(index)),
                    data,
                    sink,
                );
            }
            let serial = self.next_serial();
            self.emit_tool_call(current, TURN, index, (serial, approval, &sent), &tool, sink);
            // Approvers have unlimited time.
            let timer = if approval { None } else { self.start_call_timeout(current, gatherer, index, sink) };
            if let Some(state) = gather_state.calls.get_mut(index) {
                *state = PlannedCallState::Open { serial, approval, sent, started_ms: current.now_ms, timer };
            }
        }
        if gather_state.open_serials().next().is_some() {
            self.scope_state_mut(current.scope).wait = Wait::Gather(gather_state);
            return GatherProgress::Waiting;
        }
        let GatherState { planned, calls, started_ms } = *gather_state;
        let gathered = planned.into_iter().zip(calls).filter_map(|(call, state)| match state {
            PlannedCallState::Done { sent, result, took_ms } => {
                Some(GatheredCall { call, sent, result, took_ms })
            }
            _ => None,
        });
        GatherProgress::Completed(output(&self.space, gathered.collect(), current.now_ms - started_ms))
    }

    fn resolve_parameters(
        &self,
        current: &CurrentNode<'_, V>,
        gather_state: &GatherState<V>,
        gatherer: &Gatherer,
        index: usize,
        failed: Option<usize>,
    ) -> Result<Json, Failure> {
        if let Some(other) = failed {
            let message = format!("`call[{other}]` returned nothing, and `call[{index}]` refers to it");
            return Err(Failure::new("plan/bad-reference", message));
        }
        let Some(call) = gather_state.planned.get(index) else { return Ok(json!({})) };
        let result = |number: usize| match gather_state.calls.get(number) {
            Some(PlannedCallState::Done { result: Ok(value), .. }) => value.json(&Path::default()),
            _ => None,
        };
        let filled = resolve(&gatherer.parse_parameters(call), &result);
        let filled = filled.map_err(|message| Failure::new("plan/bad-reference", message))?;
        call_schema::check_planned_arguments(
            gatherer.tools(),
            &call.tool,
            &filled,
            &self.trusted_arguments(current, &call.tool),
        )?;
        Ok(filled)
    }

    /// The call is impossible.
    fn record_unsent_call(
        &self,
        current: &CurrentNode<'_, V>,
        gather_state: &mut GatherState<V>,
        index: usize,
        failure: Failure,
        sink: &mut impl StepSink<V>,
    ) {
        let (tool, sent) = match gather_state.planned.get(index) {
            Some(call) => (call.tool.clone(), call.parameters.clone()),
            None => Default::default(),
        };
        self.emit_tool_failed(current, (TURN, index), &tool, &failure, sink);
        if let Some(state) = gather_state.calls.get_mut(index) {
            *state = PlannedCallState::Done { sent, result: Err(failure), took_ms: 0.0 };
        }
    }

    pub(super) fn gather_call_done(
        &mut self,
        program: &Program<V>,
        call: CallId,
        result: Result<Answer<V>, Failure>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let scope = call.scope;
        let wait = std::mem::replace(&mut self.scope_state_mut(scope).wait, Wait::Nothing);
        let code = program.nodes.get(self.scope_state(scope).node as usize);
        let (Wait::Gather(mut gather_state), Some(compiled)) = (wait, code) else { return Next::Wait };
        let Some(gatherer) = gatherer(compiled) else { return Next::Wait };
        let current = CurrentNode::new(program, compiled, scope, at_ms);
        let Some(index) = gather_state.call_index(call.serial) else { return Next::Wait };
        let tool = gather_state.planned.get(index).map_or("", |call| call.tool.as_str()).to_owned();
        let Some(PlannedCallState::Open { sent, started_ms, timer, .. }) = gather_state.calls.get(index)
        else {
            return Next::Wait;
        };
        let (mut sent, began_ms) = (sent.clone(), *started_ms);
        if let Some(timer) = timer {
            self.cancel_wait(Command::ClearTimer(CallId { scope, serial: timer.serial }), sink);
        }
        let mut bytes = 0.0;
        let given = match result {
            Ok(Answer::Value(value, writes)) => {
                self.write_outputs(&current, writes);
                bytes = value.bytes();
                call_schema::check_late_result(
                    &self.space,
                    gatherer.tools(),
                    (&tool, gatherer.parses_json),
                    value,
                )
            }
            Ok(Answer::Decided(decision)) => {
                let edited = match decision {
                    Decision::Approved => Ok(sent.clone()),
                    Decision::Edited(value) => gatherer.guard().strip_edited(
                        &tool,
                        value.json(&Path::default()).unwrap_or_default(),
                        &self.trusted_values(),
                    ),
                    Decision::Rejected => Err(rejection(&tool)),
                };
                let taken = edited.and_then(|edited| {
                    sent = edited;
                    call_schema::check_planned_arguments(
                        gatherer.tools(),
                        &tool,
                        &sent,
                        &self.trusted_arguments(&current, &tool),
                    )
                });
                match taken {
                    Ok(()) => {
                        return self.gather_call_approved(
                            &current,
                            gatherer,
                            gather_state,
                            (index, sent),
                            sink,
                        );
                    }
                    Err(failure) => Err(failure),
                }
            }
            Ok(Answer::Reply(_)) => Err(Failure::new("tool/bad-reply", "the tool returned no value")),
            Err(failure) => Err(failure),
        };
        match &given {
            Ok(value) if self.observe => {
                let data = vec![("tool", self.text(&tool)), ("output", value.clone())];
                self.emit_conversation_event(
                    &current,
                    ConversationEvent::ToolAnswered,
                    (TURN, Some(index)),
                    data,
                    sink,
                );
            }
            Ok(_) => {}
            Err(failure) => self.emit_tool_failed(&current, (TURN, index), &tool, failure, sink),
        }
        if let Some(state) = gather_state.calls.get_mut(index) {
            *state = PlannedCallState::Done { sent, result: given, took_ms: at_ms - began_ms };
        }
        if let Some(failure) = self.output_limit_exceeded(bytes) {
            self.scope_state_mut(scope).wait = Wait::Gather(gather_state);
            return self.stop_at_limit(&current, failure, sink);
        }
        self.continue_gather(&current, gatherer, gather_state, sink)
    }

    fn gather_call_approved(
        &mut self,
        current: &CurrentNode<'_, V>,
        gatherer: &Gatherer,
        mut gather_state: Box<GatherState<V>>,
        (index, sent): (usize, Json),
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let tool = gather_state.planned.get(index).map_or("", |call| call.tool.as_str()).to_owned();
        let charged = self.count_call();
        let spot = match &charged {
            Ok(()) => {
                let serial = self.next_serial();
                self.emit_tool_call(current, TURN, index, (serial, false, &sent), &tool, sink);
                let timer = self.start_call_timeout(current, gatherer, index, sink);
                PlannedCallState::Open { serial, approval: false, sent, started_ms: current.now_ms, timer }
            }
            // An ended approval must not be abandoned.
            Err(failure) => PlannedCallState::Done { sent, result: Err(failure.clone()), took_ms: 0.0 },
        };
        if let Some(state) = gather_state.calls.get_mut(index) {
            *state = spot;
        }
        self.scope_state_mut(current.scope).wait = Wait::Gather(gather_state);
        match charged {
            Ok(()) => Next::Wait,
            Err(failure) => self.stop_at_limit(current, failure, sink),
        }
    }

    fn continue_gather(
        &mut self,
        current: &CurrentNode<'_, V>,
        gatherer: &Gatherer,
        gather_state: Box<GatherState<V>>,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        match self.start_calls(current, gatherer, gather_state, sink) {
            GatherProgress::Waiting => Next::Wait,
            GatherProgress::Completed(value) => {
                self.complete_node(current.program, current.scope, value, current.now_ms, sink)
            }
            GatherProgress::LimitExceeded(failure) => self.stop_at_limit(current, failure, sink),
        }
    }

    pub(super) fn reissue_gather_calls(
        &mut self,
        program: &Program<V>,
        scope: u32,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) {
        let Some(compiled) = program.nodes.get(self.scope_state(scope).node as usize) else { return };
        let mut gather_state = match std::mem::replace(&mut self.scope_state_mut(scope).wait, Wait::Nothing) {
            Wait::Gather(gather_state) => gather_state,
            other => {
                self.scope_state_mut(scope).wait = other;
                return;
            }
        };
        let current = CurrentNode::new(program, compiled, scope, at_ms);
        for (number, (state, call)) in gather_state.calls.iter_mut().zip(&gather_state.planned).enumerate() {
            let PlannedCallState::Open { serial, approval, sent, timer, .. } = state else { continue };
            self.emit_tool_call(&current, TURN, number, (*serial, *approval, sent), &call.tool, sink);
            match timer {
                Some(timer) => sink.command(timer.reissue(scope, self.call_timer(scope, number), at_ms)),
                None if *approval => {}
                None => {
                    *timer = gatherer(compiled)
                        .and_then(|gatherer| self.start_call_timeout(&current, gatherer, number, sink));
                }
            }
        }
        self.scope_state_mut(scope).wait = Wait::Gather(gather_state);
    }

    /// The results of a failing node. Pending calls count as failed.
    pub(super) fn partial_gather(&self, scope: u32, at_ms: f64) -> Option<V> {
        let Wait::Gather(gather_state) = &self.scope_state(scope).wait else { return None };
        let unfinished = |message: &str| Err(Failure::new("node/timeout", message));
        let ended = |(call, state): (&PlannedCall, &PlannedCallState<V>)| {
            let (sent, result, took_ms) = match state {
                PlannedCallState::Done { sent, result, took_ms } => (sent.clone(), result.clone(), *took_ms),
                PlannedCallState::Open { sent, started_ms, .. } => {
                    (sent.clone(), unfinished("the call did not end in time"), at_ms - started_ms)
                }
                PlannedCallState::Waiting => {
                    (call.parameters.clone(), unfinished("the call was not begun in time"), 0.0)
                }
            };
            GatheredCall { call: call.clone(), sent, result, took_ms }
        };
        let gathered = gather_state.planned.iter().zip(&gather_state.calls).map(ended).collect();
        Some(output(&self.space, gathered, at_ms - gather_state.started_ms))
    }

    /// For the report, until the next event.
    pub(super) fn save_partial_gather(&mut self, scope: u32, gather_state: &GatherState<V>) {
        let values: Vec<(usize, V)> = gather_state.values().map(|(at, value)| (at, value.clone())).collect();
        self.save_partial_values(scope, values);
    }
}

pub(super) fn gatherer<V>(compiled: &CompiledNode<V>) -> Option<&Gatherer> {
    compiled.options.as_ref()?.gatherer.as_deref()
}
