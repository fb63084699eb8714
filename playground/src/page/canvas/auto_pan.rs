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
    fn carry_on(pane: CanvasView, pointer: Pointer) = CanvasView::carry_again;
}

impl CanvasView {
    fn carry_again(self, pointer: Pointer) {
        let view = self.store.view.get_untracked();
        self.carry(Pointer { hit: self.met(view.to_drawing(pointer.at)), ..pointer });
    }

    /// What a pointer did comes about; at a border frames follow.
    pub(super) fn carry(self, event: Pointer) {
        let view = self.store.view.get_untracked();
        let meant = self.hold(|held| held.gesture.pointer(event, &view));
        for meaning in meant.into_iter().flatten() {
            self.mean(meaning);
        }
        let screen = self.store.screen.get_untracked();
        // Only now: what is only looked at has not been grabbed.
        let is_near =
            self.hold(|held| held.border.track(event, held.gesture.dragging_pointer(), screen, now()));
        if is_near == Some(true) {
            self.ask();
        }
    }

    /// In a frame: the view moves on, and the pointer that stays where it is has moved over the drawing.
    pub(super) fn creep(self) {
        let screen = self.store.screen.get_untracked();
        let step =
            self.hold(|held| held.border.step(held.gesture.dragging_pointer(), screen, now())).flatten();
        let Some((pointer, by)) = step else { return };
        let view = self.store.view.get_untracked().panned(by.x, by.y);
        self.store.view.set(view);
        carry_on(self, pointer);
    }

    /// A pointer belongs to something else. A card from which the pane took it says so as well, which means nothing.
    pub(super) fn lost(self, event: &PointerEvent) {
        let root = self.hold(|held| held.root.clone()).flatten();
        if root.is_some_and(|root| target(event).as_ref() == Some(AsRef::<Element>::as_ref(&root))) {
            self.pointer(event, PointerPhase::Lost);
        }
    }
}
