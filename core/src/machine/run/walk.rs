//! The walk from node to node within a scope.
//!
//! Decides the bounds, what a node gives or asks, and what its output changes. Which edge comes next is decided in `look`,
//! what a failure leads to in `tries`, what the graphs inside a node lead to in `join`.

use super::super::event::{Call, CallId, Command, Request};
use super::super::fill::fill;
use super::super::frame::{Fault, Frame, Wait};
use super::super::lookup::From;
use super::super::program::{Code, Input, Program};
use super::super::told::{Sink, TraceEvent};
use super::bounds;
use super::gather::gatherer;
use super::talk::At;
use super::{Next, Run};
use crate::failure::Failure;
use crate::model::{ChatReply, ChatRequest};
use crate::node::{Action, llm, tool};
use crate::value::{Path, Value};
use serde_json::Value as Json;

/// The most nodes of a run's path that are kept, the last ones.
const MOST_PATH: usize = 100_000;

/// What a node came to at once.
pub(super) enum Act<V> {
    Value(V),
    /// It asked something.
    Asked,
    Failed(Failure),
    /// A bound of the whole run was passed.
    Stopped(Failure),
}

/// A value as JSON.
pub(super) fn whole<V: Value>(value: &V) -> Json {
    value.json(&Path::default()).unwrap_or_default()
}

impl<V: Value> Run<V> {
    /// The scope of that number.
    pub(super) fn frame(&self, scope: u32) -> &Frame<V> {
        let nested = (scope as usize).checked_sub(1).and_then(|at| self.nested.get(at));
        nested.map_or(&self.root, |frame| frame)
    }

    /// The same, to be changed.
    pub(super) fn frame_mut(&mut self, scope: u32) -> &mut Frame<V> {
        match (scope as usize).checked_sub(1).and_then(|at| self.nested.get_mut(at)) {
            Some(frame) => frame,
            None => &mut self.root,
        }
    }

