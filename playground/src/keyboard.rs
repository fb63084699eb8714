//! What keys do on the drawing: where the focus goes, what is selected, moved and connected.
//!
//! Decides by the drawing alone. One thing has the focus, a node or an edge, by name, so that it survives edits; the arrows lead to what
//! is seen beside it. What is selected follows the focus until somebody selects more than one thing: then the focus moves on its own and
//! the selection stays. Moving and connecting are modes with a way in, a way on and a way back. Knows nothing of browsers: keys come in
//! as [`Chord`]s, what is to be done goes out as [`Effect`]s; whoever asks carries them out.
//!
//! Files: `chord` keys and what is held with them · `spatial_navigation` what lies where · `connect_targets` which nodes an edge may lead to · `modes` moving and
//! connecting.
//!
//! Invariants: 1. a mode that was entered is left by exactly one effect that says how; 2. whatever has the focus is there; 3. nothing is a
//! trap: Escape leads out of every mode, and no mode takes Tab.
//!
//! Source: WCAG 2.2, 2.1.1, 2.1.2, 2.1.4, 2.4.3, 2.5.7.

pub mod chord;
mod connect_targets;
mod modes;
pub mod spatial_navigation;

pub use chord::{Chord, KeyPress};
pub use connect_targets::{can_connect, connect_targets};
pub use modes::{Connecting, Mode};
pub use spatial_navigation::{Direction, Item, edges_at, nearest_toward, reading_order};

use crate::geometry::Point;
use crate::scene::Scene;

/// What has the focus.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Focus {
    /// The drawing as a whole.
    #[default]
    Nothing,
    /// A node, by place.
    Node(String),
    /// An edge, by scope and position.
    Edge(String, usize),
}

/// One step of the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FocusMove {
    /// To what lies there.
    Toward(Direction),
    /// Along an edge to where it leads.
    Forwards,
    /// Along an edge to where it comes from.
    Back,
    /// To the next edge of this node.
    NextEdge,
    /// To the one before.
    PreviousEdge,
    /// To the next thing in reading order.
    Next,
    /// To the one before.
    Previous,
    /// To the first node.
    First,
    /// To the last one.
    Last,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// The focus is elsewhere: it is shown and said.
    FocusMoved,
    /// What has the focus is selected, and nothing else.
    Select,
    /// It is selected, too.
    Add(Focus),
    /// It is selected, too, or no more.
    Toggle,
    /// Nothing is selected.
    ClearSelection,
    /// What is selected is shown so far from where it is.
    Drag(Point),
    /// It stays there.
    Drop(Point),
    /// It goes back.
    CancelDrag,
    /// An edge is shown from one node to another: their numbers.
    PreviewEdge(usize, usize),
    /// No edge fits what was typed.
    NoTarget,
    /// The edge is made.
    Connect(usize, usize),
    /// No edge is shown any more.
    CancelConnect,
}

/// Where the focus is, and in which mode keys are read.
///
/// # Example
/// ```
/// use stepgraph_playground::keyboard::{Effect, Focus, Keyboard, FocusMove, Direction};
/// use stepgraph_playground::plan_editor::PlanEditor;
/// let session = PlanEditor::new("nodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b}]\n");
/// let mut keyboard = Keyboard::default();
/// keyboard.move_focus(FocusMove::First, session.scene());
/// assert_eq!(keyboard.move_focus(FocusMove::Toward(Direction::Down), session.scene()), [Effect::FocusMoved, Effect::Select]);
/// assert_eq!(keyboard.focus(), &Focus::Node("b".into()));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Keyboard {
    focus: Focus,
    mode: Mode,
    /// Whether what is selected stays when the focus moves.
    keeps_selection: bool,
    /// The node whose edges are stepped through.
    anchor: String,
    /// The last step and where it began: the opposite one leads back there.
    last_move: Option<(FocusMove, Focus)>,
    /// Where the focus was, for when what had it is gone.
    at: Point,
}

impl Keyboard {
    /// What has the focus.
    pub fn focus(&self) -> &Focus {
        &self.focus
    }

    /// In which mode keys are read.
    pub fn mode(&self) -> &Mode {
        &self.mode
    }

