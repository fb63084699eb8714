//! The wheel over the canvas.

use super::super::canvas_view::CanvasView;
use super::is_over;
use crate::geometry::Point;
use crate::gesture::Gesture;
use leptos::prelude::*;
use leptos::web_sys::WheelEvent;

/// Pixels.
const WHEEL_LINE: f64 = 16.0;
const WHEEL_PAGE: f64 = 400.0;

impl CanvasView {
    pub(in super::super) fn wheel(self, event: &WheelEvent) {
        if is_over(event, ".over") {
            return;
        }
        if self.leaves_wheel_to_page(event) {
            return;
        }
        event.prevent_default();
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => WHEEL_LINE,
            WheelEvent::DOM_DELTA_PAGE => WHEEL_PAGE,
            _ => 1.0,
        };
        let sideways = event.shift_key() && event.delta_x() == 0.0;
        let by = Point::new(event.delta_x() * unit, event.delta_y() * unit);
        let by = if sideways { by.transposed() } else { by };
        let at = self.pane_point(event.client_x(), event.client_y());
        let view = self.store.view.get_untracked();
        self.perform(Gesture::wheel(&view, at, by, event.ctrl_key() || event.meta_key()));
    }

    /// An embedding page scrolls until the reader uses the canvas.
    fn leaves_wheel_to_page(self, event: &WheelEvent) -> bool {
        let document = document();
        let is_embedded = document.document_element().is_some_and(|root| root.has_attribute("data-embed"));
        let root = self.with_state(|state| state.root.clone()).flatten();
        let has_focus = root.is_some_and(|root| root.contains(document.active_element().as_deref()));
        is_embedded && !has_focus && !event.ctrl_key() && !event.meta_key()
    }
}
