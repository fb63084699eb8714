//! A run's status on the canvas.

use std::collections::HashMap;

/// Node status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeStatus {
    /// Not visited.
    #[default]
    None,
    /// Running.
    Running,
    /// For approval or retry.
    Waiting,
    /// Completed.
    Done,
    /// An approval that a person rejected.
    Rejected,
    /// Failed.
    Failed,
    /// Skipped or abandoned.
    Skipped,
    /// Stopped before it.
    Stopped,
}

/// Node state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeRunState {
    /// Status.
    pub status: NodeStatus,
    /// Value or error code.
    pub text: String,
    /// Visit count.
    pub visits: usize,
    /// Has one.
    pub has_breakpoint: bool,
    /// Fixed output.
    pub is_pinned: bool,
}

/// All elements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunOverlay {
    /// Keyed by node path.
    pub nodes: HashMap<String, NodeRunState>,
    /// Keyed by scope and index: done if taken, failed if its condition failed, otherwise skipped.
    pub edges: HashMap<(String, usize), NodeStatus>,
    /// The plan has changed since the run began.
    pub is_outdated: bool,
}

impl NodeStatus {
    /// A result, which an outdated run leaves behind.
    pub fn is_result(self) -> bool {
        matches!(self, Self::Done | Self::Rejected | Self::Failed | Self::Skipped)
    }
}
