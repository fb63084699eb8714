//! Maps edges between the plan that ran and the open one by source, target and condition, because edits change indexes.
//! Invariant: changed edges have no match.

use std::collections::HashMap;
use stepgraph_core::graph::PlanGraph;

/// Texts by scope.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EdgeTexts(HashMap<String, Vec<String>>);

impl EdgeTexts {
    /// All graphs' edges.
    pub fn from_plan(plan: &PlanGraph) -> Self {
        let graphs = plan.graphs().into_iter().map(|graph| {
            let said = graph
                .edges
                .iter()
                .map(|edge| [&*edge.from.name, &edge.to.name, edge.condition_text.trim()].join("\n"));
            (graph.scope.clone(), said.collect())
        });
        Self(graphs.collect())
    }

    /// Source and target, by their ids.
    pub fn ends(&self, scope: &str, index: usize) -> Option<(&str, &str)> {
        let mut lines = self.0.get(scope)?.get(index)?.lines();
        Some((lines.next()?, lines.next()?))
    }

    /// Equal edges match in order.
    pub fn index_of_ran(&self, ran: &Self, scope: &str, index: usize) -> Option<usize> {
        let before = ran.0.get(scope)?;
        let message = before.get(index)?;
        let nth = before.iter().take(index).filter(|other| *other == message).count();
        let now = self.0.get(scope)?.iter().enumerate();
        now.filter(|(_, other)| *other == message).nth(nth).map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepgraph_core::source::Format;

    fn edges(text: &str) -> EdgeTexts {
        EdgeTexts::from_plan(&PlanGraph::parse(text, Format::Auto).graph.expect("a plan"))
    }

    #[test]
    fn maps_edges_by_their_text() {
        let plan = |edges: &str| {
            format!("start: a\nnodes: {{a: {{type: x}}, b: {{type: x}}, c: {{type: x}}}}\nedges: [{edges}]")
        };
        let (to_b, to_c) = ("{from: a, to: b, condition: last==1}", "{from: a, to: c}");
        let ran = edges(&plan(&[to_b, to_c].join(", ")));
        for (now, expect) in [
            ([to_b, to_c].join(", "), [Some(0), Some(1)]),
            ([to_c, to_b].join(", "), [Some(1), Some(0)]),
            (to_c.to_owned(), [None, Some(0)]),
            ([&to_b.replace("==1", "==2"), to_c].join(", "), [None, Some(1)]),
            (["{from: b, to: c}", to_b, to_c].join(", "), [Some(1), Some(2)]),
        ] {
            let open = edges(&plan(&now));
            assert_eq!([0, 1].map(|index| open.index_of_ran(&ran, "", index)), expect, "{now}");
        }
        assert_eq!(ran.index_of_ran(&ran, "elsewhere", 0), None);
        assert_eq!(ran.index_of_ran(&ran, "", 7), None);
        assert_eq!((ran.ends("", 1), ran.ends("", 7)), (Some(("a", "c")), None));
    }
}
