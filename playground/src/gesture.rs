//! Pointer gestures on the canvas. The caller finds elements and executes actions.
//!
//! Invariants: 1. a gesture ends with exactly one [`GestureAction`]. 2. a second finger cancels the drag. 3. drags need
//! the move threshold.
//!
//! Source: WCAG 2.5.2 (act on release, Escape cancels).

mod auto_pan;

pub use auto_pan::AutoPan;

use crate::geometry::{Point, Rect};
use crate::viewport::Viewport;

/// Mouse, in pixels.
const MOVE_THRESHOLD: f64 = 4.0;
/// Finger, in pixels.
const MOVE_THRESHOLD_TOUCH: f64 = 10.0;
const WHEEL_ZOOM_RATE: f64 = 0.002;

/// Pointed element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hit {
    /// Empty canvas.
    #[default]
    Nothing,
    /// Node index.
    Node(usize),
    /// Starts an edge.
    Handle(usize),
    /// Edge index.
    Edge(usize),
    /// A reconnectable end.
    EdgeEnd(usize, End),
}

/// Edge end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Source.
    From,
    /// Target.
    To,
}

/// Phase of a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointerPhase {
    /// Pressed.
    Down,
    /// Moved.
    Move,
    /// Released.
    Up,
    /// Cancelled by the browser.
    Cancel,
    /// Captured elsewhere.
    Lost,
}

/// Button or device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PointerKind {
    /// Main button or pen.
    #[default]
    Main,
    /// Middle button.
    Middle,
    /// A finger.
    Touch,
}

/// A pointer event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pointer {
    /// Phase.
    pub phase: PointerPhase,
    /// Pointer id.
    pub id: i32,
    /// On the screen.
    pub at: Point,
    /// Pointed element.
    pub hit: Hit,
    /// Key that extends the selection, or on empty canvas starts a marquee.
    pub kind: PointerKind,
    /// The space bar, which pans.
    pub extend: bool,
    /// Whether the space bar is down. Dragging then pans.
    pub space: bool,
}

/// Outcome in canvas points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GestureAction {
    /// New viewport.
    View(Viewport),
    /// `extend` toggles the element.
    Click {
        /// Pointed element.
        hit: Hit,
        /// Extends the selection.
        extend: bool,
        /// Point.
        at: Point,
    },
    /// Drags the selection, or an unselected node alone.
    Grab {
        /// Node.
        node: usize,
    },
    /// Moves nodes.
    Drag {
        /// Distance from the start.
        by: Point,
    },
    /// Ends dragging.
    Drop {
        /// Distance from the start.
        by: Point,
    },
    /// Resizes the marquee.
    Marquee {
        /// Current rectangle.
        area: Rect,
    },
    /// Adds its content to the selection.
    Select {
        /// Marquee.
        area: Rect,
    },
    /// Drags an edge.
    DragEdge {
        /// Edge.
        edge: EdgeDrag,
        /// Point.
        to: Point,
        /// Pointed element.
        over: Hit,
    },
    /// Drops an edge.
    Connect {
        /// Edge.
        edge: EdgeDrag,
        /// Point.
        to: Point,
        /// Pointed element.
        over: Hit,
    },
    /// Cancels the gesture.
    Cancel,
}

/// The dragged edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeDrag {
    /// A new edge from a node.
    New(usize),
    /// One end.
    Existing(usize, End),
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum State {
    #[default]
    Idle,
    /// Below the move threshold.
    Pressed {
        first: Pointer,
    },
    Panning {
        id: i32,
        last: Point,
    },
    Dragging {
        id: i32,
        start: Point,
    },
    DrawingMarquee {
        id: i32,
        start: Point,
    },
    DraggingEdge {
        id: i32,
        edge: EdgeDrag,
    },
    Pinching {
        a: (i32, Point),
        b: (i32, Point),
    },
    /// After one of two fingers lifts, the other is ignored.
    Resting,
}

/// Pointer state machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gesture {
    state: State,
}

impl Gesture {
    /// The dragging pointer, for [`AutoPan`] at the edge.
    pub fn dragging_pointer(&self) -> Option<i32> {
        match self.state {
            State::Dragging { id, .. }
            | State::DrawingMarquee { id, .. }
            | State::DraggingEdge { id, .. } => Some(id),
            _ => None,
        }
    }

    /// Handles an event.
    pub fn pointer(&mut self, event: Pointer, view: &Viewport) -> Vec<GestureAction> {
        match event.phase {
            PointerPhase::Down => self.pointer_down(event),
            PointerPhase::Move => self.pointer_moved(event, view),
            PointerPhase::Up => self.pointer_up(event, view),
            PointerPhase::Cancel => self.cancel(),
            PointerPhase::Lost => self.pointer_lost(event.id),
        }
    }

    /// Zooms with `zoom` (pinch or Ctrl), else pans.
    pub fn wheel(view: &Viewport, at: Point, by: Point, zoom: bool) -> GestureAction {
        let seen = if zoom {
            view.zoomed((-by.y * WHEEL_ZOOM_RATE * 5.0).clamp(-1.0, 1.0).exp(), at)
        } else {
            view.panned(-by.x, -by.y)
        };
        GestureAction::View(seen)
    }

    /// After Escape or a lost pointer.
    pub fn cancel(&mut self) -> Vec<GestureAction> {
        let taken_back = self.dragging_pointer().is_some();
        self.state = State::Idle;
        if taken_back { vec![GestureAction::Cancel] } else { Vec::new() }
    }

