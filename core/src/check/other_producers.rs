//! Finds outputs whose names are not ids of nodes.

use crate::capabilities::Capabilities;
use crate::graph::scope::Scopes;
use crate::graph::{Graph, Node};
use crate::kind;
use crate::node::{self, Action};
use std::collections::HashSet;

pub(super) struct OtherProducers {
    /// Whether some handler may write any name.
    pub(super) handlers: bool,
    /// Names that built-in types may write.
    pub(super) named_outputs: HashSet<&'static str>,
}

impl OtherProducers {
    pub(super) fn of(scopes: &Scopes<'_>, capabilities: &Capabilities) -> Self {
        let nodes =
            || scopes.list.iter().flat_map(|scope| scope.graph.nodes.iter().map(|node| (scope.graph, node)));
        let is_handled = |(graph, node): (&Graph, &Node)| {
            matches!(
                node::action(node, &graph.node_path(node), capabilities),
                None | Some(Action::Handler(_))
            )
        };
        let mut named_outputs = HashSet::new();
        for (_, node) in nodes() {
            named_outputs.extend(kind::possible_named_outputs(&node.kind));
        }
        Self { handlers: nodes().any(is_handled), named_outputs }
    }
}
