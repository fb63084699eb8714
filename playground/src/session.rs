//! A plan that is being edited: its text, what it says, how it is drawn, what is selected, and what was done to it.
//!
//! Decides that the text is the truth: typing and gestures both are edits of it, in one history; the drawing follows, and while the text
//! can't be read the last drawing stays. Knows nothing of panes or browsers.
//!
//! Invariants: 1. nothing but [`Session::write`] and its callers changes the text, so every change can be undone; 2. once
//! [`Session::refresh`] was called the drawing is that of the present text, or of the last one that could be read and says so, and what is selected is
//! there; 3. typing draws nothing: who shows the drawing refreshes it when there is time.

mod choose;
mod commands;
mod edges;
mod fill;
mod fragment;
mod offer;

pub use choose::Selection;
pub use commands::{Align, Done};
pub use edges::{Proposal, Tried};

use crate::geometry::Point;
use crate::history::{By, Edits, History};
use crate::scene::{Choices, Dragged, NodeBox, Scene, Stood, scene};
use crate::text::{Group, fitting, uniform};
use std::collections::HashMap;
use stepgraph_authoring::edit::{GraphEdit, edit};
use stepgraph_authoring::language::Document;
use stepgraph_core::capabilities::Capabilities;
use stepgraph_core::diagnostic::{Diagnostic, Target, TextEdit};
use stepgraph_core::graph::{PlanGraph, scoped_name};
use stepgraph_core::sort;
use stepgraph_core::source::Format;
use stepgraph_core::source::edit::spliced;

/// A plan that is being edited.
///
/// # Example
/// ```
/// use stepgraph_authoring::edit::GraphEdit;
/// use stepgraph_playground::session::Session;
/// let mut session = Session::new("nodes:\n  a: {type: log} # says it\n");
/// let rename = GraphEdit::RenameNode { scope: String::new(), node: "a".into(), to: "hello".into() };
/// session.perform(&[rename], "rename a", 0.0).unwrap();
/// assert_eq!(session.text(), "nodes:\n  hello: {type: log} # says it\n");
/// assert!(session.undo().is_some() && session.text().contains("a: {type: log} # says it"));
/// ```
#[derive(Debug)]
pub struct Session {
    document: Document,
    history: History,
    choices: Choices,
    /// Whether the choices know where the nodes of the drawing stand.
    is_remembered: bool,
    scene: Scene,
    /// How often the drawing has changed.
    drawings: u64,
    /// How often a plan was opened in the place of another one.
    openings: u32,
    /// Whether the text has changed since.
    is_stale: bool,
    dragged: Option<Dragged>,
    selection: Selection,
}

impl Session {
    /// A text that was opened.
    pub fn new(text: &str) -> Self {
        let mut session = Self::undrawn(text, Capabilities::default());
        session.refresh();
        session
    }

    fn undrawn(text: &str, capabilities: Capabilities) -> Self {
        Self {
            document: Document::for_host(uniform(text).into_owned(), Format::Auto, capabilities),
            history: History::default(),
            choices: Choices::default(),
            is_remembered: true,
            scene: Scene::default(),
            drawings: 0,
            openings: 0,
            is_stale: true,
            dragged: None,
            selection: Selection::default(),
        }
    }

    /// Another plan takes the place of this one, with graphs that were open in its drawing; what is known of the host stays.
    pub fn open(&mut self, text: &str, places: impl IntoIterator<Item = String>) {
        let capabilities = self.document.capabilities().clone();
        let (drawings, openings) = (self.drawings, self.openings);
        *self = Self::undrawn(text, capabilities);
        (self.drawings, self.openings) = (drawings + 1, openings + 1);
        self.choices.open = places.into_iter().collect();
        self.redraw();
    }

