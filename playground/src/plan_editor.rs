//! A plan that is being edited: its text, what it says, how it is drawn, what is selected, and what was done to it.
//!
//! Decides that the text is the truth: typing and gestures both are edits of it, in one history; the drawing follows, and while the text
//! can't be read the last drawing stays. Knows nothing of panes or browsers.
//!
//! Invariants: 1. nothing but [`PlanEditor::apply_text_edits`] and its callers changes the text, so every change can be undone; 2. once
//! [`PlanEditor::refresh`] was called the drawing is that of the present text, or of the last one that could be read and says so, and what is selected is
//! there; 3. typing draws nothing: who shows the drawing refreshes it when there is time.

mod clipboard;
mod commands;
mod edge_commands;
mod form_commands;
mod host_tools;
mod selection;

pub use commands::{Align, EditOutcome};
pub use edge_commands::{ConditionCheck, Proposal};
pub use selection::Selection;

use crate::geometry::Point;
use crate::history::{ChangeSource, Edits, History};
use crate::scene::{Dragged, PreviousPosition, Scene, SceneNode, ViewOptions, build_scene};
use crate::text::{Group, match_line_endings, uniform_line_endings};
use std::collections::HashMap;
use stepgraph_authoring::edit::{GraphEdit, edit};
use stepgraph_authoring::language::Document;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::diagnostic::{Diagnostic, Target, TextEdit};
use stepgraph_core::graph::{PlanGraph, within};
use stepgraph_core::sort;
use stepgraph_core::source::Format;
use stepgraph_core::source::edit::spliced;

/// A plan that is being edited.
///
/// # Example
/// ```
/// use stepgraph_authoring::edit::GraphEdit;
/// use stepgraph_playground::plan_editor::PlanEditor;
/// let mut session = PlanEditor::new("nodes:\n  a: {type: log} # says it\n");
/// let rename = GraphEdit::RenameNode { scope: String::new(), node: "a".into(), to: "hello".into() };
/// session.apply_edits(&[rename], "rename a", 0.0).unwrap();
/// assert_eq!(session.text(), "nodes:\n  hello: {type: log} # says it\n");
/// assert!(session.undo().is_some() && session.text().contains("a: {type: log} # says it"));
/// ```
#[derive(Debug)]
pub struct PlanEditor {
    document: Document,
    history: History,
    choices: ViewOptions,
    /// Whether the choices know where the nodes of the drawing stand.
    is_remembered: bool,
    scene: Scene,
    /// How often the drawing has changed.
    scene_version: u64,
    /// How often a plan was opened in the place of another one.
    plan_version: u32,
    /// Whether the text has changed since.
    is_stale: bool,
    dragged: Option<Dragged>,
    selection: Selection,
}

impl PlanEditor {
    /// A text that was opened.
    pub fn new(text: &str) -> Self {
        let mut editor = Self::without_scene(text, Capabilities::default());
        editor.refresh();
        editor
    }

    fn without_scene(text: &str, capabilities: Capabilities) -> Self {
        Self {
            document: Document::for_host(uniform_line_endings(text).into_owned(), Format::Auto, capabilities),
            history: History::default(),
            choices: ViewOptions::default(),
            is_remembered: true,
            scene: Scene::default(),
            scene_version: 0,
            plan_version: 0,
            is_stale: true,
            dragged: None,
            selection: Selection::default(),
        }
    }

    /// Another plan takes the place of this one, with graphs that were open in its drawing; what is known of the host stays.
    pub fn open(&mut self, text: &str, node_paths: impl IntoIterator<Item = String>) {
        let capabilities = self.document.capabilities().clone();
        let (drawings, openings) = (self.scene_version, self.plan_version);
        *self = Self::without_scene(text, capabilities);
        (self.scene_version, self.plan_version) = (drawings + 1, openings + 1);
        self.choices.expanded = node_paths.into_iter().collect();
        self.redraw();
    }

    /// The nodes whose graphs are shown, by place.
    pub fn expanded_nodes(&self) -> impl Iterator<Item = &str> {
        self.choices.expanded.iter().map(String::as_str)
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// What is known of the text.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The drawing, as it was refreshed last.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// A number that is another one whenever the drawing is.
    pub fn scene_version(&self) -> u64 {
        self.scene_version
    }

    /// A number that is another one whenever another plan was opened.
    pub fn plan_version(&self) -> u32 {
        self.plan_version
    }

    /// Whether the text has changed since the drawing was refreshed.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Draws the present text, unless that is drawn already. Typing doesn't; commands do, before they look at the drawing and after.
    pub fn refresh(&mut self) {
        if self.is_stale {
            self.redraw();
        }
    }

    /// Whether the drawing is that of the present text; if not, of the last that could be read.
    pub fn is_current(&self) -> bool {
        self.document.plan().is_some()
    }

    /// Whether what is drawn is a plan that the text is no more.
    pub fn is_outdated(&self) -> bool {
        self.plan().is_some() && !self.is_current()
    }

    /// Why nothing can be done to the plan from its drawing: the text can't be read.
    pub fn blocking_diagnostic(&self) -> Option<&Diagnostic> {
        self.document.diagnostics().iter().find(|problem| problem.is_error()).filter(|_| !self.is_current())
    }

    /// The plan that is drawn.
    pub fn plan(&self) -> Option<&PlanGraph> {
        self.document.last_valid_plan()
    }

    /// What is selected.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// What an undo would take back, and what a redo would do again.
    pub fn undo_redo_names(&self) -> (Option<&str>, Option<&str>) {
        (self.history.undoable(), self.history.redoable())
    }

    /// Somebody has typed: the editor shows it already.
    pub fn apply_typing(&mut self, edits: &[TextEdit], at_ms: f64) {
        self.apply_text_edits(edits, ChangeSource::Typing, "typing", at_ms);
    }

    /// Something was done in the editor, which shows it already.
    pub fn apply_group(&mut self, group: &Group, at_ms: f64) {
        if group.is_own_step {
            self.end_typing_step();
        }
        let edits = group.edits(self.text());
        self.apply_text_edits(&edits, group.by, &group.name, at_ms);
    }

    /// Makes edits of the plan; gives what to do to the text that the editor shows.
    ///
    /// # Errors
    /// Why one of them can't be made; nothing has changed then.
    pub fn apply_edits(
        &mut self,
        edits: &[GraphEdit],
        name: &str,
        at_ms: f64,
    ) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
        if let Some(problem) = self.blocking_diagnostic() {
            return Err(Box::new(problem.clone()));
        }
        let mut edits = edit(self.text(), self.document.format(), edits)?.edits;
        match_line_endings(&mut edits, self.text());
        self.apply_text_edits(&edits, ChangeSource::Command, name, at_ms);
        self.refresh();
        Ok(edits)
    }

