//! Applies an event. If its context is missing, such as an answer without a call, it only counts.

use super::apply_message::{flag, list, number, text, whole};
use super::run_model::{
    Call, ComparedValue, Decision, NodeChange, Outcome, Retry, Run, RunningTotal, TimelineRowKey, Value,
    Verdict, Visit,
};
use serde_json::Value as Json;
use std::sync::Arc;

impl Run {
    pub(super) fn apply_event(&mut self, event: &Json) {
        let at = number(event, "at");
        self.times.push(at);
        self.decision_failed(event);
        match text(event, "type") {
            "run-started" => self.input = Some(self.event_value(event)),
            "node-started" => self.node_started(event, at),
            "node-completed" => {
                let end = Outcome::Done(self.event_value(event));
                self.node_ended(event, at, end);
            }
            "node-failed" => {
                let end = self.event_failure(event);
                self.node_ended(event, at, end);
            }
            "node-retried" => self.node_retried(event, at),
            "edge-decided" => self.edge_decided(event),
            "scope-started" => self.scope_started(event),
            "scope-ended" => self.scope_ended(text(event, "lane"), at),
            "call-started" => self.call_started(event, at),
            "call-answered" => self.call_answered(event, at),
            "run-ended" => self.scope_ended("", at),
            _ => {}
        }
    }

    fn current_event(&self) -> usize {
        self.times.len().saturating_sub(1)
    }

    fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return Arc::clone(known);
        }
        let name: Arc<str> = Arc::from(text);
        self.names.insert(Arc::clone(&name));
        name
    }

    fn intern_path(&mut self, event: &Json) -> Arc<str> {
        self.intern(text(event, "nodePath"))
    }

    fn event_value(&self, event: &Json) -> Value {
        value_of(event.get("value"), self.current_event())
    }

    fn event_failure(&mut self, event: &Json) -> Outcome {
        Outcome::Failed { code: self.intern(text(event, "code")), message: Arc::from(text(event, "message")) }
    }

    fn node_started(&mut self, event: &Json, at: f64) {
        let (node_path, lane) = (self.intern_path(event), self.intern(text(event, "lane")));
        let visit = Visit {
            node_path: Arc::clone(&node_path),
            lane: Arc::clone(&lane),
            start_event: self.current_event(),
            start_ms: at,
            ended: None,
            end: Outcome::Abandoned,
            input: self.event_value(event),
            retries: Vec::new(),
            calls: Vec::new(),
            decision: None,
        };
        let id = self.visits.len();
        self.visits.push(visit);
        self.open_visits.insert((Arc::clone(&lane), Arc::clone(&node_path)), id);
        self.add_row(&lane, &node_path, id);
        self.record_change(&node_path, id, |change| {
            change.visits += 1;
            change.running += 1;
        });
        self.add_to_totals(|totals| totals.visits += 1);
    }

    fn add_row(&mut self, lane: &Arc<str>, node_path: &Arc<str>, visit: usize) {
        let known =
            self.row_of.get(&(Arc::clone(lane), Arc::clone(node_path))).and_then(|at| self.rows.get_mut(*at));
        if let Some(row) = known {
            row.visits.push(visit);
            return;
        }
        let mut key = self.lanes.get(lane).cloned().unwrap_or_default();
        key.push(self.current_event());
        let at = self.order.partition_point(|other| self.rows.get(*other).is_some_and(|row| row.key < key));
        self.order.insert(at, self.rows.len());
        self.row_of.insert((Arc::clone(lane), Arc::clone(node_path)), self.rows.len());
        self.rows.push(TimelineRowKey { key, visits: vec![visit] });
    }

    /// Its rows are below its node's.
    fn scope_started(&mut self, event: &Json) {
        let (lane, around) = (self.intern(text(event, "lane")), self.intern(text(event, "parentLane")));
        let owner = self.intern_path(event);
        let row = self.row_of.get(&(around, owner)).and_then(|at| self.rows.get(*at));
        let mut key = row.map(|row| row.key.clone()).unwrap_or_default();
        key.push(self.current_event());
        self.lanes.insert(lane, key);
    }

    /// Includes nested lanes.
    fn scope_ended(&mut self, lane: &str, at: f64) {
        let is_inside = |other: &str| {
            lane.is_empty()
                || other == lane
                || other.strip_prefix(lane).is_some_and(|rest| rest.starts_with('/'))
        };
        let left: Vec<_> =
            self.open_visits.iter().filter(|((other, _), _)| is_inside(other)).map(|(_, id)| *id).collect();
        for id in left {
            self.end_visit(id, at, Outcome::Abandoned);
        }
    }

    fn node_ended(&mut self, event: &Json, at: f64, end: Outcome) {
        let (node_path, lane) = (self.intern_path(event), self.intern(text(event, "lane")));
        if let Some(id) = self.open_visits.get(&(lane, node_path)).copied() {
            self.end_visit(id, at, end);
        }
    }

    fn end_visit(&mut self, id: usize, at: f64, end: Outcome) {
        let event = self.current_event();
        let waits = self.is_waiting(id);
        let Some(visit) = self.visits.get_mut(id) else { return };
        let is_failure = matches!(end, Outcome::Failed { .. });
        visit.ended = Some((event, at));
        visit.end = end;
        let (lane, node_path) = (Arc::clone(&visit.lane), Arc::clone(&visit.node_path));
        self.open_visits.remove(&(lane, Arc::clone(&node_path)));
        self.record_change(&node_path, id, |change| {
            change.running = change.running.saturating_sub(1);
            change.waiting = change.waiting.saturating_sub(usize::from(waits));
        });
        if is_failure {
            self.add_to_totals(|totals| totals.failed += 1);
        }
    }

    fn node_retried(&mut self, event: &Json, at: f64) {
        let (node_path, lane) = (self.intern_path(event), self.intern(text(event, "lane")));
        let Some(id) = self.open_visits.get(&(lane, Arc::clone(&node_path))).copied() else { return };
        let retry = Retry {
            event: self.current_event(),
            at_ms: at,
            delay_ms: number(event, "delay"),
            attempt: whole(event, "attempt"),
            code: self.intern(text(event, "code")),
            message: Arc::from(text(event, "message")),
        };
        let waited = self.is_waiting(id);
        if let Some(visit) = self.visits.get_mut(id) {
            visit.retries.push(retry);
        }
        self.record_change(&node_path, id, |change| change.waiting += usize::from(!waited));
        self.add_to_totals(|totals| totals.retries += 1);
    }

    /// For an approval or a retry.
    fn is_waiting(&self, id: usize) -> bool {
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

    fn call_started(&mut self, event: &Json, at: f64) {
        let (node_path, lane) = (self.intern_path(event), self.intern(text(event, "lane")));
        let call = Call {
            name: text(event, "call").to_owned(),
            kind: self.intern(text(event, "kind")),
            tool: event.get("tool").and_then(Json::as_str).map(|tool| self.intern(tool)),
            visit: self.open_visits.get(&(lane, Arc::clone(&node_path))).copied(),
            event: self.current_event(),
            start_ms: at,
            input: self.event_value(event),
            ended: None,
            end: Outcome::Abandoned,
            tokens: None,
            micro_usd: None,
        };
        let (id, visit) = (self.calls.len(), call.visit);
        self.call_of.insert(call.name.clone(), id);
        self.calls.push(call);
        self.add_to_totals(|totals| totals.calls += 1);
        let Some(visit) = visit else { return };
        let before = self.is_waiting(visit);
        if let Some(visit) = self.visits.get_mut(visit) {
            visit.calls.push(id);
        }
        self.update_waiting(&node_path, visit, before);
    }

    fn call_answered(&mut self, event: &Json, at: f64) {
        let name = text(event, "call");
        self.progress.remove(name);
        let Some(id) = self.call_of.remove(name) else { return };
        let end = if event.get("code").is_some() {
            self.event_failure(event)
        } else {
            Outcome::Done(self.event_value(event))
        };
        let found = self.calls.get(id).and_then(|call| call.visit);
        let before = found.is_some_and(|visit| self.is_waiting(visit));
        let position = self.current_event();
        let tokens = event
            .get("usage")
            .map(|usage| ["input", "output", "cached"].map(|name| whole(usage, name) as u64));
        let micro_usd = event
            .get("usage")
            .filter(|usage| usage.get("microUsd").is_some())
            .map(|usage| whole(usage, "microUsd") as u64);
        if let Some(call) = self.calls.get_mut(id) {
            call.ended = Some((position, at));
            call.end = end;
            call.tokens = tokens;
            call.micro_usd = micro_usd;
        }
        if let Some(tokens) = tokens {
            self.add_to_totals(|totals| {
                totals.tokens.iter_mut().zip(tokens).for_each(|(sum, more)| *sum += more);
                if let Some(more) = micro_usd {
                    totals.micro_usd = Some(totals.micro_usd.unwrap_or_default() + more);
                }
            });
        }
        if let Some((visit, node_path)) =
            found.and_then(|id| self.visits.get(id).map(|visit| (id, Arc::clone(&visit.node_path))))
        {
            self.update_waiting(&node_path, visit, before);
        }
    }

    fn update_waiting(&mut self, node_path: &Arc<str>, visit: usize, before: bool) {
        let now = self.is_waiting(visit);
        if now != before {
            self.record_change(node_path, visit, |change| {
                change.waiting = if now { change.waiting + 1 } else { change.waiting.saturating_sub(1) };
            });
        }
    }

    fn edge_decided(&mut self, event: &Json) {
        let position = self.current_event();
        let (node_path, lane, scope) =
            (self.intern_path(event), self.intern(text(event, "lane")), self.intern(text(event, "scope")));
        let verdicts: Vec<_> = list(event, "verdicts").iter().map(|one| self.parse_verdict(one)).collect();
        let edge = event.get("edge").filter(|edge| !edge.is_null()).map(|_| whole(event, "edge"));
        for looked in verdicts.iter().map(|verdict| verdict.edge).chain(edge) {
            let known = self.edges.entry((Arc::clone(&scope), looked)).or_insert((None, position));
            if edge == Some(looked) && known.0.is_none() {
                known.0 = Some(position);
            }
        }
        let row =
            self.row_of.get(&(Arc::clone(&lane), Arc::clone(&node_path))).and_then(|at| self.rows.get(*at));
        let visit = row.and_then(|row| row.visits.last().copied());
        if let Some(visit) = visit.and_then(|id| self.visits.get_mut(id)) {
            visit.decision = Some(self.decisions.len());
        }
        for failed in verdicts.iter().filter(|verdict| verdict.has_failed) {
            self.failed_edges.entry((Arc::clone(&scope), failed.edge)).or_insert(position);
        }
        let error_code = verdicts.iter().flat_map(|verdict| &verdict.values).find_map(error_code);
        let has_failed = verdicts.iter().any(|verdict| verdict.has_failed);
        self.awaits_error_code = has_failed && error_code.is_none();
        let error_code = error_code.filter(|_| has_failed);
        self.decisions.push(Decision { event: position, node_path, scope, edge, verdicts, error_code });
    }

    /// Without an edge for it, a failed condition fails its node or the run next.
    fn decision_failed(&mut self, event: &Json) {
        if !std::mem::take(&mut self.awaits_error_code) {
            return;
        }
        let code = matches!(text(event, "type"), "node-failed" | "run-ended").then(|| text(event, "code"));
        match (code.filter(|code| !code.is_empty()).map(|code| self.intern(code)), self.decisions.last_mut())
        {
            (code @ Some(_), Some(decision)) => decision.error_code = code,
            // Nested graphs end in between.
            _ => self.awaits_error_code = matches!(text(event, "type"), "scope-ended" | "logged"),
        }
    }

    fn parse_verdict(&mut self, one: &Json) -> Verdict {
        let event = self.current_event();
        let saw = list(one, "saw").iter().map(|seen| ComparedValue {
            reference: self.intern(text(seen, "reference")),
            value: seen.get("value").map(|value| value_of(Some(value), event)),
        });
        let saw = saw.collect();
        Verdict {
            edge: whole(one, "edge"),
            condition: self.intern(text(one, "condition")),
            holds: flag(one, "holds"),
            has_failed: flag(one, "failed"),
            values: saw,
        }
    }

    fn record_change(&mut self, node_path: &Arc<str>, visit: usize, change: impl FnOnce(&mut NodeChange)) {
        let event = self.current_event();
        let changes = self.changes.entry(Arc::clone(node_path)).or_default();
        let before = changes.last().copied();
        let mut next = NodeChange {
            event,
            visit,
            ..before.unwrap_or(NodeChange { event, visits: 0, running: 0, waiting: 0, visit })
        };
        change(&mut next);
        match changes.last_mut().filter(|last| last.event == event) {
            Some(last) => *last = next,
            None => changes.push(next),
        }
    }

    fn add_to_totals(&mut self, add: impl FnOnce(&mut RunningTotal)) {
        let mut next =
            RunningTotal { event: self.current_event(), ..self.sums.last().copied().unwrap_or_default() };
        add(&mut next);
        self.sums.push(next);
    }
}

pub(super) fn value_of(json: Option<&Json>, event: usize) -> Value {
    let Some(json) = json else { return Value { text: Arc::from("null"), is_cut: false, event } };
    Value { text: Arc::from(text(json, "text")), is_cut: flag(json, "cut"), event }
}

/// An edge for failures sees the failure.
fn error_code(compared: &ComparedValue) -> Option<Arc<str>> {
    let seen = stepgraph_core::json::parse(&compared.value.as_ref()?.text)?;
    let code = match &*compared.reference {
        "error" => seen.get("code")?.as_str()?,
        "error.code" => seen.as_str()?,
        _ => return None,
    };
    Some(Arc::from(code))
}
