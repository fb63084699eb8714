//! State after the first `at` events, by binary search. Invariant: as if the run had stopped there.

use super::format_value::summary;
use super::run_model::{Call, CallProgress, Decision, NodeChange, Outcome, Question, Run, RunOutcome, Visit};
use crate::run_overlay::{NodeRunState, NodeStatus, RunOverlay};
use std::collections::BTreeSet;

/// Visit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitStatus {
    /// Running.
    Running,
    /// For approval or retry.
    Waiting,
    /// Completed.
    Done,
    /// A person rejected it.
    Rejected,
    /// Failed.
    Failed,
    /// Abandoned.
    Abandoned,
}

impl VisitStatus {
    /// Has no end yet.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Running | Self::Waiting)
    }
}

/// Run totals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Visits.
    pub visits: usize,
    /// Failed visits.
    pub failed: usize,
    /// Retries.
    pub retries: usize,
    /// Calls.
    pub calls: usize,
    /// Input, output, cached input.
    pub tokens: [u64; 3],
    /// Millionths of a US dollar. `None` without prices.
    pub micro_usd: Option<u64>,
}

const MAX_NODE_CHARS: usize = 28;

impl Run {
    /// Number of events.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Has no events.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Time after `at` events.
    pub fn time(&self, at: usize) -> f64 {
        at.checked_sub(1)
            .and_then(|last| self.times.get(last.min(self.len().saturating_sub(1))))
            .copied()
            .unwrap_or_default()
    }

    /// Adjacent visit start.
    pub fn next_visit(&self, at: usize, is_forward: bool) -> usize {
        let after = self.visits.partition_point(|visit| visit.start_event < at);
        if is_forward {
            return self.visits.get(after).map_or(self.len(), |visit| visit.start_event + 1);
        }
        let before = after.checked_sub(1).and_then(|last| self.visits.get(last));
        let before = before
            .filter(|visit| visit.start_event + 1 < at)
            .or_else(|| self.visits.get(after.checked_sub(2)?));
        before.map_or(0, |visit| visit.start_event + 1)
    }

    /// In start order.
    pub fn visits(&self) -> &[Visit] {
        &self.visits
    }

    /// Finds by index.
    pub fn visit(&self, id: usize) -> Option<&Visit> {
        self.visits.get(id)
    }

    /// A visit's calls.
    pub fn calls_of<'r>(&'r self, visit: &'r Visit, at: usize) -> impl Iterator<Item = &'r Call> {
        visit.calls.iter().filter_map(|id| self.calls.get(*id)).filter(move |call| call.event < at)
    }

    /// After a visit.
    pub fn decision(&self, visit: &Visit, at: usize) -> Option<&Decision> {
        visit.decision.and_then(|id| self.decisions.get(id)).filter(|decision| decision.event < at)
    }

    /// The decision after a visit whose condition failed, which ends the run or its graph.
    pub fn failed_decision(&self, visit: &Visit, at: usize) -> Option<&Decision> {
        self.decision(visit, at).filter(|decision| decision.failed_edge().is_some())
    }

    /// The condition that ended the run.
    pub fn failed_condition(&self) -> Option<(&Decision, usize)> {
        let decision = self.decisions.last()?;
        let edge = decision.failed_edge()?;
        (self.outcome()?.outcome == "failed").then_some((decision, edge))
    }

    /// The node of the last approval, if a person rejected it and the run ended with that.
    pub fn rejected_node(&self) -> Option<&str> {
        let visit = self.visits.iter().rev().find(|visit| self.asks(visit))?;
        let ended = self.outcome()?;
        let is_end = ended.outcome == "completed" || ended.code.as_deref() == Some("tool/refused");
        (is_rejection(&visit.end) && is_end).then_some(&*visit.node_path)
    }

    fn is_rejected(&self, visit: &Visit) -> bool {
        is_rejection(&visit.end) && self.asks(visit)
    }

    fn asks(&self, visit: &Visit) -> bool {
        visit.calls.iter().filter_map(|id| self.calls.get(*id)).any(|call| &*call.kind == "approval")
    }

    /// The last call of a failed visit failed, so a retry may help.
    pub fn has_failed_call(&self) -> bool {
        let failed = self.visits.iter().filter(|visit| matches!(visit.end, Outcome::Failed { .. }));
        let calls = failed.filter_map(|visit| self.calls.get(*visit.calls.last()?));
        calls.into_iter().any(|call| matches!(call.end, Outcome::Failed { .. }))
    }

    /// Last after a node.
    pub fn decision_at(&self, scope: &str, node: &str, at: usize) -> Option<&Decision> {
        let decided = self.decisions.partition_point(|decision| decision.event < at);
        let known = self.decisions.get(..decided).unwrap_or_default();
        known.iter().rev().find(|decision| &*decision.scope == scope && &*decision.node_path == node)
    }

    /// Open questions, always current.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Latest open node.
    pub fn running_node(&self) -> Option<&str> {
        let visit = self.visits.get(*self.open_visits.values().max()?)?;
        Some(&visit.node_path)
    }

    /// Once ended.
    pub fn outcome(&self) -> Option<&RunOutcome> {
        self.outcome.as_ref()
    }

    /// An open call's.
    pub fn call_progress(&self, call: &str) -> Option<&CallProgress> {
        self.progress.get(call)
    }