    /// Changes the text, and leaves the drawing as it is until it is refreshed.
    pub fn apply_text_edits(&mut self, edits: &[TextEdit], by: ChangeSource, name: &str, at_ms: f64) {
        self.history.record(self.document.text(), edits, by, name, at_ms);
        self.document.change(edits);
        self.is_stale = true;
    }

    /// The next typing is a step of its own.
    pub fn end_typing_step(&mut self) {
        self.history.close();
    }

    /// Takes back the last step; gives its name and what to do to the text that the editor shows.
    pub fn undo(&mut self) -> Option<(String, Edits)> {
        let found = self.history.undo();
        self.apply_history(found)
    }

    /// Does again what was taken back last.
    pub fn redo(&mut self) -> Option<(String, Edits)> {
        let found = self.history.redo();
        self.apply_history(found)
    }

    fn apply_history(&mut self, found: Option<(String, Edits)>) -> Option<(String, Edits)> {
        let (name, edits) = found?;
        for edits in &edits {
            self.document.change(edits);
        }
        self.is_stale = true;
        Some((name, edits))
    }

    /// Shows the graphs inside a node, or hides them; what nobody has placed makes room.
    pub fn toggle_group(&mut self, node_path: &str) {
        self.refresh();
        if !self.choices.expanded.remove(node_path) {
            self.choices.expanded.insert(node_path.to_owned());
        }
        self.remember_positions();
        for previous in self.choices.previous.values_mut() {
            previous.position = None;
        }
        self.redraw();
    }

    /// Shows what is selected so far from where it is, until it is dropped.
    pub fn drag(&mut self, by: Point) {
        let selected = &self.selection;
        let scene = &self.scene;
        let mut dragged =
            self.dragged.take().unwrap_or_else(|| scene.grab(|node| selected.has_scene_node(node)));
        self.scene.drag(&mut dragged, by);
        self.dragged = Some(dragged);
    }

    /// What is being dragged.
    pub fn dragged(&self) -> Option<&Dragged> {
        self.dragged.as_ref()
    }

    /// What is dragged goes back.
    pub fn cancel_drag(&mut self) {
        if let Some(mut dragged) = self.dragged.take() {
            self.scene.drag(&mut dragged, Point::default());
            self.scene_version += 1;
        }
    }

    /// The problems of each node by its place, the worst first.
    pub fn problems(&self) -> HashMap<String, Vec<&Diagnostic>> {
        let mut found: HashMap<String, Vec<&Diagnostic>> = HashMap::new();
        for problem in self.document.diagnostics() {
            let node_path = match &problem.target {
                Target::Node(node_path) => node_path.clone(),
                // In a drawing that is older than the text, an edge of that number may be another one.
                Target::Edge(..) | Target::Condition(..) if self.is_outdated() => continue,
                Target::Edge(scope, edge) | Target::Condition(scope, edge) => {
                    within(scope, &format!("#{edge}"))
                }
                Target::Document | Target::Call(_) => continue,
            };
            found.entry(node_path).or_default().push(problem);
        }
        for problems in found.values_mut() {
            sort::things(problems, |a, b| a.severity.cmp(&b.severity));
        }
        found
    }

    /// The text as it would be after edits of it.
    pub fn preview(&self, edits: &[TextEdit]) -> String {
        spliced(self.text(), edits)
    }

    /// Draws anew; nodes that nobody has placed keep their order.
    fn redraw(&mut self) {
        self.is_stale = false;
        self.dragged = None;
        self.remember_positions();
        let Some(plan) = self.document.last_valid_plan() else {
            if !self.scene.nodes.is_empty() {
                self.scene_version += 1;
            }
            self.scene = Scene::default();
            self.selection = Selection::default();
            return;
        };
        let scene = build_scene(plan, &self.choices);
        self.scene_version += 1;
        self.scene = scene;
        self.is_remembered = false;
        self.selection.retain_existing(&self.scene);
    }

    /// Notes where the nodes stand, for the next drawing: it is not known until then whether there will be one.
    fn remember_positions(&mut self) {
        if !std::mem::replace(&mut self.is_remembered, true) {
            let previous = |node: &SceneNode| PreviousPosition {
                auto_position: node.auto_position,
                position: Some(node.position),
            };
            self.choices.previous =
                self.scene.nodes.iter().map(|node| (node.node_path(), previous(node))).collect();
        }
    }
}

#[cfg(test)]
mod tests;
