//! Executes nodes within a scope.
//!
//! `transition` chooses edges, `retry` handles failures, `join` handles nested graphs.

use super::super::event::{Call, CallId, Command, Request};
use super::super::interpolate::{check_template_size, interpolate};
use super::super::lookup::ScopeView;
use super::super::program::{CompiledNode, InputSource, Program};
use super::super::scope_state::{NodeFailure, ScopeState, Wait};
use super::super::trace::{StepSink, TraceEvent};
use super::conversation::CurrentNode;
use super::gather::gatherer;
use super::{Next, Run};
use crate::failure::Failure;
use crate::model::{ChatReply, ChatRequest};
use crate::node::{Action, llm, tool};
use crate::value::{Path, Value};
use serde_json::Value as Json;

/// Older nodes are dropped.
const MAX_PATH: usize = 100_000;

pub(super) enum EnterResult<V> {
    Value(V),
    Waiting,
    Failed(Failure),
    LimitExceeded(Failure),
}

impl<V> EnterResult<V> {
    /// No failure edge applies to run limits.
    pub(super) fn failed(failure: Failure) -> Self {
        if failure.code == "run/output-limit" { Self::LimitExceeded(failure) } else { Self::Failed(failure) }
    }
}

pub(super) fn to_json<V: Value>(value: &V) -> Json {
    value.json(&Path::default()).unwrap_or_default()
}

impl<V: Value> Run<V> {
    pub(super) fn scope_state(&self, scope: u32) -> &ScopeState<V> {
        let nested = (scope as usize).checked_sub(1).and_then(|at| self.nested.get(at));
        nested.map_or(&self.root, |scope_state| scope_state)
    }

    pub(super) fn scope_state_mut(&mut self, scope: u32) -> &mut ScopeState<V> {
        match (scope as usize).checked_sub(1).and_then(|at| self.nested.get_mut(at)) {
            Some(scope_state) => scope_state,
            None => &mut self.root,
        }
    }