    /// Whether what is selected stays when the focus moves.
    pub fn keeps_selection(&self) -> bool {
        self.keeps_selection
    }

    /// The node that has the focus, by number; for an edge, the node whose edges are stepped through.
    pub fn node(&self, scene: &Scene) -> Option<usize> {
        match &self.focus {
            Focus::Node(node_path) => scene.node_at_path(node_path),
            Focus::Edge(..) => scene
                .node_at_path(&self.anchor)
                .or_else(|| Some(spatial_navigation::focused_edge(scene, &self.focus)?.from)),
            Focus::Nothing => None,
        }
    }

    /// Moves the focus; nothing when there is nothing that way.
    pub fn move_focus(&mut self, step: FocusMove, scene: &Scene) -> Vec<Effect> {
        let Some(next) = self.next(step, scene) else { return Vec::new() };
        let before = std::mem::replace(&mut self.focus, next);
        self.last_move = (before != Focus::Nothing).then_some((step, before));
        self.update_anchor(scene);
        if self.keeps_selection { vec![Effect::FocusMoved] } else { vec![Effect::FocusMoved, Effect::Select] }
    }

    /// Moves the focus and takes what it meets into the selection.
    pub fn extend_selection(&mut self, direction: Direction, scene: &Scene) -> Vec<Effect> {
        let before = self.focus.clone();
        let kept = std::mem::replace(&mut self.keeps_selection, true);
        let mut effects = self.move_focus(FocusMove::Toward(direction), scene);
        if effects.is_empty() {
            self.keeps_selection = kept;
            return effects;
        }
        effects.extend([Effect::Add(before), Effect::Add(self.focus.clone())]);
        effects.retain(|effect| *effect != Effect::Add(Focus::Nothing));
        effects
    }

    /// Selects what has the focus; a second time, no more. From then on the selection stays when the focus moves.
    pub fn toggle(&mut self, is_selected: bool) -> Vec<Effect> {
        if self.focus == Focus::Nothing {
            return Vec::new();
        }
        let first = !std::mem::replace(&mut self.keeps_selection, true);
        if first && is_selected { vec![Effect::FocusMoved] } else { vec![Effect::Toggle] }
    }

    /// Somebody selected several things otherwise: they stay selected when the focus moves.
    pub fn keep_selection(&mut self, keep: bool) {
        self.keeps_selection = keep;
    }

    /// The focus goes to something by another way than keys.
    pub fn set_focus(&mut self, focus: Focus, scene: &Scene) {
        self.focus = focus;
        self.keeps_selection = false;
        self.last_move = None;
        self.update_anchor(scene);
    }

    /// The drawing has changed: where what had the focus is gone, it goes to what stands nearest.
    pub fn keep_valid(&mut self, scene: &Scene) -> Vec<Effect> {
        if spatial_navigation::exists(scene, &self.focus) {
            self.update_anchor(scene);
            return Vec::new();
        }
        if self.focus == Focus::Nothing {
            return Vec::new();
        }
        // The edge is gone: its node is still there, as a rule.
        let anchor = scene.node_at_path(&self.anchor).filter(|_| matches!(self.focus, Focus::Edge(..)));
        let hovered = anchor.or_else(|| spatial_navigation::nearest_node(scene, self.at));
        self.focus = hovered
            .and_then(|node| spatial_navigation::focus_of(scene, Item::Node(node)))
            .unwrap_or_default();
        self.last_move = None;
        self.update_anchor(scene);
        vec![Effect::FocusMoved]
    }

    /// Escape: out of the mode, or nothing is selected.
    pub fn escape(&mut self) -> Vec<Effect> {
        match std::mem::take(&mut self.mode) {
            Mode::Move(_) => vec![Effect::CancelDrag],
            Mode::Connect(_) => vec![Effect::CancelConnect],
            Mode::Navigate => {
                self.keeps_selection = false;
                vec![Effect::ClearSelection]
            }
        }
    }