    /// `None` before its start.
    pub fn visit_status(&self, visit: &Visit, at: usize) -> Option<VisitStatus> {
        if visit.start_event >= at {
            return None;
        }
        if visit.ended.is_some_and(|(event, _)| event < at) {
            return Some(match &visit.end {
                Outcome::Done(_) if self.failed_decision(visit, at).is_some() => VisitStatus::Failed,
                _ if self.is_rejected(visit) => VisitStatus::Rejected,
                Outcome::Done(_) => VisitStatus::Done,
                Outcome::Failed { .. } => VisitStatus::Failed,
                Outcome::Abandoned => VisitStatus::Abandoned,
            });
        }
        let is_open = |call: &Call| call.ended.is_none_or(|(event, _)| event >= at);
        let asks_person = self.calls_of(visit, at).any(|call| &*call.kind == "approval" && is_open(call));
        let retry = visit.retries.iter().rev().find(|retry| retry.event < at);
        let rests = retry.is_some_and(|retry| self.calls_of(visit, at).all(|call| call.event < retry.event));
        Some(if asks_person || rests { VisitStatus::Waiting } else { VisitStatus::Running })
    }

    fn last_change(&self, node_path: &str, at: usize) -> Option<NodeChange> {
        let changes = self.changes.get(node_path)?;
        changes
            .partition_point(|change| change.event < at)
            .checked_sub(1)
            .and_then(|last| changes.get(last))
            .copied()
    }

    /// Last changed visit, and the number of visits.
    pub fn last_visit(&self, node_path: &str, at: usize) -> Option<(usize, usize)> {
        self.last_change(node_path, at).map(|change| (change.visit, change.visits))
    }

    /// A node's visits.
    pub fn visits_of(&self, node_path: &str, at: usize) -> Vec<usize> {
        let changes = self.changes.get(node_path).map_or(&[][..], Vec::as_slice);
        let known = changes.get(..changes.partition_point(|change| change.event < at)).unwrap_or_default();
        // A start increments `visits`.
        let mut before = 0;
        let begun =
            known.iter().filter(|change| std::mem::replace(&mut before, change.visits) < change.visits);
        begun.map(|change| change.visit).collect()
    }

    /// Node state.
    pub fn node_state(&self, node_path: &str, at: usize) -> Option<NodeRunState> {
        let NodeChange { visits: begun, running, waiting, visit, .. } = self.last_change(node_path, at)?;
        let visit = self.visits.get(visit)?;
        let is_over = visit.ended.is_some_and(|(event, _)| event < at);
        let decision = self.failed_decision(visit, at);
        let status = match (running, &visit.end) {
            (0, Outcome::Done(_)) if decision.is_some() => NodeStatus::Failed,
            (0, _) if self.is_rejected(visit) => NodeStatus::Rejected,
            (0, Outcome::Done(_)) => NodeStatus::Done,
            (0, Outcome::Failed { .. }) => NodeStatus::Failed,
            (0, Outcome::Abandoned) => NodeStatus::Skipped,
            (running, _) if running == waiting => NodeStatus::Waiting,
            _ => NodeStatus::Running,
        };
        let text = match &visit.end {
            Outcome::Done(_) if is_over && let Some(decision) = decision => {
                decision.error_code.as_deref().unwrap_or_default().to_owned()
            }
            Outcome::Done(value) if is_over => summary(&value.text, MAX_NODE_CHARS),
            Outcome::Failed { code, .. } if is_over => code.to_string(),
            _ => String::new(),
        };
        Some(NodeRunState { status, text, visits: begun, ..NodeRunState::default() })
    }

    /// True if taken, false if only evaluated.
    pub fn edge_taken(&self, scope: &str, index: usize, at: usize) -> Option<bool> {
        let (taken, looked) = self.edges.get(&(scope.into(), index))?;
        (*looked < at).then_some(taken.is_some_and(|taken| taken < at))
    }

    fn edge_status(&self, scope: &str, index: usize, at: usize) -> Option<NodeStatus> {
        let was_taken = self.edge_taken(scope, index, at)?;
        let failed = self.failed_edges.get(&(scope.into(), index)).is_some_and(|failed| *failed < at);
        Some(match (failed, was_taken) {
            (true, _) => NodeStatus::Failed,
            (false, true) => NodeStatus::Done,
            (false, false) => NodeStatus::Skipped,
        })
    }

    /// Canvas overlay.
    pub fn overlay(&self, at: usize) -> RunOverlay {
        let nodes = self
            .changes
            .keys()
            .filter_map(|node_path| Some((node_path.to_string(), self.node_state(node_path, at)?)));
        let edges = self.edges.keys().filter_map(|(scope, index)| {
            Some(((scope.to_string(), *index), self.edge_status(scope, *index, at)?))
        });
        RunOverlay { nodes: nodes.collect(), edges: edges.collect(), is_outdated: false }
    }

    /// The sums.
    pub fn totals(&self, at: usize) -> Totals {
        let known = self.sums.partition_point(|running| running.event < at);
        let running = known.checked_sub(1).and_then(|last| self.sums.get(last)).copied().unwrap_or_default();
        Totals {
            visits: running.visits,
            failed: running.failed,
            retries: running.retries,
            calls: running.calls,
            tokens: running.tokens,
            micro_usd: running.micro_usd,
        }
    }

    /// Visited paths.
    pub fn visited_paths(&self, at: usize) -> BTreeSet<&str> {
        let begun = self
            .changes
            .iter()
            .filter(|(_, changes)| changes.first().is_some_and(|change| change.event < at));
        begun.map(|(node_path, _)| &**node_path).collect()
    }
}

/// The end of an approval, or of a tool that asks for one.
fn is_rejection(end: &Outcome) -> bool {
    match end {
        Outcome::Done(value) => &*value.text == "\"rejected\"",
        Outcome::Failed { code, .. } => &**code == "tool/refused",
        Outcome::Abandoned => false,
    }
}
