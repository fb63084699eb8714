//! Edits nodes. References to a removed node's output stay, so that checks report them.

use super::EditOwner;
use super::error::{EditResult, invalid_edit, no_edge, no_node};
use super::name_check::{check_captures, check_free_id, check_free_key, check_id, check_key};
use super::plan_syntax::{GraphSyntax, NodeSyntax, PlanSyntax, text_of};
use super::set_value::{add_entry, pair_json};
use serde_json::{Map, Value as Json, json};
use stepgraph_core::source::edit::Change;
use stepgraph_core::source::{Spanned, ValueKind};
use stepgraph_core::value::Segment;

const AFTER_NODES: [&str; 4] = ["edges", "layout", "limits", "tests"];

#[derive(Debug, Clone, Copy)]
pub(super) struct GraphEditor<'o, 'd> {
    pub(super) text: &'o str,
    pub(super) syntax: &'o PlanSyntax<'d>,
    pub(super) graph_index: usize,
    pub(super) graph: &'o GraphSyntax<'d>,
}

impl<'o, 'd> GraphEditor<'o, 'd> {
    pub(super) fn node(&self, key: &str) -> EditResult<&'o NodeSyntax<'d>> {
        let found = self.graph.with_key(key).and_then(|at| self.graph.nodes.get(at));
        found.ok_or_else(|| no_node(self.graph, key))
    }

    pub(super) fn is_double_quoted(&self, value: &Spanned) -> bool {
        self.text.as_bytes().get(value.span.start) == Some(&b'"')
    }

    pub(super) fn add_node(&self, key: &str, value: &Json, before: Option<&str>) -> EditResult<Vec<Change>> {
        let kind = value.get("type").and_then(Json::as_str).unwrap_or_default();
        if kind.trim().is_empty() {
            return Err(invalid_edit("a new node has no type", "give it a `value` with at least `type`"));
        }
        check_key(key)?;
        check_free_key(self.graph, key)?;
        let id = value.get("id").and_then(Json::as_str).unwrap_or(key);
        self.check_new_id(id)?;
        let before = before
            .map(|before| self.node(before).map(|_| self.graph.with_key(before)))
            .transpose()?
            .flatten();
        let path = self.graph.path_to(&["nodes", key]);
        let nodes = self.graph.map.get("nodes");
        Ok(vec![match nodes {
            Some(_) if before.is_some() => Change::Insert { path, before, value: value.clone() },
            Some(_) => Change::Set { path, value: value.clone() },
            None => {
                let nodes = Json::Object(Map::from_iter([(key.to_owned(), value.clone())]));
                add_entry(&self.graph.path, self.graph.map, "nodes", nodes, &AFTER_NODES)
            }
        }])
    }

    pub(super) fn check_new_id(&self, id: &str) -> EditResult<()> {
        check_id(id)?;
        check_free_id(self.graph, id)?;
        check_captures(self.syntax, self.graph_index, id, false)
    }

    pub(super) fn remove_node(&self, key: &str) -> EditResult<Vec<Change>> {
        self.node(key)?;
        let graph = self.graph;
        let mut changes = Vec::new();
        let touches = |end: &Option<String>| end.as_deref() == Some(key);
        let gone: Vec<usize> = (0..graph.edges.len())
            .rev()
            .filter(|at| graph.edges.get(*at).is_some_and(|edge| touches(&edge.from) || touches(&edge.to)))
            .collect();
        if !gone.is_empty() && gone.len() == graph.edges.len() {
            changes.push(Change::Set { path: graph.path_to(&["edges"]), value: json!([]) });
        } else {
            changes.extend(gone.iter().map(|at| Change::Remove { path: graph.edge_path(*at, &[]) }));
        }
        changes.extend(self.remove_from_layout(key));
        if graph.start().as_deref() == Some(key) {
            changes.push(match graph.successors(key).as_slice() {
                [next] => Change::Set { path: graph.path_to(&["start"]), value: Json::from(*next) },
                _ => Change::Remove { path: graph.path_to(&["start"]) },
            });
        }
        changes.push(Change::Remove { path: graph.path_to(&["nodes", key]) });
        Ok(changes)
    }