    /// What happens at a node, told of the scope it happens in.
    #[expect(
        clippy::unnecessary_box_returns,
        reason = "where a scope goes next is told a million times, a failure rarely"
    )]
    pub(super) fn fault(&self, scope: u32, failure: Failure) -> Box<Fault> {
        let frame = self.frame(scope);
        Box::new(Fault { failure, node: frame.node, scope: frame.scope.clone() })
    }

    /// Whether the bounds allow another visit, and which it is.
    fn admit(&mut self, scope: u32, node: u32, code: &Code<V>, at_ms: f64) -> Result<u32, Next> {
        let limit = code.visits.unwrap_or(self.limits.visits);
        let enough = self.limits.steps.is_some_and(|steps| self.counts.steps >= steps);
        let frame = self.frame_mut(scope);
        frame.node = node;
        let mut nowhere = 0;
        let place = (node - frame.first) as usize;
        let visits = frame.visits.get_mut(place).unwrap_or(&mut nowhere);
        if *visits >= limit || enough {
            let visited = *visits >= limit;
            return Err(self.too_much(scope, code, visited.then_some(limit)));
        }
        *visits += 1;
        let visit = *visits;
        (frame.visit, frame.attempt, frame.started_ms) = (visit, 1, at_ms);
        self.counts.steps += 1;
        if scope == 0 {
            self.path.push(node);
            if self.path.len() > MOST_PATH {
                self.forget_path();
            }
        }
        Ok(visit)
    }

    /// Leaves out the older half of the path: a run that goes on for ever must not grow by it, nor its snapshot.
    #[cold]
    #[inline(never)]
    fn forget_path(&mut self) {
        self.path.drain(..MOST_PATH / 2);
    }

    /// Runs one node as far as it goes without waiting.
    pub(super) fn enter(
        &mut self,
        program: &Program<V>,
        scope: u32,
        node: u32,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let Some(code) = program.nodes.get(node as usize) else { return Next::Wait };
        let visit = match self.admit(scope, node, code, at_ms) {
            Ok(visit) => visit,
            Err(next) => return next,
        };
        let input = self.filled(program, scope, code);
        if self.observe {
            let input = input.as_ref().map_or_else(|_| V::from_json(&self.space, &Json::Null), Clone::clone);
            let scope = self.frame(scope).scope.clone();
            sink.happened(TraceEvent::NodeStarted { at_ms, scope, node, visit, input });
        }
        self.act(program, scope, code, input, at_ms, sink)
    }

    /// Tries the node at hand once more.
    pub(super) fn attempt(
        &mut self,
        program: &Program<V>,
        scope: u32,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let Some(code) = program.nodes.get(self.frame(scope).node as usize) else { return Next::Wait };
        // Nothing in reach has changed since the first try, so this is the same input.
        let input = self.filled(program, scope, code);
        self.act(program, scope, code, input, at_ms, sink)
    }

    /// The same as `input`, and counts what a template made.
    fn filled(&mut self, program: &Program<V>, scope: u32, code: &Code<V>) -> Result<V, Failure> {
        let input = self.input(program, scope, code)?;
        if code.input.is_made() {
            self.made(&input)?;
        }
        Ok(input)
    }

    /// The input of a node, its holes filled.
    pub(super) fn input(&self, program: &Program<V>, scope: u32, code: &Code<V>) -> Result<V, Failure> {
        let frame = self.frame(scope);
        match &code.input {
            Input::Last => Ok(frame.last.clone()),
            Input::Own(own) => fill(own, &From { run: self, program, frame }),
        }
    }

    fn act(
        &mut self,
        program: &Program<V>,
        scope: u32,
        code: &Code<V>,
        input: Result<V, Failure>,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let act = match (input, &code.action) {
            // A bound of the run, which no edge rescues.
            (Err(failure), _) if failure.code == "run/output-limit" => Act::Stopped(failure),
            (Err(failure), _) => Act::Failed(failure),
            (Ok(_), Action::Pass) => Act::Value(self.frame(scope).last.clone()),
            (Ok(input), Action::Log) => {
                if self.observe {
                    let frame = self.frame(scope);
                    let (scope, node) = (frame.scope.clone(), frame.node);
                    sink.happened(TraceEvent::Logged { at_ms, scope, node, value: input.clone() });
                }
                Act::Value(input)
            }
            (Ok(input), _) if code.extra.as_ref().is_some_and(|extra| extra.agent.is_some()) => {
                self.converse(program, scope, code, &input, at_ms, sink)
            }
            (Ok(input), Action::Gather(..)) => match gatherer(code) {
                Some(gatherer) => self.gather(&At::new(program, code, scope, at_ms), gatherer, &input, sink),
                None => Act::Asked,
            },
            (Ok(input), Action::Fan(fan)) => self.spread(program, scope, code, *fan, &input, at_ms, sink),
            (Ok(input), _) => self.ask(program, scope, code, input, at_ms, sink),
        };
        match act {
            Act::Value(value) => self.complete(program, scope, value, at_ms, sink),
            Act::Asked => {
                self.watch(scope, code, at_ms, sink);
                Next::Wait
            }
            Act::Failed(failure) => self.give_up(program, scope, self.fault(scope, failure), at_ms, sink),
            Act::Stopped(failure) => {
                let fault = self.fault(scope, failure);
                self.tell_failed(scope, &fault, at_ms, sink);
                Next::Stop(fault)
            }
        }
    }

    /// What is asked for a node.
    pub(super) fn request(
        &self,
        program: &Program<V>,
        scope: u32,
        code: &Code<V>,
        input: &V,
    ) -> Result<Request<V>, Failure> {
        Ok(match &code.action {
            Action::Tool(_) => {
                let arguments = if code.input.is_pieced() {
                    input.clone()
                } else {
                    tool::arguments(&self.space, input.clone())
                };
                takes(code, &arguments)?;
                Request::Tool(arguments)
            }
            Action::Llm(_) => Request::Model(Box::new(self.chat(program, scope, code, &whole(input))?)),
            Action::Approve => Request::Approval,
            _ => Request::Handler,
        })
    }

    /// The host's trusted values as JSON.
    pub(super) fn trusted_values(&self) -> Json {
        self.context.as_ref().map(whole).unwrap_or_default()
    }

    /// What a model is asked first: the node's settings and its input.
    pub(super) fn chat(
        &self,
        program: &Program<V>,
        scope: u32,
        code: &Code<V>,
        input: &Json,
    ) -> Result<ChatRequest, Failure> {
        let from = From { run: self, program, frame: self.frame(scope) };
        let settings = code.extra.as_ref().and_then(|extra| extra.settings.as_ref());
        let settings = settings.map(|settings| fill(settings, &from)).transpose()?;
        settings.as_ref().map_or(Ok(()), |settings| bounds::fits(settings.weight()))?;
        let settings = settings.as_ref().map(whole).unwrap_or_default();
        Ok(llm::request(&settings, input))
    }

    fn ask(
        &mut self,
        program: &Program<V>,
        scope: u32,
        code: &Code<V>,
        input: V,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Act<V> {
        let request = match &code.action {
            // The commonest is known at once.
            Action::Handler(_) => Request::Handler,
            _ => match self.request(program, scope, code, &input) {
                Ok(request) => request,
                Err(failure) => return Act::Failed(failure),
            },
        };
        if let Request::Tool(arguments) = &request
            && code.extra.as_ref().is_some_and(|extra| extra.asks)
        {
            return self.ask_leave(&At::new(program, code, scope, at_ms), arguments, sink);
        }
        // A person is no call: nobody is charged for it.
        if !matches!(request, Request::Approval)
            && let Err(failure) = self.charge()
        {
            return Act::Stopped(failure);
        }
        let serial = self.next_serial();
        let frame = self.frame_mut(scope);
        frame.wait = Wait::Call(serial);
        let common = scope == 0 && frame.attempt == 1 && matches!(request, Request::Handler);
        if !(common && sink.asked(serial, frame.node, frame.visit, &input)) {
            self.command_call(scope, serial, code, input, request, sink);
        }
        Act::Asked
    }

    /// A number that no other call or timer has.
    pub(super) fn next_serial(&mut self) -> u32 {
        self.serial += 1;
        self.serial
    }

    pub(super) fn null(&self) -> V {
        V::from_json(&self.space, &Json::Null)
    }

    pub(super) fn command_call(
        &self,
        scope: u32,
        serial: u32,
        code: &Code<V>,
        input: V,
        request: Request<V>,
        sink: &mut impl Sink<V>,
    ) {
        let frame = self.frame(scope);
        sink.command(Command::Call(Call {
            id: CallId { scope, serial },
            scope: frame.scope.clone(),
            node: frame.node,
            visit: frame.visit,
            attempt: frame.attempt,
            input,
            own_input: matches!(code.input, Input::Own(_)),
            request,
            part: None,
        }));
    }

    /// What a model's answer becomes.
    pub(super) fn reply(&self, program: &Program<V>, scope: u32, reply: &ChatReply) -> Result<V, Failure> {
        let code = program.nodes.get(self.frame(scope).node as usize);
        let structured = matches!(code.map(|code| &code.action), Some(Action::Llm(Some(with))) if with.get("schema").is_some());
        let json =
            llm::output(reply, structured).map_err(|message| Failure::new("model/bad-reply", message))?;
        Ok(V::from_json(&self.space, &json))
    }

    /// A node was answered: what it gave stays, even when a bound is passed by it.
    pub(super) fn complete_bounded(
        &mut self,
        program: &Program<V>,
        scope: u32,
        value: V,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let bounded = self.limits.tokens.is_some() || self.limits.output_bytes.is_some();
        let Some(failure) = (if bounded { self.passed(&value) } else { None }) else {
            return self.complete(program, scope, value, at_ms, sink);
        };
        self.settle(scope, value, at_ms, sink);
        Next::Stop(self.fault(scope, failure))
    }

    /// A node gave its output; where to go from there.
    pub(super) fn complete(
        &mut self,
        program: &Program<V>,
        scope: u32,
        value: V,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        self.settle(scope, value, at_ms, sink);
        self.decide(program, scope, false, at_ms, sink).unwrap_or(Next::Wait)
    }

    /// Keeps what a node gave.
    fn settle(&mut self, scope: u32, value: V, at_ms: f64, sink: &mut impl Sink<V>) {
        self.unwatch(scope, sink);
        if self.observe {
            let frame = self.frame(scope);
            sink.happened(TraceEvent::NodeCompleted {
                at_ms,
                scope: frame.scope.clone(),
                node: frame.node,
                visit: frame.visit,
                output: value.clone(),
                duration_ms: at_ms - frame.started_ms,
            });
        }
        let frame = self.frame_mut(scope);
        if let Some(slot) = frame.outputs.get_mut((frame.node - frame.first) as usize) {
            *slot = Some(value.clone());
        }
        frame.last = value;
        // `error` speaks of the node at hand: one that was rescued earlier has not failed now.
        frame.error = None;
    }
}

/// Whether the tool of a node takes these arguments.
pub(super) fn takes<V: Value>(code: &Code<V>, arguments: &V) -> Result<(), Failure> {
    let contract = code.extra.as_ref().and_then(|extra| extra.contract.as_ref());
    match (contract, &code.action) {
        (Some(contract), Action::Tool(name)) => contract.takes(name, arguments),
        _ => Ok(()),
    }
}