    #[expect(
        clippy::unnecessary_box_returns,
        reason = "where a scope goes next is told a million times, a failure rarely"
    )]
    pub(super) fn node_failure(&self, scope: u32, failure: Failure) -> Box<NodeFailure> {
        let scope_state = self.scope_state(scope);
        Box::new(NodeFailure { failure, node: scope_state.node, scope: scope_state.scope.clone() })
    }

    /// Returns the visit's number, or the exceeded limit.
    fn count_visit(
        &mut self,
        scope: u32,
        node: u32,
        compiled: &CompiledNode<V>,
        at_ms: f64,
    ) -> Result<u32, Next> {
        let limit = compiled.visits.unwrap_or(self.limits.visits);
        let enough = self.limits.steps.is_some_and(|steps| self.counts.steps >= steps);
        let scope_state = self.scope_state_mut(scope);
        scope_state.node = node;
        let mut nowhere = 0;
        let index = (node - scope_state.first) as usize;
        let visits = scope_state.visits.get_mut(index).unwrap_or(&mut nowhere);
        if *visits >= limit || enough {
            let visited = *visits >= limit;
            return Err(self.visit_or_step_limit(scope, compiled, visited.then_some(limit)));
        }
        *visits += 1;
        let visit = *visits;
        (scope_state.visit, scope_state.attempt, scope_state.started_ms) = (visit, 1, at_ms);
        self.counts.steps += 1;
        if scope == 0 {
            self.path.push(node);
            if self.path.len() > MAX_PATH {
                self.truncate_path();
            }
        }
        Ok(visit)
    }

    /// Keeps endless runs and their snapshots small.
    #[cold]
    #[inline(never)]
    fn truncate_path(&mut self) {
        self.path.drain(..MAX_PATH / 2);
    }

    pub(super) fn enter(
        &mut self,
        program: &Program<V>,
        scope: u32,
        node: u32,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let Some(compiled) = program.nodes.get(node as usize) else { return Next::Wait };
        let visit = match self.count_visit(scope, node, compiled, at_ms) {
            Ok(visit) => visit,
            Err(next) => return next,
        };
        let input = self.interpolated_input(program, scope, compiled);
        if self.observe {
            let input = input.as_ref().map_or_else(|_| V::from_json(&self.space, &Json::Null), Clone::clone);
            let scope = self.scope_state(scope).scope.clone();
            sink.emit(TraceEvent::NodeStarted { at_ms, scope, node, visit, input });
        }
        self.run_action(program, scope, compiled, input, at_ms, sink)
    }

    pub(super) fn start_attempt(
        &mut self,
        program: &Program<V>,
        scope: u32,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let Some(compiled) = program.nodes.get(self.scope_state(scope).node as usize) else {
            return Next::Wait;
        };
        // The input's values have not changed since the first attempt.
        let input = self.interpolated_input(program, scope, compiled);
        self.run_action(program, scope, compiled, input, at_ms, sink)
    }

    fn interpolated_input(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
    ) -> Result<V, Failure> {
        let input = self.node_input(program, scope, compiled)?;
        if compiled.input.is_computed() {
            self.count_template_bytes(&input)?;
        }
        Ok(input)
    }

    pub(super) fn node_input(
        &self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
    ) -> Result<V, Failure> {
        let scope_state = self.scope_state(scope);
        match &compiled.input {
            InputSource::Last => Ok(scope_state.last.clone()),
            InputSource::Own(own) => interpolate("input", own, &ScopeView::new(self, program, scope_state)),
        }
    }

    fn run_action(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        input: Result<V, Failure>,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> Next {
        let result = match (input, &compiled.action) {
            (Err(failure), _) => EnterResult::failed(failure),
            (Ok(_), Action::Pass) => EnterResult::Value(self.scope_state(scope).last.clone()),
            (Ok(_), Action::Set) => self.set_values(program, scope, compiled),
            (Ok(_), Action::Wait) => self.start_wait(program, scope, compiled, at_ms, sink),
            (Ok(input), Action::Log) => {
                if self.observe {
                    let scope_state = self.scope_state(scope);
                    let (scope, node) = (scope_state.scope.clone(), scope_state.node);
                    sink.emit(TraceEvent::Logged { at_ms, scope, node, value: input.clone() });
                }
                EnterResult::Value(input)
            }
            (Ok(input), _) if compiled.options.as_ref().is_some_and(|options| options.agent.is_some()) => {
                self.start_conversation(program, scope, compiled, &input, at_ms, sink)
            }
            (Ok(input), Action::Gather(..)) => match gatherer(compiled) {
                Some(gatherer) => self.start_gather(
                    &CurrentNode::new(program, compiled, scope, at_ms),
                    gatherer,
                    &input,
                    sink,
                ),
                None => EnterResult::Waiting,
            },
            (Ok(input), Action::Composite(composite)) => {
                self.start_children(program, scope, compiled, *composite, &input, at_ms, sink)
            }
            (Ok(input), _) => self.start_call(program, scope, compiled, input, at_ms, sink),
        };
        match result {
            EnterResult::Value(value) => self.complete_node(program, scope, value, at_ms, sink),
            EnterResult::Waiting => {
                self.start_attempt_timeout(scope, compiled, at_ms, sink);
                Next::Wait
            }
            EnterResult::Failed(failure) => {
                self.node_failed(program, scope, self.node_failure(scope, failure), at_ms, sink)
            }
            EnterResult::LimitExceeded(failure) => {
                let node_failure = self.node_failure(scope, failure);
                self.emit_node_failed(scope, &node_failure, at_ms, sink);
                Next::Stop(node_failure)
            }
        }
    }

    pub(super) fn build_request(
        &self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        input: &V,
    ) -> Result<Request<V>, Failure> {
        Ok(match &compiled.action {
            Action::Tool(_) => {
                let arguments = if compiled.input.is_text_template() {
                    input.clone()
                } else {
                    tool::to_arguments(&self.space, input.clone())
                };
                check_tool_arguments(compiled, &arguments)?;
                Request::Tool(arguments)
            }
            Action::Llm(_) => {
                Request::Model(Box::new(self.chat_request(program, scope, compiled, &to_json(input))?))
            }
            Action::Approve => Request::Approval,
            _ => Request::Handler,
        })
    }

    pub(super) fn trusted_values(&self) -> Json {
        self.context.as_ref().map(to_json).unwrap_or_default()
    }

    pub(super) fn chat_request(
        &self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        input: &Json,
    ) -> Result<ChatRequest, Failure> {
        let view = ScopeView::new(self, program, self.scope_state(scope));
        let settings = compiled.options.as_ref().and_then(|options| options.settings.as_ref());
        let settings = settings.map(|settings| interpolate("with", settings, &view)).transpose()?;
        settings.as_ref().map_or(Ok(()), |settings| check_template_size(settings.weight()))?;
        let settings = settings.as_ref().map(to_json).unwrap_or_default();
        Ok(llm::build_request(&settings, input))
    }

    fn start_call(
        &mut self,
        program: &Program<V>,
        scope: u32,
        compiled: &CompiledNode<V>,
        input: V,
        at_ms: f64,
        sink: &mut impl StepSink<V>,
    ) -> EnterResult<V> {
        let request = match &compiled.action {
            // Handlers, the most common, need no request data.
            Action::Handler(_) => Request::Handler,
            _ => match self.build_request(program, scope, compiled, &input) {
                Ok(request) => request,
                Err(failure) => return EnterResult::Failed(failure),
            },
        };
        if let Request::Tool(arguments) = &request
            && compiled.options.as_ref().is_some_and(|options| options.needs_approval)
        {
            return self.request_approval(
                &CurrentNode::new(program, compiled, scope, at_ms),
                arguments,
                sink,
            );
        }
        // Approvals cost nothing.
        if !matches!(request, Request::Approval)
            && let Err(failure) = self.count_call()
        {
            return EnterResult::LimitExceeded(failure);
        }
        let serial = self.next_serial();
        self.model_called(CallId { scope, serial }, &request);
        let scope_state = self.scope_state_mut(scope);
        scope_state.wait = Wait::Call(serial);
        let common = scope == 0 && scope_state.attempt == 1 && matches!(request, Request::Handler);
        if !(common && sink.handler_called(serial, scope_state.node, scope_state.visit, &input)) {
            self.emit_call(scope, serial, compiled, input, request, sink);
        }
        EnterResult::Waiting
    }

    pub(super) fn next_serial(&mut self) -> u32 {
        self.serial += 1;
        self.serial
    }

    pub(super) fn null(&self) -> V {
        V::from_json(&self.space, &Json::Null)
    }

    pub(super) fn emit_call(
        &self,
        scope: u32,
        serial: u32,
        compiled: &CompiledNode<V>,
        input: V,
        request: Request<V>,
        sink: &mut impl StepSink<V>,
    ) {
        let scope_state = self.scope_state(scope);
        sink.command(Command::Call(Call {
            id: CallId { scope, serial },
            scope: scope_state.scope.clone(),
            node: scope_state.node,
            visit: scope_state.visit,
            attempt: scope_state.attempt,
            input,
            has_own_input: matches!(compiled.input, InputSource::Own(_)),
            request,
            sub_call: None,
        }));
    }

    pub(super) fn reply_value(
        &self,
        program: &Program<V>,
        scope: u32,
        reply: &ChatReply,
    ) -> Result<V, Failure> {
        let code = program.nodes.get(self.scope_state(scope).node as usize);
        let structured = matches!(code.map(|compiled| &compiled.action), Some(Action::Llm(Some(with))) if with.get("schema").is_some());
        let json = llm::parse_reply(reply, structured)
            .map_err(|message| Failure::new("model/bad-reply", message))?;
        Ok(V::from_json(&self.space, &json))
    }
}

pub(super) fn check_tool_arguments<V: Value>(
    compiled: &CompiledNode<V>,
    arguments: &V,
) -> Result<(), Failure> {
    let call_schema = compiled.options.as_ref().and_then(|options| options.call_schema.as_ref());
    match (call_schema, &compiled.action) {
        (Some(call_schema), Action::Tool(name)) => call_schema.check_arguments(name, arguments),
        _ => Ok(()),
    }
}
