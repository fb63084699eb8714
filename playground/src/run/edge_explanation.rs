//! Explains each outgoing edge. Invariant: in plan order, with one reason each.

use super::run_model::{Decision, Verdict};

/// An edge's reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Taken: first match.
    Matched,
    /// Taken: nothing matched.
    Fallback,
    /// Not taken: no match.
    NotMatched,
    /// Not taken: the evaluation failed.
    Failed,
    /// Not taken: another edge matched.
    UnusedFallback,
    /// An earlier edge matched, or a failure does not concern it.
    NotEvaluated,
}

/// Plan edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandidateEdge<'p> {
    /// In `edges`.
    pub index: usize,
    /// Target key.
    pub to: &'p str,
    /// Condition, or empty.
    pub condition: &'p str,
    /// Is a fallback.
    pub is_fallback: bool,
}

/// Edge explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeExplanation<'r> {
    /// Edge.
    pub edge: CandidateEdge<'r>,
    /// Reason.
    pub reason: Reason,
    /// Condition with its values.
    pub verdict: Option<&'r Verdict>,
}

impl Decision {
    /// Each outgoing edge.
    pub fn explain<'r>(&'r self, ways: &[CandidateEdge<'r>]) -> Vec<EdgeExplanation<'r>> {
        let explanation = ways.iter().map(|edge| {
            let verdict = self.verdicts.iter().find(|verdict| verdict.edge == edge.index);
            let reason = match (self.edge == Some(edge.index), verdict) {
                (true, None) => Reason::Fallback,
                (true, Some(_)) => Reason::Matched,
                (false, Some(verdict)) if verdict.has_failed => Reason::Failed,
                (false, Some(_)) => Reason::NotMatched,
                (false, None) if edge.is_fallback && self.edge.is_some() => Reason::UnusedFallback,
                (false, None) => Reason::NotEvaluated,
            };
            EdgeExplanation { edge: *edge, reason, verdict }
        });
        explanation.collect()
    }
}
