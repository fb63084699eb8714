//! What identifies a plan's meaning.
//!
//! Decides which parts of a plan mean something to a run: all but `layout` and `tests`.

use crate::value::canonical_text;
use serde_json::{Map, Value as Json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

pub(super) fn hash(plan: &Json) -> String {
    let mut plan = plan.clone();
    if let Some(map) = plan.as_object_mut() {
        map.shift_remove("tests");
    }
    without_layout(&mut plan);
    let digest = Sha256::digest(canonical_text(&plan).as_bytes());
    digest.iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string can't fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Takes the layout out of a graph and all those inside it.
fn without_layout(graph: &mut Json) {
    let Some(graph) = graph.as_object_mut() else { return };
    graph.shift_remove("layout");
    let nodes = graph.get_mut("nodes").and_then(Json::as_object_mut);
    for node in nodes.into_iter().flat_map(Map::values_mut) {
        for key in ["graph", "do"] {
            node.get_mut(key).into_iter().for_each(without_layout);
        }
        let branches = node.get_mut("branches").and_then(Json::as_object_mut);
        branches.into_iter().flat_map(Map::values_mut).for_each(without_layout);
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::PlanGraph;
    use crate::source::Format;

    fn hash(text: &str) -> String {
        PlanGraph::parse(text, Format::Auto).graph.expect("a good plan").hash()
    }

    #[test]
    fn only_meaning_counts() {
        let plan = hash("nodes: {a: {type: log, input: 1}}\n");
        for same in [
            "# comment\nnodes:\n  a:\n    input: 1.0\n    type: log\n",
            "{\"nodes\":{\"a\":{\"type\":\"log\",\"input\":1}}}",
            "nodes: {a: {type: log, input: 1}}\nlayout: {a: [1, 2]}\n",
        ] {
            assert_eq!(hash(same), plan, "{same}");
        }
        assert_ne!(hash("nodes: {a: {type: log, input: 2}}\n"), plan);
    }
}
