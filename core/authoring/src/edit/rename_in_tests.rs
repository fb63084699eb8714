//! Updates tests and stubs after a rename: ids, node paths (`fan/a/fetch`: keys, then an id) and call names
//! (`fan:1/a/ask:2:1`: ids).
//!
//! If other nodes keep the id, their stub is copied.
//!
//! Source: `docs/concurrency.md`, "Call names".

use super::error::{EditResult, captured_reference, refuse};
use super::plan_syntax::PlanSyntax;
use serde_json::Value as Json;
use stepgraph_core::diagnostic::{Code, Diagnostic, shorten_name};
use stepgraph_core::graph::scalar_text;
use stepgraph_core::graph::{BRANCHES, scoped_name};
use stepgraph_core::source::edit::Change;
use stepgraph_core::source::{Entry, Spanned};
use stepgraph_core::value::Segment;

#[derive(Debug, Clone, Copy)]
pub(super) struct NodeRename<'a> {
    pub(super) syntax: &'a PlanSyntax<'a>,
    pub(super) node: (usize, usize),
    pub(super) key: (&'a str, &'a str),
    pub(super) id: (&'a str, &'a str),
}

enum NewName {
    Same,
    Renamed(String),
    /// Both names are in use.
    Copied(String),
}

impl NodeRename<'_> {
    pub(super) fn test_changes(&self) -> EditResult<Vec<Change>> {
        let mut changes = Vec::new();
        let root = self.syntax.graph(0).map(|graph| graph.map);
        let tests = root.and_then(|root| root.get("tests")?.value.as_list()).unwrap_or_default();
        for (at, test) in tests.iter().enumerate() {
            let path = vec![key_segment("tests"), Segment::Index(at)];
            self.change_test(test, &path, &mut changes)?;
        }
        Ok(changes)
    }

    fn change_test(&self, test: &Spanned, path: &[Segment], changes: &mut Vec<Change>) -> EditResult<()> {
        let sub =
            |keys: &[&str]| [path, &keys.iter().map(|name| key_segment(name)).collect::<Vec<_>>()].concat();
        let held =
            |keys: &[&str]| keys.iter().try_fold(test, |value, key| value.get(key).map(|entry| &entry.value));
        rename_keys(held(&["outputs"]), &sub(&["outputs"]), &|name| self.own_id(name), changes)?;
        rename_keys(held(&["decisions"]), &sub(&["decisions"]), &|name| self.decision_name(name), changes)?;
        if let Some(stubs) = held(&["stubs"]) {
            self.change_stubs(stubs, &sub(&["stubs"]), changes)?;
        }
        let expected = ["expect", "outputs"];
        rename_keys(held(&expected), &sub(&expected), &|name| self.own_id(name), changes)?;
        for (at, item) in
            held(&["expect", "path"]).and_then(Spanned::as_list).unwrap_or_default().iter().enumerate()
        {
            if let NewName::Renamed(new) = scalar_text(item).map_or(NewName::Same, |name| self.own_id(&name))
            {
                let path = [&sub(&["expect", "path"])[..], &[Segment::Index(at)]].concat();
                changes.push(Change::Set { path, value: Json::from(new) });
            }
        }
        let node = held(&["expect", "node"]);
        match node.and_then(scalar_text).map(|name| self.node_path(&name)) {
            Some(NewName::Renamed(new)) => {
                changes.push(Change::Set { path: sub(&["expect", "node"]), value: Json::from(new) });
            }
            Some(NewName::Copied(_)) => {
                let message = format!("`{}` may refer to several nodes here", shorten_name(self.id.0));
                let diagnostic = Diagnostic::new(Code::EditAmbiguous, message)
                    .at(node.map(|n| n.span).unwrap_or_default());
                return refuse(diagnostic.help("name the node by its place there, as in `fan/a/fetch`"));
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn change_stubs(
        &self,
        stubs: &Spanned,
        path: &[Segment],
        changes: &mut Vec<Change>,
    ) -> EditResult<()> {
        for group in ["types", "nodes", "tools"] {
            let path = [path, &[key_segment(group)]].concat();
            let named = stubs.get(group).map(|entry| &entry.value);
            for Entry { key, value, .. } in named.and_then(Spanned::as_map).unwrap_or_default() {
                self.change_written(value, &[&path[..], &[key_segment(key)]].concat(), changes)?;
            }
            if group == "nodes" {
                rename_keys(named, &path, &|name| self.node_path(name), changes)?;
            }
        }
        Ok(())
    }

    /// The parser limits the depth.
    fn change_written(&self, stub: &Spanned, path: &[Segment], changes: &mut Vec<Change>) -> EditResult<()> {
        let sub = |key: &str| [path, &[key_segment(key)]].concat();
        let get = |key: &str| stub.get(key).map(|entry| &entry.value);
        if get("return").is_some() {
            return rename_keys(get("writes"), &sub("writes"), &|name| self.own_id(name), changes);
        }
        for (at, item) in get("sequence").and_then(Spanned::as_list).unwrap_or_default().iter().enumerate() {
            self.change_written(item, &[&sub("sequence")[..], &[Segment::Index(at)]].concat(), changes)?;
        }
        for Entry { key, value, .. } in get("cases").and_then(Spanned::as_map).unwrap_or_default() {
            self.change_written(value, &[&sub("cases")[..], &[key_segment(key)]].concat(), changes)?;
        }
        get("else").map_or(Ok(()), |other| self.change_written(other, &sub("else"), changes))
    }

    fn is_id_shared(&self) -> bool {
        let graphs = self.syntax.graphs.iter().enumerate();
        let mut others =
            graphs.flat_map(|(g, graph)| graph.nodes.iter().enumerate().map(move |(n, node)| ((g, n), node)));
        others.any(|(place, node)| place != self.node && node.id == self.id.0)
    }

    fn own_id(&self, name: &str) -> NewName {
        let (old, new) = self.id;
        if self.node.0 == 0 && name == old && old != new {
            NewName::Renamed(new.to_owned())
        } else {
            NewName::Same
        }
    }

    fn node_path(&self, name: &str) -> NewName {
        let scope = self.syntax.graph(self.node.0).map_or("", |graph| graph.scope.as_str());
        if let Some(rest) = name.strip_prefix(&format!("{}/", scoped_name(scope, self.key.0))) {
            return changed_name(name, scoped_name(&scoped_name(scope, self.key.1), rest));
        }
        if name.contains('/') && name == scoped_name(scope, self.id.0) {
            return changed_name(name, scoped_name(scope, self.id.1));
        }
        match self.id {
            (old, new) if name != old || old == new => NewName::Same,
            (_, new) if self.is_id_shared() => NewName::Copied(new.to_owned()),
            (_, new) => NewName::Renamed(new.to_owned()),
        }
    }

    /// A call name, or an approval's node id.
    fn decision_name(&self, name: &str) -> NewName {
        let (old, new) = self.id;
        if old == new {
            return NewName::Same;
        }
        if !name.contains([':', '/']) {
            return self.node_path(name);
        }
        let mut graph = 0;
        let mut parts: Vec<String> = name.split('/').map(str::to_owned).collect();
        let mut at = 0;
        while let Some(part) = parts.get_mut(at) {
            let (id, counts) = part.split_at(part.find(':').unwrap_or(part.len()));
            let id = id.replace("%2F", "/").replace("%25", "%");
            let Some(here) = self.syntax.graph(graph) else { break };
            let Some(node) = here.with_id(&id) else { break };
            if (graph, node) == self.node {
                *part = new.replace('%', "%25").replace('/', "%2F") + counts;
            }
            // Branches and items have their own part.
            let kind = here.nodes.get(node).map_or("", |node| node.kind.as_str());
            let own = usize::from(matches!(kind, "parallel" | "map"));
            let branch = parts.get(at + 1).filter(|_| kind == "parallel").cloned();
            let key = match kind {
                "parallel" => BRANCHES,
                "map" => "do",
                _ => "graph",
            };
            let inside = |(_, inner): &(usize, &super::plan_syntax::GraphSyntax<'_>)| {
                let last = inner.path.last();
                let held = match (&branch, inner.path.len().checked_sub(2).and_then(|at| inner.path.get(at)))
                {
                    (Some(branch), Some(Segment::Key(holder))) => {
                        holder == key && matches!(last, Some(Segment::Key(name)) if name == branch)
                    }
                    (None, _) => matches!(last, Some(Segment::Key(name)) if name == key),
                    _ => false,
                };
                inner.owner == Some((graph, node)) && held
            };
            let Some((inner, _)) = self.syntax.graphs.iter().enumerate().find(inside) else { break };
            graph = inner;
            at += 1 + own;
        }
        changed_name(name, parts.join("/"))
    }
}

fn rename_keys(
    map: Option<&Spanned>,
    path: &[Segment],
    name: &dyn Fn(&str) -> NewName,
    changes: &mut Vec<Change>,
) -> EditResult<()> {
    let entries = map.and_then(Spanned::as_map).unwrap_or_default();
    for Entry { key: known, key_span, .. } in entries {
        let path = || [path, &[key_segment(known)]].concat();
        let (new, change) = match name(known) {
            NewName::Same => continue,
            NewName::Renamed(new) => (new.clone(), Change::Rename { path: path(), key: new }),
            NewName::Copied(new) => (new.clone(), Change::Copy { path: path(), key: new }),
        };
        if let Some(other) = entries.iter().find(|entry| entry.key == new) {
            let message = format!(
                "`{}` would stand in for what `{}` does",
                shorten_name(&other.key),
                shorten_name(known)
            );
            return refuse(captured_reference(message, other.key_span).label(*key_span, "this one"));
        }
        changes.push(change);
    }
    Ok(())
}

fn changed_name(old: &str, new: String) -> NewName {
    if old == new { NewName::Same } else { NewName::Renamed(new) }
}

fn key_segment(name: &str) -> Segment {
    Segment::Key(name.to_owned())
}
