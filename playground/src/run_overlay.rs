//! Status of a run on the nodes and edges of the canvas.

use std::collections::HashMap;

/// Run status of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeStatus {
    /// Not visited.
    #[default]
    None,
    /// Running.
    Running,
    /// Waiting for an approval or a retry.
    Waiting,
    /// Completed.
    Done,
    /// Failed.
    Failed,
    /// Skipped or abandoned.
    Skipped,
    /// Stopped before it.
    Stopped,
}

/// Run state of a node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeRunState {
    /// Status.
    pub status: NodeStatus,
    /// Short value or error code.
    pub text: String,
    /// Number of visits.
    pub visits: usize,
    /// Whether it has a breakpoint.
    pub has_breakpoint: bool,
    /// Whether its output is fixed.
    pub is_pinned: bool,
}

/// Run state of all elements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunOverlay {
    /// Nodes by node path.
    pub nodes: HashMap<String, NodeRunState>,
    /// Edges by scope and index: taken, or only evaluated.
    pub edges: HashMap<(String, usize), bool>,
}