    fn remove_from_layout(&self, key: &str) -> Option<Change> {
        let layout = &self.graph.map.get("layout")?.value;
        layout.get(key)?;
        Some(self.remove_entry(self.graph.path_to(&["layout", key]), Some(layout)))
    }

    pub(super) fn retype(&self, key: &str, kind: &str) -> EditResult<Vec<Change>> {
        let node = self.node(key)?;
        if kind.trim().is_empty() {
            return Err(invalid_edit("a type has no name", "name a type"));
        }
        let path = self.graph.path_to(&["nodes", key, "type"]);
        let first = matches!(&node.value.kind, ValueKind::Map(entries) if !entries.is_empty());
        Ok(vec![match node.value.get("type") {
            None if first => Change::Insert { path, before: Some(0), value: Json::from(kind) },
            _ => Change::Set { path, value: Json::from(kind) },
        }])
    }

    pub(super) fn duplicate(&self, key: &str, to: &str) -> EditResult<Vec<Change>> {
        let node = self.node(key)?;
        check_key(to)?;
        check_free_key(self.graph, to)?;
        self.check_new_id(to)?;
        let mut changes =
            vec![Change::Copy { path: self.graph.path_to(&["nodes", key]), key: to.to_owned() }];
        if node.value.get("id").is_some() {
            changes.push(Change::Remove { path: self.graph.path_to(&["nodes", to, "id"]) });
        }
        let place = self.graph.map.get("layout").and_then(|layout| layout.value.get(key));
        let numbers = place.and_then(|place| place.value.as_list()).unwrap_or_default();
        let beside = |value: &ValueKind| match value {
            ValueKind::Number(number) => number.as_f64().map(|n| n + 40.0),
            _ => None,
        };
        if let [x, y] = numbers
            && let (Some(x), Some(y)) = (beside(&x.kind), beside(&y.kind))
        {
            changes.push(Change::Set { path: self.graph.path_to(&["layout", to]), value: pair_json([x, y]) });
        }
        Ok(changes)
    }

    pub(super) fn set_input(&self, key: &str, input: &Json) -> EditResult<Vec<Change>> {
        let node = self.node(key)?;
        let new = Some(input).filter(|input| !input.is_null());
        self.set_value(
            &self.graph.path_to(&["nodes", key]),
            node.value,
            &[Segment::Key("input".to_owned())],
            new,
        )
    }

    pub(super) fn set_setting(
        &self,
        of: &EditOwner,
        path: &[Segment],
        value: Option<&Json>,
    ) -> EditResult<Vec<Change>> {
        let first = match path.first() {
            Some(Segment::Key(key)) => key.as_str(),
            _ => "",
        };
        let text = || value.and_then(Json::as_str).map(str::to_owned);
        match of {
            EditOwner::Node(node) => {
                let found = self.node(node)?;
                match (first, path.len()) {
                    ("id", 1) => return self.set_id(node, text().as_deref()),
                    ("type", 1) => return self.retype(node, &text().unwrap_or_default()),
                    _ => {}
                }
                self.set_value(&self.graph.path_to(&["nodes", node]), found.value, path, value)
            }
            EditOwner::Edge(edge) => {
                let found = self.graph.edges.get(*edge).ok_or_else(|| no_edge(self.graph, *edge))?;
                match (first, path.len()) {
                    ("from", 1) => {
                        return self.reconnect(*edge, Some(text().as_deref().unwrap_or_default()), None);
                    }
                    ("to", 1) => {
                        return self.reconnect(*edge, None, Some(text().as_deref().unwrap_or_default()));
                    }
                    _ => {}
                }
                self.set_value(&self.graph.edge_path(*edge, &[]), found.value, path, value)
            }
        }
    }

