//! A run as it was after its first events: any number of them.
//!
//! Decides how a node or an edge stood then, from the last change before. Invariant: what is given for a moment is what it would be
//! had the run just come that far; a look at one node takes no longer than halving its changes.

use super::format_value::one_line;
use super::run_model::{
    Call, CallProgress, Decision, LogEntry, NodeChange, Outcome, Question, Run, RunOutcome, Visit,
};
use crate::run_overlay::{NodeRunState, NodeStatus, RunOverlay};
use std::collections::BTreeSet;

/// How a visit stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitStatus {
    /// It was working.
    Running,
    /// It waited for a person, or for its next try.
    Waiting,
    /// It had ended well.
    Done,
    /// It had failed.
    Failed,
    /// Nobody waited for it any more.
    Abandoned,
}

/// Sums.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Nodes that were come to.
    pub visits: usize,
    /// Of those, nodes that failed.
    pub failed: usize,
    /// Tries that failed and were followed by another.
    pub retries: usize,
    /// Calls.
    pub calls: usize,
    /// Tokens in, out, and of those in how many were cached.
    pub tokens: [u64; 3],
}

/// How many letters of a value stand on a node.
const MAX_NODE_CHARS: usize = 28;

impl Run {
    /// How many events there are.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether nothing has happened.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// When the last of the first `at` events happened.
    pub fn time(&self, at: usize) -> f64 {
        at.checked_sub(1)
            .and_then(|last| self.times.get(last.min(self.len().saturating_sub(1))))
            .copied()
            .unwrap_or_default()
    }

    /// How many events had happened by a time.
    pub fn at_time(&self, ms: f64) -> usize {
        self.times.partition_point(|time| *time <= ms)
    }

    /// The beginning of a visit after the first `at` events, or before the last of them: where a step leads.
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

    /// All visits, in the order in which they began.
    pub fn visits(&self) -> &[Visit] {
        &self.visits
    }

    /// A visit.
    pub fn visit(&self, id: usize) -> Option<&Visit> {
        self.visits.get(id)
    }

    /// What a visit had asked for by then.
    pub fn calls_of<'r>(&'r self, visit: &'r Visit, at: usize) -> impl Iterator<Item = &'r Call> {
        visit.calls.iter().filter_map(|id| self.calls.get(*id)).filter(move |call| call.event < at)
    }

    /// What was decided after a visit, if it was by then.
    pub fn decision(&self, visit: &Visit, at: usize) -> Option<&Decision> {
        visit.decision.and_then(|id| self.decisions.get(id)).filter(|decision| decision.event < at)
    }

    /// The last decision by then that looked at an edge, or could have.
    pub fn decision_at(&self, scope: &str, node: &str, at: usize) -> Option<&Decision> {
        let decided = self.decisions.partition_point(|decision| decision.event < at);
        let known = self.decisions.get(..decided).unwrap_or_default();
        known.iter().rev().find(|decision| &*decision.scope == scope && &*decision.node_path == node)
    }

    /// What was marked by then.
    pub fn log(&self, at: usize) -> &[LogEntry] {
        self.log.get(..self.log.partition_point(|line| line.event < at)).unwrap_or_default()
    }

    /// What people are asked now.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// How it ended, if it has.
    pub fn outcome(&self) -> Option<&RunOutcome> {
        self.outcome.as_ref()
    }

    /// What a call under way has told of itself.
    pub fn call_progress(&self, call: &str) -> Option<&CallProgress> {
        self.progress.get(call)
    }

    /// A server asks a person something while its tool works.
    pub fn add_question(&mut self, question: Question) {
        self.questions.push(question);
    }

    /// How a visit stood after the first `at` events; nothing when it had not begun.
    pub fn visit_status(&self, visit: &Visit, at: usize) -> Option<VisitStatus> {
        if visit.start_event >= at {
            return None;
        }
        if visit.ended.is_some_and(|(event, _)| event < at) {
            return Some(match visit.end {
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

    /// The last change of a node by then.
    fn last_change(&self, node_path: &str, at: usize) -> Option<NodeChange> {
        let changes = self.changes.get(node_path)?;
        changes
            .partition_point(|change| change.event < at)
            .checked_sub(1)
            .and_then(|last| changes.get(last))
            .copied()
    }

    /// The visit of a node that something happened to last, by then; and how often the run had come to it.
    pub fn last_visit(&self, node_path: &str, at: usize) -> Option<(usize, usize)> {
        self.last_change(node_path, at).map(|change| (change.visit, change.visits))
    }

    /// The visits of a node that had begun by then.
    pub fn visits_of(&self, node_path: &str, at: usize) -> Vec<usize> {
        let changes = self.changes.get(node_path).map_or(&[][..], Vec::as_slice);
        let known = changes.get(..changes.partition_point(|change| change.event < at)).unwrap_or_default();
        // A visit is one that a change made more.
        let mut before = 0;
        let begun =
            known.iter().filter(|change| std::mem::replace(&mut before, change.visits) < change.visits);
        begun.map(|change| change.visit).collect()
    }

    /// How a node stood.
    pub fn node_state(&self, node_path: &str, at: usize) -> Option<NodeRunState> {
        let NodeChange { visits: begun, running, waiting, visit, .. } = self.last_change(node_path, at)?;
        let visit = self.visits.get(visit)?;
        let is_over = visit.ended.is_some_and(|(event, _)| event < at);
        let status = match (running, &visit.end) {
            (0, Outcome::Done(_)) => NodeStatus::Done,
            (0, Outcome::Failed { .. }) => NodeStatus::Failed,
            (0, Outcome::Abandoned) => NodeStatus::Skipped,
            (running, _) if running == waiting => NodeStatus::Waiting,
            _ => NodeStatus::Running,
        };
        let text = match &visit.end {
            Outcome::Done(value) if is_over => one_line(&value.text, MAX_NODE_CHARS),
            Outcome::Failed { code, .. } if is_over => code.to_string(),
            _ => String::new(),
        };
        Some(NodeRunState { status, text, visits: begun, ..NodeRunState::default() })
    }

    /// Whether an edge had been taken by then, or looked at in vain; nothing when neither.
    pub fn edge_taken(&self, scope: &str, index: usize, at: usize) -> Option<bool> {
        let (taken, looked) = self.edges.get(&(scope.into(), index))?;
        (*looked < at).then_some(taken.is_some_and(|taken| taken < at))
    }

    /// What is drawn on nodes and edges.
    pub fn overlay(&self, at: usize) -> RunOverlay {
        let nodes = self
            .changes
            .keys()
            .filter_map(|node_path| Some((node_path.to_string(), self.node_state(node_path, at)?)));
        let edges = self.edges.keys().filter_map(|(scope, index)| {
            Some(((scope.to_string(), *index), self.edge_taken(scope, *index, at)?))
        });
        RunOverlay { nodes: nodes.collect(), edges: edges.collect() }
    }

    /// Sums by then.
    pub fn totals(&self, at: usize) -> Totals {
        let known = self.sums.partition_point(|running| running.event < at);
        let running = known.checked_sub(1).and_then(|last| self.sums.get(last)).copied().unwrap_or_default();
        Totals {
            visits: running.visits,
            failed: running.failed,
            retries: running.retries,
            calls: running.calls,
            tokens: running.tokens,
        }
    }

    /// All places that the run has come to by then.
    pub fn visited_paths(&self, at: usize) -> BTreeSet<&str> {
        let begun = self
            .changes
            .iter()
            .filter(|(_, changes)| changes.first().is_some_and(|change| change.event < at));
        begun.map(|(node_path, _)| &**node_path).collect()
    }
}