    /// Released pointers are also lost, but hold no gesture.
    fn pointer_lost(&mut self, lost: i32) -> Vec<GestureAction> {
        let held = match self.state {
            State::Pressed { first } => Some(first.id),
            State::Panning { id, .. } => Some(id),
            _ => self.dragging_pointer(),
        };
        if held == Some(lost) { self.cancel() } else { Vec::new() }
    }

    fn pointer_down(&mut self, event: Pointer) -> Vec<GestureAction> {
        let held = match self.state {
            State::Idle => None,
            State::Pressed { first } => Some((first.id, first.at, first.kind)),
            State::Panning { id, last } => Some((id, last, event.kind)),
            State::Dragging { id, .. }
            | State::DrawingMarquee { id, .. }
            | State::DraggingEdge { id, .. } => Some((id, event.at, event.kind)),
            State::Pinching { .. } | State::Resting => return Vec::new(),
        };
        let Some((id, at, with)) = held else {
            self.state = State::Pressed { first: event };
            return Vec::new();
        };
        if with != PointerKind::Touch || event.kind != PointerKind::Touch || id == event.id {
            return Vec::new();
        }
        let taken_back = self.cancel();
        self.state = State::Pinching { a: (id, at), b: (event.id, event.at) };
        taken_back
    }

    fn pointer_moved(&mut self, event: Pointer, view: &Viewport) -> Vec<GestureAction> {
        let point = view.to_drawing(event.at);
        match self.state {
            State::Pressed { first } if first.id == event.id => {
                let tremble =
                    if first.kind == PointerKind::Touch { MOVE_THRESHOLD_TOUCH } else { MOVE_THRESHOLD };
                if first.at.distance(event.at) <= tremble {
                    return Vec::new();
                }
                let mut actions = self.start_drag(first, view);
                actions.extend(self.pointer_moved(event, view));
                actions
            }
            State::Panning { id, last } if id == event.id => {
                self.state = State::Panning { id, last: event.at };
                let offset = last.offset_to(event.at);
                vec![GestureAction::View(view.panned(offset.x, offset.y))]
            }
            State::Dragging { id, start } if id == event.id => {
                vec![GestureAction::Drag { by: start.offset_to(point) }]
            }
            State::DrawingMarquee { id, start } if id == event.id => {
                vec![GestureAction::Marquee { area: Rect::between(start, point) }]
            }
            State::DraggingEdge { id, edge: lead } if id == event.id => {
                vec![GestureAction::DragEdge { edge: lead, to: point, over: event.hit }]
            }
            State::Pinching { a, b } => self.pinch(a, b, event, view),
            _ => Vec::new(),
        }
    }

    /// The first element decides the kind.
    fn start_drag(&mut self, first: Pointer, view: &Viewport) -> Vec<GestureAction> {
        let (id, start) = (first.id, view.to_drawing(first.at));
        if first.kind == PointerKind::Middle || first.space {
            self.state = State::Panning { id, last: first.at };
            return Vec::new();
        }
        match first.hit {
            Hit::Node(node) => {
                self.state = State::Dragging { id, start };
                return vec![GestureAction::Grab { node }];
            }
            Hit::Handle(node) => self.state = State::DraggingEdge { id, edge: EdgeDrag::New(node) },
            Hit::EdgeEnd(edge, end) => {
                self.state = State::DraggingEdge { id, edge: EdgeDrag::Existing(edge, end) }
            }
            Hit::Nothing | Hit::Edge(_) if first.extend => self.state = State::DrawingMarquee { id, start },
            Hit::Nothing | Hit::Edge(_) => self.state = State::Panning { id, last: first.at },
        }
        Vec::new()
    }

    fn pinch(
        &mut self,
        a: (i32, Point),
        b: (i32, Point),
        event: Pointer,
        view: &Viewport,
    ) -> Vec<GestureAction> {
        let (new_a, new_b) = match event.id {
            id if id == a.0 => ((id, event.at), b),
            id if id == b.0 => (a, (id, event.at)),
            _ => return Vec::new(),
        };
        self.state = State::Pinching { a: new_a, b: new_b };
        let middle = |a: Point, b: Point| Point::new(f64::midpoint(a.x, b.x), f64::midpoint(a.y, b.y));
        let (before, after) = (middle(a.1, b.1), middle(new_a.1, new_b.1));
        let times = new_a.1.distance(new_b.1).max(1.0) / a.1.distance(b.1).max(1.0);
        let offset = before.offset_to(after);
        vec![GestureAction::View(view.panned(offset.x, offset.y).zoomed(times, after))]
    }

    fn pointer_up(&mut self, event: Pointer, view: &Viewport) -> Vec<GestureAction> {
        let point = view.to_drawing(event.at);
        let action = match self.state {
            State::Pressed { first } if first.id == event.id => {
                GestureAction::Click { hit: first.hit, extend: first.extend, at: point }
            }
            State::Dragging { id, start } if id == event.id => {
                GestureAction::Drop { by: start.offset_to(point) }
            }
            State::DrawingMarquee { id, start } if id == event.id => {
                GestureAction::Select { area: Rect::between(start, point) }
            }
            State::DraggingEdge { id, edge: lead } if id == event.id => {
                GestureAction::Connect { edge: lead, to: point, over: event.hit }
            }
            State::Panning { id, .. } if id == event.id => {
                self.state = State::Idle;
                return Vec::new();
            }
            State::Pinching { .. } => {
                self.state = State::Resting;
                return Vec::new();
            }
            State::Resting => {
                self.state = State::Idle;
                return Vec::new();
            }
            _ => return Vec::new(),
        };
        self.state = State::Idle;
        vec![action]
    }
}

#[cfg(test)]
mod tests;
