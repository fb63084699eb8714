//! Where an edge may lead.
//!
//! Decides what is offered while one is led from a node, and why the rest is not: an edge stays in its graph; a second one without a
//! condition between the same two nodes, or one without a condition from a node to itself, would never be taken or never end.

use crate::gesture::{EdgeDrag, End};
use crate::scene::Scene;

/// Why an edge may not lead there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConnectError {
    /// The node stands in another graph.
    OtherGraph,
    /// It is the same node.
    SameNode,
    /// There is such an edge already.
    Duplicate,
}

/// Why what is led may not end at a node; nothing when it may.
pub fn connect_error(scene: &Scene, lead: EdgeDrag, node: usize) -> Option<ConnectError> {
    let line = match lead {
        EdgeDrag::New(_) => None,
        EdgeDrag::Existing(edge, _) => scene.edges.get(edge),
    };
    let (from, to) = match (lead, line) {
        (EdgeDrag::New(from), _) => (from, node),
        (EdgeDrag::Existing(_, End::To), Some(line)) => (line.from, node),
        (EdgeDrag::Existing(_, End::From), Some(line)) => (node, line.to),
        (EdgeDrag::Existing(..), None) => return None,
    };
    let (a, b) = (scene.nodes.get(from)?, scene.nodes.get(to)?);
    let label = line.map_or("", |line| line.label.as_str());
    let own = line.map(|line| (line.scope.as_str(), line.index));
    let says_the_same = |other: &&crate::scene::SceneEdge| {
        other.from == from
            && other.to == to
            && other.label == label
            && own != Some((&other.scope, other.index))
    };
    if a.scope != b.scope {
        Some(ConnectError::OtherGraph)
    } else if from == to && label.is_empty() {
        Some(ConnectError::SameNode)
    } else if scene.edges.iter().any(|other| says_the_same(&other)) {
        Some(ConnectError::Duplicate)
    } else {
        None
    }
}