    fn update_anchor(&mut self, scene: &Scene) {
        match &self.focus {
            Focus::Node(node_path) => self.anchor.clone_from(node_path),
            Focus::Edge(..) => {
                let edge = spatial_navigation::focused_edge(scene, &self.focus);
                let is_own = |node: &usize| scene.node_at_path(&self.anchor) == Some(*node);
                if let Some(edge) = edge.filter(|edge| !is_own(&edge.from) && !is_own(&edge.to)) {
                    self.anchor = spatial_navigation::node_path(scene, edge.from);
                }
            }
            Focus::Nothing => {}
        }
        if let Some(node) = self.node(scene).and_then(|node| scene.nodes.get(node)) {
            self.at = node.area.centre();
        }
    }

    fn next(&self, step: FocusMove, scene: &Scene) -> Option<Focus> {
        if let Some((last, before)) = &self.last_move
            && opposite_move(*last) == Some(step)
            && spatial_navigation::exists(scene, before)
        {
            return Some(before.clone());
        }
        if self.focus == Focus::Nothing && !matches!(step, FocusMove::Last | FocusMove::Previous) {
            return spatial_navigation::first_node(scene)
                .and_then(|node| spatial_navigation::focus_of(scene, Item::Node(node)));
        }
        let found = match step {
            FocusMove::Toward(direction) => self.neighbour(direction, scene).map(Item::Node),
            FocusMove::Forwards => self.other_end(scene, true).map(Item::Node),
            FocusMove::Back => self.other_end(scene, false).map(Item::Node),
            FocusMove::NextEdge => self.next_edge(scene, true).map(Item::Edge),
            FocusMove::PreviousEdge => self.next_edge(scene, false).map(Item::Edge),
            FocusMove::First => spatial_navigation::first_node(scene).map(Item::Node),
            FocusMove::Last => spatial_navigation::last_node(scene).map(Item::Node),
            FocusMove::Next => spatial_navigation::reading_neighbour(scene, &self.focus, true),
            FocusMove::Previous => spatial_navigation::reading_neighbour(scene, &self.focus, false),
        };
        spatial_navigation::focus_of(scene, found?).filter(|found| *found != self.focus)
    }

    /// The node that lies there; of an edge, the end that does.
    fn neighbour(&self, direction: Direction, scene: &Scene) -> Option<usize> {
        if let Some(edge) = spatial_navigation::focused_edge(scene, &self.focus) {
            return Some(spatial_navigation::end_toward(scene, edge, direction));
        }
        nearest_toward(scene, self.node(scene)?, direction)
    }

    /// The node at the other end of the first edge; of an edge, its own end.
    fn other_end(&self, scene: &Scene, onwards: bool) -> Option<usize> {
        let other = |edge: &crate::scene::SceneEdge| if onwards { edge.to } else { edge.from };
        if let Some(edge) = spatial_navigation::focused_edge(scene, &self.focus) {
            return Some(other(edge));
        }
        let node = self.node(scene)?;
        let is_own = |edge: &&crate::scene::SceneEdge| (if onwards { edge.from } else { edge.to }) == node;
        scene.edges.iter().filter(is_own).map(other).find(|other| *other != node)
    }

    /// The next edge at the node, those that leave it first; after the last one comes the first.
    fn next_edge(&self, scene: &Scene, onwards: bool) -> Option<usize> {
        let edges = edges_at(scene, self.node(scene)?);
        let now = match &self.focus {
            Focus::Edge(..) => {
                edges.iter().position(|edge| spatial_navigation::touches_edge(scene, &self.focus, *edge))
            }
            _ => None,
        };
        let last = edges.len().checked_sub(1)?;
        let next = match (now, onwards) {
            (None, true) => 0,
            (None, false) => last,
            (Some(at), true) => {
                if at == last {
                    0
                } else {
                    at + 1
                }
            }
            (Some(at), false) => at.checked_sub(1).unwrap_or(last),
        };
        edges.get(next).copied()
    }
}

/// The step that leads back; that to an edge has none, since edges are gone through in a ring.
fn opposite_move(step: FocusMove) -> Option<FocusMove> {
    match step {
        FocusMove::Toward(direction) => Some(FocusMove::Toward(direction.opposite())),
        FocusMove::Forwards => Some(FocusMove::Back),
        FocusMove::Back => Some(FocusMove::Forwards),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
