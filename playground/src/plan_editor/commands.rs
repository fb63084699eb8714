//! Commands on the selection. Keys, menus and palette share them, so nothing bypasses history and autosave.

use super::{PlanEditor, Selection};
use crate::geometry::{Point, Rect};
use crate::i18n::NODE_TYPES;
use crate::scene::SceneNode;
use serde_json::{Value as Json, json};
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_core::diagnostic::{Diagnostic, TextEdit};
use stepgraph_core::graph::scoped_name;

/// Text edits, or the error.
pub type EditOutcome = Result<Vec<TextEdit>, Box<Diagnostic>>;

const COPY_OFFSET: f64 = 32.0;

/// Aligned line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Left.
    Left,
    /// Horizontal centres.
    Centre,
    /// Right.
    Right,
    /// Top.
    Top,
    /// Vertical centres.
    Middle,
    /// Bottom.
    Bottom,
}

impl PlanEditor {
    /// Within a graph.
    pub fn connect(&mut self, from: &str, to: &str, at_ms: f64) -> EditOutcome {
        let ((scope, from), (_, to)) = (split_path(from), split_path(to));
        let connect = GraphEdit::Connect { scope, from, to, condition: None, position: None };
        self.apply_all(&[connect], "connect", at_ms)
    }

    /// Adds and selects a node, optionally after another.
    pub fn add_node(
        &mut self,
        scope: &str,
        kind: &str,
        after: Option<&str>,
        at: Option<Point>,
        at_ms: f64,
    ) -> EditOutcome {
        self.refresh();
        let (node, value) = self.new_node(scope, kind);
        let mut edits =
            vec![GraphEdit::AddNode { scope: scope.to_owned(), node: node.clone(), value, before: None }];
        if let Some(after) = after {
            let (from, to) = (split_path(after).1, node.clone());
            edits.push(GraphEdit::Connect {
                scope: scope.to_owned(),
                from,
                to,
                condition: None,
                position: None,
            });
        }
        if let Some(at) = at {
            edits.push(GraphEdit::MoveNodes {
                scope: scope.to_owned(),
                positions: vec![(node.clone(), Some([at.x, at.y]))],
            });
        }
        let done = self.apply_all(&edits, "add", at_ms)?;
        self.select_node(&scoped_name(scope, &node), false);
        Ok(done)
    }

    /// The first part keeps the condition.
    pub fn insert_into(&mut self, scope: &str, edge: usize, kind: &str, at_ms: f64) -> EditOutcome {
        self.refresh();
        let Some(scene_edge) =
            self.scene.edges.iter().find(|scene_edge| scene_edge.scope == scope && scene_edge.index == edge)
        else {
            return Ok(Vec::new());
        };
        let to = self.scene.nodes.get(scene_edge.to).map(|node| node.key.clone()).unwrap_or_default();
        let (node, value) = self.new_node(scope, kind);
        let own = || scope.to_owned();
        let edits = [
            GraphEdit::AddNode { scope: own(), node: node.clone(), value, before: None },
            GraphEdit::Reconnect { scope: own(), edge, from: None, to: Some(node.clone()) },
            GraphEdit::Connect { scope: own(), from: node.clone(), to, condition: None, position: None },
        ];
        let done = self.apply_all(&edits, "insert", at_ms)?;
        self.select_node(&scoped_name(scope, &node), false);
        Ok(done)
    }

