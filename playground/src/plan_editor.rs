//! A plan's text, document, scene, selection and history. An invalid text keeps the last valid scene.
//!
//! Invariants: 1. the history has every edit. 2. after [`PlanEditor::refresh`] the scene shows the last valid text, and
//! selected items exist. 3. typing does not redraw: the view refreshes when it has time.

mod clipboard;
mod commands;
mod edge_commands;
mod form_commands;
mod host_tools;
mod recent_scenes;
mod selection;
mod structure_commands;

pub use commands::{Align, EditOutcome};
pub use edge_commands::{ConditionCheck, PLACEHOLDER, Proposal};
pub use selection::Selection;

use crate::geometry::Point;
use crate::history::{ChangeSource, Edits, History};
use crate::layout::LayoutDirection;
use crate::scene::{Dragged, PreviousPosition, Scene, SceneNode, ViewOptions, build_scene};
use crate::text::{Group, match_line_endings, uniform_line_endings};
use recent_scenes::RecentScenes;
use std::collections::HashMap;
use stepgraph_authoring::edit::GraphEdit;
use stepgraph_authoring::language::Document;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::diagnostic::{Diagnostic, Target, TextEdit};
use stepgraph_core::graph::{PlanGraph, scoped_name};
use stepgraph_core::sort;
use stepgraph_core::source::Format;
use stepgraph_core::source::edit::EditedText;

/// Plan editor.
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
    /// `choices` has the scene's positions.
    is_remembered: bool,
    scene: Scene,
    /// Undo and redo draw the earlier scene.
    drawn: RecentScenes,
    scene_version: u64,
    /// Plans opened after the first.
    plan_version: u32,
    is_stale: bool,
    dragged: Option<Dragged>,
    selection: Selection,
}

