//! The hash of a plan's meaning: all but `layout` and `tests`, and the orders of edges and branches.

use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::value::canonical_text;

/// Hashes by part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// Plan hash.
    pub hash: String,
    /// Keyed by name: "node `a`", "edge `a` → `b`", "`limits`".
    pub parts: Vec<(String, String)>,
}

impl Fingerprint {
    /// Describes the differences. Empty if both mean the same.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        if self.hash == other.hash {
            return Vec::new();
        }
        let ours: HashMap<&str, &str> = hashes_by_name(&self.parts);
        let theirs: HashMap<&str, &str> = hashes_by_name(&other.parts);
        let mut found = Vec::new();
        for (name, hash) in &other.parts {
            match ours.get(name.as_str()) {
                None => found.push(format!("{name} was added")),
                Some(known) if known != hash => found.push(format!("{name} was changed")),
                Some(_) => {}
            }
        }
        let gone = self.parts.iter().filter(|(name, _)| !theirs.contains_key(name.as_str()));
        found.extend(gone.map(|(name, _)| format!("{name} was removed")));
        if found.is_empty() {
            found.push("the plan was changed".to_owned());
        }
        found
    }

    /// Reads the JSON form.
    pub fn from_json(json: &Json) -> Option<Self> {
        let text = |key: &str| json.get(key).and_then(Json::as_str);
        let parts = text("parts").unwrap_or_default().lines();
        let parts = parts.filter_map(|line| line.split_once(' '));
        let parts = parts.map(|(hash, name)| (name.to_owned(), hash.to_owned()));
        Some(Self { hash: text("hash")?.to_owned(), parts: parts.collect_vec() })
    }

    /// JSON `{hash, parts}`. Snapshots contain it, so `parts` is one text: a map of thousands of entries would be slow.
    pub fn to_json(&self) -> Json {
        let mut parts = String::new();
        for (name, hash) in &self.parts {
            parts.push_str(hash);
            parts.push(' ');
            parts.push_str(name);
            parts.push('\n');
        }
        json!({"hash": self.hash, "parts": parts})
    }
}

fn hashes_by_name(parts: &[(String, String)]) -> HashMap<&str, &str> {
    parts.iter().map(|(name, hash)| (name.as_str(), hash.as_str())).collect()
}

pub(super) fn hash(plan: Json) -> String {
    digest(&semantic_content(plan), 32)
}

pub(super) fn fingerprint(plan: Json) -> Fingerprint {
    let plan = semantic_content(plan);
    let mut parts = Vec::new();
    for (key, value) in plan.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("nodes", Json::Object(nodes)) => {
                parts.extend(nodes.iter().map(|(name, node)| (format!("node `{name}`"), short_hash(node))));
            }
            ("edges", Json::Array(edges)) => edge_parts(edges, &mut parts),
            _ => parts.push((format!("`{key}`"), short_hash(value))),
        }
    }
    // Names take one line in JSON.
    for (name, _) in parts.iter_mut().filter(|(name, _)| name.contains(['\n', '\r'])) {
        *name = name.replace(['\n', '\r'], " ");
    }
    Fingerprint { hash: digest(&plan, 32), parts }
}

/// Numbers edges between the same nodes, since their order affects runs.
fn edge_parts(edges: &[Json], parts: &mut Vec<(String, String)>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::new();
    for edge in edges {
        let end = |key: &str| edge.get(key).and_then(Json::as_str).unwrap_or_default();
        let name = format!("edge `{}` → `{}`", end("from"), end("to"));
        let times = seen.entry(name.clone()).or_default();
        *times += 1;
        let name = if *times > 1 { format!("{name} ({times})") } else { name };
        parts.push((name.clone(), short_hash(edge)));
        names.push(Json::from(name));
    }
    parts.push(("the order of the edges".to_owned(), short_hash(&Json::from(names))));
}

fn semantic_content(mut plan: Json) -> Json {
    if let Some(map) = plan.as_object_mut() {
        map.shift_remove("tests");
    }
    keep_behaviour(&mut plan);
    plan
}

/// A short hash, enough to detect a difference.
pub fn short_hash(json: &Json) -> String {
    digest(json, 6)
}

fn digest(json: &Json, bytes: usize) -> String {
    let digest = Sha256::digest(canonical_text(json).as_bytes());
    digest.iter().take(bytes).fold(String::with_capacity(2 * bytes), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Removes layouts, and adds orders that sorted keys hide.
fn keep_behaviour(graph: &mut Json) {
    let Some(graph) = graph.as_object_mut() else { return };
    graph.shift_remove("layout");
    let nodes = graph.get_mut("nodes").and_then(Json::as_object_mut);
    for node in nodes.into_iter().flat_map(Map::values_mut) {
        for key in ["graph", "do"] {
            node.get_mut(key).into_iter().for_each(keep_behaviour);
        }
        let branches = node.get_mut("branches").and_then(Json::as_object_mut);
        let names = branches.into_iter().flat_map(|branches| {
            branches.values_mut().for_each(keep_behaviour);
            branches.keys().cloned()
        });
        let names = names.collect_vec();
        // Sorted branches get no mark, which keeps the hashes of earlier versions.
        if !names.is_sorted()
            && let Some(node) = node.as_object_mut()
        {
            node.insert("the order of the branches".to_owned(), Json::from(names));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::PlanGraph;
    use stepgraph_text::source::Format;

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

    #[test]
    fn the_order_of_branches_counts() {
        let branch = |name: &str| format!("{name}: {{nodes: {{x: {{type: log, input: {name}}}}}}}");
        let plan = |[one, two]: [&str; 2]| {
            format!("nodes: {{p: {{type: parallel, branches: {{{}, {}}}}}}}\n", branch(one), branch(two))
        };
        let nested =
            |names| format!("nodes: {{g: {{type: graph, graph: {{{}}}}}}}\n", plan(names).trim_end());
        assert_ne!(hash(&plan(["a", "b"])), hash(&plan(["b", "a"])));
        assert_ne!(hash(&nested(["a", "b"])), hash(&nested(["b", "a"])));
    }

    #[test]
    fn fingerprints_read_back() {
        let text = "start: a\nnodes: {a: {type: log}, \"b c\\nd\": {type: log}}\nedges: [{from: a, to: \"b c\\nd\"}]\n";
        let graph = PlanGraph::parse(text, Format::Auto).graph.expect("a good plan");
        let fingerprint = graph.fingerprint();
        assert_eq!(fingerprint.parts.len(), 5, "{fingerprint:?}");
        assert_eq!(super::Fingerprint::from_json(&fingerprint.to_json()), Some(fingerprint));
    }
}
