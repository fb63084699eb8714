//! What can be done to what is selected.
//!
//! Decides which edits of the plan a command means. Keys, menus and the palette all come here, so nothing bypasses history and autosave.

use super::{Selection, Session};
use crate::geometry::{Point, Rect};
use crate::scene::NodeBox;
use serde_json::{Value as Json, json};
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_core::diagnostic::{Diagnostic, TextEdit};
use stepgraph_core::graph::scoped_name;

/// What came of a command: the edits of the text, or why there are none.
pub type Done = Result<Vec<TextEdit>, Box<Diagnostic>>;

/// How far apart copies are put.
const ASIDE: f64 = 32.0;

/// Along which line nodes are put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Their left sides.
    Left,
    /// Their middles, beside each other.
    Centre,
    /// Their right sides.
    Right,
    /// Their upper sides.
    Top,
    /// Their middles, above each other.
    Middle,
    /// Their lower sides.
    Bottom,
}

impl Session {
    /// Removes what is selected.
    pub fn remove_selected(&mut self, at_ms: f64) -> Done {
        self.refresh();
        let mut edits = Vec::new();
        // Edges from the last to the first: positions before one that is gone stay what they are.
        for (scope, edge) in self.selection.edges().collect::<Vec<_>>().into_iter().rev() {
            edits.push(GraphEdit::Disconnect { scope: scope.to_owned(), edge });
        }
        for (scope, node) in self.selected() {
            edits.push(GraphEdit::RemoveNode { scope, node });
        }
        self.do_all(&edits, "remove", at_ms)
    }

    /// Connects two nodes of one graph.
    pub fn connect(&mut self, from: &str, to: &str, at_ms: f64) -> Done {
        let ((scope, from), (_, to)) = (split(from), split(to));
        let connect = GraphEdit::Connect { scope, from, to, condition: None, position: None };
        self.do_all(&[connect], "connect", at_ms)
    }

