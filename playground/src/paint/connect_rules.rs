//! Where an edge may lead.
//!
//! Decides what is offered while one is led from a node, and why the rest is not: an edge stays in its graph; a second one without a
//! condition between the same two nodes, or one without a condition from a node to itself, would never be taken or never end.

use crate::gesture::{End, Lead};
use crate::scene::Scene;

/// Why an edge may not lead there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The node stands in another graph.
    OtherGraph,
    /// It is the same node.
    Itself,
    /// There is such an edge already.
    IsThere,
}

/// Why what is led may not end at a node; nothing when it may.
pub fn refusal(scene: &Scene, lead: Lead, node: usize) -> Option<Refusal> {
    let line = match lead {
        Lead::New(_) => None,
        Lead::Moved(edge, _) => scene.edges.get(edge),
    };
    let (from, to) = match (lead, line) {
        (Lead::New(from), _) => (from, node),
        (Lead::Moved(_, End::To), Some(line)) => (line.from, node),
        (Lead::Moved(_, End::From), Some(line)) => (node, line.to),
        (Lead::Moved(..), None) => return None,
    };
    let (a, b) = (scene.nodes.get(from)?, scene.nodes.get(to)?);
    let label = line.map_or("", |line| line.label.as_str());
    let own = line.map(|line| (line.scope.as_str(), line.index));
    let says_the_same = |other: &&crate::scene::Line| {
        other.from == from
            && other.to == to
            && other.label == label
            && own != Some((&other.scope, other.index))
    };
    if a.scope != b.scope {
        Some(Refusal::OtherGraph)
    } else if from == to && label.is_empty() {
        Some(Refusal::Itself)
    } else if scene.edges.iter().any(|other| says_the_same(&other)) {
        Some(Refusal::IsThere)
    } else {
        None
    }
}
