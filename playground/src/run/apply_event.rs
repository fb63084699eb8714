//! One event of a run.
//!
//! Decides what each event makes true, and from when on. An event that makes no sense where it comes (an answer that nobody waits for)
//! counts, and changes nothing else.

use super::apply_message::{flag, list, number, text, whole};
use super::run_model::{
    Call, ComparedValue, Decision, LogEntry, NodeChange, Outcome, Retry, Run, RunningTotal, TimelineRowKey,
    Value, Verdict, Visit,
};
use serde_json::Value as Json;
use std::sync::Arc;

impl Run {
    /// Takes an event, in the order in which they happened.
    pub(super) fn take(&mut self, event: &Json) {
        let at = number(event, "at");
        self.times.push(at);
        match text(event, "type") {
            "run-started" => self.input = Some(self.value(event)),
            "node-started" => self.start(event, at),
            "node-completed" => {
                let end = Outcome::Done(self.value(event));
                self.end(event, at, end);
            }
            "node-failed" => {
                let end = self.failure(event);
                self.end(event, at, end);
            }
            "node-retried" => self.retry(event, at),
            "edge-decided" => self.decide(event, at),
            "scope-started" => self.lane(event),
            "scope-ended" => self.leave(text(event, "lane"), at),
            "asked" => self.ask(event, at),
            "answered" => self.answer(event, at),
            "logged" => {
                let (event, place, value) = (self.last(), self.place(event), self.value(event));
                self.log.push(LogEntry { event, at_ms: at, place, value });
            }
            "run-ended" => self.leave("", at),
            _ => {}
        }
    }

    /// The position of the event at hand.
    fn last(&self) -> usize {
        self.times.len().saturating_sub(1)
    }

    fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return Arc::clone(known);
        }
        let name: Arc<str> = Arc::from(text);
        self.names.insert(Arc::clone(&name));
        name
    }

    fn place(&mut self, event: &Json) -> Arc<str> {
        self.name(text(event, "place"))
    }

    fn value(&self, event: &Json) -> Value {
        value_of(event.get("value"), self.last())
    }

    fn failure(&mut self, event: &Json) -> Outcome {
        Outcome::Failed { code: self.name(text(event, "code")), message: Arc::from(text(event, "message")) }
    }

    fn start(&mut self, event: &Json, at: f64) {
        let (place, lane) = (self.place(event), self.name(text(event, "lane")));
        let visit = Visit {
            place: Arc::clone(&place),
            lane: Arc::clone(&lane),
            visit: whole(event, "visit"),
            began: self.last(),
            from_ms: at,
            ended: None,
            end: Outcome::Abandoned,
            input: self.value(event),
            retries: Vec::new(),
            calls: Vec::new(),
            decision: None,
        };
        let id = self.visits.len();
        self.visits.push(visit);
        self.open.insert((Arc::clone(&lane), Arc::clone(&place)), id);
        self.row(&lane, &place, id);
        self.change(&place, id, |change| {
            change.begun += 1;
            change.running += 1;
        });
        self.add(|sum| sum.visits += 1);
    }

    /// The row of a node in a lane, with one more visit.
    fn row(&mut self, lane: &Arc<str>, place: &Arc<str>, visit: usize) {
        let known =
            self.row_of.get(&(Arc::clone(lane), Arc::clone(place))).and_then(|at| self.rows.get_mut(*at));
        if let Some(row) = known {
            row.visits.push(visit);
            return;
        }
        let mut key = self.lanes.get(lane).cloned().unwrap_or_default();
        key.push(self.last());
        let at = self.order.partition_point(|other| self.rows.get(*other).is_some_and(|row| row.key < key));
        self.order.insert(at, self.rows.len());
        self.row_of.insert((Arc::clone(lane), Arc::clone(place)), self.rows.len());
        self.rows.push(TimelineRowKey { key, visits: vec![visit] });
    }

    /// A node began to run one of its graphs: its rows stand below that node's.
    fn lane(&mut self, event: &Json) {
        let (lane, around) = (self.name(text(event, "lane")), self.name(text(event, "around")));
        let owner = self.place(event);
        let row = self.row_of.get(&(around, owner)).and_then(|at| self.rows.get(*at));
        let mut key = row.map(|row| row.key.clone()).unwrap_or_default();
        key.push(self.last());
        self.lanes.insert(lane, key);
    }

    /// What is still under way in a lane, or in one inside it, ends with it.
    fn leave(&mut self, lane: &str, at: f64) {
        let is_inside = |other: &str| {
            lane.is_empty()
                || other == lane
                || other.strip_prefix(lane).is_some_and(|rest| rest.starts_with('/'))
        };
        let left: Vec<_> =
            self.open.iter().filter(|((other, _), _)| is_inside(other)).map(|(_, id)| *id).collect();
        for id in left {
            self.close(id, at, Outcome::Abandoned);
        }
    }

    fn end(&mut self, event: &Json, at: f64, end: Outcome) {
        let (place, lane) = (self.place(event), self.name(text(event, "lane")));
        if let Some(id) = self.open.get(&(lane, place)).copied() {
            self.close(id, at, end);
        }
    }

    fn close(&mut self, id: usize, at: f64, end: Outcome) {
        let event = self.last();
        let waits = self.waits(id);
        let Some(visit) = self.visits.get_mut(id) else { return };
        let is_failure = matches!(end, Outcome::Failed { .. });
        visit.ended = Some((event, at));
        visit.end = end;
        let (lane, place) = (Arc::clone(&visit.lane), Arc::clone(&visit.place));
        self.open.remove(&(lane, Arc::clone(&place)));
        self.change(&place, id, |change| {
            change.running = change.running.saturating_sub(1);
            change.waiting = change.waiting.saturating_sub(usize::from(waits));
        });
        if is_failure {
            self.add(|sum| sum.failed += 1);
        }
    }

    fn retry(&mut self, event: &Json, at: f64) {
        let (place, lane) = (self.place(event), self.name(text(event, "lane")));
        let Some(id) = self.open.get(&(lane, Arc::clone(&place))).copied() else { return };
        let retry = Retry {
            event: self.last(),
            at_ms: at,
            delay_ms: number(event, "delay"),
            attempt: whole(event, "attempt"),
            code: self.name(text(event, "code")),
            message: Arc::from(text(event, "message")),
        };
        let waited = self.waits(id);
        if let Some(visit) = self.visits.get_mut(id) {
            visit.retries.push(retry);
        }
        self.change(&place, id, |change| change.waiting += usize::from(!waited));
        self.add(|sum| sum.retries += 1);
    }

    /// Whether a visit waits now: for a person, or for its next try.
    fn waits(&self, id: usize) -> bool {
        let Some(visit) = self.visits.get(id).filter(|visit| visit.ended.is_none()) else { return false };
        let call = visit.calls.last().and_then(|at| self.calls.get(*at));
        let asks_person = visit
            .calls
            .iter()
            .filter_map(|at| self.calls.get(*at))
            .any(|call| call.ended.is_none() && &*call.kind == "approval");
        asks_person
            || visit.retries.last().is_some_and(|retry| call.is_none_or(|call| call.event < retry.event))
    }

    fn ask(&mut self, event: &Json, at: f64) {
        let (place, lane) = (self.place(event), self.name(text(event, "lane")));
        let call = Call {
            name: text(event, "call").to_owned(),
            kind: self.name(text(event, "kind")),
            tool: event.get("tool").and_then(Json::as_str).map(|tool| self.name(tool)),
            visit: self.open.get(&(lane, Arc::clone(&place))).copied(),
            part: Arc::from(text(event, "part")),
            event: self.last(),
            from_ms: at,
            asked: self.value(event),
            ended: None,
            end: Outcome::Abandoned,
            tokens: None,
        };
        let (id, visit) = (self.calls.len(), call.visit);
        self.call_of.insert(call.name.clone(), id);
        self.calls.push(call);
        self.add(|sum| sum.calls += 1);
        let Some(visit) = visit else { return };
        let before = self.waits(visit);
        if let Some(visit) = self.visits.get_mut(visit) {
            visit.calls.push(id);
        }
        self.settle(&place, visit, before);
    }

    fn answer(&mut self, event: &Json, at: f64) {
        let name = text(event, "call");
        self.live.remove(name);
        let Some(id) = self.call_of.remove(name) else { return };
        let end =
            if event.get("code").is_some() { self.failure(event) } else { Outcome::Done(self.value(event)) };
        let found = self.calls.get(id).and_then(|call| call.visit);
        let before = found.is_some_and(|visit| self.waits(visit));
        let position = self.last();
        let tokens = event
            .get("usage")
            .map(|usage| ["input", "output", "cached"].map(|name| whole(usage, name) as u64));
        if let Some(call) = self.calls.get_mut(id) {
            call.ended = Some((position, at));
            call.end = end;
            call.tokens = tokens;
        }
        if let Some(tokens) = tokens {
            self.add(|sum| sum.tokens.iter_mut().zip(tokens).for_each(|(sum, more)| *sum += more));
        }
        if let Some((visit, place)) =
            found.and_then(|id| self.visits.get(id).map(|visit| (id, Arc::clone(&visit.place))))
        {
            self.settle(&place, visit, before);
        }
    }

    /// Notes when a visit has begun to wait, or no longer does.
    fn settle(&mut self, place: &Arc<str>, visit: usize, before: bool) {
        let now = self.waits(visit);
        if now != before {
            self.change(place, visit, |change| {
                change.waiting = if now { change.waiting + 1 } else { change.waiting.saturating_sub(1) };
            });
        }
    }

    fn decide(&mut self, event: &Json, at: f64) {
        let position = self.last();
        let (place, lane, scope) =
            (self.place(event), self.name(text(event, "lane")), self.name(text(event, "scope")));
        let verdicts: Vec<_> = list(event, "verdicts").iter().map(|one| self.verdict(one)).collect();
        let edge = event.get("edge").filter(|edge| !edge.is_null()).map(|_| whole(event, "edge"));
        for looked in verdicts.iter().map(|verdict| verdict.edge).chain(edge) {
            let known = self.edges.entry((Arc::clone(&scope), looked)).or_insert((None, position));
            if edge == Some(looked) && known.0.is_none() {
                known.0 = Some(position);
            }
        }
        let row = self.row_of.get(&(Arc::clone(&lane), Arc::clone(&place))).and_then(|at| self.rows.get(*at));
        let visit = row.and_then(|row| row.visits.last().copied());
        if let Some(visit) = visit.and_then(|id| self.visits.get_mut(id)) {
            visit.decision = Some(self.decisions.len());
        }
        let to = event.get("to").and_then(Json::as_str).map(|to| self.name(to));
        let reason = self.name(text(event, "reason"));
        self.decisions.push(Decision {
            event: position,
            at_ms: at,
            place,
            lane,
            scope,
            edge,
            to,
            reason,
            verdicts,
        });
    }

    fn verdict(&mut self, one: &Json) -> Verdict {
        let event = self.last();
        let saw = list(one, "saw").iter().map(|seen| ComparedValue {
            reference: self.name(text(seen, "reference")),
            value: seen.get("value").map(|value| value_of(Some(value), event)),
        });
        let saw = saw.collect();
        Verdict {
            edge: whole(one, "edge"),
            condition: self.name(text(one, "condition")),
            holds: flag(one, "holds"),
            saw,
        }
    }

    fn change(&mut self, place: &Arc<str>, visit: usize, change: impl FnOnce(&mut NodeChange)) {
        let event = self.last();
        let changes = self.changes.entry(Arc::clone(place)).or_default();
        let before = changes.last().copied();
        let mut next = NodeChange {
            event,
            visit,
            ..before.unwrap_or(NodeChange { event, begun: 0, running: 0, waiting: 0, visit })
        };
        change(&mut next);
        match changes.last_mut().filter(|last| last.event == event) {
            Some(last) => *last = next,
            None => changes.push(next),
        }
    }

    fn add(&mut self, add: impl FnOnce(&mut RunningTotal)) {
        let mut next = RunningTotal { event: self.last(), ..self.sums.last().copied().unwrap_or_default() };
        add(&mut next);
        self.sums.push(next);
    }
}

/// A value that was told with an event.
pub(super) fn value_of(told: Option<&Json>, event: usize) -> Value {
    let Some(told) = told else { return Value { text: Arc::from("null"), is_cut: false, event } };
    Value { text: Arc::from(text(told, "text")), is_cut: flag(told, "cut"), event }
}