    pub(super) fn set_plan(&self, path: &[Segment], value: Option<&Json>) -> EditResult<Vec<Change>> {
        let first = match path.first() {
            Some(Segment::Key(key)) => key.as_str(),
            _ => "",
        };
        let own = match first {
            "nodes" | "edges" => Some("use the operations on nodes and edges"),
            "start" => Some("use `set_start`"),
            "layout" => Some("use `move_nodes`"),
            "description" => None,
            _ if !self.graph.scope.is_empty() => Some("set it on the plan, or on the node"),
            _ => None,
        };
        if let Some(help) = own {
            return Err(invalid_edit(format!("`set_plan` does not set `{first}` here"), help));
        }
        // These describe the plan.
        let first = ["id", "format", "description", "inputs", "servers", "limits"].contains(&first);
        let changes = self.set_value(&self.graph.path, self.graph.map, path, value)?;
        Ok(match changes.as_slice() {
            [Change::Set { path, value }] if first && path.len() == self.graph.path.len() + 1 => {
                let (Some(Segment::Key(key)), false) = (path.last(), value.is_null()) else {
                    return Ok(changes);
                };
                match self.graph.map.get(key) {
                    None => {
                        vec![add_entry(
                            &self.graph.path,
                            self.graph.map,
                            key,
                            value.clone(),
                            &["start", "nodes"],
                        )]
                    }
                    Some(_) => changes,
                }
            }
            _ => changes,
        })
    }

    pub(super) fn move_nodes(&self, places: &[(String, Option<[f64; 2]>)]) -> EditResult<Vec<Change>> {
        let graph = self.graph;
        let layout = graph.map.get("layout").map(|entry| &entry.value);
        let known = |key: &str| layout.and_then(|layout| layout.get(key)).is_some();
        let mut changes = Vec::new();
        let mut new = Map::new();
        for (key, place) in places {
            self.node(key)?;
            let path = graph.path_to(&["layout", key]);
            match place {
                Some(place) if !place.iter().all(|number| number.is_finite()) => {
                    return Err(invalid_edit("a position is a pair of finite numbers", "write `[x, y]`"));
                }
                Some(place) if layout.is_some_and(|layout| !layout.is_null()) => {
                    changes.push(Change::Set { path, value: pair_json(*place) });
                }
                Some(place) => drop(new.insert(key.clone(), pair_json(*place))),
                None if known(key) => changes.push(Change::Remove { path }),
                None => {}
            }
        }
        let gone = changes.iter().filter(|change| matches!(change, Change::Remove { .. })).count();
        let count = layout.and_then(|layout| layout.as_map()).map_or(0, <[_]>::len);
        let layout = graph.path_to(&["layout"]);
        if gone > 0 && gone == count && gone == changes.len() && !self.has_own_comments(&layout) {
            return Ok(vec![Change::Remove { path: layout }]);
        }
        if !new.is_empty() {
            changes.push(add_entry(&graph.path, graph.map, "layout", Json::Object(new), &["tests"]));
        }
        Ok(changes)
    }

    pub(super) fn set_start(&self, key: Option<&str>) -> EditResult<Vec<Change>> {
        let graph = self.graph;
        let written = graph.map.get("start").is_some();
        let Some(key) = key else {
            if !written {
                return Ok(Vec::new());
            }
            if graph.inferred_start().is_none() {
                let place = graph.map.get("start").map(|entry| entry.value.span).unwrap_or_default();
                let message = "without `start` the first node of the run is unknown";
                let help = "connect the nodes so that all but the first have an edge that leads to them";
                return Err(super::error::blocked(message, place, help));
            }
            return Ok(vec![Change::Remove { path: graph.path_to(&["start"]) }]);
        };
        self.node(key)?;
        if text_of(graph.map, "start").as_deref() == Some(key) {
            return Ok(Vec::new());
        }
        Ok(vec![super::start::set_start(graph, key)])
    }
}
