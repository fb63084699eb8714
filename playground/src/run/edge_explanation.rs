//! Why this edge: each that leaves a node, with what spoke for or against it.
//!
//! Decides the reason of each edge from what was decided. Invariant: edges come in the order of the plan; each has exactly one reason.

use super::run_model::{Decision, Verdict};

/// What became of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Its condition was the first that held.
    Matched,
    /// No condition held, and it asks for none.
    Fallback,
    /// Its condition did not hold.
    NotMatched,
    /// It asks for nothing, and was not needed.
    UnusedFallback,
    /// An earlier one had been taken, or a failure does not concern it.
    NotEvaluated,
}

/// An edge of the plan, as a decision is explained by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CandidateEdge<'p> {
    /// Its position in `edges` of its graph.
    pub index: usize,
    /// Where it leads, by key.
    pub to: &'p str,
    /// Its condition as written; empty for none.
    pub condition: &'p str,
    /// Whether it asks for nothing.
    pub is_fallback: bool,
}

/// An edge that could have been taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeExplanation<'r> {
    /// The edge.
    pub edge: CandidateEdge<'r>,
    /// What became of it.
    pub reason: Reason,
    /// Its condition with what it saw, where it was looked at.
    pub verdict: Option<&'r Verdict>,
}

impl Decision {
    /// Each edge that leaves the node, with the reason for or against it.
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
