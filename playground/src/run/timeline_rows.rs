//! The timeline: a row per node and lane, a bar per visit. Invariants: rows are by first visit, nested ones below their
//! node. Bars don't overlap, and short ones merge.

use super::run_model::{Run, Visit};
use super::time_travel::VisitStatus;
use std::sync::Arc;

/// Bar kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarKind {
    /// Has a status.
    Visit(VisitStatus),
    /// Before a retry.
    FailedAttempt,
    /// For approval or retry.
    Wait,
    /// Short visits.
    Merged,
}

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// First visit.
    pub visit: usize,
    /// Start time.
    pub start_ms: f64,
    /// End time.
    pub end_ms: f64,
    /// Kind.
    pub kind: BarKind,
}

/// Node in a lane.
#[derive(Debug, Clone)]
pub struct TimelineRow {
    /// Node path.
    pub node_path: Arc<str>,
    /// Node lane.
    pub lane: Arc<str>,
    /// Nesting depth.
    pub depth: usize,
    /// Number of visits.
    pub visits: usize,
    /// Last visit.
    pub last: usize,
    /// Last visit's.
    pub status: VisitStatus,
    /// First start.
    pub start_ms: f64,
    /// Total duration.
    pub duration_ms: f64,
    /// Number of retries.
    pub retries: usize,
    /// Input and output.
    pub tokens: u64,
}

impl Run {
    /// In display order.
    pub fn rows(&self, at: usize) -> Vec<usize> {
        let began = |id: &usize| self.row_visits(*id).first().and_then(|visit| self.visits.get(*visit));
        self.order
            .iter()
            .copied()
            .filter(|id| began(id).is_some_and(|visit| visit.start_event < at))
            .collect()
    }

    fn row_visits(&self, row: usize) -> &[usize] {
        self.rows.get(row).map_or(&[], |row| &row.visits)
    }

    fn started_visits(&self, row: usize, at: usize) -> impl DoubleEndedIterator<Item = (usize, &Visit)> {
        let known = self.row_visits(row).iter().filter_map(|id| Some((*id, self.visits.get(*id)?)));
        known.filter(move |(_, visit)| visit.start_event < at)
    }

    /// Returns a row.
    pub fn row_at(&self, row: usize, at: usize) -> Option<TimelineRow> {
        let (last, visit) = self.started_visits(row, at).next_back()?;
        let mut all = TimelineRow {
            node_path: Arc::clone(&visit.node_path),
            lane: Arc::clone(&visit.lane),
            depth: self.lanes.get(&visit.lane).map_or(0, Vec::len).div_ceil(2),
            visits: 0,
            last,
            status: self.visit_status(visit, at)?,
            start_ms: f64::INFINITY,
            duration_ms: 0.0,
            retries: 0,
            tokens: 0,
        };
        for (_, visit) in self.started_visits(row, at) {
            all.visits += 1;
            all.start_ms = all.start_ms.min(visit.start_ms);
            all.duration_ms += self.end_ms(visit, at) - visit.start_ms;
            all.retries += visit.retries.iter().filter(|retry| retry.event < at).count();
            let tokens =
                self.calls_of(visit, at).filter(|call| call.ended.is_some_and(|(event, _)| event < at));
            all.tokens +=
                tokens.filter_map(|call| call.tokens).map(|[input, output, _]| input + output).sum::<u64>();
        }
        Some(all)
    }

    /// The current time if open.
    pub fn end_ms(&self, visit: &Visit, at: usize) -> f64 {
        let ended = visit.ended.filter(|(event, _)| *event < at).map(|(_, ms)| ms);
        ended.unwrap_or_else(|| self.time(at).max(visit.start_ms))
    }

    /// Bars and gaps below `fine_ms` merge.
    pub fn bars(&self, row: usize, at: usize, fine_ms: f64) -> Vec<Bar> {
        let mut bars: Vec<Bar> = Vec::new();
        let mut open: Option<usize> = None;
        for (id, visit) in self.started_visits(row, at) {
            let (from, to) = (visit.start_ms, self.end_ms(visit, at));
            let close = bars.last_mut().filter(|last| {
                from - last.end_ms < fine_ms && last.end_ms - last.start_ms < fine_ms.max(to - from)
            });
            if let Some(last) = close.filter(|_| open.is_some() && to - from < fine_ms) {
                last.end_ms = to;
                last.kind = BarKind::Merged;
                continue;
            }
            open = Some(id);
            self.visit_bars(id, visit, at, &mut bars);
        }
        bars
    }

    fn visit_bars(&self, id: usize, visit: &Visit, at: usize, bars: &mut Vec<Bar>) {
        let to = self.end_ms(visit, at);
        let mut from = visit.start_ms;
        let mut put = |from_ms: f64, to_ms: f64, kind| {
            bars.push(Bar { visit: id, start_ms: from_ms, end_ms: to_ms, kind });
        };
        let mut waits: Vec<(f64, f64, bool)> = Vec::new();
        for retry in visit.retries.iter().filter(|retry| retry.event < at) {
            let next = self
                .calls_of(visit, at)
                .find(|call| call.event > retry.event)
                .map_or(to, |call| call.start_ms);
            waits.push((retry.at_ms, next.min(to), true));
        }
        for call in self.calls_of(visit, at).filter(|call| &*call.kind == "approval") {
            let until = call.ended.filter(|(event, _)| *event < at).map_or(to, |(_, ms)| ms);
            waits.push((call.start_ms, until.min(to), false));
        }
        waits.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (begin, end, is_retry) in waits {
            if begin > from || is_retry {
                put(
                    from,
                    begin.max(from),
                    if is_retry { BarKind::FailedAttempt } else { BarKind::Visit(VisitStatus::Done) },
                );
            }
            put(begin.max(from), end.max(from), BarKind::Wait);
            from = end.max(from);
        }
        let status = self.visit_status(visit, at).unwrap_or(VisitStatus::Running);
        if status != VisitStatus::Waiting {
            put(from, to, BarKind::Visit(status));
        }
    }
}
