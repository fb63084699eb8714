//! Dragging to the edge moves the view, in animation frames so that both move together. [`crate::gesture`] decides how
//! far.

use super::canvas_view::CanvasView;
use super::pointer::target;
use crate::gesture::{Pointer, PointerPhase};
use crate::page::js_bridge::now;
use leptos::prelude::*;
use leptos::web_sys::{Element, PointerEvent};
use stepgraph_lazy::lazy;

lazy! {
    /// The view moved under a resting pointer.
    fn pointer_stayed(view: CanvasView, pointer: Pointer) = CanvasView::retrack_pointer;
}

impl CanvasView {
    fn retrack_pointer(self, pointer: Pointer) {
        let view = self.store.view.get_untracked();
        self.track_auto_pan(Pointer { hit: self.edge_drag_target(view.to_drawing(pointer.at)), ..pointer });
    }

    pub(super) fn track_auto_pan(self, event: Pointer) {
        let view = self.store.view.get_untracked();
        let actions = self.with_state(|state| state.gesture.pointer(event, &view));
        for meaning in actions.into_iter().flatten() {
            self.perform(meaning);
        }
        let screen = self.store.screen.get_untracked();
        // Afterwards, because a read-only canvas cancels drags.
        let is_near = self
            .with_state(|state| state.auto_pan.track(event, state.gesture.dragging_pointer(), screen, now()));
        if is_near == Some(true) {
            self.request_frame();
        }
    }

    /// Re-applies the pointer at its new canvas point.
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

    /// Ignores cards whose pointer the pane captures.
    pub(super) fn pointer_lost(self, event: &PointerEvent) {
        let root = self.with_state(|state| state.root.clone()).flatten();
        if root.is_some_and(|root| target(event).as_ref() == Some(AsRef::<Element>::as_ref(&root))) {
            self.pointer(event, PointerPhase::Lost);
        }
    }
}
