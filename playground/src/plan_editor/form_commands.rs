//! What forms do to a plan.
//!
//! Decides that a form may be filled in as long as the text can be read: where a plan has mistakes, that is how they are mended. One visit
//! of a field is one step of the history.

use super::PlanEditor;
use super::commands::EditOutcome;
use crate::geometry::Point;
use crate::text::match_line_endings;
use stepgraph_authoring::edit::{GraphEdit, edit};

impl PlanEditor {
    /// Makes edits of the plan for a field; gives what to do to the text that the editor shows.
    ///
    /// # Errors
    /// Why one of them can't be made; nothing has changed then.
    pub fn apply_field_edits(&mut self, edits: &[GraphEdit], name: &str, at_ms: f64) -> EditOutcome {
        if edits.is_empty() {
            return Ok(Vec::new());
        }
        let mut edits = edit(self.text(), self.document.format(), edits)?.edits;
        match_line_endings(&mut edits, self.text());
        self.history.amend(self.document.text(), &edits, name, at_ms);
        self.document.change(&edits);
        self.is_stale = true;
        Ok(edits)
    }

    /// Puts what is selected as far apart as it stands together, from the first to the last: side by side, or one below the other.
    pub fn distribute_selected(&mut self, across: bool, at_ms: f64) -> EditOutcome {
        let mut boxes: Vec<(String, Point, f64)> = self
            .selection
            .nodes()
            .filter_map(|node_path| {
                let area = self.scene_node(node_path)?.area;
                let size = if across { area.size.width } else { area.size.height };
                Some((node_path.to_owned(), area.min, size))
            })
            .collect();
        let start = |point: &Point| if across { point.x } else { point.y };
        boxes.sort_by(|(_, a, _), (_, b, _)| start(a).total_cmp(&start(b)));
        let (Some((_, first, _)), Some((_, last, size))) = (boxes.first(), boxes.last()) else {
            return Ok(Vec::new());
        };
        if boxes.len() < 3 {
            return Ok(Vec::new());
        }
        let taken: f64 = boxes.iter().map(|(_, _, size)| size).sum();
        #[expect(
            clippy::cast_precision_loss,
            reason = "nobody selects so many nodes that a float can't count them"
        )]
        let gap = (start(last) + size - start(first) - taken) / (boxes.len() - 1) as f64;
        let mut next = start(first);
        let mut positions = Vec::with_capacity(boxes.len());
        for (node_path, position, size) in &boxes {
            let position = if across { Point::new(next, position.y) } else { Point::new(position.x, next) };
            positions.push((node_path.clone(), self.to_graph_point(node_path, position)));
            next += size + gap;
        }
        self.set_positions(positions, "distribute", at_ms)
    }

    /// Puts a node at a place of its graph, or leaves that to the layout.
    pub fn set_node_position(&mut self, node: &str, at: Option<Point>, at_ms: f64) -> EditOutcome {
        let (scope, key) = super::commands::split_path(node);
        let positions = vec![(key, at.map(|at| [at.x, at.y]))];
        self.apply_all(&[GraphEdit::MoveNodes { scope, positions }], "move", at_ms)
    }

    /// Where a node stands, as its graph counts, and whether a person has put it there.
    pub fn node_position(&self, node: &str) -> Option<(Point, bool)> {
        let found = self.scene_node(node)?;
        Some((self.to_graph_point(node, found.area.min), found.is_placed))
    }
}