    /// Includes edges between the nodes. Selects the copies.
    pub fn duplicate_selected(&mut self, at_ms: f64) -> EditOutcome {
        self.refresh();
        let nodes = self.selected();
        let mut edits = Vec::new();
        let mut copies: Vec<(String, String, String)> = Vec::new();
        for (scope, node) in &nodes {
            let taken: Vec<&str> = copies.iter().map(|(_, _, copy)| copy.as_str()).collect();
            let copy = self.free_name_like(scope, node, &taken);
            edits.push(GraphEdit::DuplicateNode {
                scope: scope.clone(),
                node: node.clone(),
                to: copy.clone(),
            });
            if let Some(found) = self.scene_node(&scoped_name(scope, node)).filter(|found| found.is_placed) {
                let at = found.area.min.plus(COPY_OFFSET, COPY_OFFSET);
                edits.push(GraphEdit::MoveNodes {
                    scope: scope.clone(),
                    positions: vec![(copy.clone(), Some([at.x, at.y]))],
                });
            }
            copies.push((scope.clone(), node.clone(), copy));
        }
        let copy_of = |scope: &str, key: &str| {
            copies.iter().find(|(at, node, _)| at == scope && node == key).map(|(_, _, copy)| copy.clone())
        };
        for edge in &self.scene.edges {
            let key =
                |node: usize| self.scene.nodes.get(node).map(|node| node.key.as_str()).unwrap_or_default();
            let ends = copy_of(&edge.scope, key(edge.from)).zip(copy_of(&edge.scope, key(edge.to)));
            if let Some((from, to)) = ends {
                let condition = (!edge.label.is_empty()).then(|| edge.label.clone());
                edits.push(GraphEdit::Connect {
                    scope: edge.scope.clone(),
                    from,
                    to,
                    condition,
                    position: None,
                });
            }
        }
        let done = self.apply_all(&edits, "duplicate", at_ms)?;
        self.selection = Selection::default();
        for (scope, _, copy) in copies {
            self.select_node(&scoped_name(&scope, &copy), true);
        }
        Ok(done)
    }

    /// Fixes positions.
    pub fn drop_selected(&mut self, by: Point, grid: Option<f64>, at_ms: f64) -> EditOutcome {
        self.cancel_drag();
        self.refresh();
        let snap = |point: Point| grid.map_or(point, |grid| point.snapped(grid));
        let positions = self.selection.nodes().filter_map(|node_path| {
            Some((node_path.to_owned(), snap(self.scene_node(node_path)?.position.plus(by.x, by.y))))
        });
        let positions: Vec<(String, Point)> = positions.collect();
        self.set_positions(positions, "move", at_ms)
    }

    /// Aligns the selection.
    pub fn align_selected(&mut self, align: Align, at_ms: f64) -> EditOutcome {
        self.refresh();
        let boxes: Vec<(String, Rect)> = self
            .selection
            .nodes()
            .filter_map(|node_path| Some((node_path.to_owned(), self.scene_node(node_path)?.area)))
            .collect();
        let Some(all) = Rect::union_all(boxes.iter().map(|(_, area)| *area)) else { return Ok(Vec::new()) };
        let position = |area: &Rect| match align {
            Align::Left => Point::new(all.min.x, area.min.y),
            Align::Centre => Point::new(all.centre().x - area.size.width / 2.0, area.min.y),
            Align::Right => Point::new(all.max().x - area.size.width, area.min.y),
            Align::Top => Point::new(area.min.x, all.min.y),
            Align::Middle => Point::new(area.min.x, all.centre().y - area.size.height / 2.0),
            Align::Bottom => Point::new(area.min.x, all.max().y - area.size.height),
        };
        let positions = boxes
            .iter()
            .map(|(node_path, area)| (node_path.clone(), self.to_graph_point(node_path, position(area))))
            .collect();
        self.set_positions(positions, "align", at_ms)
    }

    /// Frees the positions of several selected nodes, or of all. A single one would only move across edges.
    pub fn reset_layout(&mut self, at_ms: f64) -> EditOutcome {
        self.refresh();
        let has_group = self.selection.nodes().nth(1).is_some();
        let selected = |node: &&SceneNode| !has_group || self.selection.has_node(&node.node_path());
        let mut edits: Vec<GraphEdit> = Vec::new();
        for node in self.scene.nodes.iter().filter(|node| node.is_placed).filter(selected) {
            let entry = (node.key.clone(), None);
            match edits.iter_mut().find(|edit| edit.scope() == node.scope) {
                Some(GraphEdit::MoveNodes { positions: places, .. }) => places.push(entry),
                _ => edits.push(GraphEdit::MoveNodes { scope: node.scope.clone(), positions: vec![entry] }),
            }
        }
        self.choices.previous.clear();
        self.drawn.clear();
        self.is_remembered = true;
        let done = self.apply_all(&edits, "tidy", at_ms)?;
        if done.is_empty() {
            self.redraw();
        }
        Ok(done)
    }

