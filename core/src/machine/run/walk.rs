//! The walk from node to node, until something has to be waited for.
//!
//! Decides the bounds and the way on. A loop, not a recursion: a million nodes that need no answer take no stack.

use super::super::event::{Command, Failure, Outcome, Reason, Request, Seen, Sink, TraceEvent};
use super::super::fill::{Scope, fill};
use super::super::judge;
use super::super::program::{Code, Input, Program};
use super::{CallId, Run, State};
use crate::node::{Action, llm, tool};
use crate::value::{Path, Value};
use serde_json::{Value as Json, json};

impl<V: Value> Run<V> {
    /// Runs nodes from `next` on until one has to wait or the run is over.
    pub(super) fn walk(&mut self, program: &Program<V>, next: u32, at_ms: f64, sink: &mut impl Sink<V>) {
        let mut next = Some(next);
        while let Some(node) = next {
            let Some(code) = program.nodes.get(node as usize) else { return };
            next = match self.admit(node, code) {
                Ok(visit) => self.enter(program, node, code, visit, at_ms, sink),
                Err(failure) => {
                    self.end_failed(failure, node, at_ms, sink);
                    None
                }
            };
        }
    }

    /// Whether the bounds allow another visit, and which it is.
    fn admit(&mut self, node: u32, code: &Code<V>) -> Result<u32, Failure> {
        let limit = code.visits.unwrap_or(self.limits.visits);
        let Some(visits) = self.visits.get_mut(node as usize) else { return Ok(1) };
        if *visits >= limit {
            return Err(Failure::new(
                "run/visit-limit",
                format!("node `{}` was visited {limit} times", code.id),
            ));
        }
        if self.limits.steps.is_some_and(|steps| self.counts.steps >= steps) {
            return Err(Failure::new("run/step-limit", format!("{} nodes were run", self.counts.steps)));
        }
        *visits += 1;
        self.counts.steps += 1;
        self.path.push(node);
        Ok(*visits)
    }