    /// The nodes whose graphs are shown, by place.
    pub fn opened(&self) -> impl Iterator<Item = &str> {
        self.choices.open.iter().map(String::as_str)
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
    pub fn drawings(&self) -> u64 {
        self.drawings
    }

    /// A number that is another one whenever another plan was opened.
    pub fn openings(&self) -> u32 {
        self.openings
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
    pub fn obstacle(&self) -> Option<&Diagnostic> {
        self.document.diagnostics().iter().find(|problem| problem.is_error()).filter(|_| !self.is_current())
    }

    /// The plan that is drawn.
    pub fn plan(&self) -> Option<&PlanGraph> {
        self.document.last_read()
    }

    /// What is selected.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// What an undo would take back, and what a redo would do again.
    pub fn steps(&self) -> (Option<&str>, Option<&str>) {
        (self.history.undoable(), self.history.redoable())
    }

    /// Somebody has typed: the editor shows it already.
    pub fn typed(&mut self, edits: &[TextEdit], at_ms: f64) {
        self.write(edits, By::Typing, "typing", at_ms);
    }

    /// Something was done in the editor, which shows it already.
    pub fn typed_group(&mut self, group: &Group, at_ms: f64) {
        if group.apart {
            self.pause();
        }
        let edits = group.edits(self.text());
        self.write(&edits, group.by, &group.name, at_ms);
    }

    /// Makes edits of the plan; gives what to do to the text that the editor shows.
    ///
    /// # Errors
    /// Why one of them can't be made; nothing has changed then.
    pub fn perform(
        &mut self,
        edits: &[GraphEdit],
        name: &str,
        at_ms: f64,
    ) -> Result<Vec<TextEdit>, Box<Diagnostic>> {
        if let Some(problem) = self.obstacle() {
            return Err(Box::new(problem.clone()));
        }
        let mut edits = edit(self.text(), self.document.format(), edits)?.edits;
        fitting(&mut edits, self.text());
        self.write(&edits, By::Command, name, at_ms);
        self.refresh();
        Ok(edits)
    }

    /// Changes the text, and leaves the drawing as it is until it is refreshed.
    pub fn write(&mut self, edits: &[TextEdit], by: By, name: &str, at_ms: f64) {
        self.history.record(self.document.text(), edits, by, name, at_ms);
        self.document.change(edits);
        self.is_stale = true;
    }

    /// The next typing is a step of its own.
    pub fn pause(&mut self) {
        self.history.close();
    }

    /// Takes back the last step; gives its name and what to do to the text that the editor shows.
    pub fn undo(&mut self) -> Option<(String, Edits)> {
        let found = self.history.undo();
        self.follow(found)
    }

    /// Does again what was taken back last.
    pub fn redo(&mut self) -> Option<(String, Edits)> {
        let found = self.history.redo();
        self.follow(found)
    }

    fn follow(&mut self, found: Option<(String, Edits)>) -> Option<(String, Edits)> {
        let (name, edits) = found?;
        for edits in &edits {
            self.document.change(edits);
        }
        self.is_stale = true;
        Some((name, edits))
    }

    /// Shows the graphs inside a node, or hides them; what nobody has placed makes room.
    pub fn toggle(&mut self, place: &str) {
        self.refresh();
        if !self.choices.open.remove(place) {
            self.choices.open.insert(place.to_owned());
        }
        self.remember();
        for stood in self.choices.before.values_mut() {
            stood.corner = None;
        }
        self.redraw();
    }

    /// Shows what is selected so far from where it is, until it is dropped.
    pub fn drag(&mut self, by: Point) {
        let chosen = &self.selection;
        let scene = &self.scene;
        let mut dragged = self.dragged.take().unwrap_or_else(|| scene.grab(|node| chosen.has(node)));
        self.scene.drag(&mut dragged, by);
        self.dragged = Some(dragged);
    }

    /// What is being dragged.
    pub fn dragged(&self) -> Option<&Dragged> {
        self.dragged.as_ref()
    }

    /// What is dragged goes back.
    pub fn drop_back(&mut self) {
        if let Some(mut dragged) = self.dragged.take() {
            self.scene.drag(&mut dragged, Point::default());
            self.drawings += 1;
        }
    }

    /// The problems of each node by its place, the worst first.
    pub fn problems(&self) -> HashMap<String, Vec<&Diagnostic>> {
        let mut found: HashMap<String, Vec<&Diagnostic>> = HashMap::new();
        for problem in self.document.diagnostics() {
            let place = match &problem.target {
                Target::Node(place) => place.clone(),
                // In a drawing that is older than the text, an edge of that number may be another one.
                Target::Edge(..) | Target::Condition(..) if self.is_outdated() => continue,
                Target::Edge(scope, edge) | Target::Condition(scope, edge) => {
                    scoped_name(scope, &format!("#{edge}"))
                }
                Target::Document | Target::Call(_) => continue,
            };
            found.entry(place).or_default().push(problem);
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
        self.remember();
        let Some(plan) = self.document.last_read() else {
            if !self.scene.nodes.is_empty() {
                self.drawings += 1;
            }
            self.scene = Scene::default();
            self.selection = Selection::default();
            return;
        };
        let drawn = scene(plan, &self.choices);
        self.drawings += 1;
        self.scene = drawn;
        self.is_remembered = false;
        self.selection.keep(&self.scene);
    }

    /// Notes where the nodes stand, for the next drawing: it is not known until then whether there will be one.
    fn remember(&mut self) {
        if !std::mem::replace(&mut self.is_remembered, true) {
            let stood = |node: &NodeBox| Stood { home: node.home, corner: Some(node.corner) };
            self.choices.before = self.scene.nodes.iter().map(|node| (node.place(), stood(node))).collect();
        }
    }
}

#[cfg(test)]
mod tests;
