//! Graphs that a node runs: how they begin, and what their ends make of the node.
//!
//! Decides the join. Each child is waiting, running, completed or failed; what the end of one leads to is the table in
//! `docs/concurrency.md`, which the tests hold this file to.
//!
//! Invariants: 1. at most `concurrency` children run at once; 2. every scope inside a node has ended before the node does;
//! 3. a child that ended never changes again.

use super::super::event::{CallId, Command};
use super::super::frame::{Birth, Child, Children, Fault, Frame, Kept, Wait};
use super::super::program::{Code, Program};
use super::super::told::{ScopeEnd, ScopeRef, Sink, TraceEvent};
use super::walk::Act;
use super::{Next, Run};
use crate::failure::Failure;
use crate::graph::escaped;
use crate::kind::{Join, Shape};
use crate::node::{Action, Fan};
use crate::value::{Path, Value, View};
use serde_json::Value as Json;

impl<V: Value> Run<V> {
    /// Begins the graphs inside a node.
    #[expect(clippy::too_many_arguments, reason = "all of them are at hand, and none belongs to another")]
    pub(super) fn spread(
        &mut self,
        program: &Program<V>,
        scope: u32,
        code: &Code<V>,
        fan: Fan,
        input: &V,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Act<V> {
        let graphs = code.extra.as_ref().map_or(0, |extra| extra.children.len());
        let count = match (fan.shape, input.view(&Path::default())) {
            (Shape::Map, View::List) => input.length(),
            (Shape::Map, other) => {
                let message = format!("`map` runs over a list, and its input is {}", other.describe());
                return Act::Failed(Failure::new("map/not-a-list", message));
            }
            _ => graphs,
        };
        if count == 0 {
            return match fan.join {
                Join::Any => Act::Failed(Failure::new("join/none-completed", "the list is empty")),
                Join::All | Join::Settled => Act::Value(V::list(&self.space, Vec::new())),
            };
        }
        let mut places = Vec::new();
        places.resize_with(count, || Child::Waiting);
        self.frame_mut(scope).wait =
            Wait::Children(Box::new(Children { places, next: 0, running: 0, input: input.clone() }));
        self.begin(program, scope, code, fan, at_ms, sink);
        Act::Asked
    }

    /// Begins as many children as may run at once.
    fn begin(
        &mut self,
        program: &Program<V>,
        scope: u32,
        code: &Code<V>,
        fan: Fan,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) {
        let Some(extra) = &code.extra else { return };
        while let Some(place) = self.next_place(scope, fan.concurrency) {
            let which = if fan.shape == Shape::Map { 0 } else { place };
            let Some((name, graph)) = extra.children.get(which) else { return };
            let Some(child) = self.bear(program, scope, code, fan, (place, name), *graph) else { return };
            let Some(start) = program.graphs.get(*graph as usize).map(|graph| graph.start) else { return };
            if let Wait::Children(children) = &mut self.frame_mut(scope).wait
                && let Some(state) = children.places.get_mut(place)
            {
                *state = Child::Running(child);
            }
            if self.observe {
                let node = self.frame(scope).node;
                let child = self.frame(child);
                let (scope, input) = (child.scope.clone(), child.input.clone());
                sink.happened(TraceEvent::ScopeStarted { at_ms, scope, node, input });
            }
            self.ready.push_back((child, start));
        }
    }

    /// The place of the child to begin next, which is then taken.
    fn next_place(&mut self, scope: u32, concurrency: u32) -> Option<usize> {
        let Wait::Children(children) = &mut self.frame_mut(scope).wait else { return None };
        if children.running >= concurrency || children.next >= children.places.len() {
            return None;
        }
        children.running += 1;
        children.next += 1;
        Some(children.next - 1)
    }

    /// Makes the scope of a child; gives its number.
    fn bear(
        &mut self,
        program: &Program<V>,
        scope: u32,
        code: &Code<V>,
        fan: Fan,
        (place, name): (usize, &str),
        graph: u32,
    ) -> Option<u32> {
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        let frame = self.frame(scope);
        let Wait::Children(children) = &frame.wait else { return None };
        let item = if fan.shape == Shape::Map { children.input.item(&self.space, number) } else { None };
        let mapped = item.is_some();
        let indexed = mapped && program.graphs.get(graph as usize).is_some_and(|graph| graph.indexed);
        let path = child_path(frame, &code.id, if mapped { None } else { Some(name) }, place);
        let serial = self.scopes + 1;
        let birth = Birth {
            graph,
            scope: ScopeRef { serial, path: Some(path.into()) },
            parent: Some((scope, number)),
            input: item.clone().unwrap_or_else(|| children.input.clone()),
            index: indexed.then(|| V::from_json(&self.space, &Json::from(place))),
            item,
        };
        self.scopes = serial;
        let frame = Frame::new(program, birth);
        if let Some(free) = self.free.pop() {
            *self.frame_mut(free) = frame;
            return Some(free);
        }
        self.nested.push(Box::new(frame));
        u32::try_from(self.nested.len()).ok()
    }

    /// A child ended; where its node goes from there.
    pub(super) fn joined(
        &mut self,
        program: &Program<V>,
        scope: u32,
        place: u32,
        result: Result<V, Box<Fault>>,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let Some(code) = program.nodes.get(self.frame(scope).node as usize) else { return Next::Wait };
        let Action::Fan(fan) = code.action else { return Next::Wait };
        let ended = match (fan.join, &result) {
            (Join::All, Err(_)) | (Join::Any, Ok(_)) => None,
            (_, Ok(value)) => Some(Child::Completed(value.clone())),
            (_, Err(fault)) => Some(Child::Failed(self.error(program, fault, None))),
        };
        let Some(ended) = ended else {
            // One is enough: nobody wants what the others would give.
            self.abandon(scope, at_ms, sink);
            return match result {
                Ok(value) => self.complete(program, scope, value, at_ms, sink),
                Err(fault) => self.failed(program, scope, fault, at_ms, sink),
            };
        };
        if self.settle_child(scope, place, ended) {
            return self.all_ended(program, scope, code, fan, at_ms, sink);
        }
        self.begin(program, scope, code, fan, at_ms, sink);
        Next::Wait
    }

    /// Notes the end of a child; whether it was the last.
    fn settle_child(&mut self, scope: u32, place: u32, ended: Child<V>) -> bool {
        let Wait::Children(children) = &mut self.frame_mut(scope).wait else { return false };
        if let Some(state) = children.places.get_mut(place as usize) {
            *state = ended;
        }
        children.running = children.running.saturating_sub(1);
        children.running == 0 && children.next >= children.places.len()
    }

    /// All children have ended, and none of them decided the join alone.
    fn all_ended(
        &mut self,
        program: &Program<V>,
        scope: u32,
        code: &Code<V>,
        fan: Fan,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> Next {
        let wait = std::mem::replace(&mut self.frame_mut(scope).wait, Wait::Nothing);
        let Wait::Children(children) = wait else { return Next::Wait };
        if fan.join == Join::Any {
            let failure = Failure::new("join/none-completed", none_completed(&children.places));
            return self.failed(program, scope, self.fault(scope, failure), at_ms, sink);
        }
        let mut values = children.places.into_iter().map(|child| self.ended_value(child, fan.join));
        let value = match fan.shape {
            Shape::Graph => values.next().unwrap_or_else(|| V::from_json(&self.space, &Json::Null)),
            Shape::Map => V::list(&self.space, values.collect()),
            Shape::Parallel => {
                let names = code.extra.iter().flat_map(|extra| &extra.children).map(|(name, _)| name.clone());
                V::map(&self.space, names.zip(values).collect())
            }
        };
        self.complete(program, scope, value, at_ms, sink)
    }

    /// What a child that ended puts into the result.
    fn ended_value(&self, child: Child<V>, join: Join) -> V {
        let word = |end: ScopeEnd| V::from_json(&self.space, &Json::from(end.as_str()));
        let entry = |end: ScopeEnd, key: &str, value: V| {
            V::map(&self.space, vec![("status".to_owned(), word(end)), (key.to_owned(), value)])
        };
        match (child, join) {
            (Child::Completed(value), Join::Settled) => entry(ScopeEnd::Completed, "value", value),
            (Child::Completed(value), _) => value,
            (Child::Failed(error), _) => entry(ScopeEnd::Failed, "error", error),
            (Child::Waiting | Child::Running(_), _) => V::from_json(&self.space, &Json::Null),
        }
    }

    /// A scope ended by itself; gives the scope around it and the place it has there.
    pub(super) fn close(
        &mut self,
        scope: u32,
        fault: Option<&Fault>,
        at_ms: f64,
        sink: &mut impl Sink<V>,
    ) -> (u32, u32) {
        let end = if fault.is_some() { ScopeEnd::Failed } else { ScopeEnd::Completed };
        self.tell_ended(scope, end, at_ms, sink);
        let frame = self.frame_mut(scope);
        frame.alive = false;
        let parent = frame.parent.unwrap_or_default();
        if fault.is_some() {
            self.dying.push(scope);
        } else {
            self.release(scope);
        }
        parent
    }

    fn tell_ended(&self, scope: u32, end: ScopeEnd, at_ms: f64, sink: &mut impl Sink<V>) {
        if self.observe {
            sink.happened(TraceEvent::ScopeEnded { at_ms, scope: self.frame(scope).scope.clone(), end });
        }
    }

    /// Nobody waits any more for the answer to a call, or for a timer. What this step has asked itself is taken back.
    pub(super) fn drop_wait(&mut self, given_up: Command<V>, sink: &mut impl Sink<V>) {
        match given_up {
            Command::Abandon(id) | Command::ClearTimer(id) if id.serial > self.asked_before => {
                self.withdrawn.push(id.serial);
            }
            given_up => sink.command(given_up),
        }
    }

    pub(super) fn withdraw(&mut self, sink: &mut impl Sink<V>) {
        if !self.withdrawn.is_empty() {
            self.withdrawn.sort_unstable();
            sink.withdraw(&self.withdrawn);
            self.withdrawn.clear();
        }
    }

    /// Gives up whatever a scope waits for, and the scopes inside its node.
    pub(super) fn abandon(&mut self, scope: u32, at_ms: f64, sink: &mut impl Sink<V>) {
        self.unwatch(scope, sink);
        match std::mem::replace(&mut self.frame_mut(scope).wait, Wait::Nothing) {
            Wait::Nothing => {}
            Wait::Call(serial) => self.drop_wait(Command::Abandon(CallId { scope, serial }), sink),
            Wait::Backoff(timer) => {
                self.drop_wait(Command::ClearTimer(CallId { scope, serial: timer.serial }), sink);
            }
            Wait::Talk(talk) => {
                for serial in talk.serials() {
                    self.drop_wait(Command::Abandon(CallId { scope, serial }), sink);
                }
                self.keep_talk(scope, &talk);
            }
            Wait::Gather(mut gathering) => {
                for serial in gathering.serials() {
                    self.drop_wait(Command::Abandon(CallId { scope, serial }), sink);
                }
                for (_, timer) in gathering.timers() {
                    self.drop_wait(Command::ClearTimer(CallId { scope, serial: timer.serial }), sink);
                }
                self.keep_gathered(scope, &gathering);
            }
            Wait::Children(children) => {
                self.keep(scope, &children.places);
                for child in children.places {
                    let Child::Running(child) = child else { continue };
                    if !self.frame(child).alive {
                        continue;
                    }
                    self.abandon(child, at_ms, sink);
                    self.tell_ended(child, ScopeEnd::Abandoned, at_ms, sink);
                    self.frame_mut(child).alive = false;
                    self.dying.push(child);
                }
            }
        }
    }

    /// Keeps what children had given for a node that now gives up, until the next event: the report may want it.
    fn keep(&mut self, scope: u32, places: &[Child<V>]) {
        let mut values = Vec::new();
        for (place, child) in places.iter().enumerate() {
            if let Child::Completed(value) = child {
                values.push((place, value.clone()));
            }
        }
        self.keep_values(scope, values);
    }

    /// Keeps these values, by their places, in the same way.
    pub(super) fn keep_values(&mut self, scope: u32, values: Vec<(usize, V)>) {
        if !values.is_empty() {
            let frame = self.frame(scope);
            let (scope, node, visit, attempt) = (frame.scope.clone(), frame.node, frame.visit, frame.attempt);
            self.kept.push(Kept { scope, node, visit, attempt, values, said: None });
        }
    }

    /// Frees what ended in the step before; until then a report could still want it.
    pub(super) fn bury(&mut self) {
        self.kept.clear();
        if !(self.dying.is_empty() || self.ready.is_empty()) {
            let mut ready = std::mem::take(&mut self.ready);
            ready.retain(|(scope, _)| self.frame(*scope).alive);
            self.ready = ready;
        }
        while let Some(scope) = self.dying.pop() {
            self.release(scope);
        }
    }

    /// Lets a scope's place be used again.
    fn release(&mut self, scope: u32) {
        let nothing = self.root.input.clone();
        self.frame_mut(scope).clear(nothing);
        self.free.push(scope);
    }
}

/// The name of a child's scope: `fan:1/a` for a branch, `each:2/17` for an element.
fn child_path<V>(frame: &Frame<V>, id: &str, name: Option<&str>, place: usize) -> String {
    place_path(&frame.scope, id, (frame.visit, frame.attempt), name, place)
}

/// The same from its parts.
pub(super) fn place_path(
    scope: &ScopeRef,
    id: &str,
    (visit, attempt): (u32, u32),
    name: Option<&str>,
    place: usize,
) -> String {
    let around = scope.path.as_deref().unwrap_or_default();
    let slash = if around.is_empty() { "" } else { "/" };
    let again = if attempt > 1 { format!(":{attempt}") } else { String::new() };
    let own = match name {
        None => format!("/{place}"),
        Some("") => String::new(),
        Some(name) => format!("/{}", escaped(name)),
    };
    format!("{around}{slash}{}:{visit}{again}{own}", escaped(id))
}

/// Why nothing completed: the failures, one after the other.
fn none_completed<V: Value>(places: &[Child<V>]) -> String {
    const SHOWN: usize = 3;
    let failed = places.iter().filter_map(|child| {
        if let Child::Failed(error) = child { error.json(&Path::default()) } else { None }
    });
    let messages = failed.filter_map(|error| error.get("message")?.as_str().map(str::to_owned));
    let shown: Vec<String> = messages.take(SHOWN).collect();
    let more = places.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("none of {} completed: {}{rest}", places.len(), shown.join("; "))
}
