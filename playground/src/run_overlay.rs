//! What a run has left on the drawing: how nodes and edges fared.
//!
//! Decides nothing: who follows a run writes it, who draws reads it.

use std::collections::HashMap;

/// How a node fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeStatus {
    /// The run has not come to it.
    #[default]
    None,
    /// It is working.
    Running,
    /// It waits: for a person, for time, for other branches.
    Waiting,
    /// It has ended well.
    Done,
    /// It has failed.
    Failed,
    /// The run passed it by.
    Skipped,
    /// The run stands still before it.
    Stopped,
}

/// What is drawn on a node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeRunState {
    /// How it fares.
    pub status: NodeStatus,
    /// Its value, or what went wrong, in few letters.
    pub text: String,
    /// How often the run has come to it.
    pub visits: usize,
    /// Whether a run stops before it.
    pub has_breakpoint: bool,
    /// Whether its output is given instead of made.
    pub is_pinned: bool,
}

/// What is drawn on all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunOverlay {
    /// Nodes by place.
    pub nodes: HashMap<String, NodeRunState>,
    /// Edges by scope and position: whether the run took them, or looked at them in vain.
    pub edges: HashMap<(String, usize), bool>,
}
