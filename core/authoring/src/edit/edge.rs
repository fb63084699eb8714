//! Adds, removes, redirects and reorders edges, whose order decides which one a run takes.

use super::error::{EditResult, invalid_edit, no_edge};
use super::node::GraphEditor;
use super::set_value::add_entry;
use serde_json::{Map, Value as Json};
use stepgraph_core::source::edit::Change;

const AFTER_EDGES: [&str; 3] = ["layout", "limits", "tests"];

impl GraphEditor<'_, '_> {
    fn check_edge(&self, edge: usize) -> EditResult<()> {
        self.graph.edges.get(edge).map(|_| ()).ok_or_else(|| no_edge(self.graph, edge))
    }

    pub(super) fn connect(
        &self,
        (from, to): (&str, &str),
        condition: Option<&str>,
        position: Option<usize>,
    ) -> EditResult<Vec<Change>> {
        self.node(from)?;
        self.node(to)?;
        let condition = condition.filter(|condition| !condition.trim().is_empty());
        let ends = [("from", Some(from)), ("to", Some(to)), ("condition", condition)];
        let entry = |(key, value): (&str, Option<&str>)| Some((key.to_owned(), Json::from(value?)));
        let edge = Json::Object(ends.into_iter().filter_map(entry).collect::<Map<_, _>>());
        let graph = self.graph;
        let count = graph.edges.len();
        let at = position.unwrap_or(count);
        if at > count {
            let help = format!("give a position from 0 to {count}");
            return Err(invalid_edit(format!("there is no position {at} among the edges"), help));
        }
        Ok(vec![if graph.map.get("edges").is_some() {
            Change::Insert { path: graph.edge_path(at, &[]), before: None, value: edge }
        } else {
            add_entry(&graph.path, graph.map, "edges", Json::Array(vec![edge]), &AFTER_EDGES)
        }])
    }

    pub(super) fn disconnect(&self, edge: usize) -> EditResult<Vec<Change>> {
        self.check_edge(edge)?;
        Ok(vec![Change::Remove { path: self.graph.edge_path(edge, &[]) }])
    }

    pub(super) fn reconnect(
        &self,
        edge: usize,
        from: Option<&str>,
        to: Option<&str>,
    ) -> EditResult<Vec<Change>> {
        self.check_edge(edge)?;
        let mut changes = Vec::new();
        for (key, end) in [("from", from), ("to", to)] {
            let Some(end) = end else { continue };
            self.node(end)?;
            changes.push(Change::Set { path: self.graph.edge_path(edge, &[key]), value: Json::from(end) });
        }
        Ok(changes)
    }

    pub(super) fn reorder(&self, edge: usize, to: usize) -> EditResult<Vec<Change>> {
        self.check_edge(edge)?;
        self.check_edge(to)?;
        Ok(vec![Change::Move { path: self.graph.edge_path(edge, &[]), to }])
    }

    pub(super) fn set_condition(&self, edge: usize, condition: Option<&str>) -> EditResult<Vec<Change>> {
        self.check_edge(edge)?;
        let path = self.graph.edge_path(edge, &["condition"]);
        let written = self.graph.edges.get(edge).and_then(|edge| edge.value.get("condition")).is_some();
        Ok(match condition.filter(|condition| !condition.trim().is_empty()) {
            Some(condition) => vec![Change::Set { path, value: Json::from(condition) }],
            None if written => vec![Change::Remove { path }],
            None => Vec::new(),
        })
    }
}
