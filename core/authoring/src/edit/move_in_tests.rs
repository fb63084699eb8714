//! Updates tests and stubs after grouping or ungrouping. Tests check the root graph, where a group is one node.
//!
//! Source: `docs/concurrency.md`, "Call names".

use super::error::{EditResult, blocked};
use super::plan_syntax::{GraphSyntax, PlanSyntax};
use serde_json::Value as Json;
use std::collections::HashSet;
use stepgraph_core::collect::CollectVec;
use stepgraph_core::diagnostic::{Diagnostic, Span, shorten_name};
use stepgraph_core::graph::scalar_text;
use stepgraph_core::graph::scoped_name;
use stepgraph_core::source::edit::Change;
use stepgraph_core::source::{Entry, Spanned};
use stepgraph_core::value::Segment;

pub(super) struct NodeMove<'a> {
    pub(super) graph: &'a GraphSyntax<'a>,
    pub(super) nodes: Vec<(&'a str, &'a str)>,
    pub(super) group: (&'a str, &'a str),
    pub(super) end: Option<&'a str>,
    /// Ids that every run visits.
    pub(super) chain: Option<Vec<&'a str>>,
    /// `false` for ungrouping.
    pub(super) into: bool,
}

enum NewName {
    Same,
    Renamed(String),
    Blocked,
}

fn key_segment(name: &str) -> Segment {
    Segment::Key(name.to_owned())
}

impl NodeMove<'_> {
    pub(super) fn test_changes(&self, syntax: &PlanSyntax<'_>) -> EditResult<Vec<Change>> {
        let mut changes = Vec::new();
        let root = syntax.graph(0).map(|graph| graph.map);
        let tests = root.and_then(|root| root.get("tests")?.value.as_list()).unwrap_or_default();
        for (at, test) in tests.iter().enumerate() {
            self.change_test(test, &[key_segment("tests"), Segment::Index(at)], &mut changes)?;
        }
        Ok(changes)
    }

    fn change_test(&self, test: &Spanned, path: &[Segment], changes: &mut Vec<Change>) -> EditResult<()> {
        let sub = |keys: &[&str]| [path, &keys.iter().map(|name| key_segment(name)).collect_vec()].concat();
        let held =
            |keys: &[&str]| keys.iter().try_fold(test, |value, key| value.get(key).map(|entry| &entry.value));
        let mut rename = |keys: &[&str], name: &dyn Fn(&str) -> NewName| {
            let entries = held(keys).and_then(Spanned::as_map).unwrap_or_default();
            for Entry { key: known, key_span, .. } in entries {
                match name(known) {
                    NewName::Same => {}
                    NewName::Renamed(new) if entries.iter().all(|entry| entry.key != new) => {
                        let path = [&sub(keys)[..], &[key_segment(known)]].concat();
                        changes.push(Change::Rename { path, key: new });
                    }
                    _ => return Err(blocked_by_test(known, *key_span)),
                }
            }
            Ok(())
        };
        rename(&["outputs"], &|name| if self.is_hidden(name) { NewName::Blocked } else { NewName::Same })?;
        rename(&["expect", "outputs"], &|name| self.output_name(name))?;
        rename(&["decisions"], &|name| self.call_name(name))?;
        rename(&["stubs", "nodes"], &|name| self.node_path(name))?;
        if let Some(node) = held(&["expect", "node"])
            && let NewName::Renamed(new) =
                scalar_text(node).map_or(NewName::Same, |name| self.node_path(&name))
        {
            changes.push(Change::Set { path: sub(&["expect", "node"]), value: Json::from(new) });
        }
        let Some(list) = held(&["expect", "path"]).filter(|_| self.is_root_graph()) else { return Ok(()) };
        let items = list.as_list().unwrap_or_default();
        let old: Vec<String> = items.iter().filter_map(scalar_text).collect_vec();
        let new = self.visited_nodes(&old).ok_or_else(|| blocked_by_test(self.group.1, list.span))?;
        if new != old && old.len() == items.len() {
            changes.push(Change::Set { path: sub(&["expect", "path"]), value: Json::from(new) });
        }
        Ok(())
    }

    fn is_root_graph(&self) -> bool {
        self.graph.scope.is_empty()
    }

    /// Only outputs of the root graph.
    fn is_hidden(&self, name: &str) -> bool {
        let member = self.nodes.iter().any(|(_, id)| *id == name);
        self.is_root_graph() && if self.into { member } else { name == self.group.1 }
    }

    fn output_name(&self, name: &str) -> NewName {
        let (from, to) =
            if self.into { (self.end, Some(self.group.1)) } else { (Some(self.group.1), self.end) };
        match to.filter(|_| from == Some(name)) {
            Some(to) if self.is_hidden(name) => NewName::Renamed(to.to_owned()),
            _ if self.is_hidden(name) => NewName::Blocked,
            _ => NewName::Same,
        }
    }

    /// Root nodes after the edit, if known.
    fn visited_nodes(&self, old: &[String]) -> Option<Vec<String>> {
        let ids: HashSet<&str> = self.nodes.iter().map(|(_, id)| *id).collect();
        let mut new: Vec<String> = Vec::new();
        let mut inside = false;
        for id in old {
            let member = self.into && ids.contains(id.as_str());
            if member && !inside {
                new.push(self.group.1.to_owned());
            } else if !self.into && id == self.group.1 {
                new.extend(self.chain.as_ref()?.iter().map(|id| (*id).to_owned()));
            } else if !member {
                new.push(id.clone());
            }
            inside = member;
        }
        Some(new)
    }

    /// Node keys, then an id. Root nodes have only the id.
    fn node_path(&self, name: &str) -> NewName {
        let scope = self.graph.scope.as_str();
        let inside = scoped_name(scope, self.group.0);
        if !self.into {
            return match name.strip_prefix(&format!("{inside}/")) {
                Some(rest) => NewName::Renamed(scoped_name(scope, rest)),
                None if name == scoped_name(scope, self.group.1) => NewName::Blocked,
                None => NewName::Same,
            };
        }
        for (key, id) in &self.nodes {
            let deeper = name.strip_prefix(&scoped_name(scope, key)).filter(|rest| rest.starts_with('/'));
            if let Some(rest) = deeper {
                return NewName::Renamed(format!("{}{rest}", scoped_name(&inside, key)));
            }
            if name.contains('/') && name == scoped_name(scope, id) {
                return NewName::Renamed(scoped_name(&inside, id));
            }
        }
        NewName::Same
    }

    fn call_name(&self, name: &str) -> NewName {
        let first = name.split('/').next().unwrap_or_default();
        let Some((id, visit)) = first.split_once(':').filter(|_| self.is_root_graph()) else {
            return NewName::Same;
        };
        match (self.into, name.split_once('/')) {
            (true, _) if self.nodes.iter().any(|(_, known)| *known == id) => {
                NewName::Renamed(format!("{}:1/{name}", self.group.1))
            }
            (false, Some((_, rest))) if id == self.group.1 && visit == "1" => {
                NewName::Renamed(rest.to_owned())
            }
            (false, _) if id == self.group.1 => NewName::Blocked,
            _ => NewName::Same,
        }
    }
}

fn blocked_by_test(name: &str, place: Span) -> Box<Diagnostic> {
    let message = format!("a test refers to `{}`, which would no longer be visible", shorten_name(name));
    blocked(message, place, "change the test first")
}