impl PlanEditor {
    /// Opens a text.
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
            drawn: RecentScenes::default(),
            scene_version: 0,
            plan_version: 0,
            is_stale: true,
            dragged: None,
            selection: Selection::default(),
        }
    }

    /// Replaces the plan. Host capabilities stay.
    pub fn open(
        &mut self,
        text: &str,
        node_paths: impl IntoIterator<Item = String>,
        direction: LayoutDirection,
    ) {
        let capabilities = self.document.capabilities().clone();
        let (drawings, openings) = (self.scene_version, self.plan_version);
        *self = Self::without_scene(text, capabilities);
        (self.scene_version, self.plan_version) = (drawings + 1, openings + 1);
        self.choices.expanded = node_paths.into_iter().collect();
        self.choices.direction = direction;
        self.redraw();
    }

    /// Open groups' node paths.
    pub fn expanded_nodes(&self) -> impl Iterator<Item = &str> {
        // A renamed group keeps its earlier name, which an undo brings back.
        self.choices.expanded.iter().map(String::as_str).filter(|path| self.scene_node(path).is_some())
    }

    /// Layout direction.
    pub fn direction(&self) -> LayoutDirection {
        self.choices.direction
    }

    /// The file's positions stay.
    pub fn set_direction(&mut self, direction: LayoutDirection) {
        self.refresh();
        if self.choices.direction != direction {
            self.choices.direction = direction;
            // The previous order was across the other axis.
            self.choices.previous.clear();
            self.is_remembered = true;
            self.redraw();
        }
    }

    /// Current text.
    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// Analysed document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Last refreshed scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Changes with the scene.
    pub fn scene_version(&self) -> u64 {
        self.scene_version
    }

    /// Changes with the plan.
    pub fn plan_version(&self) -> u32 {
        self.plan_version
    }

    /// The text is newer.
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Redraws if stale. Commands call it before and after edits, typing doesn't.
    pub fn refresh(&mut self) {
        if self.is_stale {
            self.redraw();
        }
    }

    /// The text is valid.
    pub fn is_current(&self) -> bool {
        self.document.plan().is_some()
    }

    /// The scene shows an older text.
    pub fn is_outdated(&self) -> bool {
        self.plan().is_some() && !self.is_current()
    }

    /// The error that blocks commands.
    pub fn blocking_diagnostic(&self) -> Option<&Diagnostic> {
        self.document.diagnostics().iter().find(|problem| problem.is_error()).filter(|_| !self.is_current())
    }

    /// Last valid plan.
    pub fn plan(&self) -> Option<&PlanGraph> {
        self.document.last_valid_plan()
    }

    /// Current selection.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The text editor already shows it.
    pub fn apply_group(&mut self, group: &Group, at_ms: f64) {
        if group.is_own_step {
            self.end_typing_step();
        }
        let edits = group.edits(self.text());
        self.apply_text_edits(&edits, group.by, &group.name, at_ms);
    }

    /// Applies plan edits. Returns text edits.
    ///
    /// # Errors
    /// If one is impossible. The text is then unchanged.
    pub fn apply_edits(
        &mut self,
        edits: &[GraphEdit],
        name: &str,
        at_ms: f64,
    ) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
        if let Some(problem) = self.blocking_diagnostic() {
            return Err(Box::new(problem.clone()));
        }
        let edited = self.document.edit(edits)?;
        let edits = self.apply_edited(edited, |history, text, edits| {
            history.record(text, edits, ChangeSource::Command, name, at_ms);
        });
        self.refresh();
        Ok(edits)
    }

    /// Reparses only if line endings change.
    fn apply_edited(
        &mut self,
        mut edited: EditedText,
        record: impl FnOnce(&mut History, &str, &[TextEdit]),
    ) -> Vec<TextEdit> {
        let mut edits = std::mem::take(&mut edited.edits);
        let endings_changed = match_line_endings(&mut edits, self.text());
        record(&mut self.history, self.document.text(), &edits);
        if endings_changed {
            self.document.change(&edits);
        } else {
            self.document.apply_edited(edited);
        }
        self.is_stale = true;
        edits
    }

    /// The scene waits for a refresh.
    pub fn apply_text_edits(&mut self, edits: &[TextEdit], by: ChangeSource, name: &str, at_ms: f64) {
        self.history.record(self.document.text(), edits, by, name, at_ms);
        self.document.change(edits);
        self.is_stale = true;
    }

    /// Ends the step.
    pub fn end_typing_step(&mut self) {
        self.history.close();
    }

    /// Name, and edits for the text editor.
    pub fn undo(&mut self) -> Option<(String, Edits)> {
        let found = self.history.undo();
        self.apply_history(found)
    }

    /// Redoes a step.
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

    /// Automatic positions make space.
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

    /// Moves until dropped.
    pub fn drag(&mut self, by: Point) {
        let selected = &self.selection;
        let scene = &self.scene;
        let mut dragged =
            self.dragged.take().unwrap_or_else(|| scene.grab(|node| selected.has_scene_node(node)));
        self.scene.drag(&mut dragged, by);
        self.dragged = Some(dragged);
    }

    /// Dragged elements.
    pub fn dragged(&self) -> Option<&Dragged> {
        self.dragged.as_ref()
    }

    /// Cancels the drag.
    pub fn cancel_drag(&mut self) {
        if let Some(mut dragged) = self.dragged.take() {
            self.scene.drag(&mut dragged, Point::default());
            self.scene_version += 1;
        }
    }

    /// Whether there is a step to undo.
    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    /// Whether there is a step to redo.
    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }

    /// Keyed by node path, most severe first.
    pub fn problems(&self) -> HashMap<String, Vec<&Diagnostic>> {
        let mut found: HashMap<String, Vec<&Diagnostic>> = HashMap::new();
        for problem in self.document.diagnostics() {
            let node_path = match &problem.target {
                Target::Node(node_path) => node_path.clone(),
                // An outdated scene may have another edge here.
                Target::Edge(..) | Target::Condition(..) if self.is_outdated() => continue,
                Target::Edge(scope, edge) | Target::Condition(scope, edge) => {
                    scoped_name(scope, &format!("#{edge}"))
                }
                Target::Document | Target::Call(_) => continue,
            };
            found.entry(node_path).or_default().push(problem);
        }
        for problems in found.values_mut() {
            sort::sort_items(problems, |a, b| a.severity.cmp(&b.severity));
        }
        found
    }

    /// Automatic positions keep their order.
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
        let is_current = self.document.plan().is_some();
        let text = is_current.then(|| self.document.text());
        self.scene = self.drawn.get_or_build(text, &self.choices, || build_scene(plan, &self.choices));
        self.scene_version += 1;
        self.is_remembered = false;
        self.selection.retain_existing(&self.scene);
    }

    /// Deferred until the next scene.
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
