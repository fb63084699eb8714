//! What a person does with pointers, as what it means for the drawing.
//!
//! Decides when a press becomes a click, a drag, a selection, a connection or a pinch. Knows nothing of browsers: events come in as
//! places on the screen with what lies under them, meanings go out; whoever asks carries them out.
//!
//! Invariants: 1. a gesture that was begun is ended by exactly one [`GestureAction`] that says how, whatever happens in between; 2. a second
//! finger takes back what the first had begun, so nothing is left hanging; 3. nothing moves before the pointer has left the place where
//! it was pressed by more than a tremble.
//!
//! Source: WCAG 2.5.2 (act on release, Escape takes back).

mod auto_pan;

pub use auto_pan::AutoPan;

use crate::geometry::{Point, Rect};
use crate::viewport::Viewport;

/// How far a mouse may tremble while it is pressed.
const MOVE_THRESHOLD: f64 = 4.0;
/// How far a finger may.
const MOVE_THRESHOLD_TOUCH: f64 = 10.0;
/// How much one unit of a wheel zooms.
const WHEEL_ZOOM_RATE: f64 = 0.002;

/// What lies under a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hit {
    /// The empty drawing.
    #[default]
    Nothing,
    /// A node, by its number.
    Node(usize),
    /// The handle of a node from which edges leave.
    Handle(usize),
    /// An edge, by its number.
    Edge(usize),
    /// The end of an edge that can be led elsewhere.
    EdgeEnd(usize, End),
}

/// One of an edge's ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where it comes from.
    From,
    /// Where it leads.
    To,
}

/// What a pointer did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointerPhase {
    /// It was pressed.
    Down,
    /// It moved.
    Move,
    /// It was released.
    Up,
    /// The browser took it away.
    Cancel,
    /// It belongs to something else from now on.
    Lost,
}

/// Which button, finger or pen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PointerKind {
    /// The mouse's main button, or a pen.
    #[default]
    Main,
    /// Its middle button.
    Middle,
    /// A finger.
    Touch,
}

/// One event of a pointer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pointer {
    /// What it did.
    pub phase: PointerPhase,
    /// Which pointer it is.
    pub id: i32,
    /// Where on the screen.
    pub at: Point,
    /// What lies there.
    pub hit: Hit,
    /// Which button, finger or pen.
    pub kind: PointerKind,
    /// Whether a key is held that adds to the selection, or draws a band on the empty drawing.
    pub extend: bool,
    /// Whether the space bar is held, which pans wherever the pointer is.
    pub space: bool,
}

/// What a gesture means. Places are in the drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GestureAction {
    /// The drawing is seen otherwise.
    View(Viewport),
    /// Something was pressed and released; `extend` adds to the selection or takes away from it.
    Click {
        /// What lies there.
        hit: Hit,
        /// Whether the selection is kept.
        extend: bool,
        /// Where.
        at: Point,
    },
    /// A node is about to be dragged: with all that is selected, or alone if it isn't.
    Grab {
        /// The node.
        node: usize,
    },
    /// What was grabbed is so far from where it was.
    Drag {
        /// How far.
        by: Point,
    },
    /// It stays there.
    Drop {
        /// How far.
        by: Point,
    },
    /// A band is drawn around what is to be selected.
    Marquee {
        /// How large it is now.
        area: Rect,
    },
    /// What lies in it is selected, too.
    Select {
        /// The band.
        area: Rect,
    },
    /// An edge is being led to a place.
    DragEdge {
        /// From where.
        edge: EdgeDrag,
        /// To where.
        to: Point,
        /// What lies there.
        over: Hit,
    },
    /// It was led there.
    Connect {
        /// From where.
        edge: EdgeDrag,
        /// To where.
        to: Point,
        /// What lies there.
        over: Hit,
    },
    /// What was begun is taken back.
    Cancel,
}

/// Which edge is led.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeDrag {
    /// A new one, from a node.
    New(usize),
    /// One that is there, at one of its ends.
    Existing(usize, End),
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum State {
    #[default]
    Idle,
    /// Pressed, and not yet known for what.
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
        lead: EdgeDrag,
    },
    Pinching {
        a: (i32, Point),
        b: (i32, Point),
    },
    /// One of two fingers was lifted: the other does nothing until it is lifted, too.
    Resting,
}

/// Pointers over a drawing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gesture {
    state: State,
}

impl Gesture {
    /// Whether something is being dragged, drawn or led.
    pub fn is_busy(&self) -> bool {
        !matches!(self.state, State::Idle | State::Pressed { .. })
    }

    /// The pointer that drags, draws or leads something: where it goes to a border, [`AutoPan`] has the view follow.
    pub fn dragging_pointer(&self) -> Option<i32> {
        match self.state {
            State::Dragging { id, .. }
            | State::DrawingMarquee { id, .. }
            | State::DraggingEdge { id, .. } => Some(id),
            _ => None,
        }
    }

    /// Takes in one event; `view` is what is seen now.
    pub fn pointer(&mut self, event: Pointer, view: &Viewport) -> Vec<GestureAction> {
        match event.phase {
            PointerPhase::Down => self.pointer_down(event),
            PointerPhase::Move => self.pointer_moved(event, view),
            PointerPhase::Up => self.pointer_up(event, view),
            PointerPhase::Cancel => self.cancel(),
            PointerPhase::Lost => self.pointer_lost(event.id),
        }
    }

    /// A turn of a wheel, or two fingers on a touchpad: zooms with `zoom` (a pinch, or Ctrl), else pans.
    pub fn wheel(view: &Viewport, at: Point, by: Point, zoom: bool) -> GestureAction {
        let seen = if zoom {
            view.zoomed((-by.y * WHEEL_ZOOM_RATE * 5.0).clamp(-1.0, 1.0).exp(), at)
        } else {
            view.panned(-by.x, -by.y)
        };
        GestureAction::View(seen)
    }

    /// Takes back what was begun: Escape, or the pointer was lost.
    pub fn cancel(&mut self) -> Vec<GestureAction> {
        let taken_back = self.dragging_pointer().is_some();
        self.state = State::Idle;
        if taken_back { vec![GestureAction::Cancel] } else { Vec::new() }
    }

    /// A pointer that is released is lost, too, but then nothing is held by it any more.
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
            State::DraggingEdge { id, lead } if id == event.id => {
                vec![GestureAction::DragEdge { edge: lead, to: point, over: event.hit }]
            }
            State::Pinching { a, b } => self.pinch(a, b, event, view),
            _ => Vec::new(),
        }
    }

    /// The press has become a drag: of what, is decided by where it began.
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
            Hit::Handle(node) => self.state = State::DraggingEdge { id, lead: EdgeDrag::New(node) },
            Hit::EdgeEnd(edge, end) => {
                self.state = State::DraggingEdge { id, lead: EdgeDrag::Existing(edge, end) }
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
            State::DraggingEdge { id, lead } if id == event.id => {
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
