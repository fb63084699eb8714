//! Translates the machine's events to those of [`crate::scope_oracle`], and checks them.

use super::{Interleaver, float};
use crate::scope_oracle::{OracleEvent, RunResult, answer};
use serde_json::{Value as Json, json};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use stepgraph_core::kind::CompositeKind;
use stepgraph_core::machine::{
    Answer, Call, CallId, Command, ComparedValue, Event, Failure, Outcome, Run, ScopeRef, ScopeStatus,
    StepSink, TraceEvent,
};
use stepgraph_core::node::Action;
use stepgraph_core::trace_json;

type Shared = Arc<Json>;

#[derive(Debug)]
pub(super) struct OpenWork {
    pub(super) id: CallId,
    pub(super) name: String,
    /// `None` for a timer.
    pub(super) reply: Option<Result<Json, &'static str>>,
}

pub(super) struct TraceChecker<'w> {
    pub(super) interleaver: &'w Interleaver,
    pub(super) log: Vec<OracleEvent>,
    pub(super) text: String,
    pub(super) write: bool,
    pub(super) open: Vec<OpenWork>,
    pub(super) closed: Vec<CallId>,
    pub(super) names: HashSet<String>,
    pub(super) coverage: BTreeSet<String>,
    pub(super) scopes: Vec<(String, String, String)>,
    pub(super) timer: String,
    pub(super) finished: bool,
    pub(super) outcome: Option<Outcome>,
    /// Calls and timers that a resumed run requests again. Set during the resume.
    pub(super) again: Option<Vec<(CallId, bool)>>,
}

impl<'w> TraceChecker<'w> {
    pub(super) fn new(walker: &'w Interleaver) -> Self {
        Self {
            interleaver: walker,
            log: Vec::new(),
            text: String::new(),
            write: false,
            open: Vec::new(),
            closed: Vec::new(),
            names: HashSet::new(),
            coverage: BTreeSet::new(),
            scopes: Vec::new(),
            timer: "timeout:".to_owned(),
            finished: false,
            outcome: None,
            again: None,
        }
    }

    pub(super) fn record_answer(&mut self, open: &OpenWork) {
        let waits = |name: &str| self.open.iter().any(|open| open.name == name);
        let met = match (&open.reply, open.name.split_once(':')) {
            (Some(Ok(_)), _) => "call × answered",
            (Some(Err(_)), _) => "call × failed",
            (None, Some(("wait", _))) => "back-off × over",
            (None, Some(("timeout", ""))) => "run × timed out",
            (None, Some(("timeout", name))) if waits(name) => "call × timed out",
            (None, _) => "children × timed out",
        };
        self.coverage.insert(met.to_owned());
    }

    pub(super) fn record_all(&mut self, what: &str) {
        for open in &self.open {
            let kind = match (&open.reply, open.name.split_once(':')) {
                (Some(_), _) => "call",
                (None, Some(("wait", _))) => "back-off",
                _ => "timer",
            };
            self.coverage.insert(format!("{kind} × {what}"));
        }
        if !self.scopes.is_empty() {
            self.coverage.insert(format!("children × {what}"));
        }
    }

    pub(super) fn send_invalid_events(&mut self, run: &mut Run<Shared>, step: usize) {
        let at_ms = float(step);
        let strange = CallId { scope: 7, serial: u32::MAX };
        for id in
            self.closed.iter().copied().chain([strange, CallId { scope: CallId::RUN, serial: u32::MAX }])
        {
            let answer = Event::CallDone {
                call: id,
                result: Ok(Answer::Value(Arc::new(json!("late")), Vec::new())),
                at_ms,
            };
            assert!(run.step(answer).is_err(), "call {id:?} was over at event {step}");
            assert!(
                run.step(Event::TimerFired { timer: id, at_ms }).is_err(),
                "timer {id:?} was over at event {step}"
            );
        }
        for open in &self.open {
            // Ids of calls and timers are not interchangeable.
            let wrong = match open.reply {
                Some(_) => Event::TimerFired { timer: open.id, at_ms },
                None => Event::CallDone { call: open.id, result: Err(Failure::new("a/b", "")), at_ms },
            };
            assert!(run.step(wrong).is_err(), "{open:?} was taken for what it is not");
        }
        assert!(run.step(Event::Resume { at_ms }).is_err(), "a run under way is not resumed");
        assert!(step == 0 || run.step(Event::Start { at_ms }).is_err(), "a run begins once");
        assert!(
            !self.finished || run.step(Event::Cancel { at_ms }).is_err(),
            "what is over is not cancelled"
        );
    }

    pub(super) fn resume(&mut self, run: &mut Run<Shared>, step: usize) {
        self.record_all("resumed");
        self.again = Some(Vec::new());
        if let Err(error) = run.step_into(Event::Resume { at_ms: float(step) }, self) {
            panic!("a thawed run is resumed: {error}");
        }
        // A restore may change scope indices, but not names and serials.
        let again = self.again.take().unwrap_or_default();
        for open in &mut self.open {
            let same = |(id, is_call): &&(CallId, bool)| {
                id.serial == open.id.serial && *is_call == open.reply.is_some()
            };
            let Some((id, _)) = again.iter().find(same) else { panic!("{open:?} is not asked for again") };
            open.id = *id;
        }
        assert_eq!(again.len(), self.open.len(), "nothing else is asked for");
        self.closed.clear();
    }

