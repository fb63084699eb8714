//! Preserves an inferred start while its node exists.

use super::GraphEdit;
use super::plan_syntax::{GraphSyntax, PlanSyntax};
use super::set_value::add_entry;
use serde_json::Value as Json;
use std::collections::HashMap;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::graph::NESTED_KEYS;
use stepgraph_core::source::edit::Change;
use stepgraph_core::value::Segment;

#[derive(Debug, Default)]
pub(super) struct InferredStarts {
    by_scope: HashMap<String, String>,
}

pub(super) fn set_start(graph: &GraphSyntax<'_>, key: &str) -> Change {
    match graph.position("start") {
        Some(_) => Change::Set { path: graph.path_to(&["start"]), value: Json::from(key) },
        None => add_entry(&graph.path, graph.map, "start", Json::from(key), &["nodes", "edges"]),
    }
}

impl InferredStarts {
    pub(super) fn new(syntax: &PlanSyntax<'_>) -> Self {
        let unwritten = syntax.graphs.iter().filter(|graph| graph.start().is_none());
        let known =
            unwritten.filter_map(|graph| Some((graph.scope.clone(), graph.inferred_start()?.to_owned())));
        Self { by_scope: known.collect() }
    }

    pub(super) fn start_of(&self, graph: &GraphSyntax<'_>) -> Option<String> {
        let known = || self.by_scope.get(&graph.scope).filter(|key| graph.with_key(key).is_some()).cloned();
        graph.start().or_else(known).or_else(|| graph.inferred_start().map(str::to_owned))
    }

    pub(super) fn record_edit(&mut self, edit: &GraphEdit, syntax: &PlanSyntax<'_>) {
        let scope = edit.scope();
        match edit {
            GraphEdit::RenameNode { node, to, .. } => {
                if let Some(start) = self.by_scope.get_mut(scope).filter(|start| *start == node) {
                    start.clone_from(to);
                }
                self.rescope(&within(scope, node), Some(&within(scope, to)));
            }
            GraphEdit::RemoveNode { node, .. } => {
                self.rescope(&within(scope, node), None);
                if self.by_scope.get(scope).is_some_and(|start| start == node) {
                    let graph = syntax.find(scope).and_then(|at| syntax.graph(at));
                    let next = graph.map(|graph| graph.successors(node));
                    match next.as_deref() {
                        Some([next]) => drop(self.by_scope.insert(scope.to_owned(), (*next).to_owned())),
                        _ => drop(self.by_scope.remove(scope)),
                    }
                }
            }
            GraphEdit::GroupNodes { nodes, to, .. } => {
                if let Some(start) = self.by_scope.get_mut(scope).filter(|start| nodes.contains(start)) {
                    start.clone_from(to);
                }
                for node in nodes {
                    self.rescope(&within(scope, node), Some(&within(&within(scope, to), node)));
                }
            }
            GraphEdit::UngroupNode { node, .. } => {
                let inside = within(scope, node);
                let first = syntax.find(&inside).and_then(|at| self.start_of(syntax.graph(at)?));
                if let (Some(start), Some(first)) =
                    (self.by_scope.get_mut(scope).filter(|start| *start == node), first)
                {
                    start.clone_from(&first);
                }
                self.by_scope.remove(&inside);
                self.rescope(&inside, Some(scope));
            }
            GraphEdit::SetStart { node: None, .. } => drop(self.by_scope.remove(scope)),
            // A rewritten graph defines its own start.
            GraphEdit::SetSetting { owner: super::EditOwner::Node(node), path, .. }
                if is_graph_path(path) =>
            {
                self.rescope(&within(scope, node), None);
            }
            _ => {}
        }
    }

    pub(super) fn rescope(&mut self, from: &str, to: Option<&str>) {
        let inside = |scope: &str| {
            scope
                .strip_prefix(from)
                .filter(|rest| rest.is_empty() || rest.starts_with('/'))
                .map(str::to_owned)
        };
        let moved: Vec<(String, String)> =
            self.by_scope.keys().filter_map(|scope| Some((scope.clone(), inside(scope)?))).collect_vec();
        for (scope, rest) in moved {
            let start = self.by_scope.remove(&scope);
            if let (Some(start), Some(to)) = (start, to) {
                self.by_scope.insert(format!("{to}{rest}").trim_start_matches('/').to_owned(), start);
            }
        }
    }

    pub(super) fn changes(&self, syntax: &PlanSyntax<'_>) -> Vec<Change> {
        let mut changes = Vec::new();
        for graph in syntax.graphs.iter().filter(|graph| graph.start().is_none()) {
            let Some(start) = self.by_scope.get(&graph.scope) else { continue };
            if graph.with_key(start).is_some() && graph.inferred_start() != Some(start) {
                changes.push(set_start(graph, start));
            }
        }
        changes
    }
}

fn is_graph_path(path: &[Segment]) -> bool {
    let Some(Segment::Key(first)) = path.first() else { return false };
    NESTED_KEYS.contains(&first.as_str())
}

fn within(scope: &str, name: &str) -> String {
    stepgraph_core::graph::scoped_name(scope, name)
}
