//! The plan as a tree of rows in reading order. [`visible_range`] limits DOM elements.
//!
//! Invariants: 1. each node and edge has a row unless an ancestor is collapsed. 2. positions count all siblings. 3.
//! linear time.
//!
//! Source: WCAG 2.2, 1.1.1; the tree pattern of ARIA.

use crate::keyboard::{Focus, Item, reading_order, spatial_navigation};
use crate::scene::Scene;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

/// Outline row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its element.
    pub kind: RowKind,
    /// Starts at 1.
    pub level: usize,
    /// Among siblings, from 1.
    pub position: usize,
    /// Siblings with itself.
    pub count: usize,
    /// `None` without children.
    pub is_expanded: Option<bool>,
}

/// A row's element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// Node index.
    Node(usize),
    /// Edge index.
    Edge(usize),
    /// A nested graph: node index and branch. Closed groups have no name.
    Inside(usize, String),
}

/// Siblings are uncounted.
struct PendingRow {
    kind: RowKind,
    below: Vec<usize>,
}

/// A scene's rows. `folded` has collapsed node paths.
///
/// # Example
/// ```
/// use std::collections::HashSet;
/// use stepgraph_playground::{outline::{outline_rows, RowKind}, plan_editor::PlanEditor};
/// let session = PlanEditor::new("nodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b}]\n");
/// let rows = outline_rows(session.scene(), &HashSet::new());
/// let seen: Vec<_> = rows.iter().map(|row| (row.level, row.position, row.count)).collect();
/// assert_eq!((rows[1].kind.clone(), seen), (RowKind::Edge(0), vec![(1, 1, 2), (2, 1, 1), (1, 2, 2)]));
/// ```
pub fn outline_rows<S: BuildHasher>(scene: &Scene, folded: &HashSet<String, S>) -> Vec<Row> {
    let mut drafts: Vec<PendingRow> = Vec::new();
    let mut roots: Vec<usize> = Vec::new();
    let mut nodes: HashMap<usize, usize> = HashMap::new();
    let mut frames: HashMap<&str, usize> = HashMap::new();
    for item in reading_order(scene) {
        let at = drafts.len();
        match item {
            Item::Node(node) => {
                let Some(found) = scene.nodes.get(node) else { continue };
                drafts.push(PendingRow { kind: RowKind::Node(node), below: Vec::new() });
                nodes.insert(node, at);
                match frames.get(found.scope.as_str()).copied() {
                    Some(frame) => nest_drafts(&mut drafts, frame, at),
                    None => roots.push(at),
                }
                for (name, scope) in nested_graphs(scene, node) {
                    let frame = drafts.len();
                    drafts
                        .push(PendingRow { kind: RowKind::Inside(node, name.to_owned()), below: Vec::new() });
                    frames.extend(scope.map(|scope| (scope, frame)));
                }
            }
            Item::Edge(edge) => {
                drafts.push(PendingRow { kind: RowKind::Edge(edge), below: Vec::new() });
                let from = scene.edges.get(edge).and_then(|scene_edge| nodes.get(&scene_edge.from)).copied();
                if let Some(from) = from {
                    nest_drafts(&mut drafts, from, at);
                }
            }
        }
    }
    attach_nested(&mut drafts, &nodes);
    flatten(scene, &drafts, &roots, folded)
}

fn nest_drafts(drafts: &mut [PendingRow], parent: usize, at: usize) {
    if let Some(pending) = drafts.get_mut(parent) {
        pending.below.push(at);
    }
}

/// Edges come first.
fn attach_nested(drafts: &mut [PendingRow], nodes: &HashMap<usize, usize>) {
    let found: Vec<(usize, usize)> = drafts
        .iter()
        .enumerate()
        .filter_map(|(at, pending)| match &pending.kind {
            RowKind::Inside(node, _) => Some((*nodes.get(node)?, at)),
            _ => None,
        })
        .collect();
    for (parent, at) in found {
        nest_drafts(drafts, parent, at);
    }
}

