//! Explains a decision: why each outgoing edge was taken or not.
//!
//! Invariant: edges are in plan order, and each has one reason.

use super::run_model::{Decision, Verdict};

/// Reason for an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Taken: the first condition that matched.
    Matched,
    /// Taken: a fallback, because no condition matched.
    Fallback,
    /// Not taken: the condition did not match.
    NotMatched,
    /// Not taken: a fallback, and another edge matched.
    UnusedFallback,
    /// Not evaluated: an earlier edge matched, or a failure does not concern it.
    NotEvaluated,
}

/// An edge of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandidateEdge<'p> {
    /// Index in `edges` of its graph.
    pub index: usize,
    /// Target key.
    pub to: &'p str,
    /// Condition, or empty.
    pub condition: &'p str,
    /// Whether it is a fallback.
    pub is_fallback: bool,
}

/// Explanation of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeExplanation<'r> {
    /// Edge.
    pub edge: CandidateEdge<'r>,
    /// Reason.
    pub reason: Reason,
    /// Evaluated condition with its values.
    pub verdict: Option<&'r Verdict>,
}

impl Decision {
    /// Explains each outgoing edge of the node.
    pub fn explain<'r>(&'r self, ways: &[CandidateEdge<'r>]) -> Vec<EdgeExplanation<'r>> {
        let explanation = ways.iter().map(|edge| {
            let verdict = self.verdicts.iter().find(|verdict| verdict.edge == edge.index);
            let reason = match (self.edge == Some(edge.index), verdict) {
                (true, None) => Reason::Fallback,
                (true, Some(_)) => Reason::Matched,
                (false, Some(_)) => Reason::NotMatched,
                (false, None) if edge.is_fallback => Reason::UnusedFallback,
                (false, None) => Reason::NotEvaluated,
            };
            EdgeExplanation { edge: *edge, reason, verdict }
        });
        explanation.collect()
    }
}
