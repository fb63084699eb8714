//! Form commands, which also edit invalid plans that parse. A field's changes are one undo step until the focus leaves.

use super::PlanEditor;
use super::commands::EditOutcome;
use crate::geometry::Point;
use crate::history::ChangeSource;
use crate::scene::{can_have_note, note_edits};
use crate::text::match_line_endings;
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_core::diagnostic::{Code, Diagnostic};
use stepgraph_core::source::edit::apply_edits;
use stepgraph_core::source::{Format, parse};

impl PlanEditor {
    /// Applies field edits. Returns text edits.
    ///
    /// # Errors
    /// If one is impossible. The text is then unchanged.
    pub fn apply_field_edits(&mut self, edits: &[GraphEdit], name: &str, at_ms: f64) -> EditOutcome {
        if edits.is_empty() {
            return Ok(Vec::new());
        }
        let edited = self.document.edit(edits)?;
        Ok(self.apply_edited(edited, |history, text, edits| history.amend(text, edits, name, at_ms)))
    }

    /// Between the first and last node, horizontally if `across`.
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

    /// `None` if the text can have none, as in JSON.
    pub fn note(&self, node: &str) -> Option<&str> {
        let found = self.scene_node(node)?;
        can_have_note(self.text(), found.spans).then_some(&found.note)
    }

    /// Writes comments. Returns text edits.
    ///
    /// # Errors
    /// If the plan has a syntax error.
    pub fn set_note(&mut self, node: &str, note: &str, at_ms: f64) -> EditOutcome {
        self.refresh();
        if let Some(problem) = self.blocking_diagnostic() {
            return Err(Box::new(problem.clone()));
        }
        let found = self.scene_node(node).filter(|_| self.note(node).is_some());
        let mut edits = found.map(|found| note_edits(self.text(), found.spans, note)).unwrap_or_default();
        match_line_endings(&mut edits, self.text());
        let read = |text: &str| parse(text, Format::Auto).root.map(|root| root.to_json());
        if read(&apply_edits(self.text(), &edits)) != read(self.text()) {
            let problem = Diagnostic::new(Code::EditBad, "a note would change the plan here");
            return Err(Box::new(problem.help("write the comment in the text")));
        }
        if !edits.is_empty() {
            self.apply_text_edits(&edits, ChangeSource::Command, "note", at_ms);
            self.refresh();
        }
        Ok(edits)
    }

    /// `None` removes it.
    pub fn set_node_position(&mut self, node: &str, at: Option<Point>, at_ms: f64) -> EditOutcome {
        let (scope, key) = super::commands::split_path(node);
        let positions = vec![(key, at.map(|at| [at.x, at.y]))];
        self.apply_all(&[GraphEdit::MoveNodes { scope, positions }], "move", at_ms)
    }

    /// In its graph, and whether fixed.
    pub fn node_position(&self, node: &str) -> Option<(Point, bool)> {
        let found = self.scene_node(node)?;
        Some((self.to_graph_point(node, found.area.min), found.is_placed))
    }
}