    /// Adds a node of a type: after another one when that is given, at a place when that is; selects it.
    pub fn add_node(
        &mut self,
        scope: &str,
        kind: &str,
        after: Option<&str>,
        at: Option<Point>,
        at_ms: f64,
    ) -> Done {
        self.refresh();
        let node = self.free_name(scope, kind);
        let value = json!({ "type": kind });
        let mut edits =
            vec![GraphEdit::AddNode { scope: scope.to_owned(), node: node.clone(), value, before: None }];
        if let Some(after) = after {
            let (from, to) = (split(after).1, node.clone());
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
                places: vec![(node.clone(), Some([at.x, at.y]))],
            });
        }
        let done = self.do_all(&edits, "add", at_ms)?;
        self.choose_node(&scoped_name(scope, &node), false);
        Ok(done)
    }

    /// Puts a node between the ends of an edge, which keeps its condition on the way to it.
    pub fn insert_into(&mut self, scope: &str, edge: usize, kind: &str, at_ms: f64) -> Done {
        self.refresh();
        let Some(line) = self.scene.edges.iter().find(|line| line.scope == scope && line.index == edge)
        else {
            return Ok(Vec::new());
        };
        let to = self.scene.nodes.get(line.to).map(|node| node.key.clone()).unwrap_or_default();
        let node = self.free_name(scope, kind);
        let own = || scope.to_owned();
        let edits = [
            GraphEdit::AddNode {
                scope: own(),
                node: node.clone(),
                value: json!({ "type": kind }),
                before: None,
            },
            GraphEdit::Reconnect { scope: own(), edge, from: None, to: Some(node.clone()) },
            GraphEdit::Connect { scope: own(), from: node.clone(), to, condition: None, position: None },
        ];
        let done = self.do_all(&edits, "insert", at_ms)?;
        self.choose_node(&scoped_name(scope, &node), false);
        Ok(done)
    }

    /// Copies what is selected beside itself, with the edges between, and selects the copies.
    pub fn duplicate_selected(&mut self, at_ms: f64) -> Done {
        self.refresh();
        let nodes = self.selected();
        let mut edits = Vec::new();
        let mut copies: Vec<(String, String, String)> = Vec::new();
        for (scope, node) in &nodes {
            let taken: Vec<&str> = copies.iter().map(|(_, _, copy)| copy.as_str()).collect();
            let copy = self.free_name_beside(scope, node, &taken);
            edits.push(GraphEdit::DuplicateNode {
                scope: scope.clone(),
                node: node.clone(),
                to: copy.clone(),
            });
            if let Some(found) = self.node_box(&scoped_name(scope, node)).filter(|found| found.is_placed) {
                let at = found.area.min.plus(ASIDE, ASIDE);
                edits.push(GraphEdit::MoveNodes {
                    scope: scope.clone(),
                    places: vec![(copy.clone(), Some([at.x, at.y]))],
                });
            }
            copies.push((scope.clone(), node.clone(), copy));
        }
        let copy_of = |scope: &str, key: &str| {
            copies.iter().find(|(at, node, _)| at == scope && node == key).map(|(_, _, copy)| copy.clone())
        };
        for line in &self.scene.edges {
            let key =
                |node: usize| self.scene.nodes.get(node).map(|node| node.key.as_str()).unwrap_or_default();
            let ends = copy_of(&line.scope, key(line.from)).zip(copy_of(&line.scope, key(line.to)));
            if let Some((from, to)) = ends {
                let condition = (!line.label.is_empty()).then(|| line.label.clone());
                edits.push(GraphEdit::Connect {
                    scope: line.scope.clone(),
                    from,
                    to,
                    condition,
                    position: None,
                });
            }
        }
        let done = self.do_all(&edits, "duplicate", at_ms)?;
        self.selection = Selection::default();
        for (scope, _, copy) in copies {
            self.choose_node(&scoped_name(&scope, &copy), true);
        }
        Ok(done)
    }

    /// Drops what was dragged; what nobody had placed is placed then.
    pub fn drop_selected(&mut self, by: Point, grid: Option<f64>, at_ms: f64) -> Done {
        self.drop_back();
        self.refresh();
        let snap = |point: Point| grid.map_or(point, |grid| point.snapped(grid));
        let moved = self.selection.nodes().filter_map(|place| {
            Some((place.to_owned(), snap(self.node_box(place)?.corner.plus(by.x, by.y))))
        });
        let moved: Vec<(String, Point)> = moved.collect();
        self.place_all(moved, "move", at_ms)
    }

    /// Puts what is selected along one line.
    pub fn align_selected(&mut self, align: Align, at_ms: f64) -> Done {
        self.refresh();
        let boxes: Vec<(String, Rect)> = self
            .selection
            .nodes()
            .filter_map(|place| Some((place.to_owned(), self.node_box(place)?.area)))
            .collect();
        let Some(all) = Rect::around_all(boxes.iter().map(|(_, area)| *area)) else { return Ok(Vec::new()) };
        let corner = |area: &Rect| match align {
            Align::Left => Point::new(all.min.x, area.min.y),
            Align::Centre => Point::new(all.centre().x - area.size.width / 2.0, area.min.y),
            Align::Right => Point::new(all.max().x - area.size.width, area.min.y),
            Align::Top => Point::new(area.min.x, all.min.y),
            Align::Middle => Point::new(area.min.x, all.centre().y - area.size.height / 2.0),
            Align::Bottom => Point::new(area.min.x, all.max().y - area.size.height),
        };
        let moved =
            boxes.iter().map(|(place, area)| (place.clone(), self.within(place, corner(area)))).collect();
        self.place_all(moved, "align", at_ms)
    }

    /// Forgets where nodes were put, so that the layout decides: those selected, or all.
    pub fn tidy(&mut self, at_ms: f64) -> Done {
        self.refresh();
        let chosen = |node: &&NodeBox| {
            self.selection.nodes().next().is_none() || self.selection.has_node(&node.place())
        };
        let mut edits: Vec<GraphEdit> = Vec::new();
        for node in self.scene.nodes.iter().filter(|node| node.is_placed).filter(chosen) {
            let entry = (node.key.clone(), None);
            match edits.iter_mut().find(|edit| edit.scope() == node.scope) {
                Some(GraphEdit::MoveNodes { places, .. }) => places.push(entry),
                _ => edits.push(GraphEdit::MoveNodes { scope: node.scope.clone(), places: vec![entry] }),
            }
        }
        self.choices.before.clear();
        self.is_remembered = true;
        let done = self.do_all(&edits, "tidy", at_ms)?;
        if done.is_empty() {
            self.redraw();
        }
        Ok(done)
    }

    /// Gives a node another name; a selected one stays selected.
    pub fn rename(&mut self, node: &str, to: &str, at_ms: f64) -> Done {
        let (scope, key) = split(node);
        let was_selected = self.selection.has_node(node);
        let rename = GraphEdit::RenameNode { scope: scope.clone(), node: key, to: to.to_owned() };
        let done = self.do_all(&[rename], "rename", at_ms)?;
        if was_selected {
            self.choose_node(&scoped_name(&scope, to), true);
        }
        Ok(done)
    }

    /// A node's value as the text says it.
    pub fn node_json(&self, node: &str) -> Option<Json> {
        let (scope, key) = split(node);
        let plan = self.plan()?;
        let graph = plan.graphs().into_iter().find(|graph| graph.scope == scope)?;
        let position = graph.nodes.iter().position(|known| known.key == key)?;
        Some(plan.node_entry(graph, position)?.value.to_json())
    }

    pub(super) fn do_all(&mut self, edits: &[GraphEdit], name: &str, at_ms: f64) -> Done {
        if edits.is_empty() { Ok(Vec::new()) } else { self.perform(edits, name, at_ms) }
    }

    pub(super) fn place_all(&mut self, moved: Vec<(String, Point)>, name: &str, at_ms: f64) -> Done {
        let mut edits: Vec<GraphEdit> = Vec::new();
        for (node, at) in moved {
            let (scope, key) = split(&node);
            let entry = (key, Some([at.x.round(), at.y.round()]));
            match edits.iter_mut().find(|edit| edit.scope() == scope) {
                Some(GraphEdit::MoveNodes { places, .. }) => places.push(entry),
                _ => edits.push(GraphEdit::MoveNodes { scope, places: vec![entry] }),
            }
        }
        self.do_all(&edits, name, at_ms)
    }

    /// A place of the drawing as the graph counts that a node stands in.
    pub(super) fn within(&self, node: &str, point: Point) -> Point {
        let scope = split(node).0;
        let frame = self.scene.frames.iter().find(|frame| frame.scope == scope);
        let origin = frame.map(|frame| frame.origin).unwrap_or_default();
        point.plus(-origin.x, -origin.y)
    }

    pub(super) fn node_box(&self, place: &str) -> Option<&NodeBox> {
        self.scene.node(place).and_then(|node| self.scene.nodes.get(node))
    }

    /// The selected nodes: scope and key.
    pub(super) fn selected(&self) -> Vec<(String, String)> {
        self.selection.nodes().map(split).collect()
    }

    /// A name that no node of a graph has, made of a type.
    fn free_name(&self, scope: &str, kind: &str) -> String {
        self.free_name_beside(
            scope,
            &kind.replace(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '-', "_"),
            &[],
        )
    }

    /// A name like another one.
    pub(super) fn free_name_beside(&self, scope: &str, name: &str, taken: &[&str]) -> String {
        let is_free =
            |name: &str| self.node_box(&scoped_name(scope, name)).is_none() && !taken.contains(&name);
        if is_free(name) {
            return name.to_owned();
        }
        let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end_matches('_');
        let stem = if stem.is_empty() { name } else { stem };
        (2_u32..=u32::MAX)
            .map(|number| format!("{stem}_{number}"))
            .find(|name| is_free(name))
            .unwrap_or_default()
    }
}

/// The graph and the key of a place.
pub(super) fn split(place: &str) -> (String, String) {
    let (scope, key) = place.rsplit_once('/').unwrap_or(("", place));
    (scope.to_owned(), key.to_owned())
}
