//! Rules for dragged edges. An edge stays in its graph. If a condition is missing, no run would take a duplicate, and a
//! self-loop would never end.

use crate::gesture::{EdgeDrag, End};
use crate::scene::Scene;

/// Why it is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConnectError {
    /// Different graphs.
    OtherGraph,
    /// Self-loop.
    SameNode,
    /// Already exists.
    Duplicate,
}

/// `None` if the edge may end there.
pub fn connect_error(scene: &Scene, drag: EdgeDrag, node: usize) -> Option<ConnectError> {
    let scene_edge = match drag {
        EdgeDrag::New(_) => None,
        EdgeDrag::Existing(edge, _) => scene.edges.get(edge),
    };
    let (from, to) = match (drag, scene_edge) {
        (EdgeDrag::New(from), _) => (from, node),
        (EdgeDrag::Existing(_, End::To), Some(scene_edge)) => (scene_edge.from, node),
        (EdgeDrag::Existing(_, End::From), Some(scene_edge)) => (node, scene_edge.to),
        (EdgeDrag::Existing(..), None) => return None,
    };
    let (a, b) = (scene.nodes.get(from)?, scene.nodes.get(to)?);
    let label = scene_edge.map_or("", |scene_edge| scene_edge.label.as_str());
    let own = scene_edge.map(|scene_edge| (scene_edge.scope.as_str(), scene_edge.index));
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