    /// Preserves the selection, and which groups are expanded, also if it is undone.
    pub fn rename(&mut self, node: &str, to: &str, at_ms: f64) -> EditOutcome {
        let (scope, key) = split_path(node);
        let was_selected = self.selection.has_node(node);
        let rename = GraphEdit::RenameNode { scope: scope.clone(), node: key, to: to.to_owned() };
        let to_path = scoped_name(&scope, to);
        let renamed: Vec<String> = self
            .choices
            .expanded
            .iter()
            .filter_map(|path| {
                let rest = path.strip_prefix(node).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
                Some([&to_path, rest].concat())
            })
            .filter(|path| !self.choices.expanded.contains(path))
            .collect();
        self.choices.expanded.extend(renamed.iter().cloned());
        let done = self.apply_all(&[rename], "rename", at_ms);
        if done.is_err() {
            self.choices.expanded.retain(|path| !renamed.contains(path));
        }
        let done = done?;
        if was_selected {
            self.select_node(&to_path, true);
        }
        Ok(done)
    }

    /// As JSON.
    pub fn node_json(&self, node: &str) -> Option<Json> {
        let (scope, key) = split_path(node);
        let plan = self.plan()?;
        let graph = plan.graphs().into_iter().find(|graph| graph.scope == scope)?;
        let position = graph.nodes.iter().position(|known| known.key == key)?;
        Some(plan.node_entry(graph, position)?.value.to_json())
    }

    pub(super) fn apply_all(&mut self, edits: &[GraphEdit], name: &str, at_ms: f64) -> EditOutcome {
        if edits.is_empty() { Ok(Vec::new()) } else { self.apply_edits(edits, name, at_ms) }
    }

    pub(super) fn set_positions(
        &mut self,
        positions: Vec<(String, Point)>,
        name: &str,
        at_ms: f64,
    ) -> EditOutcome {
        let mut edits: Vec<GraphEdit> = Vec::new();
        for (node, at) in positions {
            let (scope, key) = split_path(&node);
            let entry = (key, Some([at.x.round(), at.y.round()]));
            match edits.iter_mut().find(|edit| edit.scope() == scope) {
                Some(GraphEdit::MoveNodes { positions: places, .. }) => places.push(entry),
                _ => edits.push(GraphEdit::MoveNodes { scope, positions: vec![entry] }),
            }
        }
        self.apply_all(&edits, name, at_ms)
    }

    pub(super) fn to_graph_point(&self, node: &str, point: Point) -> Point {
        let scope = split_path(node).0;
        let group = self.scene.groups.iter().find(|group| group.scope == scope);
        let origin = group.map(|group| group.origin).unwrap_or_default();
        point.plus(-origin.x, -origin.y)
    }

    pub(super) fn scene_node(&self, node_path: &str) -> Option<&SceneNode> {
        self.scene.node_at_path(node_path).and_then(|node| self.scene.nodes.get(node))
    }

    pub(super) fn selected(&self) -> Vec<(String, String)> {
        self.selection.nodes().map(split_path).collect()
    }

    /// Chooses a free name. Tools have their own type.
    pub(super) fn new_node(&self, scope: &str, kind: &str) -> (String, Json) {
        let stem = kind.rsplit_once('.').map_or(kind, |(_, name)| name);
        let plain = stem.replace(|c: char| !c.is_alphanumeric() && c != '_' && c != '-', "_");
        let is_tool = !is_built_in(kind)
            && self.document.capabilities().tools.as_ref().is_some_and(|tools| tools.get(kind).is_some());
        let value = if is_tool { tool_node(kind) } else { json!({ "type": kind }) };
        (self.free_name_like(scope, &plain, &[]), value)
    }

    pub(super) fn free_name_like(&self, scope: &str, name: &str, taken: &[&str]) -> String {
        let is_free =
            |name: &str| self.scene_node(&scoped_name(scope, name)).is_none() && !taken.contains(&name);
        if is_free(name) {
            return name.to_owned();
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
        let stem = if stem.is_empty() { name } else { stem };
        (2_u32..=u32::MAX)
            .map(|number| format!("{stem}_{number}"))
            .find(|name| is_free(name))
            .unwrap_or_default()
    }
}

pub(super) fn tool_node(tool: &str) -> Json {
    json!({"type": "tool", "tool": tool, "input": {}})
}

fn is_built_in(kind: &str) -> bool {
    NODE_TYPES.iter().any(|(known, _)| *known == kind)
}

pub(super) fn split_path(node_path: &str) -> (String, String) {
    let (scope, key) = node_path.rsplit_once('/').unwrap_or(("", node_path));
    (scope.to_owned(), key.to_owned())
}