/// Name and scope. Closed groups have no scope.
fn nested_graphs(scene: &Scene, node: usize) -> Vec<(&str, Option<&str>)> {
    match scene.nodes.get(node).and_then(|node| node.is_expanded) {
        None => Vec::new(),
        Some(false) => vec![("", None)],
        Some(true) => {
            let own = scene.groups.iter().filter(|group| group.owner == Some(node));
            own.map(|group| (group.name.as_str(), Some(group.scope.as_str()))).collect()
        }
    }
}

fn flatten<S: BuildHasher>(
    scene: &Scene,
    drafts: &[PendingRow],
    roots: &[usize],
    folded: &HashSet<String, S>,
) -> Vec<Row> {
    let mut rows = Vec::with_capacity(drafts.len());
    let numbered = |list: &[usize], level: usize| -> Vec<(usize, usize, usize, usize)> {
        let count = list.len();
        list.iter().enumerate().rev().map(|(at, draft)| (*draft, level, at + 1, count)).collect()
    };
    let mut work = numbered(roots, 1);
    while let Some((at, level, position, count)) = work.pop() {
        let Some(pending) = drafts.get(at) else { continue };
        let open = match &pending.kind {
            RowKind::Node(node) => {
                let is_folded = || folded.contains(&spatial_navigation::node_path(scene, *node));
                (!pending.below.is_empty()).then(|| !is_folded())
            }
            RowKind::Edge(_) => None,
            RowKind::Inside(node, _) => scene.nodes.get(*node).and_then(|node| node.is_expanded),
        };
        rows.push(Row { kind: pending.kind.clone(), level, position, count, is_expanded: open });
        if open == Some(true) {
            work.extend(numbered(&pending.below, level + 1));
        }
    }
    rows
}

impl Row {
    /// The row's focus.
    pub fn focus(&self, scene: &Scene) -> Option<Focus> {
        match &self.kind {
            RowKind::Node(node) => spatial_navigation::focus_of(scene, Item::Node(*node)),
            RowKind::Edge(edge) => spatial_navigation::focus_of(scene, Item::Edge(*edge)),
            RowKind::Inside(..) => None,
        }
    }
}

/// A key's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutlineMove {
    /// Focuses a row.
    To(usize),
    /// Folds a row.
    Toggle(usize),
}

/// `None` for unknown keys.
pub fn key_action(rows: &[Row], at: usize, key: &str) -> Option<OutlineMove> {
    let last = rows.len().checked_sub(1)?;
    let row = rows.get(at)?;
    let level = row.level;
    Some(match key {
        "ArrowDown" => OutlineMove::To((at + 1).min(last)),
        "ArrowUp" => OutlineMove::To(at.saturating_sub(1)),
        "Home" => OutlineMove::To(0),
        "End" => OutlineMove::To(last),
        "PageDown" => OutlineMove::To((at + 10).min(last)),
        "PageUp" => OutlineMove::To(at.saturating_sub(10)),
        "ArrowRight" if row.is_expanded == Some(false) => OutlineMove::Toggle(at),
        "ArrowRight" if row.is_expanded == Some(true) => OutlineMove::To((at + 1).min(last)),
        "ArrowLeft" if row.is_expanded == Some(true) => OutlineMove::Toggle(at),
        "ArrowLeft" => {
            let above = rows.iter().take(at).rposition(|other| other.level < level);
            OutlineMove::To(above.unwrap_or(at))
        }
        _ => return None,
    })
}