    /// Runs one node as far as it goes without waiting; the next node, if that is known already.
    fn enter(
        &mut self,
        program: &Program<V>,
        node: u32,
        code: &Code<V>,
        visit: u32,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Option<u32> {
        self.node_started_ms = at_ms;
        let input = match &code.input {
            Input::Last => Ok(self.last.clone()),
            Input::Own(own) => fill(own, self),
        };
        if self.observe {
            let input = input.as_ref().map_or_else(|_| V::from_json(&self.space, &Json::Null), Clone::clone);
            sink.happened(TraceEvent::NodeStarted { at_ms, node, visit, input });
        }
        match input.and_then(|input| self.act(node, code, visit, input, sink)) {
            Ok(Some(value)) => {
                if self.observe && code.action == Action::Log {
                    sink.happened(TraceEvent::Logged { at_ms, node, value: value.clone() });
                }
                self.complete(program, node, value, at_ms, sink)
            }
            Ok(None) => None,
            Err(failure) => self.fail(program, node, failure, at_ms, sink),
        }
    }

    /// What a node gives at once; nothing when it asked something.
    fn act(
        &mut self,
        node: u32,
        code: &Code<V>,
        visit: u32,
        input: V,
        sink: &mut impl Sink<V>,
    ) -> Result<Option<V>, Failure> {
        let request = match &code.action {
            Action::Pass | Action::Approve | Action::Fan(_) => return Ok(Some(self.last.clone())),
            Action::Log => return Ok(Some(input)),
            Action::Handler(_) => Request::Handler,
            Action::Tool(_) => Request::Tool(tool::arguments(&self.space, input.clone())),
            Action::Llm(_) => {
                let settings = code.settings.as_ref().map(|settings| fill(settings, self)).transpose()?;
                let whole = Path::default();
                let settings = settings.and_then(|settings| settings.json(&whole)).unwrap_or(Json::Null);
                let asked = input.json(&whole).unwrap_or(Json::Null);
                Request::Model(Box::new(llm::request(&settings, &asked)))
            }
        };
        if self.limits.calls.is_some_and(|calls| self.counts.calls >= calls) {
            return Err(Failure::new("run/call-limit", format!("{} calls were made", self.counts.calls)));
        }
        let call = CallId(self.counts.calls);
        self.counts.calls += 1;
        self.state = State::Waiting { call, node };
        let own_input = matches!(code.input, Input::Own(_));
        sink.command(Command::Call { call, node, visit, input, own_input, request });
        Ok(None)
    }

    /// A node gave its output; where to go from there.
    pub(super) fn complete(
        &mut self,
        program: &Program<V>,
        node: u32,
        value: V,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Option<u32> {
        if self.observe {
            let (visit, duration_ms) = (self.visit(node), at_ms - self.node_started_ms);
            sink.happened(TraceEvent::NodeCompleted {
                at_ms,
                node,
                visit,
                output: value.clone(),
                duration_ms,
            });
        }
        if let Some(slot) = self.outputs.get_mut(node as usize) {
            *slot = Some(value.clone());
        }
        self.last = value;
        // `error` speaks of the node at hand: one that was rescued earlier has not failed now.
        self.error = None;
        self.decide(program, node, false, at_ms, sink)
    }

    /// A node failed; where to go from there, if an edge speaks of the failure.
    pub(super) fn fail(
        &mut self,
        program: &Program<V>,
        node: u32,
        failure: Failure,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Option<u32> {
        if self.observe {
            let (visit, duration_ms) = (self.visit(node), at_ms - self.node_started_ms);
            let failure = failure.clone();
            sink.happened(TraceEvent::NodeFailed { at_ms, node, visit, failure, duration_ms });
        }
        let code = program.nodes.get(node as usize)?;
        let speaks = |edge: &u32| program.edges.get(*edge as usize).is_some_and(|edge| edge.mentions_error);
        if failure.code != "run/call-limit" && code.edges.iter().any(speaks) {
            let error = json!({"code": failure.code, "message": failure.message, "node": code.id});
            self.error = Some(V::from_json(&self.space, &error));
            let next = self.decide(program, node, true, at_ms, sink);
            if next.is_some() {
                return next;
            }
        }
        self.end_failed(failure, node, at_ms, sink);
        None
    }

    fn end_failed(&mut self, failure: Failure, node: u32, at_ms: f64, sink: &mut impl Sink<V>) {
        let Failure { code, message } = failure;
        self.finish(Outcome::Failed { code, message, node: Some(node) }, at_ms, sink);
    }

    fn visit(&self, node: u32) -> u32 {
        self.visits.get(node as usize).copied().unwrap_or(0)
    }

    /// Chooses the edge: the first condition that holds, else the first fallback, else the run ends here.
    fn decide(
        &mut self,
        program: &Program<V>,
        node: u32,
        failed: bool,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Option<u32> {
        let code = program.nodes.get(node as usize)?;
        if let (false, false, false, [edge, ..]) =
            (self.observe, code.has_tests, failed, code.edges.as_slice())
        {
            // Most nodes of most plans: one way on, and nobody to tell.
            return program.edges.get(*edge as usize).map(|edge| edge.target);
        }
        let (edge, reason) = self.choose(program, code, failed, sink);
        if self.observe {
            sink.happened(TraceEvent::EdgeDecided { at_ms, node, edge, reason, verdicts: Vec::new() });
        }
        match edge.and_then(|edge| program.edges.get(edge as usize)) {
            Some(edge) => Some(edge.target),
            None if failed => None,
            None => {
                self.finish(Outcome::Completed(reason), at_ms, sink);
                None
            }
        }
    }

    fn choose(
        &self,
        program: &Program<V>,
        code: &Code<V>,
        failed: bool,
        sink: &mut impl Sink<V>,
    ) -> (Option<u32>, Reason) {
        let Some(first) = code.edges.first() else { return (None, Reason::Terminal) };
        if !code.has_tests {
            return if failed { (None, Reason::NoMatch) } else { (Some(*first), Reason::Fallback) };
        }
        let mut fallback = None;
        for position in &code.edges {
            let Some(edge) = program.edges.get(*position as usize) else { continue };
            match &edge.test {
                None => fallback = fallback.or(Some(*position)),
                Some(_) if failed && !edge.mentions_error => {}
                Some(test) => {
                    let holds = test.eval(&mut |atom| self.judge(program, atom, sink));
                    if self.observe {
                        sink.judged(*position, holds);
                    }
                    if holds {
                        return (Some(*position), Reason::Condition);
                    }
                }
            }
        }
        match fallback {
            Some(edge) if !failed => (Some(edge), Reason::Fallback),
            _ => (None, Reason::NoMatch),
        }
    }

    fn judge(&self, program: &Program<V>, atom: usize, sink: &mut impl Sink<V>) -> bool {
        let Some(code) = program.atoms.get(atom) else { return false };
        let value = self.root(code.look);
        if self.observe {
            sink.saw(Seen { atom: u32::try_from(atom).unwrap_or(u32::MAX), value: value.cloned() });
        }
        value.is_some_and(|value| {
            judge::holds(value, Scope::path(self, code.look), code.ask, &program.literals)
        })
    }
}
