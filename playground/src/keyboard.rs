//! Keyboard navigation on the canvas.
//!
//! Focus is by name, so it survives edits. The selection follows until the user selects several. The caller executes
//! [`Effect`]s.
//!
//! Invariants: 1. a mode ends with exactly one effect. 2. the focused element exists. 3. Escape leaves any mode, and
//! none handles Tab, so there is no keyboard trap.
//!
//! Source: WCAG 2.2, 2.1.1, 2.1.2, 2.1.4, 2.4.3, 2.5.7.

pub mod chord;
mod connect_targets;
mod modes;
pub mod spatial_navigation;

pub use chord::{Chord, KeyPress};
pub use connect_targets::connect_targets;
pub use modes::{Connecting, Mode};
pub use spatial_navigation::{Direction, Item, edges_at, nearest_toward, reading_order};

use crate::geometry::Point;
use crate::scene::Scene;

/// Focused element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Focus {
    /// The canvas.
    #[default]
    Nothing,
    /// Node path.
    Node(String),
    /// Scope and index.
    Edge(String, usize),
}

/// Focus move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FocusMove {
    /// Nearest node there.
    Toward(Direction),
    /// To the target.
    Forwards,
    /// To the source.
    Back,
    /// Next edge.
    NextEdge,
    /// Previous edge.
    PreviousEdge,
    /// In reading order.
    Next,
    /// In reading order.
    Previous,
    /// First node.
    First,
    /// Last node.
    Last,
}

/// Action for the caller.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Shows and announces it.
    FocusMoved,
    /// Selects the focus alone.
    Select,
    /// Adds to the selection.
    Add(Focus),
    /// Toggles the focus.
    Toggle,
    /// Clears it.
    ClearSelection,
    /// Previews a move.
    Drag(Point),
    /// Moves the selection.
    Drop(Point),
    /// Cancels the move.
    CancelDrag,
    /// Nodes by index.
    PreviewEdge(usize, usize),
    /// No target matches.
    NoTarget,
    /// Adds an edge.
    Connect(usize, usize),
    /// Hides it.
    CancelConnect,
}

/// Canvas focus and mode.
///
/// # Example
/// ```
/// use stepgraph_playground::keyboard::{Effect, Focus, Keyboard, FocusMove, Direction};
/// use stepgraph_playground::plan_editor::PlanEditor;
/// let session = PlanEditor::new("nodes: {a: {type: log}, b: {type: noop}}\nedges: [{from: a, to: b}]\n");
/// let mut keyboard = Keyboard::default();
/// keyboard.move_focus(FocusMove::First, session.scene());
/// let effects = keyboard.move_focus(FocusMove::Toward(Direction::Down), session.scene());
/// assert_eq!(effects, [Effect::FocusMoved, Effect::Select]);
/// assert_eq!(keyboard.focus(), &Focus::Node("b".into()));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Keyboard {
    focus: Focus,
    mode: Mode,
    keeps_selection: bool,
    /// The user steps through its edges.
    anchor: String,
    /// Includes its origin, where the opposite move returns.
    last_move: Option<(FocusMove, Focus)>,
    /// Used if the focused element disappears.
    at: Point,
}

impl Keyboard {
    /// Focused element.
    pub fn focus(&self) -> &Focus {
        &self.focus
    }

    /// Current mode.
    pub fn mode(&self) -> &Mode {
        &self.mode
    }

    /// Focused node, or the one whose edges are stepped through.
    pub fn node(&self, scene: &Scene) -> Option<usize> {
        match &self.focus {
            Focus::Node(node_path) => scene.node_at_path(node_path),
            Focus::Edge(..) => scene
                .node_at_path(&self.anchor)
                .or_else(|| Some(spatial_navigation::focused_edge(scene, &self.focus)?.from)),
            Focus::Nothing => None,
        }
    }

    /// No effects without a target.
    pub fn move_focus(&mut self, step: FocusMove, scene: &Scene) -> Vec<Effect> {
        let Some(next) = self.next(step, scene) else { return Vec::new() };
        let before = std::mem::replace(&mut self.focus, next);
        self.last_move = (before != Focus::Nothing).then_some((step, before));
        self.update_anchor(scene);
        if self.keeps_selection { vec![Effect::FocusMoved] } else { vec![Effect::FocusMoved, Effect::Select] }
    }

    /// Selects both elements.
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

    /// Toggles the focus, and then preserves the selection.
    pub fn toggle(&mut self, is_selected: bool) -> Vec<Effect> {
        if self.focus == Focus::Nothing {
            return Vec::new();
        }
        let first = !std::mem::replace(&mut self.keeps_selection, true);
        if first && is_selected { vec![Effect::FocusMoved] } else { vec![Effect::Toggle] }
    }

    /// Preserves it during moves.
    pub fn keep_selection(&mut self, keep: bool) {
        self.keeps_selection = keep;
    }

    /// After a click, for example.
    pub fn set_focus(&mut self, focus: Focus, scene: &Scene) {
        self.focus = focus;
        self.keeps_selection = false;
        self.last_move = None;
        self.update_anchor(scene);
    }

    /// Moves to the nearest element after a removal.
    pub fn keep_valid(&mut self, scene: &Scene) -> Vec<Effect> {
        if spatial_navigation::exists(scene, &self.focus) {
            self.update_anchor(scene);
            return Vec::new();
        }
        if self.focus == Focus::Nothing {
            return Vec::new();
        }
        // A removed edge's node usually remains.
        let anchor = scene.node_at_path(&self.anchor).filter(|_| matches!(self.focus, Focus::Edge(..)));
        let hovered = anchor.or_else(|| spatial_navigation::nearest_node(scene, self.at));
        self.focus = hovered
            .and_then(|node| spatial_navigation::focus_of(scene, Item::Node(node)))
            .unwrap_or_default();
        self.last_move = None;
        self.update_anchor(scene);
        vec![Effect::FocusMoved]
    }

    /// Leaves the mode, else deselects.
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

    fn neighbour(&self, direction: Direction, scene: &Scene) -> Option<usize> {
        if let Some(edge) = spatial_navigation::focused_edge(scene, &self.focus) {
            return Some(spatial_navigation::end_toward(scene, edge, direction));
        }
        nearest_toward(scene, self.node(scene)?, direction)
    }

    /// Follows the first or focused edge.
    fn other_end(&self, scene: &Scene, onwards: bool) -> Option<usize> {
        let other = |edge: &crate::scene::SceneEdge| if onwards { edge.to } else { edge.from };
        if let Some(edge) = spatial_navigation::focused_edge(scene, &self.focus) {
            return Some(other(edge));
        }
        let node = self.node(scene)?;
        let is_own = |edge: &&crate::scene::SceneEdge| (if onwards { edge.from } else { edge.to }) == node;
        scene.edges.iter().filter(is_own).map(other).find(|other| *other != node)
    }

    /// Cycles, outgoing edges first.
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

/// Moves to edges cycle, so have none.
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