/// Visible rows with overscan, from pixel heights: first, and one past the last.
pub fn visible_range(count: usize, scrolled: f64, height: f64, line: f64) -> (usize, usize) {
    const OVERSCAN: usize = 12;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float stops at the ends of the range"
    )]
    let lines = |pixels: f64| (pixels / line.max(1.0)).max(0.0) as usize;
    let first = lines(scrolled).min(count).saturating_sub(OVERSCAN);
    let last = lines(scrolled).saturating_add(lines(height)).saturating_add(OVERSCAN + 1).min(count);
    (first, last.max(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan_editor::PlanEditor;

    const PLAN: &str = "\
nodes:
  a: {type: noop}
  fan:
    type: parallel
    branches:
      left: {nodes: {one: {type: noop}, two: {type: noop}}, edges: [{from: one, to: two}]}
      right: {nodes: {three: {type: noop}}}
  z: {type: noop}
edges: [{from: a, to: fan, condition: last==ok}, {from: a, to: z}, {from: fan, to: z}]
";

    fn text(scene: &Scene, rows: &[Row]) -> String {
        let line = |row: &Row| {
            let name = match &row.kind {
                RowKind::Node(node) => scene.nodes[*node].key.clone(),
                RowKind::Edge(edge) => format!("#{}", scene.edges[*edge].index),
                RowKind::Inside(_, name) => format!("in:{name}"),
            };
            let sign = row.is_expanded.map_or("", |open| if open { "-" } else { "+" });
            format!("{}{sign}{name}({}/{})", " ".repeat(row.level - 1), row.position, row.count)
        };
        rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn rows_nest_like_the_plan() {
        let mut editor = PlanEditor::new(PLAN);
        let nothing = HashSet::new();
        let closed = outline_rows(editor.scene(), &nothing);
        assert_eq!(
            text(editor.scene(), &closed),
            "-a(1/3)\n #0(1/2)\n #1(2/2)\n-fan(2/3)\n #2(1/2)\n +in:(2/2)\nz(3/3)"
        );
        editor.toggle_group("fan");
        let open = outline_rows(editor.scene(), &nothing);
        let below = "-fan(2/3)\n #2(1/3)\n -in:left(2/3)\n  -one(1/2)\n   #0(1/1)\n  two(2/2)\n -in:right(3/3)\n  three(1/1)";
        assert!(text(editor.scene(), &open).contains(below), "{}", text(editor.scene(), &open));
        let folded = HashSet::from(["fan".to_owned(), "a".to_owned()]);
        let few = outline_rows(editor.scene(), &folded);
        assert_eq!(text(editor.scene(), &few), "+a(1/3)\n+fan(2/3)\nz(3/3)");
        assert!(outline_rows(&Scene::default(), &nothing).is_empty());
    }

    #[test]
    fn keys_move_between_rows() {
        let editor = PlanEditor::new(PLAN);
        let rows = outline_rows(editor.scene(), &HashSet::new());
        for (at, key, expected) in [
            (0, "ArrowDown", Some(OutlineMove::To(1))),
            (0, "ArrowUp", Some(OutlineMove::To(0))),
            (0, "ArrowRight", Some(OutlineMove::To(1))),
            (0, "ArrowLeft", Some(OutlineMove::Toggle(0))),
            (1, "ArrowLeft", Some(OutlineMove::To(0))),
            (1, "ArrowRight", None),
            (5, "ArrowRight", Some(OutlineMove::Toggle(5))),
            (2, "End", Some(OutlineMove::To(6))),
            (6, "PageDown", Some(OutlineMove::To(6))),
            (6, "Home", Some(OutlineMove::To(0))),
            (6, "x", None),
            (99, "Home", None),
        ] {
            assert_eq!(key_action(&rows, at, key), expected, "{at} {key}");
        }
    }

    #[test]
    fn renders_only_visible_rows() {
        assert_eq!(visible_range(10_000, 0.0, 600.0, 24.0), (0, 38));
        assert_eq!(visible_range(10_000, 24_000.0, 600.0, 24.0), (988, 1_038));
        assert_eq!(visible_range(10, 0.0, 600.0, 24.0), (0, 10));
        assert_eq!(visible_range(10, 99_999.0, 600.0, 24.0), (0, 10));
        assert_eq!(visible_range(0, 0.0, 0.0, 0.0), (0, 0));
    }
}