    fn close_work(&mut self, id: CallId, is_call: bool) -> String {
        let place = self.open.iter().position(|open| open.id == id && open.reply.is_some() == is_call);
        let Some(place) = place else { panic!("{id:?} is given up, and was not waited for") };
        self.closed.push(id);
        self.open.remove(place).name
    }

    fn call(&mut self, call: &Call<Shared>) {
        let code = &self.interleaver.program.nodes[call.node as usize];
        let name = call.name(&code.id);
        assert!(self.names.insert(name.clone()), "two calls are called {name}");
        let times = (call.visit as usize, call.attempt as usize);
        let reply = answer(&self.interleaver.replies[&call.node], times, &call.input);
        self.log
            .push(OracleEvent::Called { name: name.clone(), input: without_messages((*call.input).clone()) });
        self.timer = format!("timeout:{name}");
        self.open.push(OpenWork { id: call.id, name, reply: Some(reply) });
    }

    fn scope_started(&mut self, scope: &ScopeRef, node: u32) {
        let code = &self.interleaver.program.nodes[node as usize];
        let path = scope.to_string();
        let single = matches!(code.action, Action::Composite(fan) if fan.kind == CompositeKind::Graph);
        let place = if single { path.as_str() } else { path.rsplit_once('/').map_or("", |(place, _)| place) };
        let (around, visit) = place.rsplit_once('/').unwrap_or(("", place));
        let around = around.to_owned();
        let again = if visit.matches(':').count() == 1 { ":1" } else { "" };
        self.timer = format!("timeout:{place}{again}");
        let of_same = |(_, other, id): &&(String, String, String)| *other == around && *id == code.id;
        let running = self.scopes.iter().filter(of_same).count() + 1;
        assert!(
            running <= self.interleaver.concurrency[&node],
            "{running} graphs of `{}` run at once",
            code.id
        );
        let (scope, node) = (path.clone(), code.id.clone());
        self.log.push(OracleEvent::ScopeStarted { scope, around: around.clone(), node: node.clone() });
        self.scopes.push((path, around, node));
    }

    fn node_left(&self, scope: &str, node: &str) {
        let inside = self.scopes.iter().find(|(_, around, id)| around == scope && id == node);
        assert!(inside.is_none(), "`{node}` ended before {inside:?} inside it");
    }

    pub(super) fn check_end(&self) {
        assert!(self.open.is_empty(), "the run ended and still waits for {:?}", self.open);
        assert!(self.scopes.is_empty(), "the run ended and {:?} did not", self.scopes);
    }

    pub(super) fn finish(&mut self, run: &Run<Shared>) -> RunResult {
        let state = trace_json::state_json(run);
        assert_eq!(run.outcome(), self.outcome.as_ref(), "the run knows how it ended");
        let outcome = match &self.outcome {
            Some(Outcome::Completed(reason)) => reason.as_str().to_owned(),
            Some(Outcome::Failed { code, node, .. }) => {
                let place = node.as_ref().map(|(node, scope)| {
                    let slash = if scope.path.is_some() { "/" } else { "" };
                    format!("{scope}{slash}{}", self.interleaver.program.nodes[*node as usize].id)
                });
                format!("{code} at {}", place.unwrap_or_default())
            }
            Some(Outcome::Cancelled) => "cancelled".to_owned(),
            None => "none".to_owned(),
        };
        let outputs = run.outputs().filter(|(name, _)| *name != "input");
        let outputs =
            outputs.map(|(name, value)| (name.to_owned(), without_messages((**value).clone()))).collect();
        let path = state["path"].as_array().into_iter().flatten();
        let counts = run.counts();
        RunResult {
            outcome,
            last: without_messages((**run.last()).clone()),
            outputs,
            path: path.filter_map(|id| Some(id.as_str()?.to_owned())).collect(),
            counts: (counts.steps as usize, counts.calls as usize, counts.retries as usize),
            log: std::mem::take(&mut self.log),
        }
    }
}

/// Messages are for people.
fn without_messages(value: Json) -> Json {
    match value {
        Json::Array(items) => items.into_iter().map(without_messages).collect(),
        Json::Object(map) => {
            let kept = map.into_iter().filter(|(key, _)| key != "message");
            Json::Object(kept.map(|(key, value)| (key, without_messages(value))).collect())
        }
        plain => plain,
    }
}

