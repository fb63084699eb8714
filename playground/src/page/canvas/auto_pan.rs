//! Pointers that carry something to the border of the drawing, which then moves on under them.
//!
//! Decides only when: in the frames of the drawing, so that what is carried and what is seen move together. How far is [`crate::gesture`]'s.

use super::canvas_view::CanvasView;
use super::pointer::target;
use crate::gesture::{Pointer, PointerPhase};
use crate::page::js_bridge::now;
use leptos::prelude::*;
use leptos::web_sys::{Element, PointerEvent};
use stepgraph_lazy::lazy;

lazy! {
    /// What lies under a pointer has changed, though it has not moved.
    fn pointer_stayed(view: CanvasView, pointer: Pointer) = CanvasView::retrack_pointer;
}

impl CanvasView {
    fn retrack_pointer(self, pointer: Pointer) {
        let view = self.store.view.get_untracked();
        self.track_auto_pan(Pointer { hit: self.edge_drag_target(view.to_drawing(pointer.at)), ..pointer });
    }

    /// What a pointer did comes about; at a border frames follow.
    pub(super) fn track_auto_pan(self, event: Pointer) {
        let view = self.store.view.get_untracked();
        let actions = self.with_state(|state| state.gesture.pointer(event, &view));
        for meaning in actions.into_iter().flatten() {
            self.perform(meaning);
        }
        let screen = self.store.screen.get_untracked();
        // Only now: what is only looked at has not been grabbed.
        let is_near = self
            .with_state(|state| state.auto_pan.track(event, state.gesture.dragging_pointer(), screen, now()));
        if is_near == Some(true) {
            self.request_frame();
        }
    }

    /// In a frame: the view moves on, and the pointer that stays where it is has moved over the drawing.
    pub(super) fn auto_pan_step(self) {
        let screen = self.store.screen.get_untracked();
        let step = self
            .with_state(|state| state.auto_pan.step(state.gesture.dragging_pointer(), screen, now()))
            .flatten();
        let Some((pointer, by)) = step else { return };
        let view = self.store.view.get_untracked().panned(by.x, by.y);
        self.store.view.set(view);
        pointer_stayed(self, pointer);
    }

    /// A pointer belongs to something else. A card from which the pane took it says so as well, which means nothing.
    pub(super) fn pointer_lost(self, event: &PointerEvent) {
        let root = self.with_state(|state| state.root.clone()).flatten();
        if root.is_some_and(|root| target(event).as_ref() == Some(AsRef::<Element>::as_ref(&root))) {
            self.pointer(event, PointerPhase::Lost);
        }
    }
}
