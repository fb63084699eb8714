//! When the view fits the drawing by itself: for an opened plan, and as [`crate::auto_fit`] decides.

use super::canvas_view::CanvasView;
use crate::auto_fit::needs_fit;
use crate::geometry::Size;
use crate::paint::IndexedScene;
use crate::plan_editor::PlanEditor;
use leptos::prelude::*;
use stepgraph_lazy::lazy;
use wasm_bindgen::JsValue;

lazy! {
    fn is_out_of_sight(view: CanvasView, before: &IndexedScene, editor: &PlanEditor) -> bool =
        CanvasView::has_lost_sight;
}

impl CanvasView {
    pub(super) fn fit_when_due(self) {
        if self.fits_new_plan() || self.fits_changed_scene() {
            self.store.fit_drawing();
        }
    }

    fn fits_new_plan(self) -> bool {
        let (bounds, opening) = self.store.read(|editor| (editor.scene().bounds, editor.plan_version()));
        let is_due = self.with_state(|state| {
            let is_due = bounds.size.width > 0.0 && state.fitted_plan != Some(opening);
            if is_due {
                state.fitted_plan = Some(opening);
            }
            is_due
        });
        is_due == Some(true)
    }

    /// Asks before the new scene replaces the indexed one. A plan changes only after the first interaction.
    fn fits_changed_scene(self) -> bool {
        let is_due = self.store.read(|editor| {
            self.with_state(|state| {
                stepgraph_lazy::is_loaded()
                    && state.board.is_outdated(editor)
                    && editor.dragged().is_none()
                    && is_out_of_sight(self, &state.board, editor)
            })
        });
        is_due == Some(true)
    }

    fn has_lost_sight(self, before: &IndexedScene, editor: &PlanEditor) -> bool {
        let (view, screen) = (self.store.view.get_untracked(), self.store.screen.get_untracked());
        let active = document().active_element();
        let is_on_canvas = active.is_some_and(|active| active.closest(".canvas").ok().flatten().is_some());
        needs_fit(before, editor.scene(), (&view, screen), is_on_canvas)
    }

    /// A hidden pane has no size, and shows its drawing as a whole when it is back. The first size has no view to keep.
    pub(super) fn resized(self, size: Size) {
        let page = page_size();
        let before = self.with_state(|state| {
            if size.width <= 1.0 {
                // What changes meanwhile is out of sight, so the view is that of another window.
                state.last_size = state.last_size.map(|(last, _)| (last, Size::default()));
                return None;
            }
            state.last_size.replace((size, page)).map(|(before, of)| (before, of != page))
        });
        match before.flatten() {
            // Until the page is complete, no user has opened a panel.
            Some((before, is_window)) => {
                let is_window = is_window || !self.store.has_interacted.get_untracked();
                self.store.resize_canvas(before, size, is_window);
            }
            None => self.store.screen.set(size),
        }
    }
}

/// Of the window.
fn page_size() -> Size {
    let length =
        |value: Result<JsValue, JsValue>| value.ok().and_then(|value| value.as_f64()).unwrap_or_default();
    Size::new(length(window().inner_width()), length(window().inner_height()))
}