impl StepSink<Shared> for TraceChecker<'_> {
    fn command(&mut self, command: Command<Shared>) {
        assert!(!self.finished, "{command:?} came after the end");
        if let Some(again) = &mut self.again {
            match command {
                Command::Call(call) => again.push((call.id, true)),
                Command::SetTimer { timer, .. } => again.push((timer, false)),
                other => panic!("{other:?} came from resuming"),
            }
            return;
        }
        if self.write {
            let _always = writeln!(self.text, "{command:?}");
        }
        match command {
            Command::Call(call) => self.call(&call),
            Command::Abandon(id) => {
                let name = self.close_work(id, true);
                self.coverage.insert("call × abandoned".to_owned());
                self.log.push(OracleEvent::Abandoned { name });
            }
            Command::SetTimer { timer, .. } => {
                let name = self.timer.clone();
                assert!(self.names.insert(name.clone()), "two timers are called {name}");
                self.open.push(OpenWork { id: timer, name, reply: None });
            }
            Command::ClearTimer(id) => {
                let name = self.close_work(id, false);
                let kind =
                    if name.starts_with("wait:") { "back-off × abandoned" } else { "timer × cleared" };
                self.coverage.insert(kind.to_owned());
            }
            Command::Continue => panic!("no walk is that long"),
            Command::Finish(outcome) => {
                self.finished = true;
                self.outcome = Some(outcome);
            }
        }
    }

    fn withdraw(&mut self, serials: &[u32]) {
        let withdrawn = |id: CallId| serials.contains(&id.serial);
        if let Some(again) = &mut self.again {
            return again.retain(|(id, _)| !withdrawn(*id));
        }
        for open in std::mem::take(&mut self.open) {
            if !withdrawn(open.id) {
                self.open.push(open);
                continue;
            }
            self.closed.push(open.id);
            let kind = if open.reply.is_some() { "call" } else { "timer" };
            self.coverage.insert(format!("{kind} × withdrawn"));
            let name = open.name;
            self.log
                .retain(|told| !matches!(told, OracleEvent::Called { name: asked, .. } if *asked == name));
        }
    }

    fn value_compared(&mut self, _: ComparedValue<Shared>) {}

    fn condition_evaluated(&mut self, _: u32, _: Option<bool>) {}

    fn emit(&mut self, event: TraceEvent<Shared>) {
        assert!(!self.finished, "{event:?} came after the end");
        let program = &self.interleaver.program;
        if self.write {
            let _always = writeln!(self.text, "{}", trace_json::event_json(program, &event));
        }
        let id = |node: u32| program.nodes[node as usize].id.clone();
        match event {
            TraceEvent::NodeStarted { scope, node, visit, .. } => {
                let (scope, node) = (scope.to_string(), id(node));
                self.log.push(OracleEvent::Entered { scope, node, visit: visit as usize });
            }
            TraceEvent::NodeCompleted { scope, node, output, .. } => {
                let (scope, node, output) =
                    (scope.to_string(), id(node), without_messages((*output).clone()));
                self.node_left(&scope, &node);
                self.log.push(OracleEvent::Completed { scope, node, output });
            }
            TraceEvent::NodeFailed { scope, node, failure, .. } => {
                let (scope, node) = (scope.to_string(), id(node));
                // A limit of the run ends open scopes after this event.
                if !failure.code.starts_with("run/call") {
                    self.node_left(&scope, &node);
                }
                self.coverage.insert(format!("node × {}", failure.code));
                self.log.push(OracleEvent::Failed { scope, node, code: failure.code });
            }
            TraceEvent::NodeRetried { scope, node, visit, attempt, failure, .. } => {
                let (scope, node) = (scope.to_string(), id(node));
                self.node_left(&scope, &node);
                let slash = if scope.is_empty() { "" } else { "/" };
                self.timer = format!("wait:{scope}{slash}{node}:{visit}:{attempt}");
                let (attempt, code) = (attempt as usize, failure.code);
                self.coverage.insert(format!("try × {code}"));
                self.log.push(OracleEvent::Retried { scope, node, attempt, code });
            }
            TraceEvent::ScopeStarted { scope, node, .. } => self.scope_started(&scope, node),
            TraceEvent::ScopeEnded { scope, end, .. } => {
                let scope = scope.to_string();
                let before = self.scopes.len();
                self.scopes.retain(|(open, ..)| *open != scope);
                assert_eq!(self.scopes.len() + 1, before, "scope {scope} ends once, having begun once");
                let inside = format!("{scope}/");
                let deep = self.log.iter().any(|told| matches!(told, OracleEvent::ScopeEnded { scope, how } if how == "abandoned" && scope.starts_with(&inside)));
                let kind = if end == ScopeStatus::Abandoned && deep { "children" } else { "scope" };
                self.coverage.insert(format!("{kind} × {}", end.as_str()));
                self.log.push(OracleEvent::ScopeEnded { scope, how: end.as_str().to_owned() });
            }
            TraceEvent::EdgeDecided { scope, node, edge, reason, .. } => {
                let to = edge.map(|edge| id(program.edges[edge as usize].target));
                let (scope, node, reason) = (scope.to_string(), id(node), reason.as_str().to_owned());
                self.log.push(OracleEvent::EdgeTaken { scope, node, to, reason });
            }
            TraceEvent::RunStarted { .. }
            | TraceEvent::Logged { .. }
            | TraceEvent::Conversation { .. }
            | TraceEvent::RunResumed { .. }
            | TraceEvent::RunEnded { .. } => {}
        }
    }
}
